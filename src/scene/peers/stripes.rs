//! Maps running on each node over a job, a stripe a node (K15, Fig. 3 of Kahuna).
//!
//! ```text
//! h101  ░▒▓▓▓▓▒▒░
//! h102  ░▒▓▓▓▓▒▒░
//! h103  ░░▒▒▒▒▒▒▒▒▒▒    a pattern of its own
//! ```

use crate::base::TimeZone;
use crate::diagnosis::peer_similarity::JobSimilarity;
use crate::scene::axis::{Axis, date_and_clock, tenth, time_ticks_within, times_from};
use crate::scene::legend::scale;
use crate::scene::names::{Hosts, NameColumn};
use crate::scene::{Anchor, Hit, Look, Plot, Raster, Role, Scene, Table, shade};

/// Height of a stripe; those of many nodes are thinner.
const STRIPE_MAX_CSS_PX: f32 = 18.0;
/// Height that all stripes together may take.
const STRIPES_CSS_PX: f32 = 480.0;
/// Columns of time: more than these are narrower than a pixel in most figures.
const COLUMNS: usize = 600;
/// Room above the stripes, for the day.
const TOP_CSS_PX: f32 = 24.0;
/// Room below them, for the times.
const TIMES_CSS_PX: f32 = 34.0;
/// Room for the legend.
const LEGEND_CSS_PX: f32 = 28.0;

pub(super) fn lay_out(s: &JobSimilarity, names: &[String], zone: TimeZone, look: &Look) -> Scene {
    let stripes = Stripes::of(s, names, look);
    let most = stripes.most;
    let mut scene = Scene {
        title: format!("Maps running on each node: {}", s.job),
        how_to_read: format!(
            "One stripe for each node, time from left to right: the stronger, the more Maps run there (strongest: {most:.0}). In \
             a healthy job the stripes are alike; a slow or idle node has a stripe of another pattern, one that ran no \
             Map an empty one."
        ),
        size: (look.width_css_px, stripes.bottom() + TIMES_CSS_PX + LEGEND_CSS_PX),
        ..Scene::default()
    };
    scene.rasters.push(stripes.raster());
    stripes.times(&mut scene, zone);
    stripes.nodes(&mut scene, look);
    let (first_ms, last_ms) = stripes.span_ms();
    let plot = Plot::of_time((stripes.left, TOP_CSS_PX), (stripes.width, stripes.side()), (first_ms, last_ms));
    scene.choose_time(plot, stripes.x(), look.selection.span);
    let most = format!("{most:.0} at once");
    scale(&mut scene, (stripes.left, stripes.bottom() + TIMES_CSS_PX), ["no Map", &most]);
    scene.table = stripes.table(zone);
    scene
}

/// What is drawn, and where.
struct Stripes<'a> {
    similarity: &'a JobSimilarity,
    names: &'a [String],
    hosts: Hosts,
    /// Steps of time that share a column.
    fold: usize,
    /// For each node, how many Maps ran in each column: in the busiest of its steps.
    columns: Vec<Vec<f64>>,
    /// The greatest of these numbers.
    most: f64,
    /// Left end and width of all stripes.
    left: f32,
    width: f32,
    /// Height of one stripe.
    height: f32,
}

impl<'a> Stripes<'a> {
    fn of(similarity: &'a JobSimilarity, names: &'a [String], look: &Look) -> Self {
        let steps = similarity.running.values().next().map_or(0, Vec::len);
        let fold = steps.div_ceil(COLUMNS).max(1);
        let busiest = |running: &[f64]| running.iter().copied().fold(0.0, f64::max);
        let columns: Vec<Vec<f64>> =
            similarity.running.values().map(|running| running.chunks(fold).map(busiest).collect()).collect();
        let most = columns.iter().flatten().copied().fold(0.0, f64::max);
        let left = NameColumn::USUAL.width_css_px(&mut names.iter().map(String::as_str), 0.0, look.width_css_px) + 12.0;
        let width = (look.width_css_px - left - 8.0).max(40.0);
        let height = STRIPE_MAX_CSS_PX.min(STRIPES_CSS_PX / names.len().max(1) as f32);
        let hosts = Hosts::of(&mut names.iter().map(String::as_str));
        Self { similarity, names, hosts, fold, columns, most, left, width, height }
    }

