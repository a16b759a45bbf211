//! MIROS as bands: what each node's Maps read, where their output went, what each node's
//! Reduces wrote.
//!
//! ```text
//!  ▇▇▇▇ h1 ▌▔▔▔▔▔▔▔▔▔▐ h1 ▇▇▇       bars: bytes read, bytes written
//!    ▇▇ h2 ▌▔▔▔▔▔▔▔▔▔▐ h2 ▇▇▇▇▇▇    bands: as thick as their bytes
//! ```
//! Beyond [`NODES_SHOWN`] nodes, those with the least volume are taken together and drawn as their mean, so that
//! however many they are they leave room for the bars of the others. Who stands out is never among them.

use super::{job_name, paragraphs};
use crate::base::quantity::bytes;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::mochi::study::JobStudy;
use crate::diagnosis::mochi::volumes::Volumes;
use crate::model::Trace;
use crate::scene::axis::{label_width_css_px, tenth};
use crate::scene::names::Hosts;
use crate::scene::{Anchor, Hit, Hue, Look, Mark, Role, Scene, Table};

/// Nodes drawn one by one.
const NODES_SHOWN: usize = 16;
/// Height of a node's row.
const ROW_CSS_PX: f32 = 24.0;
/// Room above the rows, for the names of the columns.
const TOP_CSS_PX: f32 = 22.0;
/// Room of the bars at each side.
const BAR_SHARE: f32 = 0.18;
/// Room of the names at each side.
const NAME_SHARE: f32 = 0.12;

/// Nodes, or those taken together.
struct Folded {
    names: Vec<String>,
    hosts: Hosts,
    /// Members of each: indices into the volumes.
    members: Vec<Vec<usize>>,
}

impl Folded {
    fn of(trace: &Trace, v: &Volumes, look: &Look) -> Self {
        let (sent, received) = (v.sent(), v.received());
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        let total = |i: usize| at(&v.into_maps, i) + at(&sent, i) + at(&received, i) + at(&v.out, i);
        let mut order: Vec<usize> = (0..v.nodes.len()).collect();
        let name = |i: &usize| v.nodes.get(*i).map_or("?", |n: &NodeId| trace.node_name(*n)).to_owned();
        let marked = |i: &usize| look.marked(&name(i)).is_some();
        order.arrange(|a, b| marked(b).cmp(&marked(a)).then(total(*b).total_cmp(&total(*a))).then(a.cmp(b)));
        let rest = order.split_off(order.len().min(NODES_SHOWN));
        order.sort_unstable();
        let names: Vec<String> = order.iter().map(name).collect();
        let hosts = Hosts::of(&mut names.iter().map(String::as_str));
        let mut folded = Self { names, hosts, members: order.iter().map(|i| vec![*i]).collect() };
        if !rest.is_empty() {
            folded.names.push(format!("{} others", rest.len()));
            folded.members.push(rest);
        }
        folded
    }

    fn sum(&self, i: usize, list: &[f64]) -> f64 {
        self.members.get(i).into_iter().flatten().filter_map(|m| list.get(*m)).sum()
    }

    /// How many nodes they are.
    fn count(&self, i: usize) -> f64 {
        self.members.get(i).map_or(1, Vec::len) as f64
    }

    /// What is drawn: of those taken together, the mean.
    fn mean(&self, i: usize, list: &[f64]) -> f64 {
        self.sum(i, list) / self.count(i)
    }

    /// The most that is drawn of what is listed by node.
    fn greatest(&self, list: &[f64]) -> f64 {
        (0..self.names.len()).map(|i| self.mean(i, list)).fold(0.0, f64::max)
    }

    /// Each with each.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.names.len();
        (0..n).flat_map(move |i| (0..n).map(move |j| (i, j)))
    }

    fn between(&self, v: &Volumes, from: usize, to: usize) -> f64 {
        let to = self.members.get(to).map_or(&[][..], Vec::as_slice);
        self.members.get(from).into_iter().flatten().map(|i| to.iter().map(|j| v.from_to(*i, *j)).sum::<f64>()).sum()
    }
}

pub(super) fn title(job: &str) -> String {
    format!("Where the data of {job} went")
}

