//! Spark's event log, Spark 1.0 to 3.x.
//!
//! ```text
//! {"Event":"SparkListenerApplicationStart","App Name":"skewed","App ID":"app-20261121021933-0000",…,"User":"root"}
//! {"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1795227576132,"Stage Infos":[…],"Stage IDs":[0,1]}
//! {"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task Type":"ShuffleMapTask",…,"Task Info":{…}}
//! ```
//! Written by `org.apache.spark.scheduler.EventLoggingListener` as one file, as `EVENT_LOG_1`
//! in a folder (up to 1.2), or as `events_1_…`, `events_2_…` in a folder `eventlog_v2_…`
//! (rolling, 3.0 on). A line that is cut off ends a file of a killed application.
//!
//! So that all methods and views work on Spark too, its words become Hadoop's:
//!
//! | Spark | here |
//! |---|---|
//! | job | job; its number is the `Job ID` |
//! | application | the job id's cluster: `app-20261121021933-0000` and `application_X_N` become their digits times 100,000 plus the number |
//! | task of a stage without parents | map attempt |
//! | task of a stage that reads another's shuffle (before 1.3, which does not tell: of any but the first of its job) | reduce attempt |
//! | place of the stage among its job's × 1,000,000 + index | task number |
//! | stage attempt × 1,000 + attempt | attempt number |
//! | shuffle bytes read, written | reduce shuffle bytes, map output bytes |
//! | input and output bytes | HDFS bytes read and written |
//!
//! A reduce has no phases: Spark fetches while it computes. Executors on a loopback address
//! (`local-cluster`) are told apart as `executor-1`, `executor-2`.
//! A rolled file other than the first knows no application: it takes it from its name. It
//! does not know the jobs that began before it either: their later tasks are those of the next job that ends without
//! having begun, else of job 4294967295, with the stage's own number for its place.
//!
//! Cost: O(bytes); jobs, stages and open tasks are held, and attempts to the end of the file.

use super::history::{self, AttemptPart, JobPart, Joined};
use super::json::Stream;
use super::spark_events::{self, Application};
use super::{Confidence, Feed, Format, FormatAbout, Head, Out, Parse};
use crate::model::{Clock, formats};
use memchr::memmem;
use serde_json::Value;

/// The format.
#[derive(Debug)]
pub struct SparkEvents;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::SPARK_EVENTS,
    title: "Spark event log",
    versions: "Spark 1.0 to 3.x",
    written_by: "org.apache.spark.scheduler.EventLoggingListener",
    feed: Feed::Bytes,
    clock: Clock::Epoch,
    samples: &[
        r#"{"Event":"SparkListenerLogStart","Spark Version":"3.5.3"}"#,
        r#"{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1795227583572,"Job Result":{"Result":"JobSucceeded"}}"#,
    ],
};

/// What each event begins with.
const EVENT_BEGIN: &[u8] = b"{\"Event\":\"";

impl Format for SparkEvents {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines().map(<[u8]>::trim_ascii_start);
        let is_event = |line: &[u8]| {
            let name = line.strip_prefix(EVENT_BEGIN)?;
            (name.starts_with(b"SparkListener") || name.starts_with(b"org.apache.spark.")).then_some(())
        };
        if lines.next().and_then(is_event).is_some() {
            Confidence::Sure
        } else if lines.any(|line| is_event(line).is_some()) {
            // The beginning was cut off.
            Confidence::Likely
        } else if memmem::find(head.bytes, b"\"SparkListener").is_some() {
            Confidence::Maybe
        } else {
            Confidence::No
        }
    }

    fn start(&self, path: &str) -> Box<dyn Parse> {
        let objects = Stream::beginning(EVENT_BEGIN);
        Box::new(Events { objects, app: Application::of_path(path), joined: Joined::default() })
    }
}

#[derive(Debug)]
struct Events {
    objects: Stream,
    app: Application,
    joined: Joined,
}

impl Parse for Events {
    fn bytes(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        let Self { objects, app, joined } = self;
        objects.feed(bytes, out, &mut |value, line, out| read(&value, line, app, joined, out));
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        let Self { objects, app, joined } = &mut *self;
        objects.end(out, &mut |value, line, out| read(&value, line, app, joined, out));
        joined.end(out);
    }
}

