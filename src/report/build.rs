//! A report from a trace and its verdict: ids become names, numbers get their sentence.

use super::{Culprit, Evidence, FORMAT, IssueRow, LineRef, NoEvidenceRow, OutcomeKind, Report, VERSION};
use super::{Verdict, WitnessRow};
use super::{clocks, jobs, unknown};
use crate::base::issue::Severity;
use crate::base::{Code, FileId, NodeId, Place};
use crate::diagnosis::cause::Cause;
use crate::diagnosis::idle::NoEvidence;
use crate::diagnosis::theia::Reading;
use crate::diagnosis::verdict::{self, Finding};
use crate::diagnosis::{Params, Threshold, Witness};
use crate::model::{Trace, ZoneSource};
use serde_json::json;
use std::collections::BTreeMap;

/// Scores are rounded to so many decimals: more would be noise in a diff.
const DECIMALS: f64 = 1e4;
/// Places of an issue shown over all files.
const ISSUE_LINES: usize = 5;

/// Notes to an issue, over all files.
const ISSUE_NOTES: usize = 20;

/// Writes the report.
#[must_use]
pub fn build(trace: &Trace, witnesses: &[Witness], decided: &verdict::Verdict, params: &Params) -> Report {
    Report {
        format: FORMAT.to_owned(),
        version: VERSION,
        verdict: verdict_of(trace, decided),
        witnesses: witnesses.iter().map(|w| witness_row(trace, w)).collect(),
        jobs: jobs::rows(trace, decided),
        incidents: jobs::incidents(trace, witnesses),
        nodes: trace.peer_nodes().map(|n| trace.node_name(n).to_owned()).collect(),
        coverage: trace.files.iter().map(|f| f.coverage.clone()).collect(),
        issues: issue_rows(trace),
        parameters: parameters(params),
        clock: clocks::clock_row(trace),
        skew: clocks::skew_section(trace),
        unknown: unknown::rows(trace),
        no_evidence: decided.no_evidence.iter().map(|(node, why)| no_evidence_row(trace, *node, *why)).collect(),
    }
}

fn no_evidence_row(trace: &Trace, node: NodeId, why: NoEvidence) -> NoEvidenceRow {
    NoEvidenceRow { node: trace.node_name(node).to_owned(), why: why.name().to_owned() }
}

fn rounded(x: f64) -> f64 {
    (x * DECIMALS).round() / DECIMALS
}

fn verdict_of(trace: &Trace, decided: &verdict::Verdict) -> Verdict {
    match &decided.finding {
        Finding::Indicted(culprits) => {
            let culprits: Vec<Culprit> = culprits.iter().map(|c| culprit(trace, c)).collect();
            let sentence = culprits.iter().map(|c| c.sentence.as_str()).collect::<Vec<_>>().join(" ");
            Verdict { outcome: OutcomeKind::Indicted, reason: None, sentence, culprits }
        }
        Finding::Clean => Verdict {
            outcome: OutcomeKind::Clean,
            reason: None,
            sentence: clean_sentence(trace, decided),
            culprits: Vec::new(),
        },
        Finding::None(reason) => Verdict {
            outcome: OutcomeKind::NoVerdict,
            reason: Some(reason.name().to_owned()),
            sentence: format!("No verdict: {}", reason.text()),
            culprits: Vec::new(),
        },
    }
}

/// "Clean" speaks of the nodes; a job in trouble is named beside it (T02).
fn clean_sentence(trace: &Trace, decided: &verdict::Verdict) -> String {
    use verdict::class_of_trouble as trouble;
    let nodes = trace.peer_nodes().count() - decided.no_evidence.len();
    let mut text =
        format!("No node stands out among the {nodes} compared; what slows all of them alike would not show.");
    let ill: Vec<String> =
        decided.jobs.iter().filter_map(|j| Some(format!("{} ({})", j.job, trouble(j.class)?))).collect();
    if let Some(first) = ill.first() {
        let more = if ill.len() > 1 { format!(" and {} more", ill.len() - 1) } else { String::new() };
        text.push_str(&format!(" But see {first}{more}: that is for the job's owner."));
    }
    text
}

fn culprit(trace: &Trace, c: &verdict::Culprit) -> Culprit {
    let node = trace.node_name(c.node);
    let sureness = rounded(c.sureness);
    let since = c.since.map_or_else(String::new, |t| format!(" since {} UTC", seconds_of(&t.to_string())));
    let (what, advice) = words_of(c.cause);
    Culprit {
        node: node.to_owned(),
        cause: c.cause.name().to_owned(),
        who: "operator".to_owned(),
        since_ms: c.since.map(crate::base::Timestamp::millis),
        sureness,
        sentence: format!(
            "{node} is at fault{since}: {what}; {} ({sureness:.2}). This is for the cluster's operator.",
            in_words(c.sureness)
        ),
        advice: advice.to_owned(),
        evidence: c
            .evidence
            .iter()
            .map(|(method, signal, threshold, i)| Evidence {
                method: method.name().to_owned(),
                signal: signal.clone(),
                score: rounded(i.score),
                threshold: threshold.map(rounded),
                text: i.text.clone(),
                lines: i.lines.iter().map(|place| line_ref(trace, *place)).collect(),
            })
            .collect(),
    }
}

