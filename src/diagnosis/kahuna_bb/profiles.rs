//! The behaviours that are told apart (K23): learned, kept, and found again in a sample.
//!
//! ```text
//! x = (ln(1 + metric) − mean) / sd           of each metric
//! mixture of 7 Gaussians ([`Number::BbProfiles`]) over x, diagonal, no variance below 0.3
//! profile of a second = the likeliest component
//! ```
//! Cost: the samples are passed twice, then EM works on at most [`LEARNED_ROWS`] of them.

use super::super::{Number, Params};
use super::survey::survey;
use crate::base::math::ln;
use crate::model::{Metric, OfMetrics, Sample, Trace};
use crate::stats::mixture::{Densities, Fitting, Logs, Mixture};
use crate::stats::moments::mean_and_deviation;
use crate::stats::quantile::{quantile, sorted};
use crate::stats::random::Shuffler;
use serde::{Deserialize, Serialize};

/// Numbers of profiles among which BIC chooses.
const BIC_AMONG: std::ops::RangeInclusive<usize> = 2..=16;
/// No variance of a standardised metric falls below: a metric that hardly moves in one
/// behaviour must not make each of its twitches a behaviour of its own.
const VARIANCE_FLOOR: f64 = 0.3;
/// Runs of EM from different starts. Of five one labelled run (r26) got profiles so much less likely than those of
/// 20 that its node was not seen.
const STARTS: u32 = 12;
/// Rounds of one run at the most.
const ROUNDS: u32 = 200;
/// A run ends when a round gains less log-likelihood a row.
const LEAST_GAIN: f64 = 1e-5;
/// Samples that EM sees at the most, some hundred for each of its parameters: more would
/// move the profiles by less than another start does.
const LEARNED_ROWS: usize = 20_000;
/// Share of what was learned from that counts as unusual: rare enough to mean something,
/// and some two hundred samples of [`LEARNED_ROWS`], so that their bound is firm.
const UNUSUAL_TAIL: f64 = 0.01;
/// Seeds choice and starts ("kahuna" in ASCII).
const SEED: u64 = 0x6b61_6875_6e61;

/// How profiles are learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Learning {
    /// What worked best on the labelled runs.
    #[default]
    Usual,
    /// As the paper has it: all 14 metrics, the number of profiles by BIC.
    Literal,
}

/// Behaviours learned from control runs (K23), or from what is diagnosed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profiles {
    /// Mean of ln(1 + metric) and its standard deviation, in the order of [`Metric::ALL`]; a
    /// deviation of 0 where the metric is not used.
    scales: Vec<(f64, f64)>,
    mixture: Mixture,
    /// Samples that were there to learn from.
    samples: u64,
    /// Control runs that they came from; 0: they are what is diagnosed.
    pub(super) runs: u32,
    /// Largest sustained T on any node of the control runs.
    pub(super) largest_score: f64,
    /// The log density that all but [`UNUSUAL_TAIL`] of what was learned from reach.
    least_ln: f64,
    /// Largest share of samples below it on any node of the control runs.
    pub(super) largest_unusual: f64,
}

type Values = OfMetrics<f64>;

impl Profiles {
    /// Learns from the slaves' samples. `None` if there are too few of them.
    #[must_use]
    pub(super) fn learn(traces: &[&Trace], params: &Params) -> Option<Self> {
        let learning = params.learning;
        // K22 looks for the behaviour of a second; with what stands there from earlier a node that merely keeps one more
        // waiting task has a behaviour of its own for minutes. In a trial on the labelled runs all 14 named a wrong node
        // in up to four of 14 faulty runs, and none without `plist_sz`; `ldavg_1` made no difference there and is left
        // out for the reason alone.
        let mut used = Metric::ALL.map(|metric| learning == Learning::Literal || !metric.is_standing());
        for survey in traces.iter().filter_map(|trace| survey(trace)) {
            for (used, measured) in used.iter_mut().zip(survey.measured) {
                *used &= measured;
            }
        }
        let (rows, samples) = choose(traces);
        let mut profiles = Self { scales: scales(&rows, used), samples, ..Self::default() };
        let cells: Vec<f64> = rows.iter().flat_map(|row| profiles.standardised(row)).collect();
        let fitting = Fitting {
            components: params.numbers.count(Number::BbProfiles),
            variance_floor: VARIANCE_FLOOR,
            starts: STARTS,
            rounds: ROUNDS,
            least_gain: LEAST_GAIN,
            seed: SEED,
        };
        let fitted = match learning {
            Learning::Usual => Mixture::fit(&cells, Metric::ALL.len(), &fitting),
            Learning::Literal => Mixture::fit_by_bic(&cells, Metric::ALL.len(), BIC_AMONG, &fitting),
        };
        profiles.mixture = fitted?.mixture;
        profiles.used().next()?;
        let (densities, mut logs) = (Densities::of(&profiles.mixture), Vec::new());
        let known = cells.chunks_exact(Metric::ALL.len()).filter_map(|x| densities.likeliest(x, &mut logs));
        profiles.least_ln = quantile(&sorted(known.map(|(_, ln)| ln)), UNUSUAL_TAIL)?;
        Some(profiles)
    }

