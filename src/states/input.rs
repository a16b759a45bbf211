//! What is paired: the files that count, each with its node, and their rows in UTC.

use super::copies::{Copies, Copy};
use super::hosts::{Hosts, but_for_domain, node_of};
use super::{attempts, clock, is_metrics, skew};
use crate::base::{Arrange, FileId, Gathered, JobId, Lookup, NodeId, Place, Timestamp};
use crate::model::{Clock, Digest, Event, FileDigest, Row, Topic, formats};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Archives of one observation follow each other within so long, as daily ones do.
const SAME_OBSERVATION_MS: i64 = 10 * 60_000;

/// A file with what is known about its place in the cluster.
pub(super) struct FileView<'a> {
    pub(super) id: FileId,
    pub(super) digest: &'a FileDigest,
    pub(super) path: &'a str,
    /// Its length, unpacked.
    pub(super) bytes: u64,
    pub(super) node: Option<NodeId>,
    /// How its times become UTC.
    pub(super) zone: clock::Timeline,
    /// The date of its times is told, and no guess.
    pub(super) dated: bool,
    /// Its last time in UTC, before its node's skew is taken out; `None` where it has no date at all.
    pub(super) last: Option<Timestamp>,
    /// It is read elsewhere, and none of its rows count.
    pub(super) copy: Option<Copy>,
}

impl FileView<'_> {
    /// The file's rows, all their times in UTC by the clock of its node.
    pub(super) fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.in_utc(self.digest.events.iter())
    }

    /// Hands over those of one topic, of which there may be many: none is moved.
    pub(super) fn each_about(&self, topic: Topic, take: &mut dyn FnMut(&mut Row)) {
        if self.copy.is_some() {
            return;
        }
        if !self.zone.changes().is_empty() {
            return self.about(topic).for_each(|mut row| take(&mut row));
        }
        let offset_ms = self.zone.first_ms();
        self.digest.events.each_about(topic, &mut |row| {
            if offset_ms != 0 {
                shift(row, offset_ms);
            }
            take(row);
        });
    }

    /// Those of one topic.
    pub(super) fn about(&self, topic: Topic) -> Box<dyn Iterator<Item = Row> + '_> {
        if self.zone.changes().is_empty() {
            return Box::new(self.in_utc(self.digest.events.about(topic)));
        }
        // Of an hour that comes twice, the other rows tell which one it is.
        Box::new(self.rows().filter(move |row| Topic::of(&row.event) == topic))
    }

    pub(super) fn in_utc<'s>(&'s self, rows: impl Iterator<Item = Row> + 's) -> impl Iterator<Item = Row> + 's {
        let mut walker = clock::Walker::default();
        let rows = self.copy.is_none().then_some(rows);
        rows.into_iter().flatten().map(move |mut row| {
            let offset_ms = walker.offset(&self.zone, row.line, row.at);
            if offset_ms != 0 || !self.zone.changes().is_empty() {
                let end = row.at.plus_millis(offset_ms);
                move_times(&mut row, end, |begin| self.zone.begin(begin, end, offset_ms));
            }
            row
        })
    }

    /// Whether it is a daemon's log of local times.
    pub(super) fn is_daemon(&self) -> bool {
        let beside = self.digest.format == formats::TASK_SYSLOG || self.is_beside();
        self.digest.clock == Clock::Local && !beside && !self.is_metrics()
    }

    /// Whether it is the log of a process that is none of a node's.
    pub(super) fn is_beside(&self) -> bool {
        self.digest.format == formats::OTHER_PROCESS
    }

    pub(super) fn place(&self, line: u64) -> Place {
        Place { file: self.id, line }
    }

    /// Whether it is a trace of system calls.
    pub(super) fn is_calls(&self) -> bool {
        formats::CALLS.contains(&self.digest.format.as_str())
    }

    /// Whether it holds metrics and nothing else.
    pub(super) fn is_metrics(&self) -> bool {
        is_metrics(self.digest)
    }
}

/// Moves a row of a log of local times, with the times inside it.
pub(super) fn shift(row: &mut Row, by_ms: i64) {
    let at = row.at.plus_millis(by_ms);
    move_times(row, at, |begin| begin.plus_millis(by_ms));
}

/// Gives a row its time, and those inside it that are when something began.
fn move_times(row: &mut Row, at: Timestamp, begun: impl Fn(Timestamp) -> Timestamp) {
    row.at = at;
    match &mut row.event {
        Event::Fetched { start, .. } => *start = begun(*start),
        Event::Progress { first, .. } => *first = begun(*first),
        _ => {}
    }
}

/// All files, and what every pairing needs to know of the whole archive.
pub(super) struct Input<'a> {
    pub(super) files: Vec<FileView<'a>>,
    pub(super) by_ip: Lookup<IpAddr, NodeId>,
    pub(super) by_name: BTreeMap<String, NodeId>,
    /// When the observation ended that a file is part of: the latest log time of any file of it that is not a task's
    /// own log.
    pub(super) ends: Vec<Timestamp>,
    /// Finish of each job whose history has it.
    pub(super) finishes: BTreeMap<JobId, Timestamp>,
    /// What is taken out of the nodes' clocks.
    pub(super) corrections: skew::Corrections,
}

