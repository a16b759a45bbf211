//! Verdicts counted against labels: rates by fault, each run's verdict, the papers' figures.
//!
//! ```text
//! evaluation            TP and FP of each fault, with 95 % intervals
//! evaluation-runs       one square a run: right, missed, wrong
//! evaluation-workloads  Kahuna Figs 4–7: bars by fault, workload and size
//! evaluation-states     Kahuna Figs 8–11: FP and FN of Maps and of other states
//! evaluation-slowdown   Kahuna Table IV beside these runs
//! evaluation-roc        what another threshold would have done
//! ```
//! Cost: O(runs · faults · workloads).

mod bars;
mod faults;
mod findings;
mod heat;
mod roc;
mod runs;
mod slowdown;

use super::axis::tenth;
use super::names::NameColumn;
use super::{Look, Scene, View};
use crate::base::Arrange;
use crate::evaluation::{Cell, Rate, Scored, Summary, WhiteBox};

/// Height of a row.
const ROW_CSS_PX: f32 = 20.0;
/// Room above the rows.
const TOP_CSS_PX: f32 = 28.0;
/// Room between two figures of the sheet.
const BETWEEN_CSS_PX: f32 = 24.0;

/// What is drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    runs: Vec<Scored>,
    cells: Vec<Cell>,
    by_fault: Vec<Cell>,
    summary: Summary,
}

impl Evaluated {
    /// Of runs, with the number of labels without runs.
    #[must_use]
    pub fn new(runs: Vec<Scored>, absent: u64) -> Self {
        let (cells, by_fault) = (crate::evaluation::cells(&runs), crate::evaluation::by_fault(&runs));
        Self { summary: Summary::of(&runs, absent), runs, cells, by_fault }
    }
}

/// Lays out a figure; one without a title if there is nothing to show.
#[must_use]
pub fn lay_out(view: View, evaluated: &Evaluated, look: &Look) -> Scene {
    if evaluated.runs.is_empty() {
        return Scene::default();
    }
    let scene = match view {
        View::EvaluationRuns => runs::lay_out(evaluated, look),
        View::EvaluationWorkloads => bars::lay_out(evaluated, look),
        View::EvaluationStates => heat::lay_out(evaluated, look),
        View::EvaluationSlowdown => slowdown::lay_out(evaluated, look),
        View::EvaluationRoc => roc::lay_out(evaluated, look),
        _ => faults::lay_out(evaluated, look),
    };
    if scene.title.is_empty() { Scene::default() } else { Scene { name: view.name().to_owned(), ..scene } }
}

/// All figures below each other, each with its title, and what Kahuna found, by runs that the white box was asked about so.
#[must_use]
pub fn sheet(evaluated: &Evaluated, white_box: WhiteBox, look: &Look) -> Scene {
    let mut sheet = Scene { name: View::Evaluation.name().to_owned(), ..Scene::default() };
    sheet.size.0 = look.width_css_px;
    let figures = View::EVALUATION.map(|view| lay_out(view, evaluated, look)).into_iter();
    for scene in figures.chain([findings::lay_out(evaluated, white_box, look)]) {
        if scene.title.is_empty() {
            continue;
        }
        let mut scene = scene.captioned(&scene.provenance(""));
        let by = sheet.size.1;
        scene.rasters.iter_mut().for_each(|raster| raster.at.1 += by);
        scene.marks.iter_mut().for_each(|mark| mark.move_down(by));
        if sheet.title.is_empty() {
            sheet.title = scene.title;
        }
        sheet.size.1 += scene.size.1 + BETWEEN_CSS_PX;
        sheet.rasters.extend(scene.rasters);
        sheet.marks.extend(scene.marks);
    }
    sheet
}

/// Room for the longest of these names, with a gap behind it.
fn left_of<'a>(mut names: impl Iterator<Item = &'a str>, look: &Look) -> f32 {
    tenth(NameColumn::WIDE.width_css_px(&mut names, 0.0, look.width_css_px) + 18.0)
}

/// Names, each once, in order.
fn each_once<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = names.collect();
    names.arrange(Ord::cmp);
    names.dedup();
    names
}

/// Missed: what is left of a rate of found ones.
const fn rest(rate: Rate) -> Rate {
    Rate { hits: rate.of - rate.hits, of: rate.of }
}

/// Headers of [`numbers`].
const NUMBERS: [&str; 10] =
    ["runs", "TP", "FP", "FN", "AC@1", "AC@3", "right cause", "clean FP", "no verdict", "Avg@5"];

