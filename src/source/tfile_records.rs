//! The records of a TFile of aggregated logs ([`super::tfile`] has the picture).
//!
//! Lengths are Hadoop's `Utils.writeVInt`: one byte from −32 to 127, else a first byte
//! that tells how many follow and holds the high bits. A chunk's length is negative
//! where another chunk follows.
//!
//! Cost: O(bytes); memory for one key or name, of 64 KiB at most.

use super::held::gather_off;
use super::unpack::Contents;
use crate::base::Code;

/// `TFile.MAX_KEY_SIZE`.
const KEY_BYTES: i64 = 64 * 1024;
/// Bytes of the length before a text that Java's `writeUTF` wrote.
const UTF_LENGTH_BYTES: usize = 2;
/// A log's length in decimal has no more digits than `Long.MAX_VALUE`.
const DIGITS: usize = 20;
/// Keys of records that hold no logs.
const NO_CONTAINERS: [&[u8]; 3] = [b"VERSION", b"APPLICATION_ACL", b"APPLICATION_OWNER"];

/// What came of some bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// There may be more records.
    More,
    /// The records are over.
    Done,
    /// These are no records.
    Damaged,
}

/// Takes the records' bytes, gives the logs in them.
#[derive(Default)]
pub(super) struct Records {
    at: At,
    /// The length, key or text that is being gathered.
    held: Vec<u8>,
    container: Vec<u8>,
    value: Value,
    /// What of the value's texts is gathered.
    text: Vec<u8>,
    members: u64,
}

#[derive(Default)]
enum At {
    #[default]
    KeyLength,
    Key(usize),
    ChunkLength,
    Chunk {
        left: u64,
        last: bool,
    },
}

#[derive(Default)]
enum Value {
    /// Of no container.
    #[default]
    Ignored,
    Name,
    Length {
        name: Vec<u8>,
    },
    Log {
        left: u64,
    },
}

impl Records {
    /// Logs so far.
    pub(super) const fn members(&self) -> u64 {
        self.members
    }

    /// Takes the next bytes of the blocks.
    pub(super) fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) -> Progress {
        while !bytes.is_empty() {
            match &mut self.at {
                At::KeyLength => match self.length(&mut bytes) {
                    None => {}
                    Some(0) => return Progress::Done,
                    Some(length @ 1..=KEY_BYTES) => self.at = At::Key(usize::try_from(length).unwrap_or(0)),
                    Some(_) => return Progress::Damaged,
                },
                At::Key(wanted) => {
                    let wanted = *wanted;
                    if gather_off(&mut self.held, &mut bytes, wanted) {
                        self.on_key();
                        self.at = At::ChunkLength;
                    }
                }
                At::ChunkLength => {
                    if let Some(length) = self.length(&mut bytes) {
                        self.at = At::Chunk { left: length.unsigned_abs(), last: length >= 0 };
                        self.end_of_chunk(to);
                    }
                }
                At::Chunk { left, .. } => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    let (piece, rest) = bytes.split_at(taken);
                    *left -= taken as u64;
                    bytes = rest;
                    if !self.on_value(piece, to) {
                        return Progress::Damaged;
                    }
                    self.end_of_chunk(to);
                }
            }
        }
        Progress::More
    }

    /// Gathers a length; gives it once it is whole.
    fn length(&mut self, bytes: &mut &[u8]) -> Option<i64> {
        let first = self.held.first().or_else(|| bytes.first()).copied()?;
        let wanted = length_bytes(first);
        if !gather_off(&mut self.held, bytes, wanted) {
            return None;
        }
        let length = length_of(&self.held);
        self.held.clear();
        Some(length)
    }

    fn on_key(&mut self) {
        let key = std::mem::take(&mut self.held);
        let name = key.get(UTF_LENGTH_BYTES..).unwrap_or_default();
        self.value = if NO_CONTAINERS.contains(&name) { Value::Ignored } else { Value::Name };
        self.container = name.to_vec();
        self.text.clear();
    }

    fn end_of_chunk(&mut self, to: &mut Contents<'_, '_>) {
        match self.at {
            At::Chunk { left: 0, last: false } => self.at = At::ChunkLength,
            At::Chunk { left: 0, last: true } => {
                self.at = At::KeyLength;
                // The container's logs end inside one.
                if matches!(self.value, Value::Log { .. }) {
                    to.cut(Code::Truncated);
                }
            }
            _ => {}
        }
    }

    /// Takes bytes of a value; `false`: they are none.
    fn on_value(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) -> bool {
        while !bytes.is_empty() {
            match &mut self.value {
                Value::Ignored => return true,
                Value::Name => {
                    if let Some(name) = utf(&mut self.text, &mut bytes) {
                        self.value = Value::Length { name };
                    }
                }
                Value::Length { name } => {
                    let Some(digits) = utf(&mut self.text, &mut bytes) else { continue };
                    let text = std::str::from_utf8(&digits).ok().filter(|text| text.len() <= DIGITS);
                    let Some(left) = text.and_then(|text| text.parse().ok()) else { return false };
                    let path = [self.container.as_slice(), b"/", name].concat();
                    to.open(&path);
                    self.members += 1;
                    self.value = Value::Log { left };
                    self.end_of_log(to);
                }
                Value::Log { left } => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    let (piece, rest) = bytes.split_at(taken);
                    *left -= taken as u64;
                    bytes = rest;
                    to.data(piece);
                    self.end_of_log(to);
                }
            }
        }
        true
    }

    fn end_of_log(&mut self, to: &mut Contents<'_, '_>) {
        if matches!(self.value, Value::Log { left: 0 }) {
            to.close();
            self.value = Value::Name;
        }
    }
}

