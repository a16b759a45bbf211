//! Logs as collectors wrap them: something before each line, or each line inside of a JSON object or of an XML element.
//!
//! ```text
//! Nov 21 02:15:47 h301 datanode[4242]: 2026-11-21 02:15:47,791 INFO …        syslog, journalctl
//! <14>1 2026-11-21T02:15:47.791Z h301 datanode 4242 - - 2026-11-21 …         RFC 5424
//! 2026-11-21T02:15:47.791000123Z stdout F 2026-11-21 02:15:47,791 INFO …     CRI; kubectl logs --timestamps
//! [pod/h301/datanode] 2026-11-21 …    h301: 2026-11-21 …    x.log:12:2026-11-21 …    kubectl, pdsh, grep
//! {"log":"2026-11-21 02:15:47,791 INFO …\n","stream":"stdout","time":"…"}    Docker; Filebeat, Fluentd, journalctl -o json
//! {"name":"x.DataNode","date":"2026-11-21 02:15:47,791","level":"INFO","thread":"main","message":"…"}
//! <log4j:event logger="x.DataNode" timestamp="1795227347791" level="INFO" thread="main">
//! ```
//! The last but one is Hadoop's own `org.apache.hadoop.log.Log4Json`; [`objects`] has the names that other layouts for
//! JSON give. What stands before a line that begins a record is what stands before all lines, but for times and numbers
//! in it, so that the lines of a trace lose it too. Whatever reads the file gets the lines without it; numbers of lines
//! stay those of the file.
//!
//! A file may have the lines of several processes, told by what is before them or by the object's host; each is a log of
//! its own. The host that is named is taken for the log's.
//!
//! Cost: nothing for a file whose format is known by its own lines; else O(head), and O(what is before) a line, or the
//! reading of an object.

pub mod events;
mod objects;

use super::log4j::{Split, Splitter, begins, epoch_of};
use crate::base::{Lookup, MONTHS, Timestamp};
use events::Events;
use objects::{object, speaker, taken_at, text_of};

/// Longest text before a line; a path and what a pod is called are shorter.
const BEFORE_BYTES: usize = 512;
/// `Nov`
const MONTH_BYTES: usize = 3;
/// Processes of one file: two daemons on each of a hundred hosts, and more; a line that begins no record may be held
/// against all of them.
const SPEAKERS_MAX: usize = 256;

/// How the lines of a file are wrapped.
#[derive(Clone, Debug, Default)]
pub struct Wrapping {
    form: Form,
    /// Whose lines they are, in the order in which they came.
    speakers: Vec<Speaker>,
    /// Which of them has this before its records, but for times and numbers, or objects of this kind.
    by_kind: Lookup<Vec<u8>, usize>,
    /// Who said the last record, and so what follows: nobody that is known, where there are too many.
    last: Option<usize>,
    splitter: Splitter,
    /// The lines in an object, or what a line has of them.
    text: Vec<u8>,
}

/// What the lines are in.
#[derive(Clone, Debug, Default)]
enum Form {
    /// Something stands before each.
    #[default]
    Before,
    /// Each line is an object.
    Objects,
    /// They are of XML elements.
    Events(Events),
}

/// A process that writes.
#[derive(Clone, Debug, Default)]
struct Speaker {
    /// What stands before its records.
    before: Vec<u8>,
    host: Vec<u8>,
    /// The times in UTC beside its first line and its last.
    taken: Option<(Timestamp, Timestamp)>,
}

impl Speaker {
    /// Its next line came then.
    fn came(&mut self, at: Timestamp) {
        self.taken = Some((self.taken.map_or(at, |(first, _)| first), at));
    }
}

/// What a line holds.
pub enum Own<'a> {
    /// Such lines, of the process of this number.
    Lines(usize, &'a [u8]),
    /// None, but what is around them.
    Around,
    /// A line of a process too many.
    TooMany,
    /// Nothing that can be told.
    Nothing,
}

