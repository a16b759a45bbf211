//! The head of a line whose layout puts its fields into brackets, or bars or tabs between them.
//!
//! ```text
//! [2026-11-20 21:24:44,119] INFO a.b.DataNode: text
//! [2026-11-20T21:24:44,119][INFO ][DataNode] text
//! 2026-11-20 21:24:44,119 [main] [INFO] a.b.DataNode - text
//! 2026-11-20 21:24:44,119 | INFO  | IPC Server handler 3 | a.b.DataNode | text
//! ```
//! Behind the time stand level, logger and perhaps a thread, in any order; behind the last of the first two the message
//! begins. The logger is told by its form: a class, with its package unless something stands around it.
//!
//! Cost: O(line), for lines alone that have no head in Hadoop's own layouts.

use super::{LEVELS, Level, without_line};

/// Fields before the message: level, logger, thread and one more.
const FIELDS: usize = 4;

/// Level, and thread, logger and message, of what stands behind a time's milliseconds.
#[cold]
#[inline(never)]
pub fn head_of(rest: &[u8]) -> Option<(Level, [&[u8]; 3])> {
    let in_zone = |b: &&u8| b.is_ascii_digit() || matches!(b, b'Z' | b'+' | b'-' | b':');
    let behind_zone = rest.get(rest.iter().take_while(in_zone).count()..)?;
    let mut rest = behind_zone.strip_prefix(b"]").unwrap_or(rest);
    let (mut level, mut thread, mut logger) = (None, &b""[..], None);
    for _ in 0..FIELDS {
        let field;
        (field, rest) = Field::first_of(rest)?;
        match (level, logger) {
            (None, _) if field.level().is_some() => level = field.level(),
            (_, None) if field.logger().is_some() => logger = field.logger(),
            _ if field.is_apart => thread = field.text,
            _ => return None,
        }
        if let (Some(level), Some(logger)) = (level, logger) {
            return Some((level, [thread, logger, message(rest)]));
        }
    }
    None
}

/// What stands between two separators.
struct Field<'a> {
    text: &'a [u8],
    /// In brackets, or before a bar or a tab: it may hold blanks.
    is_apart: bool,
    /// What separates a head from its message stands behind it.
    is_last: bool,
}

impl<'a> Field<'a> {
    /// The field that a text begins with, and what is behind it.
    fn first_of(text: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let text = behind_blanks(text);
        let len = match text {
            [b'[', inside @ ..] => {
                let (inside, behind) = inside.split_at(closing(inside)?);
                return Some((Self::apart(inside), behind.get(1..)?));
            }
            [bar @ (b'|' | b'\t'), field @ ..] => {
                let (field, behind) = field.split_at(memchr::memchr(*bar, field)?);
                return Some((Self::apart(field), behind));
            }
            _ => text.iter().position(|b| matches!(b, b' ' | b'\t' | b'[' | b'|')),
        };
        let (word, behind) = text.split_at(len.unwrap_or(text.len()));
        let is_last = word.ends_with(b":") || behind.starts_with(b" - ");
        Some((Self { text: without_colon(word), is_apart: false, is_last }, behind))
    }

    fn apart(text: &'a [u8]) -> Self {
        Self { text: without_colon(text.trim_ascii()), is_apart: true, is_last: false }
    }

    fn level(&self) -> Option<Level> {
        LEVELS.iter().find(|(name, _)| *name == self.text).map(|(_, level)| *level)
    }

    /// The field, if it is a class: a name without a package only where something stands around it, and one that is
    /// none of a class (`a.b.FSNamesystem.audit`) only where nothing else can stand.
    fn logger(&self) -> Option<&'a [u8]> {
        let name = without_line(self.text);
        let class = name.rsplit(|b| *b == b'.').next()?;
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'$' | b'_');
        let is_class = class.first()?.is_ascii_uppercase() && class.iter().any(u8::is_ascii_lowercase);
        let has_package = name.first()?.is_ascii_alphabetic() && class.len() < name.len();
        let fits = match has_package {
            true => is_class || self.is_apart || self.is_last,
            false => is_class && self.is_apart,
        };
        (fits && name.iter().all(is_name)).then_some(name)
    }
}

fn without_colon(text: &[u8]) -> &[u8] {
    text.strip_suffix(b":").unwrap_or(text)
}

fn behind_blanks(text: &[u8]) -> &[u8] {
    text.get(text.iter().take_while(|b| **b == b' ').count()..).unwrap_or_default()
}

/// Where the bracket closes that is open before a text: a thread's name may have pairs of them.
fn closing(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    memchr::memchr2_iter(b'[', b']', text).find(|at| {
        let opens = text.get(*at) == Some(&b'[');
        let closes_all = !opens && depth == 0;
        depth = if opens { depth + 1 } else { depth.saturating_sub(1) };
        closes_all
    })
}

/// A message without what separates it from the last field.
fn message(text: &[u8]) -> &[u8] {
    let text = text.trim_ascii_start();
    let behind = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"|")).or_else(|| text.strip_prefix(b":"));
    let is_apart = |text: &&[u8]| text.first().is_none_or(u8::is_ascii_whitespace);
    behind.filter(is_apart).unwrap_or(text).trim_ascii_start()
}
