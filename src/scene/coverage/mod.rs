//! The coverage map: which node has which log when.
//!
//! ```text
//! h101  datanode     ▇▇▇▇▅▅▅▅▅▇▇
//!       tasktracker  ▇▇▇▇    ▅▇▇      a gap: nothing was written, or a file is missing
//! h102  datanode     ▇▇▇▇▅▅▅▅▅▇▇
//! ```
//! One row a node and format, time to the right; the darker, the more records. The table
//! twin has the rows in numbers, with the longest gap inside each: it is at least as long, since records are counted in
//! stretches of time.
//! Cost: O(files · bins + cells).

use super::axis::{
    Axis, LINE_CSS_PX, date_and_clock, fitted, from_to, label_width_css_px, time_ticks_within, times_from,
};
use super::legend::Legend;
use super::names::Hosts;
use super::{Anchor, Hit, Look, Plot, Raster, Role, Scene, Table};
use crate::base::quantity::{bytes, counted, grouped, of_millis};
use crate::base::{Arrange, NodeId, TimeZone};
use crate::model::Trace;
use std::collections::BTreeMap;

/// Rows drawn at most: above that they are thinner than a pixel can tell. The table has
/// [`ROWS_TOLD`].
const ROWS_SHOWN: usize = 600;
/// Rows of the table twin at most: a document of more elements is slow to lay out.
const ROWS_TOLD: usize = 1000;
/// Height of a row that carries a label.
const ROW_CSS_PX: f32 = 15.0;
/// More rows than this are drawn thinner, and only nodes are labelled where there is room.
const ROWS_LABELLED: usize = 60;
/// Height of a thin row.
const THIN_CSS_PX: f32 = 3.0;
/// Height that a label needs.
const LABEL_ROOM_CSS_PX: f32 = 13.0;
/// Room for node and format at the left, and the share of the width that it is on narrow screens.
const LABELS_CSS_PX: f32 = 190.0;
const LABELS_SHARE: f32 = 0.42;
/// Share of that room which the nodes' names take at most.
const NODES_SHARE: f32 = 0.5;
/// Gap between the node's column and the format's.
const GAP_CSS_PX: f32 = 8.0;
/// Room above for the axis' words and below for its ticks.
const TOP_CSS_PX: f32 = 22.0;
const BOTTOM_CSS_PX: f32 = 28.0;
/// Archives whose size is told.
const ARCHIVES_TOLD: usize = 12;
/// Columns of the raster at most; a column is about two pixels.
const COLUMNS: usize = 480;
/// Half of a time below the axis: nearer to an end of the axis it would be cut.
const HALF_TIME_CSS_PX: f32 = 24.0;
/// The shortest time that the map spans, so that files of a single moment have an axis, too.
const LEAST_SPAN_MS: i64 = 1000;
/// A shade below this would not be seen; the rest is spread by the logarithm of the count.
const SHADE_LEAST: f64 = 70.0;

/// One row: a node's logs of one format.
#[derive(Default)]
struct Row {
    files: u64,
    lines: u64,
    span: Option<(i64, i64)>,
    /// Begin, width and count of each bin that has records, UTC milliseconds.
    bins: Vec<(i64, i64, u64)>,
}

/// Lays out the map.
#[must_use]
pub fn lay_out(trace: &Trace, look: &Look) -> Scene {
    let rows = rows_of(trace);
    let mut scene = Scene {
        name: super::View::CoverageMap.name().to_owned(),
        title: String::from("Which node has which log when"),
        how_to_read: String::from(
            "One row for each node and kind of log. The stronger, the more records were written there. \
             Blank inside a row is a gap: nothing was written, or a file of that time is missing. A row that begins \
             late or ends early, while others go on, may be a log that was rolled away, or a node that fell silent. \
             Rows without a node are histories and logs whose node could not be told.",
        ),
        size: (look.width_css_px, 60.0),
        ..Scene::default()
    };
    let Some(map) = Map::of(trace, &rows, look) else {
        scene.text((0.0, 30.0), "No file holds a time.", Anchor::Start, Role::Faint);
        return scene;
    };
    scene.size.1 = map.bottom() + BOTTOM_CSS_PX;
    map.add_times(&mut scene, trace.zone());
    map.add_rows(&mut scene);
    let plot = Plot::of_time((map.left, TOP_CSS_PX), (map.width(), map.bottom() - TOP_CSS_PX), map.span);
    scene.choose_time(plot, map.time_axis(), look.selection.span);
    scene.rasters.push(map.raster());
    map.add_lines_between_nodes(&mut scene);
    if rows.len() > map.shown {
        let text = format!("{} more rows are in the table", grouped((rows.len() - map.shown) as u64));
        scene.text((map.right, 8.0), text, Anchor::End, Role::Faint);
    }
    add_words_below(&mut scene, trace);
    scene.table = table(trace, &rows);
    scene.summed_up = true;
    scene
}

