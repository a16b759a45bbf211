//! The rules that class a job (Theia's Table 1), each tripped and just missed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::Reading;
use oddnode::diagnosis::cause::Cause;
use oddnode::diagnosis::job_class::{Class, classify};
use oddnode::diagnosis::kahuna_wb::KahunaWhiteBox;
use oddnode::diagnosis::theia::survey::bad_attempts;
use oddnode::diagnosis::theia::{Side, Survey, Theia};
use oddnode::diagnosis::verdict::{Finding, decide};
use oddnode::diagnosis::{
    Abstention, Comparison, Diagnosis, Indictment, Method, Params, Scope, Signal, Strength, Witness,
};
use oddnode::model::{
    Counters, Coverage, FileInfo, Flow, FlowKind, Job, JobStatus, Lanes, Node, Outcome, State, StateKind, States,
    TaskAttempt, TaskType, Trace,
};

fn job(number: u32, status: JobStatus, user: &str) -> Job {
    Job {
        user: Some(user.into()),
        submit: Some(Timestamp::from_millis(i64::from(number) * 1_000_000)),
        finish: Some(Timestamp::from_millis(i64::from(number) * 1_000_000 + 500_000)),
        ..Job::of(JobId { cluster: 1, number }, status)
    }
}

/// An attempt that starts with its job.
fn task(
    number: u32,
    letter: TaskLetter,
    task: u32,
    attempt: u32,
    node: u32,
    outcome: Outcome,
    seconds: i64,
) -> TaskAttempt {
    let start = Timestamp::from_millis(i64::from(number) * 1_000_000);
    TaskAttempt {
        node: Some(NodeId(node)),
        start: Some(start),
        finish: Some(start.plus_millis(seconds * 1000)),
        outcome: Some(outcome),
        counters: Counters {
            hdfs_read: Some(64_000_000).into(),
            shuffle: Some(10_000_000).into(),
            ..Counters::default()
        },
        ..TaskAttempt::of(
            AttemptId { job: JobId { cluster: 1, number }, letter, task, attempt },
            if letter == TaskLetter::Map { TaskType::Map } else { TaskType::Reduce },
            Place { file: FileId(0), line: u64::from(task) + 1 },
        )
    }
}

fn map(number: u32, id: u32, node: u32, outcome: Outcome, seconds: i64) -> TaskAttempt {
    task(number, TaskLetter::Map, id, 0, node, outcome, seconds)
}

fn trace(nodes: u32, jobs: Vec<Job>, mut tasks: Vec<TaskAttempt>) -> Trace {
    tasks.sort_by_key(|t| (t.id, t.node));
    Trace {
        nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
        jobs,
        tasks,
        ..Trace::default()
    }
}

fn class(trace: &Trace) -> Class {
    classify(trace)[0].class
}

const OK: Outcome = Outcome::Success;
const FAILED: Outcome = Outcome::Failed;

/// A job of 20 maps on ten nodes, of which these failed too.
fn with_failures(status: JobStatus, failures: impl IntoIterator<Item = TaskAttempt>) -> Trace {
    let maps = (0..20).map(|i| map(1, i, i % 10, OK, 20));
    trace(10, vec![job(1, status, "a")], maps.chain(failures).collect())
}

#[test]
fn task_that_failed_for_good_on_two_nodes_is_the_applications() {
    let failing = |nodes: [u32; 4]| {
        let attempt = |(k, node): (u32, u32)| task(1, TaskLetter::Reduce, 0, k, node, FAILED, 5);
        with_failures(JobStatus::Failed, (0..).zip(nodes).map(attempt))
    };
    let found = &classify(&failing([1, 2, 3, 4]))[0];
    assert_eq!(found.class, Class::Application);
    assert_eq!(found.rule, "task_1_0001_r_000000 failed 4 times on 4 nodes and the job with it");
    assert_ne!(class(&failing([3, 3, 3, 3])), Class::Application, "one node alone is not the application");
}

