//! Blocks that are written and read.

use super::{DN, F, JOB, TT, at, att, file, launched, of, receiving, times, trace};
use oddnode::base::{BlockId, Timestamp};
use oddnode::model::{Event, FlowKind, Outcome, StateKind, WriteOrigin};

fn wrote(block: i64, src: &str) -> Event {
    Event::Wrote {
        block: BlockId(block),
        src: src.parse().unwrap(),
        dest: Some("10.0.0.1:50010".parse().unwrap()),
        bytes: 64,
        duration_ns: None,
        attempt: Some(att("m_000000_0")),
    }
}

#[test]
fn write_is_matched_by_block_and_source() {
    let t = trace(vec![
        file(
            DN,
            "datanode",
            &[
                (10, receiving(1, "10.0.0.2:1000")),
                (11, receiving(1, "10.0.0.3:1000")),
                (20, wrote(1, "10.0.0.3:1000")),
                (21, Event::Terminating { block: BlockId(1) }),
                (30, wrote(1, "10.0.0.2:1000")),
            ],
        )
        .startup("h1", "10.0.0.1"),
    ]);
    let rows: Vec<_> = of(&t, StateKind::WriteBlock).iter().map(times).collect();
    let ok = Some(Outcome::Success);
    assert_eq!(rows, [(10, 30, ok), (11, 20, ok)]);
    assert_eq!(t.peers, ["h1", "10.0.0.2", "10.0.0.3"]);
    assert!(t.flows.iter().all(|f| f.kind == FlowKind::Write && f.dest == Some(0) && f.bytes == Some(64)));
}

#[test]
fn blocks_of_clients_that_are_no_attempts_are_told_from_those_of_clients_that_nobody_names() {
    let written = |attempt| match wrote(1, "10.0.0.2:1000") {
        Event::Wrote { block, src, dest, bytes, duration_ns, .. } => {
            Event::Wrote { block, src, dest, bytes, duration_ns, attempt }
        }
        other => other,
    };
    let of_others = |rows: &[(i64, Event)]| {
        let t = trace(vec![file(DN, "datanode", rows).startup("h1", "10.0.0.1")]);
        let (flow, state) = (t.flows.get(0).unwrap(), t.states.get(0).unwrap());
        [t.is_flow_of_others(&flow), t.is_state_of_others(&state)]
    };
    let begun = (10, receiving(1, "10.0.0.2:1000"));
    assert_eq!(of_others(&[begun.clone(), (20, written(None))]), [true; 2]);
    assert_eq!(of_others(&[begun.clone(), (20, Event::ClientUntold), (20, written(None))]), [false; 2]);
    assert_eq!(of_others(&[begun.clone(), (20, written(Some(att("m_000000_0"))))]), [false; 2]);
    let replica = Event::Received { block: BlockId(1), src: Some("10.0.0.2:1000".parse().unwrap()), bytes: 64 };
    assert_eq!(of_others(&[begun.clone(), (20, replica)]), [false; 2]);
    assert_eq!(of_others(&[begun, (20, Event::WriteFailed { block: BlockId(1) })]), [false; 2]);
}

#[test]
fn write_whose_responder_ends_alone_has_failed() {
    let t = trace(vec![file(
        DN,
        "datanode",
        &[
            (10, receiving(1, "10.0.0.2:1000")),
            (20, Event::Terminating { block: BlockId(1) }),
            (90, receiving(2, "10.0.0.2:1")),
        ],
    )]);
    let writes = of(&t, StateKind::WriteBlock);
    assert_eq!(times(&writes[0]), (10, 20, Some(Outcome::Failed)));
    assert!(writes[1].open);
    assert_eq!(t.flows.len(), 1, "an open write is no flow");
    assert_eq!(t.flows.get(0).unwrap().bytes, None, "a failed one has no bytes");
}

#[test]
fn received_block_is_a_replica() {
    let received = Event::Received { block: BlockId(1), src: Some("10.0.0.2:1000".parse().unwrap()), bytes: 9 };
    let t = trace(vec![file(DN, "datanode", &[(10, receiving(1, "10.0.0.2:1000")), (30, received)])]);
    let write = of(&t, StateKind::WriteBlock)[0];
    assert_eq!((write.origin, write.bytes), (Some(WriteOrigin::Replicated), Some(9)));
    assert_eq!(t.flows.get(0).unwrap().kind, FlowKind::Replicate);
}

