//! T(i) in sliding windows: since when a node is odd.

use super::Peers;
use crate::base::Arrange;
use crate::base::quantity::trimmed;
use crate::diagnosis::kahuna_wb::PeerWindow;
use crate::scene::axis::{Axis, date_and_clock, fitted, from_to, time_ticks_within};
use crate::scene::{Anchor, Dial, DialAxis, Hit, Look, Mark, Plot, Point, Role, Scene, Table};

/// Height of the figure.
const HEIGHT_CSS_PX: f32 = 240.0;
/// Room for the scale at the left.
const LEFT_CSS_PX: f32 = 36.0;
/// Room for the names at the right.
const RIGHT_CSS_PX: f32 = 76.0;
/// Room above and below.
const TOP_CSS_PX: f32 = 22.0;
const BOTTOM_CSS_PX: f32 = 30.0;
/// Lines drawn at most: those with the highest peaks.
const LINES_SHOWN: usize = 60;
/// Lines that carry their name.
const LINES_NAMED: usize = 4;
/// Names nearer than this would cover each other.
const LABEL_GAP_CSS_PX: f32 = 12.0;

pub(super) fn lay_out(peers: Peers<'_>, look: &Look) -> Scene {
    let windows = &peers.comparison.windows;
    let mut scene = Scene {
        title: format!("The same distance over time: {}", peers.compared()),
        how_to_read: String::from(
            "One line a node: T in a window that slides over the log, placed at the window's end (times in UTC). \
             A gap means that the node had too few states in that window to be judged. A healthy node stays low; \
             a fault shows as a line that rises and stays up. Windows hold few states, so single peaks mean little: \
             coloured is who is indicted by the whole log or, once the line is moved, whose T over the whole log is above it.",
        ),
        size: (look.width_css_px, HEIGHT_CSS_PX),
        ..Scene::default()
    };
    let known = windows.iter().filter(|w| w.scores.iter().flatten().count() > 0);
    let ends = known.map(|w| w.interval.end.millis());
    let (Some(from), Some(to)) = (ends.clone().min(), ends.max()) else {
        scene.size.1 = 60.0;
        let text = "Too few states for windows: T is known for the whole log only.";
        scene.text((0.0, 30.0), text, Anchor::Start, Role::Faint);
        return scene;
    };
    let all = windows.iter().flat_map(|w| w.scores.iter().flatten().copied());
    let highest = all.fold(peers.comparison.threshold, f64::max);
    let y = Axis::linear((0.0, (highest * 1.08).clamp(0.1, 1.0)), (HEIGHT_CSS_PX - BOTTOM_CSS_PX, TOP_CSS_PX));
    let x = Axis::linear((from as f64, to as f64), (LEFT_CSS_PX, look.width_css_px - RIGHT_CSS_PX));
    let right = look.width_css_px - RIGHT_CSS_PX;

    for value in y.ticks(4) {
        scene.line((LEFT_CSS_PX, y.px(value)), (right, y.px(value)), Role::Grid);
        scene.text((LEFT_CSS_PX - 6.0, y.px(value)), trimmed(value, 2), Anchor::End, Role::Faint);
    }
    for (ms, label) in time_ticks_within(from, to, right - LEFT_CSS_PX) {
        let px = x.px(ms as f64);
        scene.line((px, HEIGHT_CSS_PX - BOTTOM_CSS_PX), (px, HEIGHT_CSS_PX - BOTTOM_CSS_PX + 4.0), Role::Faint);
        scene.text((px, HEIGHT_CSS_PX - BOTTOM_CSS_PX + 14.0), label, Anchor::Middle, Role::Faint);
    }
    scene.text((0.0, 8.0), format!("T; times in UTC, from {}", date_and_clock(from)), Anchor::Start, Role::Faint);

    let mut nodes: Vec<usize> = (0..peers.names.len()).collect();
    nodes.arrange(|a, b| rank(peers, *b).total_cmp(&rank(peers, *a)));
    nodes.truncate(LINES_SHOWN);
    let labels = labels(peers, &nodes, y);
    let mut judged = Vec::new();
    // The oddest are drawn last, above the others.
    for &node in nodes.iter().rev() {
        let role = if peers.indicted(node) { Role::Culprit } else { Role::Node };
        let mut marks = Vec::new();
        for points in runs(peers, node, x, y) {
            let single = if let [at] = points.as_slice() { Some(*at) } else { None };
            marks.push(match single {
                Some(at) => scene.push(Mark::Circle { at, radius: 2.0, role }),
                None => scene.push(Mark::Polyline { points, role }),
            });
        }
        if let Some((_, at)) = labels.iter().find(|(named, _)| *named == node) {
            let name = fitted(peers.name(node), RIGHT_CSS_PX - 8.0);
            marks.push(scene.text((right + 6.0, *at), name, Anchor::Start, role));
        }
        judged.push(peers.judged(node, marks, None));
    }
    let threshold = y.px(peers.comparison.threshold);
    let line = scene.line((LEFT_CSS_PX, threshold), (right, threshold), Role::Threshold);
    scene.dial = Some(Dial {
        value: peers.comparison.threshold,
        found: peers.comparison.threshold,
        range: y.range,
        pixels: y.pixels,
        axis: DialAxis::Y,
        line,
        judged,
    });
    add_hits(&mut scene, peers, x);
    let plot = Plot::of_time(
        (LEFT_CSS_PX, TOP_CSS_PX),
        (right - LEFT_CSS_PX, HEIGHT_CSS_PX - TOP_CSS_PX - BOTTOM_CSS_PX),
        (from, to),
    );
    scene.choose_time(plot, x, look.selection.span);
    scene.table = table(peers);
    scene
}

