//! Incidents: stretches of jobs in which one node goes wrong again and again (T09, Fig 1).
//!
//! ```text
//! jobs by start     …  0/12   7/9   2/2   –   11/14   1/1   0/10  …      bad / tried on h117
//! evidence          …  −4.1  +9.0  +4.6   0   +9.0   +2.3   −4.1  …
//! running sum       …   0     9.0  13.6      22.6    24.9   20.8  …      ≥ threshold: an incident
//! ```
//! Evidence of one job: the logarithm of how much likelier its bad attempts on the node are
//! if every second attempt on it goes wrong ([`SICK`]) than if it is as its peers are in the
//! same job. A job that goes wrong everywhere is evidence against nobody. A node's incident is a rise of
//! the running sum (never below 0) up to the threshold or beyond; it ends at its peak.
//!
//! Source: sequential likelihood ratios (Wald; Page's CUSUM). Under no fault such a sum
//! reaches h from any one job on with chance e^−h at most, so h = ln(nodes × jobs / α)
//! bounds the chance of a false incident anywhere by α, as far as attempts are independent.
//! As those of one job on one node are not (they share neighbours), one job counts for 0.6
//! of the threshold at most: no job alone makes an incident, and two only if nearly all went
//! wrong in both. Cost: O(nodes × jobs).

use super::survey::{Side, Survey, Work};
use crate::base::quantity::counted;
use crate::base::{Gathered, JobId, NodeId, Timestamp, math};
use crate::diagnosis::MIN_PEERS;
use crate::model::Trace;
use std::collections::{BTreeMap, BTreeSet};

/// Share of a sick node's attempts that go wrong.
const SICK: f64 = 0.5;
/// A healthy node's share is taken as this at least: retries and stragglers of their own
/// are ordinary.
const HEALTHY_LEAST: f64 = 0.05;
/// A job in which so many go wrong elsewhere tells nothing about one node.
const HEALTHY_MOST: f64 = 0.25;
/// Attempts added to those of the peers, none of them bad, so that few peers do not look
/// better than they may be.
const PRIOR: f64 = 1.0;
/// Attempts on peers that a comparison needs.
const PEER_ATTEMPTS: u32 = 3;
/// The threshold is this at least, however few nodes and jobs: 1 in 22 000.
const LEAST_THRESHOLD: f64 = 10.0;
/// No chance at all would be a threshold without end, which no report can hold.
const LEAST_ALPHA: f64 = 1e-300;
/// One job's part of the threshold at most.
pub(super) const ONE_JOB: f64 = 0.6;
/// A fall from the peak by so much ends an incident: as much evidence of health as four
/// bad attempts are of sickness.
const FALL: f64 = 8.0;
/// A job suffered from an incident if so many of its attempts on the node were bad…
const SUFFERED_BAD: u32 = 2;
/// …and this share of them.
const SUFFERED_SHARE: f64 = 0.3;
/// Two jobs in a row may both have had a busy neighbour on the node, which makes half of their
/// attempts there slow: where no third one suffered, this share has to be bad.
const TWO_JOBS_SHARE: f64 = 0.75;

/// How a node stood out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IncidentKind {
    /// Its attempts were slow or failed.
    WentWrong,
    /// It was given no attempt, while nearly all others were ([`super::absence`]).
    GivenNothing,
    /// Daemons spoke of its hardware while no job showed it ([`super::words`]).
    Said,
}

/// A stretch of time in which a node stood out in job after job.
#[derive(Clone, Debug, PartialEq)]
pub struct Incident {
    /// Which node.
    pub node: NodeId,
    /// What stood out.
    pub kind: IncidentKind,
    /// Start of the first such job and end of the last.
    pub span: (Timestamp, Timestamp),
    /// The jobs that suffered, in order of start.
    pub jobs: Vec<JobId>,
    /// Bad attempts on the node, and those that tell, in these jobs; of words, how many.
    pub bad: (u32, u32),
    /// The same on its peers; of an absence, how often they were given an attempt, and how often
    /// they could have been.
    pub peers: (u32, u32),
    /// The running sum at its peak.
    pub score: f64,
    /// Whether jobs that came after it say that it is over; told of attempts that went wrong alone.
    pub passed: bool,
}

impl Incident {
    /// Whether some of its time lies in this span.
    pub(super) fn meets(&self, span: (Timestamp, Timestamp)) -> bool {
        self.span.0 < span.1 && span.0 < self.span.1
    }

