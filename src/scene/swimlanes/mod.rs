//! Swimlanes (M08–M10): tasks and states as intervals over time.
//!
//! ```text
//!        summarised          detailed              per node
//!        ├Map┤               ├Map┤                 h101 ├Map┤├──Reduce───┤
//!         ├Map┤               ├read┤                    ├Map┤
//!           ├──Reduce──┤      ├──Reduce──┤         h102 ├─Map─┤ ├─Reduce─┤
//! ```
//! Summarised: Maps and Reduces of all nodes, a row each. Detailed: every state, a row each.
//! Per node: Maps and Reduces in as few rows as they need, grouped by node. Two traces stand
//! one above the other, each from its own begin.
//!
//! Near, an interval is a mark with its numbers; far, rows are folded into a raster whose
//! pixels say what runs most, and what failed or was killed at all. What failed, was killed
//! or is speculative has a shape of its own beside its colour: a diagonal, a stroke through
//! its middle, a hollow. What still runs when the log ends breaks up at its right end.
//!
//! Cost of a frame: the rows shown and the pixels, whatever the trace holds.

mod class;
mod details;
mod far;
mod frame;
mod index;
mod near;

pub use class::Class;
pub use details::{Chosen, Moved};
pub use index::{Lane, Lanes, Order, Tally};

use super::axis::{FONT_CSS_PX, LINE_CSS_PX, date_and_clock, elapsed, from_to, tenth, time_label, time_ticks};
use super::legend::Legend;
use super::names::{Hosts, NameColumn};
use super::{Anchor, Look, Plot, Role, Scene, Table, View};
use crate::base::quantity::{grouped, of_millis};
use crate::base::{JobId, TimeZone, Timestamp};
use crate::model::{State, Trace};
use frame::{Frame, Part, Whole};

/// Room below the plot, for times and legend.
const BOTTOM_CSS_PX: f32 = 56.0;
/// Room at the left where rows have no names.
const UNNAMED_CSS_PX: f32 = 4.0;
/// The smallest stretch of time that is shown, in milliseconds.
const LEAST_MS: f64 = 200.0;
/// The smallest number of rows that is zoomed to.
const LEAST_ROWS: f64 = 8.0;

/// A trace and its rows.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// The trace.
    pub trace: &'a Trace,
    /// Its rows.
    pub lanes: &'a Lanes,
    /// What it is called beside another.
    pub name: &'a str,
    /// Of the chosen attempt, where it is one of its.
    pub chosen: Option<&'a Chosen>,
}

