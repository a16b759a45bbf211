//! Peer similarity: in a healthy job all nodes run their Maps alike.
//!
//! # Finds
//! Nothing that is counted: it names a node in half of the healthy runs. It is evidence
//! to look at, beside witnesses that judge.
//!
//! # Paper
//! Kahuna (IEEE NOMS 2010) §IV: the absolute value of Pearson's correlation of the number
//! of Maps per second of each pair of nodes in a job (K13); the share of nodes with 0.6 or
//! more with all others, 89 % in successful jobs and 43 % in aborted ones there (K14);
//! Maps per second of each node over time (K15, Fig. 3).
//!
//! # Needs
//! Maps with begin and end on at least two nodes.
//!
//! # Method
//! ```text
//! series of a node = Maps running in each second, averaged over it, from the job's first
//!                    Map to its last; in longer steps where those are asked for
//! r(i, j) = |Pearson|;  share = nodes with r ≥ 0.6 to all others / nodes with a series
//! ```
//! A series that does not vary (a node without a Map) correlates with nothing: left out
//! of the matrix and counted (X7).
//!
//! # Parameters
//! [`Number::Alike`], [`Number::AlikeStep`]; the constants below.
//!
//! # Abstains when
//! No job has two nodes whose series vary.
//!
//! # Known misses
//! Short jobs: a node with one Map has a single bump. On the labelled runs far fewer nodes of jobs that succeed are alike than
//! the paper has, unless steps are 30 s long (K14; `docs/papers.md`).
//!
//! # Cost
//! O(nodes² · seconds) a job; long jobs and those on very many nodes get longer steps, and of very many jobs some are
//! left out.

use super::{Abstention, Comparison, Diagnosis, DiagnosisAbout, Method, Number, Params, Signal, Witness};
use crate::base::{Arrange, Gathered, JobId, NodeId, Timestamp};
use crate::model::{StateKind, Trace};
use crate::stats::correlation::{Varying, correlations};
use crate::stats::quantile::median_of;
use std::collections::BTreeMap;

/// Steps of a job at the most: an hour of seconds…
const MAX_STEPS: u64 = 3600;
/// …and so many at the least, however many nodes there are.
const MIN_STEPS: u64 = 60;

/// Values of pairs of series compared at the most, about a second in a browser: of very many nodes the steps are longer,
/// of more jobs every second, third… is compared, and a node's score is the median over those.
const WORK_BUDGET: u64 = 8_000_000_000;

/// The method.
pub struct PeerSimilarity;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::PeerSimilarity,
    paper: "Kahuna, IEEE NOMS 2010, §IV",
    needs: "Maps with begin and end on two nodes",
    abstains: "no job has two nodes whose number of running Maps varies",
};

/// The nodes of a job compared by the Maps that run on them.
#[derive(Clone, Debug, PartialEq)]
pub struct JobSimilarity {
    /// The job.
    pub job: JobId,
    /// When step 0 begins.
    pub start: Timestamp,
    /// Length of a step.
    pub step_ms: i64,
    /// Maps running on each node in each step, averaged over it; of all nodes, those without a Map too.
    pub running: BTreeMap<NodeId, Vec<f64>>,
    /// Nodes whose series vary, in order; the correlations follow this order.
    pub nodes: Vec<NodeId>,
    /// |Pearson| of each pair; 1 on the diagonal.
    pub correlation: Vec<Vec<f64>>,
    /// Correlation from which two nodes are alike ([`Number::Alike`]).
    pub alike_from: f64,
    /// Nodes whose series do not vary.
    pub constant: Vec<NodeId>,
}

/// How many of a job's nodes are alike (K14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Likeness {
    /// The job.
    pub job: JobId,
    /// Nodes that are alike with all others.
    pub alike: usize,
    /// Nodes whose series vary.
    pub of: usize,
    /// Nodes left out, as their series do not vary (X7).
    pub constant: usize,
}

impl JobSimilarity {
    fn likeness(&self) -> Likeness {
        Likeness { job: self.job, alike: self.alike(), of: self.nodes.len(), constant: self.constant.len() }
    }

