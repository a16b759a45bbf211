//! The phases of a reduce: copy, merge, reduce.

use super::logs::{LoggedSpan, PhaseMarks};
use super::told::HistoryAttempt;
use super::{Builder, Found, LoggedAttempt};
use crate::base::Timestamp;
use crate::model::{Outcome, StateKind};

/// When the phases of a reduce ended, as far as it is told.
#[derive(Default)]
pub(super) struct Phases {
    pub(super) shuffle_end: Option<Timestamp>,
    pub(super) sort_end: Option<Timestamp>,
    /// Its progress shows it sorting or reducing.
    past_copy: bool,
}

impl Builder<'_> {
    /// The phases of a reduce: completed ones are successes, the one that was running
    /// takes the attempt's end.
    #[inline(never)]
    pub(super) fn push_phases(&self, r: &LoggedAttempt, found: &mut Found) {
        let Phases { shuffle_end, sort_end, past_copy } = self.phases_of(r);
        let outcome = r.end.map(|(_, outcome)| outcome);
        if shuffle_end.is_none() && (past_copy || outcome == Some(Outcome::Success)) {
            // It ran through its copying and on, and nothing tells when that ended.
            if let Some(start) = sort_end {
                let seen = LoggedSpan { start, end: r.end, place: r.place };
                found.push_state(self.state(StateKind::ReduceReducer, r.attempt, r.node, seen), None);
            }
            return;
        }
        if let (None, Some((end, _))) = (shuffle_end, r.end) {
            // Of an id that comes twice, the first.
            let until = found.copied_until.entry(r.attempt).or_insert(end);
            *until = end.min(*until);
        }
        let phases = [
            (StateKind::ReduceCopy, Some(r.start), shuffle_end),
            (StateKind::ReduceMergeCopy, shuffle_end, sort_end),
            (StateKind::ReduceReducer, shuffle_end.and(sort_end), None),
        ];
        for (kind, start, end) in phases {
            let Some(start) = start else { break };
            let end = end.map(|end| (end, Outcome::Success)).or(r.end);
            let seen = LoggedSpan { start, end, place: r.place };
            found.push_state(self.state(kind, r.attempt, r.node, seen), None);
        }
    }

    /// The progress lines of an attempt on its node; those of any, or of a log of unknown node, where
    /// there is no telling.
    pub(super) fn marks_of(&self, r: &LoggedAttempt) -> PhaseMarks {
        let marks = &self.logs.marks;
        let any = || marks.range((r.attempt, None)..).next().filter(|((of, _), _)| *of == r.attempt);
        let unplaced = || match r.node {
            Some(_) => marks.get(&(r.attempt, None)),
            None => any().map(|(_, marks)| marks),
        };
        marks.get(&(r.attempt, r.node)).or_else(unplaced).copied().unwrap_or_default()
    }

    pub(super) fn phases_of(&self, r: &LoggedAttempt) -> Phases {
        let marks = self.marks_of(r);
        let merges = self.logs.merges.get(&r.attempt).copied().unwrap_or_default();
        // An id that comes twice, after a restart, has two runs on two nodes.
        let of_this = |told: &&HistoryAttempt| told.node.is_none() || r.node.is_none() || told.node == r.node;
        let record = self.histories.attempts.get(r.attempt).filter(of_this).map(|told| &told.record);
        let past_copy = marks.last_sort.is_some() || marks.saw_reduce;
        let history = record.map_or((None, None), |record| {
            // Hadoop fills the phases that a failed or killed attempt never reached with
            // its finish.
            let unsuccessful = record.outcome.is_some_and(|o| o != Outcome::Success);
            let filled = |t: &Timestamp| unsuccessful && record.finish.is_some_and(|finish| *t >= finish);
            (
                record.shuffle_end.filter(|t| past_copy || !filled(t)),
                record.sort_end.filter(|t| marks.saw_reduce || !filled(t)),
            )
        });
        let progress = {
            let shuffle = marks.last_copy.filter(|_| past_copy);
            let sort = if marks.saw_reduce { marks.last_sort.or(shuffle) } else { None };
            (shuffle, sort)
        };
        let container = {
            let after = |t: &Timestamp| merges.last.is_some_and(|merge| *t >= merge);
            (merges.last, merges.last_pass.filter(after))
        };
        let shuffle = history.0.or(container.0).or(progress.0);
        let sort = history.1.or(container.1).or(progress.1);
        let ahead_ms = self.phase_clocks.ahead_ms(r.attempt.job, r.node);
        let by_master = |end: Option<Timestamp>| end.map(|end| end.plus_millis(-ahead_ms));
        Phases { shuffle_end: by_master(shuffle), sort_end: by_master(sort), past_copy }
    }
}
