//! gzip (RFC 1952): streams of deflate, each with its own header and checksum. The
//! content goes by the name of the file that holds it (the name in the header is often
//! that of a temporary file). Also deflate bare and in zlib's wrapping, for the
//! containers that hold those.

use super::container::{Container, Unpack};
use super::decode::{Decode, Progress, Then};
use super::gzip_header::{Header, begins};
use super::streams::Streams;
use crate::base::crc::Crc;
use flate2::{Decompress, FlushDecompress, Status};
use std::cell::RefCell;

/// Bytes behind the deflated ones: CRC-32 and length of what they say.
const TRAILER_BYTES: usize = 8;
/// Inflaters that wait for another member: as many as archives lie in one another at a time.
const SPARE_INFLATERS: usize = 8;

thread_local! {
    /// Of bare deflate. An archive has thousands of members, and each would begin with 48 kB of its own,
    /// between which what is kept of the members before lies scattered.
    static SPARE: RefCell<Vec<Decompress>> = const { RefCell::new(Vec::new()) };
}

pub(super) static CONTAINER: Container = Container { name: "gzip", begins, start };

fn start() -> Box<dyn Unpack> {
    Box::new(Streams::new(|| Box::new(Gzip::new()), |byte| byte == 0x1f))
}

/// Decodes one stream of gzip. Its checksum is worked out here and not by the inflater, since who reads what is in
/// it works it out too, for most of it.
struct Gzip {
    header: Header,
    inflate: Inflate,
    /// The deflated bytes are over.
    inflated: bool,
    /// Behind them: checksum and length, as far as they came.
    trailer: Vec<u8>,
    sum: Crc,
    made: u64,
}

impl Gzip {
    fn new() -> Self {
        let (header, trailer) = (Header::default(), Vec::with_capacity(TRAILER_BYTES));
        Self { header, inflate: Inflate::bare(), inflated: false, trailer, sum: Crc::new(), made: 0 }
    }

    fn ends(&self) -> Then {
        let Some((sum, length)) = self.trailer.split_first_chunk::<4>() else { return Then::More };
        let fits = *sum == self.sum.sum().to_le_bytes() && *length == (self.made as u32).to_le_bytes();
        match self.trailer.len() {
            TRAILER_BYTES if fits => Then::End,
            TRAILER_BYTES => Then::Damaged,
            _ => Then::More,
        }
    }
}

impl Decode for Gzip {
    fn decode(&mut self, bytes: &[u8], out: &mut [u8]) -> Progress {
        if self.inflated {
            let used = (TRAILER_BYTES - self.trailer.len()).min(bytes.len());
            self.trailer.extend_from_slice(bytes.get(..used).unwrap_or_default());
            return Progress { used, made: 0, then: self.ends() };
        }
        let Ok(header) = self.header.pass(bytes) else { return Progress { used: 0, made: 0, then: Then::Damaged } };
        if !self.header.is_over() {
            return Progress { used: header, made: 0, then: Then::More };
        }
        let rest = bytes.get(header..).unwrap_or_default();
        let Progress { used, made, then } = self.inflate.decode(rest, out);
        self.made += made as u64;
        self.inflated = then == Then::End;
        Progress { used: header + used, made, then: if self.inflated { Then::More } else { then } }
    }

    /// The inflater takes no byte beyond the symbol that does not fit; a header is looked at as a whole.
    fn stops_at_damage(&self) -> bool {
        self.header.is_over()
    }

    fn sum(&mut self) -> Option<&mut Crc> {
        Some(&mut self.sum)
    }
}

/// Inflates one stream.
pub(super) struct Inflate {
    /// There until this ends.
    inflater: Option<Decompress>,
    bare: bool,
}

impl Inflate {
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
