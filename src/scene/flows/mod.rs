//! The flows of one job's data (M06, M07, M11–M13, M15): volumes from node to node as a
//! matrix and as bands (MIROS), groups of paths with their volumes and durations (REP), one
//! path from block to block (JCDF).
//!
//! All figures show the chosen job, else the one that moved most. What the job's habits are,
//! and whether logs and counters agree, is told in words below them.

mod diagram;
mod matrix;
mod path;
mod paths;

use super::axis::FONT_CSS_PX;
use super::swimlanes::no_task_of;
use super::{Hue, Look, Role, Scene, View};
use crate::base::JobId;
use crate::base::quantity::{bytes, counted, grouped, of_millis};
use crate::diagnosis::mochi::JobFlow;
use crate::diagnosis::mochi::balance::{Weighed, weigh};
use crate::diagnosis::mochi::critical::{CriticalPath, Leg};
use crate::diagnosis::mochi::hints::{self, Hint};
use crate::diagnosis::mochi::paths::Paths;
use crate::diagnosis::mochi::volumes::Volumes;
use crate::model::{TaskType, Trace};
use std::collections::BTreeMap;

/// Height of a line of words.
const LINE_CSS_PX: f32 = 17.0;

/// A job's data flow and all that its figures need: made once, asked for each figure.
#[derive(Clone, Debug, PartialEq)]
pub struct JobShown {
    /// The data flow.
    pub flow: JobFlow,
    /// Over the nodes.
    pub volumes: Volumes,
    /// Its paths in groups.
    pub paths: Paths,
    /// The path that its end waited for.
    pub critical: Option<CriticalPath>,
    /// What stands out.
    pub hints: Vec<Hint>,
    /// Logs beside counters.
    pub weighed: [Weighed; 3],
}

impl JobShown {
    /// Of one job.
    #[must_use]
    pub fn of(trace: &Trace, job: JobId) -> Self {
        let flow = JobFlow::of(trace, job);
        let critical = CriticalPath::of(trace, &flow);
        Self {
            volumes: Volumes::of(trace, &flow),
            paths: Paths::of(trace, &flow, critical.as_ref()),
            critical,
            hints: hints::of(trace, &flow),
            weighed: weigh(trace, &flow),
            flow,
        }
    }

    /// What there is to say of the job, most telling first.
    #[must_use]
    pub fn words(&self, trace: &Trace) -> Vec<String> {
        let mut words: Vec<String> = self.critical.iter().map(|c| capital(&c.sentence())).collect();
        words.extend(self.structure(trace));
        words.extend(self.hints.iter().map(|h| h.words(trace)));
        words
    }

    /// How Maps and Reduces divide the job's time (M15).
    fn structure(&self, trace: &Trace) -> Option<String> {
        // Mean time of those that ended well, and who they are: "12 Maps", "12 of 14 Maps".
        let told = |of: TaskType, name: &str| {
            let took: Vec<f64> =
                self.flow.done(trace, of).filter_map(|(_, t)| Some(t.finish?.millis_since(t.start?) as f64)).collect();
            let (ended, all) = self.flow.ended(trace, of);
            let tasks = counted(all as u64, name);
            let who = if ended < all { format!("{} of {tasks}", grouped(ended as u64)) } else { tasks };
            (all, took.iter().sum::<f64>() / took.len() as f64, who)
        };
        let ((_, map_ms, maps), (of, reduce_ms, reduces)) =
            (told(TaskType::Map, "Map"), told(TaskType::Reduce, "Reduce"));
        let say = of_millis;
        if map_ms.is_nan() {
            return None;
        }
        Some(match of {
            0 => format!("The job has Maps only: {maps} of {} on average", say(map_ms)),
            _ if reduce_ms.is_nan() => format!(
                "{maps} of {} on average; none of {} is known to have ended well",
                say(map_ms),
                counted(of as u64, "Reduce")
            ),
            _ => format!(
                "{maps} of {} and {reduces} of {} on average: a Reduce takes {:.1} times as long as a Map",
                say(map_ms),
                say(reduce_ms),
                reduce_ms / map_ms.max(1.0)
            ),
        })
    }

