//! Files that lie among logs and say nothing that is used: known, so that coverage does
//! not call them unknown.
//!
//! ```text
//! crc\0…                                            checksums beside files of a local file system
//! LOG_DIR:attempt_…_m_000000_0                      log.index of a task's folder (0.20, 1.x)
//! 2026-11-20 21:24:21.808::INFO:  jetty-6.1.14      what a daemon prints beside its log (`.out`)
//! log4j:WARN No appenders could be found …          what a task prints (stdout, stderr)
//! 26/11/20 21:24:35 INFO mapred.JobClient: …        the console of whoever submitted a job
//! #!/bin/bash                                       launch_container.sh in a container's log folder (2.9, 3.x)
//! ls -l:                                            directory.info beside it
//! ```
//! Their lines count as understood and give no event, but that a daemon whose log has no room says so where it
//! prints; a process that logs by log4j tells how long
//! it was seen. What a task prints can be anything,
//! so such a file is known by its name unless its content is some log's.
//! Cost: O(head), and O(line) of a log.

use super::kind::{self, Kind};
use super::log4j::{self, Split, Splitter};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::model::{ComplaintKind, Event, Said, Subject, formats};
use memchr::memmem;

/// A kind of file.
#[derive(Debug)]
pub struct Bystander {
    about: &'static FormatAbout,
    sniff: fn(&Head<'_>) -> Confidence,
    start: fn() -> Box<dyn Parse>,
}

/// Checksums.
pub static CHECKSUM: Bystander = Bystander {
    about: &FormatAbout {
        feed: Feed::Bytes,
        ..FormatAbout::of_lines(
            "checksum",
            "Checksums of a file",
            "all",
            "org.apache.hadoop.fs.ChecksumFileSystem",
            &["crc\0\0\0\u{2}\0\u{1}\u{2}\u{3}\u{4}"],
        )
    },
    sniff: |head| if head.bytes.starts_with(b"crc\0") { Confidence::Sure } else { Confidence::No },
    start: counted,
};

/// Index of a task's folder.
pub static LOG_INDEX: Bystander = Bystander {
    about: &FormatAbout::of_lines(
        "log-index",
        "Index of a task's logs",
        "0.20 to 1.x",
        "org.apache.hadoop.mapred.TaskLog",
        &["LOG_DIR:attempt_202611202124_0001_m_000000_0\nstdout:0 0\nstderr:0 0\nsyslog:0 914"],
    ),
    sniff: |head| if head.bytes.starts_with(b"LOG_DIR:") { Confidence::Sure } else { Confidence::No },
    start: counted,
};

/// What a daemon prints.
pub static DAEMON_OUTPUT: Bystander = Bystander {
    about: &FormatAbout::of_lines(
        "daemon-output",
        "Output of a daemon",
        "all",
        "bin/hadoop-daemon.sh",
        &["2026-11-20 21:24:21.808::INFO:  Logging to STDERR via org.mortbay.log.StdErrLog"],
    ),
    sniff: sniff_daemon_output,
    start: || Box::<Printed>::default(),
};

/// What a task prints.
pub static TASK_OUTPUT: Bystander = Bystander {
    about: &FormatAbout::of_lines(
        "task-output",
        "Output of a task",
        "all",
        "the job's own code",
        &["log4j:WARN No appenders could be found for logger (org.apache.hadoop.mapred.MapTask)."],
    ),
    sniff: sniff_task_output,
    start: counted,
};

/// How a container was started, as the NodeManager leaves it beside the container's logs
/// (`yarn.nodemanager.log-container-debug-info.enabled`).
pub static CONTAINER_LAUNCH: Bystander = Bystander {
    about: &FormatAbout::of_lines(
        "container-launch",
        "Start of a container",
        "2.9 to 3.x",
        "org.apache.hadoop.yarn.server.nodemanager.containermanager.launcher.ContainerLaunch",
        &["ls -l:\ntotal 32\n-rw-r--r-- 1 yarn hadoop  129 Nov 25 09:30 container_tokens"],
    ),
    sniff: sniff_container_launch,
    start: counted,
};

/// The log of a process that tells nothing of nodes.
pub static OTHER_PROCESS: Bystander = Bystander {
    about: &FormatAbout::of_lines(
        formats::OTHER_PROCESS,
        "Log of a client or of another daemon",
        "all",
        "org.apache.hadoop.mapred.JobClient",
        &["26/11/20 21:24:35 INFO mapred.JobClient: Running job: job_202611202124_0001"],
    ),
    sniff: |head| kind::sniff(head, Kind::Foreign),
    start: || Box::<Timed>::default(),
};

/// Jetty's own lines: a time, `::` and a level.
fn sniff_daemon_output(head: &Head<'_>) -> Confidence {
    let first = head.lines().next().unwrap_or_default();
    let jetty = memmem::find(first, b"::INFO:").is_some_and(|at| at < 30 && first.starts_with(b"20"));
    let limits = first.starts_with(b"ulimit -a for ") || first.starts_with(b"core file size ");
    if jetty || limits {
        return Confidence::Sure;
    }
    let name = head.path.rsplit('/').next().unwrap_or_default();
    let of_daemon = name.starts_with("hadoop-") || name.starts_with("yarn-") || name.starts_with("mapred-");
    if is_printed(head.path) && of_daemon { Confidence::Maybe } else { Confidence::No }
}

/// Whether a file is named as what a daemon prints: `….out`, `….out.2`.
pub(super) fn is_printed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.split_once(".out").is_some_and(|(_, rest)| rest.bytes().all(|b| b == b'.' || b.is_ascii_digit()))
}

