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
//! its middle, a hollow.
//!
//! Cost of a frame: the rows shown and the pixels, whatever the trace holds.

mod details;
mod index;
mod near;

pub use index::{Class, FAILED, KILLED, Lane, Lanes, Order, ROLES};

use super::axis::{
    Axis, FONT_CSS_PX, date_and_clock, elapsed, from_to, label_width_css_px, tenth, time_label, time_ticks,
};
use super::legend::Legend;
use super::{Anchor, Hit, Look, Palette, Plot, Point, Raster, Role, Scene, Table, View};
use crate::base::Timestamp;
use crate::base::quantity::{grouped, of_millis};
use crate::model::{State, TaskAttempt, Trace};

/// Height of the plot.
const PLOT_CSS_PX: f32 = 480.0;
/// Room above it.
const TOP_CSS_PX: f32 = 6.0;
/// Room below it: ticks, legend.
const BOTTOM_CSS_PX: f32 = 56.0;
/// Room for names of nodes, at most.
const LABEL_CSS_PX: f32 = 150.0;
/// Rows are marks from this height on: below it a pointer could not tell them apart.
const NEAR_CSS_PX: f32 = 3.0;
/// Intervals drawn as marks at the most; packed rows hold many.
const NEAR_MARKS: usize = 4_000;
/// A row is not drawn higher.
const ROW_MAX_CSS_PX: f32 = 18.0;
/// Bands that answer for what is folded into them.
const BANDS: usize = 24;
/// The smallest stretch of time that is shown, in milliseconds.
const LEAST_MS: f64 = 200.0;
/// Rows that there is always room for.
const LEAST_ROOM: f64 = 4.0;
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
}

/// Where rows and times are drawn.
struct Frame {
    at: Point,
    size: Point,
    /// Shown units from the begin, the same for each run.
    units: (f64, f64),
    /// Shown rows of all runs.
    rows: (f64, f64),
}

impl Frame {
    fn x(&self, unit: f64) -> f32 {
        let share = (unit - self.units.0) / (self.units.1 - self.units.0);
        self.at.0 + share.clamp(0.0, 1.0) as f32 * self.size.0
    }

    fn y(&self, row: f64) -> f32 {
        let share = (row - self.rows.0) / (self.rows.1 - self.rows.0);
        self.at.1 + share.clamp(0.0, 1.0) as f32 * self.size.1
    }

    /// Where the milliseconds are; those of one run alone are since the epoch, else since each run's begin.
    fn times(&self, alone: Option<&Run<'_>>, unit_ms: f64) -> Axis {
        let begin = alone.map_or(0, |run| run.lanes.span.0.millis()) as f64;
        let (from, to) = self.units;
        Axis::linear((begin + from * unit_ms, begin + to * unit_ms), (self.at.0, self.at.0 + self.size.0))
    }

    fn row_css_px(&self) -> f32 {
        (f64::from(self.size.1) / (self.rows.1 - self.rows.0)) as f32
    }
}