/// What is drawn, and where.
struct Map<'a> {
    trace: &'a Trace,
    rows: &'a Rows<'a>,
    hosts: Hosts,
    look: &'a Look,
    /// Rows drawn.
    shown: usize,
    /// Height of a row.
    height: f32,
    /// Widths of the columns of nodes and of formats.
    node_width: f32,
    format_width: f32,
    /// Ends of the axis of time.
    left: f32,
    right: f32,
    /// The times there, UTC milliseconds.
    span: (i64, i64),
}

impl<'a> Map<'a> {
    /// `None` where no row holds a time.
    fn of(trace: &'a Trace, rows: &'a Rows<'a>, look: &'a Look) -> Option<Self> {
        let spans = || rows.values().filter_map(|row| row.span);
        let (from, to) = (spans().map(|s| s.0).min()?, spans().map(|s| s.1).max()?);
        let shown = rows.len().min(ROWS_SHOWN);
        let height = if shown <= ROWS_LABELLED { ROW_CSS_PX } else { THIN_CSS_PX };
        let widest = |names: &mut dyn Iterator<Item = &str>| names.map(label_width_css_px).fold(0.0, f32::max);
        let room = LABELS_CSS_PX.min(look.width_css_px * LABELS_SHARE);
        let names = || rows.keys().map(|(_, node, _)| name_of(trace, *node));
        let hosts = Hosts::of(&mut names());
        let node_width = widest(&mut names().map(|name| hosts.short(name))).min(room * NODES_SHARE);
        let format_width = widest(&mut rows.keys().map(|(.., format)| *format)).min(room - node_width);
        let left = node_width + GAP_CSS_PX + format_width + GAP_CSS_PX;
        let right = (look.width_css_px - 4.0).max(left + 40.0);
        let span = (from, to.max(from.saturating_add(LEAST_SPAN_MS)));
        Some(Self { trace, hosts, rows, look, shown, height, node_width, format_width, left, right, span })
    }

    fn width(&self) -> f32 {
        self.right - self.left
    }

    /// Upper edge of a row.
    fn top(&self, row: usize) -> f32 {
        TOP_CSS_PX + self.height * row as f32
    }

    /// Lower edge of the last row.
    fn bottom(&self) -> f32 {
        self.top(self.shown)
    }

    /// Whether rows are high enough for a label each.
    fn is_labelled(&self) -> bool {
        self.height >= LABEL_ROOM_CSS_PX
    }

    fn time_axis(&self) -> Axis {
        Axis::linear((self.span.0 as f64, self.span.1 as f64), (self.left, self.right))
    }

    /// The day above the rows, and the times below them.
    fn add_times(&self, scene: &mut Scene, zone: TimeZone) {
        let ((from, to), x, bottom) = (self.span, self.time_axis(), self.bottom());
        scene.text((0.0, 8.0), times_from(from, zone), Anchor::Start, Role::Faint);
        for (ms, label) in time_ticks_within(from, to, self.width()) {
            let px = x.px(ms as f64);
            scene.line((px, bottom), (px, bottom + 4.0), Role::Faint);
            if px > self.left + HALF_TIME_CSS_PX && px < self.right - HALF_TIME_CSS_PX {
                scene.text((px, bottom + 14.0), label, Anchor::Middle, Role::Faint);
            }
        }
    }

    /// The names of nodes and formats, and what each row says where it is pointed at.
    fn add_rows(&self, scene: &mut Scene) {
        let mut labelled: Option<(NodeIdOrNone, f32)> = None;
        for (i, ((_, node, format), row)) in self.rows.iter().take(self.shown).enumerate() {
            let name = name_of(self.trace, *node);
            let (y, middle) = (self.top(i), self.top(i) + self.height / 2.0);
            if labelled.is_none_or(|(last, at)| last != *node && middle - at >= LABEL_ROOM_CSS_PX) {
                let role = self.look.marked(name).unwrap_or(Role::Faint);
                scene.text((0.0, middle), self.hosts.fitted(name, self.node_width), Anchor::Start, role);
                labelled = Some((*node, middle));
            }
            if self.is_labelled() {
                let at = (self.node_width + GAP_CSS_PX, middle);
                scene.text(at, fitted(format, self.format_width), Anchor::Start, Role::Faint);
            }
            scene.hits.push(Hit {
                at: (self.left, y),
                size: (self.width(), self.height),
                says: says(self.trace, *node, format, row),
                node: node.map(|node| self.trace.node_name(node).to_owned()),
                ..Hit::default()
            });
        }
    }