    /// How far the sums can be trusted.
    #[must_use]
    pub fn trust(&self) -> Vec<String> {
        let mut words: Vec<String> = self.weighed.iter().map(|w| capital(&w.words())).collect();
        let told = |((kind, rule), share): (
            &(crate::model::FlowKind, crate::diagnosis::mochi::Rule),
            &crate::diagnosis::mochi::Share,
        )| {
            format!(
                "{} joined by {}: {}, {}",
                kind.name(),
                rule.name(),
                counted(share.transfers, "transfer"),
                bytes(share.bytes as f64)
            )
        };
        words.extend(self.flow.shares.iter().map(told).map(|t| capital(&t)));
        words
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| std::iter::once(first.to_ascii_uppercase()).chain(chars).collect())
}

/// The job to show: the chosen one, that of the chosen attempt, else the one whose attempts
/// counted most bytes (of equals the one with the most attempts). Of a chosen one the logs may have no task.
#[must_use]
pub fn chosen_job(trace: &Trace, look: &Look) -> Option<JobId> {
    let chosen = look.selection.job.or(look.selection.attempt.map(|a| a.job));
    if chosen.is_some() {
        return chosen;
    }
    let mut sums: BTreeMap<JobId, (i64, usize)> = BTreeMap::new();
    for t in &trace.tasks {
        let (moved, count) = sums.entry(t.id.job).or_default();
        let c = &t.counters;
        let own = [c.hdfs_read.get(), c.hdfs_written.get(), c.fetched()];
        *moved = own.into_iter().flatten().fold(*moved, i64::saturating_add);
        *count += 1;
    }
    sums.into_iter().max_by_key(|(id, sums)| (*sums, std::cmp::Reverse(*id))).map(|(id, _)| id)
}

/// Lays out one figure of a job's data flow.
#[must_use]
pub fn lay_out(view: View, trace: &Trace, shown: &JobShown, look: &Look) -> Scene {
    if trace.tasks_of(shown.flow.job).is_empty() {
        return without(view, trace, shown.flow.job, look);
    }
    let mut scene = match view {
        View::FlowsMatrix => matrix::lay_out(trace, shown, look),
        View::FlowsDiagram => diagram::lay_out(trace, shown, look),
        View::FlowsPaths => paths::lay_out(trace, shown, look),
        View::FlowsPath => path::lay_out(trace, shown, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}

/// Says that nothing of a chosen job can have moved.
fn without(view: View, trace: &Trace, job: JobId, look: &Look) -> Scene {
    let mut scene = Scene {
        name: view.name().to_owned(),
        title: match view {
            View::FlowsMatrix => matrix::title(&job_name(trace, job)),
            View::FlowsDiagram => diagram::title(&job_name(trace, job)),
            View::FlowsPaths => format!("Paths of {}", job_name(trace, job)),
            _ => path::title(&job_name(trace, job)),
        },
        how_to_read: String::from("Choose another job, or none to have the one that moved most."),
        ..Scene::default()
    };
    let end = paragraphs(&mut scene, 4.0, look.width_css_px, &[no_task_of(job)], Role::Faint);
    scene.size = (look.width_css_px, end);
    scene
}

/// The name of a job as figures have it.
fn job_name(trace: &Trace, job: JobId) -> String {
    let at = trace.job(job);
    let name = at.and_then(|j| j.name.as_deref()).map_or(String::new(), |name| format!(" ({name})"));
    format!("{job}{name}")
}

/// The hue of a stage of a path.
const fn hue(leg: Leg) -> Role {
    Role::Hue(match leg {
        Leg::Wait => return Role::Idle,
        Leg::Read => Hue::Read,
        Leg::Map => Hue::Map,
        Leg::Shuffle => Hue::Copy,
        Leg::Sort => Hue::Merge,
        Leg::Reduce => Hue::Reducer,
        Leg::Write => Hue::Write,
    })
}

/// Paragraphs in lines that fit; returns the height of the next line.
fn paragraphs(scene: &mut Scene, mut y: f32, width: f32, words: &[String], role: Role) -> f32 {
    for text in words {
        let middle = FONT_CSS_PX / 2.0;
        y = scene.paragraph((0.0, y + middle), (width, LINE_CSS_PX), text, role) - middle + 3.0;
    }
    y
}
