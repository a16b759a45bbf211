//! Answers of others beside ours, and a report of where they differ.

use oddnode::base::Timestamp;
use oddnode::model::{AttemptRecord, JobRecord, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;

/// A number of a key; −1, 0 and null are "unknown".
pub fn ms(value: &Value) -> Option<i64> {
    value.as_i64().filter(|n| *n > 0)
}

pub fn outcome(name: &str) -> Option<Outcome> {
    match name {
        "SUCCESS" | "SUCCEEDED" => Some(Outcome::Success),
        "FAILED" | "FAIL" => Some(Outcome::Failed),
        "KILLED" => Some(Outcome::Killed),
        _ => None,
    }
}

/// What a key says of an attempt.
#[derive(Debug, PartialEq)]
pub struct Answer {
    pub host: Option<String>,
    pub start: Option<i64>,
    pub shuffle: Option<i64>,
    pub sort: Option<i64>,
    pub finish: Option<i64>,
    pub outcome: Option<Outcome>,
}

impl Answer {
    pub fn of(record: &AttemptRecord) -> Self {
        let ms = |t: Option<Timestamp>| t.map(|t| t.millis());
        Self {
            host: record.host.as_deref().map(str::to_owned),
            start: ms(record.start),
            shuffle: ms(record.shuffle_end),
            sort: ms(record.sort_end),
            finish: ms(record.finish),
            outcome: record.outcome,
        }
    }
}

/// Differences found, as lines.
#[derive(Default)]
pub struct Report {
    pub compared: u32,
    pub lines: Vec<String>,
}

impl Report {
    pub fn attempts(&mut self, place: &str, ours: &BTreeMap<String, AttemptRecord>, key: &BTreeMap<String, Answer>) {
        for (id, answer) in key {
            self.compared += 1;
            match ours.get(id).map(Answer::of) {
                Some(ours) if ours == *answer => {}
                ours => self.lines.push(format!("{place} {id}: key {answer:?}, ours {ours:?}")),
            }
        }
        for id in ours.keys().filter(|id| !key.contains_key(*id)) {
            self.lines.push(format!("{place} {id}: not in the key"));
        }
    }

    pub fn same<T: PartialEq + std::fmt::Debug>(&mut self, place: &str, what: &str, key: T, ours: T) {
        self.compared += 1;
        if key != ours {
            self.lines.push(format!("{place} {what}: key {key:?}, ours {ours:?}"));
        }
    }

    pub fn counters(&mut self, place: &str, record: &AttemptRecord, key: &Value) {
        let mut ours = record.counters;
        for (name, value) in key.as_object().into_iter().flatten() {
            // A key without groups, or the groups of counters.
            if value.is_object() {
                self.counters(place, record, value);
            } else if let Some(slot) = ours.slot(name) {
                let ours = *slot;
                self.same(place, &format!("{} {name}", record.attempt), value.as_i64(), ours);
            }
        }
    }

    pub fn job(
        &mut self,
        place: &str,
        ours: &JobRecord,
        times: [Option<i64>; 3],
        status: &str,
        totals: [Option<i64>; 2],
    ) {
        let ms = |t: Option<Timestamp>| t.map(|t| t.millis());
        self.same(place, "job times", times, [ms(ours.submit), ms(ours.launch), ms(ours.finish)]);
        self.same(place, "job status", status, ours.status.name());
        self.same(place, "job totals", totals, [ours.maps.map(i64::from), ours.reduces.map(i64::from)]);
    }

    pub fn end(self, what: &str) {
        println!("{what}: {} values compared, {} differ", self.compared, self.lines.len());
        assert!(self.lines.is_empty(), "{}", self.lines.join("\n"));
    }
}
