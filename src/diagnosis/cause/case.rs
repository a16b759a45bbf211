//! One node asked by rule after rule.

use super::rule::Rule;
use super::{BEYOND_HOGS, Causes, DATA_BOUND, GIVEN_UP, LOOKED_AT_MS, SLOW_WRITES, Symptoms, Told, of_jvms};
use crate::base::{Interval, NodeId, Timestamp};
use crate::diagnosis::Signal;
use crate::diagnosis::kahuna_bb::shift::{self, Shift};
use crate::diagnosis::syscalls::Hog;
use crate::model::{ComplaintKind, FlowKind, Metric, StateKind};
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeMap;

/// One node, and what the rules ask of it.
pub(super) struct Case<'a> {
    causes: &'a Causes<'a>,
    node: NodeId,
    symptoms: &'a Symptoms,
    shift: Shift,
    metrics: Option<Told>,
    /// Whether some time is known in which its metrics may be looked at.
    is_timed: bool,
    /// How many times slower its maps and its block writes are.
    maps: f64,
    writes: f64,
    /// Words of connections that fail or are slow; a stop of the node's own; its loss.
    connections: bool,
    paused: bool,
    lost: bool,
}

impl<'a> Case<'a> {
    pub(super) fn of(causes: &'a Causes<'a>, node: NodeId, symptoms: &'a Symptoms) -> Self {
        use ComplaintKind::{
            FetchFailed, GcPaused, LostNode, Paused, SlowConnect, SlowMirror, SlowNetwork, Unreachable,
        };
        let Symptoms { slower, odd, since, .. } = symptoms;
        // Where the metrics were never odd as a whole, they are looked at from when the rest was.
        let rest: Vec<Interval> =
            since.map(|since| Interval::new(since, Timestamp::from_millis(i64::MAX))).into_iter().collect();
        let during = if odd.is_empty() { &rest } else { odd };
        let shift = shift::of(causes.trace, node, during);
        let slow = |signal: Signal| slower.get(&signal).copied().unwrap_or(0.0);
        let word = |kind: ComplaintKind| slower.contains_key(&Signal::Complaints(kind));
        Self {
            metrics: Told::by(&shift),
            shift,
            is_timed: !during.is_empty(),
            maps: causes.maps_take(node, symptoms),
            writes: slow(Signal::States(StateKind::WriteBlock)).max(slow(Signal::Transfers(FlowKind::Write))),
            connections: [FetchFailed, Unreachable, SlowNetwork, SlowConnect, SlowMirror].map(word).contains(&true),
            paused: word(Paused) || word(GcPaused),
            lost: word(LostNode) || slower.contains_key(&Signal::Silence),
            causes,
            node,
            symptoms,
        }
    }

    /// It is full or away.
    pub(super) fn fallen(&self) -> Option<Rule> {
        let Self { causes, node, metrics, .. } = *self;
        // Work that was under way when it fell began before.
        let since = self.symptoms.fell.or(self.symptoms.since);
        let ended = self.lost && causes.started_anew(node);
        let rejoined = self.lost && !ended && causes.rejoined(node, since);
        let goes_on = self.lost && !ended && causes.goes_on(node);
        let is_full = || {
            // A daemon that ends for lack of space says so shortly before.
            let shortly_before = since.map(|since| since.plus_millis(-LOOKED_AT_MS));
            self.attempts_say(ComplaintKind::NoSpace)
                || (self.word(ComplaintKind::BadDisk) && causes.is_said_full(node, None))
                || (self.lost && causes.is_said_full(node, shortly_before))
        };
        if self.word(ComplaintKind::NoSpace) || is_full() {
            Some(Rule::Full)
        } else if self.lost && !rejoined && !goes_on && (ended || !causes.lives_on(node, since)) {
            Some(if causes.another_goes_on(node, since) { Rule::DaemonGone } else { Rule::Gone })
        } else if (rejoined || goes_on) && !self.has_slow_flows() && causes.stood_while_reached(node) {
            Some(Rule::DaemonStood)
        } else if self.stood_by_its_own_log() && !matches!(metrics, Some(Told::Disk | Told::Cpu)) {
            Some(Rule::StoodLong)
        } else if self.lost
            && (matches!(metrics, Some(Told::Quiet | Told::Idle))
                || causes.hears_nobody(node, since)
                || ((rejoined || goes_on) && metrics.is_none() && !self.paused))
        {
            Some(Rule::Unheard)
        } else {
            self.word(ComplaintKind::BadDisk).then_some(Rule::BadFolders)
        }
    }

    /// Its tasks do not end.
    pub(super) fn still(&self) -> Option<Rule> {
        let Self { causes, node, metrics, .. } = *self;
        if self.word(ComplaintKind::TimedOut) || self.attempts_say(ComplaintKind::TimedOut) {
            Some(Rule::TimedOut)
        } else if self.has_slow_flows() {
            None
        } else if causes.stood_still(node, metrics, !self.symptoms.odd.is_empty(), self.writes >= SLOW_WRITES) {
            Some(Rule::Standing)
        } else {
            let overtaken = self.writes < SLOW_WRITES && causes.stands_still_since(node, metrics, self.maps > 0.0);
            overtaken.then_some(Rule::Overtaken)
        }
    }

