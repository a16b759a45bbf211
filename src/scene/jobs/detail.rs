//! The job execution detail (T17–T20): one job, a square for each node, as large as its share of
//! the job's bytes, in five stripes of time.
//!
//! ```text
//! M ┌─┬─┬─┬─┬─┐ ┌─┬─┬─┬─┬─┐ ┌┬┬┬┬┐
//!   │░│▓│▓│ │░│ │░│░│░│░│ │ │▓▓▓▓│      stripes: fifths of the node's time on the job,
//!   └─┴─┴─┴─┴─┘ └─┴─┴─┴─┴─┘ └┴┴┴┴┘      darker: longer tasks, white: nothing ran
//! ```
//! A stripe is as dark as the mean, over the tasks that ran in it, of how many standard
//! deviations they took longer than the job's mean; [`DARKEST`] is darkest, or the most that so
//! few tasks can reach. To the letter, shorter counts as well. The table lists the attempts with their lines.
//! Cost: O(attempts of the job) to group, then five passes over those of a node for its stripes.

use super::stream::{LEFT_CSS_PX, border, by_bytes, legend, underline};
use super::{DARKEST, JobsShown, header, says, times_in};
use crate::base::quantity::counted;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::Reading;
use crate::diagnosis::job_class::Class;
use crate::diagnosis::theia::score::usual;
use crate::diagnosis::theia::survey::{bytes_of, millis_of, until};
use crate::diagnosis::theia::{Side, Work};
use crate::model::{Outcome, TaskAttempt};
use crate::scene::axis::{FONT_CSS_PX, LINE_CSS_PX, date_and_clock, fitted, label_width_css_px, tenth};
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table, View};
use std::collections::BTreeMap;

/// Stripes of a square (T17).
const STRIPES: usize = 5;
/// Sides of the squares: of the largest share, and of the least that can be hit by a finger.
const SIDE_CSS_PX: (f32, f32) = (64.0, 14.0);
/// Squares of a side at the most, of some ten marks each: a figure has a limit for those.
const SQUARES_SHOWN: usize = 800;
/// Between squares.
const GAP_CSS_PX: f32 = 6.0;
/// Letters of a name that is cut: fewer tell no two nodes apart.
const NAME_LETTERS: &str = "n…101";
/// Room above, for a header of one line.
const TOP_CSS_PX: f32 = 30.0;
/// Attempts in the table at most: a document of more elements is slow to lay out.
const ATTEMPTS_TOLD: usize = 400;
/// Shade of the least anomaly, so that it differs from white: nothing ran.
const LEAST_SHADE: f64 = 28.0;

/// Lays out the chosen job, else the first in trouble, else the first.
#[must_use]
pub fn lay_out(shown: &JobsShown<'_>, look: &Look) -> Scene {
    let mut scene = Scene {
        name: View::JobsDetail.name().to_owned(),
        names_below: true,
        title: String::from("One job: how its tasks went on each node over time"),
        how_to_read: String::from(
            "One square for each node that ran maps (M) or reduces (R) of the job; the larger, the greater its share \
             of all that the job read and wrote. Five stripes are fifths of its time on the job, first to last: stronger in colour where tasks took \
             longer than is usual in the job, blank where nothing ran. Borders as in the stream; below a square with room, its node. Large, strong and \
             first: data skew. Small and strong or bordered red: the node.",
        ),
        what_to_do: String::from("Choose a node to have its attempts in the table."),
        size: (look.width_css_px, 60.0),
        ..Scene::default()
    };
    let Some(index) = chosen(shown, look) else {
        scene.text((0.0, 30.0), "No job fits this choice.", Anchor::Start, Role::Faint);
        return scene;
    };
    let room = (look.width_css_px - 4.0, LINE_CSS_PX);
    let below = scene.paragraph((0.0, 10.0), room, &header(shown, index), Role::Ink);
    let top = TOP_CSS_PX + below - LINE_CSS_PX - 10.0;
    let mut y = top;
    for side in Side::BOTH {
        y = squares(&mut scene, shown, index, side, y, look);
    }
    if y == top {
        scene.text((0.0, y + 10.0), "No task of this job is known.", Anchor::Start, Role::Faint);
        y += 20.0;
    }
    scene.size.1 =
        legend(&mut scene, y + 8.0, &format!("stripes: fifths of its time; {}", times_in(shown.trace.zone())), look);
    (scene.table, scene.summed_up) = attempts(shown, index, look);
    // What an attempt complained of, and where.
    scene.log_columns = 3;
    scene
}

