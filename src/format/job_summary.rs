//! One line that sums a job up.
//!
//! ```text
//! … JobInProgress$JobSummary: jobId=job_201609160311_0001,submitTime=1473982346909,…,status=SUCCEEDED,…      0.20.200 on
//! … jobhistory.JobSummary: jobId=job_1795226467746_0011,submitTime=…,user=hadoop,…,jobName=random-writer     2.x, 3.x
//! ..jobId=job_1795226467746_0011,submitTime=…               a `.summary` file, 0.23 on: its length, then the text
//! … RMAppManager$ApplicationSummary: appId=application_1795226467746_0011,name=random-writer,…,finalStatus=SUCCEEDED,…
//! ```
//! Written by `JobInProgress.JobSummary` into the JobTracker's log, and by the
//! ApplicationMaster into a file that the JobHistoryServer logs and deletes. Its times are
//! epoch milliseconds whatever the clock of the log. In values `,`, `=` and `\` are escaped
//! by a backslash. `numMaps` is what the JobTracker planned; the ApplicationMaster, whose
//! lines have `resourcesPerMap`, counts there the maps that ended, so it is not taken. The ResourceManager
//! (0.23 on) sums up applications of any kind in its log, and knows how they ended where nobody kept a history.
//! Cost: O(line).

use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse, history};
use crate::base::{Code, JobId};
use crate::model::{Clock, Event, JobRecord, JobStatus, formats};

/// The format of the file.
#[derive(Debug)]
pub struct JobSummary;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::JOB_SUMMARY,
    title: "Job summary",
    versions: "0.23 to 3.x",
    written_by: "org.apache.hadoop.mapreduce.jobhistory.JobSummary",
    feed: Feed::Lines,
    clock: Clock::Epoch,
    samples: &[
        "jobId=job_1795226467746_0011,submitTime=1795227689878,launchTime=1795227694986,firstMapTaskLaunchTime=1795227697180,firstReduceTaskLaunchTime=0,finishTime=1795227773981,resourcesPerMap=192,resourcesPerReduce=0,numMaps=30,numReduces=0,user=hadoop,queue=default,status=SUCCEEDED,mapSlotSeconds=2018,reduceSlotSeconds=0,jobName=random-writer",
    ],
};

const BEGIN: &[u8] = b"jobId=job_";
/// Java's `writeUTF` puts the length of the text before it.
const LENGTH_BYTES: usize = 2;

impl Format for JobSummary {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let begins = (0..=LENGTH_BYTES).any(|at| head.bytes.get(at..).is_some_and(|text| text.starts_with(BEGIN)));
        if begins { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Summaries)
    }
}

#[derive(Debug)]
struct Summaries;

impl Parse for Summaries {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        // The length may look like a line of its own.
        if line.number == 1 && line.bytes.len() <= LENGTH_BYTES {
            out.understood();
            return;
        }
        let text = (0..=LENGTH_BYTES).filter_map(|at| line.bytes.get(at..)).find(|text| text.starts_with(BEGIN));
        let Some(record) = text.and_then(record_of) else {
            out.skipped(Code::BadRecord, line.number);
            return;
        };
        for at in [record.submit, record.launch, record.finish].into_iter().flatten() {
            out.time(at);
        }
        let at = record.finish.or(record.submit).unwrap_or_default();
        out.event(line.number, at, &Event::Job(Box::new(record)));
        out.understood();
    }
}

/// The job that `text` sums up.
#[must_use]
pub fn record_of(text: &[u8]) -> Option<JobRecord> {
    let mut job = None;
    let mut record = None;
    let mut counts_ended = false;
    for (key, value) in (Pairs { rest: text }) {
        if key == b"jobId" {
            job = JobId::parse(value);
        }
        let Some(id) = job else { continue };
        let record = record.get_or_insert_with(|| JobRecord::with_status(id, JobStatus::Running));
        match key {
            b"submitTime" => record.submit = history::time_in(value),
            b"launchTime" => record.launch = history::time_in(value),
            b"finishTime" => record.finish = history::time_in(value),
            b"numMaps" => record.maps = history::count_in(value),
            b"numReduces" => record.reduces = history::count_in(value),
            b"resourcesPerMap" => counts_ended = true,
            b"user" => record.user = plain(value),
            b"jobName" => record.name = plain(value),
            b"status" => {
                let status = std::str::from_utf8(value).ok().and_then(history::job_status);
                record.status = status.unwrap_or(JobStatus::Running);
            }
            _ => {}
        }
    }
    if counts_ended && let Some(record) = &mut record {
        (record.maps, record.reduces) = (None, None);
    }
    record
}

