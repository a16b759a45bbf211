//! The events of all files, paired into states, tasks, jobs and flows (SALSA, the
//! white-box side of Kahuna §V; the decisions token by token are `states.md`'s).
//!
//! ```text
//! Digest ─ copies (the same log once) ─ hosts (one identity a machine) ─ clock (one offset an archive)
//!        ├ attempts: TaskTracker, history, ApplicationMaster, containers → tasks, states
//!        ├ basis:    what metrics are joined and compared by, where that is done elsewhere
//!        ├ samples:  rows of sysstat's tables → sadc-vectors, where it is not
//!        ├ blocks:   DataNode → ReadBlock, WriteBlock, flows
//!        ├ shuffle:  served and fetched map outputs → Shuffle, flows
//!        └ complaints: trouble in any log → who complains of whom
//! ```
//!
//! Pairing is by key and time, and every table is sorted before it is used, so the
//! trace depends on the set of files only. Cost: O(events · log events), two readings
//! of the digest.
//!
//! What is done for a file, and each of the steps above, is a function of its own, never inlined. A browser
//! makes a function fast while it runs, but only calls that come after take the fast one: whatever is called
//! once stays slow to its end, and what it took to make the whole of it fast was in vain.

mod attempts;
mod basis;
mod blocks;
mod calls;
mod clock;
mod complaints;
mod copies;
mod ends;
mod hosts;
mod samples;
mod shuffle;
mod skew;

use crate::base::{Code, FileId, JobId, Lookup, NodeId, Place, Timestamp};
use crate::model::{
    Capacity, Clock, ClockChoice, Clocks, Coverage, Digest, Event, FileDigest, FileInfo, FileReading, Flow, Node, Row,
    Samples, State, Topic, Trace, packed::Growing,
};
pub use basis::Basis;
use copies::Copies;
use ends::{End, Ends};
use hosts::Hosts;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// The format of a task's own log, which does not tell how long the observation lasted
/// (states.md §6).
const TASK_LOG: &str = "task-syslog";

/// Builds the trace. `clocks`: an offset between log times and UTC instead of the one found,
/// and whether the nodes' skews are taken out.
#[must_use]
pub fn build(digest: &Digest, clocks: impl Into<ClockChoice>) -> Trace {
    built(digest, clocks.into(), None)
}

/// The trace without metrics, for who has them joined elsewhere: `others` hears by what, as soon as that is known.
/// Where there is nothing but metrics it hears nothing, and they are there.
#[must_use]
pub fn build_without_metrics(digest: &Digest, clocks: impl Into<ClockChoice>, others: &mut dyn FnMut(Basis)) -> Trace {
    built(digest, clocks.into(), Some(others))
}

/// Whether a file holds metrics and nothing else.
#[must_use]
pub fn is_metrics(file: &FileDigest) -> bool {
    samples::FORMATS.contains(&file.format.as_str())
}

fn built(digest: &Digest, choice: ClockChoice, others: Option<&mut dyn FnMut(Basis)>) -> Trace {
    let copies = Copies::find(digest);
    let originals = copies.originals(digest);
    let hosts = Hosts::join(digest, &originals);
    let clock = clock::Offsets::find(digest, &copies, &hosts, choice.tz_offset_ms);
    let mut input = Input::new(digest, &copies, &hosts, &clock);
    let mut found = Found::default();
    let mut histories = attempts::Histories::read(&input);
    let gathered = skew::Gathered::of_histories(&input, &histories, hosts.names().count());
    // How far clocks are off is found before all else where it is to be taken out, else on the way.
    let (mut skew, gathered) = match choice.fix_clocks {
        true => (correct(&mut input, &mut histories, gathered), None),
        false => (skew::Found::default(), Some(gathered)),
    };
    input.close(&histories);
    attempts::pair(&input, histories, &mut found);
    let measured = samples::files_of_nodes(&input, &mut found);
    match others.filter(|_| !input.is_only_metrics()) {
        Some(others) => others(Basis::of(&input, &hosts, &found)),
        None => found.samples = samples::join(&input, &measured),
    }
    for conflict in hosts.conflicts(&input) {
        found.issues.extend(conflict.places.into_iter().map(|place| (place, conflict.code)));
        found.notes.push((conflict.code, conflict.text));
    }
    blocks::pair(&input, &mut found);
    found.shuffles = gathered.is_some().then(skew::Shuffles::default);
    shuffle::pair(&input, &mut found);
    if let Some((mut gathered, shuffles)) = gathered.zip(found.shuffles.take()) {
        gathered.read_logs(&input);
        skew = gathered.estimate(shuffles);
    }
    complaints::pair(&input, &mut found);
    calls::gather(&input, &mut found);
    found.into_trace(input, &hosts, &clock, skew)
}

