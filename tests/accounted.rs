//! Every line of every log of the labelled runs is accounted for: understood, known to say
//! nothing, or unknown, and the unknown are few. Of lines there are as many as the files have. The data are those of
//! `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod reading;
mod shared;

use oddnode::base::Code;
use oddnode::format::{FORMATS, Feed};
use reading::lines_of;
use shared::{SETS, digest_of, members};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Of the lines of a daemon's or task's log this share may be unknown.
const UNKNOWN: f64 = 0.01;
/// The same of traces of system calls: of some, lines were taken out (their README), so that a
/// call's end has no begin; such an end counts as unknown.
const BROKEN_CALLS: f64 = 0.02;
/// Names of files that are no logs of Hadoop's daemons and tasks.
const OTHERS: [&str; 3] = ["metrics.", ".strace", "app-logs/"];

fn archives() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for set in SETS {
        let Some(folder) = shared::data(set) else { continue };
        let mut archives: Vec<PathBuf> = std::fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
        archives.retain(|path| path.extension().is_some_and(|e| e == "gz"));
        assert!(!archives.is_empty(), "no archive in {}", folder.display());
        archives.sort();
        found.append(&mut archives);
    }
    found
}

/// How many lines the plain files of an archive have, by path.
fn lines_of_members(archive: &Path) -> BTreeMap<String, u64> {
    let lines = |(path, bytes): (String, Vec<u8>)| (path.trim_start_matches("./").to_owned(), lines_of(&bytes));
    members(archive).into_iter().map(lines).collect()
}

#[test]
fn each_line_of_the_labelled_runs_is_counted() {
    for archive in archives() {
        let name = archive.file_name().unwrap().to_str().unwrap().to_owned();
        let members = lines_of_members(&archive);
        let mut compared = 0;
        for (key, file) in digest_of(&archive).files() {
            let is_of_lines = FORMATS.iter().any(|f| f.about().name == file.format && f.about().feed == Feed::Lines);
            let Some(lines) = key.path.split_once('/').and_then(|(_, path)| members.get(path)) else { continue };
            if is_of_lines {
                assert_eq!(file.lines, *lines, "{}", key.path);
                compared += 1;
            }
        }
        assert!(3 * compared >= members.len(), "{name}: {compared} of {} files", members.len());
    }
}

#[test]
fn unknown_lines_of_the_labelled_runs_are_few() {
    for archive in archives() {
        let digest = digest_of(&archive);
        let name = archive.file_name().unwrap().to_str().unwrap().to_owned();
        let mut by_format: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
        let mut not_recognised = Vec::new();
        for (key, file) in digest.files() {
            assert_eq!(file.lines, file.understood + file.skipped, "{}", key.path);
            let other = OTHERS.iter().any(|part| key.path.contains(part));
            if file.format.is_empty() && file.issues.count(Code::EmptyFile) == 0 && !other {
                not_recognised.push(key.path.clone());
            }
            let sums = by_format.entry(&file.format).or_default();
            *sums = [sums[0] + 1, sums[1] + file.lines, sums[2] + file.skipped];
        }
        assert_eq!(not_recognised, Vec::<String>::new(), "{name}: files in no known format");
        for (format, [files, lines, skipped]) in by_format {
            println!("{name} {format:?}: {files} files, {lines} lines, {skipped} unknown");
            let allowed = lines as f64 * if format.starts_with("strace") { BROKEN_CALLS } else { UNKNOWN };
            assert!(format.is_empty() || skipped as f64 <= allowed, "{name}: {skipped} of {lines} {format} lines");
        }
    }
}
