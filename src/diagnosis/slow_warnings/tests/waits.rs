//! Who is waited for: fetches that never end, and connections that take a second.

use super::*;

/// Fetches that never ended: by whom, of whom, and for how many seconds; 0 for one that failed.
fn waited(fetches: &[(u32, u32, u64)]) -> Trace {
    let of = |(by, of, _): &(u32, u32, u64)| (ComplaintKind::FetchFailed, *by, *of);
    let mut trace = cluster(&fetches.iter().map(of).collect::<Vec<_>>());
    for (c, (.., seconds)) in trace.complaints.iter_mut().zip(fetches) {
        c.at = Timestamp::from_millis(200_000);
        c.took_ms = Some(seconds * 1000).filter(|ms| *ms > 0);
    }
    trace
}

#[test]
fn node_for_which_reduces_of_three_peers_wait_until_they_end_is_named() {
    let strengths = |fetches: &[(u32, u32, u64)]| {
        accused(&waited(fetches)).into_iter().map(|(_, node, strength)| (node, strength)).collect::<Vec<_>>()
    };
    let three = [(0, 2, 110), (1, 2, 90), (3, 2, 100)];
    assert_eq!(strengths(&three), [(2, Strength::Strong)]);
    assert_eq!(strengths(&[three[0], three[1], (3, 2, 0)]), [(2, Strength::Moderate)], "one failed: two wait");
    assert_eq!(strengths(&[(0, 2, 110), (0, 2, 90), (0, 2, 100)]), [], "one peer alone");
    let many = [three; 4].concat();
    assert_eq!(
        strengths(&[many.as_slice(), &[(4, 0, 70)]].concat()),
        [(2, Strength::Moderate)],
        "one waits for another"
    );
    assert_eq!(strengths(&[many.as_slice(), &[(4, 0, 0)]].concat()), [(2, Strength::Strong)]);
    let word = &SlowWarnings.run(&waited(&three), &Params::default())[0].indicted[0];
    assert_eq!(word.since, Some(Timestamp::from_millis(90_000)), "when the first of them began");
    assert_eq!(
        word.text,
        "h2 could not be fetched from, or could not fetch: 3 lines in the logs of h0, h1, h3, \
         3 of them of fetches that never ended (90 s and more); every such line involves it"
    );
}

#[test]
fn waits_have_passed_where_fetches_since_are_quick() {
    let until = |fetches: &[(u32, u32, u64)], flows: usize, start_ms: i64, ms: i64| {
        let start = Some(Timestamp::from_millis(start_ms));
        let flow = Flow { kind: FlowKind::Shuffle, start, dest: Some(0), ..from(2, start_ms + ms) };
        let trace = Trace { flows: Lanes::from_rows(vec![flow; flows]), ..waited(fetches) };
        SlowWarnings.run(&trace, &Params::default())[0].indicted[0].until
    };
    let three = [(0, 2, 110), (1, 2, 90), (3, 2, 100)];
    assert_eq!(until(&three, 8, 200_001, 30_000), Some(Timestamp::from_millis(200_000)));
    assert_eq!(until(&three, 7, 200_001, 30_000), None);
    assert_eq!(until(&three, 8, 200_000, 30_000), None, "one that began before may have been let through");
    assert_eq!(until(&three, 8, 200_001, 30_001), None, "a third of the shortest wait");
    assert_eq!(until(&[three[0], three[1], (3, 2, 0)], 8, 200_001, 10), None, "one failed, and may again");
}

/// What is said where each node fetched from each other, or those of `pairs`, and some waited for their connection: by whom,
/// and for whom.
fn slow_to_connect(pairs: Option<&[(u32, u32)]>, waits: &[(u32, u32)]) -> Vec<(u32, Strength)> {
    let each_other: Vec<(u32, u32)> = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).collect();
    let fetch = |(src, dest): &(u32, u32)| Flow { kind: FlowKind::Shuffle, dest: Some(*dest), ..from(*src, 1000) };
    let said = waits.iter().map(|(by, of)| (ComplaintKind::SlowConnect, *by, *of)).collect::<Vec<_>>();
    // Ten times each.
    let flows = Lanes::from_rows(pairs.unwrap_or(&each_other).repeat(10).iter().map(fetch));
    let mut trace = Trace { flows, ..cluster(&said) };
    trace.complaints.iter_mut().for_each(|c| c.took_ms = Some(1000));
    accused(&trace).into_iter().map(|(_, node, strength)| (node, strength)).collect()
}

