//! REP (M12, Fig. 4 of Mochi): the groups of a job's paths, for each the volumes above and the
//! durations below, stage by stage; then the longest paths of the chosen group, down to one.
//!
//! ```text
//! group 1, 160 paths,  ▇▇▇▇▇▇▅▅▅▅▅▃▃▃▂▂▂▂    read 4.2 MB, map 4.4 MB, shuffle 0.5 MB …
//! critical             ▂▇▇▇▇▅▅▅▅▅▅▅▅▅▅▂▇▇    read 0.4 s, map 9 s, shuffle 30 s …
//! ```
//! Bars of one kind have one scale, so that groups can be compared by eye.

use super::{JobShown, hue, job_name, paragraphs};
use crate::base::quantity::grouped;
use crate::base::quantity::{bytes, of_millis};
use crate::diagnosis::mochi::critical::Leg;
use crate::diagnosis::mochi::paths::{Path, STAGES};
use crate::model::Trace;
use crate::scene::axis::{ended, label_width_css_px, tenth};
use crate::scene::legend::Legend;
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table};

const BAR_CSS_PX: f32 = 13.0;
const ROW_CSS_PX: f32 = 38.0;
/// Paths of the chosen group that are drawn; the rest is in the table.
const PATHS_SHOWN: usize = 12;
/// Paths in the table.
const PATHS_TOLD: usize = 200;
const LABEL_CSS_PX: f32 = 260.0;
/// Digits and capitals, of which these labels are made, are wider than the average character.
const LABEL_SPARE: f32 = 1.2;
const TOP: f32 = 4.0;

/// Behind the name of what the job's end waited for: what is cut is not the name.
const CRITICAL: &str = ", critical";

/// Two bars with what they are called.
struct Bars<'a> {
    label: String,
    millis: &'a [f64; STAGES],
    bytes: &'a [f64; STAGES],
    picks: Option<Selection>,
    bold: bool,
}

pub(super) fn lay_out(trace: &Trace, shown: &JobShown, look: &Look) -> Scene {
    let paths = &shown.paths;
    let critical = shown.critical.as_ref();
    let critical_group = critical.and_then(|c| paths.group_of(c.map, c.reduce));
    let chosen = look.group.filter(|g| *g < paths.groups.len()).or(critical_group).unwrap_or(0);
    let mut scene = Scene {
        title: format!(
            "Paths of {}: {} in {} groups",
            job_name(trace, shown.flow.job),
            grouped(paths.count.round() as u64),
            paths.groups.len()
        ),
        how_to_read: how_to_read(shown),
        size: (look.width_css_px, 40.0),
        ..Scene::default()
    };
    if paths.groups.is_empty() {
        scene.text((0.0, 16.0), "No Map of this job is known to have ended well.", Anchor::Start, Role::Faint);
        return scene;
    }
    let members = paths.groups.get(chosen).map_or(&[][..], |g| g.members.as_slice());
    let mut y = paragraphs(&mut scene, TOP, look.width_css_px, &shown.words(trace), Role::Ink) + 6.0;
    y = legend(&mut scene, y);
    let of_groups = (0..).zip(&paths.groups).map(|(i, g): (usize, _)| Bars {
        label: format!(
            "group {}, {} paths{}",
            i + 1,
            grouped(g.weight.round() as u64),
            if critical_group == Some(i) { CRITICAL } else { "" },
        ),
        millis: &g.millis,
        bytes: &g.bytes,
        picks: None,
        bold: i == chosen,
    });
    let of_paths = members.iter().take(PATHS_SHOWN).filter_map(|i| paths.paths.get(*i)).map(|p| {
        let is_critical = critical.is_some_and(|c| (c.map, c.reduce) == (p.map, p.reduce));
        Bars {
            label: format!("{}{}", path_name(trace, p), if is_critical { CRITICAL } else { "" }),
            millis: &p.millis,
            bytes: &p.bytes,
            picks: trace.tasks.get(p.reduce.unwrap_or(p.map)).map(|t| Selection {
                job: Some(t.id.job),
                attempt: Some(trace.tasks.get(p.map).map_or(t.id, |m| m.id)),
                ..Selection::default()
            }),
            bold: is_critical,
        }
    });
    y = bars(&mut scene, y, look, of_groups.collect());
    scene.text((0.0, y + 8.0), format!("The longest paths of group {}", chosen + 1), Anchor::Start, Role::Faint);
    y = bars(&mut scene, y + 20.0, look, of_paths.collect());
    scene.size.1 = y + 4.0;
    scene.table = table(trace, shown, chosen);
    scene
}

fn path_name(trace: &Trace, path: &Path) -> String {
    let name = |i: usize, letter: char| {
        trace.tasks.get(i).map_or(String::new(), |t| {
            let node = t.node.map_or(String::new(), |n| format!("@{}", trace.node_name(n)));
            format!("{letter}{}{node}", t.id.task)
        })
    };
    let reduce = path.reduce.map_or(String::new(), |r| format!(" → {}", name(r, 'r')));
    let many = if path.weight > 1.5 { format!(" × {}", grouped(path.weight.round() as u64)) } else { String::new() };
    format!("{}{reduce}{many}", name(path.map, 'm'))
}