impl Wrapping {
    /// How the lines of a file that begins so are wrapped, if they are, and the lines of each process in it.
    pub fn of(head: &[u8]) -> Option<(Self, Vec<Vec<u8>>)> {
        let (whole, _) = head.split_at(memchr::memrchr(b'\n', head)?);
        let lines = || whole.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty());
        let wrapping = lines().find_map(Self::of_line)?;
        let mut reads = wrapping.clone();
        let (mut own, mut fit, mut all) = (Vec::new(), 0, 0);
        for line in lines() {
            all += 1;
            let is_sure = !matches!(reads.form, Form::Before);
            match reads.take(line) {
                Own::Lines(who, text) => {
                    // What has nothing before it goes with what does.
                    fit += usize::from(is_sure || text.len() < line.len());
                    own.resize_with(own.len().max(who + 1), Vec::new);
                    if let Some(own) = own.get_mut(who) {
                        own.extend_from_slice(text);
                        own.push(b'\n');
                    }
                }
                Own::Around | Own::TooMany => fit += 1,
                Own::Nothing => {}
            }
        }
        (2 * fit > all).then_some((wrapping, own))
    }

    /// That of a line that holds the beginning of a record.
    fn of_line(line: &[u8]) -> Option<Self> {
        let mut wrapping = Self::default();
        if Events::begin(line) {
            wrapping.form = Form::Events(Events::default());
            return Some(wrapping);
        }
        if let Some(object) = object(line) {
            wrapping.form = Form::Objects;
            text_of(&object, &mut wrapping.text)?;
            let first = wrapping.text.split(|b| *b == b'\n').next()?;
            let is_record = matches!(Splitter::default().split(first), Split::Record(_));
            return is_record.then_some(wrapping);
        }
        let at = wrapping.record_in(line).filter(|at| *at > 0 && line.first() != Some(&b'{'))?;
        wrapping.last = wrapping.meet(line.get(..at)?);
        Some(wrapping)
    }

    /// The host that is named before the lines of a process.
    pub fn host(&self, who: usize) -> &[u8] {
        self.speakers.get(who).map_or(&[], |speaker| &speaker.host)
    }

    /// The times in UTC at which the first and the last line of a process were taken, where they stand beside its lines.
    pub fn taken(&self, who: usize) -> Option<(Timestamp, Timestamp)> {
        self.speakers.get(who)?.taken
    }

    /// The number of a process that was not heard before, unless there are too many.
    fn meet(&mut self, before: &[u8]) -> Option<usize> {
        let taken = taken_before(before).map(|at| (at, at));
        let speaker = Speaker { before: before.to_vec(), host: host_before(before).to_vec(), taken };
        self.add(kind_of(before), speaker)
    }

    fn add(&mut self, kind: Vec<u8>, speaker: Speaker) -> Option<usize> {
        let who = self.speakers.len();
        (who < SPEAKERS_MAX).then(|| {
            self.speakers.push(speaker);
            self.by_kind.insert(kind, who);
            who
        })
    }

    /// Where a record begins in a line.
    fn record_in(&mut self, line: &[u8]) -> Option<usize> {
        let digit = |at: usize| line.get(at).is_some_and(u8::is_ascii_digit);
        (0..line.len().min(BEFORE_BYTES)).filter(|at| digit(*at) && (*at == 0 || !digit(at - 1))).find(|at| {
            let rest = line.get(*at..).unwrap_or_default();
            begins(rest) && matches!(self.splitter.split(rest), Split::Record(_))
        })
    }

    /// What a line holds.
    pub fn take<'a>(&'a mut self, line: &'a [u8]) -> Own<'a> {
        match &mut self.form {
            Form::Before => self.take_behind(line),
            Form::Objects => self.take_object(line),
            Form::Events(events) => {
                self.text.clear();
                if events.take(line, &mut self.text) { Own::Lines(0, &self.text) } else { Own::Around }
            }
        }
    }

    fn take_object(&mut self, line: &[u8]) -> Own<'_> {
        let Some(object) = object(line) else { return Own::Nothing };
        let (before, host) = speaker(&object);
        let known = self.by_kind.get(&before).copied();
        let Some(who) = known.or_else(|| self.add(before, Speaker { host, ..Speaker::default() })) else {
            return Own::TooMany;
        };
        if let (Some(speaker), Some(at)) = (self.speakers.get_mut(who), taken_at(&object)) {
            speaker.came(at);
        }
        self.text.clear();
        match text_of(&object, &mut self.text) {
            Some(()) => Own::Lines(who, self.text.strip_suffix(b"\n").unwrap_or(&self.text)),
            None => Own::Nothing,
        }
    }

    fn take_behind<'a>(&mut self, line: &'a [u8]) -> Own<'a> {
        // Whoever spoke last goes on, most often.
        if let Some((who, text)) = self.last.and_then(|who| self.behind(who, line)) {
            return self.say(who, line, text);
        }
        let begin = self.record_in(line);
        let before = begin.and_then(|at| line.get(..at)).unwrap_or_default();
        let known = self.by_kind.get(&kind_of(before)).and_then(|who| self.behind(*who, line));
        let any = || (0..self.speakers.len()).find_map(|who| self.behind(who, line));
        if let Some((who, text)) = known.or_else(any) {
            return self.say(who, line, text);
        }
        if begin.is_some() {
            self.last = if before.is_empty() { None } else { self.meet(before) };
        }
        // What begins no record goes with the one before it.
        let text = line.get(before.len()..).unwrap_or_default();
        self.last.map_or(Own::TooMany, |who| Own::Lines(who, text))
    }

    /// What stands in a line behind what is before those of this process.
    fn behind<'a>(&self, who: usize, line: &'a [u8]) -> Option<(usize, &'a [u8])> {
        Some((who, behind(&self.speakers.get(who)?.before, line)?))
    }

    /// A line of this process, of which this is its own.
    fn say<'a>(&mut self, who: usize, line: &'a [u8], text: &'a [u8]) -> Own<'a> {
        self.last = Some(who);
        let Some(speaker) = self.speakers.get_mut(who) else { return Own::Nothing };
        if speaker.taken.is_some()
            && let Some(at) = line.strip_suffix(text).and_then(taken_before)
        {
            speaker.came(at);
        }
        Own::Lines(who, if speaker.before.ends_with(b"\"") { quoted(text) } else { text })
    }
}

