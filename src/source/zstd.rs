//! zstd (RFC 8878): frames of blocks, and frames to be skipped. `pzstd` writes many
//! frames, one behind the other, each after one that is skipped.
//!
//! ```text
//! magic | descriptor, window, dictionary, size | block: 3 bytes, up to 128 KiB | … | checksum
//! ```
//! The crate decodes blocks that are whole, so the framing is ours: it gathers one block
//! at a time. Frames that want a dictionary are not read.
//!
//! Cost: memory for the window that the frame asks for, up to
//! [`super::limits::WINDOW_BYTES`], and one block.

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::held::gather;
use super::limits::WINDOW_BYTES;
use super::streams::Streams;
use crate::base::Code;
use ruzstd::decoding::FrameDecoder;
use ruzstd::decoding::errors::FrameDecoderError;

/// A frame.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// A frame to be skipped: the first byte may be 0x50 to 0x5f.
const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];
/// Magic and length of a frame to be skipped.
const SKIPPED_HEADER_BYTES: usize = 8;
/// The checksum behind the last block.
const CHECKSUM_BYTES: usize = 4;
/// Most that a block holds (RFC 8878, 3.1.1.2.4).
const BLOCK_BYTES: usize = 128 * 1024;
/// The header of a block.
const BLOCK_HEADER_BYTES: usize = 3;

/// A last block with nothing in it, and a checksum that no one looks at.
const END: [u8; BLOCK_HEADER_BYTES + CHECKSUM_BYTES] = [1, 0, 0, 0, 0, 0, 0];

pub(super) static CONTAINER: Container = Container { name: "zstd", begins, start };

fn begins(head: &[u8]) -> bool {
    head.starts_with(&MAGIC) || is_skipped(head)
}

fn is_skipped(head: &[u8]) -> bool {
    matches!(head, [0x50..=0x5f, rest @ ..] if rest.starts_with(&SKIPPED))
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(decoder, |byte| matches!(byte, 0x28 | 0x50..=0x5f)))
}

/// A decoder at the beginning of a frame.
pub(super) fn decoder() -> Box<dyn Decode> {
    let mut frame = FrameDecoder::new();
    frame.set_max_window_size(WINDOW_BYTES);
    Box::new(Unzstd { state: State::Header, held: Vec::new(), has_checksum: false, frame })
}

struct Unzstd {
    state: State,
    /// What is being gathered: the frame's header, or a block.
    held: Vec<u8>,
    has_checksum: bool,
    frame: FrameDecoder,
}

#[derive(Clone, Copy)]
enum State {
    Header,
    /// In a frame that is skipped, with this much to come.
    Skipped(u64),
    Block,
    /// Out of a block's bytes there may be more to give; it was the last or not.
    Draining {
        last: bool,
    },
    Over,
}

impl Decode for Unzstd {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let (mut used, mut made) = (0, 0);
        loop {
            let rest = bytes.get(used..).unwrap_or_default();
            let room = out.get_mut(made..).unwrap_or_default();
            if room.is_empty() {
                return Progress { used, made, then: Then::More };
            }
            let draining = matches!(self.state, State::Draining { .. });
            let (taken, got, then) = match self.state {
                State::Header => self.header(rest),
                State::Skipped(left) => self.skip(left, rest),
                State::Block => self.block(rest, room),
                State::Draining { last } => self.drain(last, room),
                State::Over => (0, 0, Then::End),
            };
            used += taken;
            made += got;
            // A block that is drained is followed by another, if there are bytes for it.
            let goes_on = taken > 0 || got > 0 || draining && used < bytes.len();
            if then != Then::More || !goes_on {
                return Progress { used, made, then };
            }
        }
    }

    /// The crate gives out the last window of a frame when that is over.
    fn rest(&mut self, out: &mut [u8]) -> usize {
        self.frame.decode_from_to(&END, out).map_or(0, |(_, made)| made)
    }
}

