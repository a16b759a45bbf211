//! Verdicts: who is named, who is excused, and what is the application's.

use super::{FAST, FAST_2, JOB, SLOW, attempt, cluster, complaint, signal, task, with_job};
use oddnode::base::{AttemptId, Code, JobId, NodeId, TaskLetter, Timestamp};
use oddnode::diagnosis::cause::Cause;
use oddnode::diagnosis::job_class::{Class, classify};
use oddnode::diagnosis::kahuna_bb::{NodeProfile, SystemComparison};
use oddnode::diagnosis::kahuna_wb::KahunaWhiteBox;
use oddnode::diagnosis::slow_warnings::SlowWarnings;
use oddnode::diagnosis::verdict::{Finding, Reason, decide};
use oddnode::diagnosis::{Comparison, Diagnosis, Indictment, Method, Params, Signal, Strength, Threshold, Witness};
use oddnode::model::{
    Complaint, ComplaintKind, Coverage, Job, JobStatus, Outcome, State, StateKind, States, TaskAttempt, Trace,
};

#[test]
fn verdict_names_the_slow_node() {
    let trace = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]);
    let v = decide(&trace, &KahunaWhiteBox.run(&trace, &Params::default()), &Params::default());
    let Finding::Indicted(culprits) = v.finding else { panic!("{:?}", v.finding) };
    assert_eq!(culprits.len(), 1);
    // Slow maps alone have any cause; so they have beside block writes that are known and not slow: a disk may be slow to read.
    assert_eq!((culprits[0].node, culprits[0].rule.cause()), (NodeId(2), Cause::Unknown));
    let mut rows: Vec<State> = trace.states.iter().collect();
    rows.extend(cluster(StateKind::WriteBlock, &[FAST; 5]).states.iter());
    let both = Trace { states: States::from_rows(rows), ..trace };
    let Finding::Indicted(known) =
        decide(&both, &KahunaWhiteBox.run(&both, &Params::default()), &Params::default()).finding
    else {
        panic!()
    };
    assert_eq!((known[0].node, known[0].rule.cause()), (NodeId(2), Cause::Unknown));
    assert!(culprits[0].sureness > 0.85 && culprits[0].sureness <= 0.99);
}

#[test]
fn no_verdict_has_its_reason() {
    let reason = |trace: &Trace| match decide(trace, &KahunaWhiteBox.run(trace, &Params::default()), &Params::default())
        .finding
    {
        Finding::None(reason) => Some(reason),
        _ => None,
    };
    let one: &[f64] = &[10.0];
    assert_eq!(reason(&Trace::default()), Some(Reason::NoLogs));
    assert_eq!(reason(&cluster(StateKind::Map, &[])), Some(Reason::Idle));
    // Nobody knows what is in logs that were not read.
    let mut unread = cluster(StateKind::Map, &[]);
    let mut log = unread.files[0].clone();
    let why = Some(Code::UnreadLog.about().text.to_owned());
    log.coverage = Coverage { file: "x".into(), lines: 1_000_000, why, ..Coverage::default() };
    unread.files.push(log);
    assert_eq!(reason(&unread), Some(Reason::NoLogs));
    assert_eq!(reason(&cluster(StateKind::Map, &[FAST, SLOW])), Some(Reason::NoPeers));
    assert_eq!(reason(&cluster(StateKind::Map, &[one, one, one])), Some(Reason::TooFewData));
    assert_eq!(reason(&cluster(StateKind::Map, &[FAST, FAST, FAST_2])), None);
    // Two nodes of four are slow: nobody is the odd one.
    let half = cluster(StateKind::Map, &[FAST, FAST_2, SLOW, SLOW]);
    let fixed = Params { threshold: Threshold::Fixed(0.5), ..Params::default() };
    let v = decide(&half, &KahunaWhiteBox.run(&half, &fixed), &Params::default());
    assert_eq!(v.finding, Finding::None(Reason::NoMajority));
}

#[test]
fn job_that_fails_everywhere_is_the_applications() {
    let tasks = (0..5).map(|i| task(TaskLetter::Map, i, i as u32, Outcome::Failed, 4, 5)).collect();
    let trace = with_job(cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]), JobStatus::Failed, tasks);
    let witnesses = KahunaWhiteBox.run(&trace, &Params::default());
    let v = decide(&trace, &witnesses, &Params::default());
    assert_eq!(v.jobs[0].class, Class::Application);
    assert_eq!(v.finding, Finding::Clean, "slow tasks of a failing application accuse nobody");
}

