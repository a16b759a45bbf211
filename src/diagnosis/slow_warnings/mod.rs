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
//!            connection: of which it is either end; pauses: the seconds that it stood still)
//! stands out ⇔ count(i) ≥ the kind's least count, > 3 × the count of any other node, and
//!              > median + 3 · 1.4826 · MAD of all; for connections instead of the times: i is an
//!              end of 90 % of them, with two partners at least and a fifth of them not with the first, or half of its
//!              peers and more name it, > 3 × as often as any other node is named, or it cannot reach masters
//!              > 3 × as often as any other node, and two peers were heard meanwhile; for waits for connections, of
//!              fetches or along write pipelines, that is more than its part of all of them makes likely (p ≤ 0.05); strong
//!              at p ≤ 0.01 if three peers wait so for the node, and none for another; of very many write pipelines, of
//!              which some wait anywhere, i is an end > 3 × as often for each that it has (p ≤ 0.001)
//! own logs     what only a node's own daemon tells counts among nodes whose like daemon was
//!              heard at the time by half of the peers: who has no such log has no count of 0
//! tries        of a task that succeeded nowhere, those on one node are one
//! waits        fetches that last far longer than others when their reduce ends: strong if reduces of three peers wait so
//!              for the node, and none for another but its own
//! pipelines    nine tenths of five broken ones and more have the node, unlikely by its part of all (p ≤ 0.02)
//! stuck      two attempts of a node and more, and of no other in their jobs, never succeed and outlast
//!            every success elsewhere, and three times over those of the node; two of one job
//!            where others have such in other jobs; a Reduce that stands in its merge counts as two
//! silence    all daemons of one node, and of no other, end 45 s before the cluster's; strong
//!            if work was left there. Or one daemon does so before its like elsewhere, and
//!            others cannot reach it from then on, > 3 × as often as any other node's
//! ```
//! Of a node that its administrators take out of service, nothing counts from then on.
//! What no healthy node can provoke (lost, full, sick, several time-outs) is strong, what
//! trouble elsewhere or an accident provokes too is moderate.
//!
//! # Parameters
//! [`Number::WarningsTimes`] and [`Number::WarningsDeviations`]; the constants here and in the files beside.
//!
//! # Abstains when
//! Fewer than three nodes. A kind of which nobody complains gives no witness.
//!
//! # Known misses
//! Faults that hit half of the nodes; logs without their masters'.
//!
//! # Cost
//! O(complaints · log nodes + attempts).

mod containers;
mod ends;
mod past;
mod pipelines;
mod silent;
pub(super) mod standstill;
mod stuck;
mod tries;
mod waits;

use super::daemons::{Vouchers, format_of, heard, is_slaves, taken_out};
use super::silence::last_sign_of_life;
use super::{
    Abstention, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Numbers, Params,
    Signal, Strength, Witness,
};
use crate::base::text::and_more;
use crate::base::{Arrange, Gathered, NodeId, Timestamp};
use crate::model::{Complaint, ComplaintKind, Trace, formats};
use crate::stats::quantile::middle_and_deviation;
use ends::Ends;
use past::{BEHIND, Past, until};
use standstill::Standstill;
use std::collections::{BTreeMap, BTreeSet};
use waits::Waits;

/// Of a node that no ResourceManager reports: an ApplicationMaster tells what it heard of it, and not why.
const UNUSABLE: &str = "was called unusable by an ApplicationMaster";
/// Names in a sentence of who complains.
const REPORTERS_NAMED: usize = 6;

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
    /// What is more than a node's part of all connections stands out, not what is more than ordinary among the nodes: among
    /// few of them those who wait for one are many.
    by_part: bool,
    /// Seconds that the node stood still are counted, not lines.
    seconds: bool,
    /// Whether only the node's own logs tell it, and which: those of these formats.
    own: Option<fn(&str) -> bool>,
    /// What is said of the node, after its name.
    words: &'static str,
}

/// Peers whose reduces wait for a node, so that it is no one of them that stands still.
const WAITING: usize = 3;
/// So unlikely are a node's waits for connections if they are strong.
const STRONG_CHANCE: f64 = 0.01;

/// Never strong, however many.
const NEVER: usize = usize::MAX;

