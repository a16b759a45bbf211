//! The events of all files, paired into states, tasks, jobs and flows (SALSA, the
//! white-box side of Kahuna §V); which line begins and which ends a state, each of its rooms tells.
//!
//! ```text
//! Digest ─ copies (the same log once) ─ hosts (one identity a machine) ─ clock (one offset an archive)
//!        ├ attempts: TaskTracker, JobTracker, history, ApplicationMaster, NodeManager, containers → tasks, states
//!        ├ basis:    what metrics are joined and compared by, where that is done elsewhere
//!        ├ samples:  rows of sysstat's tables → sadc-vectors, where it is not
//!        ├ blocks:   DataNode → ReadBlock, WriteBlock, flows
//!        ├ shuffle:  served and fetched map outputs → Shuffle, flows
//!        ├ open_fetches: map outputs that reduces wait for until they end → complaints
//!        ├ complaints: trouble in any log → who complains of whom
//!        ├ mirrors:  connections along write pipelines that took a second → complaints
//!        ├ calls:    strace → system calls
//!        └ skew, clusters: how far clocks are apart, which nodes are of one cluster
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
mod clusters;
mod complaints;
mod copies;
mod ends;
mod files;
mod hosts;
mod input;
mod mirrors;
mod open_fetches;
mod samples;
mod shuffle;
mod skew;

use crate::base::{Arrange, AttemptId, Code, FileId, Gathered, JobId, NodeId, Place, Timestamp};
use crate::model::{
    ClockChoice, Clocks, Content, Digest, FileDigest, Flow, Node, Samples, State, Trace, packed::Growing,
};
pub use basis::Basis;
use copies::Copies;
use ends::{End, Ends};
use hosts::Hosts;
use input::{FileView, Input};
use std::collections::{BTreeMap, BTreeSet};

/// Builds the trace. `clocks`: an offset between log times and UTC instead of the one found,
/// and whether the nodes' skews are taken out.
#[must_use]
pub fn build(digest: &Digest, clocks: impl Into<ClockChoice>) -> Trace {
    built(digest, clocks.into(), None)
}

/// The trace without metrics, for who has them joined elsewhere: `others` hears by what, as soon as that is known.
/// Where nothing but metrics tells who is a peer it hears nothing, and they are there; where clocks turn out to be
/// other than they were taken for, it hears again.
#[must_use]
pub fn build_without_metrics(digest: &Digest, clocks: impl Into<ClockChoice>, others: &mut dyn FnMut(Basis)) -> Trace {
    built(digest, clocks.into(), Some(others))
}

/// Whether a file holds metrics and nothing else.
#[must_use]
pub fn is_metrics(file: &FileDigest) -> bool {
    crate::model::formats::METRICS.contains(&file.format.as_str())
}

fn built(digest: &Digest, choice: ClockChoice, mut others: Option<&mut dyn FnMut(Basis)>) -> Trace {
    let copies = Copies::find(digest);
    let hosts = Hosts::join(digest, &copies.originals(digest));
    let mut clock = clock::Offsets::find(digest, &copies, &hosts, choice.tz_offset_ms);
    let mut known = None;
    loop {
        let input = Input::new(digest, &copies, &hosts, &clock);
        match paired(input, &hosts, &clock, choice.fix_clocks, known.take(), &mut others) {
            Ok(trace) => return Trace { content: Content::of(digest), ..trace },
            Err(Otherwise::Zones(moves)) => clock.move_zones(moves),
            Err(Otherwise::Set(skew)) => known = Some(skew),
        }
    }
}

/// What clocks turn out to be while all is paired by what they were taken for.
enum Otherwise {
    /// Nodes are in other zones.
    Zones(Vec<clock::Moved>),
    /// Some were set meanwhile.
    Set(skew::Found),
}

/// Pairs everything; `known`: how far clocks are off, if that is known.
fn paired(
    mut input: Input<'_>,
    hosts: &Hosts,
    clock: &clock::Offsets,
    fix_clocks: bool,
    known: Option<skew::Found>,
    others: &mut Option<&mut dyn FnMut(Basis)>,
) -> Result<Trace, Otherwise> {
    let mut found = Found::default();
    let mut histories = attempts::Histories::read(&input);
    // How far clocks are off is found before all else where it is to be taken out, else on the way.
    let is_known = known.is_some();
    let mut skew = known.unwrap_or_default();
    let mut gathered = None;
    if !is_known {
        let mut messages = skew::Gathered::of_histories(&input, &histories, hosts.names().count());
        if fix_clocks {
            messages.read_logs(&input);
            skew = messages.estimate(skew::Shuffles::read(&input));
            clock.told_by(&input, &skew.skews).map_err(Otherwise::Zones)?;
        } else {
            gathered = Some(messages);
        }
    }
    let corrections = skew::Corrections::take(&input, &mut skew, fix_clocks);
    if !corrections.is_empty() {
        found.notes.extend(skew.set.iter().map(|set| (Code::ClockSet, set.in_words(hosts.name(set.node)))));
        let places = skew.set.iter().filter_map(|set| Some((input.first_of(set.node, set.at)?, Code::ClockSet)));
        found.issues.extend(places);
        input.corrections = corrections;
        histories = attempts::Histories::read(&input);
    }
    input.close(&histories);
    attempts::pair(&input, histories, &mut found);
    let names: Vec<&str> = hosts.names().collect();
    found.clusters = clusters::find(&input, &names, &mut found);
    let measured = samples::files_of_nodes(&input, &mut found);
    samples::tell_differences(&input, &measured, &mut found);
    match others.as_mut().filter(|_| !basis::peers_by_logs(&input, &found.ran).is_empty()) {
        Some(others) => others(Basis::of(&input, hosts, &found)),
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
        clock.told_by(&input, &skew.skews).map_err(Otherwise::Zones)?;
        if !skew.set.is_empty() {
            return Err(Otherwise::Set(skew));
        }
    }
    complaints::pair(&input, &mut found);
    mirrors::complain(&input, &mut skew, &mut found);
    calls::gather(&input, &mut found);
    Ok(found.into_trace(input, hosts, clock, skew))
}

