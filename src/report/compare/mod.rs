//! Two runs compared: what is different in B from what it was in A (M10, M16, M19).
//!
//! Jobs are matched by name (the first of a name with the first, and so on), by id where they have none; nodes by name.
//! What a node's states take is compared with what they took, and that change with the change
//! on the other nodes: a larger input slows all alike, a fault slows one.

mod words;

use words::sentence;
pub use words::{setting, text};

use super::summary::{JobSum, StateSum};
use super::{OutcomeKind, Report};
use crate::base::math::{ln, rounded};
use crate::base::{Arrange, Gathered};
use crate::model::StateKind;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Parts of one to which factors are told: three decimals.
const DECIMALS: f64 = 1000.0;

/// Value of [`Difference::format`].
pub const FORMAT: &str = "oddnode-comparison";
/// Value of [`Difference::version`].
pub const VERSION: u32 = 1;
/// A node's states changed by themselves if so many times more than those of the others.
const APART: f64 = 1.5;
/// Changes of a kind's median below this are noise of the logs' clock.
const APART_MS: i64 = 1_000;
/// A job's duration or volume is another beyond this.
const ANOTHER: f64 = 1.2;
/// Where the other nodes' states changed so many times too, it was other work, and one node's change tells nothing.
const OTHER_WORK: f64 = 3.0;
/// States a node needs in both runs.
const MIN_STATES: u64 = 2;
/// What a job needs is fetched once to a node, and those that come later find it there: how long the middle one takes
/// tells how many containers ran.
const FETCHED_ONCE: StateKind = StateKind::Localize;

/// What is different.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Difference {
    /// Always [`FORMAT`].
    pub format: String,
    /// Layout version.
    pub version: u32,
    /// What changed, in one sentence.
    pub sentence: String,
    /// The first run.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// Nodes of the first run alone.
    pub only_a: Vec<String>,
    /// Nodes of the second run alone.
    pub only_b: Vec<String>,
    /// Jobs of both, and those of one.
    pub jobs: Vec<JobPair>,
    /// Each node in each kind of state, those that changed by themselves first.
    pub states: Vec<StateChange>,
    /// Values of configuration that differ between matched jobs.
    pub conf: Vec<ConfChange>,
    /// Why something could not be compared.
    pub notes: Vec<String>,
}

/// One run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Side {
    /// What was found.
    pub outcome: OutcomeKind,
    /// Its verdict.
    pub sentence: String,
    /// Its culprits, with their causes.
    pub culprits: Vec<(String, String)>,
    /// How many nodes.
    pub nodes: usize,
    /// How many jobs.
    pub jobs: usize,
}

/// A job in both runs, or in one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobPair {
    /// Its name, or id where it has none.
    pub name: String,
    /// In the first run.
    pub a: Option<JobSum>,
    /// In the second.
    pub b: Option<JobSum>,
    /// Duration in B over that in A.
    pub times: Option<f64>,
}

/// One node's states of a kind in both runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StateChange {
    /// The node.
    pub node: String,
    /// The kind of state.
    pub kind: String,
    /// Median duration in A, in milliseconds.
    pub a_ms: i64,
    /// Median duration in B, in milliseconds.
    pub b_ms: i64,
    /// `b_ms` over `a_ms`.
    pub times: f64,
    /// The median of this ratio over the other nodes.
    pub others: f64,
    /// Whether the node changed by itself.
    pub apart: bool,
}

/// A value of configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConfChange {
    /// The job's name.
    pub job: String,
    /// The value's name.
    pub name: String,
    /// In A.
    pub a: Option<Value>,
    /// In B.
    pub b: Option<Value>,
}

