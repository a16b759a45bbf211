//! The peers view: how far each node is from the others in one kind of state (K19–K21).
//!
//! Four figures of one [`PeerComparison`]: T(i) of each node, T(i) over time, durations
//! side by side, distances of all pairs.

mod distance;
mod durations;
mod row;
mod scores;
pub mod similarity;
mod stripes;
mod time;
pub mod transfers;

use super::axis::Axis;
use super::names::{Hosts, NameColumn};
use super::{Dial, DialAxis, Judged, Look, Scene, View};
use crate::base::text::named;
use crate::base::{Arrange, NodeId, TimeZone};
use crate::diagnosis::kahuna_wb::{NodeDurations, PeerComparison};
use crate::diagnosis::{Comparison, Method, Witness};
use crate::model::StateKind;
use crate::report::figures;
use crate::report::{Report, WitnessRow};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Rows drawn one by one; beyond it, only who stands out and the highest scores are.
const ROWS_SHOWN: usize = 40;
/// Height of a row with a label.
const ROW_CSS_PX: f32 = 22.0;

/// A comparison with the names of its nodes.
#[derive(Clone, Copy, Debug)]
pub struct Peers<'a> {
    /// The comparison.
    pub comparison: &'a PeerComparison,
    /// Names in the order of the comparison's nodes.
    pub names: &'a [String],
    /// What the comparison's times are in.
    pub zone: TimeZone,
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

impl<'a> Peers<'a> {
    fn kind(&self) -> &'static str {
        self.comparison.kind.map_or("", |kind| kind.name())
    }

    /// What is compared: states of a kind, of all jobs, of some or of a stretch of one.
    fn compared(&self) -> String {
        let kind = self.kind();
        match (self.comparison.jobs.as_slice(), &self.comparison.stretch) {
            ([], _) => kind.to_owned(),
            ([job], None) => format!("{kind} of {job}"),
            ([job], Some(stretch)) => format!("{kind} of the {stretch} of {job}"),
            ([first, .., last], _) => format!("{kind} of the jobs {first} to {last}"),
        }
    }

    /// The same where a stretch of time that is chosen does not change it.
    fn compared_whole(&self, look: &Look) -> String {
        format!("{}{}", self.compared(), look.at_any_time())
    }

    /// Whether the verdict names a node that this comparison does not indict.
    fn only_named(&self, index: usize, look: &Look) -> bool {
        !self.indicted(index) && look.nodes.iter().any(|node| node == self.name(index))
    }

    /// Behind the title: of whom the verdict names, who is not indicted here, and who is not even compared.
    fn of_the_accused(&self, look: &Look) -> String {
        let at = |node: &String| self.names.iter().position(|name| name == node);
        let (compared, missing): (Vec<_>, Vec<_>) = look.nodes.iter().cloned().partition(|node| at(node).is_some());
        let spared = compared.into_iter().filter(|node| at(node).is_some_and(|at| !self.indicted(at))).collect();
        let told = |nodes: Vec<String>, what: &str| match nodes.as_slice() {
            [] => String::new(),
            nodes => format!("; {} {what}", named(nodes)),
        };
        format!("{}{}", told(spared, "not indicted at the threshold found"), told(missing, "not among those compared"))
    }

    fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("?", String::as_str)
    }

    fn node(&self, index: usize) -> Option<&'a NodeDurations> {
        self.comparison.nodes.get(index)
    }

    fn score(&self, index: usize) -> f64 {
        self.node(index).map_or(0.0, |own| own.score)
    }

    /// Whether the method indicts a node: by T, chance and size together, or by its gap.
    fn indicted(&self, index: usize) -> bool {
        self.node(index).is_some_and(|own| own.indicted)
    }

    /// How a dial judges a node.
    fn judged(&self, index: usize, marks: Vec<u32>, row: Option<u32>) -> Judged {
        Judged { score: self.score(index), found: self.indicted(index), marks, row, hit: None }
    }

    /// The dial of the threshold, which lies at `line` on an axis of T.
    fn dial(&self, of_t: Axis, axis: DialAxis, line: u32, judged: Vec<Judged>) -> Dial {
        let threshold = self.comparison.threshold;
        Dial { value: threshold, found: threshold, range: of_t.range, pixels: of_t.pixels, axis, line, judged }
    }

    /// Indices of the nodes, highest score first, scores that a report carries as equal in their own order.
    fn by_score(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.comparison.nodes.len()).collect();
        order.arrange_by(|node| (Reverse(figures::fine(self.score(*node))), *node));
        order
    }

    /// Of nodes in this order so many, the first and, wherever they are, those that stand out.
    fn drawn(&self, order: &[usize], look: &Look, most: usize) -> Vec<usize> {
        let stands_out = |node: &usize| self.indicted(*node) || look.marked(self.name(*node)).is_some();
        let mut room = most.saturating_sub(order.iter().filter(|node| stands_out(node)).count());
        let mut has_room = || {
            let has = room > 0;
            room = room.saturating_sub(1);
            has
        };
        order.iter().copied().filter(|node| stands_out(node) || has_room()).collect()
    }

    /// What its nodes are called beside their marks.
    fn hosts(&self) -> Hosts {
        Hosts::of(&mut self.names.iter().map(String::as_str))
    }

    /// Width of the column of names.
    fn label_width(&self, look: &Look) -> f32 {
        NameColumn::USUAL.width_css_px(&mut self.names.iter().map(String::as_str), 0.0, look.width_css_px)
    }
}

