//! The system view as data: what a reader sees of hand-made samples.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

mod scene_lines;

use oddnode::base::{Interval, NodeId, Timestamp};
use oddnode::diagnosis::kahuna_bb::{NO_PROFILE, NodeProfile, SystemComparison};
use oddnode::diagnosis::{Comparison, Indictment, Method, Signal, Strength, Witness};
use oddnode::draw::{Theme, svg::to_svg};
use oddnode::model::{Metric, Node, Sample, Samples, Trace};
use oddnode::scene::system::{Marks, has_something, lay_out};
use oddnode::scene::{Look, MARK_BUDGET, Mark, Role, Scene, Selection, Viewport};
use scene_lines::lines;

const START_MS: i64 = 1_795_227_871_000;

fn at(second: i64) -> Timestamp {
    Timestamp::from_millis(START_MS + second * 1000)
}

/// Samples each `step` seconds; `value` of node, second and metric.
fn trace(nodes: u32, seconds: i64, step: i64, value: impl Fn(u32, i64, usize) -> f64) -> Trace {
    let rows = (0..nodes).flat_map(|node| {
        let value = &value;
        (0..seconds).step_by(step as usize).map(move |second| Sample {
            node: NodeId(node),
            at: at(second),
            values: std::array::from_fn(|metric| value(node, second, metric)),
        })
    });
    Trace {
        nodes: (0..nodes).map(|i| Node { name: format!("h{}", 101 + i), is_peer: true }).collect(),
        samples: Samples::from_rows(rows.collect()),
        ..Trace::default()
    }
}

fn look(width_css_px: f32) -> Look {
    Look { kind: None, nodes: vec!["h102".into()], width_css_px, ..Look::default() }
}

fn polylines(scene: &Scene, wanted: Role) -> Vec<&Vec<(f32, f32)>> {
    let lines = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Polyline { points, role } if *role == wanted => Some(points),
        _ => None,
    });
    lines.collect()
}

fn compared(profiles: impl IntoIterator<Item = (NodeId, Vec<u8>)>) -> SystemComparison {
    let of_node = |(node, profiles)| NodeProfile { node, profiles, ..NodeProfile::default() };
    SystemComparison {
        window: 60,
        share: 0.6,
        nodes: profiles.into_iter().map(of_node).collect(),
        start: at(0),
        period_ms: 1000,
        profile_count: 2,
        stride: 1,
        ..Default::default()
    }
}

#[test]
fn black_box_fills_stripes_and_bars() {
    let trace = trace(3, 120, 1, |_, second, _| second as f64);
    let mut c = compared((0..3).map(|i| (NodeId(i), vec![u8::from(i == 1); 120])));
    for (i, own) in c.nodes.iter_mut().enumerate() {
        own.scores = vec![Some(if i == 1 { 0.9 } else { 0.1 }); 120];
    }
    // The first node is not measured from 60 s to 90 s.
    c.nodes[0].profiles[60..90].fill(NO_PROFILE);
    c.nodes[0].missing = 30;
    c.metrics = vec![Metric::User, Metric::System];
    c.unmeasured = vec![Metric::Faults];
    let indictment = Indictment {
        node: NodeId(1),
        strength: Strength::Strong,
        score: 0.9,
        ratio: 2.0,
        p: None,
        text: String::new(),
        lines: Vec::new(),
        since: None,
        until: None,
    };
    let witness = Witness {
        threshold: Some(0.5),
        indicted: vec![indictment],
        comparison: Some(Comparison::System(Box::new(c))),
        ..Witness::new(Method::KahunaBb, Signal::OwnProfiles)
    };
    let witnesses = [witness];
    let marks = Marks::of(&witnesses);
    assert_eq!(marks.indicted, [(NodeId(1), Interval::new(at(0), at(120)))]);
    let scene = lay_out(&trace, &marks, &look(900.0), &mut None);
    let stripes: Vec<&Vec<u8>> = scene.rasters.iter().map(|raster| &raster.shades).collect();
    assert_eq!(stripes.iter().map(|s| s.len()).collect::<Vec<_>>(), [120, 120, 120], "a column a second");
    assert!((60..90).all(|column| stripes[0][column] == 0), "nothing measured is no profile");
    assert!((0..60).chain(90..120).all(|column| stripes[0][column] == 24));
    assert!(stripes[1].iter().all(|shade| *shade == 255));
    let bars = scene.marks.iter().filter(|mark| matches!(mark, Mark::Rect { role: Role::Culprit, .. }));
    assert_eq!(bars.count(), 2, "its own and the legend's");
    for told in ["told apart by user, system;", "not measured on all nodes: fault.", "Without a sample: h101 30 s."] {
        assert!(scene.how_to_read.contains(told), "{}", scene.how_to_read);
    }
    assert!(Marks::of(&[]).profiles.is_none());
}

