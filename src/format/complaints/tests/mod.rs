mod hdfs;
mod masters;
mod tasks;

use super::*;
use crate::base::BlockId;
use crate::format::history::AttemptPart;
use crate::format::masters::JOBTRACKER;
use crate::format::tests::rows;
use crate::model::Event;

/// Kind, subject, attempt's number, block, milliseconds.
fn said(class: &str, level: &str, text: &str) -> Option<String> {
    let log = format!("2026-11-20 21:24:44,119 {level} org.x.{class}: {text}\n");
    let mut found = rows(&JOBTRACKER, &log).into_iter().filter_map(|row| match row.event {
        Event::Complaint(said) => Some(*said),
        _ => None,
    });
    let said = found.next()?;
    assert!(found.next().is_none(), "one complaint a record");
    let of = match said.of {
        Subject::Own => "own".to_owned(),
        Subject::Host(name) => name.into(),
        Subject::Address(ip) => ip.to_string(),
        Subject::Attempt => "attempt".to_owned(),
        Subject::Unsaid => "?".to_owned(),
    };
    let mut text = format!("{} {of}", said.kind.name());
    if let Some(attempt) = said.attempt {
        text += &format!(" {}", attempt.task);
    }
    if let Some(BlockId(block)) = said.block {
        text += &format!(" blk_{block}");
    }
    if let Some(ms) = said.took_ms {
        text += &format!(" {ms}ms");
    }
    Some(text)
}

fn check(class: &str, level: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let expected = if expected.is_empty() { None } else { Some((*expected).to_owned()) };
        assert_eq!(said(class, level, text), expected, "{text}");
    }
}

const MAP: &str = "attempt_1_0001_m_000007_0";

/// What a daemon's log tells of its processes: each line a minute and a half after the one before, or a second (`+`).
fn processes(messages: &[&str]) -> Vec<(&'static str, u64)> {
    let (mut log, mut seconds) = (String::new(), 0);
    for message in messages {
        let soon = message.strip_prefix('+');
        seconds += if soon.is_some() { 1 } else { 90 };
        let (minute, second) = (seconds / 60, seconds % 60);
        log +=
            &format!("2026-11-20 21:{minute:02}:{second:02},119 INFO org.x.TaskTracker: {}\n", soon.unwrap_or(message));
    }
    let found = rows(&JOBTRACKER, &log).into_iter().filter_map(|row| match row.event {
        Event::Complaint(said) => Some((said.kind.name(), row.line)),
        _ => None,
    });
    found.collect()
}

#[test]
fn daemon_that_is_started_anew_had_ended_or_died() {
    let (begins, ends) = ("STARTUP_MSG: ", "SHUTDOWN_MSG: ");
    assert_eq!(processes(&[begins, "works", ends]), [], "one process");
    assert_eq!(processes(&["works", begins, "works"]), [("died", 2)]);
    assert_eq!(processes(&[begins, "works", begins]), [("died", 3)], "its log ends as it begins");
    assert_eq!(processes(&[begins, ends, begins, "works", begins, "works"]), [("restarted", 3), ("died", 5)]);
    for ends in ["RECEIVED SIGNAL 15: SIGTERM", "Exiting with status 1", "Halt with status -1 Message: HaltException"] {
        assert_eq!(processes(&[begins, "works", ends, begins]), [("restarted", 4)], "{ends}");
    }
    assert_eq!(processes(&[begins, "RECEIVED block", "STARTUP", begins]), [("died", 4)]);
}