    /// Whether its JVMs start slowly in the jobs that show it, as under a processor that is taken.
    fn starts_slowly(&self) -> bool {
        self.causes.slower(self.node, &self.symptoms.scope, self.symptoms.since).starts_slowly()
    }

    /// What its transfers, its system calls and its metrics tell.
    pub(super) fn measured(&self) -> Option<Rule> {
        let metrics = self.metrics;
        let is_odd = !self.symptoms.odd.is_empty();
        // Metrics that accuse nobody are not looked at for what nothing but a network does.
        if !is_odd && self.only_connections_are_late() {
            return Some(Rule::LateToConnect);
        }
        let (beyond_maps, slow_fetches) = match self.causes.writes_are_known(self.node) {
            // A disk may hold them up, and its writes would not be seen.
            false => (DATA_BOUND, Rule::FarSlowFetches),
            true if metrics == Some(Told::Cpu) || (metrics.is_none() && self.starts_slowly()) => {
                (DATA_BOUND, Rule::SlowFetches)
            }
            true => (1.0, Rule::SlowFetches),
        };
        // A processor that was taken when its maps had ended can show in its fetches alone, and holds them up as it would maps.
        let is_taken_since = metrics == Some(Told::Cpu)
            && self.slow_by(Signal::Transfers(FlowKind::Shuffle)) <= BEYOND_HOGS
            && self.causes.maps_were_over(self.node, self.symptoms.since);
        if !is_taken_since
            && self.slow_by(Signal::Transfers(FlowKind::Shuffle)) > beyond_maps * self.maps.max(1.0)
            && self.writes < SLOW_WRITES
            && metrics != Some(Told::Disk)
        {
            return Some(slow_fetches);
        }
        match metrics {
            Some(Told::Quiet) if is_odd => return Some(Rule::Quiet),
            _ if self.word(ComplaintKind::MapOutputLost) => return Some(Rule::OutputsLost),
            _ if self.word(ComplaintKind::FetchedOutputLost) => return Some(Rule::InputsLost),
            _ if self.shows(Signal::Hog(Hog::Network)) => return Some(Rule::SlowConnects),
            _ if self.shows(Signal::Hog(Hog::Disk)) => return Some(Rule::SlowLookups),
            Some(Told::Disk) if self.word(ComplaintKind::SlowMirror) => return Some(Rule::LateHops),
            Some(Told::Disk) => {
                let is_awaited = self.shift.of_metric(Metric::Iowait) == shift::Moved::Up;
                return Some(if is_awaited { Rule::DiskAwaited } else { Rule::MoreWritten });
            }
            Some(Told::Cpu) => {
                let is_queue_measured = self.shift.of_metric(Metric::RunQueue) != shift::Moved::Unknown;
                match (self.causes.knows_tasks_of(self.node), is_queue_measured) {
                    (true, true) => return Some(Rule::ProcessorTaken),
                    (true, false) => return Some(Rule::ProcessorBusy),
                    (false, true) => return Some(Rule::ProcessorTakenUntold),
                    (false, false) => {}
                }
            }
            Some(Told::Idle) if is_odd => {
                return Some(if self.has_slow_flows() || self.connections { Rule::Starved } else { Rule::Idle });
            }
            _ => {}
        }
        let idle_disk = self.disk_is_idle();
        if idle_disk && self.writes >= SLOW_WRITES {
            Some(Rule::SlowWritesIdleDisk)
        } else if idle_disk && self.word(ComplaintKind::BrokenPipeline) {
            Some(Rule::BrokenWritesIdleDisk)
        } else {
            (self.shift.of_metric(Metric::BlocksWritten) == shift::Moved::Up).then_some(Rule::MoreWritten)
        }
    }

    /// What its maps and blocks tell, and connections that are not to be had.
    pub(super) fn slow(&self) -> Option<Rule> {
        let Self { causes, node, .. } = *self;
        let (scope, since) = (&self.symptoms.scope, self.symptoms.since);
        let slow_maps = self.maps > 0.0;
        if self.slow_by(Signal::Complaints(ComplaintKind::Unreachable)) >= GIVEN_UP && !self.word(ComplaintKind::Died) {
            return Some(Rule::Unreachable);
        }
        // What is slow as if by its disk is not by its disk where nobody waits for that.
        let idle_disk = self.disk_is_idle();
        if idle_disk && slow_maps && self.has_slow_flows() && !self.processor_is_asked_for() {
            return Some(Rule::SlowTransfersIdleDisk);
        }
        // A processor that is taken holds up maps and blocks alike, and so does a disk: how JVMs start tells them apart.
        let slower = causes.slower(node, scope, since);
        let of_jvms = slow_maps.then(|| of_jvms(slower)).flatten();
        let slow_blocks = self.writes >= SLOW_WRITES || self.slow_by(Signal::States(StateKind::ReadBlock)) > 0.0;
        if of_jvms != Some(Rule::SlowStarts) && slow_blocks && self.only_connections_are_called_slow() {
            return Some(Rule::SlowConnections);
        }
        of_jvms.filter(|rule| *rule != Rule::SlowWork || !idle_disk).or_else(|| {
            if !idle_disk && slow_blocks {
                (!slow_maps || slower.starts_well()).then_some(Rule::SlowBlocks)
            } else {
                let is_told = slower.starts_slowly() || (idle_disk && !slower.starts_well());
                (slow_maps && is_told && causes.writes_are_known(node)).then_some(Rule::SlowMaps)
            }
        })
    }