#[test]
fn two_nodes_with_a_gap_an_indictment_and_profiles() {
    // The second node's processor is busy from 4 s on; nobody measured waiting; 6 and 7 s lack.
    let value = |node: u32, second: i64, metric: usize| match metric {
        _ if (6..8).contains(&second) => f64::NAN,
        2 => f64::NAN,
        0 => {
            if node == 1 && second >= 4 {
                90.0
            } else {
                10.0
            }
        }
        _ => f64::from(node) + second as f64,
    };
    let trace = trace(2, 12, 1, value);
    let compared = compared([(NodeId(1), (0..12).map(|s| u8::from(s >= 4)).collect())]);
    let indicted = vec![(NodeId(1), Interval::new(at(5), at(11)))];
    let mut scene = lay_out(&trace, &Marks { profiles: Some(&compared), indicted }, &look(600.0), &mut None);
    // Those of one metric stand for the others'. Few enough for one each, a hit a sample.
    assert_eq!(scene.hits.len(), 2 * 14 * 12 + 1);
    scene.hits.retain(|hit| hit.says[0].ends_with(": system") || hit.says[0].ends_with("indicted"));
    scene.hits.truncate(14);
    scene.how_to_read.clear();
    insta::assert_snapshot!(lines(&scene));
}

#[test]
fn labels_stand_on_their_lines_and_lanes_without_are_named_above_them() {
    let texts = |scene: &Scene| -> Vec<(f32, String)> {
        let text = |mark: &Mark| match mark {
            Mark::Text { at, text, .. } => Some((at.1, text.clone())),
            _ => None,
        };
        scene.marks.iter().filter_map(text).collect()
    };
    let few = lay_out(&trace(1, 200, 1, |_, _, _| 0.0), &Marks::default(), &look(900.0), &mut None);
    let (label, _) = texts(&few).into_iter().find(|(_, text)| text == "system, %").unwrap();
    let line = polylines(&few, Role::Node)[1][0].1;
    assert!((0.0..6.0).contains(&(line - label)), "its own line lies just below the middle of the label");
    assert_eq!(few.hits.len(), 14 * 200, "a moment each");
    for (nodes, rasters) in [(20, 0), (60, 60 * 14 + 1)] {
        let many = lay_out(&trace(nodes, 200, 1, |_, _, _| 1.0), &Marks::default(), &look(900.0), &mut None);
        let told = texts(&many);
        assert!(told[0].1.starts_with("Lanes of each node, from above: user, "), "{:?}", told[0]);
        let first = told.iter().find(|(_, text)| text == "h102").unwrap().0;
        assert!(told[0].0 < first && many.rasters.len() == rasters && many.hits.len() <= 4_032);
    }
}

#[test]
fn lines_break_where_nothing_was_measured() {
    let value = |_, second: i64, metric| if metric == 0 && !(10..20).contains(&second) { 5.0 } else { f64::NAN };
    let scene = lay_out(&trace(1, 40, 1, value), &Marks::default(), &look(800.0), &mut None);
    let lines = polylines(&scene, Role::Node);
    assert_eq!(lines.len(), 2);
    // Nothing is drawn between the end of the first and the begin of the second.
    assert!(lines[1][0].0 - lines[0].last().unwrap().0 > 100.0);
}

#[test]
fn each_column_spans_from_its_least_to_its_greatest_value() {
    // 3600 samples on some 600 columns, one peak.
    let value = |_, second: i64, metric| match (metric, second) {
        (0, 1800) => 100.0,
        (0, _) => 20.0,
        _ => f64::NAN,
    };
    let scene = lay_out(&trace(1, 3600, 1, value), &Marks::default(), &look(800.0), &mut None);
    let line = polylines(&scene, Role::Node)[0];
    assert!(line.len() < 700, "{} points", line.len());
    let highest = line.iter().map(|p| p.1).fold(f32::MAX, f32::min);
    assert_eq!(line.iter().filter(|p| p.1 == highest).count(), 1);
}

#[test]
fn sixty_four_nodes_of_a_day_stay_within_the_budget() {
    // A sample a minute stands for one a second: columns are fewer than either.
    let trace = trace(64, 86_400, 60, |node, second, metric| f64::from(node) + (second % 977) as f64 + metric as f64);
    for width in [320.0, 1200.0] {
        let scene = lay_out(&trace, &Marks::default(), &look(width), &mut None);
        assert!(scene.marks.len() <= MARK_BUDGET && scene.hits.len() <= MARK_BUDGET);
        let points: usize = polylines(&scene, Role::Node).iter().map(|line| line.len()).sum();
        let cells: usize = scene.rasters.iter().map(|raster| raster.shades.len()).sum();
        assert!(points + cells < 64 * 14 * 1200, "{points} points, {cells} cells");
        assert!(scene.size.1 < 16_000.0, "{} high", scene.size.1);
        assert_eq!(scene.table.rows.len(), 64 * 14);
        for hit in &scene.hits {
            assert!(hit.at.0 >= 0.0 && hit.at.0 + hit.size.0 <= width + 0.1);
        }
    }
}

