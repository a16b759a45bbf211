//! Text in UTF-16, as PowerShell's `>` and some editors write it, behind a byte order mark.
//!
//! ```text
//! ff fe 32 00 30 00 32 00 36 00 …      2026…, the lower byte first; fe ff: the higher one
//! ```
//! What is behind the mark goes on as UTF-8, under the file's own name. Half of a pair becomes U+FFFD.
//! Cost: O(bytes).

use super::container::{Container, Unpack};
use super::decode::OUT_BYTES;
use super::unpack::Contents;
use crate::base::Code;

pub(super) static CONTAINER: Container =
    Container { name: "UTF-16", begins, start: || Box::new(Utf16 { state: State::Fresh, held: Vec::new() }) };

/// The mark, and a character of which one byte is empty, as in all that logs begin with.
fn begins(head: &[u8]) -> bool {
    matches!(head, [0xff, 0xfe, 1..=255, 0, ..] | [0xfe, 0xff, 0, 1..=255, ..])
}

struct Utf16 {
    state: State,
    /// Bytes of a character that is not whole, and of the mark.
    held: Vec<u8>,
}

enum State {
    Fresh,
    /// In the text; how its pairs of bytes are read.
    Text(fn([u8; 2]) -> u16),
    /// Nothing more is read.
    Over,
}

impl Utf16 {
    /// Gives what is whole of the bytes held; `last`: there are no more.
    fn give(&mut self, last: bool, to: &mut Contents<'_, '_>) {
        let State::Text(unit) = self.state else { return };
        let mut text = String::with_capacity(OUT_BYTES);
        let mut from = 0;
        let next = |at: usize| Some(unit([*self.held.get(at)?, *self.held.get(at + 1)?]));
        while let Some(first) = next(from) {
            let is_half = (0xd800..0xdc00).contains(&first);
            let second = next(from + 2);
            if is_half && second.is_none() && !last {
                break;
            }
            let pair = [first, second.unwrap_or_default()];
            let units = if is_half { &pair[..] } else { pair.get(..1).unwrap_or_default() };
            let found = char::decode_utf16(units.iter().copied()).next();
            let character = found.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER);
            text.push(character);
            from += 2 * character.len_utf16();
        }
        self.held.drain(..from);
        if !to.expand(text.as_bytes()) {
            to.abort(Code::ExpandsTooMuch);
            self.state = State::Over;
        }
    }
}

impl Unpack for Utf16 {
    fn feed(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) {
        if matches!(self.state, State::Over) {
            return;
        }
        self.held.extend_from_slice(bytes);
        if let State::Fresh = self.state {
            to.open_same();
            let Some(mark) = self.held.get(..2) else { return };
            self.state = State::Text(if mark == [0xff, 0xfe] { u16::from_le_bytes } else { u16::from_be_bytes });
            self.held.drain(..2);
        }
        self.give(false, to);
    }

    fn rest(&mut self, to: &mut Contents<'_, '_>) {
        self.give(true, to);
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        self.give(true, to);
        if !self.held.is_empty() {
            to.abort_at(Code::Truncated, to.byte(0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Unpacker, Visitor};
    use crate::base::Code;
    use crate::base::crc::Crc;

    #[derive(Debug, Default)]
    struct Seen {
        members: Vec<(String, Vec<u8>)>,
        issues: Vec<Code>,
    }

    impl Visitor for Seen {
        fn open(&mut self, path: &str) {
            self.members.push((path.to_owned(), Vec::new()));
        }
        fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
            self.members.last_mut().unwrap().1.extend_from_slice(bytes);
            None
        }
        fn close(&mut self) {}
        fn issue(&mut self, _path: &str, code: Code) {
            self.issues.push(code);
        }
    }

    #[test]
    fn either_order_of_bytes_is_read_in_pieces_of_any_size() {
        let text = "2026-11-20 21:24:44,119 INFO a.B: größe 文 \u{1f600}\r\n";
        let pairs = |of: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(of).collect::<Vec<u8>>();
        let read = |bytes: &[u8], piece: usize| {
            let (mut unpacker, mut seen) = (Unpacker::new("x.log", &Limits::default()), Seen::default());
            bytes.chunks(piece).for_each(|piece| unpacker.feed(piece, &mut seen));
            unpacker.finish(&mut seen);
            seen
        };
        let (little, big) = (pairs(u16::to_le_bytes), pairs(u16::to_be_bytes));
        for bytes in [[&b"\xff\xfe"[..], &little].concat(), [&b"\xfe\xff"[..], &big].concat()] {
            for piece in [1, 3, 4096] {
                let seen = read(&bytes, piece);
                assert_eq!(seen.members, [("x.log".to_owned(), text.as_bytes().to_vec())], "pieces of {piece}");
                assert!(seen.issues.is_empty());
            }
        }
        // Half of a pair, and half of a character, at the end.
        let cut = [&b"\xff\xfe"[..], &little[..little.len() - 5]].concat();
        let seen = read(&cut, 4096);
        assert!(seen.members[0].1.ends_with("文 \u{fffd}".as_bytes()) && seen.issues.len() == 1, "{seen:?}");
    }
}