    /// The records of each row over time.
    fn raster(&self) -> Raster {
        let columns = (self.width() as usize / 2).clamp(1, COLUMNS);
        let rows = self.rows.values().take(self.shown);
        let shades = rows.flat_map(|row| shades_of(row, self.span, columns)).collect();
        let size = (self.width(), self.height * self.shown as f32);
        Raster::of_shades((self.left, TOP_CSS_PX), size, (columns, self.shown), shades)
    }

    /// Thin lines that keep the rows of different nodes apart.
    fn add_lines_between_nodes(&self, scene: &mut Scene) {
        let mut last = None;
        for (i, (_, node, _)) in self.rows.keys().take(self.shown).enumerate() {
            if last.is_some_and(|last| last != *node) && self.is_labelled() {
                let y = self.top(i);
                scene.line((0.0, y), (self.right, y), Role::Grid);
            }
            last = Some(*node);
        }
    }
}

/// The legend, and how much was kept of the logs.
fn add_words_below(scene: &mut Scene, trace: &Trace) {
    let mut legend = Legend::at(0.0, scene.size.1 + 4.0);
    for (shade, name) in [(0, "nothing written"), (SHADE_LEAST as u8, "few records"), (255, "most of its row")] {
        legend.swatch(scene, Role::Shade(shade), name);
    }
    scene.size.1 = legend.bottom() + 2.0;
    for text in kept_in_words(trace) {
        let (at, room) = ((0.0, scene.size.1 + 6.0), (scene.size.0, LINE_CSS_PX));
        scene.size.1 = scene.paragraph(at, room, &text, Role::Faint) - 6.0;
    }
}

/// How much was kept of each archive's logs (M18): the events of its files as a digest holds
/// them, beside the length of the files.
fn kept_in_words(trace: &Trace) -> Vec<String> {
    let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (file, reading) in trace.files.iter().zip(&trace.readings).filter(|(_, r)| r.log_bytes > 0) {
        let archive = file.path.split('/').next().unwrap_or_default();
        let (logs, kept) = sums.entry(archive).or_default();
        *logs = logs.saturating_add(reading.log_bytes);
        *kept = kept.saturating_add(reading.kept_bytes);
    }
    let more = sums.len().saturating_sub(ARCHIVES_TOLD);
    let told = sums.iter().take(ARCHIVES_TOLD).map(|(archive, (logs, kept))| {
        if *kept == 0 {
            return format!("{archive}: of {} of logs nothing is kept as events", bytes(*logs as f64));
        }
        let times = *logs as f64 / *kept as f64;
        format!(
            "{archive}: of {} of logs {} are kept as events, 1/{times:.0}",
            bytes(*logs as f64),
            bytes(*kept as f64)
        )
    });
    told.chain((more > 0).then(|| format!("and {more} more archives or files"))).collect()
}

type NodeIdOrNone = Option<NodeId>;
/// By node and format; what has no node comes last.
type Rows<'a> = BTreeMap<(bool, NodeIdOrNone, &'a str), Row>;

fn name_of(trace: &Trace, node: NodeIdOrNone) -> &str {
    node.map_or("no node", |node| trace.node_name(node))
}

fn rows_of(trace: &Trace) -> Rows<'_> {
    let mut rows: Rows<'_> = BTreeMap::new();
    for (file, reading) in trace.files.iter().zip(&trace.readings) {
        let Some(format) = file.coverage.format.as_deref() else { continue };
        let Some((first, last)) = reading.span.map(|(a, b)| (a.millis(), b.millis())) else { continue };
        let row = rows.entry((file.node.is_none(), file.node, format)).or_default();
        row.files += 1;
        row.lines = row.lines.saturating_add(file.coverage.lines);
        row.span = Some(row.span.map_or((first, last), |(a, b)| (a.min(first), b.max(last))));
        let width_ms = reading.density.width_ms();
        let bins = reading.density.bins().filter(|(_, count)| *count > 0);
        row.bins.extend(bins.map(|(at, count)| (at.millis().saturating_add(reading.offset_ms), width_ms, count)));
    }
    rows
}

/// A row's records in so many columns from `from` to `to`, as shades.
fn shades_of(row: &Row, (from, to): (i64, i64), columns: usize) -> Vec<u8> {
    let mut counts = vec![0.0_f64; columns];
    let column_ms = to.saturating_sub(from) as f64 / columns as f64;
    for &(begin, width_ms, count) in &row.bins {
        // Rounded alike at both ends, neighbours do not overlap.
        let column = |ms: i64| ((ms.saturating_sub(from) as f64 / column_ms).round().max(0.0) as usize).min(columns);
        let (first, last) = (column(begin), column(begin.saturating_add(width_ms)));
        let covered = last.saturating_sub(first).max(1);
        for slot in counts.iter_mut().skip(first.min(columns - 1)).take(covered) {
            *slot += count as f64 / covered as f64;
        }
    }
    let most = counts.iter().copied().fold(0.0, f64::max);
    let scale = crate::base::math::ln(1.0 + most).max(f64::MIN_POSITIVE);
    let shade = |count: f64| match count {
        0.0 => 0,
        count => (SHADE_LEAST + (255.0 - SHADE_LEAST) * crate::base::math::ln(1.0 + count) / scale).round() as u8,
    };
    counts.into_iter().map(shade).collect()
}

