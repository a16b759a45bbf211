//! From witnesses to a verdict: rules simple enough to be read aloud.
//!
//! ```text
//! one source, one word      the strongest indictment of a node from one source of data
//! strong 2, moderate 1      a node with 2 or more is a culprit
//! half of the nodes         at one time, by comparison: no majority is left to compare with: no verdict
//! half do worse, alike      the same where nobody is a culprit, and those that stand out are the few that are well
//! most unlike all controls  correlated: no verdict, if no node differs from its peers
//! a node that did nothing   no evidence: neither clean nor at fault
//! nobody could be judged    no verdict, with the reason
//! a witness against half    it found no majority either: it is not heard, and the others decide
//! a comparison against all  it abstains: each node is unlike most of the others (X6)
//! beside slow transfers     nobody is accused by times of tasks and by metrics alone, or by the same transfers
//! ```
//! Slow tasks and odd metrics accuse nobody where the job itself explains them: an application that
//! fails everywhere, or the node of a skewed task, without which its tasks are as its peers'; nor metrics
//! that are odd, and block writes that are slow, mostly while the node tried a skewed task, or while a job
//! waited for one alone.

mod blame;
mod excuses;
mod finding;
mod source;
mod sureness;
mod victims;

pub use finding::{Culprit, Finding, Reason, Verdict, Word};
pub use source::Source;
pub use sureness::sureness;

use super::cause::{Cause, Causes, Rule, Symptoms};
use super::correlated::correlated;
use super::daemons::heard;
use super::hardware;
use super::idle::{NoEvidence, idle};
use super::job_class::{Class, JobClass, blame_incidents, classify};
use super::{Abstention, Comparison, Indictment, MIN_PEERS, Method, Params, Scope, Signal, Strength, Stretch, Witness};
use crate::base::{Arrange, Gathered, Interval, JobId, NodeId, Timestamp};
use crate::model::{ComplaintKind, FileInfo, Trace, formats};
use blame::blame_infrastructure;
use excuses::excused;
use std::collections::{BTreeMap, BTreeSet};
use victims::spare_victims;

/// Who was well for so long has got over its fault, however long that had lasted: faults that come and go in the laboratory
/// paused for half a minute.
const WATCHED_MS: i64 = 300_000;

/// What a job's owner would call a class of trouble; `None` where there is none of the
/// owner's.
#[must_use]
pub const fn class_of_trouble(class: Class) -> Option<&'static str> {
    match class {
        Class::Application => Some("its own code or data makes it fail"),
        Class::Skew => Some("its data is skewed"),
        Class::None | Class::Infrastructure => None,
    }
}

/// Reaches the verdict; `params` are those that the witnesses had.
#[must_use]
pub fn decide(trace: &Trace, witnesses: &[Witness], params: &Params) -> Verdict {
    let numbers = &params.numbers;
    let mut jobs = classify(trace);
    for witness in witnesses {
        if let Some(Comparison::Jobs(incidents)) = &witness.comparison {
            blame_incidents(trace, &mut jobs, incidents);
        }
    }
    let (clusters, causes) = (trace.peers_by_cluster(), Causes::new(trace));
    // What jobs explain is against nobody, however many it is said of.
    let excused: Vec<(usize, NodeId)> = (0..)
        .zip(witnesses)
        .flat_map(|(at, w)| w.indicted.iter().map(move |word| (at, w, word.node)))
        .filter(|(_, w, node)| excused(trace, *node, &jobs, w, params))
        .map(|(at, _, node)| (at, node))
        .collect();
    let against_half = |(at, w): &(usize, &Witness)| {
        let held = || w.indicted.iter().map(|word| word.node).filter(|node| !excused.contains(&(*at, *node)));
        clusters.iter().any(|peers| half_are(held(), peers))
    };
    let (lost, heard): (Vec<_>, Vec<_>) = witnesses.iter().enumerate().partition(against_half);
    let mut culprits: Vec<Culprit> =
        trace.peer_nodes().filter_map(|node| accuse(&causes, node, &heard, &excused)).collect();
    spare_victims(trace, &causes, numbers, &mut culprits, &clusters);
    culprits.arrange(|a, b| b.sureness.total_cmp(&a.sureness).then(a.node.cmp(&b.node)));
    let mut no_evidence = idle(trace);
    let uncompared = uncompared(trace, witnesses).filter(|node| no_evidence.iter().all(|(other, _)| other != node));
    let without_peers = hardware::without_peers(trace, numbers);
    let why = |node| if without_peers.contains(&node) { NoEvidence::NoPeers } else { NoEvidence::TooFewData };
    let uncompared: Vec<_> = uncompared.map(|node| (node, why(node))).collect();
    no_evidence.extend(uncompared);
    no_evidence.arrange_by(|(node, _)| *node);
    no_evidence.retain(|(node, _)| culprits.iter().all(|c| c.node != *node));
    let without_majority: Vec<usize> = lost.iter().filter(|(_, w)| is_against_all(w)).map(|(at, _)| *at).collect();
    let finding = if clusters.iter().any(|peers| half_at_once(&culprits, peers)) {
        Finding::None(Reason::NoMajority)
    } else if !culprits.is_empty() {
        blame_infrastructure(trace, &mut jobs, &culprits);
        Finding::Indicted(culprits)
    } else if lost.iter().any(|(_, w)| w.indicted.iter().any(|i| i.strength == Strength::Strong))
        || witnesses.iter().any(|w| half_do_worse(trace, &jobs, w, params))
    {
        Finding::None(Reason::NoMajority)
    } else {
        not_indicted(trace, witnesses, &without_majority)
    };
    Verdict { finding, jobs, no_evidence, excused, without_majority }
}

