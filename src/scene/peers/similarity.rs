//! Maps running on each node over a job (K15, Fig. 3 of Kahuna), and how the nodes'
//! series correlate (K13, K14).

use super::distance::legend;
use crate::base::quantity::counted;
use crate::diagnosis::peer_similarity::JobSimilarity;
use crate::scene::axis::{date_and_clock, fitted, label_width_css_px, tenth, time_ticks_within};
use crate::scene::{Anchor, Hit, Look, Raster, Role, Scene, Table, View};

/// Height of a stripe; many nodes get thinner ones.
const STRIPE_MAX_CSS_PX: f32 = 18.0;
/// Height of all stripes at the most.
const STRIPES_CSS_PX: f32 = 480.0;
/// Columns of time at the most: more than there are pixels would not be seen.
const COLUMNS: usize = 600;
/// Height of a line of words below the matrix.
const LINE_CSS_PX: f32 = 16.0;
/// Height of the legend.
const LEGEND_CSS_PX: f32 = 28.0;
/// Largest cell of the matrix.
const CELL_MAX_CSS_PX: f32 = 34.0;
/// Room above a raster.
const TOP_CSS_PX: f32 = 24.0;
/// Room below it.
const BOTTOM_CSS_PX: f32 = 34.0;
/// Room for names, at most.
const LABEL_CSS_PX: f32 = 150.0;
/// Cells that answer one by one; beyond it, rows do.
const HITS: usize = 10_000;