pub(super) fn lay_out(trace: &Trace, shown: &JobStudy, look: &Look) -> Scene {
    let folded = Folded::of(trace, &shown.volumes, look);
    let width = look.width_css_px;
    let mut scene = Scene {
        title: title(&job_name(trace, shown.flow.job)),
        how_to_read: format!(
            "From left to right: bytes that each node's Maps read, bands from the nodes of Maps to the nodes of Reduces as \
             thick as the bytes that were shuffled, bytes that each node's tasks wrote. A thick bundle into one node is a \
             skewed shuffle. {}",
            super::matrix::source_words(shown)
        ),
        size: (width, TOP_CSS_PX + ROW_CSS_PX * folded.names.len() as f32 + 20.0),
        ..Scene::default()
    };
    if folded.names.is_empty() {
        scene.text((0.0, 16.0), "No task of this job is known with its node.", Anchor::Start, Role::Faint);
        return scene;
    }
    let diagram = Diagram::of(&shown.volumes, folded, look);
    diagram.headings(&mut scene);
    diagram.bands(&mut scene);
    (0..diagram.folded.names.len()).for_each(|i| diagram.row(i, &mut scene));
    diagram.words(trace, &mut scene);
    scene.table = diagram.table();
    scene
}

/// What is drawn, and where.
struct Diagram<'a> {
    volumes: &'a Volumes,
    folded: Folded,
    look: &'a Look,
    /// Of each node: bytes out of its Maps, and into its Reduces.
    sent: Vec<f64>,
    received: Vec<f64>,
    /// Room of the bars at each side, and of the names between them and the bands.
    bar: f32,
    name_room: f32,
    /// Between these lie the bands.
    left: f32,
    right: f32,
    /// Bytes that fill a row: one thickness a byte on both sides, so that the fuller side fits its row.
    thickest: f64,
}

impl<'a> Diagram<'a> {
    fn of(volumes: &'a Volumes, folded: Folded, look: &'a Look) -> Self {
        let width = look.width_css_px;
        let (bar, name_room) = (width * BAR_SHARE, width * NAME_SHARE);
        let (sent, received) = (volumes.sent(), volumes.received());
        let thickest = folded.greatest(&sent).max(folded.greatest(&received)).max(1.0);
        let (left, right) = (tenth(bar + name_room), tenth(width - bar - name_room));
        Self { volumes, folded, look, sent, received, bar, name_room, left, right, thickest }
    }

    fn width(&self) -> f32 {
        self.look.width_css_px
    }

    fn px(&self, bytes: f64) -> f32 {
        (bytes / self.thickest) as f32 * (ROW_CSS_PX - 4.0)
    }

    fn headings(&self, scene: &mut Scene) {
        let wide = self.right - self.left > label_width_css_px("out of Maps into Reduces") * 1.2;
        let (maps, reduces) = if wide { ("out of Maps", "into Reduces") } else { ("Maps", "Reduces") };
        for (x, anchor, text) in [
            (self.bar, Anchor::End, "read"),
            (self.left, Anchor::Start, maps),
            (self.right, Anchor::End, reduces),
            (self.width() - self.bar, Anchor::Start, "written"),
        ] {
            scene.text((x, 10.0), text, anchor, Role::Faint);
        }
    }

    fn bands(&self, scene: &mut Scene) {
        let count = |i| self.folded.count(i);
        let mean = |i, j| self.folded.between(self.volumes, i, j) / (count(i) * count(j));
        let most = self.folded.pairs().map(|(i, j)| mean(i, j)).fold(1.0, f64::max);
        let n = self.folded.names.len();
        let mut into = vec![0.0_f32; n];
        for i in 0..n {
            let mut out = 0.0_f32;
            for (j, into) in into.iter_mut().enumerate() {
                let volume = self.folded.between(self.volumes, i, j);
                // At each end as thick as what one of the nodes there has of it.
                let [from, to] = [i, j].map(|end| self.px(volume / count(end)));
                let thick = from.max(to);
                let (y0, y1) = (row_top(i) + 2.0 + out, row_top(j) + 2.0 + *into);
                // A band is lines side by side; one thinner than a line is left to the table.
                let lines = thick.ceil() as usize;
                let role = Role::Shade((60.0 + 160.0 * mean(i, j) / most) as u8);
                for line in 0..if volume > 0.0 { lines.max(1) } else { 0 } {
                    let by = (line as f32).min(thick) / thick.max(1.0);
                    let (y0, y1) = (tenth(y0 + by * from), tenth(y1 + by * to));
                    scene.line((self.left + 6.0, y0), (self.right - 6.0, y1), role);
                }
                out += from;
                *into += to;
            }
        }
    }