/// Takes out of all times what clocks are ahead.
#[inline(never)]
fn correct(input: &mut Input<'_>, histories: &mut attempts::Histories, mut gathered: skew::Gathered) -> skew::Found {
    gathered.read_logs(input);
    let mut found = gathered.estimate(skew::Shuffles::read(input));
    let corrections = skew::Corrections::take(input, &mut found.skews);
    if !corrections.is_empty() {
        input.corrections = corrections;
        *histories = attempts::Histories::read(input);
    }
    found
}

/// A file with what is known about its place in the cluster.
struct FileView<'a> {
    id: FileId,
    digest: &'a FileDigest,
    path: &'a str,
    /// Its length, unpacked.
    bytes: u64,
    node: Option<NodeId>,
    /// How its times become UTC.
    zone: clock::Timeline,
    /// Its times are those of a calendar.
    placed: bool,
    /// Its last time in UTC, before its node's skew is taken out; `None` where not placed.
    last: Option<Timestamp>,
    /// It is read elsewhere, and none of its rows count.
    copy: Option<copies::Copy>,
}

impl FileView<'_> {
    /// The file's rows, all their times in UTC by the clock of its node.
    fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.in_utc(self.digest.events.iter())
    }

    /// Hands over those of one topic, of which there may be many: none is moved.
    fn each_about(&self, topic: Topic, take: &mut dyn FnMut(&mut Row)) {
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
    fn about(&self, topic: Topic) -> Box<dyn Iterator<Item = Row> + '_> {
        if self.zone.changes().is_empty() {
            return Box::new(self.in_utc(self.digest.events.about(topic)));
        }
        // Of an hour that comes twice, the other rows tell which one it is.
        Box::new(self.rows().filter(move |row| Topic::of(&row.event) == topic))
    }

    fn in_utc<'s>(&'s self, rows: impl Iterator<Item = Row> + 's) -> impl Iterator<Item = Row> + 's {
        let mut walker = clock::Walker::default();
        let rows = self.copy.is_none().then_some(rows);
        rows.into_iter().flatten().map(move |mut row| {
            let offset_ms = walker.offset(&self.zone, row.line, row.at);
            if offset_ms != 0 {
                shift(&mut row, offset_ms);
            }
            row
        })
    }

    /// Whether it is a log of local times that is not a task's own.
    fn is_daemon(&self) -> bool {
        self.digest.clock == Clock::Local && self.digest.format != TASK_LOG && !self.is_metrics()
    }

    fn place(&self, line: u64) -> Place {
        Place { file: self.id, line }
    }

    /// Whether it is a trace of system calls.
    fn is_calls(&self) -> bool {
        calls::FORMATS.contains(&self.digest.format.as_str())
    }

    /// Whether it holds metrics and nothing else.
    fn is_metrics(&self) -> bool {
        is_metrics(self.digest)
    }
}

/// Moves a row of a log of local times, with the times inside it.
fn shift(row: &mut Row, by_ms: i64) {
    row.at = row.at.plus_millis(by_ms);
    match &mut row.event {
        Event::Fetched { start, .. } => *start = start.plus_millis(by_ms),
        Event::Progress { first, .. } => *first = first.plus_millis(by_ms),
        _ => {}
    }
}

/// All files, and what every pairing needs to know of the whole archive.
struct Input<'a> {
    files: Vec<FileView<'a>>,
    by_ip: Lookup<IpAddr, NodeId>,
    by_name: BTreeMap<String, NodeId>,
    /// Latest log time of any file that is not a task's own log.
    last: Option<Timestamp>,
    /// Finish of each job whose history has it.
    finishes: BTreeMap<JobId, Timestamp>,
    /// What is taken out of the nodes' clocks.
    corrections: skew::Corrections,
}