#[test]
fn task_that_fails_where_others_do_well_is_the_applications() {
    // All four tries on node 3, to which the two maps of before came to their end after the first try began, or did not.
    let on_one = |begin_ms: i64| {
        let mut tries: Vec<TaskAttempt> = (0..4).map(|k| task(1, TaskLetter::Map, 99, k, 3, FAILED, 5)).collect();
        for t in &mut tries {
            t.start = t.start.map(|start| start.plus_millis(begin_ms));
        }
        with_failures(JobStatus::Failed, tries)
    };
    let found = &classify(&on_one(0))[0];
    assert_eq!(found.class, Class::Application);
    assert_eq!(
        found.rule,
        "task_1_0001_m_000099 failed 4 times on a node that others succeeded on and the job with it"
    );
    assert_ne!(class(&on_one(1_000_000)), Class::Application, "it may have fallen ill since");
}

#[test]
fn killed_job_is_the_applications_if_a_task_failed_three_times_before() {
    let failing = |nodes: &[u32]| {
        let attempt = |(k, node): (u32, &u32)| task(1, TaskLetter::Reduce, 0, k, *node, FAILED, 5);
        let mut t = with_failures(JobStatus::Killed, (0..).zip(nodes).map(attempt));
        // Other reduces run well on all nodes, so that failures are not on most of them.
        t.tasks.extend((1..11).map(|i| task(1, TaskLetter::Reduce, i, 0, i - 1, OK, 5)));
        t.tasks.sort_by_key(|t| (t.id, t.node));
        classify(&t).remove(0)
    };
    let found = failing(&[1, 2, 2]);
    let rule = "task_1_0001_r_000000 failed 3 times on 2 nodes and succeeded nowhere until the job was killed";
    assert_eq!((found.class, found.rule.as_str()), (Class::Application, rule));
    assert_eq!(failing(&[1, 2]).class, Class::None, "the next try might have succeeded");
}

#[test]
fn error_that_blames_the_node_does_not_speak_of_the_application() {
    let mut t = with_failures(JobStatus::Failed, (0..4).map(|k| task(1, TaskLetter::Reduce, 0, k, k, FAILED, 5)));
    let mut of = |error: &str| {
        for t in t.tasks.iter_mut().filter(|t| t.outcome == Some(FAILED)) {
            t.error = Some(error.into());
        }
        class(&t)
    };
    for error in [
        "java.io.IOException: No space left on device",
        "Too many fetch-failures",
        "Too Many fetch failures.Failing the attempt",
        "Error initializing x: java.io.IOException: Mkdirs failed to create /hadoop/mapred/local/x",
        "1/1 local-dirs usable space is below configured utilization percentage/no more usable space [ /x ]",
        "Container released on a *lost* node",
        "Error: org.apache.hadoop.mapreduce.task.reduce.Shuffle$ShuffleError: error in shuffle in fetcher#5",
        "Error: java.net.ConnectException: Call From h3/10.0.0.3 to h1:9000 failed on connection exception: java.net.ConnectException: Connection refused",
        "java.io.IOException: Could not obtain block: blk_1_1001 file=/in",
        "org.apache.hadoop.fs.ChecksumException: Checksum error: /in at 512",
    ] {
        assert_eq!(of(error), Class::None, "{error}");
    }
    for error in ["java.lang.NumberFormatException: x", "AttemptID:x Timed out after 600 secs"] {
        assert_eq!(of(error), Class::Application, "{error}");
    }
}

#[test]
fn failures_on_most_nodes_count_if_they_are_many() {
    let on = |nodes: u32| {
        let failed = (0..nodes).map(|k| task(1, TaskLetter::Map, k, 9, k, FAILED, 5));
        class(&with_failures(JobStatus::Success, failed))
    };
    assert_eq!(on(6), Class::Application, "6 of 10 nodes, 6 of 26 attempts");
    assert_eq!(on(5), Class::None, "half of the nodes are not more than half");
    // The same six among ten times as many maps are ordinary.
    let maps = (0..200).map(|i| map(1, i, i % 10, OK, 20));
    let failed = (0..6).map(|k| task(1, TaskLetter::Map, k, 9, k, FAILED, 5));
    let t = trace(10, vec![job(1, JobStatus::Success, "a")], maps.chain(failed).collect());
    assert_eq!(class(&t), Class::None);
}

