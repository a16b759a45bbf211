//! Input that somebody made to do harm, or that looks so: each kind of it is told with its file, what
//! can be read is kept, and memory stays bounded. The caps are `docs/limits.md`'s.
//!
//! A case whose memory counts runs in a process of its own, so that its peak is its own.
#![allow(clippy::disallowed_methods, reason = "tests read samples, the clock and their own memory")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout, missing_docs)]

mod memory;
mod packing;
mod shared;

use oddnode::base::Code;
use oddnode::base::crc::Crc;
use oddnode::diagnosis::Params;
use oddnode::draw::{Theme, html, svg};
use oddnode::format::FORMATS;
use oddnode::model::digest::frames::FrameWriter;
use oddnode::model::digest::lines::line_of;
use oddnode::model::digest::{HostClaim, HostSource};
use oddnode::model::{Digest, FileDigest, FileKey};
use oddnode::pipeline::{self, Ingest, Views};
use oddnode::report::{Lines, Report};
use oddnode::scene::{Look, View};
use oddnode::source::{Limits, Unpacker, Visitor};
use packing::{Zipped, gz, tar, zip};
use std::process::Command;

/// Set in the process that a case has to itself.
const ALONE: &str = "ODDNODE_HOSTILE_ALONE";
/// The program, its tables and one decoder's window.
const BASE_MIB: u64 = 96;

/// Runs `case` in a process of its own, of which `name` is the test, and holds its peak of memory to
/// `cap_mib`.
fn alone(name: &str, cap_mib: u64, case: impl Fn()) {
    if std::env::var_os(ALONE).is_some() {
        case();
        let Some(peak) = memory::peak_kib() else {
            return shared::skipped("the system does not tell the peak of memory");
        };
        println!("{name}: {} MiB of {cap_mib}", peak / 1024);
        assert!(peak / 1024 <= cap_mib, "{name}: {} MiB, more than {cap_mib}", peak / 1024);
        return;
    }
    let run = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&run.stdout);
    out.lines().filter(|line| line.contains(" MiB of ")).for_each(|line| println!("{line}"));
    let err = String::from_utf8_lossy(&run.stderr);
    err.lines().filter_map(|line| line.split_once(shared::SKIPPED)).for_each(|(_, why)| shared::skipped(why));
    assert!(run.status.success(), "{out}\n{err}");
    assert!(out.contains("1 passed"), "the case ran: {out}");
}

/// Files of an archive, by path without the archive's name.
type Members = Vec<(String, Vec<u8>)>;

struct Taken(Members);

impl Visitor for Taken {
    fn open(&mut self, path: &str) {
        self.0.push((path.split_once('/').unwrap().1.to_owned(), Vec::new()));
    }
    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        self.0.last_mut().unwrap().1.extend_from_slice(bytes);
        None
    }
    fn close(&mut self) {}
    fn issue(&mut self, path: &str, code: Code) {
        panic!("{path}: {code:?}");
    }
}

/// The sample that the page offers: six nodes, h103 is at fault.
fn sample() -> Members {
    let mut taken = Taken(Vec::new());
    let mut unpacker = Unpacker::new("s", &Limits::default());
    unpacker.feed(include_bytes!("../www/sample.tar.gz"), &mut taken);
    unpacker.finish(&mut taken);
    taken.0
}

fn packed(members: &Members) -> Vec<u8> {
    tar(&members.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect::<Vec<_>>())
}

fn digest(name: &str, bytes: &[u8]) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start(name);
    bytes.chunks(1 << 20).for_each(|piece| ingest.feed(piece));
    ingest.into_digest()
}

fn report(digest: &Digest) -> Report {
    pipeline::analyse(digest, &Params::default()).report
}

fn culprits(report: &Report) -> Vec<&str> {
    report.verdict.culprits.iter().map(|culprit| culprit.node.as_str()).collect()
}

/// Files of the digest that have this issue.
fn told(digest: &Digest, code: Code) -> Vec<&str> {
    digest.files().filter(|(_, file)| file.issues.count(code) > 0).map(|(key, _)| key.path.as_str()).collect()
}

/// The sample with `hostile` before, among and behind its files: h103 is still the one that is named,
/// and the report says which file has what.
fn beside_the_sample(hostile: &Members, codes: &[(Code, &str)]) -> Digest {
    let mut members = sample();
    for (i, one) in hostile.iter().enumerate() {
        members.insert(i * 7 % (members.len() + 1), one.clone());
    }
    let digest = digest("all.tar", &packed(&members));
    let report = report(&digest);
    assert_eq!(culprits(&report), ["h103"]);
    for (code, path) in codes {
        let path = format!("all.tar/{path}");
        assert!(told(&digest, *code).contains(&path.as_str()), "{code:?} of {path}: {:?}", told(&digest, *code));
        let row = report.issues.iter().find(|row| row.code == code.name()).unwrap();
        assert!(row.lines.iter().any(|line| line.file == path), "the report names {path}: {:?}", row.lines);
        assert!(!row.text.is_empty() && !row.advice.is_empty());
    }
    digest
}

