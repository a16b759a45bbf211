//! Mochi on generated jobs: what is made is what is found, and the three cases of the
//! paper (§4.1 to §4.3) say in words what the paper's authors saw.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod jobs_made;

use jobs_made::{BEGIN_MS, Job, Logs, Made, trace};
use oddnode::base::{FileId, NodeId, Place};
use oddnode::diagnosis::mochi::balance::{Passage, weigh};
use oddnode::diagnosis::mochi::critical::{CriticalPath, Leg};
use oddnode::diagnosis::mochi::hints::{self, Hint};
use oddnode::diagnosis::mochi::paths::{Path, Paths};
use oddnode::diagnosis::mochi::study::JobStudy;
use oddnode::diagnosis::mochi::volumes::Volumes;
use oddnode::diagnosis::mochi::{JobFlow, Joined, Rule, without_checksums};
use oddnode::model::{Complaint, ComplaintKind, Count, Flow, FlowKind, Lanes, Skew, TaskType, Trace};
use oddnode::scene::flows;
use oddnode::scene::{Look, Mark, Selection, View};
use oddnode::states;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn flow(t: &Trace, job: usize) -> JobFlow {
    JobFlow::of(t, t.jobs[job].id)
}

fn map(node: usize, start: i64, end: i64, read: u64, from: usize) -> Made {
    Made { node, start, end, read, from, ..Made::default() }
}

fn reduce(node: usize, [start, copied, sorted, end]: [i64; 4], written: u64) -> Made {
    Made { node, start, end, copied, sorted, written, from: node, ..Made::default() }
}

/// Two Maps and two Reduces on three nodes, small enough to sum by hand.
fn small() -> Job {
    Job {
        name: "small",
        number: 1,
        launch: 1_000,
        finish: 65_000,
        maps: vec![map(0, 5_000, 15_000, 1_024_000, 0), map(1, 6_000, 20_000, 2_048_000, 2)],
        reduces: vec![
            reduce(1, [16_000, 50_000, 51_000, 60_000], 700_000),
            reduce(2, [17_000, 40_000, 40_500, 42_000], 300_000),
        ],
        sends: vec![vec![100_000, 200_000], vec![400_000, 300_000]],
        reduce_slots: None,
    }
}

#[test]
fn checksums_are_four_bytes_for_each_512() {
    assert_eq!([0, 516, 1032, 4_227_072].map(without_checksums), [0, 512, 1024, 4_194_304]);
    assert_eq!(without_checksums(520), 512, "a last piece of 4 bytes is all checksum");
    assert_eq!(without_checksums(617), 609);
    assert_eq!([1, 2, 3, 4].map(without_checksums), [0; 4], "less than a checksum");
    assert_eq!(without_checksums(u64::MAX), u64::MAX - u64::MAX.div_ceil(516) * 4);
}

#[test]
fn small_job_sums_as_made() {
    for logs in [Logs::All, Logs::Nameless] {
        let t = trace(&[small()], 3, logs);
        let flow = flow(&t, 0);
        let sums = [JobFlow::bytes(&flow.reads), JobFlow::bytes(&flow.fetches), JobFlow::bytes(&flow.writes)];
        assert_eq!(sums, [3_072_000, 1_000_000, 1_000_000], "{logs:?}");
        let by = if logs == Logs::All { Rule::ClientId } else { Rule::NodeAndTime };
        let rules: Vec<(FlowKind, Rule, u64)> = flow.shares.iter().map(|((k, r), s)| (*k, *r, s.transfers)).collect();
        assert_eq!(
            rules,
            [(FlowKind::Read, by, 2), (FlowKind::Write, by, 2), (FlowKind::Shuffle, Rule::ShuffleLine, 4)]
        );
        for weighed in weigh(&t, &flow) {
            assert_eq!((weighed.difference(), weighed.uncounted), (Some(0.0), 0), "{}", weighed.words());
        }
        let v = Volumes::of(&t, &flow);
        assert_eq!(v.nodes, [0, 1, 2].map(NodeId));
        assert_eq!(v.into_maps, [1_024_000.0, 2_048_000.0, 0.0]);
        assert_eq!(v.local, [1_024_000.0, 0.0, 0.0]);
        assert_eq!(v.between, [0.0, 100_000.0, 200_000.0, 0.0, 400_000.0, 300_000.0, 0.0, 0.0, 0.0]);
        assert_eq!(v.out, [0.0, 700_000.0, 300_000.0]);
        // Into Reduces: n2 has 500 of 1000 kB, a mean of 333.3 kB a node: 1.50.
        let words = v.skew_in_words(&t);
        assert_eq!(words[2], "into Reduces: uneven (skew 1.50: n2 has 500 kB, the mean is 333 kB)");
    }
}

#[test]
fn what_reduces_read_is_not_into_maps() {
    let t = trace(&[small()], 3, Logs::All);
    let mut flow = flow(&t, 0);
    let reduce = flow.writes[0].task.unwrap();
    flow.reads.push(Joined { task: Some(reduce), bytes: 9_000_000, ..flow.reads[0] });
    assert_eq!(Volumes::of(&t, &flow).into_maps, [1_024_000.0, 2_048_000.0, 0.0]);
    flow.reads.retain(|read| read.task == Some(reduce));
    assert!(Volumes::of(&t, &flow).reads_counted, "no Map's read is logged");
}

