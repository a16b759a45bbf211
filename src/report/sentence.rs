//! The verdict in sentences, made of a report's own fields: whoever holds the fields can
//! make the sentence anew and see whether it is the one that was sent.

use super::{Culprit, JobRow, OutcomeKind, Report};
use crate::base::text::and_more;
use crate::base::{TimeZone, Timestamp};
use crate::diagnosis::cause::{Cause, Rule};
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::{Reason, class_of_trouble};
use crate::diagnosis::{Method, Signal};
use crate::model::ComplaintKind;

/// The verdict as the report says it; one that says nothing, as a version of another day would write it.
#[must_use]
pub fn of_report(report: &Report) -> String {
    if report.verdict.sentence.is_empty() { of_verdict(report) } else { report.verdict.sentence.clone() }
}

/// The verdict in a few words, for a title.
#[must_use]
pub fn title(report: &Report) -> String {
    match (report.verdict.outcome, report.verdict.culprits.as_slice()) {
        (OutcomeKind::Indicted, [only]) => {
            format!("{} {} ({})", only.node, is_at_fault(only), cause_in_words(&only.cause))
        }
        (OutcomeKind::Indicted, []) => String::from("A node is at fault"),
        (OutcomeKind::Indicted, many) => format!("{} nodes are at fault", many.len()),
        (OutcomeKind::Clean, _) => String::from("No node stands out"),
        (OutcomeKind::NoVerdict, _) => String::from("No verdict"),
    }
}

/// Behind the name of a culprit: a fault may have ended before its logs do.
#[must_use]
pub const fn is_at_fault(culprit: &Culprit) -> &'static str {
    if culprit.until_ms.is_some() { "was at fault" } else { "is at fault" }
}

/// A cause as people write it.
#[must_use]
pub fn cause_in_words(name: &str) -> String {
    match name {
        "cpu" => "CPU".to_owned(),
        "disk-full" => "disk full".to_owned(),
        other => other.replace('-', " "),
    }
}

/// The verdict in one sentence, or one a culprit.
#[must_use]
pub fn of_verdict(report: &Report) -> String {
    match report.verdict.outcome {
        OutcomeKind::Indicted if report.verdict.culprits.is_empty() => {
            String::from("A node is at fault; there was no room to say which.")
        }
        OutcomeKind::Indicted => {
            format!("{}{}", of_culprits(report), of_ill_jobs(report))
        }
        OutcomeKind::Clean => clean(report),
        OutcomeKind::NoVerdict => {
            let known = report.verdict.reason.as_deref().and_then(Reason::named).map(Reason::text);
            format!("No verdict: {}", known.unwrap_or("the nodes could not be compared."))
        }
    }
}

pub(super) fn of_culprits(report: &Report) -> String {
    let zone = report.clock.zone();
    let sentences: Vec<String> = report.verdict.culprits.iter().map(|c| of_culprit(c, zone)).collect();
    sentences.join(" ")
}

/// Whether what is said of a culprit stands in the verdict's sentence, and beside no other's.
#[must_use]
pub fn is_headline(report: &Report, c: &Culprit) -> bool {
    report.verdict.culprits.len() == 1 && of_report(report).starts_with(&c.sentence)
}

/// A culprit is the verdict; a job in trouble is named beside it (T02).
pub(super) fn of_ill_jobs(report: &Report) -> String {
    let mut ill = ill_jobs(report);
    let Some(first) = ill.next() else { return String::new() };
    let (what, more) = (trouble(&first.class).unwrap_or_default(), and_more(ill.count()));
    let are = if more.is_empty() { "that is" } else { "those are" };
    format!(" But see {} ({what}){more}: {are} for the job's owner.", first.job)
}

/// One culprit: which node, since when, what is wrong, how sure, who acts. Logs whose zone is not known tell no UTC.
#[must_use]
pub fn of_culprit(c: &Culprit, zone: TimeZone) -> String {
    worded(c, what(c), zone)
}

