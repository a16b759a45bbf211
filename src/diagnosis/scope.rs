//! What part of the jobs a witness speaks of.
//!
//! A fault that lasted for part of the time is lost among what all jobs show. So parts are asked as well: halves of the jobs
//! in order of their numbers, which is that of time, and halves of these, four times at most, to single jobs if there are
//! few.
//!
//! ```text
//! jobs    1 2 3 4 5
//! asked   1 2 │ 3 4 5
//!         1 │ 2 │ 3 │ 4 5
//!                     4 │ 5
//! ```
//! A fault that lasted for part of a long job is lost among what the job shows, so stretches of it may be asked too.
//! Whoever asks so divides the chance that it allows by the number of questions. Cost: O(jobs).

use super::{Indictment, Strength, Witness};
use crate::base::{Gathered, Interval, JobId, NodeId, Timestamp};
use std::collections::BTreeSet;

/// How often jobs are halved: 30 questions at most, as with more of them no chance is small enough.
const HALVINGS: usize = 4;

/// All jobs and what is nobody's, or some jobs alone, or a stretch of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scope {
    jobs: BTreeSet<JobId>,
    /// What of it is meant, if not all.
    stretch: Option<Stretch>,
}

/// A stretch of a job's time: what ended then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Which part it is, from 0.
    part: usize,
    /// Of so many, 2 or 4, with equally many states in each.
    of: usize,
    during: Interval,
}

impl Stretch {
    /// The stretches that are judged: halves, and theirs.
    const ALL: [(usize, usize); 6] = [(0, 2), (1, 2), (0, 4), (1, 4), (2, 4), (3, 4)];

    /// The stretches of a job that have so many states at least, by when its states ended, in order: larger ones first.
    pub(super) fn all_of(ends: &[Timestamp], least: usize) -> impl Iterator<Item = Self> {
        let enough = Self::ALL.into_iter().filter(move |(_, of)| ends.len() / of >= least);
        enough.filter_map(|(part, of)| {
            let first_of = |part| ends.get(ends.len() * part / of).copied();
            let behind = first_of(part + 1).or_else(|| Some(ends.last()?.plus_millis(1)))?;
            Some(Self { part, of, during: Interval::new(first_of(part)?, behind) })
        })
    }

    /// Of how many such it is one.
    pub(super) const fn of(self) -> usize {
        self.of
    }

    /// When it was.
    #[must_use]
    pub const fn during(self) -> Interval {
        self.during
    }

    /// Which it is: "second half", "last quarter".
    #[must_use]
    pub const fn name(self) -> &'static str {
        match (self.part, self.of) {
            (0, 2) => "first half",
            (_, 2) => "second half",
            (0, _) => "first quarter",
            (1, _) => "second quarter",
            (2, _) => "third quarter",
            _ => "last quarter",
        }
    }
}

impl Scope {
    /// These jobs; all, if there are none.
    #[must_use]
    pub const fn of(jobs: BTreeSet<JobId>) -> Self {
        Self { jobs, stretch: None }
    }

    /// One job.
    #[must_use]
    pub fn of_job(job: JobId) -> Self {
        Self::of(BTreeSet::from([job]))
    }

    /// A stretch of it alone.
    #[must_use]
    pub fn within(self, stretch: Stretch) -> Self {
        Self { stretch: Some(stretch), ..self }
    }

    /// The stretch that it is, if it is one.
    #[must_use]
    pub const fn stretch(&self) -> Option<Stretch> {
        self.stretch
    }

    /// The parts of these jobs that are asked beside all of them: larger ones first.
    #[must_use]
    pub fn parts_of(jobs: &BTreeSet<JobId>) -> Vec<Self> {
        let jobs: Vec<JobId> = jobs.iter().copied().collect();
        let (mut parts, mut whole) = (Vec::new(), vec![jobs.as_slice()]);
        for _ in 0..HALVINGS {
            let halves = whole.iter().filter(|jobs| jobs.len() > 1).map(|jobs| jobs.split_at(jobs.len() / 2));
            whole = halves.flat_map(|(first, second)| [first, second]).collect();
            parts.extend(whole.iter().map(|jobs| Self::of(jobs.iter().copied().gathered())));
        }
        parts
    }