/// Lays out swimlanes of one run, or of two, the first above.
#[must_use]
pub fn lay_out(view: View, runs: &[Run<'_>], look: &Look) -> Scene {
    let count: usize = runs.iter().map(|r| r.lanes.len()).sum();
    let mut scene = Scene { name: view.name().to_owned(), title: title(view, runs, look, count), ..Scene::default() };
    scene.how_to_read = how_to_read(view);
    scene.what_to_do = String::from("Click a task for what is known of it.");
    // Where only nothing is chosen, the axis stays. Beside a run without tasks there is nothing to compare.
    if runs.iter().any(is_bare) {
        tell_nothing(&mut scene, view, runs, look);
        return scene;
    }
    let whole = Whole::of(runs);
    let left = if view == View::SwimlanesNodes { label_room(runs, look) } else { UNNAMED_CSS_PX };
    let frame = Frame::of(&whole, left, look);
    scene.size = (look.width_css_px, frame.bottom() + BOTTOM_CSS_PX);
    add_runs(&mut scene, view, &frame, runs, look);
    time_axis(&mut scene, &frame, runs);
    legend(&mut scene, view, frame.bottom() + 42.0);
    let below = scene.size.1;
    tell_left_out(&mut scene, runs, below + 6.0);
    let alone = runs.first().filter(|_| runs.len() == 1);
    let plot = Plot {
        at: frame.at,
        size: frame.size,
        shown: look.viewport,
        least: ((LEAST_MS / whole.span_ms).min(1.0), (LEAST_ROWS / whole.rows).min(1.0)),
        times_ms: alone.map(|r| (r.lanes.span.0.millis(), r.lanes.span.1.millis())),
    };
    if alone.is_some() {
        scene.mark_since(frame.times(alone), (frame.at.1, frame.bottom()), look);
    }
    scene.choose_time(plot, frame.times(alone), look.selection.span.filter(|_| alone.is_some()));
    scene.table = table(runs);
    scene.log_columns = 2;
    // Its rows are those that last longest.
    scene.summed_up = true;
    if let Some(run) = alone {
        details::add(&mut scene, run, look);
    }
    scene
}

/// Whether no task of a run has a place on an axis of time.
fn is_bare(run: &Run<'_>) -> bool {
    run.lanes.span == <(Timestamp, Timestamp)>::default()
}

/// Says why no row is there. Only of logs without any task there is nothing to show.
fn tell_nothing(scene: &mut Scene, view: View, runs: &[Run<'_>], look: &Look) {
    let is_unbegun = runs.iter().any(|run| !run.lanes.unbegun.is_empty());
    // Two runs are of all their jobs, whichever is chosen.
    let job = look.selection.job.filter(|_| runs.len() == 1);
    // Of the only one of both that lacks them, it is said.
    let bare = runs.iter().find(|run| is_bare(run)).filter(|_| !runs.iter().all(is_bare));
    let tells = is_unbegun || job.is_some() || bare.is_some();
    scene.title = if tells { what(view).to_owned() } else { String::new() };
    let text = match (job, bare) {
        (Some(job), _) if !is_unbegun => no_task_of(job),
        (_, Some(run)) => format!("No begins and ends of tasks were read of one run: {}.", run.name),
        _ => String::from("No begins and ends of tasks were read."),
    };
    let room = (look.width_css_px, LINE_CSS_PX);
    scene.size = (look.width_css_px, scene.paragraph((0.0, 16.0), room, &text, Role::Faint) + 8.0);
    let below = scene.size.1;
    tell_left_out(scene, runs, below - 6.0);
}

/// What is said of a job that was chosen elsewhere, and of which the logs have nothing to draw.
pub(super) fn no_task_of(job: JobId) -> String {
    format!("No task of {job} is known.")
}

/// The rows of all runs, near or far; two runs with a line between them and a name each.
fn add_runs(scene: &mut Scene, view: View, frame: &Frame, runs: &[Run<'_>], look: &Look) {
    let mut first_row = 0;
    for run in runs {
        if let Some(part) = Part::of(run, first_row, frame) {
            if part.is_near(frame) {
                near::marks(scene, frame, &part, look);
            } else {
                far::raster(scene, frame, &part);
            }
            if view == View::SwimlanesNodes {
                node_names(scene, frame, run, first_row, look);
            }
        }
        if runs.len() > 1 && first_row as f64 >= frame.rows.0 {
            let y = frame.y(first_row as f64);
            scene.line((frame.at.0, y), (frame.right(), y), Role::Ink);
            // The first tasks are at the left.
            scene.text((frame.right() - 2.0, y + 9.0), run.name, Anchor::End, Role::Ink);
        }
        first_row += run.lanes.rows();
    }
}

fn node_names(scene: &mut Scene, frame: &Frame, run: &Run<'_>, first_row: usize, look: &Look) {
    let hosts = Hosts::of(&mut names(std::slice::from_ref(run)));
    let ends = run.lanes.nodes.iter().skip(1).map(|(_, row)| *row as usize).chain([run.lanes.rows()]);
    let mut free = f32::MIN;
    for ((node, row), end) in run.lanes.nodes.iter().zip(ends) {
        let (from, to) = ((first_row + *row as usize) as f64, (first_row + end) as f64);
        if to <= frame.rows.0 || from >= frame.rows.1 {
            continue;
        }
        let (top, bottom) = (frame.y(from), frame.y(to));
        scene.line((frame.at.0, tenth(top)), (frame.right(), tenth(top)), Role::Grid);
        let middle = tenth((top + bottom) / 2.0);
        if middle - free >= FONT_CSS_PX {
            free = middle;
            let name = node.map_or("unknown", |n| run.trace.node_name(n));
            let role = look.marked(name).unwrap_or(Role::Faint);
            scene.text((frame.at.0 - 6.0, middle), hosts.fitted(name, frame.at.0 - 10.0), Anchor::End, role);
        }
    }
}

/// The names of the runs' nodes.
fn names<'a>(runs: &'a [Run<'a>]) -> impl Iterator<Item = &'a str> {
    runs.iter().flat_map(|r| r.lanes.nodes.iter().filter_map(|(n, _)| Some(r.trace.node_name((*n)?))))
}

fn label_room(runs: &[Run<'_>], look: &Look) -> f32 {
    NameColumn::USUAL.width_css_px(&mut names(runs), 10.0, look.width_css_px)
}

fn time_axis(scene: &mut Scene, frame: &Frame, runs: &[Run<'_>]) {
    let (bottom, right) = (frame.bottom(), frame.right());
    scene.line((frame.at.0, bottom), (right, bottom), Role::Ink);
    // Two runs have no clock in common but the time since each began.
    let axis = frame.times(runs.first().filter(|_| runs.len() == 1));
    let (from, to) = (axis.range.0 as i64, axis.range.1 as i64);
    let room = (frame.size.0 / 90.0) as usize;
    for at in time_ticks(from, to, room.max(1)) {
        let x = axis.px(at as f64);
        scene.line((x, bottom), (x, bottom + 4.0), Role::Ink);
        let label = if runs.len() == 1 { time_label(at, (from, to)) } else { elapsed(at) };
        scene.text_around((x, bottom + 13.0), label, Role::Faint);
    }
    let told = match runs {
        [run] => format!("from {} on", date_and_clock(from, run.trace.zone())),
        _ => "time since the first task of each run".to_owned(),
    };
    scene.text((right, bottom + 27.0), told, Anchor::End, Role::Faint);
}

fn legend(scene: &mut Scene, view: View, y: f32) {
    let kinds: &[Class] = match view {
        View::SwimlanesDetailed => &[
            Class::Map,
            Class::Reduce,
            Class::Copy,
            Class::Merge,
            Class::Reducer,
            Class::Read,
            Class::Write,
            Class::Shuffle,
            Class::Localize,
            Class::Other,
        ],
        _ => &[Class::Map, Class::Reduce],
    };
    let mut legend = Legend::at(4.0, y);
    for class in kinds.iter().copied().chain([Class::Failed, Class::Killed, Class::Open]) {
        // What came of an interval is drawn over the hue of its kind.
        let role = if class < Class::Open { class.role() } else { Role::Idle };
        let (at, size) = legend.swatch(scene, role, class.name());
        near::shape(scene, class, at, size);
    }
    scene.size.1 = scene.size.1.max(legend.bottom() + 6.0);
}

/// Says how many states have no place on an axis of time, or may be the chosen job's, if there are any; the first line has
/// its middle at `y`.
fn tell_left_out(scene: &mut Scene, runs: &[Run<'_>], y: f32) {
    let told = |of: fn(&Lanes) -> &Tally| {
        let count = |class: &Class| runs.iter().filter_map(|run| of(run.lanes).get(class)).sum::<u64>();
        let counts = Class::ALL.iter().map(|class| (class, count(class))).filter(|(_, n)| *n > 0);
        counts.map(|(class, n)| format!("{} ({})", class.name(), grouped(n))).collect::<Vec<_>>().join(", ")
    };
    let reasons = [("when they began", told(|l| &l.unbegun)), ("of which job they are", told(|l| &l.of_no_job))];
    let mut y = y;
    for (what, told) in reasons.iter().filter(|(_, told)| !told.is_empty()) {
        let text = format!("Left out, as no log tells {what}: {told}");
        let room = (scene.size.0 - 8.0, LINE_CSS_PX);
        y = scene.paragraph((4.0, y), room, &text, Role::Faint);
        scene.size.1 = y - LINE_CSS_PX / 2.0 + 6.0;
    }
}

/// When a state was, how long, and how it ended: wherever a figure tells it.
fn times(s: &State, zone: TimeZone) -> String {
    let outcome = match (s.open, s.outcome) {
        (true, _) => "still running at the log's end",
        (_, Some(outcome)) => outcome.name(),
        (_, None) => "",
    };
    let end = s.end.millis();
    format!(
        "{}, {}{}{outcome}",
        s.start.map_or_else(|| format!("until {}", date_and_clock(end, zone)), |t| from_to(t.millis(), end, zone)),
        of_millis(s.millis().unwrap_or(0) as f64),
        if outcome.is_empty() { "" } else { ", " },
    )
}

/// What is chosen is told elsewhere: a title that grew with it would move the figure away from the pointer.
fn title(view: View, runs: &[Run<'_>], look: &Look, count: usize) -> String {
    let order = if view == View::SwimlanesNodes { String::new() } else { format!(", by {}", look.order.name()) };
    let chosen = look.selection.span.filter(|_| runs.len() == 1);
    let spans = runs.iter().map(|run| chosen.unwrap_or(run.lanes.span));
    let span = spans.map(|(from, to)| to.millis_since(from)).max().unwrap_or(0);
    format!("{}: {} in {}{order}", what(view), grouped(count as u64), of_millis(span as f64))
}

const fn what(view: View) -> &'static str {
    match view {
        View::SwimlanesDetailed => "All states over time",
        View::SwimlanesNodes => "Maps and Reduces of each node over time",
        _ => "Maps and Reduces over time",
    }
}

fn how_to_read(view: View) -> String {
    let rows = match view {
        View::SwimlanesDetailed => {
            "Each row is one state: a task, a phase of a Reduce, a block read or written, a map output served."
        }
        View::SwimlanesNodes => {
            "Each band is a node; within it tasks stand side by side as its slots held them. A gap is an idle slot."
        }
        _ => {
            "Each row is one Map or Reduce. Waves of tasks are steps; a task that sticks out to the right kept the others waiting."
        }
    };
    format!(
        "{rows} Across is time. Failed tasks have a red border and a diagonal, killed ones a yellow border and a stroke through the middle, those begun beside \
         an earlier attempt (speculative) are hollow; what still runs when the log ends breaks up at its right end. From \
         afar several rows share a line of pixels: it shows what runs most there, any failure, and any end that breaks \
         up."
    )
}

/// The chosen attempt, and the states that last longest.
fn table(runs: &[Run<'_>]) -> Table {
    let headers = ["run", "kind", "node", "begin", "seconds", "outcome", "attempt", "bytes", "file", "line"];
    let headers = headers.map(str::to_owned).to_vec();
    let begun = |run: &Run<'_>, t: Timestamp| date_and_clock(t.millis(), run.trace.zone());
    let seconds = |ms: i64| format!("{:.1}", ms as f64 / 1000.0);
    let mut rows = Vec::new();
    for run in runs {
        rows.extend(run.chosen.and_then(|chosen| {
            let (task, shown) = (run.trace.tasks.get(chosen.at)?, chosen.state);
            Some(vec![
                run.name.to_owned(),
                String::from("chosen"),
                task.node.map_or(String::new(), |n| run.trace.node_name(n).to_owned()),
                shown.and_then(|s| s.start).map_or(String::new(), |t| begun(run, t)),
                shown.and_then(|s| s.millis()).map_or(String::new(), seconds),
                task.outcome.map_or("", |o| o.name()).to_owned(),
                task.id.to_string(),
                String::new(),
                run.trace.path(task.place.file).to_owned(),
                task.place.line.to_string(),
            ])
        }));
        for lane in &run.lanes.longest {
            let Some(s) = run.trace.states.get(lane.state as usize).map(|s| run.trace.as_told(s)) else { continue };
            rows.push(vec![
                run.name.to_owned(),
                s.kind.name().to_owned(),
                s.node.map_or(String::new(), |n| run.trace.node_name(n).to_owned()),
                s.start.map_or(String::new(), |t| begun(run, t)),
                s.millis().map_or(String::new(), seconds),
                s.outcome.map_or(if s.open { Class::Open.name() } else { "" }, |o| o.name()).to_owned(),
                s.attempt.map_or(String::new(), |a| a.to_string()),
                s.bytes.map_or(String::new(), |b| b.to_string()),
                run.trace.path(s.place.file).to_owned(),
                s.place.line.to_string(),
            ]);
        }
    }
    let mut table = Table { headers, rows };
    if runs.len() == 1 {
        // A single run has no name.
        table.headers.remove(0);
        table.rows.iter_mut().for_each(|row| drop(row.remove(0)));
    }
    table
}

#[cfg(test)]
mod tests;
