use super::*;
use crate::base::BlockId;
use crate::format::history::AttemptPart;
use crate::format::masters;
use crate::format::tests::rows;
use crate::model::Event;

/// Kind, subject, attempt's number, block, milliseconds.
fn said(class: &str, level: &str, text: &str) -> Option<String> {
    let log = format!("2026-11-20 21:24:44,119 {level} org.x.{class}: {text}\n");
    let mut found = rows(&masters::JOBTRACKER, &log).into_iter().filter_map(|row| match row.event {
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
fn mirrors_of_blocks_are_named_in_either_spelling() {
    for verb in ["transfering", "transferring"] {
        let text =
            format!("DataNode{{x}}:Exception {verb} block BP-1-10.0.0.9-2:blk_7_3 to mirror 10.0.0.4:9866: java");
        assert_eq!(said("DataNode", "ERROR", &text).as_deref(), Some("broken-pipeline 10.0.0.4 blk_7"), "{text}");
    }
    for end in ["- continuing", ". continuing"] {
        let text = format!("Exception writing block blk_7_3 to mirror 10.0.0.4:9866{end} without the mirror");
        assert_eq!(said("DataNode", "INFO", &text).as_deref(), Some("broken-pipeline 10.0.0.4 blk_7"), "{text}");
    }
}

#[test]
fn failed_disks_of_datanodes_are_theirs() {
    check(
        "DataNode",
        "WARN",
        &[
            ("checkDiskErrorAsync callback got 1 failed volumes: [/data/2]", "bad-disk own"),
            ("checkDiskErrorAsync callback got 0 failed volumes: []", ""),
            ("DataNode.handleDiskError: Keep Running: true", "bad-disk own"),
            ("DataNode.handleDiskError on: [/data/2] Keep Running: false", "bad-disk own"),
        ],
    );
    let cause = "org.apache.hadoop.util.DiskChecker$DiskErrorException: Directory is not writable: /data/2";
    check(
        "NameNode",
        "WARN",
        &[
            (
                "Disk error on DatanodeRegistration(10.1.1.4:9866, datanodeUuid=7, infoPort=1): DataNode failed volumes:/data/2;",
                "bad-disk 10.1.1.4",
            ),
            (&format!("Fatal disk error on 10.1.1.4:50010: {cause}"), "bad-disk 10.1.1.4"),
            // The NameNode's own disks are none of it.
            (&format!("Disk error on unknown DataNode: {cause}"), "bad-disk ?"),
        ],
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
fn jobtracker_names_hosts_and_attempts() {
    check(
        "JobTracker",
        "INFO",
        &[
            ("Lost tracker 'tracker_h103:localhost/127.0.0.1:40719'", "lost-node h103"),
            ("Blacklisting tracker : h1.lab Reason for blacklisting is : NODE_UNHEALTHY", "blacklisted h1.lab"),
            (
                "Adding new blacklisted tracker : h432 Reason for blacklisting is : EXCEEDING_FAILURES Reason details : 9",
                "blacklisted h432",
            ),
            (
                "Adding new blacklisted tracker : h432 Reason for blacklisting is : NODE_UNHEALTHY Reason details : ERROR",
                "unhealthy-node h432",
            ),
            (
                "Adding new reason for blacklisted tracker : h1 Reason for blacklisting is : NODE_UNHEALTHY Cumulative reason : x",
                "unhealthy-node h1",
            ),
            ("tracker_h103 is fine", ""),
            // 0.20.203 to 1.x.
            ("Adding new graylisted tracker : h103 Reason for graylisting is : EXCEEDING_FAILURES", "blacklisted h103"),
            ("Decommissioning host h103", "decommissioned h103"),
            ("Adding h103 to the blacklist across all jobs", "blacklisted h103"),
        ],
    );
    check(
        "TaskInProgress",
        "INFO",
        &[
            (
                &format!("Error from {MAP}: Map output lost, rescheduling: getMapOutput({MAP},1) failed :"),
                "map-output-lost attempt 7",
            ),
            (&format!("Error from {MAP}: Lost task tracker: tracker_h103:localhost/127.0.0.1:4"), "lost-node h103 7"),
            (
                &format!(
                    "Error from {MAP} on tracker_s4:127.0.0.1/127.0.0.1:42: Task {MAP} failed to report status for 805 seconds. Killing!"
                ),
                "timed-out s4 7",
            ),
            (&format!("Error from {MAP}: java.io.IOException: No space left on device"), "no-space attempt 7"),
            (
                &format!(
                    "Error from {MAP}: Error initializing {MAP}:\njava.io.IOException: Mkdirs failed to create /x"
                ),
                "bad-disk attempt 7",
            ),
            (
                &format!("Error from {MAP}: java.lang.NumberFormatException: x\n\tat a\nNo space left on device"),
                "no-space attempt 7",
            ),
            (&format!("Error from {MAP}: java.lang.NumberFormatException: x"), "attempt-failed attempt 7"),
        ],
    );
    let reduce = "attempt_1_0001_r_000002_0";
    check(
        "JobInProgress",
        "INFO",
        &[
            ("TaskTracker at 'h105' turned 'flaky'", "blacklisted h105"),
            (&format!("Failed fetch notification #2 for task {MAP}"), "fetch-failed attempt 7"),
            // Since 0.20.205.
            (
                &format!(
                    "Failed fetch notification #2 for map task: {MAP} running on tracker: tracker_h103:x/127.0.0.1:4 and reduce task: {reduce} running on tracker: tracker_h105:x/127.0.0.1:5"
                ),
                "fetch-failed attempt 7",
            ),
        ],
    );
}

#[test]
fn masters_of_hdfs_and_yarn_lose_nodes() {
    check(
        "StateChange",
        "INFO",
        &[
            ("BLOCK* NameSystem.heartbeatCheck: lost heartbeat from 10.129.40.105:50010", "lost-node 10.129.40.105"),
            (
                "BLOCK* removeDeadDatanode: lost heartbeat from 10.77.3.14:9866, removeBlocksFromBlockMap true",
                "lost-node 10.77.3.14",
            ),
            (
                "BLOCK NameSystem.addToCorruptReplicasMap: blk_7 added as corrupt on 10.0.0.1:50010 by /10.0.0.2",
                "bad-checksum 10.0.0.1 blk_7",
            ),
            ("BLOCK* NameSystem.addStoredBlock: blockMap updated: 10.0.0.1:50010 is added to blk_7_1 size 4", ""),
        ],
    );
    let corrupt =
        "BLOCK NameSystem.addToCorruptReplicasMap: blk_7 added as corrupt on 10.0.0.1:50010 by h2/10.0.0.2 because x";
    check("BlockStateChange", "INFO", &[(corrupt, "bad-checksum 10.0.0.1 blk_7")]);
    // What is taken out of service falls silent thereafter.
    for (class, text) in [
        ("FSNamesystem", "Start Decommissioning node 10.0.0.1:50010"),
        ("DatanodeManager", "Start Decommissioning 10.0.0.1:50010 [DISK]DS-1:NORMAL:10.0.0.1:50010 with 120 blocks"),
        ("DecommissionManager", "Starting decommission of 10.0.0.1:50010 [DISK]DS-1:NORMAL with 120 blocks"),
        ("DatanodeAdminManager", "Starting maintenance of 10.0.0.1:9866 [DISK]DS-1:NORMAL with 120 blocks"),
        ("DatanodeAdminManager", "Starting decommission of 10.0.0.1:9866 [DISK]DS-1:NORMAL with 120 blocks"),
    ] {
        check(class, "INFO", &[(text, "decommissioned 10.0.0.1")]);
    }
    check("FSNamesystem", "INFO", &[("Stop Decommissioning node 10.0.0.1:50010", "")]);
    check(
        "SlowPeerTracker",
        "WARN",
        &[
            ("Slow nodes list: [10.0.0.1:9866]", "slow-network 10.0.0.1"),
            ("Slow nodes list: [10.0.0.1:9866, 10.0.0.2:9866]", ""),
        ],
    );
    check(
        "RMNodeImpl",
        "INFO",
        &[
            ("h304:45454 Node Transitioned from RUNNING to LOST", "lost-node h304"),
            ("h304:45454 Node Transitioned from NEW to RUNNING", ""),
            (
                "Node h304:45454 reported UNHEALTHY with details: 1/1 local-dirs usable space is below configured utilization percentage/no more usable space [ /x ]",
                "no-space h304",
            ),
            ("Node h304:45454 reported UNHEALTHY with details: script said so", "unhealthy-node h304"),
        ],
    );
}

#[test]
fn fetches_name_the_host_they_failed_from() {
    let reduce = "attempt_1_0001_r_000009_0";
    check("ReduceTask", "WARN", &[(&format!("{reduce} copy failed: {MAP} from h102"), "fetch-failed h102 7")]);
    check(
        "Fetcher",
        "WARN",
        &[
            ("Failed to connect to h304:13562 with 2 map outputs", "fetch-failed h304"),
            (&format!("Failed to shuffle output of {MAP} from h305:13562"), "fetch-failed h305 7"),
            ("Failed to shuffle for fetcher#4", ""),
            // Where it is tried again for three minutes (2.6 and later, if NodeManagers keep their work over a restart).
            ("Shuffle output from h304:13562 failed, retry it.", "fetch-failed h304"),
            (
                "Timeout for copying MapOutput with retry on host h304:13562after 180000 milliseconds.",
                "fetch-failed h304",
            ),
            (
                "Failed to connect to host: http://h304:13562/mapOutput?job=job_1_0001&reduce=2&map=xafter 180000 milliseconds.",
                "fetch-failed h304",
            ),
        ],
    );
}

#[test]
fn attempts_are_in_trouble_where_they_ran() {
    check(
        "TaskAttemptImpl",
        "INFO",
        &[
            (
                &format!(
                    "Diagnostics report from {MAP}: AttemptID:{MAP} task timeout set: 40s, taskTimedOut: true; task stuck timeout set: 600s, taskStuck: false"
                ),
                "timed-out attempt 7",
            ),
            (
                &format!("Diagnostics report from {MAP}: AttemptID:{MAP} Timed out after 600 secs"),
                "timed-out attempt 7",
            ),
            (&format!("Diagnostics report from {MAP}: Container released on a *lost* node"), "lost-node attempt 7"),
            (
                &format!(
                    "Diagnostics report from {MAP}: [2026-11-21 02:47:26.536]No space available in any of the local directories."
                ),
                "no-space attempt 7",
            ),
            (&format!("Diagnostics report from {MAP}: Container killed by the ApplicationMaster."), ""),
            (
                &format!(
                    "Diagnostics report from {MAP}: cleanup failed for container container_1_0001_01_000002 : java.net.ConnectException: Call From h301/10.77.3.11 to h304:45454 failed on connection exception: x"
                ),
                "unreachable h304 7",
            ),
            (
                &format!(
                    "Diagnostics report from {MAP}: Error: java.net.NoRouteToHostException: No Route to Host from  h301/10.77.3.11 to h300:9000 failed on socket timeout exception: x"
                ),
                "attempt-failed attempt 7",
            ),
        ],
    );
    check(
        "RMContainerAllocator",
        "INFO",
        &[(
            &format!("Killing taskAttempt:{MAP} because it is running on unusable node:h304:45454"),
            "unhealthy-node h304 7",
        )],
    );
    check(
        "TaskTracker",
        "INFO",
        &[
            (&format!("{MAP}: Task {MAP} failed to report status for 601 seconds. Killing!"), "timed-out own 7"),
            (&format!("{MAP} 0.32% hdfs://x"), ""),
        ],
    );
    check("TaskTracker", "WARN", &[(&format!("getMapOutput({MAP},4) failed :"), "map-output-lost own 7")]);
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
fn slow_lines_blame_the_disk_or_the_next_node() {
    check(
        "DataNode",
        "WARN",
        &[
            (
                "Slow BlockReceiver write packet to mirror took 316ms (threshold=300ms), downstream DNs=[10.77.3.14:9866, 10.77.3.15:9866], blockId=7",
                "slow-network 10.77.3.14 blk_7 316ms",
            ),
            ("Slow BlockReceiver write packet to mirror took 316ms (threshold=300ms)", "slow-network ? 316ms"),
            ("Slow BlockReceiver write data to disk cost:523ms (threshold=300ms), volume=/d/1", "slow-disk own 523ms"),
            (
                "Slow flushOrSync took 412ms (threshold=300ms), isSync:true, flushTotalNanos=1ns, volume=file:/x/, blockId=7",
                "slow-disk own blk_7 412ms",
            ),
            ("Slow tide", ""),
        ],
    );
    check(
        "DataStreamer",
        "WARN",
        &[
            (
                "Slow ReadProcessor read fields for block BP-1-10.0.0.9-2:blk_7_1 took 30123ms (threshold=30000ms); ack: seqno: 1, targets: [DatanodeInfoWithStorage[10.0.0.1:9866,DS-1,DISK]]",
                "slow-network 10.0.0.1 blk_7 30123ms",
            ),
            (
                "Slow ReadProcessor read fields took 30123ms (threshold=30000ms); ack: seqno: 1, targets: [DatanodeInfoWithStorage[10.0.0.1:9866,DS-1,DISK], DatanodeInfoWithStorage[10.0.0.2:9866,DS-1,DISK]]",
                "slow-network ? 30123ms",
            ),
            // Up to 2.6.
            (
                "Slow ReadProcessor read fields took 30123ms (threshold=30000ms); ack: seqno: 1, targets: [10.0.0.1:50010]",
                "slow-network 10.0.0.1 30123ms",
            ),
            (
                "Slow ReadProcessor read fields took 30123ms (threshold=30000ms); ack: seqno: 1, targets: [10.0.0.1:50010, 10.0.0.2:50010]",
                "slow-network ? 30123ms",
            ),
        ],
    );
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
    assert_eq!((complaints(&masters::JOBTRACKER), complaints(&crate::format::am_syslog::AmSyslog)), (1, 0));
}

#[test]
fn pipelines_break_at_a_node() {
    check(
        "DFSClient",
        "WARN",
        &[
            (
                "Error Recovery for block blk_-7_1 in pipeline 10.0.0.1:50010, 10.0.0.2:50010: bad datanode 10.0.0.2:50010",
                "broken-pipeline 10.0.0.2 blk_-7",
            ),
            ("Error Recovery for block blk_-7_1 bad datanode[0] nodes == null", ""),
            (
                "Error Recovery for BP-1-10.0.0.9-2:blk_7_1 in pipeline [DatanodeInfoWithStorage[10.0.0.1:9866,DS-1,DISK], DatanodeInfoWithStorage[10.0.0.2:9866,DS-2,DISK]]: datanode 0(DatanodeInfoWithStorage[10.0.0.1:9866,DS-1,DISK]) is bad.",
                "broken-pipeline 10.0.0.1 blk_7",
            ),
            ("Excluding datanode DatanodeInfoWithStorage[10.0.0.1:9866,DS-1,DISK]", "broken-pipeline 10.0.0.1"),
        ],
    );
    check(
        "DFSClient",
        "INFO",
        &[
            (
                "Exception in createBlockOutputStream java.io.IOException: Bad connect ack with firstBadLink 10.0.0.1:50010",
                "unreachable 10.0.0.1",
            ),
            (
                "Exception in createBlockOutputStream java.io.IOException: Bad connect ack with firstBadLink as 10.0.0.1:50010",
                "unreachable 10.0.0.1",
            ),
            ("Exception in createBlockOutputStream java.net.ConnectException: Connection refused", ""),
            ("Exception in createBlockOutputStream java.io.IOException: Bad connect ack with firstBadLink ", ""),
        ],
    );
    check(
        "DataNode",
        "WARN",
        &[
            (
                "DatanodeRegistration(10.0.0.3:50010, storageID=DS-1):Failed to transfer blk_-7_1 to 10.0.0.5:50010 got java.net.SocketException: x",
                "broken-pipeline 10.0.0.5 blk_-7",
            ),
            (
                "h305:9866:DataXceiver error processing WRITE_BLOCK operation  src: /10.77.3.10:39288 dst: /10.77.3.15:9866",
                "write-broken 10.77.3.10",
            ),
            ("10.0.0.3:50010:Got exception while serving blk_7 to /10.0.0.4:", "read-broken 10.0.0.4 blk_7"),
        ],
    );
    check(
        "DataNode",
        "INFO",
        &[
            (
                "PacketResponder: BP-1-10.0.0.9-2:blk_7_1, type=HAS_DOWNSTREAM_IN_PIPELINE, downstreams=1:[10.0.0.4:9866]",
                "broken-pipeline 10.0.0.4 blk_7",
            ),
            (
                "PacketResponder: BP-1-10.0.0.9-2:blk_7_1, type=HAS_DOWNSTREAM_IN_PIPELINE, downstreams=1:[10.0.0.4:9866] terminating",
                "",
            ),
            ("writeBlock blk_7_1 received exception java.net.SocketTimeoutException: x", "write-broken ? blk_7"),
            ("writeBlock blk_7_1 received exception org.x.BlockAlreadyExistsException: Block blk_7_1 is valid", ""),
            ("Receiving block blk_7_1 src: /10.0.0.1:5 dest: /10.0.0.2:6", ""),
            // In one line since 2.4, in the trace before.
            (
                "h305:9866:DataXceiver error processing WRITE_BLOCK operation  src: /10.0.0.1:5 dst: /10.0.0.2:6; org.x.ReplicaAlreadyExistsException: Block blk_7_1 already exists",
                "",
            ),
            (
                "h305:50010:DataXceiver error processing WRITE_BLOCK operation  src: /10.0.0.1:5 dest: /10.0.0.2:6\norg.x.ReplicaAlreadyExistsException: Block blk_7_1 already exists",
                "",
            ),
            (
                "h305:50010:DataXceiver error processing READ_BLOCK operation  src: /10.0.0.1:5 dest: /10.0.0.2:6\nx.AlreadyExistsException",
                "read-broken 10.0.0.1",
            ),
        ],
    );
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

#[test]
fn stopped_containers_have_not_failed() {
    let code = |n: u32| format!("Exit code from container container_1_0001_01_000006 is : {n}");
    check(
        "DefaultContainerExecutor",
        "WARN",
        &[(&code(143), ""), (&code(137), ""), (&code(0), ""), (&code(1), "container-failed own")],
    );
}
