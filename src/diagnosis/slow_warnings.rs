//! What daemons, masters and tasks complain of, and of whom.
//!
//! # Finds
//! Nodes that are lost, full, sick, hanging, or that nobody can fetch from: faults that
//! the logs tell in words while no duration moves.
//!
//! # Paper
//! None: the papers read durations and counters. HDFS compares its own DataNodes in the
//! same way (OutlierDetector, Hadoop 2.9 and later: median and median absolute deviation).
//!
//! # Needs
//! Logs of the masters, or of the other slaves: the node at fault is often silent itself.
//!
//! # Method
//! ```text
//! count(i)   complaints of one kind of which node i is the subject (kinds about a
//!            connection: of which it is either end)
//! stands out ⇔ count(i) ≥ the kind's least count, > 3 × the count of any other node, and
//!              > median + 3 · 1.4826 · MAD of all; for connections also: i is an end of
//!              90 % of them, with two partners at least
//! silence    all daemons of one node, and of no other, end 45 s before the cluster's; strong
//!            if work was left there
//! ```
//! What no healthy node can provoke (lost, full, sick, several time-outs) is strong, what
//! trouble elsewhere or an accident provokes too is moderate.
//!
//! # Abstains when
//! Fewer than three nodes. A kind of which nobody complains gives no witness.
//!
//! # Known misses
//! Faults that hit half of the nodes; logs without their masters'.
//!
//! # Cost
//! O(complaints · log nodes).

use super::silence::{silent_since, unfinished};
use super::{
    Abstention, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Numbers, Params,
    Strength, Witness,
};
use crate::base::NodeId;
use crate::model::{Complaint, ComplaintKind, Trace};
use crate::stats::quantile::middle_and_deviation;
use std::collections::{BTreeMap, BTreeSet};

/// Share of the connections complained of that must have the node as an end.
const SHARE_OF_PAIRS: f64 = 0.9;
/// Partners that must complain: one alone may be the one at fault.
const MIN_PARTNERS: usize = 2;
/// The signal of a node that falls silent.
pub const SILENCE: &str = "silence";

/// The method.
pub struct SlowWarnings;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::SlowWarnings,
    paper: "beside the papers; outliers as in HDFS's OutlierDetector",
    needs: "logs of the masters or of the node's peers",
    abstains: "fewer than three nodes; no complaint of the kind",
};

/// How a kind of complaint is weighed.
struct Rule {
    kind: ComplaintKind,
    /// Fewer are an accident.
    least: usize,
    /// So many, and more, are strong; fewer are moderate.
    strong_from: usize,
    /// It is about a connection, so either end may be at fault.
    pairs: bool,
    /// What is said of the node, after its name.
    words: &'static str,
}

/// Never strong, however many.
const NEVER: usize = usize::MAX;

const fn strong(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: least, pairs: false, words }
}

const fn moderate(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: NEVER, pairs: false, words }
}

const fn connection(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: NEVER, pairs: true, words }
}

/// A kind that is not here is read and shown, but accuses nobody: readers that have
/// enough break connections off, failed containers have many reasons.
const RULES: &[Rule] = &[
    strong(ComplaintKind::LostNode, 1, "was given up as lost"),
    strong(ComplaintKind::UnhealthyNode, 1, "was reported as unhealthy"),
    strong(ComplaintKind::NoSpace, 2, "had no disk space left"),
    strong(ComplaintKind::BadDisk, 1, "could not use a disk or local folder"),
    // One may be an accident: metrics that are odd as well have to say that it is none.
    Rule {
        strong_from: 2,
        ..moderate(ComplaintKind::TimedOut, 1, "ran attempts that said nothing until they timed out")
    },
    strong(ComplaintKind::AttemptFailed, 2, "ran attempts that failed"),
    strong(ComplaintKind::BadChecksum, 2, "held blocks that differ from their checksums"),
    moderate(ComplaintKind::Blacklisted, 1, "was given no more tasks"),
    moderate(ComplaintKind::MapOutputLost, 3, "could not serve the map outputs it held"),
    moderate(ComplaintKind::TooManyFetchFailures, 2, "held map outputs that were given up"),
    moderate(ComplaintKind::SlowDisk, 5, "warned of a slow disk"),
    connection(ComplaintKind::FetchFailed, 3, "could not be fetched from, or could not fetch"),
    connection(ComplaintKind::SlowNetwork, 5, "was an end of slow connections"),
    connection(ComplaintKind::BrokenPipeline, 3, "was an end of broken write pipelines"),
    connection(ComplaintKind::WriteBroken, 3, "was an end of writes that broke off"),
    connection(ComplaintKind::Unreachable, 3, "could not be reached"),
];

