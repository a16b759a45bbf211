//! The numbers of the methods that can be set: what is usual, why, and what is allowed (X3).
//!
//! All of them are in the report, and `--set NAME=X` of the command sets them. Numbers that bound work, and
//! those without which a rule would mean something else, stay constants beside their rules.

use std::ops::RangeInclusive;
use thiserror::Error;

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// States a node needs to be judged (X4). With 3 or more, the small real runs lose half of their true
    /// indictments; with 1 there is no distribution.
    WbStates,
    /// Bins of a histogram. On the labelled runs 3 to 6 did alike and 8 to 16 worse: a node has few states.
    WbBins,
    /// Permutations: p down to 1/2001.
    WbPermutations,
    /// Share of permutations whose largest T may reach the threshold.
    WbAlpha,
    /// The threshold is never lower: a smaller distance is no effect worth a name.
    WbFloor,
    /// A node is slow if its median is so many times its peers'. Below it, permutation finds differences that
    /// nobody would call a fault.
    WbSlow,
    /// Gap rule: the node's lower quartile over the other nodes' largest upper quartile. 1.2 to 1.3 indicted a
    /// node of a fault-free run.
    WbGap,
    /// Profiles where their number is not chosen by BIC. Unpublished; in a trial on the labelled runs 7 and 9
    /// found as many nodes and 5 one less.
    BbProfiles,
    /// Half-life of a histogram in seconds (unpublished), however often samples are taken.
    BbHalfLife,
    /// Window in seconds in which T is watched: as long as the half-life, in which the past fades.
    BbWindow,
    /// T has to stay over the threshold in so much of some window: most of it, and not all, since T falls when
    /// the peers pass through another phase of the job.
    BbShare,
    /// Threshold with profiles of the logs themselves. On the labelled runs what lasts on healthy nodes stays
    /// at 0.38 or below; the nodes found have 0.52 to 0.83, and one of those not found 0.44
    /// (`tests/black_box.rs`). Chosen in that gap, so other runs may need another.
    BbThreshold,
    /// Threshold with profiles of control runs: so much above what lasted there (left out of the learning,
    /// healthy nodes reach 0.37)…
    BbMargin,
    /// …and never below: a few quiet control runs must not make a hair trigger.
    BbFloor,
    /// What a node's level stays above, over what its peers' stay below. On the labelled runs no healthy node
    /// reaches 1.0, and every hog 4.5.
    BbLevels,
    /// Correlation from which two nodes are alike (K14).
    Alike,
    /// Steps in seconds over which a node's running Maps are averaged (K13; the paper counts Maps a second and does not say
    /// over what). Longer ones make nodes more alike, those of aborted jobs too (K14, `docs/papers.md`).
    AlikeStep,
    /// The node with most must lie so far above every other (C08, C09).
    CallsApart,
    /// Excess over the bands must lie so far above every other's (C10).
    CallsIsolated,
    /// A call is a spike if it took so many times as long as the same call ever did in control runs (C07, C13).
    CallsSpike,
    /// Spikes that accuse a node at the least.
    CallsSpikes,
    /// Share of a node's calls that must lie in buckets beyond the bands before it is called possibly faulty (C10): one call
    /// in twenty, since a bucket that no control run filled is filled by chance now and then.
    CallsExcess,
    /// Calls of a signature in control runs before its band is believed.
    CallsSupport,
    /// How many pairs are the highest, which must meet in one node (C14): two, the fewest that can.
    CallsHighest,
    /// That node's score over any other's.
    CallsDominant,
    /// Chance allowed to an incident anywhere among nodes and jobs.
    TheiaAlpha,
    /// Chance allowed: transfers come in bursts, so the permutations promise too much.
    FlowsAlpha,
    /// A node is slow from this ratio on: reads and shuffles of labelled runs without a fault stay below 1.34.
    FlowsSlow,
    /// Blocks are written in bursts by one task, so chance alone makes larger differences: up to 2.9 on those runs,
    /// with p ≥ 0.04, and 1.56 with p < 0.001 on one whose fault was elsewhere. Further runs of two clusters have none
    /// besides, and faulty nodes with 1.62 to 1.96.
    FlowsSlowWrites,
    /// Transfers that must touch a node, and that must not: heavy loss lets only a few through. Permutation
    /// accounts for how few they are.
    FlowsTransfers,
    /// A node stands out if it is named so many times as often as any other.
    WarningsTimes,
    /// Median absolute deviations that count as ordinary, as in HDFS's detector.
    WarningsDeviations,
    /// How many times more memory, cores or processors nodes of another kind have at least, who are no peers (X11): memory
    /// found at a node's start varies by some percents between equal machines. With a large number all are of one kind.
    KindsApart,
}

/// What there is to know about a number.
#[derive(Clone, Debug, PartialEq)]
pub struct NumberAbout {
    /// Its name in reports and on the command line.
    pub name: &'static str,
    /// What it is if nobody sets it.
    pub usual: f64,
    /// What it may be.
    pub allowed: RangeInclusive<f64>,
    /// Whether it counts something.
    pub is_whole: bool,
    /// What it is, in a line.
    pub means: &'static str,
}

