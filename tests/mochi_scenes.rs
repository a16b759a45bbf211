//! Swimlanes and data flows as data: what a reader sees of made jobs and of a real run.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod jobs_made;
mod scene_lines;

use jobs_made::{Job, Logs, Made, trace};
use oddnode::base::Timestamp;
use oddnode::draw::{Theme, svg::to_svg};
use oddnode::model::Trace;
use oddnode::pipeline::mochi::MochiScenes;
use oddnode::scene::search::search;
use oddnode::scene::swimlanes::{Class, Lanes, Order, Run, lay_out};
use oddnode::scene::{Hit, Look, MARK_BUDGET, Mark, Palette, Role, Scene, Selection, View, Viewport};
use scene_lines::lines;

fn look(width_css_px: f32) -> Look {
    Look { width_css_px, ..Look::default() }
}

fn map(node: usize, start: i64, end: i64) -> Made {
    Made { node, start, end, read: 1_024_000, from: node, ..Made::default() }
}

/// Two nodes, four Maps of which one failed and one was killed, two Reduces.
fn small() -> Job {
    let status = |status, made: Made| Made { status, ..made };
    Job {
        name: "small",
        number: 1,
        launch: 1_000,
        finish: 62_000,
        maps: vec![
            map(0, 2_000, 12_000),
            status("FAILED", map(0, 3_000, 9_000)),
            status("KILLED", map(1, 2_500, 20_000)),
            map(1, 13_000, 19_000),
        ],
        reduces: (0..2)
            .map(|node| Made {
                node,
                start: 10_000,
                copied: 40_000,
                sorted: 42_000,
                end: 60_000,
                written: 500_000,
                from: node,
                ..Made::default()
            })
            .collect(),
        sends: vec![vec![100_000, 300_000], vec![], vec![], vec![200_000, 200_000]],
        reduce_slots: None,
    }
}

fn large(maps: usize, nodes: usize) -> Trace {
    let at = |i: usize| (i / (2 * nodes)) as i64 * 9_000;
    let job = Job {
        name: "large",
        number: 1,
        launch: 0,
        finish: at(maps) + 60_000,
        maps: (0..maps)
            .map(|i| Made {
                status: if i % 997 == 5 { "FAILED" } else { "" },
                read: 0,
                ..map(i % nodes, at(i), at(i) + 8_000 + (i % 7) as i64 * 100)
            })
            .collect(),
        ..Job::default()
    };
    trace(&[job], nodes, Logs::Histories)
}

fn scene(view: View, t: &Trace, look: &Look) -> Scene {
    MochiScenes::default().lay_out(view, t, look).unwrap()
}

#[test]
fn each_figure_of_a_small_job() {
    let t = trace(&[small()], 2, Logs::All);
    for view in View::SWIMLANES.into_iter().chain(View::FLOWS) {
        let scene = scene(view, &t, &look(700.0));
        assert!(
            !scene.hits.is_empty() && !scene.table.rows.is_empty() && !scene.how_to_read.is_empty(),
            "{}",
            scene.name
        );
        to_svg(&scene, &Theme::light()).unwrap();
        insta::assert_snapshot!(view.name(), lines(&scene));
    }
}

#[test]
fn failed_and_killed_have_shapes_of_their_own() {
    let t = trace(&[small()], 2, Logs::All);
    let s = scene(View::Swimlanes, &t, &look(700.0));
    // Above the legend: a line from corner to corner, and one through the middle.
    let plot = s.plot.unwrap();
    let inside = |y: f32| y < plot.at.1 + plot.size.1;
    let lines = s.marks.iter().filter_map(|m| match m {
        Mark::Line { from, to, role: Role::Ink } if inside(from.1) && inside(to.1) && from.0 < to.0 => {
            Some(from.1 == to.1)
        }
        _ => None,
    });
    let mut lines: Vec<bool> = lines.collect();
    lines.sort_unstable();
    assert_eq!(lines, [false, true]);
    let says = |hit: &Hit, what: &str| hit.says.iter().any(|s| s.contains(what));
    assert_eq!(s.hits.iter().filter(|h| says(h, "failed")).count(), 1);
    assert_eq!(s.hits.iter().filter(|h| says(h, "killed")).count(), 1);
}