/// With the log of one DataNode of three, what the others moved is not nothing.
#[test]
fn volumes_of_blocks_of_which_some_logs_are_missing_are_what_tasks_counted() {
    let mut files = jobs_made::files(&[small()], 3, Logs::All);
    files.retain(|(path, _)| !path.contains("datanode") || path.contains("n2"));
    let t = states::build(&jobs_made::digest(&files), Some(0));
    let v = Volumes::of(&t, &flow(&t, 0));
    assert!(v.reads_counted && v.writes_counted);
    assert_eq!((v.into_maps, v.out), (vec![1_024_000.0, 2_048_000.0, 0.0], vec![0.0, 700_000.0, 300_000.0]));
    assert_eq!(v.local, [0.0; 3]);
}

/// The small job's logs, in which all blocks are moved by clients that are no attempts.
fn of_other_clients() -> Vec<(String, String)> {
    let mut files = jobs_made::files(&[small()], 3, Logs::Nameless);
    for (_, text) in &mut files {
        *text = text.replace(", srvID:", ", cliID: DFSClient_NONMAPREDUCE_7_1, srvID:");
    }
    files
}

/// An ApplicationMaster writes its job's history, whoever submits a job its input: no task does, though one runs there.
#[test]
fn blocks_of_clients_that_are_no_attempts_are_no_tasks() {
    let t = states::build(&jobs_made::digest(&of_other_clients()), Some(0));
    let flow = flow(&t, 0);
    assert_eq!((flow.reads.len(), flow.fetches.len(), flow.writes.len()), (0, 4, 0));
    let v = Volumes::of(&t, &flow);
    assert!(v.reads_counted && v.writes_counted);
    assert_eq!((v.into_maps, v.out), (vec![1_024_000.0, 2_048_000.0, 0.0], vec![0.0, 700_000.0, 300_000.0]));
}

/// Its executors' clients are no attempts either.
#[test]
fn blocks_are_joined_to_tasks_of_spark_by_node_and_time() {
    let mut files = of_other_clients();
    files.retain(|(path, _)| path.contains("datanode"));
    let mut events = vec![
        r#"{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"app-20261120220000-0000","Timestamp":1795212000000,"User":"u"}"#.to_owned(),
        format!(
            r#"{{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":{BEGIN_MS},"Stage Infos":[{{"Stage ID":0,"Stage Attempt ID":0,"Number of Tasks":2,"Parent IDs":[]}}],"Stage IDs":[0]}}"#
        ),
    ];
    events.extend(small().maps.iter().enumerate().map(|(i, map)| {
        format!(
            r#"{{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ResultTask","Task End Reason":{{"Reason":"Success"}},"Task Info":{{"Task ID":{i},"Index":{i},"Attempt":0,"Launch Time":{},"Executor ID":"{i}","Host":"n{}","Finish Time":{},"Failed":false,"Killed":false}}}}"#,
            BEGIN_MS + map.start,
            map.node + 1,
            BEGIN_MS + map.end
        )
    }));
    events.push(format!(
        r#"{{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":{},"Job Result":{{"Result":"JobSucceeded"}}}}"#,
        BEGIN_MS + 65_000
    ));
    files.push(("run/n0/app-20261120220000-0000".to_owned(), events.join("\n") + "\n"));
    let t = states::build(&jobs_made::digest(&files), Some(0));
    let flow = flow(&t, 0);
    let reads: Vec<(u64, Rule)> = flow.reads.iter().map(|read| (read.bytes, read.rule)).collect();
    assert_eq!(reads, [(1_024_000, Rule::NodeAndTime), (2_048_000, Rule::NodeAndTime)]);
}

#[test]
fn histories_alone_give_volumes_by_counters_and_no_matrix() {
    let t = trace(&[small()], 3, Logs::Histories);
    let flow = flow(&t, 0);
    assert!(flow.reads.is_empty() && flow.fetches.is_empty() && flow.shares.is_empty());
    let v = Volumes::of(&t, &flow);
    assert!(v.reads_counted && v.writes_counted && v.between.iter().all(|b| *b == 0.0));
    // n1 and n2 ran Maps, n2 and n3 Reduces.
    assert_eq!((v.into_maps, v.out), (vec![1_024_000.0, 2_048_000.0, 0.0], vec![0.0, 700_000.0, 300_000.0]));
    let weighed = weigh(&t, &flow);
    assert_eq!((weighed[0].logged, weighed[0].counted, weighed[0].agrees()), (None, Some(3_072_000), None));
    assert!(weighed[1].words().ends_with("no transfer logged"), "{}", weighed[1].words());
}

#[test]
fn critical_path_worked_by_hand() {
    let t = trace(&[small()], 3, Logs::All);
    let path = CriticalPath::of(&t, &flow(&t, 0)).unwrap();
    // Reduce 0 ends last; both its fetches end by 20 s, Map 1's last: read is not timed,
    // map 6–20 s, no wait as the Reduce runs from 16 s on, shuffle 20–50 s, sort 50–51 s, reduce 51–60 s, in which its block was being written.
    assert_eq!(Leg::ALL.map(|leg| path.millis(leg)), [0, 14_000, 0, 30_000, 1_000, 0, 9_000]);
    assert_eq!((t.tasks[path.map].id.task, t.tasks[path.reduce.unwrap()].id.task), (1, 0));
    assert_eq!((path.before.unwrap().millis(), path.after.unwrap().millis()), (5_000, 5_000));
    assert_eq!(path.sentence(), "56 % of the critical path's 54 s waits for the shuffle");
    // Without fetches the Map that ended last before the Reduce had copied all.
    let t = trace(&[small()], 3, Logs::Histories);
    let bare = CriticalPath::of(&t, &flow(&t, 0)).unwrap();
    assert_eq!((bare.total_ms(), bare.sentence()), (path.total_ms(), path.sentence()));
    assert_eq!((bare.millis(Leg::Reduce), bare.millis(Leg::Write)), (9_000, 0), "no log tells of its block");
}