impl<'a> Input<'a> {
    #[inline(never)]
    fn new(digest: &'a Digest, copies: &Copies, hosts: &Hosts, clock: &clock::Offsets) -> Self {
        let calendar = clock::Calendar::read(digest);
        let mut files = (0..)
            .zip(digest.files().enumerate())
            .map(|(id, (i, (key, file)))| {
                let (id, node) = (FileId(id), hosts.of_file(&key.path, file));
                let local = || clock.of(id, clock::archive_of(&key.path), node).clone();
                let (zone, placed) = match (file.clock, calendar.days_ms(&key.path, file)) {
                    (Clock::Epoch, _) => (clock::Timeline::constant(0), true),
                    (Clock::Local, _) => (local(), true),
                    (Clock::TimeOfDay, Some(days_ms)) => {
                        let begin = file.span.map_or(Timestamp::default(), |(begin, _)| begin.plus_millis(days_ms));
                        (clock::Timeline::constant(days_ms + local().offset_at(begin)), true)
                    }
                    (Clock::TimeOfDay, None) => (clock::Timeline::constant(0), false),
                };
                let copy = copies.get(i);
                let (path, bytes) = (key.path.as_str(), key.bytes);
                let mut view = FileView { id, digest: file, path, bytes, node, zone, placed, last: None, copy };
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
            last: None,
            finishes: BTreeMap::new(),
            corrections: skew::Corrections::default(),
        }
    }

    /// A file's rows about one topic, its node's skew taken out.
    fn about<'s>(&'s self, file: &'s FileView<'a>, topic: Topic) -> impl Iterator<Item = Row> + 's {
        let ahead_ms = self.ahead_ms(file);
        file.about(topic).map(move |mut row| {
            self.correct(&mut row, ahead_ms);
            row
        })
    }

    /// Hands over [`Self::about`]'s rows: of many, none is moved.
    fn each_about(&self, file: &FileView<'a>, topic: Topic, take: &mut dyn FnMut(&mut Row)) {
        let ahead_ms = self.ahead_ms(file);
        file.each_about(topic, &mut |row| {
            self.correct(row, ahead_ms);
            take(row);
        });
    }

    /// How far the clock is ahead that wrote a file.
    fn ahead_ms(&self, file: &FileView<'_>) -> i64 {
        if file.digest.clock == Clock::Local { self.corrections.of(file.node) } else { 0 }
    }

    /// Takes what its clock is ahead out of a row.
    fn correct(&self, row: &mut Row, ahead_ms: i64) {
        match &mut row.event {
            Event::Attempt(a) if !self.corrections.is_empty() => {
                let host = a.host.as_deref().and_then(|host| self.node_named(host));
                let ahead_ms = self.corrections.of_history(a.attempt.job, host);
                for at in [&mut a.start, &mut a.shuffle_end, &mut a.sort_end, &mut a.finish].into_iter().flatten() {
                    *at = at.plus_millis(-ahead_ms);
                }
            }
            _ if ahead_ms != 0 => shift(row, -ahead_ms),
            _ => {}
        }
    }

    /// First and last time of a file.
    fn span(&self, file: &FileView<'_>) -> Option<(Timestamp, Timestamp)> {
        let ahead_ms = self.ahead_ms(file);
        let (first, _) = file.digest.span?;
        Some((file.zone.utc(first).plus_millis(-ahead_ms), file.last?.plus_millis(-ahead_ms)))
    }

    #[inline(never)]
    fn close(&mut self, histories: &attempts::Histories) {
        self.finishes = histories.finishes();
        let last_of = |daemons: bool| {
            let files = self.files.iter().filter(|f| !daemons || f.is_daemon());
            files.filter_map(|f| self.span(f)).map(|(_, last)| last).max()
        };
        self.last = last_of(true).or_else(|| last_of(false));
    }

    /// When the observation of something of `job` ended (states.md §6).
    fn end_of_observation(&self, job: Option<JobId>) -> Timestamp {
        job.and_then(|job| self.finishes.get(&job).copied()).or(self.last).unwrap_or_default()
    }

    fn files_of<'s>(&'s self, format: &'s str) -> impl Iterator<Item = &'s FileView<'a>> + 's {
        self.files.iter().filter(move |f| f.digest.format == format)
    }

    /// The files of one daemon kind, one list a daemon: same node, ordered by first time
    /// (rolled files are one log); files of unknown node stand alone.
    fn daemons<'s>(&'s self, format: &'s str) -> Vec<Vec<&'s FileView<'a>>> {
        let mut by_node: BTreeMap<(Option<NodeId>, Option<FileId>), Vec<&FileView<'a>>> = BTreeMap::new();
        for file in self.files_of(format) {
            let alone = if file.node.is_none() { Some(file.id) } else { None };
            by_node.entry((file.node, alone)).or_default().push(file);
        }
        let mut daemons: Vec<_> = by_node.into_values().collect();
        for files in &mut daemons {
            files.sort_by_key(|f| (self.span(f).map(|(first, _)| first), f.id));
        }
        daemons
    }

    /// Whether there is no log of Hadoop's.
    fn is_only_metrics(&self) -> bool {
        self.files.iter().all(|f| f.is_metrics() || f.digest.format.is_empty())
    }

    fn node_named(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }
}

