//! The analyst: what one worker knows after all digests are merged.

use crate::diagnosis::{Baseline, Params, settable};
use crate::model::{ClockChoice, Digest, DigestError, Trace};
use crate::pipeline::fits::Load;
use crate::pipeline::labelled::{self, Labelled};
use crate::pipeline::{
    self, Control, Prepared, RunBefore, Untaught, Views, analyse_telling, fits, measure, metrics_in, only_baseline,
    prepare,
};
use crate::protocol::{Answer, Asked, Set};
use crate::report::compare::{self, Difference};
use crate::report::key::KeyFile;
use crate::report::{Report, check, file, trace_events};
use crate::scene::carried::Carried;
use crate::scene::evaluation::{self, Evaluated};
use crate::scene::search::{Findings, search};
use crate::scene::{Look, Scene, View, differences, peers, system};
use crate::states::{self, Basis};
use std::mem;
use std::sync::Arc;

/// Fewer rows of metrics are compared faster than another worker starts.
const APART_FROM: u64 = 10_000;

/// The merged digest, and what came of it.
#[derive(Debug, Default)]
pub struct Analyst {
    digest: Digest,
    /// All that was merged.
    load: Load,
    baseline: Option<Arc<Baseline>>,
    /// An analysis whose metrics are compared elsewhere.
    prepared: Option<Prepared>,
    views: Option<Views>,
    /// A report that came without its logs, and its figures.
    opened: Option<(Report, Carried)>,
    compared: Option<Difference>,
    /// The run before, if its logs were read.
    before: Option<RunBefore>,
    /// The labelled runs, each diagnosed alone; made when it is first asked for.
    evaluated: Option<Evaluated>,
    /// What the verdict was reached with.
    params: Params,
}

/// Learns from control runs, each its name and the encoded digests of its parts, which extend the baseline that is given
/// if one is; and says which of them look as if a node were at fault, or that they teach nothing beside it.
///
/// # Errors
/// In words, if one is no digest, a baseline cannot be used, or without one nothing can be learned.
pub fn learn(
    baselines: Vec<(String, Vec<u8>)>,
    runs: impl Iterator<Item = (String, Vec<Vec<u8>>)>,
    set: &[Set],
) -> Result<(Baseline, Vec<String>), String> {
    let before = only_baseline(baselines)?;
    let read = |parts: Vec<Vec<u8>>| {
        parts.iter().try_fold(Digest::default(), |mut run, part| {
            run.merge(Digest::decode(part)?);
            Ok(run)
        })
    };
    let params = set_to(set)?;
    let (mut traces, mut names, mut doubts): (Vec<Trace>, Vec<String>, Vec<String>) = Default::default();
    for (name, parts) in runs {
        let control = Control::of(&read(parts).map_err(|e: DigestError| e.to_string())?, &params);
        doubts.extend(control.doubt(&name));
        traces.push(control.trace);
        names.push(name);
    }
    match (before, traces.is_empty()) {
        (Some(before), true) => Ok((before, doubts)),
        (before, _) => match (pipeline::learn(&before.clone().unwrap_or_default(), &traces, &params), before) {
            (Ok(baseline), _) => Ok((baseline, doubts)),
            (Err(why @ Untaught::Nothing), Some(before)) => {
                doubts.push(format!("{}: {why}; compared without them.", names.join(", ")));
                Ok((before, doubts))
            }
            (Err(why), _) => Err(why.to_string()),
        },
    }
}

/// What is asked by what is set.
fn set_to(set: &[Set]) -> Result<Params, String> {
    let first = |refused: Vec<Set>| refused.into_iter().map(|(_, why)| why).next().unwrap_or_default();
    settable::params(set).map_err(first)
}

impl Analyst {
    /// Adds an encoded digest.
    ///
    /// # Errors
    /// If the bytes are no digest, or with them there is more than a page can analyse.
    pub fn merge(&mut self, bytes: &[u8]) -> Result<(), String> {
        let more = Digest::decode(bytes).map_err(|e| e.to_string())?;
        // What is held already, from a parser that broke down and was asked once more, counts once.
        let new = more.files().filter(|(key, _)| !self.digest.has(key));
        let load = new.fold(self.load, |load, (_, file)| load.with(file));
        fits::require_to_analyse(load)?;
        self.load = load;
        self.digest.merge(more);
        Ok(())
    }

