use super::*;
use crate::base::{AttemptId, FileId, JobId, NodeId, Place, TaskLetter};
use crate::model::{Outcome, StateKind, States, TaskAttempt, TaskType};
use crate::scene::{Mark, Selection};

fn state(kind: StateKind, start: Option<i64>, end: i64, attempt: Option<AttemptId>) -> State {
    State {
        start: start.map(Timestamp::from_millis),
        job: attempt.map(|id| id.job),
        attempt,
        outcome: Some(Outcome::Success),
        ..State::made(kind, NodeId(0), (0, end), 1)
    }
}

fn drawn(trace: &Trace, view: View, selection: Selection) -> Scene {
    let lanes = Lanes::of(trace, view, Order::Start, None, None);
    let look = Look { width_css_px: 400.0, selection, ..Look::default() };
    let mut chosen = None;
    Chosen::renew(&mut chosen, trace, &look, |_, _| Moved::default());
    lay_out(view, &[Run { trace, lanes: &lanes, name: "", chosen: chosen.as_ref() }], &look)
}

fn texts(scene: &Scene) -> Vec<&str> {
    let text = |mark: &'_ Mark| matches!(mark, Mark::Text { .. });
    let marks = scene.marks.iter().filter(|mark| text(mark));
    marks.map(|mark| if let Mark::Text { text, .. } = mark { text.as_str() } else { "" }).collect()
}

#[test]
fn what_has_no_begin_is_counted() {
    let states = [
        state(StateKind::Map, Some(1_000), 9_000, None),
        state(StateKind::Shuffle, None, 5_000, None),
        state(StateKind::Shuffle, None, 6_000, None),
        state(StateKind::ReadBlock, None, 2_000, None),
    ];
    let trace = Trace { states: States::from_rows(states), ..Trace::default() };
    let all = drawn(&trace, View::SwimlanesDetailed, Selection::default());
    let says = "Left out, as no log tells when they began: block read (1), map output served (2)";
    assert!(texts(&all).join(" ").contains(says), "{:?}", texts(&all));
    let tasks = drawn(&trace, View::Swimlanes, Selection::default());
    assert!(!texts(&tasks).join(" ").contains("Left out"), "it shows tasks alone");
    let none = Trace { states: States::from_rows(states.into_iter().skip(1)), ..Trace::default() };
    let none = drawn(&none, View::SwimlanesDetailed, Selection::default());
    assert!(texts(&none).join(" ").contains(says), "where nothing is left too");
}

/// A block's client may not be named: whether the chosen job moved it, nobody knows.
#[test]
fn what_may_be_of_the_chosen_job_is_counted() {
    let job = JobId { cluster: 1, number: 1 };
    let id = AttemptId { job, letter: TaskLetter::Map, task: 0, attempt: 0 };
    let states = [
        state(StateKind::Map, Some(1_000), 9_000, Some(id)),
        state(StateKind::ReadBlock, Some(2_000), 3_000, None),
        state(StateKind::WriteBlock, Some(20_000), 30_000, None),
    ];
    let trace = Trace { states: States::from_rows(states), ..Trace::default() };
    let left_out = |view: View, job: Option<JobId>| Lanes::of(&trace, view, Order::Start, job, None).of_no_job;
    assert_eq!(left_out(View::SwimlanesDetailed, Some(job)), [(Class::Read, 1)].into(), "and none after its end");
    assert!(left_out(View::SwimlanesDetailed, None).is_empty() && left_out(View::Swimlanes, Some(job)).is_empty());
    let lanes = Lanes::of(&trace, View::SwimlanesDetailed, Order::Start, Some(job), None);
    let look = Look { width_css_px: 400.0, ..Look::default() };
    let scene =
        lay_out(View::SwimlanesDetailed, &[Run { trace: &trace, lanes: &lanes, name: "", chosen: None }], &look);
    let says = "Left out, as no log tells of which job they are: block read (1)";
    assert!(texts(&scene).join(" ").contains(says), "{:?}", texts(&scene));
}

/// A title that wraps moves what was just clicked.
#[test]
fn title_does_not_grow_with_what_is_chosen() {
    let trace = Trace { states: States::from_rows([state(StateKind::Map, Some(0), 9_000, None)]), ..Trace::default() };
    let chosen = Selection { job: Some(JobId { cluster: 1, number: 1 }), ..Selection::default() };
    let titles = [Selection::default(), chosen].map(|selection| drawn(&trace, View::Swimlanes, selection).title);
    assert_eq!(titles[0], titles[1]);
}

#[test]
fn runs_of_unlike_length_share_one_scale() {
    const YEAR_MS: i64 = 365 * 86_400_000;
    let run = |end: i64| {
        let states = [state(StateKind::Map, Some(0), end / 4, None), state(StateKind::Map, Some(end / 2), end, None)];
        Trace { states: States::from_rows(states), ..Trace::default() }
    };
    let (long, short) = (run(YEAR_MS), run(YEAR_MS / 10));
    let [of_long, of_short] = [&long, &short].map(|trace| Lanes::of(trace, View::Swimlanes, Order::Start, None, None));
    assert!(of_long.unit_ms() > of_short.unit_ms(), "the case");
    let runs = [
        Run { trace: &long, lanes: &of_long, name: "a", chosen: None },
        Run { trace: &short, lanes: &of_short, name: "b", chosen: None },
    ];
    let scene = lay_out(View::Swimlanes, &runs, &Look { width_css_px: 1000.0, ..Look::default() });
    let widths: Vec<f32> = scene.hits.iter().map(|hit| hit.size.0).collect();
    let [quarter, half, short_quarter, short_half] = widths.as_slice() else { panic!("{widths:?}") };
    assert!((half / quarter - 2.0).abs() < 0.01, "{widths:?}");
    assert!((quarter / short_quarter - 10.0).abs() < 0.1 && (half / short_half - 10.0).abs() < 0.1, "{widths:?}");
}