impl<'a> Input<'a> {
    #[inline(never)]
    pub(super) fn new(digest: &'a Digest, copies: &Copies, hosts: &Hosts, clock: &clock::Offsets) -> Self {
        let calendar = clock::Calendar::read(digest);
        let mut files = (0..)
            .zip(digest.files().enumerate())
            .map(|(id, (i, (key, file)))| {
                let (id, node) = (FileId(id), hosts.of_file(&key.path, file));
                let local = || clock.of(id, clock::archive_of(&key.path), node);
                // Local times once they are moved by whole days.
                let moved = |days_ms: i64| {
                    let begin = file.span.map_or(Timestamp::default(), |(begin, _)| begin.plus_millis(days_ms));
                    clock::Timeline::constant(days_ms + local().offset_at(begin))
                };
                let (zone, placed, dated) = match (file.clock, calendar.date(&key.path, file)) {
                    (Clock::Epoch, _) => (clock::Timeline::constant(0), true, true),
                    (Clock::Local, None) => (local(), true, true),
                    (Clock::Local | Clock::TimeOfDay, Some(clock::Date { days_ms, sure })) => {
                        (moved(days_ms), true, sure)
                    }
                    (Clock::TimeOfDay, None) => (clock::Timeline::constant(0), false, false),
                };
                let copy = copies.get(i);
                let (path, bytes) = (key.path.as_str(), key.bytes);
                let mut view = FileView { id, digest: file, path, bytes, node, zone, dated, last: None, copy };
                view.last = match view.zone.changes() {
                    _ if !placed => None,
                    [] => file.span.map(|(_, last)| view.zone.utc(last)),
                    _ => view.rows().map(|row| row.at).max().max(file.span.map(|(first, _)| view.zone.utc(first))),
                };
                view
            })
            .collect::<Vec<_>>();
        // Where only a copy's path tells the node, it is the original's too.
        let nodes: Vec<_> = files.iter().map(|f| f.node).collect();
        for (copy, of) in copies.pairs() {
            let node = nodes.get(copy).copied().flatten();
            if let Some(file) = files.get_mut(of) {
                file.node = file.node.or(node);
            }
        }
        Self {
            files,
            by_ip: hosts.by_ip().into_iter().collect(),
            by_name: hosts.by_name(),
            ends: Vec::new(),
            finishes: BTreeMap::new(),
            corrections: skew::Corrections::default(),
        }
    }

