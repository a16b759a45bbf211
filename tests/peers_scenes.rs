//! The peers view as data: what a reader sees of hand-made comparisons.

// Hand-made data is as long as it is written.
#![allow(clippy::indexing_slicing)]

mod scene_lines;

use oddnode::base::{Interval, JobId, NodeId, TimeZone, Timestamp};
use oddnode::diagnosis::kahuna_wb::{NodeDurations, PeerComparison, PeerWindow};
use oddnode::diagnosis::peer_similarity::JobSimilarity;
use oddnode::draw::record::Recorder;
use oddnode::draw::{Theme, draw, svg::to_svg};
use oddnode::model::StateKind;
use oddnode::report::figures::{PeerFigure, fine};
use oddnode::report::{Figures, Report};
use oddnode::scene::axis::label_width_css_px;
use oddnode::scene::peers::similarity::lay_out as lay_out_similarity;
use oddnode::scene::peers::{Peers, kinds, kinds_of_report, lay_out, node_meant, of_report};
use oddnode::scene::{Anchor, FaultTime, Look, MARK_BUDGET, Mark, Role, Scene, Selection, View};
use plotters::prelude::IntoDrawingArea;
use scene_lines::lines;
use std::collections::BTreeMap;

/// `n` nodes of which the third takes three times as long as the others.
fn comparison(n: u32, windows: i64) -> (PeerComparison, Vec<String>) {
    let odd = |i: u32| i == 2;
    let score = |i: u32| if odd(i) { 0.71 } else { 0.18 + 0.01 * f64::from(i % 7) };
    let distance = |a: u32, b: u32| match (a == b, odd(a) || odd(b)) {
        (true, _) => 0.0,
        (false, true) => 0.71,
        (false, false) => 0.2,
    };
    let durations = |i: u32| -> Vec<f64> {
        let slow = if odd(i) { 3.0 } else { 1.0 };
        (0..30).map(|k| slow * (4.0 + f64::from(k) * 0.2 + f64::from(i % 5) * 0.1)).collect()
    };
    let quartiles = |d: &[f64]| [d[d.len() / 2], d[d.len() / 4], d[d.len() * 3 / 4]];
    let start = Timestamp::from_millis(1_795_227_884_210);
    let window = |k: i64| PeerWindow {
        interval: Interval::new(start.plus_millis(k * 30_000), start.plus_millis(k * 30_000 + 60_000)),
        scores: (0..n)
            .map(|i| match (i, k) {
                // The second node has too few states in the second window.
                (1, 1) => None,
                (2, k) => Some(if k < 2 { 0.2 } else { 0.7 }),
                (i, _) => Some(score(i)),
            })
            .collect(),
    };
    let node = |i: u32| NodeDurations {
        node: NodeId(i),
        count: 30,
        score: score(i),
        p: None,
        ratio: if odd(i) { 3.0 } else { 1.0 },
        gap: odd(i),
        gap_s: None,
        last: None,
        indicted: odd(i),
        quartiles_s: quartiles(&durations(i)),
        durations_s: durations(i),
    };
    let comparison = PeerComparison {
        kind: Some(StateKind::Map),
        jobs: Vec::new(),
        stretch: None,
        nodes: (0..n).map(node).collect(),
        too_few: Vec::new(),
        distances: (0..n).map(|a| (0..n).map(|b| distance(a, b)).collect()).collect(),
        threshold: 0.43,
        leaves_open: false,
        windows: (0..windows).map(window).collect(),
    };
    (comparison, (0..n).map(|i| format!("h{}", 101 + i)).collect())
}

fn scene(view: View, n: u32, windows: i64, width_css_px: f32) -> Scene {
    let (comparison, names) = comparison(n, windows);
    let look = Look { kind: Some(StateKind::Map), nodes: vec!["h103".into()], width_css_px, ..Look::default() };
    lay_out(view, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look)
}

#[test]
fn each_figure_of_a_small_cluster() {
    for view in View::PEERS {
        insta::assert_snapshot!(view.name(), lines(&scene(view, 4, 5, 600.0)));
    }
}

#[test]
fn bar_of_who_is_chosen_is_framed() {
    let (comparison, names) = comparison(4, 5);
    let selection = Selection { node: Some("h102".into()), ..Selection::default() };
    let look = Look { kind: Some(StateKind::Map), selection, width_css_px: 600.0, ..Look::default() };
    let scene = lay_out(View::Peers, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look);
    let framed = scene.marks.iter().filter_map(|m| if let Mark::Frame { at, .. } = m { Some(*at) } else { None });
    let row = scene.hits.iter().find(|hit| hit.node.as_deref() == Some("h102")).map(|hit| hit.at.1);
    assert_eq!(framed.map(|at| Some(at.1 - 4.0)).collect::<Vec<_>>(), [row]);
}

