//! The jobs of a report: class, rule, who acts, and advice to the owner.

use super::{AdviceRow, IncidentRow, JobRow, LikenessRow, LineRef};
use crate::base::{Arrange, Gathered, JobId, NodeId, Place};
use crate::diagnosis::advice::{self, Advice};
use crate::diagnosis::cause::Cause;
use crate::diagnosis::job_class::{Class, JobClass, NO_RULE};
use crate::diagnosis::verdict::{Culprit, Finding, Verdict};
use crate::diagnosis::{Comparison, Witness, planned};
use crate::model::{JobStatus, Outcome, TaskAttempt, Trace};
use std::collections::{BTreeMap, BTreeSet};

/// A fault that costs a job less than a twentieth of its time is not told: by so much a plan may be off.
const COST_PART: i64 = 20;
/// Places named of a job's failed attempts.
const LINES_NAMED: usize = 3;

impl JobRow {
    /// Its class; `None` where a report of another version has one that is not known.
    #[must_use]
    pub fn class(&self) -> Option<Class> {
        Class::named(&self.class)
    }

    /// Why it has that class; nothing where no rule fired, or a link left it out.
    #[must_use]
    pub fn why(&self) -> Option<&str> {
        Some(self.rule.as_str()).filter(|rule| !rule.is_empty() && *rule != NO_RULE)
    }
}

/// A row a job, in order of id.
pub(super) fn rows(trace: &Trace, decided: &Verdict, witnesses: &[Witness]) -> Vec<JobRow> {
    let likeness = likeness(witnesses);
    let likeness_of = |job| likeness.get(&job).copied();
    let culprits = match &decided.finding {
        Finding::Indicted(culprits) => culprits.as_slice(),
        Finding::Clean | Finding::None(_) => &[],
    };
    let rows = decided.jobs.iter().map(|class| JobRow {
        likeness: likeness_of(class.job),
        without_fault_ms: without_fault_ms(trace, class.job, culprits),
        ..row(trace, class)
    });
    rows.collect()
}

/// How long a job would have taken without the faults that there were while it ran, if they cost it anything to speak of.
/// Who loses packets holds up all others, of which no plan knows.
fn without_fault_ms(trace: &Trace, job: JobId, culprits: &[Culprit]) -> Option<i64> {
    let job = trace.job(job)?;
    let (begin, end) = (job.start.or(job.submit)?, job.finish?);
    let ill = culprits
        .iter()
        .filter(|c| c.since.is_none_or(|since| since < end) && c.until.is_none_or(|until| until > begin));
    if ill.clone().any(|c| c.rule.cause() == Cause::Network) {
        return None;
    }
    let ill: BTreeSet<NodeId> = ill.map(|c| c.node).gathered();
    let ms = (!ill.is_empty()).then(|| planned::without_fault(trace, job, &ill))??;
    let took = end.millis_since(begin);
    (ms >= 0 && took.saturating_sub(ms) >= took / COST_PART).then_some(ms)
}

/// How alike each job's nodes were, those of all kinds of hardware added up: each kind has a witness of its own.
fn likeness(witnesses: &[Witness]) -> BTreeMap<JobId, LikenessRow> {
    let of_jobs = witnesses.iter().filter_map(|w| match &w.comparison {
        Some(Comparison::Likeness(of_jobs)) => Some(of_jobs),
        _ => None,
    });
    let mut sums: BTreeMap<JobId, LikenessRow> = BTreeMap::new();
    for l in of_jobs.flatten() {
        let row = sums.entry(l.job).or_default();
        for (sum, nodes) in [(&mut row.alike, l.alike), (&mut row.of, l.of), (&mut row.constant, l.constant)] {
            *sum += nodes as u64;
        }
    }
    sums
}