#[test]
fn failures_on_one_node_are_not_the_applications() {
    let tasks = (0..5).map(|i| task(TaskLetter::Map, i, 2, Outcome::Failed, 4, 5)).collect();
    let trace = with_job(cluster(StateKind::Map, &[FAST, FAST_2, SLOW, FAST, FAST_2]), JobStatus::Success, tasks);
    let v = decide(&trace, &KahunaWhiteBox.run(&trace, &Params::default()), &Params::default());
    assert!(matches!(v.finding, Finding::Indicted(_)));
    assert_eq!(v.jobs[0].class, Class::Infrastructure);
}

#[test]
fn job_whose_maps_were_lost_with_a_node_suffered_from_it() {
    let class = |error: Option<&str>| {
        let done = TaskAttempt { error: error.map(Into::into), ..task(TaskLetter::Map, 0, 2, Outcome::Killed, 4, 10) };
        let mut trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST, FAST]), JobStatus::Success, vec![done]);
        let at = Timestamp::from_millis(400_000);
        trace.complaints.push(Complaint { kind: ComplaintKind::LostNode, by: Some(NodeId(0)), at, ..complaint(2) });
        let v = decide(&trace, &SlowWarnings.run(&trace, &Params::default()), &Params::default());
        let Finding::Indicted(culprits) = &v.finding else { panic!("{:?}", v.finding) };
        assert!(culprits[0].since > trace.tasks[0].finish, "{:?}", culprits[0].since);
        v.jobs[0].class
    };
    assert_eq!(class(Some("TaskAttempt killed because it ran on unusable node h2:45454")), Class::Infrastructure);
    assert_eq!(class(None), Class::None, "it had ended before");
}

#[test]
fn attempts_that_were_outrun_are_told_of_a_job_without_trouble() {
    let mut tasks: Vec<TaskAttempt> =
        (0..6).map(|i| task(TaskLetter::Map, i, i as u32 % 3, Outcome::Success, 4, 10)).collect();
    let rule = |tasks: &[TaskAttempt]| {
        let mut tasks = tasks.to_vec();
        tasks.sort_by_key(|t| t.id);
        let classes = classify(&with_job(cluster(StateKind::Map, &[FAST, FAST, FAST]), JobStatus::Success, tasks));
        assert_eq!(classes[0].class, Class::None);
        classes[0].rule.clone()
    };
    assert_eq!(rule(&tasks), "no rule fired");
    for number in [6, 7] {
        tasks.push(task(TaskLetter::Map, number, 1, Outcome::Killed, 4, 60));
        let rival = task(TaskLetter::Map, number, 2, Outcome::Success, 4, 60);
        let id = AttemptId { attempt: 1, ..rival.id };
        tasks.push(TaskAttempt { id, start: Some(Timestamp::from_millis(50_000)), ..rival });
    }
    assert_eq!(rule(&tasks), "no rule fired; 2 Maps of it were outrun by speculative attempts");
    assert_eq!(rule(&tasks[..8]), "no rule fired; 1 Map of it was outrun by a speculative attempt");
}

#[test]
fn task_with_far_more_data_is_skewed() {
    let mut tasks: Vec<_> = (0..5).map(|i| task(TaskLetter::Reduce, i, i as u32, Outcome::Success, 10, 20)).collect();
    tasks.push(task(TaskLetter::Reduce, 5, 1, Outcome::Success, 70, 90));
    let trace = with_job(cluster(StateKind::Reduce, &[FAST; 5]), JobStatus::Success, tasks);
    let class = &classify(&trace)[0];
    assert_eq!(class.class, Class::Skew);
    assert_eq!(class.skewed, Some((attempt(TaskLetter::Reduce, 5), NodeId(1))));
    assert!(class.rule.contains("70.0 MB"), "{}", class.rule);
}

#[test]
fn metrics_that_are_odd_while_a_skewed_task_runs_accuse_nobody() {
    let mut tasks: Vec<_> = (0..5).map(|i| task(TaskLetter::Reduce, i, i as u32, Outcome::Success, 10, 20)).collect();
    tasks.push(task(TaskLetter::Reduce, 5, 1, Outcome::Success, 70, 90));
    let mut trace = with_job(cluster(StateKind::Reduce, &[FAST; 5]), JobStatus::Success, tasks);
    // Another job ran there too, so the skewed one does not excuse the node altogether.
    let other = JobId { number: 2, ..JOB };
    trace.jobs.push(Job { id: other, ..trace.jobs[0].clone() });
    let mut small = task(TaskLetter::Map, 0, 1, Outcome::Success, 10, 20);
    small.id.job = other;
    trace.tasks.push(small);
    let verdict = |from: i64, to: i64| {
        let scores = (0..400).map(|second| Some(if (from..to).contains(&second) { 0.9 } else { 0.1 })).collect();
        let own = SystemComparison {
            nodes: vec![NodeProfile { node: NodeId(1), scores, ..NodeProfile::default() }],
            period_ms: 1000,
            stride: 1,
            window: 60,
            share: 0.6,
            ..SystemComparison::default()
        };
        let mut witness = Witness::new(Method::KahunaBb, Signal::OwnProfiles);
        witness.threshold = Some(0.45);
        witness.comparison = Some(Comparison::System(Box::new(own)));
        witness.indicted.push(Indictment {
            node: NodeId(1),
            strength: Strength::Strong,
            score: 0.9,
            ratio: 2.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: None,
            until: None,
        });
        decide(&trace, &[witness], &Params::default()).finding
    };
    // The skewed task ran for 90 s; what it did fades for a minute more.
    assert_eq!(verdict(20, 150), Finding::Clean);
    assert!(matches!(verdict(140, 260), Finding::Indicted(_)));
    assert!(matches!(verdict(20, 360), Finding::Indicted(_)), "most of it is not explained");
}