/// A Reduce that begins when all Maps have ended fetches their outputs in any order, and waited for the last of them.
#[test]
fn critical_path_of_a_reduce_that_began_last_is_not_by_its_order_of_fetching() {
    let mut job = small();
    job.maps = vec![map(0, 5_000, 15_000, 1_024_000, 0), map(1, 5_000, 95_000, 2_048_000, 2)];
    job.reduces = vec![reduce(1, [96_000, 98_000, 98_500, 104_000], 700_000)];
    job.sends = vec![vec![100_000], vec![400_000]];
    job.finish = 105_000;
    let mut t = trace(&[job], 3, Logs::All);
    let mut flow = flow(&t, 0);
    let [first, second] = [0, 1].map(|task| flow.fetches.iter().position(|f| t.tasks[f.task.unwrap()].id.task == task));
    let last = flow.fetches[second.unwrap()].end;
    flow.fetches[first.unwrap()].end = last.plus_millis(700);
    let path = CriticalPath::of(&t, &flow).unwrap();
    assert_eq!((t.tasks[path.map].id.task, path.millis(Leg::Map), path.millis(Leg::Wait)), (1, 90_000, 1_000));
    assert_eq!(path.sentence(), "nine tenths (91 %) of the critical path's 99 s is the Map");
    // One that had begun waited for what it fetched last.
    let reduce = path.reduce.unwrap();
    t.tasks[reduce.to_owned()].start = t.tasks[path.map].start;
    assert_eq!(t.tasks[CriticalPath::of(&t, &flow).unwrap().map].id.task, 0);
}

/// A clock that is off for certain, and was or was not set right.
fn off(mut t: Trace, node: u32, skew_ms: i64, corrected: bool) -> Trace {
    let (low_ms, high_ms) = (skew_ms - 100, skew_ms + 100);
    t.clocks.skews = vec![Skew { node: NodeId(node), skew_ms, low_ms, high_ms, messages: 9, corrected }];
    t
}

#[test]
fn instants_of_several_nodes_are_compared_in_one_clock() {
    // Map 1's tracker logs that its output left at 20 s, and Map 0's at 16 s; Map 1's clock is 10 s ahead.
    let of = |logs, corrected| {
        let t = off(trace(&[small()], 3, logs), 1, 10_000, corrected);
        let path = CriticalPath::of(&t, &flow(&t, 0)).unwrap();
        (t.tasks[path.map].id.task, t.tasks[path.reduce.unwrap()].id.task)
    };
    assert_eq!([of(Logs::All, false), of(Logs::All, true)], [(0, 0), (1, 0)], "the last fetch");
    assert_eq!([of(Logs::Histories, false), of(Logs::Histories, true)], [(0, 0), (1, 0)], "the last Map");
    // n1's DataNode hands on what it receives to n3's, which logs it 1 ms later, by a clock that is 10 s ahead.
    let mut copied = small();
    copied.reduces = vec![Made { from: 2, ..reduce(0, [16_000, 50_000, 51_000, 60_000], 700_000) }];
    let first = |corrected| {
        let t = off(trace(&[copied.clone()], 3, Logs::All), 2, 10_000, corrected);
        let flow = flow(&t, 0);
        let [write] = flow.writes.as_slice() else { panic!("{:?}", flow.writes) };
        (write.dest, write.start.unwrap().millis() - BEGIN_MS, write.end.millis() - BEGIN_MS)
    };
    assert_eq!(first(true), (Some(NodeId(0)), 51_000, 60_000));
    assert_eq!(first(false), (Some(NodeId(2)), 41_001, 60_000));
}

/// Of a history the tasks' counts tell what the transfers of the logs would (M06).
#[test]
fn path_by_a_history_alone_has_the_volumes_that_its_tasks_counted() {
    let t = trace(&[small()], 3, Logs::Histories);
    let shown = JobStudy::of(&t, t.jobs[0].id);
    let rows = flows::lay_out(View::FlowsPath, &t, &shown, &Look::default()).table.rows;
    let told: Vec<String> = rows.into_iter().map(|row| row.join(" ")).collect();
    // Map 1 sends 400 kB and 300 kB, Reduce 0 fetches 500 kB from two Maps.
    for expected in [
        "→ read: 2 MB by the Map's own count",
        "map output, 700 kB by the Map's own count ",
        "→ shuffle: 250 kB, an even share of the 500 kB that the Reduce counted",
        "→ write: 700 kB by its own count",
    ] {
        assert!(told.iter().any(|row| row == expected), "{expected}: {told:?}");
    }
}

/// Without a client's name a block belongs to the task at the head of its pipeline, not to one where it was handed on.
#[test]
fn block_that_a_node_handed_on_is_not_of_the_task_that_ran_there() {
    // Each job's one Map writes 700 kB; n2's DataNode, where the second job's runs, hands on the first job's block.
    let job = |number: u32, node: usize| Job {
        name: "w",
        number,
        launch: 1_000,
        finish: 65_000,
        maps: vec![Made { written: 700_000, ..map(node, 5_000, 60_000, 0, node) }],
        reduces: Vec::new(),
        sends: Vec::new(),
        reduce_slots: None,
    };
    let mut t = trace(&[job(1, 0), job(2, 1)], 3, Logs::Nameless);
    let mut flows: Vec<Flow> = t.flows.iter().collect();
    let first = *flows.iter().find(|f| f.kind == FlowKind::Write && f.src == Some(0)).unwrap();
    // By n2's clock that was before n1 wrote it.
    let start = first.start.map(|at| at.plus_millis(-20));
    flows.extend([(0, 1), (1, 2)].map(|(src, dest)| Flow { src: Some(src), dest: Some(dest), start, ..first }));
    t.flows = Lanes::from_rows(flows);
    for at in [0, 1] {
        let writes = flow(&t, at).writes;
        let by: Vec<(Option<NodeId>, u64)> = writes.iter().map(|w| (t.tasks[w.task.unwrap()].node, w.bytes)).collect();
        assert_eq!(by, [(Some(NodeId(at as u32)), 700_000)], "job {at}");
    }
}

