//! Traces of system calls, `strace -f -T -ttt` and its kin, one call a line.
//!
//! ```text
//! 27366 1795233259.897748 connect(39, {sa_family=AF_INET, …}, 16) = -1 EINPROGRESS (…) <0.000100>
//! ```
//! Three formats, by how they tell time: [`EPOCH`] (`-ttt`), [`TIME_OF_DAY`] (`-tt`, `-t`:
//! the date is found beside the logs of the same archive), [`UNTIMED`] (`-r` or none:
//! recognised, and answered with how to record one that can be used).
//!
//! Halves of calls that another process cut in two are joined by process and name. What
//! was begun and never ended gives no call; both are counted. Assumes that a process that
//! exits returns from nothing any more, so its number may come again.
//!
//! Cost: O(line); memory O(calls begun and not ended, texts of one table).

use super::strace::{self, Body, Said, Time, Whole};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::{Code, DAY_MS, Lookup, Timestamp, bytes};
use crate::model::calls::{BUCKETS, CallCounts, bucket_of, canonical, is_of_descriptor};
use crate::model::{Clock, Event, formats};
use std::collections::BTreeMap;

/// Calls kept one by one of one file, some 400 MB of trace: beyond it a page's worker would
/// run out of memory. The rest is summed up, which is all that most comparisons need.
const CALLS_KEPT: u64 = 4_000_000;
/// Names under which further calls are summed up: Linux has some 450…
const NAMES_FOLDED: usize = 1000;
/// …and this is that of all others.
const OTHERS: &str = "others";
/// Look-ups of a descriptor, which look nothing up, in sums: what libc calls them by.
const OF_DESCRIPTOR: &str = "fstat";
/// Texts of one table; a page of them fits the parser's share of memory.
const TEXTS: u32 = 1 << 16;
/// Their bytes; the same reason.
const TEXT_BYTES: usize = 8 << 20;
/// Calls begun and not ended at one time: more threads than that do not run.
const OPEN_CALLS: usize = 1 << 16;
/// Those of one process, which waits for one of them.
const OPEN_CALLS_MAX: usize = 16;
/// Bytes of their arguments.
const OPEN_BYTES: usize = 32 << 20;
/// A clock that falls back by more than this has passed midnight.
const HALF_A_DAY_MS: i64 = DAY_MS / 2;
/// Processes' lines are out of order by less than this, where the machine is busy.
const OUT_OF_ORDER_MS: i64 = 60_000;

/// A format of calls.
#[derive(Debug)]
pub struct StraceCalls {
    about: &'static FormatAbout,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Epoch,
    OfDay,
    Untimed,
}

impl Kind {
    const fn of(time: Time) -> Self {
        match time {
            Time::Epoch(..) => Self::Epoch,
            Time::OfDay(..) => Self::OfDay,
            Time::None => Self::Untimed,
        }
    }
}

static ABOUT_EPOCH: FormatAbout = FormatAbout {
    name: formats::STRACE_TTT,
    title: "system calls (strace -f -T -ttt)",
    versions: "any",
    written_by: "strace 4.5 to 6.x",
    feed: Feed::Lines,
    clock: Clock::Epoch,
    samples: &[
        "27366 1795233259.897748 connect(39, {sa_family=AF_INET, sin_port=htons(9001), sin_addr=inet_addr(\"10.77.1.10\")}, 16) = -1 EINPROGRESS (Operation now in progress) <0.000100>",
        "[pid 27598] 1795233259.910397 epoll_wait(40,  <unfinished ...>",
        "14007 1795232712.013628 newfstatat(AT_FDCWD, \"/usr/lib/jvm/bin/lib\", 0x7ffc5e700cd0, 0) = -1 ENOENT (No such file or directory) <0.000009>",
        "29768 1795233396.396388 +++ exited with 143 +++",
    ],
};
static ABOUT_OF_DAY: FormatAbout = FormatAbout {
    name: formats::STRACE_TT,
    title: "system calls without date (strace -f -T -tt)",
    clock: Clock::TimeOfDay,
    samples: &[
        "27366 21:54:19.897748 access(\"/etc/ld.so.preload\", R_OK) = -1 ENOENT (No such file or directory) <0.000117>",
    ],
    ..ABOUT_EPOCH
};
static ABOUT_UNTIMED: FormatAbout = FormatAbout {
    name: "strace-untimed",
    title: "system calls without times (strace -r, or no -ttt)",
    samples: &[
        "27366      0.000117 access(\"/etc/ld.so.preload\", R_OK) = -1 ENOENT (No such file or directory) <0.000117>",
        "access(\"/etc/ld.so.preload\", R_OK)      = -1 ENOENT (No such file or directory)",
    ],
    ..ABOUT_EPOCH
};

