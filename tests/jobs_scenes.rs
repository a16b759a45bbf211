//! Heatmap, stream and detail of a real run with a sick node.
//!
//! The data are those of `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod jobs_made;
mod shared;

use jobs_made::{Job, Logs, Made};
use oddnode::base::JobId;
use oddnode::diagnosis::Params;
use oddnode::diagnosis::Reading;
use oddnode::pipeline::{self, Views};
use oddnode::report::link::{self, Size};
use oddnode::scene::carried::Carried;
use oddnode::scene::jobs::JobFilter;
use oddnode::scene::{Hit, Look, Mark, Role, Scene, Selection, View};

const WIDTH_CSS_PX: f32 = 900.0;

/// A Map on each of these nodes, and a Reduce on the first; later nodes are slower and read more.
fn job(number: u32, nodes: usize) -> Job {
    let launch = i64::from(number) * 1_000_000;
    let made = |node: usize, end: i64| Made { node, start: launch, end: launch + end, from: node, ..Made::default() };
    let map = |node: usize| Made { read: 1_000_000 * (node as u64 + 1), ..made(node, 20_000 + 1_000 * node as i64) };
    let reduce = Made { copied: launch + 30_000, sorted: launch + 31_000, written: 4_000_000, ..made(0, 40_000) };
    Job {
        name: "made",
        number,
        launch,
        finish: launch + 900_000,
        maps: (0..nodes).map(map).collect(),
        reduces: vec![reduce],
        sends: Vec::new(),
        reduce_slots: None,
    }
}

fn views(jobs: &[Job], nodes: usize, theia: Reading) -> Views {
    let digest = jobs_made::digest(&jobs_made::files(jobs, nodes, Logs::Histories));
    Views::new(pipeline::analyse(&digest, &Params { theia, ..Params::default() }))
}

fn id(number: u32) -> JobId {
    JobId::parse(format!("job_202611202200_{number:04}").as_bytes()).unwrap()
}

fn chosen(number: u32, jobs: JobFilter) -> Look {
    let selection = Selection { job: Some(id(number)), ..Selection::default() };
    Look { width_css_px: WIDTH_CSS_PX, selection, jobs: Box::new(jobs), ..Look::default() }
}

fn texts(scene: &Scene) -> Vec<&str> {
    let texts = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// What the table says in a column of the first row that begins so.
fn told<'a>(scene: &'a Scene, row: &[&str], column: &str) -> &'a str {
    let at = scene.table.headers.iter().position(|header| header == column).unwrap();
    scene
        .table
        .rows
        .iter()
        .find(|cells| cells.iter().zip(row).all(|(cell, text)| cell == text))
        .unwrap()
        .get(at)
        .unwrap()
}

/// What a link carries draws the same as the logs do, but for lines of logs that are not there.
#[test]
fn full_link_draws_jobs_and_tasks_as_the_logs_do() {
    let jobs: Vec<Job> = (1..=12).map(|number| job(number, 5)).collect();
    for theia in [Reading::Usual, Reading::Literal] {
        let views = views(&jobs, 5, theia);
        let (link, _) = link::encode_within(&views.analysis().report, Size::Full);
        let report = link::decode(&link.fragment).unwrap();
        let carried = Carried::of(&report);
        assert_eq!((link.left_out.as_slice(), carried.views().len()), (&[][..], 10));
        // Flows of another job are said not to be there.
        let other = carried.lay_out(&report, View::FlowsMatrix, &chosen(2, JobFilter::default()));
        assert!(texts(&other).join(" ").starts_with("This report carries the flows of"), "{:?}", texts(&other));
        for look in [Look { width_css_px: WIDTH_CSS_PX, ..Look::default() }, chosen(7, JobFilter::default())] {
            // Of flows it has those of one job, and of its paths the groups.
            let is_same = |view: &&View| {
                !View::FLOWS.contains(*view) || (look.selection.job.is_none() && **view != View::FlowsPaths)
            };
            for view in carried.views().iter().filter(is_same) {
                let mut of_logs = views.lay_out(*view, &look);
                assert!(!of_logs.title.is_empty() && !of_logs.hits.is_empty(), "{view:?}");
                if std::mem::take(&mut of_logs.log_columns) > 0 {
                    let is_cut = |header: &String| ["error", "file"].contains(&header.as_str());
                    let columns = of_logs.table.headers.iter().position(is_cut).unwrap();
                    of_logs.table.headers.truncate(columns);
                    of_logs.table.rows.iter_mut().for_each(|row| row.truncate(columns));
                }
                let of_link = carried.lay_out(&report, *view, &look);
                assert!(of_link == of_logs, "{view:?}: {:?} and {:?}", texts(&of_link), texts(&of_logs));
            }
        }
    }
}

