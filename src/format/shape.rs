//! A line's shape: what stays when numbers, ids, addresses and paths are folded away.
//!
//! ```text
//! 2026-11-20 21:24:44,119 INFO a.B: Deleting block blk_-46_1763 file /dfs/data/blk_-46     is
//! # # INFO a.B: Deleting block blk_# file <path>
//! ```
//! Words with digits lose them (`attempt_#_m_#`, `h#`), eight and more hexadecimal digits
//! are one number, numbers that only a sign joins are one (`10.0.0.1:50010` is `#`), and
//! what holds a slash before a name is a path.
//! Cost: O([`LINE_BYTES`]), into a buffer that is kept.

use super::log4j::fits;
use crate::model::shapes::{SHAPES_KEPT, ShapeTable, Unknown};

/// Of a longer line only this beginning is looked at: what tells messages apart stands
/// in front.
const LINE_BYTES: usize = 200;
/// Hexadecimal words from this length on are numbers; shorter ones may be words (`face`).
const HEX_BYTES: usize = 8;
/// Length of a UUID's inner groups.
const GROUP_BYTES: usize = 4;
/// Lines of one sort in a file that are all looked at; of those behind them only every
/// [`STRIDE`]th is: messages that say nothing are most of some logs, and their kinds come
/// early.
const ALL_LINES: u64 = 2000;
/// See [`ALL_LINES`].
const STRIDE: u64 = 16;
/// Shapes kept of a file in no known format: enough to see what it is.
const FOREIGN_KEPT: usize = 8;

/// Folds the lines of one file, and keeps their shapes.
#[derive(Clone, Debug, Default)]
pub struct Folder {
    table: ShapeTable,
    shape: Vec<u8>,
}

impl Folder {
    /// Counts a line that is the `nth` of its sort in the file, from 1.
    pub fn note(&mut self, why: Unknown, line: &[u8], number: u64, nth: u64) {
        self.sample(why, line, number, nth, SHAPES_KEPT);
    }

    /// Counts a line of a file in no known format.
    pub fn note_foreign(&mut self, line: &[u8], number: u64) {
        self.sample(Unknown::Unfit, line, number, number, FOREIGN_KEPT);
    }

    fn sample(&mut self, why: Unknown, line: &[u8], number: u64, nth: u64, kept: usize) {
        let weight = if nth <= ALL_LINES {
            1
        } else if nth.is_multiple_of(STRIDE) {
            STRIDE
        } else {
            return;
        };
        let mut shape = std::mem::take(&mut self.shape);
        fold(line, &mut shape);
        self.table.note(why, std::str::from_utf8(&shape).unwrap_or_default(), number, weight, kept);
        self.shape = shape;
    }

    /// The shapes so far.
    #[must_use]
    pub const fn table(&self) -> &ShapeTable {
        &self.table
    }
}

/// Writes the shape of a line: ASCII, and perhaps a closing `…`.
fn fold(line: &[u8], shape: &mut Vec<u8>) {
    shape.clear();
    let seen = line.get(..LINE_BYTES).unwrap_or(line);
    match behind_time(seen) {
        Some(rest) => {
            shape.extend_from_slice(b"# #");
            fold_on(rest, shape);
        }
        None => fold_on(seen, shape),
    }
    shape.truncate(shape.trim_ascii_end().len());
    if line.len() > LINE_BYTES {
        shape.extend_from_slice("…".as_bytes());
    }
}

/// How most lines begin.
const TIME: &[u8] = b"0000-00-00 00:00:00,000";

/// What stands behind the time that a line begins with, if it does and no word goes on with it.
fn behind_time(line: &[u8]) -> Option<&[u8]> {
    let rest = line.get(TIME.len()..).filter(|_| fits(line, TIME))?;
    (!rest.first().is_some_and(u8::is_ascii_alphanumeric)).then_some(rest)
}

/// What a byte is, as bits.
mod kind {
    /// It stays as it is, unless a digit is in its word.
    pub const STAYS: u8 = 1;
    pub const DIGIT: u8 = 2;
    pub const HEX_DIGIT: u8 = 4;
    pub const ALPHANUMERIC: u8 = 8;
    pub const ENDS_PATH: u8 = 16;

    const KINDS: [u8; 256] = {
        let mut kinds = [0; 256];
        let (mut rest, mut b) = (kinds.as_mut_slice(), 0);
        while let [first, behind @ ..] = rest {
            *first = told(b);
            (rest, b) = (behind, b.wrapping_add(1));
        }
        kinds
    };