/// Calls with epoch times.
pub static EPOCH: StraceCalls = StraceCalls { about: &ABOUT_EPOCH, kind: Kind::Epoch };
/// Calls with times of day.
pub static TIME_OF_DAY: StraceCalls = StraceCalls { about: &ABOUT_OF_DAY, kind: Kind::OfDay };
/// Calls whose time cannot be told.
pub static UNTIMED: StraceCalls = StraceCalls { about: &ABOUT_UNTIMED, kind: Kind::Untimed };

impl Format for StraceCalls {
    fn about(&self) -> &'static FormatAbout {
        self.about
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        // The last line of a long head is cut.
        let whole = head.bytes.iter().rposition(|b| *b == b'\n').and_then(|end| head.bytes.get(..end));
        let lines = bytes::lines(whole.unwrap_or(head.bytes)).map(<[u8]>::trim_ascii_end);
        let (mut fit, mut lack) = (0, 0);
        for line in lines.filter(|line| !line.is_empty()) {
            match strace::parse(line) {
                // Words of strace's own have no time and say nothing of the format.
                Some(parsed) if parsed.said == Said::Aside => {}
                Some(parsed) if Kind::of(parsed.time) == self.kind => fit += 1,
                _ => lack += 1,
            }
        }
        match (fit > lack, self.kind) {
            (false, _) => Confidence::No,
            (true, Kind::Untimed) => Confidence::Likely,
            (true, _) => Confidence::Sure,
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Calls::new(self.kind, CALLS_KEPT))
    }
}

/// A call begun and not ended.
struct UnfinishedCall {
    name: Box<[u8]>,
    args: Box<[u8]>,
    at: (i64, u16),
    line: u64,
}

struct Calls {
    kind: Kind,
    kept: u64,
    limit: u64,
    texts: TextTable,
    begun: Lookup<Option<u32>, Vec<UnfinishedCall>>,
    begun_count: usize,
    begun_bytes: usize,
    folded: BTreeMap<Box<str>, (u64, CallCounts)>,
    /// Milliseconds of the days that passed, and the last time of day.
    days_ms: i64,
    last_ms: i64,
    /// Some call had its duration, so all have, but those that are cut.
    timed: bool,
    scratch: Vec<u8>,
}

impl Calls {
    fn new(kind: Kind, limit: u64) -> Self {
        Self {
            kind,
            kept: 0,
            limit,
            texts: TextTable::default(),
            begun: Lookup::default(),
            begun_count: 0,
            begun_bytes: 0,
            folded: BTreeMap::new(),
            days_ms: 0,
            last_ms: 0,
            timed: false,
            scratch: Vec::new(),
        }
    }

    /// The line's time, if it is of the file's kind.
    fn time(&mut self, time: Time) -> Option<(i64, u16)> {
        match (time, self.kind) {
            (Time::Epoch(ms, micros), Kind::Epoch) => Some((ms, micros)),
            (Time::OfDay(ms, micros), Kind::OfDay) => {
                if self.days_ms > 0 && ms > self.last_ms + DAY_MS - OUT_OF_ORDER_MS {
                    // From before midnight, written after the first line from beyond it.
                    return Some((ms + self.days_ms - DAY_MS, micros));
                }
                if ms < self.last_ms - HALF_A_DAY_MS {
                    self.days_ms += DAY_MS;
                }
                self.last_ms = ms;
                Some((ms + self.days_ms, micros))
            }
            (Time::None, Kind::Untimed) => Some((0, 0)),
            _ => None,
        }
    }

