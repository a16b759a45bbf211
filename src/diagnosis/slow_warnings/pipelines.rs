//! Whose blocks could not be written to their end: a writer blames the first node of a pipeline or any other, and the one
//! at fault is in all of them.
//!
//! ```text
//! writer  Error Recovery for block blk_1 in pipeline h1, h6, h4: bad datanode h1
//!         Error Recovery for block blk_2 in pipeline h3, h5, h6: bad datanode h3
//!         Error Recovery for block blk_3 in pipeline h6, h2, h4: bad datanode h6     h6 is in each
//! ```
//! Counted are blocks, by what the nodes' own logs tell of who began to write them, those that broke among all. Source: `DFSClient` of Hadoop 0.20, which
//! names the first node of a pipeline whenever the stream of answers breaks.
//!
//! Before anybody complains, writes stand still: blocks that no node wrote to their end, long after those that ended. Of
//! these only the nodes count that received them from another, and not those whose own process wrote: a server may keep its
//! files open for as long as it runs. Cost: O(block writes · log broken ones).

use super::super::{EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Signal, Strength, Witness, chance_in_words};
use crate::base::{Arrange, BlockId, Gathered, NodeId, Place, Timestamp};
use crate::model::{ComplaintKind, Outcome, StateKind, Trace, WriteOrigin};
use crate::stats::{binomial, hypergeometric};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer are an accident.
const LEAST: usize = 5;
/// Share of them that must have the node.
const SHARE: f64 = 0.9;
/// A write stands still from so long on…
const STANDS_MS: i64 = 30_000;
/// …and so many times the longest that ended.
const STANDS_TIMES: i64 = 3;
/// Chance up to which that is a word, over all nodes…
const MODERATE: f64 = 0.02;
/// …and up to which it is a strong one.
const STRONG: f64 = 0.001;

/// A block of which somebody says that its pipeline broke.
#[derive(Default)]
struct Broken {
    nodes: BTreeSet<NodeId>,
    /// When somebody began to write it.
    begin: Option<Timestamp>,
    line: Option<Place>,
}

/// The witness of the node that all broken pipelines share, or all that stand still; `None` where too few do.
pub(super) fn witness(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    if peers.len() < MIN_PEERS {
        return None;
    }
    broken(trace, peers).or_else(|| standing(trace, peers))
}

fn broken(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    let mut broken: BTreeMap<BlockId, Broken> = BTreeMap::new();
    for complaint in trace.complaints.iter().filter(|c| c.kind == ComplaintKind::BrokenPipeline) {
        if let Some(block) = complaint.block {
            broken.entry(block).or_default().line.get_or_insert(complaint.place);
        }
    }
    if broken.len() < LEAST {
        return None;
    }
    // Which blocks each node began to write and when, whatever became of these; those that broke are begun again.
    let mut begun: Vec<(Option<Timestamp>, BlockId, NodeId)> = Vec::new();
    for state in trace.states.of_kind(StateKind::WriteBlock) {
        let Some((node, block)) = state.node.zip(state.block) else { continue };
        begun.push((state.start, block, node));
        if let Some(broken) = broken.get_mut(&block) {
            broken.nodes.insert(node);
            broken.begin = broken.begin.into_iter().chain(state.start).min();
        }
    }
    let broken: Vec<&Broken> = broken.values().filter(|broken| !broken.nodes.is_empty()).collect();
    // Before the first that broke all was well.
    let first = broken.iter().filter_map(|broken| broken.begin).min();
    let since = begun.into_iter().filter(|(start, ..)| *start >= first);
    let mut since: Vec<(BlockId, NodeId)> = since.map(|(_, block, node)| (block, node)).collect();
    since.arrange(Ord::cmp);
    since.dedup();
    let all = since.chunk_by(|(a, _), (b, _)| a == b).count();
    let mut of_nodes: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (_, node) in since {
        *of_nodes.entry(node).or_default() += 1;
    }
    told(trace, peers, &broken, "blocks whose write pipelines broke, and since the first of them in", |node, _| {
        let own = of_nodes.get(&node).copied().unwrap_or(0);
        Usual { of: broken.len(), part: own as f64 / all.max(1) as f64, counted: Some((all, own)) }
    })
}

