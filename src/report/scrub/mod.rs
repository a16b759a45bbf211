//! Pseudonyms: what leaves in a shared report, and nothing else.
//!
//! An allow-list, not a search for secrets. The report is built anew from the fields named
//! here; a field that is not named does not leave. Names (nodes, jobs, their names, files,
//! archives) become `node-01`, `job-01`, `name-01`, `file-01`, `archive-01`, numbered in an
//! order that only the key knows. Of texts pass: those pseudonyms, numbers, and the words of
//! `words.txt`, which are the words of our own sentences (`tests/words.rs` keeps the list);
//! any other word becomes `…`. Texts that quote logs (notes, shapes of lines) do not leave, nor does
//! what a job's rule or a ground quotes at its end: the words and numbers in it are not ours. Nor does the order that
//! nodes and files have in the logs.

mod figures;

use super::json;
use super::key::{Key, KeyFile};
use super::summary::{JobSum, StateSum};
use super::words::{replaced, words};
use super::{
    ClockRow, ControlsRow, Culprit, Evidence, FORMAT, IncidentRow, IssueRow, JobRow, LineRef, NoEvidenceRow,
    Provenance, Report, SeldomRow, SkewRow, SkewSection, SlowerRow, Summary, Suspect, VERSION, Verdict, WitnessRow,
    ZoneRow, sentence, symptom,
};
use crate::base::{Code, Gathered, Lookup};
use crate::diagnosis::Method;
use crate::diagnosis::control_clusters::Differ;
use crate::diagnosis::job_class::QUOTES;
use crate::diagnosis::syscalls::semantic::AT_MOST;
use crate::model::{Coverage, JobConf};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Words that may leave: sorted, one a line.
const WORDS: &str = include_str!("../words.txt");
/// What stands for a word that may not.
const HIDDEN: &str = "…";
/// Longer numbers may be ids.
const DIGITS: usize = 12;

/// Whether a report leaves under pseudonyms: unless real names are wanted. What came with pseudonyms has no names to hide.
#[must_use]
pub const fn hides_names(report: &Report, real_names: bool) -> bool {
    !real_names && report.pseudonyms.is_none()
}

/// The report as it may leave, and the file that turns its pseudonyms back.
#[must_use]
pub fn scrub(report: &Report, key: &Key) -> (Report, KeyFile) {
    let names = Names::of(report, key);
    let back = names.tables().into_iter().flatten().map(|(real, alias)| (alias.clone(), real.clone())).gathered();
    let file = KeyFile::new(key, back);
    (names.report(report, &file.id), file)
}

/// Every string that leaves with a report, once each, in order: for the eyes of who sends it.
#[must_use]
pub fn strings(report: &Report) -> Vec<String> {
    let mut found = BTreeSet::new();
    collect(&json::value_of(report), false, &mut found);
    found.into_iter().collect()
}

/// Fields whose keys are data.
const KEYED: [&str; 4] = ["nodes", "strengths", "evidence", "parameters"];
/// Fields whose texts are letters of cells, and no words.
const LETTERS: &str = "cells";

fn collect(value: &Value, keyed: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if !text.is_empty() => _ = found.insert(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, false, found)),
        Value::Object(fields) => {
            for (name, field) in fields {
                if keyed {
                    found.insert(name.clone());
                } else if name == LETTERS {
                    continue;
                }
                collect(field, KEYED.contains(&name.as_str()), found);
            }
        }
        _ => {}
    }
}

/// Pseudonyms by real name, a table a kind of name.
#[derive(Default)]
struct Names {
    nodes: BTreeMap<String, String>,
    jobs: BTreeMap<String, String>,
    titles: BTreeMap<String, String>,
    files: BTreeMap<String, String>,
    archives: BTreeMap<String, String>,
    words: BTreeSet<&'static str>,
}

fn numbered<'a>(key: &Key, class: &str, names: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, String> {
    let shuffled = key.shuffled(class, names.into_iter().filter(|name| !name.is_empty()));
    let alias = |(i, name): (usize, &str)| (name.to_owned(), format!("{class}-{:02}", i + 1));
    shuffled.into_iter().enumerate().map(alias).gathered()
}

