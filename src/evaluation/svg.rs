//! The paper's figures as SVG text: bars (Figs 4–7), heatmaps (Figs 8–11), ROC.
//!
//! ```text
//! Figs 4–7   a workload each; per fault a group of bars, one a size: TP up, FP down
//! Figs 8–11  fault × workload and size; dark is good (a low rate), as in the paper
//! ```
//! Colours are told apart in grey too; every mark has its number as a title.

use super::cells::{Rate, cells};
use super::kahuna::{MAPS, OTHER_STATES, WORKLOADS};
use super::roc::roc;
use super::{Cell, Scored};
use std::fmt::Write;

/// Shades of the sizes, smallest first.
const SHADES: [&str; 4] = ["#9ecae1", "#6baed6", "#3182bd", "#08519c"];
/// A falsely indicted node's.
const FALSE: &str = "#d6604d";
const TEXT: &str = "font-family=\"sans-serif\" font-size=\"11\" fill=\"currentColor\"";
const BAR: f64 = 9.0;
const HEIGHT: f64 = 60.0;
const CELL: f64 = 18.0;
const LEFT: f64 = 90.0;

/// A figure with its caption.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What it shows.
    pub caption: String,
    /// An `svg` element.
    pub svg: String,
}

/// Every figure for which there are runs.
#[must_use]
pub fn figures(runs: &[Scored]) -> Vec<Figure> {
    let cells = cells(runs);
    let mut out = Vec::new();
    let mut names: Vec<&str> = runs.iter().map(|s| s.workload.as_str()).collect();
    names.sort_unstable_by_key(|name| (WORKLOADS.iter().position(|w| w == name).unwrap_or(WORKLOADS.len()), *name));
    names.dedup();
    for name in names {
        let of: Vec<&Cell> = cells.iter().filter(|c| c.workload == name).collect();
        out.push(Figure {
            caption: format!("Verdicts on {name}: true positives up, false positives down; a bar a size (Figs 4–7)"),
            svg: bars(&of),
        });
    }
    let heat = |title: &str, rate: &dyn Fn(&[&Scored]) -> Rate| Figure {
        caption: format!("{title}; dark is a low rate (Figs 8–11)"),
        svg: heatmap(runs, &cells, rate),
    };
    let any = |s: &Scored, f: &dyn Fn(&super::Said) -> bool| OTHER_STATES.iter().any(|o| s.signal(o).is_some_and(f));
    out.push(heat("False positives by Map", &|of| {
        Rate::among(of.iter().copied(), |s| s.signal(MAPS).is_some(), |s| s.signal(MAPS).is_some_and(|x| x.others > 0))
    }));
    out.push(heat("False negatives by Map", &|of| {
        Rate::among(of.iter().copied(), Scored::has_culprit, |s| s.signal(MAPS).is_none_or(|x| !x.hit))
    }));
    out.push(heat("False positives by the other states", &|of| {
        Rate::among(of.iter().copied(), |_| true, |s| any(s, &|x| x.others > 0))
    }));
    out.push(heat("False negatives by the other states", &|of| {
        Rate::among(of.iter().copied(), Scored::has_culprit, |s| !any(s, &|x| x.hit))
    }));
    out.push(Figure {
        caption: "ROC over the threshold on T: Map (blue), metrics (red)".to_owned(),
        svg: curves(runs),
    });
    out
}

/// All figures below each other, one file.
#[must_use]
pub fn draw(runs: &[Scored]) -> String {
    let mut inner = String::new();
    let mut y = 10.0;
    let mut width: f64 = 400.0;
    for figure in figures(runs) {
        let (w, h) = size(&figure.svg);
        let _ = write!(inner, "<text x=\"8\" y=\"{:.0}\" {TEXT}>{}</text>", y + 12.0, figure.caption);
        let _ = write!(inner, "<g transform=\"translate(0,{:.0})\">{}</g>", y + 18.0, figure.svg);
        y += h + 34.0;
        width = width.max(w);
    }
    format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{y:.0}\">{inner}</svg>\n")
}

/// Width and height that an `svg` element says it has.
fn size(svg: &str) -> (f64, f64) {
    let number =
        |key: &str| svg.split_once(key).and_then(|(_, rest)| rest.split('"').next()?.parse().ok()).unwrap_or(0.0);
    (number("width=\""), number("height=\""))
}

fn element(width: f64, height: f64, inner: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">{inner}</svg>"
    )
}

fn faults(cells: &[&Cell]) -> Vec<String> {
    let mut names: Vec<String> = cells.iter().map(|c| c.fault.clone()).collect();
    names.sort();
    names.dedup();
    names
}

