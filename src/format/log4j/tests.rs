use super::*;

fn text(line: &str) -> Option<(String, String, String, String)> {
    match Splitter::default().split(line.as_bytes()) {
        Split::Record(r) => {
            let s = |b: &[u8]| String::from_utf8_lossy(b).into_owned();
            Some((r.at.to_string(), s(r.thread), s(r.logger), s(r.message)))
        }
        _ => None,
    }
}

fn four(at: &str, thread: &str, logger: &str, message: &str) -> Option<(String, String, String, String)> {
    Some((at.into(), thread.into(), logger.into(), message.into()))
}

#[test]
fn iso_layout_has_milliseconds() {
    assert_eq!(
        text("2026-11-20 21:24:44,119 INFO org.apache.hadoop.mapred.TaskTracker: a: b"),
        four("2026-11-20 21:24:44,119", "", "org.apache.hadoop.mapred.TaskTracker", "a: b")
    );
}

#[test]
fn padded_level_and_lost_blank_are_read() {
    assert_eq!(text("2026-11-20 21:24:44,119 WARN  org.x.Y:"), four("2026-11-20 21:24:44,119", "", "org.x.Y", ""));
}

#[test]
fn thread_may_hold_blanks_and_brackets() {
    assert_eq!(
        text("2018-11-14 12:00:00,001 INFO [DataXceiver [Receiving block BP-1:blk_2_3] ] x.DataNode: m"),
        four("2018-11-14 12:00:00,001", "DataXceiver [Receiving block BP-1:blk_2_3] ", "x.DataNode", "m")
    );
    assert_eq!(
        text("2018-11-14 12:00:00,001 INFO [IPC Server handler 0 on 54769] a.B: [c] d: e").unwrap().3,
        "[c] d: e"
    );
}

#[test]
fn console_and_old_short_layout_are_read() {
    assert_eq!(
        text("18/11/14 08:44:02 INFO datanode.DataNode: m"),
        four("2018-11-14 08:44:02,000", "", "datanode.DataNode", "m")
    );
    assert_eq!(
        text("081109 203518 143 INFO dfs.DataNode$DataXceiver: m"),
        four("2008-11-09 20:35:18,000", "", "dfs.DataNode$DataXceiver", "m")
    );
}

#[test]
fn debugging_layout_is_read() {
    assert_eq!(
        text("2012-01-02 03:04:05,006 INFO  mapred.TaskTracker (TaskTracker.java:main(12)) - up"),
        four("2012-01-02 03:04:05,006", "", "mapred.TaskTracker", "up")
    );
}

#[test]
fn other_layouts_are_read() {
    let read = |thread: &str| four("2026-11-20 21:25:13,147", thread, "x.DataNode", "m: n");
    assert_eq!(text("2026-11-20T21:25:13,147 INFO  x.DataNode: m: n"), read(""));
    assert_eq!(text("2026-11-20 21:25:13,147 [main] INFO  x.DataNode: m: n"), read("main"));
    assert_eq!(text("2026-11-20 21:25:13,147 [a [b] c] WARN x.DataNode: m: n"), read("a [b] c"));
    assert_eq!(text("2026-11-20 21:25:13,147 INFO x.DataNode:1337: m: n"), read(""));
    assert_eq!(text("2026-11-20 21:25:13,147 INFO x.DataNode (DataNode.java:1337): m: n"), read(""));
    assert_eq!(text("2026-11-20 21:25:13,147 INFO x.DataNode - m: n"), read(""));
    assert_eq!(text("2026-11-20T21:25:13.147 [main] INFO x.DataNode:1337 - m: n"), read("main"));
    let numbered = "2026-11-20 21:25:13,147 INFO x.Node2: m";
    assert_eq!(text(numbered).unwrap().2, "x.Node2");
    // No level, no logger.
    assert_eq!(text("2026-11-20 21:25:13,147 [main] x.DataNode: m"), None);
    assert_eq!(text("2026-11-20 21:25:13,147 [main] INFO some words"), None);
}

