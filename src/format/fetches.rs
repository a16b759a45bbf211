//! Pairs the lines of one reduce's fetches of map output.
//!
//! ```text
//! … Fetcher: fetcher#1 about to shuffle output of map attempt_…_m_000003_0 decomp: 542362 len: 542366 to MEMORY
//! … InMemoryMapOutput: Read 542362 bytes from map-output for attempt_…_m_000003_0
//! … ShuffleSchedulerImpl: h301:13562 freed by fetcher#1 in 201ms                                  0.21 to 3.x
//!
//! … ReduceTask: Shuffling 382585 bytes (382589 raw bytes) into RAM from attempt_…_m_000000_0
//! … ReduceTask: Read 382585 bytes from map-output for attempt_…_m_000000_0
//! … ReduceTask: Rec #1 from attempt_…_m_000000_0 -> (714, 5743) from h101                         0.19 to 1.x
//! ```
//! Begin and end are joined by the map; the host comes after the end. A fetch that is
//! begun again replaces the one that failed. What a fetcher says when it is freed counts from when it was given its host:
//! what passed until its first map output began to come, it waited for the connection.
//!
//! Where the file ends, those are open that were begun last and of which nothing more is told: not their end, nor
//! that they failed (up to 1.x `ATT copy failed: MAP from HOST`; later its fetcher is freed, or begins another).
//!
//! Cost: O(log open) a line; a fetch whose host is never named is held to the end of the file.

use super::Out;
use crate::base::ids::number;
use crate::base::{Arrange, AttemptId, Code, Timestamp, bytes};
use crate::model::{ComplaintKind, Event, Said, Subject};
use std::collections::BTreeMap;

/// Fetches held, begun or finished, while their end or their host is awaited: more than a job has maps.
const FETCHES_HELD: usize = 100_000;
/// Fetchers told apart; a reduce has five, or some tens.
const FETCHERS_MAX: usize = 256;
/// A packet that opens a connection and is lost is sent again after a second (RFC 6298), by clocks that need not agree
/// to the millisecond.
const WAITED_MS: i64 = 950;

#[derive(Clone, Copy, Debug)]
struct Fetch {
    start: Timestamp,
    /// The line that begins it.
    line: u64,
    bytes: u64,
    fetcher: Option<u64>,
    /// When it was done, and the line that says so.
    done: Option<(Timestamp, u64)>,
}

/// What a fetcher did since it was freed last.
#[derive(Debug, Default)]
struct Turn {
    fetcher: u64,
    begun: Vec<(Timestamp, AttemptId)>,
    done: Vec<(AttemptId, Fetch)>,
}

/// The fetches of one reduce.
#[derive(Debug, Default)]
pub struct Fetches {
    open: BTreeMap<AttemptId, Fetch>,
    turns: Vec<Turn>,
    /// Finished ones of no fetcher: the map's first record will name the host.
    done: BTreeMap<AttemptId, Fetch>,
    /// How many there are of turns.
    held: usize,
    /// Too many were begun and not over: their ends are without a begin.
    let_go: bool,
}

