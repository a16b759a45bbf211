//! Names of members as labels: never opened, only shown, so `..` is harmless.

use super::limits::NAME_BYTES;
use crate::base::text;

/// The label of a member from the bytes that its archive holds: without leading `/` and
/// `./`, and without control characters (a terminal would obey them) and characters that
/// reverse the writing direction (the name shown would not be the real one).
#[must_use]
pub fn label(name: &[u8]) -> String {
    let name = name.get(..NAME_BYTES).unwrap_or(name);
    let whole = String::from_utf8_lossy(name);
    let mut rest: &str = &whole;
    while let Some(shorter) = rest.strip_prefix('/').or_else(|| rest.strip_prefix("./")) {
        rest = shorter;
    }
    if rest.is_empty() {
        return "unnamed".to_owned();
    }
    rest.chars().map(text::shown).collect()
}

#[cfg(test)]
mod tests {
    use super::label;

    #[test]
    fn leading_dots_and_slashes_go_inner_ones_stay() {
        assert_eq!(label(b"././/h101/../x.log"), "h101/../x.log");
        assert_eq!(label(b"../x"), "../x");
        assert_eq!(label(b"./"), "unnamed");
    }

    #[test]
    fn terminal_sequences_and_bad_utf8_are_replaced() {
        assert_eq!(label(b"a\x1b[2Jb\n\xff"), "a\u{FFFD}[2Jb\u{FFFD}\u{FFFD}");
        assert_eq!(label("a\u{202e}gol.exe".as_bytes()), "a\u{FFFD}gol.exe");
    }

    #[test]
    fn endless_name_is_cut() {
        assert_eq!(label(&[b'a'; 10_000]).len(), 4096);
    }
}
