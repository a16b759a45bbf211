//! Figures of swimlanes and data flows, with what they are made from kept between frames.
//!
//! Rows are sorted once for a view, an order and a job; a job's data flow is joined once, and an
//! attempt is looked for once a choice. A pan or a zoom then costs what it shows.

use crate::base::{JobId, Timestamp};
use crate::diagnosis::mochi::JobFlow;
use crate::diagnosis::mochi::study::{self, JobStudy};
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

/// The run before, for figures of two runs (M10).
#[derive(Debug)]
pub struct RunBefore {
    trace: Trace,
    /// Of the page's figure, the rows of both runs: before and now.
    lanes: Option<[Lanes; 2]>,
    chosen: [Option<Chosen>; 2],
}

/// Which of two runs holds no data for a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lacking {
    /// The one before.
    Before,
    /// The one now.
    Now,
    /// Either.
    Both,
}

impl Lacking {
    /// What both runs have for a figure.
    fn unless_both_have<T>(before: Option<T>, now: Option<T>) -> Result<[T; 2], Self> {
        match (before, now) {
            (Some(before), Some(now)) => Ok([before, now]),
            (None, Some(_)) => Err(Self::Before),
            (Some(_), None) => Err(Self::Now),
            (None, None) => Err(Self::Both),
        }
    }
}

impl RunBefore {
    /// Of what was read of it, its clocks taken as those of the run now are.
    #[must_use]
    pub fn of(digest: &Digest, clocks: ClockChoice) -> Self {
        Self { trace: states::build(digest, clocks), lanes: None, chosen: [None, None] }
    }

    /// Lays out the Maps and Reduces of each of its nodes above those of the run now, each run from its own begin: a node
    /// without Reduces, or slower than it was, shows so.
    pub fn lay_out(&mut self, now: &Trace, look: &Look) -> Scene {
        let of = |trace| Lanes::of(trace, View::SwimlanesNodes, look.order, None, None);
        let lanes = self.lanes.get_or_insert_with(|| [of(&self.trace), of(now)]);
        let scene = above_now(View::SwimlanesNodes, [&self.trace, now], lanes, &mut self.chosen, look);
        Scene { name: View::SwimlanesCompared.name().to_owned(), ..scene }
    }

    /// One of the swimlanes, or MIROS, of this run above that of the run now. Of a job that is chosen, swimlanes show this
    /// run's [`Self::counterpart`].
    ///
    /// # Errors
    /// Which of both runs holds nothing for the figure.
    pub fn above(&self, view: View, now: &Trace, look: &Look) -> Result<Scene, Lacking> {
        if view == View::FlowsMatrix {
            return self.miros(now, look);
        }
        let of = |trace, job| Some(Lanes::of(trace, view, look.order, job, None)).filter(|lanes| !lanes.is_empty());
        let (before, shown) = match look.selection.job {
            Some(job) => {
                (self.counterpart(now, job).and_then(|before| of(&self.trace, Some(before))), of(now, Some(job)))
            }
            None => (of(&self.trace, None), of(now, None)),
        };
        let lanes = Lacking::unless_both_have(before, shown)?;
        Ok(above_now(view, [&self.trace, now], &lanes, &mut [None, None], look))
    }

    /// MIROS of a job of each: of the run now the one that is chosen, of this one its [`Self::counterpart`], else those that
    /// moved most.
    fn miros(&self, now: &Trace, look: &Look) -> Result<Scene, Lacking> {
        let chosen = flows::chosen_job(now, look);
        let alike = chosen.and_then(|job| self.counterpart(now, job));
        let before = alike.or_else(|| study::busiest(&self.trace.tasks));
        let shown = |trace: &Trace, job: Option<JobId>| {
            job.map(|job| JobStudy::of(trace, job)).filter(|study| !study.volumes.nodes.is_empty())
        };
        let [before, shown] = Lacking::unless_both_have(shown(&self.trace, before), shown(now, chosen))?;
        Ok(flows::matrices([(&self.trace, &before), (now, &shown)], look))
    }

