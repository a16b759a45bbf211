//! Labelled runs diagnosed, and the verdicts counted against the labels.
//!
//! `truth.json` is a list with one object a run: `{"run":"r07","workload":"sort",
//! "fault":"CPUHog","node":"h103",…}`; `fault` is `none` for controls, `node` null where
//! no node is at fault. The archive is `<run>.tar.gz` beside it; runs without one are
//! counted and left out.

use super::input::Input;
use super::{bad_input, read};
use crate::diagnosis::Params;
use crate::pipeline::analyse;
use crate::report::{OutcomeKind, Report};
use crate::source::Limits;
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Value of [`Evaluation::format`].
const FORMAT: &str = "oddnode-evaluation";
/// Value of [`Evaluation::version`].
const VERSION: u32 = 1;

/// One object of `truth.json`.
#[derive(Debug, Deserialize)]
struct Truth {
    run: String,
    workload: String,
    fault: String,
    node: Option<String>,
}

/// How a verdict stands against the label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Mark {
    /// The faulty node, and no other, is indicted.
    Hit,
    /// The faulty node is indicted among others.
    HitAmongOthers,
    /// Only other nodes are indicted.
    Wrong,
    /// A node is at fault and none is indicted.
    Miss,
    /// A node is at fault and there is no verdict.
    Abstained,
    /// No node is at fault and some is indicted.
    False,
    /// No node is at fault and none is indicted.
    Quiet,
}

impl Mark {
    fn of(truth: &Truth, report: &Report) -> Self {
        let indicted = report.verdict.culprits.iter().map(|culprit| culprit.node.as_str());
        let others = indicted.clone().filter(|node| Some(*node) != truth.node.as_deref()).count();
        match &truth.node {
            None if others > 0 => Self::False,
            None => Self::Quiet,
            Some(node) => match (indicted.clone().any(|name| name == node), others) {
                (true, 0) => Self::Hit,
                (true, _) => Self::HitAmongOthers,
                (false, 0) if report.verdict.outcome == OutcomeKind::NoVerdict => Self::Abstained,
                (false, 0) => Self::Miss,
                (false, _) => Self::Wrong,
            },
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Hit => "hit",
            Self::HitAmongOthers => "hit-among-others",
            Self::Wrong => "wrong",
            Self::Miss => "miss",
            Self::Abstained => "abstained",
            Self::False => "false",
            Self::Quiet => "quiet",
        }
    }
}

/// One run's verdict beside its label.
#[derive(Debug, Serialize)]
struct Run {
    run: String,
    workload: String,
    fault: String,
    node: Option<String>,
    indicted: Vec<String>,
    cause: Option<String>,
    outcome: OutcomeKind,
    mark: Mark,
}

/// Counts over all runs.
#[derive(Debug, Default, PartialEq, Eq, Serialize)]
struct Summary {
    /// Runs diagnosed.
    runs: u64,
    /// Runs of `truth.json` whose archive is not there.
    without_archive: u64,
    /// Runs with a faulty node.
    with_culprit: u64,
    /// Of these: exactly the faulty node indicted.
    right: u64,
    /// Of these: another node indicted, alone or beside it.
    wrong: u64,
    /// Of these: no node indicted.
    missed: u64,
    /// Of those missed: no verdict, with a reason.
    abstained: u64,
    /// Runs without any fault.
    clean: u64,
    /// Of these: some node indicted.
    clean_false: u64,
    /// Runs with a fault that is no node's.
    application: u64,
    /// Of these: some node indicted.
    application_false: u64,
}

/// What came of an evaluation.
#[derive(Debug, Serialize)]
pub(super) struct Evaluation {
    format: &'static str,
    version: u32,
    summary: Summary,
    runs: Vec<Run>,
}

/// Diagnoses every run of `dir`.
///
/// # Errors
/// [`super::BadInput`] if `truth.json` or an archive cannot be read.
pub(super) fn evaluate(dir: &Path, params: &Params, workers: usize) -> Result<Evaluation> {
    let path = dir.join("truth.json");
    let told = |error: &dyn std::fmt::Display| bad_input(format!("{}: cannot be read: {error}", path.display()));
    let text = std::fs::read(&path).map_err(|error| told(&error))?;
    // serde_json's message ends with line and column.
    let truths: Vec<Truth> = serde_json::from_slice(&text).map_err(|error| told(&error))?;
    let archives = truths.iter().map(|truth| dir.join(format!("{}.tar.gz", truth.run)));
    let (there, absent): (Vec<_>, Vec<_>) = truths.iter().zip(archives).partition(|(_, archive)| archive.is_file());
    let mut evaluation = Evaluation {
        format: FORMAT,
        version: VERSION,
        summary: Summary { without_archive: absent.len() as u64, ..Summary::default() },
        runs: Vec::new(),
    };
    let diagnose = |(_, archive): &(&Truth, PathBuf)| {
        let digest = read::digest_of(&Input::file(archive), Limits::default(), |_| {})?;
        Ok(analyse(&digest, params).report)
    };
    let watch = |begun| read::rewrite_line(&format!("diagnosing {begun} of {}", there.len()));
    let reports = read::share_out(&there, workers, diagnose, watch)?;
    for ((truth, _), report) in there.iter().zip(&reports) {
        evaluation.add(truth, report);
    }
    Ok(evaluation)
}

