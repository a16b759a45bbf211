//! Text as it may be shown: what comes from outside, lists that are cut short, and names in order.

use std::borrow::{Borrow, Cow};
use std::cmp::Ordering;
use std::net::IpAddr;

/// What an editor of another system may put before the text.
const UTF8_BOM: &[u8] = "\u{feff}".as_bytes();

/// The text without it.
#[must_use]
pub fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix(UTF8_BOM).unwrap_or(text)
}

/// The line without zeros at its begin: a machine that fell over, or a log that was cut while it was written, leaves some.
#[must_use]
pub fn without_zeros(line: &[u8]) -> &[u8] {
    line.get(line.iter().take_while(|b| **b == 0).count()..).unwrap_or_default()
}

/// The first part of a name between two dashes that is known, as what it is known, and what stands behind it.
pub fn between_dashes<T>(name: &str, known: impl Fn(&str) -> Option<T>) -> Option<(T, &str)> {
    let mut dashes = name.match_indices('-').map(|(at, _)| at + 1).peekable();
    std::iter::from_fn(|| Some((dashes.next()?, *dashes.peek()?)))
        .find_map(|(from, to)| Some((known(name.get(from..to - 1)?)?, name.get(to..)?)))
}

/// The character, or U+FFFD in place of one that does more than stand there: a control character, which a terminal
/// would obey, or one that turns the direction of writing, so that what is read is not what is there.
#[must_use]
pub fn shown(c: char) -> char {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if c.is_control() || turns { char::REPLACEMENT_CHARACTER } else { c }
}

/// As much of a text as has so many characters, with an ellipsis where there is more.
#[must_use]
pub fn begin_of(text: &str, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most) {
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
        None => Cow::Borrowed(text),
    }
}

/// What a path has behind a folder or an archive that it lies in: `b.log` of `a.tar/b.log` in `a.tar`.
#[must_use]
pub fn below<'p>(path: &'p str, outer: &str) -> Option<&'p str> {
    path.strip_prefix(outer)?.strip_prefix('/')
}

/// ` and 3 more`, behind a list of which not all is shown; nothing where it is.
#[must_use]
pub fn and_more(left_out: usize) -> String {
    if left_out == 0 { String::new() } else { format!(" and {left_out} more") }
}

/// Names listed in a sentence.
const NAMED: usize = 6;

/// The first of some names, and how many more there are.
#[must_use]
pub fn named(all: &[String]) -> String {
    first_of(all, NAMED)
}

/// Whether a word is in a text, ASCII letters of either size being alike. Those of other alphabets would take tables of
/// 25 kB, and names in Hadoop's logs hardly have them.
#[must_use]
pub fn holds(text: &str, word: &str) -> bool {
    let word = word.as_bytes();
    word.is_empty() || text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// The order in which a person counts names: `file-9` before `file-10`, `h2` before `h10`. Of names that count alike, as
/// `h1` and `h01`, that of their bytes.
#[must_use]
pub fn counting(one: &str, other: &str) -> Ordering {
    let (mut a, mut b) = (one.as_bytes(), other.as_bytes());
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        let order = if x.is_ascii_digit() && y.is_ascii_digit() {
            let (x, y) = (number(&mut a), number(&mut b));
            x.len().cmp(&y.len()).then(x.cmp(y))
        } else {
            let order = x.cmp(y);
            (a, b) = (a.get(1..).unwrap_or_default(), b.get(1..).unwrap_or_default());
            order
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    a.len().cmp(&b.len()).then(one.cmp(other))
}

/// Takes the digits that a text begins with; those of the number without zeros in front.
fn number<'a>(text: &mut &'a [u8]) -> &'a [u8] {
    let long = text.iter().take_while(|c| c.is_ascii_digit()).count();
    let (digits, rest) = text.split_at(long);
    *text = rest;
    let zeros = digits.iter().take_while(|c| **c == b'0').count();
    digits.get(zeros..).unwrap_or_default()
}

/// The first of them, at most so many, and how many more there are.
#[must_use]
pub fn first_of<S: Borrow<str>>(all: &[S], most: usize) -> String {
    let named = all.get(..most).unwrap_or(all);
    named.join(", ") + &and_more(all.len() - named.len())
}

/// A host's own name and its domain, if it has one: addresses have none.
#[must_use]
pub fn host_and_domain(name: &str) -> Option<(&str, &str)> {
    name.split_once('.').filter(|_| name.parse::<IpAddr>().is_err())
}

/// Whether two names may be one host's: they differ by a domain behind one of them, or by the size of letters, at most.
#[must_use]
pub fn may_be_one_host(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    let Some((begin, domain)) = long.split_at_checked(short.len()) else { return false };
    begin.eq_ignore_ascii_case(short)
        && (domain.is_empty() || domain.starts_with('.') && long.parse::<IpAddr>().is_err())
}

/// Names as one text, for [`names_in`]; `None` of none.
pub fn joined_names<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let names: Vec<&str> = names.map(str::trim).filter(|name| !name.is_empty()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// The names in a text that has commas between them: `h103, h106`.
pub fn names_in(text: &str) -> impl Iterator<Item = &str> + Clone {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The values of a JSON object as JSON texts, with their names; those that are null left out. Of anything else, none.
pub fn texts_of(object: &serde_json::Value) -> impl Iterator<Item = (&str, String)> {
    let told = object.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    told.map(|(name, value)| (name.as_str(), value.to_string()))
}

#[cfg(test)]
mod tests {
    use super::{and_more, counting, holds, may_be_one_host, shown};

    #[test]
    fn names_are_in_the_order_in_which_one_counts() {
        let mut names =
            ["file-100", "file-11", "file-02", "file-1", "file-02b", "file", "other-3", "file-2", "größe-2"];
        names.sort_by(|a, b| counting(a, b));
        assert_eq!(
            names,
            ["file", "file-1", "file-02", "file-2", "file-02b", "file-11", "file-100", "größe-2", "other-3"]
        );
        let long = ["n18446744073709551616", "n18446744073709551617"];
        assert!(counting(long[0], long[1]).is_lt() && counting(long[1], "n2").is_gt(), "of any length");
    }

    #[test]
    fn words_are_found_in_letters_of_either_size() {
        assert!(holds("Word Count", "COUNT") && holds("word", "") && holds("Größe", "größe"));
        assert!(!holds("word", "words") && !holds("", "w") && !holds("Ö", "ö"), "but for those beyond ASCII");
    }

    #[test]
    fn a_host_is_called_with_its_domain_and_without() {
        for [one, other] in [["h103", "h103.example.com"], ["h103.rack1", "H103.Rack1.example.com"], ["h103", "H103"]] {
            assert!(may_be_one_host(one, other) && may_be_one_host(other, one), "{one} {other}");
        }
        for [one, other] in [["h103.a", "h103.b"], ["h10", "h103"], ["h103", "xh103"], ["10.0", "10.0.0.5"]] {
            assert!(!may_be_one_host(one, other) && !may_be_one_host(other, one), "{one} {other}");
        }
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
