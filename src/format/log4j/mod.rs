//! The head of a log4j line: time, level, thread, logger.
//!
//! ```text
//! 2026-11-20 21:24:44,119 INFO org.apache.hadoop.mapred.TaskTracker: text      0.19 on
//! 2026-11-21 02:13:53,744 INFO [fetcher#1] org.apache….reduce.Fetcher: text    containers, 0.23 on
//! 18/11/14 08:44:02 INFO datanode.DataNode: text                               console
//! 081109 203518 143 INFO dfs.DataNode$DataXceiver: text                        0.18
//! 2026-11-20T21:24:44,119 [main] INFO  datanode.DataNode:77 - text             as others lay it out
//! 2026-11-20 21:24:44,119 INFO datanode.DataNode (PacketResponder: blk_1): text   the thread behind the logger
//! 2026-11-20T21:24:44.119Z INFO datanode.DataNode: text                        with a zone
//! ```
//! [`fields`] reads those with brackets, bars or tabs.
//! Written by log4j's PatternLayout (`%d{ISO8601} %p [%t] %c: %m%n` and relatives in
//! Hadoop's `conf/log4j.properties`, 0.18 to 3.x). A line without such a head belongs to
//! the record above it: stack traces, `/****` banners, `STARTUP_MSG:` lines, counters.
//!
//! Assumes an English level name after the time. A thread's name may hold blanks and
//! brackets, so its end is the first `] ` behind which a logger stands.
//! Cost: O(line); a date is computed once a second, nothing is allocated.

mod fields;
mod time;

pub(super) use time::{begins, epoch_of, fits, second_of, zone_of};

use crate::base::Timestamp;
use crate::base::bytes;
use time::{SECOND_BYTES, Shape, behind_zone, millis_of, shape_of};

/// Level names of log4j, the commonest first.
const LEVELS: [(&[u8], Level); 6] = [
    (b"INFO", Level::Info),
    (b"WARN", Level::Warn),
    (b"ERROR", Level::Error),
    (b"DEBUG", Level::Debug),
    (b"FATAL", Level::Fatal),
    (b"TRACE", Level::Trace),
];
/// Tokens remembered: loggers that take turns in a log, the class that writes it and its trace.
const RECENT_TOKENS: usize = 4;
/// Length of a token that is remembered; loggers are shorter.
const TOKEN_BYTES: usize = 128;
/// Length of a thread's name behind a logger: that of a DataNode's receiver names a client, two addresses and a block.
const THREAD_BYTES: usize = 512;

/// The level of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// TRACE
    Trace,
    /// DEBUG
    Debug,
    /// INFO
    Info,
    /// WARN
    Warn,
    /// ERROR
    Error,
    /// FATAL
    Fatal,
}

/// A line with a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// Its time on the wall clock of the log.
    pub at: Timestamp,
    /// How bad the writer thinks it is.
    pub level: Level,
    /// The thread, empty where the layout has none.
    pub thread: &'a [u8],
    /// The logger, in full or as its last parts.
    pub logger: &'a [u8],
    /// The message.
    pub message: &'a [u8],
}

impl<'a> Record<'a> {
    /// The last part of the logger: `TaskTracker`, `clienttrace`, `DataNode$DataXceiver`.
    #[must_use]
    pub fn class(&self) -> &'a [u8] {
        match memchr::memrchr(b'.', self.logger) {
            Some(dot) => self.logger.get(dot + 1..).unwrap_or_default(),
            None => self.logger,
        }
    }
}

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split<'a> {
    /// A record's first line.
    Record(Record<'a>),
    /// Shaped like a record, but its time does not exist.
    BadTime,
    /// Begins with a time and a level, and goes on as no layout that is known.
    Unreadable,
    /// Anything else.
    Continuation,
}

/// Splits lines; remembers the last second, and loggers.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    second: [u8; SECOND_BYTES],
    second_len: usize,
    millis: Timestamp,
    tokens: Tokens,
}