/// Whether half of these peers or more are among the nodes.
fn half_are(nodes: impl Iterator<Item = NodeId>, peers: &[NodeId]) -> bool {
    let among = nodes.filter(|node| peers.contains(node)).count();
    among > 0 && among * 2 >= peers.len()
}

/// Whether half of these peers or more are at fault at one time, by comparison with the others. Whose master lost it, or
/// whose disk is full, is so whatever the others do.
fn half_at_once(culprits: &[Culprit], peers: &[NodeId]) -> bool {
    let compared = culprits.iter().filter(|c| peers.contains(&c.node) && !c.evidence.iter().any(Word::needs_no_peers));
    let ms = |at: Option<Timestamp>| at.map(Timestamp::millis);
    let most = most_at_once(compared.map(|c| (ms(c.since), ms(c.until))));
    most > 0 && most * 2 >= peers.len()
}

/// How many faults there are at one time, each since when and until when in milliseconds; one that ends when another begins is at its time.
#[must_use]
pub fn most_at_once(faults: impl Iterator<Item = (Option<i64>, Option<i64>)>) -> usize {
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    for (since, until) in faults {
        // None ends before it begins, whatever a report from elsewhere says.
        ends.extend(until.filter(|until| since.as_ref().is_none_or(|since| since <= until)));
        begins.push(since);
    }
    begins.arrange(Ord::cmp);
    ends.arrange(Ord::cmp);
    let (mut ended, mut most) = (0, 0);
    for (begun, begin) in (1_usize..).zip(&begins) {
        ended += ends.iter().skip(ended).take_while(|end| Some(*end) < begin.as_ref()).count();
        most = most.max(begun.saturating_sub(ended));
    }
    most
}

/// Whether a comparison of each node with the others speaks against every one.
fn is_against_all(w: &Witness) -> bool {
    let compares = matches!(w.method, Method::KahunaWb | Method::KahunaBb | Method::Flows);
    compares && !w.scores.is_empty() && w.indicted.len() == w.scores.len()
}

/// Whether a witness found half of the nodes that it compared worse than the others, but for those whose jobs explain it.
fn half_do_worse(trace: &Trace, jobs: &[JobClass], w: &Witness, params: &Params) -> bool {
    let held = w.worse.iter().filter(|node| !excused(trace, **node, jobs, w, params)).count();
    held > 0 && 2 * held >= w.scores.len()
}

/// Whether a witness compared nodes, and could have made a culprit of one.
fn tells(w: &Witness) -> bool {
    let aside =
        [Source::Localisation, Source::Other(Method::SyscallStatistical), Source::Other(Method::PeerSimilarity)];
    // A count of complaints or of lost races says who stands out, never that nobody does.
    let counts = w.method == Method::SlowWarnings || w.signal == Signal::Outrun;
    w.abstained.is_none() && !counts && !aside.contains(&Source::of(w.signal))
}

/// The peers that no such witness has a score of, where there is one that has: they worked, and too little to be compared.
fn uncompared(trace: &Trace, witnesses: &[Witness]) -> impl Iterator<Item = NodeId> {
    let telling = witnesses.iter().filter(|w| tells(w));
    let scored: BTreeSet<NodeId> = telling.flat_map(|w| w.scores.iter().map(|(node, _)| *node)).gathered();
    trace.peer_nodes().filter(move |node| !scored.is_empty() && !scored.contains(node))
}