    /// Whether it leaves nothing out.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.jobs.is_empty()
    }

    /// Whether what belongs to this job, or to none, is in it.
    #[must_use]
    pub fn covers(&self, job: Option<JobId>) -> bool {
        self.is_all() || job.is_some_and(|job| self.jobs.contains(&job))
    }

    /// Whether what belongs to this job and ended then is in it.
    #[must_use]
    pub fn covers_end(&self, job: Option<JobId>, end: Timestamp) -> bool {
        let within = |Stretch { during, .. }: Stretch| during.start <= end && end < during.end;
        self.covers(job) && self.stretch.is_none_or(within)
    }

    /// Whether something may be in both.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.is_all() || other.is_all() || !self.jobs.is_disjoint(&other.jobs)
    }

    /// The jobs, in order, if it is not all of them.
    #[must_use]
    pub fn jobs(&self) -> Option<&BTreeSet<JobId>> {
        (!self.is_all()).then_some(&self.jobs)
    }

    /// The first and the last of the jobs, or the only one; none if it is all.
    #[must_use]
    pub fn ends(&self) -> Vec<JobId> {
        let last = self.jobs.last().filter(|_| self.jobs.len() > 1);
        self.jobs.first().into_iter().chain(last).copied().collect()
    }

    /// The jobs by name after a word: " of job_…", " of the second half of job_…", " of 4 jobs (job_… to job_…)"; nothing if it
    /// is all of them.
    #[must_use]
    pub fn after(&self, word: &str) -> String {
        match (self.ends().as_slice(), self.stretch) {
            ([first, last], _) => format!(" {word} {} jobs ({first} to {last})", self.jobs.len()),
            ([job], Some(stretch)) => format!(" {word} the {} of {job}", stretch.name()),
            ([job], None) => format!(" {word} {job}"),
            _ => String::new(),
        }
    }
}

