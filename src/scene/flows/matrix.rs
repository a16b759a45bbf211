//! MIROS as a matrix: rows are the nodes of Maps, columns those of Reduces; before it the
//! bytes into the Maps of each node, behind it those out of its tasks.
//!
//! ```text
//!         in │ h1 h2 h3 │ out
//!   h1    ▓  │ ▓  ▒  ░  │  ▒       each block has a scale of its own: its darkest is its
//!   h2    ▓  │ ▓  ▒  ░  │  ▓       greatest
//! ```

use super::{job_name, paragraphs};
use crate::base::math::pairs;
use crate::base::quantity::bytes;
use crate::diagnosis::kahuna_wb::PAIRS_SHOWN;
use crate::diagnosis::mochi::study::JobStudy;
use crate::diagnosis::mochi::volumes::Volumes;
use crate::model::Trace;
use crate::scene::axis::{fitted, label_width_css_px, tenth};
use crate::scene::names::{Hosts, NameColumn, thinned};
use crate::scene::pairs::PairGrid;
use crate::scene::{Anchor, Hit, Look, Raster, Role, Scene, Table, shade};

/// Side of the largest cell.
const CELL_MAX_CSS_PX: f32 = 30.0;
/// Height that the matrix may take.
const HEIGHT_MAX_CSS_PX: f32 = 600.0;
/// Room above, for the blocks' names and below them those of the columns.
const TOP_CSS_PX: f32 = 34.0;
/// Middle of the columns' names.
const COLUMN_NAMES_CSS_PX: f32 = 26.0;
/// Widest name of a column: what it needs beyond its column hides the names of others.
const COLUMN_NAME_CSS_PX: f32 = 64.0;
/// Between the blocks.
const GAP_CSS_PX: f32 = 10.0;

pub(super) fn title(job: &str) -> String {
    format!("Volumes between nodes in {job}")
}

/// The greatest of what goes into Maps, from node to node, and out.
pub(super) fn greatest(volumes: &Volumes) -> [f64; 3] {
    [&volumes.into_maps, &volumes.between, &volumes.out].map(|values| values.iter().copied().fold(0.0, f64::max))
}

/// The darkest cells of each block are of such a volume.
pub(super) fn lay_out(trace: &Trace, shown: &JobStudy, look: &Look, darkest: [f64; 3]) -> Scene {
    let mut scene = Scene {
        title: title(&job_name(trace, shown.flow.job)),
        how_to_read: format!(
            "Rows are nodes with Maps, columns nodes with Reduces: the stronger a cell, the more bytes went from the one's Maps \
             to the other's Reduces. The strip before the matrix is what each node's Maps read, the one behind it what its \
             tasks wrote; each has a scale of its own. A strong column is a node that the shuffle weighs on. Skew is the \
             greatest volume over the mean. {}",
            source_words(shown)
        ),
        size: (look.width_css_px, 40.0),
        ..Scene::default()
    };
    if shown.volumes.nodes.is_empty() {
        scene.text((0.0, 16.0), "No task of this job is known with its node.", Anchor::Start, Role::Faint);
        return scene;
    }
    let matrix = Matrix::of(trace, &shown.volumes, look);
    matrix.blocks(&mut scene, darkest);
    matrix.names(&mut scene);
    let moved = [shown.volumes.sent(), shown.volumes.received()];
    (0..matrix.names.len()).for_each(|i| matrix.answers(i, &moved, &mut scene));
    matrix.words(&shown.volumes.skew_in_words(trace), shown.trust.clone(), &mut scene);
    scene.table = matrix.table(&moved);
    scene
}

/// What is drawn, and where.
struct Matrix<'a> {
    volumes: &'a Volumes,
    names: Vec<&'a str>,
    hosts: Hosts,
    look: &'a Look,
    /// The cells between nodes.
    grid: PairGrid,
    /// Left ends of the strips: into Maps, and out.
    strips: [f32; 2],
}

