//! What names nodes and files in the order of these names, and the lists that follow it: under pseudonyms the order that the
//! logs have would tell who is who.

use super::Report;
use super::attempts::AttemptsFigure;
use super::figures::{Figures, PeerFigure};
use super::heatmap::HeatmapFigure;
use super::metrics::MetricsFigure;
use crate::base::Arrange;
use std::sync::Arc;

impl Report {
    /// Puts what names nodes and files into the order of these names: the order that the logs have would tell whose
    /// pseudonym is whose.
    pub(super) fn sort_by_name(&mut self) {
        self.nodes.arrange(Ord::cmp);
        Arc::make_mut(&mut self.coverage).arrange(|a, b| a.file.cmp(&b.file));
        // Those of whole archives first.
        self.clock.zones.arrange(|a, b| (&a.file, &a.node, &a.archive).cmp(&(&b.file, &b.node, &b.archive)));
        self.skew.nodes.arrange(|a, b| a.node.cmp(&b.node));
        self.no_evidence.arrange(|a, b| a.node.cmp(&b.node));
        self.suspects.arrange(|a, b| a.node.cmp(&b.node));
        self.seldom.arrange(|a, b| a.node.cmp(&b.node));
        self.issues.iter_mut().for_each(|issue| issue.lines.arrange(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line))));
        for witness in &mut self.witnesses {
            [&mut witness.indicted, &mut witness.excused].into_iter().for_each(|names| names.arrange(Ord::cmp));
        }
        let Figures { peers, attempts, heatmap, metrics } = &mut self.figures;
        peers.iter_mut().for_each(PeerFigure::sort_by_name);
        attempts.change(AttemptsFigure::sort_by_name);
        heatmap.change(HeatmapFigure::sort_by_name);
        metrics.change(MetricsFigure::sort_by_name);
    }
}

/// The places of names in their order.
pub(super) fn by_name(names: &[String]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.arrange(|a, b| names.get(*a).cmp(&names.get(*b)));
    order
}

/// Puts a list into an order; one that is not of its length stays as it is (it comes from outside).
pub(super) fn permute<T: Clone>(list: &mut Vec<T>, order: &[usize]) {
    if list.len() == order.len() {
        *list = order.iter().filter_map(|at| list.get(*at).cloned()).collect();
    }
}

/// The same for the rows and the columns of a square.
pub(super) fn permute_square<T: Clone>(cells: &mut Vec<T>, order: &[usize]) {
    let n = order.len();
    // Where numbers have 32 bits, a square may be none.
    if n.checked_mul(n) == Some(cells.len()) {
        let cell = |row: &usize, column: &usize| cells.get(row * n + column).cloned();
        *cells = order.iter().flat_map(|row| order.iter().filter_map(move |column| cell(row, column))).collect();
    }
}

/// Where each place has gone.
pub(super) fn moved(order: &[usize]) -> Vec<usize> {
    let mut to = vec![0; order.len()];
    for (new, old) in order.iter().enumerate() {
        if let Some(to) = to.get_mut(*old) {
            *to = new;
        }
    }
    to
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_follow_the_names() {
        let names = ["c", "a", "b"].map(String::from);
        let order = by_name(&names);
        assert_eq!((order.as_slice(), moved(&order)), (&[1, 2, 0][..], vec![2, 0, 1]));
        let (mut list, mut other) = (vec![3, 1, 2], vec![1]);
        permute(&mut list, &order);
        permute(&mut other, &order);
        assert_eq!((list, other), (vec![1, 2, 3], vec![1]));
        let mut square = vec!["cc", "ca", "cb", "ac", "aa", "ab", "bc", "ba", "bb"];
        permute_square(&mut square, &order);
        assert_eq!(square, ["aa", "ab", "ac", "ba", "bb", "bc", "ca", "cb", "cc"]);
    }
}