#[test]
fn hundred_nodes_are_close_together_with_their_names_beside_them() {
    let scene = lay_out(&trace(100, 10, 5, |node, _, _| f64::from(node)), &Marks::default(), &look(900.0), &mut None);
    assert!(scene.size.1 < 6_000.0, "{} high", scene.size.1);
    assert!(!scene.how_to_read.contains("more nodes"), "all are shown");
    // The first is the scale.
    let lanes: Vec<f32> = scene.rasters.iter().skip(1).map(|lane| lane.at.1).collect();
    assert_eq!(lanes.len(), 100 * 14);
    let named = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Text { at, text, .. } if text.starts_with('h') => Some(at.1),
        _ => None,
    });
    let named: Vec<f32> = named.collect();
    assert_eq!(named.len(), 100);
    assert!(named.iter().zip(lanes.chunks(14)).all(|(y, lanes)| (lanes[0]..lanes[13]).contains(y)));
}

#[test]
fn culprit_stays_where_nodes_are_too_many() {
    let trace = trace(300, 10, 5, |node, _, _| f64::from(node));
    let indicted = vec![(NodeId(299), Interval::new(at(0), at(5)))];
    let scene = lay_out(&trace, &Marks { indicted, ..Marks::default() }, &look(900.0), &mut None);
    let shown = |name: &str| scene.hits.iter().any(|hit| hit.node.as_deref() == Some(name));
    assert!(shown("h400") && shown("h102") && !shown("h399"));
    assert!(scene.how_to_read.contains("172 more nodes"));
    assert_eq!(scene.table.rows.len(), 300 * 14);
}

#[test]
fn pointer_is_told_values_and_time() {
    let scene = lay_out(&trace(1, 120, 1, |_, second, _| second as f64), &Marks::default(), &look(800.0), &mut None);
    let hit = scene.hits[0].clone();
    assert_eq!(hit.says, ["h101: user", "0 %", "2026-11-21 02:24:31 to 02:24:31 UTC"]);
    let middle = (hit.at.0 + hit.size.0 / 2.0, hit.at.1 + hit.size.1 / 2.0);
    assert_eq!(scene.hit_at(middle), Some(0));
}

#[test]
fn nothing_measured_says_so() {
    let trace = trace(0, 0, 1, |_, _, _| 0.0);
    assert!(!has_something(&trace));
    let scene = lay_out(&trace, &Marks::default(), &look(400.0), &mut None);
    assert!(scene.table.rows.is_empty() && scene.hits.is_empty());
    to_svg(&scene, &Theme::dark()).unwrap();
}

#[test]
fn zooming_shows_the_samples_of_a_part_and_marks_the_chosen_time() {
    // One peak of a second in an hour.
    let trace = trace(3, 3600, 1, |_, second, _| if second == 1800 { 90.0 } else { 10.0 });
    let whole = lay_out(&trace, &Marks::default(), &look(900.0), &mut None);
    let plot = whole.plot.unwrap();
    assert_eq!(plot.shown, Viewport::WHOLE);
    assert!(plot.least.0 < 0.01 && plot.least.1 == 1.0, "{:?}", plot.least);
    let near = Look {
        viewport: Viewport { x: (0.499, 0.501), ..Viewport::WHOLE },
        selection: Selection { span: Some((at(1800), at(1801))), ..Selection::default() },
        ..look(900.0)
    };
    let near = lay_out(&trace, &Marks::default(), &near, &mut None);
    assert_eq!(near.plot.unwrap().shown.x, (0.499, 0.501));
    // 7.2 seconds are shown: a point a second, and one more where the line goes up and down.
    let points = polylines(&near, Role::Node).iter().map(|points| points.len()).max().unwrap();
    assert!((7..=10).contains(&points), "{points}");
    let verticals =
        near.marks.iter().filter(|mark| matches!(mark, Mark::Line { from, to, role: Role::Ink } if from.0 == to.0));
    assert_eq!(verticals.count(), 2);
    // The table is of the chosen time, whatever part is shown.
    assert_eq!(whole.table.rows[0][3..], ["3600", "10", "10.02", "90"]);
    assert_eq!(near.table.rows[0][3..], ["2", "10", "50", "90"]);
}