impl Diagnosis for SlowWarnings {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let elsewhere = trace.of_other_clusters(&peers);
        let words = RULES.iter().filter_map(|rule| witness(trace, &peers, &elsewhere, rule, &params.numbers));
        words.chain(silence(trace, &peers, &elsewhere)).collect()
    }
}

/// The nodes that a complaint may mean.
fn subjects(complaint: &Complaint, rule: &Rule) -> BTreeSet<NodeId> {
    let reporter = complaint.by.filter(|_| rule.pairs);
    complaint.of.into_iter().chain(reporter).collect()
}

/// `None` where nobody complains of the kind.
fn witness(
    trace: &Trace,
    peers: &[NodeId],
    elsewhere: &BTreeSet<NodeId>,
    rule: &Rule,
    numbers: &Numbers,
) -> Option<Witness> {
    let mut witness = Witness::new(Method::SlowWarnings, rule.kind.name());
    let here = |c: &Complaint| !c.of.or(c.by).is_some_and(|node| elsewhere.contains(&node));
    let of_kind = |c: &&Complaint| c.kind == rule.kind && (!rule.pairs || c.is_of_another()) && here(c);
    let complaints: Vec<&Complaint> = trace.complaints.iter().filter(of_kind).collect();
    if complaints.is_empty() {
        return None;
    }
    if peers.len() < MIN_PEERS {
        witness.abstained = Some(Abstention::NoPeers);
        return Some(witness);
    }
    let mut counts: BTreeMap<NodeId, usize> = peers.iter().map(|node| (*node, 0)).collect();
    for node in complaints.iter().flat_map(|c| subjects(c, rule)) {
        if let Some(count) = counts.get_mut(&node) {
            *count += 1;
        }
    }
    witness.scores = counts.iter().map(|(node, count)| (*node, *count as f64)).collect();
    let times = numbers.get(Number::WarningsTimes);
    let limit = limit(rule, &counts, numbers.get(Number::WarningsDeviations));
    witness.threshold = Some(limit);
    witness.indicted = counts
        .iter()
        .filter(|(node, count)| **count as f64 > limit && stands_out(rule, &counts, **node, &complaints, times))
        .map(|(node, count)| indict(trace, rule, *node, *count, &complaints))
        .collect();
    Some(witness)
}

/// What a count must exceed: the kind's least, and what is ordinary among these nodes.
fn limit(rule: &Rule, counts: &BTreeMap<NodeId, usize>, deviations: f64) -> f64 {
    let values: Vec<f64> = counts.values().map(|c| *c as f64).collect();
    let (middle, deviation) = middle_and_deviation(&values).unwrap_or_default();
    (middle + deviations * deviation).max(rule.least as f64 - 1.0)
}

fn stands_out(
    rule: &Rule,
    counts: &BTreeMap<NodeId, usize>,
    node: NodeId,
    complaints: &[&Complaint],
    times: f64,
) -> bool {
    let own = counts.get(&node).copied().unwrap_or(0);
    if !rule.pairs {
        return counts.iter().all(|(other, count)| *other == node || own as f64 > times * *count as f64);
    }
    // Each connection has two ends, so a partner may reach the same count: what tells the
    // one at fault is that it has several partners.
    let partners: BTreeSet<NodeId> = complaints
        .iter()
        .map(|c| subjects(c, rule))
        .filter(|ends| ends.contains(&node))
        .flatten()
        .filter(|end| *end != node)
        .collect();
    own as f64 >= SHARE_OF_PAIRS * complaints.len() as f64 && partners.len() >= MIN_PARTNERS
}

fn indict(trace: &Trace, rule: &Rule, node: NodeId, count: usize, complaints: &[&Complaint]) -> Indictment {
    let mut own: Vec<&&Complaint> = complaints.iter().filter(|c| subjects(c, rule).contains(&node)).collect();
    own.sort_by_key(|c| (c.at, c.place));
    let reporters: BTreeSet<&str> = own.iter().filter_map(|c| c.by).map(|by| trace.node_name(by)).collect();
    let others = complaints.len() - own.len();
    let logs = match reporters.len() {
        0 => String::new(),
        1 => String::from(" in the log of "),
        _ => String::from(" in the logs of "),
    };
    let text = format!(
        "{} {}: {count} {}{logs}{}; {} of any other node",
        trace.node_name(node),
        rule.words,
        if count == 1 { "line" } else { "lines" },
        reporters.into_iter().collect::<Vec<_>>().join(", "),
        if others == 0 { "none".to_owned() } else { others.to_string() },
    );
    Indictment {
        node,
        strength: if count >= rule.strong_from { Strength::Strong } else { Strength::Moderate },
        score: count as f64,
        ratio: count as f64 / others.max(1) as f64,
        p: None,
        text,
        lines: own.iter().take(EVIDENCE_LINES).map(|c| c.place).collect(),
        since: own.first().map(|c| c.at),
    }
}

