//! The critical path of a job: of all its paths the one that its end waited for, cut into
//! what the time went to (M15).
//!
//! ```text
//! job ├─slot─┤├──Map──┤├──wait──┤├──────shuffle──────┤├sort┤├reduce┤├write┤├close┤
//!             m_7       until r_2  m_7's output, until   r_2
//!                       began      r_2 has copied all
//! ```
//! The Reduce that ended last; of the Maps whose output it waited for, the one fetched
//! last. A Reduce that began after that Map's end did not wait for it, but fetched in an order of its own: then,
//! and where no fetch is logged, the one that ended last. What follows a Map's end until
//! the Reduce has copied is the wait for the shuffle, but for the time in which the Reduce
//! had not begun: it had no slot yet, or is another try of one that was lost. A job without
//! Reduces ends with the Map that ended last. Before the path lies the wait for a slot,
//! behind it the job's closing; they are no part of it. Which ended last is asked in one
//! clock; legs stand where their nodes' own clocks put them. Of tasks that never ended well
//! no path leads on. Cost: O(attempts + fetches).

use super::{JobFlow, Joined, in_one_clock, words};
use crate::base::quantity::of_millis;
use crate::base::{Interval, Timestamp};
use crate::model::{TaskAttempt, TaskType, Trace};

/// A stretch of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leg {
    /// Block being read by the Map, as far as logged.
    Read,
    /// The rest of the Map.
    Map,
    /// From the Map's end until the Reduce began, where it had not.
    Wait,
    /// From then on until the Reduce has copied all.
    Shuffle,
    /// The Reduce sorts.
    Sort,
    /// The Reduce reduces.
    Reduce,
    /// Blocks being written by the Reduce, or by the Map of a job without any, as far as logged.
    Write,
}

impl Leg {
    /// All, in order.
    pub const ALL: [Self; 7] =
        [Self::Read, Self::Map, Self::Wait, Self::Shuffle, Self::Sort, Self::Reduce, Self::Write];

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Map => "map",
            Self::Wait => "wait",
            Self::Shuffle => "shuffle",
            Self::Sort => "sort",
            Self::Reduce => "reduce",
            Self::Write => "write",
        }
    }

    /// What a path does in it: `two thirds of the critical path …`; whether its Reduce is another try.
    #[must_use]
    const fn spends(self, retried: bool) -> &'static str {
        match self {
            Self::Read => "is reading input",
            Self::Map => "is the Map",
            Self::Wait if retried => "waits until its Reduce was tried again",
            Self::Wait => "waits for its Reduce to start",
            Self::Shuffle => "waits for the shuffle",
            Self::Sort => "is sorting in the Reduce",
            Self::Reduce | Self::Write => "is the Reduce's own work",
        }
    }
}

/// The path that a job's end waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// Its Map: index into [`Trace::tasks`].
    pub map: usize,
    /// Its Reduce.
    pub reduce: Option<usize>,
    /// Its legs in order of time; none overlaps another.
    pub legs: Vec<(Leg, Interval)>,
    /// From the job's launch until the Map began.
    pub before: Option<Interval>,
    /// It was not the Map's first attempt: earlier ones were lost before.
    pub retried: bool,
    /// Nor was it the Reduce's.
    pub reduce_retried: bool,
    /// Some task of the job never ended well: nothing is known of the path through it.
    pub unfinished: bool,
    /// From the path's end until the job's.
    pub after: Option<Interval>,
}

impl CriticalPath {
    /// Of `flow`'s job; `None` where no Map of it ended well.
    #[must_use]
    pub fn of(trace: &Trace, flow: &JobFlow) -> Option<Self> {
        let finish = |t: &TaskAttempt| in_one_clock(trace, t, t.finish);
        let ended = |(_, t): &(usize, &TaskAttempt)| (finish(t), t.id);
        let reduce = flow.done(trace, TaskType::Reduce).max_by_key(ended);
        let copied = reduce.and_then(|(_, r)| in_one_clock(trace, r, r.shuffle_end));
        let fetched = reduce.and_then(|(r, t)| {
            let of_it = flow.fetches.iter().filter(|f| f.reduce == Some(r));
            let last = of_it.filter(|f| f.task.is_some()).max_by_key(|f| (f.end, f.task))?;
            let began = in_one_clock(trace, t, t.start);
            flow.done(trace, TaskType::Map).find(|(i, m)| Some(*i) == last.task && finish(m) > began)
        });
        // What the Reduce had copied, it did not wait for.
        let in_time = |(_, t): &(usize, &TaskAttempt)| copied.is_none() || finish(t) <= copied;
        let (map, m) = fetched
            .or_else(|| flow.done(trace, TaskType::Map).filter(in_time).max_by_key(ended))
            .or_else(|| flow.done(trace, TaskType::Map).max_by_key(ended))?;
        let legs = legs(flow, (map, m), reduce);
        let (first, last) = (legs.first()?.1.start, legs.last()?.1.end);
        let job = trace.job(flow.job);
        let launched = job.and_then(|j| j.start.or(j.submit));
        let closed = job.and_then(|j| j.finish);
        Some(Self {
            map,
            reduce: reduce.map(|(i, _)| i),
            legs,
            retried: m.id.attempt > 0,
            reduce_retried: reduce.is_some_and(|(_, r)| r.id.attempt > 0),
            unfinished: [TaskType::Map, TaskType::Reduce].into_iter().any(|of| {
                let (ended, all) = flow.ended(trace, of);
                ended < all
            }),
            before: launched.filter(|at| *at < first).map(|at| Interval::new(at, first)),
            after: closed.filter(|at| *at > last).map(|at| Interval::new(last, at)),
        })
    }