/// Compares two reports.
#[must_use]
pub fn compare(a: &Report, b: &Report) -> Difference {
    let mut notes = Vec::new();
    if a.pseudonyms != b.pseudonyms {
        notes.push(String::from(
            "The names of the two runs are pseudonyms of different keys, or of one run only: nodes and jobs that \
             are the same may have different names here.",
        ));
    }
    if a.summary.states.is_empty() != b.summary.states.is_empty() {
        notes.push(String::from(
            "One of the two has no durations of states, as short links have none: of states nothing is compared.",
        ));
    }
    // A job that a short link left out is not one that is gone.
    let jobs_left_out = [a, b].iter().any(|r| r.summary.jobs.is_empty() && !r.left_out.is_empty());
    if jobs_left_out {
        notes.push(String::from("Not both have sums of jobs, as short links have none: of jobs nothing is compared."));
    }
    let names = |r: &Report| r.nodes.iter().cloned().gathered::<BTreeSet<String>>();
    let (nodes_a, nodes_b) = (names(a), names(b));
    // A short link names no healthy nodes: of those nothing is known.
    let all_named =
        a.summary.states.is_empty() == b.summary.states.is_empty() && !nodes_a.is_empty() && !nodes_b.is_empty();
    let beyond = |own: &BTreeSet<String>, other: &BTreeSet<String>| {
        if all_named { own.difference(other).cloned().collect() } else { Vec::new() }
    };
    let jobs = if jobs_left_out { Vec::new() } else { pairs(&a.summary.jobs, &b.summary.jobs) };
    let conf = jobs.iter().flat_map(conf_changes).collect();
    let mut done = Difference {
        format: FORMAT.to_owned(),
        version: VERSION,
        sentence: String::new(),
        a: side(a),
        b: side(b),
        only_a: beyond(&nodes_a, &nodes_b),
        only_b: beyond(&nodes_b, &nodes_a),
        jobs,
        states: state_changes(&a.summary.states, &b.summary.states),
        conf,
        notes,
    };
    done.sentence = sentence(&done);
    done
}

fn side(r: &Report) -> Side {
    Side {
        outcome: r.verdict.outcome,
        sentence: r.verdict.sentence.clone(),
        culprits: r.verdict.culprits.iter().map(|c| (c.node.clone(), c.cause.clone())).collect(),
        nodes: r.nodes.len(),
        jobs: r.jobs.len().max(r.summary.jobs.len()),
    }
}

fn pairs(a: &[JobSum], b: &[JobSum]) -> Vec<JobPair> {
    // With a name, and that; without one, and the id.
    let mut by_name: BTreeMap<(bool, &str), [Vec<&JobSum>; 2]> = BTreeMap::new();
    for (jobs, second) in [(a, false), (b, true)] {
        for job in jobs {
            let name = job.name.as_deref().filter(|name| !name.is_empty());
            let [of_a, of_b] = by_name.entry((name.is_some(), name.unwrap_or(&job.job))).or_default();
            if second { of_b.push(job) } else { of_a.push(job) }
        }
    }
    let mut out = Vec::new();
    for ((_, name), [mut a, mut b]) in by_name {
        a.arrange_by(|job| (job.start_ms, &job.job));
        b.arrange_by(|job| (job.start_ms, &job.job));
        for i in 0..a.len().max(b.len()) {
            let (a, b) = (a.get(i).copied(), b.get(i).copied());
            let millis = |job: Option<&JobSum>| job.and_then(JobSum::millis).filter(|ms| *ms > 0);
            out.push(JobPair {
                name: name.to_owned(),
                times: millis(a).zip(millis(b)).map(|(a, b)| rounded(b as f64 / a as f64, DECIMALS)),
                a: a.cloned(),
                b: b.cloned(),
            });
        }
    }
    out
}

fn conf_changes(pair: &JobPair) -> Vec<ConfChange> {
    let (Some(a), Some(b)) = (&pair.a, &pair.b) else { return Vec::new() };
    let names: BTreeSet<&String> = a.conf.keys().chain(b.conf.keys()).gathered();
    let changed = names.into_iter().filter(|name| a.conf.get(*name) != b.conf.get(*name));
    let change = |name: &String| ConfChange {
        job: pair.name.clone(),
        name: name.clone(),
        a: a.conf.get(name).cloned(),
        b: b.conf.get(name).cloned(),
    };
    changed.map(change).collect()
}

