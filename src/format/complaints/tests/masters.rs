//! What masters say.

use super::{MAP, check};

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
