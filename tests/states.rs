//! What the `states` room makes of events, fact by fact.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::base::{AttemptId, BlockId, ContainerId, JobId, Timestamp};
use oddnode::model::{
    AttemptRecord, Clock, ComplaintKind, Counters, Digest, Event, EventWriter, FileDigest, FileKey, FlowKind,
    HostClaim, HostSource, JobRecord, JobStatus, Outcome, Phase, Said, State, StateKind, Subject, TaskType, Trace,
    WriteOrigin,
};
use oddnode::states;

fn at(ms: i64) -> Timestamp {
    Timestamp::from_millis(ms)
}

fn att(text: &str) -> AttemptId {
    AttemptId::parse(format!("attempt_1_0001_{text}").as_bytes()).unwrap()
}

fn con(n: u64) -> ContainerId {
    ContainerId::find(format!("container_1_0001_01_{n:06}").as_bytes()).unwrap()
}

const JOB: JobId = JobId { cluster: 1, number: 1 };

/// A file of the archive under test.
struct F {
    path: &'static str,
    digest: FileDigest,
}

fn file(path: &'static str, format: &str, rows: &[(i64, Event)]) -> F {
    let clock = if format.starts_with("j") { Clock::Epoch } else { Clock::Local };
    let mut digest = FileDigest { format: format.to_owned(), clock, ..FileDigest::default() };
    let mut events = EventWriter::default();
    for (line, (ms, event)) in (1..).zip(rows) {
        events.push(line, at(*ms), event);
        let (first, last) = digest.span.unwrap_or((at(*ms), at(*ms)));
        digest.span = Some((first.min(at(*ms)), last.max(at(*ms))));
    }
    digest.events = events.finish();
    F { path, digest }
}

impl F {
    fn startup(mut self, name: &str, ip: &str) -> Self {
        let claim = HostClaim { source: HostSource::Startup, name: name.into(), ip: Some(ip.parse().unwrap()) };
        self.digest.hosts.push(claim);
        self
    }
}

fn trace(files: Vec<F>) -> Trace {
    let mut digest = Digest::default();
    for f in files {
        digest.insert(FileKey { path: f.path.to_owned(), bytes: 1, crc: 1 }, f.digest);
    }
    states::build(&digest, None)
}

fn of(t: &Trace, kind: StateKind) -> Vec<State> {
    t.states.of_kind(kind).collect()
}

fn times(s: &State) -> (i64, i64, Option<Outcome>) {
    (s.start.unwrap().millis(), s.end.millis(), s.outcome)
}

fn launched(a: &str) -> Event {
    Event::Launched { attempt: att(a), cleanup: false }
}

fn ended(a: &str, outcome: Outcome) -> Event {
    Event::Ended { attempt: att(a), outcome }
}

fn record(a: &str, host: &str, start: i64, finish: Option<(i64, Outcome)>) -> AttemptRecord {
    let attempt = att(a);
    let task_type = if a.starts_with('r') { TaskType::Reduce } else { TaskType::Map };
    AttemptRecord {
        attempt,
        task_type,
        host: Some(host.into()),
        start: Some(at(start)),
        shuffle_end: None,
        sort_end: None,
        finish: finish.map(|(ms, _)| at(ms)),
        outcome: finish.map(|(_, o)| o),
        counters: Counters::default(),
        error: None,
        start_line: 0,
    }
}

fn history(rows: Vec<AttemptRecord>) -> F {
    let rows: Vec<_> =
        rows.into_iter().map(|r| (r.finish.or(r.start).unwrap().millis(), Event::Attempt(Box::new(r)))).collect();
    file("a/h0/history/job", "jobhistory-v1", &rows)
}

const TT: &str = "a/h1/hadoop-u-tasktracker-h1.log";
const DN: &str = "a/h1/hadoop-u-datanode-h1.log";

#[test]
fn map_runs_from_launch_to_first_end_token() {
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[
            (10, launched("m_000000_0")),
            (30, ended("m_000000_0", Outcome::Success)),
            (33, ended("m_000000_0", Outcome::Killed)),
        ],
    )]);
    let maps = of(&t, StateKind::Map);
    assert_eq!(maps.len(), 1);
    assert_eq!(times(&maps[0]), (10, 30, Some(Outcome::Success)));
    assert_eq!(t.node_name(maps[0].node.unwrap()), "h1");
    assert_eq!(t.nodes.len(), 1);
    assert!(t.nodes[0].is_peer);
}

#[test]
fn rolled_files_of_one_daemon_are_one_log() {
    let begin = file("a/h1/hadoop-u-tasktracker-h1.log.1", "tasktracker", &[(10, launched("m_000000_0"))]);
    let end = file(TT, "tasktracker", &[(70, ended("m_000000_0", Outcome::Success))]);
    let t = trace(vec![end, begin]);
    assert_eq!(of(&t, StateKind::Map).iter().map(times).collect::<Vec<_>>(), [(10, 70, Some(Outcome::Success))]);
}

#[test]
fn unclean_launch_is_a_task_cleanup_and_takes_the_end() {
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[
            (10, launched("m_000000_0")),
            (20, Event::Launched { attempt: att("m_000000_0"), cleanup: true }),
            (25, ended("m_000000_0", Outcome::Success)),
            (90, Event::JobKilled { job: JOB }),
        ],
    )]);
    assert_eq!(times(&of(&t, StateKind::TaskCleanup)[0]), (20, 25, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::Map)[0]), (10, 90, Some(Outcome::Killed)));
}

