//! Mixtures of Gaussians with diagonal covariance, learned by expectation–maximisation
//! (Dempster, Laird & Rubin 1977).
//!
//! ```text
//! p(x) = Σk wk Πd N(xd; μkd, vkd)
//! E:  rik = wk p(xi | k) / p(xi)            M:  wk = Σi rik / n
//!                                               μkd = Σi rik xid / Σi rik        (over the i with xid known)
//!                                               vkd = max(Σi rik (xid − μkd)² / Σi rik, floor)
//! ```
//! A value that is not known (NaN) is left out of its row's density and of the sums: the
//! row's other values still count. The floor keeps a component from shrinking onto one
//! point, where the likelihood has no bound; with it each round still maximises what it
//! maximises, only within bounds, so the log-likelihood never falls.
//!
//! Rows lie one behind the other in one slice. Sums run in the order of the rows, so the
//! same rows give the same bits on every target. Cost: O(rows · components · dimensions)
//! a round. Of several starts the best after some rounds go on, and the best of these with all
//! rows, of which some decide until then (short runs: Biernacki, Celeux & Govaert 2003).

mod start;

use crate::base::Arrange;
use crate::base::math::{exp, ln};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// ln 2π.
const LN_TAU: f64 = 1.837_877_066_409_345_3;
/// A component that holds less than this share of a row keeps its place: there is nothing
/// to move it by.
const LEAST_SHARE: f64 = 1e-9;
/// A component so far below the likeliest has no share: added to the likeliest's 1 it would be lost in rounding
/// (ln 2⁻⁵³).
const NO_SHARE_LN: f64 = -36.8;
/// Rounds after which the starts are compared: most of what a start is worth shows by then, so that many can be tried.
const SHORT_ROUNDS: u32 = 10;
/// Of the starts so many go on to their end.
const GO_ON: usize = 2;
/// Rows on which the starts compete, at the most: several dozen for each parameter of the mixtures
/// that are learned here, so that the best on them is the best, or as good, on all.
const COMPETED_ROWS: usize = 5_000;

/// How a mixture is learned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fitting {
    /// Components.
    pub components: usize,
    /// No variance falls below.
    pub variance_floor: f64,
    /// Runs from different starts, of which the likeliest is taken.
    pub starts: u32,
    /// Rounds of a run at the most.
    pub rounds: u32,
    /// A run ends when a round gains less than this a row.
    pub least_gain: f64,
    /// Seeds the starts.
    pub seed: u64,
}

/// A mixture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    dims: usize,
    /// Of each component; sum 1.
    weights: Vec<f64>,
    /// Component after component.
    means: Vec<f64>,
    /// In the order of the means.
    variances: Vec<f64>,
}

/// A mixture that was learned, and how well it fits.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    /// The mixture.
    pub mixture: Mixture,
    /// Log-likelihood of the rows that it was learned from.
    pub log_likelihood: f64,
    /// Bayesian information criterion, less is better.
    pub bic: f64,
}

