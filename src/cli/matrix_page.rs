//! The matrix's results as one static page that needs nothing else.

use crate::base::quantity::{counted, percent};
use crate::draw::Theme;
use crate::draw::svg::{escaped, to_svg};
use crate::evaluation::{
    self, BLACK_BOX, Cell, Controls, Finding, MAPS, OTHER_STATES, Rate, SLOWDOWN, Scored, Stand, Summary, Told,
    WORKLOADS, WhiteBox, is_false, is_hit,
};
use crate::scene::{Look, View, evaluation as scene};
use crate::stats::quantile::{median, sorted};
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}td,th{border:1px solid #ccc;padding:.2rem .5rem;text-align:right}\
td:first-child,th:first-child{text-align:left}figure{margin:1.5rem 0;overflow-x:auto}svg{background:#fff}figcaption{color:#555}\
.by{text-align:left}.yes{color:#1a6e2e}.no{color:#a3261a}code{background:#f3f3f3;padding:.1rem .3rem}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}code{background:#2a2a2a}.yes{color:#7fce93}.no{color:#f0948a}}";
/// Width of the figures.
const WIDTH_CSS_PX: f32 = 1100.0;
/// A fault counts as slowing its job from here on.
const SLOWS: f64 = 0.05;
/// The goals: true and false positives under such faults, false ones on clean runs.
const GOALS: (f64, f64, f64) = (0.95, 0.02, 0.01);

/// By what the tables and figures are that say nothing else.
const USUAL: &str = "by the usual methods";
/// By what the others are.
const PAPER: &str = "by the paper's white and black box";

/// The page: of runs judged by the usual methods and, where there were so many control runs of each workload and size to
/// learn from, of the same as the paper has them.
pub(super) fn page(runs: &[Scored], paper: &[Scored], controls: u64, command: &str) -> String {
    let mut out = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>oddnode: simulated evaluation</title>",
    );
    let _ = write!(out, "<style>{STYLE}</style><h1>Simulated evaluation</h1>");
    let _ = write!(
        out,
        "<p>{}, each diagnosed alone from its logs. Made by <code>{}</code>. What the simulator leaves out is in <code>docs/simulator.md</code>; brackets are Wilson's 95 % intervals.</p>",
        counted(runs.len() as u64, "simulated run"),
        escaped(command)
    );
    judges(&mut out, runs, paper, controls);
    goals(&mut out, runs);
    findings(&mut out, runs, paper);
    let _ = write!(out, "<h2>By fault, {USUAL}</h2>");
    table(&mut out, &evaluation::by_fault(runs), false);
    let _ = write!(out, "<h2>What the boxes say alone, {USUAL}</h2>");
    boxes(&mut out, runs);
    if !paper.is_empty() {
        let _ = write!(out, "<h2>What the boxes say alone, {PAPER}</h2>");
        boxes(&mut out, paper);
    }
    slowdowns(&mut out, runs);
    let _ = write!(out, "<h2>Figures, {USUAL}</h2>");
    figures(&mut out, runs, &View::EVALUATION);
    if !paper.is_empty() {
        let _ = write!(out, "<h2>Figure, {PAPER}</h2>");
        figures(&mut out, paper, &[View::EvaluationStates]);
    }
    let _ = write!(out, "<h2>By fault, workload and size, {USUAL}</h2>");
    table(&mut out, &evaluation::cells(runs), true);
    out.push_str("</html>\n");
    out
}

/// By what the runs were judged.
fn judges(out: &mut String, runs: &[Scored], paper: &[Scored], controls: u64) {
    let _ = write!(
        out,
        "<p>The usual methods are {} and {}; verdicts weigh all that the logs hold.",
        said_by(WhiteBox::Usual),
        said_by_black_box(runs)
    );
    if !paper.is_empty() {
        let _ = write!(
            out,
            " The paper's (§VI) are {} and {}, learned from {} of each workload and size with seeds of their own, outside those that are counted; {} so.",
            said_by(WhiteBox::Literal),
            said_by_black_box(paper),
            counted(controls, "control run"),
            if paper.len() == 1 { "1 run was judged".to_owned() } else { format!("{} runs were judged", paper.len()) },
        );
    }
    out.push_str("</p>");
}

fn said_by(white_box: WhiteBox) -> String {
    format!("<code>{}</code>", white_box.name())
}

fn said_by_black_box(runs: &[Scored]) -> String {
    format!("<code>{}</code>", evaluation::black_box_of(runs))
}

/// Figures of the evaluation view.
fn figures(out: &mut String, runs: &[Scored], views: &[View]) {
    let evaluated = scene::Evaluated::new(runs.to_vec(), 0);
    let look = Look { width_css_px: WIDTH_CSS_PX, ..Look::default() };
    for scene in views.iter().map(|view| scene::lay_out(*view, &evaluated, &look)) {
        if let Ok(svg) = to_svg(&scene, &Theme::light())
            && !scene.title.is_empty()
        {
            let _ = write!(
                out,
                "<h3>{}</h3><figure>{svg}<figcaption>{}</figcaption></figure>",
                escaped(&scene.title),
                escaped(&scene.how_to_read)
            );
        }
    }
}

fn met(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "<span class=\"yes\">met</span>",
        Some(false) => "<span class=\"no\">missed</span>",
        None => "no runs",
    }
}

fn goals(out: &mut String, runs: &[Scored]) {
    // A fault slows a workload on clusters of a size: one run's length says little, chance moves it as far.
    let mut slow_cells = evaluation::cells(runs);
    slow_cells.retain(|cell| cell.slowdown.is_some_and(|x| x >= SLOWS));
    let slows = |s: &Scored| slow_cells.iter().any(|cell| cell.has(s));
    let controls = Controls::of(runs);
    let took_longer = |s: &Scored| controls.slowdown(s).is_some_and(|x| x >= SLOWS);
    let tp = Rate::among(runs, |s| s.has_culprit() && slows(s), is_hit);
    let fp = Rate::among(runs, |s| s.has_culprit() && slows(s), is_false);
    let longer = Rate::among(runs, |s| s.has_culprit() && took_longer(s), is_hit);
    let summary = Summary::of(runs, 0);
    let clean = Rate { hits: summary.clean_false, of: summary.clean };
    let application = Rate { hits: summary.application_false, of: summary.application };
    let cause = Rate::of_causes(runs);
    let at_least = |rate: Rate, goal: f64| rate.share().map(|x| x >= goal);
    let at_most = |rate: Rate, goal: f64| rate.share().map(|x| x <= goal);
    let _ = write!(out, "<h2>Goals, {USUAL}</h2><table><tr><th></th><th>goal</th><th>here</th><th></th></tr>");
    for (what, goal, rate, holds) in [
        (
            "faulty node named, faults that slow the workload by 5 % or more (median of the size)",
            "≥ 0.95",
            tp,
            at_least(tp, GOALS.0),
        ),
        ("another node named, same runs", "≤ 0.02", fp, at_most(fp, GOALS.1)),
        ("faulty node named, of single runs that took 5 % longer or more", "", longer, None),
        ("a node named on clean runs", "≤ 0.01", clean, at_most(clean, GOALS.2)),
        ("a node named where the application is at fault", "≤ 0.01", application, at_most(application, GOALS.2)),
        ("right cause, of the nodes named whose label tells it", "", cause, None),
    ] {
        let verdict = if goal.is_empty() { "" } else { met(holds) };
        let _ = write!(out, "<tr><td>{what}</td><td>{goal}</td><td>{}</td><td>{verdict}</td></tr>", rate.in_words());
    }
    out.push_str("</table>");
}

fn findings(out: &mut String, runs: &[Scored], paper: &[Scored]) {
    out.push_str(
        "<h2>The paper's findings (Kahuna §IV and §VIII)</h2><p>A claim is confirmed or refuted where the 95 % intervals of what it compares are apart, and where one is apart from the limit that its words are taken to mean; else it is not told apart.</p><table><tr><th>claim</th><th>by</th><th></th><th>here</th></tr>",
    );
    let usual = evaluation::findings(runs, WhiteBox::Usual);
    let paper = if paper.is_empty() { Vec::new() } else { evaluation::findings(paper, WhiteBox::Literal) };
    let mut paper = paper.into_iter();
    for finding in usual {
        // What neither box says is the same in both.
        let other = paper.next().filter(|other| other.by != finding.by);
        let rows = 1 + usize::from(other.is_some());
        let _ = write!(
            out,
            "<tr><td rowspan=\"{rows}\">{}: {}</td>{}</tr>",
            finding.id,
            escaped(finding.claim),
            of_finding(&finding)
        );
        if let Some(other) = other {
            let _ = write!(out, "<tr>{}</tr>", of_finding(&other));
        }
    }
    out.push_str("</table>");
}

/// By what a finding is, how it stands, and its numbers.
fn of_finding(finding: &Finding) -> String {
    let stands = match finding.stands {
        Some(stand @ Stand::Confirmed) => format!("<span class=\"yes\">{}</span>", stand.name()),
        Some(stand @ Stand::Refuted) => format!("<span class=\"no\">{}</span>", stand.name()),
        Some(stand @ Stand::NotToldApart) => stand.name().to_owned(),
        None => "no runs".to_owned(),
    };
    format!("<td class=\"by\">{}</td><td>{stands}</td><td>{}</td>", escaped(&finding.by), escaped(&finding.numbers))
}

/// True and false positives of the white box's maps, of its other states together, and of the black box, by fault.
fn boxes(out: &mut String, runs: &[Scored]) {
    out.push_str("<table><tr><th>fault</th>");
    for of in ["Map", "other states", "black box"] {
        let _ = write!(out, "<th>TP, {of}</th><th>FP, {of}</th>");
    }
    out.push_str("</tr>");
    let mut by: BTreeMap<&str, Vec<&Scored>> = BTreeMap::new();
    for run in runs {
        by.entry(&run.fault).or_default().push(run);
    }
    for (fault, of) in by {
        let _ = write!(out, "<tr><td>{}</td>", escaped(fault));
        for signals in [&[MAPS][..], &OTHER_STATES, &[BLACK_BOX]] {
            let told = Told::by(of.iter().copied(), signals);
            let _ = write!(out, "<td>{}</td><td>{}</td>", told.tp.in_words(), told.fp.in_words());
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
}

fn table(out: &mut String, cells: &[Cell], sizes: bool) {
    out.push_str("<table><tr><th>fault</th>");
    if sizes {
        out.push_str("<th>workload</th><th>nodes</th>");
    }
    out.push_str(
        "<th>TP</th><th>FP</th><th>AC@1</th><th>AC@3</th><th>right cause</th><th>no verdict</th><th>slowdown</th></tr>",
    );
    for cell in cells {
        let _ = write!(out, "<tr><td>{}</td>", escaped(&cell.fault));
        if sizes {
            let _ = write!(out, "<td>{}</td><td>{}</td>", escaped(&cell.workload), cell.nodes);
        }
        for rate in [cell.tp, cell.fp, cell.ac1, cell.ac3, cell.cause, cell.abstained] {
            let _ = write!(out, "<td>{}</td>", rate.in_words());
        }
        let slower = cell.slowdown.map_or_else(|| "–".to_owned(), percent);
        let _ = write!(out, "<td>{slower}</td></tr>");
    }
    out.push_str("</table>");
}

/// Table IV beside ours: all sizes together.
fn slowdowns(out: &mut String, runs: &[Scored]) {
    out.push_str("<h2>Slowdown over controls: here (printed in Table IV)</h2><table><tr><th>fault</th>");
    for workload in WORKLOADS {
        let _ = write!(out, "<th>{workload}</th>");
    }
    out.push_str("</tr>");
    let controls = Controls::of(runs);
    for (fault, printed) in SLOWDOWN {
        let _ = write!(out, "<tr><td>{fault}</td>");
        for (workload, printed) in WORKLOADS.iter().zip(printed) {
            let own = runs.iter().filter(|s| s.fault == fault && s.workload == *workload);
            let middle = median(&sorted(own.filter_map(|s| controls.slowdown(s))));
            let here = middle.map_or_else(|| "–".to_owned(), percent);
            let _ = write!(out, "<td>{here} ({printed:.1} %)</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</table>");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_faults_and_workloads_are_text() {
        let truth =
            evaluation::Truth { fault: "<b>a&b".into(), workload: "<i>".into(), ..evaluation::Truth::default() };
        let page = page(&[Scored::new(&truth, &crate::report::Report::default())], &[], 0, "oddnode <u>");
        assert!(page.contains("<td>&lt;b&gt;a&amp;b</td>") && page.contains("<td>&lt;i&gt;</td>"));
        assert!(["<b>", "<i>", "<u>"].iter().all(|tag| !page.contains(tag)));
    }

    /// The middle of an even number of runs is between two, as in the tables by fault.
    #[test]
    fn slowdown_of_two_runs_is_their_mean() {
        let run = |fault: &str, length_s: i64| {
            let truth = evaluation::Truth {
                run: format!("{fault}-{length_s}"),
                workload: "sort".into(),
                fault: fault.into(),
                begin_ms: Some(0),
                end_ms: Some(length_s * 1000),
                ..evaluation::Truth::default()
            };
            Scored::new(&truth, &crate::report::Report::default())
        };
        let page = page(&[run("none", 100), run("CPUHog", 120), run("CPUHog", 160)], &[], 0, "oddnode matrix");
        let told = format!("{} (", percent(0.4));
        let of_table = page.split("Table IV)").nth(1).and_then(|rest| rest.split("</table>").next()).unwrap();
        assert!(of_table.contains(&told), "{told}: {of_table}");
    }

    /// Each finding of the boxes stands twice, each time with who says so.
    #[test]
    fn findings_are_counted_by_both_where_both_judged() {
        let truth = evaluation::Truth { fault: "CPUHog".into(), workload: "sort".into(), ..Default::default() };
        let run = Scored::new(&truth, &crate::report::Report::default());
        let said = evaluation::Said { signal: evaluation::BLACK_BOX_TRAINED.into(), ..Default::default() };
        let paper = Scored { said: vec![said], ..run.clone() };
        let runs = std::slice::from_ref(&run);
        let (usual, both) = (page(runs, &[], 4, "m"), page(runs, &[paper], 4, "m"));
        let rows = |page: &str, by: &str| page.matches(&format!("<td class=\"by\">{by}</td>")).count();
        assert_eq!([rows(&both, BLACK_BOX), rows(&both, evaluation::BLACK_BOX_TRAINED)], [6, 6]);
        assert_eq!([WhiteBox::Usual, WhiteBox::Literal].map(|by| rows(&both, by.name())), [7, 7]);
        assert_eq!([rows(&both, "peer-similarity"), rows(&both, "verdicts")], [2, 2]);
        assert!(both.contains("4 control runs of each workload and size") && !usual.contains("control runs of each"));
        assert_eq!([&usual, &both].map(|page| page.matches("rowspan=\"2\"").count()), [0, 16]);
    }

    #[test]
    fn page_without_runs_says_so() {
        let page = page(&[], &[], 4, "oddnode matrix");
        assert!(page.contains("no runs") && !page.contains("NaN"));
        assert!(
            page.contains(
                "<code>kahuna-wb, slower nodes alone</code> and <code>kahuna-bb profiles of these logs</code>"
            )
        );
        assert!(
            !page.contains("http://") || page.matches("http://").count() == page.matches("http://www.w3.org").count()
        );
    }
}
