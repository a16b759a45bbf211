//! Lines that were not understood, or not used, by what they look like (over all files).

use super::LineRef;
use crate::base::FileId;
use crate::model::{Trace, Unknown};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Shapes listed of each sort: the commonest.
const LISTED: usize = 100;
/// Places of a shape.
const PLACES: usize = 3;

/// Lines of one shape in files of one format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnknownRow {
    /// The files' format; `None` where none was recognised.
    pub format: Option<String>,
    /// `unfit`: does not fit the format. `unused`: fits, and says nothing that is used.
    pub why: String,
    /// What they look like: numbers, ids and paths folded.
    pub shape: String,
    /// How many there are (estimated from a sample in large files).
    pub count: u64,
    /// In how many files.
    pub files: u64,
    /// The first of them.
    pub lines: Vec<LineRef>,
}

#[derive(Default)]
struct Sum {
    count: u64,
    files: u64,
    places: Vec<(FileId, u64)>,
}

/// The commonest shapes: what does not fit, then what is not used.
pub(super) fn rows(trace: &Trace) -> Vec<UnknownRow> {
    let mut sums: BTreeMap<(Unknown, Option<&str>, String), Sum> = BTreeMap::new();
    for (id, (file, reading)) in (0..).map(FileId).zip(trace.files.iter().zip(&trace.readings)) {
        for (why, shape, found) in reading.shapes.table().iter() {
            let sum = sums.entry((why, file.coverage.format.as_deref(), shape.to_owned())).or_default();
            sum.count += found.count;
            sum.files += 1;
            let room = PLACES.saturating_sub(sum.places.len());
            sum.places.extend(found.lines.iter().take(room).map(|line| (id, *line)));
        }
    }
    let mut rows = Vec::new();
    // Files in no format come last: most are no logs.
    for (sort, known) in [(Unknown::Unfit, true), (Unknown::Unused, true), (Unknown::Unfit, false)] {
        let of_sort = |key: &(Unknown, Option<&str>, String)| key.0 == sort && key.1.is_some() == known;
        let mut of_sort: Vec<_> = sums.iter().filter(|(key, _)| of_sort(key)).collect();
        of_sort.sort_by_key(|((_, format, shape), sum)| (Reverse(sum.count), *format, shape));
        rows.extend(of_sort.into_iter().take(LISTED).map(|((why, format, shape), sum)| UnknownRow {
            format: format.map(str::to_owned),
            why: why.name().to_owned(),
            shape: shape.clone(),
            count: sum.count,
            files: sum.files,
            lines:
                sum.places.iter().map(|(id, line)| LineRef { file: trace.path(*id).to_owned(), line: *line }).collect(),
        }));
    }
    rows
}