    const fn told(b: u8) -> u8 {
        let stays = matches!(b, b' '..=b'~') && !matches!(b, b'0'..=b'9' | b'/' | b'#');
        (if stays { STAYS } else { 0 })
            | (if b.is_ascii_digit() { DIGIT } else { 0 })
            | (if b.is_ascii_hexdigit() { HEX_DIGIT } else { 0 })
            | (if b.is_ascii_alphanumeric() { ALPHANUMERIC } else { 0 })
            | (if super::ends_path(b) { ENDS_PATH } else { 0 })
    }

    /// Every byte of a line is asked: by a table that takes less than half as long as comparisons.
    pub fn of(b: u8) -> u8 {
        KINDS.get(usize::from(b)).copied().unwrap_or(0)
    }

    pub fn is(b: u8, kind: u8) -> bool {
        of(b) & kind != 0
    }
}

/// Adds the shape of the rest of a line.
fn fold_on(mut rest: &[u8], shape: &mut Vec<u8>) {
    while let Some(first) = rest.first() {
        let same = plain(rest, shape);
        let len = if !same.is_empty() {
            shape.extend_from_slice(same);
            same.len()
        } else if kind::is(*first, kind::ALPHANUMERIC) {
            word(rest, shape)
        } else if is_path(rest) {
            shape.extend_from_slice(b"<path>");
            rest.iter().position(|b| kind::is(*b, kind::ENDS_PATH)).unwrap_or(rest.len())
        } else {
            shape.push(match *first {
                b'\t' => b' ',
                b if b.is_ascii_control() || !b.is_ascii() => b'?',
                b => b,
            });
            1
        };
        rest = rest.get(len..).unwrap_or_default();
    }
}

/// The words, signs and blanks that a text begins with and that stay as they are: most of most lines.
fn plain<'a>(text: &'a [u8], shape: &[u8]) -> &'a [u8] {
    // What goes on with a number may become part of it.
    if matches!(shape, [.., b'#'] | [.., b'#', b'-']) {
        return &[];
    }
    let end = text.iter().position(|b| !kind::is(*b, kind::STAYS)).unwrap_or(text.len());
    let (same, behind) = text.split_at(end);
    if !behind.first().is_some_and(u8::is_ascii_digit) {
        return same;
    }
    // The digit's word is none that stays.
    let begin = same.iter().rposition(|b| !kind::is(*b, kind::ALPHANUMERIC)).map_or(0, |at| at + 1);
    same.get(..begin).unwrap_or_default()
}

/// A word of letters and digits that a text begins with; gives its length.
fn word(text: &[u8], shape: &mut Vec<u8>) -> usize {
    let (mut some, mut all, mut len) = (0, u8::MAX, 0);
    for kind in text.iter().map(|b| kind::of(*b)).take_while(|kind| kind & kind::ALPHANUMERIC != 0) {
        (some, all, len) = (some | kind, all & kind, len + 1);
    }
    let word = text.get(..len).unwrap_or_default();
    let has_digits = some & kind::DIGIT != 0;
    // Most words are words.
    if !has_digits && !shape.ends_with(b"#-") {
        shape.extend_from_slice(word);
        return len;
    }
    let long = len >= HEX_BYTES && has_digits;
    // The later groups of a UUID.
    let hex = all & kind::HEX_DIGIT != 0 && (long || len >= GROUP_BYTES && shape.ends_with(b"#-"));
    if hex || all & kind::DIGIT != 0 {
        number(shape);
        return len;
    }
    let mut in_digits = false;
    for b in word {
        let is_digit = kind::is(*b, kind::DIGIT);
        if !is_digit {
            shape.push(*b);
        } else if !in_digits {
            number(shape);
        }
        in_digits = is_digit;
    }
    len
}

/// A number; it becomes one with the number before it if only a sign is between them.
fn number(shape: &mut Vec<u8>) {
    match shape.as_slice() {
        [.., b'#'] => {}
        [.., b'#', b'.' | b':' | b',' | b'-' | b'_' | b'+' | b'/'] => {
            shape.pop();
        }
        // A sign before a number, behind a word: `blk_-46`, `= -1`.
        [.., b'_' | b' ' | b'=', b'-'] => {
            shape.pop();
            shape.push(b'#');
        }
        _ => shape.push(b'#'),
    }
}

/// Whether `rest` begins a path: a slash, then a name (not a number: `/10.0.0.1:50010`).
fn is_path(rest: &[u8]) -> bool {
    matches!(rest, [b'/', b, ..] if b.is_ascii_alphabetic() || matches!(b, b'_' | b'.' | b'/'))
}

