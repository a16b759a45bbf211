use super::*;
use crate::base::{FileId, Place, TaskLetter};
use crate::model::{States, TaskType};

fn state(node: u32, start: i64, end: i64, outcome: Outcome) -> State {
    State {
        job: Some(JobId { cluster: 1, number: 1 }),
        outcome: Some(outcome),
        ..State::made(StateKind::Map, NodeId(node), (start, end), 0)
    }
}

fn trace() -> Trace {
    let rows = vec![
        state(0, 1000, 5000, Outcome::Success),
        state(0, 2000, 3000, Outcome::Failed),
        state(0, 3000, 9000, Outcome::Success),
        state(1, 4000, 4500, Outcome::Killed),
    ];
    Trace { states: States::from_rows(rows), ..Trace::default() }
}

fn listed(lanes: &Lanes, rows: std::ops::Range<usize>, within: (u32, u32)) -> Vec<(u32, u32, Class)> {
    let mut found = Vec::new();
    lanes.each(rows, within, |lane| found.push((lane.start, lane.end, lane.class)));
    found
}

#[test]
fn rows_stand_in_the_order_asked_for() {
    let starts = |order| listed(&Lanes::of(&trace(), View::Swimlanes, order, None, None), 0..4, (0, u32::MAX));
    assert_eq!(
        starts(Order::Start),
        [(0, 4000, Class::Map), (1000, 2000, Class::Failed), (2000, 8000, Class::Map), (3000, 3500, Class::Killed)]
    );
    assert_eq!(
        starts(Order::End),
        [(1000, 2000, Class::Failed), (3000, 3500, Class::Killed), (0, 4000, Class::Map), (2000, 8000, Class::Map)]
    );
    assert_eq!(
        starts(Order::Duration),
        [(2000, 8000, Class::Map), (0, 4000, Class::Map), (1000, 2000, Class::Failed), (3000, 3500, Class::Killed)]
    );
}

#[test]
fn what_still_runs_has_its_own_class_and_says_so() {
    let mut running = state(0, 1000, 5000, Outcome::Success);
    (running.outcome, running.open) = (None, true);
    let ended = state(0, 1000, 6000, Outcome::Success);
    let trace = Trace { states: States::from_rows(vec![running, ended]), ..Trace::default() };
    let lanes = Lanes::of(&trace, View::Swimlanes, Order::Start, None, None);
    let mut found = Vec::new();
    lanes.each(0..2, (0, u32::MAX), |lane| found.push((lane.class, lane.open)));
    assert_eq!(found, [(Class::Map, true), (Class::Map, false)]);
    assert_eq!(lanes.longest.iter().map(|lane| lane.open).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn tasks_of_a_node_share_rows_without_overlap() {
    let lanes = Lanes::of(&trace(), View::SwimlanesNodes, Order::Start, None, None);
    assert_eq!(lanes.rows(), 3);
    assert_eq!(lanes.nodes, [(Some(NodeId(0)), 0), (Some(NodeId(1)), 2)]);
    assert_eq!(
        listed(&lanes, 1..2, (0, 9000)),
        [(1000, 2000, Class::Failed), (2000, 8000, Class::Map)],
        "the slot is free at 3000"
    );
    assert_eq!(listed(&lanes, 1..2, (2001, 9000)), [(2000, 8000, Class::Map)]);
    assert_eq!(listed(&lanes, 0..3, (8001, 9000)), []);
}

#[test]
fn what_does_not_reach_into_a_stretch_has_no_row_and_the_axis_stays() {
    let within = |from: i64, to: i64| {
        let stretch = Some((Timestamp::from_millis(from), Timestamp::from_millis(to)));
        Lanes::of(&trace(), View::Swimlanes, Order::Start, None, stretch)
    };
    let lanes = within(4_600, 6_000);
    assert_eq!(listed(&lanes, 0..2, (0, u32::MAX)), [(0, 4000, Class::Map), (2000, 8000, Class::Map)]);
    assert_eq!((lanes.len(), lanes.longest.len(), lanes.units() as i64), (2, 2, 8_000));
    assert!(within(9_500, 9_900).is_empty());
}

#[test]
fn a_year_fits_in_32_bits() {
    let year = 365 * 86_400_000;
    let rows = vec![state(0, 0, 1000, Outcome::Success), state(0, year - 1000, year, Outcome::Success)];
    let lanes = Lanes::of(
        &Trace { states: States::from_rows(rows), ..Trace::default() },
        View::Swimlanes,
        Order::Start,
        None,
        None,
    );
    assert_eq!(lanes.unit_ms(), 8);
    assert_eq!(lanes.time(lanes.units()).millis(), year);
    assert_eq!(listed(&lanes, 0..2, (0, 1)).len(), 1);
}

#[test]
fn an_attempt_begun_beside_another_is_speculative() {
    let task = |attempt, start: i64, finish: i64| TaskAttempt {
        start: Some(Timestamp::from_millis(start)),
        finish: Some(Timestamp::from_millis(finish)),
        ..TaskAttempt::of(
            AttemptId { job: JobId { cluster: 1, number: 1 }, letter: TaskLetter::Map, task: 7, attempt },
            TaskType::Map,
            Place { file: FileId(0), line: 0 },
        )
    };
    let of = |second: i64| {
        let trace = Trace { tasks: vec![task(0, 0, 100), task(1, second, 300)], ..Trace::default() };
        speculative(&trace, None).len()
    };
    let third = Trace { tasks: vec![task(0, 0, 100), task(1, 30, 40), task(2, 45, 90)], ..Trace::default() };
    assert_eq!(speculative(&third, None).len(), 2, "the first still ran when the third began");
    assert_eq!((of(99), of(100)), (1, 0), "begun after the first had ended it is a second try");
}
