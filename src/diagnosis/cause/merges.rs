//! Reduces that stand in their merge, of which one alone tells of its node.
//!
//! ```text
//! h101  r_4  ├── copy ──┤m├── reduce ──┤
//! h106  r_5  ├── copy ──┤m                                        killed
//! ```
//! A Reduce that merges has all that others hold for it, and runs Hadoop's code, not the job's: what it waits for is on its
//! node. It may have more to merge than others; so it counts only where it is known to have fetched at most twice
//! what one of them did.
//!
//! Source: HANG-2080 of Kahuna's Table II, Reduces that hang in their sort; on the laboratory's runs (`docs/results/rules.md`).
//! Cost: O(states of the kind, for each that lasts so long), and O(flows · log states) where one does.

use crate::base::{Arrange, AttemptId, JobId, NodeId};
use crate::model::{FlowKind, Outcome, State, StateKind, Trace};

/// Shorter ones may be a disk's: beside a hog of the disk merges took 21 and 26 s, and ended.
const LEAST_MS: i64 = 30_000;
/// It lasts so many times as long as any that ended in its job.
const TIMES: i64 = 10;
/// Merges of its job that ended elsewhere, so that it is known how long they take.
const ENDED: usize = 4;
/// It fetched at most so many times what a Reduce did that merged.
const TIMES_FETCHED: u64 = 2;
/// Where more than so many last so long, none is looked at: one node is not the reason.
const LOOKED_AT: usize = 256;

/// A Reduce that stands in its merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InMerge {
    /// Which.
    pub attempt: AttemptId,
    /// How long, in milliseconds.
    pub ms: i64,
    /// The longest that ended in its job, in milliseconds.
    pub longest_ms: i64,
}

/// A merge.
struct Merge {
    job: Option<JobId>,
    node: Option<NodeId>,
    attempt: AttemptId,
    ms: i64,
    ended: bool,
}

impl Merge {
    /// As far as it is known how long it lasted.
    fn of(trace: &Trace, s: &State) -> Option<Self> {
        let (attempt, ms) = (s.attempt?, trace.lasted_ms(s)?);
        let ended = !s.open && s.outcome == Some(Outcome::Success);
        Some(Self { job: s.job, node: s.node, attempt, ms, ended })
    }
}

/// All of a trace.
pub(super) fn standing(trace: &Trace) -> Vec<InMerge> {
    let states = trace.states.of_kind(StateKind::ReduceMergeCopy).map(|s| trace.as_told(s));
    let merges: Vec<Merge> = states.filter_map(|s| Merge::of(trace, &s)).collect();
    let far_longer = |merge: &Merge| {
        let ended = || merges.iter().filter(|other| other.ended && other.job == merge.job);
        let longest_ms = ended().map(|other| other.ms).max()?;
        let is_known = ended().filter(|other| other.node != merge.node).nth(ENDED - 1).is_some();
        let found = InMerge { attempt: merge.attempt, ms: merge.ms, longest_ms };
        (is_known && merge.ms >= longest_ms.saturating_mul(TIMES)).then_some(found)
    };
    let is_long = |merge: &&Merge| !merge.ended && merge.ms >= LEAST_MS;
    let long: Vec<&Merge> = merges.iter().filter(is_long).take(LOOKED_AT + 1).collect();
    if long.len() > LOOKED_AT {
        return Vec::new();
    }
    let mut found: Vec<InMerge> = long.into_iter().filter_map(far_longer).collect();
    if !found.is_empty() {
        let fetched = Fetched::of(trace, &merges);
        found.retain(|of| fetched.no_more_than_others(of.attempt, &merges));
    }
    found
}

/// How many bytes each Reduce that merged, or is at it, fetched, in order of the attempts.
struct Fetched(Vec<(AttemptId, u64)>);

impl Fetched {
    fn of(trace: &Trace, merges: &[Merge]) -> Self {
        let mut all: Vec<(AttemptId, u64)> = merges.iter().map(|merge| (merge.attempt, 0)).collect();
        all.arrange_by(|(attempt, _)| *attempt);
        let mut fetched = Self(all);
        trace.flows.each_of_kind(FlowKind::Shuffle, &mut |_, flow| {
            if let Some((_, sum)) =
                flow.reduce.and_then(|reduce| fetched.place_of(reduce)).and_then(|at| fetched.0.get_mut(at))
            {
                *sum = sum.saturating_add(flow.bytes.unwrap_or(0));
            }
        });
        fetched
    }

    /// The first place of a Reduce.
    fn place_of(&self, reduce: AttemptId) -> Option<usize> {
        let at = self.0.partition_point(|(attempt, _)| *attempt < reduce);
        self.0.get(at).filter(|(attempt, _)| *attempt == reduce).map(|_| at)
    }

    fn by(&self, reduce: AttemptId) -> u64 {
        self.place_of(reduce).and_then(|at| self.0.get(at)).map_or(0, |(_, bytes)| *bytes)
    }

    /// Whether a Reduce is known to have fetched at most twice what another of its job did that merged.
    fn no_more_than_others(&self, reduce: AttemptId, merges: &[Merge]) -> bool {
        let own = self.by(reduce);
        let mut others = merges.iter().filter(|other| other.ended && other.attempt.job == reduce.job);
        own > 0 && others.any(|other| own <= TIMES_FETCHED.saturating_mul(self.by(other.attempt)))
    }
}

