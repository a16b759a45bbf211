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

/// Layouts with their fields in brackets, or bars or tabs between them.
fn in_brackets(date: &str, class: &str, text: &str) -> Vec<String> {
    vec![
        format!("[{date}] INFO {class}: {text}"),
        format!("[{date}] [INFO] [main] [{class}] {text}"),
        format!("{date} [INFO] {class}: {text}"),
        format!("{date} | INFO | main | {class} | {text}"),
        format!("{date}\tINFO\tmain\t{class}\t{text}"),
    ]
}

/// What is said of layouts, and of what collectors make of lines, is so.
#[test]
fn layouts_are_read_that_are_named_as_read_and_no_others() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).unwrap();
    let folder = folder("layouts");
    let is_read = |line: &str| {
        std::fs::write(folder.join("x.log"), format!("{line}\n").repeat(3)).unwrap();
        let coverage = oddnode(&folder, &["diagnose", "--format", "json", "x.log"]).stdout;
        serde_json::from_slice::<serde_json::Value>(&coverage).is_ok_and(|report| {
            report["coverage"][0]["understood"] == 3 && report["coverage"][0]["format"] == "datanode"
        })
    };
    let class = "org.apache.hadoop.hdfs.server.datanode.DataNode";
    let text = "Receiving block blk_1_1 src: /10.0.0.5:50300 dest: /10.0.0.6:50010";
    for date in ["2026-11-21 02:15:48,209", "2026-11-21T02:15:48.209", "26/11/21 02:15:48"] {
        assert!(readme.contains(&format!("`{date}`")), "{date}");
        for layout in [
            format!("{date} INFO {class}: {text}"),
            format!("{date} INFO {class} - {text}"),
            format!("{date} [main] INFO {class}: {text}"),
            format!("{date} INFO [main] {class}: {text}"),
            format!("{date} INFO {class} (main): {text}"),
        ]
        .into_iter()
        .chain(if date.starts_with("20") { in_brackets(date, class, text) } else { Vec::new() })
        {
            assert!(is_read(&layout), "{layout}");
        }
    }
    assert!(readme.contains("`261121 021548`") && is_read(&format!("261121 021548 14 INFO dfs.DataNode: {text}")));
    for date in ["2026-11-21T02:15:48.209Z", "2026-11-21 02:15:48,209+0100"] {
        assert!(is_read(&format!("{date} INFO {class}: {text}")), "{date}");
    }
    let line = format!("2026-11-21 02:15:48,209 INFO {class}: {text}");
    for other in [
        format!("02:15:48,209 INFO {class}: {text}"),
        format!("21 Nov 2026 02:15:48,209 INFO {class}: {text}"),
        format!("INFO 2026-11-21 02:15:48,209 {class}: {text}"),
        format!("[2026-11-21 02:15:48,209] INFO {text} ({class})"),
    ] {
        assert!(!is_read(&other), "{other}");
    }
    for field in ["log", "message", "MESSAGE", "msg", "_raw"] {
        assert!(readme.contains(&format!("`{field}`")) && is_read(&format!("{{\"{field}\":\"{line}\"}}")), "{field}");
        assert!(!is_read(&format!("{{\"x\":{{\"{field}\":\"{line}\"}}}}")), "{field} of an object inside");
    }
    let parts = format!("\"level\":\"INFO\",\"thread\":\"main\",\"message\":\"{text}\"");
    let log4json = format!("{{\"name\":\"{class}\",\"date\":\"2026-11-21 02:15:48,209\",{parts}}}");
    let layout = format!("{{\"instant\":{{\"epochSecond\":1795227348}},\"loggerName\":\"{class}\",{parts}}}");
    let cloud = format!("{{\"textPayload\":\"{line}\"}}");
    for (name, object, expected) in
        [("Log4Json", log4json, true), ("JsonLayout", layout, true), ("textPayload", cloud, false)]
    {
        assert!(readme.contains(&format!("`{name}`")), "{name}");
        assert_eq!(is_read(&object), expected, "{object}");
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