/// The same, with what is wrong in these words.
pub(super) fn worded(c: &Culprit, what: &str, zone: TimeZone) -> String {
    let time = |ms| Timestamp::from_millis(ms).to_seconds();
    let zone = zone.name();
    let when = match (c.since_ms, c.until_ms) {
        (None, None) => String::from("is at fault"),
        (Some(since), None) => format!("has been at fault since {} {zone}", time(since)),
        (None, Some(until)) => format!("was at fault until {} {zone}", time(until)),
        (Some(since), Some(until)) => format!("was at fault from {} to {} {zone}", time(since), time(until)),
    };
    let sure = in_words(c.sureness);
    format!("{} {when}: {what}; {sure} ({:.2}). This is for the cluster's operator.", c.node, c.sureness)
}

/// Of a node whose logs complain of its disks, and nothing was timed.
const DISKS_FAIL: &str = "its disks fail or are slow, as the logs say";

/// Of a node that others cannot reach, where nobody timed what was moved.
const UNREACHED: &str = "other nodes fail to reach it or to fetch from it, as if its network lost packets";

/// Of a node whose own attempts tell of it, and nobody else.
const UNREACHING: &str = "its tasks fail to reach other nodes or to fetch from them, as if its network lost packets";

/// Of a node whose tasks may well go on, but whose map outputs are not to be had.
const UNSERVED: &str = "map outputs that it holds cannot be fetched from it";

/// Of a node whose reduces cannot merge what they had fetched.
const UNMERGED: &str = "map outputs that its reduces had fetched are gone";

/// What to do about either: such a node mostly works, but for its folders.
const OUTPUTS_LOST: &str = "See whether the folders of mapred.local.dir or yarn.nodemanager.local-dirs on the node were emptied or cannot be written (df, mount, cron jobs that clean up), and what its logs say of them. If the folders are whole, take thread dumps (jstack) of its TaskTracker or NodeManager, then restart it.";

/// Of a node of which a daemon was lost, or says that it stood still, while nothing shows that a task hung.
const STOOD: &str = "one of its daemons stood still";

/// Of a node of which no duration was compared, and no cause is told.
const FAILS: &str = "work fails on it or with it, more than on its peers";

/// What is wrong, as far as the evidence goes: where no duration speaks, nothing is said to be slow.
pub(super) fn what(c: &Culprit) -> &'static str {
    let [words, metrics] = [Method::SlowWarnings, Method::KahunaBb].map(Method::name);
    let said = c.evidence.iter().any(|e| e.method == words);
    let measured = c.evidence.iter().any(|e| e.method == metrics);
    let timed = c.evidence.iter().any(|e| e.method != words && e.method != metrics);
    // What Theia says of jobs may be of attempts that failed.
    let compared = c.evidence.iter().any(|e| [Method::KahunaWb, Method::Flows].iter().any(|m| e.method == m.name()));
    let tells = |signal: Signal| c.evidence.iter().any(|e| e.method == words && e.signal == signal.name());
    let only = |kind: ComplaintKind| {
        c.evidence.iter().filter(|e| e.method == words).all(|e| e.signal == Signal::Complaints(kind).name())
    };
    let complains = |kind: ComplaintKind| tells(Signal::Complaints(kind));
    let disk_said =
        [ComplaintKind::BadDisk, ComplaintKind::SlowDisk, ComplaintKind::BadChecksum].into_iter().any(complains);
    let (lost, unserved) = (complains(ComplaintKind::LostNode), complains(ComplaintKind::MapOutputLost));
    let unmerged = complains(ComplaintKind::FetchedOutputLost);
    let paused = complains(ComplaintKind::Paused);
    let stands = complains(ComplaintKind::TimedOut) || tells(Signal::Stuck);
    let moved = c.evidence.iter().any(|e| e.method == Method::Flows.name());
    match Cause::named(&c.cause) {
        Some(Cause::Disk) if disk_said && !compared => DISKS_FAIL,
        Some(Cause::Hang) if unserved && !compared && !stands => UNSERVED,
        Some(Cause::Hang) if unmerged && !compared && !stands => UNMERGED,
        Some(Cause::Hang) if (lost || paused) && !stands => STOOD,
        Some(Cause::Network) if lost && !moved => UNREACHED,
        Some(Cause::Unknown) | None if said && !compared && !measured => FAILS,
        _ if timed || !(said || measured) => words_of(&c.cause).0,
        Some(Cause::Cpu) => "its CPU is far busier than its peers'",
        Some(Cause::Disk) if !said => "its disk is far busier than its peers'",
        Some(Cause::Disk) => DISKS_FAIL,
        Some(Cause::Network) if !said => "it moves far less data than its peers, as if its network lost packets",
        Some(Cause::Network) if only(ComplaintKind::AttemptFailed) => UNREACHING,
        Some(Cause::Network) => UNREACHED,
        Some(Cause::Unknown) | None if !said => "its metrics are unlike its peers'",
        Some(Cause::Unknown) | None => FAILS,
        _ => words_of(&c.cause).0,
    }
}

