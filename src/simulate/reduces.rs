//! Reduces: copying with several fetchers, merging, reducing.
//!
//! ```text
//! poll the master for finished maps ─> per host, one connection at a time ─> up to 5 at once
//! a host that refuses is left alone for 4, 8, 16 … s; the third refusal is told to the master
//! all outputs there ─> merge ─> [read + compute + write to HDFS] × chunks ─> commit
//! ```
//! Source: 0.20's `ReduceTask.ReduceCopier`, 3.x's `Fetcher` and `ShuffleSchedulerImpl`.

use super::chunk::Demand;
use super::machine::Resource;
use super::model::{Event, Model, Phase};
use super::record::{Error, Fetch, Notice};
use super::{Fault, Generation, Micros, micros, network};

/// Fetches at once (`mapred.reduce.parallel.copies`).
const FETCHERS: u32 = 5;
/// Seconds between polls.
const POLL_S: f64 = 1.5;
/// Share of a map output that the serving node must read from its disk again: most is still
/// in memory.
const FROM_DISK: f64 = 0.3;
/// Share of what is fetched that goes to disk while copying.
const TO_DISK: f64 = 0.6;
/// Core seconds of a serving node for a request.
const SERVE_CPU_S: f64 = 0.01;
/// Refusals after which a reduce tells the master.
const TELL_AFTER: u32 = 3;
/// Notifications after which the master does the map again.
const GIVE_UP_AFTER: u32 = 3;
/// Bytes of a chunk of the reduce phase.
const CHUNK_BYTES: f64 = 8e6;
/// Core seconds for a byte merged.
const MERGE_CPU: f64 = 0.004 / 1e6;
/// Share of the outputs that a reduce of HADOOP-1152 has when its file is gone.
const HANGS_AT: f64 = 0.5;
/// What a skewed reduce gets of the data.
const SKEWED: f64 = 0.6;

impl Model {
    pub(super) fn begin_copy(&mut self, attempt: usize) {
        let index = self.tasks[self.attempts[attempt].task].index;
        let reduces = self.plan_of(attempt).reduces.max(1) as f64;
        let even = match (self.spec.fault, index) {
            (Fault::Skew, 0) => SKEWED,
            (Fault::Skew, _) => (1.0 - SKEWED) / (reduces - 1.0).max(1.0),
            _ => 1.0 / reduces,
        };
        let noise = self.draw.factor(0.04);
        let doing = &mut self.doing[attempt];
        doing.share = even * noise;
        doing.phase = Phase::Copy;
        self.poll(attempt);
    }

    pub(super) fn poll(&mut self, attempt: usize) {
        if self.doing[attempt].phase != Phase::Copy {
            return;
        }
        let job = self.job_of(attempt);
        let new: Vec<usize> = self.managed[job].outputs.iter().skip(self.doing[attempt].seen).copied().collect();
        if !new.is_empty() {
            self.attempts[attempt].polls.push((self.now, new.len()));
        }
        self.doing[attempt].seen += new.len();
        for map in new {
            let node = self.attempts[map].node;
            self.doing[attempt].wanted.entry(node).or_default().push(map);
        }
        self.fetch_more(attempt);
        let node = self.attempts[attempt].node;
        let late = network::call_s(self.nodes[node].loss, &mut self.draw);
        self.after(POLL_S + late, Event::Poll(attempt));
    }

    fn maps_of(&self, attempt: usize) -> usize {
        self.jobs[self.job_of(attempt)].maps.len()
    }

    fn fetch_more(&mut self, attempt: usize) {
        if self.doing[attempt].phase != Phase::Copy {
            return;
        }
        let have = self.doing[attempt].have.len();
        if self.suffers(attempt, Fault::Hang1152) && have as f64 >= HANGS_AT * self.maps_of(attempt) as f64 {
            return self.hang(attempt);
        }
        while self.doing[attempt].fetching.len() < FETCHERS as usize {
            let Some((host, map)) = self.choose_fetch(attempt) else { return };
            self.begin_fetch(attempt, host, map);
        }
    }

    /// A host that is not being asked, from a random one on, and one of its outputs.
    fn choose_fetch(&mut self, attempt: usize) -> Option<(usize, usize)> {
        let job = self.job_of(attempt);
        let from = self.draw.below(self.spec.nodes);
        loop {
            let doing = &self.doing[attempt];
            let busy = |host: usize| {
                doing.fetching.iter().any(|f| self.attempts[self.fetches[*f].map].node == host)
                    || doing.penalty.get(&host).is_some_and(|(until, _)| *until > self.now)
            };
            let after = doing.wanted.range(from..).chain(doing.wanted.range(..from));
            let host = after.map(|(host, _)| *host).find(|host| !busy(*host))?;
            let map = self.doing[attempt].wanted.get_mut(&host).and_then(Vec::pop);
            if self.doing[attempt].wanted.get(&host).is_none_or(Vec::is_empty) {
                self.doing[attempt].wanted.remove(&host);
            }
            let Some(map) = map else { continue };
            let stale = self.managed[job].withdrawn.contains(&map);
            if !stale && !self.doing[attempt].have.contains(&self.attempts[map].task) {
                return Some((host, map));
            }
        }
    }