fn member(path: &str, bytes: impl Into<Vec<u8>>) -> (String, Vec<u8>) {
    (path.to_owned(), bytes.into())
}

/// 4 GiB in 4 MB: twice what any log shrinks, in as many streams as one likes.
#[test]
fn bomb_of_ratio_is_cut_and_its_neighbours_are_read() {
    alone("bomb_of_ratio_is_cut_and_its_neighbours_are_read", BASE_MIB, || {
        let bomb = gz(&vec![b'0'; 16 << 20]).repeat(256);
        let digest = beside_the_sample(
            &vec![member("h101/zeros.gz", bomb.clone()), member("h102/again.gz", gz(&bomb))],
            &[(Code::ExpandsTooMuch, "h101/zeros.gz"), (Code::ExpandsTooMuch, "h102/again.gz")],
        );
        // The archive's own row has the length of the input.
        let of_file = |key: &FileKey| key.path == "all.tar/h101/zeros.gz" && key.bytes > bomb.len() as u64 * 4;
        let cut = digest.files().find(|(key, _)| of_file(key)).unwrap().0;
        assert!(cut.bytes >= 64 << 20 && cut.bytes < 4 << 30, "{} bytes came", cut.bytes);
    });
}

/// An archive in an archive in an archive …, as one that contains itself would be.
#[test]
fn nesting_without_end_is_cut_at_its_depth() {
    alone("nesting_without_end_is_cut_at_its_depth", BASE_MIB, || {
        let (mut in_gz, mut in_tar) = (b"the core".to_vec(), b"the core".to_vec());
        for _ in 0..200 {
            in_gz = gz(&in_gz);
            in_tar = tar(&[("r", &in_tar)]);
        }
        let hostile = vec![member("h101/r.gz", in_gz), member("h102/r.tar", in_tar)];
        // The outer archive is the first of eight.
        let at_depth = format!("h102/r.tar{}", "/r".repeat(7));
        beside_the_sample(&hostile, &[(Code::NestedTooDeep, "h101/r.gz"), (Code::NestedTooDeep, &at_depth)]);
    });
}

/// Each stream of bzip2 takes as long to begin as thousands of bytes, and there may be none in it.
#[test]
fn empty_streams_are_counted_and_told() {
    let streams = packing::bz2(b"").repeat(400_000);
    let hostile = digest("x.bz2.gz", &gz(&streams));
    assert_eq!(told(&hostile, Code::ExpandsTooMuch), ["x.bz2.gz"]);
    let few = [packing::bz2(b"2026-11-20 "), packing::bz2(b""), packing::bz2(b"21:24\n")].concat().repeat(600);
    assert_eq!(told(&digest("x.bz2", &few), Code::ExpandsTooMuch), [""; 0]);
}

/// A zip of ten zips of ten zips …: a hundred thousand files in a few kilobytes.
#[test]
fn branching_archives_end_in_time() {
    alone("branching_archives_end_in_time", 384, || {
        let deflate = Zipped { deflate: true, ..Zipped::default() };
        let mut inner = b"leaf".to_vec();
        let names: Vec<String> = (0..10).map(|i| format!("{i}.zip")).collect();
        for _ in 0..5 {
            inner = zip(&names.iter().map(|name| (name.as_str(), inner.as_slice())).collect::<Vec<_>>(), deflate);
        }
        let digest = beside_the_sample(&vec![member("h101/a.zip", inner.clone())], &[]);
        assert!(digest.len() as u64 <= Limits::default().members + 1, "{} files", digest.len());
        println!("{} bytes became {} files", inner.len(), digest.len());
    });
}

/// A tar's header for a file of this name and size.
fn header(name: &str, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_path(name).unwrap();
    header.set_size(size);
    header.set_cksum();
    header
}

/// Feeds a tar of `count` files, each of a few bytes.
fn feed_tiny(ingest: &mut Ingest, count: u64, name: impl Fn(u64) -> String) {
    let mut block = [0_u8; 1024];
    for i in 0..count {
        let content = format!("{i}\n");
        block[..512].copy_from_slice(header(&name(i), content.len() as u64).as_bytes());
        block[512..].fill(0);
        block[512..512 + content.len()].copy_from_slice(content.as_bytes());
        ingest.feed(&block);
    }
    ingest.feed(&[0; 1024]);
}