/// Of blocks that nobody wrote to their end, and that stood still for long.
fn standing(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    let writes = || trace.states.of_kind(StateKind::WriteBlock);
    let (mut longest_ms, mut long) = (None, Vec::new());
    for write in writes() {
        let Some(ms) = write.millis() else { continue };
        if write.outcome == Some(Outcome::Success) {
            longest_ms = longest_ms.max(Some(ms));
        } else if ms >= STANDS_MS {
            long.extend(write.block.map(|block| (block, ms)));
        }
    }
    let limit_ms = longest_ms?.saturating_mul(STANDS_TIMES);
    long.retain(|(_, ms)| *ms >= limit_ms);
    let mut still: BTreeMap<BlockId, Still> = long.into_iter().map(|(block, _)| (block, Still::default())).gathered();
    if still.len() < LEAST {
        return None;
    }
    // How many of the others each node received.
    let (mut all, mut received) = (0_usize, BTreeMap::new());
    for write in writes() {
        let Some((node, block)) = write.node.zip(write.block) else { continue };
        let is_own = write.origin == Some(WriteOrigin::Local);
        if let Some(still) = still.get_mut(&block) {
            still.is_over |= write.outcome == Some(Outcome::Success);
            if is_own {
                still.writer = Some(node);
            } else {
                still.of.nodes.insert(node);
                still.of.line.get_or_insert(write.place);
            }
            still.of.begin = still.of.begin.into_iter().chain(write.start).min();
        } else if !is_own {
            all += 1;
            *received.entry(node).or_insert(0_usize) += 1;
        }
    }
    still.retain(|_, still| !still.is_over && !still.of.nodes.is_empty());
    let of: Vec<&Broken> = still.values().map(|still| &still.of).collect();
    let mut written: BTreeMap<NodeId, usize> = BTreeMap::new();
    for writer in still.values().filter_map(|still| still.writer) {
        *written.entry(writer).or_default() += 1;
    }
    told(trace, peers, &of, "blocks of others that nobody writes to their end, and in", |node, length| {
        let count = |of: &BTreeMap<NodeId, usize>| of.get(&node).copied().unwrap_or(0);
        // What its own processes write, it does not receive. One more of two more: few blocks tell little.
        let part = (count(&received) + 1) as f64 / (all as f64 / length + 2.0);
        Usual { of: of.len() - count(&written), part, counted: None }
    })
}

/// A block that may stand still.
#[derive(Default)]
struct Still {
    /// Some node wrote it to its end.
    is_over: bool,
    /// On whose own node the writer runs.
    writer: Option<NodeId>,
    /// Who receives it.
    of: Broken,
}

/// What a node would share with blocks in trouble if these were any.
struct Usual {
    /// How many of them it can have a part in.
    of: usize,
    /// Its share of blocks as they are.
    part: f64,
    /// All blocks, those in trouble among them, and how many it has a part in, where they are counted.
    counted: Option<(usize, usize)>,
}

/// What a node shares with blocks in trouble.
struct Shared<'a> {
    node: NodeId,
    /// Those that it has a part in.
    own: &'a [&'a Broken],
    usual: Usual,
    what: &'static str,
}

/// The witness of blocks in trouble; `None` where they are too few. `of` tells what a node
/// would share with them, where one has that many nodes.
fn told(
    trace: &Trace,
    peers: &[NodeId],
    blocks: &[&Broken],
    what: &'static str,
    of: impl Fn(NodeId, f64) -> Usual,
) -> Option<Witness> {
    if blocks.len() < LEAST {
        return None;
    }
    let length = blocks.iter().map(|block| block.nodes.len()).sum::<usize>() as f64 / blocks.len() as f64;
    let mut parts: BTreeMap<NodeId, Vec<&Broken>> = BTreeMap::new();
    for block in blocks {
        block.nodes.iter().for_each(|node| parts.entry(*node).or_default().push(block));
    }
    let shared = |node: &NodeId| {
        let own = parts.get(node).map(Vec::as_slice).unwrap_or_default();
        Shared { node: *node, own, usual: of(*node, length), what }
    };
    let shared: Vec<Shared<'_>> = peers.iter().map(shared).collect();
    let mut witness = Witness::new(Method::SlowWarnings, Signal::Complaints(ComplaintKind::BrokenPipeline));
    witness.scores = shared.iter().map(|shared| (shared.node, shared.own.len() as f64)).collect();
    // Those who write some of the blocks themselves can share fewer.
    let fewest = shared.iter().map(|shared| shared.usual.of).min().unwrap_or_default();
    witness.threshold = Some((SHARE * fewest as f64).max(LEAST as f64 - 1.0));
    witness.indicted = shared.iter().filter_map(|shared| shared.word(trace, peers.len())).collect();
    Some(witness)
}