/// Gathers a text that `writeUTF` wrote; gives it once it is whole.
fn utf(held: &mut Vec<u8>, bytes: &mut &[u8]) -> Option<Vec<u8>> {
    if !gather_off(held, bytes, UTF_LENGTH_BYTES) {
        return None;
    }
    let length = held.first_chunk().map_or(0, |length| u16::from_be_bytes(*length));
    if !gather_off(held, bytes, UTF_LENGTH_BYTES + usize::from(length)) {
        return None;
    }
    let text = held.split_off(UTF_LENGTH_BYTES);
    held.clear();
    Some(text)
}

/// Bytes of a length that begins with `first`.
const fn length_bytes(first: u8) -> usize {
    match first.cast_signed() {
        -32.. => 1,
        -72..=-33 => 2,
        -104..=-73 => 3,
        -120..=-105 => 4,
        // −125: four more; −121: eight more; what is below is never written.
        -125..=-121 => (first - 0x82) as usize + 4,
        _ => 1,
    }
}

/// The length that stands in `bytes`, which are as many as its first byte asks for.
fn length_of(bytes: &[u8]) -> i64 {
    let Some((first, rest)) = bytes.split_first() else { return 0 };
    let first = i64::from(first.cast_signed());
    // The high bits lie in the first byte for short ones, else in the sign of the second.
    let high = match rest.len() {
        0 => return first,
        1 => first + 52,
        2 => first + 88,
        3 => first + 112,
        _ => rest.first().map_or(0, |byte| if *byte >= 0x80 { -1 } else { 0 }),
    };
    rest.iter().fold(high, |sum, byte| sum << 8 | i64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_hadoop_writes_them() {
        for (bytes, length) in [
            (&[9_u8][..], 9),
            (&[0xe0], -32),
            (&[0x7f], 127),
            // 128 = 0 · 256 + 128: first byte 0 − 52.
            (&[0xcc, 0x80], 128),
            // −33 = −1 · 256 + 223: first byte −1 − 52.
            (&[0xcb, 0xdf], -33),
            // 70 000 = 1 · 65 536 + 0x1170: first byte 1 − 88.
            (&[0xa9, 0x11, 0x70], 70_000),
            // −1 048 576 = −16 · 65 536: first byte −16 − 88.
            (&[0x98, 0x00, 0x00], -1_048_576),
            // 1 048 576 = 0 · 2^24 + 0x100000: first byte 0 − 112.
            (&[0x90, 0x10, 0x00, 0x00], 1_048_576),
            (&[0x83, 0x40, 0x00, 0x00, 0x00], 1 << 30),
            (&[0x87, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe], -2),
        ] {
            assert_eq!(length_bytes(bytes[0]), bytes.len(), "{length}");
            assert_eq!(length_of(bytes), length);
        }
    }
}