#[test]
fn attempt_without_end_is_open_until_the_last_daemon_line() {
    let other = file("a/h2/hadoop-u-tasktracker-h2.log", "tasktracker", &[(500, launched("m_000001_0"))]);
    let own_log = file(
        "a/h2/userlogs/attempt_1_0001_m_000001_0/syslog",
        "task-syslog",
        &[(900, Event::TaskLog { attempt: att("m_000001_0"), container: None })],
    );
    let t = trace(vec![file(TT, "tasktracker", &[(10, launched("m_000000_0"))]), other, own_log]);
    let map = of(&t, StateKind::Map)[0];
    assert!(map.open);
    assert_eq!(times(&map), (10, 500, None));
}

#[test]
fn attempt_whose_jobtracker_knows_no_end_is_under_way_while_both_nodes_are_heard_of() {
    let sent = || (9, Event::TaskAssigned { attempt: att("m_000000_0"), task_type: None, host: "h1".into() });
    let until = |master: &[(i64, Event)], tracker: &[(i64, Event)]| {
        let alive = |path, ms| file(path, "datanode", &[(ms, launched("m_000009_0"))]);
        let t = trace(vec![
            file(TT, "tasktracker", tracker),
            alive("a/h1/hadoop-u-datanode-h1.log", 800),
            file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", master),
            alive("a/m/hadoop-u-datanode-m.log", 700),
        ]);
        t.under_way.get(&att("m_000000_0")).map(|at| at.millis())
    };
    let launch = || (10, launched("m_000000_0"));
    assert_eq!(until(&[sent()], &[launch()]), Some(700), "however long its TaskTracker says nothing");
    assert_eq!(until(&[sent(), (50, Event::TaskCompleted { attempt: att("m_000000_0") })], &[launch()]), None);
    assert_eq!(
        until(&[sent(), (50, Event::TaskCompleted { attempt: att("m_000000_1") })], &[launch()]),
        None,
        "outrun"
    );
    assert_eq!(until(&[], &[launch()]), None, "nobody waits for it, as far as is known");
}

/// The log that is written to sorts before those that were rolled, which are older.
#[test]
fn rolled_jobtracker_log_is_read_in_the_order_of_its_times() {
    let sent = |a| Event::TaskAssigned { attempt: att(a), task_type: None, host: "h1".into() };
    let done = |a| Event::TaskCompleted { attempt: att(a) };
    // Map 2 sets the job up and map 1 clears up.
    let old = [(1, sent("m_000002_0")), (2, done("m_000002_0")), (3, sent("m_000000_0"))];
    let new = [(4, done("m_000000_0")), (5, sent("m_000001_0")), (6, done("m_000001_0"))];
    let t = trace(vec![
        file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &new),
        file("a/m/hadoop-u-jobtracker-m.log.1", "jobtracker", &old),
    ]);
    let types: Vec<_> = t.tasks.iter().map(|task| (task.id.task, task.task_type)).collect();
    assert_eq!(types, [(0, TaskType::Map), (1, TaskType::Cleanup), (2, TaskType::Setup)]);
    // It waits for none whose end is in the newer file.
    let tracker = file(TT, "tasktracker", &[(4, launched("m_000000_0"))]);
    let alive = |path| file(path, "datanode", &[(9, launched("m_000009_0"))]);
    let t = trace(vec![
        tracker,
        alive(DN),
        alive("a/m/hadoop-u-datanode-m.log"),
        file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &new),
        file("a/m/hadoop-u-jobtracker-m.log.1", "jobtracker", &old),
    ]);
    assert_eq!(t.under_way.get(&att("m_000000_0")), None);
}

#[test]
fn attempt_of_a_lost_tracker_is_killed() {
    let outcome = |error: &str| {
        let attempt = att("m_000000_0");
        let rows = [
            (1, Event::TaskAssigned { attempt, task_type: Some(TaskType::Map), host: "h1".into() }),
            (9, Event::AttemptError { attempt, error: error.into() }),
        ];
        times(&of(&trace(vec![file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &rows)]), StateKind::Map)[0])
    };
    let lost = "Lost task tracker: tracker_h1:localhost/127.0.0.1:41787";
    assert_eq!(outcome(lost), (1, 9, Some(Outcome::Killed)));
    assert_eq!(outcome("java.io.IOException: Lost"), (1, 9, Some(Outcome::Failed)));
}

fn job(number: u32, finish: Option<i64>, status: JobStatus) -> JobRecord {
    JobRecord {
        job: JobId { number, ..JOB },
        name: None,
        user: None,
        submit: None,
        launch: None,
        finish: finish.map(at),
        status,
        maps: Some(1),
        reduces: Some(0),
    }
}

