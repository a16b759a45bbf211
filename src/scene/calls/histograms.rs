//! Histograms of durations: a row a node, a column a call, the band behind.
//!
//! ```text
//!         stat        access      connect until ready
//! h102    ▁▃█▂        ▁█▂              ▁ ▂ █
//! h101    ▁▄█▁        ▂█▁         ▁▆█▂
//! ```

use super::{CallsShown, Columns, drawn};
use crate::base::NodeId;
use crate::base::quantity::{grouped, of_micros};
use crate::diagnosis::syscalls::bands::UseBand;
use crate::diagnosis::syscalls::readiness::connections;
use crate::diagnosis::syscalls::usage::{CONNECTED, Usage};
use crate::model::calls::{BUCKETS, bucket_begins_us};
use crate::scene::axis::{LINE_CSS_PX, tenth};
use crate::scene::legend::Legend;
use crate::scene::{Hit, Look, Mark, Point, Role, Scene, Table};

/// Height of a histogram.
const CELL_CSS_PX: f32 = 36.0;
/// From one row to the next.
const ROW_CSS_PX: f32 = CELL_CSS_PX + 8.0;
/// Room above, for the calls' names.
const TOP_CSS_PX: f32 = 22.0;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let (nodes, calls) = (shown.nodes(), shown.calls());
    let rows = drawn(&nodes);
    let columns = Columns::of(shown, &calls, look);
    let foot = TOP_CSS_PX + ROW_CSS_PX * rows.len() as f32;
    let mut scene = Scene {
        title: String::from("How long the calls took"),
        how_to_read: format!(
            "One row for each node, the oddest first; one column for each call. Each bar is the share of the node's calls that took so \
             long: from 1 µs at the left, each bar four times longer than the one before, to minutes at the right. {} \
             A bar above it is dark, an accused node's coloured.",
            shown.band_is()
        ),
        size: (look.width_css_px, foot),
        table: table(shown, &nodes, &calls),
        ..Scene::default()
    };
    if !nodes.iter().any(|node| is_timed(shown, *node)) {
        let why = "Only sums of the calls are known, as strace -c counts them, and not how long each took.";
        scene.size.1 = scene.paragraph((0.0, 20.0), (look.width_css_px, LINE_CSS_PX), why, Role::Faint);
        return scene;
    }
    columns.add_names(&mut scene);
    add_key(&mut scene, shown, rows, foot);
    for (row, node) in rows.iter().enumerate() {
        let y = TOP_CSS_PX + ROW_CSS_PX * row as f32;
        shown.add_name(&mut scene, (columns.left, y + CELL_CSS_PX * 0.5), *node);
        for (name, x) in columns.each() {
            Histogram::of(shown, *node, name).add(&mut scene, (x, y), columns.width());
        }
    }
    scene
}

/// Whether it is known of a node how long single calls took.
fn is_timed(shown: &CallsShown<'_>, node: NodeId) -> bool {
    let usage = shown.examination.nodes.get(&node);
    usage.is_some_and(|n| n.calls.values().any(|call| call.buckets.iter().any(|count| *count > 0)))
}

/// What the scales are, and the colours where there are bands; below the rows, which end at `foot`.
fn add_key(scene: &mut Scene, shown: &CallsShown<'_>, rows: &[NodeId], foot: f32) {
    let scale = format!(
        "across: 1 µs to {} and more; up: to all of the node's calls",
        of_micros(bucket_begins_us(BUCKETS - 1) as f64)
    );
    let below = scene.paragraph((0.0, foot + 6.0), (scene.size.0, LINE_CSS_PX), &scale, Role::Faint);
    scene.size.1 = below;
    if shown.examination.bands.is_empty() {
        return;
    }
    let mut legend = Legend::at(0.0, below);
    let mut keys = vec![(Role::Grid, "band"), (Role::Node, "within it"), (Role::Threshold, "above it")];
    if rows.iter().any(|node| shown.is_accused(*node)) {
        keys.push((Role::Culprit, "above it, on an accused node"));
    }
    for (role, name) in keys {
        legend.swatch(scene, role, name);
    }
    scene.size.1 = legend.bottom() + 4.0;
}

/// How long one node's calls of one name took.
struct Histogram<'a> {
    shown: &'a CallsShown<'a>,
    node: NodeId,
    name: &'static str,
    usage: Usage,
    band: Option<&'a UseBand>,
}

impl<'a> Histogram<'a> {
    fn of(shown: &'a CallsShown<'a>, node: NodeId, name: &'static str) -> Self {
        let usage = shown.examination.nodes.get(&node).map(|n| n.of(name)).unwrap_or_default();
        Self { shown, node, name, usage, band: shown.examination.band(node, name) }
    }

