//! What a shared report carries beside its verdict, in words: told before it is sent, so that nobody looks for what
//! was left out to keep it short.

use super::Report;
use crate::model::formats::{CALLS, METRICS};

/// How much of each kind a report has beside the verdict.
fn counts(report: &Report) -> [(&'static str, usize); 7] {
    let attempts = report.figures.attempts.open();
    let flow = attempts.as_ref().and_then(|attempts| attempts.flow.as_ref());
    let cells = report.figures.heatmap.open().map_or(0, |cells| cells.nodes.len().saturating_mul(cells.jobs.len()));
    [
        ("scores of nodes", report.witnesses.iter().map(|w| w.nodes.len()).sum()),
        ("figures of peers", report.figures.peers.len()),
        ("attempts for heatmap, jobs and swimlanes", attempts.as_ref().map_or(0, |attempts| attempts.job.len())),
        ("nodes of the flows of a job", flow.map_or(0, |flow| flow.nodes.len())),
        ("cells of the heatmap", cells),
        ("nodes with metrics over time", report.figures.metrics.open().map_or(0, |metrics| metrics.nodes.len())),
        ("sums that runs are compared by", report.summary.jobs.len() + report.summary.states.len()),
    ]
}

/// What was read and has no figure in this report: of calls no report has more than what witnesses say, and links without
/// room for metrics leave them out.
#[must_use]
pub fn lacking(report: &Report) -> Option<String> {
    let is_read = |formats: &[&str]| {
        report.coverage.iter().any(|c| c.understood > 0 && c.format.as_deref().is_some_and(|f| formats.contains(&f)))
    };
    let all = [
        (METRICS.as_slice(), report.figures.metrics.is_none(), "metrics of the operating system"),
        (CALLS.as_slice(), true, "system calls"),
    ];
    let read = all.into_iter().filter(|(formats, is_lacking, _)| *is_lacking && is_read(formats));
    let read: Vec<&str> = read.map(|(_, _, what)| what).collect();
    (!read.is_empty()).then(|| format!("Figures of {} take the logs: this report has none.", read.join(" and of ")))
}

/// The kinds of content beside the verdict, each with its count; empty for a verdict alone.
#[must_use]
pub fn in_words(carried: &Report, whole: &Report) -> Vec<String> {
    let mut told = Vec::new();
    for ((what, carried), (_, whole)) in counts(carried).into_iter().zip(counts(whole)) {
        match (carried, whole) {
            (0, _) => {}
            (n, all) if n == all => told.push(format!("the {what} ({n})")),
            // A heatmap may be there in the place of attempts.
            (n, 0) => told.push(format!("{n} {what}")),
            (n, all) => told.push(format!("{n} of the {all} {what}")),
        }
    }
    let thinned = carried.figures.peers.iter().any(|figure| !whole.figures.peers.contains(figure));
    if thinned {
        told.push(String::from("not all of their durations and times"));
    }
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Coverage;
    use crate::report::figures::{Figures, PeerFigure};
    use crate::report::summary::{StateSum, Summary};
    use crate::report::{WitnessRow, link};

    fn whole() -> Report {
        let kinds = ["Map", "Reduce", "ReadBlock"];
        let nodes: Vec<String> = (0..20).map(|i| format!("n{i}")).collect();
        let witness = |kind: &str| WitnessRow {
            signal: kind.to_owned(),
            nodes: nodes.iter().map(|node| (node.clone(), 0.25)).collect(),
            indicted: if kind == "Map" { vec![String::from("n1")] } else { Vec::new() },
            ..WitnessRow::default()
        };
        // Numbers that do not deflate.
        let mut seed = 1_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            seed >> 40
        };
        let mut of = |kind: &str| PeerFigure {
            kind: kind.to_owned(),
            nodes: nodes.clone(),
            durations_ms: (0..20).map(|_| (0..60).map(|_| random()).collect()).collect(),
            windows_ms: (0..9).map(|i| [i * 1_000, i * 1_000 + 999]).collect(),
            ..PeerFigure::default()
        };
        Report {
            witnesses: kinds.map(witness).to_vec(),
            figures: Figures { peers: kinds.map(&mut of).to_vec(), ..Figures::default() },
            summary: Summary { states: vec![StateSum::default()], ..Summary::default() },
            ..Report::default()
        }
    }

    #[test]
    fn what_was_read_and_has_no_figure_is_told() {
        let of = |formats: &[&str]| {
            let read =
                |format: &&str| Coverage { format: Some((*format).into()), understood: 1, ..Coverage::default() };
            lacking(&Report { coverage: formats.iter().map(read).collect::<Vec<_>>().into(), ..Report::default() })
        };
        let says = |of: &str| Some(format!("Figures of {of} take the logs: this report has none."));
        let both = "metrics of the operating system and of system calls";
        assert_eq!(of(&["sar", "tasktracker", "strace-ttt"]), says(both));
        assert_eq!(of(&["strace-tt"]), says("system calls"));
        assert_eq!(of(&["tasktracker"]), None);
    }

    #[test]
    fn metrics_that_are_carried_are_not_lacking() {
        use crate::report::metrics::MetricsFigure;
        use crate::report::sealed::Sealed;
        let read = |format: &str| Coverage { format: Some(format.into()), understood: 1, ..Coverage::default() };
        let metrics = MetricsFigure { nodes: ["h1", "h2"].map(String::from).to_vec(), ..MetricsFigure::default() };
        let mut report = Report { coverage: vec![read("sar"), read("strace-tt")].into(), ..Report::default() };
        report.figures.metrics = Sealed::of(Some(&metrics));
        assert_eq!(lacking(&report).unwrap(), "Figures of system calls take the logs: this report has none.");
        assert_eq!(in_words(&report, &report), ["the nodes with metrics over time (2)"]);
        assert_eq!(in_words(&Report::default(), &report), [""; 0]);
    }

    #[test]
    fn whole_it_carries_all() {
        let told = in_words(&whole(), &whole());
        assert_eq!(
            told,
            ["the scores of nodes (60)", "the figures of peers (3)", "the sums that runs are compared by (1)"]
        );
        assert!(in_words(&Report::default(), &Report::default()).is_empty(), "nothing is told of what there never was");
    }

    #[test]
    fn what_is_left_out_is_not_told() {
        let whole = whole();
        let mut less = whole.clone();
        less.figures.peers.truncate(1);
        less.witnesses.truncate(2);
        less.summary = Summary::default();
        assert_eq!(in_words(&less, &whole), ["40 of the 60 scores of nodes", "1 of the 3 figures of peers"]);
        less.figures.peers.iter_mut().for_each(|figure| figure.durations_ms.clear());
        assert_eq!(in_words(&less, &whole).last().unwrap(), "not all of their durations and times");
    }

    #[test]
    fn links_tell_what_is_in_them() {
        let whole = whole();
        for size in link::Size::ALL {
            let (link, carried) = link::encode_within(&whole, size);
            let told = in_words(&carried, &whole).join(", ");
            assert_eq!(told.contains("figures"), !carried.figures.peers.is_empty(), "{size:?}: {told}");
            let is_whole = link.left_out.is_empty();
            assert_eq!(is_whole, size == link::Size::Full, "{size:?}: {:?}", link.left_out);
            assert_eq!(told == in_words(&whole, &whole).join(", "), is_whole, "{size:?}: {told}");
        }
    }
}
