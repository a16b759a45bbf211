//! A month of a cluster as Theia's evaluation had it (T21, T22): 64 nodes, 1,373 jobs, 1.85
//! million tasks; 157 jobs with bugs of their own, two with skewed data, 45 incidents of
//! nodes, of which four on blacklisted nodes and eight while nothing ran there.
//!
//! It is made by mechanism, from seeded draws: jobs arrive by day more than by night, their
//! sizes are log-normal, tasks take the earliest free slot, their time is a start and bytes
//! at a rate with noise, nodes differ a little and have busy minutes, one task in 70 is a
//! straggler, some attempts fail for no reason and are tried again, slow ones are run twice.
//! A sick node's disk is slower for a while and its attempts fail now and then. The rules of
//! the diagnosis appear nowhere in it.

#![allow(dead_code, reason = "each test uses a part")]

pub mod daemons;
pub mod write;

use oddnode::base::math;
use oddnode::stats::random::Shuffler;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, VecDeque};

pub const HOUR_MS: i64 = 3_600_000;
const DAY_MS: i64 = 24 * HOUR_MS;
/// 1 October 2012, 00:00 UTC.
pub const BEGIN_MS: i64 = 1_349_049_600_000;
const MAP_SLOTS: usize = 8;
const REDUCE_SLOTS: usize = 4;
const BLOCK: f64 = 64.0 * 1024.0 * 1024.0;

/// How much of a month.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    pub nodes: usize,
    pub jobs: usize,
    pub tasks: usize,
    pub days: i64,
    pub application: usize,
    pub skew: usize,
    pub seen: usize,
    pub blacklisted: usize,
    pub idle: usize,
}

/// The paper's.
pub const PAPER: Scale = Scale {
    nodes: 64,
    jobs: 1373,
    tasks: 1_850_000,
    days: 30,
    application: 157,
    skew: 2,
    seen: 33,
    blacklisted: 4,
    idle: 8,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planted {
    Nothing,
    Application,
    Skew,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Seen,
    Blacklisted,
    Idle,
}

/// What is wrong with a node, and when.
#[derive(Clone, Debug)]
pub struct Sick {
    pub node: usize,
    pub from_ms: i64,
    pub to_ms: i64,
    pub kind: Kind,
    /// Its data take so many times longer.
    slower: f64,
    /// Its attempts fail with this chance.
    fails: f64,
    error: &'static str,
}

/// Where a job's own bug is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bug {
    None,
    Map,
    Reduce,
    Record,
    Setup,
    Init,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Success,
    Failed,
    Killed,
}

#[derive(Clone, Debug)]
pub struct Attempt {
    /// `m`, `r`, or `s` for the job's set-up.
    pub letter: char,
    pub task: u32,
    pub number: u32,
    pub node: usize,
    pub start_ms: i64,
    pub shuffle_ms: i64,
    pub sort_ms: i64,
    pub end_ms: i64,
    pub end: End,
    pub bytes: i64,
    pub error: Option<&'static str>,
}

#[derive(Clone, Debug)]
pub struct Job {
    pub number: u32,
    pub name: String,
    pub user: String,
    pub queue: &'static str,
    pub submit_ms: i64,
    pub finish_ms: i64,
    pub end: End,
    pub maps: u32,
    pub reduces: u32,
    pub attempts: Vec<Attempt>,
    pub planted: Planted,
}

pub struct Month {
    pub scale: Scale,
    rng: Shuffler,
    plans: VecDeque<Plan>,
    pub sick: Vec<Sick>,
    speed: Vec<f64>,
    map_slots: Vec<(i64, usize)>,
    reduce_slots: Vec<(i64, usize)>,
}

struct Plan {
    number: u32,
    submit_ms: i64,
    user: usize,
    kind: usize,
    maps: u32,
    reduces: u32,
    bug: Bug,
    skew: bool,
}

