//! The intervals of a trace in rows, in columns of small numbers: built once for a mode, an
//! order and a choice of job, asked for each frame.
//!
//! ```text
//! row 0  ├──Map──┤                  first          rows[i]..rows[i + 1]: the intervals of
//! row 1     ├──Map──┤                              row i in order of begin, none of which
//! row 2  ├─┤   ├─Map─┤   packed                    overlaps another
//! ```
//! Times are counted in units from the first on, so that 32 bits do for any trace: a unit is
//! a millisecond up to 49 days. Cost: O(n log n) to build, 18 bytes an interval; a query
//! touches the rows that it shows.

use super::Class;
use crate::base::{AttemptId, Gathered, JobId, NodeId, Slots, Timestamp};
use crate::model::{Outcome, State, StateKind, TaskAttempt, Trace};
use crate::scene::View;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// In which order the rows stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Order {
    /// First begun first.
    #[default]
    Start,
    /// First ended first.
    End,
    /// Longest first.
    Duration,
}

impl Order {
    /// All.
    pub const ALL: [Self; 3] = [Self::Start, Self::End, Self::Duration];

    /// As the page and the command name it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
            Self::Duration => "duration",
        }
    }
}

/// Longest intervals in the table twin; all of them are in `extract states`.
const TABLE_ROWS: usize = 500;

/// The rows of one view of one trace.
#[derive(Clone, Debug, Default)]
pub struct Lanes {
    /// First and last time.
    pub span: (Timestamp, Timestamp),
    unit_ms: i64,
    start: Vec<u32>,
    end: Vec<u32>,
    class: Vec<Class>,
    open: Vec<bool>,
    state: Vec<u32>,
    /// Where each row's intervals begin; none: row i holds interval i.
    rows: Option<Vec<u32>>,
    /// Of rows by node: the node and the first row of each.
    pub nodes: Vec<(Option<NodeId>, u32)>,
    /// Attempts that ran beside an earlier one of their task.
    pub speculative: BTreeSet<AttemptId>,
    /// The longest intervals, for the table.
    pub longest: Vec<Lane>,
    /// How many states of each class have no row, since it is not known when they began.
    pub unbegun: Tally,
    /// Of one job: how many others there were in its time of which no log tells the job.
    pub of_no_job: Tally,
}

/// How many there are of each class.
pub type Tally = BTreeMap<Class, u64>;

/// One interval as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Units from the first time.
    pub start: u32,
    /// The same.
    pub end: u32,
    /// What it is.
    pub class: Class,
    /// Whether it still runs when the log ends.
    pub open: bool,
    /// Its state: index into the trace's states.
    pub state: u32,
}

impl Lanes {
    /// The rows of a view; `job`: of that job alone; `within`: of what reaches into that stretch of time alone, on the
    /// axis of all.
    #[must_use]
    pub fn of(
        trace: &Trace,
        view: View,
        order: Order,
        job: Option<JobId>,
        within: Option<(Timestamp, Timestamp)>,
    ) -> Self {
        let wanted = |s: &State| {
            let tasks_only = matches!(s.kind, StateKind::Map | StateKind::Reduce);
            (tasks_only || view == View::SwimlanesDetailed) && (job.is_none() || s.job == job)
        };
        let mut picked: Vec<Picked> = Vec::new();
        let mut unbegun = Tally::new();
        for (i, s) in (0..).zip(trace.states.iter()).filter(|(_, s)| wanted(s)) {
            let s = trace.as_told(s);
            match s.start {
                Some(start) => picked.push(Picked::of(&s, start, i)),
                None => *unbegun.entry(Class::of(s.kind)).or_default() += 1,
            }
        }
        let first = picked.iter().map(|p| p.start).min().unwrap_or_default();
        let last = picked.iter().map(|p| p.end).max().unwrap_or_default();
        if let Some((from, to)) = within {
            picked.retain(|p| p.start <= to && p.end >= from);
        }
        let mut of_no_job = Tally::new();
        if job.is_some() && view == View::SwimlanesDetailed && !picked.is_empty() {
            let within = |s: &State| s.job.is_none() && s.end >= first && s.start.unwrap_or(s.end) <= last;
            for s in trace.states.iter().filter(within) {
                *of_no_job.entry(Class::of(s.kind)).or_default() += 1;
            }
        }
        let unit_ms = last.millis_since(first) / i64::from(u32::MAX) + 1;
        let speculative = speculative(trace, job);
        let mut lanes = Self { span: (first, last), unit_ms, speculative, unbegun, of_no_job, ..Self::default() };
        if view == View::SwimlanesNodes {
            lanes.pack(picked);
            lanes.find_longest();
            return lanes;
        }
        match order {
            Order::Start => picked.sort_unstable_by_key(|p| (p.start, p.end, p.state)),
            Order::End => picked.sort_unstable_by_key(|p| (p.end, p.start, p.state)),
            Order::Duration => {
                picked.sort_unstable_by_key(|p| (std::cmp::Reverse(p.end.millis_since(p.start)), p.start, p.state))
            }
        }
        picked.iter().for_each(|p| lanes.push(p));
        lanes.find_longest();
        lanes
    }