    /// The greatest share that the band has in a bucket.
    fn band_to(&self, bucket: usize) -> Option<f64> {
        Some(self.band?.shares.get(bucket)?.high)
    }

    fn add(&self, scene: &mut Scene, at: Point, width: f32) {
        self.add_bars(scene, at, width);
        let node = Some(self.shown.name(self.node).to_owned());
        scene.hits.push(Hit { at, size: (width, CELL_CSS_PX), says: self.says(), node, ..Hit::default() });
    }

    /// A bar a bucket, each before the band's.
    fn add_bars(&self, scene: &mut Scene, at: Point, width: f32) {
        let step = width / BUCKETS as f32;
        let foot = at.1 + CELL_CSS_PX;
        scene.line((at.0, foot), (tenth(at.0 + width), foot), Role::Grid);
        for bucket in 0..BUCKETS {
            let x = tenth(at.0 + step * bucket as f32);
            let band = self.band_to(bucket);
            let high = band.unwrap_or(0.0);
            if high > 0.0 {
                let top = tenth(foot - CELL_CSS_PX * high as f32);
                scene.push(Mark::Rect { at: (x, top), size: (tenth(step), foot - top), role: Role::Grid });
            }
            let share = self.usage.share(bucket);
            if share > 0.0 {
                // One call must be seen.
                let height = (CELL_CSS_PX * share as f32).max(1.0);
                let is_beyond = band.is_some() && share > high;
                let role = if is_beyond { self.shown.beyond(self.node) } else { Role::Node };
                let inner = (tenth(x + step * 0.15), tenth(foot - height));
                scene.push(Mark::Rect { at: inner, size: (tenth(step * 0.7).max(1.0), tenth(height)), role });
            }
        }
    }

    fn says(&self) -> Vec<String> {
        let usage = &self.usage;
        let mut says = vec![
            format!("{}, {}", self.shown.name(self.node), self.name),
            format!("{} calls, {} a call", grouped(usage.calls), of_micros(usage.mean_us())),
        ];
        if let Some(band) = self.band {
            says.push(format!("band: {} to {} a call", of_micros(band.mean_us.low), of_micros(band.mean_us.high)));
            let over = |b: &usize| self.band_to(*b).is_some_and(|high| usage.share(*b) > high);
            if let Some(bucket) = (0..BUCKETS).rev().find(over) {
                let begin = of_micros(bucket_begins_us(bucket) as f64);
                says.push(format!(
                    "{:.1} % took {begin} or up to four times that: more than the band",
                    usage.share(bucket) * 100.0
                ));
            }
        }
        says.extend(longest(self.shown, self.node, self.name));
        says
    }
}

/// Where the longest call stands, or the end of what took longest to connect.
fn longest(shown: &CallsShown<'_>, node: NodeId, name: &str) -> Option<String> {
    let (us, place) = if name == CONNECTED {
        let made = connections(shown.trace, node).known;
        made.iter().map(|made| (made.took_us, made.place)).max_by_key(|(us, _)| *us)?
    } else {
        let own = shown.trace.calls.of_node(node).filter(|call| call.name == name && !call.is_of_descriptor());
        own.filter_map(|call| Some((call.duration_us?, call.place))).max_by_key(|(us, _)| *us)?
    };
    Some(format!("longest single call: {}, {}", of_micros(us as f64), shown.place(place)))
}

fn table(shown: &CallsShown<'_>, nodes: &[NodeId], calls: &[&'static str]) -> Table {
    let headers = ["node", "call", "calls", "failed", "total (s)", "mean (ms)", "band from (ms)", "band to (ms)"];
    let mut rows = Vec::new();
    for node in nodes {
        for name in calls {
            let usage = shown.examination.nodes.get(node).map(|n| n.of(name)).unwrap_or_default();
            let band = shown.examination.band(*node, name).map(|b| b.mean_us);
            let ms = |us: f64| format!("{:.3}", us / 1e3);
            rows.push(vec![
                shown.name(*node).to_owned(),
                (*name).to_owned(),
                usage.calls.to_string(),
                usage.errors.to_string(),
                format!("{:.3}", usage.total_us as f64 / 1e6),
                ms(usage.mean_us()),
                band.map_or_else(String::new, |b| ms(b.low)),
                band.map_or_else(String::new, |b| ms(b.high)),
            ]);
        }
    }
    Table { headers: headers.map(String::from).to_vec(), rows }
}