    /// How many times as often attempts go wrong as on the peers.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let share = |(bad, tried): (u32, u32)| (f64::from(bad) + PRIOR) / (f64::from(tried) + PRIOR);
        share(self.bad) / share(self.peers)
    }

    /// One sentence with its numbers.
    #[must_use]
    pub fn in_words(&self, trace: &Trace) -> String {
        let users: BTreeSet<&str> = self.jobs.iter().filter_map(|job| user_of(trace, *job)).gathered();
        let by = match users.len() {
            0 => String::new(),
            1 => " of one user".to_owned(),
            n => format!(" of {n} users"),
        };
        let percent = 100.0 * f64::from(self.peers.0) / f64::from(self.peers.1.max(1));
        let (bad, tried) = self.bad;
        let (name, jobs) = (trace.node_name(self.node), counted(self.jobs.len() as u64, "job"));
        match self.kind {
            IncidentKind::WentWrong => format!(
                "{bad} of {tried} attempts on {name} were slow or failed, in {jobs}{by}; {percent:.1} % of those on its peers in the same jobs",
            ),
            IncidentKind::GivenNothing => format!(
                "{name} was given no attempt while {jobs}{by} ran, {percent:.0} % of its peers were: it was blacklisted, away, or drained",
            ),
            IncidentKind::Said => {
                let times = if bad == 1 { String::from("once") } else { format!("{bad} times") };
                format!(
                    "logs speak of a disk, a checksum or the loss of {name} {times}; counts of attempts alone would not show it"
                )
            }
        }
    }
}

fn user_of(trace: &Trace, job: JobId) -> Option<&str> {
    trace.job(job)?.user.as_deref()
}

/// What one job says of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Say {
    /// The job.
    pub job: JobId,
    /// When it ran.
    pub span: (Timestamp, Timestamp),
    /// Bad and telling attempts on the node.
    pub own: (u32, u32),
    /// The same on its peers.
    pub peers: (u32, u32),
    /// The evidence.
    pub evidence: f64,
}

/// The evidence in `own` bad of tried attempts, beside the peers'; `None` where the job
/// does not tell.
#[must_use]
pub fn evidence(own: (u32, u32), peers: (u32, u32)) -> Option<f64> {
    if own.1 == 0 || peers.1 < PEER_ATTEMPTS {
        return None;
    }
    let healthy = f64::from(peers.0) / (f64::from(peers.1) + PRIOR);
    let healthy = healthy.max(HEALTHY_LEAST);
    let good = f64::from(own.1.saturating_sub(own.0));
    let rise = math::ln(SICK / healthy);
    let fall = math::ln((1.0 - SICK) / (1.0 - healthy));
    (healthy <= HEALTHY_MOST).then(|| f64::from(own.0) * rise + good * fall)
}

/// What every job says of every node, in order of start.
#[must_use]
pub fn rows(survey: &Survey) -> BTreeMap<NodeId, Vec<Say>> {
    let mut rows: BTreeMap<NodeId, Vec<Say>> = BTreeMap::new();
    for (index, job) in survey.jobs().iter().enumerate() {
        let Some(start) = job.start else { continue };
        let span = (start, job.end.unwrap_or(start).max(start));
        let works = survey.works(index);
        let totals = Totals::of(works);
        let mut says: BTreeMap<NodeId, Say> = BTreeMap::new();
        for work in works {
            let all = totals.on(work.side);
            let peers = (all.0 - work.bad, all.1 - work.tried);
            let Some(evidence) = evidence((work.bad, work.tried), peers) else { continue };
            let none = Say { job: job.id, span, own: (0, 0), peers: (0, 0), evidence: 0.0 };
            let say = says.entry(work.node).or_insert(none);
            say.own = (say.own.0 + work.bad, say.own.1 + work.tried);
            say.peers = (say.peers.0 + peers.0, say.peers.1 + peers.1);
            say.evidence += evidence;
        }
        for (node, say) in says {
            rows.entry(node).or_default().push(say);
        }
    }
    rows
}

/// Bad and telling attempts of a job, of each side.
struct Totals([(u32, u32); 2]);

impl Totals {
    fn of(works: &[Work]) -> Self {
        let sum = |side| works.iter().filter(|w| w.side == side).fold((0, 0), |(b, t), w| (b + w.bad, t + w.tried));
        Self(Side::BOTH.map(sum))
    }