/// Of tiny files a report has a row each: 2 KiB a file, from the first to the millionth.
#[test]
fn million_tiny_files_are_taken() {
    // All of a million take a minute; a few of them show the same slope.
    let count = std::env::var("ODDNODE_TINY_FILES").ok().and_then(|n| n.parse().ok()).unwrap_or(30_000);
    alone("million_tiny_files_are_taken", BASE_MIB + count * 5 / 2 / 1024, || {
        let mut ingest = Ingest::new(Limits::default());
        ingest.start("s");
        ingest.feed(include_bytes!("../www/sample.tar.gz"));
        ingest.start("tiny.tar");
        feed_tiny(&mut ingest, count, |i| format!("{}/{i}", i % 1000));
        let digest = ingest.into_digest();
        assert_eq!(digest.len() as u64, count + sample().len() as u64);
        assert_eq!(culprits(&report(&digest)), ["h103"]);
    });
}

#[test]
fn files_beyond_the_count_are_told_and_those_before_are_read() {
    alone("files_beyond_the_count_are_told_and_those_before_are_read", BASE_MIB, || {
        let mut ingest = Ingest::new(Limits { members: 1000, ..Limits::default() });
        ingest.start("tiny.tar");
        feed_tiny(&mut ingest, 200_000, |i| i.to_string());
        let digest = ingest.into_digest();
        assert_eq!((digest.len(), told(&digest, Code::TooManyMembers)), (1001, vec!["tiny.tar"]));
    });
}

/// Names of a megabyte, of which little is kept, then so many of four kilobytes that they are too much.
#[test]
fn bomb_of_names_is_bounded() {
    alone("bomb_of_names_is_bounded", BASE_MIB + 64, || {
        let mut ingest = Ingest::new(Limits { held_bytes: 64 << 20, ..Limits::default() });
        ingest.start("names.tar");
        let long = |kind: tar::EntryType, size: usize| {
            let mut header = tar::Header::new_gnu();
            header.set_path("././@LongLink").unwrap();
            header.set_entry_type(kind);
            header.set_size(size as u64);
            header.set_cksum();
            header
        };
        let megabyte = vec![b'n'; 1 << 20];
        for _ in 0..500 {
            ingest.feed(long(tar::EntryType::GNULongName, 1 << 20).as_bytes());
            ingest.feed(&megabyte);
            ingest.feed(header("x", 0).as_bytes());
        }
        let mut name = vec![b'n'; 4096];
        for i in 0..40_000_u64 {
            name[..8].copy_from_slice(format!("{i:08}").as_bytes());
            ingest.feed(long(tar::EntryType::GNULongName, 4096).as_bytes());
            ingest.feed(&name);
            ingest.feed(header("x", 0).as_bytes());
        }
        ingest.feed(&[0; 1024]);
        let digest = ingest.into_digest();
        assert_eq!(told(&digest, Code::TooMuchToHold), ["names.tar"]);
        assert!(digest.len() > 10_000, "{} files were kept", digest.len());
        assert!(digest.files().all(|(key, _)| key.path.len() <= 4096 + "names.tar/".len()));
    });
}

/// A digest's files take little room in it, whatever they say, and much in memory: 240 MB in 3 MB.
#[test]
fn digest_of_more_than_can_be_held_is_cut_and_what_follows_is_read() {
    let name = "digest_of_more_than_can_be_held_is_cut_and_what_follows_is_read";
    let file = |i: u32| {
        let name = "x".repeat(20_000).into();
        let hosts = vec![HostClaim { source: HostSource::Mention, name, ip: None }];
        let key = FileKey { path: format!("h101/{i:05}.log"), bytes: 1, crc: i };
        (key, FileDigest { hosts, ..FileDigest::default() })
    };
    alone(name, BASE_MIB + 64, || {
        let mut writer = FrameWriter::new(Vec::new()).unwrap();
        (0..12_000).map(file).for_each(|(key, file)| writer.push(&key, &file).unwrap());
        let whole = writer.finish().unwrap();
        assert!(whole.len() < 4 << 20, "{} bytes", whole.len());
        let limits = Limits { held_bytes: 32 << 20, ..Limits::default() };
        let is_cut = |feed: &mut dyn FnMut(&mut Ingest)| {
            let mut ingest = Ingest::new(limits);
            ingest.start("d");
            feed(&mut ingest);
            ingest.start("sample.tar.gz");
            ingest.feed(include_bytes!("../www/sample.tar.gz"));
            let digest = ingest.into_digest();
            assert_eq!(told(&digest, Code::TooMuchToHold), ["d"]);
            let (of_sample, others): (Vec<_>, Vec<_>) =
                digest.files().map(|(key, _)| key.path.as_str()).partition(|path| path.starts_with("sample.tar.gz/"));
            assert_eq!(of_sample.len(), sample().len());
            // One of 21 kB each goes beyond 32 MiB, and a row of its own tells it.
            let kept = others.iter().filter(|path| path.starts_with("h101/")).count();
            assert!((1_500..1_700).contains(&kept) && others.len() == kept + 1, "{kept} of {}", others.len());
        };
        is_cut(&mut |ingest| ingest.feed(&whole));
        is_cut(&mut |ingest| ingest.feed(&tar(&[("a.digest", &whole), ("b.log", b"not read\n")])));
        is_cut(&mut |ingest| {
            for (key, file) in (0..12_000).map(file) {
                ingest.feed(line_of(&key, &file).as_bytes());
                ingest.feed(b"\n");
            }
        });
    });
}