/// The host that is named before a line: alone, in front of the pod's container, or between a time and a tag.
fn host_before(before: &[u8]) -> &[u8] {
    let mut words = before.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or_default();
    if let Some(pod) = first.strip_prefix(b"[pod/") {
        return pod.split(|b| *b == b'/').next().unwrap_or_default();
    }
    let has_time = |word: &&[u8]| word.windows(8).any(|part| super::log4j::fits(part, b"00:00:00"));
    if words.clone().next().is_none() {
        return first.strip_suffix(b":").unwrap_or_default();
    }
    let mut words = std::iter::once(first).chain(words).skip_while(|word| !has_time(word)).skip(1);
    let host = words.next().filter(|word| !matches!(*word, b"stdout" | b"stderr"));
    host.filter(|_| words.next().is_some()).unwrap_or_default()
}

/// The time in UTC before a line, as containers, `journalctl -o short-iso` and RFC 5424 have it.
fn taken_before(before: &[u8]) -> Option<Timestamp> {
    before.split(u8::is_ascii_whitespace).find_map(epoch_of)
}

/// A part of what stands before a line.
enum Part {
    Month,
    /// Whether the line is whole or a part of one: whoever writes parts writes whole ones too.
    Wholeness,
    /// So many blanks, and whether they are the last of all.
    Blanks(usize, bool),
    Number,
    Byte(u8),
}

/// The parts of what stands before a line.
struct Parts<'a> {
    rest: &'a [u8],
    last: u8,
    /// The numbers of the word so far are a time's.
    counts: bool,
}