#[test]
fn resourcemanager_tells_how_jobs_ended_that_no_history_tells_of() {
    let told = |record: JobRecord| (900, Event::Job(Box::new(record)));
    let am = |number: u32| {
        let attempt = AttemptId { job: JobId { number, ..JOB }, ..att("m_000000_0") };
        (7, Event::AmRunning { attempt })
    };
    let ended = [(1, JobStatus::Failed), (2, JobStatus::Killed), (3, JobStatus::Killed), (4, JobStatus::Failed)];
    let rm = ended.map(|(number, status)| told(job(number, Some(900), status)));
    let t = trace(vec![
        file("a/h0/hadoop-u-resourcemanager-h0.log", "resourcemanager", &rm),
        file("a/h0/userlogs/syslog", "am-syslog", &[am(1), am(2), am(3)]),
        file("a/h0/job_1_0002.jhist", "jhist", &[told(job(2, Some(700), JobStatus::Success))]),
        file("a/h0/job_1_0003.jhist", "jhist", &[told(job(3, None, JobStatus::Running))]),
    ]);
    let rows: Vec<_> = t.jobs.iter().map(|j| (j.id.number, j.status, j.finish.map(Timestamp::millis))).collect();
    let expected = [
        (1, JobStatus::Failed, Some(900)),
        // A history knows best, unless it ends before its job.
        (2, JobStatus::Success, Some(700)),
        (3, JobStatus::Killed, Some(900)),
    ];
    assert_eq!(rows, expected, "and of the fourth no log tells");
}

#[test]
fn open_attempt_lasts_until_its_jobs_finish() {
    let job = job(1, Some(700), JobStatus::Killed);
    let history = file("a/h0/job", "jobhistory-v1", &[(700, Event::Job(Box::new(job)))]);
    let t = trace(vec![file(TT, "tasktracker", &[(10, launched("m_000000_0"))]), history]);
    assert_eq!(times(&of(&t, StateKind::Map)[0]), (10, 700, None));
    assert_eq!(t.jobs[0].status, JobStatus::Killed);
}

#[test]
fn missing_end_comes_from_the_history_of_the_same_node_only() {
    let tt = || file(TT, "tasktracker", &[(10, launched("m_000000_0")), (11, launched("m_000001_0"))]);
    let t = trace(vec![
        tt(),
        history(vec![
            record("m_000000_0", "h1", 12, Some((60, Outcome::Failed))),
            record("m_000001_0", "h2", 12, Some((60, Outcome::Failed))),
        ]),
    ]);
    let maps = of(&t, StateKind::Map);
    assert_eq!(times(&maps[0]), (10, 60, Some(Outcome::Failed)));
    assert!(maps[1].open);
}

#[test]
fn launched_attempts_take_the_trackers_times_others_the_historys() {
    let t = trace(vec![
        file(TT, "tasktracker", &[(10, launched("m_000000_0")), (50, ended("m_000000_0", Outcome::Success))]),
        history(vec![
            record("m_000000_0", "h1", 20, Some((55, Outcome::Success))),
            record("m_000001_0", "h2", 21, Some((56, Outcome::Killed))),
        ]),
    ]);
    let rows: Vec<_> = of(&t, StateKind::Map).iter().map(times).collect();
    assert_eq!(rows, [(10, 50, Some(Outcome::Success)), (21, 56, Some(Outcome::Killed))]);
    let tasks: Vec<_> = t.tasks.iter().map(|t| t.start.unwrap().millis()).collect();
    assert_eq!(tasks, [20, 21], "tasks keep the history's times");
}

#[test]
fn attempt_unknown_to_the_history_is_a_task_all_the_same() {
    let t = trace(vec![
        file(TT, "tasktracker", &[(10, launched("m_000007_0"))]),
        history(vec![record("m_000000_0", "h1", 20, Some((55, Outcome::Success)))]),
    ]);
    assert_eq!(t.tasks.len(), 2);
    assert_eq!(t.tasks[1].id, att("m_000007_0"));
    assert_eq!(t.tasks[1].outcome, None);
}

#[test]
fn setup_and_cleanup_are_no_maps() {
    let progress = Event::Progress { attempt: att("m_000009_0"), phase: Phase::Setup, first: at(12) };
    let mut cleanup = record("m_000008_0", "h1", 100, Some((120, Outcome::Success)));
    cleanup.task_type = TaskType::Cleanup;
    let t = trace(vec![
        file(
            TT,
            "tasktracker",
            &[(10, launched("m_000009_0")), (20, ended("m_000009_0", Outcome::Success)), (13, progress)],
        ),
        history(vec![cleanup]),
    ]);
    assert_eq!(of(&t, StateKind::Map).len(), 0);
    assert_eq!(of(&t, StateKind::Setup).len(), 1);
    assert_eq!(of(&t, StateKind::Cleanup).len(), 1);
}

#[test]
fn reduce_has_three_phases() {
    let mut r = record("r_000000_0", "h1", 10, Some((100, Outcome::Success)));
    (r.shuffle_end, r.sort_end) = (Some(at(40)), Some(at(60)));
    let t = trace(vec![history(vec![r])]);
    let phase = |kind| of(&t, kind).iter().map(times).collect::<Vec<_>>();
    let ok = Some(Outcome::Success);
    assert_eq!(phase(StateKind::ReduceCopy), [(10, 40, ok)]);
    assert_eq!(phase(StateKind::ReduceMergeCopy), [(40, 60, ok)]);
    assert_eq!(phase(StateKind::ReduceReducer), [(60, 100, ok)]);
    assert_eq!(phase(StateKind::Reduce), [(10, 100, ok)]);
}

