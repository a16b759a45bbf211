//! What a history or an application master adds to what the daemons say.

use super::{F, JOB, TT, at, att, con, ended, file, history, launched, of, record, times, trace};
use oddnode::base::{AttemptId, JobId, Timestamp};
use oddnode::model::{AttemptRecord, Event, JobRecord, JobStatus, Outcome, StateKind};

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
fn resource_manager_tells_where_an_attempt_ran_if_nothing_else_does() {
    let path = "a/userlogs/application_1_0001/container_1_0001_01_000004/syslog";
    let task = |path| {
        let log = Event::TaskLog { attempt: att("m_000003_0"), container: Some(con(4)) };
        file(path, "task-syslog", &[(7, log), (9, Event::TaskDone { attempt: att("m_000003_0") })])
    };
    let sent = |host: &str| Event::ContainerAssigned { container: con(4), host: host.into() };
    let rm = || file("a/hadoop-u-resourcemanager-m.log", "resourcemanager", &[(5, sent("h2")), (6, sent("h9"))]);
    let ran_on = |files| {
        let t = trace(files);
        let map = of(&t, StateKind::Map)[0];
        map.node.map(|node| t.node_name(node).to_owned())
    };
    assert_eq!(ran_on(vec![task(path)]), None);
    assert_eq!(ran_on(vec![task(path), rm()]).as_deref(), Some("h2"), "its first word");
    let in_folder = "a/h9/userlogs/application_1_0001/container_1_0001_01_000004/syslog";
    assert_eq!(ran_on(vec![task(in_folder), rm()]).as_deref(), Some("h9"), "the folder says more");
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
fn history_without_a_host_ends_an_attempt_all_the_same() {
    let t = trace(vec![
        file(TT, "tasktracker", &[(10, launched("m_000000_0")), (900, launched("m_000001_0"))]),
        history(vec![record("m_000000_0", "localhost", 11, Some((50, Outcome::Success)))]),
    ]);
    assert_eq!(times(&of(&t, StateKind::Map)[0]), (10, 50, Some(Outcome::Success)));
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