#[test]
fn path_of_many_blocks_draws_the_longest_transfers_and_tells_all() {
    let t = trace(&[small()], 3, Logs::All);
    let mut shown = JobStudy::of(&t, t.jobs[0].id);
    let reduce = shown.critical.as_ref().unwrap().reduce;
    let write = *shown.flow.writes.iter().find(|write| write.task == reduce).unwrap();
    let lasting = |s: i64| Joined { start: Some(write.end.plus_millis(-1000 * s)), ..write };
    shown.flow.writes = (1..=5).map(lasting).collect();
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let scene = flows::lay_out(View::FlowsPath, &t, &shown, &look);
    let told: Vec<&str> =
        scene.table.rows.iter().map(|row| row[1].as_str()).filter(|s| s.starts_with("write")).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    assert!((1..=5).zip(told.iter().rev()).all(|(s, text)| text.contains(&format!(" in {s} s, "))), "{told:?}");
    let block = write.block.unwrap().to_string();
    assert!(told.iter().all(|text| text.ends_with(&block)), "{told:?}");
    let drawn: Vec<&str> = scene
        .marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(drawn.iter().filter(|text| text.starts_with("write")).count(), 3);
    assert!(
        drawn.iter().any(|text| text.starts_with("2 more: ") && text.ends_with("each in 2 s or less")),
        "{drawn:?}"
    );
}

/// A Reduce of the second wave, and one that is tried again after the first try failed: until it begins there is
/// no shuffle to wait for.
#[test]
fn wait_for_a_reduce_to_begin_is_no_wait_for_the_shuffle() {
    let mut job = small();
    job.reduces[0] = reduce(1, [50_000, 52_000, 53_000, 60_000], 700_000);
    let of = |job: &Job| {
        let mut t = trace(std::slice::from_ref(job), 3, Logs::Histories);
        if job.reduces.len() > 2 {
            // The third is the first's second try.
            let last = t.tasks.iter_mut().filter(|t| t.task_type == TaskType::Reduce).max_by_key(|t| t.id).unwrap();
            (last.id.task, last.id.attempt) = (0, 1);
            t.tasks.sort_by_key(|t| t.id);
            t.jobs[0].reduces = Some(2);
        }
        (JobStudy::of(&t, t.jobs[0].id), t)
    };
    let (second, t) = of(&job);
    let path = second.critical.as_ref().unwrap();
    assert_eq!(Leg::ALL.map(|leg| path.millis(leg)), [0, 14_000, 30_000, 2_000, 1_000, 7_000, 0]);
    assert_eq!(path.sentence(), "56 % of the critical path's 54 s waits for its Reduce to start");
    let scene = flows::lay_out(View::FlowsPath, &t, &second, &Look::default());
    let told = |text: &str| scene.table.rows.iter().any(|row| row[1] == text);
    assert!(told("wait: 30 s from the Map's end until the Reduce began"), "{:?}", scene.table.rows);
    assert!(told("shuffle: 2 s from then on until all was copied"), "{:?}", scene.table.rows);
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let scene = flows::lay_out(View::FlowsPaths, &t, &second, &look);
    let at = |name: &str| scene.table.headers.iter().position(|h| h == name).unwrap();
    let longest = scene.table.rows.iter().find(|row| row[at("wait, s")] == "30.0").unwrap();
    assert_eq!(longest[at("shuffle, s")], "2.0");
    assert!(scene.table.rows.iter().all(|row| row.len() == scene.table.headers.len()));
    let bar = |hit: &&oddnode::scene::Hit| hit.says[1] == "from the Map's end until the Reduce began: 30 s";
    assert!(scene.hits.iter().any(|hit| bar(&hit)));

    let again = job.reduces[0].clone();
    job.reduces[0] = Made { status: "FAILED", ..reduce(1, [16_000, 48_000, 48_000, 48_000], 0) };
    job.reduces.push(again);
    job.sends.iter_mut().for_each(|row| row.push(0));
    let (retried, _) = of(&job);
    let path = retried.critical.unwrap();
    assert_eq!(path.sentence(), "56 % of the critical path's 54 s waits until its Reduce was tried again");
}

/// What none of several tasks of a job ended is not what a job lacks.
#[test]
fn job_whose_reduces_all_failed_has_reduces() {
    let mut job = small();
    for reduce in &mut job.reduces {
        reduce.status = "FAILED";
    }
    let words = |job: &Job| {
        let t = trace(std::slice::from_ref(job), 3, Logs::Histories);
        JobStudy::of(&t, t.jobs[0].id).words
    };
    assert_eq!(
        words(&job)[..2],
        [
            "100 % of the critical path of tasks known to have ended (14 s) is the Map",
            "2 Maps of 12 s on average; none of 2 Reduces is known to have ended well"
        ]
    );
    job.reduces[0].status = "";
    job.maps.push(Made { status: "FAILED", ..map(0, 5_000, 6_000, 1_024_000, 0) });
    let said = "2 of 3 Maps of 12 s and 1 of 2 Reduces of 44 s on average: a Reduce takes 3.7 times as long as a Map";
    assert_eq!(words(&job)[1], said);
    job.reduces.clear();
    assert_eq!(words(&job)[1], "The job has Maps only: 2 of 3 Maps of 12 s on average");
}

