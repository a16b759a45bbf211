//! The README shows what the command says: each line of its example, in order, up to where it is shortened.
#![cfg(feature = "cli")]
#![allow(clippy::disallowed_methods, reason = "reads the README")]
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use command::{code, folder, oddnode, stderr};

/// Behind which a line was shortened.
const SHORTENED: char = '…';
const COMMAND: &str = "$ oddnode diagnose www/sample.tar.gz\n";

#[test]
fn example_is_what_the_command_says() {
    let root = env!("CARGO_MANIFEST_DIR");
    let readme = std::fs::read_to_string(format!("{root}/README.md")).unwrap();
    let (_, rest) = readme.split_once(COMMAND).unwrap();
    let (example, _) = rest.split_once("```").unwrap();
    let output = oddnode(&folder("readme"), &["diagnose", &format!("{root}/www/sample.tar.gz")]);
    assert_eq!(code(&output), 3, "{}", stderr(&output));
    let said = String::from_utf8(output.stdout).unwrap();
    // The verdict is wrapped there.
    let shown = example.replace(";\nalmost", "; almost");
    let mut lines = said.lines();
    for line in shown.lines().filter(|line| line.trim() != SHORTENED.to_string()) {
        let begin = line.split(SHORTENED).next().unwrap_or_default().trim_end();
        assert!(lines.any(|line| line.starts_with(begin)), "not in what is said, or not in this order: {begin}");
    }
}