/// Two names on one place could not be read.
#[test]
fn a_run_beside_one_without_tasks_is_not_drawn_and_the_other_is_named() {
    let has = Trace { states: States::from_rows([state(StateKind::Map, Some(0), 9_000, None)]), ..Trace::default() };
    let none = Trace::default();
    let told = |traces: [&Trace; 2]| {
        let lanes = traces.map(|trace| Lanes::of(trace, View::SwimlanesNodes, Order::Start, None, None));
        let run = |i: usize, name| Run { trace: traces[i], lanes: &lanes[i], name, chosen: None };
        let chosen = Selection { job: Some(JobId { cluster: 1, number: 1 }), ..Selection::default() };
        let look = Look { width_css_px: 1000.0, selection: chosen, ..Look::default() };
        let scene = lay_out(View::SwimlanesNodes, &[run(0, "before"), run(1, "now")], &look);
        (scene.title.is_empty(), texts(&scene).join(" "))
    };
    let says = "No begins and ends of tasks were read";
    assert_eq!(told([&none, &has]), (false, format!("{says} of one run: before.")));
    assert_eq!(told([&has, &none]), (false, format!("{says} of one run: now.")));
    assert_eq!(told([&none, &none]), (true, format!("{says}.")));
}

#[test]
fn an_attempt_has_one_begin_and_one_length_wherever_they_are_told() {
    let id = AttemptId { job: JobId { cluster: 1, number: 1 }, letter: TaskLetter::Map, task: 0, attempt: 0 };
    // The history's times, which differ from those of the TaskTracker's log.
    let task = TaskAttempt {
        start: Some(Timestamp::from_millis(2_100)),
        finish: Some(Timestamp::from_millis(9_000)),
        outcome: Some(Outcome::Success),
        ..TaskAttempt::of(id, TaskType::Map, Place { file: FileId(0), line: 7 })
    };
    let states = States::from_rows([state(StateKind::Map, Some(1_000), 9_000, Some(id))]);
    let trace = Trace { states, tasks: vec![task], ..Trace::default() };
    let scene = drawn(&trace, View::Swimlanes, Selection { attempt: Some(id), ..Selection::default() });
    let told = "1970-01-01 00:00:01 to 00:00:09 UTC, 8 s, success";
    assert!(scene.hits.iter().any(|hit| hit.says.iter().any(|says| says == told)), "{:?}", scene.hits);
    assert!(texts(&scene).contains(&told), "{:?}", texts(&scene));
    let rows = scene.table.rows.iter().map(|row| row.get(2..4).unwrap());
    assert_eq!(rows.collect::<Vec<_>>(), vec![["1970-01-01 00:00:01 UTC", "8.0"]; 2]);
    assert_eq!(scene.table.headers[0], "kind", "a single run has no name to tell");
}

#[test]
fn what_still_runs_breaks_up_at_its_right_end_near_and_far() {
    let running = State { open: true, outcome: None, ..state(StateKind::Map, Some(0), 90_000, None) };
    let ended = state(StateKind::Map, Some(0), 60_000, None);
    let gaps = |scene: &Scene| {
        let is_gap = |mark: &&Mark| matches!(mark, Mark::Rect { role: Role::Surface, .. });
        scene.marks.iter().filter(is_gap).count()
    };
    let of = |states: Vec<State>| Trace { states: States::from_rows(states), ..Trace::default() };
    let few = [ended, running].map(|state| drawn(&of(vec![state; 2]), View::Swimlanes, Selection::default()));
    assert_eq!(few.each_ref().map(gaps), [2, 6], "two in the legend, and two of each that runs");
    assert!(texts(&few[0]).contains(&"still running"));
    assert_eq!(few[1].table.rows[0][4], "still running");
    let many = drawn(&of(vec![running; 400]), View::Swimlanes, Selection::default());
    let raster = many.rasters.first().unwrap();
    let line = raster.shades.chunks(raster.columns as usize).next().unwrap();
    assert!(
        line.ends_with(&[Class::Map, Class::Open, Class::Open, Class::Open, Class::Open].map(|class| class as u8)),
        "{line:?}"
    );
    assert!(many.hits[0].says.contains(&String::from("still running: 17")), "{:?}", many.hits[0].says);
    assert!(many.hits[0].says[0].starts_with("17 intervals"), "{:?}", many.hits[0].says);
}

#[test]
fn low_intervals_that_were_killed_keep_the_hue_of_their_kind() {
    let mut scene = Scene::default();
    near::shape(&mut scene, Class::Killed, (0.0, 0.0), (100.0, 4.0));
    let widths = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Frame { width_css_px, .. } => Some(*width_css_px),
        _ => None,
    });
    assert_eq!(widths.collect::<Vec<_>>(), [1.0], "half of it is its own");
}
