//! JSON objects that come one after another, each on one line or on many.
//!
//! ```text
//! {"Event":"SparkListenerLogStart",…}          one a line
//! {                                            one over many lines,
//!   "jobID" : "job_200904211745_0001"          the next behind it
//! } {
//! ```
//! Brackets and commas of an array around them are passed over.
//! Cost: O(bytes); an unfinished object is held, up to [`OBJECT_BYTES`].

use super::Out;
use crate::base::Code;
use serde::Deserialize;
use serde_json::Value;

/// Longest object read: 16 times the longest known, a Rumen job of some thousand tasks.
pub const OBJECT_BYTES: usize = 16 << 20;

/// Reads one value. That the text is UTF-8 is checked once, not once a string.
///
/// # Errors
/// If it is no JSON, or no such value.
pub fn read<'a, T: Deserialize<'a>>(text: &'a [u8]) -> serde_json::Result<T> {
    match std::str::from_utf8(text) {
        Ok(text) => serde_json::from_str(text),
        // Where other bytes stand in what is passed over, the rest is still read.
        Err(_) => serde_json::from_slice(text),
    }
}

/// Finds objects in lines.
#[derive(Debug, Default)]
pub struct Objects {
    /// Line on which the open object began; 0 outside of objects.
    line: u64,
    text: Vec<u8>,
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The open object is beyond the limit; only its end is awaited.
    too_long: bool,
}

impl Objects {
    /// Gives each object that the line `number` ends to `each`, with the line on which it
    /// began, or why there is none.
    pub fn line(&mut self, text: &[u8], number: u64, mut each: impl FnMut(u64, Result<Value, Code>)) {
        let mut rest = text;
        loop {
            if self.line == 0 {
                rest = rest.trim_ascii_start();
                while let [b'[' | b']' | b',', after @ ..] = rest {
                    rest = after.trim_ascii_start();
                }
                if rest.is_empty() {
                    return;
                }
                let Some(begin) = memchr::memchr(b'{', rest) else {
                    each(number, Err(Code::MalformedLine));
                    return;
                };
                rest = rest.get(begin..).unwrap_or_default();
                self.line = number;
            }
            let Some(end) = self.close(rest) else {
                self.hold(rest);
                return;
            };
            let (last, after) = rest.split_at(end);
            rest = after;
            let value = if self.too_long {
                Err(Code::BadRecord)
            } else if self.text.is_empty() {
                read(last).map_err(|_| Code::BadRecord)
            } else {
                self.text.extend_from_slice(last);
                read(&self.text).map_err(|_| Code::BadRecord)
            };
            let line = self.line;
            *self = Self::default();
            each(line, value);
        }
    }

    /// Whether an object is begun and not ended.
    #[must_use]
    pub const fn is_open(&self) -> bool {
        self.line != 0
    }

    /// Gives up the open object: the line on which it began, if there is one.
    pub fn abandon(&mut self) -> Option<u64> {
        let line = std::mem::take(self).line;
        (line != 0).then_some(line)
    }

    fn hold(&mut self, text: &[u8]) {
        if self.text.len() + text.len() > OBJECT_BYTES {
            self.too_long = true;
            self.text = Vec::new();
        } else if !self.too_long {
            self.text.extend_from_slice(text);
            self.text.push(b'\n');
        }
    }

