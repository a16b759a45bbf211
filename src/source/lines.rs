//! Bytes to lines, with number and offset, without copying those that lie whole in a
//! piece. Lines end in `\n` or `\r\n`; the last one may do without.
//!
//! Cost: one memchr pass; memory O(limit), whatever the length of a line.

use memchr::memchr_iter;

/// One line, without its line end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Number from 1.
    pub number: u64,
    /// Byte offset of its first byte in the file.
    pub offset: u64,
    /// Its bytes, without `\n` or `\r\n`.
    pub bytes: &'a [u8],
    /// It was longer than the limit; `bytes` is its beginning.
    pub cut: bool,
    /// A line end stands behind it: it is not the beginning of one whose rest is not there.
    pub ended: bool,
}

/// Splits one file into lines.
#[derive(Debug)]
pub struct LineSplitter {
    limit_bytes: usize,
    /// Number of the next line to be given.
    number: u64,
    /// Offset of its first byte.
    offset: u64,
    /// The beginning of a line that is not over yet, at most `limit_bytes` + 1.
    kept: Vec<u8>,
    /// Its length so far.
    length: u64,
}

impl LineSplitter {
    /// Lines of at most `limit_bytes`, the first of them at `offset` of the file.
    #[must_use]
    pub const fn new(limit_bytes: usize, offset: u64) -> Self {
        Self { limit_bytes, number: 1, offset, kept: Vec::new(), length: 0 }
    }

    /// Gives the lines that end in `bytes`.
    pub fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(Line<'_>)) {
        let mut from = 0;
        for end in memchr_iter(b'\n', bytes) {
            let piece = bytes.get(from..end).unwrap_or_default();
            from = end + 1;
            if self.length == 0 {
                self.length = piece.len() as u64;
                self.give(piece, true, &mut each);
            } else {
                self.keep(piece);
                self.give_kept(true, &mut each);
            }
            // The line end.
            self.offset += 1;
        }
        self.keep(bytes.get(from..).unwrap_or_default());
    }

    /// Gives the last line, if it has no line end.
    pub fn finish(&mut self, mut each: impl FnMut(Line<'_>)) {
        if self.length > 0 {
            self.give_kept(false, &mut each);
        }
    }

    fn keep(&mut self, piece: &[u8]) {
        self.length += piece.len() as u64;
        // One more than the limit: it may be the `\r` that is dropped.
        let room = (self.limit_bytes + 1).saturating_sub(self.kept.len());
        self.kept.extend_from_slice(piece.get(..room).unwrap_or(piece));
    }

    fn give_kept(&mut self, ended: bool, each: &mut impl FnMut(Line<'_>)) {
        let kept = std::mem::take(&mut self.kept);
        self.give(&kept, ended, each);
        self.kept = kept;
        self.kept.clear();
    }

    /// Gives a line of `self.length` bytes that begins with `bytes`.
    fn give(&mut self, bytes: &[u8], ended: bool, each: &mut impl FnMut(Line<'_>)) {
        let is_whole = bytes.len() as u64 == self.length;
        let line = if is_whole { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes };
        let short = line.get(..self.limit_bytes);
        each(Line {
            number: self.number,
            offset: self.offset,
            bytes: short.unwrap_or(line),
            cut: line.len() > self.limit_bytes,
            ended,
        });
        self.number += 1;
        self.offset += self.length;
        self.length = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(pieces: &[&[u8]], limit: usize) -> Vec<(u64, u64, Vec<u8>, bool)> {
        let mut lines = Vec::new();
        let mut splitter = LineSplitter::new(limit, 0);
        let mut each = |l: Line<'_>| lines.push((l.number, l.offset, l.bytes.to_vec(), l.cut));
        for piece in pieces {
            splitter.feed(piece, &mut each);
        }
        splitter.finish(&mut each);
        lines
    }

    #[test]
    fn line_ends_are_dropped_and_the_last_may_lack_one() {
        let lines = split(&[b"a\r\n\nbc\rd\r\r\ne"], 9);
        let expected: Vec<(u64, u64, Vec<u8>, bool)> = vec![
            (1, 0, b"a".to_vec(), false),
            (2, 3, vec![], false),
            (3, 4, b"bc\rd\r".to_vec(), false),
            (4, 11, b"e".to_vec(), false),
        ];
        assert_eq!(lines, expected);
        let mut ended = Vec::new();
        let (mut splitter, mut each) = (LineSplitter::new(9, 0), |l: Line<'_>| ended.push(l.ended));
        [&b"a\nb"[..], b"\nc"].into_iter().for_each(|piece| splitter.feed(piece, &mut each));
        splitter.finish(&mut each);
        assert_eq!(ended, [true, true, false]);
        assert_eq!(split(&[b"a\n"], 9).len(), 1);
        assert_eq!(split(&[b""], 9).len(), 0);
    }

    #[test]
    fn long_line_is_cut_and_offsets_go_on_behind_it() {
        let lines = split(&[b"abcdef\nabcd\r\nabcd\nx"], 4);
        let cut: Vec<(u64, &[u8], bool)> = lines.iter().map(|l| (l.1, l.2.as_slice(), l.3)).collect();
        let expected: Vec<(u64, &[u8], bool)> =
            vec![(0, b"abcd", true), (7, b"abcd", false), (13, b"abcd", false), (18, b"x", false)];
        assert_eq!(cut, expected);
    }

    #[test]
    fn endless_line_stays_in_the_memory_of_the_limit() {
        let mut splitter = LineSplitter::new(1 << 10, 0);
        let piece = vec![b'x'; 1 << 20];
        for _ in 0..1024 {
            splitter.feed(&piece, |_| panic!("no line ends here"));
            assert!(splitter.kept.capacity() <= 4 << 10);
        }
        let mut cuts = 0;
        splitter.finish(|line| cuts += usize::from(line.cut && line.bytes.len() == 1 << 10));
        assert_eq!(cuts, 1);
    }

    proptest::proptest! {
        #[test]
        fn pieces_do_not_change_the_lines(
            text in proptest::collection::vec(proptest::sample::select(b"ab\r\n".to_vec()), 0..60),
            cuts in proptest::collection::vec(0_usize..60, 0..6),
            limit in 1_usize..8,
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|w| &text[w[0]..w[1]]).collect();
            proptest::prop_assert_eq!(split(&pieces, limit), split(&[&text], limit));
        }
    }
}
