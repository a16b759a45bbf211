//! Bytes in, members and lines out. Archives are recognised by content, never by
//! extension, and unpacked as the bytes come (pushed, not pulled: that is what a
//! browser's stream reader gives and the fastest way there); nothing is ever held whole.
//! Of Hadoop it knows how aggregated logs are packed, and nothing that is in them.
//!
//! ```text
//! feed(bytes) -> Stream r01.tar.gz: gzip -> Stream r01.tar.gz: tar -> Stream r01.tar.gz/h101/x.log: member -> Visitor
//! ```
//! Adding a container: its file here and one line in [`container::CONTAINERS`].

mod bzip2;
pub mod container;
mod decode;
mod gzip;
mod gzip_header;
mod held;
pub mod limits;
pub mod lines;
mod path;
mod pax;
mod sparse;
mod streams;
mod tail;
mod tar;
mod tar_header;
mod tfile;
mod tfile_records;
mod unpack;
mod utf16;
mod xz;
mod xz_index;
mod yarn_logs;
mod zip;
mod zip_header;
mod zstd;

#[cfg(test)]
pub(crate) mod tests;

pub use limits::Limits;
pub use lines::{Line, LineSplitter};
pub use path::label;
pub use unpack::Unpacker;

use crate::base::crc::Crc;
use crate::base::{Code, Timestamp};

/// Receives the members of an input, one after another.
pub trait Visitor {
    /// A member begins; `path` is `archive/member path` with the archive's base name.
    fn open(&mut self, path: &str);
    /// The next bytes of the member that was opened last. The first call brings at least
    /// its first [`container::HEAD_BYTES`] bytes, or all there are. Gives their checksum if it was worked out:
    /// an archive has one that takes them in.
    fn data(&mut self, bytes: &[u8]) -> Option<Crc>;
    /// The member that was opened last, of which all bytes have come, was modified then; its archive writes the time in
    /// some zone (`local`, as if in UTC).
    fn modified(&mut self, _local: Timestamp, _utc: Timestamp) {}
    /// The member is over.
    fn close(&mut self);
    /// Something is wrong with the open member (`path` is its path; comes before its
    /// close) or with an archive (`path` is the archive's own).
    fn issue(&mut self, path: &str, code: Code);
    /// [`Self::issue`] with an archive, at this byte of the archive itself; 0 where that is not known.
    fn issue_at(&mut self, path: &str, code: Code, _byte: u64) {
        self.issue(path, code);
    }
}