#[test]
fn write_from_the_node_itself_is_local() {
    let dn = file(DN, "datanode", &[(10, receiving(1, "10.0.0.1:1000")), (30, wrote(1, "10.0.0.1:1000"))]);
    let t = trace(vec![dn]);
    assert_eq!(
        of(&t, StateKind::WriteBlock)[0].origin,
        Some(WriteOrigin::Local),
        "its own address is its transfers' dest"
    );
}

#[test]
fn read_begins_its_duration_earlier_or_nowhere() {
    let read = |duration_ns| Event::Read {
        block: BlockId(1),
        src: Some("10.0.0.1:50010".parse().unwrap()),
        dest: "10.0.0.2:9".parse().unwrap(),
        bytes: 5,
        duration_ns,
        attempt: None,
    };
    let t = trace(vec![file(DN, "datanode", &[(100, read(Some(7_600_000))), (200, read(None)), (300, read(Some(0)))])]);
    let reads = of(&t, StateKind::ReadBlock);
    let starts: Vec<_> = reads.iter().map(|s| (s.start.map(Timestamp::millis), s.end.millis())).collect();
    assert_eq!(starts, [(None, 200), (Some(92), 100), (Some(300), 300)]);
}

/// Neither line says when it began, nor how much was sent.
#[test]
fn block_that_could_not_be_served_is_a_failed_read_beside_one_that_was() {
    let (block, client) = (BlockId(1), "10.0.0.2".parse().unwrap());
    let rows = [
        (100, Event::ServeFailed { block, dest: Some(client) }),
        (200, Event::Served { block, dest: client }),
        (300, Event::ServeFailed { block, dest: None }),
    ];
    let t = trace(vec![file(DN, "datanode", &rows).startup("h1", "10.0.0.1")]);
    let reads: Vec<_> = of(&t, StateKind::ReadBlock).iter().map(|s| (s.start, s.end.millis(), s.outcome)).collect();
    let (failed, served) = (Some(Outcome::Failed), Some(Outcome::Success));
    assert_eq!(reads, [(None, 100, failed), (None, 200, served), (None, 300, failed)]);
    let flows: Vec<_> = t.flows.iter().map(|f| (f.kind, f.src, f.dest, f.start, f.end.millis(), f.bytes)).collect();
    let to = |dest, end| (FlowKind::Read, Some(0), dest, None, end, None);
    assert_eq!((t.peers[1].as_str(), flows), ("10.0.0.2", vec![to(None, 300), to(Some(1), 100), to(Some(1), 200)]));
}

/// Lines of one file may be some milliseconds out of order.
#[test]
fn write_that_ends_before_it_begins_ends_with_its_begin() {
    let rows = [(20, receiving(1, "10.0.0.2:1000")), (18, wrote(1, "10.0.0.2:1000"))];
    let t = trace(vec![file(DN, "datanode", &rows)]);
    assert_eq!(of(&t, StateKind::WriteBlock).iter().map(times).collect::<Vec<_>>(), [(20, 20, Some(Outcome::Success))]);
    let flow = t.flows.get(0).unwrap();
    assert_eq!((flow.start, flow.end), (Some(at(20)), at(20)));
}

#[test]
fn audited_shuffle_has_a_job_and_bytes_and_is_no_flow() {
    let rows = [(5000, Event::ShuffleAudit { job: JOB, bytes: 7 })];
    let t = trace(vec![file("a/h1/yarn-u-nodemanager-h1.log", "nodemanager", &rows)]);
    let [served] = of(&t, StateKind::Shuffle)[..] else { panic!("{:?}", of(&t, StateKind::Shuffle)) };
    assert_eq!((served.start, served.end, served.open), (None, at(5000), false));
    assert_eq!((served.job, served.attempt, served.peer), (Some(JOB), None, None));
    assert_eq!((served.bytes, served.outcome), (Some(7), Some(Outcome::Success)));
    assert!(t.flows.is_empty());
}

