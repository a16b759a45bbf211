//! The job execution stream (T10–T16): jobs in order of start, a row of maps and a row of
//! reduces each, one square a node, the node that moved the most bytes first.
//!
//! ```text
//! job_…_0007 / kmeans -- SUCCESS 21:54:47 / 0h 5m 44s / Oct-10          infrastructure
//! M ▇▇▅▅▅▅▅▅▅▅▅▅   darker: its tasks took longer than its peers'
//! R ▅▅☒▅▧▅         crossed, red border: some failed; one stroke, yellow border: some killed
//! ```
//! The border is as wide as the ratio of failed (or killed) to successful is high, so that
//! neither needs a colour to be told. Squares that do not fit a line go on in the next; no node
//! is left out. Only a few jobs are laid out at a time, fewer of many nodes.
//! Cost: O(nodes log nodes) a job shown.

use super::{JobsShown, header, header_parts, says, times_in};
use crate::base::quantity::grouped;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::job_class::Class;
use crate::diagnosis::theia::{Side, Work};
use crate::scene::axis::{FONT_CSS_PX, LINE_CSS_PX, ended, label_width_css_px};
use crate::scene::legend::Legend;
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table, View};

/// Jobs laid out at once: a screen and a half.
const JOBS_SHOWN: usize = 12;
/// Squares laid out at once, more or less: of those with a border each is four marks.
const SQUARES_SHOWN: usize = 4_500;
/// Side of a square, at most and at least: smaller ones have no room for strokes.
const SQUARE_MAX_CSS_PX: f32 = 14.0;
const SQUARE_MIN_CSS_PX: f32 = 7.0;
/// Between squares.
const GAP_CSS_PX: f32 = 2.0;
/// Room for `M` and `R`.
pub(super) const LEFT_CSS_PX: f32 = 18.0;
/// Height of a header, below a row, and between jobs.
const HEADER_CSS_PX: f32 = 20.0;
const BELOW_ROW_CSS_PX: f32 = 4.0;
const JOB_GAP_CSS_PX: f32 = 10.0;
/// A header has room for its text.
const _: () = assert!(HEADER_CSS_PX > FONT_CSS_PX);
/// Figures from this width on have a header in one line.
const ONE_LINE_CSS_PX: f32 = 600.0;
/// Room for the line above all.
const TOP_CSS_PX: f32 = 22.0;
/// Border of the least ratio, and of a ratio of 1 or more.
const BORDER_CSS_PX: (f32, f32) = (1.0, 3.5);

/// Shades below this are less than 3 to 1 from the ground, as edges have to be (WCAG 2.2, 1.4.11).
const PALE: u8 = 128;

/// Jobs laid out at once, on so many nodes.
const fn jobs_shown(nodes: usize) -> usize {
    let fit = SQUARES_SHOWN / (2 * nodes + 1);
    if fit > JOBS_SHOWN {
        JOBS_SHOWN
    } else if fit > 1 {
        fit
    } else {
        1
    }
}

/// Jobs that a step goes on by, on so many nodes: a little of what was seen stays in sight.
#[must_use]
pub const fn step(nodes: usize) -> usize {
    let shown = jobs_shown(nodes);
    shown - shown / 6
}

/// Where the part of the stream begins that is looked at: at `look.jobs.from`, unless the chosen job is elsewhere and the
/// reader did not turn away from it.
fn begins(shown: &JobsShown<'_>, look: &Look, chosen: &[usize], nodes: usize) -> usize {
    let from = (look.jobs.from as usize).min(chosen.len().saturating_sub(1));
    let index = look.selection.job.filter(|_| !look.jobs.turned).and_then(|job| shown.survey.index_of(job));
    match index.and_then(|index| chosen.iter().position(|i| *i == index)) {
        Some(place) if !(from..from + jobs_shown(nodes)).contains(&place) => place - place % step(nodes),
        _ => from,
    }
}

