//! The labelled runs of real clusters (`data/hadoop1`, `data/hadoop3` of the shared data). They
//! are not part of this repository: their folder is `$ODDNODE_SHARED`, else `../shared`; of a set
//! that is not there it says that it is skipped.

#![allow(dead_code, reason = "each test takes what it needs")]
#![allow(clippy::indexing_slicing, reason = "a label without its run is a broken set")]

use oddnode::model::Digest;
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Both sets: of Hadoop 1 and of Hadoop 3.
pub const SETS: [&str; 2] = ["hadoop1", "hadoop3"];

/// The labels of some sets, each with its run's archive.
pub fn runs<Label: DeserializeOwned>(sets: &[&str]) -> Vec<(Label, PathBuf)> {
    let shared = std::env::var_os("ODDNODE_SHARED")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared"), PathBuf::from);
    let mut runs = Vec::new();
    for set in sets {
        let folder = shared.join("data").join(set);
        let Ok(truth) = std::fs::read(folder.join("truth.json")) else {
            println!("skipped: no labelled runs in {}", folder.display());
            continue;
        };
        let truth: Vec<Value> = serde_json::from_slice(&truth).unwrap();
        runs.extend(truth.into_iter().map(|label| {
            let archive = folder.join(format!("{}.tar.gz", label["run"].as_str().unwrap()));
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
