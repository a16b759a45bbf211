//! Looking for a word in a short text.
//!
//! A line is about a hundred bytes. `memchr::memmem` first studies the word, which takes
//! longer than going over such a line; here the word's rarest byte is looked for, and the
//! word is compared around it.
//!
//! Assumes that a text is a line: of a long one full of the word's bytes each place is
//! compared. Cost: O(text · word) at worst, O(text) on logs.

/// Where `word` stands first in `text`.
///
/// ```
/// use oddnode::base::bytes::find;
/// assert_eq!(find(b"Read 5 bytes from map", b" from "), Some(12));
/// assert_eq!(find(b"Read 5 bytes", b" from "), None);
/// ```
#[must_use]
pub fn find(text: &[u8], word: &[u8]) -> Option<usize> {
    let Some((rarest, within)) = around(text, word)? else { return Some(0) };
    memchr::memchr_iter(rarest, within).find(|at| stands_at(text, word, *at))
}

/// Whether `word` stands in `text`.
#[must_use]
pub fn contains(text: &[u8], word: &[u8]) -> bool {
    find(text, word).is_some()
}

/// Where `word` stands last in `text`.
#[must_use]
pub fn rfind(text: &[u8], word: &[u8]) -> Option<usize> {
    let Some((rarest, within)) = around(text, word)? else { return Some(text.len()) };
    memchr::memrchr_iter(rarest, within).find(|at| stands_at(text, word, *at))
}

/// The rarest byte of `word`, and the bytes of `text` at which it stands if the word begins at
/// the same place; nothing of an empty word, `None` of one that is longer than the text.
fn around<'a>(text: &'a [u8], word: &[u8]) -> Option<Option<(u8, &'a [u8])>> {
    let Some((at, rarest)) = rarest(word) else { return Some(None) };
    let last = text.len().checked_sub(word.len())?;
    Some(Some((rarest, text.get(at..=last + at)?)))
}

fn stands_at(text: &[u8], word: &[u8], at: usize) -> bool {
    text.get(at..).is_some_and(|rest| rest.starts_with(word))
}

/// The byte of a word that lines of logs hold least often, and its place.
fn rarest(word: &[u8]) -> Option<(usize, u8)> {
    word.iter().copied().enumerate().min_by_key(|(_, byte)| frequency(*byte))
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
        fn agrees_with_memmem(text in "[ab #]{0,40}", word in "[ab #]{1,4}") {
            let (text, word) = (text.as_bytes(), word.as_bytes());
            prop_assert_eq!(find(text, word), memchr::memmem::find(text, word));
            prop_assert_eq!(rfind(text, word), memchr::memmem::rfind(text, word));
        }
    }
}