/// It cannot have the port of the one that runs, and says so twice.
#[test]
fn daemon_that_is_started_beside_itself_did_not_die() {
    let second = ["STARTUP_MSG: ", "+Exiting with status 1", "+SHUTDOWN_MSG: "];
    let log = |then: &[&'static str]| processes(&[&["STARTUP_MSG: ", "works"], &second[..], then].concat());
    assert_eq!(log(&["works"]), []);
    assert_eq!(log(&["works", "STARTUP_MSG: ", "works"]), [("died", 7)], "the first did");
    assert_eq!(log(&["works", "SHUTDOWN_MSG: ", "STARTUP_MSG: ", "works"]), [("restarted", 8)]);
}

/// What another record tells already, of whom it is.
#[test]
fn echoes_of_errors_are_nobodys() {
    let disk = "org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find any valid local directory for x";
    let echo = format!("PriviledgedActionException as:root cause:{disk}");
    assert_eq!(said("UserGroupInformation", "ERROR", &echo), None);
    assert_eq!(said("TaskAttemptListenerImpl", "FATAL", &format!("Task: {MAP} - exited : {disk}")), None);
    assert_eq!(
        said("TaskAttemptImpl", "INFO", &format!("Diagnostics report from {MAP}: {disk}")).as_deref(),
        Some("no-space attempt 7")
    );
}

#[test]
fn disks_are_told_as_each_version_words_them() {
    let dir = "Directory /data/2/yarn/local error";
    check(
        "DirectoryCollection",
        "WARN",
        &[
            // Up to 2.5, and since.
            ("Disk(s) failed. 1/4 local-dirs turned bad: /data/2/yarn/local;", "bad-disk own"),
            (
                &format!("{dir} Directory is not writable: x, removing from the list of valid directories."),
                "bad-disk own",
            ),
            (&format!("{dir}, Directory is not writable: x, removing from list of valid directories"), "bad-disk own"),
            (
                &format!("{dir}, free space below limit of 1024MB, removing from the list of valid directories."),
                "no-space own",
            ),
            (
                &format!("{dir}, used space above threshold of 90.0%, removing from list of valid directories"),
                "no-space own",
            ),
        ],
    );
    let tracker = "TaskTracker local dir /data/2/mapred/local error x, removing from local dirs";
    check("TaskTracker", "WARN", &[(tracker, "bad-disk own")]);
    check(
        "DatasetVolumeChecker",
        "WARN",
        &[
            ("checkAllVolumes timed out after 600000 ms", "bad-disk own"),
            ("Volume /data/2/dfs detected as being unhealthy", "bad-disk own"),
        ],
    );
    check("BlockPoolSliceScanner", "INFO", &[("Reporting bad BP-1-10.0.0.9-2:blk_7_1", "bad-checksum own blk_7")]);
}

#[test]
fn error_complains_of_the_same_whoever_tells_it() {
    for (error, kind) in [
        ("Lost task tracker: tracker_h103:localhost/127.0.0.1:4", ComplaintKind::LostNode),
        ("Container released on a *lost* node", ComplaintKind::LostNode),
        ("Map output lost, rescheduling: getMapOutput(x,1) failed : DiskErrorException", ComplaintKind::MapOutputLost),
        ("Too many fetch-failures", ComplaintKind::TooManyFetchFailures),
        ("Too Many fetch failures.Failing the attempt", ComplaintKind::TooManyFetchFailures),
        (
            "Too many fetch failures. Failing the attempt. Last failure reported by x",
            ComplaintKind::TooManyFetchFailures,
        ),
        ("Task x failed to report status for 805 seconds. Killing!", ComplaintKind::TimedOut),
        ("AttemptID:x task timeout set: 40s, taskTimedOut: true; taskStuck: false", ComplaintKind::TimedOut),
        ("AttemptID:x task timeout set: 40s, taskTimedOut: false; taskStuck: true", ComplaintKind::TimedOut),
        ("AttemptID:x Timed out after 600 secs", ComplaintKind::TimedOut),
        ("Error: java.io.IOException: No space left on device", ComplaintKind::NoSpace),
        ("x failed to report status for 9 seconds; No space left on device", ComplaintKind::TimedOut),
        ("Error: java.io.IOException: Mkdirs failed to create /x", ComplaintKind::BadDisk),
        ("Error: java.lang.NumberFormatException: x", ComplaintKind::AttemptFailed),
    ] {
        let mut history = AttemptPart::default();
        history.fail(error);
        assert_eq!(history.complaint, Some(kind), "{error}");
        let told = |class, text: String| said(class, "INFO", &text).unwrap_or_default();
        for line in [
            told("TaskInProgress", format!("Error from {MAP}: {error}")),
            told("TaskAttemptImpl", format!("Diagnostics report from {MAP}: {error}")),
        ] {
            assert_eq!(line.split(' ').next(), Some(kind.name()), "{error}");
        }
    }
}

#[test]
fn servers_that_are_tried_again_and_again_cannot_be_reached() {
    let again = "Retrying connect to server: h400/10.88.4.10:42797. Already tried 7 time(s); retry policy is RetryUpToMaximumCountWithFixedSleep(maxRetries=10, sleepTime=1000 MILLISECONDS)";
    let cases = [
        (again, "unreachable h400"),
        ("Retrying connect to server: h100/10.77.1.10:9000. Already tried 0 time(s).", "unreachable h100"),
        ("Connecting to h400", ""),
        // Up to 1.x.
        (
            "Call to h304/10.77.3.14:50020 failed on connection exception: java.net.ConnectException: x",
            "unreachable 10.77.3.14",
        ),
    ];
    check("Client", "INFO", &cases);
    check("Other", "INFO", &[(again, "")]);
}

#[test]
fn pauses_are_of_the_host_or_of_the_collector() {
    const PAUSE: &str = "Detected pause in JVM or host machine (eg GC): pause of approximately";
    let collected = |ms: u64| {
        format!(
            "{PAUSE} 4000ms\nGC pool 'PS MarkSweep' had collection(s): count=2 time=1500ms\nGC pool 'PS Scavenge' had collection(s): count=1 time={ms}ms"
        )
    };
    check(
        "JvmPauseMonitor",
        "WARN",
        &[
            (&format!("{PAUSE} 40563ms\nNo GCs detected"), "paused own 40563ms"),
            (&format!("{PAUSE} 1200ms"), "paused own 1200ms"),
            (&collected(499), "paused own 4000ms"),
            (&collected(500), "gc-paused own 4000ms"),
            (&format!("{PAUSE} long"), ""),
            ("Starting JVM pause monitor", ""),
        ],
    );
    check("Other", "INFO", &[(&format!("{PAUSE} 40563ms"), "")]);
}

#[test]
fn who_runs_a_job_is_not_the_nodes_own_daemon() {
    let log = "2026-11-20 21:24:44,119 WARN [x] org.x.JvmPauseMonitor: Detected pause in JVM or host machine (eg GC): pause of approximately 40563ms\nNo GCs detected\n";
    let complaints = |format| rows(format, log).iter().filter(|row| matches!(row.event, Event::Complaint(_))).count();
    assert_eq!((complaints(&JOBTRACKER), complaints(&crate::format::am_syslog::AmSyslog)), (1, 0));
}

#[test]
fn cause_in_the_trace_is_found_and_frames_are_not_searched() {
    check(
        "ResourceLocalizationService",
        "INFO",
        &[
            (
                "Localizer failed for container_1_0001_01_000006\norg.x.DiskErrorException: No space available in any of the local directories.",
                "no-space own",
            ),
            // Up to 2.9.
            (
                "Localizer failed\norg.x.DiskErrorException: No space available in any of the local directories.",
                "no-space own",
            ),
            ("Localizer failed\njava.io.FileNotFoundException: File does not exist: hdfs://x", "container-failed own"),
        ],
    );
    check(
        "Anything",
        "WARN",
        &[
            ("oops\njava.io.IOException: No space left on device\n\tat x", "no-space own"),
            ("oops\n\tat No space left on device", ""),
        ],
    );
    check("Anything", "INFO", &[("oops\njava.io.IOException: No space left on device", "")]);
}

#[test]
fn missing_output_of_a_young_task_is_no_bad_disk() {
    let missing = "org.apache.hadoop.util.DiskChecker$DiskErrorException: Could not find taskTracker/jobcache/job_1_0001/x/output/file.out in any of the configured local directories";
    check("TaskTracker", "WARN", &[(missing, "")]);
    // What a NodeManager ought to serve, and has not, is lost.
    let lost = format!(
        "Shuffle error in populating headers :\norg.x.DiskErrorException: Could not find usercache/u/appcache/application_1_0001/output/{MAP}/file.out.index in any of the configured local directories\n\tat x"
    );
    check("ShuffleHandler", "ERROR", &[(&lost, "map-output-lost own 7")]);
    check("DataNode", "WARN", &[("DiskChecker$DiskErrorException: directory is not writable: /d/3", "bad-disk own")]);
}

#[test]
fn fetched_outputs_that_are_gone_are_told_of_the_reduce_s_node() {
    let reduce = "attempt_202611280501_0001_r_000003_0";
    let lines = |first: &str, file: &str| {
        format!(
            "{first}\n\tat org.apache.hadoop.mapred.ReduceTask.run(ReduceTask.java:380)\nCaused by: java.io.IOException: Intermediate merge failed\n\tat x\nCaused by: java.io.FileNotFoundException: File {file} does not exist.\n\tat y"
        )
    };
    let gone = format!("/d/taskTracker/jobcache/job_202611280501_0001/{reduce}/output/map_7.out");
    let error = format!("Error from {reduce}: java.io.IOException: Task: {reduce} - The reduce copier failed");
    let merge = format!(
        "{reduce} Merge of the inmemory files threw an exception: java.io.IOException: Intermediate merge failed"
    );
    let (of_master, of_task) = (lines(&error, &gone), lines(&merge, &gone));
    check("TaskInProgress", "INFO", &[(&of_master, "fetched-output-lost attempt 3")]);
    check("ReduceTask", "WARN", &[(&of_task, "fetched-output-lost own 3")]);
    let newer = lines(&merge, &format!("/d/usercache/u/appcache/application_1_0001/output/{reduce}/map_7.out.merged"));
    check("ReduceTask", "WARN", &[(&newer, "fetched-output-lost own 3")]);
    let other = lines(&merge, &format!("/user/u/{reduce}/input/part-00000"));
    check("ReduceTask", "WARN", &[(&other, "")]);
}

#[test]
fn daemons_that_their_masters_had_lost_join_again() {
    let both = "DatanodeCommand action : DNA_REGISTER from node-a0/10.88.5.20:9000 with active state";
    check(
        "DataNode",
        "INFO",
        &[
            (both, "rejoined own"),
            ("DatanodeCommand action: DNA_REGISTER", "rejoined own"),
            ("DatanodeCommand action: DNA_INVALIDATE", ""),
        ],
    );
    check("TaskTracker", "INFO", &[("Recieved RenitTrackerAction from JobTracker", "rejoined own")]);
    let resync = "Node is out of sync with ResourceManager, hence resyncing.";
    check("NodeStatusUpdaterImpl", "WARN", &[(resync, "rejoined own"), ("Sending out 2 NM container statuses: [", "")]);
}