    fn push(&mut self, picked: &Picked) {
        self.start.push(self.unit(picked.start));
        self.end.push(self.unit(picked.end));
        self.class.push(picked.class);
        self.open.push(picked.open);
        self.state.push(picked.state);
    }

    /// What the columns tell of some intervals.
    fn lanes(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = Lane> {
        let units = self.start.get(range.clone()).unwrap_or_default().iter();
        let units = units.zip(self.end.get(range.clone()).unwrap_or_default());
        let kinds = self.class.get(range.clone()).unwrap_or_default().iter();
        let kinds = kinds.zip(self.open.get(range.clone()).unwrap_or_default());
        let states = self.state.get(range).unwrap_or_default();
        units.zip(kinds).zip(states).map(|(((start, end), (class, open)), state)| Lane {
            start: *start,
            end: *end,
            class: *class,
            open: *open,
            state: *state,
        })
    }

    fn find_longest(&mut self) {
        let mut lanes: Vec<Lane> = self.lanes(0..self.len()).collect();
        let key = |lane: &Lane| (std::cmp::Reverse(lane.end - lane.start), lane.start, lane.state);
        if lanes.len() > TABLE_ROWS {
            lanes.select_nth_unstable_by_key(TABLE_ROWS, key);
            lanes.truncate(TABLE_ROWS);
        }
        lanes.sort_unstable_by_key(key);
        self.longest = lanes;
    }

    fn unit(&self, at: Timestamp) -> u32 {
        u32::try_from(at.millis_since(self.span.0) / self.unit_ms.max(1)).unwrap_or(u32::MAX)
    }

    /// Each node's tasks into as few rows as do without overlap, as slots would.
    fn pack(&mut self, picked: Vec<Picked>) {
        let mut by_node: BTreeMap<Option<NodeId>, Vec<_>> = BTreeMap::new();
        for p in picked {
            by_node.entry(p.node).or_default().push(p);
        }
        let mut rows = vec![0];
        for (node, mut tasks) in by_node {
            tasks.sort_unstable_by_key(|p: &Picked| (p.start, p.end, p.state));
            let (mut slots, mut held) = (Slots::default(), Vec::<Vec<usize>>::new());
            for (i, task) in tasks.iter().enumerate() {
                let slot = slots.take(task.start, task.end);
                match held.get_mut(slot) {
                    Some(held) => held.push(i),
                    None => held.push(vec![i]),
                }
            }
            self.nodes.push((node, u32::try_from(rows.len() - 1).unwrap_or(u32::MAX)));
            for held in held {
                for task in held.iter().filter_map(|i| tasks.get(*i)) {
                    self.push(task);
                }
                rows.push(u32::try_from(self.start.len()).unwrap_or(u32::MAX));
            }
        }
        self.rows = Some(rows);
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.as_ref().map_or(self.start.len(), |rows| rows.len().saturating_sub(1))
    }

    /// How many intervals there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.start.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start.is_empty()
    }