#[test]
fn title_says_of_which_jobs_the_states_are() {
    let (mut comparison, names) = comparison(4, 5);
    let (one, several) = (vec!["job_1_0007"], vec!["job_1_0007", "job_1_0009"]);
    let scopes = [(vec![], None), (one.clone(), None), (one, Some("last quarter")), (several, None)];
    let titles = scopes.map(|(jobs, stretch)| {
        comparison.jobs = jobs.into_iter().map(String::from).collect();
        comparison.stretch = stretch.map(String::from);
        let look = Look { width_css_px: 600.0, ..Look::default() };
        View::PEERS.map(|view| {
            lay_out(view, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look).title
        })
    });
    let ends = [
        ": Map",
        ": Map of job_1_0007",
        ": Map of the last quarter of job_1_0007",
        ": Map of the jobs job_1_0007 to job_1_0009",
    ];
    for (titles, end) in titles.iter().zip(ends) {
        assert!(titles.iter().all(|title| title.ends_with(end)), "{titles:?}");
    }
}

#[test]
fn drawing_calls_of_a_small_cluster() {
    let scene = scene(View::PeersDistance, 3, 0, 320.0);
    let mut calls = Vec::new();
    let area = Recorder::new((640, (scene.size.1 * 2.0) as u32), &mut calls).into_drawing_area();
    draw(&scene, &area, &Theme::light()).unwrap();
    drop(area);
    insta::assert_snapshot!(calls.join("\n"));
}

#[test]
fn no_number_is_crossed_by_the_threshold() {
    for width_css_px in [320.0, 480.0, 1200.0] {
        let (mut comparison, names) = comparison(4, 0);
        comparison.nodes[0].score = comparison.threshold - 0.02;
        let look = Look { kind: Some(StateKind::Map), width_css_px, ..Look::default() };
        let scene = lay_out(View::Peers, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look);
        let line = |mark: &Mark| matches!(mark, Mark::Line { role: Role::Threshold, .. });
        let Some(Mark::Line { from: (x, _), .. }) = scene.marks.iter().find(|m| line(m)) else { panic!("no line") };
        let rows = scene.marks.iter().filter_map(|mark| match mark {
            Mark::Text { at, text, anchor: Anchor::Start, .. } if text.len() == 4 => Some((at.0, text)),
            _ => None,
        });
        assert_eq!(rows.clone().count(), 4);
        for (at, text) in rows {
            assert!(*x <= at || *x >= at + label_width_css_px(text), "{text} from {at}, the line at {x}");
        }
    }
}

#[test]
fn large_cluster_stays_within_the_budget_and_the_width() {
    for view in View::PEERS {
        for width in [320.0, 1200.0] {
            let scene = scene(view, 700, 200, width);
            assert!(scene.marks.len() <= MARK_BUDGET && scene.hits.len() <= MARK_BUDGET, "{}", scene.name);
            assert!(scene.size.1 < 2_000.0, "{} is {} high", scene.name, scene.size.1);
            for mark in &scene.marks {
                if let Mark::Rect { at, size, .. } = mark {
                    assert!(at.0 >= 0.0 && at.0 + size.0 <= width + 0.1, "{} sticks out: {mark:?}", scene.name);
                }
            }
        }
    }
}

#[test]
fn distances_that_are_not_kept_are_said_to_be_left_out() {
    let (mut comparison, names) = comparison(700, 0);
    comparison.distances.clear();
    let look = Look { kind: Some(StateKind::Map), width_css_px: 600.0, ..Look::default() };
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let scene = lay_out(View::PeersDistance, peers, &look);
    assert!(scene.rasters.is_empty() && scene.hits.is_empty() && scene.table.rows.is_empty(), "no zeros are drawn");
    let said =
        scene.marks.iter().map(|mark| if let Mark::Text { text, .. } = mark { text.as_str() } else { "no text" });
    let said = said.collect::<Vec<_>>().join(" ");
    assert!(said.starts_with("The distances of 244\u{202f}650 pairs of nodes are left out."), "{said}");
    assert!(scene.size.1 < 100.0, "{}", scene.size.1);
}