impl Fetches {
    /// Takes a message if it is about a fetch; `reduce` is whose log it is, if known yet.
    pub fn message(
        &mut self,
        message: &[u8],
        at: Timestamp,
        line: u64,
        reduce: Option<AttemptId>,
        out: &mut Out<'_>,
    ) -> bool {
        if let Some((map, fetch)) = begun(message, at, line) {
            if let Some(turn) = self.turn_of(fetch.fetcher) {
                turn.begun.push((at, map));
                self.hold(reduce, out);
            }
            if self.open.len() >= FETCHES_HELD {
                self.open.clear();
                self.let_go = true;
            }
            self.open.insert(map, fetch);
            return true;
        }
        if let Some(map) = ended(message) {
            if let Some(fetch) = self.open.remove(&map) {
                let fetch = Fetch { done: Some((at, line)), ..fetch };
                if let Some(turn) = self.turn_of(fetch.fetcher) {
                    turn.done.push((map, fetch));
                    self.hold(reduce, out);
                } else {
                    let before = self.done.insert(map, fetch);
                    give_out(before.map(|fetch| (map, fetch)).as_slice(), reduce, None, out);
                    if self.done.len() >= FETCHES_HELD {
                        self.give_out_done(reduce, out);
                    }
                }
            } else if self.let_go {
                out.issue(Code::EndWithoutBegin, line);
            }
            return true;
        }
        if let Some((host, fetcher, took_ms)) = freed(message) {
            if reduce.is_some()
                && let Some(turn) = self.turns.iter_mut().find(|turn| turn.fetcher == fetcher)
            {
                let turn = std::mem::replace(turn, Turn { fetcher, ..Turn::default() });
                self.held -= turn.begun.len() + turn.done.len();
                if let Some(said) = turn.waited(host, at, took_ms) {
                    out.event(line, at, &Event::Complaint(Box::new(said)));
                }
                give_out(&turn.done, reduce, Some(host), out);
            }
            return true;
        }
        if let Some((map, host)) = first_record(message) {
            if reduce.is_some() {
                let done = self.done.remove(&map).map(|fetch| (map, fetch));
                give_out(done.as_slice(), reduce, Some(host), out);
            }
            return true;
        }
        if let Some(map) = failed(message) {
            self.open.remove(&map);
        }
        false
    }

    /// The turn of a fetcher, if there is one and it can be told apart.
    fn turn_of(&mut self, fetcher: Option<u64>) -> Option<&mut Turn> {
        let fetcher = fetcher?;
        let at = self.turns.iter().position(|turn| turn.fetcher == fetcher).unwrap_or(self.turns.len());
        if at == self.turns.len() && at < FETCHERS_MAX {
            self.turns.push(Turn { fetcher, ..Turn::default() });
        }
        self.turns.get_mut(at)
    }

    /// One more is held; of too many none is kept.
    fn hold(&mut self, reduce: Option<AttemptId>, out: &mut Out<'_>) {
        self.held += 1;
        if self.held >= FETCHES_HELD {
            self.give_out_done(reduce, out);
        }
    }

    /// Gives out what is left: what was done, and, if the reduce is not known to have copied all, what is open.
    pub fn end(&mut self, reduce: Option<AttemptId>, copied_all: bool, out: &mut Out<'_>) {
        let mut open: Vec<(AttemptId, Fetch)> = std::mem::take(&mut self.open).into_iter().collect();
        open.retain(|(map, fetch)| self.is_last_of_its_fetcher(*map, fetch));
        open.arrange_by(|(_, fetch)| fetch.line);
        self.give_out_done(reduce, out);
        let Some(reduce) = reduce.filter(|_| !copied_all) else { return };
        for (map, Fetch { start, line, bytes, .. }) in open {
            out.event(line, start, &Event::FetchOpen { reduce, map, bytes });
        }
    }

    /// Whether its fetcher, if it has one, was not freed since, nor began another.
    fn is_last_of_its_fetcher(&self, map: AttemptId, fetch: &Fetch) -> bool {
        let Some(fetcher) = fetch.fetcher else { return true };
        let turn = self.turns.iter().find(|turn| turn.fetcher == fetcher);
        turn.and_then(|turn| turn.begun.last()) == Some(&(fetch.start, map))
    }

    /// Gives out what was done, without hosts.
    fn give_out_done(&mut self, reduce: Option<AttemptId>, out: &mut Out<'_>) {
        self.held = 0;
        let mut done: Vec<(AttemptId, Fetch)> = std::mem::take(&mut self.done).into_iter().collect();
        done.extend(std::mem::take(&mut self.turns).into_iter().flat_map(|turn| turn.done));
        done.arrange_by(|(_, fetch)| fetch.done.map(|(_, line)| line));
        give_out(&done, reduce, None, out);
    }
}

