//! Half of the nodes or more are slow (X6): then most of a slow node's peers are as slow, none of them is the odd one, and those
//! that stand out are the few that are well.
//!
//! ```text
//! h1  40 s  42 s  41 s  39 s  ┐
//! h2  41 s  40 s  44 s  40 s  │ alike, and half of all or more
//! h3  39 s  43 s  40 s  41 s  ┘
//! h4  10 s  11 s  10 s  12 s  ┐ alike, and as far below these as a slow node must lie above its peers
//! h5  11 s  10 s  10 s  10 s  ┘ to be indicted strongly
//! ```
//! A cluster of which one node is fast is well: the master's own node, better hardware, data at hand. So two are
//! asked for, but of three nodes, where one against two is all that can be seen (X6), and that in two jobs. Nor do nodes tell
//! that were given more to do, or more data, than the fast ones. Who is at fault nobody can say of it: it names no node and
//! makes no verdict of "clean".
//!
//! ```text
//! split     at the widest gap between the nodes' medians
//! apart ⇔  lower quartile of every slow node ≥ 1.5 × upper quartile of every fast one, and the medians 2 s apart;
//!           median of the slow ones' ≥ 2 × that of the fast ones'; neither spreads as far as the gap is wide;
//!           ≥ 1.4 × in every job with two states of both; and chance sorts nodes so in 1 % of all cases at most
//! ```
//! Cost: O(states · log states).

use super::gap::GAP_S;
use super::peers::Comparer;
use super::sample::{RESOLUTION_S, Sample};
use super::{Number, STRONG_P, STRONG_RATIO};
use crate::base::math::{exp, ln};
use crate::base::{Arrange, Gathered, JobId, NodeId};
use crate::diagnosis::MIN_PEERS;
use crate::model::{StateKind, TaskAttempt, TaskType, Trace};
use crate::stats::hypergeometric::ln_choices;
use crate::stats::quantile::{median, quantile, sorted};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds that last as long on one node as on another. What is copied or written waits for other nodes, too.
const TOLD_BY: [StateKind; 3] = [StateKind::Map, StateKind::Reduce, StateKind::ReduceReducer];
/// Fast nodes at the least, of more than three.
const FAST: usize = 2;
/// Jobs that tell of three nodes at the least.
const JOBS_OF_THREE: usize = 2;
/// States of both in a job from which it tells by itself.
const STATES_OF_BOTH: usize = 2;
/// States and bytes of the slow nodes over those of the fast ones, up to which they were given as much.
const AS_MUCH: f64 = 1.25;

/// One state: its node's place, its job, the logarithm of its seconds over those of its job's fastest node.
struct Lasted {
    node: usize,
    job: Option<JobId>,
    x: f64,
    broken_off: bool,
}

/// Medians and quartiles of each node.
struct Middle {
    node: usize,
    count: usize,
    lower: f64,
    median: f64,
    upper: f64,
}

impl Comparer {
    /// The slow nodes where they are half of those compared or more; else none.
    pub(super) fn slow_half(&self, trace: &Trace) -> Vec<NodeId> {
        self.divided(trace).unwrap_or_default()
    }

    fn divided(&self, trace: &Trace) -> Option<Vec<NodeId>> {
        if !TOLD_BY.contains(&self.kind) {
            return None;
        }
        let lasted = self.over_the_fastest();
        let mut middles = middles(lasted.iter(), self.nodes.len());
        middles.arrange(|a, b| a.median.total_cmp(&b.median).then(a.node.cmp(&b.node)));
        let widths = middles
            .windows(2)
            .map(|pair| pair.last().map_or(0.0, |b| b.median) - pair.first().map_or(0.0, |a| a.median));
        let (at, width) = widths.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        let (fast, slow) = middles.split_at_checked(at + 1)?;
        let of_three = middles.len() == MIN_PEERS;
        let is_half = 2 * slow.len() >= middles.len() && (fast.len() >= FAST || of_three);
        let holds = is_half && self.are_apart(&lasted, fast, slow, width) && self.in_each_job(&lasted, fast, of_three);
        let slow: Vec<NodeId> = slow.iter().filter_map(|middle| self.nodes.get(middle.node).copied()).gathered();
        let fast: Vec<NodeId> = fast.iter().filter_map(|middle| self.nodes.get(middle.node).copied()).gathered();
        (holds && had_as_much(trace, self.kind, &fast, &slow)).then_some(slow)
    }