fn state_changes(a: &[StateSum], b: &[StateSum]) -> Vec<StateChange> {
    let mut out: Vec<StateChange> = Vec::new();
    for kind in b.iter().filter(|kind| kind.kind != FETCHED_ONCE.name()) {
        let Some(before) = a.iter().find(|k| k.kind == kind.kind) else { continue };
        let of_kind: Vec<(&String, i64, i64, f64)> = kind
            .nodes
            .iter()
            .filter_map(|(node, now)| {
                let was = before.nodes.get(node)?;
                let enough = was.count >= MIN_STATES && now.count >= MIN_STATES;
                // A state of no length lasted less than the logs tell.
                let times = now.median_ms.max(1) as f64 / was.median_ms.max(1) as f64;
                enough.then_some((node, was.median_ms, now.median_ms, times))
            })
            .collect();
        let mut sorted: Vec<f64> = of_kind.iter().map(|(_, _, _, times)| *times).collect();
        sorted.arrange(f64::total_cmp);
        for (node, a_ms, b_ms, times) in &of_kind {
            // All but the node's own, which is one of those that are equal to it.
            let own = sorted.partition_point(|other| other.total_cmp(times).is_lt());
            let other = |i: usize| sorted.get(i + usize::from(i >= own)).copied();
            // Without others there is nothing to be apart from; one or two may be what is apart.
            let apart_from = |other: &f64| ln(times / other).abs();
            let others = match sorted.len() - 1 {
                n @ 0..=2 => (0..n).filter_map(other).min_by(|a, b| apart_from(a).total_cmp(&apart_from(b))),
                n => other((n - 1) / 2).zip(other(n / 2)).map(|(low, high)| f64::midpoint(low, high)),
            };
            let factor = times / others.unwrap_or(*times);
            let apart = !(1.0 / APART..APART).contains(&factor) && (b_ms - a_ms).abs() >= APART_MS;
            let others = rounded(others.unwrap_or(1.0), DECIMALS);
            out.push(StateChange {
                node: (*node).clone(),
                kind: kind.kind.clone(),
                a_ms: *a_ms,
                b_ms: *b_ms,
                times: rounded(*times, DECIMALS),
                others,
                apart,
            });
        }
    }
    let extent = |c: &StateChange| {
        let factor = c.times / c.others.max(0.001);
        if factor >= 1.0 { factor } else { 1.0 / factor.max(0.001) }
    };
    out.arrange(|x, y| {
        y.apart
            .cmp(&x.apart)
            .then(extent(y).total_cmp(&extent(x)))
            .then_with(|| (&x.node, &x.kind).cmp(&(&y.node, &y.kind)))
    });
    out
}

#[cfg(test)]
mod tests {
    use super::super::summary::NodeSum;
    use super::super::{Culprit, Summary, Verdict};
    use super::words::telling;
    use super::*;
    use serde_json::json;

    fn run(slow: i64, all: i64, name: &str) -> Report {
        let node = |node: &str, median_ms| (node.to_owned(), NodeSum { count: 4, total_ms: 4 * median_ms, median_ms });
        let states = StateSum {
            kind: "Map".into(),
            nodes: [
                node("h1", 2000 * all),
                node("h2", 2000 * all),
                node("h3", 2000 * all * slow),
                node("h4", 2100 * all),
            ]
            .into(),
        };
        let job = JobSum {
            job: format!("job_{name}"),
            name: Some("sorter".into()),
            start_ms: Some(0),
            finish_ms: Some(60_000 * all * slow),
            read_bytes: Some(1000 * all),
            conf: [("map_slots".to_owned(), json!(2 * all))].into(),
            ..JobSum::default()
        };
        let culprits = if slow > 1 {
            vec![Culprit { node: "h3".into(), cause: "cpu".into(), ..Culprit::default() }]
        } else {
            Vec::new()
        };
        let outcome = if slow > 1 { OutcomeKind::Indicted } else { OutcomeKind::Clean };
        Report {
            nodes: ["h1", "h2", "h3", "h4"].map(String::from).to_vec(),
            verdict: Verdict { outcome, culprits, ..Verdict::default() },
            summary: Summary { jobs: vec![job], states: vec![states] },
            ..Report::default()
        }
    }