#[test]
fn killed_reduce_with_filled_times_was_copying() {
    let mut r = record("r_000000_0", "h1", 10, Some((100, Outcome::Killed)));
    (r.shuffle_end, r.sort_end) = (Some(at(100)), Some(at(100)));
    let t = trace(vec![history(vec![r])]);
    assert_eq!(times(&of(&t, StateKind::ReduceCopy)[0]), (10, 100, Some(Outcome::Killed)));
    assert_eq!(of(&t, StateKind::ReduceMergeCopy).len() + of(&t, StateKind::ReduceReducer).len(), 0);
}

#[test]
fn phases_come_from_progress_lines_without_history() {
    let progress = |phase, first| Event::Progress { attempt: att("r_000000_0"), phase, first: at(first) };
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[
            (10, launched("r_000000_0")),
            (90, ended("r_000000_0", Outcome::Failed)),
            (40, progress(Phase::Copy, 20)),
            (50, progress(Phase::Sort, 44)),
            (80, progress(Phase::Reduce, 60)),
        ],
    )]);
    assert_eq!(times(&of(&t, StateKind::ReduceCopy)[0]), (10, 40, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceMergeCopy)[0]), (40, 50, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceReducer)[0]), (50, 90, Some(Outcome::Failed)));
}

#[test]
fn failed_yarn_reduce_takes_its_phases_from_its_own_log() {
    let attempt = att("r_000000_0");
    let log = file(
        "a/h1/userlogs/application_1_0001/container_1_0001_01_000002/syslog",
        "task-syslog",
        &[
            (12, Event::TaskLog { attempt, container: Some(con(2)) }),
            (40, Event::FinalMerge { attempt }),
            (45, Event::LastMergePass { attempt }),
        ],
    );
    let t = trace(vec![log, history(vec![record("r_000000_0", "h1", 10, Some((100, Outcome::Failed)))])]);
    assert_eq!(times(&of(&t, StateKind::ReduceMergeCopy)[0]), (40, 45, Some(Outcome::Success)));
    assert_eq!(times(&of(&t, StateKind::ReduceReducer)[0]), (45, 100, Some(Outcome::Failed)));
}

#[test]
fn attempt_missing_in_the_jhist_comes_from_the_application_master() {
    let attempt = att("m_000003_0");
    let am = file(
        "a/h0/userlogs/application_1_0001/container_1_0001_01_000001/syslog",
        "am-syslog",
        &[
            (5, Event::Assigned { attempt, container: con(4), host: "h2".into() }),
            (7, Event::AmRunning { attempt }),
            (70, Event::AmLeft { attempt, outcome: Outcome::Killed }),
        ],
    );
    let t = trace(vec![am]);
    let map = of(&t, StateKind::Map)[0];
    assert_eq!(times(&map), (7, 70, Some(Outcome::Killed)));
    assert_eq!(t.node_name(map.node.unwrap()), "h2");
}

#[test]
fn error_of_an_attempt_is_the_historys_else_what_a_master_logged() {
    let attempt = att("m_000003_0");
    let error = |text: &str| Event::AttemptError { attempt, error: text.into() };
    let am = |outcome: Outcome| {
        let rows = [
            (5, Event::AmRunning { attempt }),
            (7, error("first")),
            (8, error("second")),
            (9, Event::AmLeft { attempt, outcome }),
        ];
        file("a/h0/userlogs/syslog", "am-syslog", &rows)
    };
    let told = |text: Option<&str>, outcome: Outcome| AttemptRecord {
        error: text.map(Into::into),
        ..record("m_000003_0", "h1", 1, Some((9, outcome)))
    };
    let of =
        |files: Vec<F>| trace(files).tasks.iter().map(|t| t.error.as_deref().map(String::from)).collect::<Vec<_>>();
    use Outcome::{Failed, Success};
    assert_eq!(of(vec![am(Failed)]), [Some("first".into())]);
    assert_eq!(of(vec![am(Success)]), [None]);
    assert_eq!(of(vec![am(Failed), history(vec![told(None, Failed)])]), [Some("first".into())]);
    assert_eq!(of(vec![am(Failed), history(vec![told(Some("own"), Failed)])]), [Some("own".into())]);
    let jobtracker = file("a/m/jobtracker.log", "jobtracker", &[(8, error("there"))]);
    assert_eq!(of(vec![jobtracker, history(vec![told(None, Failed)])]), [Some("there".into())]);
}

#[test]
fn attempt_known_to_its_container_only_begins_when_the_container_runs() {
    let attempt = att("m_000003_0");
    let nm = file(
        "a/h2/hadoop-u-nodemanager-h2.log",
        "nodemanager",
        &[
            (1, Event::Localizing { container: con(4) }),
            (4, Event::Localized { container: con(4), ok: true }),
            (5, Event::ContainerRunning { container: con(4) }),
            (60, Event::ContainerLeft { container: con(4), outcome: Outcome::Failed }),
        ],
    );
    let log = file("a/x/syslog", "task-syslog", &[(9, Event::TaskLog { attempt, container: Some(con(4)) })]);
    let t = trace(vec![nm, log]);
    let map = of(&t, StateKind::Map)[0];
    assert_eq!(times(&map), (5, 60, Some(Outcome::Failed)));
    assert_eq!(t.node_name(map.node.unwrap()), "h2");
    assert_eq!(times(&of(&t, StateKind::Localize)[0]), (1, 4, Some(Outcome::Success)));
    assert_eq!(of(&t, StateKind::Localize)[0].attempt, Some(attempt));
}