const fn strong(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: least, pairs: false, by_part: false, seconds: false, own: None, words }
}

const fn moderate(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: NEVER, pairs: false, by_part: false, seconds: false, own: None, words }
}

const fn connection(kind: ComplaintKind, least: usize, words: &'static str) -> Rule {
    Rule { kind, least, strong_from: NEVER, pairs: true, by_part: false, seconds: false, own: None, words }
}

/// Hadoop warns of one pause from 10 s on (`jvm.pause.warn-threshold.ms`); three times that is no hiccup.
const fn standstill(kind: ComplaintKind, words: &'static str) -> Rule {
    Rule { kind, least: 10, strong_from: 30, pairs: false, by_part: false, seconds: true, own: Some(is_slaves), words }
}

/// A kind that is not here is read and shown, but accuses nobody: readers that have
/// enough break connections off.
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
    Rule {
        own: Some(|format| format == formats::NODEMANAGER),
        ..strong(ComplaintKind::ContainerFailed, 3, "could not start or run containers")
    },
    strong(ComplaintKind::BadChecksum, 2, "held blocks that differ from their checksums"),
    // Who kills it may be a person.
    Rule {
        own: Some(is_slaves),
        ..moderate(ComplaintKind::Died, 1, "had a daemon that ended without a word and was started anew")
    },
    moderate(ComplaintKind::Blacklisted, 1, "was given no more tasks"),
    // One that went away while it was served counts, too; strong are those that had to be made again.
    Rule { strong_from: 3, ..moderate(ComplaintKind::MapOutputLost, 3, "could not serve the map outputs it held") },
    Rule {
        strong_from: 2,
        ..moderate(ComplaintKind::FetchedOutputLost, 2, "lost map outputs that its reduces had fetched")
    },
    moderate(ComplaintKind::TooManyFetchFailures, 2, "held map outputs that were given up"),
    moderate(ComplaintKind::SlowDisk, 5, "warned of a slow disk"),
    // Strong are reduces that wait for it, and for no other, until they end.
    Rule {
        strong_from: WAITING,
        ..connection(ComplaintKind::FetchFailed, 3, "could not be fetched from, or could not fetch")
    },
    Rule {
        by_part: true,
        strong_from: WAITING,
        ..connection(
            ComplaintKind::SlowConnect,
            3,
            "was one end of fetches that waited a second or more for their connection",
        )
    },
    Rule {
        by_part: true,
        strong_from: WAITING,
        ..connection(
            ComplaintKind::SlowMirror,
            3,
            "was one end of write pipelines that waited a second for a connection",
        )
    },
    connection(ComplaintKind::SlowNetwork, 5, "was one end of slow connections"),
    connection(ComplaintKind::BrokenPipeline, 3, "was one end of broken write pipelines"),
    connection(ComplaintKind::WriteBroken, 3, "was one end of writes that broke off"),
    connection(ComplaintKind::Unreachable, 3, "could not be reached, or could not reach others"),
    standstill(ComplaintKind::Paused, "stood still, or one of its daemons"),
    // A heap that is too small is that daemon's trouble.
    Rule { strong_from: NEVER, ..standstill(ComplaintKind::GcPaused, "stood still to collect garbage") },
];

impl Diagnosis for SlowWarnings {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let elsewhere = trace.of_other_clusters(&peers);
        let past = Past::of(trace);
        let words = RULES.iter().filter_map(|rule| witness(trace, &peers, &elsewhere, &past, rule, &params.numbers));
        let alone = [
            pipelines::witness(trace, &peers),
            silent::witness(trace, &peers, &elsewhere, &params.numbers),
            stuck::witness(trace, &peers),
        ];
        words.chain(alone.into_iter().flatten()).collect()
    }
}

/// The nodes that a complaint may mean.
fn subjects(complaint: &Complaint, rule: &Rule) -> BTreeSet<NodeId> {
    let reporter = complaint.by.filter(|_| rule.pairs);
    complaint.of.into_iter().chain(reporter).gathered()
}