/// Lays out the part of the stream that is looked at.
#[must_use]
pub fn lay_out(shown: &JobsShown<'_>, look: &Look) -> Scene {
    let chosen = shown.chosen(look);
    let nodes = shown.trace.peer_nodes().count();
    let from = begins(shown, look, &chosen, nodes);
    let count = |jobs: usize| u32::try_from(jobs).unwrap_or(u32::MAX);
    let page: Vec<usize> = chosen.iter().skip(from).take(jobs_shown(nodes)).copied().collect();
    let mut scene = Scene {
        name: View::JobsStream.name().to_owned(),
        names_below: true,
        title: String::from("Jobs as they ran: maps and reduces of each node"),
        how_to_read: String::from(
            "Jobs in order of start. M: one square for each node that ran maps of the job, R: reduces; \
             the node that read and wrote most comes first. The stronger its colour, the longer its tasks \
             took beside its peers'. A red border and a cross: tasks failed there; a yellow border and one stroke: tasks were killed, as the slower \
             of two attempts is; the wider the border, the more for each success. All squares bordered red: the job's \
             own code fails. The first square strong: much data, data skew. One strong or red square at the end: the node.",
        ),
        size: (look.width_css_px, TOP_CSS_PX),
        table: table(shown, &page),
        from: count(from),
        after: count(chosen.len() - from - page.len()),
        ..Scene::default()
    };
    if page.is_empty() {
        scene.size.1 += 24.0;
        scene.text((0.0, TOP_CSS_PX + 12.0), "No job fits this choice.", Anchor::Start, Role::Faint);
        return scene;
    }
    let says = format!(
        "jobs {} to {} of {}, {}",
        grouped(from as u64 + 1),
        grouped((from + page.len()) as u64),
        grouped(chosen.len() as u64),
        times_in(shown.trace.zone()),
    );
    scene.text((0.0, 8.0), says, Anchor::Start, Role::Faint);
    let mut y = TOP_CSS_PX;
    for index in page {
        y = job(&mut scene, shown, index, y, look) + JOB_GAP_CSS_PX;
    }
    scene.size.1 = legend(&mut scene, y + 8.0, "one square for each node", look);
    scene
}

/// Height of a header: in narrow figures, how the job went has a line of its own.
fn header_css_px(look: &Look) -> f32 {
    if look.width_css_px < ONE_LINE_CSS_PX { HEADER_CSS_PX + LINE_CSS_PX } else { HEADER_CSS_PX }
}

/// What shade and border say, and `more`; returns where the scene ends.
pub(super) fn legend(scene: &mut Scene, y: f32, more: &str, look: &Look) -> f32 {
    let mut legend = Legend::at(LEFT_CSS_PX, y);
    for (shade, text) in [(0, "tasks as long as usual"), (u8::MAX, "much longer")] {
        let (at, size) = legend.swatch(scene, Role::Shade(shade), text);
        outline(scene, at, size, shade);
    }
    for (role, text) in [(Role::Failed, "some failed"), (Role::Killed, "some killed")] {
        let (at, size) = legend.swatch(scene, Role::Shade(0), text);
        framed(scene, role, at, size, 2.0, 0);
    }
    if !look.nodes.is_empty() {
        let (at, size) = legend.swatch(scene, Role::Shade(0), "named by the verdict");
        outline(scene, at, size, 0);
        underline(scene, at, size, Role::Culprit);
    }
    legend.words(scene, more);
    legend.bottom() + 6.0
}