    fn over_the_fastest(&self) -> Vec<Lasted> {
        let of = |sample: &Sample| Lasted {
            node: sample.node,
            job: sample.job(),
            x: ln(sample.seconds.max(RESOLUTION_S)),
            broken_off: sample.broken_off,
        };
        let mut lasted: Vec<Lasted> = self.samples.iter().map(of).collect();
        let mut of_jobs: BTreeMap<(Option<JobId>, usize), Vec<f64>> = BTreeMap::new();
        for state in &lasted {
            of_jobs.entry((state.job, state.node)).or_default().push(state.x);
        }
        // Of a job's median it would depend which of both ran more of it.
        let mut fastest: BTreeMap<Option<JobId>, f64> = BTreeMap::new();
        for ((job, _), x) in of_jobs {
            let middle = median(&sorted(x)).unwrap_or(0.0);
            fastest.entry(job).and_modify(|least| *least = least.min(middle)).or_insert(middle);
        }
        for state in &mut lasted {
            state.x -= fastest.get(&state.job).copied().unwrap_or(0.0);
        }
        lasted
    }

    /// Whether there are two groups by all states.
    fn are_apart(&self, lasted: &[Lasted], fast: &[Middle], slow: &[Middle], width: f64) -> bool {
        let medians = |group: &[Middle]| group.iter().map(|middle| middle.median).collect::<Vec<f64>>();
        let (of_fast, of_slow) = (medians(fast), medians(slow));
        let spread = |of: &[f64]| of.last().zip(of.first()).map_or(0.0, |(last, first)| last - first);
        let times = median(&of_slow).zip(median(&of_fast)).map_or(0.0, |(slow, fast)| slow - fast);
        let counts = |group: &[Middle]| group.iter().map(|m| m.count as f64).sum::<f64>() / group.len().max(1) as f64;
        // What was broken off would have lasted longer: it shows that a node is slow, and not that one is fast.
        let fast_nodes = nodes_of(fast);
        let ended = lasted.iter().filter(|state| !state.broken_off && fast_nodes.contains(&state.node));
        let ended = middles(ended, self.nodes.len());
        let upper = fast.iter().chain(&ended).map(|middle| middle.upper).fold(f64::NEG_INFINITY, f64::max);
        let lower = slow.iter().map(|middle| middle.lower).fold(f64::INFINITY, f64::min);
        let seconds = |of: &[f64]| self.typical_of(lasted) * exp(median(of).unwrap_or(0.0));
        ended.len() == fast.len()
            && lower - upper >= ln(self.numbers.get(Number::WbGap))
            && times >= ln(STRONG_RATIO)
            && spread(&of_fast) < width
            && spread(&of_slow) < width
            && seconds(&of_slow) - seconds(&of_fast) >= GAP_S
            && counts(slow) <= AS_MUCH * counts(fast)
            && self.ln_chance(lasted, fast, (lower + upper) / 2.0) <= ln(STRONG_P)
    }

    /// What `x = 0` is in seconds: the least that the fastest node of any job takes.
    fn typical_of(&self, lasted: &[Lasted]) -> f64 {
        let seconds = lasted.iter().zip(&self.samples).map(|(state, sample)| sample.seconds / exp(state.x));
        seconds.fold(f64::INFINITY, f64::min)
    }