/// Takes an event; false if it is none.
fn read(value: &Value, line: u64, app: &mut Application, joined: &mut Joined, out: &mut Out<'_>) -> bool {
    let Some(event) = value.get("Event").and_then(Value::as_str) else { return false };
    match event.rsplit('.').next().unwrap_or_default().trim_start_matches("SparkListener") {
        "ApplicationStart" => app.starts(value),
        "JobStart" => {
            let Some((job, planned)) = app.job_starts(value) else { return false };
            let part = JobPart {
                name: app.name.clone(),
                user: app.user.clone(),
                submit: spark_events::time(value, "Submission Time"),
                launch: None,
                maps: planned.map(|planned| planned.maps),
                reduces: planned.map(|planned| planned.reduces),
                ..JobPart::default()
            };
            joined.job(job, part, line, out);
        }
        "JobEnd" => {
            let Some(job) = app.job(value) else { return false };
            let result = value.get("Job Result").and_then(|result| result.get("Result")?.as_str());
            let status = match result {
                Some("JobSucceeded") => Some(crate::model::JobStatus::Success),
                Some(_) => Some(crate::model::JobStatus::Failed),
                None => None,
            };
            // It began in an earlier file: the tasks of unknown jobs were its own.
            if !joined.knows(job) {
                joined.rename(app.unknown_job(), job);
            }
            let finish = spark_events::time(value, "Completion Time");
            joined.job(job, JobPart { status, finish, ..JobPart::default() }, line, out);
        }
        "StageSubmitted" | "StageCompleted" => {
            if let Some(info) = value.get("Stage Info") {
                app.stage(info);
            }
        }
        "TaskStart" => {
            let Some(task) = spark_events::task(value) else { return false };
            let Some((attempt, host)) = app.attempt(&task) else { return false };
            let part = AttemptPart { begins: true, host, start: task.launch, ..AttemptPart::default() };
            joined.attempt(attempt, part, line, out);
        }
        "TaskEnd" => {
            let Some(task) = spark_events::task(value) else { return false };
            let Some((attempt, host)) = app.attempt(&task) else { return false };
            let part = AttemptPart {
                begins: false,
                host: host.clone(),
                start: task.launch,
                finish: task.finish,
                outcome: Some(task.outcome),
                counters: Some(spark_events::counters(value)),
                error: task.error.as_deref().and_then(history::first_line),
                ..AttemptPart::default()
            };
            let at = task.finish.or(task.launch).unwrap_or_default();
            if let Some(said) = spark_events::complaint(value, attempt, host.as_deref()) {
                out.event(line, at, &crate::model::Event::Complaint(Box::new(said)));
            }
            joined.attempt(attempt, part, line, out);
        }
        name if name.starts_with("Node") => {
            if let Some((at, said)) = spark_events::excluded(name, value) {
                out.event(line, at, &crate::model::Event::Complaint(Box::new(said)));
            }
        }
        _ => {}
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Code;
    use crate::format::tests::{read as read_digest, rows};
    use crate::model::{AttemptRecord, Event, JobRecord, Outcome};

    const START: &str = "{\"Event\":\"SparkListenerApplicationStart\",\"App Name\":\"pi\",\"App ID\":\"application_15_0012\",\"User\":\"u\"}";
    const JOB: &str = "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":3,\"Submission Time\":100,\"Stage IDs\":[5,6],\
        \"Stage Infos\":[{\"Stage ID\":5,\"Number of Tasks\":2,\"Parent IDs\":[]},{\"Stage ID\":6,\"Number of Tasks\":1,\"Parent IDs\":[5]}]}";

    fn end(stage: u32, index: u32, attempt: u32, more: &str) -> String {
        format!(
            "{{\"Event\":\"SparkListenerTaskEnd\",\"Stage ID\":{stage},\"Stage Attempt ID\":0,{more}\
             \"Task Info\":{{\"Task ID\":7,\"Index\":{index},\"Attempt\":{attempt},\"Launch Time\":110,\"Executor ID\":\"2\",\
             \"Host\":\"h1.lab\",\"Finish Time\":140,\"Failed\":false}}}}"
        )
    }

    fn attempts(lines: &[&str]) -> Vec<AttemptRecord> {
        let rows = rows(&SparkEvents, &lines.join("\n")).into_iter();
        rows.filter_map(|row| if let Event::Attempt(a) = row.event { Some(*a) } else { None }).collect()
    }

    #[test]
    fn stage_with_parents_is_the_reduce_side() {
        let found = attempts(&[START, JOB, &end(5, 1, 0, ""), &end(6, 0, 2, "")]);
        let ids: Vec<_> = found.iter().map(|a| a.attempt.to_string()).collect();
        assert_eq!(ids, ["attempt_1500012_0003_m_000001_0", "attempt_1500012_0003_r_1000000_2"]);
        assert!(found.iter().all(|a| a.host.as_deref() == Some("h1.lab") && a.outcome == Some(Outcome::Success)));
    }

    #[test]
    fn jobs_have_their_applications_name_and_their_own_end() {
        let done = "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":3,\"Completion Time\":200,\"Job Result\":{\"Result\":\"JobFailed\"}}";
        let job = rows(&SparkEvents, &[START, JOB, done].join("\n")).into_iter().find_map(|row| match row.event {
            Event::Job(job) => Some(*job),
            _ => None,
        });
        let Some(JobRecord { name, user, submit, finish, status, maps, reduces, .. }) = job else { panic!("a job") };
        assert_eq!((name.as_deref(), user.as_deref()), (Some("pi"), Some("u")));
        assert_eq!((submit.map(|t| t.millis()), finish.map(|t| t.millis())), (Some(100), Some(200)));
        assert_eq!((status, maps, reduces), (crate::model::JobStatus::Failed, Some(2), Some(1)));
    }

    #[test]
    fn failed_fetch_complains_of_the_host_that_served() {
        let reason = "\"Task End Reason\":{\"Reason\":\"FetchFailed\",\"Block Manager Address\":{\"Executor ID\":\"1\",\"Host\":\"h9\",\"Port\":1},\"Message\":\"m\"},";
        let text = [START, JOB, &end(6, 0, 0, reason)].join("\n");
        let hosts: Vec<_> = rows(&SparkEvents, &text)
            .into_iter()
            .filter_map(|row| match row.event {
                Event::Complaint(said) => Some(format!("{} {:?}", said.kind.name(), said.of)),
                _ => None,
            })
            .collect();
        assert_eq!(hosts, ["fetch-failed Host(\"h9\")"]);
        assert_eq!(attempts(&[START, JOB, &end(6, 0, 0, reason)])[0].outcome, Some(Outcome::Failed));
    }

    #[test]
    fn loopback_executors_are_told_apart() {
        let local = end(5, 0, 0, "").replace("h1.lab", "127.0.0.1");
        assert_eq!(attempts(&[START, JOB, &local])[0].host.as_deref(), Some("executor-2"));
    }

    #[test]
    fn cut_event_does_not_swallow_the_next() {
        let text = format!("{START}\n{}\n{JOB}\n{}", JOB.get(..60).unwrap_or_default(), end(5, 0, 0, ""));
        let digest = read_digest(&SparkEvents, "x", text.as_bytes());
        assert_eq!((digest.understood, digest.issues.count(Code::CutRecord)), (3, 1));
    }

    #[test]
    fn tasks_of_a_job_that_began_in_an_earlier_file_are_its_own() {
        let done = "{\"Event\":\"SparkListenerJobEnd\",\"Job ID\":2,\"Completion Time\":200,\"Job Result\":{\"Result\":\"JobSucceeded\"}}";
        let ids = |lines: &[&str]| attempts(lines).iter().map(|a| a.attempt.to_string()).collect::<Vec<_>>();
        let (of_2, of_3) = (end(4, 1, 0, ""), end(5, 1, 0, ""));
        assert_eq!(
            ids(&[START, &of_2, done, JOB, &of_3]),
            ["attempt_1500012_0002_m_4000001_0", "attempt_1500012_0003_m_000001_0"]
        );
        assert_eq!(ids(&[START, &of_2]), ["attempt_1500012_4294967295_m_4000001_0"]);
    }

    #[test]
    fn rolled_file_takes_its_application_from_its_name() {
        let text = [JOB, &end(5, 0, 0, "")].join("\n");
        let digest = read_digest(
            &SparkEvents,
            "eventlog_v2_app-20261121021933-0007/events_2_app-20261121021933-0007",
            text.as_bytes(),
        );
        let id = digest.events.iter().find_map(|row| match row.event {
            Event::Attempt(a) => Some(a.attempt.to_string()),
            _ => None,
        });
        assert_eq!(id.as_deref(), Some("attempt_2026112102193300007_0003_m_000000_0"));
    }
}
