//! What a reader must know beside the verdict: that input was lost, or that something speaks against a node and is not
//! enough.

use super::clocks::SkewRow;
use super::oddest::oddest_in_all;
use super::{IssueRow, OutcomeKind, Report, WitnessRow, controls};
use crate::base::issue::Severity;
use crate::base::quantity::{counted, grouped, of_millis};
use crate::base::text::and_more;
use crate::base::{Code, zone_name};
use crate::diagnosis::MIN_PEERS;
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::Reason;
use std::collections::BTreeMap;

/// Issues of lost data after which each log that was there is still read, if only in part.
const OF_LESS: [Code; 11] = [
    // Nothing was there, or a line or a record is missing of a log that was read.
    Code::EmptyArchive,
    Code::OnlyZeros,
    Code::LineTooLong,
    Code::CutRecord,
    Code::BadRecord,
    // What cannot be given to a node is told as such (`unplaced`).
    Code::UnknownNode,
    // Calls and metrics are looked at beside the logs.
    Code::StraceWithoutTimes,
    Code::StraceWithoutDurations,
    Code::UnreadSysstat,
    Code::ForeignMetrics,
    Code::TablesSideBySide,
];

/// A clock that is off by less matters to nobody who reads when a fault began.
const CLOCK_OFF_MS: i64 = 10_000;
/// Nodes named of those that are spoken against beside a culprit.
const ALSO_NAMED: usize = 3;

/// Whether an issue tells of lost input.
#[must_use]
pub fn is_of_loss(row: &IssueRow) -> bool {
    row.severity >= Severity::DataLoss && !OF_LESS.iter().any(|code| code.name() == row.code)
}

/// All that is said beside the verdict, each a sentence: the nodes without evidence, then the doubts.
#[must_use]
pub fn and_no_evidence(report: &Report) -> Vec<String> {
    report.no_evidence_in_words().into_iter().chain(of(report)).collect()
}

/// The doubts, each a sentence.
#[must_use]
pub fn of(report: &Report) -> Vec<String> {
    let mut doubts: Vec<String> = lost(report).into_iter().chain(unplaced(report)).collect();
    doubts.extend(zone_disputed(report));
    doubts.extend(clock_off(report));
    doubts.extend(controls::doubts(report));
    let suspects = suspects(report);
    match report.verdict.outcome {
        OutcomeKind::Indicted => doubts.extend(also_suspected(&suspects)),
        _ => doubts.extend(suspects.iter().map(|(node, by)| suspected(report, node, by))),
    }
    if report.verdict.outcome == OutcomeKind::Clean {
        let ill = report.jobs.iter().filter(|job| job.class == Class::Infrastructure.name());
        doubts.extend(ill.map(|job| format!("{} looks as if a node were at fault: {}.", job.job, job.rule)).take(1));
        doubts.extend(oddest_in_all(report).map(|(node, of)| {
            format!(
                "{node} is the oddest in each of four kinds of data, though by too little: by chance that happens in one run of {}. Watch it.",
                grouped(of)
            )
        }));
    }
    doubts
}

/// Whether a single node may be spoken of that is no culprit: not where there is no verdict since too many stand out.
fn may_suspect(report: &Report) -> bool {
    let reason = report.verdict.reason.as_deref().and_then(Reason::named);
    let too_little = matches!(reason, Some(Reason::NoLogs | Reason::Idle | Reason::NoPeers | Reason::TooFewData));
    match report.verdict.outcome {
        OutcomeKind::Clean => true,
        OutcomeKind::Indicted => false,
        OutcomeKind::NoVerdict => too_little,
    }
}

fn lost(report: &Report) -> Option<String> {
    let mut rows = report.issues.iter().filter(|row| is_of_loss(row));
    let first = rows.next()?;
    let file = first.lines.first().map_or("a file", |at| at.file.as_str());
    let more = rows.fold(first.count.saturating_sub(1), |sum, row| sum.saturating_add(row.count));
    let more = if more == 0 { String::new() } else { format!(" ({}, alike)", and_more(more as usize).trim_start()) };
    Some(format!("Part of the input is missing: {file} {}{more}. What was lost may hold a fault.", first.text))
}

