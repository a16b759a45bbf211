//! How much smaller a digest is than its logs (M18 asks for a hundredth), and what takes the space
//! in one of histories: each column left out in turn. The latter of a sixteenth of a month is asked
//! for by name: `cargo test --release --features cli --test digest_columns -- --ignored --nocapture`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
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

/// So many times smaller than its logs is the digest of the sample at the least: a small run of Hadoop 1…
const OF_SAMPLE: f64 = 30.0;
/// …and one of a made month's histories (`docs/scale.md`).
const OF_HISTORIES: f64 = 60.0;

#[test]
fn digest_of_the_sample_is_a_thirtieth_of_its_logs() {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start("sample.tar.gz");
    ingest.feed(&std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/www/sample.tar.gz")).unwrap());
    ingest.finish_input();
    let digest = ingest.into_digest();
    let logs: u64 = digest.files().map(|(key, _)| key.bytes).sum();
    assert!(logs > 900_000, "the sample's logs are {logs} bytes");
    let ratio = logs as f64 / digest.encode().len() as f64;
    println!("sample: {logs} bytes, digest 1/{ratio:.1}");
    assert!(ratio >= OF_SAMPLE, "1/{ratio:.1}");
}

/// The digest of some jobs' histories, the bytes of these, and how many attempts they tell of.
fn histories(scale: Scale) -> (Digest, usize, usize) {
    let mut month = Month::new(scale, 2012);
    let mut ingest = Ingest::new(Limits::default());
    let (mut text_bytes, mut attempts) = (0, 0);
    while let Some(job) = month.next_job() {
        let text = job.jhist();
        ingest.start(&format!("{}.jhist", job.jhist_id()));
        ingest.feed(text.as_bytes());
        text_bytes += text.len();
        attempts += job.attempts.len();
    }
    (ingest.into_digest(), text_bytes, attempts)
}

/// What a column left out saves of a digest, and the whole.
fn savings(digest: &Digest) -> (Vec<(&'static str, usize)>, usize) {
    let whole = digest.encode().len();
    let saved = |without, keep_place| whole.saturating_sub(bytes(digest, without, keep_place));
    let mut saved_by: Vec<(&str, usize)> =
        columns().into_iter().map(|(name, without)| (name, saved(without, true))).collect();
    saved_by.push(("line and time of rows", saved(|_| {}, false)));
    (saved_by, whole)
}

/// Counters take most of the room, and hosts less than a quarter, whatever the size.
fn assert_shares(saved_by: &[(&str, usize)], whole: usize) {
    let share = |of: &str| saved_by.iter().find(|(name, _)| *name == of).unwrap().1 as f64 / whole as f64;
    assert!((0.35..0.65).contains(&share("all counters")), "{saved_by:?} of {whole}");
    assert!(share("host") < 0.25, "{saved_by:?} of {whole}");
    let largest = saved_by.iter().max_by_key(|(_, saved)| *saved).unwrap();
    assert_eq!(largest.0, "all counters");
}

#[test]
fn counters_take_most_of_a_digest_of_histories() {
    let small =
        Scale { jobs: 40, tasks: 20_000, days: 1, application: 4, skew: 0, seen: 1, blacklisted: 0, idle: 0, ..PAPER };
    let (digest, text_bytes, _) = histories(small);
    let (saved_by, whole) = savings(&digest);
    println!("{text_bytes} bytes of .jhist; digest {whole} = 1/{:.1}; {saved_by:?}", text_bytes as f64 / whole as f64);
    assert!(text_bytes as f64 >= OF_HISTORIES * whole as f64, "{text_bytes} / {whole}");
    assert_shares(&saved_by, whole);
}

#[test]
#[ignore = "a sixteenth of the month: a minute"]
fn what_takes_the_space() {
    let share = 16;
    let part = Scale { jobs: PAPER.jobs / share, tasks: PAPER.tasks / share, days: 2, ..PAPER };
    let (digest, text_bytes, attempts) =
        histories(Scale { application: 10, skew: 0, seen: 2, blacklisted: 0, idle: 0, ..part });
    let (saved_by, whole) = savings(&digest);
    println!("{attempts} attempts in {text_bytes} bytes of .jhist; digest {whole} = 1/{}", text_bytes / whole);
    println!("of which a column left out saves:");
    for (name, saved) in &saved_by {
        println!(
            "  {name:21} {saved:9} {:5.1} % {:5.2} bytes an attempt",
            100.0 * *saved as f64 / whole as f64,
            *saved as f64 / attempts as f64
        );
    }
    assert!(text_bytes as f64 >= OF_HISTORIES * whole as f64, "{text_bytes} / {whole}");
    assert_shares(&saved_by, whole);
}