/// Lays out swimlanes of one run, or of two, the first above.
#[must_use]
pub fn lay_out(view: View, runs: &[Run<'_>], look: &Look) -> Scene {
    let rows: usize = runs.iter().map(|r| r.lanes.rows()).sum();
    let count: usize = runs.iter().map(|r| r.lanes.len()).sum();
    let mut scene = Scene { name: view.name().to_owned(), title: title(view, runs, look, count), ..Scene::default() };
    scene.how_to_read = how_to_read(view);
    if count == 0 {
        scene.title.clear();
        scene.size = (look.width_css_px, 40.0);
        scene.text((0.0, 16.0), "No begins and ends of tasks were read.", Anchor::Start, Role::Faint);
        tell_unbegun(&mut scene, runs, 34.0);
        return scene;
    }
    let left = if view == View::SwimlanesNodes { label_room(runs, look) } else { 4.0 };
    // Both runs in the first one's units.
    let unit_ms = runs.iter().map(|r| r.lanes.unit_ms()).max().unwrap_or(1) as f64;
    let span_ms = runs.iter().map(|r| r.lanes.units() * r.lanes.unit_ms() as f64).fold(1.0, f64::max);
    let part = |(from, to): (f64, f64), whole: f64| (from * whole, (to * whole).max(from * whole + 1e-6));
    // Of few rows no more than they need is shown.
    let whole_rows = (rows as f64).max(LEAST_ROOM);
    let height = PLOT_CSS_PX.min(whole_rows as f32 * ROW_MAX_CSS_PX);
    let frame = Frame {
        at: (left, TOP_CSS_PX),
        size: ((look.width_css_px - left - 2.0).max(40.0), height),
        units: part(look.viewport.x, span_ms / unit_ms),
        rows: part(look.viewport.y, whole_rows),
    };
    scene.size = (look.width_css_px, TOP_CSS_PX + height + BOTTOM_CSS_PX);
    let mut first_row = 0;
    for run in runs {
        let last_row = first_row + run.lanes.rows();
        let shown = frame.rows.0.max(first_row as f64)..frame.rows.1.min(last_row as f64);
        if shown.start < shown.end {
            let own = (shown.start as usize - first_row)..((shown.end.ceil() as usize).min(last_row) - first_row);
            let near = frame.row_css_px() >= NEAR_CSS_PX
                && count_in(run.lanes, own.clone(), window(&frame, run, unit_ms)) <= NEAR_MARKS;
            if near {
                near::marks(&mut scene, &frame, run, own.clone(), first_row, look);
            } else {
                far(&mut scene, &frame, run, own.clone(), first_row, unit_ms);
            }
            if view == View::SwimlanesNodes {
                node_names(&mut scene, &frame, run, first_row, look);
            }
        }
        if runs.len() > 1 && first_row as f64 >= frame.rows.0 {
            let y = frame.y(first_row as f64);
            scene.line((frame.at.0, y), (frame.at.0 + frame.size.0, y), Role::Ink);
            // The first tasks are at the left.
            scene.text((frame.at.0 + frame.size.0 - 2.0, y + 9.0), run.name, Anchor::End, Role::Ink);
        }
        first_row = last_row;
    }
    time_axis(&mut scene, &frame, runs, unit_ms);
    legend(&mut scene, view, frame.at.1 + frame.size.1 + 42.0);
    let below = scene.size.1;
    tell_unbegun(&mut scene, runs, below + 6.0);
    let alone = runs.first().filter(|_| runs.len() == 1);
    let plot = Plot {
        at: frame.at,
        size: frame.size,
        shown: look.viewport,
        least: ((LEAST_MS / span_ms).min(1.0), (LEAST_ROWS / whole_rows).min(1.0)),
        times_ms: alone.map(|r| (r.lanes.span.0.millis(), r.lanes.span.1.millis())),
    };
    scene.choose_time(plot, frame.times(alone, unit_ms), look.selection.span.filter(|_| alone.is_some()));
    scene.table = table(runs, look);
    // Its rows are those that last longest.
    scene.summed_up = true;
    if let Some(run) = alone {
        details::add(&mut scene, run.trace, look);
    }
    scene
}

/// The stretch that is shown, in a run's own units.
fn window(frame: &Frame, run: &Run<'_>, unit_ms: f64) -> (u32, u32) {
    let own = |unit: f64| unit * unit_ms / run.lanes.unit_ms().max(1) as f64;
    (own(frame.units.0) as u32, own(frame.units.1).ceil().min(f64::from(u32::MAX)) as u32)
}

/// How many intervals are shown, counted no further than needed.
fn count_in(lanes: &Lanes, rows: std::ops::Range<usize>, window: (u32, u32)) -> usize {
    let mut count = 0;
    lanes.each(rows, window, |_| count += 1);
    count
}

/// Rows folded into a raster: one pixel row after another, begins and ends are counted and
/// summed up from left to right.
fn far(scene: &mut Scene, frame: &Frame, run: &Run<'_>, rows: std::ops::Range<usize>, first_row: usize, unit_ms: f64) {
    let (top, bottom) = (frame.y((first_row + rows.start) as f64), frame.y((first_row + rows.end) as f64));
    let columns = (frame.size.0 as usize).max(1);
    // No more lines than rows: few rows are high ones.
    let lines = ((bottom - top).ceil() as usize).clamp(1, rows.len().max(1));
    let window = window(frame, run, unit_ms);
    let units = (frame.units.1 - frame.units.0) * unit_ms / run.lanes.unit_ms().max(1) as f64;
    let from = frame.units.0 * unit_ms / run.lanes.unit_ms().max(1) as f64;
    let scale = columns as f64 / units;
    let column = |unit: u32| ((f64::from(unit) - from) * scale).clamp(0.0, (columns - 1) as f64) as usize;
    // Changes of each class at each column; of a line only the classes that it has are touched.
    let stride = columns + 1;
    let mut edges = vec![0_i32; stride * ROLES.len()];
    let mut most = vec![0_i32; columns];
    let mut shades = vec![u8::MAX; columns * lines];
    let mut bands = vec![[0_u64; ROLES.len()]; BANDS.min(lines)];
    let bands_count = bands.len();
    for (line, pixels) in shades.chunks_exact_mut(columns).enumerate() {
        let own = rows.start + line * rows.len() / lines..rows.start + (line + 1) * rows.len() / lines;
        let mut seen = [0_u64; ROLES.len()];
        run.lanes.each(own, window, |lane| {
            let class = usize::from(lane.class);
            for (at, step) in [(column(lane.start), 1), (column(lane.end) + 1, -1)] {
                if let Some(edge) = edges.get_mut(class * stride + at) {
                    *edge += step;
                }
            }
            if let Some(seen) = seen.get_mut(class) {
                *seen += 1;
            }
        });
        if let Some(band) = bands.get_mut(line * bands_count / lines) {
            band.iter_mut().zip(seen).for_each(|(band, seen)| *band += seen);
        }
        most.fill(0);
        // Failures come last and are shown wherever there is one; else what there is most of.
        for (class, _) in (0_u8..).zip(seen).filter(|(_, n)| *n > 0) {
            let Some(edges) = edges.get_mut(usize::from(class) * stride..(usize::from(class) + 1) * stride) else {
                continue;
            };
            let mut running = 0;
            for ((pixel, most), edge) in pixels.iter_mut().zip(&mut most).zip(edges.iter()) {
                running += edge;
                if running > 0 && (class >= KILLED || running >= *most) {
                    (*most, *pixel) = (running, class);
                }
            }
            edges.fill(0);
        }
    }
    scene.rasters.push(Raster {
        at: (frame.at.0, tenth(top)),
        size: (frame.size.0, tenth(bottom - top)),
        columns: u32::try_from(columns).unwrap_or_default(),
        rows: u32::try_from(lines).unwrap_or_default(),
        shades,
        palette: Palette::Roles(ROLES.to_vec()),
    });
    let height = (bottom - top) / bands.len().max(1) as f32;
    for (i, band) in bands.iter().enumerate().filter(|(_, band)| band.iter().any(|n| *n > 0)) {
        let total: u64 = band.iter().sum();
        let mut says = vec![format!("{} intervals folded here: zoom in to see each", grouped(total))];
        let told = (0..).zip(band).filter(|(_, n)| **n > 0);
        says.extend(told.map(|(class, n)| format!("{}: {}", class_name(class), grouped(*n))));
        let at = (frame.at.0, tenth(top + height * i as f32));
        scene.hits.push(Hit { at, size: (frame.size.0, height), says, ..Hit::default() });
    }
}

/// What a class is called.
fn class_name(class: Class) -> &'static str {
    const NAMES: [&str; 12] = [
        "set-up and clean-up",
        "localising",
        "Reduce",
        "Map",
        "copying",
        "merging",
        "reducing",
        "block read",
        "block written",
        "map output served",
        "killed",
        "failed",
    ];
    NAMES.get(usize::from(class)).copied().unwrap_or("?")
}

