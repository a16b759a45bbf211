//! Connections along the pipelines of HDFS that took a second: a packet that opens one was lost.
//!
//! ```text
//! h1  Receiving blk_7, src: client ── connects, sends the request ──► h2  Receiving blk_7, src: h1      a few ms
//! h1  Receiving blk_8, src: client ── SYN lost ┊ 1 s ┊ SYN ─────────► h2  Receiving blk_8, src: h1      1.03 s
//! ```
//! A DataNode tells of a block before it connects to the next node of the pipeline, its mirror, and that one when it has the
//! request (`DataXceiver.writeBlock`, Hadoop 0.20 to 3.x). TCP sends the packet that opens a connection again after a second
//! (RFC 6298). Nothing else takes just as long: of 3,311 such hops in 65 real runs, none of them with a lossy end, five lie
//! between 0.95 and 1.3 s (0.15 %), and eight beside it between 1.3 and 1.95 s; of 146 with one, 5.5 %.
//!
//! No line complains of it, so this does: the node that connects, of its mirror. Clocks are put right by what passes
//! along the pipelines itself. Cost: O(hops log nodes).

use super::skew::{self, Hop};
use super::{Found, Input};
use crate::base::{Gathered, NodeId};
use crate::model::{Complaint, ComplaintKind, Mirrors};
use std::collections::{BTreeMap, BTreeSet};

/// From so many milliseconds on a hop waited for its connection, by clocks that need not agree to the millisecond…
const WAITED_MS: i64 = 950;
/// …and up to so many: what takes longer waits for something else, too.
const WAITED_UNTIL_MS: i64 = 1300;
/// Where a disk is waited for, hops take any time: as many lie in a stretch behind, of the same length.
const BEHIND_MS: i64 = WAITED_UNTIL_MS + (WAITED_UNTIL_MS - WAITED_MS);
/// By the timer are those of a node of which more than so many times as many hops take a second as lie behind.
const TIMES: usize = 2;
/// So much too early is a clock's doing.
const EARLY_MS: i64 = -500;

/// Has nodes complain that waited for their connections, and counts all that were made.
#[inline(never)]
pub(super) fn complain(input: &Input<'_>, skew: &mut skew::Found, found: &mut Found) {
    let set: BTreeSet<NodeId> = skew.set.iter().map(|set| set.node).gathered();
    let mut hops = std::mem::take(&mut skew.hops);
    hops.retain(|hop| !set.contains(&hop.from) && !set.contains(&hop.to));
    let hops = steady(hops);
    let by_timer = by_timer(&hops);
    let mut made: BTreeMap<(NodeId, NodeId), u32> = BTreeMap::new();
    for hop in hops {
        *made.entry((hop.from, hop.to)).or_default() += 1;
        if hop.waited() && (by_timer.contains(&hop.from) || by_timer.contains(&hop.to)) {
            found.complaints.push(Complaint {
                kind: ComplaintKind::SlowMirror,
                by: Some(hop.from),
                of: Some(hop.to),
                at: input.corrections.of(Some(hop.to)).right(hop.end),
                job: None,
                attempt: None,
                block: Some(hop.block),
                took_ms: u64::try_from(hop.took_ms).ok(),
                place: hop.place,
            });
        }
    }
    found.mirrors = made.into_iter().map(|((from, to), connections)| Mirrors { from, to, connections }).collect();
}

/// Those between nodes whose clocks were not set meanwhile, be it by a second: that makes hops late on one way and early on
/// the other.
fn steady(mut hops: Vec<Hop>) -> Vec<Hop> {
    let mut odd: BTreeMap<NodeId, [usize; 2]> = BTreeMap::new();
    for hop in &hops {
        for node in [hop.from, hop.to] {
            let [early, late] = odd.entry(node).or_default();
            *early += usize::from(hop.took_ms <= EARLY_MS);
            *late += usize::from(hop.took_ms >= WAITED_MS);
        }
    }
    let is_steady = |node: NodeId| odd.get(&node).is_none_or(|[early, late]| *early == 0 || 2 * early < *late);
    hops.retain(|hop| is_steady(hop.from) && is_steady(hop.to));
    hops
}

/// The nodes of which hops take a second, and hardly any takes little longer.
fn by_timer(hops: &[Hop]) -> BTreeSet<NodeId> {
    let mut counts: BTreeMap<NodeId, [usize; 2]> = BTreeMap::new();
    for hop in hops.iter().filter(|hop| WAITED_MS <= hop.took_ms && hop.took_ms < BEHIND_MS) {
        for node in [hop.from, hop.to] {
            let [waited, behind] = counts.entry(node).or_default();
            *if hop.waited() { waited } else { behind } += 1;
        }
    }
    counts.into_iter().filter(|(_, [waited, behind])| *waited > TIMES * behind).map(|(node, _)| node).gathered()
}

impl Hop {
    const fn waited(&self) -> bool {
        WAITED_MS <= self.took_ms && self.took_ms < WAITED_UNTIL_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{BlockId, FileId, Place, Timestamp};

    fn hop(from: u32, to: u32, took_ms: i64) -> Hop {
        let place = Place { file: FileId(to), line: 1 };
        Hop { from: NodeId(from), to: NodeId(to), block: BlockId(7), end: Timestamp::default(), took_ms, place }
    }

    #[test]
    fn hop_waits_if_it_takes_a_second_and_little_more() {
        assert_eq!([949, 950, 1299, 1300].map(|ms| hop(0, 1, ms).waited()), [false, true, true, false]);
    }

    #[test]
    fn hops_that_take_any_time_wait_for_no_timer() {
        let late = [hop(0, 1, 960), hop(2, 1, 1290), hop(1, 2, 1030)];
        assert_eq!(by_timer(&late), BTreeSet::from([0, 1, 2].map(NodeId)));
        let with = |behind: i64| by_timer(&[late.as_slice(), &[hop(1, 3, 1300), hop(1, 3, behind)]].concat());
        assert_eq!(with(1649), BTreeSet::from([NodeId(0), NodeId(2)]), "three of node 1 beside two");
        assert!(with(1650).contains(&NodeId(1)), "beside one");
    }

    #[test]
    fn clock_that_is_set_by_a_second_makes_nobody_wait() {
        let waits = |hops: &[Hop]| steady(hops.to_vec()).iter().filter(|hop| hop.waited()).count();
        let usual = [hop(0, 1, 5), hop(1, 0, 5), hop(1, 2, 5), hop(2, 1, 5), hop(0, 2, 5), hop(2, 0, 5)];
        let late = [usual.as_slice(), &[hop(0, 1, 1020), hop(2, 1, 1040), hop(1, 2, 1030)]].concat();
        assert_eq!(waits(&late), 3);
        // Node 1's clock is set forward: what it hears seems late, what it sends early.
        let set = [usual.as_slice(), &[hop(0, 1, 1005), hop(2, 1, 1005), hop(1, 0, -995), hop(1, 2, -995)]].concat();
        assert_eq!(waits(&set), 0);
        // One line that was written late: node 0 may have been set, of node 1 more hops wait than that.
        assert_eq!(waits(&[late.as_slice(), &[hop(1, 0, -600)]].concat()), 2);
    }
}