/// The job that a ResourceManager's `text` sums up as an application; `None` for one that is no MapReduce's, or of which
/// it is not told how it ended.
#[must_use]
pub fn application_of(text: &[u8]) -> Option<JobRecord> {
    let mut record: Option<JobRecord> = None;
    let mut ended = None;
    for (key, value) in (Pairs { rest: text }) {
        if key == b"appId" {
            let (job, rest) = JobId::parse_digits(value.strip_prefix(b"application_")?)?;
            record = rest.is_empty().then(|| JobRecord::with_status(job, JobStatus::Running));
        }
        let record = record.as_mut()?;
        match key {
            b"name" => record.name = plain(value),
            b"user" => record.user = plain(value),
            b"submitTime" => record.submit = history::time_in(value),
            // When it was submitted, as older ones say it; when it was launched has a key of its own.
            b"startTime" => record.submit = record.submit.or(history::time_in(value)),
            b"finishTime" => record.finish = history::time_in(value),
            b"finalStatus" => ended = std::str::from_utf8(value).ok().and_then(history::job_status),
            b"applicationType" if value != b"MAPREDUCE" => return None,
            _ => {}
        }
    }
    Some(JobRecord { status: ended?, ..record? })
}

/// `key=value,key=value`, values with their escapes.
struct Pairs<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Pairs<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let equals = memchr::memchr(b'=', self.rest)?;
        let key = self.rest.get(..equals)?;
        let value = self.rest.get(equals + 1..)?;
        let mut escaped = false;
        let end = value.iter().position(|b| {
            let ends = *b == b',' && !escaped;
            escaped = *b == b'\\' && !escaped;
            ends
        });
        let end = end.unwrap_or(value.len());
        self.rest = value.get(end + 1..).unwrap_or_default();
        Some((key, value.get(..end)?))
    }
}

fn plain(value: &[u8]) -> Option<Box<str>> {
    let mut bytes = Vec::with_capacity(value.len());
    history::unescape(value, &mut bytes);
    history::name(&String::from_utf8_lossy(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_commas_belong_to_the_value() {
        let record = record_of(br"jobId=job_1_0001,user=a\,b,status=KILLED,numMaps=3,jobName=x\=\\y,finishTime=0");
        let Some(record) = record else { panic!("a job") };
        assert_eq!((record.user.as_deref(), record.name.as_deref()), (Some("a,b"), Some(r"x=\y")));
        assert_eq!((record.status, record.maps, record.finish), (JobStatus::Killed, Some(3), None));
    }

    #[test]
    fn maps_that_ended_are_not_maps_planned() {
        let maps = |text: &[u8]| record_of(text).and_then(|record| record.maps);
        assert_eq!(maps(b"jobId=job_1_0001,numMaps=3,numSlotsPerMap=1"), Some(3));
        assert_eq!(maps(b"jobId=job_1_0001,resourcesPerMap=192,numMaps=3"), None);
    }

    #[test]
    fn application_is_a_job_that_ended() {
        let told = |text: &str| application_of(text.as_bytes()).map(|r| (r.job.number, r.status, r.finish.is_some()));
        let of = |status: &str, kind: &str| {
            format!(
                "appId=application_1795226467746_0022,name=nightly\\, a=b,user=hadoop,state=FINISHED,submitTime=1795229389288,\
                 startTime=1795229389288,finishTime=1795229447072,finalStatus={status},{kind}diagnostics=x=y\\, z"
            )
        };
        assert_eq!(told(&of("FAILED", "applicationType=MAPREDUCE,")), Some((22, JobStatus::Failed, true)));
        assert_eq!(told(&of("KILLED", "")), Some((22, JobStatus::Killed, true)), "as 2.0 writes it");
        assert_eq!(told(&of("FAILED", "applicationType=SPARK,")), None);
        assert_eq!(told(&of("UNDEFINED", "applicationType=MAPREDUCE,")), None);
        assert_eq!(told("name=a,finalStatus=FAILED"), None);
        let name = application_of(of("FAILED", "").as_bytes()).and_then(|r| r.name);
        assert_eq!(name.as_deref(), Some("nightly, a=b"));
    }

    #[test]
    fn length_before_the_text_is_passed_over() {
        for length in ["\u{1}\u{2e}", "\u{1}\n", "\n\u{7}", ""] {
            let text = format!("{length}jobId=job_1_0001,user=a");
            let digest = crate::format::tests::read(&JobSummary, "x", text.as_bytes());
            assert_eq!((digest.events.len(), digest.skipped), (1, 0), "{length:?}");
        }
    }

    #[test]
    fn text_without_a_job_is_no_summary() {
        assert_eq!(record_of(b"user=a,numMaps=3"), None);
        assert_eq!(record_of(b"jobId=application_1_0001,user=a"), None);
    }
}
