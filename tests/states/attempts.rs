//! Attempts: their begin and end, out of the logs that tell of them.

use super::{DN, F, JOB, TT, at, att, con, ended, file, history, launched, of, receiving, record, said, times, trace};
use oddnode::base::{AttemptId, Timestamp};
use oddnode::model::{
    ComplaintKind, Event, JobRecord, JobStatus, Outcome, Phase, State, StateKind, Subject, TaskType, Trace,
};

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
fn attempt_whose_jobtracker_knows_no_end_is_under_way_while_that_and_its_node_are_heard_of() {
    let sent = || (9, Event::TaskAssigned { attempt: att("m_000000_0"), task_type: None, host: "h1".into() });
    let until = |master: &[(i64, Event)], tracker: &[(i64, Event)]| {
        let alive = |path, ms| file(path, "datanode", &[(ms, launched("m_000009_0"))]);
        let t = trace(vec![
            file(TT, "tasktracker", tracker),
            alive("a/h1/hadoop-u-datanode-h1.log", 800),
            file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", master),
            alive("a/m/hadoop-u-datanode-m.log", 790),
        ]);
        t.under_way.get(&att("m_000000_0")).map(|at| at.millis())
    };
    let launch = || (10, launched("m_000000_0"));
    let another = (700, Event::TaskAssigned { attempt: att("m_000007_0"), task_type: None, host: "h2".into() });
    assert_eq!(until(&[sent(), another], &[launch()]), Some(700), "however long its TaskTracker says nothing");
    assert_eq!(until(&[sent()], &[launch()]), None, "whatever else goes on where the JobTracker's log ends");
    assert_eq!(
        until(&[sent(), (300, launched("m_000007_0"))], &[launch(), (760, launched("m_000008_0"))]),
        Some(760),
        "a JobTracker writes nothing while nothing ends"
    );
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

/// The history of 0.20 has no line of attempts that were alive when it was closed.
#[test]
fn other_tries_at_set_up_and_clean_up_are_no_maps() {
    let progress = Event::Progress { attempt: att("m_000009_0"), phase: Phase::Setup, first: at(12) };
    let mut cleanup = record("m_000008_0", "h1", 100, Some((120, Outcome::Success)));
    cleanup.task_type = TaskType::Cleanup;
    let tracker = [
        (10, launched("m_000009_0")),
        (13, progress),
        (20, ended("m_000009_0", Outcome::Failed)),
        (30, launched("m_000009_1")),
        (40, ended("m_000009_1", Outcome::Killed)),
        (110, launched("m_000008_1")),
        (130, ended("m_000008_1", Outcome::Killed)),
    ];
    let t = trace(vec![file(TT, "tasktracker", &tracker), history(vec![cleanup])]);
    let states: Vec<_> = t.states.iter().map(|s| (s.kind, s.attempt.unwrap().to_string())).collect();
    let named = |kind, a: &str| (kind, att(a).to_string());
    assert_eq!(
        states,
        [
            named(StateKind::Setup, "m_000009_0"),
            named(StateKind::Setup, "m_000009_1"),
            named(StateKind::Cleanup, "m_000008_0"),
            named(StateKind::Cleanup, "m_000008_1"),
        ]
    );
    let tasks: Vec<_> = t.tasks.iter().map(|t| (t.id.task, t.task_type)).collect();
    assert_eq!(tasks[..2], [(8, TaskType::Cleanup); 2]);
    assert_eq!(tasks[2..], [(9, TaskType::Setup); 2]);
}

#[test]
fn a_jobtracker_numbers_clean_up_and_set_up_behind_the_work() {
    let of_job = |cluster: &str| {
        let attempt = |a: &str| AttemptId::parse(format!("attempt_{cluster}_0001_{a}_0").as_bytes()).unwrap();
        let tries = ["m_000143", "m_000144", "m_000145", "m_000146", "r_000021", "r_000022", "r_000023"].map(attempt);
        let rows = tries.map(|attempt| (10, Event::Launched { attempt, cleanup: false }));
        let planned = JobRecord {
            launch: Some(at(9)),
            maps: Some(144),
            reduces: Some(22),
            ..JobRecord::with_status(attempt("m_000000").job, JobStatus::Success)
        };
        let planned = file("a/h0/history/job", "jobhistory-v1", &[(9, Event::Job(Box::new(planned)))]);
        let t = trace(vec![file(TT, "tasktracker", &rows), planned]);
        t.tasks.iter().map(|t| t.task_type).collect::<Vec<_>>()
    };
    use TaskType::{Cleanup, Map, Reduce, Setup};
    assert_eq!(of_job("201001040900"), [Map, Cleanup, Setup, Map, Reduce, Cleanup, Setup]);
    assert_eq!(of_job("1795226467746"), [Map, Map, Map, Map, Reduce, Reduce, Reduce], "YARN has no such tasks");
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
    assert!(t.began_before.contains(&att("m_000003_0")), "its launch was some time before");
}

#[test]
fn attempt_that_only_the_jobtracker_knows_is_where_it_was_sent() {
    let sent = Event::TaskAssigned { attempt: att("m_000004_0"), task_type: None, host: "h7".into() };
    let failed = said(ComplaintKind::AttemptFailed, Subject::Attempt, Some(att("m_000004_0")));
    let t = trace(vec![file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", &[(1, sent), (2, failed)])]);
    let of = t.complaints[0].of.unwrap();
    assert_eq!(t.node_name(of), "h7");
}

/// What the JobTracker writes when it runs a map again whose output reduces cannot fetch.
#[test]
fn map_that_is_run_again_outlives_the_success_that_it_replaces() {
    let sent =
        |attempt: &str, host: &str| Event::TaskAssigned { attempt: att(attempt), task_type: None, host: host.into() };
    let done = |attempt: &str| Event::TaskCompleted { attempt: att(attempt) };
    let mut rows = vec![(10, sent("m_000000_0", "h1")), (40, done("m_000000_0")), (300, sent("m_000000_1", "h2"))];
    let again = |rows: &[(i64, Event)]| {
        let t = trace(vec![file("a/m/hadoop-u-jobtracker-m.log", "jobtracker", rows)]);
        let state = of(&t, StateKind::Map).into_iter().find(|s| s.attempt == Some(att("m_000000_1"))).unwrap();
        (times(&state), state.open)
    };
    rows.push((900, sent("m_000001_0", "h1")));
    assert_eq!(again(&rows), ((300, 900, None), true), "under way where the log ends");
    rows.insert(3, (500, done("m_000000_2")));
    assert_eq!(again(&rows), ((300, 500, Some(Outcome::Killed)), false), "outrun by the next");
}

#[test]
fn container_killed_while_localizing_has_not_failed() {
    let rows = [(1, Event::Localizing { container: con(4) }), (4, Event::LocalizingKilled { container: con(4) })];
    let t = trace(vec![file("a/h2/hadoop-u-nodemanager-h2.log", "nodemanager", &rows)]);
    assert_eq!(times(&of(&t, StateKind::Localize)[0]), (1, 4, Some(Outcome::Killed)));
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
fn kill_is_the_end_only_of_what_has_none_before() {
    let rows = [
        (1000, launched("m_000000_0")),
        (1000, launched("m_000001_0")),
        (1000, launched("m_000002_0")),
        (1000, launched("m_000003_0")),
        (1000, launched("m_000004_0")),
        (1000, launched("m_000005_0")),
        (1000, launched("m_000006_0")),
        (50_000, ended("m_000003_0", Outcome::Killed)),
        (90_000, Event::JobKilled { job: JOB }),
    ];
    let t = trace(vec![
        file(TT, "tasktracker", &rows),
        history(vec![
            record("m_000000_0", "h1", 1000, Some((9600, Outcome::Success))),
            record("m_000001_0", "h1", 1000, Some((90_004, Outcome::Killed))),
            record("m_000003_0", "h1", 1000, Some((12_000, Outcome::Success))),
            record("m_000004_0", "h1", 1000, Some((8000, Outcome::Failed))),
            record("m_000005_0", "h1", 1000, Some((7000, Outcome::Killed))),
            record("m_000006_0", "h2", 1000, Some((7000, Outcome::Failed))),
        ]),
    ]);
    let end = |s: &State| (s.attempt.unwrap().task, s.end.millis(), s.outcome);
    let mut ends: Vec<_> = of(&t, StateKind::Map).iter().map(end).collect();
    ends.sort_unstable_by_key(|(task, ..)| *task);
    let (done, killed) = (Some(Outcome::Success), Some(Outcome::Killed));
    assert_eq!(ends[..4], [(0, 9600, done), (1, 90_000, killed), (2, 90_000, killed), (3, 12_000, done)]);
    assert!(ends[4..].iter().all(|(_, at, outcome)| (*at, *outcome) == (90_000, killed)), "as its own log tells it");
    let told = of(&t, StateKind::Map).into_iter().map(|s| end(&t.as_told(s))).filter(|(task, ..)| *task > 3);
    let mut told: Vec<_> = told.collect();
    told.sort_unstable_by_key(|(task, ..)| *task);
    let failed = Some(Outcome::Failed);
    assert_eq!(told, [(4, 8000, failed), (5, 7000, killed), (6, 90_000, killed)], "elsewhere is another");
}

#[test]
fn task_of_which_the_history_has_only_the_start_ends_as_logs_say() {
    let starts = || history(["m_000000_0", "m_000001_0"].map(|name| record(name, "h1", 10, None)).into());
    let told = |t: &Trace| t.tasks.iter().map(|t| (t.finish.map(Timestamp::millis), t.outcome)).collect::<Vec<_>>();
    let tracker =
        [(5, launched("m_000000_0")), (6, launched("m_000001_0")), (40, ended("m_000000_0", Outcome::Failed))];
    let t = trace(vec![starts(), file(TT, "tasktracker", &tracker)]);
    assert_eq!(told(&t), [(Some(40), Some(Outcome::Failed)), (None, None)]);
    let left = |at, name, outcome| (at, Event::AmLeft { attempt: att(name), outcome });
    let master = [left(9, "m_000000_0", Outcome::Success), left(50, "m_000001_0", Outcome::Killed)];
    let t = trace(vec![starts(), file("a/am/syslog", "am-syslog", &master)]);
    assert_eq!(
        told(&t),
        [(Some(10), Some(Outcome::Success)), (Some(50), Some(Outcome::Killed))],
        "not before its start"
    );
}

#[test]
fn attempt_that_one_log_of_its_container_names_begins_with_the_first_of_all() {
    let attempt = att("r_000000_0");
    let own =
        |log: Event| file("a/h1/x/syslog.shuffle", "task-syslog", &[(9, log), (20, Event::FinalMerge { attempt })]);
    let begun = |n: u64| file("a/h1/x/syslog", "task-syslog", &[(5, Event::ContainerLog { container: con(n) })]);
    let starts =
        |files: Vec<F>| of(&trace(files), StateKind::Reduce).iter().filter_map(|s| s.start).collect::<Vec<_>>();
    for log in
        [Event::TaskLog { attempt, container: Some(con(2)) }, Event::TaskLogCut { attempt, container: Some(con(2)) }]
    {
        assert_eq!(starts(vec![own(log.clone()), begun(2)]), [at(5)]);
        let alone: Vec<Timestamp> = if matches!(log, Event::TaskLog { .. }) { vec![at(9)] } else { Vec::new() };
        assert_eq!(starts(vec![own(log), begun(3)]), alone, "of another container");
    }
}

#[test]
fn attempt_of_which_another_log_has_earlier_lines_does_not_begin_with_those_that_are_left() {
    let (attempt, container) = (att("r_000000_0"), Some(con(2)));
    let starts = |shuffle_s: i64| {
        let left = file("a/h1/x/syslog", "task-syslog", &[(9, Event::TaskLog { attempt, container })]);
        let shuffle = [(shuffle_s, Event::TaskLogCut { attempt, container })];
        let shuffle = file("a/h1/x/syslog.shuffle", "task-syslog", &shuffle);
        of(&trace(vec![left, shuffle]), StateKind::Reduce).iter().filter_map(|s| s.start).collect::<Vec<_>>()
    };
    assert_eq!(starts(12), [at(9)]);
    assert!(starts(5).is_empty());
}