/// How many nodes were compared and could be judged; earlier versions did not say.
pub(super) fn compared(report: &Report) -> u64 {
    report.compared.unwrap_or_else(|| report.nodes.len().saturating_sub(report.no_evidence.len()) as u64)
}

/// Where a job has trouble of its own, that comes first: it is the answer to whoever asks.
fn clean(report: &Report) -> String {
    let (nodes, mut ill) = (compared(report), ill_jobs(report));
    let Some(first) = ill.next() else { return none_stands_out(nodes) };
    let what = trouble(&first.class).unwrap_or_default();
    let more = match ill.count() {
        0 => String::new(),
        1 => String::from(" (one more job has trouble of its own)"),
        more => format!(" ({more} more jobs have trouble of their own)"),
    };
    format!("{}: {what}{more}. This is for the job's owner; no node stands out among the {nodes} compared.", first.job)
}

/// Of so many nodes that were compared.
pub(super) fn none_stands_out(nodes: u64) -> String {
    format!(
        "No node stands out among the {nodes} compared; a fault that slows all of them alike cannot be seen this way."
    )
}

/// The job that the verdict's sentence names.
pub(super) fn named_job(report: &Report) -> Option<&JobRow> {
    ill_jobs(report).next().filter(|_| report.verdict.outcome != OutcomeKind::NoVerdict)
}

/// The jobs with trouble of their own.
pub fn ill_jobs(report: &Report) -> impl Iterator<Item = &JobRow> {
    report.jobs.iter().filter(|job| trouble(&job.class).is_some())
}

/// What the owner of a job with trouble of its own does about it; of another class, nothing.
#[must_use]
pub fn job_advice(class: &str) -> &'static str {
    match [Class::Application, Class::Skew].into_iter().find(|c| c.name() == class) {
        Some(Class::Application) => {
            "Look up the error its attempts failed with, and run the job alone on one of the inputs that fail. The nodes are not the cause."
        }
        Some(_) => {
            "Find the keys or the input that gave one task far more data, and spread them: a combiner, a custom partitioner, smaller splits. The nodes are not the cause."
        }
        None => "",
    }
}

/// What a job's owner would call a class of trouble; `None` where there is none of the owner's.
#[must_use]
pub fn trouble(class: &str) -> Option<&'static str> {
    [Class::Application, Class::Skew].into_iter().find(|c| c.name() == class).and_then(class_of_trouble)
}