fn bars(cells: &[&Cell]) -> String {
    let mut inner = String::new();
    let mut x = 40.0;
    for (label, y) in [("1", 14.0), ("0", HEIGHT + 14.0), ("1", 2.0 * HEIGHT + 14.0)] {
        let _ = write!(inner, "<text x=\"28\" y=\"{y:.0}\" {TEXT}>{label}</text>");
    }
    for fault in faults(cells) {
        let begin = x;
        for (i, cell) in cells.iter().filter(|c| c.fault == fault).enumerate() {
            let shade = SHADES.get(i.min(SHADES.len() - 1)).copied().unwrap_or("#888");
            let title =
                format!("{} {} nodes: TP {}, FP {}", cell.fault, cell.nodes, cell.tp.in_words(), cell.fp.in_words());
            for (share, colour, up) in [(cell.tp.share(), shade, true), (cell.fp.share(), FALSE, false)] {
                let height = share.unwrap_or(0.0) * HEIGHT;
                let y = if up { 10.0 + HEIGHT - height } else { 10.0 + HEIGHT };
                let _ = write!(
                    inner,
                    "<rect x=\"{x:.0}\" y=\"{y:.1}\" width=\"{:.0}\" height=\"{height:.1}\" fill=\"{colour}\"><title>{title}</title></rect>",
                    BAR - 1.0
                );
            }
            x += BAR;
        }
        let _ = write!(
            inner,
            "<text transform=\"translate({:.0},{:.0}) rotate(40)\" {TEXT}>{fault}</text>",
            begin,
            2.0 * HEIGHT + 24.0
        );
        x += 14.0;
    }
    let _ = write!(
        inner,
        "<line x1=\"36\" x2=\"{x:.0}\" y1=\"{0:.0}\" y2=\"{0:.0}\" stroke=\"currentColor\"/>",
        10.0 + HEIGHT
    );
    element(x + 60.0, 2.0 * HEIGHT + 90.0, &inner)
}

fn heatmap(runs: &[Scored], cells: &[Cell], rate: &dyn Fn(&[&Scored]) -> Rate) -> String {
    let names = faults(&cells.iter().collect::<Vec<_>>());
    let mut columns: Vec<(String, usize)> = cells.iter().map(|c| (c.workload.clone(), c.nodes)).collect();
    columns.sort();
    columns.dedup();
    let mut inner = String::new();
    for (row, fault) in names.iter().enumerate() {
        let y = row as f64 * CELL;
        let _ = write!(inner, "<text x=\"4\" y=\"{:.0}\" {TEXT}>{fault}</text>", y + 13.0);
        for (column, (workload, nodes)) in columns.iter().enumerate() {
            let of: Vec<&Scored> = runs
                .iter()
                .filter(|s| s.fault == *fault && s.workload == *workload && super::cells::size_of(s) == *nodes)
                .collect();
            let x = LEFT + column as f64 * CELL;
            let rate = rate(&of);
            let colour = rate.share().map_or("none".to_owned(), |share| {
                let light = (20.0 + 75.0 * share) as u32;
                format!("hsl(5,70%,{light}%)")
            });
            let _ = write!(
                inner,
                "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"{0:.0}\" height=\"{0:.0}\" fill=\"{colour}\" stroke=\"#999\" stroke-width=\"0.4\"><title>{fault}, {workload} {nodes} nodes: {1}</title></rect>",
                CELL - 1.0,
                rate.in_words()
            );
        }
    }
    let below = names.len() as f64 * CELL + 12.0;
    for (column, (workload, nodes)) in columns.iter().enumerate() {
        let x = LEFT + column as f64 * CELL + 3.0;
        let _ = write!(
            inner,
            "<text transform=\"translate({x:.0},{below:.0}) rotate(60)\" {TEXT}>{workload} {nodes}</text>"
        );
    }
    element(LEFT + columns.len() as f64 * CELL + 70.0, below + 100.0, &inner)
}

fn curves(runs: &[Scored]) -> String {
    const SIDE: f64 = 160.0;
    let mut inner = format!(
        "<rect x=\"30\" y=\"10\" width=\"{SIDE:.0}\" height=\"{SIDE:.0}\" fill=\"none\" stroke=\"currentColor\"/>"
    );
    for (signal, colour) in [(MAPS, SHADES[3]), (super::kahuna::BLACK_BOX, FALSE)] {
        let points = roc(runs, signal);
        let at = |share: Option<f64>| share.unwrap_or(0.0) * SIDE;
        let path: Vec<String> = points
            .iter()
            .map(|p| format!("{:.1},{:.1}", 30.0 + at(p.fp.share()), 10.0 + SIDE - at(p.tp.share())))
            .collect();
        let _ = write!(
            inner,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
    }
    let _ = write!(
        inner,
        "<text x=\"30\" y=\"{:.0}\" {TEXT}>false: control runs with a node above the threshold →</text>",
        SIDE + 26.0
    );
    let _ = write!(
        inner,
        "<text transform=\"translate(22,{:.0}) rotate(-90)\" {TEXT}>faulty nodes above it →</text>",
        SIDE + 6.0
    );
    element(340.0, SIDE + 36.0, &inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::Truth;
    use crate::report::Report;

    #[test]
    fn figures_name_every_cell_with_its_rate() {
        let truth = Truth {
            run: "sort-cpuhog-5-0".into(),
            workload: "sort".into(),
            fault: "CPUHog".into(),
            node: Some("a".into()),
            ..Truth::default()
        };
        let runs = [Scored::new(&truth, &Report::default())];
        let svg = draw(&runs);
        assert!(svg.contains("CPUHog 5 nodes: TP 0.00 [0.00, 0.79] of 1, FP 0.00"), "{svg}");
        assert!(svg.contains("CPUHog, sort 5 nodes: 1.00 [0.21, 1.00] of 1"), "false negatives are told: {svg}");
        assert_eq!(svg.matches("<svg").count(), 1 + figures(&runs).len());
        assert!(figures(&[]).iter().all(|f| !f.svg.contains("NaN")));
    }
}
