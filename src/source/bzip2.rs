//! bzip2: streams of blocks of up to 900 kB, each with its checksum. `pbzip2` writes many
//! streams, one behind the other.
//!
//! Cost: 4 MB of memory; the slowest of all decoders by far.

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
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
    Box::new(Bunzip2(Decompress::new(false)))
}

struct Bunzip2(Decompress);

impl Decode for Bunzip2 {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let (in_before, out_before) = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(bytes, out);
        let used = usize::try_from(self.0.total_in() - in_before).unwrap_or(usize::MAX);
        let made = usize::try_from(self.0.total_out() - out_before).unwrap_or(usize::MAX);
        let then = match result {
            Ok(Status::StreamEnd) => Then::End,
            Ok(Status::MemNeeded) | Err(_) => Then::Damaged,
            Ok(_) => Then::More,
        };
        Progress { used, made, then }
    }

    fn set_up_bytes(&self) -> u64 {
        SET_UP_BYTES
    }
}