#[cfg(test)]
pub(in crate::diagnosis) mod tests {
    use super::super::{Causes, Rule, Symptoms};
    use super::*;
    use crate::base::{FileId, Place, TaskLetter, Timestamp};
    use crate::diagnosis::Signal;
    use crate::model::{Flow, Lanes, Node};

    const JOB: JobId = JobId { cluster: 1, number: 1 };
    const HUNG: AttemptId = reduce(5);

    const fn reduce(task: u32) -> AttemptId {
        AttemptId { job: JOB, letter: TaskLetter::Reduce, task, attempt: 0 }
    }

    /// Five Reduces on four nodes that take 60 s, one of it to merge, and one more on node 3 that is killed after so many
    /// seconds in its merge; all fetched a thousand bytes, but for that one.
    pub(in crate::diagnosis) fn cluster(seconds: i64, fetched: u64) -> Trace {
        let mut states = Vec::new();
        let mut flows = Vec::new();
        for task in 0..6 {
            let (attempt, line) = (reduce(task), u64::from(task) + 1);
            let node = if attempt == HUNG { NodeId(3) } else { NodeId(task % 4) };
            let (end, merged, outcome) = match attempt == HUNG {
                true => (40_000 + seconds * 1000, 40_000 + seconds * 1000, Outcome::Killed),
                false => (60_000, 41_000, Outcome::Success),
            };
            for (kind, start, end) in [(StateKind::Reduce, 0, end), (StateKind::ReduceMergeCopy, 40_000, merged)] {
                let made = State::made(kind, node, (start, end), line);
                states.push(State { job: Some(JOB), attempt: Some(attempt), outcome: Some(outcome), ..made });
            }
            let bytes = if attempt == HUNG { fetched } else { 1000 };
            let place = Place { file: FileId(0), line };
            let flow = Flow::of(FlowKind::Shuffle, Timestamp::from_millis(40_000), place);
            flows.push(Flow { reduce: Some(attempt), bytes: Some(bytes).filter(|b| *b > 0), ..flow });
        }
        Trace {
            nodes: (0..4).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            states: Lanes::from_rows(states),
            flows: Lanes::from_rows(flows),
            ..Trace::default()
        }
    }

    fn altered(alter: impl Fn(&mut State)) -> Trace {
        let mut trace = cluster(50, 1100);
        let mut states: Vec<State> = trace.states.iter().collect();
        states.iter_mut().for_each(alter);
        trace.states = Lanes::from_rows(states);
        trace
    }

    #[test]
    fn one_that_merges_far_longer_than_others_and_has_no_more_to_merge_stands() {
        assert_eq!(standing(&cluster(50, 1100)), [InMerge { attempt: HUNG, ms: 50_000, longest_ms: 1000 }]);
        assert_eq!(standing(&cluster(50, 2000)).len(), 1);
    }

    #[test]
    fn one_that_has_more_to_merge_or_may_have_says_nothing() {
        assert_eq!(standing(&cluster(50, 2001)), []);
        assert_eq!(standing(&cluster(50, 0)), [], "nothing tells what it fetched");
    }

    #[test]
    fn one_that_is_hardly_longer_or_ends_says_nothing() {
        assert_eq!(standing(&cluster(29, 1100)), []);
        let of_others = |ms: i64| {
            altered(|s| {
                if s.kind == StateKind::ReduceMergeCopy && s.attempt != Some(HUNG) {
                    s.end = Timestamp::from_millis(40_000 + ms);
                }
            })
        };
        assert_eq!((standing(&of_others(5000)).len(), standing(&of_others(5001)).len()), (1, 0));
        assert_eq!(standing(&altered(|s| s.outcome = Some(Outcome::Success))), []);
    }

    #[test]
    fn too_few_others_say_nothing_of_it() {
        let without = |tasks: u32| {
            let mut trace = cluster(50, 1100);
            let is_kept = |s: &State| s.attempt.is_some_and(|id| id.task >= tasks);
            trace.states = Lanes::from_rows(trace.states.iter().filter(is_kept).collect::<Vec<_>>());
            trace
        };
        // That on its own node does not count.
        assert_eq!((standing(&without(0)).len(), standing(&without(1)).len()), (1, 0));
    }

    /// It may wait for a disk.
    #[test]
    fn one_alone_hangs_unless_block_writes_are_slow_too() {
        let trace = cluster(50, 1100);
        let cause = |slower: &[(Signal, f64)]| {
            let symptoms = Symptoms { slower: slower.iter().copied().collect(), ..Symptoms::default() };
            Causes::new(&trace).of(NodeId(3), &symptoms)
        };
        assert_eq!(cause(&[]), Rule::Standing);
        assert_ne!(cause(&[(Signal::States(StateKind::WriteBlock), 2.0)]), Rule::Standing);
    }

    #[test]
    fn open_one_is_as_old_as_it_is_known_to_be_under_way() {
        let mut open = altered(|s| {
            if s.attempt == Some(HUNG) {
                (s.open, s.outcome) = (true, None);
            }
        });
        assert_eq!(standing(&open), []);
        open.under_way.insert(HUNG, Timestamp::from_millis(75_000));
        assert_eq!(standing(&open).first().map(|of| of.ms), Some(35_000));
    }
}
