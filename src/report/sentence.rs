//! The verdict in sentences, made of a report's own fields: whoever holds the fields can
//! make the sentence anew and see whether it is the one that was sent.

use super::{Culprit, JobRow, OutcomeKind, Report};
use crate::base::Timestamp;
use crate::diagnosis::cause::Cause;
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::{Reason, class_of_trouble};

/// The verdict in one sentence, or one a culprit.
#[must_use]
pub fn of_verdict(report: &Report) -> String {
    match report.verdict.outcome {
        OutcomeKind::Indicted if report.verdict.culprits.is_empty() => {
            String::from("A node is at fault; there was no room to say which.")
        }
        OutcomeKind::Indicted => {
            let sentences: Vec<String> = report.verdict.culprits.iter().map(of_culprit).collect();
            sentences.join(" ")
        }
        OutcomeKind::Clean => clean(report),
        OutcomeKind::NoVerdict => {
            let known = report.verdict.reason.as_deref().and_then(Reason::of_name).map(Reason::text);
            format!("No verdict: {}", known.unwrap_or("the nodes could not be compared."))
        }
    }
}

/// One culprit: which node, since when, what is wrong, how sure, who acts.
#[must_use]
pub fn of_culprit(c: &Culprit) -> String {
    let time = |ms| Timestamp::from_millis(ms).to_string();
    let since = c.since_ms.map_or_else(String::new, |ms| format!(" since {} UTC", seconds_of(&time(ms))));
    let (what, _) = words_of(&c.cause);
    let sure = in_words(c.sureness);
    format!("{} is at fault{since}: {what}; {sure} ({:.2}). This is for the cluster's operator.", c.node, c.sureness)
}

/// "Clean" speaks of the nodes; a job in trouble is named beside it (T02).
fn clean(report: &Report) -> String {
    let counted = || report.nodes.len().saturating_sub(report.no_evidence.len()) as u64;
    let nodes = report.compared.unwrap_or_else(counted);
    let mut text =
        format!("No node stands out among the {nodes} compared; what slows all of them alike would not show.");
    let mut ill = report.jobs.iter().filter_map(|job| Some((&job.job, trouble(&job.class)?)));
    if let Some((first, what)) = ill.next() {
        let more = match ill.count() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        text.push_str(&format!(" But see {first} ({what}){more}: that is for the job's owner."));
    }
    text
}

/// The job that the verdict's sentence names.
pub(super) fn named_job(report: &Report) -> Option<&JobRow> {
    let names_one = report.verdict.outcome == OutcomeKind::Clean;
    report.jobs.iter().find(|job| names_one && trouble(&job.class).is_some())
}

fn trouble(class: &str) -> Option<&'static str> {
    [Class::Application, Class::Skew].into_iter().find(|c| c.name() == class).and_then(class_of_trouble)
}

/// A time without its milliseconds.
fn seconds_of(time: &str) -> &str {
    time.split(',').next().unwrap_or(time)
}

/// What a cause looks like, and what to do about it; of a name that no cause has, nothing.
#[must_use]
pub fn words_of(cause: &str) -> (&'static str, &'static str) {
    match Cause::of_name(cause) {
        Some(Cause::Cpu) => (
            "its tasks take far longer than its peers', as if its processor were taken",
            "Look on the node for processes besides Hadoop (top, ps), for throttling or too few cores; take it out of service while you look.",
        ),
        Some(Cause::Crashed) => (
            "its daemons fall silent while the others go on",
            "See whether the node is up, and why its daemons ended (their .out files, dmesg); start them again.",
        ),
        Some(Cause::Disk) => (
            "work with data takes far longer on it than on its peers, as if its disk were slow or busy",
            "Look on the node at iostat -x and smartctl, and for processes that write; take it out of service while you look.",
        ),
        Some(Cause::DiskFull) => (
            "its tasks fail for lack of disk space",
            "Free space below the local and data directories of the node (df), and find what took it.",
        ),
        Some(Cause::Hang) => (
            "tasks on it stand still",
            "Take a thread dump (jstack) of the hanging tasks and look at the node's own daemons; restart them. If other nodes follow, it may be a bug of Hadoop's own: look in its issue tracker for what the dump shows.",
        ),
        Some(Cause::Network) => (
            "data moved from and to it takes far longer than between its peers, as if its network lost packets",
            "Look on the node at ip -s link and netstat -s for errors, drops and retransmissions; check cable, port and duplex; take it out of service while you look.",
        ),
        Some(Cause::Unknown) | None => (
            "it is slower than its peers",
            "Look at the node's processors, disks and network; the evidence names the work that is slow.",
        ),
    }
}

fn in_words(sureness: f64) -> &'static str {
    if sureness >= 0.95 {
        "almost certain"
    } else if sureness >= 0.85 {
        "very likely"
    } else {
        "likely"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_have_all_texts() {
        let texts = include_str!("../../docs/verdicts.md");
        let of_causes = Cause::ALL.into_iter().flat_map(|cause| <[&str; 2]>::from(words_of(cause.name())));
        let of_reasons = Reason::ALL.into_iter().map(Reason::text);
        let of_classes = [Class::Application, Class::Skew].into_iter().filter_map(class_of_trouble);
        let missing: Vec<&str> =
            of_causes.chain(of_reasons).chain(of_classes).filter(|text| !texts.contains(text)).collect();
        assert_eq!(missing, Vec::<&str>::new());
    }
}
