//! The index behind the blocks of an xz stream: the sizes of each block once more.
//!
//! ```text
//! 0 | how many | packed, unpacked | packed, unpacked … | zeros up to 4 | CRC-32
//! ```
//! All are numbers of seven bits a byte. Cost: O(bytes), O(1) memory.

use crate::base::crc::Crc;

/// Bits of a number; one that goes on beyond is damaged.
const NUMBER_BITS: u32 = 63;
const CRC_BYTES: usize = 4;

/// What a row of blocks comes to: two rows of different blocks do not agree in it.
#[derive(Debug, Default)]
pub(super) struct Sum {
    blocks: u64,
    hasher: Crc,
    packed: u64,
    unpacked: u64,
}

impl Sum {
    /// The next block.
    pub(super) fn add(&mut self, packed: u64, unpacked: u64) {
        self.blocks += 1;
        self.hasher.update(&packed.to_le_bytes());
        self.hasher.update(&unpacked.to_le_bytes());
        self.packed = self.packed.wrapping_add(packed);
        self.unpacked = self.unpacked.wrapping_add(unpacked);
    }

    fn parts(&self) -> (u64, u32, u64, u64) {
        (self.blocks, self.hasher.sum(), self.packed, self.unpacked)
    }
}

/// What came of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IndexRead {
    More,
    /// The index is over and fits the blocks.
    Fits,
    Damaged,
}

/// An index that is being read.
#[derive(Debug)]
pub(super) struct Index {
    /// Its bytes so far, with the zero that begins it.
    bytes: u64,
    crc: Crc,
    number: Number,
    /// Numbers to come, once it is known how many blocks there are.
    left: Option<u64>,
    packed: u64,
    sum: Sum,
    stored: Vec<u8>,
}

impl Default for Index {
    fn default() -> Self {
        let mut crc = Crc::new();
        crc.update(&[0]);
        Self {
            bytes: 1,
            crc,
            number: Number::default(),
            left: None,
            packed: 0,
            sum: Sum::default(),
            stored: Vec::new(),
        }
    }
}

impl Index {
    /// Takes the next bytes, and holds the index against `blocks` at its end.
    pub(super) fn take(&mut self, bytes: &[u8], blocks: &Sum) -> (usize, IndexRead) {
        for (at, byte) in bytes.iter().enumerate() {
            if self.left == Some(0) && self.bytes.is_multiple_of(4) {
                self.stored.push(*byte);
                if self.stored.len() == CRC_BYTES {
                    let crc = self.crc.sum().to_le_bytes();
                    let fits = self.stored == crc && self.sum.parts() == blocks.parts();
                    return (at + 1, if fits { IndexRead::Fits } else { IndexRead::Damaged });
                }
                continue;
            }
            self.bytes += 1;
            self.crc.update(&[*byte]);
            if self.left == Some(0) {
                if *byte != 0 {
                    return (at, IndexRead::Damaged);
                }
                continue;
            }
            match self.number.take(*byte) {
                Ok(None) => {}
                Ok(Some(number)) => {
                    if !self.on_number(number, blocks) {
                        return (at, IndexRead::Damaged);
                    }
                }
                Err(()) => return (at, IndexRead::Damaged),
            }
        }
        (bytes.len(), IndexRead::More)
    }

    fn on_number(&mut self, number: u64, blocks: &Sum) -> bool {
        match &mut self.left {
            None => {
                self.left = number.checked_mul(2);
                return number == blocks.blocks;
            }
            Some(left) => {
                *left -= 1;
                if left.is_multiple_of(2) {
                    self.sum.add(self.packed, number);
                } else {
                    self.packed = number;
                }
            }
        }
        true
    }
}

/// A number that is being read.
#[derive(Clone, Copy, Debug, Default)]
struct Number {
    value: u64,
    bits: u32,
}

impl Number {
    /// Takes its next byte, gives it once it is whole.
    fn take(&mut self, byte: u8) -> Result<Option<u64>, ()> {
        if self.bits >= NUMBER_BITS {
            return Err(());
        }
        self.value |= u64::from(byte & 0x7f) << self.bits;
        self.bits += 7;
        Ok((byte & 0x80 == 0).then(|| std::mem::take(self).value))
    }
}

/// The number at the beginning of `bytes`, which is taken off.
pub(super) fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = Number::default();
    loop {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        if let Some(value) = number.take(*first).ok()? {
            return Some(value);
        }
    }
}