#[test]
fn every_node_is_in_the_table_even_where_rows_are_folded() {
    assert_eq!(scene(View::Peers, 700, 0, 600.0).table.rows.len(), 700);
    assert_eq!(scene(View::PeersDurations, 700, 0, 600.0).table.rows.len(), 700);
}

#[test]
fn empty_comparison_gives_scenes_without_numbers() {
    let look = Look { kind: None, nodes: Vec::new(), width_css_px: 400.0, ..Look::default() };
    for view in View::PEERS {
        let scene =
            lay_out(view, Peers { comparison: &PeerComparison::default(), names: &[], zone: TimeZone::Utc }, &look);
        assert!(scene.table.rows.is_empty());
        to_svg(&scene, &Theme::dark()).unwrap();
    }
}

#[test]
fn threshold_moves_line_colours_and_table_together() {
    let mut scene = scene(View::Peers, 4, 0, 600.0);
    let over = |scene: &Scene| -> Vec<String> {
        let rows = scene.table.rows.iter().filter(|row| row.last().is_some_and(|cell| cell == "yes"));
        rows.map(|row| row[0].clone()).collect()
    };
    let line = |scene: &Scene| match &scene.marks[scene.dial.as_ref().unwrap().line as usize] {
        Mark::Line { from, to, role: Role::Threshold } if from.0 == to.0 => from.0,
        other => panic!("no upright threshold: {other:?}"),
    };
    assert_eq!(over(&scene), ["h103"]);
    let before = line(&scene);
    let told = |scene: &Scene| scene.hits.iter().map(|hit| hit.says.last().unwrap().clone()).collect::<Vec<_>>();
    let as_found = told(&scene);
    assert_eq!(as_found, ["indicted", "not indicted", "not indicted", "not indicted"]);
    assert!(scene.hits.iter().flat_map(|hit| &hit.says).all(|says| !says.contains("threshold")));
    scene.turn(0.1);
    assert_eq!(told(&scene), ["over the line"; 4], "a moved line judges by T alone");
    assert_eq!(scene.table.headers.last().unwrap(), "over the line");
    assert_eq!(over(&scene).len(), 4);
    assert!(line(&scene) < before);
    scene.turn(99.0);
    assert_eq!(over(&scene), Vec::<String>::new());
    assert_eq!(told(&scene), ["below the line"; 4]);
    scene.turn(0.43);
    assert_eq!(line(&scene), before);
    assert_eq!((told(&scene), scene.table.headers.last().unwrap().as_str()), (as_found, "indicted"));
}

#[test]
fn names_beside_lines_are_read_wherever_the_threshold_is() {
    let (comparison, names) = comparison(4, 3);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let mut scene = lay_out(View::PeersTime, peers, &Look { width_css_px: 800.0, ..Look::default() });
    let roles = |scene: &Scene| {
        let role = |mark: &Mark| match mark {
            Mark::Text { text, role, .. } => names.contains(text).then_some(*role),
            _ => None,
        };
        scene.marks.iter().filter_map(role).collect::<Vec<_>>()
    };
    let as_found = roles(&scene);
    assert!(as_found.contains(&Role::Culprit) && as_found.contains(&Role::Faint), "{as_found:?}");
    for value in [0.0, 1.0, 0.43] {
        scene.turn(value);
        assert!(!roles(&scene).contains(&Role::Node), "at {value}");
    }
    assert_eq!(roles(&scene), as_found);
}

#[test]
fn who_is_accused_by_another_kind_is_marked_beside_its_line_wherever_the_threshold_is() {
    let (comparison, names) = comparison(4, 3);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let look = Look { nodes: vec!["h101".into()], width_css_px: 800.0, ..Look::default() };
    let mut scene = lay_out(View::PeersTime, peers, &look);
    for value in [0.43, 0.0, 1.0] {
        scene.turn(value);
        let is_it = |mark: &Mark| matches!(mark, Mark::Text { text, role: Role::Culprit, .. } if text == "h101");
        assert!(scene.marks.iter().any(is_it), "at {value}");
    }
}