fn chosen(shown: &JobsShown<'_>, look: &Look) -> Option<usize> {
    if let Some(job) = look.selection.job {
        return shown.survey.index_of(job);
    }
    let jobs = shown.chosen(look);
    let troubled = |i: &&usize| shown.row(**i).is_some_and(|row| row.class() != Some(Class::None));
    let attempts = |i: &&usize| shown.survey.works(**i).iter().map(Work::attempts).sum::<u32>();
    // Of jobs alike the first, which `max_by_key` finds from behind.
    jobs.iter().find(troubled).or_else(|| jobs.iter().rev().max_by_key(attempts)).copied()
}

fn squares(scene: &mut Scene, shown: &JobsShown<'_>, index: usize, side: Side, top: f32, look: &Look) -> f32 {
    let works = by_bytes(shown.survey.works(index), side);
    let Some(job) = shown.survey.jobs().get(index).filter(|_| !works.is_empty()) else { return top };
    let tasks: Vec<&TaskAttempt> =
        shown.trace.tasks_of(job.id).iter().filter(|t| Side::of(t.task_type) == Some(side)).collect();
    let usual = Usual::of(&tasks, shown.reading);
    let mut by_node: BTreeMap<NodeId, Vec<&TaskAttempt>> = BTreeMap::new();
    for task in tasks {
        if let Some(node) = task.node {
            by_node.entry(node).or_default().push(task);
        }
    }
    // Of maps and reduces together: a square means as much in either row.
    let of_job = || shown.survey.works(index).iter().map(|w| w.bytes);
    let most = of_job().max().unwrap_or(0).max(1) as f32;
    let total = of_job().fold(0, u64::saturating_add).max(1) as f64;
    let letter = side.letter();
    scene.text((0.0, top + 8.0), letter, Anchor::Start, Role::Faint);
    let (mut x, mut y, mut row_height) = (LEFT_CSS_PX, top, 0.0_f32);
    for work in works.iter().take(SQUARES_SHOWN) {
        // Areas stand for shares, so sides for their roots.
        let length = tenth((SIDE_CSS_PX.0 * (work.bytes as f32 / most).sqrt()).max(SIDE_CSS_PX.1));
        if x + length > look.width_css_px && x > LEFT_CSS_PX {
            x = LEFT_CSS_PX;
            y += row_height + GAP_CSS_PX;
            row_height = 0.0;
        }
        let name = shown.trace.node_name(work.node);
        let is_named = label_width_css_px(name).min(label_width_css_px(NAME_LETTERS)) <= length;
        row_height = row_height.max(if is_named { length + FONT_CSS_PX } else { length });
        let own = by_node.get(&work.node).map_or(&[][..], Vec::as_slice);
        let stripes = stripes(own, &usual, until(shown.trace, job.end), shown.reading);
        square(scene, work, &stripes, (x, y), length);
        let marked = look.marked(name);
        if let Some(role) = marked {
            underline(scene, (x, y), (length, length), role);
        }
        if is_named {
            let below = (tenth(x + length / 2.0), tenth(y + length + 3.0 + FONT_CSS_PX / 2.0));
            scene.text(below, fitted(name, length), Anchor::Middle, marked.unwrap_or(Role::Faint));
        }
        let mut told = says(shown.trace, work);
        told.push(format!("{:.1} % of the job's I/O", 100.0 * work.bytes as f64 / total));
        scene.hits.push(Hit {
            at: (x, y),
            size: (length, length),
            says: told,
            node: Some(name.to_owned()),
            picks: Some(Box::new(Selection { job: Some(job.id), ..Selection::default() })),
        });
        x += length + GAP_CSS_PX;
    }
    let below = y + row_height + GAP_CSS_PX * 2.0;
    let Some(more) = works.len().checked_sub(SQUARES_SHOWN).filter(|more| *more > 0) else { return below };
    let words = format!("{} with less I/O not drawn", counted(more as u64, "more node"));
    scene.text((LEFT_CSS_PX, below + 4.0), words, Anchor::Start, Role::Faint);
    below + LINE_CSS_PX
}

