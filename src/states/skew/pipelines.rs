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

use super::bounds::Messages;
use super::{Chosen, Clocks, send};
use crate::base::{BlockId, NodeId, Timestamp};
use crate::model::{Event, Topic, formats};
use crate::states::FileView;
use std::collections::BTreeMap;

/// Writes of one block: more than its replicas, however often one is tried again, tell nothing of clocks.
const WRITES_MAX: usize = 64;

/// One replica being written.
#[derive(Clone, Copy)]
struct Write {
    node: NodeId,
    src: Option<NodeId>,
    begin: Timestamp,
    end: Option<Timestamp>,
}

impl Clocks<'_> {
    /// Along the pipelines of HDFS: down with the request, up with the last packet's answer.
    #[inline(never)]
    pub(super) fn writes(&self, messages: &mut Messages) {
        for writes in self.blocks().values() {
            // A client that writes from a node of the pipeline, but not through it, makes
            // a circle: then who sends to whom is not what it seems.
            if has_circle(writes) {
                continue;
            }
            for down in writes {
                let mut above = writes.iter().filter(|up| Some(up.node) == down.src);
                let (Some(up), None) = (above.next(), above.next()) else { continue };
                let clock = |node: NodeId, at| Some((node.index(), at));
                send(messages, clock(up.node, up.begin), clock(down.node, down.begin));
                if let (Some(below), Some(above)) = (down.end, up.end) {
                    send(messages, clock(down.node, below), clock(up.node, above));
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
                    writes.push(Write { node, src, begin: row.at, end: None });
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
