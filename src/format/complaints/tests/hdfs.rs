//! What DataNodes and their clients say.

use super::{check, said};

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