impl Unzstd {
    fn skip(&mut self, left: u64, bytes: &[u8]) -> (usize, usize, Then) {
        let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len());
        let left = left - taken as u64;
        self.state = State::Skipped(left);
        (taken, 0, if left == 0 { Then::End } else { Then::More })
    }

    fn header(&mut self, bytes: &[u8]) -> (usize, usize, Then) {
        let (mut taken, whole) = gather(&mut self.held, bytes, MAGIC.len() + 1);
        if !whole {
            return (taken, 0, Then::More);
        }
        let skipped = is_skipped(&self.held);
        if !skipped && !self.held.starts_with(&MAGIC) {
            return (taken, 0, Then::Damaged);
        }
        let descriptor = self.held.get(MAGIC.len()).copied().unwrap_or(0);
        let wanted = if skipped { SKIPPED_HEADER_BYTES } else { MAGIC.len() + 1 + fields_bytes(descriptor) };
        let (more, whole) = gather(&mut self.held, bytes.get(taken..).unwrap_or_default(), wanted);
        taken += more;
        if !whole {
            return (taken, 0, Then::More);
        }
        let held = std::mem::take(&mut self.held);
        if skipped {
            let length = held.last_chunk().map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
            self.state = State::Skipped(length);
            return (taken, 0, if length == 0 { Then::End } else { Then::More });
        }
        self.has_checksum = descriptor & 4 != 0;
        self.state = State::Block;
        let then = match self.frame.init(held.as_slice()) {
            Ok(()) => Then::More,
            Err(FrameDecoderError::WindowSizeTooBig { .. }) => Then::Unread(Code::WindowTooLarge),
            Err(FrameDecoderError::DictNotProvided { .. }) => Then::Unread(Code::UnreadContainer),
            Err(_) => Then::Damaged,
        };
        (taken, 0, then)
    }

    fn block(&mut self, bytes: &[u8], out: &mut [u8]) -> (usize, usize, Then) {
        let (mut taken, whole) = gather(&mut self.held, bytes, BLOCK_HEADER_BYTES);
        let Some(header) = self.held.first_chunk::<BLOCK_HEADER_BYTES>().filter(|_| whole) else {
            return (taken, 0, Then::More);
        };
        let [low, middle, high] = *header;
        let header = u32::from_le_bytes([low, middle, high, 0]);
        let (last, kind) = (header & 1 == 1, header >> 1 & 3);
        let size = usize::try_from(header >> 3).unwrap_or(usize::MAX);
        // A run is one byte, whatever its length.
        let size = if kind == 1 { 1 } else { size };
        if size > BLOCK_BYTES {
            return (taken, 0, Then::Damaged);
        }
        let behind = if last && self.has_checksum { CHECKSUM_BYTES } else { 0 };
        let (more, whole) =
            gather(&mut self.held, bytes.get(taken..).unwrap_or_default(), BLOCK_HEADER_BYTES + size + behind);
        taken += more;
        if !whole {
            return (taken, 0, Then::More);
        }
        let mut held = std::mem::take(&mut self.held);
        let result = self.frame.decode_from_to(&held, out);
        held.clear();
        self.held = held;
        match result {
            Ok((_, made)) => {
                self.state = State::Draining { last };
                (taken, made, Then::More)
            }
            Err(_) => (taken, 0, Then::Damaged),
        }
    }

    fn drain(&mut self, last: bool, out: &mut [u8]) -> (usize, usize, Then) {
        let Ok((_, made)) = self.frame.decode_from_to(&[], out) else { return (0, 0, Then::Damaged) };
        if made > 0 {
            return (0, made, Then::More);
        }
        if !last {
            self.state = State::Block;
            return (0, 0, Then::More);
        }
        self.state = State::Over;
        let fits = !self.has_checksum || self.frame.get_checksum_from_data() == self.frame.get_calculated_checksum();
        (0, 0, if fits { Then::End } else { Then::Damaged })
    }
}

/// Bytes of a frame's header behind its descriptor: window, dictionary's id, size.
const fn fields_bytes(descriptor: u8) -> usize {
    let single = descriptor & 0x20 != 0;
    let window = if single { 0 } else { 1 };
    let dictionary = match descriptor & 3 {
        0 => 0,
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let size = match descriptor >> 6 {
        0 => single as usize,
        1 => 2,
        2 => 4,
        _ => 8,
    };
    window + dictionary + size
}