    /// Compares with an encoded baseline from now on, and says so in words; none: forgets the one there is.
    ///
    /// # Errors
    /// If the bytes are no baseline.
    pub fn set_baseline(&mut self, bytes: Option<&[u8]>) -> Result<Answer, String> {
        let baseline = bytes.map(Baseline::decode).transpose().map_err(|e| e.to_string())?;
        self.baseline = baseline.map(Arc::new);
        Ok(Answer::BaselineSet(self.baseline.as_ref().map(|b| b.in_words())))
    }

    /// What there is to analyse if another digest is held too.
    fn load_with(&self, other: &Digest) -> Load {
        other.files().fold(self.load, |load, (_, file)| load.with(file))
    }

    /// What the comparison of metrics says, on the basis that another worker sent.
    ///
    /// # Errors
    /// If that is of another build.
    pub fn measure(&self, basis: &[u8]) -> Result<Vec<u8>, String> {
        let basis = postcard::from_bytes(basis).map_err(|e| e.to_string())?;
        // The times are placed by now.
        let params = self.params_for(&Asked::default())?;
        postcard::to_stdvec(&measure(&self.digest, &params, basis)).map_err(|e| e.to_string())
    }

    /// Does what comes before the verdict but the comparison of metrics. `tell` hears what is being done, and
    /// `others`, if it pays that they compare those, the digest of the metrics in parts, and last by what.
    ///
    /// # Errors
    /// In words, if something cannot be asked so.
    pub fn prepare(
        &mut self,
        asked: &Asked,
        tell: &dyn Fn(&str),
        others: &dyn Fn(&mut dyn Iterator<Item = Vec<u8>>),
    ) -> Result<(), String> {
        let digest = &self.digest;
        let metrics = digest.files().filter(|(_, file)| states::is_metrics(file));
        let twice = metrics.fold(self.load, |load, (_, file)| load.with(file));
        let pays = metrics_in(digest) >= APART_FROM && fits::require_to_analyse(twice).is_ok();
        let mut pass_on = |basis: &Basis| {
            if let Some(basis) = postcard::to_stdvec(basis).ok().filter(|_| pays) {
                others(&mut digest.parts_of(states::is_metrics).chain([basis]));
            }
        };
        let prepared = prepare(digest, &self.params_for(asked)?, tell, &mut pass_on);
        self.prepared = Some(prepared);
        Ok(())
    }

    fn params_for(&self, Asked { clocks, set }: &Asked) -> Result<Params, String> {
        let ClockChoice { tz_offset_ms, fix_clocks } = *clocks;
        Ok(Params { tz_offset_ms, fix_clocks, baseline: self.baseline.clone(), ..set_to(set)? })
    }

    /// Reaches the verdict, again where it was reached under another choice, with what the comparison of
    /// metrics elsewhere says if there was one. `tell` hears what is being done. What was compared with the one
    /// before is forgotten.
    ///
    /// # Errors
    /// In words, if something cannot be asked so.
    pub fn analyse(&mut self, asked: &Asked, measured: Option<&[u8]>, tell: &dyn Fn(&str)) -> Result<Answer, String> {
        let params = self.params_for(asked)?;
        // Nothing else is answered until the new one is there, and two may not fit where one does.
        (self.views, self.evaluated, self.compared, self.before) = Default::default();
        let measured = measured.and_then(|bytes| postcard::from_bytes(bytes).ok());
        let mut analysis = match self.prepared.take().filter(|prepared| *prepared.params() == params) {
            Some(prepared) => prepared.finish(&self.digest, measured, tell),
            None => analyse_telling(&self.digest, &params, tell),
        };
        let (report, told) = (slim(&mut analysis.report), analysis.report.set_in_words());
        let views = Views::new(analysis);
        let answer = Answer::Analysed {
            report,
            measured: system::has_something(&views.analysis().trace),
            labelled: labelled::count(&self.digest),
            kinds: views.kinds(),
            told,
        };
        self.views = Some(views);
        self.params = params;
        Ok(answer)
    }

    /// What a name or an id is of.
    pub fn search(&self, words: &str) -> Findings {
        self.views.as_ref().map_or_else(Findings::default, |views| search(&views.analysis().trace, words))
    }