impl Names {
    fn of(r: &Report, key: &Key) -> Self {
        let mut nodes: BTreeSet<&str> = r.nodes.iter().map(String::as_str).gathered();
        nodes.extend(r.verdict.culprits.iter().map(|c| c.node.as_str()));
        nodes.extend(
            r.witnesses
                .iter()
                .flat_map(|w| w.nodes.keys().chain(&w.indicted).chain(w.strengths.keys()))
                .map(String::as_str),
        );
        nodes.extend(r.no_evidence.iter().map(|row| row.node.as_str()));
        nodes.extend(r.suspects.iter().map(|s| s.node.as_str()));
        nodes.extend(r.coverage.iter().filter_map(|c| c.node.as_deref()));
        nodes.extend(r.clock.zones.iter().filter_map(|z| z.node.as_deref()));
        nodes.extend(r.skew.nodes.iter().map(|s| s.node.as_str()));
        nodes.extend(r.summary.states.iter().flat_map(|s| s.nodes.keys()).map(String::as_str));
        nodes.extend(r.figures.peers.iter().flat_map(|f| f.nodes.iter().chain(&f.too_few)).map(String::as_str));
        let (attempts, heatmap, metrics) =
            (r.figures.attempts.open(), r.figures.heatmap.open(), r.figures.metrics.open());
        nodes.extend(attempts.iter().flat_map(|f| &f.nodes).map(String::as_str));
        nodes.extend(heatmap.iter().flat_map(|f| &f.nodes).map(String::as_str));
        nodes.extend(metrics.iter().flat_map(|f| &f.nodes).map(String::as_str));
        let mut files: BTreeSet<&str> = r.coverage.iter().map(|c| c.file.as_str()).gathered();
        let lines = r.grounds().flat_map(|e| &e.lines);
        files.extend(lines.chain(r.issues.iter().flat_map(|i| &i.lines)).map(|at| at.file.as_str()));
        files.extend(r.clock.zones.iter().filter_map(|z| z.file.as_deref()));
        let mut jobs: Vec<&str> =
            r.jobs.iter().map(|j| j.job.as_str()).chain(r.summary.jobs.iter().map(|j| j.job.as_str())).collect();
        jobs.extend(attempts.iter().flat_map(|f| &f.jobs).map(String::as_str));
        jobs.extend(heatmap.iter().flat_map(|f| &f.jobs).map(String::as_str));
        let titles = r.jobs.iter().map(|j| j.name.as_deref()).chain(r.summary.jobs.iter().map(|j| j.name.as_deref()));
        Self {
            nodes: numbered(key, "node", nodes),
            jobs: numbered(key, "job", jobs),
            titles: numbered(key, "name", titles.flatten()),
            files: numbered(key, "file", files),
            archives: numbered(key, "archive", r.clock.zones.iter().map(|z| z.archive.as_str())),
            words: WORDS.lines().gathered(),
        }
    }

    const fn tables(&self) -> [&BTreeMap<String, String>; 5] {
        [&self.nodes, &self.jobs, &self.titles, &self.files, &self.archives]
    }

    fn node(&self, name: &str) -> String {
        self.nodes.get(name).cloned().unwrap_or_else(|| HIDDEN.to_owned())
    }

    fn job(&self, id: &str) -> String {
        self.jobs.get(id).cloned().unwrap_or_else(|| HIDDEN.to_owned())
    }

    fn title(&self, name: Option<&String>) -> Option<String> {
        self.titles.get(name?).cloned()
    }

    fn line(&self, at: &LineRef) -> LineRef {
        LineRef { file: self.files.get(&at.file).cloned().unwrap_or_else(|| HIDDEN.to_owned()), line: at.line }
    }

    /// A text that names nothing of the cluster's, as a method or a cause: one of words that may leave stays as it is,
    /// whatever a job or a node is called.
    fn term(&self, text: &str) -> String {
        if words(text).all(|word| self.is_known(word)) { text.to_owned() } else { self.say(text) }
    }