fn bars(scene: &mut Scene, mut y: f32, look: &Look, rows: Vec<Bars<'_>>) -> f32 {
    let widest = rows.iter().map(|r| label_width_css_px(&r.label)).fold(40.0, f32::max) + 8.0;
    let left = tenth((widest * LABEL_SPARE).min(LABEL_CSS_PX).min(look.width_css_px * 0.5));
    let room = look.width_css_px - left - 4.0;
    let greatest = |of: fn(&Bars<'_>) -> f64| rows.iter().map(of).fold(0.0, f64::max).max(1e-9);
    let volume = greatest(|r| r.bytes.iter().sum());
    let time = greatest(|r| r.millis.iter().sum());
    for row in &rows {
        let role = if row.bold { Role::Ink } else { Role::Faint };
        scene.text((left - 6.0, y + BAR_CSS_PX), ended(&row.label, (left - 8.0) / LABEL_SPARE), Anchor::End, role);
        let kinds = [(row.bytes, volume, 0.0, false), (row.millis, time, BAR_CSS_PX + 2.0, true)];
        for (values, most, down, is_time) in kinds {
            let mut x = left;
            for (leg, value) in Leg::ALL.into_iter().zip(values) {
                let width = (value / most) as f32 * room;
                let (at, size) = ((tenth(x), tenth(y + down)), (tenth(width), BAR_CSS_PX));
                scene.push(Mark::Rect { at, size, role: hue(leg) });
                // A stage ends with a line, so that grey print tells them apart.
                scene.line((tenth(x + width), at.1), (tenth(x + width), at.1 + BAR_CSS_PX), Role::Surface);
                let said = if is_time { of_millis(*value) } else { bytes(*value) };
                let says = vec![row.label.clone(), format!("{}: {said}", stage_name(leg, is_time))];
                let picks = row.picks.clone().map(Box::new);
                if width >= 1.0 {
                    scene.hits.push(Hit { at, size, says, picks, ..Hit::default() });
                }
                x += width;
            }
        }
        y += ROW_CSS_PX;
    }
    let scale = format!("a whole bar: {} above, {} below", bytes(volume), of_millis(time));
    paragraphs(scene, y, look.width_css_px, &[scale], Role::Faint)
}

const fn stage_name(leg: Leg, is_time: bool) -> &'static str {
    match (leg, is_time) {
        (Leg::Read, true) => "reading the block",
        (Leg::Read, false) => "into the Map",
        (Leg::Map, true) => "the Map",
        (Leg::Map, false) => "out of the Map, to all Reduces",
        (Leg::Shuffle, true) => "from the Map's end until the Reduce has copied all",
        (Leg::Shuffle, false) => "from this Map to this Reduce",
        (Leg::Sort, true) => "sorting",
        (Leg::Sort, false) => "into the Reduce, from all Maps",
        (Leg::Reduce, true) => "reducing and writing",
        (Leg::Reduce, false) => "out of the Reduce",
    }
}

fn legend(scene: &mut Scene, y: f32) -> f32 {
    let mut legend = Legend::at(0.0, y + 5.0);
    for leg in Leg::ALL {
        legend.swatch(scene, hue(leg), leg.name());
    }
    legend.words(scene, "above: volume, below: duration");
    legend.bottom() + 7.0
}

fn how_to_read(shown: &JobShown) -> String {
    let mut text = "A path leads from a block through one Map and one Reduce to a block. Paths alike are grouped; a group has its \
                    mean volumes above and its mean durations below, stage by stage. A stage that takes long for little volume is \
                    where to look; larger volumes should take longer. The critical path is the one that the job's end waited \
                    for. Choose a group to see its longest paths, and a path to follow it from block to block."
        .to_owned();
    if shown.paths.folded {
        text.push_str(" There are too many paths to draw: Maps and Reduces alike stand for one another.");
    }
    if !shown.paths.fetches_logged {
        text.push_str(" What a Map sent to a Reduce is not logged: each is taken to send the same share.");
    }
    text
}

fn table(trace: &Trace, shown: &JobShown, chosen: usize) -> Table {
    let mut headers: Vec<String> = ["what", "paths"].map(str::to_owned).to_vec();
    headers.extend(Leg::ALL.map(|leg| format!("{}, bytes", leg.name())));
    headers.extend(Leg::ALL.map(|leg| format!("{}, s", leg.name())));
    let row = |name: String, weight: f64, bytes: &[f64; STAGES], millis: &[f64; STAGES]| {
        let mut row = vec![name, format!("{weight:.0}")];
        row.extend(bytes.iter().map(|b| format!("{b:.0}")));
        row.extend(millis.iter().map(|ms| format!("{:.1}", ms / 1000.0)));
        row
    };
    let groups = shown.paths.groups.iter().enumerate();
    let mut rows: Vec<Vec<String>> =
        groups.map(|(i, g)| row(format!("group {}", i + 1), g.weight, &g.bytes, &g.millis)).collect();
    let members = shown.paths.groups.get(chosen).map_or(&[][..], |g| g.members.as_slice());
    for path in members.iter().take(PATHS_TOLD).filter_map(|i| shown.paths.paths.get(*i)) {
        rows.push(row(path_name(trace, path), path.weight, &path.bytes, &path.millis));
    }
    Table { headers, rows }
}