/// The witness of a node that falls silent; `None` where all go on to the end.
fn silence(trace: &Trace, peers: &[NodeId], elsewhere: &BTreeSet<NodeId>) -> Option<Witness> {
    let (node, last, silent_ms) = silent_since(trace, elsewhere).filter(|(node, ..)| peers.contains(node))?;
    if peers.len() < MIN_PEERS {
        return None;
    }
    let seconds = silent_ms as f64 / 1000.0;
    let text = format!(
        "all daemons of {} fall silent {seconds:.0} s before the others end; no other node does",
        trace.node_name(node),
    );
    let strength = if unfinished(trace, node, last) { Strength::Strong } else { Strength::Moderate };
    let mut witness = Witness::new(Method::SlowWarnings, SILENCE);
    witness.scores = peers.iter().map(|peer| (*peer, if *peer == node { seconds } else { 0.0 })).collect();
    witness.threshold = Some(super::silence::SILENCE_MS as f64 / 1000.0);
    witness.indicted.push(Indictment {
        node,
        strength,
        score: seconds,
        ratio: seconds,
        p: None,
        text,
        lines: Vec::new(),
        since: Some(last),
    });
    Some(witness)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, Place, Timestamp};
    use crate::model::{Coverage, FileInfo, Flow, FlowKind, Lanes, Node};

    /// Five slaves 0 to 4 and a master 5; complaints as (kind, by, of), a second apart.
    fn cluster(complaints: &[(ComplaintKind, u32, u32)]) -> Trace {
        let complaint = |(line, (kind, by, of)): (usize, &(ComplaintKind, u32, u32))| Complaint {
            kind: *kind,
            by: Some(NodeId(*by)),
            of: Some(NodeId(*of)),
            at: Timestamp::from_millis(line as i64 * 1000),
            job: None,
            attempt: None,
            block: None,
            took_ms: None,
            place: Place { file: FileId(0), line: line as u64 + 1 },
        };
        Trace {
            nodes: (0..6).map(|i| Node { name: format!("h{i}"), is_peer: i < 5 }).collect(),
            complaints: complaints.iter().enumerate().map(complaint).collect(),
            ..Trace::default()
        }
    }

    fn accused(trace: &Trace) -> Vec<(String, u32, Strength)> {
        let witnesses = SlowWarnings.run(trace, &Params::default());
        witnesses.iter().flat_map(|w| w.indicted.iter().map(|i| (w.signal.clone(), i.node.0, i.strength))).collect()
    }

    #[test]
    fn lost_node_is_named_by_one_line() {
        let trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
        assert_eq!(accused(&trace), [("lost-node".to_owned(), 3, Strength::Strong)]);
        let word = &SlowWarnings.run(&trace, &Params::default())[0].indicted[0];
        assert_eq!(word.text, "h3 was given up as lost: 1 line in the log of h5; none of any other node");
        assert_eq!((word.since, word.lines.len()), (Some(Timestamp::from_millis(0)), 1));
    }

    #[test]
    fn cluster_that_is_stopped_loses_all_and_names_none() {
        let lost: Vec<_> = (0..5).map(|i| (ComplaintKind::LostNode, 5, i)).collect();
        assert!(accused(&cluster(&lost)).is_empty());
    }

    #[test]
    fn node_named_three_times_as_often_ties_and_more_stands_out() {
        use ComplaintKind::TimedOut;
        let times = |n: usize| {
            let mut said = vec![(TimedOut, 5, 1)];
            said.extend(vec![(TimedOut, 5, 2); n]);
            accused(&cluster(&said))
        };
        assert!(times(3).is_empty());
        assert_eq!(times(4), [("timed-out".to_owned(), 2, Strength::Strong)]);
    }

    #[test]
    fn one_timeout_is_moderate_two_are_strong() {
        use ComplaintKind::TimedOut;
        let one = (TimedOut, 5, 2);
        assert_eq!(accused(&cluster(&[one])), [("timed-out".to_owned(), 2, Strength::Moderate)]);
        assert_eq!(accused(&cluster(&[one, one])), [("timed-out".to_owned(), 2, Strength::Strong)]);
        assert!(accused(&cluster(&[one, (TimedOut, 5, 1)])).is_empty(), "two nodes, one each: the job's own trouble");
    }

    #[test]
    fn common_end_of_failed_fetches_is_moderately_suspect() {
        use ComplaintKind::FetchFailed;
        let from_two = [(FetchFailed, 0, 2), (FetchFailed, 1, 2), (FetchFailed, 3, 2)];
        assert_eq!(accused(&cluster(&from_two)), [("fetch-failed".to_owned(), 2, Strength::Moderate)]);
        // One partner only: it may as well be that one's fault.
        assert!(accused(&cluster(&[(FetchFailed, 0, 2); 9])).is_empty());
        // 3 of 4 connections are less than 90 %.
        let with_another = [from_two.as_slice(), &[(FetchFailed, 0, 1)]].concat();
        assert!(accused(&cluster(&with_another)).is_empty());
    }

    #[test]
    fn warnings_spread_evenly_are_ordinary() {
        let mut said = Vec::new();
        for (node, count) in [7, 9, 7, 8, 7].into_iter().enumerate() {
            said.extend(vec![(ComplaintKind::SlowDisk, node as u32, node as u32); count]);
        }
        assert!(accused(&cluster(&said)).is_empty());
        said.extend(vec![(ComplaintKind::SlowDisk, 2, 2); 30]);
        assert_eq!(accused(&cluster(&said)), [("slow-disk".to_owned(), 2, Strength::Moderate)]);
    }

    #[test]
    fn master_and_unknown_nodes_are_not_judged() {
        let mut trace = cluster(&[(ComplaintKind::NoSpace, 5, 5), (ComplaintKind::NoSpace, 5, 5)]);
        trace.complaints[0].of = None;
        assert!(accused(&trace).is_empty());
    }

    #[test]
    fn only_a_single_silent_node_counts() {
        let mut trace = cluster(&[]);
        let logs = |ends: [i64; 5]| {
            let file = |(i, s): (usize, i64)| FileInfo {
                node: Some(NodeId(i as u32)),
                daemon_last: Some(Timestamp::from_millis(s * 1000)),
                ..empty_file()
            };
            ends.into_iter().enumerate().map(file).collect()
        };
        trace.files = logs([100, 100, 54, 100, 99]);
        assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Moderate)], "it may have had nothing to do");
        let mut missed = cluster(&[(ComplaintKind::Unreachable, 1, 2)]).complaints;
        missed[0].at = Timestamp::from_millis(50_000);
        trace.complaints = missed;
        assert_eq!(accused(&trace), [("silence".to_owned(), 2, Strength::Strong)]);
        // A block came from it 11 s after its last line: it is alive.
        trace.flows = Lanes::from_rows([from(2, 65_000)]);
        assert!(accused(&trace).is_empty());
        trace.flows = Lanes::from_rows([from(2, 64_000)]);
        assert_eq!(accused(&trace).len(), 1, "within ten seconds the clocks may differ");
        trace.files = logs([100, 100, 55, 100, 99]);
        assert!(accused(&trace).is_empty(), "45 s are not more than 45 s");
        trace.files = logs([100, 20, 54, 100, 99]);
        assert!(accused(&trace).is_empty());
    }

    /// A block read from a node, its end known.
    fn from(node: u32, end_ms: i64) -> Flow {
        Flow {
            kind: FlowKind::Read,
            src: Some(node),
            dest: Some(0),
            start: None,
            end: Timestamp::from_millis(end_ms),
            bytes: None,
            block: None,
            attempt: None,
            reduce: None,
            place: Place { file: FileId(0), line: 1 },
        }
    }

    fn empty_file() -> FileInfo {
        FileInfo {
            path: String::new(),
            node: None,
            daemon_last: None,
            coverage: Coverage::default(),
            issues: Vec::new(),
        }
    }

    #[test]
    fn two_nodes_cannot_be_compared() {
        let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 0)]);
        trace.nodes.iter_mut().skip(2).for_each(|n| n.is_peer = false);
        let witness = &SlowWarnings.run(&trace, &Params::default())[0];
        assert_eq!((witness.abstained, witness.indicted.len()), (Some(Abstention::NoPeers), 0));
    }
}
