//! The values of a job's configuration that are used.

use serde::{Deserialize, Serialize};

/// What a job was told; `None` where its configuration is silent or not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobConf {
    /// Size of the blocks it writes.
    pub block_bytes: Option<u64>,
    /// Copies of each block it writes.
    pub replication: Option<u32>,
    /// Maps that run side by side on one node (0.18 to 1.x).
    pub map_slots: Option<u32>,
    /// Reduces that run side by side on one node (0.18 to 1.x).
    pub reduce_slots: Option<u32>,
    /// Memory of a map's container, which bounds how many run side by side (2.x, 3.x).
    pub map_memory_mb: Option<u32>,
    /// Memory of a reduce's container (2.x, 3.x).
    pub reduce_memory_mb: Option<u32>,
    /// Whether slow maps are run twice.
    pub map_speculation: Option<bool>,
    /// Whether slow reduces are run twice.
    pub reduce_speculation: Option<bool>,
    /// After which silence an attempt is stopped; 0: never.
    pub task_timeout_ms: Option<u64>,
    /// Thousandths of the maps that are done before reduces begin.
    pub slowstart_permille: Option<u32>,
    /// Reduces asked for.
    pub reduces: Option<u32>,
    /// Buffer in which a map sorts its output.
    pub sort_mb: Option<u32>,
    /// Map outputs that a reduce fetches side by side.
    pub parallel_copies: Option<u32>,
    /// The largest file or archive of its distributed cache. It stands in an event of its own: digests hold the others in
    /// a row that cannot grow.
    #[serde(skip)]
    pub cache_file_bytes: Option<u64>,
}

/// `dfs.block.size` where no configuration tells it: Hadoop's default of 0.20 to 1.x, and half of the later one.
const BLOCK_BYTES: f64 = 64.0 * 1024.0 * 1024.0;

impl JobConf {
    /// Size of the blocks it writes, in bytes; Hadoop's default where it is silent.
    #[must_use]
    pub fn block_size(&self) -> f64 {
        self.block_bytes.map_or(BLOCK_BYTES, |bytes| bytes as f64)
    }

    /// Fills what is `None` from `other`.
    pub fn or(&mut self, other: &Self) {
        self.block_bytes = self.block_bytes.or(other.block_bytes);
        self.replication = self.replication.or(other.replication);
        self.map_slots = self.map_slots.or(other.map_slots);
        self.reduce_slots = self.reduce_slots.or(other.reduce_slots);
        self.map_memory_mb = self.map_memory_mb.or(other.map_memory_mb);
        self.reduce_memory_mb = self.reduce_memory_mb.or(other.reduce_memory_mb);
        self.map_speculation = self.map_speculation.or(other.map_speculation);
        self.reduce_speculation = self.reduce_speculation.or(other.reduce_speculation);
        self.task_timeout_ms = self.task_timeout_ms.or(other.task_timeout_ms);
        self.slowstart_permille = self.slowstart_permille.or(other.slowstart_permille);
        self.reduces = self.reduces.or(other.reduces);
        self.sort_mb = self.sort_mb.or(other.sort_mb);
        self.parallel_copies = self.parallel_copies.or(other.parallel_copies);
        self.cache_file_bytes = self.cache_file_bytes.or(other.cache_file_bytes);
    }
}
