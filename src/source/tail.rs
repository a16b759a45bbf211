//! Logs behind one another as `tail` and `head` print them where they are given several files.
//!
//! ```text
//! ==> logs/hadoop-hadoop-datanode-h301.log <==
//! 2026-11-21 02:15:47,791 INFO …
//!                                                        an empty line before the next
//! ==> logs/hadoop-hadoop-nodemanager-h301.log <==
//! ```
//! Members go by these names below the text's own.
//! Cost: O(bytes).

use super::container::{Container, Unpack};
use super::limits::HEADING_BYTES;
use super::unpack::Contents;
use memchr::{memchr, memmem};

/// What begins the line that names a file.
const BEGIN: &[u8] = b"==> ";
/// What ends it.
const END: &[u8] = b" <==";

pub(super) static CONTAINER: Container =
    Container { name: "files behind one another (text)", begins: |head| heading(head).is_some(), start };

fn start() -> Box<dyn Unpack> {
    Box::<Tail>::default()
}

/// The name that a text begins with, and the length of its line.
fn heading(text: &[u8]) -> Option<(&[u8], usize)> {
    let end = memchr(b'\n', text.get(..HEADING_BYTES).unwrap_or(text))?;
    let line = text.get(..end)?.trim_ascii_end();
    Some((line.strip_prefix(BEGIN)?.strip_suffix(END)?, end + 1))
}

#[derive(Default)]
struct Tail {
    /// Bytes that wait for those behind them.
    held: Vec<u8>,
    /// They do not begin a line.
    inside: bool,
}

impl Tail {
    /// Gives what is sure to be the open file's.
    fn give(&mut self, last: bool, to: &mut Contents<'_, '_>) {
        let held = std::mem::take(&mut self.held);
        let mut from = 0;
        let first = (!self.inside && held.starts_with(BEGIN)).then_some(0);
        let others = memmem::find_iter(&held, b"\n==> ").map(|end| end + 1);
        for at in first.into_iter().chain(others) {
            if let Some((name, length)) = heading(held.get(at..).unwrap_or_default()) {
                to.data(self.but_for_last(held.get(from..at).unwrap_or_default()));
                to.open(name);
                self.inside = false;
                from = at + length;
            }
        }
        let rest = held.get(from..).unwrap_or_default();
        let line = memchr::memrchr(b'\n', rest).map_or(0, |end| end + 1);
        let (whole, begun) = rest.split_at(line);
        // The last line may become one that names a file, or be one of which the end is missing.
        let may_name = begun.len() < HEADING_BYTES && (BEGIN.starts_with(begun) || begun.starts_with(BEGIN));
        let given = match (may_name && !(self.inside && whole.is_empty()), last) {
            (false, _) => rest,
            (true, true) => self.but_for_last(whole),
            (true, false) => rest.get(..line.saturating_sub(2)).unwrap_or_default(),
        };
        to.data(given);
        if !last {
            self.held = rest.get(given.len()..).unwrap_or_default().to_vec();
        }
        if let Some(end) = given.last() {
            self.inside = *end != b'\n';
        }
    }

    /// Lines without the last if that is empty: it stands before a name.
    fn but_for_last<'a>(&self, lines: &'a [u8]) -> &'a [u8] {
        let before = lines.strip_suffix(b"\n").filter(|text| text.ends_with(b"\n") || text.is_empty() && !self.inside);
        before.unwrap_or(lines)
    }
}

impl Unpack for Tail {
    fn feed(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) {
        self.held.extend_from_slice(bytes);
        self.give(false, to);
    }

    fn rest(&mut self, to: &mut Contents<'_, '_>) {
        self.give(true, to);
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        self.give(true, to);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Limits, Unpacker, Visitor};
    use crate::base::Code;
    use crate::base::crc::Crc;

    #[derive(Default)]
    struct Seen(Vec<(String, String)>);

    impl Visitor for Seen {
        fn open(&mut self, path: &str) {
            self.0.push((path.to_owned(), String::new()));
        }
        fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
            self.0.last_mut().unwrap().1.push_str(std::str::from_utf8(bytes).unwrap());
            None
        }
        fn close(&mut self) {}
        fn issue(&mut self, path: &str, code: Code) {
            panic!("{path}: {code:?}");
        }
    }

    #[test]
    fn files_end_before_the_next_name_however_the_bytes_come() {
        let long = "a line\n".repeat(100);
        let text = format!(
            "==> /logs/first <==\n{long}\n==> /logs/a.log <==\n1\n\n2\n==> no name\n\n==> b.log <==\r\n\n==> c.log <==\n==> d <==\n3 ==> e <==\n=="
        );
        let expected = [
            ("x/logs/first", &*long),
            ("x/logs/a.log", "1\n\n2\n==> no name\n"),
            ("x/b.log", ""),
            ("x/c.log", ""),
            ("x/d", "3 ==> e <==\n"),
        ];
        let expected = expected.map(|(path, text)| (path.to_owned(), text.to_owned()));
        for piece in [1, 2, 7, 4096] {
            let (mut unpacker, mut seen) = (Unpacker::new("x", &Limits::default()), Seen::default());
            text.as_bytes().chunks(piece).for_each(|piece| unpacker.feed(piece, &mut seen));
            unpacker.finish(&mut seen);
            assert_eq!(seen.0, expected, "pieces of {piece}");
        }
    }
}