#[test]
fn fields_in_brackets_or_between_bars_are_read() {
    let read = |thread: &str, logger: &str| four("2026-11-20 21:25:13,147", thread, logger, "m: [n] - o");
    for (line, thread) in [
        ("[2026-11-20 21:25:13,147] INFO x.DataNode: ", ""),
        ("[2026-11-20T21:25:13.147] INFO x.DataNode - ", ""),
        ("[2026-11-20T21:25:13.147Z] [INFO ] [main] x.DataNode - ", "main"),
        ("[2026-11-20 21:25:13,147+0100][INFO ][x.DataNode] ", ""),
        ("2026-11-20 21:25:13,147 [INFO] x.DataNode - ", ""),
        ("2026-11-20 21:25:13,147 [INFO] [a [b] c] x.DataNode:77 - ", "a [b] c"),
        ("2026-11-20 21:25:13,147 [main] [INFO] x.DataNode: ", "main"),
        ("2026-11-20 21:25:13,147 INFO [main] [x.DataNode] - ", "main"),
        ("2026-11-20 21:25:13,147 | INFO  | a b  | x.DataNode | ", "a b"),
        ("2026-11-20 21:25:13,147\tINFO\ta b\tx.DataNode\t", "a b"),
        ("2026-11-20 21:25:13,147\tINFO\tx.DataNode:\t", ""),
    ] {
        assert_eq!(text(&format!("{line}m: [n] - o")), read(thread, "x.DataNode"), "{line}");
    }
    let line = "[2026-11-20 21:25:13,147] INFO x.FSNamesystem.audit: m: [n] - o";
    assert_eq!(text(line), read("", "x.FSNamesystem.audit"));
    assert_eq!(text("[2026-11-20 21:25:13,147] INFO a.b:"), four("2026-11-20 21:25:13,147", "", "a.b", ""));
    assert_eq!(text("[2026-11-20 21:25:13,147][WARN ][DataNode] m: [n] - o"), read("", "DataNode"));
    for line in [
        "[2026-11-20 21:25:13,147] {INFO} x.DataNode: m",
        "[2026-11-20 21:25:13,147] INFO Some words. And more",
        "[2026-11-20 21:25:13,147] some words INFO x.DataNode: m",
        "[2026-11-20 21:25:13,147] INFO [main",
        "[2026-11-20 21:25:13,147] INFO",
        "[2026-11-20T21:25:13.147+0000][info][gc] GC(1) Pause Young",
        "[2026-11-20 21:25:13,147] [a] [b] [c] [d] INFO x.DataNode: m",
        "2026-11-20 21:25:13,147 INFO | ",
        "[Full GC",
    ] {
        assert_eq!(text(line), None, "{line}");
    }
}

#[test]
fn thread_behind_the_logger_may_hold_blanks() {
    for thread in ["main", "AsyncDispatcher event handler", "IPC Server handler 3 on 8032", "a (b) c"] {
        let line = format!("2026-11-20 21:25:13,147 INFO x.RMAppImpl ({thread}): m (n): o");
        assert_eq!(text(&line), four("2026-11-20 21:25:13,147", "", "x.RMAppImpl", "m (n): o"), "{line}");
    }
    assert_eq!(text("2026-11-20 21:25:13,147 INFO x.Y (a b):"), four("2026-11-20 21:25:13,147", "", "x.Y", ""));
    let long = format!("2026-11-20 21:25:13,147 INFO x.Y ({}): m", "a ".repeat(THREAD_BYTES));
    assert_eq!(Splitter::default().split(long.as_bytes()), Split::Unreadable);
}