#[test]
fn failures_are_counted_among_nodes_of_the_same_phase() {
    // Maps ran well on ten nodes; the bug is in the reduces, which ran on three.
    let reduces = (0..3).map(|k| task(1, TaskLetter::Reduce, k, 0, k, FAILED, 5));
    let found = &classify(&with_failures(JobStatus::Killed, reduces))[0];
    assert_eq!(found.class, Class::Application);
    assert!(found.rule.contains("on 3 of the 3 nodes that ran reduces"), "{}", found.rule);
}

#[test]
fn job_that_failed_before_it_ran_has_no_node_to_blame() {
    let read = |status, tasks: Vec<TaskAttempt>, format: &str, path: &str| {
        let coverage = Coverage { format: Some(format.to_owned()), ..Coverage::default() };
        let file = FileInfo {
            path: path.to_owned(),
            node: None,
            daemon_last: None,
            last_line: 0,
            coverage,
            issues: Vec::new(),
        };
        Trace { files: vec![file], ..trace(3, vec![job(1, status, "a")], tasks) }
    };
    let own = format!("history/{}.jhist", job(1, JobStatus::Failed, "a").id);
    let at = |status| class(&read(status, Vec::new(), "jhist", &own));
    assert_eq!(at(JobStatus::Failed), Class::Application);
    let rule = |tasks| classify(&read(JobStatus::Failed, tasks, "jhist", "renamed")).remove(0).rule;
    assert_eq!(rule(Vec::new()), "the job failed, and no attempt of it is in its history");
    for (format, path) in [("job-summary", own.as_str()), ("jhist", "history/job_9_0009.jhist")] {
        assert_eq!(class(&read(JobStatus::Failed, Vec::new(), format, path)), Class::None, "{format} {path}");
    }
    let never = TaskAttempt { start: None, ..map(1, 0, 0, Outcome::Killed, 5) };
    assert_eq!(rule(vec![never]), "the job failed before any attempt of it ran");
    assert_eq!(at(JobStatus::Killed), Class::None);
    assert_eq!(at(JobStatus::Running), Class::None);
}

/// Twelve reduces of 10 MB and 20 s, and one of so much more.
fn one_large(bytes: i64, seconds: i64) -> Trace {
    let mut tasks: Vec<TaskAttempt> = (0..12).map(|i| task(1, TaskLetter::Reduce, i, 0, i % 4, OK, 20)).collect();
    let mut large = task(1, TaskLetter::Reduce, 12, 0, 1, OK, seconds);
    large.counters.shuffle = Some(bytes).into();
    tasks.push(large);
    trace(4, vec![job(1, JobStatus::Success, "a")], tasks)
}

#[test]
fn large_task_that_the_job_waits_for_is_skew() {
    assert_eq!(class(&one_large(40_000_000, 30)), Class::Skew);
    assert_eq!(class(&one_large(39_000_000, 30)), Class::None, "less than four times the median");
    assert_eq!(class(&one_large(40_000_000, 29)), Class::None, "less than 1.5 times its time");
    let mut t = one_large(40_000_000, 30);
    t.tasks[3].finish = t.tasks[3].finish.map(|at| at.plus_millis(9_000));
    assert_eq!(class(&t), Class::None, "another reduce ended a second before");
}