/// A job, and where it ends.
fn job(scene: &mut Scene, shown: &JobsShown<'_>, index: usize, top: f32, look: &Look) -> f32 {
    let Some(job) = shown.survey.jobs().get(index) else { return top };
    let is_chosen = look.selection.job == Some(job.id);
    let row = shown.row(index);
    let class = row.filter(|r| r.class() != Some(Class::None)).map(|r| r.class.as_str()).unwrap_or_default();
    let width = look.width_css_px - 8.0;
    let class_width = label_width_css_px(class);
    let room = width - class_width - 12.0;
    let [title, went] = header_parts(shown, index);
    let text = if header_css_px(look) > HEADER_CSS_PX {
        scene.text((0.0, top + 10.0 + LINE_CSS_PX), ended(&went, width), Anchor::Start, Role::Ink);
        ended(&title, room)
    } else {
        let went = format!(" -- {went}");
        ended(&title, room - label_width_css_px(&went)) + &went
    };
    if is_chosen {
        scene.line((0.0, top + 18.0), (label_width_css_px(&text).min(room), top + 18.0), Role::Ink);
    }
    scene.text((0.0, top + 10.0), text, Anchor::Start, Role::Ink);
    if !class.is_empty() {
        scene.text((width, top + 10.0), class, Anchor::End, Role::Culprit);
    }
    let mut told = vec![header(shown, index)];
    told.extend(row.and_then(|r| Some(format!("{}: {}", r.class, r.why()?))));
    scene.hits.push(Hit {
        at: (0.0, top),
        size: (width, header_css_px(look) - 2.0),
        says: told,
        node: None,
        picks: Some(Box::new(Selection { job: Some(job.id), ..Selection::default() })),
    });
    Side::BOTH.into_iter().fold(top + header_css_px(look), |y, side| squares(scene, shown, index, side, y, look))
}

/// The nodes of a side, the most bytes first.
pub(super) fn by_bytes(works: &[Work], side: Side) -> Vec<&Work> {
    let mut works: Vec<&Work> = works.iter().filter(|w| w.side == side).collect();
    works.arrange_by(|w| (std::cmp::Reverse(w.bytes), w.node));
    works
}

/// The squares of a side in as many lines as they need, and where these end.
fn squares(scene: &mut Scene, shown: &JobsShown<'_>, index: usize, side: Side, y: f32, look: &Look) -> f32 {
    let Some(job) = shown.survey.jobs().get(index) else { return y };
    let works = by_bytes(shown.survey.works(index), side);
    let letter = side.letter();
    scene.text((0.0, y + SQUARE_MAX_CSS_PX / 2.0), letter, Anchor::Start, Role::Faint);
    if works.is_empty() {
        scene.text((LEFT_CSS_PX, y + SQUARE_MAX_CSS_PX / 2.0), "none known", Anchor::Start, Role::Faint);
    }
    let room = look.width_css_px - LEFT_CSS_PX - 8.0;
    let each = (room / works.len().max(1) as f32).clamp(SQUARE_MIN_CSS_PX + 1.0, SQUARE_MAX_CSS_PX + GAP_CSS_PX);
    let gap = if each > 8.0 { GAP_CSS_PX } else { 1.0 };
    let side_css_px = (each - gap).max(SQUARE_MIN_CSS_PX);
    // What is but a rounding too wide fits.
    let fit = ((room / each + 0.01) as usize).max(1);
    // A mark below a square has room of its own.
    let line_css_px = if works.len() > fit { side_css_px + BELOW_ROW_CSS_PX } else { SQUARE_MAX_CSS_PX };
    for ((place, work), shade) in works.iter().enumerate().zip(shown.duration_shades(&works)) {
        let at = (LEFT_CSS_PX + each * (place % fit) as f32, y + line_css_px * (place / fit) as f32);
        square(scene, work, shade, at, side_css_px, look.marked(shown.trace.node_name(work.node)));
        scene.hits.push(Hit {
            at,
            size: (each, line_css_px),
            says: says(shown.trace, work),
            node: Some(shown.trace.node_name(work.node).to_owned()),
            picks: Some(Box::new(Selection { job: Some(job.id), ..Selection::default() })),
        });
    }
    let lines = works.len().div_ceil(fit).max(1);
    y + (line_css_px * lines as f32).max(SQUARE_MAX_CSS_PX) + BELOW_ROW_CSS_PX
}

