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
use crate::diagnosis::mochi::critical::Leg;
use crate::diagnosis::mochi::study::{self, JobStudy};
use crate::model::Trace;

/// Height of a line of words.
const LINE_CSS_PX: f32 = 17.0;

/// The job to show: the chosen one, that of the chosen attempt, else the busiest. Of a chosen one the logs may have no
/// task.
#[must_use]
pub fn chosen_job(trace: &Trace, look: &Look) -> Option<JobId> {
    look.selection.job_meant().or_else(|| study::busiest(&trace.tasks))
}

/// Lays out one figure of a job's data flow.
#[must_use]
pub fn lay_out(view: View, trace: &Trace, shown: &JobStudy, look: &Look) -> Scene {
    if trace.tasks_of(shown.flow.job).is_empty() {
        return without(view, trace, shown.flow.job, look, &no_task_of(shown.flow.job));
    }
    let mut scene = match view {
        View::FlowsMatrix => matrix::lay_out(trace, shown, look, matrix::greatest(&shown.volumes)),
        View::FlowsDiagram => diagram::lay_out(trace, shown, look),
        View::FlowsPaths => paths::lay_out(trace, shown, look),
        View::FlowsPath => path::lay_out(trace, shown, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}

/// MIROS of a job of each of two runs, the first above, on one scale (M10).
#[must_use]
pub fn matrices(runs: [(&Trace, &JobStudy); 2], look: &Look) -> Scene {
    let [first, second] = runs.map(|(_, shown)| matrix::greatest(&shown.volumes));
    let mut darkest = first;
    darkest.iter_mut().zip(second).for_each(|(most, other)| *most = most.max(other));
    let [above, below] = runs.map(|(trace, shown)| matrix::lay_out(trace, shown, look, darkest));
    Scene { name: View::FlowsMatrix.name().to_owned(), ..above.above(below) }
}

/// Lays out one figure of the data flow of the only job whose flows are at hand.
#[must_use]
pub fn of_one_job(view: View, trace: &Trace, study: &JobStudy, look: &Look) -> Scene {
    let own = study.flow.job;
    match look.selection.job_meant().filter(|job| *job != own) {
        Some(other) => {
            let why = format!("This report carries the flows of {own} alone; those of {other} need the logs.");
            without(view, trace, other, look, &why)
        }
        None => lay_out(view, trace, study, look),
    }
}

/// Says why there is nothing to draw of a chosen job.
fn without(view: View, trace: &Trace, job: JobId, look: &Look, why: &str) -> Scene {
    let mut scene = Scene {
        name: view.name().to_owned(),
        title: match view {
            View::FlowsMatrix => matrix::title(&job_name(trace, job)),
            View::FlowsDiagram => diagram::title(&job_name(trace, job)),
            View::FlowsPaths => format!("Paths of {}", job_name(trace, job)),
            _ => path::title(&job_name(trace, job)),
        },
        what_to_do: String::from("Choose no job to have the one that moved most."),
        ..Scene::default()
    };
    let end = paragraphs(&mut scene, 4.0, look.width_css_px, &[why.to_owned()], Role::Faint);
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
