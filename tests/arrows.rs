//! The rooms of `src/` and who may use whom, as `ARCHITECTURE.md` has them: a `crate::` path (or a
//! chain of `super::` that leaves its room) along no arrow of [`ROOMS`] fails here, and so do the
//! browser's crates and the file system outside their rooms.
#![allow(clippy::disallowed_methods, reason = "reads the sources")]

mod sources;

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

const ALL: &[&str] = &[
    "base",
    "source",
    "model",
    "format",
    "states",
    "stats",
    "simulate",
    "evaluation",
    "diagnosis",
    "report",
    "scene",
    "draw",
    "pipeline",
    "protocol",
    "web",
    "cli",
];
/// All that page and command share but for drawing.
const CORE: &[&str] =
    &["base", "source", "model", "format", "states", "stats", "diagnosis", "report", "evaluation", "scene"];
const CORE_AND_PIPELINE: &[&str] =
    &["base", "source", "model", "format", "states", "stats", "diagnosis", "report", "evaluation", "scene", "pipeline"];

/// Each room and the rooms that it may use beside itself.
const ROOMS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("source", &["base"]),
    ("model", &["base"]),
    ("format", &["base", "source", "model"]),
    ("states", &["base", "model"]),
    ("stats", &["base"]),
    ("simulate", &["base", "stats"]),
    ("diagnosis", &["base", "model", "stats"]),
    ("report", &["base", "model", "diagnosis"]),
    ("scene", &["base", "model", "diagnosis", "report", "evaluation"]),
    ("draw", &["base", "report", "scene"]),
    ("evaluation", &["base", "stats", "report"]),
    ("pipeline", CORE),
    ("protocol", CORE_AND_PIPELINE),
    ("web", ALL),
    ("cli", ALL),
    ("bin", ALL),
];

/// Crates that know the browser, and where they may appear.
const BROWSER_CRATES: &[&str] = &["wasm_bindgen", "wasm_bindgen_futures", "serde_wasm_bindgen", "js_sys", "web_sys"];

/// What is wrong, and where.
#[derive(Debug, PartialEq, Eq)]
struct Finding {
    file: String,
    line: usize,
    what: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// A word or a mark of the code; comments and literals are none.
#[derive(Debug, PartialEq, Eq)]
struct Token {
    line: usize,
    text: String,
}

/// Splits code into names and punctuation (`::` is one), leaving out comments, strings and characters.
fn tokens(code: &str) -> Vec<Token> {
    let mut out = Vec::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => block_comment(rest),
            '"' => string(rest),
            'r' | 'b' if raw_string(rest).is_some() => raw_string(rest).unwrap_or(1),
            '\'' => character(rest),
            _ if first.is_alphanumeric() || first == '_' => {
                let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                out.push(Token { line, text: rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect() });
                length
            }
            _ if rest.starts_with("::") => {
                out.push(Token { line, text: "::".to_owned() });
                2
            }
            _ if first.is_whitespace() => first.len_utf8(),
            _ => {
                out.push(Token { line, text: first.to_string() });
                first.len_utf8()
            }
        };
        let (done, after) = rest.split_at(length);
        line += done.matches('\n').count();
        rest = after;
    }
    out
}

/// Length of the block comment that `text` begins with; they nest.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if rest.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// Length of the string that `text` begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Length of the raw or byte string that `text` begins with, if it does.
fn raw_string(text: &str) -> Option<usize> {
    let head = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    let Some(head) = head else {
        let body = text.strip_prefix('b')?;
        return body.starts_with('"').then(|| 1 + string(body));
    };
    let marks = head.len() - head.trim_start_matches('#').len();
    let body = head.trim_start_matches('#').strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(marks));
    let end = body.find(&close).map_or(body.len(), |at| at + close.len());
    Some(text.len() - body.len() + end)
}

/// Length of the character that `text` begins with; 1 where it is a lifetime's mark.
fn character(text: &str) -> usize {
    let mut chars = text.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((after, _))) => {
            text.get(after + 1..).and_then(|rest| rest.find('\'')).map_or(text.len(), |at| after + 1 + at + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// The names right behind `tokens[..]`, which begins with `::`: one name, or the first of each branch in braces.
fn heads<'a>(mut tokens: impl Iterator<Item = &'a Token>) -> Vec<&'a Token> {
    match tokens.next() {
        Some(token) if token.text == "{" => {
            let mut depth = 1;
            let mut fresh = true;
            let mut out = Vec::new();
            for token in tokens {
                match token.text.as_str() {
                    "{" => depth += 1,
                    "}" => depth -= 1,
                    "," => fresh = depth == 1,
                    _ if fresh && depth == 1 => {
                        out.push(token);
                        fresh = false;
                    }
                    _ => {}
                }
                if depth == 0 {
                    break;
                }
            }
            out
        }
        Some(token) => vec![token],
        None => Vec::new(),
    }
}