#[test]
fn attempt_whose_launch_is_not_logged_ends_when_its_tracker_says_so() {
    let own = [(9, Event::TaskLog { attempt: att("m_000003_0"), container: None })];
    let own = file("a/h1/userlogs/attempt_1_0001_m_000003_0/syslog", "task-syslog", &own);
    let ends = [(40, ended("m_000003_0", Outcome::Killed)), (45, ended("m_000003_0", Outcome::Success))];
    let t = trace(vec![file(TT, "tasktracker", &[&ends[..], &[(90, launched("m_000009_0"))]].concat()), own]);
    let maps = of(&t, StateKind::Map);
    assert_eq!(times(&maps[0]), (9, 40, Some(Outcome::Killed)));
    assert!(!maps[0].open);
}

fn receiving(block: i64, src: &str) -> Event {
    Event::Receiving { block: BlockId(block), src: src.parse().unwrap(), dest: Some("10.0.0.1:50010".parse().unwrap()) }
}

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

#[test]
fn fetched_map_outputs_replace_served_ones() {
    let served = Event::ShuffleServed {
        map: Some(att("m_000000_0")),
        dest: Some("10.0.0.2".parse().unwrap()),
        bytes: 7,
        duration_ns: None,
    };
    let tt = || file(TT, "tasktracker", &[(10, launched("m_000000_0")), (50, served.clone())]);
    let without = trace(vec![tt()]);
    assert_eq!((without.flows.len(), without.flows.get(0).unwrap().bytes), (1, Some(7)));
    let fetched = Event::Fetched {
        reduce: att("r_000000_0"),
        map: att("m_000000_0"),
        host: Some("h1".into()),
        start: at(44),
        bytes: 8,
    };
    let log = file("a/h2/userlogs/x/syslog", "task-syslog", &[(49, fetched)]);
    let h2 = file("a/h2/hadoop-u-datanode-h2.log", "datanode", &[(1, receiving(1, "10.0.0.2:5"))]);
    let with = trace(vec![tt(), log, h2]);
    assert_eq!(with.flows.len(), 1);
    let flow = with.flows.get(0).unwrap();
    assert_eq!((flow.bytes, flow.start, flow.end), (Some(8), Some(at(44)), at(49)));
    assert_eq!(
        (with.peers[flow.src.unwrap() as usize].as_str(), with.peers[flow.dest.unwrap() as usize].as_str()),
        ("h1", "h2")
    );
    assert_eq!(of(&with, StateKind::Shuffle).len(), 1);
}

#[test]
fn history_times_place_the_logs_in_their_zone() {
    let hour = 3_600_000;
    let t = trace(vec![
        file(TT, "tasktracker", &[(10, launched("m_000000_0")), (900, ended("m_000000_0", Outcome::Success))]),
        history(vec![record("m_000000_0", "h1", 5 * hour + 1600, Some((5 * hour + 2000, Outcome::Success)))]),
    ]);
    assert_eq!((t.offset_ms, t.offset_pairs), (5 * hour, 1));
    assert_eq!(times(&of(&t, StateKind::Map)[0]), (5 * hour + 10, 5 * hour + 900, Some(Outcome::Success)));
}

#[test]
fn master_is_a_peer_only_if_it_ran_tasks() {
    let nn = || file("a/m/hadoop-u-namenode-m.log", "namenode", &[(1, Event::JobKilled { job: JOB })]);
    let dn = || file("a/m/hadoop-u-datanode-m.log", "datanode", &[(1, receiving(1, "10.0.0.2:5"))]);
    let is_peer = |t: &Trace| t.nodes.iter().find(|n| n.name == "m").unwrap().is_peer;
    assert!(!is_peer(&trace(vec![nn(), dn()])));
    let ran = history(vec![record("m_000000_0", "m", 1, Some((2, Outcome::Success)))]);
    assert!(is_peer(&trace(vec![nn(), dn(), ran])));
    assert!(is_peer(&trace(vec![dn()])));
}

fn said(kind: ComplaintKind, of: Subject, attempt: Option<AttemptId>) -> Event {
    Event::Complaint(Box::new(Said { attempt, ..Said::new(kind, of) }))
}

