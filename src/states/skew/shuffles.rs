//! Map outputs as both their ends tell of them: a fetch begins before it is served, and ends after its
//! serving has begun.
//!
//! ```text
//! served    h1: map 7 to h2, until 21:24:31,420, took 35 ms        by map and who fetched it
//! fetched   h2: map 7, 21:24:31,380 … 21:24:31,433
//! ```
//! There are as many as maps times reduces, so they are noted while they are paired. Cost: O(1) each;
//! [`super::KEPT`] of either side are held at most, chosen by their maps.

use super::bounds::Messages;
use super::{Chosen, Input, send};
use crate::base::math::mixed;
use crate::base::{AttemptId, JobId, Lookup, NodeId, Timestamp};
use crate::model::{Event, Topic, formats};
use crate::states::FileView;
use crate::states::blocks::millis_of;

/// A map's output served: by whom, until when, for how long in milliseconds; `None` where it was more
/// than once.
type Served = Option<(NodeId, Timestamp, Option<i64>)>;

/// A map's output fetched.
#[derive(Clone, Copy)]
struct Fetched {
    map: AttemptId,
    by: NodeId,
    start: Timestamp,
    end: Timestamp,
}

/// What was told so far.
#[derive(Default)]
pub struct Shuffles {
    /// By the map and who fetched its output.
    served: Lookup<(AttemptId, NodeId), Served>,
    served_chosen: Chosen,
    fetched: Vec<Fetched>,
    fetched_chosen: Chosen,
}

impl Shuffles {
    /// All that the logs tell.
    pub fn read(input: &Input<'_>) -> Self {
        let mut shuffles = Self::default();
        input.files_of(SERVING).for_each(|file| shuffles.read_one(input, file));
        if !shuffles.served.is_empty() {
            input.files_of(formats::TASK_SYSLOG).for_each(|file| shuffles.read_one(input, file));
        }
        shuffles
    }

    #[inline(never)]
    fn read_one(&mut self, input: &Input<'_>, file: &FileView<'_>) {
        for row in file.about(Topic::Shuffle) {
            match row.event {
                Event::ShuffleServed { map: Some(map), dest: Some(dest), duration_ns, .. }
                | Event::ShuffleServedTo { map, dest: Some(dest), duration_ns, .. } => {
                    self.serve(map, file, input.by_ip.get(&dest).copied(), (row.at, duration_ns));
                }
                Event::Fetched { map, start, .. } => self.fetch(map, file, (start, row.at)),
                _ => {}
            }
        }
    }

    /// Notes what a log says was served: to whom, until when, for how long.
    pub fn serve(
        &mut self,
        map: AttemptId,
        file: &FileView<'_>,
        to: Option<NodeId>,
        (at, duration_ns): (Timestamp, Option<u64>),
    ) {
        let by = file.node.filter(|_| file.digest.format == SERVING);
        if let (Some(by), Some(to)) = (by, to) {
            self.note_served(map, to, (by, at, duration_ns.map(millis_of)));
        }
    }

    /// Notes what a log says was fetched, from when to when.
    pub fn fetch(&mut self, map: AttemptId, file: &FileView<'_>, (start, end): (Timestamp, Timestamp)) {
        if let Some(by) = file.node {
            self.note_fetched(Fetched { map, by, start, end });
        }
    }

    fn note_served(&mut self, map: AttemptId, to: NodeId, one: (NodeId, Timestamp, Option<i64>)) {
        if !self.served_chosen.takes(id_of(&map)) {
            return;
        }
        self.served.entry((map, to)).and_modify(|served| *served = None).or_insert(Some(one));
        while self.served_chosen.halves(self.served.len()) {
            self.served.retain(|(map, _), _| self.served_chosen.takes(id_of(map)));
        }
    }

    fn note_fetched(&mut self, one: Fetched) {
        if !self.fetched_chosen.takes(id_of(&one.map)) {
            return;
        }
        self.fetched.push(one);
        while self.fetched_chosen.halves(self.fetched.len()) {
            self.fetched.retain(|fetched| self.fetched_chosen.takes(id_of(&fetched.map)));
        }
    }

