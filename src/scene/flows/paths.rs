//! REP (M12, Fig. 4 of Mochi): the groups of a job's paths, for each the volumes above and the
//! durations below, stage by stage; then the longest paths of the chosen group, down to one.
//!
//! ```text
//! group 1, 160 paths,  ▇▇▇▇▇▇▅▅▅▅▅▃▃▃▂▂▂▂    read 4.2 MB, map 4.4 MB, shuffle 0.5 MB …
//! critical             ▂▇▇▇▇▅▅▅▅▅▅▅▅▅▅▂▇▇    read 0.4 s, map 9 s, shuffle 30 s …
//! ```
//! Bars of one kind have one scale, so that groups can be compared by eye.

use super::{hue, job_name, paragraphs, path};
use crate::base::quantity::{bytes, counted, grouped, of_millis};
use crate::diagnosis::mochi::critical::Leg;
use crate::diagnosis::mochi::paths::{Path, STAGES};
use crate::diagnosis::mochi::study::JobStudy;
use crate::model::Trace;
use crate::scene::axis::{FONT_CSS_PX, label_width_css_px, tenth, wrapped};
use crate::scene::legend::Legend;
use crate::scene::names::Hosts;
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table};

/// Height of a bar; and of a row, which has two and a gap.
const BAR_CSS_PX: f32 = 13.0;
const ROW_CSS_PX: f32 = 38.0;
/// Paths of the chosen group that are drawn; the rest is in the table.
const PATHS_SHOWN: usize = 12;
/// Paths in the table.
const PATHS_TOLD: usize = 200;
/// Room for the labels of the rows, at most.
const LABEL_CSS_PX: f32 = 260.0;
/// Digits and capitals, of which these labels are made, are wider than the average character.
const LABEL_SPARE: f32 = 1.2;
/// From a line of a label to the next.
const LINE_CSS_PX: f32 = FONT_CSS_PX;
/// Room above the words.
const TOP_CSS_PX: f32 = 4.0;

/// Behind the name of what the job's end waited for.
const CRITICAL: &str = ", critical";

/// Two bars with what they are called: in full, and with names of nodes that leave room for the bars.
struct Bars<'a> {
    label: String,
    short: String,
    millis: &'a [f64; STAGES],
    bytes: &'a [f64; STAGES],
    picks: Option<Selection>,
    bold: bool,
}

pub(super) fn lay_out(trace: &Trace, shown: &JobStudy, look: &Look) -> Scene {
    let paths = &shown.paths;
    let critical = shown.critical.as_ref();
    let critical_group = shown.critical_group;
    let chosen = look.group.filter(|g| *g < paths.groups.len()).or(critical_group).unwrap_or(0);
    let mut scene = Scene {
        title: format!(
            "Paths of {}: {} in {}",
            job_name(trace, shown.flow.job),
            grouped(paths.count.round() as u64),
            counted(paths.groups.len() as u64, "group")
        ),
        how_to_read: how_to_read(shown),
        what_to_do: what_to_do(shown).to_owned(),
        size: (look.width_css_px, 40.0),
        groups: paths.groups.len(),
        ..Scene::default()
    };
    if paths.groups.is_empty() {
        scene.text((0.0, 16.0), "No Map of this job is known to have ended well.", Anchor::Start, Role::Faint);
        return scene;
    }
    let members = paths.groups.get(chosen).map_or(&[][..], |g| g.members.as_slice());
    let mut y = paragraphs(&mut scene, TOP_CSS_PX, look.width_css_px, &shown.words, Role::Ink) + 6.0;
    y = legend(&mut scene, legs(shown), y);
    let of_groups = (0..).zip(&paths.groups).map(|(i, g): (usize, _)| {
        let count = counted(g.weight.round() as u64, "path");
        let label = format!("group {}, {count}{}", i + 1, if critical_group == Some(i) { CRITICAL } else { "" });
        Bars { short: label.clone(), label, millis: &g.millis, bytes: &g.bytes, picks: None, bold: i == chosen }
    });
    let hosts = Hosts::of(&mut shown.volumes.nodes.iter().map(|node| trace.node_name(*node)));
    let of_paths = members.iter().take(PATHS_SHOWN).filter_map(|i| paths.paths.get(*i)).map(|p| {
        let is_critical = critical.is_some_and(|c| (c.map, c.reduce) == (p.map, p.reduce));
        let named = |room| format!("{}{}", path_name(trace, &hosts, p, room), if is_critical { CRITICAL } else { "" });
        Bars {
            label: named(f32::MAX),
            short: named(label_room(look)),
            millis: &p.millis,
            bytes: &p.bytes,
            picks: path::follows(trace, shown, p),
            bold: is_critical,
        }
    });
    y = bars(&mut scene, y, look, of_groups.collect());
    // A report carries the groups alone.
    if !members.is_empty() {
        scene.text((0.0, y + 8.0), format!("The longest paths of group {}", chosen + 1), Anchor::Start, Role::Faint);
        y = bars(&mut scene, y + 20.0, look, of_paths.collect());
    }
    scene.size.1 = y + 4.0;
    scene.table = table(trace, shown, chosen);
    scene
}