#[test]
fn complaints_name_who_speaks_and_of_whom() {
    let m0 = Some(att("m_000000_0"));
    let t = trace(vec![
        file("a/h1/hadoop-u-datanode-h1.log", "datanode", &[(9, said(ComplaintKind::SlowDisk, Subject::Own, None))])
            .startup("h1", "10.0.0.1"),
        file(
            "a/h2/hadoop-u-datanode-h2.log",
            "datanode",
            &[
                (8, said(ComplaintKind::SlowNetwork, Subject::Address("10.0.0.1".parse().unwrap()), None)),
                (7, said(ComplaintKind::FetchFailed, Subject::Host("h1.lab".into()), m0)),
                (6, said(ComplaintKind::Unreachable, Subject::Host("elsewhere".into()), None)),
            ],
        )
        .startup("h2", "10.0.0.2"),
        file("a/m/am.log", "am-syslog", &[(5, said(ComplaintKind::TimedOut, Subject::Attempt, m0))]),
        history(vec![record("m_000000_0", "h1.lab", 1, Some((2, Outcome::Success)))]),
    ]);
    let name = |node: Option<oddnode::base::NodeId>| node.map_or("?", |node| t.node_name(node)).to_owned();
    let rows: Vec<_> = t.complaints.iter().map(|c| (c.kind, name(c.by), name(c.of), c.at.millis())).collect();
    assert_eq!(
        rows,
        [
            (ComplaintKind::TimedOut, "?".into(), "h1".into(), 5),
            (ComplaintKind::FetchFailed, "h2".into(), "h1".into(), 7),
            (ComplaintKind::SlowDisk, "h1".into(), "h1".into(), 9),
            (ComplaintKind::SlowNetwork, "h2".into(), "h1".into(), 8),
            (ComplaintKind::Unreachable, "h2".into(), "?".into(), 6),
        ]
    );
    assert_eq!(t.complaints.iter().filter(|c| c.is_of_another()).count(), 3);
    assert_eq!(t.complaints[0].job, Some(JOB));
}

#[test]
fn output_that_a_master_gives_up_counts_once() {
    let given_up = || said(ComplaintKind::TooManyFetchFailures, Subject::Attempt, Some(att("m_000000_0")));
    // Its tracker could not serve it, either.
    let lost = said(ComplaintKind::MapOutputLost, Subject::Own, Some(att("m_000000_0")));
    let jobtracker = || file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &[(5, given_up()), (5, given_up())]);
    let tracker = || file("a/h1/hadoop-u-tasktracker-h1.log", "tasktracker", &[(4, lost.clone())]);
    let told = || file("a/m/job.jhist", "jhist", &[(9, given_up())]);
    let kinds = |files| trace(files).complaints.iter().map(|c| (c.kind, c.at.millis())).collect::<Vec<_>>();
    let once = (ComplaintKind::TooManyFetchFailures, 5);
    assert_eq!(kinds(vec![jobtracker(), told()]), [once]);
    assert_eq!(kinds(vec![jobtracker(), tracker(), told()]), [(ComplaintKind::MapOutputLost, 4), once]);
    assert_eq!(kinds(vec![told()]), [(ComplaintKind::TooManyFetchFailures, 9)]);
}

#[test]
fn host_is_blacklisted_for_the_job_of_its_application_master() {
    let blacklisted = || said(ComplaintKind::Blacklisted, Subject::Host("h1".into()), None);
    let failed = said(ComplaintKind::AttemptFailed, Subject::Attempt, Some(att("m_000000_0")));
    let of = |format: &str| {
        let log = file("a/m/syslog", format, &[(4, blacklisted()), (5, failed.clone()), (6, blacklisted())]);
        let t = trace(vec![log, history(vec![record("m_000000_0", "h1", 1, Some((2, Outcome::Failed)))])]);
        let rows = t.complaints.iter().filter(|c| c.kind == ComplaintKind::Blacklisted);
        rows.map(|c| (c.at.millis(), c.job)).collect::<Vec<_>>()
    };
    assert_eq!(of("am-syslog"), [(4, None), (6, Some(JOB))], "before it told of an attempt nobody knows");
    assert_eq!(of("jobtracker"), [(4, None), (6, None)], "which has many jobs");
}

#[test]
fn attempt_that_only_the_jobtracker_knows_is_where_it_was_sent() {
    let sent = Event::TaskAssigned { attempt: att("m_000004_0"), task_type: None, host: "h7".into() };
    let failed = said(ComplaintKind::AttemptFailed, Subject::Attempt, Some(att("m_000004_0")));
    let t = trace(vec![file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &[(1, sent), (2, failed)])]);
    let of = t.complaints[0].of.unwrap();
    assert_eq!(t.node_name(of), "h7");
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
fn container_killed_while_localizing_has_not_failed() {
    let rows = [(1, Event::Localizing { container: con(4) }), (4, Event::LocalizingKilled { container: con(4) })];
    let t = trace(vec![file("a/h2/hadoop-u-nodemanager-h2.log", "nodemanager", &rows)]);
    assert_eq!(times(&of(&t, StateKind::Localize)[0]), (1, 4, Some(Outcome::Killed)));
}

