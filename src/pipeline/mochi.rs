//! Figures of swimlanes and data flows, with what they are made from kept between frames.
//!
//! Rows are sorted once for a view, an order and a job; a job's data flow is joined once, and an
//! attempt is looked for once a choice. A pan or a zoom then costs what it shows.

use crate::base::{JobId, Timestamp};
use crate::diagnosis::mochi::JobFlow;
use crate::diagnosis::mochi::study::JobStudy;
use crate::model::{ClockChoice, Digest, Trace};
use crate::scene::flows;
use crate::scene::swimlanes::{self, Chosen, Lanes, Moved, Order, Run};
use crate::scene::{Look, Scene, View};
use crate::states;
use std::collections::BTreeMap;

/// By what rows are made: their order, the job and the stretch of time that are chosen.
type Rows = (Order, Option<JobId>, Option<(Timestamp, Timestamp)>);

/// What was made for the figures of one trace.
#[derive(Debug, Default)]
pub struct MochiScenes {
    /// For each view the rows of the last order and choice.
    lanes: BTreeMap<&'static str, (Rows, Lanes)>,
    shown: Option<(JobId, JobStudy)>,
    chosen: Option<Chosen>,
}

impl MochiScenes {
    /// Lays out one of these figures; `None` for others.
    pub fn lay_out(&mut self, view: View, trace: &Trace, look: &Look) -> Option<Scene> {
        if View::SWIMLANES.contains(&view) {
            let key = (look.order, look.selection.job, look.selection.span);
            let kept = self.lanes.remove(view.name()).filter(|(k, _)| *k == key);
            let (_, lanes) = self
                .lanes
                .entry(view.name())
                .or_insert_with(|| kept.unwrap_or_else(|| (key, Lanes::of(trace, view, key.0, key.1, key.2))));
            let shown = self.shown.as_ref();
            Chosen::renew(&mut self.chosen, trace, look, |at, job| match shown.filter(|(of, _)| *of == job) {
                Some((_, shown)) => Moved::of(&shown.flow, at),
                None => Moved::of(&JobFlow::of(trace, job), at),
            });
            let run = Run { trace, lanes, name: "", chosen: self.chosen.as_ref() };
            return Some(swimlanes::lay_out(view, &[run], look));
        }
        if !View::FLOWS.contains(&view) {
            return None;
        }
        let Some(job) = flows::chosen_job(trace, look) else {
            return Some(Scene { name: view.name().to_owned(), ..Scene::default() });
        };
        if self.shown.as_ref().is_none_or(|(kept, _)| *kept != job) {
            self.shown = Some((job, JobStudy::of(trace, job)));
        }
        let (_, shown) = self.shown.as_ref()?;
        Some(flows::lay_out(view, trace, shown, look))
    }
}

/// The run before, for swimlanes of two runs on one axis (M10).
#[derive(Debug)]
pub struct RunBefore {
    trace: Trace,
    /// Rows of both runs by node, before and now.
    lanes: Option<[Lanes; 2]>,
    chosen: [Option<Chosen>; 2],
}

impl RunBefore {
    /// Of what was read of it.
    #[must_use]
    pub fn of(digest: &Digest) -> Self {
        Self { trace: states::build(digest, ClockChoice::default()), lanes: None, chosen: [None, None] }
    }

    /// Lays out the Maps and Reduces of each of its nodes above those of the run now, each run from its own begin: a node
    /// without Reduces, or slower than it was, shows so.
    pub fn lay_out(&mut self, now: &Trace, look: &Look) -> Scene {
        let scene = self.swimlanes(View::SwimlanesNodes, now, look);
        Scene { name: View::SwimlanesCompared.name().to_owned(), ..scene }
    }

    /// The same of any of the swimlanes, once: what it keeps is of one of them.
    pub fn swimlanes(&mut self, view: View, now: &Trace, look: &Look) -> Scene {
        let before = &self.trace;
        let of = |trace| Lanes::of(trace, view, look.order, None, None);
        let [above, below] = self.lanes.get_or_insert_with(|| [of(before), of(now)]);
        let of_both = self.chosen.each_mut();
        // What an attempt moved is told of a run alone.
        of_both.into_iter().zip([before, now]).for_each(|(chosen, trace)| {
            Chosen::renew(chosen, trace, look, |_, _| Moved::default());
        });
        let [of_before, of_now] = self.chosen.each_ref().map(Option::as_ref);
        let runs = [
            Run { trace: before, lanes: above, name: "before", chosen: of_before },
            Run { trace: now, lanes: below, name: "now", chosen: of_now },
        ];
        swimlanes::lay_out(view, &runs, look)
    }

    /// MIROS of a job of each: of the run now the one that is chosen, of the one before it that of the same name, else those
    /// that moved most. `None` where one of them ran no job.
    #[must_use]
    pub fn miros(&self, now: &Trace, look: &Look) -> Option<Scene> {
        let job = flows::chosen_job(now, look)?;
        let name = now.job(job).and_then(|job| job.name.as_deref());
        let named = |trace: &Trace| {
            let jobs = trace.jobs.iter().filter(|of| name.is_some() && of.name.as_deref() == name);
            jobs.map(|of| of.id).find(|id| !trace.tasks_of(*id).is_empty())
        };
        let before = named(&self.trace).or_else(|| flows::chosen_job(&self.trace, &Look::default()))?;
        let (before, now_shown) = (JobStudy::of(&self.trace, before), JobStudy::of(now, job));
        Some(flows::matrices([(&self.trace, &before), (now, &now_shown)], look))
    }
}