    fn begin_fetch(&mut self, attempt: usize, host: usize, map: usize) {
        let node = self.attempts[attempt].node;
        let loss = self.loss_between(host, node);
        let connect = if host == node { 0.0 } else { network::connect_s(loss, &mut self.draw) };
        let serve = SERVE_CPU_S / self.nodes[host].share(Resource::Cpu).max(0.01) + self.draw.between(0.002, 0.02);
        let bytes = self.plan_of(attempt).map_out * self.doing[attempt].share * self.draw.factor(0.1);
        let used: Vec<u32> = self.doing[attempt].fetching.iter().map(|f| self.fetches[*f].fetcher).collect();
        let fetcher = (1..=FETCHERS).find(|n| !used.contains(n)).unwrap_or(1);
        let port = self.port();
        let refused = self.nodes[host].crashed.is_some();
        let flowing = self.now + micros(connect + serve);
        let mut row =
            Fetch { reduce: attempt, map, fetcher, port, begun: self.now, flowing, bytes, ..Fetch::default() };
        let (length, held) = if refused {
            row.bytes = 0.0;
            (micros(0.05), Vec::new())
        } else {
            let demand = Demand {
                disks: vec![(host, bytes * FROM_DISK, false), (node, bytes * TO_DISK, true)],
                links: vec![(host, node, bytes)],
                ..Demand::default()
            };
            let (length, held) = self.begin(&demand);
            (micros(connect + serve) + length, held)
        };
        let fetch = self.fetches.push(row);
        self.fetch_held.push(held);
        self.doing[attempt].fetching.insert(fetch);
        self.at(self.now + length, Event::Fetched(fetch));
    }

    /// A fetch whose reduce is gone.
    pub(super) fn drop_fetch(&mut self, fetch: usize) {
        let held = std::mem::take(&mut self.fetch_held[fetch]);
        self.give_back(held);
        self.fetches[fetch].ended = Some(self.now);
    }

    pub(super) fn fetched(&mut self, fetch: usize) {
        if self.fetches[fetch].ended.is_some() {
            return;
        }
        self.drop_fetch(fetch);
        let Fetch { reduce, map, bytes, .. } = self.fetches[fetch];
        let host = self.attempts[map].node;
        self.doing[reduce].fetching.remove(&fetch);
        if self.nodes[host].crashed.is_some() {
            self.refused(fetch, reduce, map, host);
        } else {
            self.fetches[fetch].good = true;
            self.doing[reduce].have.insert(self.attempts[map].task);
            self.doing[reduce].penalty.remove(&host);
            let row = &mut self.attempts[reduce];
            row.shuffle_bytes += bytes;
            row.file_written += bytes * TO_DISK;
            let node = self.attempts[reduce].node;
            if self.nodes[node].full {
                return self.end_attempt(reduce, super::End::Failed, Error::NoSpace);
            }
        }
        if self.doing[reduce].phase == Phase::Copy && self.doing[reduce].have.len() >= self.maps_of(reduce) {
            self.begin_merge(reduce);
        } else {
            self.fetch_more(reduce);
        }
    }

    fn refused(&mut self, fetch: usize, reduce: usize, map: usize, host: usize) {
        let tries = self.doing[reduce].penalty.get(&host).map_or(0, |(_, n)| *n) + 1;
        let seconds = 1_u32 << (tries + 1).min(6);
        let until: Micros = self.now + micros(f64::from(seconds));
        self.fetches[fetch].penalty_s = seconds;
        self.doing[reduce].penalty.insert(host, (until, tries));
        self.doing[reduce].wanted.entry(host).or_default().push(map);
        if tries.is_multiple_of(TELL_AFTER) {
            let job = self.job_of(reduce);
            let told = self.managed[job].unfetchable.entry(map).or_default();
            *told += 1;
            let told = *told;
            self.notices.push((self.now, host, Notice::FetchFailed(map, told)));
            if told >= GIVE_UP_AFTER {
                self.withdraw(map, Error::FetchFailures);
            }
        }
    }

    fn begin_merge(&mut self, attempt: usize) {
        self.attempts[attempt].shuffled = Some(self.now);
        if self.suffers(attempt, Fault::Hang2080) {
            return self.hang(attempt);
        }
        self.doing[attempt].phase = Phase::Merge;
        let node = self.attempts[attempt].node;
        let bytes = self.attempts[attempt].shuffle_bytes;
        let on_disk = bytes * (1.0 - TO_DISK);
        self.attempts[attempt].file_written += on_disk;
        let floor_s = self.draw.between(0.1, 0.3);
        let demand = Demand {
            cpu: Some((node, bytes * MERGE_CPU)),
            disks: vec![(node, on_disk, true)],
            floor_s,
            ..Demand::default()
        };
        self.chunk(attempt, &demand);
    }

    pub(super) fn end_merge(&mut self, attempt: usize) {
        self.attempts[attempt].sorted = Some(self.now);
        let bytes = self.attempts[attempt].shuffle_bytes;
        let chunks = (bytes / CHUNK_BYTES).ceil().max(1.0) as u32;
        self.doing[attempt].chunks = chunks;
        self.work_reduce(attempt, chunks);
    }

    pub(super) fn work_reduce(&mut self, attempt: usize, left: u32) {
        if left == 0 {
            self.end_writing(attempt);
            return self.commit(attempt, 0.1);
        }
        self.doing[attempt].phase = Phase::Reduce(left - 1);
        let plan = self.plan_of(attempt);
        let node = self.attempts[attempt].node;
        let bytes = self.attempts[attempt].shuffle_bytes / f64::from(self.doing[attempt].chunks.max(1));
        let noise = self.draw.factor(0.1);
        self.attempts[attempt].file_read += bytes;
        let mut demand = Demand {
            cpu: Some((node, bytes * plan.reduce_cpu_s_per_byte * noise)),
            disks: vec![(node, bytes, false)],
            ..Demand::default()
        };
        if plan.reduce_out > 0.0 {
            self.write_chunk(attempt, bytes * plan.reduce_out, &mut demand);
        }
        self.chunk(attempt, &demand);
    }

    /// Whether 0.20's lines are written.
    pub(super) fn is_old(&self) -> bool {
        self.spec.generation == Generation::One
    }
}