/// What a cause looks like, and what to do about it; of a name that no cause has, nothing.
#[must_use]
pub fn words_of(cause: &str) -> (&'static str, &'static str) {
    match Cause::named(cause) {
        Some(Cause::Cpu) => (
            "its tasks take far longer than its peers', as if its CPU were overloaded",
            "Look on the node for processes besides Hadoop (top, ps), for throttling or too few cores; take it out of service while you look.",
        ),
        Some(Cause::Crashed) => (
            "it, or one of its daemons, fell silent while the other nodes went on",
            "See whether the node is up, and why its daemons ended (their .out files, dmesg); start them again.",
        ),
        Some(Cause::Disk) => (
            "work with data takes far longer on it than on its peers, as if its disk were slow or busy",
            "Look on the node at iostat -x, smartctl, df and mount (is each disk there, and can it be written?), and for processes that write; take it out of service while you look.",
        ),
        Some(Cause::DiskFull) => (
            "it has no disk space left, so that tasks or block writes fail on it",
            "Free space below the local and data directories of the node (df), and find what took it.",
        ),
        Some(Cause::Hang) => (
            "tasks on it stand still",
            "Take thread dumps (jstack) of the node's daemons and of any task that hangs there, then restart the daemons. If other nodes follow, it may be a bug in Hadoop itself: search its issue tracker for what the dumps show.",
        ),
        Some(Cause::Network) => (
            "data moved from and to it takes far longer than between its peers, as if its network lost packets",
            "Look on the node at ip -s link and netstat -s for errors, drops and retransmissions; check cable, port and duplex; take it out of service while you look.",
        ),
        Some(Cause::Unknown) | None => (
            "it is slower than its peers",
            "Look at the node's processors, disks and network; the evidence names the work that is slow or fails.",
        ),
    }
}

/// Of a fault that has passed, before what to do about one of its kind.
const PASSED: &str = "The fault has passed. Look in the node's logs, cron jobs and systemd timers for what ran at that time. If it comes back:";

/// What to do about a culprit.
#[must_use]
pub fn advice(c: &Culprit) -> String {
    let advice = if [UNSERVED, UNMERGED].contains(&what(c)) { OUTPUTS_LOST } else { words_of(&c.cause).1 };
    if c.until_ms.is_some() { format!("{PASSED} {advice}") } else { advice.to_owned() }
}