/// Leaves what parts of the jobs, larger ones first, say of a node only where all jobs together say less; and of each node the
/// strongest word, of equal ones that of the largest part.
pub(super) fn keep_the_best<'a>(pooled: &Witness, parts: impl Iterator<Item = &'a mut Vec<Indictment>>) {
    let mut parts: Vec<&mut Vec<Indictment>> = parts.collect();
    let all = [&pooled.indicted].into_iter().chain(parts.iter().map(|words| &**words));
    let said = all.enumerate().flat_map(|(at, words)| words.iter().map(move |word| (word.node, word.strength, at)));
    let said: Vec<(NodeId, Strength, usize)> = said.collect();
    for (at, words) in (1..).zip(&mut parts) {
        words.retain(|word| {
            let better = |(node, strength, other): &(NodeId, Strength, usize)| {
                *node == word.node && (*strength > word.strength || (*strength == word.strength && *other < at))
            };
            !said.iter().any(better)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::{Method, Signal};
    use crate::model::FlowKind;

    fn jobs(count: u32) -> BTreeSet<JobId> {
        (1..=count).map(|number| JobId { cluster: 1, number }).collect()
    }

    fn numbers(scope: &Scope) -> Vec<u32> {
        scope.jobs().into_iter().flatten().map(|job| job.number).collect()
    }

    #[test]
    fn few_jobs_are_halved_until_each_is_alone() {
        let parts: Vec<Vec<u32>> = Scope::parts_of(&jobs(5)).iter().map(numbers).collect();
        let expected: [&[u32]; 8] = [&[1, 2], &[3, 4, 5], &[1], &[2], &[3], &[4, 5], &[4], &[5]];
        assert_eq!(parts, expected);
        assert_eq!(Scope::parts_of(&jobs(2)).len(), 2);
        assert!(Scope::parts_of(&jobs(1)).is_empty() && Scope::parts_of(&jobs(0)).is_empty());
    }

    #[test]
    fn many_jobs_are_asked_thirty_times() {
        let parts = Scope::parts_of(&jobs(1000));
        assert_eq!(parts.len(), 30);
        assert!(parts.iter().all(|part| numbers(part).len() >= 62));
    }

    #[test]
    fn all_covers_what_is_nobodys_and_a_part_does_not() {
        let [first, second] = [1, 2].map(|number| JobId { cluster: 1, number });
        let (all, part) = (Scope::default(), Scope::of_job(first));
        assert!(all.covers(None) && all.covers(Some(second)) && part.covers(Some(first)));
        assert!(!part.covers(None) && !part.covers(Some(second)));
        assert!(part.meets(&all) && all.meets(&part) && !part.meets(&Scope::of_job(second)));
    }

    #[test]
    fn of_each_node_the_strongest_word_of_the_largest_part_is_kept() {
        let words = |said: &[(u32, Strength)]| -> Vec<Indictment> {
            let word = |(node, strength): &(u32, Strength)| Indictment::bare(NodeId(*node), *strength);
            said.iter().map(word).collect()
        };
        use Strength::{Moderate, Strong};
        let all = words(&[(1, Strong), (2, Moderate)]);
        let pooled = Witness { indicted: all, ..Witness::new(Method::Flows, Signal::Transfers(FlowKind::Read)) };
        let mut parts =
            [words(&[(1, Strong), (3, Moderate)]), words(&[(2, Strong), (3, Strong)]), words(&[(3, Strong)])];
        keep_the_best(&pooled, parts.iter_mut());
        let left = parts.map(|words| words.iter().map(|word| word.node.0).collect::<Vec<_>>());
        assert_eq!(left, [vec![], vec![2, 3], vec![]]);
    }

    #[test]
    fn stretches_hold_equally_many_states_and_their_own_ends() {
        let ends: Vec<Timestamp> = [1, 2, 3, 5, 8, 13, 21, 34].map(Timestamp::from_millis).to_vec();
        let during = |stretch: Stretch| [stretch.during().start, stretch.during().end].map(Timestamp::millis);
        let all: Vec<_> = Stretch::all_of(&ends, 2).map(|stretch| (stretch.name(), during(stretch))).collect();
        let [first, second] = [("first half", [1, 8]), ("second half", [8, 35])];
        let quarters = [("first quarter", [1, 3]), ("second quarter", [3, 8]), ("third quarter", [8, 21])];
        assert_eq!(all, [&[first, second], &quarters[..], &[("last quarter", [21, 35])]].concat());
        assert_eq!(Stretch::all_of(&ends, 3).count(), 2);
        assert_eq!((Stretch::all_of(&ends, 5).count(), Stretch::all_of(&[], 0).count()), (0, 0));

        let [job, other] = [1, 2].map(|number| JobId { cluster: 1, number });
        let last = Scope::of_job(job).within(Stretch::all_of(&ends, 2).last().unwrap());
        let covers = |job, ms| last.covers_end(Some(job), Timestamp::from_millis(ms));
        assert_eq!([covers(job, 20), covers(job, 21), covers(job, 34), covers(job, 35)], [false, true, true, false]);
        assert!(!covers(other, 21) && last.covers(Some(job)));
        assert_eq!(last.after("of"), format!(" of the last quarter of {job}"));
    }

    #[test]
    fn words_name_one_job_or_the_ends_of_several() {
        let job = JobId { cluster: 1, number: 7 };
        assert_eq!(Scope::of_job(job).after("of"), format!(" of {job}"));
        let several = Scope::parts_of(&jobs(4)).remove(1);
        let [first, last] = [3, 4].map(|number| JobId { cluster: 1, number });
        assert_eq!(several.after("in"), format!(" in 2 jobs ({first} to {last})"));
        assert_eq!(Scope::default().after("of"), "");
    }
}