/// What the pairings find.
#[derive(Default)]
struct Found {
    states: Growing<State>,
    flows: Growing<Flow>,
    /// What peers, sources and destinations are numbers of.
    ends: Ends,
    tasks: Vec<crate::model::TaskAttempt>,
    jobs: Vec<crate::model::Job>,
    confs: BTreeMap<JobId, crate::model::JobConf>,
    queues: BTreeMap<JobId, Box<str>>,
    memory: BTreeMap<(JobId, crate::model::TaskType), crate::model::TaskMemory>,
    complaints: Vec<crate::model::Complaint>,
    calls: crate::model::Calls,
    samples: Samples,
    /// Noted while they are paired, where clocks are estimated by them.
    shuffles: Option<skew::Shuffles>,
    issues: Vec<(Place, Code)>,
    notes: Vec<(Code, String)>,
    ran: BTreeSet<NodeId>,
}

impl Found {
    /// Takes a state and the other end of its transfer.
    fn push_state(&mut self, state: State, peer: Option<End>) {
        let peer = peer.map(|end| self.ends.number(end));
        self.states.push(&State { peer, ..state });
    }

    /// Takes a flow and its two ends.
    fn push_flow(&mut self, flow: Flow, src: Option<End>, dest: Option<End>) {
        let [src, dest] = [src, dest].map(|end| end.map(|end| self.ends.number(end)));
        self.flows.push(&Flow { src, dest, ..flow });
    }