fn square(scene: &mut Scene, work: &Work, stripes: &[Option<f64>; STRIPES], at: (f32, f32), side: f32) {
    let width = side / STRIPES as f32;
    for (i, stripe) in stripes.iter().enumerate() {
        let role = match stripe {
            None => Role::Surface,
            Some(x) => Role::Shade((LEAST_SHADE + (255.0 - LEAST_SHADE) * x).round() as u8),
        };
        let from = (tenth(at.0 + width * i as f32), at.1);
        scene.push(Mark::Rect { at: from, size: (tenth(width), side), role });
    }
    scene.push(Mark::Frame { at, size: (side, side), width_css_px: 1.0, role: Role::Faint });
    border(scene, work, at, (side, side), 0);
}

/// What is usual for the tasks of one side.
struct Usual {
    mean_ms: f64,
    sd_ms: f64,
    /// Standard deviations that are darkest.
    darkest: f64,
}

impl Usual {
    fn of(tasks: &[&TaskAttempt], reading: Reading) -> Self {
        let ms: Vec<f64> = tasks.iter().filter_map(|t| millis_of(t, None)).map(|ms| ms as f64).collect();
        let (mean_ms, sd_ms) = usual(&ms).unwrap_or_default();
        // Of few tasks none can lie farther from their mean (X13).
        let darkest =
            if reading == Reading::Literal { DARKEST } else { DARKEST.min((ms.len().saturating_sub(1) as f64).sqrt()) };
        Self { mean_ms, sd_ms, darkest }
    }

    /// 0 to 1.
    fn anomaly(&self, ms: u64, reading: Reading) -> f64 {
        if self.sd_ms <= 0.0 {
            return 0.0;
        }
        let z = (ms as f64 - self.mean_ms) / self.sd_ms;
        let z = if reading == Reading::Literal { z.abs() } else { z.max(0.0) };
        (z / self.darkest).min(1.0)
    }
}

/// The five stripes of a node: `None` where nothing ran.
fn stripes(
    tasks: &[&TaskAttempt],
    usual: &Usual,
    end: Option<crate::base::Timestamp>,
    reading: Reading,
) -> [Option<f64>; STRIPES] {
    let spans: Vec<(i64, i64, f64)> = tasks
        .iter()
        .filter_map(|t| {
            let ms = millis_of(t, end)?;
            let start = t.start?.millis();
            Some((start, start.saturating_add(i64::try_from(ms).ok()?), usual.anomaly(ms, reading)))
        })
        .collect();
    let from = spans.iter().map(|(from, ..)| *from).min().unwrap_or(0);
    let to = spans.iter().map(|(_, to, _)| *to).max().unwrap_or(0).max(from + 1);
    let bound = |i: usize| from as f64 + (to - from) as f64 * i as f64 / STRIPES as f64;
    std::array::from_fn(|i| {
        let within = |(a, b, _): &&(i64, i64, f64)| (*a as f64) < bound(i + 1) && (*b as f64) > bound(i);
        let (sum, n) = spans.iter().filter(within).fold((0.0, 0), |(sum, n), (.., x)| (sum + x, n + 1));
        (n > 0).then(|| sum / f64::from(n))
    })
}

