//! Theia's largest heatmap (T08), laid out: 1,200 jobs, each of which ran on each of 700 nodes. The
//! trace is made directly; as logs, read and drawn in a browser, it is `benches/scale_data.rs`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter, Timestamp};
use oddnode::diagnosis::Reading;
use oddnode::diagnosis::theia::Survey;
use oddnode::model::{Job, JobStatus, Node, Outcome, TaskAttempt, TaskType, Trace};
use oddnode::scene::jobs::JobsShown;
use oddnode::scene::{Look, MARK_BUDGET, Mark, Palette, Role, Scene, Viewport, cluster};

const NODES: u32 = 700;
const JOBS: u32 = 1_200;
/// Two pixels a cell (T08), and room for names and margins.
const WIDE_CSS_PX: f32 = 2_600.0;
/// A canvas of the page, on which cells share pixels.
const USUAL_CSS_PX: f32 = 1_078.0;
/// The node whose maps take three times as long, and in which jobs.
const SICK: (u32, std::ops::Range<u32>) = (417, 300..420);

fn id(job: u32) -> JobId {
    JobId { cluster: 202_611_202_124, number: job + 1 }
}

fn start_ms(job: u32) -> i64 {
    i64::from(job) * 120_000
}

/// A map of each job on each node.
fn trace() -> Trace {
    let attempt = |job: u32, node: u32| {
        let of = AttemptId { job: id(job), letter: TaskLetter::Map, task: node, attempt: 0 };
        let sick = node == SICK.0 && SICK.1.contains(&job);
        let took = (20_000 + i64::from(node * 37 % 4_001)) * if sick { 3 } else { 1 };
        let start = start_ms(job) + 500;
        TaskAttempt {
            node: Some(NodeId(node)),
            start: Some(Timestamp::from_millis(start)),
            finish: Some(Timestamp::from_millis(start + took)),
            outcome: Some(Outcome::Success),
            ..TaskAttempt::of(of, TaskType::Map, Place { file: FileId(0), line: u64::from(node) })
        }
    };
    let job = |number: u32| Job {
        start: Some(Timestamp::from_millis(start_ms(number))),
        finish: Some(Timestamp::from_millis(start_ms(number) + 90_000)),
        ..Job::of(id(number), JobStatus::Success)
    };
    Trace {
        nodes: (0..NODES).map(|i| Node { name: format!("cloud{i:03}"), is_peer: true }).collect(),
        jobs: (0..JOBS).map(job).collect(),
        tasks: (0..JOBS).flat_map(|job| (0..NODES).map(move |node| (job, node))).map(|(j, n)| attempt(j, n)).collect(),
        ..Trace::default()
    }
}

/// Indices of the cells of the heatmap itself, row by row, and its columns.
fn cells(scene: &Scene) -> (&[u8], usize) {
    let raster = &scene.rasters[0];
    assert_eq!(raster.shades.len(), (raster.columns * raster.rows) as usize);
    (&raster.shades, raster.columns as usize)
}

#[test]
fn all_cells_of_the_largest_heatmap_are_there_and_within_the_budget() {
    let trace = trace();
    let peers: Vec<NodeId> = trace.peer_nodes().collect();
    let survey = Survey::of(&trace, &peers, Reading::Usual);
    let shown = JobsShown::new(&trace, &survey, Reading::Usual, &[], &[]);
    let mut kept = None;
    let mut lay_out = |width_css_px: f32, viewport: Viewport| {
        let look = Look { width_css_px, viewport, ..Look::default() };
        let scene = cluster::lay_out(&shown, &look, &mut kept);
        assert!(scene.marks.len() < MARK_BUDGET / 4, "{} marks", scene.marks.len());
        assert!(scene.rasters.iter().all(|raster| raster.shades.len() <= (NODES * JOBS) as usize));
        scene
    };

    let whole = lay_out(WIDE_CSS_PX, Viewport::default());
    let (all, columns) = cells(&whole);
    assert_eq!((all.len(), columns), (840_000, JOBS as usize));
    // 0 is a node that ran nothing: there is none.
    assert!(all.iter().all(|cell| *cell > 0));
    let Palette::Roles(roles) = &whole.rasters[0].palette else { panic!("roles") };
    assert_eq!(roles[0], Role::Idle);
    let darkest = *all.iter().max().unwrap();
    let dark = |cells: &[u8], columns: usize| -> Vec<(usize, usize)> {
        let at = cells.iter().enumerate().filter(|(_, cell)| **cell > darkest / 2);
        at.map(|(i, _)| (i / columns, i % columns)).collect()
    };
    let (row, jobs) = (SICK.0 as usize, SICK.1.clone().map(|job| job as usize));
    assert_eq!(dark(all, columns), jobs.map(|job| (row, job)).collect::<Vec<_>>(), "the run of dark cells, alone");
    assert!(whole.summed_up, "of so many a table tells sums");

    // On a canvas of the page a pixel shows the darkest of the cells that it stands for.
    let folded = lay_out(USUAL_CSS_PX, Viewport::default());
    let (some, columns) = cells(&folded);
    let fold = JOBS as usize / columns;
    assert_eq!((some.len(), fold), (NODES as usize * columns, 2));
    let halves = (SICK.1.start as usize / fold..SICK.1.end as usize / fold).map(|column| (row, column));
    assert_eq!(dark(some, columns), halves.collect::<Vec<_>>());

    // Near, each cell carries its number, and there are no more of them than are seen.
    let part = |at: u32, of: u32, count: u32| (f64::from(at) / f64::from(of), f64::from(at + count) / f64::from(of));
    let near = lay_out(USUAL_CSS_PX, Viewport { x: part(300, JOBS, 12), y: part(410, NODES, 14) });
    assert_eq!(cells(&near).0.len(), 12 * 14);
    let numbers =
        near.marks.iter().filter(|mark| matches!(mark, Mark::Text { text, .. } if text.parse::<f32>().is_ok()));
    assert!(numbers.count() >= 12 * 14);
}
