//! What stands before the deflated bytes of a gzip stream (RFC 1952 §2.3), passed over as it comes.
//!
//! ```text
//! 1f 8b 08 FLG mtime(4) XFL OS │ XLEN(2) extra…  FLG.2 │ name… 00  FLG.3 │ comment… 00  FLG.4 │ CRC16  FLG.1
//! ```
//! Cost: O(bytes); none of them is kept.

use crate::base::crc::Crc;

/// Bytes before what the flags announce.
const FIXED: usize = 10;
/// A checksum of the header ends it.
const HAS_SUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
/// Of these no reader knows what they announce.
const RESERVED: u8 = 0b1110_0000;

/// Where in a header it is.
#[derive(Debug, Default)]
pub(super) struct Header {
    part: Part,
    flags: u8,
    /// Bytes of the present part so far.
    at: usize,
    /// The number that the part is.
    number: u16,
    sum: Crc,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Part {
    #[default]
    Fixed,
    ExtraLength,
    Extra,
    Name,
    Comment,
    Sum,
    Over,
}

/// The bytes are no gzip header.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Damaged;

/// Whether a stream that begins so may be gzip: magic, method deflate, and none of the reserved flags.
pub(super) fn begins(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x8b, 8, flags, ..] if flags & RESERVED == 0)
}

impl Header {
    /// Whether all of it was passed.
    pub(super) fn is_over(&self) -> bool {
        self.part == Part::Over
    }

    /// Passes over what of `bytes` is still header; gives how much that was.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> Result<usize, Damaged> {
        let mut used = 0;
        for byte in bytes {
            if self.part == Part::Over {
                break;
            }
            // Names are not long.
            if self.part != Part::Sum {
                self.sum.update(&[*byte]);
            }
            used += 1;
            self.take(*byte)?;
        }
        Ok(used)
    }

    fn take(&mut self, byte: u8) -> Result<(), Damaged> {
        let at = self.at;
        self.at += 1;
        let over = match self.part {
            Part::Fixed => {
                let fits = match at {
                    0 => byte == 0x1f,
                    1 => byte == 0x8b,
                    2 => byte == 8,
                    3 => byte & RESERVED == 0,
                    _ => true,
                };
                if !fits {
                    return Err(Damaged);
                }
                if at == 3 {
                    self.flags = byte;
                }
                self.at == FIXED
            }
            Part::ExtraLength | Part::Sum => {
                self.number = self.number >> 8 | u16::from(byte) << 8;
                self.at == 2
            }
            Part::Extra => self.at == usize::from(self.number),
            Part::Name | Part::Comment => byte == 0,
            Part::Over => false,
        };
        if over { self.leave() } else { Ok(()) }
    }

    /// Goes to the next part that there is.
    fn leave(&mut self) -> Result<(), Damaged> {
        let has = |flag| self.flags & flag != 0;
        if self.part == Part::Sum && u32::from(self.number) != self.sum.sum() & 0xffff {
            return Err(Damaged);
        }
        self.part = match self.part {
            Part::Fixed if has(HAS_EXTRA) => Part::ExtraLength,
            Part::ExtraLength if self.number > 0 => Part::Extra,
            Part::Fixed | Part::ExtraLength | Part::Extra if has(HAS_NAME) => Part::Name,
            Part::Fixed | Part::ExtraLength | Part::Extra | Part::Name if has(HAS_COMMENT) => Part::Comment,
            Part::Sum | Part::Over => Part::Over,
            _ if has(HAS_SUM) => Part::Sum,
            _ => Part::Over,
        };
        self.at = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header with these parts.
    fn header(extra: Option<&[u8]>, name: Option<&str>, comment: Option<&str>, sum: bool) -> Vec<u8> {
        let flag = |flag, there| if there { flag } else { 0 };
        let flags = flag(HAS_EXTRA, extra.is_some())
            | flag(HAS_NAME, name.is_some())
            | flag(HAS_COMMENT, comment.is_some())
            | flag(HAS_SUM, sum);
        let mut bytes = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3];
        if let Some(extra) = extra {
            bytes.extend((extra.len() as u16).to_le_bytes());
            bytes.extend(extra);
        }
        for text in [name, comment].into_iter().flatten() {
            bytes.extend(text.bytes());
            bytes.push(0);
        }
        if sum {
            bytes.extend(&crate::base::crc::crc32(&bytes).to_le_bytes()[..2]);
        }
        bytes
    }

    #[test]
    fn every_mixture_of_parts_is_passed_however_it_is_cut() {
        for mixture in 0..32 {
            let has = |bit: u32| mixture >> bit & 1 == 1;
            let extra: Option<&[u8]> = has(0).then_some(if has(4) { b"" } else { b"ab\0c" });
            let bytes = header(extra, has(1).then_some("x.log"), has(2).then_some(""), has(3));
            let mut followed = bytes.clone();
            followed.extend(b"deflate");
            assert!(begins(&followed));
            for piece in [1, 3, 100] {
                let mut passing = Header::default();
                let mut used = 0;
                for part in followed.chunks(piece) {
                    assert_eq!(passing.is_over(), used >= bytes.len(), "{mixture:b}");
                    used += passing.pass(part).unwrap();
                }
                assert!(passing.is_over());
                assert_eq!(used, bytes.len(), "{mixture:b} by {piece}");
            }
        }
    }

    #[test]
    fn damage_is_found() {
        let whole = header(None, Some("x"), None, true);
        for at in [0, 1, 2, 10, whole.len() - 1] {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x55;
            assert_eq!(Header::default().pass(&damaged), Err(Damaged), "byte {at}");
        }
        let mut reserved = whole;
        reserved[3] |= 0x80;
        assert!(!begins(&reserved));
        assert_eq!(Header::default().pass(&reserved), Err(Damaged));
    }
}