    const fn on(&self, side: Side) -> (u32, u32) {
        let [maps, reduces] = self.0;
        match side {
            Side::Map => maps,
            Side::Reduce => reduces,
        }
    }
}

/// The nodes of each job that compares three or more and says something of one: of three nodes one that is sick in all
/// its attempts leaves nothing to be said of the two others, whose peers go wrong too often.
#[must_use]
pub fn compared(survey: &Survey, rows: &BTreeMap<NodeId, Vec<Say>>) -> Vec<BTreeSet<NodeId>> {
    let telling: BTreeSet<JobId> = rows.values().flatten().map(|say| say.job).gathered();
    let jobs = (0..).zip(survey.jobs()).filter(|(_, job)| telling.contains(&job.id));
    let nodes = jobs.map(|(index, _)| {
        let works = survey.works(index);
        let totals = Totals::of(works);
        let has_peers = |work: &&Work| {
            let all = totals.on(work.side);
            work.tried > 0 && all.1 - work.tried >= PEER_ATTEMPTS
        };
        works.iter().filter(has_peers).map(|work| work.node).gathered::<BTreeSet<_>>()
    });
    nodes.filter(|nodes| nodes.len() >= MIN_PEERS).collect()
}

/// What the running sum has to reach.
#[must_use]
pub fn threshold(nodes: usize, jobs: usize, alpha: f64) -> f64 {
    math::ln(nodes.max(1) as f64 * jobs.max(1) as f64 / alpha.max(LEAST_ALPHA)).max(LEAST_THRESHOLD)
}

/// The highest running sum of a node, and its incidents.
#[must_use]
pub fn scan(node: NodeId, row: &[Say], threshold: f64) -> (f64, Vec<Incident>) {
    let mut found = Vec::new();
    let mut highest = 0.0_f64;
    let (mut sum, mut from) = (0.0_f64, 0);
    let (mut peak, mut peak_at) = (0.0_f64, 0);
    let mut close = |from: usize, at: usize, peak: f64, passed: bool| {
        if peak >= threshold {
            found.extend(row.get(from..=at).and_then(|says| incident(node, says, peak, passed)));
        }
    };
    for (i, say) in row.iter().enumerate() {
        if sum == 0.0 {
            (from, peak) = (i, 0.0);
        }
        sum = (sum + say.evidence.min(ONE_JOB * threshold)).max(0.0);
        highest = highest.max(sum);
        if sum > peak {
            (peak, peak_at) = (sum, i);
        }
        if sum == 0.0 || peak - sum > FALL {
            close(from, peak_at, peak, true);
            (sum, peak) = (0.0, 0.0);
        }
    }
    close(from, peak_at, peak, false);
    (highest, found)
}