/// The rates of a cell, with their intervals.
fn numbers(cell: &Cell) -> Vec<String> {
    let clean = if crate::evaluation::is_control(&cell.fault) { cell.fp } else { Rate::default() };
    let rates = [cell.tp, cell.fp, rest(cell.tp), cell.ac1, cell.ac3, cell.cause, clean, cell.abstained];
    let avg5 = cell.avg5.map_or_else(|| "–".to_owned(), |avg5| format!("{avg5:.2}"));
    let mut numbers: Vec<String> =
        std::iter::once(cell.runs.to_string()).chain(rates.map(Rate::in_words)).chain([avg5]).collect();
    if let (Some(tp), Some(named)) = (numbers.get_mut(1), cell.named.of_several(cell.tp.of)) {
        tp.push_str(&format!(" ({named})"));
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Mark, Said, Truth};
    use crate::report::Report;
    use crate::scene::{self, Role};

    fn run(name: &str, workload: &str, fault: &str, mark: Mark, length_s: i64) -> Scored {
        let node = (fault != "none").then(|| "a".to_owned());
        let (run, workload, fault) = (name.to_owned(), workload.to_owned(), fault.to_owned());
        let (begin_ms, end_ms) = (Some(0), Some(length_s * 1000));
        let truth = Truth { run, workload, fault, node, begin_ms, end_ms, ..Truth::default() };
        let hit = mark == Mark::Hit;
        let signals = [crate::evaluation::MAPS, crate::evaluation::OTHER_STATES[0], crate::evaluation::BLACK_BOX];
        let said = signals.map(|signal| Said { signal: signal.to_owned(), hit, judged: 5, ..Said::default() }).to_vec();
        Scored { mark, nodes: 5, said, ..Scored::new(&truth, &Report::default()) }
    }

    fn example() -> Evaluated {
        let runs = vec![
            run("sort-none-5-0", "sort", "none", Mark::Quiet, 100),
            run("sort-cpuhog-5-0", "sort", "CPUHog", Mark::Hit, 150),
            run("sort-cpuhog-5-1", "sort", "CPUHog", Mark::Miss, 110),
            run("wc-crash-5-0", "wc", "Crash", Mark::Wrong, 100),
        ];
        Evaluated::new(runs, 2)
    }

    #[test]
    fn every_figure_fits_its_width_and_has_its_table() {
        let evaluated = example();
        for view in View::EVALUATION {
            for width_css_px in [320.0, 900.0] {
                let look = Look { width_css_px, ..Look::default() };
                let scene = lay_out(view, &evaluated, &look);
                assert_eq!(scene.name, view.name());
                assert!(!scene.title.is_empty() && !scene.table.rows.is_empty(), "{}", view.name());
                let cells = scene.table.headers.len();
                assert!(scene.table.rows.iter().all(|row| row.len() == cells), "{}", view.name());
                let right = scene.hits.iter().map(|h| h.at.0 + h.size.0).fold(0.0, f32::max);
                assert!(right <= width_css_px, "{} {right} {width_css_px}", view.name());
                assert!(lay_out(view, &Evaluated::default(), &look).title.is_empty());
            }
        }
    }

    #[test]
    fn rates_are_those_of_the_runs() {
        let scene = lay_out(View::Evaluation, &example(), &Look { width_css_px: 900.0, ..Look::default() });
        let hog = scene.table.rows.iter().find(|row| row[0] == "CPUHog").unwrap();
        assert_eq!((hog[1].as_str(), hog[2].as_str()), ("2", "1 of 2"));
        assert_eq!(hog[8], "–", "clean runs are no hogs");
        let none = scene.table.rows.iter().find(|row| row[0] == "none").unwrap();
        assert_eq!((none[2].as_str(), none[8].as_str()), ("–", "0 of 1"));
        assert!(scene.title.contains("1 of 3 faulty nodes named"), "{}", scene.title);
    }

    #[test]
    fn bars_say_what_they_are() {
        let figure = lay_out(View::EvaluationWorkloads, &example(), &Look { width_css_px: 900.0, ..Look::default() });
        let texts = figure
            .marks
            .iter()
            .filter_map(|m| if let scene::Mark::Text { text, .. } = m { Some(text.as_str()) } else { None });
        let texts: Vec<&str> = texts.collect();
        for said in [
            "up: the faulty node is named (TP)",
            "line across a bar: the black box alone",
            "bars from left to right: 5 nodes",
        ] {
            assert!(texts.contains(&said), "{said}: {texts:?}");
        }
        assert_eq!(texts.iter().filter(|text| **text == "5").count(), 3, "a size below each bar");
        // No run of wc names the faulty node: a mark tells 0 from no bar.
        let marks = |of: Role| {
            let is =
                |m: &&scene::Mark| matches!(m, scene::Mark::Rect { role, size, .. } if *role == of && size.1 < 2.0);
            figure.marks.iter().filter(is).count()
        };
        assert_eq!((marks(Role::Node), marks(Role::Culprit)), (1, 2));
    }

    /// One denominator on the page: runs of which the black box says nothing are runs.
    #[test]
    fn black_box_that_says_nothing_misses() {
        let mut runs = [0, 1, 2].map(|i| run(&format!("sort-cpuhog-5-{i}"), "sort", "CPUHog", Mark::Hit, 100));
        let abstain = |run: &mut Scored| run.said[2].abstained = true;
        abstain(&mut runs[0]);
        let look = Look { width_css_px: 900.0, ..Look::default() };
        let figure = |runs: &[Scored]| lay_out(View::EvaluationWorkloads, &Evaluated::new(runs.to_vec(), 0), &look);
        let told =
            |runs: &[Scored]| figure(runs).table.rows[0][13..].iter().map(|t| t[..4].to_owned()).collect::<Vec<_>>();
        assert_eq!(told(&runs), ["0.67", "0.00", "0.33"]);
        let lines =
            |runs: &[Scored]| figure(runs).marks.iter().filter(|m| matches!(m, scene::Mark::Line { .. })).count();
        let some = lines(&runs);
        runs.iter_mut().for_each(abstain);
        assert_eq!(told(&runs), ["0.00", "0.00", "1.00"]);
        assert_eq!(some - lines(&runs), 2, "it has no lines where it never speaks");
    }

    #[test]
    fn no_name_of_a_fault_runs_into_another() {
        let faults =
            ["CPUHog", "DataNodeHang", "DiskFull", "DiskHog", "HADOOP-1036", "HADOOP-1152", "HADOOP-2080", "none"];
        let runs = faults.map(|fault| run("r", "sort", fault, Mark::Hit, 100)).to_vec();
        for width_css_px in [320.0, 390.0, 600.0, 1440.0] {
            let look = Look { width_css_px, ..Look::default() };
            let figure = lay_out(View::EvaluationWorkloads, &Evaluated::new(runs.clone(), 0), &look);
            let names = figure.marks.iter().filter_map(|mark| match mark {
                scene::Mark::Text { at, text, .. } if faults.contains(&text.as_str()) => {
                    Some((at.1, at.0, at.0 + scene::axis::label_width_css_px(text)))
                }
                _ => None,
            });
            let names: Vec<(f32, f32, f32)> = names.collect();
            assert_eq!(names.len(), faults.len(), "at {width_css_px}");
            for (i, a) in names.iter().enumerate() {
                assert!(a.2 <= width_css_px && a.0 < figure.size.1, "{a:?} at {width_css_px}");
                assert!(names[..i].iter().all(|b| a.0 != b.0 || b.2 < a.1), "{a:?} at {width_css_px}");
            }
        }
    }

    #[test]
    fn sheet_holds_all_figures() {
        let look = Look { width_css_px: 900.0, ..Look::default() };
        let sheet = sheet(&example(), WhiteBox::Usual, &look);
        let heights: f32 = View::EVALUATION.map(|view| lay_out(view, &example(), &look).size.1).iter().sum();
        assert!(sheet.size.1 > heights && sheet.rasters.len() == 4, "{}", sheet.size.1);
        assert_eq!(super::sheet(&Evaluated::default(), WhiteBox::Usual, &look).marks, []);
    }

    #[test]
    fn findings_are_told_with_their_numbers_in_lines_that_fit() {
        for width_css_px in [900.0, 260.0] {
            let scene = findings::lay_out(&example(), WhiteBox::Literal, &Look { width_css_px, ..Look::default() });
            assert!(scene.table.rows.iter().any(|row| row[4] == "kahuna-wb to the letter"));
            let ends = scene.marks.iter().filter_map(|mark| match mark {
                scene::Mark::Text { at, text, .. } => Some(at.0 + scene::axis::label_width_css_px(text)),
                _ => None,
            });
            assert!(ends.into_iter().all(|end| end <= width_css_px), "at {width_css_px}");
        }
        let nothing = findings::lay_out(&Evaluated::default(), WhiteBox::Usual, &Look::default());
        assert!(nothing.title.is_empty());
    }

    #[test]
    fn slowdown_stands_beside_the_printed_one() {
        let scene = lay_out(View::EvaluationSlowdown, &example(), &Look { width_css_px: 900.0, ..Look::default() });
        // Run 1 has no control of its round: the median of the controls of its size stands for it.
        let hog = scene.table.rows.iter().find(|row| row[0] == "CPUHog").unwrap();
        assert_eq!(hog[1..], ["sort", "5", "30.0 %", "28.2 %"]);
    }
}
