//! The headers of a tar: which blocks are one, and what extensions say of the member behind them.
//!
//! ```text
//! name 0..100 | … | size 124..136 | … | checksum 148..156 | type | …        one block of 512 bytes
//! extension header, its bytes | … | the member's own header
//! ```
//! Source: POSIX.1-2017, pax, and GNU tar's manual ("Basic Tar Format"). A header is known by its checksum alone: old
//! forms have no magic. Of two that tell a size or a name, the extension counts.
//!
//! Cost: O(1) a header, O(bytes) an extension.

use super::container::HEAD_BYTES;
use super::pax;
use super::sparse::{Sparse, decimal};
use tar::Header;

/// Bytes of a block; the head that recognition sees is one.
pub(super) const BLOCK_BYTES: usize = HEAD_BYTES;
/// Where the header's checksum stands; it counts as spaces in the sum.
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// A header whose checksum fits, or (an archive without members) a block of zeros.
pub(super) fn begins(head: &[u8]) -> bool {
    head.len() == BLOCK_BYTES && (is_zero(head) || checksum_fits(&header(head)))
}

pub(super) fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|b| *b == 0)
}

pub(super) fn header(block: &[u8]) -> Header {
    let mut header = Header::new_old();
    for (to, from) in header.as_mut_bytes().iter_mut().zip(block) {
        *to = *from;
    }
    header
}

/// Whether the stored sum is that of the bytes, taken as unsigned (POSIX) or as signed
/// (some old Unix tars).
pub(super) fn checksum_fits(header: &Header) -> bool {
    let Ok(stored) = header.cksum() else { return false };
    let counted =
        || header.as_bytes().iter().enumerate().map(|(i, byte)| if CHECKSUM.contains(&i) { b' ' } else { *byte });
    let unsigned: i64 = counted().map(i64::from).sum();
    let signed: i64 = counted().map(|byte| i64::from(byte.cast_signed())).sum();
    [unsigned, signed].contains(&i64::from(stored))
}

/// The size that a header tells; that of a volume's label is not written.
pub(super) fn size(header: &Header) -> Option<u64> {
    if is_zero(&header.as_old().size) { Some(0) } else { header.entry_size().ok() }
}

/// What extension headers say about the member after them.
#[derive(Default)]
pub(super) struct Next {
    pub(super) name: Option<Vec<u8>>,
    pub(super) size: Option<u64>,
    pub(super) sparse: Option<Sparse>,
    /// Its map stands before its bytes.
    pub(super) map_inside: bool,
}

impl Next {
    /// The map of the sparse file that comes next.
    fn sparse(&mut self) -> &mut Sparse {
        self.sparse.get_or_insert_default()
    }

    /// Takes what pax records say; a damaged record ends them.
    pub(super) fn take_pax(&mut self, records: &[u8]) {
        for (key, value) in pax::records(records) {
            match key {
                // A sparse file's own path is that of a made-up folder.
                b"path" if self.name.is_none() || self.sparse.is_none() => self.name = Some(value.to_owned()),
                b"GNU.sparse.name" => {
                    self.name = Some(value.to_owned());
                    self.sparse();
                }
                b"GNU.sparse.size" | b"GNU.sparse.realsize" => {
                    self.sparse().size = decimal(value);
                }
                b"GNU.sparse.map" => self.sparse().numbers(value),
                b"GNU.sparse.offset" | b"GNU.sparse.numbytes" => self.sparse().numbers(value),
                b"GNU.sparse.major" => {
                    self.map_inside = value != b"0";
                    self.sparse();
                }
                b"size" => self.size = decimal(value),
                key if key.starts_with(b"GNU.sparse.") => _ = self.sparse(),
                _ => {}
            }
        }
    }
}
