//! What `yarn logs -applicationId …` prints (Hadoop 0.23 to 3.x): the logs of many
//! containers in one text, each behind a few lines that name it.
//!
//! ```text
//! Container: container_1795226467746_0033_01_000002 on h301_45454
//! LogAggregationType: AGGREGATED                                      from 2.9 on
//! ===============================================================
//! LogType:syslog
//! LogLastModifiedTime:Sat Nov 21 03:08:44 +0000 2026                  or `Log Upload Time:`
//! LogLength:3152
//! LogContents:                                                        `Log Contents:` before 2.9
//! 2026-11-21 03:07:54,511 INFO [main] …
//!
//! End of LogType:syslog                                               from 2.6 on; before 2.8 straight behind the bytes
//! ```
//! An application that runs long has its logs gathered from time to time: ` on HOST_PORT_MILLISECONDS`.
//! Asked for one container, 2.7 and 2.8 leave ` on HOST_PORT` out; a ruler follows all the same.
//! A log ends where the line `End of LogType:` names it, or before the next container,
//! or (older versions) after as many bytes as announced. The text may have gone through
//! an editor, so the bytes announced are no proof against these lines; a log that ends
//! before them is named. Written by `org.apache.hadoop.yarn.client.cli.LogsCLI`.
//!
//! Members are named `<host>_<port>/<container>/<log>` below the text's own name, or `<container>/<log>`.
//!
//! Cost: one memchr pass; memory for one piece of input.

use super::container::{Container, Unpack};
use super::limits::HEADING_BYTES;
use super::unpack::Contents;
use crate::base::{Code, MONTHS, Timestamp};
use memchr::{memchr, memchr_iter, memmem};

/// What begins the lines of one log.
const CONTAINER_LINE: &[u8] = b"Container: container_";
/// What ends them.
const END_LINE: &[u8] = b"End of LogType:";
const TYPE_LINE: &[u8] = b"LogType:";
const LENGTH_LINE: &[u8] = b"LogLength:";
/// What begins the line of when a log was modified, or all of them were gathered.
const TIME_LINES: [&[u8]; 2] = [b"LogLastModifiedTime:", b"Log Upload Time:"];

pub(super) static CONTAINER: Container = Container { name: "aggregated logs (text)", begins, start };

/// A line that names a container is the first, or (the client's own lines may come
/// before it) a ruler follows.
fn begins(head: &[u8]) -> bool {
    let trimmed = head.trim_ascii_start();
    let from = match memmem::find(trimmed, CONTAINER_LINE) {
        Some(0) => 0,
        Some(at) if trimmed.get(at - 1) == Some(&b'\n') && memmem::find(trimmed, b"\n====").is_some() => at,
        _ => return false,
    };
    let rest = trimmed.get(from..).unwrap_or_default();
    let (line, behind) = rest.split_at_checked(memchr(b'\n', rest).unwrap_or(rest.len())).unwrap_or_default();
    place(line).is_some() || (container(line).is_some() && behind.starts_with(b"\n===="))
}

/// Whether a text of which this is the beginning may be one all the same, behind more of what the client says first
/// (`yarn logs … >text 2>&1`).
pub(super) fn may_begin(head: &[u8]) -> bool {
    let first = head.trim_ascii_start();
    first.starts_with(b"SLF4J: ")
        || first.starts_with(b"WARNING: ")
        || memmem::find(first, b" client.RMProxy: ").is_some()
}

/// `<host>_<port>/<container>` of a line that names them.
fn place(line: &[u8]) -> Option<Vec<u8>> {
    let at = memmem::find(line, b" on ")?;
    let (before, node) = (line.get(..at)?, line.get(at + b" on ".len()..)?.trim_ascii_end());
    container(before).filter(|_| is_word(node)).map(|container| [node, b"/", container].concat())
}

/// The container of a line that names it alone, as Hadoop 2.7 does where it was asked for one.
fn container(line: &[u8]) -> Option<&[u8]> {
    let name = line.strip_prefix(b"Container: ")?.trim_ascii_end();
    (line.starts_with(CONTAINER_LINE) && is_word(name)).then_some(name)
}

fn is_word(text: &[u8]) -> bool {
    !text.is_empty() && !text.iter().any(|b| b.is_ascii_whitespace() || *b == b'/')
}