impl<'a> Matrix<'a> {
    fn of(trace: &'a Trace, volumes: &'a Volumes, look: &'a Look) -> Self {
        let names: Vec<&str> = volumes.nodes.iter().map(|node| trace.node_name(*node)).collect();
        let n = names.len() as f32;
        let left = NameColumn::USUAL.width_css_px(&mut names.iter().copied(), 10.0, look.width_css_px);
        let across = (look.width_css_px - left - 2.0 * GAP_CSS_PX - 4.0) / (n + 2.0);
        let cell = across.min(CELL_MAX_CSS_PX).min(HEIGHT_MAX_CSS_PX / n);
        let grid = PairGrid { at: (tenth(left + cell + GAP_CSS_PX), TOP_CSS_PX), cell, count: names.len() };
        let strips = [left, left + cell + 2.0 * GAP_CSS_PX + grid.side()].map(tenth);
        let hosts = Hosts::of(&mut names.iter().copied());
        Self { volumes, names, hosts, look, grid, strips }
    }

    fn name(&self, i: usize) -> &'a str {
        self.names.get(i).copied().unwrap_or("?")
    }

    fn blocks(&self, scene: &mut Scene, [of_in, of_between, of_out]: [f64; 3]) {
        let (v, grid, [into, out]) = (self.volumes, self.grid, self.strips);
        let strip = |x: f32, values: &[f64], most: f64| {
            Raster::of_shades((x, TOP_CSS_PX), (tenth(grid.cell), grid.side()), (1, grid.count), shades(values, most))
        };
        let between = grid.raster(shades(&v.between, of_between));
        scene.rasters.extend([strip(into, &v.into_maps, of_in), between, strip(out, &v.out, of_out)]);
        // Strips may be narrower than their names.
        let end = |x| tenth(x + grid.cell);
        for (x, text, anchor) in [
            (end(into), "in", Anchor::End),
            (grid.at.0, "to the Reduces of", Anchor::Start),
            (end(out), "out", Anchor::End),
        ] {
            scene.text((x, 10.0), text, anchor, Role::Faint);
        }
    }

    fn names(&self, scene: &mut Scene) {
        let role = |name: &str| self.look.marked(name).unwrap_or(Role::Faint);
        let (grid, [left, _]) = (self.grid, self.strips);
        for (i, text) in column_names(&self.names, grid.cell) {
            let at = (grid.column_middle(i), COLUMN_NAMES_CSS_PX);
            scene.text(at, text, Anchor::Middle, role(self.name(i)));
        }
        for (i, role) in thinned(grid.count, grid.cell, &|i| self.look.marked(self.name(i))) {
            let middle = tenth(grid.row(i) + grid.cell / 2.0);
            scene.text((left - 6.0, middle), self.hosts.fitted(self.name(i), left - 9.9), Anchor::End, role);
        }
    }

    /// What a row says where it is pointed at, of bytes out of the Maps and into the Reduces of each node.
    fn answers(&self, i: usize, [sent, received]: &[Vec<f64>; 2], scene: &mut Scene) {
        let (v, grid, [into, out]) = (self.volumes, self.grid, self.strips);
        let name = self.name(i);
        let at = |list: &[f64]| list.get(i).copied().unwrap_or(0.0);
        let mut hit = |x: f32, width: f32, says: [String; 2]| {
            let (at, size) = ((x, grid.row(i)), (width, grid.cell));
            scene.hits.push(Hit { at, size, says: says.to_vec(), node: Some(name.to_owned()), ..Hit::default() });
        };
        let (read, local) = (bytes(at(&v.into_maps)), bytes(at(&v.local)));
        hit(into, grid.cell, [name.to_owned(), format!("{read} into its Maps, {local} of it from its own disks")]);
        hit(out, grid.cell, [name.to_owned(), format!("{} out of its tasks", bytes(at(&v.out)))]);
        if !grid.cells_answer() {
            let says = format!("{} out of its Maps, {} into its Reduces", bytes(at(sent)), bytes(at(received)));
            return hit(grid.at.0, grid.side(), [name.to_owned(), says]);
        }
        for (j, to) in self.names.iter().enumerate() {
            let says = [format!("Maps of {name} → Reduces of {to}"), bytes(v.from_to(i, j))];
            hit(grid.column(j), grid.cell, says);
        }
    }

    fn words(&self, skew: &[String], trust: impl IntoIterator<Item = String>, scene: &mut Scene) {
        let (v, width) = (self.volumes, self.look.width_css_px);
        let mut words = skew.to_vec();
        if v.unknown > 0.0 {
            words.push(format!("{} more were shuffled, of which an end is not known", bytes(v.unknown)));
        }
        let y = paragraphs(scene, self.grid.bottom() + 14.0, width, &words, Role::Ink);
        let [into, between, out] = greatest(v).map(bytes);
        let strongest = format!("Strongest: in {into}, between {between}, out {out}");
        let faint: Vec<String> = std::iter::once(strongest).chain(trust).collect();
        scene.size.1 = paragraphs(scene, y + 4.0, width, &faint, Role::Faint) + 6.0;
    }

    /// From each node to each; of more than [`PAIRS_SHOWN`] what each sent and received.
    fn table(&self, [sent, received]: &[Vec<f64>; 2]) -> Table {
        let v = self.volumes;
        let pairs_told = pairs(self.names.len()) <= PAIRS_SHOWN;
        let mut headers: Vec<String> =
            ["node", "into Maps, bytes", "of these local, bytes"].map(str::to_owned).to_vec();
        if pairs_told {
            headers.extend(self.names.iter().map(|name| format!("to {name}, bytes")));
        } else {
            headers.extend(["out of its Maps, bytes", "into its Reduces, bytes"].map(str::to_owned));
        }
        headers.push("out, bytes".to_owned());
        let whole = |list: &[f64], i: usize| format!("{:.0}", list.get(i).copied().unwrap_or(0.0));
        let row = |i: usize| {
            let mut row = vec![self.name(i).to_owned(), whole(&v.into_maps, i), whole(&v.local, i)];
            if pairs_told {
                row.extend((0..self.names.len()).map(|j| format!("{:.0}", v.from_to(i, j))));
            } else {
                row.extend([whole(sent, i), whole(received, i)]);
            }
            row.push(whole(&v.out, i));
            row
        };
        Table { headers, rows: (0..self.names.len()).map(row).collect() }
    }
}

