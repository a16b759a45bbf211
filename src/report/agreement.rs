//! Who indicts, who clears, who abstains and why: white and black box side by side (K27),
//! and whoever else speaks.
//!
//! ```text
//! kahuna-wb   indicts h103 (Map, WriteBlock)   clears the other 5   abstains: ReadBlock (not logged)
//! kahuna-bb   indicts h103 (profiles …)        clears the other 5
//! ```

use super::rungs::{ABSTAINING, ALL_BUT_OUTCOME, CLEARING, HEALTHY_SCORES, WITNESSES};
use super::{Report, WitnessRow};
use crate::base::text::and_more;
use crate::base::{Arrange, Gathered};
use crate::diagnosis::Method;
use std::collections::{BTreeMap, BTreeSet};

/// The two that the paper runs beside one another: named even where they had nothing to
/// read.
const ALWAYS: [Method; 2] = [Method::KahunaWb, Method::KahunaBb];
/// Nodes named of those that a witness compares.
const AMONG_NAMED: usize = 2;

/// One method's say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Say {
    /// The method.
    pub method: String,
    /// Nodes indicted, each with the signals.
    pub indicts: Vec<String>,
    /// How many nodes were judged by some signal, and reach the threshold of none.
    pub clears: usize,
    /// Signals that say nothing, with the reason.
    pub abstains: Vec<String>,
    /// A link left out what tells how many it clears.
    pub is_cut: bool,
}

impl Say {
    /// Whom it clears: `1 node`.
    fn clears_in_words(&self) -> String {
        match self.clears {
            0 if self.is_cut => String::from(CUT),
            0 => String::from("–"),
            1 => String::from("1 node"),
            nodes => format!("{nodes} nodes"),
        }
    }

    /// Its row in a table: the method, whom it indicts, whom it clears, where it abstains.
    #[must_use]
    pub fn cells(&self) -> [String; 4] {
        let list = |items: &[String]| if items.is_empty() { String::from("–") } else { items.join("; ") };
        [self.method.clone(), list(&self.indicts), self.clears_in_words(), list(&self.abstains)]
    }
}

/// What a link left out of its report.
const CUT: &str = "not in this link";

/// Of a witness or a method that leaves all open.
const NOBODY: &str = "indicts nobody: what reaches the threshold may be chance, or too little";

/// Scores that a table shows of each witness, the oddest first: more are not read.
const SCORES_SHOWN: usize = 8;

/// The nodes with their scores, the oddest first: the higher a score the odder, but for likeness.
#[must_use]
pub fn oddest_first(witness: &WitnessRow) -> Vec<(&str, f64)> {
    let mut scores: Vec<(&str, f64)> = witness.nodes.iter().map(|(node, score)| (node.as_str(), *score)).collect();
    scores.arrange(|a, b| if witness.only_shows() { a.1.total_cmp(&b.1) } else { b.1.total_cmp(&a.1) });
    scores
}

/// What one witness says.
fn of_witness(witness: &WitnessRow) -> String {
    match &witness.abstained {
        Some(why) => format!("abstains: {}", why.replace('-', " ")),
        None if !witness.indicted.is_empty() => {
            let explained = match witness.excused.len() {
                0 => String::new(),
                _ => format!(" (explained by jobs: {})", witness.excused.join(", ")),
            };
            format!("indicts {}{explained}", witness.indicted.join(", "))
        }
        None if witness.only_shows() => String::from("shows only"),
        None if witness.nodes.values().any(|score| reaches(witness, *score)) => String::from(NOBODY),
        None => String::from("clears all"),
    }
}

/// Whether a node's score reaches the witness's threshold, and does not indict it.
#[must_use]
pub fn leaves_open(witness: &WitnessRow, node: &str, score: f64) -> bool {
    !witness.only_shows() && reaches(witness, score) && !witness.indicted.iter().any(|indicted| indicted == node)
}

