//! The peers view: how far each node is from the others in one kind of state (K19–K21).
//!
//! Four figures of one [`PeerComparison`]: T(i) of each node, T(i) over time, durations
//! side by side, distances of all pairs.

mod distance;
mod durations;
mod scores;
pub mod similarity;
mod time;

use super::{Judged, Look, Scene, View};
use crate::diagnosis::kahuna_wb::PeerComparison;
use crate::diagnosis::{Comparison, Method, Witness};
use crate::model::StateKind;
use crate::report::{Report, WitnessRow};
use std::collections::BTreeMap;

/// Rows drawn one by one; beyond it, only the highest scores are.
const ROWS_SHOWN: usize = 40;
/// Height of a row with a label.
const ROW_CSS_PX: f32 = 22.0;
/// Room for labels at the left, at most.
const LABEL_CSS_PX: f32 = 150.0;

/// A comparison with the names of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Peers<'a> {
    /// The comparison.
    pub comparison: &'a PeerComparison,
    /// Names in the order of the comparison's nodes.
    pub names: &'a [String],
}

/// Lays out one figure of the peers view; another view's name gives an empty scene.
#[must_use]
pub fn lay_out(view: View, peers: Peers<'_>, look: &Look) -> Scene {
    let mut scene = match view {
        View::Peers => scores::lay_out(peers, look),
        View::PeersTime => time::lay_out(peers, look),
        View::PeersDistance => distance::lay_out(peers, look),
        View::PeersDurations => durations::lay_out(peers, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}

impl Peers<'_> {
    fn kind(&self) -> &'static str {
        self.comparison.kind.map_or("", |kind| kind.name())
    }

    fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("?", String::as_str)
    }

    fn score(&self, index: usize) -> f64 {
        self.comparison.scores.get(index).copied().unwrap_or_default()
    }

    /// Whether the method indicts a node: by T, chance and size together, or by its gap.
    fn indicted(&self, index: usize) -> bool {
        self.comparison.indicted.get(index) == Some(&true)
    }

    /// How a dial judges a node.
    fn judged(&self, index: usize, marks: Vec<u32>, row: Option<u32>) -> Judged {
        Judged { score: self.score(index), found: self.indicted(index), marks, row }
    }

    /// Indices of the nodes, highest score first, equal scores in their own order.
    fn by_score(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.comparison.nodes.len()).collect();
        order.sort_by(|a, b| self.score(*b).total_cmp(&self.score(*a)));
        order
    }

    /// Width of the widest label among the names, within bounds.
    fn label_width(&self, look: &Look) -> f32 {
        let widest = self.names.iter().map(|n| super::axis::label_width_css_px(n)).fold(30.0, f32::max);
        widest.min(LABEL_CSS_PX).min(look.width_css_px * 0.35)
    }
}

/// The comparisons behind the witnesses, by kind of state.
#[must_use]
pub fn comparisons(witnesses: &[Witness]) -> BTreeMap<StateKind, &PeerComparison> {
    let durations = witnesses.iter().filter_map(|w| match w.comparison.as_ref()? {
        Comparison::Durations(c) => Some((c.kind?, c.as_ref())),
        _ => None,
    });
    durations.collect()
}

/// The comparisons that a report carries, with the names of their nodes; who is indicted is the witnesses' to say,
/// where they are there.
#[must_use]
pub fn of_report(report: &Report) -> BTreeMap<StateKind, (PeerComparison, Vec<String>)> {
    let figures = report.figures.peers.iter().filter_map(|figure| {
        let mut comparison = figure.comparison()?;
        let of_kind = |w: &&WitnessRow| w.method == Method::KahunaWb.name() && w.signal == figure.kind;
        if let Some(witness) = report.witnesses.iter().find(of_kind) {
            comparison.indicted = figure.nodes.iter().map(|node| witness.indicted.contains(node)).collect();
        }
        Some((comparison.kind?, (comparison, figure.nodes.clone())))
    });
    figures.collect()
}

/// The kinds compared, the one whose highest score is farthest over its threshold first.
#[must_use]
pub fn most_telling_first(comparisons: &BTreeMap<StateKind, &PeerComparison>) -> Vec<StateKind> {
    let excess = |c: &PeerComparison| c.scores.iter().copied().fold(0.0, f64::max) - c.threshold;
    let mut kinds: Vec<(StateKind, f64)> = comparisons.iter().map(|(kind, c)| (*kind, excess(c))).collect();
    kinds.sort_by(|a, b| b.1.total_cmp(&a.1));
    kinds.into_iter().map(|(kind, _)| kind).collect()
}
