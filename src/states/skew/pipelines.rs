//! Messages along the pipelines of HDFS: each DataNode that writes a block has it from the one before it.
//!
//! ```text
//! h1  Receiving blk_7, src: client ──► h2  Receiving blk_7, src: h1 ──► h3  Receiving blk_7, src: h2
//!     HDFS_WRITE blk_7 ◄────────────────── HDFS_WRITE blk_7 ◄────────────── HDFS_WRITE blk_7
//! ```
//! Lines are those of the DataNode's `DataXceiver` and `clienttrace`. A block that a node wrote twice tells nothing
//! there, nor does one whose sources lead around in a circle.
//!
//! Cost: O(rows of blocks · writes of a block); at most [`super::KEPT`] blocks with [`WRITES_MAX`] writes each are held.

use super::bounds::{ClockId, Messages, Solved};
use super::{Chosen, Clocks, send};
use crate::base::{BlockId, NodeId, Place, Timestamp};
use crate::model::{Event, Topic, formats};
use crate::states::FileView;
use std::collections::BTreeMap;

/// Writes of one block: more than its replicas, however often one is tried again, tell nothing of clocks.
const WRITES_MAX: usize = 64;
/// So much may be open of how far two clocks are apart where a hop between them is timed.
const OPEN_MS: i64 = 300;

/// One replica being written.
#[derive(Clone, Copy)]
struct Write {
    node: NodeId,
    src: Option<NodeId>,
    begin: Timestamp,
    end: Option<Timestamp>,
    /// The line of its begin.
    place: Place,
}

/// A block's way from one DataNode of its pipeline to the next, from when that one had its request until this one had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Who passes it on.
    pub from: NodeId,
    /// To whom.
    pub to: NodeId,
    /// Which block.
    pub block: BlockId,
    /// When it was there, by the clock of who has it then.
    pub end: Timestamp,
    /// How long that took.
    pub took_ms: i64,
    /// The line that tells the end.
    pub place: Place,
}

/// The ways of all blocks, and what passed along them both ways.
#[derive(Default)]
pub struct Hops {
    all: Vec<Hop>,
    messages: Messages,
}

impl Hops {
    /// How long each took by clocks that the pipelines alone put right, masters being too far from them; only those
    /// between nodes of whose clocks enough is known.
    #[inline(never)]
    pub(super) fn timed(self) -> Vec<Hop> {
        let Self { mut all, mut messages } = self;
        let Some(root) = messages.busiest() else { return Vec::new() };
        let (Solved { bounds, .. }, set) = messages.solve(root, ClockId::MAX);
        let clock =
            |node: NodeId| bounds.get(&node.index()).filter(|_| set.iter().all(|step| step.clock != node.index()));
        all.retain_mut(|hop| {
            let Some((from, to)) = clock(hop.from).zip(clock(hop.to)) else { return false };
            let open_ms = [from, to].map(|b| b.high_ms.saturating_sub(b.low_ms));
            let ahead_ms = to.middle_ms().saturating_sub(from.middle_ms());
            hop.took_ms = hop.took_ms.saturating_sub(ahead_ms);
            open_ms.into_iter().fold(0, i64::saturating_add) <= OPEN_MS
        });
        all
    }
}