/// Clean if some witness that can make a culprit could judge the nodes; one that speaks against all of them clears nobody.
fn not_indicted(trace: &Trace, witnesses: &[Witness], without_majority: &[usize]) -> Finding {
    let peers = trace.peer_nodes().count();
    let mut telling =
        (0..).zip(witnesses).filter(|(_, w)| tells(w)).map(|(at, _)| without_majority.contains(&at)).peekable();
    if correlated(witnesses) {
        return Finding::None(Reason::Correlated);
    }
    if telling.peek().is_some() {
        return if telling.all(|against_all| against_all) { Finding::None(Reason::NoMajority) } else { Finding::Clean };
    }
    let nothing_read = trace.files.iter().all(|f| f.coverage.format.is_none() || f.coverage.understood == 0);
    // What is in logs that were not read, nobody knows.
    let most_unread = || {
        let unread = trace.files.iter().filter(|f| f.coverage.is_unread_log()).map(|f| f.coverage.lines);
        let read = trace.files.iter().map(|f| f.coverage.understood);
        unread.fold(0, u64::saturating_add) > read.fold(0, u64::saturating_add)
    };
    Finding::None(if nothing_read || trace.states.is_empty() && most_unread() {
        Reason::NoLogs
    } else if trace.states.is_empty() {
        let why: BTreeSet<Abstention> = witnesses.iter().filter_map(|w| w.abstained).gathered();
        match why.first() {
            Some(Abstention::NoPeers) if why.len() == 1 => Reason::NoPeers,
            _ if witnesses.iter().any(|w| lacks_controls(w, trace)) => Reason::NoBaseline,
            _ => Reason::Idle,
        }
    } else if peers < MIN_PEERS || witnesses.iter().all(|w| w.abstained == Some(Abstention::NoPeers)) {
        Reason::NoPeers
    } else if witnesses.iter().any(|w| w.abstained == Some(Abstention::TooManyPermutations)) {
        Reason::TooManyPermutations
    } else {
        Reason::TooFewData
    })
}

/// Whether a witness would compare with control runs what these logs hold, and there is nothing else in them.
fn lacks_controls(witness: &Witness, trace: &Trace) -> bool {
    let is_of_calls = witness.method != Method::KahunaBb;
    witness.abstained == Some(Abstention::NoBaseline) && (!is_of_calls || holds_calls_alone(trace))
}

/// Whether nothing but system calls tells of slaves.
fn holds_calls_alone(trace: &Trace) -> bool {
    let is_of_slave = |f: &FileInfo| f.coverage.format.as_deref().is_some_and(|of| formats::PER_NODE.contains(&of));
    trace.samples.is_empty() && !trace.files.iter().any(is_of_slave)
}

fn accuse<'w>(
    causes: &Causes<'_>,
    node: NodeId,
    witnesses: &[(usize, &'w Witness)],
    excused: &[(usize, NodeId)],
) -> Option<Culprit> {
    let of_node = |w: &'w Witness| {
        let own = w.indicted.iter().filter(move |i| i.node == node);
        own.map(move |i| (Source::of(w.signal), w, i))
    };
    let held = witnesses.iter().filter(|(at, _)| !excused.contains(&(*at, node)));
    let mut words: Vec<(Source, &Witness, &Indictment)> = held.flat_map(|(_, w)| of_node(w)).collect();
    let sureness = sureness(words.iter().map(|(source, _, i)| (*source, i.strength, i.p)))?;
    words.arrange(|a, b| b.2.strength.cmp(&a.2.strength).then(b.2.ratio.total_cmp(&a.2.ratio)).then(a.0.cmp(&b.0)));
    let mut slower: BTreeMap<Signal, f64> = BTreeMap::new();
    for (_, witness, indictment) in &words {
        // Who takes less time, which to the letter is odd too, is slow in nothing.
        if witness.method != Method::KahunaWb || indictment.ratio >= 1.0 {
            slower.entry(witness.signal).or_insert(indictment.ratio);
        }
    }
    let begins = words.iter().map(|(_, w, i)| (w.signal, i.strength, i.since));
    let since = since(begins.clone());
    let passed = until(words.iter().map(|(_, w, i)| (w.signal, i.strength, i.until)));
    let until = passed.filter(|until| was_watched(causes.trace(), node, since, *until));
    // What may come again has not passed for any of its grounds.
    let may_come_again = passed.is_some() && until.is_none();
    // A level that is no strong word may be of what the node was given to do, and that tells no cause.
    let is_strong = |w: &Witness| w.indicted.iter().any(|i| i.node == node && i.strength == Strength::Strong);
    let tell = witnesses.iter().map(|(_, w)| w).filter(|w| w.signal != Signal::Levels || is_strong(w));
    let odd = Interval::union(tell.flat_map(|w| w.odd_times(node)).collect());
    let scope = scope_of(words.iter().map(|(_, witness, _)| *witness), node);
    let fell = since_it_fell(begins);
    let rule = causes.of(node, &Symptoms { slower, odd, since, fell, scope });
    let is_of_fall = rule.cause() == Cause::Crashed || rule == Rule::DaemonStood;
    let since = if is_of_fall { fell.or(since) } else { since };
    Some(Culprit {
        node,
        rule,
        since,
        until,
        sureness,
        evidence: words.into_iter().map(|(_, w, i)| Word::of(w, i).lasting(may_come_again)).collect(),
    })
}