#[test]
fn stream_goes_to_the_chosen_job_unless_the_reader_turned_away() {
    let jobs: Vec<Job> = (1..=30).map(|number| job(number, 3)).collect();
    let views = views(&jobs, 3, Reading::Usual);
    let stream = |jobs: JobFilter| views.lay_out(View::JobsStream, &chosen(25, jobs));
    let has = |scene: &Scene| scene.table.rows.iter().any(|row| row.first() == Some(&id(25).to_string()));
    let there = stream(JobFilter::default());
    assert_eq!((there.from, there.after, has(&there)), (20, 0, true));
    let is_mark = |m: &&Mark| matches!(m, Mark::Line { role: Role::Ink, .. });
    assert_eq!(there.marks.iter().filter(is_mark).count(), 1, "its header is underlined");
    assert_eq!(stream(JobFilter { from: 18, ..JobFilter::default() }).from, 18, "it is in sight there");
    let elsewhere = stream(JobFilter { turned: true, ..JobFilter::default() });
    assert_eq!((elsewhere.from, elsewhere.after, has(&elsewhere)), (0, 18, false));
    assert_eq!(views.lay_out(View::JobsStream, &Look::default()).from, 0);
}

#[test]
fn maps_are_those_of_the_chosen_job() {
    let views = views(&[job(1, 4), job(2, 3), job(3, 1)], 4, Reading::Usual);
    for view in [View::PeersStripes, View::PeersCorrelation] {
        let of = |look: &Look| views.lay_out(view, look);
        assert!(of(&Look { width_css_px: WIDTH_CSS_PX, ..Look::default() }).title.contains(&id(1).to_string()));
        assert!(of(&chosen(2, JobFilter::default())).title.contains(&id(2).to_string()), "{}", view.name());
        let none = of(&chosen(3, JobFilter::default()));
        assert!(none.title.contains(&id(3).to_string()));
        assert!(texts(&none).concat().contains("Too few Maps of this job"), "{:?}", texts(&none));
    }
    let numbered = views.lay_out(View::PeersCorrelation, &chosen(1, JobFilter::default()));
    assert!(["1", "2", "n1 1", "n2 2"].iter().all(|text| texts(&numbered).contains(text)), "{:?}", texts(&numbered));
}