/// Of each value what share it is of the greatest there is.
fn shades(values: &[f64], most: f64) -> Vec<u8> {
    values.iter().map(|value| shade(value / most)).collect()
}

/// Names above columns of this width: as beside the rows where they fit, else only what tells them apart, and of narrow
/// columns every second, third, …
fn column_names(names: &[&str], cell: f32) -> Vec<(usize, String)> {
    let room = |shown: &[&str]| shown.iter().map(|name| label_width_css_px(name)).fold(1.0, f32::max) + 4.0;
    let shared = Hosts::of(&mut names.iter().copied());
    let hosts: Vec<&str> = names.iter().map(|name| shared.short(name)).collect();
    let apart = without_shared_start(&hosts);
    let shown = if room(&hosts) <= cell { &hosts } else { &apart };
    let every = (room(shown).min(COLUMN_NAME_CSS_PX) / cell).ceil().max(1.0);
    let shown = shown.iter().enumerate().step_by(every as usize);
    shown.map(|(i, name)| (i, fitted(name, cell * every - 4.0))).collect()
}

/// Names without the start that all share; of each something is left.
fn without_shared_start<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let Some((first, others)) = names.split_first().filter(|(_, others)| !others.is_empty()) else {
        return names.to_vec();
    };
    let is_shared = |end: &usize| {
        let start = first.get(..*end);
        others.iter().all(|name| name.len() > *end && name.get(..*end) == start)
    };
    let end = first.char_indices().map(|(end, _)| end).take_while(is_shared).last().unwrap_or(0);
    names.iter().filter_map(|name| name.get(end..)).collect()
}