/// Whether a node's logs go on for as long after its fault as that had lasted, or for some minutes: one that comes and goes
/// pauses for less.
fn was_watched(trace: &Trace, node: NodeId, since: Option<Timestamp>, until: Timestamp) -> bool {
    let heard = heard(trace, |_| true).get(&node).map(|span| span.end);
    let lasted_ms = since.map_or(WATCHED_MS, |since| until.millis_since(since));
    heard.is_none_or(|last| last.millis_since(until) >= lasted_ms.min(WATCHED_MS))
}

/// The jobs in which durations accuse a node where some tell which: those of which all of these tell, or else any.
fn scope_of<'w>(witnesses: impl Iterator<Item = &'w Witness>, node: NodeId) -> Scope {
    let told: Vec<Scope> = witnesses.map(|w| w.scope_of(node)).filter(|scope| !scope.is_all()).collect();
    let any: BTreeSet<JobId> = told.iter().filter_map(Scope::jobs).flatten().copied().gathered();
    let in_all = any.iter().copied().filter(|job| told.iter().all(|scope| scope.covers(Some(*job))));
    let of_all = Scope::of(in_all.gathered());
    let scope = if of_all.is_all() { Scope::of(any) } else { of_all };
    // Where all tell of stretches of one job, the shortest of them shows most.
    let one = scope.jobs().is_some_and(|jobs| jobs.len() == 1);
    let stretches: Option<Vec<Stretch>> = told.iter().map(Scope::stretch).collect();
    let stretches = stretches.filter(|_| one).into_iter().flatten();
    match stretches.min_by_key(|stretch| stretch.during().millis()) {
        Some(stretch) => scope.within(stretch),
        None => scope,
    }
}

/// Since when a node is at fault, by the signals that accuse it, how strongly, and since when each: the first of them, but
/// for moderate complaints, which are made of healthy nodes too now and then; a long pause tells its begin itself. Where
/// levels of metrics are a strong word, they tell the second, and no other moderate word is asked: what is a little slow may
/// have begun by chance before.
#[must_use]
pub fn since<T: Ord>(words: impl Iterator<Item = (Signal, Strength, Option<T>)> + Clone) -> Option<T> {
    let is_pause = |signal| signal == Signal::Complaints(ComplaintKind::Paused);
    let is_complaint = |signal| matches!(signal, Signal::Complaints(_) | Signal::Silence | Signal::Stuck);
    let first = |tells: &dyn Fn(Signal, Strength) -> bool| {
        let words = words.clone().filter(|(signal, strength, _)| tells(*signal, *strength));
        words.filter_map(|(.., since)| since).min()
    };
    let is_strong = |strength| strength == Strength::Strong;
    let to_the_second = first(&|signal, strength| signal == Signal::Levels && is_strong(strength)).is_some();
    first(&|signal, strength| is_strong(strength) || !(to_the_second || is_complaint(signal) && !is_pause(signal)))
        .or_else(|| first(&|_, _| true))
}

/// Until when a node was at fault, by the signals that accuse it, how strongly, and until when each: the last of them, where
/// all of them have passed. Where levels of metrics are a strong word, they tell the second here, too.
#[must_use]
pub fn until<T: Ord>(words: impl Iterator<Item = (Signal, Strength, Option<T>)> + Clone) -> Option<T> {
    if words.clone().any(|(.., until)| until.is_none()) {
        return None;
    }
    let is_strong = |strength| strength == Strength::Strong;
    let to_the_second = words.clone().any(|(signal, strength, _)| signal == Signal::Levels && is_strong(strength));
    // A histogram of profiles remembers what has passed.
    let remembers = |signal| matches!(signal, Signal::OwnProfiles | Signal::ControlProfiles);
    let told = words.filter(|(signal, strength, _)| !to_the_second || (is_strong(*strength) && !remembers(*signal)));
    told.filter_map(|(.., until)| until).max()
}