    /// The logarithm of the chance that, were all nodes alike, some of them had so many of the states below the cut in each job,
    /// of all ways to choose nodes.
    fn ln_chance(&self, lasted: &[Lasted], fast: &[Middle], cut: f64) -> f64 {
        // Of a job, the states of fast nodes and of slow ones: those below the cut, and all.
        let mut counts: BTreeMap<Option<JobId>, [[usize; 2]; 2]> = BTreeMap::new();
        let fast_nodes = nodes_of(fast);
        for state in lasted {
            let [of_fast, of_slow] = counts.entry(state.job).or_default();
            let [below, all] = if fast_nodes.contains(&state.node) { of_fast } else { of_slow };
            *below += usize::from(state.x < cut);
            *all += 1;
        }
        let of_job = |[[a, f], [b, s]]: &[[usize; 2]; 2]| {
            // The tail of a hypergeometric distribution is at most its first term as often as it has terms.
            let terms = ln(((*f).min(a + b) - a + 1) as f64);
            (ln_choices(*f, *a) + ln_choices(*s, *b) - ln_choices(f + s, a + b) + terms).min(0.0)
        };
        counts.values().map(of_job).sum::<f64>() + self.nodes.len() as f64 * ln(2.0)
    }

    /// Whether each job in which both have states tells the same.
    fn in_each_job(&self, lasted: &[Lasted], fast: &[Middle], of_three: bool) -> bool {
        let mut of_jobs: BTreeMap<Option<JobId>, [Vec<f64>; 2]> = BTreeMap::new();
        let fast_nodes = nodes_of(fast);
        for state in lasted {
            let [of_fast, of_slow] = of_jobs.entry(state.job).or_default();
            if fast_nodes.contains(&state.node) { of_fast } else { of_slow }.push(state.x);
        }
        let tell = of_jobs.into_values().filter(|both| both.iter().all(|states| states.len() >= STATES_OF_BOTH));
        let times =
            tell.map(|[fast, slow]| median(&sorted(slow)).zip(median(&sorted(fast))).map_or(0.0, |(s, f)| s - f));
        let times: Vec<f64> = times.collect();
        let jobs = if of_three { JOBS_OF_THREE } else { 1 };
        times.len() >= jobs && times.iter().all(|times| *times >= ln(self.numbers.get(Number::WbSlow)))
    }
}

/// The places of a group's nodes.
fn nodes_of(group: &[Middle]) -> BTreeSet<usize> {
    group.iter().map(|middle| middle.node).gathered()
}

/// Of each node that has a state among these.
fn middles<'a>(lasted: impl Iterator<Item = &'a Lasted>, nodes: usize) -> Vec<Middle> {
    let mut of_nodes = vec![Vec::new(); nodes];
    for state in lasted {
        if let Some(own) = of_nodes.get_mut(state.node) {
            own.push(state.x);
        }
    }
    let of = |(node, own): (usize, Vec<f64>)| {
        let own = sorted(own);
        let [lower, median, upper] = [0.25, 0.5, 0.75].map(|q| quantile(&own, q));
        Some(Middle { node, count: own.len(), lower: lower?, median: median?, upper: upper? })
    };
    of_nodes.into_iter().enumerate().filter_map(of).collect()
}

/// Whether the tasks on the slow nodes had no more data than those on the fast ones, as far as counters tell.
fn had_as_much(trace: &Trace, kind: StateKind, fast: &[NodeId], slow: &[NodeId]) -> bool {
    let wanted = if kind == StateKind::Map { TaskType::Map } else { TaskType::Reduce };
    let typical = |nodes: &[NodeId]| {
        let nodes: BTreeSet<NodeId> = nodes.iter().copied().gathered();
        let own = trace.tasks.iter().filter(|t| t.task_type == wanted && t.node.is_some_and(|n| nodes.contains(&n)));
        median(&sorted(own.filter_map(TaskAttempt::bytes_in).map(|bytes| bytes as f64)))
    };
    typical(slow).zip(typical(fast)).is_none_or(|(slow, fast)| slow <= AS_MUCH * fast)
}
