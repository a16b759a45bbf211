//! What a report says of what is chosen, for the pane that follows the choice (design §6): from logs and from links alike.
//!
//! ```text
//! h103 is at fault (disk slow or busy); indicted by 5 of 14 witnesses
//!   h103 has been at fault since …
//!   Indicted by kahuna-wb Map (score 0.71, threshold 0.43), …
//! ```
//! Cost: O(witnesses + files).

use super::axis::{date_and_clock, from_to};
use super::witnesses::witnesses;
use super::{Selection, facts};
use crate::base::quantity::{counted, grouped, of_millis};
use crate::base::text::{begin_of, named};
use crate::report::agreement::Signals;
use crate::report::cost::NAME_LETTERS;
use crate::report::{IncidentRow, JobRow, OutcomeKind, Report, WitnessRow, agreement, cost, sentence};
use std::borrow::Cow;

/// Advice that is told.
const ADVICE: usize = 6;

/// What is said of one thing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// In one line.
    pub gist: String,
    /// More, each a sentence.
    pub lines: Vec<String>,
}

/// What is said of the node, of the job and of the stretch of time that are chosen.
#[must_use]
pub fn of(report: &Report, chosen: &Selection) -> Vec<Told> {
    let node = chosen.node.as_deref().map(|node| of_node(report, node));
    let job = chosen.job.map(|job| of_job(report, &job.to_string()));
    let span = chosen.span.map(|(from, to)| of_span(report, from.millis(), to.millis()));
    [node, job, span].into_iter().flatten().collect()
}

/// What ran in a stretch of time, and who is at fault in it. They are counted where all are there with their times: a link
/// may have left some out.
fn of_span(report: &Report, from_ms: i64, to_ms: i64) -> Told {
    let jobs = report.jobs.iter().map(|job| (&job.job, job.start_ms, job.finish_ms)).collect();
    let (jobs, in_all) = during(jobs, from_ms, to_ms);
    let in_all = in_all.filter(|_| !report.lacks_jobs());
    let culprits = report.verdict.culprits.iter().map(|c| (&c.node, c.since_ms, c.until_ms)).collect();
    let (faults, at_fault) = during(culprits, from_ms, to_ms);
    let has_verdict = report.verdict.outcome != OutcomeKind::NoVerdict;
    let at_fault = at_fault.filter(|_| has_verdict && !report.lacks_culprits());
    let at_fault = at_fault.map(|n| format!("{} at fault", counted(n, "node")));
    let counts = known(vec![in_all.map(|n| counted(n, "job")), at_fault]);
    let told = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
    let gist = format!("{}{told}", of_millis(to_ms.saturating_sub(from_ms) as f64));
    Told { gist, lines: known(vec![listed("Jobs:", &jobs), listed("At fault:", &faults)]) }
}

/// The names of those whose time, from when to when, meets a stretch, and how many they are where the time of all is known.
fn during(all: Vec<(&String, Option<i64>, Option<i64>)>, from_ms: i64, to_ms: i64) -> (Vec<String>, Option<u64>) {
    let timed = all.iter().filter(|(_, since, until)| since.or(*until).is_some());
    let meets = |since: Option<i64>, until: Option<i64>| {
        since.is_none_or(|since| since <= to_ms) && until.is_none_or(|until| until >= from_ms)
    };
    let met = timed.clone().filter(|(_, since, until)| meets(*since, *until));
    let names: Vec<String> = met.map(|(name, ..)| (*name).clone()).collect();
    let count = (timed.count() == all.len()).then_some(names.len() as u64);
    (names, count)
}

/// Who speaks of a node, and how.
#[derive(Default)]
struct Words<'a> {
    indicting: Vec<&'a WitnessRow>,
    leaving_open: Vec<&'a WitnessRow>,
    clearing: usize,
}

impl<'a> Words<'a> {
    /// Of a node that did nothing nobody speaks, though complaints are counted of it too.
    fn about(report: &'a Report, node: &str) -> Self {
        let mut words = Self::default();
        if agreement::unknown(report).contains(node) {
            return words;
        }
        for witness in report.witnesses.iter().filter(|w| w.abstained.is_none() && !w.only_shows()) {
            if witness.indicted.iter().any(|indicted| indicted == node) {
                words.indicting.push(witness);
            } else if let Some(score) = witness.nodes.get(node) {
                match agreement::leaves_open(witness, node, *score) {
                    true => words.leaving_open.push(witness),
                    false => words.clearing += 1,
                }
            }
        }
        words
    }

    fn all(&self) -> usize {
        self.indicting.len() + self.leaving_open.len() + self.clearing
    }
}