/// What the pairings find.
#[derive(Default)]
struct Found {
    states: Growing<State>,
    flows: Growing<Flow>,
    /// See [`Trace::clients_untold`].
    clients_untold: BTreeSet<FileId>,
    /// What peers, sources and destinations are numbers of.
    ends: Ends,
    tasks: Vec<crate::model::TaskAttempt>,
    /// See [`Trace::under_way`].
    under_way: BTreeMap<AttemptId, Timestamp>,
    /// See [`Trace::began_before`].
    began_before: BTreeSet<AttemptId>,
    /// See [`Trace::got_on_ms`].
    got_on_ms: BTreeMap<AttemptId, i64>,
    /// When reduces ended that had not copied all by then.
    copied_until: BTreeMap<AttemptId, Timestamp>,
    jobs: Vec<crate::model::Job>,
    confs: BTreeMap<JobId, crate::model::JobConf>,
    queues: BTreeMap<JobId, Box<str>>,
    memory: BTreeMap<(JobId, crate::model::TaskType), crate::model::TaskMemory>,
    complaints: Vec<crate::model::Complaint>,
    /// See [`Trace::mirrors`].
    mirrors: Vec<crate::model::Mirrors>,
    calls: crate::model::Calls,
    samples: Samples,
    /// Noted while they are paired, where clocks are estimated by them.
    shuffles: Option<skew::Shuffles>,
    issues: Vec<(Place, Code)>,
    notes: Vec<(Code, String)>,
    ran: BTreeSet<NodeId>,
    masters: clusters::Masters,
    /// See [`Trace::clusters`].
    clusters: Vec<Vec<NodeId>>,
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
        let watched = samples.nodes().chain(self.calls.nodes()).gathered();
        let nodes = basis::nodes(&input, hosts, &self.ran, &watched);

        let mut peers: Vec<String> = nodes.iter().map(|n| n.name.clone()).collect();
        let (addresses, place) = self.ends.settle(u32::try_from(nodes.len()).unwrap_or(u32::MAX));
        peers.extend(addresses);
        let states = self.states.finish(&place);
        let flows = self.flows.finish(&place);
        let mut tasks = self.tasks;
        // Histories give them in this order, and sorting takes half as much memory again.
        if !tasks.is_sorted_by_key(|t| (t.id, t.node)) {
            tasks.arrange_by(|t| (t.id, t.node));
        }
        let mut complaints = self.complaints;
        complaints.arrange(Ord::cmp);
        let mut jobs = self.jobs;
        jobs.arrange_by(|j| j.id);

        let span = span(&input);
        let mut issues = issues_by_file(self.issues);
        let mut info = |f: &FileView<'_>| files::info(f, &input, &nodes, issues.remove(&f.id).unwrap_or_default());
        let files = input.files.iter().map(&mut info).collect();
        let readings = input.files.iter().map(|f| files::reading(f, input.span(f))).collect();
        let clocks = Clocks {
            source: clock.source,
            zones: clock.zones.clone(),
            reference: reference_name(skew.reference, &nodes),
            skews: skew.skews,
            told: clock.told,
        };
        let (racks, capacities) = (files::racks(&input), files::capacities(&input));
        Trace {
            readings,
            files,
            nodes,
            addresses: hosts.by_ip(),
            peers,
            racks,
            capacities,
            processors: samples::processors(&input),
            clusters: self.clusters,
            confs: self.confs,
            queues: self.queues,
            memory: self.memory,
            jobs,
            tasks,
            under_way: self.under_way,
            began_before: self.began_before,
            got_on_ms: self.got_on_ms,
            states,
            flows,
            clients_untold: self.clients_untold,
            complaints,
            mirrors: self.mirrors,
            samples,
            calls: self.calls,
            span,
            offset_ms: clock.main(),
            offset_pairs: clock.pairs(),
            clocks,
            notes: self.notes,
            ..Trace::default()
        }
    }
}

/// The issues that pairing found, by file and code.
fn issues_by_file(found: Vec<(Place, Code)>) -> BTreeMap<FileId, files::Issues> {
    let mut issues: BTreeMap<FileId, files::Issues> = BTreeMap::new();
    for (place, code) in found {
        let (count, lines) = issues.entry(place.file).or_default().entry(code).or_default();
        *count += 1;
        lines.push(place.line);
    }
    issues
}

/// The first and last time of the logs, or where there are none of the metrics.
fn span(input: &Input<'_>) -> Option<(Timestamp, Timestamp)> {
    let span_of = |metrics: bool| {
        let files = input.files.iter().filter(|f| f.is_metrics() == metrics && !f.is_beside());
        files.filter_map(|f| input.span(f)).reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))
    };
    span_of(false).or_else(|| span_of(true))
}

/// What the clock is called that others are compared with.
fn reference_name(reference: skew::Reference, nodes: &[Node]) -> String {
    match reference {
        skew::Reference::Node(node) => nodes.get(node.index()).map_or(String::new(), |n| n.name.clone()),
        skew::Reference::Master => "master".to_owned(),
        skew::Reference::Median => "median".to_owned(),
    }
}