/// A time without its milliseconds.
fn seconds_of(time: &str) -> &str {
    time.split(',').next().unwrap_or(time)
}

/// What a cause looks like, and what to do about it.
const fn words_of(cause: Cause) -> (&'static str, &'static str) {
    match cause {
        Cause::Cpu => (
            "its tasks take far longer than its peers', as if its processor were taken",
            "Look on the node for processes besides Hadoop (top, ps), for throttling or too few cores; take it out of service while you look.",
        ),
        Cause::Crashed => (
            "its daemons fall silent while the others go on",
            "See whether the node is up, and why its daemons ended (their .out files, dmesg); start them again.",
        ),
        Cause::Disk => (
            "work with data takes far longer on it than on its peers, as if its disk were slow or busy",
            "Look on the node at iostat -x and smartctl, and for processes that write; take it out of service while you look.",
        ),
        Cause::DiskFull => (
            "its tasks fail for lack of disk space",
            "Free space below the local and data directories of the node (df), and find what took it.",
        ),
        Cause::Hang => (
            "tasks on it stand still",
            "Take a thread dump (jstack) of the hanging tasks and look at the node's own daemons; restart them.",
        ),
        Cause::Network => (
            "data moved from and to it takes far longer than between its peers, as if its network lost packets",
            "Look on the node at ip -s link and netstat -s for errors, drops and retransmissions; check cable, port and duplex; take it out of service while you look.",
        ),
        Cause::Unknown => (
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

fn line_ref(trace: &Trace, place: Place) -> LineRef {
    LineRef { file: trace.path(place.file).to_owned(), line: place.line }
}

fn witness_row(trace: &Trace, w: &Witness) -> WitnessRow {
    let name = |node: NodeId| trace.node_name(node).to_owned();
    WitnessRow {
        method: w.method.name().to_owned(),
        signal: w.signal.clone(),
        nodes: w.scores.iter().map(|(node, score)| (name(*node), rounded(*score))).collect(),
        threshold: w.threshold.map(rounded),
        indicted: w.indicted.iter().map(|i| name(i.node)).collect(),
        abstained: w.abstained.map(|why| why.name().to_owned()),
    }
}

fn issue_rows(trace: &Trace) -> Vec<IssueRow> {
    let mut by_code: BTreeMap<Code, (u64, Vec<Place>)> = BTreeMap::new();
    for (i, file) in (0..).zip(&trace.files) {
        for (code, count, lines) in &file.issues {
            let entry = by_code.entry(*code).or_default();
            entry.0 += count;
            entry.1.extend(lines.iter().map(|line| Place { file: FileId(i), line: *line }));
        }
    }
    if trace.clocks.source == ZoneSource::Assumed && !trace.states.is_empty() {
        by_code.insert(Code::ZoneUnknown, (1, Vec::new()));
    }
    let mut rows: Vec<(Severity, IssueRow)> = by_code
        .into_iter()
        .map(|(code, (count, places))| {
            let about = code.about();
            let row = IssueRow {
                code: code.name(),
                severity: about.severity.name().to_owned(),
                count,
                text: about.text.to_owned(),
                advice: about.advice.to_owned(),
                lines: places.into_iter().take(ISSUE_LINES).map(|place| line_ref(trace, place)).collect(),
                notes: notes(trace, code),
            };
            (about.severity, row)
        })
        .collect();
    rows.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.code.cmp(&b.1.code)));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn notes(trace: &Trace, code: Code) -> Vec<String> {
    let of_code = trace.notes.iter().filter(|(of, _)| *of == code);
    of_code.take(ISSUE_NOTES).map(|(_, text)| text.clone()).collect()
}

fn parameters(params: &Params) -> BTreeMap<String, serde_json::Value> {
    let threshold = match params.threshold {
        Threshold::Auto => json!("auto"),
        Threshold::Fixed(x) => json!(x),
    };
    BTreeMap::from([
        ("threshold".to_owned(), threshold),
        ("window_s".to_owned(), json!(params.window_s)),
        ("tz_offset_ms".to_owned(), json!(params.tz_offset_ms)),
        ("fix_clocks".to_owned(), json!(params.fix_clocks)),
        ("syscalls_literal".to_owned(), json!(params.syscalls.literal)),
        ("syscalls_peer_only".to_owned(), json!(params.syscalls.peer_only)),
        ("theia_literal".to_owned(), json!(params.theia == Reading::Literal)),
        ("profiles".to_owned(), json!(params.learning)),
        ("baseline".to_owned(), json!(params.baseline.as_ref().map(|baseline| baseline.in_words()))),
    ])
}
