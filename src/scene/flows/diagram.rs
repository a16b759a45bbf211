//! MIROS as bands: what each node's Maps read, where their output went, what each node's
//! Reduces wrote.
//!
//! ```text
//!  ▇▇▇▇ h1 ▌▔▔▔▔▔▔▔▔▔▐ h1 ▇▇▇       bars: bytes read, bytes written
//!    ▇▇ h2 ▌▔▔▔▔▔▔▔▔▔▐ h2 ▇▇▇▇▇▇    bands: as thick as their bytes
//! ```
//! Beyond [`NODES_SHOWN`] nodes, those with the least volume are taken together.

use super::{JobShown, job_name, paragraphs};
use crate::base::quantity::bytes;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::mochi::volumes::Volumes;
use crate::model::Trace;
use crate::scene::axis::{fitted, label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Hue, Look, Mark, Role, Scene, Table};

/// Nodes drawn one by one.
const NODES_SHOWN: usize = 16;
const ROW_CSS_PX: f32 = 24.0;
const TOP: f32 = 22.0;
/// Room of the bars at each side.
const BAR_SHARE: f32 = 0.18;
/// Room of the names at each side.
const NAME_SHARE: f32 = 0.12;

/// Nodes, or those taken together.
struct Folded {
    names: Vec<String>,
    /// Members of each: indices into the volumes.
    members: Vec<Vec<usize>>,
}

impl Folded {
    fn of(trace: &Trace, v: &Volumes) -> Self {
        let (sent, received) = (v.sent(), v.received());
        let at = |list: &[f64], i: usize| list.get(i).copied().unwrap_or(0.0);
        let total = |i: usize| at(&v.into_maps, i) + at(&sent, i) + at(&received, i) + at(&v.out, i);
        let mut order: Vec<usize> = (0..v.nodes.len()).collect();
        order.arrange(|a, b| total(*b).total_cmp(&total(*a)).then(a.cmp(b)));
        let rest = order.split_off(order.len().min(NODES_SHOWN));
        order.sort_unstable();
        let name = |i: &usize| v.nodes.get(*i).map_or("?", |n: &NodeId| trace.node_name(*n)).to_owned();
        let mut folded =
            Self { names: order.iter().map(name).collect(), members: order.iter().map(|i| vec![*i]).collect() };
        if !rest.is_empty() {
            folded.names.push(format!("{} others", rest.len()));
            folded.members.push(rest);
        }
        folded
    }

    fn sum(&self, i: usize, list: &[f64]) -> f64 {
        self.members.get(i).into_iter().flatten().filter_map(|m| list.get(*m)).sum()
    }

    fn between(&self, v: &Volumes, from: usize, to: usize) -> f64 {
        let to = self.members.get(to).map_or(&[][..], Vec::as_slice);
        self.members.get(from).into_iter().flatten().map(|i| to.iter().map(|j| v.from_to(*i, *j)).sum::<f64>()).sum()
    }
}

