//! The evaluation as text.

use super::Scored;
use super::cells::{Cell, Rate, Summary, by_fault, cells, wilson};
use super::kahuna::{WhiteBox, findings, likeness, printed_slowdown};
use crate::base::quantity::{counted, percent};
use std::fmt::Write;

/// Theia's Table 2: problems seen in the heatmap, in the job stream, and in all.
const THEIA_TABLE_2: [(&str, u32, u32, u32); 3] =
    [("application", 0, 157, 157), ("skew", 2, 2, 2), ("infrastructure", 33, 10, 45)];

/// The summary first, then tables; those of each fault, workload and size on request only. The findings are counted as the
/// white box was asked.
#[must_use]
pub fn text(runs: &[Scored], all: &Summary, with_cells: bool, white_box: WhiteBox) -> String {
    let mut out = String::new();
    summary(&mut out, all);
    rates(&mut out, "by fault", &by_fault(runs));
    let cells = cells(runs);
    if with_cells {
        rates(&mut out, "by fault, workload and size", &cells);
    }
    slowdowns(&mut out, &cells);
    out.push_str(&super::syscalls::text(runs));
    theia(&mut out, runs);
    alike(&mut out, runs);
    found(&mut out, runs, white_box);
    each_run(&mut out, runs);
    out
}

fn each_run(out: &mut String, runs: &[Scored]) {
    // Writing to a String does not fail.
    let width = runs.iter().map(|r| r.run.len()).max().unwrap_or(0).max(6);
    let _ = writeln!(out, "\n{:width$} {:12} {:14} {:6} {:17} indicted", "run", "workload", "fault", "node", "mark");
    for s in runs {
        let node = s.node.as_deref().unwrap_or("-");
        let cause = s.cause.as_ref().map_or_else(String::new, |cause| format!(" ({cause})"));
        let (indicted, mark) = (s.indicted.join(", "), s.mark.name());
        let Scored { run, workload, fault, .. } = s;
        let line = format!("{run:width$} {workload:12} {fault:14} {node:6} {mark:17} {indicted}{cause}");
        let _ = writeln!(out, "{}", line.trim_end());
    }
}

fn rates(out: &mut String, title: &str, cells: &[Cell]) {
    let place = |cell: &Cell| {
        let size = if cell.nodes > 0 { format!(" {} nodes", cell.nodes) } else { String::new() };
        if cell.is_of_all() { cell.fault.clone() } else { format!("{} {}{size}", cell.fault, cell.workload) }
    };
    let width = cells.iter().map(|cell| place(cell).len()).max().unwrap_or(0);
    let mean = |mean: Option<f64>| mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.2}"));
    let share = |rate: Rate| mean(rate.share());
    let share_of =
        |rate: Rate| rate.share().map_or_else(|| "–".to_owned(), |share| format!("{share:.2} of {}", rate.of));
    let _ = writeln!(
        out,
        "\n{title} (TP with its 95 % interval)\n{:width$} {:>4} {:>17} {:>5} {:>5} {:>5} {:>5} {:>5} {:>10} {:>10}",
        "", "runs", "TP", "FP", "FN", "AC@1", "AC@3", "Avg@5", "cause", "no verdict"
    );
    for cell in cells {
        let (low, high) = wilson(cell.tp);
        let tp = if cell.tp.of > 0 { format!("{} [{low:.2}, {high:.2}]", share(cell.tp)) } else { "–".to_owned() };
        let missed = Rate { hits: cell.tp.of - cell.tp.hits, of: cell.tp.of };
        let _ = writeln!(
            out,
            "{:width$} {:>4} {tp:>17} {:>5} {:>5} {:>5} {:>5} {:>5} {:>10} {:>10}{}",
            place(cell),
            cell.runs,
            share(cell.fp),
            share(missed),
            share(cell.ac1),
            share(cell.ac3),
            mean(cell.avg5),
            share_of(cell.cause),
            share(cell.abstained),
            cell.named.of_several(cell.tp.of).map_or_else(String::new, |named| format!("  {named}")),
        );
    }
}

fn slowdowns(out: &mut String, cells: &[Cell]) {
    let known: Vec<&Cell> = cells.iter().filter(|c| c.slowdown.is_some() && !super::is_control(&c.fault)).collect();
    if known.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nslowdown over controls (Kahuna Table IV in brackets)");
    for cell in known {
        let printed =
            printed_slowdown(&cell.fault, &cell.workload).map_or_else(String::new, |x| format!(" [{x:.1} %]"));
        let slower = cell.slowdown.unwrap_or(0.0) * 100.0;
        let _ = writeln!(out, "{} {} {} nodes: {slower:.1} %{printed}", cell.fault, cell.workload, cell.nodes);
    }
}