    /// The time of a unit.
    #[must_use]
    pub fn time(&self, unit: f64) -> Timestamp {
        self.span.0.plus_millis((unit * self.unit_ms as f64) as i64)
    }

    /// The units of the whole.
    #[must_use]
    pub fn units(&self) -> f64 {
        (self.span.1.millis_since(self.span.0) as f64 / self.unit_ms.max(1) as f64).max(1.0)
    }

    /// How many milliseconds a unit has.
    #[must_use]
    pub const fn unit_ms(&self) -> i64 {
        self.unit_ms
    }

    /// Positions of the intervals of some rows, which follow one another.
    fn positions(&self, rows: std::ops::Range<usize>) -> std::ops::Range<usize> {
        match &self.rows {
            None => rows,
            Some(starts) => {
                let at = |i: usize| starts.get(i).map_or(self.start.len(), |s| *s as usize);
                at(rows.start)..at(rows.end)
            }
        }
    }

    /// Calls `each` with the intervals of some rows that reach into a stretch of time.
    pub fn each(&self, rows: std::ops::Range<usize>, (from, to): (u32, u32), mut each: impl FnMut(Lane)) {
        let mut slice = |range: std::ops::Range<usize>| {
            self.lanes(range).filter(|lane| lane.start <= to && lane.end >= from).for_each(&mut each);
        };
        match &self.rows {
            None => slice(rows),
            // Within a row of several the begins ascend, and so do the ends.
            Some(_) => {
                for row in rows {
                    let range = self.positions(row..row + 1);
                    let column = |c: &'_ [u32]| c.get(range.clone()).map_or(0, <[u32]>::len);
                    let begun = self.start.get(range.clone()).map_or(0, |s| s.partition_point(|s| *s <= to));
                    let ended = self.end.get(range.clone()).map_or(0, |e| e.partition_point(|e| *e < from));
                    debug_assert!(begun <= column(&self.start));
                    if ended < begun {
                        slice(range.start + ended..range.start + begun);
                    }
                }
            }
        }
    }
}

/// A state that has a row, on its way there.
struct Picked {
    start: Timestamp,
    end: Timestamp,
    class: Class,
    /// It still runs when the log ends.
    open: bool,
    /// Index into the trace's states.
    state: u32,
    node: Option<NodeId>,
}

impl Picked {
    fn of(s: &State, start: Timestamp, state: u32) -> Self {
        let (class, open) = match s.outcome {
            Some(Outcome::Failed) => (Class::Failed, false),
            Some(Outcome::Killed) => (Class::Killed, false),
            _ => (Class::of(s.kind), s.open),
        };
        Self { start, end: s.end.max(start), class, open, state, node: s.node }
    }
}

/// Attempts that began while an earlier one of their task ran.
fn speculative(trace: &Trace, job: Option<JobId>) -> BTreeSet<AttemptId> {
    let tasks = job.map_or(trace.tasks.as_slice(), |job| trace.tasks_of(job));
    let task = |a: &TaskAttempt| (a.id.job, a.id.letter, a.id.task);
    let begun_beside = |attempts: &[TaskAttempt]| {
        // When the earlier ones had all ended.
        let mut ended = None;
        let mut found = Vec::new();
        for attempt in attempts {
            if attempt.start.zip(ended).is_some_and(|(start, ended)| start < ended) {
                found.push(attempt.id);
            }
            ended = ended.max(Some(attempt.finish.unwrap_or(Timestamp::from_millis(i64::MAX))));
        }
        found
    };
    tasks.chunk_by(|a, b| task(a) == task(b)).flat_map(begun_beside).gathered()
}

#[cfg(test)]
mod tests;
