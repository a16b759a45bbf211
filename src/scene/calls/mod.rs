//! The view of system calls: what each node spends in them, and what that means.
//!
//! Five figures of one [`Examination`]: the steps of both algorithms in words, histograms
//! of durations with the band of the control runs behind, shares of time (C20, C21), scores
//! of pairs, and calls out of their bands over time.

mod histograms;
mod pairs;
mod steps;
mod time;
mod totals;

use super::axis::{ended, tenth};
use super::names::{Hosts, NameColumn};
use super::{Anchor, Look, Point, Role, Scene, View};
use crate::base::{Arrange, NodeId, Place};
use crate::diagnosis::Abstention;
use crate::diagnosis::syscalls::bands::watched;
use crate::diagnosis::syscalls::usage::CONNECTED;
use crate::diagnosis::syscalls::{Examination, Hog, Opinion, semantic, statistical};
use crate::model::Trace;
use crate::report::LineRef;

/// Nodes drawn one by one: those with the highest scores.
const ROWS_SHOWN: usize = 30;

/// What is drawn.
#[derive(Clone, Debug)]
pub struct CallsShown<'a> {
    trace: &'a Trace,
    examination: &'a Examination,
    statistical: Opinion,
    semantic: Opinion,
    hosts: Hosts,
}

impl<'a> CallsShown<'a> {
    /// Asks both algorithms.
    #[must_use]
    pub fn new(trace: &'a Trace, examination: &'a Examination) -> Self {
        let judged = examination.abstained.is_none();
        let ask = |diagnose: fn(&Trace, &Examination) -> Opinion| {
            if judged { diagnose(trace, examination) } else { Opinion::default() }
        };
        let hosts = Hosts::of(&mut examination.nodes.keys().map(|node| trace.node_name(*node)));
        Self { trace, examination, statistical: ask(statistical::diagnose), semantic: ask(semantic::diagnose), hosts }
    }

    /// Why no call is shown as slow.
    const fn no_slow_call(&self) -> &'static str {
        match (self.examination.abstained, self.examination.counted) {
            (None, true) => "Only sums of the calls are known: strace -c gives totals only, not single calls.",
            (None, false) => "No call took far longer than it should.",
            (Some(Abstention::NoPeers), _) => "Calls of fewer than three nodes were traced: none can be called slow.",
            (Some(_), _) => "No baseline: no call can be called slow.",
        }
    }

    fn name(&self, node: NodeId) -> &str {
        self.trace.node_name(node)
    }

    /// The nodes, those out of their bands first.
    fn nodes(&self) -> Vec<NodeId> {
        let score = |n: NodeId| self.statistical.scores.iter().find(|(m, _)| *m == n).map_or(0.0, |(_, s)| *s);
        let mut nodes: Vec<NodeId> = self.examination.nodes.keys().copied().collect();
        nodes.arrange(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
        nodes
    }

    /// The calls that some node made, in the order of the paper's classes.
    fn calls(&self) -> Vec<&'static str> {
        let used = |name: &&'static str| self.examination.nodes.values().any(|n| n.of(name).calls > 0);
        let connect = self.examination.nodes.values().any(|n| n.of(CONNECTED).calls > 0);
        watched().filter(used).filter(|name| !(connect && *name == "connect")).collect()
    }

    fn is_accused(&self, node: NodeId) -> bool {
        let set = |o: &Opinion| o.found.as_ref().is_some_and(|(_, nodes)| nodes.first() == Some(&node));
        set(&self.statistical) || set(&self.semantic)
    }

    /// The role of what is beyond the band: the culprit's is an accused node's only.
    fn beyond(&self, node: NodeId) -> Role {
        if self.is_accused(node) { Role::Culprit } else { Role::Threshold }
    }

    /// Mean of a call on a node, and whether it is more than the band has.
    fn mean(&self, node: NodeId, name: &str) -> (f64, bool) {
        let mean = self.examination.nodes.get(&node).map_or(0.0, |n| n.of(name).mean_us());
        (mean, self.examination.band(node, name).is_some_and(|band| mean > band.mean_us.high))
    }

    fn place(&self, place: Place) -> String {
        LineRef::of(self.trace, place).in_words()
    }

    /// Width of the column of the nodes' names.
    fn label_width(&self, look: &Look) -> f32 {
        let mut names = self.examination.nodes.keys().map(|n| self.name(*n));
        NameColumn::NARROW.width_css_px(&mut names, 0.0, look.width_css_px)
    }

    /// Writes a node's name beside its row, which begins at `left` and has its middle at `y`.
    fn add_name(&self, scene: &mut Scene, (left, y): Point, node: NodeId) {
        let role = if self.is_accused(node) { Role::Culprit } else { Role::Faint };
        scene.text((left - 8.0, tenth(y)), self.hosts.fitted(self.name(node), left - 12.0), Anchor::End, role);
    }

    /// What the bands are made of.
    fn band_is(&self) -> &'static str {
        match (self.examination.switches.peer_only, self.examination.bands.is_empty()) {
            (_, true) => "There are no control runs to compare with, so no band is drawn.",
            (true, _) => "The pale band is what the other nodes do.",
            (false, _) => "The pale band is what control runs do.",
        }
    }
}

/// The nodes that are drawn, of all in order.
fn drawn(nodes: &[NodeId]) -> &[NodeId] {
    nodes.get(..ROWS_SHOWN).unwrap_or(nodes)
}

/// Columns of equal width beside the names of the nodes, one a call.
#[derive(Clone, Copy)]
struct Columns<'a> {
    calls: &'a [&'static str],
    /// Left end of the first.
    left: f32,
    /// From one to the next.
    step: f32,
}

impl<'a> Columns<'a> {
    fn of(shown: &CallsShown<'_>, calls: &'a [&'static str], look: &Look) -> Self {
        let left = shown.label_width(look) + 10.0;
        Self { calls, left, step: (look.width_css_px - left) / calls.len().max(1) as f32 }
    }

    /// Width of what stands in a column.
    fn width(self) -> f32 {
        self.step - 8.0
    }

    /// Each call with the left end of its column.
    fn each(self) -> impl Iterator<Item = (&'static str, f32)> + 'a {
        self.calls.iter().enumerate().map(move |(i, name)| (*name, tenth(self.left + self.step * i as f32)))
    }

    /// The names of the calls, above the columns.
    fn add_names(self, scene: &mut Scene) {
        for (name, x) in self.each() {
            scene.text((x, 8.0), ended(name, self.step - 6.0), Anchor::Start, Role::Faint);
        }
    }
}

/// What a hog is called in the view.
const fn words(hog: Hog) -> &'static str {
    match hog {
        Hog::Disk => "its disk is slow or busy",
        Hog::Network => "its network loses packets or is slow",
    }
}

/// Lays out one figure; another view's name gives an empty scene.
#[must_use]
pub fn lay_out(view: View, shown: &CallsShown<'_>, look: &Look) -> Scene {
    let mut scene = match view {
        View::SyscallsSteps => steps::lay_out(shown, look),
        View::Syscalls => histograms::lay_out(shown, look),
        View::SyscallsTotals => totals::lay_out(shown, look),
        View::SyscallsPairs => pairs::lay_out(shown, look),
        View::SyscallsTime => time::lay_out(shown, look),
        _ => Scene::default(),
    };
    view.name().clone_into(&mut scene.name);
    scene
}