#[test]
fn figures_of_a_chosen_job_without_tasks_keep_their_title_and_speak_of_it() {
    let views = views(&[job(1, 4), job(2, 3)], 4, Reading::Usual);
    let (mut titles, says) = (Vec::new(), format!("No task of {} is known.", id(99)));
    for view in View::SWIMLANES.into_iter().chain(View::FLOWS) {
        let scene = views.lay_out(view, &chosen(99, JobFilter::default()));
        assert_eq!(texts(&scene).join(" "), says, "{}", view.name());
        let usual = views.lay_out(view, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
        let begin = |scene: &Scene| scene.title.split([':', ' ']).next().unwrap().to_owned();
        assert_eq!(begin(&scene), begin(&usual), "{}", view.name());
        assert!(View::SWIMLANES.contains(&view) || scene.title.contains(&id(99).to_string()), "{}", scene.title);
        titles.push(scene.title);
    }
    for view in [View::PeersStripes, View::PeersCorrelation] {
        titles.push(views.lay_out(view, &chosen(99, JobFilter::default())).title);
    }
    titles.sort_unstable();
    let all = titles.len();
    titles.dedup();
    assert_eq!(titles.len(), all, "{titles:?}");
}

#[test]
fn what_ran_and_cannot_be_compared_is_no_job_that_ran_nothing() {
    let views = views(&[job(1, 3), job(2, 2)], 3, Reading::Usual);
    let heatmap = views.lay_out(View::Cluster, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
    let of = |node: &str, column: &str| told(&heatmap, &[node], column).to_owned();
    let second = id(2).to_string();
    assert_eq!([of("n1", "jobs it ran"), of("n3", "jobs it ran")], ["2", "1"]);
    assert_eq!([of("n1", "jobs that ran nothing there"), of("n3", "jobs that ran nothing there")], ["0", "1"]);
    assert_eq!([of("n1", "jobs not comparable"), of("n3", "jobs not comparable")], ["1", "0"]);
    assert_eq!([of("n1", &second), of("n3", &second)], ["not comparable", ""]);
    assert!(texts(&heatmap).contains(&"not comparable"), "the legend");
    assert!(texts(&heatmap).contains(&"Job ID (sorted by start time)"));
    let says = |hit: &&Hit| hit.says.get(1).is_some_and(|says| says.starts_with("maps: not comparable; 1 ok"));
    assert!(heatmap.hits.iter().any(|hit| says(&hit)));
}

#[test]
fn to_the_letter_a_node_has_one_score_in_a_job_and_it_is_not_divided() {
    let views = views(&[job(1, 4)], 4, Reading::Literal);
    let stream = views.lay_out(View::JobsStream, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
    let of = |side: &str, column: &str| told(&stream, &[&id(1).to_string(), side, "n1"], column).to_owned();
    assert_eq!(of("maps", "score"), of("reduces", "score"));
    // Mean times 30, 21, 22 and 23 s: mean 24, sd √12.5. Bytes 5, 2, 3 and 4 MB: mean 3.5, sd √1.25.
    assert_eq!([of("maps", "z duration"), of("reduces", "z volume")], ["1.697", "1.342"]);
    let Some(archive) = shared::data("hadoop1/r01.tar.gz") else { return };
    let params = Params { theia: Reading::Literal, ..Params::default() };
    let views = Views::new(pipeline::analyse(&shared::digest_of(&archive), &params));
    let heatmap = views.lay_out(View::Cluster, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
    let scores = ["h101", "h102", "h103", "h104", "h105", "h106"].map(|node| {
        let score: f64 = told(&heatmap, &[node], "highest score").parse().unwrap();
        (100.0 * score).round() as u32
    });
    assert_eq!(scores, [43, 61, 36, 35, 222, 41], "(|z| of duration · volume · failures) to the third root");
    assert!(texts(&heatmap).iter().any(|text| text.starts_with("2.2")), "the strongest colour is the highest score");
}

#[test]
fn squares_of_maps_and_reduces_have_one_scale() {
    let views = views(&[job(1, 4)], 4, Reading::Usual);
    let detail = views.lay_out(View::JobsDetail, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
    let squares: Vec<&Hit> = detail.hits.iter().filter(|hit| hit.node.is_some()).collect();
    let side = |at: usize| squares.get(at).unwrap().size.0;
    // Maps of 4, 3, 2 and 1 MB, and a Reduce of 4 MB.
    assert_eq!((squares.len(), side(0), side(4), side(3)), (5, 64.0, 64.0, 32.0));
    let says = |at: usize| squares.get(at).unwrap().says.last().unwrap().as_str();
    assert_eq!(
        [says(0), says(4), says(3)],
        ["28.6 % of the job's I/O", "28.6 % of the job's I/O", "7.1 % of the job's I/O"]
    );
}

#[test]
fn squares_with_room_are_named_and_what_is_below_one_is_explained() {
    let views = views(&[job(1, 5)], 5, Reading::Usual);
    let look = Look { width_css_px: WIDTH_CSS_PX, nodes: vec!["n3".into()], ..Look::default() };
    let detail = views.lay_out(View::JobsDetail, &look);
    let names = || texts(&detail).into_iter().filter(|text| text.starts_with('n') && text.len() == 2);
    assert_eq!(names().collect::<Vec<_>>(), ["n5", "n4", "n3", "n2", "n1", "n1"], "of Maps, and of the Reduce");
    let role = |name: &str| {
        let of = |m: &Mark| matches!(m, Mark::Text { text, .. } if text == name);
        detail.marks.iter().find(|m| of(m)).map(|m| if let Mark::Text { role, .. } = m { *role } else { Role::Ink })
    };
    assert_eq!([role("n3"), role("n2")], [Some(Role::Culprit), Some(Role::Faint)]);
    let explained = |look: &Look| {
        let views = [View::JobsStream, View::JobsDetail].map(|view| views.lay_out(view, look));
        views.map(|scene| texts(&scene).contains(&"named by the verdict"))
    };
    let unnamed = Look { nodes: Vec::new(), ..look.clone() };
    assert_eq!([explained(&look), explained(&unnamed)], [[true; 2], [false; 2]]);
    // A square that is hardly told from the ground has an edge.
    let stream = views.lay_out(View::JobsStream, &look);
    let edges = stream.marks.iter().filter(|m| matches!(m, Mark::Frame { role: Role::Faint, .. })).count();
    assert!(edges >= 3, "{edges}");
}

#[test]
fn each_of_many_nodes_has_a_square_and_small_ones_keep_their_strokes() {
    const NODES: usize = 1_000;
    let mut large = job(1, NODES);
    for (status, at) in [("FAILED", 5), ("KILLED", 6)] {
        large.maps.get_mut(at).unwrap().status = status;
    }
    let views = views(&[large, job(2, 3)], NODES, Reading::Usual);
    for width_css_px in [1_078.0, 300.0] {
        let stream = views.lay_out(View::JobsStream, &Look { width_css_px, ..Look::default() });
        let maps = |hit: &&Hit| hit.says.first().is_some_and(|side| side == "Maps");
        let squares: Vec<&Hit> = stream.hits.iter().filter(maps).take(NODES).collect();
        assert_eq!(squares.iter().filter_map(|hit| hit.node.as_ref()).count(), NODES);
        assert!(squares.iter().all(|hit| hit.at.0 + hit.size.0 <= width_css_px && hit.size.0 >= 7.0));
        let below = squares.iter().map(|hit| hit.at.1 + hit.size.1).fold(0.0, f32::max);
        let reduces = stream.hits.iter().find(|hit| hit.says.first().is_some_and(|side| side == "Reduces")).unwrap();
        assert!(below <= reduces.at.1, "a row ends before the next begins");
        let strokes = |m: &&Mark| matches!(m, Mark::Line { role: Role::On(_), .. });
        assert_eq!(stream.marks.iter().filter(strokes).count(), 6, "two and one, as in the legend");
        assert!(stream.size.1 > below);
    }
}

/// Whoever ran nothing is not known to be well (T24, X10).
#[test]
fn margin_of_a_node_that_ran_nothing_is_no_score() {
    let digest = jobs_made::digest(&jobs_made::files(&[job(1, 3)], 4, Logs::All));
    let views = Views::new(pipeline::analyse(&digest, &Params::default()));
    let heatmap = views.lay_out(View::Cluster, &Look { width_css_px: WIDTH_CSS_PX, ..Look::default() });
    let margin = |node: &str| {
        let is_margin = |hit: &&Hit| hit.node.as_deref() == Some(node) && hit.picks.is_none();
        heatmap.hits.iter().find(is_margin).unwrap().says.get(1).unwrap().clone()
    };
    assert!(margin("n1").starts_with("mean score 0."), "{}", margin("n1"));
    assert_eq!(margin("n4"), "ran nothing of these jobs: nothing is known");
    let strip = heatmap.rasters.iter().find(|raster| (raster.columns, raster.rows) == (1, 4)).unwrap();
    let row = heatmap.table.rows.iter().position(|row| row.first().is_some_and(|name| name == "n4")).unwrap();
    assert_eq!(strip.shades.get(row), Some(&0), "as grey as its row");
}

/// A job that hangs has an attempt that goes on to the logs' end (T17).
#[test]
fn attempt_that_still_runs_lasts_until_the_logs_end() {
    let mut files = jobs_made::files(&[job(1, 3)], 3, Logs::Histories);
    for (_, text) in &mut files {
        let is_open =
            |line: &&str| !line.contains("FINISH_TIME") || !(line.starts_with("Job ") || line.contains("_m_000002_0"));
        *text = text.lines().filter(is_open).map(|line| format!("{line}\n")).collect();
    }
    let views = Views::new(pipeline::analyse(&jobs_made::digest(&files), &Params::default()));
    let detail = views.lay_out(View::JobsDetail, &chosen(1, JobFilter::default()));
    let open = detail.table.rows.iter().find(|row| row.first().is_some_and(|id| id.contains("_m_000002_"))).unwrap();
    assert_eq!((open.get(2).unwrap().as_str(), open.get(4).unwrap().as_str()), ("running", "40.0"), "{open:?}");
    let shades = detail.marks.iter().filter(|m| matches!(m, Mark::Rect { role: Role::Shade(_), .. })).count();
    assert!(shades >= 3 * 5, "its node's square has five stripes as the others' have: {shades}");
}

#[test]
fn failing_node_is_darkest_and_crossed() {
    let Some(archive) = shared::data("hadoop1/r12.tar.gz") else { return };
    let views = Views::new(pipeline::analyse(&shared::digest_of(&archive), &Params::default()));
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let heatmap = views.lay_out(View::Cluster, &look);
    let score = |node: &str| {
        let row = heatmap.table.rows.iter().find(|row| row.first().is_some_and(|n| n == node)).unwrap();
        row.get(3).unwrap().parse::<f64>().unwrap()
    };
    assert!((101..=106).filter(|n| *n != 102).all(|n| score(&format!("h{n}")) < score("h102")));
    let cell = |row: &Vec<String>| row.last().cloned();
    let told: Vec<_> =
        heatmap.table.rows.iter().filter(|row| row.first().is_some_and(|n| n == "h102")).map(cell).collect();
    assert_eq!(heatmap.table.headers.last().unwrap(), "job_202611202137_0001", "few jobs have a column each");
    assert_eq!(told, [Some(format!("{:.3}", score("h102")))]);
    assert!(!heatmap.summed_up && views.lay_out(View::CoverageMap, &look).summed_up);
    assert_eq!(heatmap.hits.iter().filter(|hit| hit.picks.is_some()).count(), 6, "one cell a node");
    let is_time = |m: &&Mark| matches!(m, Mark::Text { text, .. } if text.ends_with(" UTC"));
    assert_eq!(heatmap.marks.iter().filter(is_time).count(), 1, "one job begins once");
    let stream = views.lay_out(View::JobsStream, &look);
    let header = "job_202611202137_0001 / sorter -- SUCCESS 02:37:41 / 0h 1m 30s / Nov-21";
    assert!(stream.hits.iter().any(|hit| hit.says.first().is_some_and(|says| says == header)));
    let frames = stream.marks.iter().filter(|m| matches!(m, Mark::Frame { role: Role::Failed, .. }));
    assert_eq!(frames.count(), 2, "its own and the legend's");
    let told = stream.hits.iter().find(|hit| hit.node.as_deref() == Some("h102")).unwrap();
    assert_eq!(told.says.get(..2).unwrap(), ["Maps", "Node: h102"]);
    let detail = views.lay_out(View::JobsDetail, &look);
    assert!(detail.table.rows.first().is_some_and(|row| row.get(2).is_some_and(|outcome| outcome == "failed")));
}