    /// Writes all intervals as trace events.
    pub fn write_trace_events(&self, write: &mut dyn FnMut(&str)) {
        if let Some(views) = &self.views {
            trace_events::write(&views.analysis().trace, write);
        }
    }

    /// Takes a shared report as what is asked about from now on.
    pub fn open(&mut self, mut report: Report) -> Answer {
        let checked = check::enforce(&mut report).in_words();
        let culprit = report.verdict.culprits.first().map(|culprit| culprit.node.as_str());
        let kinds = peers::kinds_of_report(&peers::of_report(&report, culprit), culprit);
        let carried = Carried::of(&report);
        let views = carried.views().to_vec();
        let told = report.set_in_words();
        let answer = Answer::Opened { report: slim(&mut report), checked, kinds, views, told };
        self.opened = Some((report, carried));
        answer
    }

    /// Turns the pseudonyms of the opened report back.
    ///
    /// # Errors
    /// If none is open, or these bytes are not its key.
    pub fn reveal(&mut self, key: &[u8]) -> Result<Answer, String> {
        let opened = self.opened.as_ref();
        let (report, _) = opened.ok_or_else(|| String::from("no shared report is open that a key could fit"))?;
        let named = KeyFile::decode(key).and_then(|file| file.reveal(report)).map_err(|e| e.to_string())?;
        Ok(self.open(named))
    }

    /// The report that is asked about.
    ///
    /// # Errors
    /// If there is none yet.
    pub fn report(&self) -> Result<&Report, String> {
        let own = self.views.as_ref().map(|views| &views.analysis().report);
        let report = own.or(self.opened.as_ref().map(|(report, _)| report));
        report.ok_or_else(|| String::from("there is no report yet"))
    }

    /// The digest of all that was merged.
    pub fn digest(&self) -> Vec<u8> {
        self.digest.encode()
    }

    /// Compares with the run before, given as a report's JSON and, if its logs were read, as their
    /// digest.
    ///
    /// # Errors
    /// If that is no report, or there is none to compare with.
    pub fn compare(&mut self, before: &[u8], digest: Option<&[u8]>) -> Result<Answer, String> {
        // Without it, or if both do not fit, the figure of both runs stays away.
        let digest = digest
            .and_then(|bytes| Digest::decode(bytes).ok())
            .filter(|digest| fits::require_to_analyse(self.load_with(digest)).is_ok());
        self.before = digest.as_ref().map(|digest| RunBefore::of(digest, ClockChoice::default()));
        let before = file::open(before).map_err(|e| e.to_string())?;
        let difference = compare::compare(&before, self.report()?);
        self.compared = Some(difference.clone());
        Ok(Answer::Compared(Box::new(difference)))
    }

    /// Lays out a figure; an empty one if there is nothing to show.
    pub fn lay_out(&mut self, view: View, look: &Look) -> Scene {
        if View::EVALUATION.contains(&view) {
            let evaluated = self.evaluated.get_or_insert_with(|| {
                let Labelled { runs, absent } = labelled::evaluate(&self.digest, &self.params);
                Evaluated::new(runs, absent)
            });
            return evaluation::lay_out(view, evaluated, look);
        }
        if view == View::Differences {
            return self.compared.as_ref().map_or_else(Scene::default, |d| differences::lay_out(d, look));
        }
        if view == View::SwimlanesCompared {
            let both = self.before.as_mut().zip(self.views.as_ref());
            return both.map_or_else(Scene::default, |(before, now)| before.lay_out(&now.analysis().trace, look));
        }
        if let Some((report, carried)) = &self.opened {
            return carried.lay_out(report, view, look);
        }
        self.views.as_ref().map_or_else(Scene::default, |views| views.lay_out(view, look))
    }
}

/// The report as the page shows it: figures and comparisons are made here, and the rows of files go to it as bytes.
fn slim(report: &mut Report) -> Box<Report> {
    // Nothing of what does not go is copied.
    let (figures, summary) = (mem::take(&mut report.figures), mem::take(&mut report.summary));
    let slim = Report { coverage: Arc::default(), ..report.clone() };
    (report.figures, report.summary) = (figures, summary);
    Box::new(slim)
}
