//! A baseline: what control runs teach (K23, C06), kept in a small versioned file.
//!
//! ```text
//! file:  "ODDNODE-BASELINE\n" version(u8) length(u64 LE) crc32(u32 LE) postcard(baseline)
//! ```
//! Version 3 is read where it has no bands of system calls: those counted look-ups by descriptor with the others. Up to
//! version 4 it is not known how far control runs differ, nor of which clusters they were; up to version 5 not how profiles
//! were learned, which is told by the metrics that they use.

use super::control_clusters::ControlClusters;
use super::kahuna_bb::Learning;
use super::{Params, kahuna_bb, kahuna_wb, syscalls};
use crate::base::Arrange;
use crate::base::crc::crc32;
use crate::model::Trace;
use serde::{Deserialize, Serialize};

/// First bytes of a baseline file.
pub const MAGIC: &[u8] = b"ODDNODE-BASELINE\n";
/// What the name of a baseline's file ends in, where the page writes it.
pub const ENDING: &str = ".baseline";
/// No baseline is longer: of a thousand nodes and jobs it is a hundredth of that.
pub const LIMIT_BYTES: usize = 64 << 20;
/// Version of the baseline's layout.
pub const VERSION: u8 = 6;
/// The oldest that is still read.
const OLDEST: u8 = 3;
/// The last in which bands of calls count look-ups by descriptor.
const WITH_DESCRIPTORS: u8 = 3;
/// The first that has the clusters of its control runs.
const WITH_CLUSTERS: u8 = 5;
/// The first that says how profiles were learned.
const WITH_LEARNING: u8 = 6;
/// What control runs lack that teach nothing.
pub const TEACH_NOTHING: &str = "nothing can be learned from these control runs: they hold no metrics of three slaves, no system calls and no job to compare others with";
/// Version, length and checksum behind the magic.
const HEADER: usize = 1 + 8 + 4;

/// What was learned from control runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Profiles of the OS metrics.
    pub black_box: Option<kahuna_bb::Profiles>,
    /// Admissible bands of the system calls.
    pub calls: Option<syscalls::Bands>,
    /// How long work took.
    pub usual: kahuna_wb::Usual,
    /// Which clusters the control runs were of.
    pub clusters: ControlClusters,
    /// How the profiles were learned.
    pub learning: Learning,
}

/// What files had before [`WITH_LEARNING`].
#[derive(Debug, Deserialize)]
struct WithoutLearning {
    black_box: Option<kahuna_bb::Profiles>,
    calls: Option<syscalls::Bands>,
    usual: kahuna_wb::Usual,
    clusters: ControlClusters,
}

impl From<WithoutLearning> for Baseline {
    fn from(WithoutLearning { black_box, calls, usual, clusters }: WithoutLearning) -> Self {
        let learning = black_box.as_ref().map(kahuna_bb::Profiles::learning).unwrap_or_default();
        Self { black_box, calls, usual, clusters, learning }
    }
}

/// What files had before [`WITH_CLUSTERS`].
#[derive(Debug, Deserialize)]
struct Before {
    black_box: Option<kahuna_bb::Profiles>,
    calls: Option<syscalls::Bands>,
    usual: kahuna_wb::UsualBefore,
}

impl From<Before> for Baseline {
    fn from(Before { black_box, calls, usual }: Before) -> Self {
        WithoutLearning { black_box, calls, usual: usual.into(), clusters: ControlClusters::default() }.into()
    }
}

/// Why a file is no baseline that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It does not begin as one does.
    #[error("not a baseline: `oddnode train` writes them")]
    NotABaseline,
    /// It is of a layout that this version does not know.
    #[error("a baseline of version {version}, newer than the {VERSION} known here: update oddnode")]
    Newer {
        /// Its version.
        version: u8,
    },
    /// It is of a layout that is no longer read: it lacks what this version needs.
    #[error("a baseline of version {version}, in which something means another thing than now: train it again")]
    Older {
        /// Its version.
        version: u8,
    },
    /// It is longer than any.
    #[error("no baseline is longer than {LIMIT_BYTES} bytes")]
    TooLong,
    /// It ends too early.
    #[error("the baseline is cut: {have} of {wanted} bytes are there")]
    Cut {
        /// Bytes behind the header.
        have: u64,
        /// Bytes that the header promises.
        wanted: u64,
    },
    /// Its checksum is wrong, or its content makes no sense.
    #[error("the baseline is damaged in what begins at byte {at}")]
    Damaged {
        /// Where what the checksum covers begins, or what is too much.
        at: u64,
    },
}