const KINDS: [&str; 8] = [
    "kmeans_iteration",
    "FeatureExtract",
    "PageRank",
    "SentenceExtractor",
    "IndexBuild",
    "log-join",
    "ngram-count",
    "Sampler",
];
const QUEUES: [&str; 3] = ["default", "research", "class"];
const BUGS: [&str; 5] = [
    "java.lang.NullPointerException",
    "java.lang.ArrayIndexOutOfBoundsException: 17",
    "java.lang.OutOfMemoryError: Java heap space",
    "java.lang.RuntimeException: java.lang.ClassNotFoundException: edu.lab.Tokenizer",
    "java.io.IOException: Type mismatch in value from map",
];
const ORDINARY: [&str; 2] = [
    "java.io.IOException: Task process exit with nonzero status of 134.",
    "Task attempt failed to report status for 601 seconds. Killing!",
];
const DISK: &str = "FSError: java.io.IOException: Input/output error";
const NIC: &str = "Too many fetch-failures";

impl Month {
    pub fn new(scale: Scale, seed: u64) -> Self {
        let mut rng = Shuffler::new(seed);
        let plans = plan(&scale, &mut rng);
        let sick = incidents(&scale, &plans, &mut rng);
        let speed = (0..scale.nodes).map(|_| math::exp(0.05 * normal(&mut rng))).collect();
        let slots = |each: usize| (0..scale.nodes * each).map(|slot| (BEGIN_MS, slot / each)).collect();
        Self {
            scale,
            rng,
            plans: plans.into(),
            sick,
            speed,
            map_slots: slots(MAP_SLOTS),
            reduce_slots: slots(REDUCE_SLOTS),
        }
    }

    /// The next job, run; jobs come in order of submission.
    pub fn next_job(&mut self) -> Option<Job> {
        let plan = self.plans.pop_front()?;
        Some(Runner::new(self, &plan).run())
    }

    fn illness(&self, node: usize, at: i64) -> Option<&Sick> {
        self.sick.iter().find(|s| s.node == node && s.from_ms <= at && at < s.to_ms)
    }
}