/// A line without an end, in every format: behind its first lines, and instead of its second.
#[test]
fn endless_line_is_bounded_in_every_format() {
    alone("endless_line_is_bounded_in_every_format", 2 * BASE_MIB, || {
        let filler = vec![b'x'; 1 << 20];
        for format in FORMATS {
            let about = format.about();
            let first = about.samples.join("\n").into_bytes();
            for begin in ["\n", "\n{\"type\":\"", "\n<a b=\"", " "] {
                let mut ingest = Ingest::new(Limits::default());
                ingest.start("h101/x.log");
                ingest.feed(&first);
                ingest.feed(begin.as_bytes());
                (0..20).for_each(|_| ingest.feed(&filler));
                ingest.feed(b"\n");
                ingest.feed(&first);
                let digest = ingest.into_digest();
                assert_eq!(digest.len(), 1, "{}", about.name);
            }
        }
    });
}

#[test]
fn gigabyte_line_is_told_where_it_is_and_the_next_is_read() {
    alone("gigabyte_line_is_told_where_it_is_and_the_next_is_read", BASE_MIB, || {
        let line = packing::log("tasktracker/0.20.2/job_setup_and_cleanup.log");
        let mut ingest = Ingest::new(Limits::default());
        ingest.start("h101/tasktracker.log");
        ingest.feed(&line);
        let filler = vec![b'x'; 1 << 20];
        (0..1024).for_each(|_| ingest.feed(&filler));
        ingest.feed(b"\n");
        ingest.feed(&line);
        let digest = ingest.into_digest();
        let (_, file) = digest.files().next().unwrap();
        let lines = line.iter().filter(|b| **b == b'\n').count() as u64;
        assert_eq!(file.issues.iter().find(|(code, _)| *code == Code::LineTooLong).unwrap().1.lines, [lines + 1]);
        let (before, behind): (Vec<_>, Vec<_>) = file.events.iter().partition(|row| row.line <= lines);
        assert!(before.len() > 2 && behind.len() > 2, "what stands before and behind it is read");
        assert_eq!(file.lines, 2 * lines + 1);
    });
}

#[test]
fn gaps_and_lies_in_tar_headers_keep_what_came_before() {
    let all = sample();
    let whole = packed(&all);
    // The header of a file in the middle, and one of the last.
    let starts: Vec<usize> =
        (0..whole.len() / 512).map(|block| block * 512).filter(|at| whole[at + 257..at + 262] == *b"ustar").collect();
    assert_eq!(starts.len(), all.len());
    // One that lies about more than its last block.
    let middle = (all.len() / 2..all.len()).find(|i| all[*i].1.len() > 4096).unwrap();
    let at = starts[middle];
    let with = |change: &dyn Fn(&mut tar::Header)| {
        let mut bytes = whole.clone();
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes().copy_from_slice(&bytes[at..at + 512]);
        change(&mut header);
        bytes[at..at + 512].copy_from_slice(header.as_bytes());
        bytes
    };
    let lie = |size: u64| {
        with(&move |header| {
            header.set_size(size);
            header.set_cksum();
        })
    };
    let mut gap = whole.clone();
    gap.splice(at..at, vec![0xa5; 512 * 5]);
    let mut behind_zeros = whole.clone();
    behind_zeros.splice(at..at, vec![0; 1024]);
    for (what, bytes, expected) in [
        ("far too long", lie(u64::MAX), Some(Code::Truncated)),
        ("too long for a signed number", lie(1 << 63), Some(Code::Truncated)),
        ("longer than all", lie(whole.len() as u64), Some(Code::Truncated)),
        ("nothing", lie(0), Some(Code::CorruptArchive)),
        ("a block too short", lie(1), Some(Code::CorruptArchive)),
        ("no number", with(&|header| header.as_mut_bytes()[124..136].fill(b'z')), Some(Code::CorruptArchive)),
        ("a gap of noise", gap, Some(Code::CorruptArchive)),
        ("a gap of zeros", behind_zeros, None),
    ] {
        let digest = digest("all.tar", &bytes);
        match expected {
            Some(code) => assert!(told(&digest, code).contains(&"all.tar"), "{what}: {:?}", told(&digest, code)),
            None => assert_eq!(digest, self::digest("all.tar", &whole), "{what}"),
        }
        for (path, bytes) in &all[..middle] {
            let kept = digest
                .files()
                .any(|(key, _)| key.path == format!("all.tar/{path}") && key.crc == crc32fast::hash(bytes));
            assert!(kept, "{what}: {path} is kept");
        }
    }
}