    /// The length of `text` up to and with the brace that closes the object.
    fn close(&mut self, text: &[u8]) -> Option<usize> {
        for (at, b) in text.iter().enumerate() {
            match b {
                _ if self.escaped => self.escaped = false,
                b'\\' if self.in_string => self.escaped = true,
                b'"' => self.in_string = !self.in_string,
                b'{' if !self.in_string => self.depth += 1,
                b'}' if !self.in_string => {
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

/// The length of the object with which `text` begins.
#[must_use]
pub fn object_len(text: &[u8]) -> Option<usize> {
    Objects::default().close(text)
}

/// Takes an object that began on this line; false if it is none of the format's.
pub type Take<'a> = &'a mut dyn FnMut(Value, u64, &mut Out<'_>) -> bool;

/// The objects of a file, as its bytes come, and what is wrong between them.
#[derive(Debug, Default)]
pub struct Stream {
    lines: LongLines,
    objects: Objects,
    begin: Option<&'static [u8]>,
}

impl Stream {
    /// Of a file in which each line that begins so begins an object: one that is still open has lost its end.
    #[must_use]
    pub fn beginning(begin: &'static [u8]) -> Self {
        Self { begin: Some(begin), ..Self::default() }
    }

    /// Gives each object that `bytes` end to `take`.
    pub fn feed(&mut self, bytes: &[u8], out: &mut Out<'_>, take: Take<'_>) {
        let Self { lines, objects, begin } = self;
        lines.feed(bytes, |number, line| objects.told(line, number, *begin, out, take));
    }

    /// The file is over.
    pub fn end(&mut self, out: &mut Out<'_>, take: Take<'_>) {
        let Self { lines, objects, begin } = self;
        lines.finish(|number, line| objects.told(line, number, *begin, out, take));
        objects.cut(out);
    }
}

impl Objects {
    /// [`Objects::line`] of a line that may have been too long, and of which all is told.
    fn told(&mut self, line: Option<&[u8]>, number: u64, begin: Option<&[u8]>, out: &mut Out<'_>, take: Take<'_>) {
        let Some(line) = line else {
            self.abandon();
            return out.skipped(Code::LineTooLong, number);
        };
        if begin.is_some_and(|begin| line.starts_with(begin)) {
            self.cut(out);
        }
        self.line(line, number, |line, value| match value.map(|value| take(value, line, out)) {
            Ok(true) => out.understood(),
            Ok(false) => out.skipped(Code::BadRecord, line),
            Err(code) => out.skipped(code, line),
        });
    }

    /// Gives up the open object, which has lost its end.
    fn cut(&mut self, out: &mut Out<'_>) {
        if let Some(line) = self.abandon() {
            out.skipped(Code::CutRecord, line);
        }
    }
}

/// Bytes as lines of up to [`OBJECT_BYTES`], for formats whose lines may be longer than
/// those of logs.
#[derive(Debug, Default)]
struct LongLines {
    held: Vec<u8>,
    too_long: bool,
    lines: u64,
}

impl LongLines {
    /// Gives each line that `bytes` ends to `each`, with its number; `None` for one that
    /// is beyond the limit.
    fn feed(&mut self, bytes: &[u8], mut each: impl FnMut(u64, Option<&[u8]>)) {
        let mut rest = bytes;
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, after) = rest.split_at(end);
            rest = after.get(1..).unwrap_or_default();
            self.lines += 1;
            // However the bytes come.
            if self.too_long || self.held.len() + line.len() > OBJECT_BYTES {
                each(self.lines, None);
            } else if self.held.is_empty() {
                each(self.lines, Some(line));
            } else {
                self.held.extend_from_slice(line);
                each(self.lines, Some(&self.held));
            }
            self.too_long = false;
            self.held.clear();
        }
        if self.held.len() + rest.len() > OBJECT_BYTES {
            self.too_long = true;
            self.held = Vec::new();
        } else if !self.too_long {
            self.held.extend_from_slice(rest);
        }
    }

    /// The input is over: the last line, if no line break ended it.
    fn finish(&mut self, each: impl FnMut(u64, Option<&[u8]>)) {
        if self.too_long || !self.held.is_empty() {
            self.feed(b"\n", each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::read as read_file;

    fn objects(lines: &[&str]) -> Vec<(u64, String)> {
        let mut objects = Objects::default();
        let mut found = Vec::new();
        for (number, line) in (1..).zip(lines) {
            objects.line(line.as_bytes(), number, |line, value| {
                found.push((line, value.map_or_else(|code| format!("{code:?}"), |value| value.to_string())));
            });
        }
        found
    }

    #[test]
    fn objects_share_a_line_fill_many_or_stand_in_an_array() {
        let one = |line, text: &str| (line, text.to_owned());
        assert_eq!(
            objects(&["{\"a\":1}{\"a\":2} ", "", "{\"a\":", "3}"]),
            [one(1, "{\"a\":1}"), one(1, "{\"a\":2}"), one(3, "{\"a\":3}")]
        );
        assert_eq!(objects(&["[ {\"a\":\"}\\\"{\"},", "{} ]"]), [one(1, "{\"a\":\"}\\\"{\"}"), one(2, "{}")]);
    }

    #[test]
    fn what_is_no_object_is_said_once_a_line() {
        assert_eq!(
            objects(&["junk", "{,}", "{}"]),
            [(1, "MalformedLine".to_owned()), (2, "BadRecord".to_owned()), (3, "{}".to_owned())]
        );
    }

    #[test]
    fn a_line_beyond_the_limit_ends_the_object_that_it_stands_in() {
        let long = "x".repeat(OBJECT_BYTES + 1);
        let text = format!("{{\"Event\":\"SparkListenerLogStart\",\n{long}\n{{\"Event\":\"SparkListenerLogStart\"}}\n");
        let digest = read_file(&crate::format::spark::SparkEvents, "x", text.as_bytes());
        let issues: Vec<_> = digest.issues.iter().map(|(code, found)| (code, found.lines.clone())).collect();
        assert_eq!((digest.understood, issues), (1, vec![(Code::LineTooLong, vec![2])]));
    }

    #[test]
    fn lines_do_not_depend_on_the_pieces() {
        let read = |piece: usize| {
            let mut lines = LongLines::default();
            let mut found = Vec::new();
            let mut each = |n: u64, line: Option<&[u8]>| found.push((n, line.map(<[u8]>::to_vec)));
            b"ab\n\ncde".chunks(piece).for_each(|piece| lines.feed(piece, &mut each));
            lines.finish(&mut each);
            found
        };
        let whole = read(99);
        assert_eq!(whole.len(), 3);
        assert_eq!((read(1), read(2)), (whole.clone(), whole));
    }
}