/// `kahuna-wb Map (score 0.71, threshold 0.43)`.
fn word(signals: &Signals<'_>, witness: &WitnessRow, node: &str) -> String {
    let numbers = known(vec![
        witness.nodes.get(node).map(|score| format!("score {score:.2}")),
        witness.threshold.map(|threshold| format!("threshold {threshold:.2}")),
        witness.excused.iter().any(|excused| excused == node).then(|| String::from("explained by jobs")),
    ]);
    let numbers = if numbers.is_empty() { String::new() } else { format!(" ({})", numbers.join(", ")) };
    format!("{} {}{numbers}", witness.method, signals.name(witness))
}

/// Those that are there. It is there once; of chained iterators each chain has code of its own.
#[inline(never)]
fn known(texts: Vec<Option<String>>) -> Vec<String> {
    texts.into_iter().flatten().filter(|text| !text.is_empty()).collect()
}

/// Some names behind what they are, if there are any.
fn listed(what: &str, all: &[String]) -> Option<String> {
    (!all.is_empty()).then(|| format!("{what} {}", named(all)))
}

/// What is told of some incidents.
fn texts(report: &Report, which: impl Fn(&IncidentRow) -> bool) -> Vec<String> {
    report.incidents.iter().filter(|incident| which(incident)).map(|incident| incident.text.clone()).collect()
}

/// Of what a report does not have: what a link left out is not missing in the logs.
fn absent(report: &Report) -> &'static str {
    if report.left_out.is_empty() { "is not in this report" } else { "is not told of in this link" }
}

fn of_node(report: &Report, node: &str) -> Told {
    let words = Words::about(report, node);
    let culprit = report.verdict.culprits.iter().find(|c| c.node == node);
    let unknown = report.no_evidence.iter().find(|row| row.node == node);
    let files: Vec<_> = report.coverage.iter().filter(|c| c.node.as_deref() == Some(node)).collect();
    let is_here = words.all() > 0 || !files.is_empty() || report.nodes.iter().any(|name| name == node);
    let is = match (culprit, unknown) {
        (Some(c), _) => {
            format!("{} ({})", sentence::is_at_fault(c), facts::cause(&c.cause))
        }
        (None, Some(row)) => format!("is not judged ({})", row.why.replace('-', " ")),
        (None, None) if words.all() > 0 && report.verdict.outcome == OutcomeKind::NoVerdict => {
            String::from("has no verdict")
        }
        (None, None) if words.all() > 0 => String::from("is not found to be at fault"),
        (None, None) if is_here && report.left_out.is_empty() => String::from("was compared by no witness"),
        (None, None) => absent(report).to_owned(),
    };
    let by = match (words.indicting.len(), words.all()) {
        (_, 0) => String::new(),
        // A link leaves out who clears.
        (n, _) if agreement::is_cut(report) => format!("; indicted by {}", witnesses(n)),
        (n, all) => format!("; indicted by {} of {}", grouped(n as u64), witnesses(all)),
    };
    let cleared = (words.clearing > 0).then(|| format!("Cleared by {}", witnesses(words.clearing)));
    let incidents = listed("Job after job:", &texts(report, |incident| incident.node == node));
    let skew = report.skew.nodes.iter().find(|row| row.node == node && row.certain).map(|row| {
        let corrected = if row.corrected { ", which is taken out" } else { "" };
        format!("Its clock is {} {}{corrected}", of_millis(row.skew_ms.unsigned_abs() as f64), row.side())
    });
    let lines = |count: fn(&crate::model::Coverage) -> u64| files.iter().map(|c| count(c)).fold(0, u64::saturating_add);
    let logs = (!files.is_empty()).then(|| {
        let skipped = lines(|c| c.skipped);
        let not = if skipped == 0 { String::new() } else { format!(", {} not", grouped(skipped)) };
        format!(
            "Its logs: {}; {} understood{not}",
            counted(files.len() as u64, "file"),
            counted(lines(|c| c.understood), "line")
        )
    });
    let signals = Signals::of(&report.witnesses);
    let said = |all: &[&WitnessRow]| all.iter().map(|w| word(&signals, w, node)).collect::<Vec<String>>();
    let lines = vec![
        culprit.map(|c| c.sentence.clone()),
        listed("Indicted by", &said(&words.indicting)),
        listed("It reaches the threshold, which may be chance or too little, of", &said(&words.leaving_open)),
        cleared,
        incidents,
        skew,
        logs,
    ];
    Told { gist: format!("{node} {is}{by}"), lines: known(lines) }
}

fn of_job(report: &Report, id: &str) -> Told {
    let Some(job) = report.jobs.iter().find(|row| row.job == id) else {
        return Told { gist: format!("{id} {}", absent(report)), lines: Vec::new() };
    };
    let took = job.start_ms.zip(job.finish_ms).map(|(from, to)| of_millis(to.saturating_sub(from).max(0) as f64));
    let trouble = sentence::trouble(&job.class).map(str::to_owned);
    let gist = known(vec![
        job.name.as_deref().map(|name| in_a_line(name).into_owned()),
        Some(job.status.clone()),
        took.map(|took| format!("took {took}")),
        trouble,
    ]);
    Told { gist: format!("{id}: {}", gist.join(", ")), lines: about(report, job) }
}