/// M01: of two Maps one ends before the first Reduce begins, the other 4 s later; n2 gives 700 of 1,000 kB to three nodes'
/// Reduces.
#[test]
fn what_users_ask_is_answered() {
    let words = |job: Job| {
        let t = trace(&[job], 3, Logs::All);
        JobStudy::of(&t, t.jobs[0].id).words
    };
    let said = words(small());
    let overlap = "The first Reduce began when 1 of 2 Maps were over, and could reduce 4 s later, when the last was";
    let shuffle = "The shuffle is uneven over the nodes: n2 gave most, 700 kB, 2.1 times the mean";
    assert!(said.iter().any(|text| text == overlap), "{said:?}");
    assert!(said.iter().any(|text| text.starts_with(shuffle)), "{said:?}");
    let mut late = small();
    late.reduces.iter_mut().zip([20_000, 21_000]).for_each(|(reduce, start)| reduce.start = start);
    let said = words(late);
    assert!(said.iter().any(|text| text == "The first Reduce began when all Maps were over"), "{said:?}");
    let maps_only = words(Job { reduces: Vec::new(), sends: vec![Vec::new(); 2], ..small() });
    assert!(!maps_only.iter().any(|text| text.contains("Reduce began") || text.contains("shuffle")), "{maps_only:?}");
}

#[test]
fn paths_worked_by_hand() {
    let t = trace(&[small()], 3, Logs::All);
    let flow = flow(&t, 0);
    let paths = Paths::of(&t, &flow, CriticalPath::of(&t, &flow).as_ref());
    assert_eq!((paths.count, paths.folded, paths.fetches_logged), (4.0, false, true));
    let of = |m: u32, r: u32| {
        let is = |p: &&oddnode::diagnosis::mochi::paths::Path| {
            t.tasks[p.map].id.task == m && t.tasks[p.reduce.unwrap()].id.task == r
        };
        paths.paths.iter().find(is).unwrap()
    };
    assert_eq!(of(0, 1).millis, [0.0, 10_000.0, 2_000.0, 23_000.0, 500.0, 0.0, 1_500.0]);
    assert_eq!(of(0, 1).bytes, [1_024_000.0, 300_000.0, 0.0, 200_000.0, 500_000.0, 0.0, 300_000.0]);
    assert_eq!(of(1, 0).bytes, [2_048_000.0, 700_000.0, 0.0, 400_000.0, 500_000.0, 0.0, 700_000.0]);
    let members: usize = paths.groups.iter().map(|g| g.members.len()).sum();
    assert_eq!(members, 4);
}

/// A path that is chosen is the one that is followed, of all but those between neither the Reduce that ended last nor
/// the Map that was fetched last.
#[test]
fn chosen_path_is_followed_by_its_map_or_its_reduce() {
    let t = trace(&[small()], 3, Logs::All);
    let shown = JobStudy::of(&t, t.jobs[0].id);
    let followed = |selection: Selection| {
        let look = Look { width_css_px: 900.0, selection, ..Look::default() };
        let steps = flows::lay_out(View::FlowsPath, &t, &shown, &look).table.rows;
        let of = |what: &str| {
            let step = steps.iter().find_map(|row| row[0].strip_prefix(what)).unwrap();
            step.split(' ').next().unwrap().parse::<u32>().unwrap()
        };
        format!("m{} r{}", of("Map "), of("Reduce "))
    };
    let mut found = BTreeMap::new();
    for group in 0..shown.paths.groups.len() {
        let look = Look { width_css_px: 900.0, group: Some(group), ..Look::default() };
        for hit in flows::lay_out(View::FlowsPaths, &t, &shown, &look).hits {
            // A row is called "m0@h1 → r1@h2, critical".
            let Some(picks) = hit.picks else { continue };
            let ends: Vec<&str> = hit.says[0].split(" → ").map(|end| end.split('@').next().unwrap()).collect();
            found.insert(ends.join(" "), followed(*picks));
        }
    }
    assert_eq!(found.len(), 4, "{found:?}");
    let others: Vec<_> = found.iter().filter(|(chosen, followed)| chosen != followed).collect();
    assert_eq!(others, [(&"m0 r1".to_owned(), &"m0 r0".to_owned())]);
}