impl Turn {
    /// What a fetcher that was given a host so long ago says of it, if it had to wait for the first of its map outputs.
    fn waited(&self, host: &[u8], freed: Timestamp, took_ms: u64) -> Option<Said> {
        // Nearly all are freed sooner, and nothing has to be looked up.
        let took_ms = i64::try_from(took_ms).ok().filter(|ms| *ms >= WAITED_MS)?;
        let given = freed.plus_millis(-took_ms);
        let (first, map) = *self.begun.iter().filter(|(start, _)| *start >= given).min()?;
        let waited = first.millis_since(given);
        let of = Subject::Host(std::str::from_utf8(host).ok()?.into());
        let said = Said { of, ..Said::of_attempt(ComplaintKind::SlowConnect, map) };
        (waited >= WAITED_MS).then_some(Said { took_ms: u64::try_from(waited).ok(), ..said })
    }
}

fn give_out(fetches: &[(AttemptId, Fetch)], reduce: Option<AttemptId>, host: Option<&[u8]>, out: &mut Out<'_>) {
    let Some(reduce) = reduce else { return };
    let host = host.and_then(|host| std::str::from_utf8(host).ok());
    for (map, fetch) in fetches {
        let Some((end, line)) = fetch.done else { continue };
        let event =
            Event::Fetched { reduce, map: *map, host: host.map(Into::into), start: fetch.start, bytes: fetch.bytes };
        out.event(line, end, &event);
    }
}

fn begun(message: &[u8], at: Timestamp, line: u64) -> Option<(AttemptId, Fetch)> {
    if let Some(text) = message.strip_prefix(b"Shuffling ") {
        let raw = text.get(memchr::memchr(b'(', text)? + 1..)?;
        let (bytes, rest) = number(raw)?;
        rest.strip_prefix(b" raw bytes) into ")?;
        return Some((AttemptId::find(rest)?, Fetch { start: at, line, bytes, fetcher: None, done: None }));
    }
    let fetcher = message.strip_prefix(b"local").unwrap_or(message).strip_prefix(b"fetcher#")?;
    let (fetcher, rest) = number(fetcher)?;
    let (map, rest) = AttemptId::parse_prefix(rest.strip_prefix(b" about to shuffle output of map ")?)?;
    let (_, rest) = number(rest.strip_prefix(b" decomp: ")?)?;
    let (bytes, _) = number(rest.strip_prefix(b" len: ")?)?;
    // A local fetcher reads files of its own host and is never freed from one.
    let fetcher = message.starts_with(b"fetcher#").then_some(fetcher);
    Some((map, Fetch { start: at, line, bytes, fetcher, done: None }))
}

/// The map of `ATT copy failed: MAP from HOST`.
fn failed(message: &[u8]) -> Option<AttemptId> {
    let (_, rest) = AttemptId::parse_prefix(message)?;
    AttemptId::parse_prefix(rest.strip_prefix(b" copy failed: ")?).map(|(map, _)| map)
}

fn ended(message: &[u8]) -> Option<AttemptId> {
    let (_, rest) = number(message.strip_prefix(b"Read ")?)?;
    AttemptId::parse_prefix(rest.strip_prefix(b" bytes from map-output for ")?).map(|(map, _)| map)
}

/// Host, fetcher and milliseconds of `HOST:port freed by fetcher#n in 201ms`.
fn freed(message: &[u8]) -> Option<(&[u8], u64, u64)> {
    // The host is one word, and first.
    let (host, rest) = message.split_at(memchr::memchr(b' ', message)?);
    let (fetcher, rest) = number(rest.strip_prefix(b" freed by fetcher#")?)?;
    let took_ms = rest.strip_prefix(b" in ").and_then(number).map_or(0, |(ms, _)| ms);
    let host = host.get(..memchr::memrchr(b':', host).unwrap_or(host.len()))?;
    (!host.is_empty()).then_some((host, fetcher, took_ms))
}

/// Map and host of `Rec #1 from ATT -> (714, 5743) from HOST`.
fn first_record(message: &[u8]) -> Option<(AttemptId, &[u8])> {
    let (_, rest) = number(message.strip_prefix(b"Rec #")?)?;
    let (map, rest) = AttemptId::parse_prefix(rest.strip_prefix(b" from ")?)?;
    let host = rest.get(bytes::rfind(rest, b" from ")? + b" from ".len()..)?.trim_ascii();
    (!host.is_empty()).then_some((map, host))
}