pub(super) fn lay_out(trace: &Trace, shown: &JobShown, look: &Look) -> Scene {
    let v = &shown.volumes;
    let folded = Folded::of(trace, v);
    let n = folded.names.len();
    let height = ROW_CSS_PX * n as f32;
    let width = look.width_css_px;
    let mut scene = Scene {
        title: format!("Where the data of {} went", job_name(trace, shown.flow.job)),
        how_to_read: format!(
            "From left to right: bytes that each node's Maps read, bands from the nodes of Maps to the nodes of Reduces as \
             thick as the bytes that were shuffled, bytes that each node's tasks wrote. A thick bundle into one node is a \
             skewed shuffle. {}",
            super::matrix::source_words(shown)
        ),
        size: (width, TOP + height + 20.0),
        ..Scene::default()
    };
    if n == 0 {
        scene.text((0.0, 16.0), "No task of this job is known with its node.", Anchor::Start, Role::Faint);
        return scene;
    }
    let bar = width * BAR_SHARE;
    let name_room = width * NAME_SHARE;
    let (left, right) = (tenth(bar + name_room), tenth(width - bar - name_room));
    let greatest = |list: &[f64]| (0..n).map(|i| folded.sum(i, list)).fold(0.0, f64::max).max(1.0);
    let (sent, received) = (v.sent(), v.received());
    // One thickness a byte on both sides, so that the fuller side fits its row.
    let thickest = greatest(&sent).max(greatest(&received));
    let px = |bytes: f64| (bytes / thickest) as f32 * (ROW_CSS_PX - 4.0);
    let wide = right - left > label_width_css_px("out of Maps into Reduces") * 1.2;
    let (maps, reduces) = if wide { ("out of Maps", "into Reduces") } else { ("Maps", "Reduces") };
    for (x, anchor, text) in [
        (bar, Anchor::End, "read"),
        (left, Anchor::Start, maps),
        (right, Anchor::End, reduces),
        (width - bar, Anchor::Start, "written"),
    ] {
        scene.text((x, 10.0), text, anchor, Role::Faint);
    }
    let most = (0..n)
        .flat_map(|i| (0..n).map(move |j| (i, j)))
        .map(|(i, j)| folded.between(v, i, j))
        .fold(0.0, f64::max)
        .max(1.0);
    let mut into = vec![0.0_f32; n];
    for i in 0..n {
        let mut out = 0.0_f32;
        for (j, into) in into.iter_mut().enumerate() {
            let volume = folded.between(v, i, j);
            let thick = px(volume);
            let (y0, y1) = (TOP + ROW_CSS_PX * i as f32 + 2.0 + out, TOP + ROW_CSS_PX * j as f32 + 2.0 + *into);
            // A band is lines side by side; one thinner than a line is left to the table.
            let lines = thick.ceil() as usize;
            let role = Role::Shade((60.0 + 160.0 * volume / most) as u8);
            for line in 0..if volume > 0.0 { lines.max(1) } else { 0 } {
                let by = (line as f32).min(thick);
                scene.line((left + 6.0, tenth(y0 + by)), (right - 6.0, tenth(y1 + by)), role);
            }
            out += thick;
            *into += thick;
        }
    }
    for (i, name) in folded.names.iter().enumerate() {
        let y = tenth(TOP + ROW_CSS_PX * i as f32);
        let middle = tenth(y + ROW_CSS_PX / 2.0);
        let role = look.marked(name).unwrap_or(Role::Faint);
        let label = fitted(name, name_room - 8.0);
        scene.text((left - 4.0, middle), label.clone(), Anchor::End, role);
        scene.text((right + 4.0, middle), label, Anchor::Start, role);
        let read = (folded.sum(i, &v.into_maps) / greatest(&v.into_maps)) as f32 * (bar - 4.0);
        let written = (folded.sum(i, &v.out) / greatest(&v.out)) as f32 * (bar - 4.0);
        let tall = ROW_CSS_PX - 8.0;
        scene.push(Mark::Rect {
            at: (tenth(bar - read), y + 4.0),
            size: (tenth(read), tall),
            role: Role::Hue(Hue::Read),
        });
        scene.push(Mark::Rect {
            at: (tenth(width - bar), y + 4.0),
            size: (tenth(written), tall),
            role: Role::Hue(Hue::Write),
        });
        for (x, list, role) in [(left, &sent, Hue::Map), (right - 6.0, &received, Hue::Copy)] {
            let size = (6.0, tenth(px(folded.sum(i, list))));
            scene.push(Mark::Rect { at: (x, y + 2.0), size, role: Role::Hue(role) });
        }
        let node = folded.members.get(i).filter(|m| m.len() == 1).map(|_| name.clone());
        let mut hit = |x: f32, width: f32, text: String| {
            let says = vec![name.clone(), text];
            scene.hits.push(Hit { at: (x, y), size: (width, ROW_CSS_PX), says, node: node.clone(), ..Hit::default() });
        };
        hit(0.0, bar, format!("{} into its Maps", bytes(folded.sum(i, &v.into_maps))));
        hit(bar, left + 20.0 - bar, format!("{} out of its Maps", bytes(folded.sum(i, &sent))));
        hit(right - 20.0, width - bar - right + 20.0, format!("{} into its Reduces", bytes(folded.sum(i, &received))));
        hit(width - bar, bar, format!("{} written by its tasks", bytes(folded.sum(i, &v.out))));
    }
    // What there is none of is drawn on a scale of 1 byte.
    let most = |list: &[f64]| bytes((0..n).map(|i| folded.sum(i, list)).fold(0.0, f64::max));
    let scale = format!(
        "Longest: read {}, written {}; thickest: {}",
        most(&v.into_maps),
        most(&v.out),
        bytes(if thickest > 1.0 { thickest } else { 0.0 })
    );
    let y = paragraphs(&mut scene, TOP + height + 10.0, width, &v.skew_in_words(trace), Role::Ink);
    scene.size.1 = paragraphs(&mut scene, y + 4.0, width, &[scale], Role::Faint) + 6.0;
    let headers = ["from the Maps of", "to the Reduces of", "bytes"].map(str::to_owned).to_vec();
    let cells = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
    let name = |i: usize| folded.names.get(i).cloned().unwrap_or_default();
    let rows = cells.map(|(i, j)| vec![name(i), name(j), format!("{:.0}", folded.between(v, i, j))]);
    scene.table = Table { headers, rows: rows.collect() };
    scene
}