fn row(trace: &Trace, class: &JobClass) -> JobRow {
    let job = trace.job(class.job);
    let millis = |at: Option<crate::base::Timestamp>| at.map(crate::base::Timestamp::millis);
    JobRow {
        job: class.job.to_string(),
        class: class.class.name().to_owned(),
        rule: class.rule.clone(),
        name: job.and_then(|j| j.name.as_deref()).map(str::to_owned),
        status: job.map_or(JobStatus::Running, |j| j.status).name().to_owned(),
        who: class.class.who().map(str::to_owned),
        user: job.and_then(|j| j.user.as_deref()).map(str::to_owned),
        queue: trace.queues.get(&class.job).map(|queue| queue.to_string()),
        start_ms: millis(job.and_then(|j| j.start.or(j.submit))),
        finish_ms: millis(job.and_then(|j| j.finish)),
        advice: job.map(|j| advice::advise(trace, j, class.class)).unwrap_or_default().iter().map(advice_row).collect(),
        lines: lines(trace, class),
        ..JobRow::default()
    }
}

/// Where trouble of a job's own shows: the attempts that failed first, those with an error's text before others; or the
/// one that got far more data.
fn lines(trace: &Trace, class: &JobClass) -> Vec<LineRef> {
    let mut attempts: Vec<&TaskAttempt> = match class.class {
        Class::Application => trace.tasks_of(class.job).iter().filter(|t| t.outcome == Some(Outcome::Failed)).collect(),
        Class::Skew => class.skewed.and_then(|(attempt, _)| trace.task(attempt)).into_iter().collect(),
        Class::None | Class::Infrastructure => Vec::new(),
    };
    attempts.arrange_by(|t| (t.error.is_none(), t.finish, t.id));
    first_unlike(attempts.into_iter().map(|t| t.place)).into_iter().map(|place| LineRef::of(trace, place)).collect()
}

/// The first places, each once: a trace of jobs tells of all attempts of a job in one line.
fn first_unlike(places: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut unlike = Vec::new();
    for place in places {
        if unlike.len() < LINES_NAMED && !unlike.contains(&place) {
            unlike.push(place);
        }
    }
    unlike
}

fn advice_row(a: &Advice) -> AdviceRow {
    AdviceRow {
        rule: a.rule.to_owned(),
        severity: a.severity.name().to_owned(),
        text: a.text.clone(),
        suggestion: a.suggestion.to_owned(),
    }
}

/// The incidents in order of time.
pub(super) fn incidents(trace: &Trace, witnesses: &[Witness]) -> Vec<IncidentRow> {
    let found = witnesses.iter().filter_map(|w| match &w.comparison {
        Some(Comparison::Jobs(incidents)) => Some(incidents),
        _ => None,
    });
    let row = |i: &crate::diagnosis::theia::Incident| IncidentRow {
        node: trace.node_name(i.node).to_owned(),
        from_ms: i.span.0.millis(),
        to_ms: i.span.1.millis(),
        jobs: i.jobs.iter().map(ToString::to_string).collect(),
        text: i.in_words(trace),
    };
    found.flatten().map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;
    use crate::diagnosis::peer_similarity::Likeness;
    use crate::diagnosis::{Method, Signal};

    #[test]
    fn nodes_of_all_kinds_of_hardware_count_for_how_alike_they_are() {
        let job = JobId { cluster: 1, number: 1 };
        let kind = |alike, of, constant| Witness {
            comparison: Some(Comparison::Likeness(vec![Likeness { job, alike, of, constant }])),
            ..Witness::new(Method::PeerSimilarity, Signal::Calls)
        };
        let sum = LikenessRow { alike: 5, of: 7, constant: 1 };
        assert_eq!(likeness(&[kind(3, 3, 0), kind(2, 4, 1)]).get(&job), Some(&sum));
    }

    #[test]
    fn line_that_tells_of_several_attempts_is_named_once() {
        let at = |line| Place { file: FileId(0), line };
        let lines = |lines: &[u64]| {
            first_unlike(lines.iter().map(|line| at(*line))).iter().map(|place| place.line).collect::<Vec<_>>()
        };
        assert_eq!(lines(&[7, 7, 7]), [7]);
        assert_eq!(lines(&[9, 2, 9, 5, 2, 4]), [9, 2, 5], "in order, and no more than are named");
        assert_eq!(lines(&[]), Vec::<u64>::new());
    }
}