#[test]
fn whom_the_verdict_names_is_marked_where_a_kind_does_not_indict_it_too() {
    let (comparison, names) = comparison(130, 3);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let look = Look { nodes: vec!["h227".into(), "h999".into()], width_css_px: 700.0, ..Look::default() };
    let of_culprits = |scene: &Scene| {
        let role = |mark: &Mark| match mark {
            Mark::Polyline { role, .. } => Some(("line", *role)),
            Mark::Circle { role, radius, .. } if *radius > 2.0 => Some(("dot", *role)),
            Mark::Frame { role, .. } => Some(("frame", *role)),
            _ => None,
        };
        let culprits = scene.marks.iter().filter_map(role).filter(|(_, role)| *role == Role::Culprit);
        culprits.map(|(what, _)| what).collect::<Vec<_>>()
    };
    let mut time = lay_out(View::PeersTime, peers, &look);
    assert_eq!(of_culprits(&time), ["line", "dot", "dot", "dot", "line"], "its own line, and that of who is indicted");
    // The dial judges by T; who is named stays so.
    time.turn(1.0);
    assert_eq!(of_culprits(&time), ["dot", "dot", "dot", "line"]);
    let scores = lay_out(View::Peers, peers, &look);
    assert_eq!(of_culprits(&scores), ["frame"]);
    for scene in [scores, time] {
        assert!(
            scene.title.ends_with(": Map; h227 not indicted at the threshold found; h999 not among those compared"),
            "{}",
            scene.title
        );
    }
}

#[test]
fn stretch_of_time_is_marked_where_time_is_the_axis_and_else_said_to_change_nothing() {
    let (comparison, names) = comparison(4, 5);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let end = comparison.windows[0].interval.end;
    let span = Some((end.plus_millis(20_000), end.plus_millis(50_000)));
    let selection = Selection { span, ..Selection::default() };
    let look = Look { selection, width_css_px: 600.0, ..Look::default() };
    for view in View::PEERS {
        let scene = lay_out(view, peers, &look);
        let bars =
            scene.marks.iter().filter(|m| matches!(m, Mark::Rect { size: (_, 2.0), role: Role::Ink, .. })).count();
        let is_of_time = view == View::PeersTime;
        assert_eq!(
            (bars, scene.title.ends_with(", whatever time is chosen")),
            (usize::from(is_of_time), !is_of_time),
            "{view:?}"
        );
    }
    let (similarity, names) = similarity();
    let within = Some((similarity.start.plus_millis(1_000), similarity.start.plus_millis(3_000)));
    let look =
        Look { selection: Selection { span: within, ..Selection::default() }, width_css_px: 600.0, ..Look::default() };
    let stripes = lay_out_similarity(View::PeersStripes, &similarity, &names, TimeZone::Utc, &look);
    assert!(stripes.plot.is_some_and(|plot| plot.times_ms.is_some()), "it can be chosen there, too");
    let lines = stripes.marks.iter().filter(|m| matches!(m, Mark::Line { role: Role::Ink, .. })).count();
    assert_eq!(lines, 2, "its begin and its end");
}

#[test]
fn dots_leave_the_line_to_be_seen_and_other_marks_their_room() {
    let (comparison, names) = comparison(40, 600);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let look = Look { nodes: names.clone(), width_css_px: 700.0, ..Look::default() };
    let scene = lay_out(View::PeersTime, peers, &look);
    let dots = scene.marks.iter().filter(|mark| matches!(mark, Mark::Circle { radius, .. } if *radius > 2.0)).count();
    let named = names.len() - comparison.nodes.iter().filter(|own| own.indicted).count();
    assert!(dots > 0 && dots <= 50 * named, "{dots} on {named} lines");
}

/// Four nodes that ran Maps for four seconds.
fn similarity() -> (JobSimilarity, Vec<String>) {
    let nodes: Vec<NodeId> = (0..4).map(NodeId).collect();
    let similarity = JobSimilarity {
        job: JobId { cluster: 1, number: 1 },
        start: Timestamp::from_millis(1_795_227_884_000),
        step_ms: 1_000,
        running: nodes.iter().map(|node| (*node, vec![1.0, 2.0, 1.0, 0.0])).collect(),
        correlation: vec![vec![1.0; 4]; 4],
        nodes,
        alike_from: 0.6,
        constant: Vec::new(),
    };
    (similarity, (0..4).map(|i| format!("h{}", 101 + i)).collect())
}