/// Since when a node is gone, where a signal tells that it went away: work that was under way then began before.
#[must_use]
pub fn since_it_fell<T: Ord>(words: impl Iterator<Item = (Signal, Strength, Option<T>)>) -> Option<T> {
    let is_of_a_fall = |signal| matches!(signal, Signal::Silence | Signal::Complaints(ComplaintKind::LostNode));
    words.filter(|(signal, ..)| is_of_a_fall(*signal)).filter_map(|(.., since)| since).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Coverage, FileReading, Node};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millis(second * 1000)
    }

    /// One at fault from and until so many seconds, by one strong word.
    fn culprit(node: u32, since: i64, until: Option<i64>, signal: Signal) -> Culprit {
        let node = NodeId(node);
        let (method, strength, until) = (Method::SlowWarnings, Strength::Strong, until.map(at));
        let indictment = Indictment {
            node,
            strength,
            score: 1.0,
            ratio: 1.0,
            p: None,
            text: String::new(),
            lines: Vec::new(),
            since: Some(at(since)),
            until,
        };
        let word = Word { method, signal, threshold: None, scope: Scope::default(), indictment };
        Culprit { node, rule: Rule::Untold, since: Some(at(since)), until, sureness: 0.9, evidence: vec![word] }
    }

    #[test]
    fn nodes_at_fault_one_after_the_other_leave_a_majority() {
        let peers: Vec<NodeId> = (0..4).map(NodeId).collect();
        let half = |times: [(i64, Option<i64>); 2]| {
            let both: Vec<Culprit> =
                (0..).zip(times).map(|(node, (since, until))| culprit(node, since, until, Signal::Levels)).collect();
            half_at_once(&both, &peers)
        };
        assert!(half([(10, None), (20, None)]));
        assert!(half([(10, Some(20)), (20, None)]));
        assert!(!half([(10, Some(19)), (20, None)]));
    }

    #[test]
    fn faults_at_one_time_are_counted_by_their_begins_and_ends() {
        let most = |faults: &[(Option<i64>, Option<i64>)]| most_at_once(faults.iter().copied());
        assert_eq!(most(&[]), 0);
        assert_eq!(most(&[(Some(5), Some(8)), (Some(9), None), (Some(12), None), (Some(1), Some(6))]), 2);
        assert_eq!(most(&[(None, None), (Some(5), Some(9)), (Some(7), Some(8)), (Some(10), Some(11))]), 3);
        assert_eq!(most(&[(Some(9), Some(9)); 4]), 4, "what is of one instant is there");
        assert_eq!(most(&[(Some(9), Some(1)), (Some(9), Some(2))]), 2, "in a report from elsewhere");
    }

    #[test]
    fn what_a_node_is_without_comparison_needs_no_majority() {
        let peers: Vec<NodeId> = (0..4).map(NodeId).collect();
        let half = |signal| half_at_once(&[culprit(0, 10, None, Signal::Levels), culprit(1, 20, None, signal)], &peers);
        assert!(half(Signal::Stuck));
        assert!(!half(Signal::Silence));
        assert!(!half(Signal::Complaints(ComplaintKind::NoSpace)));
    }

    #[test]
    fn fault_has_passed_if_its_node_was_heard_of_for_as_long_again_or_some_minutes() {
        let coverage = Coverage { format: Some(formats::DATANODE.to_owned()), ..Coverage::default() };
        let file = FileInfo {
            path: String::new(),
            node: Some(NodeId(0)),
            daemon_last: None,
            last_line: 0,
            coverage,
            issues: Vec::new(),
        };
        let logs_end = |second: i64| Trace {
            files: vec![file.clone()],
            readings: vec![FileReading { span: Some((at(0), at(second))), ..FileReading::default() }],
            nodes: vec![Node { name: "h0".into(), is_peer: true }],
            ..Trace::default()
        };
        let watched = |end: i64, since: i64| was_watched(&logs_end(end), NodeId(0), Some(at(since)), at(1000));
        assert_eq!([1059, 1060].map(|end| watched(end, 940)), [false, true]);
        assert_eq!([1299, 1300].map(|end| watched(end, 0)), [false, true]);
    }
}