    /// Height of all stripes.
    fn side(&self) -> f32 {
        tenth(self.height * self.names.len() as f32)
    }

    /// Lower edge of the last stripe.
    fn bottom(&self) -> f32 {
        TOP_CSS_PX + self.side()
    }

    /// Columns of each stripe.
    fn across(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// When a step of time begins.
    fn step_begins_ms(&self, step: usize) -> i64 {
        self.similarity.start.millis() + step as i64 * self.similarity.step_ms
    }

    /// When the first step begins and the last one ends.
    fn span_ms(&self) -> (i64, i64) {
        let steps = self.similarity.running.values().next().map_or(0, Vec::len);
        (self.step_begins_ms(0), self.step_begins_ms(steps))
    }

    /// Where times are.
    fn x(&self) -> Axis {
        let (first_ms, last_ms) = self.span_ms();
        Axis::linear((first_ms as f64, last_ms as f64), (self.left, self.left + self.width))
    }

    fn raster(&self) -> Raster {
        let most = self.most;
        let shades = self.columns.iter().flatten().map(|running| shade(running / most)).collect();
        let cells = (self.across(), self.columns.len());
        Raster::of_shades((self.left, TOP_CSS_PX), (self.width, self.side()), cells, shades)
    }

    /// The day above the stripes, and the times below them.
    fn times(&self, scene: &mut Scene, zone: TimeZone) {
        let ((first_ms, last_ms), x) = (self.span_ms(), self.x());
        scene.text((0.0, 8.0), times_from(first_ms, zone), Anchor::Start, Role::Faint);
        let bottom = self.bottom();
        for (ms, label) in time_ticks_within(first_ms, last_ms, self.width) {
            let x = x.px(ms as f64);
            scene.line((x, bottom), (x, bottom + 4.0), Role::Faint);
            scene.text_around((x, bottom + 14.0), label, Role::Faint);
        }
    }

    /// The name of each stripe's node, and what the stripe says where it is pointed at.
    fn nodes(&self, scene: &mut Scene, look: &Look) {
        let (left, height) = (self.left, self.height);
        for (i, (name, running)) in self.names.iter().zip(self.similarity.running.values()).enumerate() {
            let y = tenth(TOP_CSS_PX + height * i as f32);
            if let Some(role) = look.label(name, height) {
                scene.text(
                    (left - 6.0, tenth(y + height / 2.0)),
                    self.hosts.fitted(name, left - 10.0),
                    Anchor::End,
                    role,
                );
            }
            let busiest = running.iter().copied().fold(0.0, f64::max);
            let seconds = running.iter().sum::<f64>() * self.similarity.step_ms as f64 / 1000.0;
            let says = vec![name.clone(), format!("{seconds:.0} s of Maps, at most {busiest:.1} at once")];
            let (at, size, node) = ((left, y), (self.width, height), Some(name.clone()));
            scene.hits.push(Hit { at, size, says, node, ..Hit::default() });
        }
    }

    /// A row a column of time, a column a node.
    fn table(&self, zone: TimeZone) -> Table {
        let mut headers = vec![String::from("time")];
        headers.extend(self.names.iter().cloned());
        let row = |column: usize| {
            let cells = self.columns.iter().map(|c| c.get(column).map_or_else(String::new, |r| format!("{r:.2}")));
            std::iter::once(date_and_clock(self.step_begins_ms(column * self.fold), zone)).chain(cells).collect()
        };
        Table { headers, rows: (0..self.across()).map(row).collect() }
    }
}
