//! The semantic algorithm (C13, C14): each call against the same call of control runs.
//!
//! ```text
//! connect(fd, {…, "10.77.1.12"}, 16) = -1 EINPROGRESS on h105: 2.04 s, control runs 0.2 … 160 ms
//!     → a spike of the pair h102–h105
//! pairs: h102–h105 9.3 s   h102–h101 4.1 s   h102–h104 3.9 s   h101–h103 0
//!     → the highest scores meet in h102
//! ```
//! Readings of what the paper leaves open: a call on files has no other end, so its score
//! counts for all pairs of its node. accept scores its pair and names no cause.
//!
//! "All the highest scr values involve that node with a different node": how many are the highest is not said. By default
//! they are the two highest and those equal to the second, since one pair alone cannot tell its two ends apart; the rules
//! below ask for more. To the letter there is nothing else to make the algorithm abstain, and two are too few: where calls on
//! files are out of their bands, the score of a pair is the sum of its nodes', and the two highest of such sums always meet
//! in one node unless they tie. So there they are as many as a node has others to be a pair with, each "a different node",
//! or all that are above 0. On made traces it then says nothing
//! of half of the runs without a fault, and with two of a sixth (`tests/syscalls_made.rs`).
//!
//! To the letter a spike is any time outside of the band of the node's own call, with its arguments as they stand (a node that
//! no control run had takes those of all), and scores one. By default it is
//! a connection until it stands, a stat or an access, whose signature control runs had at
//! least [`Number::CallsSupport`] times, and which took more than [`Number::CallsSpike`] times their longest; it
//! scores the seconds beyond that longest. Disk and network are scored apart, and the node
//! must have [`Number::CallsSpikes`] spikes, more than chance gives it, and [`Number::CallsDominant`] times the score
//! of any other.

use super::bands::{Bands, Unique, UniqueBand, connected, merge_unique, unique_by_node};
use super::normalise::{signature, verbatim};
use super::peers::{End, end};
use super::readiness::connections;
use super::{Examination, Hog, Opinion};
use crate::base::quantity::of_micros;
use crate::base::{Arrange, NodeId, Place};
use crate::diagnosis::{EVIDENCE_LINES, Number};
use crate::model::{Syscall, Trace};
use std::collections::{BTreeMap, HashMap};

/// Fewer pairs cannot meet.
pub const HIGHEST: usize = 2;

/// Before the time that a call took elsewhere, after which and a colon it is quoted from the logs. No other sentence here
/// has it.
pub const AT_MOST: &str = " at most ";

/// From when on a call is out of its band, unless it is read to the letter.
#[derive(Clone, Copy)]
struct Usual {
    /// Times the longest of its like.
    times: f64,
    /// Calls of its like in control runs.
    support: u64,
}

/// A call out of its band.
#[derive(Clone, Debug, PartialEq)]
pub struct Spike {
    /// The node that called.
    pub node: NodeId,
    /// Begin, microseconds since 1970.
    pub at_us: i64,
    /// What it says of its node.
    pub hog: Option<Hog>,
    /// Its other end.
    pub peer: Option<End>,
    /// What it scores.
    pub score: f64,
    /// How long it took.
    pub took_us: u64,
    /// Longest of the band.
    pub max_us: u64,
    /// Which call.
    pub what: String,
    /// The line.
    pub place: Place,
}

impl Spike {
    /// Whether it speaks of such a hog on the node: there, or with it as the other end.
    fn touches(&self, hog: Hog, node: NodeId) -> bool {
        self.hog == Some(hog) && (self.node == node || self.peer == Some(End::Node(node)))
    }
}

/// A call that is compared.
#[derive(Clone, Copy)]
struct Compared {
    node: NodeId,
    at_us: i64,
    hog: Option<Hog>,
    peer: Option<End>,
    took_us: u64,
    place: Place,
}

/// Two ends, the lesser first.
pub type Pair = (End, End);

/// All calls out of their bands, and the scores of pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Spikes {
    /// By node, then by time.
    pub all: Vec<Spike>,
    /// Score of each pair, by what hogs it.
    pub pairs: BTreeMap<Hog, BTreeMap<Pair, f64>>,
    /// Calls that no control run had.
    pub unmatched: u64,
    /// Calls that one had.
    pub matched: u64,
    /// Calls that one had, by what they tell of and by node.
    pub known: BTreeMap<(Hog, NodeId), u64>,
    /// The control runs were not learned to the letter, which is asked for.
    pub unlearned: bool,
    /// Spikes that chance alone gives an end: a call outlasts all `c` calls of the control
    /// runs once in `c + 1` times.
    pub by_chance: BTreeMap<(Hog, End), f64>,
}

