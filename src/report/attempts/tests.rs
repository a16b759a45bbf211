use super::*;
use crate::base::FileId;
use crate::model::Count;

fn at(ms: i64) -> Option<Timestamp> {
    Some(Timestamp::from_millis(ms))
}

fn id(job: u32, letter: TaskLetter, task: u32) -> AttemptId {
    AttemptId { job: JobId { cluster: 202_611_202_124, number: job }, letter, task, attempt: 0 }
}

fn task(id: AttemptId, node: Option<u32>, start: Option<i64>, finish: Option<i64>) -> TaskAttempt {
    TaskAttempt {
        node: node.map(NodeId),
        start: start.and_then(at),
        finish: finish.and_then(at),
        outcome: finish.map(|_| Outcome::Success),
        counters: Counters { hdfs_read: Some(3 << 20).into(), file_written: Some(7).into(), ..Counters::default() },
        ..TaskAttempt::of(
            id,
            if id.letter == TaskLetter::Reduce { TaskType::Reduce } else { TaskType::Map },
            Place { file: FileId(3), line: 9 },
        )
    }
}

/// Two jobs on three nodes that are compared and one that is not; the last attempt still runs.
fn trace() -> Trace {
    let node = |name: &str, is_peer| Node { name: name.to_owned(), is_peer };
    let state = |kind, node, task, times| State {
        attempt: Some(id(1, if kind == StateKind::Map { TaskLetter::Map } else { TaskLetter::Reduce }, task)),
        outcome: Some(Outcome::Success),
        ..State::made(kind, NodeId(node), times, 7)
    };
    let running = State {
        attempt: Some(id(2, TaskLetter::Map, 0)),
        outcome: None,
        open: true,
        node: None,
        ..State::made(StateKind::Map, NodeId(0), (2_600, 10_000), 8)
    };
    let mut setup = task(id(1, TaskLetter::Map, 9), Some(1), Some(900), Some(950));
    setup.task_type = TaskType::Setup;
    let mut failed = task(id(1, TaskLetter::Map, 1), Some(2), None, Some(1_800));
    failed.outcome = Some(Outcome::Failed);
    Trace {
        nodes: vec![node("edge", false), node("h1", true), node("h2", true), node("h3", true), node("idle", false)],
        jobs: vec![
            job(id(1, TaskLetter::Map, 0).job, [Some(900), Some(9_000)], 1),
            job(id(2, TaskLetter::Map, 0).job, [Some(2_000), None], 0),
        ],
        tasks: vec![
            task(id(1, TaskLetter::Map, 0), Some(1), Some(1_000), Some(2_000)),
            failed,
            setup,
            task(id(1, TaskLetter::Reduce, 0), Some(0), Some(1_500), Some(9_000)),
            task(id(2, TaskLetter::Map, 0), None, Some(2_500), None),
        ],
        complaints: vec![
            Complaint::blacklisting(NodeId(3), Some(id(1, TaskLetter::Map, 0).job), Timestamp::from_millis(1_200)),
            Complaint::blacklisting(NodeId(2), None, Timestamp::from_millis(1_300)),
        ],
        states: States::from_rows([
            state(StateKind::Map, 1, 0, (1_200, 1_900)),
            running,
            state(StateKind::Reduce, 0, 0, (1_400, 9_100)),
        ]),
        span: at(0).zip(at(10_000)),
        ..Trace::default()
    }
}

fn told(t: &TaskAttempt, trace: &Trace) -> (String, Option<String>, Option<Timestamp>, Option<Timestamp>, u64) {
    let node = t.node.map(|node| trace.node_name(node).to_owned());
    (format!("{} {:?} {:?}", t.id, t.task_type, t.outcome), node, t.start, t.finish, bytes_of(t))
}

#[test]
fn trace_comes_back_as_far_as_figures_look_at_it() {
    let trace = trace();
    let figure = of(&trace).unwrap();
    assert_eq!(figure.nodes, ["h1", "h2", "h3", "edge"], "those that are compared, then others with an attempt");
    let back = figure.trace(TimeZone::Unknown).unwrap();
    let shown = trace.tasks.iter().filter(|t| t.task_type != TaskType::Setup);
    let expected: Vec<_> = shown.map(|t| told(t, &trace)).collect();
    assert_eq!(back.tasks.iter().map(|t| told(t, &back)).collect::<Vec<_>>(), expected);
    assert_eq!(
        (back.jobs.clone(), back.zone(), back.span),
        (trace.jobs.clone(), TimeZone::Unknown, at(10_000).zip(at(10_000)))
    );
    let peers: Vec<&str> = back.peer_nodes().map(|node| back.node_name(node)).collect();
    assert_eq!(peers, ["h1", "h2", "h3"]);
    let banned: Vec<_> =
        back.complaints.iter().map(|c| (c.of.map(|n| back.node_name(n)), c.job, c.at.millis())).collect();
    assert_eq!(banned, [(Some("h3"), Some(trace.jobs[0].id), 1_200), (Some("h2"), None, 1_300)]);
    // The failed Map never began, so it has no state; the last one runs until the logs' end.
    let states: Vec<_> = back.states.iter().map(|s| (s.start.unwrap().millis(), s.end.millis(), s.open)).collect();
    assert_eq!(
        states,
        [(2_600, 10_000, true), (1_200, 1_900, false), (1_400, 9_100, false)],
        "in order of kind and node"
    );
}