const fn share(name: &'static str, usual: f64, means: &'static str) -> NumberAbout {
    NumberAbout { name, usual, allowed: 0.0..=1.0, is_whole: false, means }
}

const fn times(name: &'static str, usual: f64, means: &'static str) -> NumberAbout {
    NumberAbout { name, usual, allowed: 1.0..=1000.0, is_whole: false, means }
}

const fn count(name: &'static str, usual: u16, allowed: RangeInclusive<u16>, means: &'static str) -> NumberAbout {
    let allowed = *allowed.start() as f64..=*allowed.end() as f64;
    NumberAbout { name, usual: usual as f64, allowed, is_whole: true, means }
}

impl Number {
    /// All of them, in the order of their methods.
    pub const ALL: [Self; 33] = [
        Self::WbStates,
        Self::WbBins,
        Self::WbPermutations,
        Self::WbAlpha,
        Self::WbFloor,
        Self::WbSlow,
        Self::WbGap,
        Self::BbProfiles,
        Self::BbHalfLife,
        Self::BbWindow,
        Self::BbShare,
        Self::BbThreshold,
        Self::BbMargin,
        Self::BbFloor,
        Self::BbLevels,
        Self::Alike,
        Self::AlikeStep,
        Self::CallsApart,
        Self::CallsIsolated,
        Self::CallsSpike,
        Self::CallsSpikes,
        Self::CallsExcess,
        Self::CallsSupport,
        Self::CallsHighest,
        Self::CallsDominant,
        Self::TheiaAlpha,
        Self::FlowsAlpha,
        Self::FlowsSlow,
        Self::FlowsSlowWrites,
        Self::FlowsTransfers,
        Self::WarningsTimes,
        Self::WarningsDeviations,
        Self::KindsApart,
    ];

    /// What it is.
    #[must_use]
    pub const fn about(self) -> NumberAbout {
        match self {
            Self::WbStates => count("wb_states", 2, 2..=1000, "states of a kind that a node needs to be judged"),
            Self::WbBins => count("wb_bins", 5, 2..=100, "bins of a histogram of durations"),
            Self::WbPermutations => count("wb_permutations", 2000, 100..=50_000, "permutations of the node labels"),
            Self::WbAlpha => share("wb_alpha", 0.02, "share of permutations that may reach the threshold by chance"),
            Self::WbFloor => share("wb_floor", 0.5, "the least threshold on the distance from a majority"),
            Self::WbSlow => times("wb_slow", 1.4, "least ratio of a slow node's median to its peers'"),
            Self::WbGap => times("wb_gap", 1.5, "gap rule: lower quartile over every peer's upper quartile"),
            Self::BbProfiles => count("bb_profiles", 7, 1..=64, "profiles of metrics, unless BIC chooses"),
            Self::BbHalfLife => count("bb_half_life", 60, 1..=3600, "half-life of a histogram of profiles, in seconds"),
            Self::BbWindow => {
                count("bb_window", 60, 1..=3600, "window in which distance and levels are watched, in seconds")
            }
            Self::BbShare => share("bb_share", 0.6, "share of a window over the threshold"),
            Self::BbThreshold => share(
                "bb_threshold",
                0.45,
                "threshold with profiles of the logs themselves; with --threshold, of all profiles",
            ),
            Self::BbMargin => share("bb_margin", 0.1, "threshold above what lasted in control runs"),
            Self::BbFloor => share("bb_floor", 0.4, "the least threshold with profiles of control runs"),
            Self::BbLevels => {
                times("bb_levels", 1.5, "least ratio of a node's metric to every peer's, for most of a window")
            }
            Self::Alike => share("alike", 0.6, "correlation of two nodes that are alike"),
            Self::AlikeStep => {
                count("alike_step", 1, 1..=3600, "steps over which running Maps are averaged, in seconds")
            }
            Self::CallsApart => {
                times("calls_apart", 1.25, "least ratio of the highest node to every other (statistical)")
            }
            Self::CallsIsolated => {
                times("calls_isolated", 1.5, "excess over the bands over every other's (statistical)")
            }
            Self::CallsSpike => times("calls_spike", 2.0, "a slow call over the longest in control runs (semantic)"),
            Self::CallsSpikes => count("calls_spikes", 3, 1..=1000, "slow calls that accuse a node (semantic)"),
            Self::CallsExcess => share("calls_excess", 0.05, "share of calls beyond the bands (statistical)"),
            Self::CallsSupport => {
                count("calls_support", 3, 1..=1000, "like calls in control runs before they count (semantic)")
            }
            Self::CallsHighest => {
                count("calls_highest", 2, 2..=1000, "highest pairs that must meet in one node (semantic)")
            }
            Self::CallsDominant => times("calls_dominant", 1.5, "that node's score over any other's (semantic)"),
            Self::TheiaAlpha => share("theia_alpha", 0.01, "chance of an incident among all nodes and jobs"),
            Self::FlowsAlpha => share("flows_alpha", 0.001, "chance of a slow node's transfers"),
            Self::FlowsSlow => times("flows_slow", 1.5, "least ratio of a slow node's transfer times to others'"),
            Self::FlowsSlowWrites => times("flows_slow_writes", 1.6, "the same for writes"),
            Self::FlowsTransfers => count("flows_transfers", 3, 1..=1000, "transfers that a node needs to be judged"),
            Self::WarningsTimes => {
                times("warnings_times", 3.0, "least ratio of lines naming a node to those naming any other")
            }
            Self::WarningsDeviations => times("warnings_deviations", 3.0, "deviations of a count that are ordinary"),
            Self::KindsApart => {
                times("kinds_apart", 1.25, "least ratio of two kinds of nodes' memory, cores or processors")
            }
        }
    }
}