/// Why a culprit has its cause, if it says so in words that name this cause; else nothing.
#[must_use]
pub fn because(c: &Culprit) -> &'static str {
    Rule::of_words(&c.because).filter(|rule| rule.cause().name() == c.cause).map_or("", Rule::in_words)
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
    use super::super::{Evidence, NoEvidenceRow, Verdict};
    use super::*;
    use crate::diagnosis::idle::NoEvidence;

    /// What is said of a culprit with this cause and such evidence: methods and signals.
    fn what_of(cause: &str, said: &[(&str, &str)]) -> &'static str {
        let evidence = |(method, signal): &(&str, &str)| Evidence {
            method: (*method).into(),
            signal: (*signal).into(),
            ..Evidence::default()
        };
        what(&Culprit { cause: cause.into(), evidence: said.iter().map(evidence).collect(), ..Culprit::default() })
    }

    #[test]
    fn nothing_is_said_to_be_slow_that_was_not_timed() {
        let culprit = |cause: &str, methods: &[&str]| {
            let evidence = |method: &&str| Evidence { method: (*method).into(), ..Evidence::default() };
            let evidence = methods.iter().map(evidence).collect();
            Culprit { node: "h1".into(), cause: cause.into(), evidence, ..Culprit::default() }
        };
        let texts = include_str!("../../docs/verdicts.md");
        for cause in Cause::ALL.map(Cause::name) {
            assert_eq!(what(&culprit(cause, &["kahuna-wb", "kahuna-bb"])), words_of(cause).0);
            assert_eq!(what(&culprit(cause, &[])), words_of(cause).0);
            for methods in [&["kahuna-bb"][..], &["slow-warnings"], &["kahuna-bb", "slow-warnings"]] {
                let what = what(&culprit(cause, methods));
                let tells_times = ["hang", "crashed", "disk-full"].contains(&cause);
                assert!(tells_times || !(what.contains("longer") || what.contains("slower")), "{what}");
                assert!(texts.contains(what), "{what} is not in docs/verdicts.md");
            }
        }
    }

    #[test]
    fn node_that_serves_no_map_outputs_is_not_said_to_have_tasks_that_stand_still() {
        let of = |said: &[(&str, &str)]| what_of("hang", said);
        let (lost, failed) = (("slow-warnings", "map-output-lost"), ("slow-warnings", "fetch-failed"));
        assert_eq!(of(&[lost, failed]), UNSERVED);
        for stands in [("slow-warnings", "stuck"), ("slow-warnings", "timed-out"), ("kahuna-wb", "Reduce")] {
            assert_eq!(of(&[lost, stands]), words_of("hang").0);
        }
        assert_eq!(of(&[failed]), words_of("hang").0);
        assert_eq!(of(&[("slow-warnings", "fetched-output-lost")]), UNMERGED);
        for what in [UNSERVED, UNMERGED, OUTPUTS_LOST] {
            assert!(include_str!("../../docs/verdicts.md").contains(what));
        }
    }

    #[test]
    fn who_lost_map_outputs_is_to_look_at_their_folders() {
        let advice_on = |signal: &str| {
            let evidence = Evidence { method: "slow-warnings".into(), signal: signal.into(), ..Evidence::default() };
            advice(&Culprit { cause: "hang".into(), evidence: vec![evidence], ..Culprit::default() })
        };
        for signal in ["map-output-lost", "fetched-output-lost"] {
            assert!(advice_on(signal).contains("yarn.nodemanager.local-dirs"), "{}", advice_on(signal));
        }
        assert_eq!(advice_on("stuck"), words_of("hang").1);
    }

    #[test]
    fn disks_that_cannot_be_used_are_not_said_to_be_slow() {
        let of = |said: &[(&str, &str)]| what_of("disk", said);
        let (bad, failing) = (("slow-warnings", "bad-disk"), ("theia", "jobs"));
        assert_eq!(of(&[bad, failing]), DISKS_FAIL);
        assert_eq!(of(&[bad, failing, ("kahuna-wb", "Map")]), words_of("disk").0);
        assert_eq!(of(&[("slow-warnings", "blacklisted"), failing]), words_of("disk").0);
    }

    #[test]
    fn node_that_was_lost_is_not_reached_unless_transfers_were_timed() {
        let of = |said: &[(&str, &str)]| what_of("network", said);
        let (lost, maps) = (("slow-warnings", "lost-node"), ("kahuna-wb", "Map"));
        assert_eq!(of(&[lost, maps]), UNREACHED);
        assert_eq!(of(&[lost, maps, ("flows", "shuffle")]), words_of("network").0);
        assert_eq!(of(&[maps]), words_of("network").0);
    }

    #[test]
    fn job_in_trouble_comes_first_where_no_node_is() {
        let row = |job: &str, class: &str| JobRow { job: job.into(), class: class.into(), ..JobRow::default() };
        let of = |jobs: Vec<JobRow>| {
            let verdict = Verdict { outcome: OutcomeKind::Clean, ..Verdict::default() };
            of_verdict(&Report { verdict, compared: Some(6), jobs, ..Report::default() })
        };
        let said = of(vec![row("job_1", "none"), row("job_2", "application"), row("job_3", "skew")]);
        let expected = "job_2: its own code or data makes it fail (one more job has trouble of its own). This is for the job's owner; no node stands out among the 6 compared.";
        assert_eq!(said, expected);
        assert!(of(vec![row("job_1", "none")]).starts_with("No node stands out among the 6 compared;"));
    }

    #[test]
    fn daemon_that_paused_and_work_that_fails_are_told_as_such() {
        let paused = ("slow-warnings", "paused");
        let of = |said: &[(&str, &str)]| what_of("hang", said);
        assert_eq!(of(&[paused, ("flows", "read")]), STOOD);
        assert_eq!(of(&[paused, ("slow-warnings", "stuck")]), words_of("hang").0);
        let of = |said: &[(&str, &str)]| what_of("unknown", said);
        let (failed, jobs) = (("slow-warnings", "attempt-failed"), ("theia", "jobs"));
        assert_eq!(of(&[failed, jobs]), FAILS);
        assert_eq!(of(&[failed, jobs, ("kahuna-wb", "Map")]), words_of("unknown").0);
    }

    #[test]
    fn fault_that_has_passed_is_told_so() {
        let at = |since_ms, until_ms| Culprit {
            node: "h1".into(),
            cause: "cpu".into(),
            since_ms,
            until_ms,
            ..Culprit::default()
        };
        let begin = |c: &Culprit| of_culprit(c, TimeZone::Utc).split(": ").next().map(str::to_owned).unwrap();
        assert_eq!(begin(&at(Some(0), None)), "h1 has been at fault since 1970-01-01 00:00:00 UTC");
        let passed = at(Some(0), Some(90_000));
        assert_eq!(begin(&passed), "h1 was at fault from 1970-01-01 00:00:00 to 1970-01-01 00:01:30 UTC");
        assert!(advice(&passed).starts_with(PASSED) && advice(&passed).ends_with(words_of("cpu").1));
        assert_eq!(begin(&at(None, Some(90_000))), "h1 was at fault until 1970-01-01 00:01:30 UTC");
    }

    #[test]
    fn job_in_trouble_is_named_beside_a_culprit() {
        let mut c = Culprit { node: "h1".into(), cause: "cpu".into(), ..Culprit::default() };
        c.sentence = of_culprit(&c, TimeZone::Utc);
        let job = JobRow { job: "job_1".into(), class: "skew".into(), ..JobRow::default() };
        let mut report = Report { jobs: vec![job], ..Report::default() };
        (report.verdict.outcome, report.verdict.culprits) = (OutcomeKind::Indicted, vec![c.clone()]);
        let said = of_verdict(&report);
        assert!(said.ends_with("operator. But see job_1 (its data is skewed): that is for the job's owner."), "{said}");
        assert!(is_headline(&report, &c) && named_job(&report).is_some());
        report.jobs.push(report.jobs[0].clone());
        assert!(of_verdict(&report).ends_with("skewed) and 1 more: those are for the job's owner."));
        report.verdict.culprits.push(Culprit { node: "h2".into(), ..c.clone() });
        assert!(!is_headline(&report, &c), "which is said of each");
    }

    #[test]
    fn documents_have_all_texts() {
        let texts = include_str!("../../docs/verdicts.md");
        assert!(texts.contains(PASSED));
        let of_causes = Cause::ALL.into_iter().flat_map(|cause| <[&str; 2]>::from(words_of(cause.name())));
        let of_reasons = Reason::ALL.into_iter().map(Reason::text);
        let classes = [Class::Application, Class::Skew];
        let of_classes = classes.into_iter().filter_map(class_of_trouble);
        let of_jobs = classes.into_iter().map(|class| job_advice(class.name()));
        let all = of_causes.chain(of_reasons).chain(of_classes).chain(of_jobs);
        let missing: Vec<&str> = all.filter(|text| !texts.contains(text)).collect();
        assert_eq!(missing, Vec::<&str>::new());
        for why in [NoEvidence::Idle, NoEvidence::Unread, NoEvidence::TooFewData, NoEvidence::NoPeers] {
            let no_evidence = vec![NoEvidenceRow { node: "h105".into(), why: why.name().into() }];
            let told = Report { no_evidence, ..Report::default() }.no_evidence_in_words().unwrap();
            assert!(texts.contains(&told), "{told}");
        }
    }
}