impl Clocks<'_> {
    /// Along the pipelines of HDFS: down with the request, up with the last packet's answer. Notes each hop as well.
    #[inline(never)]
    pub(super) fn writes(&self, messages: &mut Messages, hops: &mut Hops) {
        for (block, writes) in &self.blocks() {
            // A client that writes from a node of the pipeline, but not through it, makes
            // a circle: then who sends to whom is not what it seems.
            if has_circle(writes) {
                continue;
            }
            for down in writes {
                let mut above = writes.iter().filter(|up| Some(up.node) == down.src);
                let (Some(up), None) = (above.next(), above.next()) else { continue };
                let clock = |node: NodeId, at| Some((node.index(), at));
                let mut pass = |from, to| {
                    send(messages, from, to);
                    send(&mut hops.messages, from, to);
                };
                pass(clock(up.node, up.begin), clock(down.node, down.begin));
                if let (Some(below), Some(above)) = (down.end, up.end) {
                    pass(clock(down.node, below), clock(up.node, above));
                }
                if up.node != down.node {
                    let took_ms = down.begin.millis_since(up.begin);
                    let Write { begin: end, place, .. } = *down;
                    hops.all.push(Hop { from: up.node, to: down.node, block: *block, end, took_ms, place });
                }
            }
        }
    }

    /// Each block's replicas that are written once on a node.
    fn blocks(&self) -> BTreeMap<BlockId, Vec<Write>> {
        let mut blocks: BTreeMap<BlockId, Vec<Write>> = BTreeMap::new();
        let mut chosen = Chosen::default();
        for file in self.input.files_of(formats::DATANODE) {
            self.writes_in(file, &mut blocks, &mut chosen);
        }
        blocks.retain(|_, writes| writes.len() <= WRITES_MAX);
        // Written twice on one node (a retry): which belongs to which is not known.
        for writes in blocks.values_mut() {
            let once = |w: &Write, all: &[Write]| all.iter().filter(|o| o.node == w.node).count() == 1;
            let all = writes.clone();
            writes.retain(|w| once(w, &all));
        }
        blocks
    }

    /// Those of one log.
    #[inline(never)]
    fn writes_in(&self, file: &FileView<'_>, blocks: &mut BTreeMap<BlockId, Vec<Write>>, chosen: &mut Chosen) {
        let Some(node) = file.node else { return };
        for row in file.about(Topic::Blocks) {
            let (block, begin) = match row.event {
                Event::Receiving { block, src, .. } => (block, Some(src.ip())),
                // Not `Received`: a replica that the NameNode ordered is sent by who has
                // long finished its own.
                Event::Wrote { block, .. } => (block, None),
                _ => continue,
            };
            if !chosen.takes(block.0 as u64) {
                continue;
            }
            let writes = blocks.entry(block).or_default();
            if writes.len() > WRITES_MAX {
                continue;
            }
            match begin {
                Some(ip) => {
                    let src = self.input.by_ip.get(&ip).copied();
                    writes.push(Write { node, src, begin: row.at, end: None, place: file.place(row.line) });
                }
                None => {
                    if let Some(open) = writes.iter_mut().find(|w| w.node == node && w.end.is_none()) {
                        open.end = Some(row.at);
                    }
                }
            }
            while chosen.halves(blocks.len()) {
                blocks.retain(|block, _| chosen.takes(block.0 as u64));
            }
        }
    }
}

/// Whether the sources of these writes lead around in a circle.
fn has_circle(writes: &[Write]) -> bool {
    writes.iter().any(|start| {
        let mut at = start;
        for _ in 0..writes.len() {
            match writes.iter().find(|up| Some(up.node) == at.src && up.node != at.node) {
                Some(up) if up.node == start.node => return true,
                Some(up) => at = up,
                None => return false,
            }
        }
        true
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::FileId;

    /// Blocks that pass from one node to another in so many milliseconds, by clocks that are ahead by these; each is answered.
    fn passed(hops: &[(u32, u32, i64)], ahead_ms: &[i64]) -> Hops {
        let mut found = Hops::default();
        for (from, to, ms) in hops {
            let stamp =
                |node: u32, ms: i64| Some((node as usize, Timestamp::from_millis(ms + ahead_ms[node as usize])));
            let (begin, end) = (stamp(*from, 0), stamp(*to, *ms));
            send(&mut found.messages, begin, end);
            send(&mut found.messages, stamp(*to, 9_000), stamp(*from, 9_001));
            let (begin, end) = (begin.unwrap().1, end.unwrap().1);
            let (from, to, took_ms) = (NodeId(*from), NodeId(*to), end.millis_since(begin));
            let place = Place { file: FileId(0), line: 1 };
            found.all.push(Hop { from, to, block: BlockId(7), end, took_ms, place });
        }
        found
    }

    #[test]
    fn hops_are_timed_by_clocks_put_right() {
        let hops = [(0, 1, 5), (1, 2, 5), (2, 0, 5), (0, 1, 1030), (3, 0, 4), (0, 3, 7)];
        let took = |ahead_ms: &[i64]| passed(&hops, ahead_ms).timed().iter().map(|hop| hop.took_ms).collect::<Vec<_>>();
        let right = took(&[0; 4]);
        assert!(right.iter().zip(hops).all(|(ms, (.., true_ms))| (ms - true_ms).abs() <= 5), "{right:?}");
        assert_eq!(took(&[0, 1000, -70_000, 3]), right);
    }

    #[test]
    fn hop_between_clocks_of_which_little_is_known_is_not_timed() {
        let timed = |ms: i64| passed(&[(0, 1, 5), (1, 2, 5), (0, 3, ms)], &[0; 4]).timed().len();
        assert_eq!((timed(OPEN_MS - 12), timed(OPEN_MS + 12)), (3, 2), "node 3 was heard of once, late");
    }
}
