//! gzip (RFC 1952): streams of deflate, each with its own header and checksum. The
//! content goes by the name of the file that holds it (the name in the header is often
//! that of a temporary file). Also deflate bare and in zlib's wrapping, for the
//! containers that hold those.

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::streams::Streams;
use flate2::{Decompress, FlushDecompress, Status};
use std::cell::RefCell;

/// Deflate's largest window, as every gzip header means it.
const WINDOW_BITS: u8 = 15;
/// Inflaters that wait for another member: as many as archives lie in one another at a time.
const SPARE_INFLATERS: usize = 8;

thread_local! {
    /// Of bare deflate. An archive has thousands of members, and each would begin with 48 kB of its own,
    /// between which what is kept of the members before lies scattered.
    static SPARE: RefCell<Vec<Decompress>> = const { RefCell::new(Vec::new()) };
}

pub(super) static CONTAINER: Container = Container { name: "gzip", begins, start };

/// Magic, method deflate, and none of the reserved flags.
fn begins(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(|| Box::new(Inflate::gzip()), |byte| byte == 0x1f))
}

/// Inflates one stream.
pub(super) struct Inflate {
    /// There until this ends.
    inflater: Option<Decompress>,
    bare: bool,
}

impl Inflate {
    fn gzip() -> Self {
        Self { inflater: Some(Decompress::new_gzip(WINDOW_BITS)), bare: false }
    }

    /// Of bare deflate.
    pub(super) fn bare() -> Self {
        let spare = SPARE.with_borrow_mut(Vec::pop);
        Self { inflater: spare.or_else(|| Some(Decompress::new(false))), bare: true }
    }

    /// Of deflate with zlib's header and checksum (RFC 1950).
    pub(super) fn zlib() -> Self {
        Self { inflater: Some(Decompress::new(true)), bare: false }
    }
}

impl Drop for Inflate {
    fn drop(&mut self) {
        if let Some(mut inflater) = self.inflater.take().filter(|_| self.bare) {
            inflater.reset(false);
            SPARE.with_borrow_mut(|spare| {
                if spare.len() < SPARE_INFLATERS {
                    spare.push(inflater);
                }
            });
        }
    }
}

impl Decode for Inflate {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        let Some(inflater) = &mut self.inflater else { return Progress { used: 0, made: 0, then: Then::Damaged } };
        let (in_before, out_before) = (inflater.total_in(), inflater.total_out());
        let result = inflater.decompress(bytes, out, FlushDecompress::None);
        let used = usize::try_from(inflater.total_in() - in_before).unwrap_or(usize::MAX);
        let made = usize::try_from(inflater.total_out() - out_before).unwrap_or(usize::MAX);
        let then = match result {
            Err(_) => Then::Damaged,
            Ok(Status::StreamEnd) => Then::End,
            Ok(_) => Then::More,
        };
        Progress { used, made, then }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    #[test]
    fn inflater_that_was_left_begins_anew() {
        let text: Vec<u8> = (0..100_000_u64).flat_map(|i| (i * i % 977).to_string().into_bytes()).collect();
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(&text).unwrap();
        let packed = packed.finish().unwrap();
        let mut out = vec![0; 2 * text.len()];
        // In the middle, among bytes that are no deflate, at the end.
        for left in [&packed[..packed.len() / 2], &[0xff; 99], &packed] {
            Inflate::bare().decode(left, &mut out);
            let Progress { used, made, then } = Inflate::bare().decode(&packed, &mut out);
            assert_eq!((used, then), (packed.len(), Then::End));
            assert_eq!(out[..made], text);
        }
        assert_eq!(SPARE.with_borrow(Vec::len), 1, "one after another takes one");
    }
}