impl Evaluation {
    fn add(&mut self, truth: &Truth, report: &Report) {
        let mark = Mark::of(truth, report);
        self.summary.count(truth, mark);
        let culprits = &report.verdict.culprits;
        self.runs.push(Run {
            run: truth.run.clone(),
            workload: truth.workload.clone(),
            fault: truth.fault.clone(),
            node: truth.node.clone(),
            indicted: culprits.iter().map(|culprit| culprit.node.clone()).collect(),
            cause: culprits.first().map(|culprit| culprit.cause.clone()),
            outcome: report.verdict.outcome,
            mark,
        });
    }

    pub(super) fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).unwrap_or_default();
        text.push('\n');
        text
    }

    pub(super) fn to_text(&self) -> String {
        let mut out = String::new();
        // Writing to a String does not fail.
        let _ = writeln!(out, "{:6} {:12} {:14} {:6} {:17} indicted", "run", "workload", "fault", "node", "mark");
        for run in &self.runs {
            let node = run.node.as_deref().unwrap_or("-");
            let cause = run.cause.as_ref().map_or_else(String::new, |cause| format!(" ({cause})"));
            let indicted = run.indicted.join(", ");
            let Run { run, workload, fault, mark, .. } = run;
            let mark = mark.name();
            let _ = writeln!(out, "{run:6} {workload:12} {fault:14} {node:6} {mark:17} {indicted}{cause}");
        }
        let mut faults: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for run in self.runs.iter().filter(|run| run.node.is_some()) {
            let (right, all) = faults.entry(&run.fault).or_default();
            *right += usize::from(run.mark == Mark::Hit);
            *all += 1;
        }
        let _ = writeln!(out);
        for (fault, (right, all)) in faults {
            let _ = writeln!(out, "{fault}: {right} of {all} right");
        }
        let s = &self.summary;
        let _ = writeln!(
            out,
            "\n{} runs, {} more without archive\n\
             faulty node: {} of {} right, {} wrong, {} missed ({} of them without a verdict)\n\
             clean runs: {} of {} with a false culprit\n\
             application faults: {} of {} with a false culprit",
            s.runs,
            s.without_archive,
            s.right,
            s.with_culprit,
            s.wrong,
            s.missed,
            s.abstained,
            s.clean_false,
            s.clean,
            s.application_false,
            s.application
        );
        out
    }
}

impl Summary {
    fn count(&mut self, truth: &Truth, mark: Mark) {
        self.runs += 1;
        let is_false = u64::from(mark == Mark::False);
        if truth.node.is_some() {
            self.with_culprit += 1;
        } else if truth.fault == "none" {
            self.clean += 1;
            self.clean_false += is_false;
        } else {
            self.application += 1;
            self.application_false += is_false;
        }
        match mark {
            Mark::Hit => self.right += 1,
            Mark::HitAmongOthers | Mark::Wrong => self.wrong += 1,
            Mark::Miss => self.missed += 1,
            Mark::Abstained => {
                self.missed += 1;
                self.abstained += 1;
            }
            Mark::False | Mark::Quiet => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Culprit, Verdict};

    fn marked(node: Option<&str>, indicted: &[&str], outcome: OutcomeKind) -> (Mark, Summary) {
        let fault = if node.is_some() { "CPUHog" } else { "none" };
        let truth = Truth { run: "r".into(), workload: "w".into(), fault: fault.into(), node: node.map(str::to_owned) };
        let culprits = indicted.iter().map(|node| Culprit { node: (*node).into(), ..Culprit::default() }).collect();
        let verdict = Verdict { outcome, culprits, ..Verdict::default() };
        let mark = Mark::of(&truth, &Report { verdict, ..Report::default() });
        let mut summary = Summary::default();
        summary.count(&truth, mark);
        (mark, summary)
    }

    #[test]
    fn verdicts_are_marked_against_the_label() {
        use OutcomeKind::{Clean, Indicted, NoVerdict};
        assert_eq!(marked(Some("a"), &["a"], Indicted).0, Mark::Hit);
        assert_eq!(marked(Some("a"), &["b", "a"], Indicted).0, Mark::HitAmongOthers);
        assert_eq!(marked(Some("a"), &["b"], Indicted).0, Mark::Wrong);
        assert_eq!(marked(Some("a"), &[], Clean).0, Mark::Miss);
        assert_eq!(marked(Some("a"), &[], NoVerdict).0, Mark::Abstained);
        assert_eq!(marked(None, &["b"], Indicted).0, Mark::False);
        assert_eq!(marked(None, &[], Clean).0, Mark::Quiet);
    }

    #[test]
    fn clean_run_with_a_culprit_is_counted() {
        let (_, summary) = marked(None, &["b"], OutcomeKind::Indicted);
        assert_eq!(summary, Summary { runs: 1, clean: 1, clean_false: 1, ..Summary::default() });
    }

    #[test]
    fn abstention_is_a_miss_with_a_reason() {
        let (_, summary) = marked(Some("a"), &[], OutcomeKind::NoVerdict);
        assert_eq!(summary, Summary { runs: 1, with_culprit: 1, missed: 1, abstained: 1, ..Summary::default() });
    }
}