impl Mixture {
    /// Whether its parts fit together, as they might not in one that was decoded.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let cells = self.weights.len().checked_mul(self.dims);
        let fit = self.dims > 0
            && !self.weights.is_empty()
            && cells == Some(self.means.len())
            && cells == Some(self.variances.len());
        fit && self.weights.iter().all(|w| w.is_finite() && *w >= 0.0)
            && self.means.iter().all(|m| m.is_finite())
            && self.variances.iter().all(|v| v.is_finite() && *v > 0.0)
    }

    /// Number of components.
    #[must_use]
    pub fn components(&self) -> usize {
        self.weights.len()
    }

    /// Number of dimensions.
    #[must_use]
    pub const fn dims(&self) -> usize {
        self.dims
    }

    /// Weight of each component.
    #[must_use]
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Mean of a component.
    #[must_use]
    pub fn mean(&self, component: usize) -> &[f64] {
        &self.means[component * self.dims..][..self.dims]
    }

    /// Learns the likeliest of several runs. `None` if there are fewer rows than
    /// components.
    #[must_use]
    pub fn fit(rows: &[f64], dims: usize, fitting: &Fitting) -> Option<Fitted> {
        let some = evenly(rows, dims, COMPETED_ROWS);
        let short = Fitting { rounds: fitting.rounds.min(SHORT_ROUNDS), ..*fitting };
        let begun = (0..fitting.starts.max(1)).filter_map(|start| {
            let seed = fitting.seed.wrapping_add(u64::from(start));
            Some(Self::run(start::plus_plus(&some, dims, fitting, seed)?, &some, &short))
        });
        let mut begun: Vec<(Self, f64)> = begun.collect();
        begun.arrange(|a, b| b.1.total_cmp(&a.1));
        let run = begun.into_iter().take(GO_ON).map(|(mixture, _)| Self::run(mixture, &some, fitting));
        let best = run.max_by(|a, b| a.1.total_cmp(&b.1));
        let (mixture, log_likelihood) = match best? {
            (mixture, _) if some.len() < rows.len() => Self::run(mixture, rows, fitting),
            of_all => of_all,
        };
        let bic = mixture.bic(log_likelihood, rows);
        Some(Fitted { mixture, log_likelihood, bic })
    }

    /// Learns with each number of components in the range and takes the one with the
    /// least BIC.
    #[must_use]
    pub fn fit_by_bic(
        rows: &[f64],
        dims: usize,
        among: std::ops::RangeInclusive<usize>,
        fitting: &Fitting,
    ) -> Option<Fitted> {
        let fits = among.filter_map(|components| Self::fit(rows, dims, &Fitting { components, ..*fitting }));
        fits.min_by(|a, b| a.bic.total_cmp(&b.bic))
    }

    fn run(mut mixture: Self, rows: &[f64], fitting: &Fitting) -> (Self, f64) {
        let enough = fitting.least_gain * (rows.len() / mixture.dims) as f64;
        let mut before = f64::NEG_INFINITY;
        for _ in 0..fitting.rounds {
            let (next, likelihood) = mixture.round(rows, fitting.variance_floor);
            if likelihood - before < enough {
                return (mixture, likelihood);
            }
            (mixture, before) = (next, likelihood);
        }
        let (_, likelihood) = mixture.round(rows, fitting.variance_floor);
        (mixture, likelihood)
    }

    /// One round: the mixture after it, and the log-likelihood of the rows before it.
    #[must_use]
    pub fn round(&self, rows: &[f64], variance_floor: f64) -> (Self, f64) {
        let densities = Densities::of(self);
        let mut sums = Sums::new(densities.weight.len(), self.dims);
        let mut shares = densities.weight.clone();
        let mut likelihood = 0.0;
        for row in rows.chunks_exact(self.dims) {
            densities.logs(row, &mut shares);
            likelihood += to_shares(&mut shares, densities.components);
            sums.add(row, &shares);
        }
        (sums.mixture(self, rows.len() / self.dims, variance_floor), likelihood)
    }

    /// k ln n − 2 ln L (Schwarz 1978) with k the parameters that the likelihood depends on: means and variances of a
    /// dimension that no row knows are in none of its densities.
    fn bic(&self, log_likelihood: f64, rows: &[f64]) -> f64 {
        let components = self.components() as f64;
        let parameters = components - 1.0 + 2.0 * components * known_dims(rows, self.dims) as f64;
        parameters * ln((rows.len() / self.dims.max(1)) as f64) - 2.0 * log_likelihood
    }
}

/// In how many dimensions some row has a value.
fn known_dims(rows: &[f64], dims: usize) -> usize {
    (0..dims).filter(|d| rows.iter().skip(*d).step_by(dims).any(|x| !x.is_nan())).count()
}

/// The rows, or of more than `limit` every second, third…
fn evenly(rows: &[f64], dims: usize, limit: usize) -> Cow<'_, [f64]> {
    match (rows.len() / dims.max(1)).div_ceil(limit) {
        0 | 1 => Cow::Borrowed(rows),
        step => rows.chunks_exact(dims).step_by(step).flatten().copied().collect(),
    }
}

/// Components that are passed side by side: whole registers on any target, without a loop's end to
/// look for. Those that fill up the last of them have no weight.
const LANES: usize = 8;
/// One number of each component.
type Lanes = [f64; LANES];
/// Room for one number of each component.
pub type Logs = Vec<Lanes>;

/// Turns logs of weighted densities of so many components into shares of their sum; returns the log of
/// the sum.
fn to_shares(logs: &mut [Lanes], components: usize) -> f64 {
    let logs = &mut logs.as_flattened_mut()[..components];
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut sum = 0.0;
    for x in logs.iter_mut() {
        let below = *x - largest;
        *x = if below < NO_SHARE_LN { 0.0 } else { exp(below) };
        sum += *x;
    }
    for x in logs.iter_mut() {
        *x /= sum;
    }
    largest + ln(sum)
}