#[test]
fn zone_behind_the_time_is_passed_over() {
    let read = |ms: &str| four(&format!("2026-11-20 21:25:13,{ms}"), "", "x.DataNode", "m: n");
    for time in ["13,147Z", "13.147Z", "13,147+0000", "13.147-05:00", "13,147 +0100", "13.147456789Z", "13,147+01"] {
        assert_eq!(text(&format!("2026-11-20T21:25:{time} INFO x.DataNode: m: n")), read("147"), "{time}");
    }
    assert_eq!(text("2026-11-20T21:25:13Z INFO x.DataNode: m: n"), read("000"));
    let thread = four("2026-11-20 21:25:13,147", "main", "x.DataNode", "m");
    assert_eq!(text("2026-11-20T21:25:13.147Z [main] INFO x.DataNode: m"), thread);
    assert_eq!(text("2026-11-20 21:25:13,147 +0000 [main] INFO x.DataNode: m"), thread);
    assert_eq!(text("2026-11-20 21:25:13,147+000000 INFO x.DataNode: m"), None);
    let many = format!("2026-11-20 21:25:13,147{} INFO x.DataNode: m", " +0000".repeat(100_000));
    assert_eq!(text(&many), None);
}

#[test]
fn line_with_time_and_level_is_no_continuation() {
    let split = |line: &'static str| Splitter::default().split(line.as_bytes());
    assert_eq!(split("2026-11-20 21:25:13,147 INFO some words"), Split::Unreadable);
    assert_eq!(split("2026-11-20T21:25:13,147Z WARN [main] some words"), Split::Unreadable);
    assert_eq!(split("2026-11-20 21:25:13,147 some words"), Split::Continuation);
    assert_eq!(split("2026-11-20T21:25:13.147000123Z stdout F x"), Split::Continuation);
}

#[test]
fn trace_lines_are_continuations() {
    let mut splitter = Splitter::default();
    for line in ["\tat java.lang.Thread.run(Thread.java:1)", "STARTUP_MSG:   host = h1/10.0.0.1", "", "2026-11-20"] {
        assert_eq!(splitter.split(line.as_bytes()), Split::Continuation);
    }
    assert_eq!(splitter.split(b"2026-13-20 21:24:44,119 INFO a: b"), Split::BadTime);
}

#[test]
fn remembered_second_does_not_leak_into_another() {
    let mut splitter = Splitter::default();
    let mut at = |line: &[u8]| match splitter.split(line) {
        Split::Record(r) => r.at.to_string(),
        other => format!("{other:?}"),
    };
    assert_eq!(at(b"2026-11-20 21:24:44,119 INFO a: b"), "2026-11-20 21:24:44,119");
    assert_eq!(at(b"2026-11-20 21:24:44,007 INFO a: b"), "2026-11-20 21:24:44,007");
    assert_eq!(at(b"2026-11-20 21:24:45,007 INFO a: b"), "2026-11-20 21:24:45,007");
    assert_eq!(at(b"26/11/20 21:24:45 INFO a: b"), "2026-11-20 21:24:45,000");
}

#[test]
fn remembered_loggers_do_not_leak_into_others() {
    let loggers = ["a.B", "a.BC", "x.Y", "a", "c.D$E", "f.G"];
    let mut splitter = Splitter::default();
    for i in 0..200_usize {
        // Behind the fifth line in turn a bracket stands where the token would go on.
        let (logger, odd) = (loggers[i * i % loggers.len()], i % 5 == 4);
        let line = format!("2026-11-20 21:24:44,119 INFO {logger}{} m", if odd { "[x:" } else { ":" });
        match splitter.split(line.as_bytes()) {
            Split::Record(r) => assert!(!odd && r.logger == logger.as_bytes() && r.message == b"m", "{line}"),
            other => assert!(odd && other == Split::Unreadable, "{line}"),
        }
    }
}

#[test]
fn class_is_the_last_part() {
    let record = |line: &'static str| match Splitter::default().split(line.as_bytes()) {
        Split::Record(r) => String::from_utf8_lossy(r.class()).into_owned(),
        _ => String::new(),
    };
    assert_eq!(record("2026-11-20 21:24:44,119 INFO a.b.TaskTracker.clienttrace: x"), "clienttrace");
    assert_eq!(record("2026-11-20 21:24:44,119 INFO TaskTracker: x"), "TaskTracker");
}