pub fn normal(rng: &mut Shuffler) -> f64 {
    // Twelve uniform draws: near enough, and the same bits everywhere.
    (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0
}

fn between(rng: &mut Shuffler, a: f64, b: f64) -> f64 {
    a + (b - a) * rng.unit()
}

fn plan(scale: &Scale, rng: &mut Shuffler) -> Vec<Plan> {
    let mut sizes: Vec<f64> = (0..scale.jobs).map(|_| math::exp(1.7 * normal(rng)).min(60.0)).collect();
    let total: f64 = sizes.iter().sum();
    sizes.iter_mut().for_each(|s| *s = (*s / total * scale.tasks as f64).max(1.0));
    let mut submits: Vec<i64> = (0..scale.jobs)
        .map(|_| {
            loop {
                let at = (rng.unit() * (scale.days * DAY_MS) as f64) as i64;
                // By night a tenth as much.
                let hour = at % DAY_MS / HOUR_MS;
                if (9..20).contains(&hour) || rng.unit() < 0.1 {
                    break BEGIN_MS + at;
                }
            }
        })
        .collect();
    submits.sort_unstable();
    let mut order: Vec<usize> = (0..scale.jobs).collect();
    rng.shuffle(&mut order);
    let application: BTreeSet<usize> = order.iter().copied().take(scale.application).collect();
    // A hot key needs reduces to be hot among.
    let wide = |i: &&usize| (200.0..5000.0).contains(&sizes[**i]) && !application.contains(i);
    let skewed: BTreeSet<usize> = order.iter().filter(wide).copied().take(scale.skew).collect();
    (0..scale.jobs)
        .map(|i| {
            let share = between(rng, 0.02, 0.15);
            let without = rng.unit() < 0.25 && !skewed.contains(&i);
            let mut reduces = if without { 0 } else { (sizes[i] * share).clamp(1.0, 200.0) as u32 };
            let bug = match (application.contains(&i), rng.unit()) {
                (false, _) => Bug::None,
                (true, x) if x < 0.35 => Bug::Map,
                (true, x) if x < 0.6 => Bug::Reduce,
                (true, x) if x < 0.85 => Bug::Record,
                (true, x) if x < 0.95 => Bug::Setup,
                _ => Bug::Init,
            };
            if bug == Bug::Reduce || skewed.contains(&i) {
                reduces = reduces.max(8);
            }
            Plan {
                number: i as u32 + 1,
                submit_ms: submits[i],
                user: rng.below(20),
                kind: rng.below(KINDS.len()),
                maps: (sizes[i] as u32).saturating_sub(reduces).max(1),
                reduces,
                bug,
                skew: skewed.contains(&i),
            }
        })
        .collect()
}

/// Disks and controllers fail again on the nodes on which they failed before, so 45
/// incidents are on some 14 nodes.
fn incidents(scale: &Scale, plans: &[Plan], rng: &mut Shuffler) -> Vec<Sick> {
    let bad: Vec<usize> = {
        let mut nodes: Vec<usize> = (0..scale.nodes).collect();
        rng.shuffle(&mut nodes);
        nodes.truncate((scale.nodes * 2 / 9).max(2));
        nodes
    };
    let mut found: Vec<Sick> = Vec::new();
    let free = |found: &[Sick], node, from: i64, to: i64| {
        found.iter().all(|s| s.node != node || s.to_ms + 6 * HOUR_MS < from || to + 6 * HOUR_MS < s.from_ms)
    };
    let wanted = [(Kind::Seen, scale.seen), (Kind::Blacklisted, scale.blacklisted), (Kind::Idle, scale.idle)];
    for (kind, count) in wanted {
        let mut made = 0;
        let mut quiet_ms = 5 * HOUR_MS;
        while made < count {
            let node = bad[rng.below(bad.len())];
            let at = BEGIN_MS + (rng.unit() * (scale.days * DAY_MS) as f64) as i64;
            let hours = math::exp(1.6 + 0.5 * normal(rng)).clamp(2.0, 24.0);
            let to = at + (hours * HOUR_MS as f64) as i64;
            let large = |p: &&Plan| p.maps as usize >= scale.nodes && p.bug == Bug::None;
            let busy =
                plans.iter().filter(large).filter(|p| p.submit_ms >= at && p.submit_ms + HOUR_MS / 2 < to).count();
            let near = plans.iter().filter(|p| p.submit_ms > at - quiet_ms && p.submit_ms < to).count();
            let (from, to, fits) = match kind {
                Kind::Idle => (at, at + HOUR_MS / 2, near == 0),
                _ => (at, to, busy >= 3),
            };
            if !fits || !free(&found, node, from, to) {
                // Nights are seldom wholly quiet: shorter looks back find them.
                if kind == Kind::Idle && rng.unit() < 0.0005 {
                    quiet_ms /= 2;
                }
                continue;
            }
            let nth = found.len();
            // 42 controllers, two drives, one card.
            let (slower, fails, error) = match nth {
                0 => (8.0, 0.15, NIC),
                1 | 2 => (between(rng, 2.5, 4.0), between(rng, 0.02, 0.1), DISK),
                _ => (between(rng, 3.0, 8.0), between(rng, 0.05, 0.3), DISK),
            };
            found.push(Sick { node, from_ms: from, to_ms: to, kind, slower, fails, error });
            made += 1;
        }
    }
    found
}

/// Times of the tasks of one job.
struct Nature {
    start_s: f64,
    bytes_s: f64,
    noise: f64,
    mixed_input: bool,
    reduce_spread: f64,
    reduce_bytes: f64,
    speculative: bool,
}

struct Runner<'a> {
    month: &'a mut Month,
    plan: &'a Plan,
    nature: Nature,
    here: BTreeMap<usize, f64>,
    failures: BTreeMap<usize, u32>,
    attempts: Vec<Attempt>,
}

/// An attempt that takes a slot.
struct Going {
    task: u32,
    number: u32,
}

impl<'a> Runner<'a> {
    fn new(month: &'a mut Month, plan: &'a Plan) -> Self {
        let rng = &mut month.rng;
        let nature = Nature {
            start_s: between(rng, 2.0, 5.0),
            bytes_s: math::exp(between(rng, 14.5, 16.8)),
            noise: between(rng, 0.08, 0.25),
            mixed_input: rng.unit() < 0.15,
            reduce_spread: between(rng, 0.05, 0.3),
            reduce_bytes: math::exp(between(rng, 15.0, 18.5)),
            speculative: rng.unit() < 0.6,
        };
        Self { month, plan, nature, here: BTreeMap::new(), failures: BTreeMap::new(), attempts: Vec::new() }
    }

