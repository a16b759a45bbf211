//! Nodes by the transfers that touch them, against those that do not.

use super::transfer::{MAX_TRANSFERS, Transfer};
use super::{PERMUTATIONS, SEED};
use crate::base::Arrange;
use crate::base::math::exp;
use crate::diagnosis::{MIN_PEERS, Scope};
use crate::model::FlowKind;
use crate::stats::outlier::stands_out;
use crate::stats::random::{Shuffler, least_draws, p_value, sequential_test};

/// Values moved by the permutations of one question at the most: of questions that need more, fewer transfers are permuted.
pub(super) const PERMUTATION_BUDGET: usize = PERMUTATIONS * MAX_TRANSFERS;

/// What a node must pass to be named.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Transfers that a node needs to be judged.
    pub(super) least: usize,
    /// Times as long as others.
    pub(super) ratio: f64,
    /// The chance allowed.
    pub(super) alpha: f64,
    /// How often the same is asked: the chance is multiplied by it, and so small a one needs more permutations.
    pub(super) asked: usize,
    /// Values that the permutations of one question may move.
    pub(super) budget: usize,
}

impl Limits {
    /// The chance allowed to one of the questions.
    fn of_each(self) -> f64 {
        self.alpha / self.asked as f64
    }
}

/// A node whose transfers are slow.
#[derive(Clone, Copy)]
pub(super) struct Named {
    /// Its place among the peers.
    pub(super) node: usize,
    /// Times as long as others.
    pub(super) ratio: f64,
    pub(super) p: f64,
}

/// How much longer what touches a node takes than what does not.
#[derive(Clone, Copy)]
struct Score {
    /// Mean of the one less that of the other, in logarithms.
    apart: f64,
    /// `√(n m / (n + m))` of the n transfers of the one and the m of the other: the fewer there are, the further apart
    /// chance puts their means.
    weight: f64,
}

impl Score {
    /// How many times as long those of the one take.
    fn ratio(self) -> f64 {
        exp(self.apart)
    }

    fn weighted(self) -> f64 {
        self.apart * self.weight
    }
}

/// Transfers of one kind; those of nodes set aside are not among them.
pub(super) struct Field<'a> {
    kind: FlowKind,
    nodes: usize,
    pub(super) rows: Vec<&'a Transfer>,
}

impl<'a> Field<'a> {
    /// Of so many nodes, those that are set aside excepted with all that touches them.
    pub(super) fn without(kind: FlowKind, nodes: usize, rows: &'a [Transfer], aside: &[usize]) -> Self {
        let touches = |row: &&Transfer| row.nodes.iter().any(|node| aside.contains(node));
        Self { kind, nodes, rows: rows.iter().filter(|row| !touches(row)).collect() }
    }

    /// Those of them that are of a part of the jobs.
    pub(super) fn within(&self, scope: &Scope) -> Self {
        Self { rows: self.rows.iter().copied().filter(|row| scope.covers(row.job)).collect(), ..*self }
    }

    fn x(&self) -> Vec<f64> {
        self.rows.iter().map(|t| t.x).collect()
    }

    /// Ratio of each node with enough transfers of its own and of others.
    pub(super) fn ratios(&self, least: usize) -> Vec<(usize, f64)> {
        self.judged(least).into_iter().map(|(node, score)| (node, score.ratio())).collect()
    }

    /// The nodes with enough transfers of their own and of others.
    fn judged(&self, least: usize) -> Vec<(usize, Score)> {
        let scores = self.scores(&self.x(), least).into_iter().enumerate();
        scores.filter_map(|(node, score)| Some((node, score?))).collect()
    }

    /// That of each node with enough transfers of its own and of others.
    fn scores(&self, x: &[f64], least: usize) -> Vec<Option<Score>> {
        let mut touching = vec![(0.0, 0_usize); self.nodes];
        let total: f64 = x.iter().sum();
        for (row, x) in self.rows.iter().zip(x) {
            for node in &row.nodes {
                if let Some((sum, count)) = touching.get_mut(*node) {
                    *sum += x;
                    *count += 1;
                }
            }
        }
        let score = |(sum, count): &(f64, usize)| {
            let others = x.len() - count;
            let enough = *count >= least && others >= least;
            let (own, rest) = (*count as f64, others as f64);
            enough
                .then(|| Score { apart: sum / own - (total - sum) / rest, weight: (own * rest / (own + rest)).sqrt() })
        };
        touching.iter().map(score).collect()
    }

    /// The chance that some node of permutations is as far from the others; `None` if it is more than is allowed. Where the
    /// budget is too small for as many permutations as could show it, those of a part of the transfers, chosen by lot, decide.
    fn unlikely(&self, node: usize, limits: Limits) -> Option<f64> {
        let mut shuffler = Shuffler::new(SEED.wrapping_add(self.kind as u64));
        let needed = least_draws(limits.of_each());
        let (mut rows, most) = (self.rows.clone(), limits.budget / needed);
        if rows.len() > most {
            rows = shuffler.choose(&mut rows, most).to_vec();
        }
        let chosen = Self { rows, ..*self };
        let mut x = chosen.x();
        let found = chosen.scores(&x, limits.least).get(node).copied().flatten()?.weighted();
        let wanted = needed.max(PERMUTATIONS.saturating_mul(limits.asked));
        let rounds = wanted.min(limits.budget / chosen.rows.len().max(1));
        let null = sequential_test(rounds, found, limits.of_each(), &mut || {
            shuffler.shuffle(&mut x);
            chosen.scores(&x, limits.least).into_iter().flatten().map(Score::weighted).fold(f64::NEG_INFINITY, f64::max)
        })?;
        Some(p_value(&null, found) * limits.asked as f64)
    }

    /// The node that is slower by far and that chance explains least, if it does not explain it.
    fn oddest(&self, limits: Limits) -> Option<Named> {
        let judged = self.judged(limits.least);
        if judged.len() < MIN_PEERS {
            return None;
        }
        let ratios: Vec<f64> = judged.iter().map(|(_, score)| score.ratio()).collect();
        let is_by_far = |score: Score| score.ratio() >= limits.ratio && stands_out(&ratios, score.ratio());
        let by_far = judged.iter().copied().filter(|(_, score)| is_by_far(*score));
        let (node, score) = by_far.max_by(|a, b| a.1.weighted().total_cmp(&b.1.weighted()))?;
        Some(Named { node, ratio: score.ratio(), p: self.unlikely(node, limits)? })
    }
}

/// Each node that is the oddest once those before it are set aside, and still is once all others named are: a node that
/// moves much to and from two slow ones is slow without being at fault. Asking again is paid for in chance.
pub(super) fn named(kind: FlowKind, nodes: usize, rows: &[Transfer], limits: Limits) -> Vec<Named> {
    let asked = |times: usize| Limits { asked: limits.asked * times, ..limits };
    let mut found: Vec<Named> = Vec::new();
    loop {
        let aside: Vec<usize> = found.iter().map(|named| named.node).collect();
        let Some(next) = Field::without(kind, nodes, rows, &aside).oddest(asked(found.len() + 1)) else { break };
        found.push(next);
    }
    if found.len() < 2 {
        return found;
    }
    found.arrange_by(|named| named.node);
    let all = found.iter().map(|named| named.node);
    let again = |node: usize| {
        let others: Vec<usize> = all.clone().filter(|other| *other != node).collect();
        Field::without(kind, nodes, rows, &others).oddest(asked(found.len())).filter(|named| named.node == node)
    };
    all.clone().filter_map(again).collect()
}