fn node_names(scene: &mut Scene, frame: &Frame, run: &Run<'_>, first_row: usize, look: &Look) {
    let ends = run.lanes.nodes.iter().skip(1).map(|(_, row)| *row as usize).chain([run.lanes.rows()]);
    let mut free = f32::MIN;
    for ((node, row), end) in run.lanes.nodes.iter().zip(ends) {
        let (from, to) = ((first_row + *row as usize) as f64, (first_row + end) as f64);
        if to <= frame.rows.0 || from >= frame.rows.1 {
            continue;
        }
        let (top, bottom) = (frame.y(from), frame.y(to));
        scene.line((frame.at.0, tenth(top)), (frame.at.0 + frame.size.0, tenth(top)), Role::Grid);
        let middle = tenth((top + bottom) / 2.0);
        if middle - free >= FONT_CSS_PX {
            free = middle;
            let name = node.map_or("?", |n| run.trace.node_name(n));
            let role = look.marked(name).unwrap_or(Role::Faint);
            let text = super::axis::fitted(name, frame.at.0 - 10.0);
            scene.text((frame.at.0 - 6.0, middle), text, Anchor::End, role);
        }
    }
}

fn label_room(runs: &[Run<'_>], look: &Look) -> f32 {
    let names = runs.iter().flat_map(|r| r.lanes.nodes.iter().filter_map(|(n, _)| Some(r.trace.node_name((*n)?))));
    let widest = names.map(label_width_css_px).fold(30.0, f32::max) + 10.0;
    widest.min(LABEL_CSS_PX).min(look.width_css_px * 0.35)
}

fn time_axis(scene: &mut Scene, frame: &Frame, runs: &[Run<'_>], unit_ms: f64) {
    let bottom = frame.at.1 + frame.size.1;
    scene.line((frame.at.0, bottom), (frame.at.0 + frame.size.0, bottom), Role::Ink);
    // Two runs have no clock in common but the time since each began.
    let axis = frame.times(runs.first().filter(|_| runs.len() == 1), unit_ms);
    let (from, to) = (axis.range.0 as i64, axis.range.1 as i64);
    let room = (frame.size.0 / 90.0) as usize;
    for at in time_ticks(from, to, room.max(1)) {
        let x = axis.px(at as f64);
        scene.line((x, bottom), (x, bottom + 4.0), Role::Ink);
        let label = if runs.len() == 1 { time_label(at, (from, to)) } else { elapsed(at) };
        scene.text_around((x, bottom + 13.0), label, Role::Faint);
    }
    let told = match runs {
        [_] => format!("from {} on", date_and_clock(from)),
        _ => "time since the first task of each run".to_owned(),
    };
    scene.text((frame.at.0 + frame.size.0, bottom + 27.0), told, Anchor::End, Role::Faint);
}

fn legend(scene: &mut Scene, view: View, y: f32) {
    let mut kinds: Vec<Class> = vec![3, 2];
    if view == View::SwimlanesDetailed {
        kinds = vec![3, 4, 5, 6, 7, 8, 9, 1, 0];
    }
    kinds.extend([FAILED, KILLED]);
    let mut legend = Legend::at(4.0, y);
    for class in kinds {
        let role = if class < KILLED { ROLES.get(usize::from(class)).copied() } else { None };
        let role = role.unwrap_or(Role::Idle);
        let (at, size) = legend.swatch(scene, role, class_name(class));
        near::shape(scene, class, at, size);
    }
    scene.size.1 = scene.size.1.max(legend.bottom() + 6.0);
}

/// Says how many states have no place on an axis of time, if there are any; the first line has its middle at `y`.
fn tell_unbegun(scene: &mut Scene, runs: &[Run<'_>], y: f32) {
    const LINE_CSS_PX: f32 = 16.0;
    let mut counts = [0; ROLES.len()];
    for (class, n) in runs.iter().flat_map(|run| &run.lanes.unbegun) {
        if let Some(count) = counts.get_mut(usize::from(*class)) {
            *count += n;
        }
    }
    let told = (0..).zip(counts).filter(|(_, n)| *n > 0);
    let told: Vec<String> = told.map(|(class, n)| format!("{} ({})", class_name(class), grouped(n))).collect();
    if !told.is_empty() {
        let text = format!("Left out, as no log tells when they began: {}", told.join(", "));
        let room = (scene.size.0 - 8.0, LINE_CSS_PX);
        scene.size.1 = scene.paragraph((4.0, y), room, &text, Role::Faint) - LINE_CSS_PX / 2.0 + 6.0;
    }
}

/// The state in which a figure shows an attempt as a whole.
fn state_of(trace: &Trace, task: &TaskAttempt) -> Option<State> {
    let kind = task.task_type.state_kind();
    let mut found = None;
    let mut look_on = |node| {
        trace.states.each_of_kind_on(kind, node, &mut |s| {
            if s.attempt == Some(task.id) {
                found = Some(*s);
            }
        });
        found
    };
    // Where logs and history name different nodes, it is elsewhere.
    look_on(task.node).or_else(|| trace.states.nodes_with(kind).find_map(look_on))
}

/// When a state was, how long, and how it ended: wherever a figure tells it.
fn times(s: &State) -> String {
    let outcome = match (s.open, s.outcome) {
        (true, _) => "still running at the log's end",
        (_, Some(outcome)) => outcome.name(),
        (_, None) => "",
    };
    let end = s.end.millis();
    format!(
        "{}, {}{}{outcome}",
        s.start.map_or_else(|| format!("until {}", date_and_clock(end)), |t| from_to(t.millis(), end)),
        of_millis(s.millis().unwrap_or(0) as f64),
        if outcome.is_empty() { "" } else { ", " },
    )
}

fn title(view: View, runs: &[Run<'_>], look: &Look, count: usize) -> String {
    let what = match view {
        View::SwimlanesDetailed => "All states",
        View::SwimlanesNodes => "Maps and Reduces of each node",
        _ => "Maps and Reduces",
    };
    let of = look.selection.job.map_or(String::new(), |job| format!(" of {job}"));
    let order = if view == View::SwimlanesNodes { String::new() } else { format!(", by {}", look.order.name()) };
    let span = runs.iter().map(|r| r.lanes.span.1.millis_since(r.lanes.span.0)).max().unwrap_or(0);
    format!("{what}{of} over time: {} in {}{order}", grouped(count as u64), of_millis(span as f64))
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
         an earlier attempt (speculative) are hollow. From afar several rows share a line of pixels: it shows what runs most \
         there, and any failure. Click a task for its bytes and log lines."
    )
}

/// The chosen attempt, and the states that last longest.
fn table(runs: &[Run<'_>], look: &Look) -> Table {
    let headers = ["run", "kind", "node", "begin, UTC", "seconds", "outcome", "attempt", "bytes", "file", "line"];
    let headers = headers.map(str::to_owned).to_vec();
    let begun = |t: Timestamp| date_and_clock(t.millis());
    let seconds = |ms: i64| format!("{:.1}", ms as f64 / 1000.0);
    let mut rows = Vec::new();
    for run in runs {
        rows.extend(look.selection.attempt.and_then(|id| {
            let at = run.trace.tasks.binary_search_by_key(&id, |t| t.id).ok()?;
            let task = run.trace.tasks.get(at)?;
            let shown = state_of(run.trace, task);
            Some(vec![
                run.name.to_owned(),
                String::from("chosen"),
                task.node.map_or(String::new(), |n| run.trace.node_name(n).to_owned()),
                shown.and_then(|s| s.start).map_or(String::new(), begun),
                shown.and_then(|s| s.millis()).map_or(String::new(), seconds),
                task.outcome.map_or("", |o| o.name()).to_owned(),
                id.to_string(),
                String::new(),
                run.trace.path(task.place.file).to_owned(),
                task.place.line.to_string(),
            ])
        }));
        for lane in &run.lanes.longest {
            let Some(s) = run.trace.states.get(lane.state as usize) else { continue };
            rows.push(vec![
                run.name.to_owned(),
                s.kind.name().to_owned(),
                s.node.map_or(String::new(), |n| run.trace.node_name(n).to_owned()),
                s.start.map_or(String::new(), begun),
                s.millis().map_or(String::new(), seconds),
                s.outcome.map_or("", |o| o.name()).to_owned(),
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
