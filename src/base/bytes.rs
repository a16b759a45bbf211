//! Bytes of a line: looking for a word, and taking them as text.
//!
//! A line is about a hundred bytes. `memchr::memmem` first studies the word, which takes
//! longer than going over such a line; here the word's rarest byte is looked for, and the
//! word is compared around it.
//!
//! Assumes that a text is a line: of a long one full of the word's bytes each place is
//! compared. Cost: O(text · word) at worst, O(text) on logs.

use std::borrow::Cow;

/// A word that is looked for, and which of its bytes is: worth keeping where one word is looked for
/// in many lines.
#[derive(Clone, Copy, Debug)]
pub struct Word<'a> {
    text: &'a [u8],
    /// Its rarest byte and the place of that; nothing of an empty word.
    rarest: Option<(u8, usize)>,
}

impl<'a> Word<'a> {
    /// The word, and its rarest byte.
    #[must_use]
    pub const fn new(text: &'a [u8]) -> Self {
        let (mut rarest, mut least) = (None, u8::MAX);
        let (mut rest, mut at) = (text, 0);
        while let [byte, behind @ ..] = rest {
            let often = frequency(*byte);
            if often < least {
                (rarest, least) = (Some((*byte, at)), often);
            }
            (rest, at) = (behind, at + 1);
        }
        Self { text, rarest }
    }

    /// Its bytes.
    #[must_use]
    pub const fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Where it stands first in `text`.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let Some((rarest, within)) = self.around(text)? else { return Some(0) };
        memchr::memchr_iter(rarest, within).find(|at| self.stands_at(text, *at))
    }

    /// Whether it stands in `text`.
    #[must_use]
    pub fn is_in(&self, text: &[u8]) -> bool {
        self.find(text).is_some()
    }

    /// Where it stands last in `text`.
    #[must_use]
    pub fn rfind(&self, text: &[u8]) -> Option<usize> {
        let Some((rarest, within)) = self.around(text)? else { return Some(text.len()) };
        memchr::memrchr_iter(rarest, within).find(|at| self.stands_at(text, *at))
    }

    /// Its rarest byte, and the bytes of `text` at which that stands if the word begins at
    /// the same place; nothing of an empty word, `None` of one that is longer than the text.
    fn around<'t>(&self, text: &'t [u8]) -> Option<Option<(u8, &'t [u8])>> {
        let Some((rarest, at)) = self.rarest else { return Some(None) };
        let last = text.len().checked_sub(self.text.len())?;
        Some(Some((rarest, text.get(at..=last + at)?)))
    }

    fn stands_at(&self, text: &[u8], at: usize) -> bool {
        text.get(at..).is_some_and(|rest| rest.starts_with(self.text))
    }
}

/// Whether two texts are the same: in WebAssembly eight bytes at a time, as what Rust brings along for it compares
/// byte by byte, and names of loggers differ in their last ones; elsewhere the system's comparison is faster.
///
/// ```
/// use oddnode::base::bytes::same;
/// assert!(same(b"mapred.TaskTracker:", b"mapred.TaskTracker:"));
/// assert!(!same(b"mapred.TaskTracker:", b"mapred.TaskRunner:"));
/// ```
#[must_use]
#[inline]
pub fn same(one: &[u8], other: &[u8]) -> bool {
    if cfg!(target_family = "wasm") { same_by_words(one, other) } else { one == other }
}

#[inline]
fn same_by_words(one: &[u8], other: &[u8]) -> bool {
    let ((words, rest), (of_other, rest_of_other)) = (one.as_chunks::<8>(), other.as_chunks::<8>());
    one.len() == other.len()
        && words.iter().zip(of_other).all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b))
        && rest.iter().zip(rest_of_other).all(|(a, b)| a == b)
}

/// Where `word` stands first in `text`.
///
/// ```
/// use oddnode::base::bytes::find;
/// assert_eq!(find(b"Read 5 bytes from map", b" from "), Some(12));
/// assert_eq!(find(b"Read 5 bytes", b" from "), None);
/// ```
#[must_use]
#[inline]
pub fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    Word::new(word).find(text)
}

