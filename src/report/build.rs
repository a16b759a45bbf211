//! A report from a trace and its verdict: ids become names, numbers get their sentence.

use super::heatmap::Named;
use super::{Culprit, Evidence, FORMAT, IssueRow, LineRef, NoEvidenceRow, OutcomeKind, Provenance, Report, VERSION};
use super::{SeldomRow, Suspect, Verdict, WitnessRow};
use super::{clocks, controls, doubts, figures, jobs, parameters, sentence, summary, symptom, unknown};
use crate::base::issue::Severity;
use crate::base::math;
use crate::base::text::below;
use crate::base::{Arrange, Code, FileId, Gathered, NodeId, Place};
use crate::diagnosis::idle::{NoEvidence, Seldom, seldom_compared};
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::{self, Finding, Word};
use crate::diagnosis::{Abstention, Comparison, Method, Params, Witness};
use crate::model::{Trace, ZoneSource};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Scores are rounded to so many decimals: more would be noise in a diff.
const DECIMALS: f64 = 1e4;
/// Places of an issue shown over all files.
const ISSUE_LINES: usize = 5;

/// Suspects of whom it is told what is said against them: of more the names alone.
pub(super) const SUSPECTS_TOLD: usize = 8;

/// Notes to an issue, over all files.
const ISSUE_NOTES: usize = 20;

/// Writes the report.
#[must_use]
pub fn build(trace: &Trace, witnesses: &[Witness], decided: &verdict::Verdict, params: &Params) -> Report {
    let (verdict, incidents) = (verdict_of(trace, witnesses, decided), jobs::incidents(trace, witnesses));
    let named = Named::by(&verdict.culprits, &incidents);
    let mut report = Report {
        format: FORMAT.to_owned(),
        version: VERSION,
        verdict,
        witnesses: (0..).zip(witnesses).map(|(at, w)| witness_row(trace, w, at, decided)).collect(),
        jobs: jobs::rows(trace, decided, witnesses),
        incidents,
        nodes: trace.peer_nodes().map(|n| trace.node_name(n).to_owned()).collect(),
        coverage: Arc::new(trace.files.iter().map(|f| f.coverage.clone()).collect()),
        issues: issue_rows(trace),
        parameters: parameters::of(params, witnesses),
        provenance: Some(Provenance::of(trace.content)),
        clock: clocks::clock_row(trace),
        skew: clocks::skew_section(trace),
        unknown: unknown::rows(trace),
        no_evidence: decided.no_evidence.iter().map(|(node, why)| no_evidence_row(trace, *node, *why)).collect(),
        compared: Some((trace.peer_nodes().count().saturating_sub(decided.no_evidence.len())) as u64),
        suspects: Vec::new(),
        seldom: seldom(trace, decided),
        controls: controls::of(trace, params),
        summary: summary::of(trace),
        figures: figures::of(trace, witnesses, params.theia, &named),
        pseudonyms: None,
        left_out: Vec::new(),
    };
    report.suspects = suspects(trace, witnesses, &report);
    report.verdict.sentence = sentence::of_verdict(&report);
    report
}

/// What is said against those who are no culprits: of each kind what weighs most.
fn suspects(trace: &Trace, witnesses: &[Witness], report: &Report) -> Vec<Suspect> {
    let told = || witnesses.iter().zip(&report.witnesses);
    let suspect = |node: &str| {
        let speaking = told().filter(|(_, row)| doubts::speaks_against(report, row, node));
        let mut words: Vec<Word> = speaking
            .flat_map(|(w, _)| {
                let own = w.indicted.iter().filter(|i| trace.node_name(i.node) == node);
                own.map(|i| Word::of(w, i))
            })
            .collect();
        words.arrange(|a, b| {
            let (a, b) = (&a.indictment, &b.indictment);
            b.strength.cmp(&a.strength).then(b.ratio.total_cmp(&a.ratio))
        });
        let is_first = |(at, word): &(usize, &Word)| {
            let same = words.iter().position(|other| (other.method, other.signal) == (word.method, word.signal));
            same == Some(*at)
        };
        let firsts = words.iter().enumerate().filter(is_first);
        let evidence = firsts.map(|(_, word)| evidence(trace, witnesses, word)).collect();
        Suspect { node: node.to_owned(), evidence }
    };
    doubts::suspects(report).into_keys().take(SUSPECTS_TOLD).map(suspect).collect()
}

/// Nodes that few jobs tell of, but for those of which more is said.
fn seldom(trace: &Trace, decided: &verdict::Verdict) -> Vec<SeldomRow> {
    let accused: Vec<NodeId> = match &decided.finding {
        Finding::Indicted(culprits) => culprits.iter().map(|c| c.node).collect(),
        _ => Vec::new(),
    };
    let is_told = |node: &NodeId| accused.contains(node) || decided.no_evidence.iter().any(|(other, _)| other == node);
    let seldom = seldom_compared(trace).into_iter().filter(|seldom| !is_told(&seldom.node));
    let row = |Seldom { node, jobs, of }| SeldomRow {
        node: trace.node_name(node).to_owned(),
        jobs: u64::from(jobs),
        of: u64::from(of),
    };
    seldom.map(row).collect()
}

fn no_evidence_row(trace: &Trace, node: NodeId, why: NoEvidence) -> NoEvidenceRow {
    NoEvidenceRow { node: trace.node_name(node).to_owned(), why: why.name().to_owned() }
}

fn rounded(x: f64) -> f64 {
    math::rounded(x, DECIMALS)
}

