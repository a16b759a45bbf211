//! `docs/limits.md` names every cap, and none that is not there: each row's value is the code's.
#![allow(clippy::disallowed_methods, reason = "reads the sources")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod sources;

use std::collections::BTreeSet;
use std::path::Path;

/// Rooms whose input may be hostile, or whose caps change what is answered.
const ROOMS: [&str; 9] = ["source", "format", "model", "states", "diagnosis", "pipeline", "report", "web", "cli"];
/// A constant in whose name one of these stands is a cap, or holds memory.
const WORDS: [&str; 12] = [
    "HELD",
    "LIMIT",
    "KEPT",
    "_MAX",
    "MAX_",
    "MOST_",
    "LONGEST_",
    "LARGEST_",
    "_MOST",
    "BUDGET",
    "LEARNED_",
    "RUN_BYTES",
];
/// Such a constant of something that no input can reach, and its file.
const OTHERS: [(&str, &str); 18] = [
    ("src/model/shapes.rs", "EXAMPLES_KEPT"),
    ("src/format/shape.rs", "FOREIGN_KEPT"),
    ("src/states/clock/timeline.rs", "CHANGES_MAX"),
    // Efforts of deflating, and a thread's writers.
    ("src/model/digest/deflate.rs", "KEPT"),
    ("src/model/digest/deflate.rs", "KEPT_FAST"),
    ("src/model/digest/columns/write.rs", "KEPT"),
    ("src/report/link/mod.rs", "MOST_DEFLATED"),
    // Numbers of rules, and words.
    ("src/diagnosis/cause/mod.rs", "HELD_BEFORE_MS"),
    ("src/diagnosis/correlated.rs", "MOST_CALLS"),
    ("src/diagnosis/kahuna_bb/compare.rs", "MAX_SILENT_STEPS"),
    ("src/diagnosis/kahuna_bb/levels/mod.rs", "MOST_RIVALS"),
    ("src/diagnosis/mochi/hints.rs", "MAX_BETWEEN"),
    ("src/diagnosis/mod.rs", "MOST_APART"),
    ("src/diagnosis/syscalls/semantic.rs", "AT_MOST"),
    ("src/diagnosis/theia/incident.rs", "HEALTHY_MOST"),
    // What is believed, however long the input is.
    ("src/states/calls.rs", "LARGEST_PID"),
    ("src/report/figures.rs", "LONGEST_S"),
    ("src/states/skew/bounds.rs", "SLACK_MAX_MS"),
];

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// `(file, "NAME = value" or "field: value")` of each row.
fn rows() -> Vec<(String, String)> {
    let table = read(&root().join("docs/limits.md"));
    let cells = table.lines().filter(|line| line.starts_with("| ") && line.contains("`src/"));
    let row = |line: &str| {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 5, "{line}");
        let code = |cell: &str| cell.trim_matches('`').to_owned();
        (code(cells[4]), code(cells[1]))
    };
    cells.map(row).collect()
}

#[test]
fn every_row_is_what_the_code_says() {
    let rows = rows();
    assert!(rows.len() > 40);
    for (file, cap) in &rows {
        let code = read(&root().join(file));
        let there = match cap.split_once(" = ") {
            Some((name, value)) => code.lines().any(|line| {
                line.trim().contains(&format!("const {name}: ")) && line.ends_with(&format!(" = {value};"))
            }),
            None => code.contains(&format!(" {cap},")),
        };
        assert!(there, "{file}: {cap}");
    }
}

#[test]
fn every_cap_of_the_code_has_its_row() {
    let named: BTreeSet<(String, String)> =
        rows().into_iter().filter_map(|(file, cap)| Some((file, cap.split_once(" = ")?.0.to_owned()))).collect();
    let mut seen = 0;
    let mut spared = BTreeSet::new();
    for path in ROOMS.iter().flat_map(|room| sources::below(&format!("src/{room}"))) {
        let file = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        for line in read(&path).lines() {
            let Some((_, rest)) = line.split_once("const ") else { continue };
            let Some((name, _)) = rest.split_once(": ") else { continue };
            let of_limits = file == "src/source/limits.rs";
            if name.chars().any(char::is_lowercase) {
                continue;
            }
            if let Some(other) = OTHERS.iter().find(|other| **other == (file.as_str(), name)) {
                spared.insert(other);
            } else if of_limits || WORDS.iter().any(|word| name.contains(word)) {
                seen += 1;
                assert!(named.contains(&(file.clone(), name.to_owned())), "{file}: {name} is not in docs/limits.md");
            }
        }
    }
    assert!(seen > 20, "{seen} caps were found");
    let gone: Vec<_> = OTHERS.iter().filter(|other| !spared.contains(other)).collect();
    assert!(gone.is_empty(), "no longer in the code: {gone:?}");
}
