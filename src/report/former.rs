//! Sentences as earlier versions wrote them: their links and reports still open, and are shown in the words of now.

use super::sentence::{compared, none_stands_out, of_culprits, of_ill_jobs, worded, words_of};
use super::{Culprit, OutcomeKind, Report};
use crate::base::TimeZone;
use crate::diagnosis::verdict::Reason;

/// Wordings of now, each with one that it replaced.
const REPLACED: [(&str, &str); 14] = [
    ("has been at fault since", "is at fault since"),
    (" more: those are for the job's owner.", " more: that is for the job's owner."),
    ("as if its CPU were overloaded", "as if its processor were taken"),
    ("its CPU is far busier", "its processor is far busier"),
    (
        "it, or one of its daemons, fell silent while the other nodes went on",
        "it falls silent, or a daemon of it, while the others go on",
    ),
    ("it has no disk space left, so that tasks or block writes fail on it", "its tasks fail for lack of disk space"),
    ("a fault that slows all of them alike cannot be seen this way.", "what slows all of them alike would not show."),
    (
        Reason::NoLogs.text(),
        "No log of Hadoop's was found. Drop the log folders of all nodes, and the job history of the master.",
    ),
    (
        Reason::NoLogs.text(),
        "No log of Hadoop's was found whose lines are understood; the coverage says what each file is. Drop the log folders of all nodes, and the job history of the master.",
    ),
    (
        Reason::Idle.text(),
        "No task and no block transfer is in these logs. Drop logs of a time when jobs ran, job history included.",
    ),
    (
        Reason::NoPeers.text(),
        "Nodes are compared with their peers, and there are fewer than three of one cluster and hardware here. Drop the logs of more nodes.",
    ),
    (
        Reason::TooFewData.text(),
        "Too few tasks and transfers on most nodes to compare them. Drop the logs of a longer time, or of more jobs.",
    ),
    (
        "Many nodes are alike and unlike the control runs; a comparison of peers cannot",
        "Many nodes alike, unlike the control runs: peers cannot",
    ),
    (
        "the job). If the work differs from that of the control runs, add",
        "the job); if the work is another than in the control runs, add",
    ),
];

/// A sentence in the words of now.
pub(super) fn renewed(said: &str) -> String {
    REPLACED.iter().fold(said.to_owned(), |said, (new, old)| said.replace(old, new))
}

/// Whether a culprit's sentence reads as earlier versions wrote it: by the cause alone, and in UTC.
pub(super) fn is_of_culprit(c: &Culprit) -> bool {
    renewed(&c.sentence) == by_cause(c)
}

/// Whether a verdict's does, which named no job beside a culprit, and jobs behind the nodes where there was none.
pub(super) fn is_of_verdict(report: &Report) -> bool {
    let verdict = &report.verdict;
    let by_cause: Vec<String> = verdict.culprits.iter().map(by_cause).collect();
    let said = renewed(&verdict.sentence);
    match verdict.outcome {
        OutcomeKind::Indicted => !by_cause.is_empty() && [by_cause.join(" "), of_culprits(report)].contains(&said),
        OutcomeKind::Clean => {
            let jobs = said.strip_prefix(&none_stands_out(compared(report)));
            jobs.is_some_and(|jobs| !jobs.is_empty() && jobs == of_ill_jobs(report))
        }
        OutcomeKind::NoVerdict => false,
    }
}

fn by_cause(c: &Culprit) -> String {
    worded(c, words_of(&c.cause).0, TimeZone::Utc)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{JobRow, Verdict};

    #[test]
    fn job_that_once_stood_behind_the_nodes_follows_from_the_same_fields() {
        let with = |job: &str, jobs: &str| {
            let row = JobRow { job: job.into(), class: "skew".into(), ..JobRow::default() };
            let sentence = format!(
                "No node stands out among the 3 compared; a fault that slows all of them alike cannot be seen this way.{jobs}"
            );
            let verdict = Verdict { outcome: OutcomeKind::Clean, sentence, ..Verdict::default() };
            is_of_verdict(&Report { verdict, compared: Some(3), jobs: vec![row], ..Report::default() })
        };
        let said = " But see job_1 (its data is skewed): that is for the job's owner.";
        assert!(with("job_1", said));
        assert!(!with("job_2", said) && !with("job_1", ""));
    }

    #[test]
    fn words_of_now_are_left_as_they_are() {
        for (new, old) in REPLACED {
            assert_eq!((renewed(new).as_str(), renewed(old).as_str()), (new, new));
        }
    }
}