/// Whether a score reaches the witness's threshold: of few states chance may do so. Where any complaint is beyond it, none
/// does not.
fn reaches(witness: &WitnessRow, score: f64) -> bool {
    score > 0.0 && witness.threshold.is_some_and(|threshold| score >= threshold)
}

/// The signals of a report's witnesses: how often each is weighed, of whatever nodes.
#[derive(Debug, Default)]
pub struct Signals<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Signals<'a> {
    /// Of all witnesses. Cost: O(n log n) of them.
    #[must_use]
    pub fn of(witnesses: &'a [WitnessRow]) -> Self {
        let of_all = witnesses.iter().filter(|w| w.jobs.is_empty());
        let mut signals: Vec<(&str, &str)> = of_all.map(|w| (w.method.as_str(), w.signal.as_str())).collect();
        signals.arrange(Ord::cmp);
        Self(signals)
    }

    /// What a witness looks at. Where the same signal is weighed among others too (in each cluster, or of each kind of
    /// hardware, or of jobs alone) also of which jobs, or among which nodes.
    #[must_use]
    pub fn name(&self, witness: &WitnessRow) -> String {
        format!("{}{}", witness.signal, self.among(witness))
    }

    fn among(&self, witness: &WitnessRow) -> String {
        if !witness.jobs.is_empty() {
            let stretch = witness.stretch.as_ref().map_or_else(String::new, |stretch| format!("the {stretch} of "));
            return format!(" of {stretch}{}", witness.jobs.join(" to "));
        }
        let own = (witness.method.as_str(), witness.signal.as_str());
        let first = self.0.partition_point(|signal| *signal < own);
        if self.0.get(first + 1) != Some(&own) || witness.nodes.is_empty() {
            return String::new();
        }
        let named: Vec<&str> = witness.nodes.keys().take(AMONG_NAMED).map(String::as_str).collect();
        format!(", among {}{}", named.join(", "), and_more(witness.nodes.len() - named.len()))
    }
}

/// Its threshold, where it has one.
#[must_use]
pub fn threshold(witness: &WitnessRow) -> String {
    witness.threshold.map_or_else(String::new, |threshold| format!("{threshold:.2}"))
}

/// The row of a witness in a table: its method, what it looks at, what it says, its threshold, the oddest scores, with this
/// between a node and its score.
#[must_use]
pub fn witness_cells(witness: &WitnessRow, signals: &Signals<'_>, between: &str) -> [String; 5] {
    let scores = oddest_first(witness).into_iter().take(SCORES_SHOWN);
    let scores: Vec<String> = scores.map(|(node, score)| format!("{node}{between}{score:.2}")).collect();
    let (signal, threshold) = (signals.name(witness), threshold(witness));
    [witness.method.clone(), signal, of_witness(witness), threshold, scores.join(" · ")]
}

/// What the methods that speak compare, in a sentence, as their names do not tell.
#[must_use]
pub fn legend(report: &Report) -> String {
    let says = of(report);
    let known = Method::ALL.into_iter().filter(|method| says.iter().any(|say| say.method == method.name()));
    let each: Vec<String> = known.map(|method| format!("{}: {}", method.name(), method.compares())).collect();
    format!("What each compares: {}.", each.join("; "))
}

/// What each method says, in order of method.
#[must_use]
pub fn of(report: &Report) -> Vec<Say> {
    let always = ALWAYS.iter().map(|method| method.name());
    let mut known: BTreeSet<&str> = BTreeSet::new();
    let methods = always.chain(report.witnesses.iter().map(|witness| witness.method.as_str()));
    let methods: Vec<&str> = methods.filter(|method| known.insert(method)).collect();
    let mut witnesses: Vec<&WitnessRow> = report.witnesses.iter().collect();
    witnesses.arrange(|a, b| a.method.cmp(&b.method));
    let unknown = unknown(report);
    let is_cut = is_cut(report);
    let silence = if is_cut || report.left_out_any(&[ABSTAINING]) { CUT } else { "no data for it in these logs" };
    let said = |method: &str| {
        let [from, to] = [false, true]
            .map(|also| witnesses.partition_point(|w| w.method.as_str() < method || (also && w.method == method)));
        witnesses.get(from..to).unwrap_or_default()
    };
    let says = methods.into_iter().map(|method| say(method, said(method), &unknown, silence));
    says.map(|say| Say { is_cut, ..say }).collect()
}

