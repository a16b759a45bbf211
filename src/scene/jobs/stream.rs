//! The job execution stream (T10–T16): jobs in order of start, a row of maps and a row of
//! reduces each, one square a node, the node that moved the most bytes first.
//!
//! ```text
//! job_…_0007 / kmeans -- SUCCESS 21:54:47 / 0h 5m 44s / Oct-10          infrastructure
//! M ▇▇▅▅▅▅▅▅▅▅▅▅   darker: its tasks took longer than its peers'
//! R ▅▅☒▅▧▅         crossed, red border: some failed; one stroke, yellow border: some killed
//! ```
//! The border is as wide as the ratio of failed (or killed) to successful is high, so that
//! neither needs a colour to be told. Only a few jobs are laid out at a time.
//! Cost: O(nodes log nodes) a job shown.

use super::{JobsShown, header, header_parts, says};
use crate::base::quantity::grouped;
use crate::base::{Arrange, NodeId};
use crate::diagnosis::theia::{Side, Work};
use crate::scene::axis::{FONT_CSS_PX, LINE_CSS_PX, ended, label_width_css_px};
use crate::scene::legend::Legend;
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table, View};

/// Jobs laid out at once: a screen and a half.
const JOBS_SHOWN: usize = 12;
/// Side of a square, at most and at least.
const SQUARE_MAX_CSS_PX: f32 = 14.0;
const SQUARE_MIN_CSS_PX: f32 = 3.0;
/// Between squares.
const GAP_CSS_PX: f32 = 2.0;
/// Room for `M` and `R`.
pub(super) const LEFT_CSS_PX: f32 = 18.0;
/// Height of a header, of a row, and between jobs.
const HEADER_CSS_PX: f32 = 20.0;
const ROW_CSS_PX: f32 = SQUARE_MAX_CSS_PX + 4.0;
const JOB_GAP_CSS_PX: f32 = 10.0;
/// A header has room for its text.
const _: () = assert!(HEADER_CSS_PX > FONT_CSS_PX);
/// Figures from this width on have a header in one line.
const ONE_LINE_CSS_PX: f32 = 600.0;
/// Room for the line above all.
const TOP_CSS_PX: f32 = 22.0;
/// Squares from this side on carry strokes.
const STROKED_CSS_PX: f32 = 7.0;
/// Border of the least ratio, and of a ratio of 1 or more.
const BORDER_CSS_PX: (f32, f32) = (1.0, 3.5);

/// Lays out the stream from `look.jobs.from` on.
#[must_use]
pub fn lay_out(shown: &JobsShown<'_>, look: &Look) -> Scene {
    let chosen = shown.chosen(look);
    let from = (look.jobs.from as usize).min(chosen.len().saturating_sub(1));
    let page: Vec<usize> = chosen.iter().skip(from).take(JOBS_SHOWN).copied().collect();
    let mut scene = Scene {
        name: View::JobsStream.name().to_owned(),
        title: String::from("Jobs as they ran: maps and reduces of each node"),
        how_to_read: String::from(
            "Jobs in order of start, times in UTC. M: one square for each node that ran maps of the job, R: reduces; \
             the node that read and wrote most comes first. The stronger its colour, the longer its tasks \
             took beside its peers'. A red border and a cross: tasks failed there; a yellow border and one stroke: tasks were killed, as the slower \
             of two attempts is; the wider the border, the more for each success. All squares bordered red: the job's \
             own code fails. The first square strong: much data, data skew. One strong or red square at the end: the node.",
        ),
        size: (look.width_css_px, TOP_CSS_PX + job_css_px(look) * page.len().max(1) as f32),
        table: table(shown, &page),
        ..Scene::default()
    };
    if page.is_empty() {
        scene.text((0.0, TOP_CSS_PX + 12.0), "No job fits this choice.", Anchor::Start, Role::Faint);
        return scene;
    }
    let count = format!(
        "jobs {} to {} of {}, times in {}",
        grouped(from as u64 + 1),
        grouped((from + page.len()) as u64),
        grouped(chosen.len() as u64),
        shown.trace.zone().name()
    );
    scene.text((0.0, 8.0), count, Anchor::Start, Role::Faint);
    for (place, index) in page.iter().enumerate() {
        job(&mut scene, shown, *index, TOP_CSS_PX + job_css_px(look) * place as f32, look);
    }
    let y = scene.size.1 + 8.0;
    scene.size.1 = legend(&mut scene, y, "a square a node");
    scene
}

/// Height of a header: in narrow figures, how the job went has a line of its own.
fn header_css_px(look: &Look) -> f32 {
    if look.width_css_px < ONE_LINE_CSS_PX { HEADER_CSS_PX + LINE_CSS_PX } else { HEADER_CSS_PX }
}

fn job_css_px(look: &Look) -> f32 {
    header_css_px(look) + 2.0 * ROW_CSS_PX + JOB_GAP_CSS_PX
}