impl Spikes {
    /// Compares each call.
    #[must_use]
    pub fn find(trace: &Trace, e: &Examination, baseline: Option<&Bands>) -> Self {
        let mut found = Self::default();
        let literal = e.switches.literal;
        let mut own = BTreeMap::new();
        if e.switches.peer_only {
            own = unique_by_node(trace, if literal { verbatim } else { signature });
        }
        for node in e.nodes.keys() {
            let mut others = Unique::new();
            let band = match baseline {
                _ if e.switches.peer_only => {
                    own.iter().filter(|(n, _)| *n != node).for_each(|(_, unique)| merge_unique(&mut others, unique));
                    &others
                }
                Some(bands) if literal => bands.own.get(trace.node_name(*node)).unwrap_or_else(|| {
                    found.unlearned |= bands.own.is_empty();
                    bands.own.values().for_each(|unique| merge_unique(&mut others, unique));
                    &others
                }),
                Some(bands) => &bands.unique,
                None => continue,
            };
            found.add(trace, e, *node, band);
        }
        found.all.arrange_by(|s| (s.node, s.at_us, s.place));
        found.score(e);
        found
    }

    fn add(&mut self, trace: &Trace, e: &Examination, node: NodeId, bands: &Unique) {
        let literal = e.switches.literal;
        let number = |number| e.numbers.get(number);
        let usual = Usual { times: number(Number::CallsSpike), support: number(Number::CallsSupport) as u64 };
        let usual = (!literal).then_some(usual);
        let mut known: HashMap<[u32; 3], String> = HashMap::new();
        for call in trace.calls.of_node(node).filter(|call| !call.is_of_descriptor()) {
            let (Some(syscall), Some(took_us)) = (Syscall::of(call.name), call.duration_us) else { continue };
            let named = if literal { verbatim } else { signature };
            let text = known.entry(call.texts).or_insert_with(|| named(call.name, call.args, call.ret));
            let hog = match syscall {
                Syscall::Stat | Syscall::Access => Some(Hog::Disk),
                Syscall::Connect => Some(Hog::Network),
                _ => None,
            };
            if !literal && hog != Some(Hog::Disk) {
                continue;
            }
            let network = matches!(syscall, Syscall::Connect | Syscall::Accept);
            let peer = if network { end(trace, call.args).filter(|p| *p != End::Node(node)) } else { None };
            let call = Compared { node, at_us: call.at_us, hog, peer, took_us, place: call.place };
            self.judge(call, text, bands.get(text), usual);
        }
        if literal {
            return;
        }
        for c in connections(trace, node).known {
            let Some(text) = known.get(&c.texts) else { continue };
            let peer = Some(c.peer).filter(|p| *p != End::Node(node));
            let hog = Some(Hog::Network);
            let call = Compared { node, at_us: c.at_us, hog, peer, took_us: c.took_us, place: c.place };
            self.judge(call, text, bands.get(&connected(text)), usual);
        }
    }

    /// Keeps a call that took more than so many times the longest of its like; `None`: that is not between their
    /// shortest and longest, as the paper has it.
    fn judge(&mut self, call: Compared, text: &str, band: Option<&UniqueBand>, usual: Option<Usual>) {
        let Some(band) = band.filter(|b| usual.is_none_or(|usual| b.count >= usual.support)) else {
            self.unmatched += 1;
            return;
        };
        self.matched += 1;
        let Compared { node, at_us, hog, peer, took_us, place } = call;
        if let Some(hog) = hog {
            *self.known.entry((hog, node)).or_default() += 1;
            let peer = peer.filter(|_| hog == Hog::Network);
            for end in [Some(End::Node(node)), peer].into_iter().flatten() {
                *self.by_chance.entry((hog, end)).or_default() += 1.0 / (band.count as f64 + 1.0);
            }
        }
        let is_out = usual.map_or_else(
            || took_us < band.min_us || took_us > band.max_us,
            |usual| took_us as f64 > usual.times * band.max_us as f64,
        );
        if is_out {
            let max_us = band.max_us;
            let score = if usual.is_some() { took_us.saturating_sub(max_us) as f64 / 1e6 } else { 1.0 };
            // Few calls are spikes: only theirs are texts of their own.
            self.all.push(Spike { node, at_us, hog, peer, score, took_us, max_us, what: text.to_owned(), place });
        }
    }

    fn score(&mut self, e: &Examination) {
        for spike in &self.all {
            let here = End::Node(spike.node);
            let hog = spike.hog.unwrap_or(Hog::Network);
            let others: Vec<End> = match (spike.hog, spike.peer) {
                (Some(Hog::Disk), _) => e.nodes.keys().filter(|n| **n != spike.node).map(|n| End::Node(*n)).collect(),
                (_, peer) => peer.into_iter().collect(),
            };
            let pairs = self.pairs.entry(hog).or_default();
            for other in others {
                *pairs.entry((here.min(other), here.max(other))).or_default() += spike.score;
            }
        }
    }