    fn job(self, finish_ms: i64, end: End) -> Job {
        let plan = self.plan;
        let planted = match (plan.bug, plan.skew) {
            (Bug::None, false) => Planted::Nothing,
            (Bug::None, true) => Planted::Skew,
            _ => Planted::Application,
        };
        Job {
            number: plan.number,
            name: format!("{}_{}", KINDS[plan.kind], plan.number % 7),
            user: format!("user{:02}", plan.user),
            queue: QUEUES[plan.user % QUEUES.len()],
            submit_ms: plan.submit_ms,
            finish_ms,
            end,
            maps: plan.maps,
            reduces: plan.reduces,
            attempts: self.attempts,
            planted,
        }
    }

    fn run(mut self) -> Job {
        let launch = self.plan.submit_ms + 2_000;
        if self.plan.bug == Bug::Init {
            return self.job(launch + 700, End::Failed);
        }
        if self.plan.bug == Bug::Setup {
            let mut at = launch;
            for number in 0..4 {
                let node = self.month.rng.below(self.month.scale.nodes);
                let end = at + 3_000;
                self.attempts.push(Attempt {
                    letter: 's',
                    task: 0,
                    number,
                    node,
                    start_ms: at,
                    shuffle_ms: at,
                    sort_ms: at,
                    end_ms: end,
                    end: End::Failed,
                    bytes: 0,
                    error: Some(BUGS[3]),
                });
                at = end + 3_000;
            }
            return self.job(at, End::Failed);
        }
        let maps = self.phase('m', self.plan.maps, launch, launch);
        let (maps_end, failed) = match maps {
            Ok(end) => (end, None),
            Err(at) => (at, Some(at)),
        };
        if let Some(at) = failed {
            return self.job(at + 1_000, End::Failed);
        }
        if self.plan.reduces == 0 {
            return self.job(maps_end + 2_000, End::Success);
        }
        // Reduces begin when a twentieth of the maps is done.
        let begin = launch + (maps_end - launch) / 20;
        match self.phase('r', self.plan.reduces, begin, maps_end) {
            Ok(end) => self.job(end.max(maps_end) + 2_000, End::Success),
            Err(at) => self.job(at + 1_000, End::Failed),
        }
    }

