//! The verdict in sentences, made of a report's own fields: whoever holds the fields can
//! make the sentence anew and see whether it is the one that was sent.

use super::symptom::{cause_in_words, what};
use super::{Culprit, JobRow, OutcomeKind, Report, Suspect};
use crate::base::text::{and_more, named};
use crate::base::{TimeZone, Timestamp};
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::{Reason, class_of_trouble};
use std::borrow::Cow;

/// The verdict as the report says it; one that says nothing, as a version of another day would write it.
#[must_use]
pub fn of_report(report: &Report) -> String {
    if report.verdict.sentence.is_empty() { of_verdict(report) } else { report.verdict.sentence.clone() }
}

/// The verdict in a few words, for a title.
#[must_use]
pub fn title(report: &Report) -> String {
    let (culprits, has_all) = (report.verdict.culprits.as_slice(), !report.lacks_culprits());
    match (report.verdict.outcome, culprits) {
        (OutcomeKind::Indicted, [first]) if !has_all => format!("{} and others are at fault", first.node),
        (OutcomeKind::Indicted, [only]) => {
            format!("{} {} ({})", only.node, is_at_fault(only), cause_in_words(&only.cause))
        }
        (OutcomeKind::Indicted, []) => String::from("A node is at fault"),
        (OutcomeKind::Indicted, many) => {
            format!("{}{} nodes are at fault", if has_all { "" } else { "More than " }, many.len())
        }
        (OutcomeKind::Clean, _) => String::from("No node stands out"),
        (OutcomeKind::NoVerdict, _) => String::from("No verdict"),
    }
}

/// Above what is said against a node that is no culprit.
#[must_use]
pub fn against_suspect(suspect: &Suspect) -> String {
    format!("Said against {}, and not enough for a verdict", suspect.node)
}

/// Behind the name of a culprit: a fault may have ended before its logs do.
#[must_use]
pub const fn is_at_fault(culprit: &Culprit) -> &'static str {
    if culprit.until_ms.is_some() { "was at fault" } else { "is at fault" }
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

/// What the verdict says, as the title over its culprits: of several their names, as the sentence of each stands below,
/// and what it says behind these.
#[must_use]
pub fn headline<'s>(says: &'s str, report: &Report) -> Cow<'s, str> {
    let culprits = &report.verdict.culprits;
    let sentences: Vec<&str> = culprits.iter().map(|c| c.sentence.as_str()).collect();
    let rest = says.strip_prefix(&sentences.join(" ")).filter(|_| culprits.len() > 1);
    let Some(rest) = rest else { return Cow::Borrowed(says) };
    let names: Vec<String> = culprits.iter().map(|c| c.node.clone()).collect();
    let others = if report.lacks_culprits() { " and others" } else { "" };
    let are = match culprits.iter().filter(|c| c.until_ms.is_some()).count() {
        0 => "are",
        over if over == culprits.len() => "were",
        _ => "are or were",
    };
    Cow::Owned(format!("{}{others} {are} at fault.{rest}", named(&names)))
}

/// Whether what is said of a culprit stands in that title, and beside no other's.
#[must_use]
pub fn is_headline(headline: &str, report: &Report, c: &Culprit) -> bool {
    report.verdict.culprits.len() == 1 && headline.starts_with(&c.sentence)
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
    use super::super::rungs::{CULPRITS_BEYOND_FIVE, CULPRITS_BEYOND_ONE};
    use super::super::{NoEvidenceRow, SeldomRow, Verdict};
    use super::*;
    use crate::diagnosis::cause::Cause;
    use crate::diagnosis::idle::NoEvidence;
    use crate::report::symptom::{PASSED, advice, words_of};

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
        assert!(is_headline(&headline(&said, &report), &report, &c) && named_job(&report).is_some());
        report.jobs.push(report.jobs[0].clone());
        assert!(of_verdict(&report).ends_with("skewed) and 1 more: those are for the job's owner."));
        report.verdict.culprits.push(Culprit { node: "h2".into(), ..c.clone() });
        assert!(!is_headline(&of_verdict(&report), &report, &c), "which is said of each");
    }

    #[test]
    fn title_of_several_culprits_names_them() {
        let culprit = |node: &str, until_ms| {
            let c = Culprit { node: node.into(), cause: "cpu".into(), until_ms, ..Culprit::default() };
            Culprit { sentence: of_culprit(&c, TimeZone::Utc), ..c }
        };
        let of = |culprits: &[Culprit], left_out: &[&str]| {
            let mut report = Report::default();
            (report.verdict.outcome, report.verdict.culprits) = (OutcomeKind::Indicted, culprits.to_vec());
            report.left_out = left_out.iter().map(|left| (*left).to_owned()).collect();
            report
        };
        let (h1, h2) = (culprit("h1", None), culprit("h2", Some(0)));
        let said = |culprits: &[Culprit], left_out: &[&str]| {
            let report = of(culprits, left_out);
            headline(&of_verdict(&report), &report).into_owned()
        };
        assert_eq!(said(&[h1.clone(), culprit("h3", None)], &[]), "h1, h3 are at fault.");
        assert_eq!(said(&[h2.clone(), h2.clone()], &[]), "h2, h2 were at fault.");
        assert_eq!(said(&[h1.clone(), h2.clone()], &[]), "h1, h2 are or were at fault.");
        assert_eq!(said(std::slice::from_ref(&h1), &[]), h1.sentence, "of one there is no more to say");
        // A link that has not all of them has the sentences of all.
        let (cut, all) =
            (of(&[h1.clone(), h2.clone()], &[CULPRITS_BEYOND_FIVE]), of(&[h1.clone(), h2.clone(), h2.clone()], &[]));
        let expected = format!("h1, h2 and others are or were at fault. {}", h2.sentence);
        assert_eq!(headline(&of_verdict(&all), &cut), expected);
        assert_eq!(headline("Somebody is at fault.", &all), "Somebody is at fault.", "as it was written");
        assert_eq!(title(&all), "3 nodes are at fault");
        assert_eq!(title(&cut), "More than 2 nodes are at fault");
        assert_eq!(title(&of(&[h1], &[CULPRITS_BEYOND_ONE])), "h1 and others are at fault");
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
        for jobs in [0, 10] {
            let seldom = vec![SeldomRow { node: "h105".into(), jobs, of: 40 }];
            let told = Report { seldom, ..Report::default() }.no_evidence_in_words().unwrap();
            assert!(texts.contains(&told), "{told}");
        }
    }
}