#[test]
fn a_task_with_half_of_all_data_that_ends_last_is_skew_however_fast() {
    // Twelve of 20 MB, and one of twice so many.
    let of = |megabytes: i64, seconds| {
        let mut t = one_large(megabytes * 1_000_000, seconds);
        t.tasks.iter_mut().for_each(|t| t.counters.shuffle = t.counters.shuffle.get().map(|bytes| bytes * 2).into());
        class(&t)
    };
    assert_eq!(of(121, 21), Class::Skew);
    assert_eq!(of(119, 21), Class::None, "less than half");
    assert_eq!(of(121, 20), Class::None, "nobody waits for it");
    assert_eq!(class(&one_large(121_000_000, 21)), Class::None, "less than two blocks, however they are spread");
}

/// The same, the large one killed with its job: what it fetched stands in transfers alone.
fn one_given_up(bytes: u64, seconds: i64) -> Trace {
    let mut t = one_large(0, seconds);
    let large = t.tasks.last_mut().unwrap();
    (large.outcome, large.counters) = (Some(Outcome::Killed), Counters::default());
    let reduce = Some(large.id);
    let fetched = |half: u32| Flow {
        kind: FlowKind::Shuffle,
        src: Some(half),
        dest: Some(1),
        start: large.start,
        end: large.start.unwrap().plus_millis(5_000),
        bytes: Some(bytes / 2),
        block: None,
        attempt: None,
        reduce,
        place: Place { file: FileId(0), line: 1 },
    };
    t.flows = Lanes::from_rows([fetched(0), fetched(2)]);
    t
}

#[test]
fn large_task_that_never_ended_is_skew_by_what_it_fetched() {
    assert_eq!(class(&one_given_up(40_000_000, 30)), Class::Skew);
    assert_eq!(class(&one_given_up(39_000_000, 30)), Class::None, "less than four times the median");
    assert_eq!(class(&one_given_up(0, 30)), Class::None, "nothing is known to have been fetched");
    let mut again = one_given_up(40_000_000, 30);
    again.tasks.push(task(1, TaskLetter::Reduce, 12, 1, 2, OK, 20));
    assert_eq!(class(&again), Class::None, "its rival ended, and fetched no more than the others");
}

#[test]
fn block_writes_while_a_job_waits_for_its_skewed_task_accuse_nobody() {
    let verdict = |node: u32, from_s: i64, to_s: i64| {
        let mut t = one_large(40_000_000, 300);
        let at = |s: i64| Timestamp::from_millis(1_000_000 + s * 1000);
        let write = State {
            start: Some(at(from_s)),
            outcome: Some(OK),
            ..State::of(StateKind::WriteBlock, Some(NodeId(node)), at(to_s), Place { file: FileId(0), line: 1 })
        };
        t.states = States::from_rows(vec![write]);
        let mut witness = Witness::new(Method::KahunaWb, Signal::States(StateKind::WriteBlock));
        witness.indicted.push(Indictment {
            node: NodeId(node),
            strength: Strength::Strong,
            score: 0.9,
            ratio: 9.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: None,
            until: None,
        });
        decide(&t, &[witness], &Params::default()).finding
    };
    // The skewed reduce runs on node 1 from 0 to 300 s, the others end after 20 s; what it did fades for a minute.
    assert_eq!(verdict(1, 0, 300), Finding::Clean, "its own");
    assert!(matches!(verdict(1, 0, 3_000), Finding::Indicted(_)), "mostly later");
    assert!(matches!(verdict(1, 400, 500), Finding::Indicted(_)));
    assert_eq!(verdict(2, 25, 300), Finding::Clean, "whoever takes its blocks");
    assert!(matches!(verdict(2, 0, 30), Finding::Indicted(_)), "while the others ran too");
}

