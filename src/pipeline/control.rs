//! Control runs: what they teach, and whether each is as healthy as it was said to be.

use super::{Analysis, analyse};
use crate::diagnosis::baseline::TEACH_NOTHING;
use crate::diagnosis::{Baseline, Params};
use crate::model::{Digest, Trace};
use crate::report::OutcomeKind;

/// A run that was given as healthy.
#[derive(Debug)]
pub struct Control {
    /// What is learned from.
    pub trace: Trace,
    /// The verdict on it alone, where that names a node: what it teaches holds the fault.
    pub unwell: Option<String>,
}

impl Control {
    /// Judges a run by these switches, without any baseline.
    #[must_use]
    pub fn of(digest: &Digest, params: &Params) -> Self {
        let alone = Params { baseline: None, ..params.clone() };
        let Analysis { trace, report, .. } = analyse(digest, &alone);
        let unwell = (report.verdict.outcome == OutcomeKind::Indicted).then_some(report.verdict.sentence);
        Self { trace, unwell }
    }

    /// What is to be told of the run of this name, if anything.
    #[must_use]
    pub fn doubt(&self, name: &str) -> Option<String> {
        let verdict = self.unwell.as_ref()?;
        Some(format!("{name} does not look healthy, and what it teaches may hide the same fault: {verdict}"))
    }
}

/// Why control runs teach nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Untaught {
    /// There is no log among their files.
    #[error("none of these control runs' files is a log that oddnode reads")]
    NoLog,
    /// Their logs hold nothing to learn from.
    #[error("{TEACH_NOTHING}")]
    Nothing,
}

/// The only one of these baselines, each with the name that is told and its bytes.
///
/// # Errors
/// In words, if one cannot be used, or there are two.
pub fn only_baseline(given: impl IntoIterator<Item = (String, Vec<u8>)>) -> Result<Option<Baseline>, String> {
    let mut only = None;
    for (name, bytes) in given {
        let one = Baseline::decode(&bytes).map_err(|error| format!("{name}: {error}"))?;
        if only.replace(one).is_some() {
            return Err(format!(
                "profiles of two baselines cannot be joined: extend one by the other's control runs: {name}"
            ));
        }
    }
    Ok(only)
}

/// A baseline extended by control runs. One that knew all of it already is as before, but for the runs' clusters.
///
/// # Errors
/// [`Untaught`] where they hold nothing that others can be compared with.
pub fn learn(before: &Baseline, controls: &[Trace], params: &Params) -> Result<Baseline, Untaught> {
    let (learned, taught) = before.clone().taught(&controls.iter().collect::<Vec<_>>(), params);
    if taught {
        return Ok(learned);
    }
    let is_log = controls.iter().flat_map(|trace| &trace.files).any(|file| file.coverage.format.is_some());
    Err(if is_log { Untaught::Nothing } else { Untaught::NoLog })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::Ingest;
    use crate::source::Limits;

    fn trace(name: &str, bytes: &[u8]) -> Trace {
        let mut ingest = Ingest::new(Limits::default());
        ingest.start(name);
        ingest.feed(bytes);
        ingest.finish_input();
        Control::of(&ingest.into_digest(), &Params::default()).trace
    }

    #[test]
    fn runs_that_teach_nothing_say_whether_they_have_logs() {
        const LOG: &[u8] = b"2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: LaunchTaskAction \
            (registerTask): attempt_202611210224_0001_m_000001_0 task's state:UNASSIGNED\n";
        let (log, other) = (trace("h1/t.log", LOG), trace("notes", b"no log\n"));
        let of = |controls: &[Trace]| learn(&Baseline::default(), controls, &Params::default());
        assert_eq!(of(&[other.clone(), log]), Err(Untaught::Nothing));
        assert_eq!(of(&[other]), Err(Untaught::NoLog));
        assert_eq!(of(&[]), Err(Untaught::NoLog));
    }

    #[test]
    fn two_baselines_are_not_joined_and_a_bad_one_is_named() {
        let good = || (String::from("a.baseline"), Baseline::default().encode());
        let cut = || (String::from("b.baseline"), Baseline::default().encode().split_off(1));
        assert_eq!(only_baseline([]), Ok(None));
        assert_eq!(only_baseline([good()]), Ok(Some(Baseline::default())));
        assert_eq!(
            only_baseline([good(), cut()]),
            Err("b.baseline: not a baseline: `oddnode train` writes them".into())
        );
        let two = only_baseline([good(), good()]);
        assert!(two.is_err_and(|why| why.ends_with("control runs: a.baseline")));
    }
}