    #[test]
    fn node_that_changed_by_itself_is_named_with_its_change() {
        let d = compare(&run(1, 1, "a"), &run(3, 1, "b"));
        let expected = "Now: h3 (CPU) at fault; before: no node stands out; Map on h3 takes 6 s instead of 2 s \
            (× 3.0; on the other nodes × 1.0); sorter took 3 min instead of 60 s (× 3.0).";
        assert_eq!(d.sentence, expected);
        let apart: Vec<&str> = d.states.iter().filter(|c| c.apart).map(|c| c.node.as_str()).collect();
        assert_eq!(apart, ["h3"]);
    }

    #[test]
    fn sentence_tells_what_got_slower_first_and_nothing_of_other_work() {
        let change = |kind: &str, a_ms, b_ms, others| StateChange {
            node: "h3".into(),
            kind: kind.into(),
            a_ms,
            b_ms,
            times: b_ms as f64 / a_ms as f64,
            others,
            apart: true,
        };
        let states = vec![
            change("WriteBlock", 1_390, 7, 0.009),
            change("ReduceCopy", 1_000, 90_000, 10.7),
            change("Reduce", 20_000, 2_000, 1.0),
            change("Map", 13_000, 20_000, 0.98),
        ];
        let at_fault = Side { culprits: vec![("h3".into(), "cpu".into())], ..Side::default() };
        let told = |a: &Side, b: &Side| {
            let d = Difference { a: a.clone(), b: b.clone(), states: states.clone(), ..Difference::default() };
            telling(&d).into_iter().map(|c| c.kind.clone()).collect::<Vec<_>>()
        };
        assert_eq!(told(&Side::default(), &at_fault), ["Map", "Reduce"]);
        assert_eq!(told(&at_fault, &Side::default()), ["Reduce", "Map"], "what has passed");
        let d = Difference { b: at_fault, states: states.clone(), ..Difference::default() };
        assert!(sentence(&d).ends_with("Reduce on h3 takes 2 s instead of 20 s (× 0.10; on the other nodes × 1.0)."));
    }

    #[test]
    fn of_three_nodes_the_odd_one_is_apart_alone() {
        let of = |slow, all, name: &str| {
            let mut report = run(slow, all, name);
            report.summary.states[0].nodes.remove("h4");
            report
        };
        let d = compare(&of(1, 1, "a"), &of(3, 1, "b"));
        let apart: Vec<&str> = d.states.iter().filter(|c| c.apart).map(|c| c.node.as_str()).collect();
        assert_eq!(apart, ["h3"]);
        let d = compare(&of(1, 1, "a"), &of(3, 2, "b"));
        let apart: Vec<(&str, f64)> =
            d.states.iter().filter(|c| c.apart).map(|c| (c.node.as_str(), c.others)).collect();
        assert_eq!(apart, [("h3", 2.0)]);
    }

    #[test]
    fn others_are_told_by_the_middle_two_where_they_are_an_even_number() {
        let of = |ms: [i64; 5], name: &str| {
            let mut report = run(1, 1, name);
            let node = |(i, median_ms)| (format!("h{i}"), NodeSum { count: 4, total_ms: 4 * median_ms, median_ms });
            report.summary.states[0].nodes = (1..).zip(ms).map(node).collect();
            report
        };
        let d = compare(&of([1_000; 5], "a"), &of([1_000, 2_000, 4_000, 9_000, 6_000], "b"));
        let others: BTreeMap<&str, f64> = d.states.iter().map(|c| (c.node.as_str(), c.others)).collect();
        assert_eq!(others["h5"], 3.0, "of 1, 2, 4 and 9");
        assert_eq!(others["h1"], 5.0, "of 2, 4, 6 and 9");
    }

    #[test]
    fn what_is_fetched_once_to_a_node_is_no_change() {
        let of = |slow, name: &str| {
            let mut report = run(slow, 1, name);
            report.summary.states[0].kind = FETCHED_ONCE.name().to_owned();
            report
        };
        assert!(compare(&of(1, "a"), &of(3, "b")).states.is_empty());
    }