#[test]
fn the_kind_in_which_the_culprit_stands_out_most_comes_first() {
    // The third of four nodes, in each kind with this T, the others with that, and indicted or not.
    let of = |kind: StateKind, own: f64, others: f64, indicted: bool| {
        let (mut comparison, _) = comparison(4, 0);
        comparison.kind = Some(kind);
        for (i, node) in comparison.nodes.iter_mut().enumerate() {
            node.score = if i == 2 { own } else { others };
            node.indicted = i == 2 && indicted;
        }
        comparison
    };
    let all = [
        // All are as far from each other as can be, whatever the gap rule says.
        of(StateKind::Map, 1.0, 1.0, true),
        of(StateKind::Reduce, 0.75, 0.1, true),
        of(StateKind::ReduceCopy, 0.42, 0.2, false),
        of(StateKind::ReadBlock, 0.9, 0.7, true),
    ];
    let mut by_kind: BTreeMap<StateKind, &PeerComparison> =
        all.iter().filter_map(|comparison| Some((comparison.kind?, comparison))).collect();
    let wanted = [StateKind::Reduce, StateKind::ReadBlock, StateKind::ReduceCopy, StateKind::Map];
    assert_eq!(kinds(&by_kind, Some(NodeId(2))), wanted);
    // One in which another node is as far says less than one in which none is, farther over the threshold or not.
    let mut shared = of(StateKind::Shuffle, 1.0, 0.2, false);
    shared.nodes[0].score = 1.0;
    by_kind.insert(StateKind::Shuffle, &shared);
    let order = kinds(&by_kind, Some(NodeId(2)));
    assert_eq!(order[2..], [StateKind::ReduceCopy, StateKind::Shuffle, StateKind::Map]);
    // One that it has no place in tells nothing of it.
    let (mut elsewhere, _) = comparison(9, 0);
    elsewhere.nodes.retain(|node| node.node != NodeId(2));
    by_kind.insert(StateKind::WriteBlock, &elsewhere);
    assert_eq!(kinds(&by_kind, Some(NodeId(2))).last(), Some(&StateKind::WriteBlock));
}

#[test]
fn page_and_link_offer_kinds_in_one_order() {
    let of = |kind: StateKind, score: f64, next: f64, threshold: f64| {
        let (mut comparison, _) = comparison(4, 0);
        (comparison.kind, comparison.threshold) = (Some(kind), threshold);
        comparison.nodes.iter_mut().for_each(|own| own.indicted = false);
        (comparison.nodes[2].score, comparison.nodes[1].score) = (score, next);
        comparison
    };
    let all = [
        of(StateKind::Map, 0.5, 0.2, 0.43),
        // What lies behind a report's last digit: a score, another node's, and the threshold.
        of(StateKind::Reduce, 0.5 + 1e-9, 0.2, 0.43),
        of(StateKind::ReduceCopy, 0.5, 0.5 - 1e-9, 0.43),
        of(StateKind::ReadBlock, 0.5, 0.2, 0.43 - 1e-9),
        of(StateKind::WriteBlock, f64::NAN, 0.2, 0.43),
    ];
    let by_kind: BTreeMap<StateKind, &PeerComparison> = all.iter().filter_map(|c| Some((c.kind?, c))).collect();
    let names = ["h101", "h102", "h103", "h104"].map(String::from).to_vec();
    let peers = all.iter().map(|c| figure(c, &names)).collect();
    let report = Report { figures: Figures { peers, ..Figures::default() }, ..Report::default() };
    for node in [Some(2), Some(1), None] {
        let name = node.and_then(|node: u32| names.get(node as usize)).map(String::as_str);
        let of_page = kinds(&by_kind, node.map(NodeId));
        assert_eq!(of_page, kinds_of_report(&of_report(&report, name), name), "{name:?}");
    }
    assert_eq!(kinds(&by_kind, None).last(), Some(&StateKind::WriteBlock), "a score that is none is not the highest");
}

/// A comparison as a report carries it.
fn figure(c: &PeerComparison, names: &[String]) -> PeerFigure {
    PeerFigure {
        kind: c.kind.map_or_else(String::new, |kind| kind.name().to_owned()),
        nodes: names.to_vec(),
        counts: vec![30; names.len()],
        scores: c.nodes.iter().map(|own| fine(own.score)).collect(),
        threshold: fine(c.threshold),
        ratios: vec![10_000; names.len()],
        quartiles_s: vec![[1.0; 3]; names.len()],
        ..PeerFigure::default()
    }
}