/// The longest stretch without a record inside a row: begin and end.
fn longest_gap(row: &Row) -> Option<(i64, i64)> {
    let mut bins: Vec<(i64, i64)> =
        row.bins.iter().map(|(begin, width, _)| (*begin, begin.saturating_add(*width))).collect();
    bins.arrange(Ord::cmp);
    let mut gaps = Vec::new();
    let mut end = bins.first()?.1;
    for (begin, next_end) in bins {
        if begin > end {
            gaps.push((begin.saturating_sub(end), (end, begin)));
        }
        end = end.max(next_end);
    }
    gaps.into_iter().max().map(|(_, gap)| gap)
}

fn says(trace: &Trace, node: NodeIdOrNone, format: &str, row: &Row) -> Vec<String> {
    let mut says = vec![format!("{} · {format}", name_of(trace, node))];
    if let Some((first, last)) = row.span {
        says.push(from_to(first, last, trace.zone()));
    }
    says.push(format!("{} in {}", counted(row.lines, "line"), counted(row.files, "file")));
    if let Some((from, to)) = longest_gap(row) {
        let begin = date_and_clock(from, trace.zone());
        says.push(format!("longest gap at least {} from {begin}", of_millis(to.saturating_sub(from) as f64)));
    }
    says
}

fn table(trace: &Trace, rows: &Rows<'_>) -> Table {
    let headers = ["node", "log", "files", "lines", "first", "last", "longest gap (s, at least)", "gap begins"];
    let at = |ms| date_and_clock(ms, trace.zone());
    let cells = |((_, node, format), row): (&(bool, NodeIdOrNone, &str), &Row)| {
        let (first, last) = row.span.unwrap_or_default();
        let gap = longest_gap(row);
        vec![
            name_of(trace, *node).to_owned(),
            (*format).to_owned(),
            row.files.to_string(),
            row.lines.to_string(),
            at(first),
            at(last),
            gap.map_or_else(String::new, |(from, to)| (to.saturating_sub(from) / 1000).to_string()),
            gap.map_or_else(String::new, |(from, _)| at(from)),
        ]
    };
    Table { headers: headers.map(str::to_owned).to_vec(), rows: rows.iter().take(ROWS_TOLD).map(cells).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(bins: &[(i64, u64)]) -> Row {
        Row { bins: bins.iter().map(|(s, n)| (s * 1000, 1000, *n)).collect(), ..Row::default() }
    }

    #[test]
    fn gap_is_what_no_bin_covers() {
        assert_eq!(longest_gap(&row(&[(0, 1), (1, 1), (5, 1), (7, 2)])), Some((2000, 5000)));
        assert_eq!(longest_gap(&row(&[(7, 1), (0, 1)])), Some((1000, 7000)));
        assert_eq!(longest_gap(&row(&[(0, 1), (1, 1)])), None);
        assert_eq!(longest_gap(&row(&[])), None);
    }

    #[test]
    fn shades_are_blank_only_where_nothing_is() {
        let shades = shades_of(&row(&[(0, 1), (1, 100), (9, 1)]), (0, 10_000), 10);
        assert_eq!((shades[2..9].iter().max(), shades[1]), (Some(&0), 255));
        assert!(shades[0] >= 70 && shades[9] == shades[0]);
        // A wide bin spreads; one beyond the edge stays inside.
        let wide = Row { bins: vec![(0, 4000, 8), (9500, 4000, 1)], ..Row::default() };
        let shades = shades_of(&wide, (0, 10_000), 10);
        assert!(shades[..4].iter().all(|s| *s == shades[0]) && shades[4] == 0 && shades[9] > 0);
    }

    #[test]
    fn farthest_times_saturate() {
        let wide = Row { bins: vec![(i64::MIN, 1000, 1), (i64::MAX, 1000, 8)], ..Row::default() };
        let shades = shades_of(&wide, (-1_000_000, 1_000_000), 10);
        assert!(shades[0] > 0 && shades[9] == 255 && shades[1..9].iter().all(|s| *s == 0), "{shades:?}");
        assert_eq!(longest_gap(&wide), Some((i64::MIN + 1000, i64::MAX)));
        assert_eq!(shades_of(&wide, (i64::MIN, i64::MAX), 10).len(), 10);
    }
}