#[test]
fn complaints_of_a_job_that_fails_everywhere_are_its_own() {
    // That job's attempts failed on every node, and another's did well on all of them.
    let well = JobId { number: JOB.number + 1, ..JOB };
    let mut tasks: Vec<TaskAttempt> =
        (0..5).map(|i| task(TaskLetter::Map, i, i as u32, Outcome::Failed, 4, 5)).collect();
    tasks.extend((0..5).map(|i| {
        let t = task(TaskLetter::Map, i, i as u32, Outcome::Success, 4, 5);
        TaskAttempt { id: AttemptId { job: well, ..t.id }, ..t }
    }));
    tasks.sort_by_key(|t| t.id);
    let mut trace = with_job(cluster(StateKind::Map, &[FAST, FAST, FAST, FAST, FAST]), JobStatus::Failed, tasks);
    let job = Job { id: well, status: JobStatus::Success, ..trace.jobs[0].clone() };
    trace.jobs.push(job);
    let excused = |trace: &Trace| {
        let witnesses = SlowWarnings.run(trace, &Params::default());
        assert!(witnesses.iter().any(|w| w.indicted.iter().any(|i| i.node == NodeId(1))), "{witnesses:?}");
        let v = decide(trace, &witnesses, &Params::default());
        v.excused.iter().map(|(_, node)| *node).collect::<Vec<_>>()
    };
    let blacklisted = |job: JobId| Complaint { kind: ComplaintKind::Blacklisted, job: Some(job), ..complaint(1) };
    trace.complaints = vec![blacklisted(JOB)];
    assert_eq!(excused(&trace), [NodeId(1)]);
    trace.complaints = vec![blacklisted(JOB), blacklisted(well)];
    assert_eq!(excused(&trace), [], "one is of a job that did well");
    trace.complaints = vec![Complaint { job: None, ..blacklisted(JOB) }];
    assert_eq!(excused(&trace), [], "nobody tells whose it is");
}

#[test]
fn a_node_is_at_fault_since_the_first_word_that_tells_a_begin() {
    use Strength::{Moderate, Strong};
    let since = |words: &[(&str, Strength, i64)]| {
        let words = words.iter().map(|(name, strength, at)| (signal(name), *strength, Some(*at)));
        oddnode::diagnosis::verdict::since(words)
    };
    assert_eq!(since(&[("Map", Moderate, 1), ("write", Strong, 5), ("levels", Moderate, 4)]), Some(1));
    assert_eq!(since(&[("Map", Moderate, 1), ("write", Strong, 5), ("levels", Strong, 4)]), Some(4), "to the second");
    assert_eq!(since(&[("fetch-failed", Moderate, 1), ("Map", Moderate, 5), ("shuffle", Moderate, 6)]), Some(5));
    assert_eq!(since(&[("fetch-failed", Moderate, 2), ("blacklisted", Moderate, 1)]), Some(1));
    assert_eq!(since(&[("paused", Moderate, 1), ("lost-node", Strong, 5)]), Some(1), "it tells its begin");
    assert_eq!(since(&[]), None);
}

#[test]
fn a_fault_has_passed_where_all_words_have() {
    use Strength::{Moderate, Strong};
    let until = |words: &[(&str, Strength, Option<i64>)]| {
        let words = words.iter().map(|(name, strength, at)| (signal(name), *strength, *at));
        oddnode::diagnosis::verdict::until(words)
    };
    assert_eq!(until(&[("Map", Strong, Some(5)), ("write", Moderate, Some(7))]), Some(7));
    assert_eq!(until(&[("Map", Strong, Some(5)), ("stuck", Moderate, None)]), None);
    assert_eq!(until(&[("levels", Strong, Some(4)), ("Map", Moderate, Some(7))]), Some(4), "to the second");
    assert_eq!(
        until(&[("levels", Strong, Some(4)), ("profiles of these logs", Strong, Some(9))]),
        Some(4),
        "it remembers"
    );
    assert_eq!(until(&[("profiles of these logs", Strong, Some(9))]), Some(9));
    assert_eq!(until(&[]), None);
}
