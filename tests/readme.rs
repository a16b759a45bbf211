//! The README shows what the command says: each line of its example, in order, up to where it is shortened.
#![cfg(feature = "cli")]
#![allow(clippy::disallowed_methods, reason = "reads the README")]
#![allow(clippy::unwrap_used, missing_docs)]

mod command;

use command::{code, folder, oddnode, stderr};
use oddnode::base::Code;
use oddnode::diagnosis::syscalls::RECORD;

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

/// The README, the page's figure and the advice where a trace is too long name the same system calls.
#[test]
fn calls_to_record_are_the_same_wherever_they_are_named() {
    let (_, rest) = RECORD.split_once("-e ").unwrap();
    let calls = rest.split(' ').next().unwrap();
    assert!(calls.starts_with("trace=") && calls.contains("statx"), "{calls}");
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    for text in [&*readme, Code::CallsFolded.about().advice] {
        assert!(text.split_whitespace().any(|word| word == calls), "{calls} is not in {text}");
    }
}