    /// Runs all tasks of a phase: its end, or when the job failed.
    fn phase(&mut self, letter: char, tasks: u32, begin: i64, maps_end: i64) -> Result<i64, i64> {
        let slots = if letter == 'm' { &mut self.month.map_slots } else { &mut self.month.reduce_slots };
        let slots = std::mem::take(slots);
        let mut heap: BinaryHeap<Reverse<(i64, u32, usize, usize)>> = BinaryHeap::new();
        for (i, (free, node)) in slots.iter().enumerate() {
            let tie = self.month.rng.below(1 << 20) as u32;
            heap.push(Reverse(((*free).max(begin), tie, i, *node)));
        }
        let mut slots = slots;
        let mut queue: VecDeque<Going> = (0..tasks).map(|task| Going { task, number: 0 }).collect();
        // Failed attempts come back when they have failed.
        let mut again: BinaryHeap<Reverse<(i64, u32, u32)>> = BinaryHeap::new();
        let mut avoids: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
        let record = self.month.rng.below(tasks as usize) as u32;
        let mut end = begin;
        let mut dead: Option<i64> = None;
        let first = self.attempts.len();
        let mut passed = 0;
        while !queue.is_empty() || !again.is_empty() {
            let Some(Reverse((at, _, slot, node))) = heap.pop() else { break };
            if dead.is_some_and(|d| at >= d) {
                break;
            }
            let retry = again.peek().filter(|Reverse((ready, ..))| *ready <= at).map(|Reverse(r)| *r);
            let banned = self.failures.get(&node).is_some_and(|n| *n >= 4) || self.is_blacklisted(node, at);
            let here = |task: u32| avoids.get(&task).is_some_and(|nodes| nodes.contains(&node));
            let going = match retry {
                Some((_, task, number)) if !banned && !here(task) => {
                    again.pop();
                    Some(Going { task, number })
                }
                _ if banned => None,
                _ => queue.pop_front(),
            };
            let Some(going) = going else {
                // Nothing for this slot now: it asks again with the next heartbeat.
                passed += 1;
                if passed > 2_000_000 {
                    break;
                }
                let next = again.peek().map_or(at + 3_000, |Reverse((ready, ..))| (*ready).max(at + 3_000));
                let tie = self.month.rng.below(1 << 20) as u32;
                heap.push(Reverse((next, tie, slot, node)));
                continue;
            };
            let bug = match self.plan.bug {
                Bug::Map if letter == 'm' => true,
                Bug::Reduce if letter == 'r' => true,
                Bug::Record => {
                    going.task == record
                        && (letter == 'm') == (self.plan.number.is_multiple_of(2) || self.plan.reduces == 0)
                }
                _ => false,
            };
            let free = self.attempt(letter, &going, node, at, maps_end, bug);
            let last = self.attempts.last();
            if let Some(a) = last.filter(|a| a.end == End::Failed && a.task == going.task) {
                let failed_at = a.end_ms;
                *self.failures.entry(node).or_default() += 1;
                avoids.entry(going.task).or_default().push(node);
                if going.number >= 3 {
                    dead = Some(dead.map_or(failed_at, |d: i64| d.min(failed_at)));
                } else {
                    again.push(Reverse((failed_at + 1_000, going.task, going.number + 1)));
                }
            }
            end = end.max(free);
            slots[slot].0 = free;
            let tie = self.month.rng.below(1 << 20) as u32;
            heap.push(Reverse((free, tie, slot, node)));
        }
        if let Some(dead) = dead {
            // What runs is killed, what had not begun never does.
            self.attempts.retain(|a| a.start_ms < dead);
            for a in self.attempts.iter_mut().skip(first).filter(|a| a.end_ms > dead) {
                (a.end, a.end_ms, a.error) = (End::Killed, dead, None);
                a.shuffle_ms = a.shuffle_ms.min(dead);
                a.sort_ms = a.sort_ms.min(dead);
            }
            for slot in &mut slots {
                slot.0 = slot.0.min(dead.max(begin));
            }
        }
        if letter == 'm' {
            self.month.map_slots = slots
        } else {
            self.month.reduce_slots = slots
        }
        dead.map_or(Ok(end), Err)
    }

    fn is_blacklisted(&self, node: usize, at: i64) -> bool {
        self.month.illness(node, at).is_some_and(|s| s.kind == Kind::Blacklisted)
    }

    /// How much slower this node is for this job: neighbours, placement, busy minutes.
    fn neighbours(&mut self, node: usize) -> f64 {
        let rng = &mut self.month.rng;
        *self.here.entry(node).or_insert_with(|| {
            let busy = if rng.unit() < 0.01 { between(rng, 1.2, 1.6) } else { 1.0 };
            math::exp(0.06 * normal(rng)) * busy
        })
    }