impl<'a> Parts<'a> {
    const fn of(before: &'a [u8]) -> Self {
        Self { rest: before, last: b' ', counts: false }
    }

    /// Which comes next, and its length.
    fn first(&mut self, first: u8) -> (Part, usize) {
        if first.is_ascii_whitespace() {
            let len = blanks(self.rest);
            return (Part::Blanks(len, len == self.rest.len()), len);
        }
        if self.last.is_ascii_whitespace() {
            let end = self.rest.iter().position(u8::is_ascii_whitespace).unwrap_or(self.rest.len());
            let word = self.rest.get(..end).unwrap_or_default();
            self.counts = first == b'<' || first.is_ascii_digit() && !is_address(word);
            if is_month(word) {
                return (Part::Month, MONTH_BYTES);
            }
            if matches!(word, b"F" | b"P") {
                return (Part::Wholeness, 1);
            }
        }
        if first.is_ascii_digit() && (self.counts || matches!(self.last, b'[' | b':' | b'"' | b'=')) {
            return (Part::Number, number(self.rest));
        }
        (Part::Byte(first), 1)
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let first = *self.rest.first()?;
        let (part, len) = self.first(first);
        self.last = if matches!(part, Part::Month) { b'n' } else { first };
        self.rest = self.rest.get(len..).unwrap_or_default();
        Some(part)
    }
}

/// What stands in a line behind this, of which times and numbers may be others.
fn behind<'a>(before: &[u8], line: &'a [u8]) -> Option<&'a [u8]> {
    let mut text = line;
    for part in Parts::of(before) {
        let len = match part {
            Part::Month if is_month(text) => MONTH_BYTES,
            Part::Wholeness if matches!(text, [b'F' | b'P', b' ', ..]) => 1,
            Part::Month | Part::Wholeness => return None,
            // Blanks before the line are its own; an empty one may have lost those that are not.
            Part::Blanks(here, ends) => match blanks(text) {
                0 if !(ends && text.is_empty()) => return None,
                there => {
                    if ends {
                        here.min(there)
                    } else {
                        there
                    }
                }
            },
            Part::Number => number(text),
            Part::Byte(byte) => usize::from(text.first() == Some(&byte)),
        };
        let is_like_it = len > 0 || matches!(part, Part::Blanks(..));
        text = text.get(len..).filter(|_| is_like_it)?;
    }
    Some(text)
}

/// What is the same before all lines of a process, if they begin records.
fn kind_of(before: &[u8]) -> Vec<u8> {
    let shown = |part: Part| match part {
        Part::Month => b'M',
        Part::Wholeness => b'F',
        Part::Blanks(..) => b' ',
        Part::Number => b'0',
        Part::Byte(byte) => byte,
    };
    Parts::of(before).map(shown).collect()
}

fn is_month(text: &[u8]) -> bool {
    MONTHS.iter().any(|month| text.starts_with(month.as_bytes()))
}

fn blanks(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Length of the number that a text begins with, a fraction included: a time that is whole has none.
fn number(text: &[u8]) -> usize {
    let digits = |from: usize| text.iter().skip(from).take_while(|b| b.is_ascii_digit()).count();
    let whole = digits(0);
    let part = if matches!(text.get(whole), Some(b'.' | b',')) { digits(whole + 1) } else { 0 };
    if whole > 0 && part > 0 { whole + 1 + part } else { whole }
}

/// Whether a word is an address, which is one host's.
fn is_address(word: &[u8]) -> bool {
    word.iter().filter(|b| **b == b'.').count() == 3
}

/// A text up to the quotation mark that closes it; those inside are doubled.
fn quoted(text: &[u8]) -> &[u8] {
    let mut marks = memchr::memchr_iter(b'"', text);
    while let Some(at) = marks.next() {
        if text.get(at + 1) != Some(&b'"') {
            return text.get(..at).unwrap_or_default();
        }
        marks.next();
    }
    text
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing)]
mod tests;
