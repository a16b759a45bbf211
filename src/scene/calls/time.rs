//! Calls out of their bands over time, a strip a node: since when, and which lines.

use super::{CallsShown, drawn};
use crate::base::quantity::of_micros;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::syscalls::normalise::RULES;
use crate::diagnosis::syscalls::semantic::Spike;
use crate::scene::axis::{Axis, date_and_clock, tenth, time_ticks_within, times_from};
use crate::scene::{Anchor, Hit, Look, Mark, Plot, Role, Scene, Table};

/// Height of a strip.
const ROW_CSS_PX: f32 = 24.0;
/// Room above, for the day; and below, for the times.
const TOP_CSS_PX: f32 = 18.0;
const BOTTOM_CSS_PX: f32 = 28.0;
/// Room at the right, for half of the last time.
const RIGHT_CSS_PX: f32 = 10.0;
/// A dot that is smaller than this answers to the pointer as if it were as large.
const REACH_CSS_PX: f32 = 4.0;
/// Dots drawn: those that took longest beyond their bands.
const DOTS: usize = 4000;
/// Rows of the table.
const TABLE_ROWS: usize = 500;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let spikes = by_excess(shown);
    let mut scene = Scene {
        title: String::from("Slow calls over time"),
        how_to_read: format!(
            "One strip for each node, one dot for each call that took far longer than the same call should ({}); larger \
             dots took longer. Dots of one node in one stretch of time are a fault; single ones are chance. Calls are \
             the same if name, arguments and result are, where {}.",
            shown.examination.healthy(),
            RULES.join("; ")
        ),
        size: (look.width_css_px, 40.0),
        table: table(shown, &spikes),
        log_columns: 2,
        summed_up: spikes.len() > TABLE_ROWS,
        ..Scene::default()
    };
    let times = || shown.trace.calls.iter().map(|c| c.at_us.div_euclid(1000));
    let (Some(from), Some(to), false) = (times().min(), times().max(), spikes.is_empty()) else {
        scene.text((0.0, 20.0), shown.no_slow_call(), Anchor::Start, Role::Faint);
        return scene;
    };
    let nodes = shown.nodes();
    let rows = drawn(&nodes);
    let (left, right) = (shown.label_width(look) + 10.0, look.width_css_px - RIGHT_CSS_PX);
    let strips = Strips { shown, rows, x: Axis::linear((from as f64, to as f64), (left, right)) };
    scene.size.1 = strips.foot() + BOTTOM_CSS_PX;
    strips.add_times(&mut scene, (from, to));
    strips.add_names(&mut scene);
    for spike in spikes.iter().take(DOTS) {
        strips.add_dot(&mut scene, spike);
    }
    let plot = Plot::of_time((left, TOP_CSS_PX), (right - left, strips.foot() - TOP_CSS_PX), (from, to));
    scene.choose_time(plot, strips.x, look.selection.span);
    scene
}

/// By how much a call took longer than it should.
const fn excess_us(spike: &Spike) -> u64 {
    spike.took_us.saturating_sub(spike.max_us)
}

/// The slow calls, those first that took longest beyond their bands.
fn by_excess<'a>(shown: &CallsShown<'a>) -> Vec<&'a Spike> {
    let mut spikes: Vec<&Spike> = shown.examination.spikes.all.iter().collect();
    spikes.arrange(|a, b| excess_us(b).cmp(&excess_us(a)).then(a.place.cmp(&b.place)));
    spikes
}

/// Where strips and times are.
struct Strips<'a> {
    shown: &'a CallsShown<'a>,
    /// The node of each strip.
    rows: &'a [NodeId],
    /// Where the milliseconds are.
    x: Axis,
}

impl Strips<'_> {
    /// Lower edge of the last strip.
    fn foot(&self) -> f32 {
        TOP_CSS_PX + ROW_CSS_PX * self.rows.len() as f32
    }

    /// Middle of a strip.
    fn middle(row: usize) -> f32 {
        tenth(TOP_CSS_PX + ROW_CSS_PX * (row as f32 + 0.5))
    }

    /// The day above the strips, a line at each time, and the times below.
    fn add_times(&self, scene: &mut Scene, (from, to): (i64, i64)) {
        let (left, foot) = (self.x.pixels.0, self.foot());
        for (ms, label) in time_ticks_within(from, to, scene.size.0 - left) {
            let px = self.x.px(ms as f64);
            scene.line((px, TOP_CSS_PX), (px, foot), Role::Grid);
            scene.text_around((px, foot + 12.0), label, Role::Faint);
        }
        scene.text((left, 8.0), times_from(from, self.shown.trace.zone()), Anchor::Start, Role::Faint);
    }

    /// Each node's name, and a line through its strip.
    fn add_names(&self, scene: &mut Scene) {
        let (left, right) = self.x.pixels;
        for (row, node) in self.rows.iter().enumerate() {
            let y = Self::middle(row);
            self.shown.add_name(scene, (left, y), *node);
            scene.line((left, y), (right, y), Role::Grid);
        }
    }

    /// A slow call, if its node has a strip.
    fn add_dot(&self, scene: &mut Scene, spike: &Spike) {
        let shown = self.shown;
        let Some(row) = self.rows.iter().position(|node| *node == spike.node) else { return };
        let at_ms = spike.at_us.div_euclid(1000);
        let (px, y) = (self.x.px(at_ms as f64), Self::middle(row));
        let seconds = excess_us(spike) as f32 / 1e6;
        let radius = tenth((2.0 + seconds.sqrt() * 2.0).min(ROW_CSS_PX * 0.45));
        let role = if shown.is_accused(spike.node) { Role::Culprit } else { Role::Node };
        scene.push(Mark::Circle { at: (px, y), radius, role });
        let says = vec![
            format!("{}, {}", shown.name(spike.node), date_and_clock(at_ms, shown.trace.zone())),
            spike.what.clone(),
            format!(
                "took {}, {} at most {}",
                of_micros(spike.took_us as f64),
                shown.examination.healthy(),
                of_micros(spike.max_us as f64)
            ),
            shown.place(spike.place),
        ];
        let reach = radius.max(REACH_CSS_PX);
        let (at, size) = ((tenth(px - reach), tenth(y - reach)), (reach * 2.0, reach * 2.0));
        scene.hits.push(Hit { at, size, says, node: Some(shown.name(spike.node).to_owned()), ..Hit::default() });
    }
}

fn table(shown: &CallsShown<'_>, spikes: &[&Spike]) -> Table {
    let headers = ["node", "when", "call", "took (ms)", "band to (ms)", "other end", "file", "line"];
    let row = |spike: &&Spike| {
        vec![
            shown.name(spike.node).to_owned(),
            date_and_clock(spike.at_us.div_euclid(1000), shown.trace.zone()),
            spike.what.clone(),
            format!("{:.3}", spike.took_us as f64 / 1e3),
            format!("{:.3}", spike.max_us as f64 / 1e3),
            spike.peer.map_or_else(String::new, |p| p.name(shown.trace)),
            shown.trace.path(spike.place.file).to_owned(),
            spike.place.line.to_string(),
        ]
    };
    Table { headers: headers.map(String::from).to_vec(), rows: spikes.iter().take(TABLE_ROWS).map(row).collect() }
}