    /// A text of ours that may hold names: they become pseudonyms, words and numbers pass, the rest is hidden. What jobs
    /// are called, which may be a word of ours or a part of one, stands in no text of ours.
    fn say(&self, text: &str) -> String {
        replaced(text, |word| self.word(word))
    }

    fn word(&self, word: &str) -> String {
        let named =
            |tables: [&BTreeMap<String, String>; 2]| tables.into_iter().find_map(|table| table.get(word).cloned());
        // A ground has to name its node, whatever that is called; a folder may well be called `logs`.
        named([&self.nodes, &self.jobs])
            .or_else(|| self.is_known(word).then(|| word.to_owned()))
            .or_else(|| named([&self.files, &self.archives]))
            .unwrap_or_else(|| HIDDEN.to_owned())
    }

    /// Whether a word may leave as it is, unless it is a name; also where it begins a sentence.
    fn is_known(&self, word: &str) -> bool {
        let begins = || {
            let (first, rest) = word.split_at_checked(1)?;
            Some(self.words.contains(format!("{}{rest}", first.to_ascii_lowercase()).as_str()))
        };
        self.words.contains(word) || is_number(word) || begins() == Some(true)
    }

    fn term_all<V: Clone>(&self, map: &BTreeMap<String, V>) -> BTreeMap<String, V> {
        map.iter().map(|(name, value)| (self.term(name), value.clone())).gathered()
    }

    fn by_node<V: Clone>(&self, map: &BTreeMap<String, V>) -> BTreeMap<String, V> {
        map.iter().map(|(name, value)| (self.node(name), value.clone())).gathered()
    }

    fn nodes_of(&self, names: &[String]) -> Vec<String> {
        names.iter().map(|name| self.node(name)).collect()
    }

    fn report(&self, r: &Report, mark: &str) -> Report {
        let mut out = Report {
            format: FORMAT.to_owned(),
            version: VERSION,
            verdict: self.verdict(&r.verdict),
            witnesses: r.witnesses.iter().map(|w| self.witness(w)).collect(),
            jobs: r.jobs.iter().map(|j| self.job_row(j)).collect(),
            incidents: r.incidents.iter().map(|i| self.incident(i)).collect(),
            nodes: self.nodes_of(&r.nodes),
            coverage: self.files(&r.coverage),
            issues: r.issues.iter().map(|i| self.issue(i)).collect(),
            parameters: r
                .parameters
                .iter()
                .filter_map(|(name, value)| Some((self.term(name), self.value(value)?)))
                .gathered(),
            provenance: r.provenance.clone().filter(Provenance::is_ours),
            clock: self.clock(&r.clock),
            skew: self.skew(&r.skew),
            no_evidence: r
                .no_evidence
                .iter()
                .map(|row| NoEvidenceRow { node: self.node(&row.node), why: self.term(&row.why) })
                .collect(),
            compared: r.compared,
            suspects: r.suspects.iter().map(|s| self.suspect(s)).collect(),
            seldom: r
                .seldom
                .iter()
                .map(|row| SeldomRow { node: self.node(&row.node), jobs: row.jobs, of: row.of })
                .collect(),
            controls: r.controls.as_ref().map(|row| self.controls(row)),
            left_out: r.left_out.clone(),
            summary: self.summary(&r.summary),
            figures: self.figures(&r.figures),
            pseudonyms: Some(mark.to_owned()),
            ..Report::default()
        };
        out.sort_by_name();
        // Sentences are made of the fields, and are made again of those that leave.
        if out.refused().is_none() {
            let zone = out.clock.zone();
            for c in &mut out.verdict.culprits {
                c.sentence = sentence::of_culprit(c, zone);
            }
            out.verdict.sentence = sentence::of_verdict(&out);
        }
        out
    }

    fn verdict(&self, v: &Verdict) -> Verdict {
        Verdict {
            outcome: v.outcome,
            reason: v.reason.as_ref().map(|reason| self.term(reason)),
            sentence: self.say(&v.sentence),
            culprits: v.culprits.iter().map(|c| self.culprit(c)).collect(),
        }
    }