/// Where logs tell how long blocks were written, that is a stage of its own; in a job of Maps only it is the Maps'.
#[test]
fn writing_is_the_last_stage_of_a_path() {
    let timed = |job: Job, ms: i64| {
        let t = trace(&[job], 3, Logs::All);
        let mut flow = flow(&t, 0);
        flow.writes.iter_mut().for_each(|write| write.start = Some(write.end.plus_millis(-ms)));
        let critical = CriticalPath::of(&t, &flow).unwrap();
        (Paths::of(&t, &flow, Some(&critical)), critical, t)
    };
    let (paths, critical, _) = timed(small(), 4_000);
    assert_eq!(Leg::ALL.map(|leg| critical.millis(leg)), [0, 14_000, 0, 30_000, 1_000, 5_000, 4_000]);
    assert!(paths.paths.iter().all(|p| p.millis[Leg::Write as usize] > 0.0));
    // Longer than the Reduce has for it.
    assert_eq!(timed(small(), 90_000).1.millis(Leg::Write), 9_000);

    let maps = small().maps.into_iter().map(|map| Made { written: 500_000, ..map }).collect();
    let (paths, critical, t) = timed(Job { maps, reduces: Vec::new(), sends: Vec::new(), ..small() }, 4_000);
    assert_eq!(Leg::ALL.map(|leg| critical.millis(leg)), [0, 10_000, 0, 0, 0, 0, 4_000]);
    let path = &paths.paths[0];
    assert_eq!((path.bytes[Leg::Reduce as usize], path.bytes[Leg::Write as usize]), (0.0, 500_000.0));
    let shown = JobStudy::of(&t, t.jobs[0].id);
    let scene = flows::lay_out(View::FlowsPaths, &t, &shown, &Look { width_css_px: 900.0, ..Look::default() });
    assert!(scene.table.headers.iter().all(|name| !name.contains("reduce") && !name.contains("shuffle")));
    assert!(scene.hits.iter().any(|hit| hit.says[1] == "written by the path's last task: 500 kB"));
}

/// §4.1: RandomWriter has Maps only; Sort's Reduces take far longer than its Maps, and two
/// thirds of the time on the critical path pass until Map outputs are shuffled.
#[test]
fn sort_and_random_writer_show_their_structure() {
    let writer = Job {
        name: "random-writer",
        number: 1,
        launch: 0,
        finish: 300_000,
        maps: (0..16)
            .map(|i| Made { written: 64_000_000, ..map(i % 4, 5_000, 290_000 + i as i64 * 100, 0, (i + 1) % 4) })
            .collect(),
        ..Job::default()
    };
    let sort = Job {
        name: "sorter",
        number: 2,
        launch: 310_000,
        finish: 700_000,
        maps: (0..32)
            .map(|i| {
                let wave = (i / 8) as i64 * 12_000;
                map(i % 4, 315_000 + wave, 325_000 + wave + 50 * i as i64, 8_000_000, i % 4)
            })
            .collect(),
        reduces: (0..4).map(|i| reduce(i, [330_000, 590_000, 595_000, 695_000], 64_000_000)).collect(),
        sends: vec![vec![2_000_000; 4]; 32],
        reduce_slots: Some(2),
    };
    let t = trace(&[writer, sort], 4, Logs::All);
    let writer = flow(&t, 0);
    let path = CriticalPath::of(&t, &writer).unwrap();
    assert_eq!(path.reduce, None);
    assert_eq!(path.sentence(), "100 % of the critical path's 4 min 47 s is the Map");
    assert_eq!(Volumes::of(&t, &writer).out, [256_000_000.0; 4]);
    let sort = flow(&t, 1);
    let path = CriticalPath::of(&t, &sort).unwrap();
    let sentence = path.sentence();
    assert!(sentence.starts_with("two thirds (66 %)") && sentence.ends_with("waits for the shuffle"), "{sentence}");
    assert!(hints::of(&t, &sort).is_empty() && hints::of(&t, &writer).is_empty());
}

/// §4.2: two jobs of three Reduces on four nodes, one node without any in each; with twice
/// as many Reduces as nodes each ran two.
fn matrix_vector(reduces: &[usize], number: u32, launch: i64) -> Job {
    let (start, end) = (launch + 20_000, launch + 90_000);
    Job {
        name: "hadi-matvec",
        number,
        launch,
        finish: launch + 95_000,
        maps: (0..8).map(|i| map(i % 4, launch + 1_000, launch + 25_000, 1_000_000, i % 4)).collect(),
        reduces: reduces.iter().map(|n| reduce(*n, [start, start + 10_000, start + 12_000, end], 500_000)).collect(),
        sends: vec![vec![50_000; reduces.len()]; 8],
        reduce_slots: Some(2),
    }
}

#[test]
fn nodes_without_a_reduce_are_named() {
    let t = trace(&[matrix_vector(&[0, 2, 3], 1, 0), matrix_vector(&[1, 2, 3], 2, 100_000)], 4, Logs::Histories);
    let words: Vec<String> = (0..2).flat_map(|j| hints::of(&t, &flow(&t, j))).map(|h| h.words(&t)).collect();
    let advice = "with 8 Reduces (4 nodes × 2 side by side) each node would have its share";
    assert_eq!(
        words,
        [format!("n2 ran no Reduce of the job's 3: {advice}"), format!("n1 ran no Reduce of the job's 3: {advice}")]
    );
    let after = trace(&[matrix_vector(&[0, 1, 2, 3, 0, 1, 2, 3], 1, 0)], 4, Logs::Histories);
    assert_eq!(hints::of(&after, &flow(&after, 0)), []);
    // A node that a master gave up has nothing to be given.
    let mut lost = trace(&[matrix_vector(&[0, 2, 3], 1, 0)], 4, Logs::Histories);
    for (kind, hints) in [(ComplaintKind::SlowDisk, 1), (ComplaintKind::LostNode, 0), (ComplaintKind::Blacklisted, 0)] {
        let at = lost.jobs[0].start.unwrap_or_default();
        let place = Place { file: FileId(0), line: 1 };
        let of = Some(NodeId(1));
        lost.complaints =
            vec![Complaint { kind, by: None, of, at, job: None, attempt: None, block: None, took_ms: None, place }];
        assert_eq!(hints::of(&lost, &flow(&lost, 0)).len(), hints, "{kind:?}");
    }
    // A single Reduce is meant to be single.
    let total = trace(&[matrix_vector(&[0], 1, 0)], 4, Logs::Histories);
    assert_eq!(hints::of(&total, &flow(&total, 0)), []);
}