    /// A file's rows about one topic, its node's skew taken out.
    pub(super) fn about<'s>(&'s self, file: &'s FileView<'a>, topic: Topic) -> impl Iterator<Item = Row> + 's {
        let ahead = self.ahead(file);
        file.about(topic).map(move |mut row| {
            self.correct(&mut row, ahead);
            row
        })
    }

    /// Hands over [`Self::about`]'s rows: of many, none is moved.
    pub(super) fn each_about(&self, file: &FileView<'a>, topic: Topic, take: &mut dyn FnMut(&mut Row)) {
        let ahead = self.ahead(file);
        file.each_about(topic, &mut |row| {
            self.correct(row, ahead);
            take(row);
        });
    }

    /// How far the clock is ahead that wrote a file.
    pub(super) fn ahead(&self, file: &FileView<'_>) -> skew::Ahead {
        if file.digest.clock == Clock::Local { self.corrections.of(file.node) } else { skew::Ahead::default() }
    }

    /// Puts a row right that a clock wrote.
    pub(super) fn correct(&self, row: &mut Row, ahead: skew::Ahead) {
        match &mut row.event {
            Event::Attempt(a) if !self.corrections.is_empty() => {
                let host = a.host.as_deref().and_then(|host| self.node_named(host));
                let (of_attempt, of_phases) =
                    (self.corrections.of_history(a.attempt.job, host), self.corrections.of(host));
                let attempt = [&mut a.start, &mut a.finish].map(|at| (at, of_attempt));
                let phases = [&mut a.shuffle_end, &mut a.sort_end].map(|at| (at, of_phases));
                for (at, ahead) in attempt.into_iter().chain(phases) {
                    *at = at.map(|at| ahead.right(at));
                }
                row.at = of_attempt.right(row.at);
            }
            _ if ahead.always_ms() != Some(0) => move_times(row, ahead.right(row.at), |begin| ahead.right(begin)),
            _ => {}
        }
    }

    /// First and last time of a file.
    pub(super) fn span(&self, file: &FileView<'_>) -> Option<(Timestamp, Timestamp)> {
        let (first, _) = file.digest.span?;
        if !self.corrections.is_empty() && attempts::HISTORIES.contains(&file.digest.format.as_str()) {
            // Rows without a time of their own lie before all.
            let timed = file.rows().filter(|row| row.at >= first);
            let at = |mut row| {
                self.correct(&mut row, skew::Ahead::default());
                (row.at, row.at)
            };
            return timed.map(at).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)));
        }
        let ahead = self.ahead(file);
        Some((ahead.right(file.zone.utc(first)), ahead.right(file.last?)))
    }

    /// The first line of a node's logs from this time of its clock on.
    pub(super) fn first_of(&self, node: NodeId, from: Timestamp) -> Option<Place> {
        let own = self.files.iter().filter(|f| f.node == Some(node) && f.digest.clock == Clock::Local);
        let rows = own.flat_map(|f| f.rows().filter(|row| row.at >= from).map(|row| (row.at, f.place(row.line))));
        rows.min_by_key(|(at, _)| *at).map(|(_, place)| place)
    }

    #[inline(never)]
    pub(super) fn close(&mut self, histories: &attempts::Histories) {
        self.finishes = histories.finishes();
        self.ends = self.observed();
    }

    /// When the observation of each file's archive ended. Archives whose times overlap, or follow each other at
    /// once, are parts of one; others are other runs.
    fn observed(&self) -> Vec<Timestamp> {
        struct Observed<'p> {
            archives: Vec<&'p str>,
            from: Timestamp,
            to: Timestamp,
            /// Of all logs but tasks' own.
            end: Option<Timestamp>,
        }
        let mut by_archive: BTreeMap<&str, Observed<'_>> = BTreeMap::new();
        for file in &self.files {
            let (Some((from, to)), archive) = (self.span(file), clock::archive_of(file.path)) else { continue };
            let of = by_archive.entry(archive).or_insert(Observed { archives: vec![archive], from, to, end: None });
            (of.from, of.to) = (of.from.min(from), of.to.max(to));
            of.end = of.end.max(Some(to).filter(|_| file.is_daemon() || file.is_beside()));
        }
        let mut all: Vec<Observed<'_>> = by_archive.into_values().collect();
        all.arrange_by(|of| of.from);
        all.dedup_by(|next, before| {
            let same = next.from <= before.to.plus_millis(SAME_OBSERVATION_MS);
            if same {
                before.archives.append(&mut next.archives);
                (before.to, before.end) = (before.to.max(next.to), before.end.max(next.end));
            }
            same
        });
        let end = |of: &Observed<'_>| of.end.unwrap_or(of.to);
        let ends: BTreeMap<&str, Timestamp> =
            all.iter().flat_map(|of| of.archives.iter().map(move |archive| (*archive, end(of)))).gathered();
        let last = all.iter().map(end).max().unwrap_or_default();
        self.files.iter().map(|f| ends.get(clock::archive_of(f.path)).copied().unwrap_or(last)).collect()
    }

    /// When the observation of something of `job` ended that stands in a file.
    pub(super) fn end_of_observation(&self, job: Option<JobId>, file: FileId) -> Timestamp {
        let observed = || self.ends.get(file.0 as usize).copied();
        job.and_then(|job| self.finishes.get(&job).copied()).or_else(observed).unwrap_or_default()
    }

    pub(super) fn files_of<'s>(&'s self, format: &'s str) -> impl Iterator<Item = &'s FileView<'a>> + 's {
        self.files.iter().filter(move |f| f.digest.format == format)
    }

    /// The files of one daemon kind, one list a daemon: same node, ordered by first and last time
    /// (rolled files are one log); files of unknown node stand alone.
    pub(super) fn daemons<'s>(&'s self, format: &'s str) -> Vec<Vec<&'s FileView<'a>>> {
        let mut by_node: BTreeMap<(Option<NodeId>, Option<FileId>), Vec<&FileView<'a>>> = BTreeMap::new();
        for file in self.files_of(format) {
            let alone = if file.node.is_none() { Some(file.id) } else { None };
            by_node.entry((file.node, alone)).or_default().push(file);
        }
        let mut daemons: Vec<_> = by_node.into_values().collect();
        for files in &mut daemons {
            files.arrange_by(|f| (self.span(f), f.id));
        }
        daemons
    }

    /// What a log tells of tasks, in all of its files, each row with its place.
    pub(super) fn tasks_in<'s>(&'s self, log: &'s [&'s FileView<'a>]) -> impl Iterator<Item = (Row, Place)> + 's {
        log.iter().flat_map(|file| {
            self.about(file, Topic::Tasks).map(|row| {
                let place = file.place(row.line);
                (row, place)
            })
        })
    }

    pub(super) fn node_named(&self, name: &str) -> Option<NodeId> {
        node_of(&self.by_name, name)
    }

    /// The only node whose name differs from this by a domain behind one of them.
    pub(super) fn node_but_for_domain(&self, name: &str) -> Option<NodeId> {
        but_for_domain(&self.by_name, name)
    }
}
