//! System calls of all traces (states.md §11).
//!
//! The halves of a call were joined where it was read; here it gets its node and its time
//! in UTC. A trace of one process each file (`strace -ff`) names the process in the file's
//! name. Cost: O(calls · log calls).

use super::{FileView, Found, Input};
use crate::base::{Code, Place};
use crate::model::{Call, CallSum, CallsBuilder, Clock, Event, Topic};

/// Formats that hold calls.
pub(super) const FORMATS: [&str; 3] = ["strace-ttt", "strace-tt", "strace-count"];

/// The number behind the last dot of a path, as `strace -ff` names its files.
fn pid_in(path: &str) -> Option<u32> {
    let (_, last) = path.rsplit('/').next()?.rsplit_once('.')?;
    last.parse().ok()
}

#[inline(never)]
pub(super) fn gather(input: &Input<'_>, found: &mut Found) {
    let mut builder = CallsBuilder::default();
    for file in FORMATS.iter().flat_map(|format| input.files_of(format)) {
        add(file, &mut builder);
        let place = Place { file: file.id, line: 0 };
        if file.digest.clock == Clock::TimeOfDay && !file.placed {
            found.issues.push((place, Code::DateUnknown));
        }
    }
    found.calls = builder.finish();
}

fn add(file: &FileView<'_>, builder: &mut CallsBuilder) {
    let default_pid = pid_in(file.path);
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
    use super::pid_in;

    #[test]
    fn process_is_read_from_the_name_of_its_file() {
        assert_eq!(pid_in("a/h1/tt.strace.4711"), Some(4711));
        assert_eq!(pid_in("a.12/tt.strace"), None);
        assert_eq!(pid_in("tt"), None);
    }
}
