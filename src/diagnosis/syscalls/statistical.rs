//! The statistical algorithm (C08–C12): which node spends most in a call, whether control
//! runs know as much, and whether all others spend clearly less.
//!
//! ```text
//! 1 disk      max = node with most stat;    out of its band, > 25 % above all others,
//!             and its access is out of its band                        → disk-hog, go to 3
//! 2 network   max = node with most connect; out of its band, > 25 % above all others
//!                                                                      → network-hog, go to 3
//! 3 isolation bind, socket, execve: scr = calls out of their buckets' bands, summed;
//!             a node with scr > 50 % above all others                  → possibly faulty
//! 4           accept out of its band, not after a network-hog          → possibly faulty
//! 5           return max and the possibly faulty
//! ```
//! Readings of what the paper leaves open: a difference is of the other node's value; in 3 "pairwise"
//! is as in 1, against all others (pair by pair all nodes but the least would be marked).
//! The first words of 4 are lost. To the letter 3 and 4 are asked where neither 1 nor 2 found a hog, too, and the possibly
//! faulty are returned alone: on traced runs, whose time in accept differs by how long they are, that is mostly every node.
//!
//! By default only 1 and 2 lead to 3, since a set without a cause would be no diagnosis.
//! By default values are means per call (accept: seconds per second), buckets are shares of
//! the calls, so that runs of different length compare; connections are timed until they
//! stand; only more than the band is out of it, since a hog makes nothing faster; and in 4 a node's accept must also
//! be [`Number::CallsIsolated`] times any other's, since all nodes wait longer for whoever is slow.

use super::bands::{Range, UseBand, per_second};
use super::peers::end;
use super::readiness::connections;
use super::usage::{NodeUse, Usage};
use super::{Examination, Hog, Opinion, connect_of, span_of};
use crate::base::quantity::of_micros;
use crate::base::{Arrange, NodeId, Place};
use crate::diagnosis::{EVIDENCE_LINES, Number};
use crate::model::Trace;
use crate::model::calls::BUCKETS;

/// Runs the algorithm.
#[must_use]
pub fn diagnose(trace: &Trace, e: &Examination) -> Opinion {
    let mut opinion = Opinion { ratio: 1.0, ..Opinion::default() };
    let connect = connect_of(e);
    opinion.scores =
        e.nodes.keys().map(|node| (*node, score(e, *node, "stat").max(score(e, *node, connect)))).collect();
    let disk = hog(trace, e, "stat", Some("access"), &mut opinion);
    let found = match disk {
        Some(max) => Some((Hog::Disk, max)),
        None if e.blind_to_network() && !e.switches.literal => {
            opinion.path.push(String::from(
                "Network: all connections begin without blocking and no poll, ppoll or epoll_wait is traced, so faults of the network cannot show in these traces.",
            ));
            None
        }
        None if e.counted && !e.switches.literal => {
            opinion.path.push(String::from(
                "Network: strace -c counts processor time, in which waiting for a connection does not show.",
            ));
            None
        }
        None => hog(trace, e, connect, None, &mut opinion).map(|max| (Hog::Network, max)),
    };
    let Some((hog, max)) = found else {
        let mut set = Vec::new();
        if e.switches.literal {
            possibly_faulty(trace, e, None, &mut set, &mut opinion.path);
        }
        if set.is_empty() {
            opinion.path.push(String::from("Neither was found, so no node is named."));
        } else {
            opinion.found = Some((None, set));
        }
        return opinion;
    };
    let signal = if hog == Hog::Disk { "stat" } else { connect };
    opinion.ratio = ratio(e, max, signal);
    opinion.scores = e.nodes.keys().map(|node| (*node, score(e, *node, signal))).collect();
    opinion.path.push(evidence(trace, e, hog, max));
    opinion.lines = lines(trace, e, hog, max);
    let mut set = vec![max];
    possibly_faulty(trace, e, Some(hog), &mut set, &mut opinion.path);
    opinion.found = Some((Some(hog), set));
    opinion
}

/// Steps 3 and 4, in words, with the nodes that they add to the set.
fn possibly_faulty(trace: &Trace, e: &Examination, hog: Option<Hog>, set: &mut Vec<NodeId>, path: &mut Vec<String>) {
    for (node, why) in isolate(trace, e, hog) {
        let name = trace.node_name(node);
        if set.contains(&node) {
            path.push(format!("{name} points to it too: {why}."));
        } else {
            let too = if hog.is_some() { " too" } else { "" };
            path.push(format!("Possibly faulty{too}: {name} ({why})."));
            set.push(node);
        }
    }
}