#[test]
fn where_the_chosen_node_was_not_compared_the_accused_one_is_meant() {
    let (comparison, names) = comparison(4, 0);
    let figures = Figures { peers: vec![figure(&comparison, &names)], ..Figures::default() };
    let report = Report { figures, ..Report::default() };
    let meant = |chosen: Option<&str>, accused: &str| {
        let selection = Selection { node: chosen.map(str::to_owned), ..Selection::default() };
        let look = Look { nodes: vec![accused.to_owned()], selection, ..Look::default() };
        node_meant(&report, &look).map(str::to_owned)
    };
    assert_eq!(meant(Some("h104"), "h103").as_deref(), Some("h104"));
    assert_eq!(meant(Some("master"), "h103").as_deref(), Some("h103"));
    assert_eq!(meant(None, "h103").as_deref(), Some("h103"));
    assert_eq!(meant(Some("master"), "h999"), None, "nor was who is accused");
}

#[test]
fn who_is_chosen_is_drawn_and_marked_however_many_nodes_there_are() {
    let (comparison, names) = comparison(130, 3);
    // Nobody is less odd than this one, and the last of its kind.
    let chosen = Selection { node: Some("h227".into()), ..Selection::default() };
    let look = Look { nodes: vec!["h103".into()], width_css_px: 700.0, selection: chosen, ..Look::default() };
    for view in View::PEERS {
        let scene = lay_out(view, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look);
        for (name, as_what) in [("h227", Role::Ink), ("h103", Role::Culprit)] {
            let named = scene.marks.iter().any(
                |mark| matches!(mark, Mark::Text { text, role, .. } if text.starts_with(name) && *role == as_what),
            );
            assert!(named, "{name} in {}", scene.name);
        }
    }
}

#[test]
fn the_begin_of_a_fault_is_marked_where_time_is_the_axis() {
    let (comparison, names) = comparison(4, 5);
    let at = |s: i64| comparison.windows[0].interval.end.plus_millis(s * 1000);
    let peers = Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc };
    let marked = |view, since: &[(&str, i64)]| -> Vec<String> {
        let fault =
            |(node, s): &(&str, i64)| FaultTime { node: (*node).into(), since: Some(at(*s)), until: Some(at(s + 2)) };
        let faults = since.iter().map(fault).collect();
        let scene = lay_out(view, peers, &Look { faults, width_css_px: 600.0, ..Look::default() });
        let ends = |text: &str| ["since", "until"].iter().any(|end| text.ends_with(end));
        let text = |mark: &Mark| match mark {
            Mark::Text { text, role: Role::Culprit, .. } if ends(text) => Some(text.clone()),
            _ => None,
        };
        let lines = scene.marks.iter().filter(|mark| matches!(mark, Mark::Line { role: Role::Culprit, .. })).count();
        let texts: Vec<String> = scene.marks.iter().filter_map(text).collect();
        assert_eq!(lines, texts.len());
        texts
    };
    assert_eq!(marked(View::PeersTime, &[("h103", 45)]), ["since", "until"]);
    let two = marked(View::PeersTime, &[("h103", 45), ("h101", 110)]);
    assert_eq!(two, ["h103 since", "h103 until", "h101 since", "h101 until"]);
    assert!(marked(View::PeersTime, &[("h103", -45)]).is_empty(), "before the axis begins");
    assert!(marked(View::Peers, &[("h103", 45)]).is_empty(), "no axis of time");
}

#[test]
fn caption_moves_everything_below_it() {
    let scene = scene(View::PeersDistance, 3, 0, 240.0);
    let captioned = scene.captioned("oddnode, run r06");
    assert_eq!(captioned.size.1 - scene.size.1, captioned.rasters[0].at.1 - scene.rasters[0].at.1);
    // A title that is too long for a phone, and a line of provenance.
    let caption = &captioned.marks[scene.marks.len()..];
    assert_eq!(caption.len(), 3);
    for mark in caption {
        let Mark::Text { at, text, size_css_px, .. } = mark else { panic!("a text") };
        assert!(text.len() as f32 * 0.58 * size_css_px < 240.0, "{text} fits");
        assert!(at.1 < captioned.size.1 - scene.size.1);
    }
}

#[test]
fn svg_holds_names_as_text_and_no_markup_of_theirs() {
    let (comparison, mut names) = comparison(3, 2);
    names[2] = "<script>&\"".into();
    let look = Look { kind: None, nodes: Vec::new(), width_css_px: 400.0, ..Look::default() };
    let svg = to_svg(
        &lay_out(View::Peers, Peers { comparison: &comparison, names: &names, zone: TimeZone::Utc }, &look),
        &Theme::light(),
    );
    let svg = svg.unwrap();
    assert!(svg.contains("&lt;script&gt;&amp;&quot;") && !svg.contains("<script"));
}
