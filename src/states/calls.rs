//! System calls of all traces.
//!
//! The halves of a call were joined where it was read; here it gets its node and its time
//! in UTC. A trace of one process each file (`strace -ff`) names the process in the file's
//! name. Cost: O(calls · log calls).

use super::{FileView, Found, Input};
use crate::base::{Code, Place};
use crate::model::{Call, CallSum, CallsBuilder, Event, Topic, formats};
use std::collections::{BTreeMap, BTreeSet};

/// No process of Linux has a larger number (`PID_MAX_LIMIT`); `tt.strace.20261121` is named after a day.
const LARGEST_PID: u32 = 1 << 22;
/// Rotated files are numbered below this, from 0 or 1 on; so few are kept.
const ROTATED: u32 = 100;
/// How names of packed files end, which go by the name of what is in them.
const PACKED: [&str; 5] = [".gz", ".bz2", ".xz", ".zst", ".zip"];

/// A path up to its number, and the number behind its last dot.
fn numbered(path: &str) -> Option<(&str, u32)> {
    let path = PACKED.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path);
    let (before, last) = path.rsplit_once('.')?;
    Some((before, last.parse().ok().filter(|_| last.bytes().all(|b| b.is_ascii_digit()))?))
}

/// Which numbers in the names of traces are processes: `strace -ff` names each process's file so, and whoever
/// rotates one trace counts its pieces so. Told apart by what lies beside a file.
struct Processes<'a> {
    paths: BTreeSet<&'a str>,
    numbers: BTreeMap<&'a str, BTreeSet<u32>>,
}

impl<'a> Processes<'a> {
    /// By the paths of all traces.
    fn among(paths: impl Iterator<Item = &'a str>) -> Self {
        let (mut all, mut numbers) = (BTreeSet::new(), BTreeMap::<&str, BTreeSet<u32>>::new());
        for path in paths {
            all.insert(path);
            if let Some((before, number)) = numbered(path) {
                numbers.entry(before).or_default().insert(number);
            }
        }
        Self { paths: all, numbers }
    }

    /// The process that the name of a trace tells.
    fn of(&self, path: &str) -> Option<u32> {
        let (before, number) = numbered(path)?;
        let beside = self.numbers.get(before)?;
        // The piece that is written to has no number.
        let goes_on = || {
            let first = beside.first().copied().unwrap_or_default();
            first <= 1 && number < ROTATED && (first..).zip(beside).all(|(expected, number)| expected == *number)
        };
        let rotated = self.paths.contains(before) || goes_on();
        ((1..=LARGEST_PID).contains(&number) && !rotated).then_some(number)
    }
}

#[inline(never)]
pub(super) fn gather(input: &Input<'_>, found: &mut Found) {
    let mut builder = CallsBuilder::default();
    let processes =
        Processes::among(formats::CALLS.iter().flat_map(|format| input.files_of(format)).map(|file| file.path));
    for file in formats::CALLS.iter().flat_map(|format| input.files_of(format)) {
        add(file, processes.of(file.path), &mut builder);
        let place = Place { file: file.id, line: 0 };
        if !file.dated {
            found.issues.push((place, Code::DateUnknown));
        }
    }
    found.calls = builder.finish();
}

/// Adds the calls of a file; those that tell no process are of `default_pid`.
fn add(file: &FileView<'_>, default_pid: Option<u32>, builder: &mut CallsBuilder) {
    // Numbers in the trace's table of the file's texts.
    let mut texts: Vec<u32> = Vec::new();
    file.each_about(Topic::Calls, &mut |row| {
        let place = file.place(row.line);
        match &mut row.event {
            Event::CallText(text) => texts.push(builder.text(text)),
            Event::CallTextsForgotten => texts.clear(),
            Event::Call { pid, micros, name, args, ret, duration_us } => {
                let text = |number: &u32| texts.get(*number as usize).copied();
                let (Some(name), Some(args), Some(ret)) = (text(name), text(args), text(ret)) else { return };
                let at_us = row.at.millis().saturating_mul(1000).saturating_add(i64::from((*micros).min(999)));
                builder.push(&Call {
                    node: file.node,
                    pid: (*pid).or(default_pid),
                    at_us,
                    name: "",
                    args: "",
                    ret: "",
                    duration_us: *duration_us,
                    place,
                    texts: [name, args, ret],
                });
            }
            Event::CallsFolded(counts) => {
                builder.push_sum(CallSum {
                    node: file.node,
                    place,
                    counted: false,
                    counts: std::mem::take(&mut **counts),
                });
            }
            Event::CallsCounted(counts) => {
                builder.push_sum(CallSum {
                    node: file.node,
                    place,
                    counted: true,
                    counts: std::mem::take(&mut **counts),
                });
            }
            _ => {}
        }
    });
}

#[cfg(test)]
mod tests {
    use super::Processes;

    fn pids(paths: &[&str]) -> Vec<Option<u32>> {
        let processes = Processes::among(paths.iter().copied());
        paths.iter().map(|path| processes.of(path)).collect()
    }

    #[test]
    fn process_is_read_from_the_name_of_its_file() {
        assert_eq!(pids(&["a/h1/tt.strace.4711", "a.12/tt.strace", "tt"]), [Some(4711), None, None]);
        assert_eq!(pids(&["trace.12345", "trace.12346.gz"]), [Some(12345), Some(12346)]);
        // In a container they begin at 1, and leave gaps.
        assert_eq!(pids(&["trace.1", "trace.7", "trace.22"]), [Some(1), Some(7), Some(22)]);
        assert_eq!(pids(&["trace.1", "trace.2", "trace.4711"]), [Some(1), Some(2), Some(4711)]);
    }

    #[test]
    fn number_of_a_rotated_file_is_no_process() {
        assert_eq!(pids(&["h1/tt.strace", "h1/tt.strace.1", "h1/tt.strace.3"]), [None; 3]);
        assert_eq!(pids(&["h1/tt.strace", "h1/tt.strace.1.gz", "h2/tt.strace.4711"]), [None, None, Some(4711)]);
        assert_eq!(pids(&["h1/tt.strace.1"]), [None]);
        assert_eq!(pids(&["tt.strace.0", "tt.strace.1", "tt.strace.2"]), [None; 3]);
        assert_eq!(pids(&["tt.strace.20261121", "tt.strace.+7"]), [None; 2]);
        assert_eq!(pids(&["tt.strace.0", "tt.strace.2"]), [None, Some(2)], "0 is no process");
    }
}