    /// What the pairs of an end sum up to.
    #[must_use]
    pub fn of_end(pairs: &BTreeMap<Pair, f64>, which: End) -> f64 {
        // The sum of no numbers is −0.
        pairs.iter().filter(|((a, b), _)| *a == which || *b == which).fold(0.0, |sum, (_, score)| sum + score)
    }
}

/// The end in which so many of the highest scores meet, and those equal to the last of them; `None` where they do not, or one
/// pair alone has a score.
#[must_use]
pub fn meeting_point(pairs: &BTreeMap<Pair, f64>, count: usize) -> Option<End> {
    let mut scores: Vec<f64> = pairs.values().copied().filter(|s| *s > 0.0).collect();
    scores.arrange(|a, b| b.total_cmp(a));
    let at = count.max(HIGHEST).min(scores.len().max(HIGHEST)) - 1;
    let last = *scores.get(at)?;
    let mut highest = pairs.iter().filter(|(_, score)| **score >= last).map(|(pair, _)| pair);
    let (a, b) = highest.next()?;
    let rest: Vec<&Pair> = highest.collect();
    let in_all = |end: &End| rest.iter().all(|(x, y)| x == end || y == end);
    [*a, *b].into_iter().find(in_all)
}

/// Runs the algorithm.
#[must_use]
pub fn diagnose(trace: &Trace, e: &Examination) -> Opinion {
    let mut opinion = Opinion { ratio: 1.0, ..Opinion::default() };
    if e.counted {
        opinion.path.push(String::from("strace -c gives totals only, not single calls, so none can be compared."));
        return opinion;
    }
    if e.spikes.unlearned {
        opinion.path.push(String::from(
            "The baseline has no bands of each node's calls: learn it to the letter too, with --syscalls-literal.",
        ));
        return opinion;
    }
    opinion.path.push(compared(e));
    let candidates = candidates(e);
    let mut found: Vec<(Hog, NodeId, f64)> = Vec::new();
    for (hog, pairs) in &candidates {
        match isolated(trace, e, *hog, pairs) {
            Ok((node, ratio)) => found.push((*hog, node, ratio)),
            Err(why) => opinion.path.push(why),
        }
    }
    let mut nodes: Vec<NodeId> = found.iter().map(|(_, n, _)| *n).collect();
    nodes.dedup();
    match (nodes.as_slice(), found.iter().max_by(|a, b| a.2.total_cmp(&b.2))) {
        ([node], Some((hog, _, ratio))) => {
            let pairs = candidates.iter().find(|(h, _)| h == hog).map(|(_, p)| p);
            opinion.scores = pairs.map(|pairs| sums(e, pairs)).unwrap_or_default();
            opinion.ratio = *ratio;
            opinion.path.push(sentence(trace, e, *hog, *node));
            opinion.lines = lines(&e.spikes, *hog, *node);
            opinion.found = Some((Some(*hog), vec![*node]));
        }
        (several, _) => {
            if several.len() > 1 {
                opinion.path.push(String::from("Disk and network point at different nodes, so none is named."));
            }
            opinion.scores = sums(e, &added(&mut candidates.iter().map(|(_, pairs)| pairs)));
        }
    }
    opinion
}

/// How many calls are out of their bands, in words.
fn compared(e: &Examination) -> String {
    format!(
        "{} of {} calls that {} have too took {}.",
        e.spikes.all.len(),
        e.spikes.matched,
        e.healthy(),
        if e.switches.literal {
            String::from("shorter or longer than there")
        } else {
            format!("more than {} × as long as the longest there", e.numbers.get(Number::CallsSpike))
        },
    )
}

/// The scores in which a node may stand out, with what it would suffer from: by default one table for each hog.
fn candidates(e: &Examination) -> Vec<(Hog, BTreeMap<Pair, f64>)> {
    let spikes = &e.spikes;
    if !e.switches.literal {
        return spikes.pairs.iter().map(|(hog, pairs)| (*hog, pairs.clone())).collect();
    }
    // One score a pair; the cause is what most of the spikes say that have the node as one end, as the pairs do.
    let all = added(&mut spikes.pairs.values());
    let hog = match meeting_point(&all, highest(e)) {
        Some(End::Node(node)) => {
            let of = |hog| spikes.all.iter().filter(|s| s.touches(hog, node)).count();
            if of(Hog::Disk) > of(Hog::Network) { Hog::Disk } else { Hog::Network }
        }
        _ => Hog::Network,
    };
    vec![(hog, all)]
}

