//! Text as it may be shown: what comes from outside, and lists that are cut short.

/// What an editor of another system may put before the text.
pub const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

/// The character, or U+FFFD in place of one that does more than stand there: a control character, which a terminal
/// would obey, or one that turns the direction of writing, so that what is read is not what is there.
#[must_use]
pub fn shown(c: char) -> char {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || turns { char::REPLACEMENT_CHARACTER } else { c }
}

/// ` and 3 more`, behind a list of which not all is shown; nothing where it is.
#[must_use]
pub fn and_more(left_out: usize) -> String {
    if left_out == 0 { String::new() } else { format!(" and {left_out} more") }
}

/// Whether a word is in a text, ASCII letters of either size being alike. Those of other alphabets would take tables of
/// 25 kB, and names in Hadoop's logs hardly have them.
#[must_use]
pub fn holds(text: &str, word: &str) -> bool {
    let word = word.as_bytes();
    word.is_empty() || text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::{and_more, holds, shown};

    #[test]
    fn words_are_found_in_letters_of_either_size() {
        assert!(holds("Word Count", "COUNT") && holds("word", "") && holds("Größe", "größe"));
        assert!(!holds("word", "words") && !holds("", "w") && !holds("Ö", "ö"), "but for those beyond ASCII");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        assert_eq!((and_more(0), and_more(2)), (String::new(), String::from(" and 2 more")));
    }

    #[test]
    fn only_what_stands_there_is_left() {
        let text = "a\t\u{1b}[2J\u{202e}ß\u{200f}文";
        assert_eq!(text.chars().map(shown).collect::<String>(), "a\u{FFFD}\u{FFFD}[2J\u{FFFD}ß\u{FFFD}文");
    }
}