    #[inline(never)]
    fn into_trace(self, input: Input<'_>, hosts: &Hosts, clock: &clock::Offsets, skew: skew::Found) -> Trace {
        let samples = self.samples;
        let measured = if input.is_only_metrics() { samples.nodes().collect() } else { BTreeSet::new() };
        let nodes = basis::nodes(&input, hosts, &self.ran, &measured);

        let mut peers: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        let (addresses, place) = self.ends.settle(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        peers.extend(addresses.iter().map(ToString::to_string));
        let states = self.states.finish(&place);
        let flows = self.flows.finish(&place);
        let mut tasks = self.tasks;
        // Histories give them in this order, and sorting takes half as much memory again.
        if !tasks.is_sorted_by_key(|t| (t.id, t.node)) {
            tasks.sort_by_key(|t| (t.id, t.node));
        }
        let mut complaints = self.complaints;
        complaints.sort_unstable();
        let mut jobs = self.jobs;
        jobs.sort_by_key(|j| j.id);

        let mut extra: BTreeMap<(FileId, Code), (u64, Vec<u64>)> = BTreeMap::new();
        for (place, code) in self.issues {
            let entry = extra.entry((place.file, code)).or_default();
            entry.0 += 1;
            entry.1.push(place.line);
        }
        let span_of = |metrics: bool| {
            let files = input.files.iter().filter(|f| f.is_metrics() == metrics);
            files.filter_map(|f| input.span(f)).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        };
        let span = span_of(false).or_else(|| span_of(true));
        let files = input.files.iter().map(|f| file_info(f, &input, &nodes, &mut extra)).collect();
        let readings = input.files.iter().map(|f| reading(f, input.span(f))).collect();
        let reference = match skew.reference {
            skew::Reference::Node(node) => nodes.get(node.index()).map_or(String::new(), |n| n.name.clone()),
            skew::Reference::Master => "master".to_owned(),
            skew::Reference::Median => "median".to_owned(),
        };
        let clocks = Clocks { source: clock.source, zones: clock.zones.clone(), skews: skew.skews, reference };
        let racks = racks(&input);
        let capacities = capacities(&input);
        Trace {
            readings,
            files,
            nodes,
            addresses: hosts.by_ip(),
            peers,
            racks,
            capacities,
            confs: self.confs,
            queues: self.queues,
            memory: self.memory,
            jobs,
            tasks,
            states,
            flows,
            complaints,
            samples,
            calls: self.calls,
            span,
            offset_ms: clock.main(),
            offset_pairs: clock.pairs(),
            clocks,
            notes: self.notes,
        }
    }
}

/// Formats that tell of racks.
const RACKS: [&str; 4] = ["jhist", "jobhistory-v1", "rumen-topology", "rumen-trace"];

/// The rack of each node; of several the first in the order of files.
#[inline(never)]
fn racks(input: &Input<'_>) -> BTreeMap<NodeId, Box<str>> {
    let mut racks = BTreeMap::new();
    for row in
        input.files.iter().filter(|f| RACKS.contains(&f.digest.format.as_str())).flat_map(|f| f.about(Topic::Summaries))
    {
        if let Event::Rack { host, rack } = row.event
            && let Some(node) = input.node_named(&host)
        {
            racks.entry(node).or_insert(rack);
        }
    }
    racks
}

/// What each node offers; nothing of those that offered now this and now that.
#[inline(never)]
fn capacities(input: &Input<'_>) -> BTreeMap<NodeId, Capacity> {
    let mut told: BTreeMap<NodeId, Option<Capacity>> = BTreeMap::new();
    for row in input.files_of("resourcemanager").flat_map(|f| f.about(Topic::Summaries)) {
        if let Event::Capacity { host, capacity } = row.event
            && let Some(node) = input.node_named(&host)
        {
            let known = told.entry(node).or_insert(Some(capacity));
            *known = known.filter(|known| *known == capacity);
        }
    }
    told.into_iter().filter_map(|(node, capacity)| Some((node, capacity?))).collect()
}

#[inline(never)]
fn file_info(
    f: &FileView<'_>,
    input: &Input<'_>,
    nodes: &[Node],
    extra: &mut BTreeMap<(FileId, Code), (u64, Vec<u64>)>,
) -> FileInfo {
    let mut issues: Vec<(Code, u64, Vec<u64>)> =
        f.digest.issues.iter().map(|(code, c)| (code, c.count, c.lines.clone())).collect();
    let codes: Vec<Code> = extra.keys().filter(|(file, _)| *file == f.id).map(|(_, code)| *code).collect();
    for code in codes {
        if let Some((count, mut lines)) = extra.remove(&(f.id, code)) {
            lines.sort_unstable();
            lines.truncate(crate::base::issue::PLACES_KEPT);
            issues.push((code, count, lines));
        }
    }
    let per_node = hosts::PER_NODE.contains(&f.digest.format.as_str()) || f.is_calls();
    if per_node && f.node.is_none() {
        issues.push((Code::UnknownNode, 1, vec![0]));
    }
    let original = f.copy.and_then(|copy| Some((input.files.get(copy.of)?.path, copy.beginning)));
    if original.is_some() {
        issues.push((Code::DuplicateFile, 1, vec![0]));
    }
    issues.sort();
    let worst = issues.iter().max_by_key(|(code, count, _)| (code.about().severity, *count));
    let why = match original {
        Some((path, false)) => Some(format!("is there twice; counted once, as {path}")),
        Some((path, true)) => Some(format!("is the beginning of a longer copy; counted once, as {path}")),
        None => worst.map(|(code, ..)| format!("{}; {}", code.about().text, code.about().advice)),
    };
    let coverage = Coverage {
        file: f.path.to_owned(),
        format: (!f.digest.format.is_empty()).then(|| f.digest.format.clone()),
        node: f.node.and_then(|n| nodes.get(n.index())).map(|n| n.name.clone()),
        lines: f.digest.lines,
        understood: f.digest.understood,
        skipped: f.digest.skipped,
        why,
        unused: f.digest.unused,
    };
    FileInfo {
        path: f.path.to_owned(),
        node: f.node,
        daemon_last: input.span(f).filter(|_| f.is_daemon()).map(|(_, last)| last),
        coverage,
        issues,
    }
}

#[inline(never)]
fn reading(f: &FileView<'_>, span: Option<(Timestamp, Timestamp)>) -> FileReading {
    let offset_ms = match (span, f.digest.span) {
        (Some((utc, _)), Some((local, _))) => utc.millis_since(local),
        _ => 0,
    };
    FileReading {
        span,
        density: f.digest.density.clone(),
        offset_ms,
        shapes: f.digest.shapes.clone(),
        log_bytes: f.bytes,
        kept_bytes: f.digest.events.packed_bytes() as u64,
    }
}