#[test]
fn waits_of_fetches_count_beside_the_nodes_part_of_all_fetches() {
    let waits = [(0, 2), (1, 2), (2, 3), (3, 2), (4, 2), (2, 4)];
    assert_eq!(slow_to_connect(None, &waits), [(2, Strength::Moderate)]);
    assert_eq!(slow_to_connect(None, &waits[..3]), [], "0.4 of all, three times, at one of five nodes: p = 0.32");
    // All of them fetched for one reduce: it is an end of whatever waits.
    let one_reduce: Vec<(u32, u32)> = (0..5).map(|src| (src, 2)).collect();
    assert_eq!(slow_to_connect(Some(&one_reduce), &waits), []);
    assert_eq!(slow_to_connect(Some(&[]), &waits), [], "of fetches that nothing else tells of");
}

#[test]
fn node_to_which_three_peers_reduces_wait_for_connections_is_named() {
    use Strength::{Moderate, Strong};
    let seven = [(0, 2), (1, 2), (3, 2), (3, 2), (2, 0), (2, 3), (2, 4)];
    assert_eq!(slow_to_connect(None, &seven), [(2, Strong)], "p = 0.008, and its own wait for others");
    assert_eq!(slow_to_connect(None, &seven[..6]), [(2, Moderate)], "p = 0.02");
    let two_peers = [(0, 2), (1, 2), (1, 2), (1, 2), (2, 0), (2, 3), (2, 4)];
    assert_eq!(slow_to_connect(None, &two_peers), [(2, Moderate)]);
    let twice = [seven, seven].concat();
    assert_eq!(slow_to_connect(None, &twice), [(2, Strong)]);
    assert_eq!(
        slow_to_connect(None, &[twice.as_slice(), &[(0, 4)]].concat()),
        [(2, Moderate)],
        "one waits for another"
    );
}

/// What is said where each of five nodes passed as many blocks on to each other, and some hops waited for their connection.
fn slow_mirrors(connections: u32, waits: &[(u32, u32)]) -> Vec<(u32, Strength)> {
    let pairs =
        (0..5).flat_map(|from| (0..5).map(move |to| (NodeId(from), NodeId(to)))).filter(|(from, to)| from != to);
    let said = waits.iter().map(|(by, of)| (ComplaintKind::SlowMirror, *by, *of)).collect::<Vec<_>>();
    let mirrors = pairs.map(|(from, to)| Mirrors { from, to, connections }).collect();
    let words = accused(&Trace { mirrors, ..cluster(&said) });
    words.into_iter().map(|(_, node, strength)| (node, strength)).collect()
}

#[test]
fn node_of_write_pipelines_that_wait_for_connections_is_named() {
    use Strength::{Moderate, Strong};
    let at_2 = [(0, 2), (2, 1), (3, 2), (2, 4), (1, 2), (2, 0), (4, 2)];
    assert_eq!(slow_mirrors(10, &at_2[..4]), [], "0.4 of all, four times, at one of five: p = 0.12");
    assert_eq!(slow_mirrors(10, &at_2[..6]), [(2, Moderate)], "p = 0.018");
    assert_eq!(slow_mirrors(10, &at_2), [(2, Strong)], "p = 0.007");
    assert_eq!(slow_mirrors(10, &[(0, 2), (2, 0), (0, 2), (2, 0), (0, 2), (2, 0), (0, 2)]), [], "either end may be it");
    assert_eq!(
        slow_mirrors(10, &[(0, 2), (2, 0), (0, 2), (2, 0), (1, 2), (2, 1), (0, 2)]),
        [(2, Moderate)],
        "two peers"
    );
}

#[test]
fn of_many_write_pipelines_some_wait_anywhere() {
    // Ten of some 1,600 at one node, and ten of 2,400 at the others.
    let noise: Vec<(u32, u32)> = [(0, 1), (1, 3), (3, 4), (4, 0), (0, 3)].repeat(2);
    let at_2: Vec<(u32, u32)> = (0..10).flat_map(|_| [(0, 2), (2, 1), (3, 2), (2, 4)]).collect();
    let with = |own: usize| slow_mirrors(200, &[&noise[..], &at_2[..own]].concat());
    assert_eq!(with(10), [], "1.5 times as often as elsewhere");
    assert_eq!(with(40), [(2, Strength::Strong)], "six times");
    // Waits of fetches all begin with their reduce.
    assert_eq!(slow_to_connect(None, &[&noise[..], &at_2[..]].concat()), []);
}
