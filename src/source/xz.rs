//! xz: streams of LZMA2 blocks with an index and checksums behind them. Executables'
//! filters are taken too, since the crate brings them.
//!
//! Cost: memory for the dictionary that the header asks for, up to
//! [`WINDOW_BYTES`](super::limits::WINDOW_BYTES).

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::limits::WINDOW_BYTES;
use super::streams::Streams;
use lzma_rust2::{Action, Status, XzStream};
use std::io::ErrorKind;

/// What a decoder needs beside its dictionary, in KiB: generous.
const BESIDE_KIB: u32 = 1024;

pub(super) static CONTAINER: Container = Container { name: "xz", begins, start };

fn begins(head: &[u8]) -> bool {
    head.starts_with(b"\xfd7zXZ\x00")
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(decoder, |byte| byte == 0xfd))
}

/// A decoder at the beginning of a stream.
pub(super) fn decoder() -> Box<dyn Decode> {
    let window_kib = u32::try_from(WINDOW_BYTES / 1024).unwrap_or(u32::MAX);
    Box::new(Unxz(XzStream::new_mem_limit(false, window_kib.saturating_add(BESIDE_KIB))))
}

struct Unxz(XzStream);

impl Decode for Unxz {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        match self.0.process(bytes, out, Action::Run) {
            Ok(done) => {
                let then = if done.status == Status::StreamEnd { Then::End } else { Then::More };
                Progress { used: done.bytes_consumed, made: done.bytes_produced, then }
            }
            Err(error) => {
                let unread = matches!(error.kind(), ErrorKind::OutOfMemory | ErrorKind::Unsupported);
                Progress { used: 0, made: 0, then: if unread { Then::Unread } else { Then::Damaged } }
            }
        }
    }
}