/// Theia's Table 2 by the classes of the jobs, where runs have a fault of each kind.
fn theia(out: &mut String, runs: &[Scored]) {
    let kind = |s: &Scored| match (s.node.is_some(), s.fault.to_ascii_lowercase()) {
        (true, _) => "infrastructure",
        (false, fault) if fault.contains("skew") => "skew",
        (false, fault) if fault.contains("exception") => "application",
        _ => "",
    };
    let mut lines = String::new();
    for (class, heatmap, stream, printed) in THEIA_TABLE_2 {
        let found = Rate::among(runs, |s| kind(s) == class, |s| s.classes.iter().any(|c| c == class));
        if found.of > 0 {
            let _ = writeln!(
                lines,
                "{class}: {} (printed: heatmap {heatmap}, stream {stream}, of {printed})",
                found.in_words()
            );
        }
    }
    if !lines.is_empty() {
        let _ = write!(out, "\nclasses of jobs (Theia Table 2)\n{lines}");
    }
}

/// How many nodes ran Maps like all others, by how their jobs ended (Kahuna §IV, K14).
fn alike(out: &mut String, runs: &[Scored]) {
    let by = likeness(runs);
    if by.is_empty() {
        return;
    }
    let _ = writeln!(
        out,
        "\nnodes alike with all others, by the end of their jobs (Kahuna §IV: success 89 %, aborted 43 %)"
    );
    for (status, rate) in by {
        let share = percent(rate.hits as f64 / rate.of.max(1) as f64);
        let _ = writeln!(out, "{status}: {share} ({} of {})", rate.hits, rate.of);
    }
}

/// The paper's findings of which these runs tell something.
fn found(out: &mut String, runs: &[Scored], white_box: WhiteBox) {
    let mut lines = String::new();
    for finding in findings(runs, white_box) {
        let Some(stand) = finding.stands else { continue };
        let (id, claim, numbers, by) = (finding.id, finding.claim, finding.numbers, finding.by);
        let _ = writeln!(lines, "{id} {:14} {claim}: {numbers}; by {by}", stand.name());
    }
    if !lines.is_empty() {
        let _ = write!(out, "\nwhat the paper found (Kahuna §IV, §VIII), on these runs\n{lines}");
    }
}

fn summary(out: &mut String, s: &Summary) {
    let of = |hits, of| Rate { hits, of }.in_words();
    let _ = writeln!(
        out,
        "{}, {} more without archive{}\n\
         faulty node: {} of {} right ({} of {} with the right cause), {}{} wrong, {} missed ({} of them without a verdict)\n\
         AC@1 {}, AC@3 {}, Avg@5 {}\n\
         clean runs: {} of {} with a false culprit: {}\n\
         application faults: {} of {} with a false culprit",
        counted(s.runs, "run"),
        s.without_archive,
        if s.unread > 0 { format!(", {} more that could not be read", s.unread) } else { String::new() },
        s.right,
        s.with_culprit,
        s.right_cause,
        s.cause_told,
        s.in_part().map_or_else(String::new, |part| format!("{part}, ")),
        s.wrong,
        s.missed,
        s.abstained,
        of(s.ac1, s.with_culprit),
        of(s.ac3, s.with_culprit),
        s.avg5.map_or_else(|| "–".to_owned(), |avg5| format!("{avg5:.2}")),
        s.clean_false,
        s.clean,
        of(s.clean_false, s.clean),
        s.application_false,
        s.application
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Truth;
    use crate::report::Report;

    #[test]
    fn faulty_nodes_are_counted_where_a_run_has_several() {
        let said = |node: &str| {
            let truth = Truth { run: "a".into(), fault: "CPUHog".into(), node: Some(node.into()), ..Truth::default() };
            let runs = [Scored { indicted: vec!["h1".into()], ..Scored::new(&truth, &Report::default()) }];
            text(&runs, &Summary::of(&runs, 0), false, WhiteBox::Usual)
        };
        let several = said("h1, h2");
        assert!(several.contains("), 0 in part (1 of 2 faulty nodes named), 0 wrong, 1 missed"), "{several}");
        assert!(several.lines().any(|line| line.ends_with("  1 of 2 faulty nodes named")), "{several}");
        let one = said("h1");
        assert!(!one.contains("faulty nodes named") && !one.contains("in part"), "{one}");
    }

    #[test]
    fn summary_comes_first_and_cells_on_request() {
        let truth =
            |run: &str| Truth { run: run.into(), workload: "sort".into(), fault: "none".into(), ..Truth::default() };
        let runs = ["a", "b"].map(|run| Scored::new(&truth(run), &Report::default()));
        let all = Summary::of(&runs, 1);
        let short = text(&runs, &all, false, WhiteBox::Usual);
        assert!(short.starts_with("2 runs, 1 more without archive\n"), "{short}");
        assert!(short.contains("clean runs: 0 of 2 with a false culprit") && !short.contains("none sort"), "{short}");
        assert!(text(&runs, &all, true, WhiteBox::Usual).contains("none sort"));
        let short = text(&runs, &Summary { unread: 3, ..all }, false, WhiteBox::Usual);
        assert!(short.starts_with("2 runs, 1 more without archive, 3 more that could not be read\n"), "{short}");
    }
}
