//! The data that are not part of this repository: labelled runs of real clusters and logs from
//! elsewhere, in `$ODDNODE_SHARED/data`, else in `../shared/data`. A test that needs what is not
//! there says that it is skipped, past the harness that keeps the output of tests that pass. Where
//! the variable is set, the folder must be there.

#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(clippy::indexing_slicing, reason = "a label without its run is a broken set")]

use oddnode::diagnosis::Params;
use oddnode::model::Digest;
use oddnode::pipeline::{self, Ingest};
use oddnode::report::Report;
use oddnode::source::Limits;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Both sets of labelled runs: of Hadoop 1 and of Hadoop 3.
pub const SETS: [&str; 2] = ["hadoop1", "hadoop3"];

/// Path and content of each file.
pub type Files = Vec<(String, Vec<u8>)>;

/// What is said of these files.
pub fn report(files: &Files) -> Report {
    let mut ingest = Ingest::new(Limits::default());
    for (path, bytes) in files {
        ingest.start(path);
        ingest.feed(bytes);
        ingest.finish_input();
    }
    pipeline::analyse(&ingest.into_digest(), &Params::default()).report
}

/// What most tests ask of a label.
#[derive(Deserialize)]
pub struct Run {
    pub run: String,
    pub fault: String,
    /// The faulty node; none in control runs and where a job is at fault.
    pub node: Option<String>,
}

/// Stands between the test's name and the reason.
pub const SKIPPED: &str = ": skipped: ";

/// Says that a test, or a part of it, is skipped, and why.
pub fn skipped(why: &str) {
    let test = std::thread::current().name().unwrap_or_default().to_owned();
    let _ = writeln!(std::io::stderr(), "\n{test}{SKIPPED}{why}");
}

/// A file or folder of the data, if it is there.
pub fn data(path: &str) -> Option<PathBuf> {
    let shared = match std::env::var_os("ODDNODE_SHARED") {
        Some(named) => {
            let data = Path::new(&named).join("data");
            assert!(data.is_dir(), "ODDNODE_SHARED is set, but {} is not there", data.display());
            PathBuf::from(named)
        }
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"),
    };
    let path = shared.join("data").join(path);
    if !path.exists() {
        skipped(&format!("{} is not there", path.display()));
        return None;
    }
    Some(path)
}

/// The labels of some sets, each with its run's archive.
pub fn runs<Label: DeserializeOwned>(sets: &[&str]) -> Vec<(Label, PathBuf)> {
    let mut runs = Vec::new();
    for set in sets {
        let Some(truth) = data(&format!("{set}/truth.json")) else { continue };
        let labels: Vec<Value> = serde_json::from_slice(&std::fs::read(&truth).unwrap()).unwrap();
        runs.extend(labels.into_iter().map(|label| {
            let archive = truth.with_file_name(format!("{}.tar.gz", label["run"].as_str().unwrap()));
            (serde_json::from_value(label).unwrap(), archive)
        }));
    }
    runs
}

/// What an archive holds.
pub fn digest_of(archive: &Path) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start(archive.file_name().unwrap().to_str().unwrap());
    ingest.feed(&std::fs::read(archive).unwrap());
    ingest.finish_input();
    ingest.into_digest()
}

/// The plain files of a `.tar.gz`, by path.
pub fn members(archive: &Path) -> Vec<(String, Vec<u8>)> {
    let mut tar = tar::Archive::new(flate2::read::MultiGzDecoder::new(std::fs::File::open(archive).unwrap()));
    let mut members = Vec::new();
    for entry in tar.entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.header().entry_type().is_file() {
            let path = entry.path().unwrap().display().to_string();
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).unwrap();
            members.push((path, bytes));
        }
    }
    members
}
