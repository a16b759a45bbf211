//! Answers of others beside ours, and a table of where they differ.

pub mod hadoop3;
pub mod histories;
pub mod logs;
pub mod racks;
pub mod spark;

use oddnode::base::Timestamp;
use oddnode::model::{AttemptRecord, Event, FileDigest, JobRecord, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// A difference that is explained: where, what, why.
struct Named {
    /// Part of the file's place.
    place: &'static str,
    /// Part of what differs.
    what: &'static str,
    why: &'static str,
}

/// All differences left.
const NAMED: &[Named] = &[
    Named {
        place: "TestJobLog.txt",
        what: "attempt_200904060626_2141_",
        why: "stray records without a Job record: Rumen gives jobs, we give attempts; the stand-alone reader has them too",
    },
    Named {
        place: "job-tracker-logs-topology-output",
        what: ": not in the key",
        why: "hosts that ran reduces and nothing else: the Rumen of 0.21 leaves them out",
    },
    Named {
        place: "y17",
        what: "attempt_1795226467746_0024_m_000026_1: not in the key",
        why: "killed before it started: JobHistoryParser drops ends without a start",
    },
    Named {
        place: "",
        what: "filled in by JobHistoryParser",
        why: "shuffle and sort end of a failed attempt, which JobHistoryParser sets to its finish",
    },
];

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

/// The bytes of a file, out of its gzip.
pub fn content(path: &Path) -> Vec<u8> {
    let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.extension().is_none_or(|e| e != "gz") {
        return bytes;
    }
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut out).unwrap();
    out
}

/// What is read of a file.
pub fn digest(path: &Path) -> FileDigest {
    let name = path.to_str().unwrap();
    super::reading::read(name.strip_suffix(".gz").unwrap_or(name), &content(path)).expect(name)
}

/// JSON values one behind the other.
pub fn values(bytes: &[u8]) -> impl Iterator<Item = Value> + '_ {
    serde_json::Deserializer::from_slice(bytes).into_iter::<Value>().map(Result::unwrap)
}

pub fn attempts(digest: &FileDigest) -> BTreeMap<String, AttemptRecord> {
    let mut found = BTreeMap::new();
    for row in super::reading::events(digest) {
        if let Event::Attempt(record) = row.event {
            assert!(row.line >= record.start_line);
            assert!(found.insert(record.attempt.to_string(), *record).is_none(), "an attempt comes twice");
        }
    }
    found
}

pub fn jobs(digest: &FileDigest) -> Vec<JobRecord> {
    let rows = super::reading::events(digest).into_iter();
    rows.filter_map(|row| if let Event::Job(job) = row.event { Some(*job) } else { None }).collect()
}

/// A key and the file that it is about.
pub struct Case {
    pub place: String,
    pub key: PathBuf,
    pub file: PathBuf,
}

impl Case {
    pub fn key(&self) -> Value {
        serde_json::from_slice(&content(&self.key)).unwrap()
    }
}

/// What a key says of an attempt.
#[derive(Clone, Debug, PartialEq)]
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

/// Values of one key compared with ours.
#[derive(Default)]
pub struct Report {
    pub place: String,
    pub compared: u32,
    /// Differences that nothing explains.
    pub lines: Vec<String>,
    /// Reasons of the others, and how often.
    pub named: BTreeMap<&'static str, u32>,
}

impl Report {
    pub fn of(place: &str) -> Self {
        Self { place: place.to_owned(), ..Self::default() }
    }

    /// A value differs.
    pub fn differs(&mut self, text: String) {
        let named = NAMED.iter().find(|n| self.place.contains(n.place) && text.contains(n.what));
        match named {
            Some(named) => *self.named.entry(named.why).or_default() += 1,
            None => self.lines.push(format!("{} {text}", self.place)),
        }
    }

    pub fn same<T: PartialEq + std::fmt::Debug>(&mut self, what: &str, key: T, ours: T) {
        self.compared += 1;
        if key != ours {
            self.differs(format!("{what}: key {key:?}, ours {ours:?}"));
        }
    }

    pub fn attempts(&mut self, ours: &BTreeMap<String, AttemptRecord>, key: &BTreeMap<String, Answer>) {
        for (id, answer) in key {
            self.same(id, Some(answer.clone()), ours.get(id).map(Answer::of));
        }
        for id in ours.keys().filter(|id| !key.contains_key(*id)) {
            self.compared += 1;
            self.differs(format!("{id}: not in the key"));
        }
    }

    pub fn counters(&mut self, record: &AttemptRecord, key: &Value) {
        let mut ours = record.counters;
        for (name, value) in key.as_object().into_iter().flatten() {
            // A key without groups, or the groups of counters.
            if value.is_object() {
                self.counters(record, value);
            } else if let Some(slot) = ours.slot(name) {
                let ours = slot.get();
                self.same(&format!("{} {name}", record.attempt), value.as_i64(), ours);
            }
        }
    }

    pub fn job(&mut self, ours: &JobRecord, times: [Option<i64>; 3], status: &str, totals: [Option<i64>; 2]) {
        let ms = |t: Option<Timestamp>| t.map(|t| t.millis());
        self.same("job times", times, [ms(ours.submit), ms(ours.launch), ms(ours.finish)]);
        self.same("job status", status, ours.status.name());
        self.same("job totals", totals, [ours.maps.map(i64::from), ours.reduces.map(i64::from)]);
    }

    fn named_count(&self) -> u32 {
        self.named.values().sum()
    }

    /// Its row of the table: file, values compared, agreeing, differing, why.
    pub fn row(&self) -> String {
        let differ = self.named_count() + u32::try_from(self.lines.len()).unwrap();
        let why: Vec<String> = self.named.iter().map(|(why, n)| format!("{n} × {why}")).collect();
        format!("| {} | {} | {} | {differ} | {} |", self.place, self.compared, self.compared - differ, why.join("; "))
    }
}