/// Links to themselves and to what is above them, and paths that lead out: names, nothing else.
#[test]
fn links_in_circles_and_paths_that_lead_out_are_only_names() {
    let mut builder = tar::Builder::new(Vec::new());
    for (kind, name, to) in [
        (tar::EntryType::Symlink, "h101", "."),
        (tar::EntryType::Symlink, "h101/up", "../.."),
        (tar::EntryType::Link, "self", "self"),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_size(0);
        builder.append_link(&mut header, name, to).unwrap();
    }
    let mut bytes = builder.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    for name in ["../../etc/passwd", "/etc/passwd", "a/../../b", "..", "./././c"] {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(2);
        header.set_cksum();
        bytes.extend_from_slice(header.as_bytes());
        bytes.extend_from_slice(b"x\n");
        bytes.extend([0; 510]);
    }
    bytes.extend([0; 1024]);
    let digest = digest("out.tar", &bytes);
    assert_eq!(digest.len(), 3 + 5);
    for (key, file) in digest.files() {
        assert!(key.path.starts_with("out.tar/"), "{}", key.path);
        let is_link = file.issues.count(Code::LinkNotFollowed) > 0;
        assert_eq!(key.bytes == 0, is_link, "{}: only links lead nowhere", key.path);
    }
}

/// A machine that lost power leaves zeros where lines were; a disk leaves anything.
#[test]
fn zeros_and_foreign_bytes_among_lines_cost_only_their_lines() {
    let mut members = sample();
    let noise: Vec<u8> = (0..=255_u8).filter(|b| *b != b'\n').collect();
    for (path, bytes) in &mut members {
        if !path.ends_with(".log") {
            continue;
        }
        let middle = bytes.len() / 2;
        let at = middle + bytes[middle..].iter().position(|b| *b == b'\n').unwrap() + 1;
        let dirt = [vec![0; 70_000], b"\n".to_vec(), noise.clone(), b"\n\xff\xfe\xc3\x28 \xed\xa0\x80\n".to_vec()];
        bytes.splice(at..at, dirt.concat());
    }
    let digest = digest("all.tar", &packed(&members));
    assert_eq!(culprits(&report(&digest)), ["h103"]);
    let clean = self::digest("all.tar", &packed(&sample()));
    for ((key, dirty), (_, clean)) in digest.files().zip(clean.files()) {
        assert_eq!(dirty.events.len(), clean.events.len(), "{}", key.path);
        if key.path.ends_with(".log") {
            assert_eq!(dirty.lines, clean.lines + 3, "{}", key.path);
        }
    }
    // At the very beginning, as a log that is emptied under its writer begins; and nothing but zeros, as an empty tar
    // has them too.
    let log = packing::log("datanode/0.20.2/write_and_read.log");
    let behind_zeros = [vec![0; 70_000], b"\n".to_vec(), log.clone()].concat();
    let alone = self::digest("all.tar", &tar(&[("h102/late.log", &behind_zeros)]));
    let events = self::digest("x", &log).files().next().unwrap().1.events.len();
    assert_eq!(alone.files().next().unwrap().1.events.len(), events);
    beside_the_sample(&vec![member("h101/zeros.log", vec![0; 1 << 20])], &[(Code::OnlyZeros, "h101/zeros.log")]);
}

#[test]
fn names_of_any_bytes_are_names() {
    let mut members = Vec::new();
    for (i, name) in
        [&b"h101/\xff\xfe.log"[..], b"h101/a\x01b.log", b"h101/\xe2\x80\xae.log", b"h101/ .log", b"h101/a\nb.log"]
            .iter()
            .enumerate()
    {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name);
        header.set_size(2);
        header.set_cksum();
        members.extend_from_slice(header.as_bytes());
        // Files of one name and content are one.
        members.extend_from_slice(format!("{i}\n").as_bytes());
        members.extend([0; 510]);
    }
    members.extend([0; 1024]);
    let digest = digest("n.tar", &members);
    assert_eq!(digest.len(), 5);
    for (key, _) in digest.files() {
        assert!(!key.path.chars().any(char::is_control), "{:?}", key.path);
    }
    assert!(!report(&digest).to_json().is_empty());
}

/// Everything that can be drawn of an analysis, and the analysis.
fn all_of(digest: &Digest) -> (Report, Vec<String>) {
    let views = Views::new(pipeline::analyse(digest, &Params::default()));
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let drawn = View::ALL.iter().map(|view| {
        let scene = views.lay_out(*view, &look);
        svg::to_svg(&scene, &Theme::light()).unwrap()
    });
    let mut texts: Vec<String> = drawn.collect();
    let report = views.analysis().report.clone();
    texts.push(html::page(&report, &Lines::new()).unwrap());
    (report, texts)
}

