//! Text from outside, as it may be shown.

/// The character, or U+FFFD in place of one that does more than stand there: a control character, which a terminal
/// would obey, or one that turns the direction of writing, so that what is read is not what is there.
#[must_use]
pub fn shown(c: char) -> char {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || turns { char::REPLACEMENT_CHARACTER } else { c }
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn only_what_stands_there_is_left() {
        let text = "a\t\u{1b}[2J\u{202e}ß\u{200f}文";
        assert_eq!(text.chars().map(shown).collect::<String>(), "a\u{FFFD}\u{FFFD}[2J\u{FFFD}ß\u{FFFD}文");
    }
}