#[test]
fn the_chosen_attempt_is_told_with_its_bytes_and_its_line() {
    let t = trace(&[small()], 2, Logs::All);
    let attempt = t.tasks.iter().find(|t| t.counters.hdfs_read.get() == Some(1_024_000)).map(|t| t.id);
    let chosen = Look { selection: Selection { attempt, ..Selection::default() }, ..look(700.0) };
    let s = scene(View::Swimlanes, &t, &chosen);
    let texts: Vec<&str> = s
        .marks
        .iter()
        .filter_map(|m| if let Mark::Text { text, .. } = m { Some(text.as_str()) } else { None })
        .collect();
    assert!(texts.contains(&"by the logs' transfers: read 1 MB, sent to Reduces 400 kB"), "{texts:?}");
    assert!(texts.contains(&"by its own counters: read 1 MB, map output 400 kB"), "{texts:?}");
    assert!(texts.iter().any(|t| t.contains("history/") && t.contains(", line ")), "{texts:?}");
    assert!(s.marks.iter().any(|m| matches!(m, Mark::Frame { role: Role::Ink, .. })));
    // The path of that attempt, from its block on.
    let path = scene(View::FlowsPath, &t, &chosen);
    assert!(path.table.rows[0][0].starts_with("blk_"), "{:?}", path.table.rows);
    assert!(
        path.table.rows.iter().any(|r| r[1].starts_with("read: 1 MB, n1 → n1 (by client id)")),
        "{:?}",
        path.table.rows
    );
}

#[test]
fn what_is_kept_between_frames_tells_the_same_as_what_is_made_anew() {
    let t = trace(&[small(), Job { name: "other", number: 2, ..small() }], 2, Logs::All);
    let mut kept = MochiScenes::default();
    let ids = t.tasks.iter().map(|t| Some(t.id)).chain([None]);
    for attempt in ids {
        let look = Look { selection: Selection { attempt, ..Selection::default() }, ..look(700.0) };
        // The flow of the other job is at hand, or that of this one, or none.
        for view in [View::Swimlanes, View::FlowsPath, View::Swimlanes, View::SwimlanesDetailed] {
            assert_eq!(kept.lay_out(view, &t, &look), Some(scene(view, &t, &look)), "{attempt:?}");
        }
    }
}

#[test]
fn paths_are_named_in_full_on_a_phone() {
    let t = trace(&[small()], 2, Logs::All);
    let s = scene(View::FlowsPaths, &t, &look(328.0));
    let text = |m: &'_ Mark| if let Mark::Text { text, .. } = m { Some(text.clone()) } else { None };
    let said = s.marks.iter().filter_map(text).collect::<Vec<_>>().join(" ");
    assert!(!said.contains('…'), "{said}");
    let names: Vec<&str> = s.hits.iter().map(|hit| hit.says[0].as_str()).collect();
    assert!(names.iter().any(|name| name.ends_with(", critical")));
    for name in names {
        assert!(said.contains(name), "{name} in {said}");
    }
}

#[test]
fn who_stands_out_has_a_bar_of_its_own_and_the_others_set_no_scale() {
    let maps = (0..100).map(|i| map(i % 50, 2_000, 12_000)).collect();
    let job = Job { name: "wide", number: 1, launch: 1_000, finish: 62_000, maps, ..Job::default() };
    let t = trace(&[job], 50, Logs::Histories);
    let look = Look { nodes: vec!["n47".into()], ..look(700.0) };
    let chosen = Selection { node: Some("n49".into()), ..Selection::default() };
    let s = scene(View::FlowsDiagram, &t, &Look { selection: chosen, ..look });
    let says = |wanted: &str| s.marks.iter().any(|m| matches!(m, Mark::Text { text, .. } if text.starts_with(wanted)));
    assert!(says("n47") && says("n49") && says("Longest: read 2 MB, "), "two Maps of 1 MB on each node");
    let others = s.hits.iter().find(|hit| hit.says[0] == "34 others").unwrap();
    assert!(others.says[1].contains(" each "), "{:?}", others.says);
}