    /// A node's names, bars and answers.
    fn row(&self, i: usize, scene: &mut Scene) {
        let Some(name) = self.folded.names.get(i) else { return };
        let Self { volumes: v, folded, bar, left, right, .. } = self;
        let y = tenth(row_top(i));
        let middle = tenth(y + ROW_CSS_PX / 2.0);
        let role = self.look.marked(name).unwrap_or(Role::Faint);
        let (room, count) = (self.name_room - 8.0, folded.members.get(i).map_or(1, Vec::len));
        // A number is not cut.
        let label = match count > 1 && label_width_css_px(name) > room {
            true => format!("+{count}"),
            false => folded.hosts.fitted(name, room),
        };
        scene.text((left - 4.0, middle), label.clone(), Anchor::End, role);
        scene.text((right + 4.0, middle), label, Anchor::Start, role);
        let long = |list: &[f64]| (folded.mean(i, list) / folded.greatest(list).max(1.0)) as f32 * (bar - 4.0);
        let (read, written) = (long(&v.into_maps), long(&v.out));
        let behind = self.width() - bar;
        for (x, long, hue) in [(tenth(bar - read), read, Hue::Read), (tenth(behind), written, Hue::Write)] {
            let size = (tenth(long), ROW_CSS_PX - 8.0);
            scene.push(Mark::Rect { at: (x, y + 4.0), size, role: Role::Hue(hue) });
        }
        for (x, list, hue) in [(*left, &self.sent, Hue::Map), (right - 6.0, &self.received, Hue::Copy)] {
            let size = (6.0, tenth(self.px(folded.mean(i, list))));
            scene.push(Mark::Rect { at: (x, y + 2.0), size, role: Role::Hue(hue) });
        }
        let node = folded.members.get(i).filter(|m| m.len() == 1).map(|_| name.clone());
        let mut hit = |x: f32, width: f32, list: &[f64], what: &str| {
            let mean = if count > 1 { format!(", {} each", bytes(folded.mean(i, list))) } else { String::new() };
            let says = vec![name.clone(), format!("{}{mean} {what}", bytes(folded.sum(i, list)))];
            scene.hits.push(Hit { at: (x, y), size: (width, ROW_CSS_PX), says, node: node.clone(), ..Hit::default() });
        };
        hit(0.0, *bar, &v.into_maps, "into its Maps");
        hit(*bar, left + 20.0 - bar, &self.sent, "out of its Maps");
        hit(right - 20.0, behind - right + 20.0, &self.received, "into its Reduces");
        hit(behind, *bar, &v.out, "written by its tasks");
    }

    fn words(&self, trace: &Trace, scene: &mut Scene) {
        let v = self.volumes;
        // What there is none of is drawn on a scale of 1 byte.
        let most = |list: &[f64]| bytes(self.folded.greatest(list));
        let of_mean = self
            .folded
            .members
            .last()
            .filter(|m| m.len() > 1)
            .map_or(String::new(), |others| format!("; of the {} others, the mean is drawn", others.len()));
        let scale = format!(
            "Longest: read {}, written {}; thickest: {}{of_mean}",
            most(&v.into_maps),
            most(&v.out),
            bytes(if self.thickest > 1.0 { self.thickest } else { 0.0 })
        );
        let below = row_top(self.folded.names.len()) + 10.0;
        let y = paragraphs(scene, below, self.width(), &v.skew_in_words(trace), Role::Ink);
        scene.size.1 = paragraphs(scene, y + 4.0, self.width(), &[scale], Role::Faint) + 6.0;
    }

    fn table(&self) -> Table {
        let headers = ["from the Maps of", "to the Reduces of", "bytes"].map(str::to_owned).to_vec();
        let name = |i: usize| self.folded.names.get(i).cloned().unwrap_or_default();
        let volume = |i, j| format!("{:.0}", self.folded.between(self.volumes, i, j));
        let rows = self.folded.pairs().map(|(i, j)| vec![name(i), name(j), volume(i, j)]);
        Table { headers, rows: rows.collect() }
    }
}

fn row_top(i: usize) -> f32 {
    TOP_CSS_PX + ROW_CSS_PX * i as f32
}