impl Splitter {
    /// What `line` is.
    pub fn split<'a>(&mut self, line: &'a [u8]) -> Split<'a> {
        // Most lines are of the second of the line before.
        let again = self.second_len == SECOND_BYTES
            && line.get(..SECOND_BYTES).is_some_and(|text| bytes::same(text, &self.second));
        let shape = if again { Some(Shape::Iso) } else { shape_of(line) };
        let Some((shape, line)) = shape.map(|shape| (shape, line)).or_else(|| in_bracket(line)) else {
            return Split::Continuation;
        };
        let Some(rest) = line.get(shape.len()..) else { return Split::Continuation };
        let (millis, rest) = if shape == Shape::Iso { millis_of(rest) } else { (Some(0), rest) };
        // 0.18 prints a thread number between time and level.
        let rest = if shape == Shape::Short {
            let digits = rest.iter().skip(1).take_while(|b| b.is_ascii_digit()).count();
            rest.get(1 + digits..).unwrap_or_default()
        } else {
            rest
        };
        let head = after_time(rest, &mut self.tokens).or_else(|| fields::head_of(rest));
        let Some((level, [thread, logger, message])) = head else { return without_head(rest) };
        let text = line.get(..shape.len()).unwrap_or_default();
        match (self.second(shape, text), millis) {
            (Some(second), Some(ms)) => {
                Split::Record(Record { at: second.plus_millis(ms), level, thread, logger, message })
            }
            _ => Split::BadTime,
        }
    }

    fn second(&mut self, shape: Shape, text: &[u8]) -> Option<Timestamp> {
        if self.second_len != 0 && self.second.get(..self.second_len).is_some_and(|known| bytes::same(known, text)) {
            return Some(self.millis);
        }
        let found = shape.read(text)?;
        if let Some(slot) = self.second.get_mut(..text.len()) {
            slot.copy_from_slice(text);
            self.second_len = text.len();
            self.millis = found;
        }
        Some(found)
    }
}

/// The name that records have for a level, in letters of either size.
pub(super) fn level_name(level: &str) -> Option<&'static str> {
    let mut names = LEVELS.iter().filter_map(|(name, _)| std::str::from_utf8(name).ok());
    names.find(|name| name.eq_ignore_ascii_case(level))
}

/// The logger in the shape of a record's line, which begins with `# #` for its time.
pub(super) fn logger_in(shape: &[u8]) -> Option<&[u8]> {
    let (_, [_, logger, _]) = after_time(shape.strip_prefix(b"# #")?, &mut Tokens::default())?;
    Some(logger)
}

/// Tokens as they stood in the lines before: most lines of a log have one of few.
#[derive(Clone, Debug, Default)]
struct Tokens {
    recent: [Vec<u8>; RECENT_TOKENS],
    oldest: usize,
}

impl Tokens {
    /// The length of the token that `text` begins with: up to a blank, a bracket or a comma.
    fn first_of(&mut self, text: &[u8]) -> usize {
        let token = text.get(..memchr::memchr(b' ', text).unwrap_or(text.len())).unwrap_or_default();
        if self.recent.iter().any(|known| bytes::same(known, token)) {
            return token.len();
        }
        if let Some(end) = token.iter().position(|b| matches!(b, b'[' | b']' | b'(' | b',')) {
            return end;
        }
        if token.len() <= TOKEN_BYTES
            && let Some(slot) = self.recent.get_mut(self.oldest)
        {
            slot.clear();
            slot.extend_from_slice(token);
            self.oldest = (self.oldest + 1) % RECENT_TOKENS;
        }
        token.len()
    }
}

/// A line that begins with a time in brackets: what shape it has, and the line from there on.
#[cold]
#[inline(never)]
fn in_bracket(line: &[u8]) -> Option<(Shape, &[u8])> {
    let line = line.strip_prefix(b"[")?;
    Some((shape_of(line)?, line))
}

/// A line of which behind the time no head could be read.
#[cold]
#[inline(never)]
fn without_head(rest: &[u8]) -> Split<'static> {
    let rest = rest.strip_prefix(b" ").or_else(|| behind_zone(rest)).unwrap_or_default();
    if level_of(rest.trim_ascii_start()).is_some() { Split::Unreadable } else { Split::Continuation }
}

