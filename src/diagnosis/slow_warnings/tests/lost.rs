//! Nodes that a master lost.

use super::*;

#[test]
fn lost_node_is_named_by_one_line() {
    let trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
    assert_eq!(accused(&trace), [("lost-node".to_owned(), 3, Strength::Strong)]);
    let word = &SlowWarnings.run(&trace, &Params::default())[0].indicted[0];
    assert_eq!(word.text, "h3 was given up as lost: 1 line in the log of h5; no such line about any other node");
    assert_eq!((word.since, word.lines.len()), (Some(Timestamp::from_millis(0)), 1));
    // One about nobody that is known is not about others.
    let mut both = cluster(&[(ComplaintKind::LostNode, 5, 3), (ComplaintKind::LostNode, 5, 4)]);
    both.complaints[1].of = None;
    let text = &SlowWarnings.run(&both, &Params::default())[0].indicted[0].text;
    assert!(text.ends_with("; no such line about any other node"), "{text}");
}

/// Rolled logs of masters reach back by months.
#[test]
fn what_was_said_long_before_any_work_of_a_node_that_works_since_accuses_nobody() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3), (ComplaintKind::BadDisk, 5, 2)]);
    let named = |trace: &Trace| accused(trace).into_iter().map(|(kind, node, _)| (kind, node)).collect::<Vec<_>>();
    let worked = |nodes: &[u32], from: i64| -> Vec<TaskAttempt> {
        let on = |(number, node): (u32, &u32)| map(number, *node, (from, from + 9), Outcome::Success);
        (0..).zip(nodes).map(on).collect()
    };
    let (lost, disk) = (("lost-node".to_owned(), 3), ("bad-disk".to_owned(), 2));
    trace.tasks = worked(&[3, 3, 2, 2], 602);
    assert_eq!(named(&trace), std::slice::from_ref(&disk), "a disk does not mend itself");
    trace.tasks = worked(&[3, 2, 2], 602);
    assert_eq!(named(&trace), [lost.clone(), disk.clone()], "one attempt shows little");
    trace.tasks = worked(&[3, 3, 2, 2], 600);
    assert_eq!(named(&trace), [lost.clone(), disk.clone()], "its master may have waited for it since");
    trace.tasks = worked(&[3, 3, 2, 2], 602);
    trace.clocks.source = ZoneSource::Assumed;
    assert_eq!(named(&trace), [lost.clone(), disk.clone()], "hours lie between clocks of two zones");
    trace.clocks.source = ZoneSource::Given;
    assert_eq!(named(&trace), std::slice::from_ref(&disk));
    trace.clocks.told = Some((18_000_000, 9));
    assert_eq!(named(&trace), [lost, disk], "another zone is told");
}

#[test]
fn node_that_was_lost_is_back_when_its_master_gives_it_work() {
    let until = |said_in: &str| {
        let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
        trace.files[5].coverage.format = Some(said_in.to_owned());
        trace.tasks = (1..3).map(|number| map(number, 3, (50, 60), Outcome::Success)).collect();
        SlowWarnings.run(&trace, &Params::default())[0].indicted[0].until
    };
    assert_eq!(until("resourcemanager"), Some(Timestamp::from_millis(0)));
    assert_eq!(until("namenode"), None, "a DataNode runs no tasks");
}

#[test]
fn node_without_logs_fell_after_the_last_that_began_or_ended_well_there() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
    trace.complaints[0].at = Timestamp::from_millis(400_000);
    // A map whose output went with the node counts as killed when it had ended.
    trace.tasks = vec![
        map(0, 3, (10, 60), Outcome::Killed),
        map(1, 3, (61, 400), Outcome::Killed),
        map(2, 3, (63, 400), Outcome::Killed),
        map(3, 1, (70, 80), Outcome::Success),
    ];
    let since = SlowWarnings.run(&trace, &Params::default())[0].indicted[0].since;
    assert_eq!(since, Some(Timestamp::from_millis(63_000)));
}

#[test]
fn daemon_that_was_lost_fell_with_its_last_line_while_another_goes_on() {
    let mut trace = cluster(&[(ComplaintKind::LostNode, 5, 3)]);
    trace.complaints[0].at = Timestamp::from_millis(400_000);
    trace.tasks = vec![map(2, 3, (63, 400), Outcome::Killed)];
    let mut since = |nodemanager: i64, datanode: i64| {
        for (file, last) in [(3, nodemanager), (9, datanode)] {
            trace.files[file].daemon_last = Some(Timestamp::from_millis(last * 1000));
        }
        SlowWarnings.run(&trace, &Params::default())[0].indicted[0].since.map(|at| at.millis() / 1000)
    };
    assert_eq!(since(50, 500), Some(50), "a ResourceManager lost its NodeManager");
    assert_eq!(since(50, 60), Some(60), "the node fell, and one of its daemons had nothing to say before");
    assert_eq!(since(50, 380), Some(50), "no master loses a node so soon: another daemon went on");
    assert_eq!(since(500, 500), Some(63), "both go on");
}

#[test]
fn cluster_that_is_stopped_loses_all_and_names_none() {
    let lost: Vec<_> = (0..5).map(|i| (ComplaintKind::LostNode, 5, i)).collect();
    assert!(accused(&cluster(&lost)).is_empty());
}
