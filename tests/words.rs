//! The words that may leave in a shared report are those of our own sentences: every word of
//! a text literal in the rooms that write them is in `src/report/words.txt`, and no other.
//! `ODDNODE_WORDS=write` writes the list anew.
#![allow(clippy::disallowed_methods, reason = "reads the sources")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Rooms whose texts stand in a report.
const ROOMS: [&str; 5] = ["src/base", "src/diagnosis", "src/model", "src/report", "src/source"];

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") && !path.ends_with("tests.rs") {
            out.push(path);
        }
    }
}

/// The text literals of a source, without its tests, comments and placeholders.
fn literals(code: &str) -> Vec<String> {
    let code = code.split("#[cfg(test)]").next().unwrap();
    let mut found = Vec::new();
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '/' if chars.peek() == Some(&'/') => while chars.next_if(|c| *c != '\n').is_some() {},
            '\'' => {
                // A character, or a lifetime, which has no closing quote.
                match chars.next() {
                    Some('\\') => {
                        chars.next();
                    }
                    Some(_) => {}
                    None => break,
                }
                chars.next_if_eq(&'\'');
            }
            '"' => {
                let mut text = String::new();
                while let Some(c) = chars.next() {
                    match c {
                        '"' => break,
                        '\\' => {
                            chars.next();
                            text.push(' ');
                        }
                        c => text.push(c),
                    }
                }
                found.push(text);
            }
            _ => {}
        }
    }
    found
}

/// The words of a literal, as `report::check` splits texts.
fn words(literal: &str) -> BTreeSet<String> {
    let mut plain = String::new();
    let mut depth = 0;
    for c in literal.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            c if depth == 0 => plain.push(c),
            _ => {}
        }
        if c == '}' {
            plain.push(' ');
        }
    }
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '+' | '@' | '%' | '=');
    let parts = plain.split(|c: char| !is_word(c)).map(|w| w.trim_matches(['.', ':', '/', '=']));
    // Digits, dots and slashes are what names of machines, addresses and paths are made of.
    let fits = |w: &&str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphabetic() || matches!(c, '-' | '_'));
    parts.filter(fits).map(str::to_owned).collect()
}

#[test]
fn words_of_our_sentences_are_those_that_may_leave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for room in ROOMS {
        sources(&root.join(room), &mut files);
    }
    let mut found: BTreeSet<String> = BTreeSet::new();
    for file in files {
        for literal in literals(&std::fs::read_to_string(&file).unwrap()) {
            found.extend(words(&literal));
        }
    }
    // What has a digit, a slash or a percent sign and is ours all the same.
    found.extend(oddnode::model::METRICS.iter().map(|m| (*m).to_owned()));
    found.extend(["Maps/s", "jhist", "job/path"].map(str::to_owned));
    for format in oddnode::format::FORMATS {
        found.insert(format.about().name.to_owned());
    }
    let path = root.join("src/report/words.txt");
    let text: String = found.iter().map(|word| format!("{word}\n")).collect();
    if std::env::var("ODDNODE_WORDS").is_ok_and(|v| v == "write") {
        std::fs::write(&path, &text).unwrap();
    }
    let listed: BTreeSet<String> = std::fs::read_to_string(&path).unwrap().lines().map(str::to_owned).collect();
    let missing: Vec<_> = found.difference(&listed).collect();
    assert!(missing.is_empty(), "not in src/report/words.txt (ODDNODE_WORDS=write adds them): {missing:?}");
    let stale: Vec<_> = listed.difference(&found).collect();
    assert!(stale.is_empty(), "in src/report/words.txt, but no word of ours: {stale:?}");
}

#[test]
fn literals_are_read_without_comments_and_tests() {
    let code = "/// \"no\"\nlet a = \"on {x:.1} its 'peers'\"; let c = '\"'; // \"no\"\n let b = \"a \\\" b\";\n#[cfg(test)] \"h103\"";
    let found: BTreeSet<String> = literals(code).iter().flat_map(|l| words(l)).collect();
    assert_eq!(found, ["a", "b", "its", "on", "peers"].map(String::from).into());
}