#[test]
fn order_of_the_nodes_is_that_of_their_names() {
    let mut figure = of(&trace()).unwrap();
    let told_of = |figure: &AttemptsFigure| {
        let back = figure.trace(TimeZone::Utc).unwrap();
        let tasks: Vec<_> = back.tasks.iter().map(|t| told(t, &back)).collect();
        let mut banned: Vec<_> = back.complaints.iter().map(|c| back.node_name(c.of.unwrap()).to_owned()).collect();
        banned.sort();
        (tasks, banned)
    };
    figure.nodes = ["n3", "n1", "n2", "a"].map(String::from).to_vec();
    let before = told_of(&figure);
    figure.sort_by_name();
    assert_eq!(figure.nodes, ["n1", "n2", "n3", "a"], "those that are compared stay first");
    assert_eq!(told_of(&figure), before);
}

#[test]
fn numbers_of_outcomes_and_statuses_are_a_contract() {
    assert!(Outcome::ALL.iter().enumerate().all(|(i, outcome)| *outcome as usize == i));
    assert!(JobStatus::ALL.iter().enumerate().all(|(i, status)| *status as usize == i));
}

#[test]
fn figure_of_its_own_trace_is_itself() {
    let figure = AttemptsFigure { flow: None, ..of(&trace()).unwrap() };
    let again = of(&figure.trace(TimeZone::Utc).unwrap()).unwrap();
    assert_eq!(AttemptsFigure { flow: None, ..again }, figure);
}

#[test]
fn pseudonyms_stand_in_an_order_of_their_own() {
    let mut figure = of(&trace()).unwrap();
    figure.jobs = vec![String::from("job-02"), String::from("job-01")];
    let back = figure.trace(TimeZone::Utc).unwrap();
    let ids: Vec<String> = back.tasks.iter().map(|t| t.id.to_string()).collect();
    assert_eq!(
        ids,
        ["attempt-01_m_000000_0", "attempt-02_m_000000_0", "attempt-02_m_000001_0", "attempt-02_r_000000_0"]
    );
    assert!(ids.iter().all(|id| back.task(AttemptId::named(id.as_bytes()).unwrap()).is_some()));
    assert_eq!(back.jobs.iter().map(|job| job.status).collect::<Vec<_>>(), [JobStatus::Running, JobStatus::Success]);
}

/// Logs without a history of a master that was restarted.
#[test]
fn id_that_comes_twice_stays_twice() {
    let mut trace = trace();
    let again = TaskAttempt { node: Some(NodeId(2)), ..trace.tasks[0].clone() };
    trace.tasks.insert(1, again);
    let back = of(&trace).unwrap().trace(TimeZone::Utc).unwrap();
    let nodes: Vec<_> = back.tasks.iter().filter(|t| t.id == trace.tasks[0].id).map(|t| t.node).collect();
    assert_eq!(nodes, [Some(NodeId(0)), Some(NodeId(1))], "h1 and h2 are the first of the figure");
}

#[test]
fn more_than_a_report_has_room_for_are_none() {
    let mut many = trace();
    let tasks = |n: usize| {
        let of = |i: usize| task(id(1, TaskLetter::Map, u32::try_from(i).unwrap()), Some(1), Some(0), Some(1));
        (0..n).map(of).collect::<Vec<_>>()
    };
    many.tasks = tasks(MOST_ATTEMPTS);
    assert_eq!(of(&many).map(|f| f.job.len()), Some(MOST_ATTEMPTS));
    many.tasks = tasks(MOST_ATTEMPTS + 1);
    assert_eq!(of(&many), None);
    many.tasks.clear();
    assert_eq!(of(&many), None);
}

#[test]
fn figure_that_does_not_fit_together_is_none() {
    let figure = of(&trace()).unwrap();
    for lie in [
        AttemptsFigure { bytes: vec![1], ..figure.clone() },
        AttemptsFigure { statuses: vec![], ..figure.clone() },
        AttemptsFigure { compared: 9, ..figure.clone() },
        AttemptsFigure { job: vec![7; 4], ..figure.clone() },
        AttemptsFigure { blacklisted: vec![(0, 0, 0); MOST_BLACKLISTED + 1], ..figure.clone() },
        AttemptsFigure { jobs: vec![String::from("job-01"); 2], ..figure.clone() },
        AttemptsFigure { jobs: vec![String::from("a job"), String::from("another")], ..figure.clone() },
        AttemptsFigure::default(),
    ] {
        assert_eq!(lie.trace(TimeZone::Utc).map(|t| t.tasks.len()), None, "{lie:?}");
    }
    // Any numbers are borne.
    let wild = AttemptsFigure {
        node: vec![i32::MAX, -7, 2, 0],
        outcome: vec![99, -1, 0, 1],
        begin_ms: vec![Some(i64::MAX), Some(i64::MAX), None, Some(i64::MIN)],
        end_ms: vec![Some(i64::MIN), None, Some(i64::MAX), Some(0)],
        bytes: vec![u64::MAX; 4],
        state: vec![Some((i64::MAX, i64::MIN, 7)), None, Some((i64::MIN, 0, -9)), Some((0, 0, 0))],
        statuses: vec![200, 1],
        blacklisted: vec![(9, 0, 0), (0, 9, 0), (0, -1, i64::MAX)],
        ..figure
    };
    let back = wild.trace(TimeZone::Utc).unwrap();
    assert_eq!((back.tasks.len(), back.complaints.len()), (4, 1));
    assert_eq!(back.tasks[0].counters.file_read, Count::default());
}