/// Nodes of which nothing can be said. Whoever did nothing is not cleared by being unlike nobody, nor blamed by what
/// others complain of.
#[must_use]
pub fn unknown(report: &Report) -> BTreeSet<&str> {
    report.no_evidence.iter().map(|row| row.node.as_str()).gathered()
}

/// Whether a link left out whom witnesses do not indict.
#[must_use]
pub fn is_cut(report: &Report) -> bool {
    report.left_out_any(&[HEALTHY_SCORES, CLEARING, WITNESSES, ALL_BUT_OUTCOME])
}

/// What a method says by its witnesses; `silence` is what is said of one that has none.
fn say(method: &str, witnesses: &[&WitnessRow], unknown: &BTreeSet<&str>, silence: &str) -> Say {
    let mut signals_against: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut judged: BTreeSet<&str> = BTreeSet::new();
    let mut unclear: BTreeSet<&str> = BTreeSet::new();
    let mut abstains = Vec::new();
    for witness in witnesses {
        // One that found each node unlike most of the others has scores, and clears nobody by them.
        let scores = || witness.nodes.iter().filter(|_| witness.abstained.is_none());
        judged.extend(scores().map(|(node, _)| node.as_str()).filter(|node| !unknown.contains(node)));
        unclear.extend(scores().filter(|(_, score)| reaches(witness, **score)).map(|(node, _)| node.as_str()));
        for node in &witness.indicted {
            let signals = signals_against.entry(node).or_default();
            let explained = if witness.excused.contains(node) { ", explained by jobs" } else { "" };
            let signal = format!("{}{explained}", witness.signal);
            // Of several jobs each may have its own.
            if !signals.contains(&signal) {
                signals.push(signal);
            }
        }
        if let Some(why) = &witness.abstained {
            // Of several clusters each may have its own.
            let says = format!("{} ({})", witness.signal, why.replace('-', " "));
            if !abstains.contains(&says) {
                abstains.push(says);
            }
        }
    }
    if witnesses.is_empty() {
        abstains.push(silence.to_owned());
    }
    if witnesses.iter().any(|witness| witness.only_shows()) && abstains.is_empty() {
        // It judges nobody, so it clears nobody.
        judged.clear();
        abstains.push(String::from("shows, never counts"));
    }
    let clears = judged.iter().filter(|node| !signals_against.contains_key(*node) && !unclear.contains(*node)).count();
    if clears == 0 && signals_against.is_empty() && abstains.is_empty() && !unclear.is_empty() {
        abstains.push(String::from(NOBODY));
    }
    Say {
        method: method.to_owned(),
        clears,
        indicts: signals_against.into_iter().map(|(node, by)| format!("{node} ({})", by.join(", "))).collect(),
        abstains,
        is_cut: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::NoEvidenceRow;

    #[test]
    fn witness_of_some_jobs_names_them_and_indicts_once() {
        let row = |jobs: &[&str]| WitnessRow {
            method: "flows".into(),
            signal: "write".into(),
            nodes: [("a".into(), 1.0)].into(),
            indicted: vec!["a".into()],
            jobs: jobs.iter().map(|job| (*job).into()).collect(),
            ..WitnessRow::default()
        };
        let all = [row(&[]), row(&["job_1_0001"]), row(&["job_1_0001", "job_1_0004"])];
        let expected = ["", " of job_1_0001", " of job_1_0001 to job_1_0004"];
        assert_eq!(all.each_ref().map(|one| Signals::of(&all).among(one)), expected);
        assert_eq!(say("flows", &all.each_ref(), &BTreeSet::new(), "").indicts, ["a (write)"]);
    }

    /// A short link carries no witness that clears all; that the logs had nothing for it would be wrong.
    #[test]
    fn what_a_link_left_out_is_not_said_to_be_missing_in_the_logs() {
        let cells = |left_out: &[&str]| {
            let left_out = left_out.iter().map(|left| (*left).to_owned()).collect();
            of(&Report { left_out, ..Report::default() })[0].cells()
        };
        let row = |clears: &str, abstains: &str| ["kahuna-wb", "–", clears, abstains].map(String::from);
        assert_eq!(cells(&[]), row("–", "no data for it in these logs"));
        assert_eq!(cells(&["places of issues"]), row("–", "no data for it in these logs"));
        assert_eq!(cells(&[ABSTAINING]), row("–", CUT));
        for left in [HEALTHY_SCORES, CLEARING, WITNESSES, ALL_BUT_OUTCOME] {
            assert_eq!(cells(&[ABSTAINING, left]), row(CUT, CUT), "{left}");
        }
    }

    #[test]
    fn page_tells_of_every_method_what_it_compares() {
        let page = include_str!("../../index.html");
        for method in Method::ALL {
            assert!(page.contains(method.name()) && page.contains(method.compares()), "{method:?}");
        }
    }

    #[test]
    fn methods_stand_side_by_side() {
        let row = |signal: &str, indicted: &[&str], abstained: Option<&str>| WitnessRow {
            method: "kahuna-wb".into(),
            signal: signal.into(),
            nodes: if abstained.is_some() { BTreeMap::new() } else { ["a", "b", "c"].map(|n| (n.into(), 0.5)).into() },
            indicted: indicted.iter().map(|n| (*n).into()).collect(),
            abstained: abstained.map(str::to_owned),
            ..WitnessRow::default()
        };
        let witnesses = vec![
            row("Map", &["a"], None),
            row("Reduce", &["a"], None),
            row("ReadBlock", &[], Some("not-logged")),
            row("ReadBlock", &[], Some("not-logged")),
        ];
        let says = of(&Report { witnesses: witnesses.clone(), ..Report::default() });
        let expected = Say {
            method: "kahuna-wb".into(),
            indicts: vec!["a (Map, Reduce)".into()],
            clears: 2,
            abstains: vec!["ReadBlock (not logged)".into()],
            is_cut: false,
        };
        assert_eq!(says[0], expected);
        let mut at_its_threshold = witnesses.clone();
        at_its_threshold[0].threshold = Some(0.6);
        at_its_threshold[0].nodes.insert("c".into(), 0.6);
        let says_of_both = of(&Report { witnesses: at_its_threshold, ..Report::default() });
        assert_eq!(says_of_both[0].clears, 1, "of whom chance may make so much is not cleared by it");
        let open = WitnessRow { threshold: Some(0.5), ..row("Map", &[], None) };
        assert!(leaves_open(&open, "a", 0.5) && !leaves_open(&open, "a", 0.4));
        let any = WitnessRow { threshold: Some(0.0), ..open.clone() };
        assert!(leaves_open(&any, "a", 0.1) && !leaves_open(&any, "a", 0.0), "no complaint clears");
        let says_nothing = of(&Report { witnesses: vec![open], ..Report::default() });
        assert_eq!((says_nothing[0].clears, says_nothing[0].abstains.as_slice()), (0, &[NOBODY.to_owned()][..]));
        let no_evidence = vec![NoEvidenceRow { node: "b".into(), why: "idle".into() }];
        let says_less = of(&Report { witnesses: witnesses.clone(), no_evidence, ..Report::default() });
        assert_eq!(says_less[0], Say { clears: 1, ..expected });
        assert_eq!((says[1].method.as_str(), says[1].clears, says[1].abstains.len()), ("kahuna-bb", 0, 1));
    }
}