/// Files of which nothing tells the node: nobody is compared by them.
fn unplaced(report: &Report) -> Option<String> {
    let row = report.issues.iter().find(|row| row.code == Code::UnknownNode.name())?;
    let file = row.lines.first().map_or("a file", |at| at.file.as_str());
    let more = and_more((row.count as usize).saturating_sub(1));
    Some(format!(
        "Nothing tells which node wrote {file}{more}: it is compared with none. Put each node's logs in a folder named as the node."
    ))
}

/// An offset that was given against what the logs tell: a sign is soon wrong.
fn zone_disputed(report: &Report) -> Option<String> {
    let (told, given) = (report.clock.told?, zone_name(report.clock.offset_ms));
    Some(format!(
        "The logs' own times tell {} ({}), not {given} as given: what is dated here may be off by as much.",
        zone_name(told.offset_ms),
        counted(told.pairs, "pair")
    ))
}

/// The clock that is off most, where that is certain and was left in the times: a begin may be that of another clock (X9).
fn clock_off(report: &Report) -> Option<String> {
    let is_off = |row: &&SkewRow| row.certain && !row.corrected && row.skew_ms.abs() >= CLOCK_OFF_MS;
    let off: Vec<&SkewRow> = report.skew.nodes.iter().filter(is_off).collect();
    let most = off.iter().max_by_key(|row| row.skew_ms.abs())?;
    let (by, side) = (of_millis(most.skew_ms.abs() as f64), most.side());
    (report.verdict.outcome == OutcomeKind::Indicted).then(|| {
        format!(
            "The clock of {} is {by} {side}{}: since when a node has been at fault may be off by as much. Correct it with --fix-clocks, or under Coverage on the page.",
            most.node,
            and_more(off.len() - 1)
        )
    })
}

/// Whether a witness speaks against a node, and no job explains it. One that indicts half of the nodes tells none of them from
/// the others.
pub(super) fn speaks_against(report: &Report, witness: &WitnessRow, node: &str) -> bool {
    tells(report, witness) && witness.holds(node)
}

/// Whether a witness tells nodes from the others.
fn tells(report: &Report, witness: &WitnessRow) -> bool {
    // A link may have left the healthy nodes out.
    !witness.only_shows() && (report.nodes.is_empty() || 2 * witness.held().count() < report.nodes.len().max(MIN_PEERS))
}

/// The nodes that a method indicts and no job explains, each with who does: `method (signal)` once, of however many parts of
/// the run.
#[must_use]
pub fn spoken_against(report: &Report) -> BTreeMap<&str, Vec<String>> {
    let mut by_node: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for witness in report.witnesses.iter().filter(|w| tells(report, w)) {
        for node in witness.held() {
            let (by, says) = (by_node.entry(node).or_default(), format!("{} ({})", witness.method, witness.signal));
            if !by.contains(&says) {
                by.push(says);
            }
        }
    }
    by_node
}

/// Those of them that are no culprits, and may be spoken of beside the verdict.
pub(super) fn suspects(report: &Report) -> BTreeMap<&str, Vec<String>> {
    let mut by_node = spoken_against(report);
    let is_culprit = |node: &str| report.verdict.culprits.iter().any(|c| c.node == node);
    if report.verdict.outcome == OutcomeKind::Indicted {
        by_node.retain(|node, _| !is_culprit(node));
    } else if !may_suspect(report) || 2 * by_node.len() >= report.nodes.len().max(1) {
        // Where many are spoken against, nobody is.
        by_node.clear();
    }
    by_node
}

/// Beside culprits: the other nodes that some method indicts, in one sentence.
fn also_suspected(by_node: &BTreeMap<&str, Vec<String>>) -> Option<String> {
    let others: Vec<String> = by_node.iter().map(|(node, by)| format!("{node} by {}", by.join(", "))).collect();
    let more = and_more(others.len().saturating_sub(ALSO_NAMED));
    (!others.is_empty()).then(|| {
        let named = others.iter().take(ALSO_NAMED).cloned().collect::<Vec<_>>().join("; ");
        format!("Also suspected, without enough evidence for a verdict: {named}{more}.")
    })
}

