use super::*;
use crate::model::{Metric, Node, Sample, Samples};

#[test]
fn word_of_profiles_stays_strong_where_that_of_levels_is() {
    use Strength::{Moderate, Strong};
    let word = |node, strength| Indictment::bare(NodeId(node), strength);
    let of = |signal, indicted: Vec<Indictment>| Witness { indicted, ..Witness::new(Method::KahunaBb, signal) };
    let mut witnesses = [
        of(Signal::OwnProfiles, vec![word(1, Strong), word(2, Strong), word(3, Strong)]),
        of(Signal::ControlProfiles, vec![word(1, Strong), word(2, Strong)]),
        of(Signal::Levels, vec![word(1, Strong), word(2, Moderate)]),
    ];
    require_levels(&mut witnesses);
    let said = witnesses.map(|w| w.indicted.iter().map(|word| word.strength).collect::<Vec<_>>());
    assert_eq!(said, [vec![Strong, Moderate, Moderate], vec![Strong, Moderate], vec![Strong, Moderate]]);
}

/// Of many nodes one is unlike the others by chance: its processor is busy every other second, and idle between.
#[test]
fn of_fifty_nodes_profiles_alone_make_no_strong_word() {
    let said = |nodes: u32| {
        let sample = |node: u32, second: i64| {
            let noise = ((second * 7 + i64::from(node)) % 11) as f64 / 4.0;
            let user = match (node, second % 2) {
                (3, 0) => 90.0,
                (3, _) => 2.0,
                _ => 20.0,
            };
            let values = Metric::ALL.map(|metric| if metric == Metric::User { user + noise } else { 1.0 });
            Sample { node: NodeId(node), at: Timestamp::from_millis(second * 1000), values }
        };
        let rows = (0..nodes).flat_map(|node| (0..150).map(move |second| sample(node, second))).collect();
        let trace = Trace {
            nodes: (0..nodes).map(|i| Node { name: format!("h{i}"), is_peer: true }).collect(),
            samples: Samples::from_rows(rows),
            ..Trace::default()
        };
        let witnesses = KahunaBlackBox.run(&trace, &Params::default());
        let words = witnesses.iter().flat_map(|w| w.indicted.iter().map(|word| (w.signal, word.node, word.strength)));
        words.collect::<Vec<_>>()
    };
    assert_eq!(said(49), [(Signal::OwnProfiles, NodeId(3), Strength::Strong)]);
    assert_eq!(said(50), [(Signal::OwnProfiles, NodeId(3), Strength::Moderate)]);
}
