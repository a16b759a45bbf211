//! bzip2: streams of blocks of up to 900 kB, each with its checksum. `pbzip2` writes many
//! streams, one behind the other.
//!
//! The crate gives a block's content before it looks at the checksum, so that is held here: of a damaged block nothing
//! is read, since damage turns all of it into a jumble of its letters.
//!
//! Cost: 4 MB of memory, and a block's content: about 900 kB of logs, 46 MB of nothing but runs (of up to 255 alike in
//! five bytes); the slowest of all decoders by far.

use super::container::{Container, Unpack};
use super::decode::{Decode, OUT_BYTES, Progress, Then};
use super::streams::Streams;
use bzip2::{Decompress, Status};

/// Its memory is cleared for each stream, which takes about as long as to inflate so much.
const SET_UP_BYTES: u64 = 32 * 1024;

pub(super) static CONTAINER: Container = Container { name: "bzip2", begins, start };

/// The magic with any of its nine block sizes, then that of a block or (nothing was
/// packed) of the end.
fn begins(head: &[u8]) -> bool {
    matches!(head, [b'B', b'Z', b'h', b'1'..=b'9', rest @ ..]
        if rest.starts_with(b"1AY&SY") || rest.starts_with(b"\x17rE8P\x90"))
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(decoder, |byte| byte == b'B'))
}

/// A decoder at the beginning of a stream.
pub(super) fn decoder() -> Box<dyn Decode> {
    Box::new(Bunzip2 { decompress: Decompress::new(false), held: Vec::new(), given: 0, end: 0 })
}

struct Bunzip2 {
    decompress: Decompress,
    /// A block's content, of which `given..end` is there and not given yet; what is behind is room.
    held: Vec<u8>,
    given: usize,
    end: usize,
}

impl Decode for Bunzip2 {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let mut used = 0;
        loop {
            let held = self.held.get(self.given..self.end).unwrap_or_default();
            if !held.is_empty() {
                let made = held.len().min(out.len());
                out.iter_mut().zip(held).for_each(|(to, from)| *to = *from);
                self.given += made;
                return Progress { used, made, then: Then::More };
            }
            let rest = bytes.get(used..).unwrap_or_default();
            let (taken, mut then) = self.take(rest);
            used += taken;
            if then == Then::More && !self.fill() {
                then = Then::Damaged;
            }
            if then != Then::More || self.end == 0 && (taken == 0 || used == bytes.len()) {
                return Progress { used, made: 0, then };
            }
        }
    }

    fn set_up_bytes(&self) -> u64 {
        SET_UP_BYTES
    }
}

impl Bunzip2 {
    /// Takes bytes up to the end of a block and gives none of it.
    fn take(&mut self, bytes: &[u8]) -> (usize, Then) {
        let before = self.decompress.total_in();
        let then = match self.decompress.decompress(bytes, &mut []) {
            Ok(Status::StreamEnd) => Then::End,
            Ok(Status::MemNeeded) | Err(_) => Then::Damaged,
            Ok(_) => Then::More,
        };
        (usize::try_from(self.decompress.total_in() - before).unwrap_or(usize::MAX), then)
    }

    /// Holds the content of the block that was taken, if one was, up to its checksum; whether that fits.
    fn fill(&mut self) -> bool {
        (self.given, self.end) = (0, 0);
        loop {
            if self.held.len() < self.end + OUT_BYTES {
                self.held.resize(self.end + OUT_BYTES, 0);
            }
            let before = self.decompress.total_out();
            let room = self.held.get_mut(self.end..).unwrap_or_default();
            let wanted = room.len();
            let filled = self.decompress.decompress(&[], room);
            let made = usize::try_from(self.decompress.total_out() - before).unwrap_or(0);
            self.end += made;
            match filled {
                Err(_) => {
                    self.end = 0;
                    return false;
                }
                Ok(_) if made == wanted => {}
                Ok(_) => return true,
            }
        }
    }
}
