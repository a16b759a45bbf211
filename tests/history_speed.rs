//! How quickly job histories are read, warm and in this process: our side of `benches/history/run`.
//!
//! `ODDNODE_HISTORIES` names the files, `ODDNODE_HISTORY_SECONDS` how long each is read again and again.
#![allow(clippy::disallowed_methods, reason = "reads files and the clock")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use oddnode::pipeline::Ingest;
use oddnode::source::Limits;
use std::path::Path;
use std::time::{Duration, Instant};

/// Bytes of a piece, as the command reads them.
const PIECE_BYTES: usize = 1 << 20;

#[test]
#[ignore = "takes its time: run by benches/history/run"]
fn histories_are_read_again_and_again() {
    let files = std::env::var("ODDNODE_HISTORIES").unwrap();
    let seconds = std::env::var("ODDNODE_HISTORY_SECONDS").unwrap().parse().unwrap();
    for file in files.split('\n').filter(|file| !file.is_empty()) {
        let bytes = std::fs::read(file).unwrap();
        let name = Path::new(file).file_name().unwrap().to_str().unwrap();
        let (begin, mut best, mut rounds) = (Instant::now(), Duration::MAX, 0);
        while begin.elapsed() < Duration::from_secs(seconds) || rounds < 3 {
            let started = Instant::now();
            let mut ingest = Ingest::new(Limits::default());
            ingest.start(name);
            bytes.chunks(PIECE_BYTES).for_each(|piece| ingest.feed(piece));
            let digest = ingest.into_digest();
            best = best.min(started.elapsed());
            rounds += 1;
            let (_, read) = digest.files().next().unwrap();
            assert!(read.format == "jhist" && read.skipped == 0 && read.events.len() > 10, "{name}: {read:?}");
        }
        println!("oddnode\t{name}\t{}\t{:.1}", bytes.len(), bytes.len() as f64 / 1e6 / best.as_secs_f64());
    }
}
