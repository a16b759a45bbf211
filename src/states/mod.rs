//! The events of all files, paired into states, tasks, jobs and flows (SALSA, the
//! white-box side of Kahuna §V; the decisions token by token are `states.md`'s).
//!
//! ```text
//! Digest ─ hosts (one identity a machine) ─ clock (one offset an archive)
//!        ├ attempts: TaskTracker, history, ApplicationMaster, containers → tasks, states
//!        ├ blocks:   DataNode → ReadBlock, WriteBlock, flows
//!        ├ shuffle:  served and fetched map outputs → Shuffle, flows
//!        └ samples:  rows of sysstat's tables → sadc-vectors
//! ```
//!
//! Pairing is by key and time, and every table is sorted before it is used, so the
//! trace depends on the set of files only. Cost: O(events · log events), two readings
//! of the digest.

mod attempts;
mod blocks;
mod clock;
mod hosts;
mod samples;
mod shuffle;

use crate::base::{Code, FileId, JobId, NodeId, Place, Timestamp};
use crate::model::{Clock, Coverage, Digest, FileDigest, FileInfo, Flow, Node, Row, State, States, Trace};
use hosts::Hosts;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// The format of a task's own log, which does not tell how long the observation lasted
/// (states.md §6).
const TASK_LOG: &str = "task-syslog";

/// Builds the trace. `tz_offset_ms` overrides the offset found between log times and UTC.
#[must_use]
pub fn build(digest: &Digest, tz_offset_ms: Option<i64>) -> Trace {
    let hosts = Hosts::join(digest);
    let clock = clock::Offsets::find(digest, tz_offset_ms);
    let mut input = Input::new(digest, &hosts, &clock);
    let mut found = Found::default();
    let histories = attempts::Histories::read(&input);
    input.close(&histories);
    attempts::pair(&input, &histories, &mut found);
    blocks::pair(&input, &mut found);
    shuffle::pair(&input, &histories, &mut found);
    found.into_trace(input, &hosts, &clock)
}

/// A file with what is known about its place in the cluster.
struct FileView<'a> {
    id: FileId,
    digest: &'a FileDigest,
    path: &'a str,
    node: Option<NodeId>,
    offset_ms: i64,
}

impl FileView<'_> {
    /// The file's rows with their times in UTC.
    fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        self.digest.events.iter().map(|mut row| {
            row.at = self.utc(row.at);
            row
        })
    }

    /// A time of this file in UTC.
    fn utc(&self, at: Timestamp) -> Timestamp {
        at.plus_millis(self.offset_ms)
    }

    /// The last time of a log that is not a task's own.
    fn daemon_last(&self) -> Option<Timestamp> {
        let daemon = self.digest.clock == Clock::Local && self.digest.format != TASK_LOG && !self.is_metrics();
        self.digest.span.filter(|_| daemon).map(|(_, last)| self.utc(last))
    }

    fn place(&self, line: u64) -> Place {
        Place { file: self.id, line }
    }

    /// Whether it holds metrics and nothing else.
    fn is_metrics(&self) -> bool {
        samples::METRICS_FORMATS.contains(&self.digest.format.as_str())
    }
}

/// All files, and what every pairing needs to know of the whole archive.
struct Input<'a> {
    files: Vec<FileView<'a>>,
    by_ip: BTreeMap<IpAddr, NodeId>,
    by_name: BTreeMap<String, NodeId>,
    /// Latest log time of any file that is not a task's own log.
    last: Option<Timestamp>,
    /// Finish of each job whose history has it.
    finishes: BTreeMap<JobId, Timestamp>,
}

impl<'a> Input<'a> {
    fn new(digest: &'a Digest, hosts: &Hosts, clock: &clock::Offsets) -> Self {
        let files = (0..)
            .zip(digest.files())
            .map(|(i, (key, file))| FileView {
                id: FileId(i),
                digest: file,
                path: &key.path,
                node: hosts.of_file(&key.path, file),
                offset_ms: if file.clock == Clock::Epoch { 0 } else { clock.of(&key.path) },
            })
            .collect::<Vec<_>>();
        let last = files.iter().filter_map(FileView::daemon_last).max();
        Self { files, by_ip: hosts.by_ip(), by_name: hosts.by_name(), last, finishes: BTreeMap::new() }
    }

    fn close(&mut self, histories: &attempts::Histories) {
        self.finishes = histories.finishes();
        if self.last.is_none() {
            self.last = self.files.iter().filter_map(|f| f.digest.span.map(|(_, last)| f.utc(last))).max();
        }
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
            files.sort_by_key(|f| (f.digest.span.map(|(first, _)| f.utc(first)), f.id));
        }
        daemons
    }

    fn node_named(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }
}

