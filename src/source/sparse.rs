//! Sparse files in a tar: the pieces that are stored, and where they belong. What lies
//! between them are zeros, which are given and not stored.
//!
//! ```text
//! old GNU   4 pairs (offset, length) in the header, 21 in each block behind it
//! pax 0.0   GNU.sparse.offset, GNU.sparse.numbytes, again and again
//! pax 0.1   GNU.sparse.map=0,512,8192,512
//! pax 1.0   lines of numbers before the bytes: how many pairs, then the pairs
//! ```
//! Cost: O(bytes given); 16 bytes a piece.

use super::limits::SPARSE_PIECES;
use super::unpack::Contents;
use std::collections::VecDeque;

/// Zeros given at a time.
static ZEROS: [u8; 64 * 1024] = [0; 64 * 1024];
/// Bytes of one number in a header.
const NUMBER_BYTES: usize = 12;
/// Digits of a number in a line; one more than `u64::MAX` has is a lie.
const DIGITS: usize = 21;

/// A sparse file's pieces.
#[derive(Debug, Default)]
pub(super) struct Sparse {
    /// Offset and length of each piece to come.
    pieces: VecDeque<(u64, u64)>,
    /// An offset that waits for its length.
    offset: Option<u64>,
    /// Its length with the holes.
    pub(super) size: Option<u64>,
    position: u64,
    damaged: bool,
}

/// What came of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Filled {
    /// They were given, with the holes before them.
    Yes,
    /// The holes grow beyond the limit.
    TooMuch,
}

impl Sparse {
    /// The next number of a map: offset, length, offset, length …
    pub(super) fn number(&mut self, number: Option<u64>) {
        let Some(number) = number else {
            self.damaged = true;
            return;
        };
        let Some(offset) = self.offset.take() else {
            self.offset = Some(number);
            return;
        };
        let end = offset.checked_add(number);
        let before = self.pieces.back().map_or(0, |(offset, length)| offset + length);
        self.damaged |= end.is_none() || offset < before || self.pieces.len() >= SPARSE_PIECES;
        if !self.damaged {
            self.pieces.push_back((offset, number));
        }
    }

    /// The numbers of a map in one text, between commas.
    pub(super) fn numbers(&mut self, text: &[u8]) {
        for number in text.split(|b| *b == b',') {
            self.number(decimal(number));
        }
    }

    /// The pairs of a header or of a block behind it; an empty pair ends them.
    pub(super) fn pairs(&mut self, block: &[u8]) {
        for pair in block.chunks_exact(2 * NUMBER_BYTES) {
            let (offset, length) = pair.split_at(NUMBER_BYTES);
            if offset.first() == Some(&0) || length.first() == Some(&0) {
                return;
            }
            self.number(octal(offset));
            self.number(octal(length));
        }
    }

    /// Whether the map fits `stored` bytes.
    pub(super) fn fits(&self, stored: u64) -> bool {
        let sum = self.pieces.iter().try_fold(0_u64, |sum, (_, length)| sum.checked_add(*length));
        let end = self.pieces.back().map_or(0, |(offset, length)| offset + length);
        !self.damaged && self.offset.is_none() && sum == Some(stored) && self.size.is_none_or(|size| size >= end)
    }

    /// The next stored bytes.
    pub(super) fn data(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) -> Filled {
        while !bytes.is_empty() {
            let Some((offset, length)) = self.pieces.front().copied() else { return Filled::Yes };
            if self.fill(offset, to) == Filled::TooMuch {
                return Filled::TooMuch;
            }
            let left = (offset + length).saturating_sub(self.position);
            let (piece, rest) = bytes.split_at(usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len()));
            to.data(piece);
            self.position += piece.len() as u64;
            bytes = rest;
            if piece.len() as u64 == left {
                self.pieces.pop_front();
            }
        }
        Filled::Yes
    }

    /// All stored bytes were given: the hole at the end.
    pub(super) fn finish(&mut self, to: &mut Contents<'_, '_>) -> Filled {
        self.fill(self.size.unwrap_or(0), to)
    }

    /// Zeros up to `end`.
    fn fill(&mut self, end: u64, to: &mut Contents<'_, '_>) -> Filled {
        while self.position < end {
            let room = usize::try_from(end - self.position).unwrap_or(usize::MAX);
            let zeros = ZEROS.get(..room).unwrap_or(&ZEROS);
            if !to.expand(zeros) {
                return Filled::TooMuch;
            }
            self.position += zeros.len() as u64;
        }
        Filled::Yes
    }
}

/// The map in lines before the bytes of a sparse file (pax 1.0).
#[derive(Debug, Default)]
pub(super) struct MapLines {
    digits: Vec<u8>,
    /// Numbers to come, once the first is read.
    left: Option<u64>,
}

impl MapLines {
    /// Takes a block of it; gives whether the map is over.
    pub(super) fn block(&mut self, block: &[u8], sparse: &mut Sparse) -> bool {
        for byte in block {
            if self.left == Some(0) {
                return true;
            }
            if *byte != b'\n' {
                if self.digits.len() < DIGITS {
                    self.digits.push(*byte);
                }
                continue;
            }
            let number = decimal(&self.digits);
            self.digits.clear();
            match &mut self.left {
                None => {
                    self.left = Some(number.unwrap_or(0).saturating_mul(2));
                    sparse.damaged |= number.is_none();
                }
                Some(left) => {
                    *left -= 1;
                    sparse.number(number);
                }
            }
            if sparse.damaged {
                return true;
            }
        }
        self.left == Some(0)
    }
}

/// A number in a text.
pub(super) fn decimal(digits: &[u8]) -> Option<u64> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}

/// A number of a header: octal digits, or base 256 with the first bit set.
pub(super) fn octal(field: &[u8]) -> Option<u64> {
    if let Some((first, rest)) = field.split_first().filter(|(first, _)| **first >= 0x80) {
        let (high, low) = rest.split_at_checked(rest.len().checked_sub(8)?)?;
        let fits = *first == 0x80 && high.iter().all(|b| *b == 0);
        return fits.then(|| low.iter().fold(0, |sum, b| sum << 8 | u64::from(*b)));
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    u64::from_str_radix(text, 8).ok()
}