/// What is compared of a call: the total, or by default the mean.
fn value(e: &Examination, usage: &Usage) -> f64 {
    if e.switches.literal { usage.total_us as f64 } else { usage.mean_us() }
}

fn band_of(e: &Examination, band: &UseBand) -> Range {
    if e.switches.literal { band.total_us } else { band.mean_us }
}

/// Whether a value is out of its band.
fn outside(e: &Examination, band: Range, value: f64) -> bool {
    if e.switches.literal { band.excludes(value) } else { value > band.high }
}

/// How many times the upper end of its band a value is.
fn score(e: &Examination, node: NodeId, name: &str) -> f64 {
    let value = e.nodes.get(&node).map_or(0.0, |n| value(e, &n.of(name)));
    match e.band(node, name).map(|b| band_of(e, b).high) {
        Some(high) if high > 0.0 => value / high,
        _ => 0.0,
    }
}

/// How many times the largest other value a node's is.
fn ratio(e: &Examination, node: NodeId, name: &str) -> f64 {
    let of = |n: &NodeUse| value(e, &n.of(name));
    let others = e.nodes.iter().filter(|(n, _)| **n != node).map(|(_, found)| of(found)).fold(0.0, f64::max);
    let own = e.nodes.get(&node).map_or(0.0, of);
    if others > 0.0 { own / others } else { 1.0 }
}

/// Steps 1 and 2: the node with most of `name`, if it is at fault.
fn hog(trace: &Trace, e: &Examination, name: &str, and: Option<&str>, opinion: &mut Opinion) -> Option<NodeId> {
    let (topic, what) = if and.is_some() { ("Disk", "looking up files (stat)") } else { ("Network", "connecting") };
    // Of equals the first.
    let most = e.nodes.iter().map(|(node, found)| (*node, value(e, &found.of(name))));
    let (max, most) = most.reduce(|a, b| if b.1 > a.1 { b } else { a }).filter(|(_, v)| *v > 0.0)?;
    let each = if e.switches.literal { "in all" } else { "a call" };
    let host = trace.node_name(max);
    let Some(band) = e.band(max, name).map(|b| band_of(e, b)) else {
        opinion.path.push(format!("{topic}: {} have no {name}.", e.healthy()));
        return None;
    };
    let mut says = format!(
        "{topic}: {what} takes longest on {host}, {} {each}; {}: {}",
        of_micros(most),
        e.healthy(),
        span_of(band)
    );
    let verdict = if !outside(e, band, most) {
        Err("which is no more than that".to_owned())
    } else if let Some((near, value)) = nearest(e, max, name, most) {
        let apart = e.numbers.get(Number::CallsApart);
        Err(format!("but not {apart:.2} times as long as on {}, {}", trace.node_name(near), of_micros(value)))
    } else if let Some(second) = and {
        let access = e.nodes.get(&max).map_or(0.0, |n| value(e, &n.of(second)));
        match e.band(max, second).map(|b| band_of(e, b)) {
            Some(band) if outside(e, band, access) => {
                Ok(format!("so is {second} with {} ({})", of_micros(access), span_of(band)))
            }
            _ => Err(format!("but {second} with {} is as it should be", of_micros(access))),
        }
    } else {
        Ok(format!("{:.1} times the next node's", ratio(e, max, name)))
    };
    says.push_str(&match &verdict {
        Ok(text) | Err(text) => format!(", {text}."),
    });
    opinion.path.push(says);
    verdict.is_ok().then_some(max)
}

/// A node that does not lie far enough below the one with most.
fn nearest(e: &Examination, max: NodeId, name: &str, most: f64) -> Option<(NodeId, f64)> {
    let others = e.nodes.iter().filter(|(n, _)| **n != max).map(|(n, found)| (*n, value(e, &found.of(name))));
    others.filter(|(_, v)| most <= e.numbers.get(Number::CallsApart) * v).reduce(|a, b| if b.1 > a.1 { b } else { a })
}

