//! The fields of a record and what their values say: `KEY="value" KEY="va\"lue"`, with escapes (v1) or without (v0).

use crate::base::bytes;
use crate::format::history;
use std::borrow::Cow;

/// Whether no value is open at the end of `text`, if one is (`open`) or is not at its
/// beginning.
pub(super) fn closes_value(text: &[u8], open: bool, escapes: bool) -> bool {
    let mut open = open;
    let mut escaped = false;
    for b in text {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = escapes,
            b'"' => open = !open,
            _ => {}
        }
    }
    !open
}

/// The fields of a record, in their order. A value that is cut ends with the record.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// Values have escapes.
    escapes: bool,
}

impl<'a> Fields<'a> {
    /// Of a record's text.
    pub(super) const fn of(text: &'a [u8], escapes: bool) -> Self {
        Self { rest: text, escapes }
    }
}

impl<'a> Iterator for Fields<'a> {
    /// Key, value with its escapes, whether the value is whole.
    type Item = (&'a [u8], &'a [u8], bool);

    fn next(&mut self) -> Option<Self::Item> {
        let equals = bytes::find(self.rest, b"=\"")?;
        let key = self.rest.get(..equals)?.rsplit(|b| *b == b' ').next().unwrap_or_default();
        let value = self.rest.get(equals + 2..)?;
        let mut escaped = false;
        let end = value.iter().position(|b| match b {
            _ if escaped => {
                escaped = false;
                false
            }
            b'\\' => {
                escaped = self.escapes;
                false
            }
            b => *b == b'"',
        });
        let (value, rest) = match end {
            Some(end) => (value.get(..end)?, value.get(end + 1..)?),
            None => (value, <&[u8]>::default()),
        };
        self.rest = rest;
        Some((key, value, end.is_some()))
    }
}

/// `value` without its escapes, if it has them, into `room`.
pub(super) fn unescape(value: &[u8], escapes: bool, room: &mut Vec<u8>) {
    room.clear();
    if escapes { history::unescape(value, room) } else { room.extend_from_slice(value) }
}

/// The same as text.
pub(super) fn plain<'a>(value: &[u8], escapes: bool, room: &'a mut Vec<u8>) -> Cow<'a, str> {
    unescape(value, escapes, room);
    String::from_utf8_lossy(room)
}