/// The comparisons behind the witnesses, by kind of state. Of several, of groups of nodes or of parts of the jobs, one
/// that this node is in and indicts it; else one in which a node is indicted, or the farthest over its threshold.
#[must_use]
pub fn comparisons(witnesses: &[Witness], node: Option<NodeId>) -> BTreeMap<StateKind, &PeerComparison> {
    let rank = |c: &&PeerComparison| Rank::of(c, c.nodes.iter().position(|own| Some(own.node) == node));
    one_a_kind(durations(witnesses), |c| c.kind, rank)
}

/// Whether a node is in one of the comparisons behind the witnesses.
#[must_use]
pub fn is_compared(witnesses: &[Witness], node: NodeId) -> bool {
    durations(witnesses).any(|c| c.nodes.iter().any(|own| own.node == node))
}

fn durations(witnesses: &[Witness]) -> impl Iterator<Item = &PeerComparison> {
    witnesses.iter().filter_map(|w| match w.comparison.as_ref()? {
        Comparison::Durations(c) => Some(c.as_ref()),
        _ => None,
    })
}

/// Which of several comparisons of one kind is shown: the greatest.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    has_node: bool,
    indicts: bool,
    excess: i64,
}

impl Rank {
    /// The rank of a comparison in which the chosen node, if it is in it, stands here.
    fn of(c: &PeerComparison, at: Option<usize>) -> Self {
        let mut meant = c.nodes.iter().enumerate().filter(|(i, _)| at.is_none_or(|at| at == *i));
        Self { has_node: at.is_some(), indicts: meant.any(|(_, own)| own.indicted), excess: excess(c, None) }
    }
}

/// The comparison of each kind that ranks highest, the first of equals.
fn one_a_kind<C>(
    comparisons: impl Iterator<Item = C>,
    kind: impl Fn(&C) -> Option<StateKind>,
    rank: impl Fn(&C) -> Rank,
) -> BTreeMap<StateKind, C> {
    let mut by_kind: BTreeMap<StateKind, C> = BTreeMap::new();
    for comparison in comparisons {
        let Some(kind) = kind(&comparison) else { continue };
        if by_kind.get(&kind).is_none_or(|shown| rank(&comparison) > rank(shown)) {
            by_kind.insert(kind, comparison);
        }
    }
    by_kind
}

/// How far the score of the node at a place, or the highest, is over the threshold and over what is usual, in the steps of a
/// report, so that a link ranks as the page does: where all are as far from each other as can be, nobody stands out.
fn excess(c: &PeerComparison, at: Option<usize>) -> i64 {
    let mut scores: Vec<u32> = c.nodes.iter().map(|own| figures::fine(own.score)).collect();
    scores.arrange_by(|score| *score);
    let usual = scores.get(scores.len() / 2).copied().unwrap_or_default();
    let meant = at.and_then(|at| c.nodes.get(at)).map(|own| figures::fine(own.score));
    let shown = meant.or(scores.last().copied()).unwrap_or_default();
    i64::from(shown) - i64::from(usual.max(figures::fine(c.threshold)))
}