    fn culprit(&self, c: &Culprit) -> Culprit {
        Culprit {
            node: self.node(&c.node),
            cause: self.term(&c.cause),
            because: symptom::because(c).to_owned(),
            who: self.term(&c.who),
            since_ms: c.since_ms,
            until_ms: c.until_ms,
            sureness: c.sureness,
            sentence: String::new(),
            advice: symptom::advice(c),
            evidence: c.evidence.iter().map(|e| self.evidence(e)).collect(),
        }
    }

    fn suspect(&self, s: &Suspect) -> Suspect {
        Suspect { node: self.node(&s.node), evidence: s.evidence.iter().map(|e| self.evidence(e)).collect() }
    }

    fn evidence(&self, e: &Evidence) -> Evidence {
        Evidence {
            method: self.term(&e.method),
            signal: self.term(&e.signal),
            score: e.score,
            threshold: e.threshold,
            text: if e.method == Method::SyscallSemantic.name() {
                self.say(&unquoted(&e.text, AT_MOST))
            } else {
                self.say(&e.text)
            },
            lines: e.lines.iter().map(|at| self.line(at)).collect(),
            strength: e.strength,
            p: e.p,
            since_ms: e.since_ms,
            until_ms: e.until_ms,
            gap_s: e.gap_s,
            faster: e.faster,
        }
    }

    fn controls(&self, row: &ControlsRow) -> ControlsRow {
        let slower = |row: &SlowerRow| SlowerRow { state: self.term(&row.state), times: row.times, spread: row.spread };
        let Differ { strange, nodes, engines, elsewhere } = row.clusters;
        ControlsRow {
            clusters: Differ { strange, nodes, engines, elsewhere },
            slower: row.slower.iter().map(slower).collect(),
            other_profiles: row.other_profiles,
        }
    }

    fn witness(&self, w: &WitnessRow) -> WitnessRow {
        WitnessRow {
            method: self.term(&w.method),
            signal: self.term(&w.signal),
            nodes: self.by_node(&w.nodes),
            threshold: w.threshold,
            indicted: self.nodes_of(&w.indicted),
            abstained: w.abstained.as_ref().map(|why| self.term(why)),
            strengths: w.strengths.iter().map(|(node, s)| (self.node(node), *s)).gathered(),
            excused: self.nodes_of(&w.excused),
            jobs: w.jobs.iter().map(|job| self.job(job)).collect(),
            stretch: w.stretch.as_deref().map(|stretch| self.term(stretch)),
        }
    }

    #[allow(clippy::needless_update, reason = "a field that is added does not leave until it is named")]
    fn job_row(&self, j: &JobRow) -> JobRow {
        JobRow {
            job: self.job(&j.job),
            class: self.term(&j.class),
            rule: self.say(&unquoted(&j.rule, "")),
            name: self.title(j.name.as_ref()),
            status: self.term(&j.status),
            who: j.who.as_ref().map(|who| self.term(who)),
            likeness: j.likeness,
            ..JobRow::default()
        }
    }

    fn incident(&self, i: &IncidentRow) -> IncidentRow {
        IncidentRow {
            node: self.node(&i.node),
            from_ms: i.from_ms,
            to_ms: i.to_ms,
            jobs: i.jobs.iter().map(|job| self.job(job)).collect(),
            text: self.say(&i.text),
        }
    }

    fn files(&self, files: &[Coverage]) -> Arc<Vec<Coverage>> {
        // There are few formats and reasons, and many files.
        let mut said: Lookup<&str, String> = Lookup::default();
        let mut files_out = Vec::with_capacity(files.len());
        for c in files {
            let mut term = |text| said.entry(text).or_insert_with(|| self.term(text)).clone();
            files_out.push(Coverage {
                file: self.files.get(&c.file).cloned().unwrap_or_default(),
                format: c.format.as_deref().map(&mut term),
                node: c.node.as_ref().map(|node| self.node(node)),
                lines: c.lines,
                understood: c.understood,
                skipped: c.skipped,
                why: c.why.as_deref().map(&mut term),
                unused: c.unused,
            });
        }
        Arc::new(files_out)
    }

