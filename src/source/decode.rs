//! One compressed stream, decoded as its bytes come: what gzip, bzip2, xz, zstd and the
//! members of a zip have in common.
//!
//! A decoder is called with the bytes there are and a buffer to fill; it takes some of
//! the first and fills some of the second, and never waits for more.

use crate::base::Code;
use crate::base::crc::Crc;

/// Bytes decoded at a time: fits the second-level cache with inflate's window.
pub(super) const OUT_BYTES: usize = 64 * 1024;

/// A decoder in the middle of one compressed stream.
pub(super) trait Decode {
    /// Takes some of `bytes`, fills some of `out`.
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress;
    /// Whether damage that it finds now lies where it stopped taking bytes, whatever the pieces in which these came.
    fn stops_at_damage(&self) -> bool {
        false
    }
    /// Fills some of `out` with what it has decoded and keeps back, once its stream has broken off; 0 if that is all.
    fn rest(&mut self, _out: &mut [u8]) -> usize {
        0
    }
    /// What its set-up counts as, in unpacked bytes: an empty stream may take long, too.
    fn set_up_bytes(&self) -> u64 {
        0
    }
    /// The checksum that it looks at when the stream ends, if that of all it has made has to be put into it
    /// before it is called again.
    fn sum(&mut self) -> Option<&mut Crc> {
        None
    }
}

/// What came of one call of a decoder.
pub(super) struct Progress {
    /// Bytes taken of those given.
    pub(super) used: usize,
    /// Bytes of the buffer that were filled.
    pub(super) made: usize,
    pub(super) then: Then,
}

/// What comes next in a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// More of it.
    More,
    /// Nothing: it is over, and its checksum fits.
    End,
    /// Nothing: it is damaged.
    Damaged,
    /// Nothing: it needs what is not supported, as this tells.
    Unread(Code),
}

/// What came of one call of a decoder, with the input looked at.
pub(super) enum Step {
    /// Wants more input.
    Hungry,
    /// May have more to give.
    More,
    /// The stream is over.
    End,
    /// It is damaged.
    Damaged,
    /// It needs what is not supported, as this tells.
    Unread(Code),
}

/// Decodes once into `out`; gives what came of it, the input not used and the part of
/// `out` that was filled.
pub(super) fn step<'b, 'o>(decoder: &mut dyn Decode, bytes: &'b [u8], out: &'o mut [u8]) -> (Step, &'b [u8], &'o [u8]) {
    let room = out.len();
    let Progress { used, made, then } = decoder.decode(bytes, out);
    let rest = bytes.get(used..).unwrap_or_default();
    let step = match then {
        Then::Damaged => Step::Damaged,
        Then::Unread(code) => Step::Unread(code),
        Then::End => Step::End,
        Then::More if rest.is_empty() && made < room => Step::Hungry,
        // Neither used nor made anything: no call with the same input will.
        Then::More if used == 0 && made == 0 => Step::Damaged,
        Then::More => Step::More,
    };
    (step, rest, out.get(..made).unwrap_or_default())
}