    #[test]
    fn what_changes_all_nodes_alike_is_nobodys_change() {
        let d = compare(&run(1, 1, "a"), &run(1, 2, "b"));
        assert!(d.states.iter().all(|c| !c.apart && (c.times - 2.0).abs() < 1e-9), "{:?}", d.states);
        let expected = "In both runs: no node stands out; sorter took 2 min instead of 60 s (× 2.0); \
            sorter read 2.0 times as much; mapred.tasktracker.map.tasks.maximum of sorter is 4 instead of 2.";
        assert_eq!(d.sentence, expected);
    }

    #[test]
    fn settings_are_told_as_hadoop_has_them() {
        let (a, b) = (Some(json!(700)), None);
        let change = |name: &str| ConfChange { name: name.into(), a: a.clone(), b: b.clone(), ..ConfChange::default() };
        let share = ["mapreduce.job.reduce.slowstart.completedmaps", "0.7", "unset"];
        assert_eq!(setting(&change("slowstart_permille")), share);
        assert_eq!(setting(&change("sort_mb")), ["mapreduce.task.io.sort.mb", "700", "unset"]);
        let known = crate::report::json::value_of(&crate::model::JobConf::default());
        let unnamed = known.as_object().unwrap().keys().filter(|name| setting(&change(name))[0] == **name).count();
        assert_eq!(unnamed, 0);
    }

    #[test]
    fn equal_runs_differ_in_nothing() {
        let d = compare(&run(1, 1, "a"), &run(1, 1, "b"));
        assert_eq!(d.sentence, "In both runs: no node stands out.");
        assert!(d.conf.is_empty() && d.only_a.is_empty() && d.only_b.is_empty());
    }

    #[test]
    fn jobs_without_a_name_are_matched_by_their_id() {
        let job = |id: &str, start_ms, took_ms| JobSum {
            job: id.into(),
            start_ms: Some(start_ms),
            finish_ms: Some(start_ms + took_ms),
            ..JobSum::default()
        };
        let of = |jobs| Report { summary: Summary { jobs, states: Vec::new() }, ..Report::default() };
        // The second run lacks the first job, and has a further one.
        let a = of(vec![job("job_1", 0, 1_000), job("job_2", 5, 7_000)]);
        let b = of(vec![job("job_2", 5, 7_000), JobSum { name: Some(String::new()), ..job("job_3", 9, 60_000) }]);
        let d = compare(&a, &b);
        let told: Vec<_> = d.jobs.iter().map(|j| (j.name.as_str(), j.a.is_some(), j.b.is_some(), j.times)).collect();
        let expected = [("job_1", true, false, None), ("job_2", true, true, Some(1.0)), ("job_3", false, true, None)];
        assert_eq!(told, expected);
        assert_eq!(d.sentence, "In both runs: there is no verdict.");
    }

    #[test]
    fn jobs_and_nodes_of_one_run_are_told() {
        let (a, mut b) = (run(1, 1, "a"), run(1, 1, "b"));
        b.summary.jobs.push(JobSum { job: "job_x".into(), name: Some("new".into()), ..JobSum::default() });
        b.nodes[3] = "h5".into();
        b.pseudonyms = Some("k".into());
        let d = compare(&a, &b);
        assert_eq!((d.only_a.clone(), d.only_b.clone()), (vec!["h4".to_owned()], vec!["h5".to_owned()]));
        let alone: Vec<_> = d.jobs.iter().filter(|j| j.a.is_none()).map(|j| j.name.as_str()).collect();
        assert_eq!((alone, d.notes.len()), (vec!["new"], 1));
        assert!(text(&d).contains("not there"));
        let mut short = a.clone();
        (short.summary.jobs, short.left_out) = (Vec::new(), vec![String::from("sums of jobs")]);
        let d = compare(&short, &a);
        assert!(d.jobs.is_empty() && d.notes.iter().any(|note| note.contains("sums of jobs")), "{:?}", d.notes);
        assert_eq!(compare(&Report::default(), &Report::default()).sentence, "In both runs: there is no verdict.");
    }
}