/// Each of five nodes did one reduce of a job in 20 s, but one of it has four times the data and takes longer; the node that
/// has this was slower in other jobs, too, or as fast.
#[test]
fn a_node_whose_reduces_are_long_by_a_skewed_one_alone_is_not_accused() {
    let verdict = |others_s: &[i64]| {
        let mut tasks = Vec::new();
        for (number, own_s) in (1..).zip([60].iter().chain(others_s)) {
            let reduce =
                |node| task(number, TaskLetter::Reduce, node, 0, node, OK, if node == 1 { *own_s } else { 20 });
            tasks.extend((0..5).map(reduce));
        }
        tasks[1].counters.shuffle = Some(40_000_000).into();
        let state = |t: &TaskAttempt| State {
            start: t.start,
            job: Some(t.id.job),
            attempt: Some(t.id),
            outcome: t.outcome,
            ..State::of(StateKind::Reduce, t.node, t.finish.unwrap(), t.place)
        };
        let states = States::from_rows(tasks.iter().map(state).collect::<Vec<_>>());
        let jobs = (1..).zip(others_s).map(|(number, _)| job(number + 1, JobStatus::Success, "a"));
        let jobs = [job(1, JobStatus::Success, "a")].into_iter().chain(jobs).collect();
        let trace = Trace { states, ..trace(5, jobs, tasks) };
        let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
        let reduces = witnesses.iter().filter(|w| w.signal == Signal::States(StateKind::Reduce) && w.scope.is_all());
        assert_eq!(reduces.map(|w| w.indicted.len()).sum::<usize>(), 1, "its reduces are the longest: {others_s:?}");
        decide(&trace, &witnesses, &Params::default())
    };
    let alone = verdict(&[31]);
    assert_eq!(alone.finding, Finding::Clean);
    assert_eq!(alone.jobs[0].class, Class::Skew);
    let Finding::Indicted(culprits) = verdict(&[31, 45, 45]).finding else { panic!("it is slow without it, too") };
    assert_eq!(culprits.iter().map(|c| c.node).collect::<Vec<_>>(), [NodeId(1)]);
}

/// Whoever is at fault for a time spoils the jobs of that time.
#[test]
fn jobs_after_a_fault_that_has_passed_are_not_blamed_on_it() {
    let t = month(&[], 9);
    let of = |until: Option<i64>| {
        let mut witness = Witness::new(Method::KahunaBb, Signal::Levels);
        witness.indicted.push(Indictment {
            node: NodeId(4),
            strength: Strength::Strong,
            score: 4.0,
            ratio: 3.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: Some(Timestamp::from_millis(3_005_000)),
            until: until.map(Timestamp::from_millis),
        });
        let jobs = decide(&t, &[witness], &Params::default()).jobs;
        (1..).zip(jobs).filter(|(_, j)| j.class == Class::Infrastructure).map(|(i, _)| i).collect::<Vec<_>>()
    };
    assert_eq!(of(None), [3, 4, 5, 6, 7, 8, 9]);
    assert_eq!(of(Some(4_900_000)), [3, 4]);
}