fn verdict_of(trace: &Trace, witnesses: &[Witness], decided: &verdict::Verdict) -> Verdict {
    let (outcome, reason, culprits) = match &decided.finding {
        Finding::Indicted(culprits) => {
            (OutcomeKind::Indicted, None, culprits.iter().map(|c| culprit(trace, witnesses, c)).collect())
        }
        Finding::Clean => (OutcomeKind::Clean, None, Vec::new()),
        Finding::None(reason) => (OutcomeKind::NoVerdict, Some(reason.name().to_owned()), Vec::new()),
    };
    Verdict { outcome, reason, sentence: String::new(), culprits }
}

fn culprit(trace: &Trace, witnesses: &[Witness], c: &verdict::Culprit) -> Culprit {
    let cause = c.rule.cause().name();
    let mut culprit = Culprit {
        node: trace.node_name(c.node).to_owned(),
        cause: cause.to_owned(),
        because: c.rule.in_words().to_owned(),
        who: Class::Infrastructure.who().unwrap_or_default().to_owned(),
        since_ms: c.since.map(crate::base::Timestamp::millis),
        until_ms: c.until.map(crate::base::Timestamp::millis),
        sureness: rounded(c.sureness),
        sentence: String::new(),
        advice: String::new(),
        evidence: c.evidence.iter().map(|word| evidence(trace, witnesses, word)).collect(),
    };
    culprit.sentence = sentence::of_culprit(&culprit, trace.clocks.source.zone());
    culprit.advice = symptom::advice(&culprit);
    culprit
}

fn evidence(trace: &Trace, witnesses: &[Witness], word: &Word) -> Evidence {
    let i = &word.indictment;
    let gap_s = gap(witnesses, word);
    Evidence {
        method: word.method.name().to_owned(),
        signal: word.signal.name().to_owned(),
        score: rounded(i.score),
        threshold: word.threshold.map(rounded),
        text: i.text.clone(),
        lines: i.lines.iter().map(|place| LineRef::of(trace, *place)).collect(),
        strength: Some(i.strength),
        p: i.p.map(rounded),
        since_ms: i.since.map(crate::base::Timestamp::millis),
        until_ms: i.until.map(crate::base::Timestamp::millis),
        gap_s,
        faster: word.method == Method::KahunaWb && i.ratio < 1.0 && gap_s.is_none(),
    }
}

/// What the gap rule compared, where it holds.
fn gap(witnesses: &[Witness], word: &Word) -> Option<[f64; 2]> {
    let is_its = |w: &&Witness| w.method == word.method && w.signal == word.signal && w.scope == word.scope;
    let witness = witnesses.iter().find(is_its)?;
    let Some(Comparison::Durations(c)) = &witness.comparison else { return None };
    let own = c.nodes.iter().find(|own| own.node == word.indictment.node)?;
    own.gap_s.map(|ends| ends.map(rounded))
}

fn witness_row(trace: &Trace, w: &Witness, at: usize, decided: &verdict::Verdict) -> WitnessRow {
    let name = |node: NodeId| trace.node_name(node).to_owned();
    let has_no_majority = decided.without_majority.contains(&at);
    let indicted = || w.indicted.iter().filter(|_| !has_no_majority);
    let excused = decided.excused_of(at).into_iter().filter(|_| !has_no_majority);
    WitnessRow {
        method: w.method.name().to_owned(),
        signal: w.signal.name().to_owned(),
        nodes: w.scores.iter().map(|(node, score)| (name(*node), rounded(*score))).gathered(),
        threshold: w.threshold.map(rounded),
        indicted: indicted().map(|i| name(i.node)).collect(),
        abstained: w.abstained.or(has_no_majority.then_some(Abstention::NoMajority)).map(|why| why.name().to_owned()),
        strengths: indicted().map(|i| (name(i.node), i.strength)).gathered(),
        excused: excused.map(name).collect(),
        jobs: w.scope.ends().into_iter().map(|job| job.to_string()).collect(),
        stretch: w.scope.stretch().map(|stretch| stretch.name().to_owned()),
    }
}

fn issue_rows(trace: &Trace) -> Vec<IssueRow> {
    let mut by_code: BTreeMap<Code, (u64, Vec<Place>)> = BTreeMap::new();
    let mut broken = None;
    for (i, file) in (0..).zip(&trace.files) {
        for (code, count, lines) in &file.issues {
            if code.breaks_off() {
                // Files come in order of path: an archive before what lies in it, which breaks off with it.
                if broken.is_some_and(|outer| below(&file.path, outer).is_some()) {
                    continue;
                }
                broken = Some(file.path.as_str());
            }
            let entry = by_code.entry(*code).or_default();
            entry.0 = entry.0.saturating_add(*count);
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
                severity: about.severity,
                count,
                text: about.text.to_owned(),
                advice: about.advice.to_owned(),
                lines: places.into_iter().take(ISSUE_LINES).map(|place| LineRef::of(trace, place)).collect(),
                notes: notes(trace, code),
            };
            (about.severity, row)
        })
        .collect();
    rows.arrange(|a, b| b.0.cmp(&a.0).then(a.1.code.cmp(&b.1.code)));
    rows.into_iter().map(|(_, row)| row).collect()
}

fn notes(trace: &Trace, code: Code) -> Vec<String> {
    let of_code = trace.notes.iter().filter(|(of, _)| *of == code);
    of_code.take(ISSUE_NOTES).map(|(_, text)| text.clone()).collect()
}