    /// How many nodes are alike with all others (K14).
    #[must_use]
    pub fn alike(&self) -> usize {
        let with_all =
            |(i, row): (usize, &Vec<f64>)| row.iter().enumerate().all(|(j, r)| i == j || *r >= self.alike_from);
        self.correlation.iter().enumerate().filter(|row| with_all(*row)).count()
    }
}

impl Diagnosis for PeerSimilarity {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        let jobs = by_job(trace, None);
        if jobs.is_empty() {
            return Vec::new();
        }
        let peers = trace.peer_nodes().count();
        let alike = Alike::by(params);
        let steps = jobs.values().filter_map(|maps| alike.steps_of(maps, peers)).map(|(.., steps)| steps);
        let every = every(peers, steps.fold(0, usize::saturating_add));
        let mut of_node: BTreeMap<NodeId, Vec<f64>> = BTreeMap::new();
        let mut of_jobs = Vec::new();
        for (job, maps) in jobs.into_iter().step_by(every) {
            let Some(similarity) = alike.compare(trace, job, &maps) else { continue };
            of_jobs.push(similarity.likeness());
            for (i, (node, row)) in similarity.nodes.iter().zip(&similarity.correlation).enumerate() {
                let others = row.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, r)| *r);
                of_node.entry(*node).or_default().extend(median_of(&mut others.collect::<Vec<f64>>()));
            }
        }
        let scores: Vec<(NodeId, f64)> =
            of_node.into_iter().filter_map(|(node, mut r)| Some((node, median_of(&mut r)?))).collect();
        vec![Witness {
            abstained: scores.is_empty().then_some(Abstention::TooFewData),
            threshold: (!scores.is_empty()).then_some(alike.from),
            scores,
            comparison: Some(Comparison::Likeness(of_jobs)),
            ..Witness::new(Method::PeerSimilarity, Signal::Maps)
        }]
    }
}

/// The similarity of a job; where none is chosen, of the one that ran most Maps (the first of several). `None` if its
/// nodes cannot be compared, or no job's can.
#[must_use]
pub fn of_job(trace: &Trace, chosen: Option<JobId>, params: &Params) -> Option<JobSimilarity> {
    let mut jobs: Vec<(JobId, Vec<MapInterval>)> = by_job(trace, chosen).into_iter().collect();
    jobs.arrange(|a, b| b.1.len().cmp(&a.1.len()).then(a.0.cmp(&b.0)));
    let ran_on_two =
        |maps: &[MapInterval]| maps.iter().any(|map| maps.first().is_some_and(|first| first.node != map.node));
    let jobs = jobs.iter().filter(|(_, maps)| ran_on_two(maps)).take(MOST_TRIED);
    jobs.into_iter().find_map(|(job, maps)| Alike::by(params).compare(trace, *job, maps))
}

/// Jobs tried, the largest first, until nodes of one can be compared: of the labelled runs and the month the first one can.
const MOST_TRIED: usize = 32;

/// Which of the jobs are compared, whose series have so many steps in all: each, every second, third…
fn every(nodes: usize, steps: usize) -> usize {
    let values = (nodes as u64).saturating_pow(2).saturating_mul(steps as u64);
    usize::try_from(values.div_ceil(WORK_BUDGET)).unwrap_or(usize::MAX).max(1)
}

/// Where and when a Map ran.
struct MapInterval {
    node: NodeId,
    start: Timestamp,
    end: Timestamp,
}

/// The Maps of each job, or of the one that is chosen.
fn by_job(trace: &Trace, chosen: Option<JobId>) -> BTreeMap<JobId, Vec<MapInterval>> {
    let mut jobs: BTreeMap<JobId, Vec<MapInterval>> = BTreeMap::new();
    let maps = trace.states.of_kind(StateKind::Map).filter(|map| chosen.is_none() || map.job == chosen);
    for map in maps.map(|map| trace.as_told(map)) {
        if let (Some(job), Some(node), Some(start)) = (map.job, map.node, map.start) {
            jobs.entry(job).or_default().push(MapInterval { node, start, end: map.end });
        }
    }
    jobs
}

