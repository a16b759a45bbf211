//! Causes that words, system calls and metrics tell where no duration does.

use super::{FAST, cluster, signal, slowly};
use oddnode::base::{Interval, NodeId, Timestamp};
use oddnode::diagnosis::cause::{Causes, Rule, Symptoms};
use oddnode::model::{Metric, Sample, Samples, StateKind, Trace};

/// The rule that names the cause of node 1, of three that work alike, by what accuses it.
fn rule(trace: &Trace, words: &[(&str, f64)], odd: &[Interval], since: Option<Timestamp>) -> Rule {
    let slower = words.iter().map(|(name, times)| (signal(name), *times)).collect();
    let symptoms = Symptoms { since, odd: odd.to_vec(), ..slowly(&slower) };
    Causes::new(trace).of(NodeId(1), &symptoms)
}

#[test]
fn system_calls_and_complaints_tell_causes_of_their_own() {
    let trace = cluster(StateKind::Map, &[FAST; 3]);
    let by = |words: &[(&str, f64)]| rule(&trace, words, &[], None);
    assert_eq!(by(&[("Map", 2.0), ("disk-hog", 1.0)]), Rule::SlowLookups);
    assert_eq!(by(&[("Map", 2.0), ("network-hog", 1.0)]), Rule::SlowConnects);
    assert_eq!(by(&[("fetched-output-lost", 3.0)]), Rule::InputsLost);
    assert_eq!(by(&[("map-output-lost", 3.0)]), Rule::OutputsLost);
    assert_eq!(by(&[("slow-disk", 5.0)]), Rule::DiskWords);
    assert_eq!(by(&[("bad-checksum", 2.0)]), Rule::DiskWords);
    assert_eq!(by(&[("unreachable", 10.0)]), Rule::Unreachable);
    assert_eq!(by(&[("unreachable", 9.0)]), Rule::NetworkWords, "no client had given up");
    assert_eq!([by(&[("slow-connect", 11.0)]), by(&[("slow-mirror", 6.0)])], [Rule::LateToConnect; 2]);
    assert_eq!(by(&[("slow-connect", 11.0), ("fetch-failed", 3.0)]), Rule::NetworkWords);
}

#[test]
fn connections_that_wait_for_a_lost_packet_tell_more_than_a_disk_that_is_waited_for() {
    let odd = [Interval::new(Timestamp::default(), Timestamp::from_millis(100_000))];
    let sample = |node: u32| {
        let value = |metric| match metric {
            Metric::Iowait if node == 1 => 40.0,
            Metric::Iowait => 2.0,
            _ => 10.0,
        };
        Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values: Metric::ALL.map(value) }
    };
    let trace =
        Trace { samples: Samples::from_rows((0..3).map(sample).collect()), ..cluster(StateKind::Map, &[FAST; 3]) };
    let since = Some(Timestamp::default());
    let (levels, mirrors, fetches) = (("levels", 2.0), ("slow-mirror", 6.0), ("slow-connect", 6.0));
    assert_eq!(rule(&trace, &[levels], &odd, since), Rule::DiskAwaited);
    assert_eq!(rule(&trace, &[levels, mirrors], &odd, since), Rule::LateHops);
    assert_eq!(
        rule(&trace, &[levels, fetches], &odd, since),
        Rule::DiskAwaited,
        "who serves them may wait for its disk"
    );
    // Metrics that do not accuse the node are as they are by chance.
    for words in [&[mirrors][..], &[fetches], &[fetches, mirrors]] {
        assert_eq!(rule(&trace, words, &[], since), Rule::LateToConnect, "{words:?}");
    }
    assert_eq!(rule(&trace, &[fetches, ("read", 2.0)], &[], since), Rule::DiskAwaited);
}

/// The three nodes with metrics: node 1 carries a tenth of what the others do, and computes so much beside their 40 %.
fn carrying_less(user: f64) -> Trace {
    let sample = |node: u32| {
        let value = |metric| match metric {
            Metric::User if node == 1 => user,
            Metric::User => 40.0,
            Metric::Received | Metric::Sent if node == 1 => 1e5,
            Metric::Received | Metric::Sent => 1e6,
            _ => 10.0,
        };
        Sample { node: NodeId(node), at: Timestamp::from_millis(1000), values: Metric::ALL.map(value) }
    };
    Trace { samples: Samples::from_rows((0..3).map(sample).collect()), ..cluster(StateKind::Map, &[FAST; 3]) }
}

#[test]
fn node_that_carries_less_is_idle_starved_or_quiet_by_what_it_computes_and_what_is_slow() {
    let odd = [Interval::new(Timestamp::default(), Timestamp::from_millis(100_000))];
    let levels = [("levels", 2.0)];
    let slow_reads = [levels[0], ("read", 2.0)];
    let refused = [levels[0], ("unreachable", 3.0)];
    let while_odd = |user: f64, words: &[(&str, f64)]| rule(&carrying_less(user), words, &odd, None);
    assert_eq!(while_odd(5.0, &levels), Rule::Idle);
    assert_eq!(while_odd(5.0, &slow_reads), Rule::Starved);
    assert_eq!(while_odd(5.0, &refused), Rule::Starved);
    assert_eq!(while_odd(40.0, &levels), Rule::Quiet);
    assert_eq!(while_odd(90.0, &levels), Rule::Quiet, "as many tasks wait for its processor as elsewhere");
    // Metrics that were never odd as a whole accuse nobody of doing little: it may have been given little.
    let at_any_time = |user: f64| rule(&carrying_less(user), &levels, &[], Some(Timestamp::default()));
    assert_eq!([at_any_time(5.0), at_any_time(40.0)], [Rule::Untold; 2]);
}