/// Names that are markup: a host's is none, a job's and a file's stand in the report as they are, and as text in
/// everything that a browser shows.
#[test]
fn markup_in_host_job_and_file_names_stays_text() {
    const HOST: &str = "h102<svg\u{a0}onload=alert`1`>\"'&";
    const JOB: &str = "<script>alert(1)</script>";
    let replaced = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        text.replace("h102", HOST).replace("JOBNAME=\"sorter\"", &format!("JOBNAME=\"{JOB}\"")).into_bytes()
    };
    let members: Members = sample()
        .iter()
        .map(|(path, bytes)| (path.replace("h102", HOST), replaced(bytes)))
        .chain([member("h104/<img src=x onerror=alert(1)>.log", "nothing\n")])
        .collect();
    let (report, texts) = all_of(&digest("all.tar", &packed(&members)));
    assert_eq!(culprits(&report), ["h103"], "the others are compared as before");
    assert!(report.nodes.iter().all(|node| !node.contains('<')), "{:?}", report.nodes);
    let json = report.to_json();
    assert!(json.contains("<script>alert(1)") && json.contains("<img src=x"), "JSON keeps what the logs say");
    for text in &texts {
        for markup in ["<script", "<img", "<svg\u{a0}", "onload=alert`1`>"] {
            assert!(!text.contains(markup), "{markup} in {text:.300}");
        }
    }
    let page = texts.last().unwrap();
    assert!(page.contains("&lt;script&gt;alert(1)"), "the job's name is shown");
}

/// A clock that was set wrong for one line, or for a file: whole years, to both ends of what a time can be.
#[test]
fn jumps_of_years_end_in_time_and_accuse_nobody_else() {
    alone("jumps_of_years_end_in_time_and_accuse_nobody_else", 512, || {
        for (from, to) in [
            ("2026-11-20 21:24:4", "1970-01-01 00:00:0"),
            ("2026-11-20 21:24:4", "9999-12-31 23:59:5"),
            ("2026-11-20 21:25:1", "2036-11-20 21:25:1"),
            ("2026-11-20 21:25:1", "0001-01-01 00:00:0"),
        ] {
            for host in ["h101/", "h105/", ""] {
                let mut members = sample();
                for (path, bytes) in &mut members {
                    if path.contains(host) && (path.ends_with(".log") || path.ends_with("syslog")) {
                        *bytes = String::from_utf8_lossy(bytes).replace(from, to).into_bytes();
                    }
                }
                let digest = digest("all.tar", &packed(&members));
                let (report, _) = all_of(&digest);
                let wrong: Vec<&str> = culprits(&report).into_iter().filter(|node| *node != "h103").collect();
                assert!(wrong.is_empty(), "{from} -> {to} on {host:?}: {wrong:?}");
            }
        }
        // Those of a trace of calls, up to the last that there is and beyond.
        let calls = ["1697048351.000541", "9223372036854775.000000", "9223372036854775.999999", "1697048351.000542"];
        let trace: String = calls.map(|time| format!("7 {time} brk(NULL) = 0 <0.000009>\n")).concat();
        beside_the_sample(&vec![member("h101/x.strace", trace)], &[]);
        // The history's own epoch times.
        for far in ["1", "253402300799999", "9223372036854775807", "99999999999999999999"] {
            let mut members = sample();
            for (path, bytes) in &mut members {
                if path.contains("history") {
                    *bytes = String::from_utf8_lossy(bytes)
                        .replacen("FINISH_TIME=\"1795227", &format!("FINISH_TIME=\"{far}\" X=\""), 3)
                        .into_bytes();
                }
            }
            let (report, _) = all_of(&digest("all.tar", &packed(&members)));
            assert!(culprits(&report).iter().all(|node| *node == "h103"), "{far}: {:?}", culprits(&report));
        }
    });
}

/// A log of one daemon: its start, and what `lines` adds.
fn daemon(format: &str, host: &str, lines: impl Iterator<Item = String>) -> (String, Vec<u8>) {
    let class = match format {
        "datanode" => "hdfs.server.datanode.DataNode",
        _ => "mapred.TaskTracker",
    };
    let head = format!("2026-11-20 21:24:22,109 INFO org.apache.hadoop.{class}");
    let mut text = format!("{head}: STARTUP_MSG: \nSTARTUP_MSG:   host = {host}/127.0.0.1\n");
    for line in lines {
        text.extend([&head, &*line, "\n"]);
    }
    member(&format!("r/hadoop-u-{format}-{host}.log"), text)
}