/// When nodes are alike.
#[derive(Clone, Copy)]
struct Alike {
    /// Their correlation is so large.
    from: f64,
    /// Length of a step where the job is short enough.
    step_ms: i64,
}

impl Alike {
    fn by(params: &Params) -> Self {
        let of = |number| params.numbers.get(number);
        Self { from: of(Number::Alike), step_ms: (of(Number::AlikeStep) * 1000.0) as i64 }
    }

    /// When a job's steps begin, their length, and how many there are, where so many nodes are compared.
    fn steps_of(self, maps: &[MapInterval], nodes: usize) -> Option<(Timestamp, i64, usize)> {
        let start = maps.iter().map(|map| map.start).min()?;
        let length_ms = maps.iter().map(|map| map.end).max()?.millis_since(start).max(1);
        let pairs = (nodes as u64).saturating_pow(2).max(1);
        let most = (WORK_BUDGET / pairs).clamp(MIN_STEPS, MAX_STEPS) as i64;
        let step_ms = self.step_ms.max((length_ms - 1) / most + 1);
        Some((start, step_ms, ((length_ms - 1) / step_ms + 1) as usize))
    }

    fn compare(self, trace: &Trace, job: JobId, maps: &[MapInterval]) -> Option<JobSimilarity> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let (start, step_ms, steps) = self.steps_of(maps, peers.len())?;
        let mut running: BTreeMap<NodeId, Vec<f64>> = peers.into_iter().map(|node| (node, vec![0.0; steps])).gathered();
        for map in maps {
            let Some(series) = running.get_mut(&map.node) else { continue };
            let (from, to) = (map.start.millis_since(start), map.end.millis_since(start));
            let first = (from / step_ms).max(0);
            for (step, count) in (first..).zip(series.iter_mut().skip(first as usize)) {
                let within = to.min((step + 1) * step_ms) - from.max(step * step_ms);
                if within <= 0 {
                    break;
                }
                *count += within as f64 / step_ms as f64;
            }
        }
        let (mut nodes, mut varying, mut constant) = (Vec::new(), Vec::new(), Vec::new());
        for (&node, series) in &running {
            if let Some(of_node) = Varying::of(series) {
                nodes.push(node);
                varying.push(of_node);
            } else {
                constant.push(node);
            }
        }
        if varying.len() < 2 {
            return None;
        }
        let mut correlation = correlations(&varying);
        correlation.iter_mut().flatten().for_each(|r| *r = r.abs());
        Some(JobSimilarity { job, start, step_ms, running, nodes, correlation, alike_from: self.from, constant })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::Numbers;
    use crate::diagnosis::numbers::Setting;
    use crate::model::{Node, State, States};

    const JOB: JobId = JobId { cluster: 1, number: 1 };

    fn map(node: u32, from_ms: i64, to_ms: i64) -> State {
        State { job: Some(JOB), ..State::made(StateKind::Map, NodeId(node), (from_ms, to_ms), 1) }
    }