/// The incident of the jobs from `says`, as far as they suffered; `None` if fewer than two
/// did.
fn incident(node: NodeId, says: &[Say], score: f64, passed: bool) -> Option<Incident> {
    let suffered = |s: &&Say| {
        let (bad, tried) = s.own;
        let share = f64::from(bad) / f64::from(tried.max(1));
        bad >= SUFFERED_BAD && share >= SUFFERED_SHARE
    };
    let accusing = || says.iter().filter(|s| s.evidence > 0.0);
    let all: f64 = accusing().map(|s| s.evidence).sum();
    let mut jobs: Vec<&Say> = accusing().filter(suffered).collect();
    // Small jobs that gave the node one attempt each may be most of what accuses it.
    if 2.0 * jobs.iter().map(|s| s.evidence).sum::<f64>() < all {
        jobs = accusing().filter(|s| suffered(s) || s.own == (1, 1)).collect();
    }
    let first = accusing().map(|s| s.span.0).min()?;
    let last = accusing().map(|s| s.span.1).max()?;
    let sum = |of: fn(&Say) -> (u32, u32)| jobs.iter().map(|s| of(s)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
    let bad = sum(|s| s.own);
    let clear = jobs.len() >= 3 || f64::from(bad.0) >= TWO_JOBS_SHARE * f64::from(bad.1);
    (jobs.len() >= 2 && clear).then(|| Incident {
        node,
        kind: IncidentKind::WentWrong,
        span: (first, last),
        jobs: jobs.iter().map(|s| s.job).collect(),
        bad,
        peers: sum(|s| s.peers),
        score,
        passed,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn says(own: &[(u32, u32)]) -> Vec<Say> {
        let say = |(i, own): (usize, &(u32, u32))| {
            let at = Timestamp::from_millis(i as i64 * 1000);
            let job = JobId { cluster: 1, number: i as u32 };
            let peers = (1, 99);
            Say { job, span: (at, at.plus_millis(900)), own: *own, peers, evidence: evidence(*own, peers).unwrap() }
        };
        own.iter().enumerate().map(say).collect()
    }

    fn jobs(own: &[(u32, u32)]) -> Vec<Vec<u32>> {
        let (_, found) = scan(NodeId(0), &says(own), 16.0);
        found.iter().map(|i| i.jobs.iter().map(|j| j.number).collect()).collect()
    }

    #[test]
    fn jobs_with_one_attempt_on_the_node_add_up() {
        // 2.3 each: six are too few for 16, seven are enough.
        assert_eq!(jobs(&[(1, 1); 6]), [[0; 0]; 0]);
        assert_eq!(jobs(&[(1, 1); 7]), [(0..7).collect::<Vec<u32>>()]);
        let with_a_large_one = [&[(1, 1); 7][..], &[(3, 3)]].concat();
        assert_eq!(jobs(&with_a_large_one), [(0..8).collect::<Vec<u32>>()]);
    }

    #[test]
    fn evidence_by_hand() {
        // Peers 1 of 99: below 5 %, so 5 %. 3 bad of 4: 3 ln 10 + ln(0.5/0.95) = 6.907756 − 0.641854.
        let found = evidence((3, 4), (1, 99)).unwrap();
        assert!((found - 6.265_901).abs() < 1e-5, "{found}");
        // Peers 19 of 99: 19 %. One bad of one: ln(0.5/0.19).
        assert!((evidence((1, 1), (19, 99)).unwrap() - 0.967_584).abs() < 1e-5);
    }

    #[test]
    fn jobs_that_do_not_tell() {
        assert_eq!(evidence((0, 0), (0, 9)), None, "nothing ran");
        assert_eq!(evidence((2, 2), (0, 2)), None, "too few elsewhere");
        assert_eq!(evidence((5, 5), (30, 99)), None, "it goes wrong everywhere");
    }

    #[test]
    fn threshold_by_hand() {
        assert!((threshold(64, 1373, 0.01) - 15.989).abs() < 1e-3);
        assert_eq!(threshold(5, 2, 0.01), 10.0);
        // 301 ln 10.
        assert!((threshold(5, 2, 0.0) - 693.078).abs() < 1e-3);
    }

    #[test]
    fn stretch_of_bad_jobs_is_an_incident_and_its_good_neighbours_are_not() {
        assert_eq!(jobs(&[(0, 9), (4, 5), (3, 4), (5, 6), (0, 9), (0, 9)]), [vec![1, 2, 3]]);
    }

    #[test]
    fn one_job_alone_is_never_an_incident() {
        assert_eq!(jobs(&[(0, 3), (90, 90), (0, 3)]), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn two_jobs_have_to_be_nearly_all_bad() {
        assert_eq!(jobs(&[(0, 6), (20, 40), (20, 40), (0, 6)]), Vec::<Vec<u32>>::new(), "a busy neighbour, twice");
        assert_eq!(jobs(&[(0, 6), (30, 40), (30, 40), (0, 6)]), [vec![1, 2]]);
        assert_eq!(jobs(&[(0, 6), (20, 40), (20, 40), (20, 40)]), [vec![1, 2, 3]]);
    }

    #[test]
    fn stragglers_here_and_there_are_no_incident() {
        let ordinary: Vec<(u32, u32)> = (0..200).map(|i| if i % 3 == 0 { (1, 6) } else { (0, 6) }).collect();
        assert!(jobs(&ordinary).is_empty());
    }

    #[test]
    fn two_incidents_stay_apart() {
        let bad = [(4, 5), (4, 4), (6, 6)];
        let row = [&bad[..], &[(0, 6); 5], &bad[..]].concat();
        assert_eq!(jobs(&row), [vec![0, 1, 2], vec![8, 9, 10]]);
    }

    #[test]
    fn job_with_one_bad_attempt_at_the_edge_did_not_suffer() {
        assert_eq!(jobs(&[(1, 1), (4, 4), (4, 4), (4, 4)]), [vec![1, 2, 3]]);
    }
}
