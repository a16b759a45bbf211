//! Which jobs are shown: by words, user, queue, status, class and time.

use crate::base::Timestamp;
use crate::base::text::holds;
use crate::report::JobRow;
use serde::{Deserialize, Serialize};

/// A choice of jobs; an empty text asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFilter {
    /// Words that id, name, user or queue must hold, each somewhere, in any case.
    pub words: String,
    /// Who submitted it.
    pub user: String,
    /// Its queue.
    pub queue: String,
    /// What became of it.
    pub status: String,
    /// Its class.
    pub class: String,
    /// How many of them are passed over: where a scrolled list begins.
    pub from: u32,
    /// The reader went there: the list need not hold the chosen job.
    pub turned: bool,
}

impl JobFilter {
    /// Whether a job is chosen.
    #[must_use]
    pub fn takes(&self, job: &JobRow, span: Option<(Timestamp, Timestamp)>) -> bool {
        let is = |wanted: &str, has: Option<&str>| wanted.is_empty() || has == Some(wanted);
        is(&self.user, job.user.as_deref())
            && is(&self.queue, job.queue.as_deref())
            && is(&self.status, Some(&job.status))
            && is(&self.class, Some(&job.class))
            && span.is_none_or(|span| overlaps(job, span))
            && self.words.split_whitespace().all(|word| has_word(job, word))
    }
}

fn has_word(job: &JobRow, word: &str) -> bool {
    let texts = [Some(job.job.as_str()), job.name.as_deref(), job.user.as_deref(), job.queue.as_deref()];
    texts.into_iter().flatten().any(|text| holds(text, word))
}

/// Whether a job ran in a stretch of time; one of unknown time is not left out.
fn overlaps(job: &JobRow, (from, to): (Timestamp, Timestamp)) -> bool {
    let Some(start) = job.start_ms else { return true };
    start <= to.millis() && job.finish_ms.is_none_or(|end| end >= from.millis())
}

/// How the rows of a heatmap are ordered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowOrder {
    /// By name.
    #[default]
    Name,
    /// The most anomalous first.
    Anomaly,
    /// Nodes that are anomalous in the same jobs beside one another.
    Similarity,
}

impl RowOrder {
    /// All, in the order of the page.
    pub const ALL: [Self; 3] = [Self::Name, Self::Anomaly, Self::Similarity];

    /// The name on the page.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Anomaly => "anomaly",
            Self::Similarity => "similarity",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job() -> JobRow {
        JobRow {
            job: "job_1_0007".into(),
            name: Some("Word Count".into()),
            user: Some("ann".into()),
            queue: Some("research".into()),
            status: "failed".into(),
            class: "application".into(),
            start_ms: Some(1000),
            finish_ms: Some(2000),
            ..JobRow::default()
        }
    }

    fn takes(filter: JobFilter) -> bool {
        filter.takes(&job(), None)
    }

    #[test]
    fn each_field_has_to_fit() {
        assert!(takes(JobFilter::default()));
        assert!(takes(JobFilter { user: "ann".into(), status: "failed".into(), ..JobFilter::default() }));
        assert!(!takes(JobFilter { user: "ann".into(), status: "success".into(), ..JobFilter::default() }));
        assert!(!takes(JobFilter { queue: "default".into(), ..JobFilter::default() }));
        assert!(!takes(JobFilter { class: "skew".into(), ..JobFilter::default() }));
    }

    #[test]
    fn every_word_has_to_be_somewhere() {
        let words = |words: &str| takes(JobFilter { words: words.into(), ..JobFilter::default() });
        assert!(words("count ANN") && words("0007") && words("  "));
        assert!(!words("count bob"));
    }

    #[test]
    fn jobs_that_ran_in_the_time_are_taken() {
        let at = |from, to| {
            let span = (Timestamp::from_millis(from), Timestamp::from_millis(to));
            JobFilter::default().takes(&job(), Some(span))
        };
        assert!(at(1500, 1600) && at(0, 1000) && at(2000, 9000));
        assert!(!at(0, 999) && !at(2001, 9000));
    }
}