    /// Notes the messages where both ends are known.
    #[inline(never)]
    pub(super) fn send(self, messages: &mut Messages) {
        for Fetched { map, by, start, end } in self.fetched {
            // Two reduces of one node fetch the same map: which is which is not known.
            let Some(Some((from, until, took))) = self.served.get(&(map, by)) else { continue };
            send(messages, Some((by.index(), start)), Some((from.index(), *until)));
            let begin = took.map(|ms| (from.index(), until.plus_millis(-ms)));
            send(messages, begin, Some((by.index(), end)));
        }
    }
}

/// The format of the logs whose word on serving is taken.
const SERVING: &str = formats::TASKTRACKER;

/// What a map is chosen by.
fn id_of(map: &AttemptId) -> u64 {
    let AttemptId { job: JobId { cluster, number }, letter, task, attempt } = *map;
    let task = mixed(mixed(cluster) ^ (u64::from(number) << 32 | u64::from(task)));
    task ^ (u64::from(letter as u32) << 32 | u64::from(attempt))
}

#[cfg(test)]
mod tests {
    use super::super::KEPT;
    use super::*;
    use crate::base::TaskLetter;

    #[test]
    fn many_fetches_of_one_map_end() {
        let map = AttemptId { job: JobId { cluster: 0, number: 0 }, letter: TaskLetter::Map, task: 0, attempt: 0 };
        let at = Timestamp::from_millis(0);
        let mut shuffles = Shuffles::default();
        for i in 0..2 * KEPT as u32 {
            shuffles.note_fetched(Fetched { map, by: NodeId(i), start: at, end: at });
            shuffles.note_served(map, NodeId(i), (NodeId(0), at, None));
        }
        assert!(shuffles.served.is_empty() && shuffles.fetched.is_empty());
    }

    #[test]
    fn attempts_and_clusters_are_chosen_apart() {
        let of = |cluster: u64, letter: TaskLetter, attempt: u32| {
            id_of(&AttemptId { job: JobId { cluster, number: 1 }, letter, task: 7, attempt })
        };
        let ids = [
            of(1, TaskLetter::Map, 0),
            of(1, TaskLetter::Map, 1),
            of(2, TaskLetter::Map, 0),
            of(1, TaskLetter::Reduce, 0),
        ];
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), ids.len());
    }

    #[test]
    fn so_many_are_held_and_the_order_makes_no_difference() {
        let nodes = 7;
        let output = |i: u32| {
            let job = JobId { cluster: 202_611_202_124, number: 1 };
            let map = AttemptId { job, letter: TaskLetter::Map, task: i / nodes, attempt: 0 };
            let (from, to) = (NodeId(i / nodes % nodes), NodeId(i % nodes));
            let at = Timestamp::from_millis(i64::from(i) * 10);
            (map, from, to, at)
        };
        let all = 3 * KEPT as u32;
        let told = |order: &[u32], fetches_first: bool| {
            let mut shuffles = Shuffles::default();
            let serve = |shuffles: &mut Shuffles, i: u32| {
                let (map, from, to, at) = output(i);
                shuffles.note_served(map, to, (from, at, Some(4)));
            };
            let fetch = |shuffles: &mut Shuffles, i: u32| {
                let (map, _, by, at) = output(i);
                shuffles.note_fetched(Fetched { map, by, start: at.plus_millis(-6), end: at.plus_millis(1) });
            };
            for i in order {
                if fetches_first { fetch(&mut shuffles, *i) } else { serve(&mut shuffles, *i) }
            }
            for i in order {
                if fetches_first { serve(&mut shuffles, *i) } else { fetch(&mut shuffles, *i) }
            }
            assert!(shuffles.served.len() <= KEPT && shuffles.fetched.len() <= KEPT);
            assert!(shuffles.served.len() > KEPT / 3, "{}", shuffles.served.len());
            let mut messages = Messages::default();
            shuffles.send(&mut messages);
            let (solved, _) = messages.solve(0, 0);
            solved
                .bounds
                .into_iter()
                .map(|(clock, b)| (clock, b.low_ms, b.high_ms, messages.counts(clock + 1)[clock]))
                .collect::<Vec<_>>()
        };
        let in_order: Vec<u32> = (0..all).collect();
        let backwards: Vec<u32> = (0..all).rev().collect();
        let first = told(&in_order, false);
        assert_eq!(first.len(), nodes as usize);
        assert_eq!(told(&backwards, false), first);
        assert_eq!(told(&in_order, true), first);
    }
}