/// What is said of a node that some method indicts, where that makes no culprit: what weighs most, where the report has it.
fn suspected(report: &Report, node: &str, by: &[String]) -> String {
    let of_node = report.suspects.iter().find(|suspect| suspect.node == node);
    let first = of_node.and_then(|suspect| suspect.evidence.first()).filter(|e| !e.text.is_empty());
    let more = and_more(by.len().saturating_sub(1));
    let more = if more.is_empty() { more } else { format!(" ({}, below)", more.trim_start()) };
    let says = first.map_or_else(|| by.join(", "), |e| format!("{}{more}", e.text));
    format!("There is some evidence against {node}, but not enough for a verdict: {says}.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Culprit, Evidence, JobRow, LineRef, Suspect, Verdict};

    fn clean() -> Report {
        Report {
            verdict: Verdict { outcome: OutcomeKind::Clean, ..Verdict::default() },
            nodes: ["a", "b", "c", "d"].map(String::from).to_vec(),
            ..Report::default()
        }
    }

    #[test]
    fn what_hides_a_whole_log_is_of_loss_and_a_record_that_is_missing_is_not() {
        let row = |code: Code| IssueRow { code: code.name(), severity: code.about().severity, ..IssueRow::default() };
        for code in [Code::Truncated, Code::NewerDigest, Code::SparseMember, Code::NestedTooDeep, Code::OtherLayout] {
            assert!(is_of_loss(&row(code)), "{code:?}");
        }
        assert!(is_of_loss(&row(Code::EmptyHistory)));
        for code in [Code::BadRecord, Code::LineTooLong, Code::UnreadSysstat, Code::EmptyFile, Code::MalformedLine] {
            assert!(!is_of_loss(&row(code)), "{code:?}");
        }
    }

    #[test]
    fn lost_input_is_told_whatever_the_verdict() {
        let issue = IssueRow {
            code: "truncated".into(),
            severity: Severity::DataLoss,
            count: 1,
            text: "ends too early".into(),
            lines: vec![LineRef { file: "x.tar.gz".into(), line: 0 }],
            ..IssueRow::default()
        };
        let mut report = Report { issues: vec![issue.clone()], ..Report::default() };
        let one = "Part of the input is missing: x.tar.gz ends too early. What was lost may hold a fault.";
        assert_eq!(of(&report), [one]);
        report.issues.push(IssueRow { count: 2, ..issue.clone() });
        assert!(of(&report)[0].contains("ends too early (and 2 more, alike)."), "{:?}", of(&report));
        report.issues = vec![IssueRow { code: "empty-file".into(), ..IssueRow::default() }];
        assert_eq!(of(&report), [""; 0]);
        let unplaced = IssueRow { code: "unknown-node".into(), text: "could not be given to a node".into(), ..issue };
        report.issues = vec![unplaced.clone()];
        let said = "Nothing tells which node wrote x.tar.gz: it is compared with none. Put each node's logs in a folder named as the node.";
        assert_eq!(of(&report), [said]);
        report.issues = vec![IssueRow { count: 6, ..unplaced }];
        assert!(of(&report)[0].contains("which node wrote x.tar.gz and 5 more: "), "{:?}", of(&report));
    }

    #[test]
    fn clock_that_is_off_is_told_beside_a_culprit() {
        let row = |node: &str, skew_ms| SkewRow { node: node.into(), skew_ms, certain: true, ..SkewRow::default() };
        let mut report = clean();
        report.skew.nodes = vec![row("a", 9_000), row("b", -90_000), row("c", 12_000)];
        let told = |report: &Report| of(report).iter().filter(|said| said.starts_with("The clock of")).count();
        assert_eq!(told(&report), 0, "nobody is at fault");
        report.verdict.outcome = OutcomeKind::Indicted;
        let said = of(&report);
        assert!(said[0].starts_with("The clock of b is 90 s behind and 1 more: since when"), "{said:?}");
        report.skew.nodes.iter_mut().for_each(|row| row.corrected = true);
        assert_eq!(told(&report), 0, "they were taken out");
    }

    #[test]
    fn one_word_against_a_node_is_not_kept_back() {
        let word = |node: &str| WitnessRow {
            method: "kahuna-bb".into(),
            signal: "levels".into(),
            indicted: vec![node.into()],
            ..WitnessRow::default()
        };
        let report = Report { witnesses: vec![word("b")], ..clean() };
        assert_eq!(
            of(&report),
            ["There is some evidence against b, but not enough for a verdict: kahuna-bb (levels)."]
        );
        let evidence = Evidence { text: "b is odd".into(), ..Evidence::default() };
        let suspect = Suspect { node: "b".into(), evidence: vec![evidence.clone(), evidence] };
        let other = WitnessRow { signal: "profiles".into(), ..word("b") };
        let told = Report { witnesses: vec![word("b"), other], suspects: vec![suspect], ..clean() };
        let said = "There is some evidence against b, but not enough for a verdict: b is odd (and 1 more, below).";
        assert_eq!(of(&told), [said]);
        assert_eq!(of(&Report { witnesses: vec![word("b"), word("c")], ..clean() }), [""; 0], "half of them");
        let excused = WitnessRow { excused: vec!["b".into()], ..word("b") };
        assert_eq!(of(&Report { witnesses: vec![excused], ..clean() }), [""; 0], "a job explains it");
        // Traces of system calls alone are no ground for a verdict.
        let none = |reason: Reason| Verdict {
            outcome: OutcomeKind::NoVerdict,
            reason: Some(reason.name().to_owned()),
            ..Verdict::default()
        };
        let told = |reason| of(&Report { witnesses: vec![word("b")], verdict: none(reason), ..clean() }).len();
        assert_eq!([Reason::Idle, Reason::NoMajority, Reason::Correlated].map(told), [1, 0, 0]);
        let culprits = ["b"].map(|node| Culprit { node: node.into(), ..Culprit::default() }).to_vec();
        let indicted = Verdict { outcome: OutcomeKind::Indicted, culprits, ..Verdict::default() };
        assert_eq!(of(&Report { verdict: indicted.clone(), ..report }), [""; 0]);
        let half = WitnessRow { indicted: ["a", "c"].map(String::from).to_vec(), ..word("b") };
        assert_eq!(of(&Report { witnesses: vec![half], verdict: indicted.clone(), ..clean() }), [""; 0]);
        let report = Report { witnesses: ["b", "c", "a", "e", "d"].map(word).to_vec(), verdict: indicted, ..clean() };
        let said = "Also suspected, without enough evidence for a verdict: a by kahuna-bb (levels); c by kahuna-bb (levels); d by kahuna-bb (levels) and 1 more.";
        assert_eq!(of(&report), [said]);
    }

    /// A report that anybody may have written counts what it likes.
    #[test]
    fn counts_that_no_number_holds_are_told_as_the_most() {
        let (code, text, severity) = (String::from("truncated"), String::from("is cut"), Severity::DataLoss);
        let row =
            || IssueRow { code: code.clone(), severity, count: u64::MAX, text: text.clone(), ..IssueRow::default() };
        let said = of(&Report { issues: vec![row(), row()], ..clean() });
        assert!(said[0].contains(&format!("{} more", u64::MAX)), "{said:?}");
    }

    #[test]
    fn job_that_blames_a_node_is_named() {
        let job = JobRow {
            job: "job_1".into(),
            class: "infrastructure".into(),
            rule: "4 of 4 attempts on b failed".into(),
            ..JobRow::default()
        };
        let report = Report { jobs: vec![job], ..clean() };
        assert_eq!(of(&report), ["job_1 looks as if a node were at fault: 4 of 4 attempts on b failed."]);
    }
}