/// A node that holds up transfers holds up jobs of which nothing ran there.
#[test]
fn jobs_whose_data_moved_through_a_node_are_blamed_on_it_where_transfers_accuse_it() {
    let mut t = month(&[], 6);
    t.tasks.retain(|t| t.node != Some(NodeId(4)));
    let moved = |number: u32, kind: FlowKind, src: u32, dest: u32| {
        let start = Timestamp::from_millis(i64::from(number) * 1_000_000 + 100_000);
        let attempt = AttemptId { job: JobId { cluster: 1, number }, letter: TaskLetter::Map, task: 0, attempt: 0 };
        Flow {
            kind,
            src: Some(src),
            dest: Some(dest),
            start: Some(start),
            end: start.plus_millis(30_000),
            bytes: Some(1_000_000),
            block: None,
            attempt: Some(attempt),
            reduce: None,
            place: Place { file: FileId(0), line: 1 },
        }
    };
    t.flows = Lanes::from_rows([
        moved(1, FlowKind::Shuffle, 4, 2),
        moved(2, FlowKind::Shuffle, 4, 2),
        moved(3, FlowKind::Read, 1, 4),
        moved(4, FlowKind::Write, 4, 4),
        moved(5, FlowKind::Shuffle, 1, 2),
        moved(6, FlowKind::Write, 0, 4),
    ]);
    let of_jobs = |method, signal, scope: Scope, until: Option<i64>| {
        let mut witness = Witness { scope, ..Witness::new(method, signal) };
        witness.indicted.push(Indictment {
            node: NodeId(4),
            strength: Strength::Strong,
            score: 4.0,
            ratio: 5.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: Some(Timestamp::from_millis(1_500_000)),
            until: until.map(Timestamp::from_millis),
        });
        let verdict = decide(&t, &[witness], &Params::default());
        let Finding::Indicted(culprits) = verdict.finding else { panic!("{:?}", verdict.finding) };
        let ill = (1..).zip(verdict.jobs).filter(|(_, j)| j.class == Class::Infrastructure);
        let ill: Vec<i32> = ill.inspect(|(_, j)| assert_eq!(j.rule, MOVED)).map(|(i, _)| i).collect();
        (culprits[0].rule.cause(), ill)
    };
    let of = |method, signal, until| of_jobs(method, signal, Scope::default(), until);
    const MOVED: &str = "its data moved from or to h4, which is at fault";
    let shuffle = Signal::Transfers(FlowKind::Shuffle);
    assert_eq!(of(Method::Flows, shuffle, None), (Cause::Network, vec![2, 3, 4, 6]));
    assert_eq!(of(Method::Flows, shuffle, Some(4_500_000)), (Cause::Network, vec![2, 3, 4]), "it has passed");
    let writes = Signal::States(StateKind::WriteBlock);
    assert_eq!(of(Method::KahunaWb, writes, None), (Cause::Disk, vec![4, 6]), "the network is well");
    let sixth = Scope::of_job(JobId { cluster: 1, number: 6 });
    assert_eq!(
        of_jobs(Method::KahunaWb, writes, sixth, None),
        (Cause::Disk, vec![6]),
        "in other jobs they were not slow"
    );
    assert_eq!(of(Method::KahunaBb, Signal::Levels, None).1, [0; 0], "no word of transfers");
}

#[test]
fn mixture_of_large_and_small_files_is_not_skew() {
    let size = |i: u32| [5, 40, 5, 40, 6, 5, 45, 5][i as usize % 8] * 1_000_000;
    let maps = (0..32).map(|i| {
        let mut t = map(1, i, i % 4, OK, 5 + size(i) / 2_000_000);
        t.counters.hdfs_read = Some(size(i)).into();
        t
    });
    assert_eq!(class(&trace(4, vec![job(1, JobStatus::Success, "a")], maps.collect())), Class::None);
}

#[test]
fn one_node_that_spoils_one_job_badly_is_infrastructure() {
    let spoiled = |bad: u32, elsewhere: u32| {
        let maps = (0..40).map(|i| map(1, i, i % 10, if i % 10 == 3 && i / 10 < bad { FAILED } else { OK }, 20));
        let others = (0..elsewhere).map(|k| task(1, TaskLetter::Map, k, 5, 7, FAILED, 5));
        class(&trace(10, vec![job(1, JobStatus::Success, "a")], maps.chain(others).collect()))
    };
    assert_eq!(spoiled(4, 0), Class::Infrastructure);
    assert_eq!(spoiled(4, 1), Class::Infrastructure);
    assert_eq!(spoiled(3, 0), Class::None, "three are not four");
    assert_eq!(spoiled(4, 2), Class::None, "another node has half as many");
}

/// Jobs of 24 maps on six nodes, 20 s each; on node 4 those of the jobs given take 50 s.
fn month(slow: &[u32], jobs: u32) -> Trace {
    let maps = (1..=jobs).flat_map(|number| {
        (0..24).map(move |i| {
            let long = i % 6 == 4 && slow.contains(&number);
            map(number, i, i % 6, OK, if long { 50 } else { 20 })
        })
    });
    let users = ["ann", "bob"];
    let jobs = (1..=jobs).map(|n| job(n, JobStatus::Success, users[n as usize % 2]));
    trace(6, jobs.collect(), maps.collect())
}