/// By what lines are chosen: those of nodes indicted, then those with the highest peaks.
fn rank(peers: Peers<'_>, node: usize) -> f64 {
    let scores = peers.comparison.windows.iter().filter_map(|w| w.scores.get(node).copied().flatten());
    // Peaks end at 1, which any T of a node indicted shall beat.
    if peers.indicted(node) { 1.0 + peers.score(node) } else { scores.fold(0.0, f64::max) }
}

/// Which nodes carry their name, and at which height: each where its line ends, unless
/// an odder one has the place.
fn labels(peers: Peers<'_>, nodes: &[usize], y: Axis) -> Vec<(usize, f32)> {
    let mut labels: Vec<(usize, f32)> = Vec::new();
    for &node in nodes.iter().take(LINES_NAMED) {
        let last = peers.comparison.windows.iter().rev().find_map(|w| w.scores.get(node).copied().flatten());
        let Some(at) = last.map(|score| y.px(score)) else { continue };
        if labels.iter().all(|(_, other)| (at - other).abs() > LABEL_GAP_CSS_PX) {
            labels.push((node, at));
        }
    }
    labels
}

/// The points of a node's line, broken where it could not be judged.
fn runs(peers: Peers<'_>, node: usize, x: Axis, y: Axis) -> Vec<Vec<Point>> {
    let mut runs: Vec<Vec<Point>> = vec![Vec::new()];
    for window in &peers.comparison.windows {
        let point = window.scores.get(node).copied().flatten();
        match (point, runs.last_mut()) {
            (Some(score), Some(run)) => run.push((x.px(window.interval.end.millis() as f64), y.px(score))),
            _ => runs.push(Vec::new()),
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// One hit a window: a column that tells the highest nodes.
fn add_hits(scene: &mut Scene, peers: Peers<'_>, x: Axis) {
    let windows = &peers.comparison.windows;
    let width = ((x.pixels.1 - x.pixels.0) / windows.len().max(1) as f32).max(3.0);
    let on_axis = |w: &&PeerWindow| (x.range.0..=x.range.1).contains(&(w.interval.end.millis() as f64));
    for window in windows.iter().filter(on_axis) {
        let mut scores: Vec<(usize, f64)> =
            window.scores.iter().enumerate().filter_map(|(i, s)| s.map(|s| (i, s))).collect();
        // Of those that are told alike the first come first, whatever lies behind the last digit.
        let told = |score: f64| (score * 100.0).round();
        scores.arrange(|a, b| told(b.1).total_cmp(&told(a.1)));
        let mut says = vec![from_to(window.interval.start.millis(), window.interval.end.millis())];
        says.extend(scores.iter().take(4).map(|(node, score)| format!("{} {score:.2}", peers.name(*node))));
        if scores.is_empty() {
            says.push(String::from("too few states"));
        }
        let at = (x.px(window.interval.end.millis() as f64) - width / 2.0, TOP_CSS_PX);
        let node = scores.first().map(|(node, _)| peers.name(*node).to_owned());
        scene.hits.push(Hit {
            at,
            size: (width, HEIGHT_CSS_PX - TOP_CSS_PX - BOTTOM_CSS_PX),
            says,
            node,
            ..Hit::default()
        });
    }
}

fn table(peers: Peers<'_>) -> Table {
    let mut headers = vec![String::from("window begins (UTC)"), String::from("window ends (UTC)")];
    headers.extend(peers.names.iter().cloned());
    let cell = |score: &Option<f64>| score.map_or_else(String::new, |s| format!("{s:.3}"));
    let rows = peers.comparison.windows.iter().map(|w| {
        let times = [w.interval.start, w.interval.end].map(|t| date_and_clock(t.millis()));
        times.into_iter().chain(w.scores.iter().map(cell)).collect()
    });
    Table { headers, rows: rows.collect() }
}