/// Everything wrong with one file; `path` is below `src/`, with `/` between.
fn check(path: &str, code: &str) -> Vec<Finding> {
    let room = path.split('/').next().unwrap_or_default().trim_end_matches(".rs");
    let finding = |line, what| Finding { file: path.to_owned(), line, what };
    if path == "lib.rs" {
        return Vec::new();
    }
    let Some((_, may_use)) = ROOMS.iter().find(|(name, _)| *name == room) else {
        return vec![finding(1, format!("`{room}` is no room: add it to the table here and in ARCHITECTURE.md"))];
    };
    let tokens = tokens(code);
    let text_at = |at: usize| tokens.get(at).map_or("", |token| token.text.as_str());
    // a/b.rs is two `super`s below the crate, a/mod.rs and a.rs are one.
    let depth = path.trim_end_matches(".rs").trim_end_matches("/mod").split('/').count();
    let mut out = Vec::new();
    // Tests stand at the end of their file.
    let tests_from = (0..tokens.len())
        .find(|at| ["#", "[", "cfg", "(", "test", ")"].iter().enumerate().all(|(i, text)| text_at(at + i) == *text))
        .unwrap_or(tokens.len());

    for (at, token) in tokens.iter().enumerate() {
        let leads = text_at(at + 1) == "::";
        let follows = at > 0 && text_at(at - 1) == "::";
        match token.text.as_str() {
            "crate" | "super" if leads && !follows => {
                let supers = (0..).take_while(|n| text_at(at + 2 * n) == "super" && text_at(at + 2 * n + 1) == "::");
                let supers = supers.count();
                if supers > 0 && supers < depth {
                    continue;
                }
                for head in heads(tokens.iter().skip(at + 2 * supers.max(1))) {
                    let name = head.text.as_str();
                    let is_room = ROOMS.iter().any(|(room, _)| *room == name);
                    if is_room && name != room && !may_use.contains(&name) {
                        out.push(finding(head.line, format!("`{room}` may not use `{name}`")));
                    }
                }
            }
            "std"
                if leads
                    && room != "cli"
                    && at < tests_from
                    && heads(tokens.iter().skip(at + 2)).iter().any(|head| head.text == "fs") =>
            {
                out.push(finding(token.line, "`std::fs` belongs into cli/".to_owned()));
            }
            name if BROWSER_CRATES.contains(&name) && !["web", "bin"].contains(&room) && path != "draw/canvas.rs" => {
                out.push(finding(token.line, format!("`{name}` belongs into web/, bin/ or draw/canvas.rs")));
            }
            _ => {}
        }
    }
    out
}

#[test]
fn every_arrow_is_in_the_table() -> std::io::Result<()> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut findings = Vec::new();
    let mut seen = BTreeSet::new();
    for file in sources::below("src") {
        let below = file.strip_prefix(&src).map_or_else(|_| PathBuf::new(), Path::to_path_buf);
        let names: Vec<_> = below.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
        findings.extend(check(&names.join("/"), &std::fs::read_to_string(&file)?));
        seen.extend(names.first().map(|name| name.trim_end_matches(".rs").to_owned()));
    }
    let text: Vec<_> = findings.iter().map(ToString::to_string).collect();
    assert!(text.is_empty(), "arrows that are not in the table:\n{}", text.join("\n"));
    for (room, _) in ROOMS {
        assert!(seen.contains(*room), "room `{room}` was not found: is this test looking at the sources?");
    }
    Ok(())
}

