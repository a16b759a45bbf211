//! xz (its file format 1.2): streams of LZMA2 blocks, with an index and checksums behind.
//!
//! ```text
//! magic, flags | block: header | LZMA2 | zeros up to 4 | checksum | … | index | footer
//! ```
//! The crate decodes LZMA2 as its bytes come. The framing is ours, since the index is
//! only compared and need not be kept: it is summed up, block by block, and held against
//! the sum of what stands there. SHA-256 (of which `xz` makes none unless asked) is not
//! verified; blocks with filters for programs are not read.
//!
//! Cost: memory for the dictionary that a block asks for, up to
//! [`super::limits::WINDOW_BYTES`].

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::held::gather;
use super::limits::WINDOW_BYTES;
use super::streams::Streams;
use super::xz_index::{Index, IndexRead, Sum, number};
use crate::base::Code;
use crate::base::crc::{Crc, crc32};
use lzma_rust2::{Action, Lzma2Stream, Status};
use std::sync::LazyLock;

const MAGIC: &[u8] = b"\xfd7zXZ\x00";
/// Magic, flags and their checksum; the footer is as long.
const HEADER_BYTES: usize = 12;
const FOOTER_MAGIC: &[u8] = b"YZ";
/// Number of the one filter that is read.
const LZMA2: u64 = 0x21;

pub(super) static CONTAINER: Container = Container { name: "xz", begins, start };

fn begins(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(decoder, |byte| byte == 0xfd))
}

/// A decoder at the beginning of a stream.
pub(super) fn decoder() -> Box<dyn Decode> {
    Box::new(Unxz { state: State::Header, held: Vec::new(), flags: [0; 2], blocks: Sum::default() })
}

struct Unxz {
    state: State,
    /// The header, checksum or footer that is being gathered.
    held: Vec<u8>,
    /// The stream's flags: the kind of checksum.
    flags: [u8; 2],
    /// The blocks so far.
    blocks: Sum,
}

enum State {
    Header,
    BlockHeader,
    Block(Box<Block>),
    /// Behind a block's LZMA2.
    BlockEnd(Box<Block>),
    Index(Box<Index>),
    Footer,
    Over,
}

/// A block that is being read.
struct Block {
    lzma: Lzma2Stream,
    header_bytes: u64,
    packed: u64,
    unpacked: u64,
    /// What the header tells of both, if it does.
    told: (Option<u64>, Option<u64>),
    check: Check,
}

/// A checksum of the content that is being summed up.
enum Check {
    Crc32(Crc),
    Crc64(u64),
    /// Not verified.
    Other,
}

impl Decode for Unxz {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let (mut used, mut made) = (0, 0);
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            let room = out.get_mut(made..).unwrap_or_default();
            let before = std::mem::discriminant(&self.state);
            let (taken, got, then) = match &mut self.state {
                State::Header => self.header(rest),
                State::BlockHeader => self.block_header(rest),
                State::Block(block) => {
                    let (taken, got, then) = block.decode(rest, room);
                    if then == Then::End {
                        self.end_of_data();
                    }
                    (taken, got, if then == Then::End { Then::More } else { then })
                }
                State::BlockEnd(_) => self.block_end(rest),
                State::Index(index) => {
                    let (taken, told) = index.take(rest, &self.blocks);
                    let then = match told {
                        IndexRead::More => Then::More,
                        IndexRead::Fits => {
                            self.state = State::Footer;
                            Then::More
                        }
                        IndexRead::Damaged => Then::Damaged,
                    };
                    (taken, 0, then)
                }
                State::Footer => self.footer(rest),
                State::Over => (0, 0, Then::End),
            };
            used += taken;
            made += got;
            let goes_on = taken > 0 || got > 0 || std::mem::discriminant(&self.state) != before;
            if then != Then::More || !goes_on || made == out.len() {
                return Progress { used, made, then };
            }
        }
    }
}

impl Unxz {
    fn header(&mut self, bytes: &[u8]) -> (usize, usize, Then) {
        let (taken, whole) = gather(&mut self.held, bytes, HEADER_BYTES);
        if !whole {
            return (taken, 0, Then::More);
        }
        let held = std::mem::take(&mut self.held);
        let Some((flags, crc)) = held.strip_prefix(MAGIC).and_then(|rest| rest.split_at_checked(2)) else {
            return (taken, 0, Then::Damaged);
        };
        if crc != crc32(flags).to_le_bytes() {
            return (taken, 0, Then::Damaged);
        }
        self.flags = flags.first_chunk().copied().unwrap_or_default();
        self.state = State::BlockHeader;
        let [zero, kind] = self.flags;
        (taken, 0, if zero == 0 && kind < 0x10 { Then::More } else { Then::Unread(Code::UnreadContainer) })
    }