/// Why a number cannot be set.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NumberError {
    /// None is called so.
    #[error("unknown parameter {name}; choose one of {}", Number::ALL.map(|number| number.about().name).join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
    },
    /// It may not be that.
    #[error("{} is {} from {} to {}", .0.name, if .0.is_whole { "a whole number" } else { "a number" }, .0.allowed.start(), .0.allowed.end())]
    NotAllowed(NumberAbout),
}

/// A number, and a value that it may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    number: Number,
    value: f64,
}

impl Setting {
    /// The number of this name, set to that.
    ///
    /// # Errors
    /// No number is called so, or it may not be that.
    pub fn new(name: &str, value: f64) -> Result<Self, NumberError> {
        let number = Number::ALL.into_iter().find(|number| number.about().name == name);
        let Some(number) = number else { return Err(NumberError::Unknown { name: name.to_owned() }) };
        let about = number.about();
        if !about.allowed.contains(&value) || about.is_whole && value.fract() != 0.0 {
            return Err(NumberError::NotAllowed(about));
        }
        Ok(Self { number, value })
    }
}

/// The value of each number that is not the usual one, or that was chosen to be it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbers([Option<f64>; Number::ALL.len()]);

impl Default for Numbers {
    fn default() -> Self {
        Self([None; Number::ALL.len()])
    }
}

impl Numbers {
    /// The value of one.
    #[must_use]
    pub fn get(&self, number: Number) -> f64 {
        self.chosen(number).unwrap_or_else(|| number.about().usual)
    }

    /// The value of one, if somebody chose it.
    #[must_use]
    pub fn chosen(&self, number: Number) -> Option<f64> {
        self.0.get(number as usize).copied().flatten()
    }

    /// The value of one that counts something.
    #[must_use]
    pub fn count(&self, number: Number) -> usize {
        self.get(number) as usize
    }

    /// The same, but one is so many times smaller.
    #[must_use]
    pub fn divided(mut self, number: Number, by: usize) -> Self {
        let value = self.get(number) / by.max(1) as f64;
        if let Some(slot) = self.0.get_mut(number as usize) {
            *slot = Some(value);
        }
        self
    }

    /// The usual ones but for these.
    #[must_use]
    pub fn with(settings: &[Setting]) -> Self {
        let mut numbers = Self::default();
        for setting in settings {
            if let Some(slot) = numbers.0.get_mut(setting.number as usize) {
                *slot = Some(setting.value);
            }
        }
        numbers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_at_its_place_and_usually_allowed() {
        for (at, number) in Number::ALL.into_iter().enumerate() {
            let about = number.about();
            assert_eq!(number as usize, at, "{}", about.name);
            assert_eq!(Numbers::default().get(number).to_bits(), about.usual.to_bits());
            assert_eq!(Setting::new(about.name, about.usual), Ok(Setting { number, value: about.usual }));
        }
        let mut names = Number::ALL.map(|number| number.about().name);
        names.sort_unstable();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]), "{names:?}");
    }

    #[test]
    fn only_what_makes_sense_can_be_set() {
        let numbers = Numbers::with(&[Setting::new("wb_alpha", 0.05).unwrap()]);
        assert_eq!(numbers.get(Number::WbSlow).to_bits(), 1.4_f64.to_bits());
        assert_eq!(numbers.get(Number::WbAlpha).to_bits(), 0.05_f64.to_bits());
        assert_eq!((numbers.chosen(Number::WbAlpha), numbers.chosen(Number::WbSlow)), (Some(0.05), None));
        let refused = |name: &str, value: f64| Setting::new(name, value).unwrap_err().to_string();
        assert_eq!(refused("wb_bins", 2.5), "wb_bins is a whole number from 2 to 100");
        assert_eq!(refused("wb_alpha", 1.5), "wb_alpha is a number from 0 to 1");
        assert_eq!(refused("wb_alpha", f64::NAN), "wb_alpha is a number from 0 to 1");
        assert!(refused("alpha", 0.1).starts_with("unknown parameter alpha; choose one of wb_states, "));
    }
}
