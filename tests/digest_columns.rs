//! What takes the space in a digest of histories: each column left out in turn (M18 asks for a
//! digest of a hundredth). Asked for by name: `cargo test --release --features cli --test
//! digest_columns -- --ignored --nocapture`.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod month;

use month::{Month, PAPER, Scale};
use oddnode::model::digest::EventWriter;
use oddnode::model::{AttemptRecord, Counters, Digest, Event, FileDigest};
use oddnode::pipeline::Ingest;
use oddnode::source::Limits;

/// A change to a row.
type Without = fn(&mut AttemptRecord);

fn columns() -> Vec<(&'static str, Without)> {
    fn with(a: &mut AttemptRecord, f: impl FnOnce(&mut Counters)) {
        f(&mut a.counters);
    }
    vec![
        ("host", |a| a.host = None),
        ("start", |a| a.start = None),
        ("finish", |a| a.finish = None),
        ("phases of reduces", |a| (a.shuffle_end, a.sort_end) = (None, None)),
        ("all counters", |a| a.counters = Counters::default()),
        ("hdfs_read", |a| with(a, |c| c.hdfs_read = None.into())),
        ("file_written", |a| with(a, |c| c.file_written = None.into())),
        ("map_output", |a| with(a, |c| c.map_output = None.into())),
        ("spilled_records", |a| with(a, |c| c.spilled_records = None.into())),
        ("map_output_records", |a| with(a, |c| c.map_output_records = None.into())),
        ("error", |a| a.error = None),
        ("start_line", |a| a.start_line = 0),
    ]
}

/// Bytes of the digest, each attempt changed so.
fn bytes(digest: &Digest, without: Without, keep_place: bool) -> usize {
    let mut changed = Digest::default();
    for (key, file) in digest.files() {
        let mut log = EventWriter::default();
        for mut row in file.events.iter() {
            if let Event::Attempt(record) = &mut row.event {
                without(record);
            }
            let (line, at) = if keep_place { (row.line, row.at) } else { (0, oddnode::base::Timestamp::default()) };
            log.push(line, at, &row.event);
        }
        changed.insert(key.clone(), FileDigest { events: log.finish(), ..file.clone() });
    }
    changed.encode().len()
}

#[test]
#[ignore = "a measurement"]
fn what_takes_the_space() {
    let share = 16;
    let tenth = Scale { jobs: PAPER.jobs / share, tasks: PAPER.tasks / share, days: 2, ..PAPER };
    let mut month = Month::new(Scale { application: 10, skew: 0, seen: 2, blacklisted: 0, idle: 0, ..tenth }, 2012);
    let mut ingest = Ingest::new(Limits::default());
    let (mut text_bytes, mut attempts) = (0, 0);
    while let Some(job) = month.next_job() {
        let text = job.jhist();
        ingest.start(&format!("{}.jhist", job.jhist_id()));
        ingest.feed(text.as_bytes());
        text_bytes += text.len();
        attempts += job.attempts.len();
    }
    let digest = ingest.into_digest();
    let whole = digest.encode().len();
    println!("{attempts} attempts in {text_bytes} bytes of .jhist; digest {whole} = 1/{}", text_bytes / whole);
    println!("of which a column left out saves:");
    for (name, without) in columns() {
        let saved = whole.saturating_sub(bytes(&digest, without, true));
        println!(
            "  {name:20} {saved:9} {:5.1} % {:5.2} bytes an attempt",
            100.0 * saved as f64 / whole as f64,
            saved as f64 / attempts as f64
        );
    }
    let saved = whole.saturating_sub(bytes(&digest, |_| {}, false));
    println!("  {:20} {saved:9} {:5.1} %", "line and time of rows", 100.0 * saved as f64 / whole as f64);
    assert!(whole > 0);
}
