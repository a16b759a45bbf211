//! Which files a parser of the page reads at a time: large ones alone, the largest first, so that
//! none is left for the end; small ones together.

use crate::base::Arrange;
use std::cmp::Ordering;
use std::collections::VecDeque;

/// Small files travel together until they fill this: one digest and one merge for all.
const BATCH_BYTES: f64 = 8.0 * 1024.0 * 1024.0;
/// What is less than this is not worth a parser of its own.
const SHARE_BYTES: f64 = 64.0 * 1024.0;
/// An archive from here on is read by several parsers where some would have nothing to do: one
/// unpacks it, which is a third of the work at most, and deals its members out.
const SHARED_FROM_BYTES: f64 = 4.0 * 1024.0 * 1024.0;
/// Files in a batch at most, so that a crash costs few of them.
const BATCH_FILES: usize = 64;

/// What a parser reads at a time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch<T> {
    /// One after another.
    pub files: Vec<T>,
    /// How many other parsers help.
    pub helpers: usize,
}

impl<T> Batch<T> {
    /// These, by one parser.
    pub const fn of(files: Vec<T>) -> Self {
        Self { files, helpers: 0 }
    }
}

/// The files in batches, of which each of so many parsers gets one at least. If there are fewer
/// files than parsers, several read each large one. `sized` are the files and how many bytes each has;
/// those of one size go by their names.
pub fn batches<T>(mut sized: Vec<(T, f64)>, name: impl Fn(&T) -> &str, parsers: usize) -> VecDeque<Batch<T>> {
    let total_bytes: f64 = sized.iter().map(|(_, size)| size).sum();
    let batch_bytes = (total_bytes / parsers as f64).clamp(SHARE_BYTES, BATCH_BYTES);
    let helpers = (parsers / sized.len().max(1)).saturating_sub(1);
    sized.arrange(|(a, a_size), (b, b_size)| {
        b_size.partial_cmp(a_size).unwrap_or(Ordering::Equal).then_with(|| name(a).cmp(name(b)))
    });
    let mut queue: VecDeque<Batch<T>> = VecDeque::new();
    let mut room = 0.0;
    for (file, size) in sized {
        if helpers > 0 && size >= SHARED_FROM_BYTES {
            queue.push_back(Batch { files: vec![file], helpers });
            continue;
        }
        match queue.back_mut() {
            Some(batch) if size <= room && batch.files.len() < BATCH_FILES && batch.helpers == 0 => {
                room -= size;
                batch.files.push(file);
            }
            _ => {
                room = batch_bytes - size;
                queue.push_back(Batch::of(vec![file]));
            }
        }
    }
    queue
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: f64 = 1024.0 * 1024.0;

    /// The files of each batch, named by their places, and how many help.
    fn dealt(sizes: &[f64], parsers: usize) -> Vec<(String, usize)> {
        let sized = sizes.iter().enumerate().map(|(i, size)| (i.to_string(), *size)).collect();
        let batches = batches(sized, String::as_str, parsers);
        batches.into_iter().map(|batch| (batch.files.join(" "), batch.helpers)).collect()
    }

    fn read(files: &str, helpers: usize) -> (String, usize) {
        (files.to_owned(), helpers)
    }

    #[test]
    fn largest_come_first_and_small_ones_travel_together() {
        let dealt = dealt(&[MB, 30.0 * MB, 2.0 * MB, 20.0 * MB], 2);
        assert_eq!(dealt, [read("1", 0), read("3", 0), read("2 0", 0)]);
    }

    #[test]
    fn each_parser_gets_a_share_of_what_is_little() {
        let dealt = dealt(&[MB; 4], 2);
        assert_eq!(dealt, [read("0 1", 0), read("2 3", 0)]);
    }

    #[test]
    fn what_is_hardly_anything_is_read_by_one() {
        let dealt = dealt(&[100.0; 40], 4);
        assert_eq!(dealt.len(), 1);
    }

    #[test]
    fn parsers_with_nothing_to_do_help_with_a_large_archive_alone() {
        assert_eq!(dealt(&[100.0 * MB], 4), [read("0", 3)]);
        assert_eq!(dealt(&[100.0 * MB, MB], 4), [read("0", 1), read("1", 0)]);
        assert_eq!(dealt(&[100.0 * MB, MB], 2), [read("0", 0), read("1", 0)]);
        assert_eq!(dealt(&[MB], 4), [read("0", 0)]);
    }

    #[test]
    fn crash_costs_few_files() {
        let dealt = dealt(&[0.0; 1_000], 2);
        let files: Vec<usize> = dealt.iter().map(|(files, _)| files.split(' ').count()).collect();
        assert_eq!(files.iter().max(), Some(&BATCH_FILES));
        assert_eq!(files.iter().sum::<usize>(), 1_000);
    }

    #[test]
    fn nothing_is_no_batch() {
        assert_eq!(dealt(&[], 4), []);
    }
}
