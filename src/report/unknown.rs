//! Lines that were not understood, or not used, by what they look like (over all files).

use super::LineRef;
use crate::base::{Arrange, FileId, Lookup, Place};
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

impl UnknownRow {
    /// Why it is told; `None` where a report of another version has a reason that is not known.
    #[must_use]
    pub fn why(&self) -> Option<Unknown> {
        Unknown::named(&self.why)
    }
}

/// Lines of each shape.
type Sums = Lookup<Box<str>, Sum>;

#[derive(Default)]
struct Sum {
    count: u64,
    files: u64,
    places: Vec<Place>,
}

/// The commonest shapes: what does not fit, then what is not used.
pub(super) fn rows(trace: &Trace) -> Vec<UnknownRow> {
    let mut sums: BTreeMap<(Unknown, Option<&str>), Sums> = BTreeMap::new();
    for (id, (file, reading)) in (0..).map(FileId).zip(trace.files.iter().zip(&trace.readings)) {
        let format = file.coverage.format.as_deref();
        reading.shapes.each(|why, shape, found| {
            let of_format = sums.entry((why, format)).or_default();
            let sum = match of_format.get_mut(shape) {
                Some(sum) => sum,
                None => of_format.entry(shape.into()).or_default(),
            };
            sum.count = sum.count.saturating_add(found.count);
            sum.files += 1;
            let room = PLACES.saturating_sub(sum.places.len());
            sum.places.extend(found.lines.iter().take(room).map(|line| Place { file: id, line: *line }));
        });
    }
    let mut rows = Vec::new();
    // Files in no format come last: most are no logs.
    for (sort, known) in [(Unknown::Unfit, true), (Unknown::Unused, true), (Unknown::Unfit, false)] {
        let of_sort = sums.iter().filter(|((why, format), _)| *why == sort && format.is_some() == known);
        let mut of_sort: Vec<(Option<&str>, &str, &Sum)> = of_sort
            .flat_map(|((_, format), shapes)| shapes.iter().map(|(shape, sum)| (*format, &**shape, sum)))
            .collect();
        of_sort.arrange_by(|(format, shape, sum)| (Reverse(sum.count), *format, *shape));
        rows.extend(of_sort.into_iter().take(LISTED).map(|(format, shape, sum)| UnknownRow {
            format: format.map(str::to_owned),
            why: sort.name().to_owned(),
            shape: shape.to_owned(),
            count: sum.count,
            files: sum.files,
            lines: sum.places.iter().map(|place| LineRef::of(trace, *place)).collect(),
        }));
    }
    rows
}