impl Baseline {
    /// Learns from control runs, each a trace of its own.
    #[must_use]
    pub fn learn(runs: &[&Trace], params: &Params) -> Self {
        Self::default().extended(runs, params)
    }

    /// Extended by more control runs (C06): bands of calls are those of all runs together; profiles of metrics stay,
    /// and their thresholds rise to what the runs reach; of each job the longest time counts. What the baseline lacks
    /// is learned from the runs alone.
    #[must_use]
    pub fn extended(self, runs: &[&Trace], params: &Params) -> Self {
        self.taught(runs, params).0
    }

    /// The same, and whether the runs hold anything to compare others with: it may be known already. Of which clusters they
    /// were is nothing by itself.
    #[must_use]
    pub fn taught(self, runs: &[&Trace], params: &Params) -> (Self, bool) {
        // The order in which the runs were given must leave no trace.
        let mut runs = runs.to_vec();
        runs.arrange(|a, b| a.files.iter().map(|f| &f.path).cmp(b.files.iter().map(|f| &f.path)));
        let profiled = |profiles: &Option<kahuna_bb::Profiles>| profiles.as_ref().map(kahuna_bb::Profiles::runs);
        let profiled_before = profiled(&self.black_box);
        let (black_box, learning) = match self.black_box {
            Some(profiles) => {
                let params = Params { learning: self.learning, ..params.clone() };
                (Some(kahuna_bb::widen_by_controls(profiles, &runs, &params)), self.learning)
            }
            None => (kahuna_bb::learn_controls(&runs, params), params.learning),
        };
        let bands = bands_of(&runs, params);
        let mut taught = profiled(&black_box) != profiled_before || bands.as_ref().is_some_and(|bands| bands.runs > 0);
        let calls = match (self.calls, bands) {
            (Some(mut known), Some(more)) => {
                known.merge(&more);
                Some(known)
            }
            (known, more) => known.or(more),
        };
        let (mut usual, mut clusters) = (self.usual, self.clusters);
        for run in runs {
            taught |= usual.update(run);
            clusters.update(run);
        }
        (Self { black_box, calls, usual, clusters, learning }, taught)
    }

    /// Whether nothing could be learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.black_box.is_none() && self.calls.is_none() && self.usual.is_empty()
    }

    /// As a file.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        // Numbers, names and lists of them: nothing that postcard refuses.
        let body = postcard::to_stdvec(self).unwrap_or_default();
        file_of(VERSION, &body)
    }

    /// Whether a file that begins so is one.
    #[must_use]
    pub fn is_one(head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    /// From a file.
    ///
    /// # Errors
    /// If it is no baseline, a newer one, too long, cut or damaged.
    pub fn decode(file: &[u8]) -> Result<Self, BaselineError> {
        let rest = file.strip_prefix(MAGIC).ok_or(BaselineError::NotABaseline)?;
        if file.len() > LIMIT_BYTES {
            return Err(BaselineError::TooLong);
        }
        let version = *rest.first().ok_or(BaselineError::Cut { have: 0, wanted: HEADER as u64 })?;
        if version > VERSION {
            return Err(BaselineError::Newer { version });
        }
        if version < OLDEST {
            return Err(BaselineError::Older { version });
        }
        let cut = BaselineError::Cut { have: rest.len() as u64, wanted: HEADER as u64 };
        let (header, body) = rest.split_at_checked(HEADER).ok_or(cut)?;
        let damaged = |behind: u64| BaselineError::Damaged { at: (MAGIC.len() + HEADER) as u64 + behind };
        let (length, crc) = header.get(1..).and_then(|h| h.split_first_chunk::<8>()).ok_or_else(|| damaged(0))?;
        let wanted = u64::from_le_bytes(*length);
        if (body.len() as u64) < wanted {
            return Err(BaselineError::Cut { have: body.len() as u64, wanted });
        }
        if body.len() as u64 > wanted {
            return Err(damaged(wanted));
        }
        let fits = crc == crc32(body).to_le_bytes();
        let read = match version {
            ..WITH_CLUSTERS => postcard::from_bytes::<Before>(body).ok().map(Self::from),
            WITH_CLUSTERS..WITH_LEARNING => postcard::from_bytes::<WithoutLearning>(body).ok().map(Self::from),
            _ => postcard::from_bytes(body).ok(),
        };
        let baseline: Self = read.filter(|_| fits).ok_or_else(|| damaged(0))?;
        let sound = baseline.black_box.as_ref().is_none_or(kahuna_bb::Profiles::is_sound)
            && baseline.calls.as_ref().is_none_or(syscalls::Bands::is_sound)
            && baseline.usual.is_sound()
            && baseline.clusters.is_sound();
        if !sound {
            return Err(damaged(0));
        }
        match version <= WITH_DESCRIPTORS && baseline.calls.is_some() {
            true => Err(BaselineError::Older { version }),
            false => Ok(baseline),
        }
    }

    /// What it was learned from, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let profiles = self.black_box.as_ref().map(|p| {
            let runs = if p.runs() == 1 { "run" } else { "runs" };
            format!("{} control {runs}, {} samples, {} profiles", p.runs(), p.samples(), p.count())
        });
        let calls = self.calls.as_ref().map(|_| "bands of system calls".to_owned());
        let usual = match self.usual.jobs() {
            0 => None,
            1 => Some("how long the work of a job takes".to_owned()),
            jobs => Some(format!("how long the work of {jobs} jobs takes")),
        };
        let parts: Vec<String> = profiles.into_iter().chain(calls).chain(usual).collect();
        if parts.is_empty() { "nothing could be learned".to_owned() } else { parts.join("; ") }
    }

    /// What is to be told of the control runs together, if anything: a sentence.
    #[must_use]
    pub fn doubt(&self) -> Option<String> {
        self.clusters.differ(None).in_words().next()
    }
}