/// The rooms that a cell of `ARCHITECTURE.md`'s table names, of those `above` it.
fn named<'a>(cell: &'a str, above: &[&'a str]) -> BTreeSet<&'a str> {
    let list = |text: &'a str| text.split(", ").flat_map(|part| part.split(" and ")).collect::<BTreeSet<_>>();
    match cell.strip_prefix("all of the above but ") {
        Some(but) => above.iter().copied().collect::<BTreeSet<_>>().difference(&list(but)).copied().collect(),
        None if cell == "everything" => ALL.iter().copied().collect(),
        None if cell == "nothing" => BTreeSet::new(),
        None => list(cell),
    }
}

#[test]
fn the_table_is_that_of_the_architecture() -> std::io::Result<()> {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md"))?;
    let mut above = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches(['|', ' ']).split(" | ").collect();
        let [rooms, _, uses] = cells.as_slice() else { continue };
        let rooms: Vec<&str> = rooms.split(", ").map(|room| room.trim_matches('`')).collect();
        if !rooms.iter().all(|room| ROOMS.iter().any(|(name, _)| name == room)) {
            continue;
        }
        for room in &rooms {
            let (_, may_use) = ROOMS.iter().find(|(name, _)| name == room).unwrap_or(&("", &[]));
            let itself = |other: &&str| other == room;
            let mut expected = named(uses, &above);
            expected.retain(|other| !itself(other));
            assert_eq!(may_use.iter().copied().filter(|r| !itself(r)).collect::<BTreeSet<_>>(), expected, "{room}");
        }
        above.extend(rooms);
    }
    assert_eq!(above.len(), ROOMS.len(), "{above:?}");
    Ok(())
}

fn found(path: &str, code: &str) -> Vec<String> {
    check(path, code).iter().map(ToString::to_string).collect()
}

#[test]
fn wrong_arrow_is_found() {
    assert_eq!(found("base/time.rs", "\nuse crate::model::Trace;"), ["base/time.rs:2: `base` may not use `model`"]);
    assert_eq!(found("states/pair.rs", "let x = crate::diagnosis::x();").len(), 1, "in the middle of code");
    assert_eq!(found("pipeline.rs", "use crate::draw::svg;").len(), 1, "a room of one file");
    assert_eq!(found("pipeline/ingest.rs", "use crate::web::dom;").len(), 1, "the same room as a folder");
    assert!(found("pipeline/ingest.rs", "use crate::pipeline::Analysis;").is_empty(), "a room may use itself");
    assert!(found("diagnosis/theia.rs", "use crate::{base::NodeId, stats, model::Trace};").is_empty());
}

#[test]
fn wrong_arrow_in_braces_is_found() {
    let code = "use crate::{\n  base::{NodeId, report},\n  format::FORMATS,\n  scene,\n};";
    assert_eq!(
        found("states/mod.rs", code),
        ["states/mod.rs:3: `states` may not use `format`", "states/mod.rs:4: `states` may not use `scene`"]
    );
}

#[test]
fn wrong_arrow_by_super_is_found() {
    assert_eq!(found("stats/jsd.rs", "use super::super::model::Trace;").len(), 1);
    assert_eq!(found("stats/mod.rs", "use super::model::Trace;").len(), 1);
    assert!(found("stats/jsd.rs", "use super::model;").is_empty(), "that is stats/model.rs");
}

#[test]
fn room_outside_the_table_is_found() {
    assert_eq!(found("helpers/mod.rs", "").len(), 1);
}

#[test]
fn comments_and_literals_are_no_arrows() {
    let code = r##"
        // use crate::web::Page;
        /* use crate::web /* nested */ crate::web::Page */
        let a = "crate::web \" crate::web";
        let b = r#"crate::web " std::fs"#;
        let c = ['"', '\'', '\u{22}']; let d: &'static str = b"crate::web";
        use crate::web::Real;
    "##;
    assert_eq!(found("base/ids.rs", code), ["base/ids.rs:7: `base` may not use `web`"]);
}

#[test]
fn browser_crates_stay_in_their_rooms() {
    assert_eq!(found("pipeline.rs", "use web_sys::File;").len(), 1);
    assert_eq!(found("draw/svg.rs", "fn f(x: &wasm_bindgen::JsValue) {}").len(), 1);
    assert!(found("draw/canvas.rs", "use web_sys::CanvasRenderingContext2d;").is_empty());
    assert!(found("web/dom.rs", "use js_sys::Array; use wasm_bindgen::JsValue;").is_empty());
    assert!(found("bin/app.rs", "use wasm_bindgen::prelude::*;").is_empty());
}

#[test]
fn file_system_stays_in_the_command() {
    assert_eq!(found("source/tar.rs", "use std::fs::File;").len(), 1);
    assert_eq!(found("source/tar.rs", "use std::{collections::BTreeMap, fs, io};").len(), 1);
    assert!(found("source/tar.rs", "use std::{collections::BTreeMap, io::{self, fs_like}};").is_empty());
    assert!(found("cli/read.rs", "use std::fs::File;").is_empty());
    assert!(found("source/tar.rs", "#[cfg(test)]\nmod tests { use std::fs; }").is_empty(), "tests may");
}