    /// The job of this run that one of the run now is held against: that of the same id, else of those of the same name the
    /// one that moved most. `None` where no task of such a job is known.
    #[must_use]
    pub fn counterpart(&self, now: &Trace, job: JobId) -> Option<JobId> {
        if !self.trace.tasks_of(job).is_empty() {
            return Some(job);
        }
        let name = now.job(job)?.name.as_deref()?;
        let named = self.trace.jobs.iter().filter(|of| of.name.as_deref() == Some(name));
        study::busiest(named.flat_map(|of| self.trace.tasks_of(of.id)))
    }
}

/// Lays out swimlanes of the run before above those of the run now.
fn above_now(
    view: View,
    traces: [&Trace; 2],
    lanes: &[Lanes; 2],
    chosen: &mut [Option<Chosen>; 2],
    look: &Look,
) -> Scene {
    // What an attempt moved is told of a run alone.
    chosen.iter_mut().zip(traces).for_each(|(chosen, trace)| {
        Chosen::renew(chosen, trace, look, |_, _| Moved::default());
    });
    let ([before, now], [above, below], [of_before, of_now]) = (traces, lanes, &*chosen);
    let runs = [
        Run { trace: before, lanes: above, name: "before", chosen: of_before.as_ref() },
        Run { trace: now, lanes: below, name: "now", chosen: of_now.as_ref() },
    ];
    swimlanes::lay_out(view, &runs, look)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, NodeId, Place, TaskLetter};
    use crate::model::{Count, Counters, Job, JobStatus, Node, TaskAttempt, TaskType};

    /// A run of jobs, each its number, its name and the bytes that its only map read.
    fn run(jobs: &[(u32, &str, i64)]) -> Trace {
        let id = |number| JobId { cluster: 1, number };
        let task = |(number, _, bytes): &(u32, &str, i64)| TaskAttempt {
            node: Some(NodeId(0)),
            counters: Counters { hdfs_read: Count::from(Some(*bytes)), ..Counters::default() },
            ..TaskAttempt::of(
                AttemptId { job: id(*number), letter: TaskLetter::Map, task: 0, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        };
        Trace {
            nodes: vec![Node { name: "h1".into(), is_peer: true }],
            jobs: jobs
                .iter()
                .map(|(number, name, _)| Job { name: Some((*name).into()), ..Job::of(id(*number), JobStatus::Success) })
                .collect(),
            tasks: jobs.iter().map(task).collect(),
            ..Trace::default()
        }
    }

    fn before(trace: Trace) -> RunBefore {
        RunBefore { trace, lanes: None, chosen: [None, None] }
    }

    #[test]
    fn a_job_is_held_against_that_of_its_id_or_the_busiest_of_its_name() {
        let was = before(run(&[(1, "sort", 5), (2, "grep", 70), (3, "sort", 40), (4, "sort", 20)]));
        let now = run(&[(2, "sort", 9), (7, "sort", 9), (8, "join", 9)]);
        let counterpart = |number| was.counterpart(&now, JobId { cluster: 1, number }).map(|job| job.number);
        assert_eq!([2, 7, 8, 9].map(counterpart), [Some(2), Some(3), None, None]);
    }

    #[test]
    fn matrices_of_two_runs_are_a_picture_without_the_table_of_either() {
        let (was, now) = (before(run(&[(1, "sort", 5)])), run(&[(7, "sort", 9)]));
        let scene = was.above(View::FlowsMatrix, &now, &Look::default()).unwrap();
        assert_eq!(scene.rasters.len(), 6);
        assert!(scene.table.rows.is_empty() && scene.hits.is_empty());
        let look = Look::default();
        for view in [View::FlowsMatrix, View::Swimlanes] {
            let lacking = [(&was, Trace::default()), (&before(Trace::default()), Trace::default())]
                .map(|(was, now)| was.above(view, &now, &look).unwrap_err());
            // These tasks have a node, and no times.
            let of_one = if view == View::FlowsMatrix { Lacking::Now } else { Lacking::Both };
            assert_eq!(lacking, [of_one, Lacking::Both]);
        }
        assert_eq!(before(Trace::default()).above(View::FlowsMatrix, &now, &look).unwrap_err(), Lacking::Before);
    }
}