#[test]
fn reduces_that_queue_while_a_node_idles_are_told() {
    let mut job = matrix_vector(&[0, 2, 0], 1, 0);
    for (at, ms) in [(0, 0), (1, 0), (2, 75_000)] {
        let r = &mut job.reduces[at];
        (r.start, r.copied, r.sorted, r.end) = (r.start + ms, r.copied + ms, r.sorted + ms, r.end + ms);
    }
    job.finish += 75_000;
    let t = trace(&[job], 4, Logs::Histories);
    let hint = hints::of(&t, &flow(&t, 0)).remove(0);
    let Hint::IdleReduceNodes { nodes, queued, .. } = &hint else { panic!("{hint:?}") };
    assert_eq!((nodes.as_slice(), *queued), ([NodeId(1), NodeId(3)].as_slice(), true));
    assert!(hint.words(&t).contains("n2, n4 ran no Reduce of the job's 3, while others ran one after another"));
}

#[test]
fn reduce_of_no_length_runs_after_no_other() {
    let mut job = matrix_vector(&[0, 2, 3], 1, 0);
    let r = &mut job.reduces[0];
    (r.copied, r.sorted, r.end) = (r.start, r.start, r.start);
    let t = trace(&[job], 4, Logs::Histories);
    let found = hints::of(&t, &flow(&t, 0));
    let queued = |hint: &Hint| matches!(hint, Hint::IdleReduceNodes { queued: true, .. });
    assert!(!found.is_empty() && !found.iter().any(queued), "{found:?}");
}

/// §4.3: 2400 Maps and Reduces that sleep for 100 ms on 24 slaves, some of which take three
/// minutes more.
fn sleep(delayed: impl Fn(usize) -> bool) -> Job {
    let at = |i: usize| (i / 48) as i64 * 3_500;
    let took = |i: usize| 2_300 + (i * 7919 % 600) as i64 + if delayed(i) { 180_000 + (i % 5) as i64 * 50 } else { 0 };
    Job {
        name: "sleep",
        number: 1,
        launch: 0,
        finish: 520_000,
        maps: (0..2400).map(|i| map(i % 24, 1_000 + at(i), 1_000 + at(i) + took(i), 0, i % 24)).collect(),
        reduces: (0..2400)
            .map(|i| {
                reduce(i % 24, [300_000 + at(i), 301_000 + at(i), 301_000 + at(i), 301_000 + at(i) + took(i + 1)], 0)
            })
            .collect(),
        sends: Vec::new(),
        reduce_slots: Some(2),
    }
}

#[test]
fn constant_delay_is_told_with_its_length() {
    let t = trace(&[sleep(|i| i % 40 == 3)], 24, Logs::Histories);
    let found = hints::of(&t, &flow(&t, 0));
    let Hint::ConstantDelay { task_type, delayed, of, delay_ms, .. } = &found[0] else { panic!("{found:?}") };
    assert_eq!((*task_type, *delayed, *of), (TaskType::Map, 60, 2400));
    assert!((179_500.0..180_700.0).contains(delay_ms), "{delay_ms}");
    let words = found[0].words(&t);
    assert!(
        words.starts_with("60 of 2400 Maps on 3 nodes took 3 min ± 280 ms longer than the usual 2.61 s"),
        "{words}"
    );
    assert!(words.contains("preferIPv4Stack"));
    assert_eq!(found.len(), 2, "the Reduces too");
    let one = trace(&[sleep(|i| i % 24 == 3)], 24, Logs::Histories);
    let words = hints::of(&one, &flow(&one, 0))[0].words(&one);
    assert!(words.starts_with("100 of 2400 Maps on 1 node took 3 min"), "{words}");
    let fixed = trace(&[sleep(|_| false)], 24, Logs::Histories);
    assert_eq!(hints::of(&fixed, &flow(&fixed, 0)), []);
}

#[test]
fn work_that_varies_is_no_constant_delay() {
    // A long tail: no two late tasks are late by the same time.
    let mut job = sleep(|_| false);
    for (i, map) in job.maps.iter_mut().enumerate().filter(|(i, _)| i % 40 == 3) {
        map.end += 10_000 + i as i64 * 150;
    }
    let t = trace(&[job], 24, Logs::Histories);
    assert_eq!(hints::of(&t, &flow(&t, 0)), []);
}

#[test]
fn many_paths_are_folded_and_none_is_lost() {
    let t = trace(&[sleep(|i| i % 40 == 3)], 24, Logs::Histories);
    let flow = flow(&t, 0);
    let critical = CriticalPath::of(&t, &flow).unwrap();
    let paths = Paths::of(&t, &flow, Some(&critical));
    assert!(paths.group_of(critical.map, critical.reduce).is_some(), "the critical path is in a group");
    assert!(paths.folded && paths.paths.len() <= 24 * 24);
    assert!((paths.count - 2400.0 * 2400.0).abs() < 1e-3, "{}", paths.count);
    let grouped: f64 = paths.groups.iter().map(|g| g.weight).sum();
    assert!((grouped - paths.count).abs() < 1e-3);
}

