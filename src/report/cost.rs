//! What faults cost the jobs that met them, in sentences made of a report's own fields.

use super::ticket::JOBS_TOLD;
use super::{JobRow, Report};
use crate::base::Arrange;
use crate::base::quantity::{counted, of_millis};
use crate::base::text::begin_of;

/// Letters of a job's name in one line: some are whole queries.
pub const NAME_LETTERS: usize = 48;

/// How long a job took and would have taken, in milliseconds.
struct Loss<'a> {
    job: &'a JobRow,
    took_ms: i64,
    would_ms: i64,
}

impl<'a> Loss<'a> {
    fn of(job: &'a JobRow) -> Option<Self> {
        let took_ms = job.finish_ms?.checked_sub(job.start_ms?)?;
        let would_ms = job.without_fault_ms.filter(|would_ms| (0..took_ms).contains(would_ms))?;
        Some(Self { job, took_ms, would_ms })
    }

    const fn ms(&self) -> i64 {
        self.took_ms - self.would_ms
    }

    fn in_words(&self, report: &Report) -> String {
        let [would, took] = [self.would_ms, self.took_ms].map(|ms| of_millis(whole_seconds(ms)));
        let name =
            self.job.name.as_ref().map_or_else(String::new, |name| format!(" ({})", begin_of(name, NAME_LETTERS)));
        let who = who(report, self.job);
        format!("Had {who} peers did, {}{name} would have taken about {would}, not {took}.", self.job.job)
    }
}

/// Of what lasts for seconds, these alone: no estimate is as near.
fn whole_seconds(ms: i64) -> f64 {
    let seconds = ms.saturating_add(500) / 1_000;
    (if seconds >= 10 { seconds * 1_000 } else { ms }) as f64
}

/// The node that was at fault while a job ran, as far as a link tells.
fn who(report: &Report, job: &JobRow) -> String {
    let met = report.verdict.culprits.iter().filter(|c| {
        let is_before = |since: Option<i64>, until: Option<i64>| since.zip(until).is_none_or(|(a, b)| a < b);
        is_before(c.since_ms, job.finish_ms) && is_before(job.start_ms, c.until_ms)
    });
    match met.collect::<Vec<_>>().as_slice() {
        [only] if !report.lacks_culprits() => format!("{} worked as its", only.node),
        _ => String::from("the nodes at fault worked as their"),
    }
}

/// What one job lost, where it is known.
#[must_use]
pub fn of_job(report: &Report, job: &JobRow) -> Option<String> {
    Loss::of(job).map(|loss| loss.in_words(report))
}

/// What the jobs lost: those that lost most each in a sentence, the others in one.
#[must_use]
pub fn told(report: &Report) -> Vec<String> {
    let mut losses: Vec<Loss<'_>> = report.jobs.iter().filter_map(Loss::of).collect();
    losses.arrange_by(|loss| std::cmp::Reverse(loss.ms()));
    let (first, others) = losses.split_at(losses.len().min(JOBS_TOLD));
    let mut told: Vec<String> = first.iter().map(|loss| loss.in_words(report)).collect();
    if !others.is_empty() {
        let ms = others.iter().map(Loss::ms).fold(0, i64::saturating_add);
        let more = counted(others.len() as u64, "more job");
        told.push(format!("{more} would have taken {} less in all.", of_millis(whole_seconds(ms))));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Culprit, OutcomeKind, Verdict};

    fn job(id: &str, start_s: i64, took_s: i64, would_s: Option<i64>) -> JobRow {
        JobRow {
            job: id.to_owned(),
            start_ms: Some(start_s * 1_000),
            finish_ms: Some((start_s + took_s) * 1_000),
            without_fault_ms: would_s.map(|s| s * 1_000),
            ..JobRow::default()
        }
    }

    fn report(jobs: Vec<JobRow>, culprits: &[(&str, i64, Option<i64>)]) -> Report {
        let culprit = |(node, since_s, until_s): &(&str, i64, Option<i64>)| Culprit {
            node: (*node).to_owned(),
            since_ms: Some(since_s * 1_000),
            until_ms: until_s.map(|s| s * 1_000),
            ..Culprit::default()
        };
        let culprits = culprits.iter().map(culprit).collect();
        Report {
            verdict: Verdict { outcome: OutcomeKind::Indicted, culprits, ..Verdict::default() },
            jobs,
            ..Report::default()
        }
    }

    #[test]
    fn jobs_that_lost_most_are_told_first() {
        let jobs = vec![
            job("job_1", 0, 60, None),
            job("job_2", 0, 60, Some(50)),
            job("job_3", 0, 90, Some(30)),
            job("job_4", 0, 60, Some(55)),
            job("job_5", 0, 60, Some(40)),
            job("job_6", 0, 60, Some(57)),
            job("job_7", 0, 60, Some(90)),
        ];
        let had = "Had h3 worked as its peers did, ";
        let told = told(&report(jobs, &[("h3", 5, None)]));
        assert_eq!(
            told,
            [
                format!("{had}job_3 would have taken about 30 s, not 90 s."),
                format!("{had}job_5 would have taken about 40 s, not 60 s."),
                format!("{had}job_2 would have taken about 50 s, not 60 s."),
                "2 more jobs would have taken 8 s less in all.".to_owned(),
            ]
        );
    }

    #[test]
    fn node_is_named_that_was_at_fault_meanwhile() {
        let named = JobRow { name: Some("sort".into()), ..job("job_1", 100, 60, Some(50)) };
        let told = |culprits: &[(&str, i64, Option<i64>)]| told(&report(vec![named.clone()], culprits)).join(" ");
        assert_eq!(
            told(&[("h1", 0, Some(90)), ("h2", 150, None), ("h3", 170, None)]),
            "Had h2 worked as its peers did, job_1 (sort) would have taken about 50 s, not 60 s."
        );
        assert!(
            told(&[("h1", 0, None), ("h2", 150, None)]).starts_with("Had the nodes at fault worked as their peers did")
        );
    }
}