/// Small inputs in which one thing meets all others: where each pair costs, these take minutes.
#[test]
fn much_of_one_kind_ends_in_time() {
    let source = |i: u32| format!("10.1.{}.{}:{}", i / 250 / 250, i / 250 % 250, 1000 + i % 250);
    let receive = |i: u32, from: &str| format!(": Receiving block blk_7_{i} src: /{from} dest: /10.77.1.13:50010");
    let wrote = |from: &str| {
        format!(
            ".clienttrace: src: /{from}, dest: /10.77.1.13:50010, bytes: 4, op: HDFS_WRITE, cliID: c, srvID: s, blockid: blk_7_1"
        )
    };
    let rows = |member: (String, Vec<u8>), states: usize| {
        let trace = oddnode::states::build(&digest("all.tar", &packed(&vec![member])), None);
        assert_eq!(trace.states.len(), states);
    };
    // Writes of one block, and ends of others than these.
    let writes = || (0..100_000).map(|i| receive(i, &source(i)));
    rows(daemon("datanode", "h1", writes().chain((0..100_000).map(|_| wrote("10.9.9.9:1")))), 200_000 - 64);
    rows(daemon("datanode", "h1", writes().chain((0..100_000).rev().map(|i| wrote(&source(i))))), 200_000 - 64);
    let ended = (0..100_000).map(|_| ": PacketResponder 0 for block blk_7_1 terminating".to_owned());
    rows(daemon("datanode", "h1", writes().chain(ended)), 100_000);
    // Attempts, and jobs killed that none is of.
    let id = "202611202124_0001";
    let launches = (0..80_000)
        .map(|i| format!(": LaunchTaskAction (registerTask): attempt_{id}_m_{i:06}_0 task's state:UNASSIGNED"));
    let kills = (0..80_000).map(|_| ": Received 'KillJobAction' for job: job_202611202124_0002".to_owned());
    rows(daemon("tasktracker", "h1", launches.chain(kills)), 80_000);
    // A block that goes from host to host.
    let chain = (0..3_000_u32).map(|i| {
        let from = if i == 0 { "9.9.9.9:1".to_owned() } else { format!("h{:05}:4000", i - 1) };
        let (name, text) = daemon("datanode", &format!("h{i:05}"), std::iter::empty());
        let ip = |i: u32| format!("10.2.{}.{}", i / 250, i % 250 + 1);
        let text = String::from_utf8(text).unwrap().replace("127.0.0.1", &ip(i));
        let from = if i == 0 { from } else { format!("{}:4000", ip(i - 1)) };
        let head = "2026-11-20 21:24:28,660 INFO org.apache.hadoop.hdfs.server.datanode.DataNode";
        member(&name, format!("{text}{head}{}\n{head}{}\n", receive(1, &from), wrote(&from)))
    });
    let trace = oddnode::states::build(&digest("all.tar", &packed(&chain.collect())), None);
    assert_eq!((trace.nodes.len(), trace.states.len()), (3_000, 3_000));
    // Short names that two hosts have each.
    let named = (0..4_000).flat_map(|i| ["", ".a", ".b"].map(|site| format!("h{i:05}{site}")));
    let named: Members = named.map(|host| daemon("datanode", &host, std::iter::empty())).collect();
    let trace = oddnode::states::build(&digest("all.tar", &packed(&named)), None);
    assert_eq!(trace.nodes.len(), 12_000);
    // Calls that one process has open, and ends of none of them; fetches of one fetcher, and another that is freed.
    let calls = (0..60_000).map(|i| format!("7 1795227884.000001 s{i}(1 <unfinished ...>\n"));
    let ends = (0..60_000).map(|_| "7 1795227884.000002 <... zz resumed>) = 0 <0.000010>\n".to_owned());
    let strace = digest("x.strace", calls.chain(ends).collect::<String>().as_bytes());
    let (_, file) = strace.files().next().unwrap();
    assert_eq!((file.issues.count(Code::CallWithoutEnd), file.issues.count(Code::EndWithoutBegin)), (60_000, 60_000));
    let head = "2026-11-20 21:24:47,081 INFO [fetcher#1] org.apache.hadoop.mapreduce.task.reduce.";
    let attempt = "attempt_1795226467746_0015";
    let owner = format!(
        "{head}EventFetcher: {attempt}_r_000000_0 Thread started: EventFetcher for fetching Map Completion Events\n"
    );
    let fetches = (0..90_000).map(|i| {
        format!(
            "{head}Fetcher: fetcher#1 about to shuffle output of map {attempt}_m_{i:06}_0 decomp: 5 len: 9 to MEMORY\n"
        ) + &format!("{head}InMemoryMapOutput: Read 5 bytes from map-output for {attempt}_m_{i:06}_0\n")
    });
    let freed = (0..90_000).map(|_| format!("{head}ShuffleSchedulerImpl: h301:13562 freed by fetcher#2 in 2000ms\n"));
    let log = std::iter::once(owner).chain(fetches).chain(freed).collect::<String>();
    let trace = oddnode::states::build(&digest("h1/userlogs/syslog", log.as_bytes()), None);
    assert_eq!(trace.flows.len(), 90_000);
}