fn square(scene: &mut Scene, work: &Work, shade: u8, at: (f32, f32), side: f32, marked: Option<Role>) {
    scene.push(Mark::Rect { at, size: (side, side), role: Role::Shade(shade) });
    if work.failed + work.killed == 0 {
        outline(scene, at, (side, side), shade);
    }
    border(scene, work, at, (side, side), shade);
    if let Some(role) = marked {
        underline(scene, at, (side, side), role);
    }
}

/// The mark below the square of a node that stands out.
pub(super) fn underline(scene: &mut Scene, at: (f32, f32), size: (f32, f32), role: Role) {
    let below = at.1 + size.1 + 2.0;
    scene.line((at.0, below), (at.0 + size.0, below), role);
}

/// The edge of a square that is hardly told from the ground.
fn outline(scene: &mut Scene, at: (f32, f32), size: (f32, f32), shade: u8) {
    if shade < PALE {
        scene.push(Mark::Frame { at, size, width_css_px: 1.0, role: Role::Faint });
    }
}

/// Border and strokes of failed and killed attempts (T14).
pub(super) fn border(scene: &mut Scene, work: &Work, at: (f32, f32), size: (f32, f32), shade: u8) {
    let (role, ratio) = match (work.failed, work.killed) {
        (0, 0) => return,
        (0, _) => (Role::Killed, work.killed_ratio()),
        _ => (Role::Failed, work.failure_ratio()),
    };
    let least = size.0.min(size.1);
    let width = (BORDER_CSS_PX.0 + (BORDER_CSS_PX.1 - BORDER_CSS_PX.0) * ratio.min(1.0) as f32).min(least / 4.0);
    framed(scene, role, at, size, width, shade);
}

fn framed(scene: &mut Scene, role: Role, at: (f32, f32), size: (f32, f32), width_css_px: f32, shade: u8) {
    scene.push(Mark::Frame { at, size, width_css_px, role });
    // Strokes have to be seen on any shade, and to be told apart in small squares.
    let (ink, inset) = (Role::On(shade), if size.0.min(size.1) < 10.0 { 1.0 } else { 2.0 });
    let (left, top, right, bottom) = (at.0 + inset, at.1 + inset, at.0 + size.0 - inset, at.1 + size.1 - inset);
    scene.line((left, bottom), (right, top), ink);
    if role == Role::Failed {
        scene.line((left, top), (right, bottom), ink);
    }
}

fn table(shown: &JobsShown<'_>, page: &[usize]) -> Table {
    let headers = [
        "job",
        "side",
        "node",
        "successful",
        "failed",
        "killed",
        "failure ratio",
        "I/O (bytes)",
        "time (s)",
        "z duration",
        "z volume",
        "z failures",
        "score",
    ];
    let number = |x: Option<f32>| x.map_or_else(String::new, |x| format!("{x:.3}"));
    let mut rows = Vec::new();
    for index in page {
        let Some(job) = shown.survey.jobs().get(*index) else { continue };
        for work in Side::BOTH.into_iter().flat_map(|side| by_bytes(shown.survey.works(*index), side)) {
            let [duration, volume, failures] = work.scored.z;
            rows.push(vec![
                job.id.to_string(),
                work.side.name().to_owned(),
                name(shown, work.node),
                work.success.to_string(),
                work.failed.to_string(),
                work.killed.to_string(),
                format!("{:.3}", work.failure_ratio()),
                work.bytes.to_string(),
                if work.timed > 0 { format!("{:.1}", work.time_ms as f64 / 1000.0) } else { String::new() },
                number(duration),
                number(volume),
                number(failures),
                number(work.scored.score),
            ]);
        }
    }
    Table { headers: headers.map(str::to_owned).to_vec(), rows }
}

fn name(shown: &JobsShown<'_>, node: NodeId) -> String {
    shown.trace.node_name(node).to_owned()
}