/// What stands before `word` and what behind it, where it stands first.
///
/// ```
/// use oddnode::base::bytes::split;
/// assert_eq!(split(b"RUNNING to LOST", b" to "), Some((b"RUNNING".as_slice(), b"LOST".as_slice())));
/// assert_eq!(split(b"RUNNING", b" to "), None);
/// ```
#[must_use]
#[inline]
pub fn split<'a>(text: &'a [u8], word: &[u8]) -> Option<(&'a [u8], &'a [u8])> {
    let (before, behind) = text.split_at_checked(find(text, word)?)?;
    Some((before, behind.get(word.len()..)?))
}

/// What stands behind `word`; all of `text` for an empty one.
#[must_use]
#[inline]
pub fn after<'a>(text: &'a [u8], word: &[u8]) -> Option<&'a [u8]> {
    split(text, word).map(|(_, behind)| behind)
}

/// Whether `word` stands in `text`.
#[must_use]
#[inline]
pub fn contains(text: &[u8], word: &[u8]) -> bool {
    find(text, word).is_some()
}

/// Where `word` stands last in `text`.
#[must_use]
#[inline]
pub fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    Word::new(word).rfind(text)
}

/// The lines of a text, as `split` gives them at `\n`: it looks at many bytes at once.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Some((line, behind)) = memchr::memchr(b'\n', text).and_then(|end| text.split_at_checked(end)) else {
            return Some(text);
        };
        rest = behind.get(1..);
        Some(line)
    })
}

/// Bytes as text; what is no UTF-8 becomes U+FFFD. Five times as fast as
/// [`String::from_utf8_lossy`] where all of it is.
#[must_use]
pub fn text(bytes: &[u8]) -> Cow<'_, str> {
    std::str::from_utf8(bytes).map_or_else(|_| String::from_utf8_lossy(bytes), Cow::Borrowed)
}

/// How often a byte stands in logs, as a rank.
const fn frequency(byte: u8) -> u8 {
    match byte {
        b' ' | b'0' | b'1' | b'2' | b'e' | b'a' | b't' | b'o' => 6,
        b'3'..=b'9' | b'r' | b'n' | b's' | b'i' | b'd' => 5,
        b'c' | b'l' | b'm' | b'p' | b'u' | b'h' | b'.' | b'_' | b':' => 4,
        b'a'..=b'z' => 3,
        b'-' | b'/' | b',' | b'I' | b'N' | b'F' | b'O' => 2,
        b'A'..=b'Z' => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn edges() {
        assert_eq!(find(b"abc", b""), Some(0));
        assert_eq!(rfind(b"abc", b""), Some(3));
        assert_eq!(find(b"", b"a"), None);
        assert_eq!((find(b"abcabc", b"bc"), rfind(b"abcabc", b"bc")), (Some(1), Some(4)));
        assert_eq!((find(b"abc", b"abc"), find(b"abc", b"abcd")), (Some(0), None));
    }

    proptest! {
        #[test]
        fn same_by_words_is_what_equals(one in prop::collection::vec(0_u8..3, 0..20), at in 0_usize..20, byte in 0_u8..3) {
            let mut other = one.clone();
            prop_assert!(same_by_words(&one, &other));
            if let Some(there) = other.get_mut(at) {
                *there = byte;
            }
            prop_assert_eq!(same_by_words(&one, &other), one == other);
            other.push(byte);
            prop_assert!(!same_by_words(&one, &other));
        }

        #[test]
        fn agrees_with_memmem(text in "[ab #]{0,40}", word in "[ab #]{1,4}") {
            let (text, word) = (text.as_bytes(), word.as_bytes());
            prop_assert_eq!(find(text, word), memchr::memmem::find(text, word));
            prop_assert_eq!(rfind(text, word), memchr::memmem::rfind(text, word));
        }

        #[test]
        fn lines_are_those_that_split_gives(text in "[ab\n]{0,20}") {
            prop_assert!(lines(text.as_bytes()).eq(text.as_bytes().split(|b| *b == b'\n')));
        }
    }
}