/// How many pairs are the highest.
fn highest(e: &Examination) -> usize {
    if e.switches.literal { e.nodes.len().saturating_sub(1) } else { e.numbers.count(Number::CallsHighest) }
}

/// Several tables of scores, added up pair by pair.
fn added(tables: &mut dyn Iterator<Item = &BTreeMap<Pair, f64>>) -> BTreeMap<Pair, f64> {
    let mut all: BTreeMap<Pair, f64> = BTreeMap::new();
    for (pair, score) in tables.flatten() {
        *all.entry(*pair).or_default() += score;
    }
    all
}

/// The score of each node, over its pairs.
fn sums(e: &Examination, pairs: &BTreeMap<Pair, f64>) -> Vec<(NodeId, f64)> {
    e.nodes.keys().map(|n| (*n, Spikes::of_end(pairs, End::Node(*n)))).collect()
}

/// The node in which the highest scores meet, and how many times any other's its score is.
fn isolated(trace: &Trace, e: &Examination, hog: Hog, pairs: &BTreeMap<Pair, f64>) -> Result<(NodeId, f64), String> {
    let Some(End::Node(node)) =
        meeting_point(pairs, highest(e)).filter(|end| matches!(end, End::Node(n) if e.nodes.contains_key(n)))
    else {
        return Err(format!("{}: the pairs with the highest scores do not meet in one traced node.", hog.name()));
    };
    let own = own_score(e, hog, pairs, node);
    let next = e.nodes.keys().filter(|n| **n != node).map(|n| own_score(e, hog, pairs, *n)).fold(0.0, f64::max);
    let ratio = if next > 0.0 { own / next } else { own.max(1.0) };
    let host = trace.node_name(node);
    if e.switches.literal {
        // Slow accepts tell of no hog (C14).
        let is_told = e.spikes.all.iter().any(|s| s.touches(hog, node));
        let why = || format!("The highest scores meet in {host}, and none of its calls tells of a hog.");
        return if is_told { Ok((node, ratio)) } else { Err(why()) };
    }
    let count = e.spikes.all.iter().filter(|s| s.touches(hog, node)).count();
    let chance = e.spikes.by_chance.get(&(hog, End::Node(node))).copied().unwrap_or(0.0);
    if count < e.numbers.count(Number::CallsSpikes) || count as f64 <= chance {
        Err(format!(
            "{}: of slow calls with {host} as one end {count} are too few; chance alone can give {chance:.0}.",
            hog.name()
        ))
    } else if own < e.numbers.get(Number::CallsDominant) * next {
        Err(format!("{}: {host} has the highest score, but another node nearly as much.", hog.name()))
    } else {
        Ok((node, ratio))
    }
}

/// A node's score: of its own calls on files, or of its pairs.
fn own_score(e: &Examination, hog: Hog, pairs: &BTreeMap<Pair, f64>, node: NodeId) -> f64 {
    match hog {
        Hog::Disk => e.spikes.all.iter().filter(|s| s.hog == Some(hog) && s.node == node).map(|s| s.score).sum(),
        Hog::Network => Spikes::of_end(pairs, End::Node(node)),
    }
}

fn sentence(trace: &Trace, e: &Examination, hog: Hog, node: NodeId) -> String {
    let host = trace.node_name(node);
    let touching = || e.spikes.all.iter().filter(|s| s.touches(hog, node));
    let longest = touching().max_by_key(|s| s.took_us);
    let example = longest.map_or_else(String::new, |s| {
        format!(
            " The longest took {}, {}{AT_MOST}{}: {}.",
            of_micros(s.took_us as f64),
            e.healthy(),
            of_micros(s.max_us as f64),
            s.what
        )
    });
    let count = touching().count();
    // To the letter a call that took less than any is as odd.
    let took = if e.switches.literal { "were out of their bands" } else { "took far longer than they ever should" };
    match hog {
        Hog::Disk => format!("{count} look-ups of files on {host} {took}.{example}"),
        Hog::Network => format!("{host} is one end of the connections that {took} ({count}).{example}"),
    }
}

/// The longest spikes of the node, or with it as their other end.
fn lines(spikes: &Spikes, hog: Hog, node: NodeId) -> Vec<(Place, i64)> {
    let mut found: Vec<&Spike> = spikes.all.iter().filter(|s| s.touches(hog, node)).collect();
    found.arrange(|a, b| b.took_us.cmp(&a.took_us).then(a.place.cmp(&b.place)));
    found.into_iter().take(EVIDENCE_LINES).map(|s| (s.place, s.at_us)).collect()
}