fn sniff_task_output(head: &Head<'_>) -> Confidence {
    if head.bytes.starts_with(b"log4j:WARN ") {
        return Confidence::Likely;
    }
    match head.path.rsplit('/').next() {
        Some("stdout" | "stderr" | "prelaunch.out" | "prelaunch.err") => Confidence::Maybe,
        _ => Confidence::No,
    }
}

/// The script by its name, the listing of the folder that it ran in by what it begins with.
fn sniff_container_launch(head: &Head<'_>) -> Confidence {
    let script = head.path.ends_with("launch_container.sh") && head.bytes.starts_with(b"#!");
    if script || head.bytes.starts_with(b"ls -l:") { Confidence::Sure } else { Confidence::No }
}

impl Format for Bystander {
    fn about(&self) -> &'static FormatAbout {
        self.about
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        (self.sniff)(head)
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        (self.start)()
    }
}

fn counted() -> Box<dyn Parse> {
    Box::<Counted>::default()
}

/// Counts lines, or the one record that a binary file is.
#[derive(Debug, Default)]
struct Counted {
    bytes_seen: bool,
}

impl Parse for Counted {
    fn line(&mut self, _line: Line<'_>, out: &mut Out<'_>) {
        out.understood();
    }

    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        if !self.bytes_seen && !bytes.is_empty() {
            self.bytes_seen = true;
            out.understood();
        }
    }
}

/// Counts what a daemon prints. On a full disk it cannot log so, and log4j tells it here once, without a time
/// (`log4j:ERROR Failed to flush writer,` and the exception): Jetty's next line has one.
#[derive(Debug, Default)]
struct Printed {
    full: Option<u64>,
}

impl Parse for Printed {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        out.understood();
        if let Some(at) = log4j::second_of(line.bytes) {
            if let Some(number) = self.full.take() {
                let said = Said::new(ComplaintKind::NoSpace, Subject::Own);
                out.event(number, at, &Event::Complaint(Box::new(said)));
            }
        } else if ComplaintKind::of_words(line.bytes) == Some(ComplaintKind::NoSpace) {
            self.full.get_or_insert(line.number);
        }
    }
}

/// Counts lines of log4j, and notes their times.
#[derive(Debug, Default)]
struct Timed(Splitter);

impl Parse for Timed {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        if let Split::Record(record) = self.0.split(line.bytes) {
            out.time(record.at);
        }
        out.understood();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::{read, rows};

    #[test]
    fn log_of_another_process_tells_how_long_it_was_seen() {
        let text = b"26/11/20 21:24:35 INFO mapred.JobClient: Running job: job_1\nbeside\n\
            26/11/20 21:26:00 INFO mapred.JobClient:  map 10% reduce 0%\n";
        let digest = read(&OTHER_PROCESS, "x", text);
        let span = digest.span.map(|(first, last)| (first.to_string(), last.to_string()));
        assert_eq!(span, Some(("2026-11-20 21:24:35,000".into(), "2026-11-20 21:26:00,000".into())));
        assert_eq!((digest.understood, digest.lines), (3, 3));
    }

    #[test]
    fn daemon_without_room_for_its_log_says_so_where_it_prints() {
        let text = "2026-11-25 04:53:27.921::INFO:  Started SelectChannelConnector@0.0.0.0:50060\n\
            log4j:ERROR Failed to flush writer,\n\
            java.io.IOException: No space left on device\n\
            \tat java.base/java.io.FileOutputStream.writeBytes(Native Method)\n";
        let told = |text: &str| {
            let found = rows(&DAEMON_OUTPUT, text).into_iter();
            found.map(|row| format!("{} {:?}", row.at, row.event)).collect::<Vec<_>>()
        };
        assert!(told(text).is_empty(), "nothing tells when");
        let later = format!("{text}2026-11-25 04:54:04.808::WARN:  /tasklog: java.io.IOException: Closed\n");
        let [event] = &told(&later)[..] else { panic!("{:?}", told(&later)) };
        assert!(event.starts_with("2026-11-25 04:54:04,000 ") && event.contains("NoSpace"), "{event}");
    }

    #[test]
    fn output_is_known_by_its_name_where_its_content_is_anything() {
        let sniff = |of: &Bystander, path: &str| of.sniff(&Head::new(path, b"hello\n"));
        assert_eq!(sniff(&TASK_OUTPUT, "a/attempt_1/stdout"), Confidence::Maybe);
        assert_eq!(sniff(&TASK_OUTPUT, "a/stdout.txt"), Confidence::No);
        assert_eq!(sniff(&DAEMON_OUTPUT, "hadoop-u-datanode-h1.out.2"), Confidence::Maybe);
        assert_eq!(sniff(&DAEMON_OUTPUT, "hadoop-u-datanode-h1.outer"), Confidence::No);
        assert_eq!(sniff(&DAEMON_OUTPUT, "part.out"), Confidence::No);
    }

    #[test]
    fn a_container_s_script_is_known_by_its_name() {
        let sniff = |path: &str, text: &[u8]| CONTAINER_LAUNCH.sniff(&Head::new(path, text));
        assert_eq!(sniff("container_1/launch_container.sh", b"#!/bin/bash\n\nset -o pipefail -e\n"), Confidence::Sure);
        assert_eq!(sniff("container_1/directory.info", b"ls -l:\ntotal 32\n"), Confidence::Sure);
        assert_eq!(sniff("collect.sh", b"#!/bin/bash\n"), Confidence::No);
        assert_eq!(sniff("launch_container.sh", b"2026-11-25 09:30:01,000 INFO a.B: c\n"), Confidence::No);
    }
}