#[test]
fn node_that_is_slow_in_job_after_job_is_accused_and_its_jobs_named() {
    let t = month(&[5, 6, 7], 20);
    let witnesses = Theia.run(&t, &Params::default());
    assert_eq!(witnesses.len(), 1);
    let word = &witnesses[0].indicted[0];
    assert_eq!((word.node, word.strength), (NodeId(4), Strength::Strong));
    assert_eq!(word.since, Some(Timestamp::from_millis(5_000_000)));
    assert_eq!(
        word.text,
        "12 of 12 attempts on h4 were slow or failed, in 3 jobs of 2 users; 0.0 % of those on its peers in the same jobs"
    );
    assert_eq!(word.lines.len(), 5);
    let Some(Comparison::Jobs(incidents)) = &witnesses[0].comparison else { panic!("incidents") };
    assert_eq!(incidents[0].span.1, Timestamp::from_millis(7_500_000));
    let classes: Vec<Class> = decide(&t, &witnesses, &Params::default()).jobs.iter().map(|j| j.class).collect();
    let infrastructure: Vec<usize> = (0..20).filter(|i| classes[*i] == Class::Infrastructure).map(|i| i + 1).collect();
    assert_eq!(infrastructure, [5, 6, 7], "the others ran on that node too and did not suffer");
    assert_eq!(word.until, Some(Timestamp::from_millis(7_500_000)), "thirteen jobs since");
    let to_the_last = Theia.run(&month(&[18, 19, 20], 20), &Params::default());
    assert_eq!(to_the_last[0].indicted[0].until, None);
}

/// Of three or four nodes one that is sick in all its attempts is a third or a quarter of all: the others' peers go wrong
/// too often to tell anything of these, and are compared still.
#[test]
fn node_that_is_always_slow_is_accused_among_three() {
    let of = |nodes: u32, seconds: [i64; 2]| {
        let maps = (1..=12).flat_map(|number| (0..4 * nodes).map(move |i| (number, i)));
        let of_node = |node: u32| seconds[usize::from(node == 2)];
        let maps = maps.map(|(number, i)| map(number, i, i % nodes, OK, of_node(i % nodes)));
        let jobs = (1..=12).map(|number| job(number, JobStatus::Success, "ann"));
        Theia.run(&trace(nodes, jobs.collect(), maps.collect()), &Params::default()).remove(0)
    };
    for nodes in [3, 4, 6] {
        let witness = of(nodes, [20, 50]);
        assert_eq!(witness.abstained, None, "{nodes} nodes");
        assert_eq!(witness.indicted.iter().map(|i| i.node).collect::<Vec<_>>(), [NodeId(2)], "{nodes} nodes");
        assert_eq!(witness.scores.len(), nodes as usize, "all were compared");
        assert!(of(nodes, [20, 20]).indicted.is_empty());
    }
}

#[test]
fn two_jobs_are_a_moderate_word_and_one_is_none() {
    let strengths = |slow: &[u32]| {
        let witnesses = Theia.run(&month(slow, 20), &Params::default());
        witnesses[0].indicted.iter().map(|i| i.strength).collect::<Vec<_>>()
    };
    assert_eq!(strengths(&[5, 6]), [Strength::Moderate]);
    assert_eq!(strengths(&[5]), []);
    assert_eq!(strengths(&[]), []);
}

#[test]
fn mild_trouble_in_many_jobs_is_still_the_nodes() {
    // Two of its four maps a job: no job alone would be claimed.
    let mut t = month(&[], 12);
    for task in t.tasks.iter_mut().filter(|t| t.node == Some(NodeId(4)) && t.id.task < 12) {
        task.finish = task.start.map(|at| at.plus_millis(60_000));
    }
    assert!(classify(&t).iter().all(|j| j.class == Class::None));
    let witnesses = Theia.run(&t, &Params::default());
    assert_eq!(witnesses[0].indicted[0].strength, Strength::Strong);
    assert!(decide(&t, &witnesses, &Params::default()).jobs.iter().all(|j| j.class == Class::Infrastructure));
}