/// What shade and border say, and `more`; returns where the scene ends.
pub(super) fn legend(scene: &mut Scene, y: f32, more: &str) -> f32 {
    let mut legend = Legend::at(LEFT_CSS_PX, y);
    for (shade, text) in [(0, "tasks as long as usual"), (u8::MAX, "much longer")] {
        legend.swatch(scene, Role::Shade(shade), text);
    }
    for (role, text) in [(Role::Failed, "some failed"), (Role::Killed, "some killed")] {
        let (at, size) = legend.swatch(scene, Role::Shade(0), text);
        framed(scene, role, at, size, 2.0, 0);
    }
    legend.words(scene, more);
    legend.bottom() + 6.0
}

fn job(scene: &mut Scene, shown: &JobsShown<'_>, index: usize, top: f32, look: &Look) {
    let Some(job) = shown.survey.jobs().get(index) else { return };
    let is_chosen = look.selection.job == Some(job.id);
    let row = shown.row(index);
    let class = row.map(|r| r.class.as_str()).filter(|class| *class != "none").unwrap_or_default();
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
    told.extend(row.map(|r| format!("{}: {}", r.class, r.rule)));
    scene.hits.push(Hit {
        at: (0.0, top),
        size: (width, header_css_px(look) - 2.0),
        says: told,
        node: None,
        picks: Some(Box::new(Selection { job: Some(job.id), ..Selection::default() })),
    });
    for (line, side) in Side::BOTH.into_iter().enumerate() {
        let y = top + header_css_px(look) + ROW_CSS_PX * line as f32;
        squares(scene, shown, index, side, y, look);
    }
}

/// The nodes of a side, the most bytes first.
pub(super) fn by_bytes(works: &[Work], side: Side) -> Vec<&Work> {
    let mut works: Vec<&Work> = works.iter().filter(|w| w.side == side).collect();
    works.arrange_by(|w| (std::cmp::Reverse(w.bytes), w.node));
    works
}

fn squares(scene: &mut Scene, shown: &JobsShown<'_>, index: usize, side: Side, y: f32, look: &Look) {
    let Some(job) = shown.survey.jobs().get(index) else { return };
    let works = by_bytes(shown.survey.works(index), side);
    let letter = if side == Side::Map { "M" } else { "R" };
    scene.text((0.0, y + SQUARE_MAX_CSS_PX / 2.0), letter, Anchor::Start, Role::Faint);
    let room = look.width_css_px - LEFT_CSS_PX - 8.0;
    let each = (room / works.len().max(1) as f32).min(SQUARE_MAX_CSS_PX + GAP_CSS_PX);
    let each = each.max(SQUARE_MIN_CSS_PX + 1.0);
    let gap = if each > 8.0 { GAP_CSS_PX } else { 1.0 };
    if works.is_empty() {
        scene.text((LEFT_CSS_PX, y + SQUARE_MAX_CSS_PX / 2.0), "none in these logs", Anchor::Start, Role::Faint);
    }
    // What is but a rounding too wide fits.
    let fit = (room / each + 0.01) as usize;
    let marked = |work: &Work| look.marked(shown.trace.node_name(work.node));
    // A node at fault often moves the fewest bytes: it is not among those that are left out.
    let (front, rest) = works.split_at(fit.min(works.len()));
    let kept: Vec<&Work> = rest.iter().copied().filter(|work| marked(work).is_some()).collect();
    let front = front.iter().copied().take(fit.saturating_sub(kept.len()));
    for (place, work) in front.chain(kept.iter().copied()).take(fit).enumerate() {
        let at = (LEFT_CSS_PX + each * place as f32, y);
        let marked = marked(work);
        square(scene, work, shown.duration_shade(work, works.len()), at, each - gap, marked);
        scene.hits.push(Hit {
            at,
            size: (each, SQUARE_MAX_CSS_PX),
            says: says(shown.trace, work),
            node: Some(shown.trace.node_name(work.node).to_owned()),
            picks: Some(Box::new(Selection { job: Some(job.id), ..Selection::default() })),
        });
    }
    if works.len() > fit {
        let text = format!("+{}", works.len() - fit);
        scene.text((look.width_css_px, y + SQUARE_MAX_CSS_PX / 2.0), text, Anchor::End, Role::Faint);
    }
}

fn square(scene: &mut Scene, work: &Work, shade: u8, at: (f32, f32), side: f32, marked: Option<Role>) {
    scene.push(Mark::Rect { at, size: (side, side), role: Role::Shade(shade) });
    border(scene, work, at, (side, side), shade);
    if let Some(role) = marked {
        let below = at.1 + side + 2.0;
        scene.line((at.0, below), (at.0 + side, below), role);
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
    let width = (BORDER_CSS_PX.0 + (BORDER_CSS_PX.1 - BORDER_CSS_PX.0) * ratio.min(1.0) as f32).min(least / 2.0);
    framed(scene, role, at, size, width, shade);
}

fn framed(scene: &mut Scene, role: Role, at: (f32, f32), size: (f32, f32), width_css_px: f32, shade: u8) {
    scene.push(Mark::Frame { at, size, width_css_px, role });
    if size.0.min(size.1) < STROKED_CSS_PX {
        return;
    }
    // Strokes have to be seen on any shade.
    let ink = Role::On(shade);
    let (left, top, right, bottom) = (at.0 + 2.0, at.1 + 2.0, at.0 + size.0 - 2.0, at.1 + size.1 - 2.0);
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
                format!("{:.1}", work.time_ms as f64 / 1000.0),
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