    fn block_header(&mut self, bytes: &[u8]) -> (usize, usize, Then) {
        let (mut taken, whole) = gather(&mut self.held, bytes, 1);
        let Some(first) = self.held.first().copied().filter(|_| whole) else { return (taken, 0, Then::More) };
        if first == 0 {
            self.held.clear();
            self.state = State::Index(Box::default());
            return (taken, 0, Then::More);
        }
        let length = (usize::from(first) + 1) * 4;
        let (more, whole) = gather(&mut self.held, bytes.get(taken..).unwrap_or_default(), length);
        taken += more;
        if !whole {
            return (taken, 0, Then::More);
        }
        let held = std::mem::take(&mut self.held);
        let then = match held.split_last_chunk::<4>() {
            Some((header, crc)) if *crc == crc32(header).to_le_bytes() => match Block::new(header, self.flags[1]) {
                Some(Ok(block)) => {
                    self.state = State::Block(Box::new(block));
                    Then::More
                }
                Some(Err(code)) => Then::Unread(code),
                None => Then::Unread(Code::UnreadContainer),
            },
            _ => Then::Damaged,
        };
        (taken, 0, then)
    }

    fn end_of_data(&mut self) {
        if let State::Block(block) = std::mem::replace(&mut self.state, State::Over) {
            self.state = State::BlockEnd(block);
        }
    }

    /// Zeros up to a multiple of four, and the checksum.
    fn block_end(&mut self, bytes: &[u8]) -> (usize, usize, Then) {
        let State::BlockEnd(block) = &mut self.state else { return (0, 0, Then::Damaged) };
        let padding = usize::try_from((4 - block.packed % 4) % 4).unwrap_or(0);
        let check_bytes = check_bytes(self.flags[1]);
        let (taken, whole) = gather(&mut self.held, bytes, padding + check_bytes);
        if !whole {
            return (taken, 0, Then::More);
        }
        let held = std::mem::take(&mut self.held);
        let (zeros, check) = held.split_at_checked(padding).unwrap_or_default();
        let told = block.told.0.is_none_or(|told| told == block.packed)
            && block.told.1.is_none_or(|told| told == block.unpacked);
        if !told || zeros.iter().any(|b| *b != 0) || !block.check.fits(check) {
            return (taken, 0, Then::Damaged);
        }
        self.blocks.add(block.header_bytes + block.packed + check_bytes as u64, block.unpacked);
        self.state = State::BlockHeader;
        (taken, 0, Then::More)
    }

    fn footer(&mut self, bytes: &[u8]) -> (usize, usize, Then) {
        let (taken, whole) = gather(&mut self.held, bytes, HEADER_BYTES);
        if !whole {
            return (taken, 0, Then::More);
        }
        let held = std::mem::take(&mut self.held);
        self.state = State::Over;
        let fits = held.split_first_chunk::<4>().is_some_and(|(crc, rest)| {
            let numbers = rest.get(..6).unwrap_or_default();
            *crc == crc32(numbers).to_le_bytes() && numbers.ends_with(&self.flags) && rest.ends_with(FOOTER_MAGIC)
        });
        (taken, 0, if fits { Then::End } else { Then::Damaged })
    }
}

impl Block {
    /// A block with this header; `None` if it wants what is not supported, an error if only its window is too large.
    fn new(header: &[u8], check: u8) -> Option<Result<Self, Code>> {
        let (flags, mut rest) = header.get(1..)?.split_first()?;
        let packed = if flags & 0x40 != 0 { Some(number(&mut rest)?) } else { None };
        let unpacked = if flags & 0x80 != 0 { Some(number(&mut rest)?) } else { None };
        let (filter, length) = (number(&mut rest)?, number(&mut rest)?);
        if flags & 0x3f != 0 || filter != LZMA2 || length != 1 {
            return None;
        }
        let window = window_bytes(*rest.first()?)?;
        if u64::from(window) > WINDOW_BYTES {
            return Some(Err(Code::WindowTooLarge));
        }
        Some(Ok(Self {
            lzma: Lzma2Stream::new(window),
            header_bytes: header.len() as u64 + 4,
            packed: 0,
            unpacked: 0,
            told: (packed, unpacked),
            check: match check {
                1 => Check::Crc32(Crc::new()),
                4 => Check::Crc64(!0),
                _ => Check::Other,
            },
        }))
    }

    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> (usize, usize, Then) {
        let Ok(done) = self.lzma.process(bytes, out, Action::Run) else { return (0, 0, Then::Damaged) };
        self.packed += done.bytes_consumed as u64;
        self.unpacked += done.bytes_produced as u64;
        self.check.update(out.get(..done.bytes_produced).unwrap_or_default());
        let then = if done.status == Status::StreamEnd { Then::End } else { Then::More };
        (done.bytes_consumed, done.bytes_produced, then)
    }
}