/// Lays out the figure; `names` are those of the similarity's nodes, for stripes of all that have a series.
#[must_use]
pub fn lay_out(view: View, similarity: &JobSimilarity, names: &[String], look: &Look) -> Scene {
    let mut scene = match view {
        View::PeersStripes => stripes(similarity, names, look),
        View::PeersCorrelation => correlation(similarity, names, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}

fn label_room(names: &[String], look: &Look) -> f32 {
    let widest = names.iter().map(|name| label_width_css_px(name)).fold(30.0, f32::max);
    widest.min(LABEL_CSS_PX).min(look.width_css_px * 0.35)
}

fn stripes(s: &JobSimilarity, names: &[String], look: &Look) -> Scene {
    let steps = s.running.values().next().map_or(0, Vec::len);
    let fold = steps.div_ceil(COLUMNS).max(1);
    // The busiest second of those that share a column.
    let columns: Vec<Vec<f64>> =
        s.running.values().map(|r| r.chunks(fold).map(|c| c.iter().copied().fold(0.0, f64::max)).collect()).collect();
    let most = columns.iter().flatten().copied().fold(0.0, f64::max);
    let left = label_room(names, look) + 12.0;
    let width = (look.width_css_px - left - 8.0).max(40.0);
    let height = STRIPE_MAX_CSS_PX.min(STRIPES_CSS_PX / names.len().max(1) as f32);
    let side = tenth(height * names.len() as f32);
    let mut scene = Scene {
        title: format!("Maps running on each node: {}", s.job),
        how_to_read: format!(
            "One stripe a node, time from left to right: the stronger, the more Maps run there (strongest: {most:.0}). In \
             a healthy job the stripes are alike; a slow or idle node has a stripe of another pattern, one that ran no \
             Map an empty one."
        ),
        size: (look.width_css_px, TOP_CSS_PX + side + BOTTOM_CSS_PX + LEGEND_CSS_PX),
        ..Scene::default()
    };
    let shade = |running: &f64| if most > 0.0 { (running / most * 255.0).round() as u8 } else { 0 };
    let across = columns.first().map_or(0, Vec::len);
    let (wide, high) = (u32::try_from(across).unwrap_or_default(), u32::try_from(columns.len()).unwrap_or_default());
    let shades = columns.iter().flatten().map(shade).collect();
    scene.rasters.push(Raster {
        at: (left, TOP_CSS_PX),
        size: (width, side),
        columns: wide,
        rows: high,
        shades,
        ..Raster::default()
    });
    let first_ms = s.start.millis();
    let last_ms = first_ms + steps as i64 * s.step_ms;
    scene.text((0.0, 8.0), format!("times in UTC, from {}", date_and_clock(first_ms)), Anchor::Start, Role::Faint);
    for (ms, label) in time_ticks_within(first_ms, last_ms, width) {
        let x = tenth(left + (ms - first_ms) as f32 / (last_ms - first_ms).max(1) as f32 * width);
        scene.line((x, TOP_CSS_PX + side), (x, TOP_CSS_PX + side + 4.0), Role::Faint);
        scene.text_around((x, TOP_CSS_PX + side + 14.0), label, Role::Faint);
    }
    for (i, (name, running)) in names.iter().zip(s.running.values()).enumerate() {
        let y = tenth(TOP_CSS_PX + height * i as f32);
        if let Some(role) = look.label(name, height) {
            scene.text((left - 6.0, tenth(y + height / 2.0)), fitted(name, left - 10.0), Anchor::End, role);
        }
        let busiest = running.iter().copied().fold(0.0, f64::max);
        let seconds = running.iter().sum::<f64>() * s.step_ms as f64 / 1000.0;
        let says = vec![name.clone(), format!("{seconds:.0} s of Maps, at most {busiest:.1} at once")];
        scene.hits.push(Hit { at: (left, y), size: (width, height), says, node: Some(name.clone()), ..Hit::default() });
    }
    let most = format!("{most:.0} at once");
    legend(&mut scene, (left, TOP_CSS_PX + side + BOTTOM_CSS_PX), ["no Map", &most]);
    let mut headers = vec![String::from("time (UTC)")];
    headers.extend(names.iter().cloned());
    let row = |step: usize| {
        let cells = columns.iter().map(|c| c.get(step).map_or_else(String::new, |r| format!("{r:.2}")));
        std::iter::once(date_and_clock(first_ms + (step * fold) as i64 * s.step_ms)).chain(cells).collect()
    };
    scene.table = Table { headers, rows: (0..across).map(row).collect() };
    scene
}

fn correlation(s: &JobSimilarity, names: &[String], look: &Look) -> Scene {
    let n = names.len();
    let left = label_room(names, look) + 12.0;
    let cell = ((look.width_css_px - left - 4.0) / n.max(1) as f32).min(CELL_MAX_CSS_PX);
    let side = tenth(cell * n as f32);
    let mut scene = Scene {
        title: format!("Likeness of the nodes in {}: {} of {n} are alike with all others", s.job, s.alike()),
        how_to_read: format!(
            "Each cell is the correlation of the Maps running on two nodes over the job, without its sign, from 0 \
             to 1 as the legend has it; from {} on two nodes count as alike. In the paper 89 % of the nodes of successful jobs \
             were alike with all others, and 43 % in aborted ones. Shown to look at: healthy short jobs have unlike \
             nodes too, so nobody is indicted for it.",
            s.alike_from
        ),
        size: (look.width_css_px, TOP_CSS_PX + side + BOTTOM_CSS_PX),
        ..Scene::default()
    };
    let count = u32::try_from(n).unwrap_or_default();
    let shades = s.correlation.iter().flatten().map(|r| (r.clamp(0.0, 1.0) * 255.0).round() as u8).collect();
    scene.rasters.push(Raster {
        at: (left, TOP_CSS_PX),
        size: (side, side),
        columns: count,
        rows: count,
        shades,
        ..Raster::default()
    });
    for (a, (name, row)) in names.iter().zip(&s.correlation).enumerate() {
        let y = tenth(TOP_CSS_PX + cell * a as f32);
        if let Some(role) = look.label(name, cell) {
            scene.text((left - 6.0, tenth(y + cell / 2.0)), fitted(name, left - 10.0), Anchor::End, role);
        }
        if n * n > HITS {
            let alike = row.iter().filter(|r| **r >= s.alike_from).count().saturating_sub(1);
            let says = vec![name.clone(), format!("alike with {alike} of {} others", n - 1)];
            scene.hits.push(Hit {
                at: (left, y),
                size: (side, cell),
                says,
                node: Some(name.clone()),
                ..Hit::default()
            });
            continue;
        }
        for (b, (other, r)) in names.iter().zip(row).enumerate().filter(|(b, _)| *b != a) {
            let likeness = if *r >= s.alike_from { "alike" } else { "unlike" };
            let says = vec![format!("{name} and {other}"), format!("|r| {r:.3}: {likeness}")];
            let at = (tenth(left + cell * b as f32), y);
            scene.hits.push(Hit { at, size: (cell, cell), says, node: Some(name.clone()), ..Hit::default() });
        }
    }
    legend(&mut scene, (left, TOP_CSS_PX + side + LINE_CSS_PX / 2.0), ["0 unlike", "1 alike"]);
    let mut text = format!("alike from {}", s.alike_from);
    if !s.constant.is_empty() {
        text.push_str(&format!("; {} without a varying series", counted(s.constant.len() as u64, "node")));
    }
    let at = (0.0, TOP_CSS_PX + side + LINE_CSS_PX + LEGEND_CSS_PX);
    scene.size.1 =
        scene.paragraph(at, (look.width_css_px, LINE_CSS_PX), &text, Role::Faint) + BOTTOM_CSS_PX - 2.0 * LINE_CSS_PX;
    let mut headers = vec![String::from("node")];
    headers.extend(names.iter().cloned());
    let rows = names
        .iter()
        .zip(&s.correlation)
        .map(|(name, row)| std::iter::once(name.clone()).chain(row.iter().map(|r| format!("{r:.3}"))).collect());
    scene.table = Table { headers, rows: rows.collect() };
    scene
}