const fn ends_path(b: u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b',' | b'=' | b'(' | b')' | b'[' | b']' | b';' | b'{' | b'}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fold(line: &str) -> String {
        let mut shape = Vec::new();
        super::fold(line.as_bytes(), &mut shape);
        String::from_utf8(shape).unwrap()
    }

    #[test]
    fn numbers_ids_addresses_and_paths_fold() {
        assert_eq!(
            fold("2026-11-20 21:24:44,119 INFO a.B: Deleting block blk_-46_1763 file /dfs/data/blk_-46"),
            "# # INFO a.B: Deleting block blk_# file <path>"
        );
        assert_eq!(
            fold("src: /10.77.1.12:60884 attempt_202611202124_0001_m_000000_0 3a0ff9c1-11ee-beef x"),
            "src: /# attempt_#_m_# # x"
        );
        assert_eq!(fold("hdfs://h300:9000/user/x took 1.5 s, -1"), "hdfs:<path> took # s, #");
        assert_eq!(fold("deadbeef cafe0001 h301"), "deadbeef # h#");
    }

    /// A word, letter by letter.
    fn by_letters(word: &[u8], shape: &mut Vec<u8>) {
        let long = word.len() >= HEX_BYTES && word.iter().any(u8::is_ascii_digit);
        let is_group = word.len() >= GROUP_BYTES && shape.ends_with(b"#-");
        if word.iter().all(u8::is_ascii_hexdigit) && (long || is_group) {
            return super::number(shape);
        }
        for (at, b) in word.iter().enumerate() {
            if !b.is_ascii_digit() {
                shape.push(*b);
            } else if at == 0 || !word[at - 1].is_ascii_digit() {
                super::number(shape);
            }
        }
    }

    /// The shape, word by word.
    fn slowly(mut rest: &[u8]) -> String {
        let mut shape = Vec::new();
        while let Some(first) = rest.first() {
            let len = if first.is_ascii_alphanumeric() {
                let len = rest.iter().take_while(|b| b.is_ascii_alphanumeric()).count();
                by_letters(&rest[..len], &mut shape);
                len
            } else {
                let len =
                    if super::is_path(rest) { rest.iter().take_while(|b| !super::ends_path(**b)).count() } else { 1 };
                super::fold_on(&rest[..len], &mut shape);
                len
            };
            rest = &rest[len..];
        }
        shape.truncate(shape.trim_ascii_end().len());
        String::from_utf8(shape).unwrap()
    }

    proptest::proptest! {
        #[test]
        fn lines_are_folded_as_their_words_are(
            time in "([0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2},[0-9]{3})?",
            rest in "[ -:a1_\\[/#\t]{0,30}",
        ) {
            let line = format!("{time}{rest}");
            proptest::prop_assert_eq!(fold(&line), slowly(line.as_bytes()));
        }
    }

    #[test]
    fn lines_of_one_message_have_one_shape() {
        let a = fold("2026-11-20 21:24:44,119 INFO x.Y: container_e17_1_0001_01_000002 on h1:45454 done");
        let b = fold("2025-01-02 03:04:05,006 INFO x.Y: container_e09_77_0042_01_000123 on h22:1 done");
        assert_eq!(a, b);
    }

    #[test]
    fn any_bytes_give_a_short_printable_shape() {
        let mut shape = Vec::new();
        for line in [&b""[..], b"\xff\xfe\0\x1b[2J", &[b'/'; 1000], &[b'7'; 1000], &[0xc3; 400]] {
            super::fold(line, &mut shape);
            assert!(shape.len() <= LINE_BYTES + 3 && !shape.iter().any(u8::is_ascii_control), "{shape:?}");
        }
    }

    #[test]
    fn of_many_lines_a_sample_counts_for_all() {
        let mut folder = Folder::default();
        for nth in 1..=ALL_LINES + 10 * STRIDE {
            folder.note(Unknown::Unused, b"a 1", nth, nth);
        }
        let shapes: Vec<_> = folder.table().iter().map(|(_, s, c)| (s, c.count)).collect();
        assert_eq!(shapes, [("a #", ALL_LINES + 10 * STRIDE)]);
    }

    #[test]
    fn foreign_file_keeps_few_shapes() {
        let mut folder = Folder::default();
        for line in 1..=20_u8 {
            folder.note_foreign(&vec![b'a'; usize::from(line)], line.into());
        }
        assert_eq!((folder.table().iter().count(), folder.table().more()), (FOREIGN_KEPT, 12));
    }
}