    fn begin(&mut self, pid: Option<u32>, begun: UnfinishedCall, out: &mut Out<'_>) {
        if self.begun_count >= OPEN_CALLS || self.begun_bytes + begun.args.len() > OPEN_BYTES {
            out.issue(Code::CallWithoutEnd, begun.line);
            return;
        }
        self.begun_count += 1;
        self.begun_bytes += begun.args.len();
        let open = self.begun.entry(pid).or_default();
        // Begun twice without an end between: the first never ended. Nor did the first of far too many.
        let lost = open.iter().position(|b| b.name == begun.name).or((open.len() >= OPEN_CALLS_MAX).then_some(0));
        let lost = lost.map(|at| open.remove(at));
        open.push(begun);
        if let Some(lost) = lost {
            self.forget(&lost, out);
        }
    }

    fn forget(&mut self, begun: &UnfinishedCall, out: &mut Out<'_>) {
        self.begun_count -= 1;
        self.begun_bytes -= begun.args.len();
        out.issue(Code::CallWithoutEnd, begun.line);
    }

    fn resume(&mut self, pid: Option<u32>, name: &[u8]) -> Option<UnfinishedCall> {
        let open = self.begun.get_mut(&pid)?;
        let begun = open.remove(open.iter().position(|b| &*b.name == name)?);
        if open.is_empty() {
            self.begun.remove(&pid);
        }
        self.begun_count -= 1;
        self.begun_bytes -= begun.args.len();
        Some(begun)
    }

    fn exit(&mut self, pid: Option<u32>, out: &mut Out<'_>) {
        for begun in self.begun.remove(&pid).unwrap_or_default() {
            self.forget(&begun, out);
        }
    }

    /// The process `pid` goes on with the execve that its thread `by` began.
    fn supersede(&mut self, pid: Option<u32>, by: u32, out: &mut Out<'_>) {
        let execve = self.resume(Some(by), b"execve");
        self.exit(pid, out);
        if let Some(execve) = execve {
            self.begin(pid, execve, out);
        }
    }

    fn call(&mut self, call: &Found<'_>, line: u64, out: &mut Out<'_>) {
        if self.kind == Kind::Untimed {
            return;
        }
        let name = bytes::text(call.name);
        let name = canonical(&name);
        let us = call.whole.duration_us;
        let args = bytes::text(call.args);
        if self.kept >= self.limit {
            // Of calls that are kept it is told by their arguments, and those go.
            let name = if is_of_descriptor(name, &args) { OF_DESCRIPTOR } else { name };
            return self.fold(name, us, call.whole.value.starts_with(b"-"), line, out);
        }
        self.kept += 1;
        let mut ret = bytes::text(call.whole.value);
        if !call.whole.errno.is_empty() {
            ret = format!("{ret} {}", bytes::text(call.whole.errno)).into();
        }
        let at = Timestamp::from_millis(call.at.0);
        let mut say = |event: &Event| out.event(line, at, event);
        self.texts.make_room(name.len() + args.len() + ret.len(), &mut say);
        let [name, args, ret] = [name, &args, &ret].map(|text| self.texts.number(text, &mut say));
        say(&Event::Call { pid: call.pid, micros: call.at.1, name, args, ret, duration_us: us });
    }

    fn fold(&mut self, name: &str, us: Option<u64>, failed: bool, line: u64, out: &mut Out<'_>) {
        out.issue(Code::CallsFolded, line);
        let is_room = self.folded.len() < NAMES_FOLDED || self.folded.contains_key(name);
        let name = if is_room { name } else { OTHERS };
        if !self.folded.contains_key(name) {
            let counts = CallCounts { name: name.into(), buckets: vec![0; BUCKETS], ..CallCounts::default() };
            self.folded.insert(name.into(), (line, counts));
        }
        if let Some((_, counts)) = self.folded.get_mut(name) {
            counts.calls += 1;
            counts.errors += u64::from(failed);
            counts.total_us = counts.total_us.saturating_add(us.unwrap_or(0));
            if let Some(bucket) = us.and_then(|us| counts.buckets.get_mut(bucket_of(us))) {
                *bucket += 1;
            }
        }
    }
}

/// A call in one piece.
struct Found<'a> {
    pid: Option<u32>,
    at: (i64, u16),
    name: &'a [u8],
    args: &'a [u8],
    whole: Whole<'a>,
}