/// `None` where nobody complains of the kind.
fn witness(
    trace: &Trace,
    peers: &[NodeId],
    elsewhere: &BTreeSet<NodeId>,
    past: &Past,
    rule: &Rule,
    numbers: &Numbers,
) -> Option<Witness> {
    let mut complaints = complaints_of(trace, elsewhere, past, rule);
    if complaints.is_empty() {
        return None;
    }
    let mut witness = Witness::new(Method::SlowWarnings, Signal::Complaints(rule.kind));
    tries::count_once(trace, rule.kind, &mut complaints);
    let mut judged: BTreeSet<NodeId> = peers.iter().copied().gathered();
    if let Some(is_own) = rule.own {
        keep_vouched(trace, is_own, &mut judged, &mut complaints);
    }
    if judged.len() < MIN_PEERS {
        witness.abstained = Some(Abstention::NoPeers);
        return Some(witness);
    }
    let Counted { counts, beside, stood_still } = Counted::of(trace, rule, &judged, &complaints);
    witness.scores = counts.iter().map(|(node, count)| (*node, *count as f64)).collect();
    let times = numbers.get(Number::WarningsTimes);
    let limit = limit(rule, &counts, numbers.get(Number::WarningsDeviations));
    witness.threshold = Some(limit);
    let over: Vec<(NodeId, usize)> =
        counts.iter().filter(|(_, count)| **count as f64 > limit).map(|(node, count)| (*node, *count)).collect();
    let ends = (rule.pairs && !over.is_empty()).then(|| Ends::of(trace, rule, &counts, &complaints, times));
    let stands_out = |node: NodeId, count: usize| {
        let far_above = |other: usize| count as f64 > times * other as f64;
        let alone = || far_above(beside) && counts.iter().all(|(other, count)| *other == node || far_above(*count));
        let long = !rule.seconds || stood_still.get(&node).is_some_and(|stood| stood.is_long(trace));
        ends.as_ref().map_or_else(alone, |ends| ends.single_out(trace, node)) && long
    };
    witness.indicted = over
        .into_iter()
        .filter(|(node, count)| stands_out(*node, *count))
        .map(|(node, count)| {
            let chance = ends.as_ref().and_then(|ends| ends.chance(node));
            let stood_still = stood_still.get(&node).copied().unwrap_or_default();
            indict(trace, rule, (node, count, chance), stood_still, &complaints)
        })
        .collect();
    Some(witness)
}

/// The complaints of a kind about nodes of this cluster, while these were in service, but for those of the past.
fn complaints_of<'a>(trace: &'a Trace, elsewhere: &BTreeSet<NodeId>, past: &Past, rule: &Rule) -> Vec<&'a Complaint> {
    let here = |c: &Complaint| !c.of.or(c.by).is_some_and(|node| elsewhere.contains(&node));
    let out = taken_out(trace);
    let in_service = |c: &Complaint| c.of.and_then(|of| out.get(&of)).is_none_or(|from| *from > c.at);
    // Its outputs go with it, and who asks for one of them, or merges some, finds none.
    let job_is_over = |c: &Complaint| c.job.and_then(|job| trace.job(job)?.finish).is_some_and(|end| c.at >= end);
    let is_of_output =
        |c: &Complaint| matches!(c.kind, ComplaintKind::MapOutputLost | ComplaintKind::FetchedOutputLost);
    let is_over = |c: &Complaint| is_of_output(c) && job_is_over(c);
    let of_kind = |c: &&Complaint| {
        c.kind == rule.kind
            && (!rule.pairs || c.is_of_another())
            && here(c)
            && in_service(c)
            && !is_over(c)
            && !past.holds(c)
    };
    trace.complaints.iter().filter(of_kind).collect()
}

/// Of a kind that only a node's own logs tell: keeps the nodes that have such logs, and the complaints in them that were
/// made while half of the like daemons elsewhere were heard, too.
fn keep_vouched(
    trace: &Trace,
    is_own: fn(&str) -> bool,
    judged: &mut BTreeSet<NodeId>,
    complaints: &mut Vec<&Complaint>,
) {
    let mut logs = heard(trace, is_own);
    logs.retain(|node, _| judged.contains(node));
    judged.retain(|node| logs.contains_key(node));
    let vouchers = Vouchers::of(logs);
    complaints.retain(|c| {
        let node = c.of.or(c.by);
        let vouched = || node.is_none_or(|node| 2 * vouchers.but_for(node, c.at) + 1 >= vouchers.count());
        format_of(trace, c.place).is_some_and(is_own) && !containers::fell_with_its_job(trace, c) && vouched()
    });
}

