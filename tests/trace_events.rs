//! The exported trace events against their format (Google's "Trace Event Format", 2016) and
//! against the intervals that they stand for.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod jobs_made;

use jobs_made::{Job, Logs, Made, trace};
use oddnode::model::{State, Trace};
use oddnode::report::trace_events;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

fn exported(trace: &Trace) -> Value {
    let mut json = String::new();
    trace_events::write(trace, |text| json.push_str(text));
    serde_json::from_str(&json).unwrap()
}

fn small() -> Trace {
    let map = |node, start, end, status| Made { node, start, end, read: 4_096, from: node, status, ..Made::default() };
    let job = Job {
        name: "small \"quoted\"",
        number: 1,
        launch: 0,
        finish: 70_000,
        maps: vec![map(0, 1_000, 9_000, ""), map(0, 2_000, 8_000, "FAILED"), map(1, 1_500, 30_000, "KILLED")],
        reduces: vec![Made {
            node: 1,
            start: 9_000,
            copied: 40_000,
            sorted: 41_000,
            end: 60_000,
            written: 700,
            from: 0,
            ..Made::default()
        }],
        sends: vec![vec![900], vec![], vec![]],
        reduce_slots: None,
    };
    trace(&[job], 2, Logs::All)
}

#[test]
fn every_event_has_what_the_format_asks_for() {
    let file = exported(&small());
    assert_eq!(file["displayTimeUnit"], "ms");
    let events = file["traceEvents"].as_array().unwrap();
    assert!(!events.is_empty());
    for event in events {
        assert!(event["pid"].is_u64() && event["name"].is_string() && event["args"].is_object(), "{event}");
        match event["ph"].as_str().unwrap() {
            "X" => {
                assert!(event["ts"].is_i64() || event["ts"].is_u64(), "{event}");
                assert!(
                    event["dur"].as_u64().is_some() && event["tid"].is_u64() && event["cat"].is_string(),
                    "{event}"
                );
            }
            "M" => {
                let is_thread = event["name"] == "thread_name";
                assert!(is_thread || event["name"] == "process_name", "{event}");
                assert!(event["args"]["name"].is_string() && event["tid"].is_u64() == is_thread, "{event}");
            }
            other => panic!("{other}"),
        }
    }
}

#[test]
fn intervals_are_the_same_and_none_of_a_thread_overlap() {
    let t = small();
    let file = exported(&t);
    let events = file["traceEvents"].as_array().unwrap();
    let processes: BTreeMap<u64, &str> = events
        .iter()
        .filter(|e| e["name"] == "process_name")
        .map(|e| (e["pid"].as_u64().unwrap(), e["args"]["name"].as_str().unwrap()))
        .collect();
    let threads: BTreeSet<(u64, u64)> = events
        .iter()
        .filter(|e| e["name"] == "thread_name")
        .map(|e| (e["pid"].as_u64().unwrap(), e["tid"].as_u64().unwrap()))
        .collect();
    let mut found: Vec<(i64, i64, String, String)> = Vec::new();
    let mut by_thread: BTreeMap<(u64, u64), Vec<(i64, i64)>> = BTreeMap::new();
    for e in events.iter().filter(|e| e["ph"] == "X") {
        let (pid, tid) = (e["pid"].as_u64().unwrap(), e["tid"].as_u64().unwrap());
        assert!(threads.contains(&(pid, tid)), "{e} has a thread without a name");
        let (ts, dur) = (e["ts"].as_i64().unwrap(), e["dur"].as_i64().unwrap());
        by_thread.entry((pid, tid)).or_default().push((ts, ts + dur));
        let kind = e["cat"].as_str().unwrap().split(',').next().unwrap().to_owned();
        found.push((ts / 1000, (ts + dur) / 1000, kind, processes[&pid].to_owned()));
    }
    let told = |s: State| {
        let node = s.node.map_or("unknown node", |n| t.node_name(n)).to_owned();
        Some((s.start?.millis(), s.end.millis(), s.kind.name().to_owned(), node))
    };
    let mut states: Vec<_> = t.states.iter().filter_map(told).collect();
    states.sort();
    found.sort();
    assert!(states.len() > 5);
    assert_eq!(found, states);
    for (thread, mut slices) in by_thread {
        slices.sort_unstable();
        assert!(slices.windows(2).all(|w| w[0].1 <= w[1].0), "{thread:?} {slices:?}");
    }
}

#[test]
fn nothing_is_an_empty_list() {
    assert_eq!(exported(&Trace::default())["traceEvents"], Value::Array(Vec::new()));
}