/// The attempts of the chosen node; of all nodes, those that failed, were killed or took
/// longest first. And whether there are more than are told.
fn attempts(shown: &JobsShown<'_>, index: usize, look: &Look) -> (Table, bool) {
    let headers = ["attempt", "node", "outcome", "start", "time (s)", "I/O (bytes)", "error", "file", "line"];
    let Some(job) = shown.survey.jobs().get(index) else { return Default::default() };
    let name = |t: &TaskAttempt| t.node.map_or("", |n| shown.trace.node_name(n));
    let mut tasks: Vec<&TaskAttempt> = shown.trace.tasks_of(job.id).iter().collect();
    if look.selection.node.is_some() {
        tasks.retain(|t| look.selection.has_node(name(t)));
    }
    let rank = |t: &TaskAttempt| match t.outcome {
        Some(Outcome::Failed) => 0,
        Some(Outcome::Killed) => 1,
        None => 2,
        Some(Outcome::Success) => 3,
    };
    let end = until(shown.trace, job.end);
    let ms = |t: &TaskAttempt| millis_of(t, end);
    tasks.arrange_by(|t| (rank(t), std::cmp::Reverse(ms(t)), t.id));
    let row = |t: &&TaskAttempt| {
        vec![
            t.id.to_string(),
            name(t).to_owned(),
            t.outcome.map_or("running", |o| o.name()).to_owned(),
            t.start.map_or_else(String::new, |at| date_and_clock(at.millis(), shown.trace.zone())),
            ms(t).map_or_else(String::new, |ms| format!("{:.1}", ms as f64 / 1000.0)),
            bytes_of(t).to_string(),
            t.error.as_deref().unwrap_or_default().to_owned(),
            shown.trace.path(t.place.file).to_owned(),
            t.place.line.to_string(),
        ]
    };
    let rows = tasks.iter().take(ATTEMPTS_TOLD).map(row).collect();
    (Table { headers: headers.map(str::to_owned).to_vec(), rows }, tasks.len() > ATTEMPTS_TOLD)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{AttemptId, FileId, JobId, Place, TaskLetter, Timestamp};
    use crate::model::TaskType;

    fn task(start_s: i64, end_s: i64) -> TaskAttempt {
        TaskAttempt {
            start: Some(Timestamp::from_millis(start_s * 1000)),
            finish: Some(Timestamp::from_millis(end_s * 1000)),
            outcome: Some(Outcome::Success),
            ..TaskAttempt::of(
                AttemptId { job: JobId { cluster: 1, number: 1 }, letter: TaskLetter::Map, task: 0, attempt: 0 },
                TaskType::Map,
                Place { file: FileId(0), line: 1 },
            )
        }
    }

    #[test]
    fn stripes_are_fifths_of_the_nodes_own_time() {
        // 10 to 20 s, nothing until 40 s, then 40 to 60 s: fifths of 10 s from 10 s on.
        let (a, b) = (task(10, 20), task(40, 60));
        // Mean 10 s, sd 5 s: the first at the mean, the second two sd above it.
        let usual = Usual { mean_ms: 10_000.0, sd_ms: 5_000.0, darkest: DARKEST };
        let found = stripes(&[&a, &b], &usual, None, Reading::Usual);
        assert_eq!(found, [Some(0.0), None, None, Some(2.0 / 3.0), Some(2.0 / 3.0)]);
    }

    #[test]
    fn to_the_letter_short_tasks_are_anomalous_too() {
        let usual = Usual { mean_ms: 10_000.0, sd_ms: 2_000.0, darkest: DARKEST };
        assert_eq!(usual.anomaly(4_000, Reading::Usual), 0.0);
        assert_eq!(usual.anomaly(4_000, Reading::Literal), 1.0);
        assert_eq!(
            Usual { mean_ms: 10.0, sd_ms: 0.0, darkest: DARKEST }.anomaly(9_999, Reading::Usual),
            0.0,
            "all alike"
        );
    }

    #[test]
    fn longest_of_few_tasks_can_be_darkest() {
        let of = |reading| {
            let tasks = [task(0, 10), task(0, 10), task(0, 10), task(0, 10), task(0, 28)];
            let usual = Usual::of(&tasks.iter().collect::<Vec<_>>(), reading);
            (usual.anomaly(28_000, reading), usual.anomaly(10_000, reading))
        };
        // Of five the farthest lies two standard deviations from the mean, whatever it took (X13).
        assert_eq!(of(Reading::Usual), (1.0, 0.0));
        assert!((of(Reading::Literal).0 - 2.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn node_without_tasks_is_white() {
        let usual = Usual { mean_ms: 1.0, sd_ms: 1.0, darkest: DARKEST };
        assert_eq!(stripes(&[], &usual, None, Reading::Usual), [None; 5]);
    }
}