/// What of a job's name has room in one line: some are whole queries.
fn in_a_line(name: &str) -> Cow<'_, str> {
    begin_of(name, NAME_LETTERS)
}

fn about(report: &Report, job: &JobRow) -> Vec<String> {
    let zone = report.clock.zone();
    let name = job.name.clone().filter(|name| *name != in_a_line(name));
    let ran = match (job.start_ms, job.finish_ms) {
        (Some(from), Some(to)) => Some(format!("From {}", from_to(from, to, zone))),
        (Some(from), None) => Some(format!("Since {}", date_and_clock(from, zone))),
        _ => None,
    };
    let owner = |what: &str, name: Option<&String>| name.map(|name| format!("{what}: {name}"));
    let (user, queue) = (owner("User", job.user.as_ref()), owner("Queue", job.queue.as_ref()));
    let alike = job.likeness.map(|l| format!("{} of {} nodes ran its Maps alike", grouped(l.alike), grouped(l.of)));
    let rule = job.why().map(str::to_owned);
    let suffered = listed("It suffered from", &texts(report, |incident| incident.jobs.contains(&job.job)));
    let mut told = vec![name, ran, user, queue, rule, alike, suffered, cost::of_job(report, job)];
    told.extend(job.advice.iter().take(ADVICE).map(|a| Some(format!("{} ({})", a.text, a.severity))));
    known(told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{JobId, Timestamp};
    use crate::diagnosis::Strength;
    use crate::model::Coverage;
    use crate::report::{Culprit, LikenessRow, NoEvidenceRow, Verdict};
    use std::sync::Arc;

    fn report() -> Report {
        let witness = |signal: &str, b: f64, indicted: &[&str]| WitnessRow {
            method: "kahuna-wb".into(),
            signal: signal.into(),
            nodes: [("a".to_owned(), 0.1), ("b".to_owned(), b), ("c".to_owned(), 0.0)].into(),
            threshold: Some(0.5),
            indicted: indicted.iter().map(|node| (*node).to_owned()).collect(),
            strengths: [("b".to_owned(), Strength::Strong)].into(),
            ..WitnessRow::default()
        };
        let mut report = Report {
            witnesses: vec![witness("Map", 0.9, &["b"]), witness("Reduce", 0.6, &[]), witness("WriteBlock", 0.2, &[])],
            nodes: ["a", "b", "c"].map(str::to_owned).to_vec(),
            no_evidence: vec![NoEvidenceRow { node: "c".into(), why: "idle".into() }],
            coverage: Arc::new(vec![Coverage {
                node: Some("b".into()),
                understood: 1,
                skipped: 2,
                ..Coverage::default()
            }]),
            ..Report::default()
        };
        let sentence = "b has been at fault.".to_owned();
        report.verdict.outcome = OutcomeKind::Indicted;
        report.verdict.culprits =
            vec![Culprit { node: "b".into(), cause: "disk".into(), sentence, ..Culprit::default() }];
        report
    }

    fn told(report: &Report, node: &str) -> Told {
        let [told] = &of(report, &Selection { node: Some(node.to_owned()), ..Selection::default() })[..] else {
            panic!("one node, one pane")
        };
        told.clone()
    }

    #[test]
    fn node_is_told_with_all_who_speak_of_it() {
        let b = told(&report(), "b");
        assert_eq!(b.gist, format!("b is at fault ({}); indicted by 1 of 3 witnesses", facts::cause("disk")));
        assert_eq!(
            b.lines,
            [
                "b has been at fault.",
                "Indicted by kahuna-wb Map (score 0.90, threshold 0.50)",
                "It reaches the threshold, which may be chance or too little, of kahuna-wb Reduce (score 0.60, threshold 0.50)",
                "Cleared by 1 witness",
                "Its logs: 1 file; 1 line understood, 2 not",
            ]
        );
        assert_eq!(told(&report(), "a").gist, "a is not found to be at fault; indicted by 0 of 3 witnesses");
        assert_eq!(told(&report(), "c"), Told { gist: "c is not judged (idle)".into(), lines: Vec::new() });
        assert_eq!(told(&report(), "d"), Told { gist: "d is not in this report".into(), lines: Vec::new() });
    }

    #[test]
    fn link_that_left_out_who_clears_tells_no_share() {
        let left_out = vec!["witnesses that clear all nodes".to_owned()];
        let mut cut = Report { left_out, ..report() };
        assert!(told(&cut, "b").gist.ends_with("; indicted by 1 witness"));
        cut.witnesses.retain(|witness| !witness.indicted.is_empty());
        cut.witnesses.iter_mut().for_each(|witness| _ = witness.nodes.remove("a"));
        assert_eq!(
            [told(&cut, "a").gist, told(&cut, "d").gist],
            ["a", "d"].map(|n| format!("{n} is not told of in this link"))
        );
    }

    #[test]
    fn without_a_verdict_nobody_is_cleared() {
        let mut report = report();
        report.verdict = Verdict { outcome: OutcomeKind::NoVerdict, ..Verdict::default() };
        assert_eq!(told(&report, "b").gist, "b has no verdict; indicted by 1 of 3 witnesses");
        report.verdict.outcome = OutcomeKind::Clean;
        assert_eq!(told(&report, "b").gist, "b is not found to be at fault; indicted by 1 of 3 witnesses");
    }

    #[test]
    fn stretch_of_time_is_told_with_what_ran_and_who_was_at_fault_in_it() {
        let job = |number: u32, start_ms, finish_ms| JobRow {
            job: JobId { cluster: 201_211_202_200, number }.to_string(),
            start_ms: Some(start_ms),
            finish_ms,
            ..JobRow::default()
        };
        let jobs = vec![job(1, 0, Some(9_000)), job(2, 8_000, None), job(3, 80_000, Some(90_000))];
        let mut report = Report { jobs, ..report() };
        let span = |from, to| Some((Timestamp::from_millis(from), Timestamp::from_millis(to)));
        let told = |report: &Report, span| of(report, &Selection { span, ..Selection::default() }).remove(0);
        // Of `b` it is not known since when.
        assert_eq!(told(&report, span(10_000, 70_000)).gist, "60 s: 1 job");
        report.verdict.culprits[0].since_ms = Some(70_000);
        let both = told(&report, span(9_000, 70_000));
        assert_eq!(both.gist, "61 s: 2 jobs, 1 node at fault");
        assert_eq!(both.lines, ["Jobs: job_201211202200_0001, job_201211202200_0002", "At fault: b"]);
        report.verdict.culprits[0].until_ms = Some(71_000);
        assert_eq!(told(&report, span(72_000, 73_000)).gist, "1 s: 1 job, 0 nodes at fault");
        let cut = |part: &str| told(&Report { left_out: vec![part.into()], ..report.clone() }, span(9_000, 71_000));
        assert_eq!(cut("sums of jobs").gist, "62 s: 2 jobs, 1 node at fault");
        assert_eq!(cut("jobs that are well").gist, "62 s: 1 node at fault");
        assert_eq!(cut("many jobs that are well").lines, both.lines, "those that are there are named");
        assert_eq!(cut("culprits beyond the first five").gist, "62 s: 2 jobs");
        assert_eq!(cut("all but the outcome").gist, "62 s");
        report.verdict = Verdict { outcome: OutcomeKind::NoVerdict, ..Verdict::default() };
        assert_eq!(told(&report, span(9_000, 70_000)).gist, "61 s: 2 jobs", "nobody was judged");
        report.verdict.outcome = OutcomeKind::Clean;
        report.jobs.push(JobRow::default());
        assert_eq!(told(&report, span(9_000, 70_000)).gist, "61 s: 0 nodes at fault", "one job may have run then");
    }

    #[test]
    fn job_is_told_with_its_trouble() {
        let id = JobId { cluster: 201_211_202_200, number: 7 };
        let job = JobRow {
            job: id.to_string(),
            class: "skew".into(),
            rule: "one map got 9 times the data".into(),
            name: Some("sort".into()),
            status: "success".into(),
            user: Some("ada".into()),
            start_ms: Some(1000),
            finish_ms: Some(61_000),
            likeness: Some(LikenessRow { alike: 5, of: 6, constant: 0 }),
            ..JobRow::default()
        };
        let of_job = |jobs: Vec<JobRow>| {
            of(&Report { jobs, ..Report::default() }, &Selection { job: Some(id), ..Selection::default() }).remove(0)
        };
        let long = "select * ".repeat(40);
        let of_query = of_job(vec![JobRow { name: Some(long.clone()), ..job.clone() }]);
        assert!(of_query.gist.chars().count() < 140 && of_query.lines[0] == long, "{}", of_query.gist);
        let told = of_job(vec![job]);
        assert_eq!(told.gist, format!("{id}: sort, success, took 60 s, {}", sentence::trouble("skew").unwrap()));
        let tail = ["User: ada", "one map got 9 times the data", "5 of 6 nodes ran its Maps alike"];
        assert_eq!(told.lines[1..], tail);
        assert_eq!(of_job(Vec::new()).gist, format!("{id} is not in this report"));
    }
}