#[test]
fn nodes_with_nodemanagers_are_peers_but_for_the_masters() {
    let started = [(1, Event::Localizing { container: con(4) })];
    let log = |path| file(path, "nodemanager", &started);
    let t = trace(vec![
        log("a/h1/hadoop-u-nodemanager-h1.log"),
        log("a/h2/hadoop-u-nodemanager-h2.log"),
        log("a/m/hadoop-u-nodemanager-m.log"),
        file("a/m/hadoop-u-resourcemanager-m.log", "resourcemanager", &[]),
    ]);
    assert_eq!(t.nodes.iter().map(|n| n.is_peer).collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn write_over_loopback_is_local() {
    let rows = [(10, receiving(1, "127.0.0.1:5")), (20, wrote(1, "127.0.0.1:5"))];
    let t = trace(vec![file(DN, "datanode", &rows)]);
    assert_eq!(of(&t, StateKind::WriteBlock)[0].origin, Some(WriteOrigin::Local));
}

#[test]
fn clean_up_in_the_next_of_rolled_logs_makes_no_other_type() {
    let cleanup = Event::Launched { attempt: att("m_000005_0"), cleanup: true };
    let said = Event::Progress { attempt: att("m_000005_0"), phase: Phase::Cleanup, first: at(40) };
    let t = trace(vec![
        file(
            "a/h1/hadoop-u-tasktracker-h1.log.1",
            "tasktracker",
            &[(10, launched("m_000005_0")), (20, ended("m_000005_0", Outcome::Failed)), (30, cleanup)],
        ),
        file(TT, "tasktracker", &[(40, said), (50, ended("m_000005_0", Outcome::Success))]),
    ]);
    assert_eq!(of(&t, StateKind::Map).iter().map(times).collect::<Vec<_>>(), [(10, 20, Some(Outcome::Failed))]);
    assert_eq!(
        of(&t, StateKind::TaskCleanup).iter().map(times).collect::<Vec<_>>(),
        [(30, 50, Some(Outcome::Success))]
    );
}

#[test]
fn killed_job_ends_what_clears_up_for_it() {
    let cleanup = Event::Launched { attempt: att("m_000005_0"), cleanup: true };
    let t = trace(vec![file(
        TT,
        "tasktracker",
        &[
            (10, launched("m_000000_0")),
            (30, cleanup),
            (40, Event::JobKilled { job: JOB }),
            (90, launched("m_000001_0")),
        ],
    )]);
    for kind in [StateKind::Map, StateKind::TaskCleanup] {
        assert!(of(&t, kind).iter().any(|s| (s.end, s.outcome) == (at(40), Some(Outcome::Killed))), "{kind:?}");
    }
}

#[test]
fn history_without_a_host_ends_an_attempt_all_the_same() {
    let t = trace(vec![
        file(TT, "tasktracker", &[(10, launched("m_000000_0")), (900, launched("m_000001_0"))]),
        history(vec![record("m_000000_0", "localhost", 11, Some((50, Outcome::Success)))]),
    ]);
    assert_eq!(times(&of(&t, StateKind::Map)[0]), (10, 50, Some(Outcome::Success)));
}

/// Two runs an hour apart are two observations; days that follow each other are one.
#[test]
fn open_states_last_to_the_end_of_their_own_run() {
    let ends = |second_begins: i64| {
        let t = trace(vec![
            file(DN, "datanode", &[(1_000, receiving(1, "10.0.0.2:5")), (9_000, receiving(2, "10.0.0.2:6"))]),
            file("b/h1/hadoop-u-datanode-h1.log", "datanode", &[(second_begins, receiving(3, "10.0.0.2:7"))]),
        ]);
        of(&t, StateKind::WriteBlock).iter().map(|s| s.end.millis()).collect::<Vec<_>>()
    };
    assert_eq!(ends(4_000_000), [9_000, 9_000, 4_000_000]);
    assert_eq!(ends(60_000), [60_000; 3]);
}

#[test]
fn phases_of_an_id_on_two_nodes_do_not_mix() {
    let phase = |ms, phase| (ms, Event::Progress { attempt: att("r_000000_0"), phase, first: at(ms) });
    let lost = [(1000, launched("r_000000_0")), phase(5000, Phase::Copy), (6000, ended("r_000000_0", Outcome::Failed))];
    let again = [
        (20_000, launched("r_000000_0")),
        phase(25_000, Phase::Copy),
        phase(30_000, Phase::Reduce),
        (60_000, ended("r_000000_0", Outcome::Success)),
    ];
    let t =
        trace(vec![file(TT, "tasktracker", &lost), file("a/h2/hadoop-u-tasktracker-h2.log", "tasktracker", &again)]);
    let copies: Vec<_> = of(&t, StateKind::ReduceCopy).iter().map(times).collect();
    assert_eq!(copies, [(1000, 6000, Some(Outcome::Failed)), (20_000, 25_000, Some(Outcome::Success))]);
    assert_eq!(of(&t, StateKind::ReduceReducer).len(), 1);
}

#[test]
fn history_of_one_node_tells_no_phases_of_another() {
    let told = AttemptRecord {
        shuffle_end: Some(at(30_000)),
        sort_end: Some(at(31_000)),
        ..record("r_000000_0", "h2", 20_000, Some((60_000, Outcome::Success)))
    };
    let lost = [(1000, launched("r_000000_0")), (6000, ended("r_000000_0", Outcome::Failed))];
    let again = [(20_000, launched("r_000000_0")), (60_000, ended("r_000000_0", Outcome::Success))];
    let t = trace(vec![
        file(TT, "tasktracker", &lost),
        file("a/h2/hadoop-u-tasktracker-h2.log", "tasktracker", &again),
        history(vec![told]),
    ]);
    let copies: Vec<_> = of(&t, StateKind::ReduceCopy).iter().map(times).collect();
    assert_eq!(copies, [(1000, 6000, Some(Outcome::Failed)), (20_000, 30_000, Some(Outcome::Success))]);
}

/// What a reduce fetched of a map's task from a host of this name.
fn fetched(host: &str, task: u32) -> Event {
    Event::Fetched {
        reduce: att("r_000000_0"),
        map: att(&format!("m_00000{task}_0")),
        host: Some(host.into()),
        start: at(3000),
        bytes: 30,
    }
}

#[test]
fn host_of_a_fetch_that_no_other_log_names_is_its_source() {
    let rows = [(4000, fetched("h7", 0)), (4000, fetched("10.0.0.8", 1)), (4000, fetched("h7", 2))];
    let t = trace(vec![file("a/h5/userlogs/attempt_1_0001_r_000000_0/syslog", "task-syslog", &rows)]);
    let mut sources: Vec<_> =
        t.flows.iter().map(|flow| (flow.attempt.unwrap().task, t.peers[flow.src.unwrap() as usize].clone())).collect();
    sources.sort_unstable();
    assert_eq!(sources, [(0, "h7".to_owned()), (1, "10.0.0.8".to_owned()), (2, "h7".to_owned())]);
    assert!(t.nodes.iter().all(|node| node.name != "h7"));
}

#[test]
fn host_of_a_fetch_is_its_node_but_for_a_domain() {
    let rows = [(4000, fetched("h1.lab.example", 0)), (4000, fetched("h2", 1)), (4000, fetched("h3", 2))];
    let node = |path, host| file(path, "datanode", &[]).startup(host, "10.0.0.1");
    let t = trace(vec![
        file("a/syslog", "task-syslog", &rows),
        node("a/1.log", "h1"),
        node("a/2.log", "h2.lab"),
        node("a/3.log", "h3.east"),
        node("a/4.log", "h3.west"),
    ]);
    let mut sources: Vec<_> =
        t.flows.iter().map(|flow| (flow.attempt.unwrap().task, t.peers[flow.src.unwrap() as usize].clone())).collect();
    sources.sort_unstable();
    assert_eq!(sources, [(0, "h1".to_owned()), (1, "h2.lab".to_owned()), (2, "h3".to_owned())]);
}

#[test]
fn kill_is_the_end_only_of_what_has_none_before() {
    let rows = [
        (1000, launched("m_000000_0")),
        (1000, launched("m_000001_0")),
        (1000, launched("m_000002_0")),
        (1000, launched("m_000003_0")),
        (50_000, ended("m_000003_0", Outcome::Killed)),
        (90_000, Event::JobKilled { job: JOB }),
    ];
    let t = trace(vec![
        file(TT, "tasktracker", &rows),
        history(vec![
            record("m_000000_0", "h1", 1000, Some((9600, Outcome::Success))),
            record("m_000001_0", "h1", 1000, Some((90_004, Outcome::Killed))),
            record("m_000003_0", "h1", 1000, Some((12_000, Outcome::Success))),
        ]),
    ]);
    let end = |s: &State| (s.attempt.unwrap().task, s.end.millis(), s.outcome);
    let mut ends: Vec<_> = of(&t, StateKind::Map).iter().map(end).collect();
    ends.sort_unstable_by_key(|(task, ..)| *task);
    let (done, killed) = (Some(Outcome::Success), Some(Outcome::Killed));
    assert_eq!(ends, [(0, 9600, done), (1, 90_000, killed), (2, 90_000, killed), (3, 12_000, done)]);
}

#[test]
fn maps_served_at_once_are_one_state_and_flow() {
    let served = Event::ShuffleServedMaps {
        reduce: att("r_000000_0"),
        dest: Some("10.0.0.2".parse().unwrap()),
        duration_ns: Some(500_000_000),
    };
    let t = trace(vec![file(TT, "tasktracker", &[(5000, served)])]);
    let states = of(&t, StateKind::Shuffle);
    let told: Vec<_> = states.iter().map(|s| (s.start, s.end.millis(), s.job, s.attempt, s.bytes)).collect();
    assert_eq!(told, [(Some(at(4500)), 5000, Some(JOB), None, None)]);
    assert_eq!(states[0].peer.map(|peer| t.peers[peer as usize].as_str()), Some("10.0.0.2"));
    let flows: Vec<_> = t.flows.iter().map(|flow| (flow.attempt, flow.reduce, flow.bytes)).collect();
    assert_eq!(flows, [(None, Some(att("r_000000_0")), None)]);
}

#[test]
fn console_of_a_client_tells_how_long_was_observed() {
    let mut console = file("a/h0/client/job.out", "other-process", &[]);
    console.digest.span = Some((at(0), at(70_000)));
    let t = trace(vec![file(TT, "tasktracker", &[(1000, launched("m_000000_0"))]), console]);
    let map = &of(&t, StateKind::Map)[0];
    assert_eq!((map.end.millis(), map.open), (70_000, true));
    assert_eq!(t.span, Some((at(1000), at(1000))));
    assert!(t.files.iter().filter(|f| f.path.ends_with(".out")).all(|f| f.daemon_last.is_none()));
}

#[test]
fn secondary_namenode_makes_no_master() {
    let slave = || file(DN, "datanode", &[(1000, receiving(1, "10.0.0.9:1"))]);
    let with = |format| trace(vec![slave(), file("a/h1/hadoop-u-x-h1.log", format, &[])]).nodes[0].is_peer;
    assert!(with("secondarynamenode"));
    assert!(!with("namenode"));
}