    fn trace(nodes: u32, maps: Vec<State>) -> Trace {
        Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: States::from_rows(maps),
            ..Trace::default()
        }
    }

    /// Four seconds: h0 runs 2 1 0 1 Maps, h1 2 2 0 0, h2 1 1 1 1 (constant), h3 none.
    fn example() -> Trace {
        let maps = vec![
            map(0, 0, 1000),
            map(0, 0, 2000),
            map(0, 3000, 4000),
            map(1, 0, 2000),
            map(1, 0, 2000),
            map(2, 0, 4000),
        ];
        trace(4, maps)
    }

    #[test]
    fn hand_worked_example() {
        // h0 − 1 = 1 0 −1 0; h1 − 1 = 1 1 −1 −1: Σxy = 2, Σxx = 2, Σyy = 4, r = 2/√8.
        let s = of_job(&example(), None, &Params::default()).unwrap();
        let running = [[2.0, 1.0, 0.0, 1.0], [2.0, 2.0, 0.0, 0.0], [1.0; 4], [0.0; 4]];
        assert_eq!(s.running.values().map(Vec::as_slice).collect::<Vec<_>>(), running);
        assert_eq!(s.nodes, [NodeId(0), NodeId(1)]);
        assert!((s.correlation[0][1] - std::f64::consts::FRAC_1_SQRT_2).abs() < 1e-9, "{:?}", s.correlation);
        assert_eq!(s.correlation[0][1].to_bits(), s.correlation[1][0].to_bits());
        assert_eq!(s.constant, [NodeId(2), NodeId(3)]);
        assert_eq!(s.alike(), 2);
    }

    #[test]
    fn a_share_of_a_second_counts_as_such() {
        let maps = vec![map(0, 500, 1750), map(1, 0, 1000), map(1, 2000, 3000)];
        let s = of_job(&trace(2, maps), None, &Params::default()).unwrap();
        assert_eq!(s.running[&NodeId(0)], [0.5, 0.75, 0.0]);
        assert_eq!(s.running[&NodeId(1)], [1.0, 0.0, 1.0]);
        assert_eq!(s.alike(), 2, "opposed is alike too: the paper takes the absolute value");
    }

    /// In steps of two seconds h0 runs 1.5 and 0.5 Maps, h1 2 and 0.
    #[test]
    fn longer_steps_are_averages() {
        let step = Setting::new("alike_step", 2.0).unwrap();
        let params = Params { numbers: Numbers::with(&[step]), ..Params::default() };
        let s = of_job(&example(), None, &params).unwrap();
        assert_eq!((&s.running[&NodeId(0)], &s.running[&NodeId(1)]), (&vec![1.5, 0.5], &vec![2.0, 0.0]));
        assert!((s.correlation[0][1] - 1.0).abs() < 1e-9, "{:?}", s.correlation);
    }

    #[test]
    fn a_chosen_job_is_compared_however_few_its_maps() {
        let other = JobId { cluster: 1, number: 2 };
        let of_other = [map(0, 0, 2000), map(1, 1000, 4000)].map(|map| State { job: Some(other), ..map });
        let mut trace = example();
        trace.states = States::from_rows(trace.states.of_kind(StateKind::Map).chain(of_other));
        let job = |chosen| of_job(&trace, chosen, &Params::default()).map(|s| s.job);
        assert_eq!([None, Some(JOB), Some(other)].map(job), [Some(JOB), Some(JOB), Some(other)]);
        assert_eq!(job(Some(JobId { cluster: 1, number: 3 })), None);
    }

    #[test]
    fn of_very_many_nodes_the_steps_are_longer() {
        let hour =
            [MapInterval { node: NodeId(0), start: Timestamp::default(), end: Timestamp::from_millis(3_600_000) }];
        let steps =
            |nodes| Alike::by(&Params::default()).steps_of(&hour, nodes).map(|(_, step_ms, steps)| (step_ms, steps));
        assert_eq!([6, 1_000].map(steps), [Some((1_000, 3_600)); 2]);
        assert_eq!(steps(5_000), Some((11_250, 320)), "the budget over 25 million pairs");
        assert_eq!(steps(usize::MAX), Some((60_000, 60)));
    }

    #[test]
    fn the_more_there_is_to_compare_the_fewer_jobs_are() {
        assert_eq!([(0, 0), (100, 800_000), (100, 800_001)].map(|(nodes, steps)| every(nodes, steps)), [1, 1, 2]);
        assert!(every(usize::MAX, usize::MAX) > 1_000_000_000);
    }

    #[test]
    fn it_shows_and_never_indicts() {
        let witnesses = PeerSimilarity.run(&example(), &Params::default());
        let [witness] = witnesses.as_slice() else { panic!("one witness") };
        assert!(witness.indicted.is_empty() && witness.abstained.is_none());
        assert_eq!(witness.scores.len(), 2);
        let alone = PeerSimilarity.run(&trace(3, vec![map(0, 0, 1000)]), &Params::default());
        assert_eq!(alone[0].abstained, Some(Abstention::TooFewData));
        assert!(PeerSimilarity.run(&trace(3, Vec::new()), &Params::default()).is_empty());
    }
}