    /// What daemons and masters say.
    pub(super) fn complained(&self) -> Option<Rule> {
        use ComplaintKind::{FetchFailed, SlowNetwork, Unreachable};
        if self.word(ComplaintKind::Died) {
            Some(Rule::DaemonDied)
        } else if self.word(ComplaintKind::SlowDisk) || self.word(ComplaintKind::BadChecksum) {
            Some(Rule::DiskWords)
        } else if [FetchFailed, Unreachable, SlowNetwork].into_iter().any(|kind| self.word(kind))
            || (self.word(ComplaintKind::AttemptFailed) && self.causes.has_no_way(self.node))
            // It lives and says so too: a disk that is waited for says other things.
            || (self.word(ComplaintKind::BrokenPipeline)
                && self.causes.hears_nobody(self.node, self.symptoms.since))
        {
            Some(Rule::NetworkWords)
        } else if self.word(ComplaintKind::SlowConnect) || self.word(ComplaintKind::SlowMirror) {
            Some(Rule::LateToConnect)
        } else {
            (self.lost || self.shows(Signal::Outrun) || self.paused).then_some(Rule::Stopped)
        }
    }

    /// Whether a signal accuses the node.
    fn shows(&self, signal: Signal) -> bool {
        self.symptoms.slower.contains_key(&signal)
    }

    fn word(&self, kind: ComplaintKind) -> bool {
        self.shows(Signal::Complaints(kind))
    }

    /// Whether a daemon of it says that it stood still for long: whatever was slow meanwhile waited for it.
    fn stood_by_its_own_log(&self) -> bool {
        self.word(ComplaintKind::Paused) && self.causes.stood_long(self.node)
    }

    /// How many times slower a signal says that it is; 0 where it says nothing.
    fn slow_by(&self, signal: Signal) -> f64 {
        self.symptoms.slower.get(&signal).copied().unwrap_or(0.0)
    }

    fn has_slow_flows(&self) -> bool {
        [FlowKind::Shuffle, FlowKind::Read, FlowKind::Write]
            .iter()
            .any(|kind| self.slow_by(Signal::Transfers(*kind)) > 0.0)
    }

    /// Whether nothing is said of it but that connections with it take a second.
    fn only_connections_are_late(&self) -> bool {
        let late = [ComplaintKind::SlowConnect, ComplaintKind::SlowMirror].map(Signal::Complaints);
        !self.symptoms.slower.is_empty() && self.symptoms.slower.keys().all(|signal| late.contains(signal))
    }

    /// Whether its connections are called slow, and its disk no more often than is usual among its peers: on healthy nodes,
    /// too, a disk is called slow now and then.
    fn only_connections_are_called_slow(&self) -> bool {
        let mut counts: BTreeMap<NodeId, usize> = BTreeMap::new();
        let since = self.symptoms.since;
        let slow_disks = self.causes.trace.complaints.iter().filter(|c| c.kind == ComplaintKind::SlowDisk);
        let slow_disks = slow_disks.filter(|c| since.is_none_or(|since| c.at >= since));
        for node in slow_disks.filter_map(|c| c.of) {
            *counts.entry(node).or_default() += 1;
        }
        let own = counts.remove(&self.node).unwrap_or(0);
        // Of all peers, those that none complains of too.
        let peers = self.causes.trace.peer_nodes().filter(|node| *node != self.node);
        let usual = median(&sorted(peers.map(|node| counts.get(&node).copied().unwrap_or(0) as f64)));
        let is_said = self.word(ComplaintKind::SlowNetwork) || self.word(ComplaintKind::SlowMirror);
        is_said && usual.is_none_or(|usual| own as f64 <= usual)
    }

    /// Whether metrics of a known time show that nobody waits for its disk more than for its peers'.
    fn disk_is_idle(&self) -> bool {
        self.is_timed && self.shift.is_not_up(Metric::Iowait)
    }

    /// Whether more of its tasks than of its peers' wait for the processor.
    fn processor_is_asked_for(&self) -> bool {
        self.shift.of_metric(Metric::RunQueue) == shift::Moved::Up
    }

    /// Whether the error of an attempt on the node complains of it.
    fn attempts_say(&self, kind: ComplaintKind) -> bool {
        let mut own = self.causes.trace.tasks.iter().filter(|t| t.node == Some(self.node));
        own.any(|t| t.complains_of() == Some(kind))
    }
}