    /// Milliseconds of a leg.
    #[must_use]
    pub fn millis(&self, leg: Leg) -> i64 {
        self.legs.iter().filter(|(l, _)| *l == leg).map(|(_, i)| i.millis()).sum()
    }

    /// Milliseconds of the path.
    #[must_use]
    pub fn total_ms(&self) -> i64 {
        self.legs.iter().map(|(_, i)| i.millis()).sum()
    }

    /// Where most of its time goes: `two thirds (66 %) of the critical path's 2 min 3 s wait
    /// for the shuffle`.
    #[must_use]
    pub fn sentence(&self) -> String {
        let total = self.total_ms();
        // Blocks are written while the task goes on: it has that time too.
        let work = if self.reduce.is_some() { Leg::Reduce } else { Leg::Map };
        let millis = |leg| self.millis(leg) + if leg == work { self.millis(Leg::Write) } else { 0 };
        let longest = Leg::ALL.into_iter().filter(|leg| *leg != Leg::Write);
        let longest = longest.max_by_key(|leg| (millis(*leg), std::cmp::Reverse(*leg)));
        let Some(leg) = longest.filter(|_| total > 0) else { return "the critical path takes no time".to_owned() };
        let share = millis(leg) as f64 / total as f64;
        let of_whole = of_millis(total as f64);
        let word = words::fraction(share);
        let percent = format!("{:.0} %", share * 100.0);
        let bracket = if word == percent { String::new() } else { format!(" ({percent})") };
        let path = if self.unfinished {
            format!("critical path of tasks known to have ended ({of_whole})")
        } else {
            format!("critical path's {of_whole}")
        };
        let mut text = format!("{word}{bracket} of the {path} {}", leg.spends(self.reduce_retried));
        if let Some(before) = self.before.filter(|b| b.millis() > total) {
            let until =
                if self.retried { "until its Map was tried again" } else { "until a slot was free for its Map" };
            text.push_str(&format!("; before it, {} went by {until}", of_millis(before.millis() as f64)));
        }
        text
    }
}

/// The legs of the path through a Map and a Reduce.
#[must_use]
pub fn legs(
    flow: &JobFlow,
    (map, m): (usize, &TaskAttempt),
    reduce: Option<(usize, &TaskAttempt)>,
) -> Vec<(Leg, Interval)> {
    let (Some(start), Some(finish)) = (m.start, m.finish) else { return Vec::new() };
    let mut cursor = start;
    let mut legs = Vec::new();
    let mut leg = |leg: Leg, until: Timestamp| {
        // Clocks of two nodes may contradict each other by a moment: no leg is negative.
        let until = until.max(cursor);
        legs.push((leg, Interval::new(cursor, until)));
        cursor = until;
    };
    // Reads and writes are scattered over their task; their sums are shown as if they came first and last.
    let moving = |moved: &[Joined], task: usize| -> i64 {
        let took = moved.iter().filter(|f| f.task == Some(task)).filter_map(|f| Some(f.end.millis_since(f.start?)));
        took.sum::<i64>().max(0)
    };
    leg(Leg::Read, start.plus_millis(moving(&flow.reads, map)).min(finish));
    let (writer, end) = reduce.map_or((map, finish), |(r, t)| (r, t.finish.unwrap_or(finish)));
    let computed = end.plus_millis(-moving(&flow.writes, writer));
    let Some((_, r)) = reduce else {
        leg(Leg::Map, computed);
        leg(Leg::Write, finish);
        return legs;
    };
    leg(Leg::Map, finish);
    // Where the end of copying is not told, all of it counts as the Reduce's.
    let copied = r.shuffle_end.unwrap_or(finish);
    leg(Leg::Wait, r.start.unwrap_or(finish).min(r.shuffle_end.unwrap_or(end)));
    leg(Leg::Shuffle, copied);
    leg(Leg::Sort, r.sort_end.unwrap_or(copied));
    leg(Leg::Reduce, computed);
    leg(Leg::Write, end);
    legs
}