/// Width that labels may have at most, as it is estimated.
fn label_room(look: &Look) -> f32 {
    (LABEL_CSS_PX.min(look.width_css_px * 0.5) - 8.0) / LABEL_SPARE
}

/// The tasks of a path, each with as much of its node's name as there is room for in a line.
fn path_name(trace: &Trace, hosts: &Hosts, path: &Path, room: f32) -> String {
    let name = |i: usize, letter: char| {
        trace.tasks.get(i).map_or(String::new(), |t| {
            let task = format!("{letter}{}", t.id.task);
            // An arrow stands in the first line too.
            let room = room - label_width_css_px(&task) - label_width_css_px("@ →");
            let node = t.node.map_or(String::new(), |n| format!("@{}", hosts.fitted(trace.node_name(n), room)));
            format!("{task}{node}")
        })
    };
    let reduce = path.reduce.map_or(String::new(), |r| format!(" → {}", name(r, 'r')));
    let many = if path.weight > 1.5 { format!(" × {}", grouped(path.weight.round() as u64)) } else { String::new() };
    format!("{}{reduce}{many}", name(path.map, 'm'))
}

fn bars(scene: &mut Scene, mut y: f32, look: &Look, rows: Vec<Bars<'_>>) -> f32 {
    // In one line in full, or in as many as the two bars are high.
    let room = label_room(look);
    let lines_of = |row: &Bars<'_>| match label_width_css_px(&row.label) <= room {
        true => vec![row.label.clone()],
        false => wrapped(&row.short, room),
    };
    let labels: Vec<Vec<String>> = rows.iter().map(lines_of).collect();
    let widest = labels.iter().flatten().map(|line| label_width_css_px(line)).fold(40.0, f32::max);
    let left = tenth((widest + 8.0) * LABEL_SPARE);
    let room = look.width_css_px - left - 4.0;
    let greatest = |of: fn(&Bars<'_>) -> f64| rows.iter().map(of).fold(0.0, f64::max).max(1e-9);
    let volume = greatest(|r| r.bytes.iter().sum());
    let time = greatest(|r| r.millis.iter().sum());
    for (row, label) in rows.iter().zip(labels) {
        let role = if row.bold { Role::Ink } else { Role::Faint };
        let first = y + BAR_CSS_PX - LINE_CSS_PX * label.len().saturating_sub(1) as f32 / 2.0;
        for (i, line) in (0..).zip(label) {
            scene.text((left - 6.0, tenth(first + LINE_CSS_PX * i as f32)), line, Anchor::End, role);
        }
        let kinds = [(row.bytes, volume, 0.0, false), (row.millis, time, BAR_CSS_PX + 2.0, true)];
        for (values, most, down, is_time) in kinds {
            let mut x = left;
            for (leg, value) in Leg::ALL.into_iter().zip(values).filter(|(_, value)| **value > 0.0) {
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
        (Leg::Wait, _) => "from the Map's end until the Reduce began",
        (Leg::Shuffle, true) => "the shuffle, until the Reduce has copied all",
        (Leg::Shuffle, false) => "from this Map to this Reduce",
        (Leg::Sort, true) => "sorting",
        (Leg::Sort, false) => "into the Reduce, from all Maps",
        (Leg::Reduce, _) => "reducing",
        (Leg::Write, true) => "blocks being written, while the task goes on",
        (Leg::Write, false) => "written by the path's last task",
    }
}

/// The legs that paths of the job have: without Reduces there is nothing between a Map and what it writes.
fn legs(shown: &JobStudy) -> impl Iterator<Item = Leg> + Clone {
    let reduces = shown.has_reduces;
    Leg::ALL.into_iter().filter(move |leg| reduces || matches!(leg, Leg::Read | Leg::Map | Leg::Write))
}

fn legend(scene: &mut Scene, legs: impl Iterator<Item = Leg>, y: f32) -> f32 {
    let mut legend = Legend::at(0.0, y + 5.0);
    for leg in legs {
        legend.swatch(scene, hue(leg), leg.name());
    }
    legend.words(scene, "above: volume, below: duration");
    legend.bottom() + 7.0
}

/// Of sums alone there is no path to choose.
const fn what_to_do(shown: &JobStudy) -> &'static str {
    if shown.paths.paths.is_empty() {
        return "";
    }
    "Choose a group to see its longest paths, and a path to follow its Map from block to block, or its Reduce where only \
     that leads through both."
}

fn how_to_read(shown: &JobStudy) -> String {
    let mut text = "A path leads from a block through one Map and one Reduce to a block. Paths alike are grouped; a group has its \
                    mean volumes above and its mean durations below, stage by stage. A stage that takes long for little volume is \
                    where to look; larger volumes should take longer. The critical path is the one that the job's end waited \
                    for."
        .to_owned();
    if shown.paths.folded {
        text.push_str(" There are too many paths to draw: Maps and Reduces alike stand for one another.");
    }
    if !shown.paths.fetches_logged {
        text.push_str(" What a Map sent to a Reduce is not logged: each is taken to send the same share.");
    }
    text
}

fn table(trace: &Trace, shown: &JobStudy, chosen: usize) -> Table {
    let mut headers: Vec<String> = ["what", "paths"].map(str::to_owned).to_vec();
    let legs = legs(shown);
    let moved = || legs.clone().filter(|leg| !matches!(leg, Leg::Wait | Leg::Reduce));
    headers.extend(moved().map(|leg| format!("{}, bytes", leg.name())));
    headers.extend(legs.clone().map(|leg| format!("{}, s", leg.name())));
    let row = |name: String, weight: f64, bytes: &[f64; STAGES], millis: &[f64; STAGES]| {
        let at = |of: &[f64; STAGES], leg: Leg| of.get(leg as usize).copied().unwrap_or_default();
        let mut row = vec![name, format!("{weight:.0}")];
        row.extend(moved().map(|leg| format!("{:.0}", at(bytes, leg))));
        row.extend(legs.clone().map(|leg| format!("{:.1}", at(millis, leg) / 1000.0)));
        row
    };
    let groups = shown.paths.groups.iter().enumerate();
    let mut rows: Vec<Vec<String>> =
        groups.map(|(i, g)| row(format!("group {}", i + 1), g.weight, &g.bytes, &g.millis)).collect();
    let members = shown.paths.groups.get(chosen).map_or(&[][..], |g| g.members.as_slice());
    for path in members.iter().take(PATHS_TOLD).filter_map(|i| shown.paths.paths.get(*i)) {
        rows.push(row(path_name(trace, &Hosts::default(), path, f32::MAX), path.weight, &path.bytes, &path.millis));
    }
    Table { headers, rows }
}