impl Shared<'_> {
    /// What they say of the node, one of so many.
    fn word(&self, trace: &Trace, peers: usize) -> Option<Indictment> {
        let Self { node, own, what, usual: Usual { of, part, counted } } = *self;
        let count = own.len();
        if count < LEAST || (count as f64) < SHARE * of as f64 || part <= 0.0 || part >= 1.0 {
            return None;
        }
        let as_u32 = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let chance = match counted {
            Some((all, of_node)) => hypergeometric::tail(all, of_node, of, count),
            None => binomial::tail(as_u32(of), part, as_u32(count)),
        };
        let chance = chance * peers as f64;
        let text = format!(
            "{} has a part in {count} of {of} {what} {:.0} % of all blocks; {}",
            trace.node_name(node),
            part * 100.0,
            chance_in_words(chance),
        );
        (chance <= MODERATE).then(|| Indictment {
            node,
            strength: if chance <= STRONG { Strength::Strong } else { Strength::Moderate },
            score: count as f64,
            ratio: count as f64 / (part * of as f64),
            p: Some(chance),
            text,
            lines: own.iter().filter_map(|broken| broken.line).take(EVIDENCE_LINES).collect(),
            since: own.iter().filter_map(|broken| broken.begin).min(),
            until: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;
    use crate::model::{Complaint, Lanes, Node, State};

    /// Twelve blocks in pipelines of three of six nodes, each node in six of them.
    const PIPELINES: [[u32; 3]; 12] = [
        [0, 1, 2],
        [1, 3, 5],
        [2, 4, 0],
        [3, 2, 1],
        [4, 5, 3],
        [5, 0, 4],
        [0, 2, 3],
        [1, 4, 2],
        [2, 5, 4],
        [3, 0, 5],
        [4, 1, 0],
        [5, 3, 1],
    ];

    /// So many times those blocks, of which some broke: their writers blame the first node of each.
    fn written(rounds: usize, broke: impl Fn(usize, &[u32; 3]) -> bool) -> Trace {
        let blocks = || (0_i64..).zip(PIPELINES.iter().cycle().take(12 * rounds));
        let states = blocks().flat_map(|(block, nodes)| {
            nodes.iter().map(move |node| State {
                block: Some(BlockId(block)),
                ..State::made(StateKind::WriteBlock, NodeId(*node), (block * 1000, block * 1000 + 500), block as u64)
            })
        });
        let complaint = |(block, nodes): (i64, &[u32; 3])| Complaint {
            kind: ComplaintKind::BrokenPipeline,
            by: Some(NodeId(nodes[0])),
            of: Some(NodeId(nodes[0])),
            at: Timestamp::from_millis(100_000),
            job: None,
            attempt: None,
            block: Some(BlockId(block)),
            took_ms: None,
            place: Place { file: FileId(nodes[0]), line: block as u64 },
        };
        Trace {
            nodes: (0..6).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            complaints: blocks().filter(|(block, nodes)| broke(*block as usize, nodes)).map(complaint).collect(),
            states: Lanes::from_rows(states.collect::<Vec<_>>()),
            ..Trace::default()
        }
    }

    /// Blocks in which node 4 is do not end; the others take half a second.
    fn stands(ends: impl Fn(&[u32; 3]) -> bool, origin: impl Fn(usize) -> WriteOrigin) -> Trace {
        let blocks = (0_i64..).zip(PIPELINES.iter().cycle().take(24));
        let states = blocks.flat_map(|(block, nodes)| {
            let begin = block * 1000;
            let (end, outcome) = if ends(nodes) { (begin + 500, Some(Outcome::Success)) } else { (90_000, None) };
            let state = move |(node, origin): (&u32, WriteOrigin)| State {
                block: Some(BlockId(block)),
                open: outcome.is_none(),
                outcome,
                origin: Some(origin),
                ..State::made(StateKind::WriteBlock, NodeId(*node), (begin, end), block as u64)
            };
            nodes.iter().zip([0, 1, 2].map(&origin)).map(state).collect::<Vec<_>>()
        });
        Trace { states: Lanes::from_rows(states.collect::<Vec<_>>()), ..written(0, |_, _| false) }
    }

    #[test]
    fn node_that_receives_all_blocks_that_never_end_is_named_before_anybody_complains() {
        let first_writes = |place| if place == 0 { WriteOrigin::Local } else { WriteOrigin::Remote };
        let trace = stands(|nodes| !nodes.contains(&4), first_writes);
        let threshold = witness(&trace, &trace.peer_nodes().collect::<Vec<_>>()).and_then(|witness| witness.threshold);
        assert!(threshold.is_some_and(|threshold| threshold < 8.0), "{threshold:?}");
        let said = words(&trace);
        let [word] = said.as_slice() else { panic!("{said:?}") };
        // Of twelve that stand still it writes four itself.
        assert_eq!((word.node, word.strength, word.score), (NodeId(4), Strength::Strong, 8.0));
        assert!(
            word.text.starts_with("h4 has a part in 8 of 8 blocks of others that nobody writes to their end, and in "),
            "{}",
            word.text
        );
        assert_eq!(word.since, Some(Timestamp::from_millis(2000)));
        // A process that keeps its files open writes them by way of its own node.
        let keeps_open = |nodes: &[u32; 3]| nodes[0] != 4;
        assert!(words(&stands(keeps_open, first_writes)).is_empty());
        assert!(words(&stands(|nodes| !nodes.contains(&4), |_| WriteOrigin::Local)).is_empty());
    }

    fn words(trace: &Trace) -> Vec<Indictment> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        witness(trace, &peers).map(|witness| witness.indicted).unwrap_or_default()
    }

    #[test]
    fn node_that_all_broken_pipelines_share_is_named_whoever_is_blamed() {
        let said = words(&written(3, |_, nodes| nodes.contains(&4)));
        let [word] = said.as_slice() else { panic!("{said:?}") };
        assert_eq!((word.node, word.strength, word.score), (NodeId(4), Strength::Strong, 18.0));
        // Since the first that broke there are 34 blocks, and any of six nodes would do: six of 2,203,961,430 ways to choose 18.
        let chance = 6.0 / 2_203_961_430.0;
        assert!((word.p.unwrap() / chance - 1.0).abs() < 1e-9, "{:?}", word.p);
        assert_eq!(
            word.text,
            "h4 has a part in 18 of 18 blocks whose write pipelines broke, and since the first of them in 53 % of all blocks; p < 0.001"
        );
        assert_eq!(word.since, Some(Timestamp::from_millis(2000)), "when the first of them was begun");
        assert_eq!(word.lines.len(), EVIDENCE_LINES);
    }

    /// Each node looked for in all pipelines, it takes minutes.
    #[test]
    fn many_nodes_and_broken_pipelines_end_in_time() {
        let mut trace = written(8_000, |_, _| true);
        trace.nodes = (0..60_000).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect();
        assert!(words(&trace).is_empty(), "each node is in half of them, as of all");
    }

    #[test]
    fn few_or_scattered_broken_pipelines_name_nobody() {
        assert!(words(&written(1, |_, nodes| nodes.contains(&4))).is_empty(), "six of six come by chance");
        assert!(words(&written(3, |block, _| block % 3 == 0)).is_empty(), "no node is in all");
        assert!(words(&written(3, |block, nodes| block < 10 && nodes.contains(&4))).is_empty(), "too few");
        let logless = Trace { states: Lanes::default(), ..written(3, |_, nodes| nodes.contains(&4)) };
        assert!(words(&logless).is_empty(), "nobody knows who held them");
    }
}