#[test]
fn task_with_more_data_is_not_slow() {
    let mut t = month(&[5, 6, 7, 8], 12);
    for task in t.tasks.iter_mut().filter(|t| t.node == Some(NodeId(4))) {
        task.counters.hdfs_read = Some(3 * 64_000_000).into();
    }
    assert!(Theia.run(&t, &Params::default())[0].indicted.is_empty());
}

#[test]
fn what_cannot_be_compared_abstains() {
    let why = |t: &Trace| Theia.run(t, &Params::default()).first().and_then(|w| w.abstained);
    assert_eq!(why(&month(&[], 1)), Some(Abstention::TooFewData));
    let mut two = month(&[5, 6, 7], 12);
    two.nodes.iter_mut().skip(2).for_each(|n| n.is_peer = false);
    assert_eq!(why(&two), Some(Abstention::NoPeers));
    assert!(Theia.run(&Trace::default(), &Params::default()).is_empty());
}

#[test]
fn survey_counts_what_each_node_did() {
    let mut t = month(&[2], 2);
    t.tasks[1].outcome = Some(Outcome::Killed);
    t.tasks[2].outcome = Some(FAILED);
    let peers: Vec<NodeId> = t.peer_nodes().collect();
    let survey = Survey::of(&t, &peers, Reading::Usual);
    assert_eq!(survey.jobs().len(), 2);
    let works = survey.works(0);
    assert_eq!(works.len(), 6);
    assert!(works.iter().all(|w| w.side == Side::Map && w.attempts() == 4));
    assert_eq!((works[1].killed, works[1].tried, works[1].bad), (1, 3, 0), "killed before it was slow");
    assert_eq!((works[2].failed, works[2].tried, works[2].bad), (1, 4, 1));
    assert_eq!((works[2].failure_ratio(), works[1].killed_ratio()), (1.0 / 3.0, 1.0 / 3.0));
    assert_eq!((works[0].time_ms, works[0].bytes), (80_000, 4 * 64_000_000));
    let cell = |index, node| survey.cell(index, NodeId(node)).flatten();
    assert_eq!(cell(1, 4), Some(1.0), "the only factor that varies is its duration");
    assert_eq!(survey.cell(1, NodeId(9)), None, "it ran nothing");
}

#[test]
fn what_failed_before_it_began_counts_as_failed_and_has_no_time() {
    let mut t = month(&[2], 2);
    let peers: Vec<NodeId> = t.peer_nodes().collect();
    let of_third = t.tasks.iter().position(|task| task.node == Some(NodeId(2))).unwrap();
    t.tasks[of_third].outcome = Some(FAILED);
    t.tasks[of_third].start = None;
    let works = |t: &Trace| Survey::of(t, &peers, Reading::Usual).works(0).to_vec();
    let work = works(&t)[2];
    assert_eq!((work.attempts(), work.failed, work.tried, work.bad, work.timed), (4, 1, 4, 1, 3));
    assert_eq!(work.mean_ms(), works(&t)[0].mean_ms(), "its others took as long as anywhere");
    let job = t.tasks[of_third].id.job;
    assert_eq!(bad_attempts(&t, job, NodeId(2)).len(), 1);
    // All that it was given.
    for task in t.tasks.iter_mut().filter(|task| task.id.job == job && task.node == Some(NodeId(2))) {
        (task.outcome, task.start) = (Some(FAILED), None);
    }
    let work = works(&t)[2];
    assert_eq!((work.failed, work.timed, work.mean_ms(), work.scored.z[0]), (4, 0, None, None));
    assert_eq!(work.failure_ratio(), 8.0);
    // What was taken away before it began tells nothing.
    t.tasks
        .iter_mut()
        .filter(|task| task.outcome == Some(FAILED))
        .for_each(|task| task.outcome = Some(Outcome::Killed));
    assert!(works(&t).iter().all(|work| work.node != NodeId(2)));
}
