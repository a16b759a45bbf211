//! A node that is the oddest of all in every kind of data, each time by too little.
//!
//! ```text
//! tasks     h102 h106 h101 …     how long Maps and Reduces take
//! blocks    h102 h103 h105 …     reads and writes, as states and as transfers
//! shuffles  h102 h104 h106 …     fetches
//! metrics   h102 h101 h104 …     or, without any, how long containers localise
//! ```
//! Beyond the papers, and a doubt, not a verdict. On 78 labelled runs (docs/results/rules.md) one node was so in twelve, in
//! each of which it was at fault, and in none of the 31 without a faulty node, nor of 360 simulated ones. Cost: O(scores).

use super::check::signal;
use super::{Report, WitnessRow, sentence};
use crate::diagnosis::verdict::Source;
use crate::diagnosis::{Method, Signal};

/// Kinds of data, each of which has to be there.
const KINDS: usize = 4;
/// Of fewer nodes one is the oddest in everything now and then.
const NODES: usize = 4;

/// Of which kind of data a witness speaks: of durations and metrics, not of how often something happened.
fn kind_of(w: &WitnessRow) -> Option<usize> {
    let signal = signal(&w.method, &w.signal)?;
    match (signal, Source::of(signal)) {
        (Signal::States(_), Source::TaskTimes) => Some(0),
        (_, Source::Blocks) => Some(1),
        (_, Source::Shuffle) => Some(2),
        (_, Source::Localisation | Source::Other(Method::KahunaBb)) => Some(3),
        _ => None,
    }
}

/// The oddest of a kind of data: who, how near to a threshold, and of how many.
#[derive(Clone, Copy)]
struct Oddest<'a> {
    node: &'a str,
    nearness: f64,
    of: u64,
}

/// Whose score is the highest of a witness's, alone, if no job explains it.
fn oddest(w: &WitnessRow) -> Option<Oddest<'_>> {
    let first = w.nodes.iter().max_by(|a, b| a.1.total_cmp(b.1)).filter(|_| w.nodes.len() >= NODES)?;
    let is_alone = w.nodes.iter().all(|(node, score)| node == first.0 || score < first.1);
    let nearness = first.1 / w.threshold.unwrap_or(1.0);
    let found = Oddest { node: first.0.as_str(), nearness, of: w.nodes.len() as u64 };
    (is_alone && !w.excused.contains(first.0)).then_some(found)
}

/// The node that is the oddest in all kinds of data, by the witness of each that comes nearest to its threshold, and in how
/// many runs chance makes one so, if the kinds tell nothing of each other. A job in trouble moves them together.
pub(super) fn oddest_in_all(report: &Report) -> Option<(&str, u64)> {
    let mut kinds: [Option<Oddest<'_>>; KINDS] = [None; KINDS];
    for w in report.witnesses.iter().filter(|w| w.abstained.is_none() && w.jobs.is_empty()) {
        let (Some(found), Some(kind)) = (oddest(w), kind_of(w).and_then(|kind| kinds.get_mut(kind))) else { continue };
        if kind.is_none_or(|held| found.nearness > held.nearness) {
            *kind = Some(found);
        }
    }
    let [Some(Oddest { node, .. }), rest @ ..] = kinds else { return None };
    let is_one = rest.iter().all(|of| of.is_some_and(|other| other.node == node));
    let runs = rest.iter().flatten().fold(1_u64, |runs, other| runs.saturating_mul(other.of));
    (is_one && sentence::ill_jobs(report).next().is_none()).then_some((node, runs))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::JobRow;

    fn witness(method: &str, signal: &str, threshold: f64, scores: [f64; 4]) -> WitnessRow {
        WitnessRow {
            method: method.into(),
            signal: signal.into(),
            nodes: ["a", "b", "c", "d"].map(String::from).into_iter().zip(scores).collect(),
            threshold: Some(threshold),
            ..WitnessRow::default()
        }
    }

    fn report() -> Report {
        let witnesses = vec![
            witness("kahuna-wb", "Map", 1.0, [0.2, 0.9, 0.1, 0.1]),
            witness("kahuna-wb", "Reduce", 1.0, [0.8, 0.3, 0.1, 0.1]),
            witness("flows", "write", 1.6, [1.0, 1.5, 1.0, 1.0]),
            witness("flows", "shuffle", 1.5, [1.0, 1.2, 1.1, 1.0]),
            witness("kahuna-bb", "levels", 1.5, [0.1, 0.4, 0.2, 0.1]),
        ];
        Report { witnesses, nodes: ["a", "b", "c", "d"].map(String::from).to_vec(), ..Report::default() }
    }

    #[test]
    fn node_on_top_in_each_kind_of_data_is_told_with_its_chance() {
        assert_eq!(oddest_in_all(&report()), Some(("b", 64)));
    }

    #[test]
    fn kind_that_lacks_abstains_ties_or_points_elsewhere_leaves_nothing_to_tell() {
        let altered = |at: usize, alter: fn(&mut WitnessRow)| {
            let mut report = report();
            report.witnesses.get_mut(at).into_iter().for_each(alter);
            oddest_in_all(&report).is_some()
        };
        assert!(!altered(4, |w| w.abstained = Some("no-peers".into())));
        assert!(!altered(4, |w| w.jobs = vec!["job_1".into()]), "it read a part");
        assert!(!altered(3, |w| _ = w.nodes.insert("a".into(), 1.2)));
        assert!(!altered(2, |w| _ = w.nodes.insert("a".into(), 1.55)));
        assert!(!altered(1, |w| _ = w.nodes.insert("a".into(), 0.95)), "nearer to its threshold than Maps are");
        assert!(altered(1, |w| _ = w.nodes.insert("c".into(), 0.85)));
        assert!(!altered(0, |w| _ = w.nodes.remove("d")), "of three nodes");
        assert!(!altered(0, |w| w.excused = vec!["b".into()]), "a job explains it");
        let skewed = JobRow { job: "job_1".into(), class: "skew".into(), ..JobRow::default() };
        assert_eq!(oddest_in_all(&Report { jobs: vec![skewed], ..report() }), None);
    }
}