/// Where the numbers come from.
pub(super) fn source_words(shown: &JobStudy) -> &'static str {
    let Volumes { reads_counted, writes_counted, unknown, .. } = shown.volumes;
    let is_empty = unknown <= 0.0 && shown.volumes.between.iter().all(|bytes| *bytes <= 0.0);
    match (reads_counted, writes_counted, is_empty) {
        (false, false, false) => "All from the transfers in the logs.",
        (true, false, false) => "Reads are the tasks' own counts: not all blocks that this job read are in the logs.",
        (false, true, false) => "Writes are the tasks' own counts: not all blocks that this job wrote are in the logs.",
        (true, true, false) => {
            "Reads and writes are the tasks' own counts: not all blocks of this job are in the logs."
        }
        (false, false, true) => "No map output was seen served or fetched, so the matrix is empty.",
        (true, false, true) => {
            "Reads are the tasks' own counts: not all blocks that this job read are in the logs. No map output was seen \
             served or fetched, so the matrix is empty."
        }
        (false, true, true) => {
            "Writes are the tasks' own counts: not all blocks that this job wrote are in the logs. No map output was seen \
             served or fetched, so the matrix is empty."
        }
        (true, true, true) => {
            "From the tasks' own counts: not all blocks of this job are in the logs, and no map output was seen served or \
             fetched, so the matrix is empty."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::NodeId;
    use crate::model::Node;

    #[test]
    fn columns_are_named_as_far_as_there_is_room() {
        let names = ["h101", "h102", "h112"];
        assert_eq!(told(&names, 60.0), names);
        assert_eq!(told(&names, 20.0), ["01", "02", "12"]);
        assert_eq!(told(&names, 12.0), ["01", "12"]);
        assert_eq!(column_names(&["h1"], 5.0).len(), 1);
        assert!(column_names(&[], 5.0).is_empty());
        assert_eq!(told(&["h1", "h10", "h11"], 12.0), ["1", "11"], "of each something is left");
    }

    #[test]
    fn columns_are_named_without_the_domain_that_they_share() {
        let names = [101, 102, 112].map(|n| format!("datanode{n}.hadoop.prod.example.com"));
        let names = names.each_ref().map(String::as_str);
        assert_eq!(told(&names, 300.0), ["datanode101", "datanode102", "datanode112"]);
        assert_eq!(told(&names, 24.0), ["01", "02", "12"]);
        assert_eq!(
            told(&["a1.x.org", "a2.y.org"], 20.0).first().map(String::as_str),
            Some("1.x.org"),
            "domains differ"
        );
    }

    #[test]
    fn column_names_do_not_reach_into_each_other() {
        let names = ["hadoop-worker-of-rack-one.example.org", "an-old-machine-in-the-cellar", "10.23.112.113"];
        for cell in [4.0, 11.0, 30.0, 64.0] {
            let named = column_names(&names, cell);
            let every = named.get(1).map_or(names.len(), |(second, _)| *second) as f32;
            for (_, name) in named {
                assert!(
                    label_width_css_px(&name) <= every.max(COLUMN_NAME_CSS_PX / cell) * cell,
                    "{name} at {cell} px"
                );
            }
        }
    }

    #[test]
    fn of_many_nodes_the_table_tells_what_each_sent_and_received() {
        let table = |n: u32| {
            let trace = Trace {
                nodes: (0..n).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
                ..Trace::default()
            };
            let count = n as usize;
            let volumes = Volumes {
                nodes: (0..n).map(NodeId).collect(),
                into_maps: vec![3.0; count],
                local: vec![2.0; count],
                between: vec![1.0; count * count],
                out: vec![4.0; count],
                unknown: 0.0,
                reads_counted: false,
                writes_counted: false,
            };
            Matrix::of(&trace, &volumes, &Look::default()).table(&[volumes.sent(), volumes.received()])
        };
        assert_eq!(table(3).rows[1], ["h1", "3", "2", "1", "1", "1", "4"]);
        let many = table(502);
        assert_eq!(many.rows[1], ["h1", "3", "2", "502", "502", "4"]);
        assert_eq!(many.headers.len(), 6);
    }

    fn told(names: &[&str], cell: f32) -> Vec<String> {
        column_names(names, cell).into_iter().map(|(_, name)| name).collect()
    }
}