/// ` LEVEL [thread] logger: message`, or the thread before the level: the level, and thread, logger and message.
fn after_time<'a>(rest: &'a [u8], tokens: &mut Tokens) -> Option<(Level, [&'a [u8]; 3])> {
    let rest = match rest.strip_prefix(b" ") {
        Some(rest) => rest.trim_ascii_start(),
        None => behind_zone(rest)?,
    };
    match level_of(rest) {
        Some((level, rest)) => after_level(level, rest, tokens),
        None => thread_first(rest, tokens),
    }
}

/// `[thread] logger: message`.
fn after_level<'a>(level: Level, rest: &'a [u8], tokens: &mut Tokens) -> Option<(Level, [&'a [u8]; 3])> {
    let Some(inside) = rest.strip_prefix(b"[") else {
        let (logger, message) = logger_of(rest, tokens)?;
        return Some((level, [b"", logger, message]));
    };
    memchr::memchr_iter(b']', inside).find_map(|end| {
        let behind = inside.get(end + 1..)?.strip_prefix(b" ")?;
        let (logger, message) = logger_of(behind.trim_ascii_start(), tokens)?;
        Some((level, [inside.get(..end)?, logger, message]))
    })
}

/// The level that a text begins with, and what follows the blanks behind it.
fn level_of(text: &[u8]) -> Option<(Level, &[u8])> {
    let (level, rest) = LEVELS.iter().find_map(|(name, level)| Some((*level, text.strip_prefix(*name)?)))?;
    Some((level, rest.strip_prefix(b" ")?.trim_ascii_start()))
}

/// `[thread] LEVEL logger: message`, perhaps with a zone before it, or a zone and the level.
#[cold]
#[inline(never)]
fn thread_first<'a>(rest: &'a [u8], tokens: &mut Tokens) -> Option<(Level, [&'a [u8]; 3])> {
    let rest = behind_zone(rest).unwrap_or(rest);
    let Some(inside) = rest.strip_prefix(b"[") else {
        let (level, rest) = level_of(rest)?;
        return after_level(level, rest, tokens);
    };
    memchr::memchr_iter(b']', inside).find_map(|end| {
        let (level, behind) = level_of(inside.get(end + 1..)?.strip_prefix(b" ")?.trim_ascii_start())?;
        let (logger, message) = logger_of(behind, tokens)?;
        Some((level, [inside.get(..end)?, logger, message]))
    })
}

/// `logger: message`, `logger - message`, `logger (File.java:method(1)) - message` of Hadoop's debugging
/// layout, or `logger (thread): message`; a line's number may stand behind the logger. An empty message may have lost
/// its blank. No further than [`THREAD_BYTES`] is looked at, since a thread's name may offer as many places to begin
/// at as it has brackets.
fn logger_of<'a>(text: &'a [u8], tokens: &mut Tokens) -> Option<(&'a [u8], &'a [u8])> {
    let (token, after) = text.split_at(tokens.first_of(text));
    if let Some(logger) = token.strip_suffix(b":") {
        let message = after.strip_prefix(b" ").unwrap_or(after);
        return (!logger.is_empty()).then_some((without_line(logger), message));
    }
    let message = match after.strip_prefix(b" (") {
        Some(text) => behind_place(text),
        None => after.strip_prefix(b" - "),
    }?;
    (!token.is_empty()).then_some((without_line(token), message))
}

/// The message behind a thread or a place in the source: `File.java:method(1)) - message`, `File.java:1): message`. The place
/// holds no blank: of files, methods and lines that it does not know log4j prints `?` (`LocationInfo.NA`).
fn behind_place(text: &[u8]) -> Option<&[u8]> {
    let (place, behind) = text.split_at(memchr::memchr(b' ', text).unwrap_or(text.len()));
    if place.ends_with(b")") && behind.starts_with(b" - ") {
        return behind.strip_prefix(b" - ");
    }
    if place.ends_with(b"):") {
        return Some(behind.strip_prefix(b" ").unwrap_or(behind));
    }
    // A thread's name, which may hold blanks.
    let near = text.get(..THREAD_BYTES).unwrap_or(text);
    memchr::memchr_iter(b')', near).find_map(|at| match text.get(at + 1..)? {
        b":" => Some(&[][..]),
        behind => behind.strip_prefix(b": "),
    })
}

/// A logger without the number of a line that `%c:%L` puts behind it.
fn without_line(logger: &[u8]) -> &[u8] {
    if !logger.last().is_some_and(u8::is_ascii_digit) {
        return logger;
    }
    let digits = logger.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let name = logger.get(..logger.len() - digits).and_then(|name| name.strip_suffix(b":"));
    name.filter(|name| !name.is_empty()).unwrap_or(logger)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::expect_used)]
mod tests;