    fn issue(&self, i: &IssueRow) -> IssueRow {
        IssueRow {
            code: if Code::named(&i.code).is_some() { i.code.clone() } else { self.term(&i.code) },
            severity: i.severity,
            count: i.count,
            text: self.term(&i.text),
            advice: self.term(&i.advice),
            lines: i.lines.iter().map(|at| self.line(at)).collect(),
            notes: Vec::new(),
        }
    }

    /// A parameter's value; lists and objects do not leave.
    fn value(&self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => Some(Value::String(self.term(text))),
            Value::Array(_) | Value::Object(_) => None,
            plain => Some(plain.clone()),
        }
    }

    fn clock(&self, c: &ClockRow) -> ClockRow {
        let zone = |z: &ZoneRow| ZoneRow {
            archive: self.archives.get(&z.archive).cloned().unwrap_or_default(),
            node: z.node.as_ref().map(|node| self.node(node)),
            file: z.file.as_ref().and_then(|file| self.files.get(file).cloned()),
            offset_ms: z.offset_ms,
            pairs: z.pairs,
            evidence: self.term_all(&z.evidence),
            changes: z.changes.clone(),
        };
        ClockRow {
            offset_ms: c.offset_ms,
            pairs: c.pairs,
            first_ms: c.first_ms,
            last_ms: c.last_ms,
            source: self.term(&c.source),
            zones: c.zones.iter().map(zone).collect(),
            told: c.told,
        }
    }

    fn skew(&self, s: &SkewSection) -> SkewSection {
        let row = |row: &SkewRow| SkewRow {
            node: self.node(&row.node),
            skew_ms: row.skew_ms,
            uncertainty_ms: row.uncertainty_ms,
            messages: row.messages,
            certain: row.certain,
            corrected: row.corrected,
        };
        SkewSection { reference: self.say(&s.reference), nodes: s.nodes.iter().map(row).collect() }
    }

    fn summary(&self, s: &Summary) -> Summary {
        let settings = json::value_of(&JobConf::default());
        let job = |j: &JobSum| JobSum {
            job: self.job(&j.job),
            name: self.title(j.name.as_ref()),
            start_ms: j.start_ms,
            finish_ms: j.finish_ms,
            maps: j.maps,
            reduces: j.reduces,
            attempts: j.attempts,
            failed: j.failed,
            read_bytes: j.read_bytes,
            written_bytes: j.written_bytes,
            shuffle_bytes: j.shuffle_bytes,
            conf: j
                .conf
                .iter()
                .filter(|(name, value)| settings.get(name).is_some() && (value.is_number() || value.is_boolean()))
                .map(|(name, value)| (name.clone(), value.clone()))
                .gathered(),
        };
        let state = |s: &StateSum| StateSum { kind: self.term(&s.kind), nodes: self.by_node(&s.nodes) };
        Summary { jobs: s.jobs.iter().map(job).collect(), states: s.states.iter().map(state).collect() }
    }
}

/// A text of ours without what it quotes of logs at its end, behind this and a colon.
fn unquoted(text: &str, behind: &str) -> String {
    let (before, rest) = text.split_at(text.find(behind).unwrap_or(text.len()));
    match rest.split_once(QUOTES) {
        Some((said, _)) => format!("{before}{said}{QUOTES}{HIDDEN}"),
        None => text.to_owned(),
    }
}

/// A plain number: `87`, `0.45`, `-3`, `60%`. An address has more than one dot.
fn is_number(word: &str) -> bool {
    let word = word.strip_prefix(['-', '+']).unwrap_or(word);
    let word = word.strip_suffix('%').unwrap_or(word);
    let (whole, decimals) = word.split_once('.').unwrap_or((word, "0"));
    let digits = |part: &str| !part.is_empty() && part.len() <= DIGITS && part.bytes().all(|b| b.is_ascii_digit());
    digits(whole) && digits(decimals)
}

#[cfg(test)]
mod tests;