impl Parse for Calls {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        let bytes = line.bytes.trim_ascii_end();
        let parsed = strace::parse(bytes);
        let Some(parsed) = parsed else {
            return out.skipped(Code::MalformedLine, line.number);
        };
        if parsed.said == Said::Aside && parsed.time == Time::None {
            return out.understood();
        }
        let Some(at) = self.time(parsed.time) else {
            return out.skipped(Code::MalformedLine, line.number);
        };
        if let Said::Call(_, Body::Whole(w)) | Said::Resumed(_, Body::Whole(w)) = parsed.said {
            self.timed |= w.duration_us.is_some();
            if self.timed && w.duration_us.is_none() && !w.value.starts_with(b"?") && !bytes.ends_with(b">") {
                return out.skipped(Code::CutRecord, line.number);
            }
        }
        let pid = parsed.pid;
        match parsed.said {
            Said::Call(name, Body::Whole(whole)) => {
                self.call(&Found { pid, at, name, args: whole.args, whole }, line.number, out);
            }
            Said::Call(name, Body::Unfinished(args)) => {
                self.begin(pid, UnfinishedCall { name: name.into(), args: args.into(), at, line: line.number }, out);
            }
            Said::Call(_, Body::Detached) => out.issue(Code::CallWithoutEnd, line.number),
            Said::Resumed(name, body) => {
                let Some(begun) = self.resume(pid, name) else {
                    return out.skipped(Code::EndWithoutBegin, line.number);
                };
                let (Body::Unfinished(more) | Body::Whole(Whole { args: more, .. })) = body else {
                    out.issue(Code::CallWithoutEnd, begun.line);
                    return out.understood();
                };
                let mut args = std::mem::take(&mut self.scratch);
                join(&mut args, &begun.args, more);
                if let Body::Whole(whole) = body {
                    self.call(&Found { pid, at: begun.at, name, args: &args, whole }, line.number, out);
                } else {
                    self.begin(pid, UnfinishedCall { args: args.as_slice().into(), ..begun }, out);
                }
                self.scratch = args;
            }
            Said::Superseded(by) => self.supersede(pid, by, out),
            Said::Exited => self.exit(pid, out),
            Said::Aside => {}
        }
        out.understood();
        if self.kind != Kind::Untimed {
            out.time(Timestamp::from_millis(at.0));
        }
    }

    fn end(mut self: Box<Self>, out: &mut Out<'_>) {
        let mut lost: Vec<u64> = Vec::new();
        // Sorted below, so the map's order leaves no trace.
        #[allow(clippy::iter_over_hash_type)]
        for begun in self.begun.values() {
            lost.extend(begun.iter().map(|b| b.line));
        }
        lost.sort_unstable();
        lost.iter().for_each(|line| out.issue(Code::CallWithoutEnd, *line));
        for (_, (line, counts)) in std::mem::take(&mut self.folded) {
            out.event(line, Timestamp::default(), &Event::CallsFolded(Box::new(counts)));
        }
        if self.kind == Kind::Untimed {
            out.issue(Code::StraceWithoutTimes, 0);
        } else if !self.timed && self.kept > 0 {
            out.issue(Code::StraceWithoutDurations, 0);
        }
    }
}

/// The arguments of both halves; strace up to 4.x puts a space before the second.
fn join(joined: &mut Vec<u8>, begun: &[u8], more: &[u8]) {
    joined.clear();
    joined.extend_from_slice(begun);
    let spaced = begun.ends_with(b" ") || more.trim_ascii().is_empty();
    joined.extend_from_slice(if spaced { more.trim_ascii_start() } else { more });
}

/// Texts by number, as [`Event::Call`] names them.
#[derive(Default)]
struct TextTable {
    numbers: Lookup<Box<str>, u32>,
    bytes: usize,
}

impl TextTable {
    /// Forgets all where the texts of one call may not fit any more.
    fn make_room(&mut self, bytes: usize, say: &mut impl FnMut(&Event)) {
        let full = self.numbers.len() + 3 > TEXTS as usize || self.bytes + bytes > TEXT_BYTES;
        if full && !self.numbers.is_empty() {
            self.numbers.clear();
            self.bytes = 0;
            say(&Event::CallTextsForgotten);
        }
    }

    fn number(&mut self, text: &str, say: &mut impl FnMut(&Event)) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(text.into(), number);
        self.bytes += text.len();
        say(&Event::CallText(text.into()));
        number
    }
}

#[cfg(test)]
mod tests;
