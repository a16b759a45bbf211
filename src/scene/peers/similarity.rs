//! Maps running on each node over a job (K15, Fig. 3 of Kahuna), and how the nodes' series
//! correlate (K13, K14).

use super::stripes;
use crate::base::math::pairs;
use crate::base::quantity::counted;
use crate::base::{JobId, NodeId, TimeZone};
use crate::diagnosis::Params;
use crate::diagnosis::kahuna_wb::PAIRS_SHOWN;
use crate::diagnosis::peer_similarity::{self, JobSimilarity};
use crate::model::Trace;
use crate::scene::axis::{LINE_CSS_PX, tenth};
use crate::scene::legend::scale;
use crate::scene::names::{Hosts, NameColumn};
use crate::scene::pairs::PairGrid;
use crate::scene::{Hit, Look, Role, Scene, Table, View, shade};

/// Room above the matrix.
const TOP_CSS_PX: f32 = 24.0;
/// From the matrix to the words below it: a line, and the legend with its own words.
const LEGEND_CSS_PX: f32 = LINE_CSS_PX + 28.0;

/// Lays out the figure; `names` are those of the similarity's nodes, for stripes of all that have a series, and its times are in that zone.
#[must_use]
pub fn lay_out(view: View, similarity: &JobSimilarity, names: &[String], zone: TimeZone, look: &Look) -> Scene {
    let mut scene = match view {
        View::PeersStripes => stripes::lay_out(similarity, names, zone, look),
        View::PeersCorrelation => correlation(similarity, names, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}

/// Lays out the figure of the chosen job, else of the one that ran most Maps; one without a title if no job can be
/// compared.
#[must_use]
pub fn of_trace(view: View, trace: &Trace, params: &Params, look: &Look) -> Scene {
    let job = look.selection.job;
    let Some(similarity) = peer_similarity::of_job(trace, job, params) else {
        return job.map_or_else(Scene::default, |job| without(view, job, look));
    };
    let name = |id: &NodeId| trace.node_name(*id).to_owned();
    // Stripes are there of nodes that correlate with nothing too.
    let names: Vec<String> = if view == View::PeersStripes {
        similarity.running.keys().map(name).collect()
    } else {
        similarity.nodes.iter().map(name).collect()
    };
    lay_out(view, &similarity, &names, trace.zone(), look)
}

/// Says that the nodes of a chosen job cannot be compared.
fn without(view: View, job: JobId, look: &Look) -> Scene {
    let title = match view {
        View::PeersCorrelation => format!("Similarity of the nodes in {job}"),
        _ => format!("Maps running on each node: {job}"),
    };
    let mut scene = Scene {
        name: view.name().to_owned(),
        title,
        what_to_do: String::from("Choose another job, or none to have the one that ran most Maps."),
        ..Scene::default()
    };
    let words = "Too few Maps of this job are in the logs: their number has to vary on two nodes at least.";
    let end = scene.paragraph((0.0, 12.0), (look.width_css_px, LINE_CSS_PX), words, Role::Faint);
    scene.size = (look.width_css_px, end);
    scene
}

fn correlation(s: &JobSimilarity, names: &[String], look: &Look) -> Scene {
    let n = names.len();
    let left = NameColumn::USUAL.width_css_px(&mut names.iter().map(String::as_str), 0.0, look.width_css_px);
    let (left, hosts) = (PairGrid::numbered_left(left), Hosts::of(&mut names.iter().map(String::as_str)));
    let grid = PairGrid::fitting((left, TOP_CSS_PX), n, look);
    let mut scene = Scene {
        title: format!(
            "Similarity of the nodes in {}{}: {} of {n} are alike with all others",
            s.job,
            look.at_any_time(),
            s.alike()
        ),
        how_to_read: format!(
            "Each cell is the correlation of the Maps running on two nodes over the job, without its sign, from 0 \
             to 1 as the legend has it; columns carry the numbers of the rows. Two nodes count as alike from {} upwards. In the paper 89 % of the nodes of successful jobs \
             were alike with all others, and 43 % in aborted ones. For information only: healthy short jobs have unlike \
             nodes too, so nobody is indicted for it.",
            s.alike_from
        ),
        size: (look.width_css_px, grid.bottom()),
        table: table(s, names),
        ..Scene::default()
    };
    scene.rasters.push(grid.raster(s.correlation.iter().flatten().copied().map(shade).collect()));
    for (a, (name, row)) in names.iter().zip(&s.correlation).enumerate() {
        if let Some(role) = look.label(name, grid.cell) {
            let middle = tenth(grid.row(a) + grid.cell / 2.0);
            grid.name(&mut scene, a, middle, (&hosts, name), role);
        }
        if grid.cells_answer() {
            let cells = names.iter().zip(row).enumerate().filter(|(b, _)| *b != a);
            scene.hits.extend(cells.map(|(b, (other, r))| {
                let likeness = if *r >= s.alike_from { "alike" } else { "unlike" };
                let says = vec![format!("{name} and {other}"), format!("|r| {r:.3}: {likeness}")];
                grid.hit(a, b, says, Some(name.clone()))
            }));
        } else {
            scene.hits.push(row_hit(s, grid, a, name, row));
        }
    }
    scale(&mut scene, (left, grid.bottom() + LINE_CSS_PX / 2.0), ["0 unlike", "1 alike"]);
    let at = (0.0, grid.bottom() + LEGEND_CSS_PX);
    scene.size.1 = scene.paragraph(at, (look.width_css_px, LINE_CSS_PX), &limits(s), Role::Faint) + 2.0;
    scene
}

/// What a row of a matrix with too many cells answers as a whole.
fn row_hit(s: &JobSimilarity, grid: PairGrid, a: usize, name: &str, row: &[f64]) -> Hit {
    let says = vec![name.to_owned(), format!("alike with {} of {} others", alike_others(s, row), grid.count - 1)];
    let (at, size) = ((grid.at.0, grid.row(a)), (grid.side(), grid.cell));
    Hit { at, size, says, node: Some(name.to_owned()), ..Hit::default() }
}

/// With how many others a node is alike, given its row.
fn alike_others(s: &JobSimilarity, row: &[f64]) -> usize {
    // Each node is alike with itself.
    row.iter().filter(|r| **r >= s.alike_from).count().saturating_sub(1)
}

/// From where on nodes are alike, and of how many that cannot be said.
fn limits(s: &JobSimilarity) -> String {
    let mut text = format!("alike: {} and more", s.alike_from);
    if !s.constant.is_empty() {
        text.push_str(&format!("; {} without a varying series", counted(s.constant.len() as u64, "node")));
    }
    text
}

/// The likeness of each pair; of more than [`PAIRS_SHOWN`], with how many others each node is alike.
fn table(s: &JobSimilarity, names: &[String]) -> Table {
    if pairs(names.len()) > PAIRS_SHOWN {
        let headers = vec![String::from("node"), format!("alike with, of {} others", names.len() - 1)];
        let row = |(name, row): (&String, &Vec<f64>)| vec![name.clone(), alike_others(s, row).to_string()];
        return Table { headers, rows: names.iter().zip(&s.correlation).map(row).collect() };
    }
    let mut headers = vec![String::from("node")];
    headers.extend(names.iter().cloned());
    let row = |(name, row): (&String, &Vec<f64>)| {
        std::iter::once(name.clone()).chain(row.iter().map(|r| format!("{r:.3}"))).collect()
    };
    Table { headers, rows: names.iter().zip(&s.correlation).map(row).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{NodeId, Timestamp};
    use std::collections::BTreeMap;

    #[test]
    fn of_many_nodes_the_table_tells_with_how_many_each_is_alike() {
        let table = |n: u32| {
            let likeness = |a: u32, b: u32| if (a == 0) == (b == 0) { 1.0 } else { 0.1 };
            let s = JobSimilarity {
                job: JobId { cluster: 1, number: 1 },
                start: Timestamp::default(),
                step_ms: 1000,
                running: BTreeMap::new(),
                nodes: (0..n).map(NodeId).collect(),
                correlation: (0..n).map(|a| (0..n).map(|b| likeness(a, b)).collect()).collect(),
                alike_from: 0.6,
                constant: Vec::new(),
            };
            let names: Vec<String> = (0..n).map(|i| format!("h{i}")).collect();
            correlation(&s, &names, &Look { width_css_px: 600.0, ..Look::default() }).table
        };
        let (few, many) = (table(500), table(501));
        assert_eq!((few.headers.len(), few.rows.len(), few.rows[0][2].as_str()), (501, 500, "0.100"));
        assert_eq!((many.headers.len(), many.rows.len()), (2, 501));
        assert_eq!([&many.rows[0], &many.rows[1]], [&["h0", "0"], &["h1", "499"]]);
    }
}