/// Lines of a megabyte that offer as many places to begin at as they have brackets, and no end, or one at theirs.
#[test]
fn much_of_one_kind_in_a_line_ends_in_time() {
    const MEGABYTE: usize = 1_000_000;
    let many = |text: &str| text.repeat(MEGABYTE / text.len());
    let task = "task_202611202124_0001_m_000000";
    let attempt = "attempt_202611202124_0001_m_000000_0";
    for counters in [many("[("), many("[(") + ")", many("[(a)("), many(r"[(\\\\)(")] {
        let history = format!(
            "Meta VERSION=\"1\" .\nMapAttempt TASK_TYPE=\"MAP\" TASKID=\"{task}\" TASK_ATTEMPT_ID=\"{attempt}\" \
             TASK_STATUS=\"SUCCESS\" FINISH_TIME=\"1795227884210\" HOSTNAME=\"/default-rack/h101\" \
             COUNTERS=\"{{(g)(g){counters}\" .\n"
        );
        let trace = oddnode::states::build(&digest("h100/history/job", history.as_bytes()), None);
        assert_eq!((trace.tasks.len(), trace.tasks[0].counters.hdfs_read.get()), (1, None));
    }
    let begin = "2026-11-20 21:24:22,109 INFO org.apache.hadoop.mapred.TaskTracker: STARTUP_MSG: \n";
    for places in [many("] x (y) "), many("] x (y):z "), many("] INFO x (y) "), many("] x (y")] {
        for head in ["INFO [", "["] {
            let log = format!("{begin}2026-11-20 21:24:22,109 {head}{places}\n{begin}");
            let digest = digest("h101/tasktracker.log", log.as_bytes());
            let (_, file) = digest.files().next().unwrap();
            assert_eq!((file.format.as_str(), file.lines), ("tasktracker", 3));
        }
    }
}

/// Two clusters whose JobTrackers started in one minute give the same ids to different jobs; and one
/// file may name an id again and again.
#[test]
fn ids_that_collide_are_no_crash_and_accuse_nobody_else() {
    alone("ids_that_collide_are_no_crash_and_accuse_nobody_else", 256, || {
        let other: Members = sample()
            .iter()
            .map(|(path, bytes)| {
                let text = String::from_utf8_lossy(bytes).replace("h10", "g10").replace("/10.", "/11.");
                (path.replace("h10", "g10"), text.into_bytes())
            })
            .collect();
        let both = [sample(), other].concat();
        let (report, _) = all_of(&digest("all.tar", &packed(&both)));
        let wrong: Vec<&str> = culprits(&report).into_iter().filter(|node| !["h103", "g103"].contains(node)).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        // The same lines under other names, and a hundred times over.
        let log = packing::log("tasktracker/0.20.2/job_setup_and_cleanup.log");
        let again: Members = (0..50).map(|i| member(&format!("h101/again-{i}.log"), log.repeat(100))).collect();
        let (_, texts) = all_of(&digest("all.tar", &packed(&again)));
        assert_eq!(texts.len(), View::ALL.len() + 1);
    });
}

/// One host in two folders, two hosts of one name or address, and a file that is there twice.
#[test]
fn hosts_that_are_there_twice_are_told_or_counted_once() {
    let all = sample();
    // Each file again under another folder: nothing is counted twice.
    let twice: Members =
        all.iter().cloned().chain(all.iter().map(|(path, bytes)| (format!("copy/{path}"), bytes.clone()))).collect();
    let report_of = |members: &Members| report(&digest("all.tar", &packed(members)));
    let (one, two) = (report_of(&all), report_of(&twice));
    assert_eq!(culprits(&two), ["h103"]);
    assert_eq!(one.nodes, two.nodes);
    assert!(two.issues.iter().any(|row| row.code == Code::DuplicateFile.name()), "{:?}", two.issues);
    assert_eq!(one.verdict.culprits[0].evidence[0].score, two.verdict.culprits[0].evidence[0].score);
    // Two machines that call themselves by one name: nobody is accused for the other.
    let merged: Members = all
        .iter()
        .map(|(path, bytes)| {
            let text = String::from_utf8_lossy(bytes).replace("h102", "h101");
            (path.replace("h102", "h101b"), text.into_bytes())
        })
        .collect();
    let report = report_of(&merged);
    assert!(culprits(&report).iter().all(|node| *node == "h103"), "{:?}", culprits(&report));
    // Two that claim one address.
    let address: Members = all
        .iter()
        .map(|(path, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            (path.clone(), text.replace("h102/10.77.1.12", "h102/10.77.1.11").into_bytes())
        })
        .collect();
    let report = report_of(&address);
    assert!(report.issues.iter().any(|row| row.code == Code::AddressClaimedTwice.name()), "{:?}", report.issues);
    assert_eq!(culprits(&report), ["h103"]);
}