/// A file of a version, behind its head.
fn file_of(version: u8, body: &[u8]) -> Vec<u8> {
    [MAGIC, &[version], &(body.len() as u64).to_le_bytes(), &crc32(body).to_le_bytes(), body].concat()
}

/// Bands of the system calls of control runs; `None` where they trace no calls.
fn bands_of(runs: &[&Trace], params: &Params) -> Option<syscalls::Bands> {
    let traced: Vec<&Trace> = runs.iter().copied().filter(|run| !run.calls.is_empty()).collect();
    (!traced.is_empty()).then(|| syscalls::Bands::learn_by(&traced, params.syscalls))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{NodeId, Timestamp};
    use crate::diagnosis::Diagnosis;
    use crate::diagnosis::Signal;
    use crate::diagnosis::kahuna_bb::KahunaBlackBox;
    use crate::model::{Metric, Node, Sample, Samples};
    use proptest::prelude::*;
    use std::sync::Arc;

    fn file() -> Vec<u8> {
        Baseline { calls: Some(syscalls::Bands::default()), ..Baseline::default() }.encode()
    }

    #[test]
    fn what_was_encoded_is_decoded() {
        assert_eq!(Baseline::decode(&file()).map(|b| b.encode()), Ok(file()));
    }

    /// Four nodes for two minutes, of which the last computes as much as that.
    fn run(busy: f64) -> Trace {
        let sample = |node: u32, second: i64| {
            let user = if node == 3 { busy } else { 20.0 } + ((second * 7 + i64::from(node)) % 11) as f64;
            let values = Metric::ALL.map(|metric| if metric == Metric::User { user } else { 1.0 });
            Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
        };
        Trace {
            nodes: (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            samples: Samples::from_rows((0..4).flat_map(|node| (0..120).map(move |s| sample(node, s))).collect()),
            ..Trace::default()
        }
    }

    #[test]
    fn more_control_runs_raise_what_is_usual_and_leave_the_profiles() {
        let params = Params::default();
        let (quiet, busy) = (run(20.0), run(90.0));
        let one = Baseline::learn(&[&quiet], &params);
        let two = one.clone().extended(&[&busy], &params);
        let profiles = |baseline: &Baseline| baseline.black_box.clone().unwrap();
        assert_eq!((profiles(&one).runs(), profiles(&two).runs()), (1, 2));
        assert_eq!(
            (profiles(&one).samples(), profiles(&one).count()),
            (profiles(&two).samples(), profiles(&two).count())
        );
        // A node like that of the second run is accused by the first alone.
        let accused = |baseline: &Baseline| {
            let params = Params { baseline: Some(Arc::new(baseline.clone())), ..Params::default() };
            let said = KahunaBlackBox.run(&busy, &params);
            said.iter().filter(|w| w.signal == Signal::ControlProfiles).flat_map(|w| &w.indicted).count()
        };
        assert_eq!((accused(&one), accused(&two)), (1, 0));
        assert_eq!(Baseline::decode(&two.encode()), Ok(two));
    }

    #[test]
    fn errors_have_names() {
        assert_eq!(Baseline::decode(b""), Err(BaselineError::NotABaseline));
        assert_eq!(Baseline::decode(b"2026-11-21 INFO"), Err(BaselineError::NotABaseline));
        let good = file();
        let mut newer = good.clone();
        newer[MAGIC.len()] = 9;
        assert_eq!(Baseline::decode(&newer), Err(BaselineError::Newer { version: 9 }));
        newer[MAGIC.len()] = 1;
        assert_eq!(Baseline::decode(&newer), Err(BaselineError::Older { version: 1 }));
        for end in MAGIC.len()..good.len() {
            assert!(matches!(Baseline::decode(&good[..end]), Err(BaselineError::Cut { .. })), "cut at {end}");
        }
        let mut damaged = good.clone();
        *damaged.last_mut().unwrap() ^= 1;
        let body = (MAGIC.len() + HEADER) as u64;
        assert_eq!(Baseline::decode(&damaged), Err(BaselineError::Damaged { at: body }));
        assert_eq!(
            BaselineError::Damaged { at: body }.to_string(),
            "the baseline is damaged in what begins at byte 30"
        );
        let end = good.len() as u64;
        let longer = [&good[..], &[0]].concat();
        assert_eq!(Baseline::decode(&longer), Err(BaselineError::Damaged { at: end }), "longer than it says");
        let endless = [&good[..], &vec![0; LIMIT_BYTES]].concat();
        assert_eq!(Baseline::decode(&endless), Err(BaselineError::TooLong));
        let unsound = Baseline { black_box: Some(kahuna_bb::Profiles::default()), ..Baseline::default() };
        assert_eq!(Baseline::decode(&unsound.encode()), Err(BaselineError::Damaged { at: body }));
    }

    #[test]
    fn version_before_is_read_unless_it_has_bands_of_calls() {
        let before = |baseline: &Baseline, version: u8| {
            let mut file = baseline.encode();
            file[MAGIC.len()] = version;
            Baseline::decode(&file)
        };
        // How profiles were learned stands behind the clusters, and these behind all that there was.
        let learned = Baseline::learn(&[&run(20.0)], &Params::default());
        assert_eq!(before(&learned, 5), Ok(learned.clone()));
        let literal = Params { learning: Learning::Literal, ..Params::default() };
        let literal = Baseline::learn(&[&run(20.0)], &literal);
        assert_eq!((literal.learning, before(&literal, 5)), (Learning::Literal, Ok(literal.clone())));
        let known = Baseline { clusters: ControlClusters::default(), ..learned.clone() };
        assert!(known != learned);
        assert_eq!((before(&learned, 3), before(&learned, 4)), (Ok(known.clone()), Ok(known.clone())));
        let calls = Some(syscalls::Bands { runs: 3, ..Default::default() });
        let traced = Baseline { calls, ..known.clone() };
        assert_eq!(before(&traced, 3), Err(BaselineError::Older { version: 3 }));
        assert_eq!(before(&traced, 4), Ok(traced));
        // What a version 4 holds of one job: five numbers that tell its work, and the longest of its Maps.
        let usual = (1_u8, ("sort", 40_u32, 4_u32, 5_u32, None::<u64>), 1_u8, ("Map", 12.5));
        let body = postcard::to_stdvec(&(&known.black_box, None::<u8>, usual)).unwrap();
        let read = Baseline::decode(&file_of(4, &body)).unwrap();
        assert_eq!((read.usual.jobs(), read.black_box), (1, known.black_box));
    }

    #[test]
    fn what_no_control_run_could_have_taught_is_damage() {
        let decoded = |longest_s: f64| {
            let took = (1_u8, ("sort", 40_u32, 4_u32, 5_u32, None::<u64>), 1_u8, ("Map", Some(1.0), longest_s));
            let body = postcard::to_stdvec(&(None::<u8>, None::<u8>, took, 0_u8, 0_u8)).unwrap();
            Baseline::decode(&file_of(VERSION, &body))
        };
        assert!(decoded(2.0).is_ok());
        for longest_s in [0.5, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(decoded(longest_s), Err(BaselineError::Damaged { .. })), "{longest_s}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_answered(mut bytes in prop::collection::vec(any::<u8>(), 0..200), version in prop::option::of(OLDEST..=VERSION)) {
            if let Some(version) = version {
                let crc = crc32fast::hash(&bytes);
                let head = [MAGIC, &[version], &(bytes.len() as u64).to_le_bytes(), &crc.to_le_bytes()].concat();
                bytes.splice(0..0, head);
            }
            let _ = Baseline::decode(&bytes);
        }
    }
}