/// What the densities of a mixture need, worked out once.
#[derive(Clone, Debug)]
pub struct Densities {
    components: usize,
    dims: usize,
    /// ln wk of each component.
    weight: Vec<Lanes>,
    /// Mean, half the inverse of the variance, and ln(2πv) / 2: of the first [`LANES`] components
    /// dimension after dimension, then of the next.
    cells: Vec<[Lanes; 3]>,
}

impl Densities {
    /// Of a mixture.
    #[must_use]
    pub fn of(mixture: &Mixture) -> Self {
        let (components, dims) = (mixture.components(), mixture.dims);
        let groups = components.div_ceil(LANES);
        let mut weight = vec![[f64::NEG_INFINITY; LANES]; groups];
        let mut cells = vec![[[0.0; LANES]; 3]; groups * dims];
        for (k, w) in mixture.weights.iter().enumerate() {
            let (group, lane) = (k / LANES, k % LANES);
            weight[group][lane] = ln(*w);
            for d in 0..dims {
                let v = mixture.variances[k * dims + d];
                let [mean, half_inverse, half_ln] = &mut cells[group * dims + d];
                mean[lane] = mixture.means[k * dims + d];
                half_inverse[lane] = 0.5 / v;
                half_ln[lane] = (LN_TAU + ln(v)) / 2.0;
            }
        }
        Self { components, dims, weight, cells }
    }

    /// ln(wk p(row | k)) of each component.
    fn logs(&self, row: &[f64], out: &mut [Lanes]) {
        let groups = self.weight.iter().zip(self.cells.chunks_exact(self.dims));
        for (out, (weight, cells)) in out.iter_mut().zip(groups) {
            let mut logs = *weight;
            for (x, [mean, half_inverse, half_ln]) in row.iter().zip(cells) {
                if x.is_nan() {
                    continue;
                }
                for lane in 0..LANES {
                    let apart = x - mean[lane];
                    logs[lane] -= apart * apart * half_inverse[lane] + half_ln[lane];
                }
            }
            *out = logs;
        }
    }

    /// The likeliest component of a row (K24) and the log of its weighted density; `None`
    /// if nothing of the row is known.
    #[must_use]
    pub fn likeliest(&self, row: &[f64], logs: &mut Logs) -> Option<(usize, f64)> {
        if row.iter().all(|x| x.is_nan()) {
            return None;
        }
        logs.resize(self.weight.len(), [0.0; LANES]);
        self.logs(row, logs);
        // Of several with one density the first.
        let mut best = (0, f64::NEG_INFINITY);
        for (k, log) in logs.as_flattened().iter().enumerate() {
            if *log > best.1 {
                best = (k, *log);
            }
        }
        Some(best)
    }
}

/// The sums of one round.
struct Sums {
    shares: Vec<Lanes>,
    /// Σ r, Σ r x, Σ r x² of each cell, over the rows where x is known; in the order of
    /// [`Densities::cells`].
    cells: Vec<[Lanes; 3]>,
}

impl Sums {
    fn new(groups: usize, dims: usize) -> Self {
        Self { shares: vec![[0.0; LANES]; groups], cells: vec![[[0.0; LANES]; 3]; groups * dims] }
    }

    fn add(&mut self, row: &[f64], shares: &[Lanes]) {
        let groups = self.shares.iter_mut().zip(self.cells.chunks_exact_mut(row.len()));
        for (shares, (sums, cells)) in shares.iter().zip(groups) {
            for lane in 0..LANES {
                sums[lane] += shares[lane];
            }
            for (x, [share, first, second]) in row.iter().zip(cells) {
                if x.is_nan() {
                    continue;
                }
                for lane in 0..LANES {
                    let weighted = shares[lane] * x;
                    share[lane] += shares[lane];
                    first[lane] += weighted;
                    second[lane] += weighted * x;
                }
            }
        }
    }

    fn mixture(&self, before: &Mixture, rows: usize, floor: f64) -> Mixture {
        let (components, dims) = (before.components(), before.dims);
        let weights = self.shares.as_flattened().iter().take(components).map(|s| s / rows as f64).collect();
        let (mut means, mut variances) = (Vec::new(), Vec::new());
        for i in 0..components * dims {
            let (k, d) = (i / dims, i % dims);
            let [share, sum, squares] = self.cells[k / LANES * dims + d].map(|lanes| lanes[k % LANES]);
            if share < LEAST_SHARE {
                means.push(before.means[i]);
                variances.push(before.variances[i]);
                continue;
            }
            let mean = sum / share;
            means.push(mean);
            variances.push((squares / share - mean * mean).max(floor));
        }
        Mixture { dims, weights, means, variances }
    }
}

#[cfg(test)]
mod tests;