#[test]
fn transfers_in_a_file_of_another_daemon_count() {
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[(10, launched("m_000000_0")), (20, receiving(1, "10.0.0.2:5")), (30, wrote(1, "10.0.0.2:5"))],
    )]);
    assert_eq!(of(&t, StateKind::WriteBlock).iter().map(times).collect::<Vec<_>>(), [(20, 30, Some(Outcome::Success))]);
}

#[test]
fn failed_write_is_not_the_one_that_its_responder_ended() {
    let block = BlockId(1);
    let t = trace(vec![file(
        DN,
        "datanode",
        &[
            (10, receiving(1, "10.0.0.2:5")),
            (11, Event::Terminating { block }),
            (12, receiving(1, "10.0.0.3:6")),
            (15, Event::WriteFailed { block }),
        ],
    )]);
    let writes: Vec<_> = of(&t, StateKind::WriteBlock).iter().map(times).collect();
    assert_eq!(writes, [(10, 11, Some(Outcome::Failed)), (12, 15, Some(Outcome::Failed))]);
}

#[test]
fn failed_write_is_the_one_that_gave_way_to_another() {
    let block = BlockId(1);
    let (ends, fails) = (Event::Terminating { block }, Event::WriteFailed { block });
    let begins = [(10, receiving(1, "10.0.0.2:5")), (20, receiving(1, "10.0.0.3:6"))];
    let cases = [(&[(21, ends.clone()), (22, fails.clone())][..], 21), (&[(21, fails), (22, ends.clone())], 21)];
    for (between, end) in cases.into_iter().chain([(&[(21, ends)][..], 21)]) {
        let rows = [&begins[..], between, &[(40, wrote(1, "10.0.0.3:6"))]].concat();
        let writes: Vec<_> =
            of(&trace(vec![file(DN, "datanode", &rows)]), StateKind::WriteBlock).iter().map(times).collect();
        assert_eq!(writes, [(10, end, Some(Outcome::Failed)), (20, 40, Some(Outcome::Success))]);
    }
}

#[test]
fn write_ends_with_its_responder_not_with_the_exception_behind_it() {
    let block = BlockId(1);
    let rows =
        [(10, receiving(1, "10.0.0.2:5")), (21, Event::Terminating { block }), (24, Event::WriteFailed { block })];
    let t = trace(vec![file(DN, "datanode", &rows)]);
    assert_eq!(times(&of(&t, StateKind::WriteBlock)[0]), (10, 21, Some(Outcome::Failed)));
}

#[test]
fn write_over_loopback_is_local() {
    let rows = [(10, receiving(1, "127.0.0.1:5")), (20, wrote(1, "127.0.0.1:5"))];
    let t = trace(vec![file(DN, "datanode", &rows)]);
    assert_eq!(of(&t, StateKind::WriteBlock)[0].origin, Some(WriteOrigin::Local));
}

#[test]
fn transfers_of_a_host_that_nothing_names_are_between_addresses() {
    let read = |src: &str| Event::Read {
        block: BlockId(2),
        src: Some(src.parse().unwrap()),
        dest: "10.0.0.6:77".parse().unwrap(),
        bytes: 9,
        duration_ns: None,
        attempt: None,
    };
    let ends = |files: Vec<F>| {
        let t = trace(files);
        let name = |end: Option<u32>| end.map(|end| t.peers[end as usize].clone()).unwrap_or_default();
        t.flows.iter().map(|flow| (name(flow.src), name(flow.dest))).collect::<Vec<_>>()
    };
    let between = |src: &str, dest: &str| (src.to_owned(), dest.to_owned());
    let rows = [(10, read("10.0.0.1:50010")), (20, wrote(1, "10.0.0.6:7"))];
    let nobody = || file("a/x.log", "datanode", &rows);
    let own = [between("10.0.0.1", "10.0.0.6"), between("10.0.0.6", "10.0.0.1")];
    assert_eq!(ends(vec![nobody()]), own);
    let of_several = ["h1", "h2", "h3"].into_iter().fold(nobody(), |file, name| file.startup(name, "10.0.0.9"));
    let untold = [between("", "10.0.0.6"), between("10.0.0.6", "")];
    assert_eq!(ends(vec![of_several]), untold, "it is of several hosts");
    let loopback = file("a/x.log", "datanode", &[(10, read("127.0.0.1:50010"))]);
    assert_eq!(ends(vec![loopback]), [between("", "10.0.0.6")]);
}
