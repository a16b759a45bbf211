//! gzip (RFC 1952): streams of deflate, each with its own header and checksum. The
//! content goes by the name of the file that holds it (the name in the header is often
//! that of a temporary file). Also deflate bare and in zlib's wrapping, for the
//! containers that hold those.

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::streams::Streams;
use flate2::{Decompress, FlushDecompress, Status};

/// Deflate's largest window, as every gzip header means it.
const WINDOW_BITS: u8 = 15;

pub(super) static CONTAINER: Container = Container { name: "gzip", begins, start };

/// Magic, method deflate, and none of the reserved flags.
fn begins(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(|| Box::new(Inflate(Decompress::new_gzip(WINDOW_BITS))), |byte| byte == 0x1f))
}

/// Inflates one stream.
pub(super) struct Inflate(Decompress);

impl Inflate {
    /// Of bare deflate.
    pub(super) fn bare() -> Self {
        Self(Decompress::new(false))
    }

    /// Of deflate with zlib's header and checksum (RFC 1950).
    pub(super) fn zlib() -> Self {
        Self(Decompress::new(true))
    }
}

impl Decode for Inflate {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let (in_before, out_before) = (self.0.total_in(), self.0.total_out());
        let result = self.0.decompress(bytes, out, FlushDecompress::None);
        let used = usize::try_from(self.0.total_in() - in_before).unwrap_or(usize::MAX);
        let made = usize::try_from(self.0.total_out() - out_before).unwrap_or(usize::MAX);
        let then = match result {
            Err(_) => Then::Damaged,
            Ok(Status::StreamEnd) => Then::End,
            Ok(_) => Then::More,
        };
        Progress { used, made, then }
    }
}
