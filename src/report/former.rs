//! Sentences as earlier versions wrote them: their links and reports still open, and are shown in the words of now.

use super::sentence::{compared, none_stands_out, of_culprit, of_culprits, of_ill_jobs, worded};
use super::symptom::{LATE_TO_CONNECT, UNREACHED, what, words_of};
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

/// Whether a culprit's sentence reads as earlier versions wrote it: by the cause alone, or in UTC, or as if who is reached
/// late were not reached.
pub(super) fn is_of_culprit(c: &Culprit, zone: TimeZone) -> bool {
    let said = renewed(&c.sentence);
    let unreached = (what(c) == LATE_TO_CONNECT).then_some(UNREACHED);
    let whats = || [Some(words_of(&c.cause).0), unreached].into_iter().flatten();
    [TimeZone::Utc, zone].iter().any(|zone| whats().any(|what| said == worded(c, what, *zone)))
}

/// Whether a verdict's does, which was made of the culprits' own, named no job beside them, and jobs behind the nodes where
/// there was none.
pub(super) fn is_of_verdict(report: &Report) -> bool {
    let verdict = &report.verdict;
    let said = renewed(&verdict.sentence);
    let zone = report.clock.zone();
    let follows = |c: &&Culprit| is_of_culprit(c, zone) || renewed(&c.sentence) == of_culprit(c, zone);
    let own: Vec<String> = verdict.culprits.iter().filter(follows).map(|c| renewed(&c.sentence)).collect();
    let jobs = match verdict.outcome {
        OutcomeKind::Indicted if own.is_empty() => None,
        OutcomeKind::Indicted => said.strip_prefix(&own.join(" ")).or_else(|| said.strip_prefix(&of_culprits(report))),
        OutcomeKind::Clean => said.strip_prefix(&none_stands_out(compared(report))).filter(|jobs| !jobs.is_empty()),
        OutcomeKind::NoVerdict => None,
    };
    jobs.is_some_and(|jobs| jobs.is_empty() || jobs == of_ill_jobs(report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ZoneSource;
    use crate::report::{ClockRow, Evidence, JobRow, Verdict};

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

    /// A pause was once told as tasks that stand still.
    #[test]
    fn words_of_the_cause_alone_follow_in_any_zone_and_beside_jobs() {
        let paused = |zone: TimeZone| {
            let evidence =
                vec![Evidence { method: "slow-warnings".into(), signal: "paused".into(), ..Evidence::default() }];
            let mut c =
                Culprit { node: "h1".into(), cause: "hang".into(), since_ms: Some(9), evidence, ..Culprit::default() };
            c.sentence = worded(&c, words_of("hang").0, zone);
            assert_ne!(c.sentence, crate::report::sentence::of_culprit(&c, zone), "the case");
            c
        };
        let job = JobRow { job: "job_1".into(), class: "skew".into(), ..JobRow::default() };
        let told = |source: ZoneSource, culprits: Vec<Culprit>, jobs: &str| {
            let sentences: Vec<&str> = culprits.iter().map(|c| c.sentence.as_str()).collect();
            let sentence = sentences.join(" ") + jobs;
            let verdict = Verdict { outcome: OutcomeKind::Indicted, sentence, culprits, ..Verdict::default() };
            let clock = ClockRow { source: source.name().to_owned(), ..ClockRow::default() };
            is_of_verdict(&Report { verdict, clock, jobs: vec![job.clone()], ..Report::default() })
        };
        let of_job = " But see job_1 (its data is skewed): that is for the job's owner.";
        for (zone, source) in [(TimeZone::Utc, ZoneSource::Found), (TimeZone::Unknown, ZoneSource::Assumed)] {
            assert!(is_of_culprit(&paused(zone), zone));
            assert!(told(source, vec![paused(zone)], "") && told(source, vec![paused(zone), paused(zone)], of_job));
            assert!(!told(source, vec![paused(zone)], " But see job_2."));
        }
    }

    #[test]
    fn who_is_reached_late_was_once_said_not_to_be_reached() {
        let said = |signal: &str, what: &str| {
            let method = |name: &str, signal: &str| Evidence {
                method: name.into(),
                signal: signal.into(),
                ..Evidence::default()
            };
            let evidence = vec![method("slow-warnings", signal), method("kahuna-bb", "levels")];
            let mut c = Culprit { node: "h1".into(), cause: "network".into(), evidence, ..Culprit::default() };
            c.sentence = worded(&c, what, TimeZone::Utc);
            is_of_culprit(&c, TimeZone::Utc)
        };
        assert!(said("slow-connect", UNREACHED));
        assert!(!said("attempt-failed", UNREACHED), "words of now are asked for elsewhere");
    }

    #[test]
    fn words_of_now_are_left_as_they_are() {
        for (new, old) in REPLACED {
            assert_eq!((renewed(new).as_str(), renewed(old).as_str()), (new, new));
        }
    }
}
