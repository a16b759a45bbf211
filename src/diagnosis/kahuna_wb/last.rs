//! The gap rule of time: a fault that comes late is lost in the middle of all that a node did, and shows in the last of it.
//!
//! ```text
//! h1   12 s ──── 14 s ──── 11 s ──── 15 s ──── 13 s ──── 12 s
//! h2   13 s ──── 11 s ──── 47 s ──────────────── 52 s ────────────────   its last two
//! h3   14 s ──── 12 s ──── 13 s ──── 11 s ──── 12 s ──── 15 s
//!                          └ what the peers end from here on: none above 15 s
//! ```
//! What runs last is the longest of all by chance too: of 21 and two these two once in 253 times, and that is asked of each
//! node in each job; less, where they last twice as long as the longest elsewhere. Cost: O(states · log states).

use super::gap::GAP_S;
use super::sample::Sample;
use crate::base::{Arrange, JobId};

/// So many states at least: one may have been given more to do than any other.
const FEW: usize = 2;

/// States so many times as long as the peers' longest are no far end of what they all are. That they are on one node
/// and all that ran there is then chance's work so much more seldom.
const VERY_FAR: f64 = 2.0;
const LESS_RARE: f64 = 2.0;

/// The last states of a node in a job, each far longer than all that its peers ended since the first of them began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Last {
    /// How many they are.
    pub count: usize,
    /// The shortest of them.
    pub shortest_s: f64,
    /// How many the peers ended.
    pub peers: usize,
    /// The longest of these.
    pub peers_longest_s: f64,
}

/// Nodes by their places among those compared, each with its last states.
pub(super) type LastOfNodes = Vec<(usize, Last)>;

/// The jobs, with those of their nodes that have such last states: they last `far` times as long as the peers' longest, and
/// chance alone makes them the longest of all with a probability of `alpha` over all these jobs and so many nodes.
pub(super) fn of_jobs(samples: &[Sample], nodes: usize, far: f64, alpha: f64) -> Vec<(Option<JobId>, LastOfNodes)> {
    let mut samples: Vec<&Sample> = samples.iter().collect();
    samples.arrange_by(|sample| (sample.job(), sample.node, sample.start));
    let jobs: Vec<&[&Sample]> = samples.chunk_by(|a, b| a.job() == b.job()).collect();
    let rare = nodes as f64 * jobs.len() as f64 / alpha;
    let of_job = |job: &&[&Sample]| Some((job.first()?.job(), of_job(job, far, rare)));
    jobs.iter().filter_map(of_job).collect()
}

/// Those of one job, its states being in order of nodes and begins; they are the longest of all once in `rare` times.
fn of_job(job: &[&Sample], far: f64, rare: f64) -> LastOfNodes {
    let mut by_end: Vec<&Sample> = job.to_vec();
    by_end.arrange_by(|sample| sample.known_end());
    let since = |first: Sample| {
        let from = by_end.partition_point(|sample| sample.known_end() <= first.start);
        by_end.iter().skip(from).filter(move |sample| sample.node != first.node)
    };
    let last_of = |own: &[&Sample]| {
        let (mut found, mut shortest_s) = (None, f64::INFINITY);
        // The more of them, the shorter the shortest, and the longer the peers' longest: the first that fails ends it.
        for (count, first) in (1..).zip(own.iter().rev()) {
            shortest_s = first.seconds.min(shortest_s);
            if since(**first).any(|peer| shortest_s < (far * peer.seconds).max(peer.seconds + GAP_S)) {
                break;
            }
            if count < FEW {
                continue;
            }
            let peers = since(**first).filter(|peer| !peer.broken_off).count();
            let peers_longest_s = since(**first).map(|peer| peer.seconds).fold(0.0, f64::max);
            let rare = if shortest_s >= VERY_FAR * peers_longest_s { rare / LESS_RARE } else { rare };
            if choices(peers, count) >= rare {
                found = Some((first.node, Last { count, shortest_s, peers, peers_longest_s }));
            }
        }
        found
    };
    job.chunk_by(|a, b| a.node == b.node).filter_map(last_of).collect()
}

/// In how many ways so many are chosen of these and the others.
fn choices(others: usize, chosen: usize) -> f64 {
    (1..=chosen).map(|i| (others + i) as f64 / i as f64).product()
}