#[test]
fn what_nothing_was_read_of_is_no_byte() {
    let s = scene(View::FlowsDiagram, &large(8, 2), &look(700.0));
    let longest = s.marks.iter().find_map(|m| match m {
        Mark::Text { text, .. } if text.starts_with("Longest") => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(longest, Some("Longest: read 0 B, written 0 B; thickest: 0 B"));
}

#[test]
fn a_chosen_stretch_is_marked_where_its_times_are_at_any_zoom() {
    let t = trace(&[small()], 2, Logs::All);
    let whole = scene(View::Swimlanes, &t, &look(700.0)).plot.unwrap();
    let (from, to) = whole.times_ms.unwrap();
    let at = |share: f64| Timestamp::from_millis(from + ((to - from) as f64 * share) as i64);
    let chosen = Selection { span: Some((at(0.25), at(0.75))), ..Selection::default() };
    let bar = |x: (f64, f64)| {
        let viewport = Viewport { x, ..Viewport::WHOLE };
        let s = scene(View::Swimlanes, &t, &Look { selection: chosen.clone(), viewport, ..look(700.0) });
        let share = |px: f32| f64::from((px - whole.at.0) / whole.size.0);
        s.marks.iter().find_map(|m| match m {
            Mark::Rect { at, size, role: Role::Ink } if at.1 == whole.at.1 => Some((share(at.0), share(at.0 + size.0))),
            _ => None,
        })
    };
    let near = |found: Option<(f64, f64)>, (begin, end): (f64, f64)| {
        let (left, right) = found.unwrap();
        assert!((left - begin).abs() < 0.005 && (right - end).abs() < 0.005, "{left} to {right}, not {begin} to {end}");
    };
    near(bar((0.0, 1.0)), (0.25, 0.75));
    near(bar((0.5, 1.0)), (0.0, 0.5));
    assert_eq!(bar((0.8, 1.0)), None);
}

#[test]
fn from_afar_rows_are_pixels_and_failures_are_seen() {
    let t = large(20_000, 50);
    for view in [View::Swimlanes, View::SwimlanesNodes] {
        let far = scene(view, &t, &look(1200.0));
        let raster = &far.rasters[0];
        assert_eq!(raster.palette, Palette::Roles(Class::ALL.map(Class::role).to_vec()));
        assert!(
            far.marks.len() < 400
                && raster.shades.contains(&(Class::Failed as u8))
                && !raster.shades.contains(&(Class::Killed as u8)),
            "{}",
            far.name
        );
        let told: u64 = far
            .hits
            .iter()
            .filter_map(|h| h.says[0].split(' ').next()?.replace('\u{202f}', "").parse::<u64>().ok())
            .sum();
        assert_eq!(told, 20_000, "{}", far.name);
        // A hundredth of both ways is near: marks with their numbers.
        let mut near = look(1200.0);
        near.viewport = Viewport { x: (0.5, 0.51), y: (0.5, 0.502) };
        let near = scene(view, &t, &near);
        assert!(
            near.rasters.is_empty() && near.hits.iter().all(|h| h.says[0].starts_with("Map on n")),
            "{}",
            near.name
        );
    }
}

#[test]
fn marks_stay_within_the_plot_and_the_budget_at_every_zoom() {
    let t = large(20_000, 50);
    let mut scenes = MochiScenes::default();
    for view in View::SWIMLANES {
        for step in 0..18 {
            let span = 1.0 / f64::from(1_u32 << step);
            for (from_x, from_y) in [(0.0, 0.0), (0.37, 0.5), (1.0 - span, 1.0 - span)] {
                let part = |from: f64| (from.min(1.0 - span), from.min(1.0 - span) + span);
                let mut look = look(900.0);
                look.viewport = Viewport { x: part(from_x), y: part(from_y) };
                let s = scenes.lay_out(view, &t, &look).unwrap();
                assert!(s.marks.len() < MARK_BUDGET && s.hits.len() < MARK_BUDGET);
                let plot = s.plot.unwrap();
                for hit in &s.hits {
                    let end = (hit.at.0 + hit.size.0, hit.at.1 + hit.size.1);
                    assert!(hit.at.0 >= plot.at.0 - 0.1 && end.0 <= plot.at.0 + plot.size.0 + 0.1, "{hit:?}");
                    assert!(hit.at.1 >= plot.at.1 - 0.1 && end.1 <= plot.at.1 + plot.size.1 + 0.1, "{hit:?}");
                }
            }
        }
    }
}

#[test]
fn two_runs_stand_one_above_the_other_on_one_axis() {
    let before = trace(&[small()], 2, Logs::Histories);
    let mut job = small();
    // The second run begins an hour later and takes half the time.
    for made in job.maps.iter_mut().chain(&mut job.reduces) {
        let half = |ms: i64| 3_600_000 + ms / 2;
        (made.start, made.end) = (half(made.start), half(made.end));
        (made.copied, made.sorted) = (half(made.copied), half(made.sorted));
    }
    let after = trace(&[job], 2, Logs::Histories);
    let lanes = [&before, &after].map(|t| Lanes::of(t, View::Swimlanes, Order::Start, None, None));
    let runs = [
        Run { trace: &before, lanes: &lanes[0], name: "before", chosen: None },
        Run { trace: &after, lanes: &lanes[1], name: "after", chosen: None },
    ];
    let s = lay_out(View::Swimlanes, &runs, &look(704.0));
    let reduces: Vec<&Hit> = s.hits.iter().filter(|h| h.says[0].starts_with("Reduce")).collect();
    assert_eq!(reduces.len(), 4);
    assert!(reduces[0].at.1 < reduces[2].at.1, "the first run above");
    let right = |h: &Hit| h.at.0 + h.size.0 - s.plot.unwrap().at.0;
    assert!((right(reduces[0]) - 2.0 * right(reduces[2])).abs() < 2.0, "half as long on the same axis");
    assert!(s.marks.iter().any(|m| matches!(m, Mark::Text { text, .. } if text == "after")));
    assert_eq!(s.plot.unwrap().times_ms, None, "there is no common time to choose");
}

#[test]
fn no_tasks_are_said_to_be_none() {
    let empty = Trace::default();
    for view in View::SWIMLANES.into_iter().chain(View::FLOWS) {
        let s = scene(view, &empty, &look(600.0));
        assert!(s.table.rows.is_empty());
        to_svg(&s, &Theme::dark()).unwrap();
    }
    assert!(MochiScenes::default().lay_out(View::System, &empty, &look(600.0)).is_none());
}

#[test]
fn three_hundred_nodes_fit() {
    let mut job = small();
    job.maps = (0..600).map(|i| map(i % 300, 2_000, 12_000 + (i % 13) as i64)).collect();
    job.reduces = (0..300)
        .map(|node| Made { node, start: 10_000, copied: 40_000, sorted: 42_000, end: 60_000, ..Made::default() })
        .collect();
    job.sends = vec![vec![10; 300]; 600];
    let t = trace(&[job], 300, Logs::All);
    for view in View::SWIMLANES.into_iter().chain(View::FLOWS) {
        for width in [320.0, 1200.0] {
            let s = scene(view, &t, &look(width));
            assert!(
                s.marks.len() <= MARK_BUDGET && s.hits.len() <= MARK_BUDGET && s.size.1 < 2_000.0,
                "{} {}",
                s.name,
                s.size.1
            );
        }
    }
}

#[test]
fn names_and_ids_are_found() {
    let job = Job { name: "Sorting Hat", ..small() };
    let t = trace(&[job], 2, Logs::All);
    let names = |words: &str| search(&t, words).rows.into_iter().map(|f| f.name).collect::<Vec<_>>();
    assert_eq!(names("N1"), ["n1"], "letters of either size");
    assert_eq!(names("ting h"), ["job_202611202200_0001"]);
    assert_eq!(names("application_202611202200_0001")[0], "job_202611202200_0001");
    assert_eq!(names(" attempt_202611202200_0001_m_000002_0 "), ["attempt_202611202200_0001_m_000002_0"]);
    assert_eq!(names("task_202611202200_0001_r_000001"), ["attempt_202611202200_0001_r_000001_0"]);
    assert_eq!(names("_r_00000").len(), 2);
    assert!(names("n").is_empty() && names("").is_empty() && names("nobody").is_empty());
    let found = search(&t, "blk_1000001");
    assert!(!found.rows.is_empty() && found.rows.iter().all(|f| f.name == "blk_1000001"), "{found:?}");
    assert!(found.rows[0].at.as_ref().is_some_and(|at| at.file.contains("datanode") && at.line > 0), "{found:?}");
    let attempt = &search(&t, "attempt_202611202200_0001_m_000001_0").rows[0];
    assert!(attempt.says.starts_with("on n1, ") && attempt.says.contains("(6 s), failed"), "{attempt:?}");
    assert_eq!(attempt.picks.attempt, t.tasks.iter().find(|a| a.id.task == 1).map(|a| a.id));
    // After a restart an id has two rows, on two nodes.
    let mut twice = t.clone();
    let first = twice.tasks.iter().position(|a| a.id.task == 1).unwrap();
    twice.tasks.insert(first, twice.tasks[first].clone());
    assert_eq!(search(&twice, "attempt_202611202200_0001_m_000001_0").rows.len(), 2);
    // Of many no more than a reader looks at.
    let many = large(200, 4);
    let found = search(&many, "_m_0000");
    assert_eq!((found.rows.len(), found.more), (25, 75));
}