/// How often nodes are complained of, or for how many seconds they stood still.
struct Counted {
    /// Of the nodes that are judged.
    counts: BTreeMap<NodeId, usize>,
    /// The greatest of the others: a master's own node, or one that ran nothing, is not judged, but shows that others
    /// have it, too.
    beside: usize,
    /// When nodes stood still, where seconds are counted.
    stood_still: BTreeMap<NodeId, Standstill>,
}

impl Counted {
    fn of(trace: &Trace, rule: &Rule, judged: &BTreeSet<NodeId>, complaints: &[&Complaint]) -> Self {
        let mut counts: BTreeMap<NodeId, usize> = judged.iter().map(|node| (*node, 0)).gathered();
        if rule.seconds {
            let stood_still = Standstill::of_nodes(trace, complaints);
            let mut beside = 0;
            for (node, stood) in &stood_still {
                match counts.get_mut(node) {
                    Some(count) => *count = stood.seconds(),
                    None => beside = stood.seconds().max(beside),
                }
            }
            return Self { counts, beside, stood_still };
        }
        let mut others: BTreeMap<NodeId, usize> = BTreeMap::new();
        for node in complaints.iter().flat_map(|c| subjects(c, rule)) {
            *counts.get_mut(&node).unwrap_or_else(|| others.entry(node).or_default()) += 1;
        }
        Self { counts, beside: others.into_values().max().unwrap_or(0), stood_still: BTreeMap::new() }
    }
}

/// What a count must exceed: the kind's least, and what is ordinary among these nodes.
fn limit(rule: &Rule, counts: &BTreeMap<NodeId, usize>, deviations: f64) -> f64 {
    if rule.by_part {
        return rule.least as f64 - 1.0;
    }
    let values: Vec<f64> = counts.values().map(|c| *c as f64).collect();
    let (middle, deviation) = middle_and_deviation(&values).unwrap_or_default();
    (middle + deviations * deviation).max(rule.least as f64 - 1.0)
}

/// When the attempt began that is complained of.
fn begin_of(trace: &Trace, c: &Complaint) -> Timestamp {
    let start = c.attempt.and_then(|attempt| trace.task(attempt)?.start);
    start.map_or(c.at, |start| start.min(c.at))
}

/// A node of which so much is complained that it counts, with what is complained of it.
struct Accused<'a> {
    trace: &'a Trace,
    rule: &'a Rule,
    node: NodeId,
    count: usize,
    /// The lines about it, in order.
    own: Vec<&'a Complaint>,
    /// How many lines are about other nodes.
    others: usize,
    /// That so many are about it by chance, where that is known.
    chance: Option<f64>,
    /// Nodes that wait for it.
    waiting: usize,
    waits: Waits,
}

fn indict(
    trace: &Trace,
    rule: &Rule,
    (node, count, chance): (NodeId, usize, Option<f64>),
    stood_still: Standstill,
    complaints: &[&Complaint],
) -> Indictment {
    let mut own: Vec<&Complaint> = complaints.iter().copied().filter(|c| subjects(c, rule).contains(&node)).collect();
    own.arrange_by(|c| (c.at, c.place));
    let waiting = match rule.kind {
        ComplaintKind::FetchFailed | ComplaintKind::SlowConnect => waits::peers_waiting(node, complaints),
        // Either end of a hop may be the one that is hard to reach.
        ComplaintKind::SlowMirror => waits::partners(node, &own),
        _ => 0,
    };
    let waits = if rule.kind == ComplaintKind::FetchFailed { Waits::of(&own, node) } else { Waits::default() };
    // A line may be about a node that is not known.
    let others = complaints.iter().filter(|c| !subjects(c, rule).is_empty()).count() - own.len();
    let accused = Accused { trace, rule, node, count, own, others, chance, waiting, waits };
    let is_strong = count >= rule.strong_from && accused.is_the_nodes(stood_still);
    Indictment {
        node,
        strength: if is_strong { Strength::Strong } else { Strength::Moderate },
        score: count as f64,
        // Lines over lines: so many seconds are more than so many lines.
        ratio: accused.own.len() as f64 / others.max(1) as f64,
        p: chance,
        text: accused.in_words(),
        lines: accused.own.iter().take(EVIDENCE_LINES).map(|c| c.place).collect(),
        since: accused.since(),
        until: until(trace, node, &accused.own).or_else(|| accused.waits.until(trace, node, &accused.own)),
    }
}

