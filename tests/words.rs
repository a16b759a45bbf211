//! The words that may leave in a shared report are those of our own sentences: every word of
//! a text literal in the rooms that write them is in `src/report/words.txt`, and no other.
//! `ODDNODE_WORDS=write` writes the list anew.
#![allow(clippy::disallowed_methods, reason = "reads the sources")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod sources;

use oddnode::base::quantity;
use oddnode::report::key::Key;
use oddnode::report::scrub::scrub;
use oddnode::report::{Culprit, Evidence, OutcomeKind, Report, Verdict};
use std::collections::BTreeSet;
use std::path::Path;

/// Rooms whose texts stand in a report.
const ROOMS: [&str; 5] = ["src/base", "src/diagnosis", "src/model", "src/report", "src/source"];
/// Letters of a word that a single digit may stand in: `accept4`, `log4j`, and not `h4` or `vm_4`.
const LONGEST_OF_MACHINES: usize = 4;

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

/// A literal without its placeholders.
fn plain(literal: &str) -> String {
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
    plain
}

/// The words of a literal, as `report::check` splits texts.
fn words(literal: &str) -> BTreeSet<String> {
    let plain = plain(literal);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '+' | '@' | '%' | '=');
    let parts = plain.split(|c: char| !is_word(c)).map(|w| w.trim_matches(['.', ':', '/', '=']));
    parts.filter(|word| may_leave(word)).map(str::to_owned).collect()
}

/// Dots, slashes and digits but one are what names of machines, addresses and paths are made of; a unit may end in `/s`.
fn may_leave(word: &str) -> bool {
    let stem = word.strip_suffix("/s").unwrap_or(word);
    let digits = stem.bytes().filter(u8::is_ascii_digit).count();
    let near_end = stem.find(|c: char| c.is_ascii_digit()).is_some_and(|at| at + 2 >= stem.len());
    let is_call = digits == 1 && near_end && stem.len() > LONGEST_OF_MACHINES && stem.to_lowercase() == stem;
    let letters = stem.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | 'µ'));
    word == "%" || !stem.is_empty() && letters && (digits == 0 || is_call)
}

#[test]
fn words_of_our_sentences_are_those_that_may_leave() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found: BTreeSet<String> = BTreeSet::new();
    let files = ROOMS.into_iter().flat_map(sources::below);
    let is_tests = |file: &Path| file.ends_with("tests.rs") || file.parent().unwrap().ends_with("tests");
    for file in files.filter(|file| !is_tests(file)) {
        for literal in literals(&std::fs::read_to_string(&file).unwrap()) {
            found.extend(words(&literal));
        }
    }
    // What has a dot, a slash or an equals sign and is ours all the same.
    found.extend(oddnode::model::Metric::ALL.map(|metric| metric.name().to_owned()));
    found.extend(["FILE.txt", "jhist", "job/path", "tar.gz", "trace=accept"].map(str::to_owned));
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

/// Evidence as it leaves.
fn leaving(text: String) -> String {
    let culprit = Culprit { evidence: vec![Evidence { text, ..Evidence::default() }], ..Culprit::default() };
    let verdict = Verdict { outcome: OutcomeKind::Indicted, culprits: vec![culprit], ..Verdict::default() };
    let (left, _) = scrub(&Report { verdict, ..Report::default() }, &Key::from_random([7; 16]));
    left.verdict.culprits[0].evidence[0].text.clone()
}

#[test]
fn quantities_and_their_units_leave_whole() {
    let seconds = [-5.0, 0.0, 0.000_64, 0.0064, 0.34, 2.5, 63.4, 184.4, 720.0, 7_500.0, 90_000.0];
    let mut texts = seconds.map(quantity::duration).to_vec();
    texts.extend([0.0, 12.0, 1_500.0, 84_254_896.0, 1.5e9, 5e12, 4e15].map(quantity::bytes));
    texts.extend([quantity::percent(0.042), quantity::trimmed(2.5, 2), quantity::counted(1_234_567, "file")]);
    texts.extend(
        oddnode::model::Metric::ALL.map(|metric| format!("{} 15.0 {} (peers 1.1)", metric.name(), metric.unit())),
    );
    for source in [
        "src/base/issue/about.rs",
        "src/base/quantity.rs",
        "src/diagnosis/kahuna_bb/levels/mod.rs",
        "src/diagnosis/kahuna_bb/watched.rs",
    ] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
        texts.extend(literals(&std::fs::read_to_string(path).unwrap()).iter().map(|literal| plain(literal)));
    }
    assert!([" %", " KiB/s", "is empty"].iter().all(|known| texts.iter().any(|text| text == known)));
    let changed: Vec<_> = texts.into_iter().filter(|text| leaving(text.clone()) != *text).collect();
    assert!(changed.is_empty(), "{changed:?}");
}

#[test]
fn names_of_machines_and_paths_are_no_words() {
    let strange = ["h4", "vm_4", "node12", "10.0.0.7", "/var/log", "a/s/s", "60%", "a%", "eth0=x", "/s", ""];
    assert!(strange.iter().all(|word| !may_leave(word)));
    assert!(["KiB/s", "%", "\u{b5}s", "accept4", "log4j", "am-syslog"].iter().all(|word| may_leave(word)));
}

#[test]
fn literals_are_read_without_comments_and_tests() {
    let code = "/// \"no\"\nlet a = \"on {x:.1} its 'peers'\"; let c = '\"'; // \"no\"\n let b = \"a \\\" b\";\n#[cfg(test)] \"h103\"";
    let found: BTreeSet<String> = literals(code).iter().flat_map(|l| words(l)).collect();
    assert_eq!(found, ["a", "b", "its", "on", "peers"].map(String::from).into());
}