#[cfg(test)]
mod tests {
    use super::FETCHES_HELD;
    use crate::base::Code;
    use crate::format::task_syslog::TaskSyslog;
    use crate::format::tests::{read, rows};
    use crate::model::{ComplaintKind, Event, Subject};

    fn fetched(messages: &[&str]) -> Vec<(u64, Option<String>, u64)> {
        let head = "2026-11-20 21:24:10,119 INFO [x] org.apache.hadoop.mapreduce.task.reduce.EventFetcher: ";
        let owner = "attempt_1_0001_r_000000_0: Got 2 new map-outputs";
        let text: String =
            std::iter::once(&owner).chain(messages).map(|message| format!("{head}{message}\n")).collect();
        let events = rows(&TaskSyslog, &text).into_iter();
        let fetches = events.filter_map(|row| match row.event {
            Event::Fetched { host, bytes, .. } => Some((row.line, host.map(String::from), bytes)),
            _ => None,
        });
        fetches.collect()
    }

    const BEGIN: &str = "fetcher#2 about to shuffle output of map attempt_1_0001_m_000007_0 decomp: 5 len: 9 to MEMORY";
    const END: &str = "Read 5 bytes from map-output for attempt_1_0001_m_000007_0";

    #[test]
    fn host_is_that_of_the_fetcher_freed_next() {
        let host = |freed: &str| fetched(&[BEGIN, END, freed]);
        assert_eq!(host("h3:13562 freed by fetcher#2 in 5ms"), [(3, Some("h3".into()), 9)]);
        assert_eq!(host("h3:13562 freed by fetcher#1 in 5ms"), [(3, None, 9)]);
    }

    #[test]
    fn who_waits_a_second_for_the_connection_says_so() {
        // All lines are of one moment: what the fetcher took, it waited.
        let said = |freed: &str| {
            let head = "2026-11-20 21:24:10,119 INFO [x] org.apache.hadoop.mapreduce.task.reduce.EventFetcher: ";
            let messages = ["attempt_1_0001_r_000000_0: Got 2 new map-outputs", BEGIN, END, freed];
            let text: String = messages.iter().map(|message| format!("{head}{message}\n")).collect();
            let events = rows(&TaskSyslog, &text).into_iter();
            events.filter_map(|row| if let Event::Complaint(said) = row.event { Some(*said) } else { None }).next()
        };
        let slow = said("h3:13562 freed by fetcher#2 in 1020ms").unwrap();
        assert_eq!(
            (slow.kind, slow.of, slow.took_ms),
            (ComplaintKind::SlowConnect, Subject::Host("h3".into()), Some(1020))
        );
        assert_eq!(said("h3:13562 freed by fetcher#2 in 940ms"), None);
        assert_eq!(said("h3:13562 freed by fetcher#1 in 1020ms"), None, "another's fetch");
        assert_eq!(said("h3:13562 freed by fetcher#2"), None);
    }

    #[test]
    fn fetch_that_failed_is_begun_again() {
        let again = BEGIN.replace("len: 9", "len: 8");
        assert_eq!(fetched(&[BEGIN, &again, END]), [(4, None, 8)]);
        assert!(fetched(&[BEGIN]).is_empty());
        assert!(fetched(&[END]).is_empty());
    }

    /// The fetches that are open at the end: line, map and bytes.
    fn open(messages: &[&str]) -> Vec<(u64, u32, u64)> {
        let head = "2026-11-20 21:24:10,119 INFO org.apache.hadoop.mapreduce.task.reduce.EventFetcher: ";
        let owner = "attempt_1_0001_r_000000_0: Got 2 new map-outputs";
        let text: String =
            std::iter::once(&owner).chain(messages).map(|message| format!("{head}{message}\n")).collect();
        let events = rows(&TaskSyslog, &text).into_iter();
        let open = events.filter_map(|row| match row.event {
            Event::FetchOpen { map, bytes, .. } => Some((row.line, map.task, bytes)),
            _ => None,
        });
        open.collect()
    }