    /// Runs one attempt; when its slot is free again.
    fn attempt(&mut self, letter: char, going: &Going, node: usize, at: i64, maps_end: i64, bug: bool) -> i64 {
        let bytes = self.bytes(letter, going.task);
        let (start_s, work_s) = self.seconds(letter, node, bytes);
        let illness = self.month.illness(node, at).cloned();
        let work_s = work_s * illness.as_ref().map_or(1.0, |s| s.slower);
        let ms = |s: f64| (s * 1000.0) as i64;
        let (shuffle_ms, sort_ms, done) = if letter == 'm' {
            (at, at, at + ms(start_s + work_s))
        } else {
            let shuffle = (at + ms(start_s)).max(maps_end) + ms(work_s * 0.4);
            let sort = shuffle + ms(work_s * 0.1);
            (shuffle, sort, sort + ms(work_s * 0.5))
        };
        let well = Attempt {
            letter,
            task: going.task,
            number: going.number,
            node,
            start_ms: at,
            shuffle_ms,
            sort_ms,
            end_ms: done,
            end: End::Success,
            bytes,
            error: None,
        };
        // The same, ended before.
        let cut = |end_ms: i64, end: End| Attempt {
            shuffle_ms: shuffle_ms.min(end_ms),
            sort_ms: sort_ms.min(end_ms),
            end_ms,
            end,
            bytes: 0,
            ..well.clone()
        };
        let chance = illness.as_ref().map_or(0.003, |s| s.fails.max(0.003));
        let broken = bug && (self.plan.bug == Bug::Record || self.month.rng.unit() < 0.9);
        if broken || self.month.rng.unit() < chance {
            let error = match &illness {
                _ if broken => BUGS[self.plan.kind % BUGS.len()],
                Some(s) => s.error,
                None => ORDINARY[usize::from(self.month.rng.unit() < 0.1)],
            };
            let begun = if letter == 'm' || broken && self.plan.bug == Bug::Reduce { at } else { shuffle_ms };
            let end = begun.max(at) + ms(start_s) + ((done - begun) as f64 * self.month.rng.unit() * 0.6) as i64;
            self.attempts.push(Attempt { error: Some(error), ..cut(end, End::Failed) });
            return end;
        }
        // A second attempt of a slow one, once it is twice as long as is usual.
        let usual = ms(self.usual_s(letter, bytes));
        let begun = if letter == 'm' { at } else { maps_end.max(at) };
        let second = begun + usual * 2 + 5_000;
        if self.nature.speculative && going.number == 0 && done > second + usual {
            let other = self.month.rng.below(self.month.scale.nodes);
            if other != node && self.month.illness(other, second).is_none() {
                let (start_s, work_s) = self.seconds(letter, other, bytes);
                let won = second + ms(start_s + work_s);
                let started = Attempt { number: 1, node: other, start_ms: second, ..well.clone() };
                if won < done {
                    let copying_ms = second + ms(start_s);
                    self.attempts.push(Attempt { shuffle_ms: copying_ms, sort_ms: copying_ms, end_ms: won, ..started });
                    self.attempts.push(cut(won, End::Killed));
                    return won;
                }
                self.attempts.push(Attempt {
                    shuffle_ms: second,
                    sort_ms: second,
                    end: End::Killed,
                    bytes: 0,
                    ..started
                });
            }
        }
        self.attempts.push(well);
        done
    }

    fn bytes(&mut self, letter: char, task: u32) -> i64 {
        let rng = &mut self.month.rng;
        let bytes = match letter {
            'm' if self.nature.mixed_input => (BLOCK * math::exp(1.0 * normal(rng) - 1.5)).min(BLOCK),
            'm' => BLOCK * between(rng, 0.97, 1.0),
            _ => {
                let all = self.nature.reduce_bytes * math::exp(self.nature.reduce_spread * normal(rng));
                let hot = self.plan.skew && task == 3 % self.plan.reduces;
                all * if hot { between(rng, 12.0, 20.0) } else { 1.0 }
            }
        };
        bytes as i64
    }

    fn usual_s(&self, letter: char, bytes: i64) -> f64 {
        let bytes = if letter == 'm' { bytes as f64 } else { self.nature.reduce_bytes };
        self.nature.start_s + bytes / self.nature.bytes_s
    }

    /// Start and work of an attempt on a well node.
    fn seconds(&mut self, letter: char, node: usize, bytes: i64) -> (f64, f64) {
        let neighbours = self.neighbours(node);
        let speed = self.month.speed[node];
        let rng = &mut self.month.rng;
        let noise = math::exp(self.nature.noise * normal(rng));
        let remote = if letter == 'm' && rng.unit() < 0.3 { between(rng, 1.05, 1.4) } else { 1.0 };
        let straggles = if rng.unit() < 1.0 / 70.0 { between(rng, 1.8, 5.0) } else { 1.0 };
        let start = self.nature.start_s * math::exp(0.1 * normal(rng));
        (start, bytes as f64 / self.nature.bytes_s * noise * remote * straggles * speed * neighbours)
    }
}