/// The delay comes before anything is copied (M17): it shows in those that wait for no Map.
#[test]
fn constant_delay_at_the_start_of_reduces_is_told() {
    let mut job = sleep(|_| false);
    let maps_end = job.maps.iter().map(|map| map.end).max().unwrap();
    for (i, reduce) in job.reduces.iter_mut().enumerate() {
        let begins = maps_end + 1_000 + i as i64;
        let waits = if i % 40 == 3 { 180_000 } else { 0 };
        (reduce.start, reduce.copied) = (begins, begins + waits + 500);
        (reduce.sorted, reduce.end) = (reduce.copied + 10, reduce.copied + 100 + i as i64 % 50);
    }
    job.finish = job.reduces.iter().map(|reduce| reduce.end).max().unwrap();
    let t = trace(&[job], 24, Logs::Histories);
    let found = hints::of(&t, &flow(&t, 0));
    let [Hint::ConstantDelay { task_type, delayed, delay_ms, .. }] = &found[..] else { panic!("{found:?}") };
    assert_eq!((*task_type, *delayed), (TaskType::Reduce, 60));
    assert!((179_500.0..180_500.0).contains(delay_ms), "{delay_ms}");
}

/// Where no fetch is logged each Map sends the same share, of whatever kind it is.
#[test]
fn folded_paths_share_what_a_reduce_fetched_among_all_maps() {
    let mut t = trace(&[sleep(|i| i % 40 == 3)], 24, Logs::Histories);
    let fetched = Count::from(Some(2_400_000));
    for task in t.tasks.iter_mut().filter(|t| t.task_type == TaskType::Reduce) {
        task.counters.shuffle = fetched;
    }
    let paths = Paths::of(&t, &flow(&t, 0), None);
    assert!(paths.folded && !paths.fetches_logged);
    let shuffled = |path: &Path| path.bytes[3];
    assert!(paths.paths.iter().all(|path| (shuffled(path) - 1000.0).abs() < 1e-9), "{:?}", paths.paths.first());
}

#[test]
fn nothing_comes_of_nothing() {
    let t = trace(&[Job { name: "empty", number: 1, finish: 1, ..Job::default() }], 2, Logs::All);
    let flow = flow(&t, 0);
    assert_eq!(CriticalPath::of(&t, &flow), None);
    assert_eq!(hints::of(&t, &flow), []);
    let paths = Paths::of(&t, &flow, CriticalPath::of(&t, &flow).as_ref());
    assert!(paths.paths.is_empty() && paths.groups.is_empty());
    assert_eq!(Volumes::of(&t, &flow).nodes, []);
    assert_eq!(weigh(&t, &flow).map(|w| (w.passage, w.difference())), Passage::ALL.map(|p| (p, None)));
}

prop_compose! {
    fn any_job()(nodes in 2_usize..6, maps in 1_usize..9, reduces in 0_usize..6)(
        nodes in Just(nodes),
        maps in prop::collection::vec((0..nodes, 0..nodes, 0_i64..60_000, 500_i64..30_000, 0_u64..5_000_000), maps),
        reduces in prop::collection::vec((0..nodes, 0..nodes, 0_i64..60_000, 1_000_i64..60_000, 0_u64..3_000_000), reduces),
        seed in 0_u64..1000,
    ) -> (usize, Job) {
        let sends = (0..maps.len()).map(|m| (0..reduces.len()).map(|r| (seed * 7919 + m as u64 * 131 + r as u64 * 17) % 90_000 + 1).collect());
        let job = Job {
            name: "any",
            number: 1,
            launch: 0,
            finish: 400_000,
            sends: sends.collect(),
            maps: maps.iter().map(|(node, from, start, took, read)| map(*node, *start, start + took, *read, *from)).collect(),
            reduces: reduces.iter().map(|(node, copy, start, took, written)| {
                let start = start + 30_000;
                let copied = start.max(95_000) + took;
                Made { from: *copy, ..reduce(*node, [start, copied, copied + 500, copied + 2_000], *written) }
            }).collect(),
            reduce_slots: None,
        };
        (nodes, job)
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is made is what is joined, whichever rule joins it; and no byte is in two places.
    #[test]
    fn bytes_are_conserved((nodes, job) in any_job()) {
        let made = [
            job.maps.iter().map(|m| m.read).sum::<u64>(),
            job.sends.iter().flatten().sum::<u64>(),
            job.reduces.iter().map(|r| r.written).sum::<u64>(),
        ];
        for logs in [Logs::All, Logs::Nameless] {
            let t = trace(std::slice::from_ref(&job), nodes, logs);
            let flow = flow(&t, 0);
            let joined = [&flow.reads, &flow.fetches, &flow.writes].map(JobFlow::bytes);
            prop_assert_eq!(joined, made, "{:?}", logs);
            let shares: u64 = flow.shares.values().map(|s| s.bytes).sum();
            prop_assert_eq!(shares, made.iter().sum::<u64>());
            let v = Volumes::of(&t, &flow);
            let sum = |x: &[f64]| x.iter().sum::<f64>() as u64;
            prop_assert_eq!([sum(&v.into_maps), sum(&v.between) + v.unknown as u64, sum(&v.out)], made);
            for w in weigh(&t, &flow) {
                prop_assert!(w.agrees() != Some(false), "{}", w.words());
            }
            let paths = Paths::of(&t, &flow, CriticalPath::of(&t, &flow).as_ref());
            let n = job.maps.len() * job.reduces.len().max(1);
            prop_assert_eq!(paths.count as usize, n);
            if let Some(path) = CriticalPath::of(&t, &flow) {
                // No path ends later than the critical one.
                let end = path.legs.last().unwrap().1.end;
                prop_assert!(flow.done(&t, TaskType::Reduce).all(|(_, r)| r.finish.unwrap() <= end));
                prop_assert!(path.legs.windows(2).all(|w| w[0].1.end == w[1].1.start));
            }
        }
    }
}
