//! Each kind of complaint: from how many lines on it accuses, and in how strong a word.

use super::super::RULES;
use super::{accused, cluster, map, paused};
use crate::diagnosis::Strength::{self, Moderate, Strong};
use crate::model::ComplaintKind::{self, *};
use crate::model::{Outcome, Trace};

/// A word that a master says of a node: the fewest that accuse it, how strong these are, and how strong twenty.
const SAID: [(ComplaintKind, usize, Strength, Strength); 12] = [
    (LostNode, 1, Strong, Strong),
    (UnhealthyNode, 1, Strong, Strong),
    (NoSpace, 2, Strong, Strong),
    (BadDisk, 1, Strong, Strong),
    (TimedOut, 1, Moderate, Strong),
    (AttemptFailed, 2, Strong, Strong),
    (BadChecksum, 2, Strong, Strong),
    (Blacklisted, 1, Moderate, Moderate),
    (MapOutputLost, 3, Moderate, Moderate),
    (FetchedOutputLost, 2, Moderate, Moderate),
    (TooManyFetchFailures, 2, Moderate, Moderate),
    (SlowDisk, 5, Moderate, Moderate),
];

/// Words of connections, never strong by their number: the fewest that accuse an end.
const OF_CONNECTIONS: [(ComplaintKind, usize); 5] =
    [(FetchFailed, 3), (SlowNetwork, 5), (BrokenPipeline, 3), (WriteBroken, 3), (Unreachable, 3)];

/// Those of whose number alone nothing follows: other logs, other fetches and seconds count, too.
const BESIDE_OTHERS: [ComplaintKind; 6] = [ContainerFailed, Died, SlowConnect, SlowMirror, Paused, GcPaused];

#[test]
fn each_kind_accuses_from_its_least_number_on_and_as_strongly_as_it_may() {
    let said = |kind, times: usize| accused(&cluster(&vec![(kind, 5, 2); times]));
    let named = |kind: ComplaintKind, strength| vec![(kind.name().to_owned(), 2, strength)];
    let found = SAID.map(|(kind, least, ..)| [said(kind, least - 1), said(kind, least), said(kind, 20)]);
    let expected = SAID.map(|(kind, _, few, many)| [vec![], named(kind, few), named(kind, many)]);
    assert_eq!(found, expected);
}

#[test]
fn each_kind_of_connection_accuses_the_end_of_enough_of_them_moderately() {
    let said = |kind, times: usize| {
        let connections: Vec<_> = [0, 5].into_iter().cycle().map(|by| (kind, by, 2)).take(times).collect();
        accused(&cluster(&connections))
    };
    let named = |kind: ComplaintKind| vec![(kind.name().to_owned(), 2, Moderate)];
    let found = OF_CONNECTIONS.map(|(kind, least)| [said(kind, least - 1), said(kind, least), said(kind, 20)]);
    assert_eq!(found, OF_CONNECTIONS.map(|(kind, _)| [vec![], named(kind), named(kind)]));
}

#[test]
fn no_kind_is_weighed_unseen() {
    let seen = SAID.map(|(kind, ..)| kind).into_iter().chain(OF_CONNECTIONS.map(|(kind, _)| kind)).chain(BESIDE_OTHERS);
    let mut seen: Vec<ComplaintKind> = seen.collect();
    let mut weighed: Vec<ComplaintKind> = RULES.iter().map(|rule| rule.kind).collect();
    seen.sort_unstable();
    weighed.sort_unstable();
    assert_eq!(weighed, seen);
}

#[test]
fn fetched_outputs_whose_maps_had_to_run_again_are_strong() {
    let said = |outcomes: [Outcome; 2]| {
        let maps = || (0..).zip(outcomes).map(|(task, outcome)| map(task, 2, (0, 1), outcome));
        let mut trace = Trace { tasks: maps().collect(), ..cluster(&[(FetchedOutputLost, 5, 2); 2]) };
        for (complaint, map) in trace.complaints.iter_mut().zip(maps()) {
            complaint.attempt = Some(map.id);
        }
        accused(&trace).into_iter().map(|(.., strength)| strength).collect::<Vec<_>>()
    };
    assert_eq!(said([Outcome::Failed; 2]), [Strong]);
    assert_eq!(said([Outcome::Failed, Outcome::Success]), [Moderate]);
}

#[test]
fn stop_to_collect_garbage_is_moderate_however_long() {
    let judged = |kind: ComplaintKind, pauses: &[(u32, i64, i64)]| {
        let mut trace = paused(pauses, 600);
        trace.complaints.iter_mut().for_each(|c| c.kind = kind);
        accused(&trace)
    };
    let named = |kind: ComplaintKind, strength| vec![(kind.name().to_owned(), 2, strength)];
    let both = [(2, 100, 40), (2, 101, 40)];
    assert_eq!(judged(Paused, &both), named(Paused, Strong));
    assert_eq!(judged(GcPaused, &both), named(GcPaused, Moderate), "a heap that is too small");
    assert_eq!(judged(GcPaused, &[(2, 100, 10)]), named(GcPaused, Moderate));
    assert_eq!(judged(GcPaused, &[(2, 100, 9)]), []);
}

#[test]
fn daemon_that_died_is_moderate_however_often_and_nothing_where_others_died_too() {
    let judged = |died: &[(u32, i64, i64)]| {
        let mut trace = paused(died, 600);
        trace.complaints.iter_mut().for_each(|c| c.kind = Died);
        accused(&trace)
    };
    let named = vec![(Died.name().to_owned(), 2, Moderate)];
    assert_eq!(judged(&[(2, 100, 1)]), named);
    assert_eq!(judged(&[(2, 100, 1), (2, 200, 1), (2, 300, 1)]), named);
    assert_eq!(judged(&[(2, 100, 1), (3, 100, 1)]), [], "somebody ended both");
}