fn start() -> Box<dyn Unpack> {
    Box::new(YarnLogs::default())
}

#[derive(Default)]
struct YarnLogs {
    /// Bytes that wait for those behind them.
    held: Vec<u8>,
    /// The log that is open.
    log: Option<Log>,
    /// `<host>_<port>/<container>`, or the container alone.
    place: Vec<u8>,
    name: Vec<u8>,
    length: Option<u64>,
    /// By the clock of whoever printed them, and in UTC.
    modified: Option<(Timestamp, Timestamp)>,
    /// Of a version that may write no end lines.
    old: bool,
    /// A container was named, and no log of it has come.
    named: bool,
}

/// An open log.
struct Log {
    /// Bytes given.
    given: u64,
    /// The next byte begins a line.
    fresh: bool,
}

impl YarnLogs {
    /// Takes the lines between logs that are whole in `bytes`; gives how much was taken.
    fn between(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) -> usize {
        let mut from = 0;
        for end in memchr_iter(b'\n', bytes) {
            let line = bytes.get(from..end).unwrap_or_default();
            from = end + 1;
            self.on_line(line.strip_suffix(b"\r").unwrap_or(line), to);
            if self.log.is_some() {
                return from;
            }
        }
        // An endless line is none that counts.
        if bytes.len() - from > HEADING_BYTES { bytes.len() } else { from }
    }

    fn on_line(&mut self, line: &[u8], to: &mut Contents<'_, '_>) {
        if let Some(place) = place(line).or_else(|| container(line).map(<[u8]>::to_vec)) {
            self.place = place;
            self.name.clear();
            self.length = None;
            self.named = true;
        } else if let Some(name) = line.strip_prefix(TYPE_LINE) {
            self.name = name.trim_ascii().to_vec();
            (self.length, self.modified) = (None, None);
        } else if let Some(time) = TIME_LINES.iter().find_map(|begin| line.strip_prefix(*begin)) {
            self.modified = std::str::from_utf8(time).ok().and_then(time_of);
        } else if let Some(length) = line.strip_prefix(LENGTH_LINE) {
            self.length = std::str::from_utf8(length.trim_ascii()).ok().and_then(|text| text.parse().ok());
        } else if matches!(line.trim_ascii_end(), b"LogContents:" | b"Log Contents:")
            && !self.place.is_empty()
            && !self.name.is_empty()
        {
            self.named = false;
            self.old = line.starts_with(b"Log ");
            to.open(&[self.place.as_slice(), b"/", &self.name].concat());
            self.log = Some(Log { given: 0, fresh: true });
        }
    }

    /// Gives what is sure to be the open log's, ends it where it ends; gives how much was
    /// taken.
    fn inside(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) -> usize {
        let Some(log) = &mut self.log else { return 0 };
        // Where as many bytes as announced have come.
        let announced = self.length.and_then(|length| usize::try_from(length.checked_sub(log.given)?).ok());
        // Hadoop 2.6 and 2.7 put the end line straight behind them, and so into the log's last line where that has no end.
        let mut straight = announced.filter(|at| self.old && *at < bytes.len());
        let first = log.fresh.then_some((0, 0));
        let line_ends = memchr_iter(b'\n', bytes).map(|end| {
            let cr = end > 0 && bytes.get(end - 1) == Some(&b'\r');
            (if cr { end - 1 } else { end }, end + 1)
        });
        // Of each line: where the end of the one before it begins, and where it begins.
        for (before, at) in first.into_iter().chain(line_ends) {
            if let Some(end) = straight.take_if(|end| *end < at)
                && names_end(bytes.get(end..at).unwrap_or_default(), &self.name)
            {
                self.end_log(bytes, end, to);
                return end;
            }
            let rest = bytes.get(at..).unwrap_or_default();
            if !matches!(rest.first(), None | Some(b'E' | b'C' | b'L' | b'\r' | b'\n')) {
                continue;
            }
            let line = rest.get(..memchr(b'\n', rest).unwrap_or(usize::MAX));
            let Some(line) = line.filter(|line| line.len() <= HEADING_BYTES) else {
                if rest.len() <= HEADING_BYTES {
                    return log.give(bytes, before, to);
                }
                continue;
            };
            let named = names_end(line, &self.name);
            if named || ends(line, self.old && announced == Some(before)) {
                let own = named && self.old && announced == Some(at);
                self.end_log(bytes, if own { at } else { before }, to);
                return at;
            }
        }
        // The beginning of a line end, perhaps, or of an end line.
        let all = bytes.len() - usize::from(bytes.last() == Some(&b'\r'));
        let waits = |end: &usize| bytes.get(*end..).is_some_and(may_name_end);
        log.give(bytes, straight.filter(waits).unwrap_or(all), to)
    }