/// The node that a look asks a report about, if it was compared.
#[must_use]
pub fn node_meant<'l>(report: &Report, look: &'l Look) -> Option<&'l str> {
    let is_compared =
        |node: &&str| report.figures.peers.iter().any(|figure| place(&figure.nodes, Some(node)).is_some());
    look.nodes_meant().find(is_compared)
}

/// The comparisons that a report carries, with the names of their nodes; who is indicted is the witnesses' to say,
/// where they are there. Of several groups of nodes as [`comparisons`].
#[must_use]
pub fn of_report(report: &Report, node: Option<&str>) -> BTreeMap<StateKind, (PeerComparison, Vec<String>)> {
    let figures = report.figures.peers.iter().filter_map(|figure| {
        let mut comparison = figure.comparison()?;
        let of_figure = |w: &&WitnessRow| {
            let of_kind = w.method == Method::KahunaWb.name() && w.signal == figure.kind;
            of_kind && figure.nodes.iter().any(|node| w.nodes.contains_key(node))
        };
        // A part of the jobs and all of them are judged by one kind of state.
        let is_its = |w: &&WitnessRow| of_figure(w) && w.jobs == figure.jobs && w.stretch == figure.stretch;
        let rows = || report.witnesses.iter();
        if let Some(witness) = rows().find(is_its).or_else(|| rows().find(of_figure)) {
            for (own, name) in comparison.nodes.iter_mut().zip(&figure.nodes) {
                own.indicted = witness.indicted.contains(name);
            }
        }
        Some((comparison, figure.nodes.clone()))
    });
    one_a_kind(figures, |(c, _)| c.kind, |(c, names)| Rank::of(c, place(names, node)))
}

/// The kinds compared, the one in which a node stands out most first. Of those that the node has a place in these are those
/// that indict it, by how far its score is over the threshold and over what is usual; then those in which the fewest others
/// have a score as high. What it has no place in comes last, by the highest score.
fn most_telling_first<'a>(
    comparisons: impl Iterator<Item = (StateKind, &'a PeerComparison, Option<usize>)>,
) -> Vec<StateKind> {
    let rank = |c: &PeerComparison, at: Option<usize>| {
        let (own, excess) = (at.and_then(|at| c.nodes.get(at)), excess(c, at));
        // One that indicts where all are alike shows nothing.
        let shows = excess > 0 && own.is_some_and(|own| own.indicted);
        let is_as_high =
            |own: &NodeDurations, other: &NodeDurations| figures::fine(other.score) >= figures::fine(own.score);
        let as_high = own.map_or(0, |own| c.nodes.iter().filter(|other| is_as_high(own, other)).count());
        let share = if shows { 0.0 } else { as_high as f64 / c.nodes.len().max(1) as f64 };
        (own.is_some(), shows, Reverse(figures::fine(share)), excess)
    };
    let mut kinds: Vec<_> = comparisons.map(|(kind, c, at)| (kind, rank(c, at))).collect();
    kinds.arrange_by(|(_, rank)| Reverse(*rank));
    kinds.into_iter().map(|(kind, _)| kind).collect()
}

/// The kinds of [`comparisons`], the one in which the node stands out most first.
#[must_use]
pub fn kinds(comparisons: &BTreeMap<StateKind, &PeerComparison>, node: Option<NodeId>) -> Vec<StateKind> {
    let place = |c: &PeerComparison| c.nodes.iter().position(|own| Some(own.node) == node);
    most_telling_first(comparisons.iter().map(|(kind, c)| (*kind, *c, place(c))))
}

/// The kinds of [`of_report`], the one in which the node stands out most first.
#[must_use]
pub fn kinds_of_report(
    comparisons: &BTreeMap<StateKind, (PeerComparison, Vec<String>)>,
    node: Option<&str>,
) -> Vec<StateKind> {
    most_telling_first(comparisons.iter().map(|(kind, (c, names))| (*kind, c, place(names, node))))
}

fn place(names: &[String], node: Option<&str>) -> Option<usize> {
    names.iter().position(|name| Some(name.as_str()) == node)
}