    /// Number of profiles.
    #[must_use]
    pub fn count(&self) -> usize {
        self.mixture.components()
    }

    /// How they were learned, by the metrics that they use: where none that stands was measured it cannot be told.
    #[must_use]
    pub fn learning(&self) -> Learning {
        if self.used().any(Metric::is_standing) { Learning::Literal } else { Learning::Usual }
    }

    /// Control runs that these were learned from; 0: from what is diagnosed.
    #[must_use]
    pub const fn runs(&self) -> u32 {
        self.runs
    }

    /// Samples that there were to learn from.
    #[must_use]
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    /// The metrics that tell the profiles apart.
    pub fn used(&self) -> impl Iterator<Item = Metric> + '_ {
        Metric::ALL.into_iter().zip(&self.scales).filter(|(_, (_, sd))| *sd > 0.0).map(|(metric, _)| metric)
    }

    /// Whether what was decoded can be worked with.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        // A profile's number is a byte.
        let counts = (1..usize::from(u8::MAX)).contains(&self.count()) && self.mixture.dims() == Metric::ALL.len();
        let finite = self.scales.iter().all(|(mean, sd)| mean.is_finite() && sd.is_finite());
        counts
            && finite
            && self.scales.len() == Metric::ALL.len()
            && self.mixture.is_sound()
            && [self.largest_score, self.least_ln, self.largest_unusual].iter().all(|x| x.is_finite())
    }

    fn standardised(&self, values: &Values) -> Values {
        let mut x = *values;
        for (x, (mean, sd)) in x.iter_mut().zip(&self.scales) {
            *x = if *sd > 0.0 { (log1p(*x) - mean) / sd } else { f64::NAN };
        }
        x
    }

    /// What finds the profile of a sample; metrics that are not `measured` on all nodes
    /// are passed over.
    pub(super) fn classifier(&self, measured: OfMetrics<bool>) -> Classifier<'_> {
        Classifier { profiles: self, measured, densities: Densities::of(&self.mixture), logs: Vec::new() }
    }
}

/// Finds the profile of a sample (K24).
#[derive(Debug)]
pub(super) struct Classifier<'a> {
    profiles: &'a Profiles,
    measured: OfMetrics<bool>,
    densities: Densities,
    logs: Logs,
}

impl Classifier<'_> {
    /// The likeliest profile, and whether the sample is like hardly any that was learned
    /// from; `None` if nothing was measured.
    pub(super) fn profile(&mut self, sample: &Sample) -> Option<(u8, bool)> {
        let mut x = self.profiles.standardised(&sample.values);
        for (x, _) in x.iter_mut().zip(self.measured).filter(|(_, measured)| !measured) {
            *x = f64::NAN;
        }
        let (profile, ln) = self.densities.likeliest(&x, &mut self.logs)?;
        Some((u8::try_from(profile).ok()?, ln < self.profiles.least_ln))
    }
}

/// What is below 0, as no metric can be, is damage; NaN stays unknown.
fn log1p(value: f64) -> f64 {
    if value.is_finite() { ln(1.0 + value.max(0.0)) } else { f64::NAN }
}

/// At most [`LEARNED_ROWS`] samples of the slaves, each with the same chance (Vitter's
/// algorithm R), so that memory and time do not grow with the length of the logs; and how
/// many there were.
fn choose(traces: &[&Trace]) -> (Vec<Values>, u64) {
    let mut dice = Shuffler::new(SEED);
    let mut rows = Vec::new();
    let mut seen = 0;
    for trace in traces {
        for sample in trace.peer_nodes().flat_map(|node| trace.samples.of_node(node)) {
            seen += 1;
            if rows.len() < LEARNED_ROWS {
                rows.push(sample.values);
            } else if let Some(row) = rows.get_mut(dice.below(seen)) {
                *row = sample.values;
            }
        }
    }
    (rows, seen as u64)
}

/// Mean and standard deviation of ln(1 + value) of the metrics that are used.
fn scales(rows: &[Values], used: OfMetrics<bool>) -> Vec<(f64, f64)> {
    let scale = |(metric, used): (usize, bool)| {
        let known = rows.iter().filter_map(|row| row.get(metric)).map(|x| log1p(*x)).filter(|x| !x.is_nan());
        used.then(|| mean_and_deviation(known)).flatten().unwrap_or_default()
    };
    used.into_iter().enumerate().map(scale).collect()
}