impl Check {
    fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Crc32(hasher) => hasher.update(bytes),
            Self::Crc64(sum) => *sum = crc64(*sum, bytes),
            Self::Other => {}
        }
    }

    fn fits(&self, stored: &[u8]) -> bool {
        match self {
            Self::Crc32(hasher) => stored == hasher.sum().to_le_bytes(),
            Self::Crc64(sum) => stored == (!sum).to_le_bytes(),
            Self::Other => true,
        }
    }
}

/// Bytes of a checksum of this kind.
fn check_bytes(kind: u8) -> usize {
    match kind {
        0 => 0,
        1..=3 => 4,
        4..=6 => 8,
        7..=9 => 16,
        10..=12 => 32,
        _ => 64,
    }
}

/// The dictionary's size as LZMA2 writes it: 2 or 3 times a power of two.
fn window_bytes(bits: u8) -> Option<u32> {
    match bits {
        0..40 => Some((2 | u32::from(bits & 1)) << (bits / 2 + 11)),
        40 => Some(u32::MAX),
        _ => None,
    }
}

/// CRC-64 of ECMA-182, bits reversed.
const CRC64_POLYNOMIAL: u64 = 0xc96c_5795_d787_0f42;

/// Four tables: the sum of a byte, of a byte and a zero behind it, and so on, so that
/// four bytes are taken at a time. Made when first needed: they would be 8 kB to fetch.
static CRC64: LazyLock<[[u64; 256]; 4]> = LazyLock::new(crc64_tables);

#[allow(clippy::indexing_slicing, reason = "a byte is less than 256, a table's number less than 4")]
fn crc64_tables() -> [[u64; 256]; 4] {
    let mut tables = [[0; 256]; 4];
    for byte in 0..=u8::MAX {
        let at = usize::from(byte);
        let step = |sum: u64, _| if sum & 1 == 1 { sum >> 1 ^ CRC64_POLYNOMIAL } else { sum >> 1 };
        tables[0][at] = (0..8).fold(u64::from(byte), step);
    }
    for at in 0..256 {
        for table in 1..4 {
            let before = tables[table - 1][at];
            tables[table][at] = before >> 8 ^ tables[0][usize::from(before as u8)];
        }
    }
    tables
}

#[allow(clippy::indexing_slicing, reason = "a byte is less than 256")]
fn crc64(mut sum: u64, bytes: &[u8]) -> u64 {
    let tables = &*CRC64;
    let mut fours = bytes.chunks_exact(4);
    for four in &mut fours {
        let low = four.first_chunk().map_or(0, |four| u32::from_le_bytes(*four)) ^ (sum as u32);
        let [a, b, c, d] = low.to_le_bytes();
        sum = sum >> 32
            ^ tables[3][usize::from(a)]
            ^ tables[2][usize::from(b)]
            ^ tables[1][usize::from(c)]
            ^ tables[0][usize::from(d)];
    }
    fours.remainder().iter().fold(sum, |sum, byte| sum >> 8 ^ tables[0][usize::from(sum as u8 ^ byte)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksum_is_the_catalogues() {
        // The check value of CRC-64/XZ.
        assert_eq!(!crc64(!0, b"123456789"), 0x995d_c9bb_df19_39fa);
    }

    #[test]
    fn dictionary_sizes_are_two_or_three_times_a_power() {
        // 4 KiB, 6 KiB, 8 MiB (xz -6), 64 MiB (xz -9), all but 4 GiB.
        let read = [0, 1, 22, 28, 40, 41].map(window_bytes);
        assert_eq!(read, [Some(4096), Some(6144), Some(8 << 20), Some(64 << 20), Some(u32::MAX), None]);
    }
}
