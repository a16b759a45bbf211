//! How far an input may go before it is taken for hostile.

/// Memory for the window (dictionary) of one compressed stream. `zstd -d` takes frames of
/// this much without being asked twice, `xz -9` wants half of it.
pub const WINDOW_BYTES: u64 = 128 << 20;

/// Kept of a member's name; one longer than Linux's `PATH_MAX` was made to be long.
pub(super) const NAME_BYTES: usize = 4096;

/// Kept of a tar's long name or pax header; Linux allows names of 4 kB and attributes of
/// 64 kB.
pub(super) const META_BYTES: usize = 128 * 1024;

/// Pieces of one sparse file: a log that is cut under its writer's hands has a few; 1 MiB.
pub(super) const SPARSE_PIECES: usize = 1 << 16;

/// Of a text of aggregated logs: a line of this many bytes names no log.
pub(super) const HEADING_BYTES: usize = 1024;

/// Nesting is recursion, so [`Limits::depth`] is never taken beyond this.
pub(super) const MAX_DEPTH: usize = 64;

/// Caps on what is unpacked; each has its default and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Archives inside archives. Logs in a tarball of tarballs, gzipped, are 4 deep.
    pub depth: u32,
    /// A compressed stream may grow by this factor (deflate's own limit is 1032; real
    /// logs reach 60) once it is beyond [`Limits::ratio_from`] bytes.
    pub ratio: u64,
    /// The ratio is not looked at below this many unpacked bytes.
    pub ratio_from: u64,
    /// Bytes kept of one line; a jhist's schema has 20 kB, a record with counters 30 kB.
    pub line_bytes: usize,
    /// Members in all archives of one input.
    pub members: u64,
    /// What the rows of one input may take in memory: a million small files, or the events
    /// of a hundred gigabytes of logs. A browser's tab has four times as much in all, and
    /// needs the rest to merge and to analyse.
    pub held_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            depth: 8,
            ratio: 400,
            ratio_from: 64 << 20,
            line_bytes: 1 << 20,
            members: 2_000_000,
            held_bytes: 1 << 30,
        }
    }
}
