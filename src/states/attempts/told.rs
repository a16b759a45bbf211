//! The attempts that histories tell of, in order of id: a table of rows, since a month of a
//! cluster has millions of them and a map takes half as much room again.
//!
//! Where several histories tell of one attempt, the first that knows its end stays, and each of its
//! gaps is filled from the others. Cost: O(rows log rows), 4 bytes a row beside the rows.

use crate::base::{AttemptId, JobId, NodeId, Place};
use crate::model::AttemptRecord;

/// What a history says of one attempt.
pub struct HistoryAttempt {
    /// Its words; the host among them is [`Self::node`].
    pub record: AttemptRecord,
    /// Where it ran, if the history names a host of the cluster.
    pub node: Option<NodeId>,
    /// The record.
    pub place: Place,
}

/// All attempts, each once.
#[derive(Default)]
pub struct Attempts(Vec<HistoryAttempt>);

impl HistoryAttempt {
    /// A record; its host is known by now.
    pub fn new(record: AttemptRecord, node: Option<NodeId>, place: Place) -> Self {
        Self { record: AttemptRecord { host: None, ..record }, node, place }
    }

    /// Takes from a later one what this one lacks; all of it where only that one knows the end.
    fn fill_from(&mut self, other: &mut Self) {
        if self.record.finish.is_none() && other.record.finish.is_some() {
            std::mem::swap(self, other);
        }
        self.node = self.node.or(other.node);
        let (own, rest) = (&mut self.record, &mut other.record);
        own.start = own.start.or(rest.start);
        own.shuffle_end = own.shuffle_end.or(rest.shuffle_end);
        own.sort_end = own.sort_end.or(rest.sort_end);
        own.finish = own.finish.or(rest.finish);
        own.outcome = own.outcome.or(rest.outcome);
        own.counters.fill_from(&rest.counters);
        own.error = own.error.take().or_else(|| rest.error.take());
    }
}

impl Attempts {
    /// Puts rows, in the order in which they were read, into order of id, each attempt once.
    pub fn of(mut rows: Vec<HistoryAttempt>) -> Self {
        // Sorting the rows themselves would keep no order among equals, or need half of them again.
        let ids: Vec<AttemptId> = rows.iter().map(|told| told.record.attempt).collect();
        if !ids.is_sorted() {
            let mut order: Vec<u32> = (0..u32::try_from(rows.len()).unwrap_or(u32::MAX)).collect();
            order.sort_unstable_by_key(|i| (ids.get(*i as usize), *i));
            put_in(&mut rows, order);
        }
        drop(ids);
        rows.dedup_by(|later, first| {
            let same = later.record.attempt == first.record.attempt;
            if same {
                first.fill_from(later);
            }
            same
        });
        Self(rows)
    }

    /// One of them.
    pub fn get(&self, attempt: AttemptId) -> Option<&HistoryAttempt> {
        let at = self.0.binary_search_by_key(&attempt, |told| told.record.attempt).ok()?;
        self.0.get(at)
    }

    /// The first of those at one task, by any of its attempts.
    pub fn first_of_task(&self, attempt: AttemptId) -> Option<&HistoryAttempt> {
        let at = self.0.partition_point(|told| told.record.attempt < attempt.first());
        self.0.get(at).filter(|told| told.record.attempt.first() == attempt.first())
    }

    /// All in order of id.
    pub fn iter(&self) -> impl Iterator<Item = &HistoryAttempt> {
        self.0.iter()
    }

    /// Whether they tell of a job.
    pub fn know(&self, job: JobId) -> bool {
        let first = self.0.partition_point(|told| told.record.attempt.job < job);
        self.0.get(first).is_some_and(|told| told.record.attempt.job == job)
    }

    /// All in order of id, given away.
    pub fn into_rows(self) -> Vec<HistoryAttempt> {
        self.0
    }
}

/// Moves what stands at `order[i]` to `i`, circle by circle.
fn put_in<T>(rows: &mut [T], mut order: Vec<u32>) {
    for start in 0..rows.len() {
        let mut at = start;
        while let Some(slot) = order.get_mut(at) {
            let from = std::mem::replace(slot, u32::try_from(at).unwrap_or(u32::MAX)) as usize;
            if from == start || from >= rows.len() {
                break;
            }
            rows.swap(at, from);
            at = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{FileId, TaskLetter, Timestamp};
    use crate::model::{Counters, Outcome, TaskType};

    fn told(task: u32, finish: Option<i64>, node: Option<u32>, line: u64) -> HistoryAttempt {
        let job = JobId { cluster: 1, number: 1 };
        let record = AttemptRecord {
            attempt: AttemptId { job, letter: TaskLetter::Map, task, attempt: 0 },
            task_type: TaskType::Map,
            host: None,
            start: None,
            shuffle_end: None,
            sort_end: None,
            finish: finish.map(Timestamp::from_millis),
            outcome: None,
            counters: Counters::default(),
            error: None,
            start_line: 0,
        };
        HistoryAttempt::new(record, node.map(NodeId), Place { file: FileId(0), line })
    }

    #[test]
    fn rows_are_moved_as_their_order_says() {
        for order in [vec![2, 0, 1, 3], vec![3, 2, 1, 0], vec![0, 1, 2, 3], vec![1, 2, 3, 0]] {
            let mut rows = ['a', 'b', 'c', 'd'];
            let expected: Vec<char> = order.iter().map(|i| rows[*i as usize]).collect();
            put_in(&mut rows, order);
            assert_eq!(rows.to_vec(), expected);
        }
    }

    /// Of a history with more open attempts than are held, begin and end come as two rows.
    #[test]
    fn begin_and_end_in_two_rows_are_one_attempt() {
        let at = Timestamp::from_millis;
        let mut begin = told(7, None, Some(1), 10);
        begin.record.start = Some(at(5));
        let mut end = told(7, Some(99), None, 20);
        end.record.outcome = Some(Outcome::Success);
        end.record.counters.hdfs_read = Some(3).into();
        let both = Attempts::of(vec![begin, end]).into_rows();
        let [HistoryAttempt { record, node, place }] = both.as_slice() else { panic!("{} rows", both.len()) };
        assert_eq!((record.start, record.finish, record.outcome), (Some(at(5)), Some(at(99)), Some(Outcome::Success)));
        assert_eq!((record.counters.hdfs_read.get(), *node, place.line), (Some(3), Some(NodeId(1)), 20));
    }

    #[test]
    fn first_that_knows_the_end_stays_and_is_filled() {
        let rows = vec![
            told(7, None, Some(1), 10),
            told(3, None, None, 20),
            told(7, Some(99), None, 30),
            told(7, Some(5), Some(2), 40),
        ];
        let all = Attempts::of(rows).into_rows();
        let row =
            |t: &HistoryAttempt| (t.record.attempt.task, t.record.finish.map(Timestamp::millis), t.node, t.place.line);
        assert_eq!(all.iter().map(row).collect::<Vec<_>>(), [(3, None, None, 20), (7, Some(99), Some(NodeId(1)), 30)]);
    }
}