impl Accused<'_> {
    /// Whether others than ApplicationMasters say so, who call those unusable, too, that were taken out of service.
    fn is_reported(&self) -> bool {
        self.own.iter().any(|c| format_of(self.trace, c.place) != Some(formats::AM_SYSLOG))
    }

    /// Whether it is the node's own trouble, and not that of the jobs or of those who complain.
    fn is_the_nodes(&self, stood_still: Standstill) -> bool {
        let Self { trace, rule, node, ref own, chance, waiting, .. } = *self;
        match rule.kind {
            ComplaintKind::ContainerFailed => containers::of_healthy_jobs(trace, node, own) >= rule.strong_from,
            ComplaintKind::MapOutputLost | ComplaintKind::FetchedOutputLost => {
                tries::failed(trace, own) >= rule.strong_from
            }
            ComplaintKind::FetchFailed => waiting >= rule.strong_from,
            ComplaintKind::SlowConnect | ComplaintKind::SlowMirror => {
                waiting >= rule.strong_from && chance.is_some_and(|chance| chance <= STRONG_CHANCE)
            }
            ComplaintKind::UnhealthyNode => self.is_reported(),
            _ => !rule.seconds || stood_still.is_the_nodes(trace),
        }
    }

    /// When it began.
    fn since(&self) -> Option<Timestamp> {
        let Self { trace, rule, node, ref own, .. } = *self;
        own.first().map(|c| match rule.kind {
            ComplaintKind::LostNode => last_sign_of_life(trace, node, c.at, c.place).unwrap_or(c.at),
            // Nobody says so before the attempt was silent for long.
            ComplaintKind::TimedOut => own.iter().map(|c| begin_of(trace, c)).min().unwrap_or(c.at),
            // What is waited for is told of when the reduce ends.
            ComplaintKind::FetchFailed => own.iter().map(|c| standstill::began(c)).min().unwrap_or(c.at),
            _ if rule.seconds => standstill::began(standstill::first_long(trace, own).unwrap_or(c)),
            _ => c.at,
        })
    }

    /// The sentence.
    fn in_words(&self) -> String {
        let Self { trace, rule, node, count, ref own, others, ref waits, .. } = *self;
        let teller = |c: &&Complaint| trace.files.get(c.place.file.index()).and_then(|file| file.node).or(c.by);
        let reporters: BTreeSet<&str> = own.iter().filter_map(teller).map(|by| trace.node_name(by)).gathered();
        let unnamed = reporters.len().saturating_sub(REPORTERS_NAMED);
        let logs = match reporters.len() {
            0 => "",
            1 => " in the log of ",
            _ => " in the logs of ",
        };
        let is_unusable = rule.kind == ComplaintKind::UnhealthyNode && !self.is_reported();
        format!(
            "{} {}{}: {} {}{logs}{}{}{}; {}",
            trace.node_name(node),
            if is_unusable { UNUSABLE } else { rule.words },
            if rule.seconds { format!(", {count} s in all") } else { String::new() },
            own.len(),
            if own.len() == 1 { "line" } else { "lines" },
            reporters.into_iter().take(REPORTERS_NAMED).collect::<Vec<_>>().join(", "),
            and_more(unnamed),
            waits.in_words(),
            match (others, rule.pairs) {
                (0, false) => "no such line about any other node".to_owned(),
                (_, false) => format!("{others} about all other nodes together"),
                // Each of its lines may name another node, too.
                (0, true) => "every such line involves it".to_owned(),
                (1, true) => "one such line does not involve it".to_owned(),
                (_, true) => format!("{others} such lines do not involve it"),
            },
        )
    }
}

#[cfg(test)]
mod tests;