/// The end of a transfer, before the table of peers is complete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum End {
    Node(NodeId),
    Address(IpAddr),
}

/// What the pairings find.
#[derive(Default)]
struct Found {
    states: Vec<(State, Option<End>)>,
    flows: Vec<(Flow, Option<End>, Option<End>)>,
    tasks: Vec<crate::model::TaskAttempt>,
    jobs: Vec<crate::model::Job>,
    issues: Vec<(Place, Code)>,
    ran: std::collections::BTreeSet<NodeId>,
}

impl Found {
    fn into_trace(self, input: Input<'_>, hosts: &Hosts, clock: &clock::Offsets) -> Trace {
        let samples = samples::join(&input);
        let measured: std::collections::BTreeSet<NodeId> = samples.nodes().collect();
        // Without any log of Hadoop there is nothing else to tell peers by.
        let only_metrics = input.files.iter().all(|f| f.is_metrics() || f.digest.format.is_empty());
        let nodes: Vec<Node> = (0..)
            .zip(hosts.names())
            .map(|(i, name)| {
                let id = NodeId(i);
                let has = |formats: &[&str]| {
                    input.files.iter().any(|f| f.node == Some(id) && formats.contains(&f.digest.format.as_str()))
                };
                let ran = self.ran.contains(&id);
                let slave = has(&["datanode", "tasktracker"]);
                let master = has(&["namenode", "jobtracker", "resourcemanager"]);
                let alone = only_metrics && measured.contains(&id);
                Node { name: name.to_owned(), is_peer: ran || (slave && !master) || alone }
            })
            .collect();

        let mut peers: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        let mut addresses: Vec<IpAddr> = self
            .states
            .iter()
            .map(|(_, end)| end)
            .chain(self.flows.iter().flat_map(|(_, src, dest)| [src, dest]))
            .filter_map(|end| match end {
                Some(End::Address(ip)) => Some(*ip),
                _ => None,
            })
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        let base = peers.len();
        peers.extend(addresses.iter().map(ToString::to_string));
        let index = |end: Option<End>| match end? {
            End::Node(node) => Some(node.0),
            End::Address(ip) => addresses.binary_search(&ip).ok().and_then(|i| u32::try_from(base + i).ok()),
        };

        let states = self.states.into_iter().map(|(s, end)| State { peer: index(end), ..s }).collect();
        let mut flows: Vec<Flow> = self
            .flows
            .into_iter()
            .map(|(flow, src, dest)| Flow { src: index(src), dest: index(dest), ..flow })
            .collect();
        flows.sort_unstable();
        let mut tasks = self.tasks;
        tasks.sort_by_key(|t| (t.id, t.node));
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
            let spans = files.filter_map(|f| f.digest.span.map(|(a, b)| (f.utc(a), f.utc(b))));
            spans.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
        };
        let span = span_of(false).or_else(|| span_of(true));
        let files = input.files.iter().map(|f| file_info(f, &nodes, &mut extra)).collect();
        Trace {
            files,
            nodes,
            peers,
            jobs,
            tasks,
            states: States::from_rows(states),
            flows,
            samples,
            span,
            offset_ms: clock.main(),
            offset_pairs: clock.pairs(),
        }
    }
}

fn file_info(f: &FileView<'_>, nodes: &[Node], extra: &mut BTreeMap<(FileId, Code), (u64, Vec<u64>)>) -> FileInfo {
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
    let per_node = matches!(f.digest.format.as_str(), "tasktracker" | "datanode" | "nodemanager");
    if per_node && f.node.is_none() {
        issues.push((Code::UnknownNode, 1, vec![0]));
    }
    issues.sort();
    let why = issues
        .iter()
        .max_by_key(|(code, count, _)| (code.about().severity, *count))
        .map(|(code, ..)| format!("{}; {}", code.about().text, code.about().advice));
    let coverage = Coverage {
        file: f.path.to_owned(),
        format: (!f.digest.format.is_empty()).then(|| f.digest.format.clone()),
        node: f.node.and_then(|n| nodes.get(n.index())).map(|n| n.name.clone()),
        lines: f.digest.lines,
        understood: f.digest.understood,
        skipped: f.digest.skipped,
        why,
    };
    FileInfo { path: f.path.to_owned(), node: f.node, daemon_last: f.daemon_last(), coverage, issues }
}