/// Steps 3 and 4: the nodes that are possibly faulty too, and why.
fn isolate(trace: &Trace, e: &Examination, hog: Option<Hog>) -> Vec<(NodeId, String)> {
    let mut marked = Vec::new();
    let isolated = e.numbers.get(Number::CallsIsolated);
    if !e.counted {
        for name in ["bind", "socket", "execve"] {
            let scores: Vec<(NodeId, f64)> =
                e.nodes.iter().map(|(n, found)| (*n, excess(e, *n, found, name))).collect();
            let floor = if e.switches.literal { 0.0 } else { e.numbers.get(Number::CallsExcess) };
            for (node, own) in &scores {
                let apart = scores.iter().all(|(other, theirs)| other == node || *own > isolated * theirs);
                if *own > floor && apart {
                    marked.push((*node, format!("durations of {name} that the band does not have")));
                }
            }
        }
    }
    if hog != Some(Hog::Network) {
        for (node, found) in &e.nodes {
            let usage = found.of("accept");
            let Some(band) = e.band(*node, "accept") else { continue };
            let (value, range) = if e.switches.literal {
                (usage.total_us as f64, band.total_us)
            } else {
                (per_second(found, &usage), band.per_second)
            };
            let others = e.nodes.iter().filter(|(n, _)| *n != node).map(|(_, f)| per_second(f, &f.of("accept")));
            let apart = e.switches.literal || others.fold(0.0, f64::max) * isolated < value;
            if outside(e, range, value) && apart {
                marked.push((*node, "time in accept out of the band".to_owned()));
            }
        }
    }
    marked.arrange(|a, b| trace.node_name(a.0).cmp(trace.node_name(b.0)));
    marked
}

/// Calls (by default shares of them) in buckets beyond the bands.
fn excess(e: &Examination, node: NodeId, found: &NodeUse, name: &str) -> f64 {
    let usage = found.of(name);
    let Some(band) = e.band(node, name) else { return 0.0 };
    if e.switches.literal {
        return usage.buckets.iter().zip(&band.counts).map(|(n, range)| range.excess(*n as f64)).sum();
    }
    let over = |b: usize| band.shares.get(b).map_or(0.0, |range| (usage.share(b) - range.high).max(0.0));
    (0..BUCKETS).map(over).sum()
}

/// What the paper saw beside a hog, in words (C20, C21).
fn evidence(trace: &Trace, e: &Examination, hog: Hog, max: NodeId) -> String {
    let own = |name: &str| e.nodes.get(&max).map_or_else(Usage::default, |n| n.of(name));
    let typical = |of: &dyn Fn(&NodeUse) -> f64| {
        let values =
            crate::stats::quantile::sorted(e.nodes.iter().filter(|(n, _)| **n != max).map(|(_, found)| of(found)));
        crate::stats::quantile::median(&values).unwrap_or(0.0)
    };
    let host = trace.node_name(max);
    match hog {
        Hog::Disk => format!(
            "{host} spends {:.0} % of its time in these calls in stat (its peers {:.0} %) and {:.0} % in execve (peers {:.0} %), a stat takes {} (peers {}), an access {} (peers {}).",
            e.nodes.get(&max).map_or(0.0, |n| n.share_of_time("stat")) * 100.0,
            typical(&|n| n.share_of_time("stat")) * 100.0,
            e.nodes.get(&max).map_or(0.0, |n| n.share_of_time("execve")) * 100.0,
            typical(&|n| n.share_of_time("execve")) * 100.0,
            of_micros(own("stat").mean_us()),
            of_micros(typical(&|n| n.of("stat").mean_us())),
            of_micros(own("access").mean_us()),
            of_micros(typical(&|n| n.of("access").mean_us())),
        ),
        Hog::Network => format!(
            "{host} waits {} for a connection (its peers {}), over {} connections; an accept takes {} (peers {}).",
            of_micros(own(connect_of(e)).mean_us()),
            of_micros(typical(&|n| n.of(connect_of(e)).mean_us())),
            own(connect_of(e)).calls,
            of_micros(own("accept").mean_us()),
            of_micros(typical(&|n| n.of("accept").mean_us())),
        ),
    }
}

/// The longest calls of the kind on the node, longest first.
fn lines(trace: &Trace, e: &Examination, hog: Hog, node: NodeId) -> Vec<(Place, i64)> {
    let mut found: Vec<(u64, Place, i64)> = match hog {
        Hog::Network if connect_of(e) != "connect" => {
            connections(trace, node).known.iter().map(|c| (c.took_us, c.place, c.at_us)).collect()
        }
        _ => {
            let wanted = |name: &str, args: &str| match hog {
                Hog::Disk => matches!(name, "stat" | "access"),
                Hog::Network => name == "connect" && end(trace, args).is_some(),
            };
            let calls = trace.calls.of_node(node).filter(|c| wanted(c.name, c.args) && !c.is_of_descriptor());
            calls.filter_map(|c| Some((c.duration_us?, c.place, c.at_us))).collect()
        }
    };
    found.arrange(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    found.into_iter().take(EVIDENCE_LINES).map(|(_, place, at)| (place, at)).collect()
}