    /// Gives the open log the first `length` of `bytes`, which are its last.
    fn end_log(&mut self, bytes: &[u8], length: usize, to: &mut Contents<'_, '_>) {
        let Some(mut log) = self.log.take() else { return };
        log.give(bytes, length, to);
        if self.length.is_some_and(|length| log.given < length) {
            to.cut(Code::Truncated);
        } else {
            if let Some((local, utc)) = self.modified {
                to.modified(local, utc);
            }
            to.close();
        }
        self.name.clear();
    }
}

impl Log {
    /// Gives the first `length` of `bytes`.
    fn give(&mut self, bytes: &[u8], length: usize, to: &mut Contents<'_, '_>) -> usize {
        to.data(bytes.get(..length).unwrap_or_default());
        self.given += length as u64;
        self.fresh &= length == 0;
        length
    }
}

/// `Sat Nov 21 03:08:44 +0530 2026`: as it stands there, and in UTC.
fn time_of(text: &str) -> Option<(Timestamp, Timestamp)> {
    let mut words = text.split_ascii_whitespace().skip(1);
    let mut word = || words.next();
    let month = word()?;
    let month = u32::try_from(MONTHS.iter().position(|name| *name == month)? + 1).ok()?;
    let (day, time, zone) = (word()?.parse().ok()?, word()?, word()?.parse::<i64>().ok()?);
    let zone = Some(zone).filter(|zone| (-2359..=2359).contains(zone))?;
    let mut parts = time.split(':').map_while(|part| part.parse().ok());
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let local = Timestamp::from_civil(word()?.parse().ok()?, month, day, hour, minute, second, 0)?;
    Some((local, local.plus_millis(-(zone / 100 * 60 + zone % 100) * 60_000)))
}

/// Whether a line says that the log of this name ends.
fn names_end(line: &[u8], name: &[u8]) -> bool {
    line.strip_prefix(END_LINE).is_some_and(|rest| rest.trim_ascii_start().starts_with(name))
}

/// Whether a line that is not over yet may become one that says so.
fn may_name_end(line: &[u8]) -> bool {
    let told = line.len().min(END_LINE.len());
    line.len() <= HEADING_BYTES && line.get(..told) == END_LINE.get(..told)
}

/// Whether a line begins what comes behind a log's bytes; `whole`: there are as many as announced, and no end line
/// need come.
fn ends(line: &[u8], whole: bool) -> bool {
    place(line).is_some() || whole && (line.trim_ascii().is_empty() || line.starts_with(TYPE_LINE))
}

impl Unpack for YarnLogs {
    fn feed(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) {
        let mut held = std::mem::take(&mut self.held);
        held.extend_from_slice(bytes);
        let mut from = 0;
        loop {
            let rest = held.get(from..).unwrap_or_default();
            let was_open = self.log.is_some();
            from += if was_open { self.inside(rest, to) } else { self.between(rest, to) };
            if self.log.is_some() == was_open {
                break;
            }
        }
        held.drain(..from);
        self.held = held;
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        let held = std::mem::take(&mut self.held);
        let Some(log) = &mut self.log else {
            if self.named || !held.is_empty() {
                to.abort_at(Code::Truncated, to.byte(0));
            }
            return;
        };
        // The line end before what would have told of its end is not the log's.
        let missing = self.length.map_or(u64::MAX, |length| length.saturating_sub(log.given));
        let own = usize::try_from(missing).unwrap_or(usize::MAX).min(held.len());
        log.give(&held, own, to);
        if self.length.is_some_and(|length| log.given >= length) {
            to.close();
        }
        if self.log.take().is_some_and(|log| !self.old || self.length.is_none_or(|length| log.given < length)) {
            to.abort_at(Code::Truncated, to.byte(0));
        }
    }
}