    #[test]
    fn fetch_that_was_begun_last_and_never_ended_is_open() {
        const FREED: &str = "h3:13562 freed by fetcher#2 in 5ms";
        let map = |text: &str, map: u32| text.replace("m_000007", &format!("m_{map:06}"));
        let of_another = map(BEGIN, 8).replace("fetcher#2", "fetcher#1");
        assert_eq!(open(&[BEGIN]), [(2, 7, 9)]);
        assert_eq!(open(&[BEGIN, END]), []);
        assert_eq!(open(&[BEGIN, END, FREED, BEGIN]), [(5, 7, 9)]);
        assert_eq!(open(&[BEGIN, BEGIN, END]), [], "the first try failed");
        assert_eq!(open(&[BEGIN, FREED]), [], "it failed");
        assert_eq!(open(&[BEGIN, &FREED.replace("#2", "#1")]), [(2, 7, 9)]);
        assert_eq!(open(&[BEGIN, &map(BEGIN, 8)]), [(3, 8, 9)], "a fetcher is at one at a time");
        assert_eq!(open(&[&of_another, BEGIN]), [(2, 8, 9), (3, 7, 9)]);
        assert_eq!(open(&[BEGIN, &of_another, &map(END, 8), "h4:13562 freed by fetcher#1 in 5ms"]), [(2, 7, 9)]);
        let merges = "finalMerge called with 1 in-memory map-outputs and 0 on-disk map-outputs";
        assert_eq!(open(&[BEGIN, merges]), [], "it has copied all");
    }

    #[test]
    fn old_form_tells_what_failed_by_the_map() {
        let begin = "Shuffling 5 bytes (9 raw bytes) into RAM from attempt_1_0001_m_000007_0";
        let other = "Shuffling 5 bytes (9 raw bytes) into Local-FS from attempt_1_0001_m_000008_0";
        let failed = "attempt_1_0001_r_000000_0 copy failed: attempt_1_0001_m_000007_0 from h102";
        assert_eq!(open(&[begin, other]), [(2, 7, 9), (3, 8, 9)]);
        assert_eq!(open(&[begin, END, other]), [(4, 8, 9)]);
        assert_eq!(open(&[begin, failed, other]), [(4, 8, 9)]);
        assert_eq!(open(&[begin, failed, begin, END]), []);
    }

    #[test]
    fn ends_of_fetches_that_were_let_go_are_told() {
        let map = |text: &str, map: usize| text.replace("m_000007", &format!("m_{map:06}"));
        let head = "2026-11-20 21:24:10,119 INFO [x] org.apache.hadoop.mapreduce.task.reduce.EventFetcher: ";
        let told = |begun: usize| {
            let owner = String::from("attempt_1_0001_r_000000_0: Got 2 new map-outputs");
            let begun = (0..begun).map(|i| map(BEGIN, i));
            let messages = std::iter::once(owner).chain(begun).chain([map(END, 3), map(END, FETCHES_HELD)]);
            let text: String = messages.map(|message| format!("{head}{message}\n")).collect();
            let digest = read(&TaskSyslog, "x", text.as_bytes());
            let fetches = digest.events.iter().filter(|row| matches!(row.event, Event::Fetched { .. }));
            (fetches.count(), digest.issues.first_place(Code::EndWithoutBegin))
        };
        assert_eq!(told(FETCHES_HELD), (1, None), "the second was never begun, maybe in another log");
        assert_eq!(told(FETCHES_HELD + 1), (1, Some(FETCHES_HELD as u64 + 3)), "the first was let go");
    }

    #[test]
    fn old_form_names_the_host_with_the_first_record() {
        let lines = [
            "Shuffling 5 bytes (9 raw bytes) into RAM from attempt_1_0001_m_000007_0",
            END,
            "Rec #1 from attempt_1_0001_m_000007_0 -> (12, 98) from compute-0-17.local",
        ];
        assert_eq!(fetched(&lines), [(3, Some("compute-0-17.local".into()), 9)]);
    }
}
