//! One battery for every container: what tools and Hadoop write, wrapped, hidden, nested,
//! cut at any byte; and the facts that one kind alone knows.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod packing;
mod unpacker;

use oddnode::base::Code;
use oddnode::base::crc::Crc;
use oddnode::source::container::CONTAINERS;
use oddnode::source::{Limits, Unpacker, Visitor};
use packing::{Zipped, bz2, gz, kept, log, samples, tar, tfile, xz, yarn_logs, yarn_logs_2_7, zip, zst};

/// What came out: members with their bytes, and issues by path.
#[derive(Debug, Default, PartialEq, Eq)]
struct Seen {
    members: Vec<(String, Vec<u8>)>,
    issues: Vec<(String, Code)>,
    /// The byte of each issue, where it is known.
    places: Vec<u64>,
    open: bool,
}

impl Visitor for Seen {
    fn open(&mut self, path: &str) {
        assert!(!std::mem::replace(&mut self.open, true), "{path} opens inside another member");
        self.members.push((path.to_owned(), Vec::new()));
    }
    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        assert!(self.open, "bytes outside a member");
        self.members.last_mut().unwrap().1.extend_from_slice(bytes);
        // Now and then, so that archives sum up the rest.
        (!bytes.len().is_multiple_of(3)).then(|| Crc::of(bytes))
    }
    fn close(&mut self) {
        assert!(std::mem::replace(&mut self.open, false), "closes twice");
    }
    fn issue(&mut self, path: &str, code: Code) {
        self.issue_at(path, code, 0);
    }
    fn issue_at(&mut self, path: &str, code: Code, byte: u64) {
        self.issues.push((path.to_owned(), code));
        self.places.push(byte);
    }
}

impl Seen {
    fn paths(&self) -> Vec<&str> {
        self.members.iter().map(|(path, _)| path.as_str()).collect()
    }
    fn issues(&self) -> Vec<(&str, Code)> {
        self.issues.iter().map(|(path, code)| (path.as_str(), *code)).collect()
    }
}

fn unpack_in(limits: &Limits, name: &str, bytes: &[u8], piece: usize) -> Seen {
    let mut seen = Seen::default();
    let mut unpacker = Unpacker::new(name, limits);
    for piece in bytes.chunks(piece) {
        unpacker.feed(piece, &mut seen);
    }
    unpacker.finish(&mut seen);
    assert!(!seen.open, "every member is closed");
    seen
}

fn unpack(name: &str, bytes: &[u8]) -> Seen {
    let whole = unpack_in(&Limits::default(), name, bytes, usize::MAX);
    for piece in [1, 7, 1000] {
        let seen = unpack_in(&Limits::default(), name, bytes, piece);
        assert_eq!(seen.issues, whole.issues, "{name} in pieces of {piece}");
        assert_eq!(seen.places, whole.places, "{name} in pieces of {piece}");
        assert!(seen.members == whole.members, "{name} in pieces of {piece}");
    }
    whole
}

fn owned(members: &[(&str, &[u8])]) -> Vec<(String, Vec<u8>)> {
    members.iter().map(|(path, bytes)| ((*path).to_owned(), bytes.to_vec())).collect()
}

fn a() -> Vec<u8> {
    log("tasktracker/0.20.2/job_setup_and_cleanup.log")
}

fn b() -> Vec<u8> {
    log("tasktracker/0.20.2/stack_trace.log")
}

#[test]
fn every_container_has_a_sample_and_is_told_by_its_content() {
    let samples = samples();
    for container in CONTAINERS {
        assert!(samples.iter().any(|(name, _)| *name == container.name), "no sample of {}", container.name);
    }
    for (name, bytes) in samples {
        let seen = unpack("renamed.bin", &bytes);
        assert!(!seen.members.is_empty(), "{name}");
        let harmless = |(_, code): &(String, Code)| *code == Code::EncryptedMember;
        assert!(seen.issues.iter().all(harmless), "{name}: {:?}", seen.issues);
    }
}

#[test]
fn wrapped_and_nested_containers_give_the_same() {
    for (name, bytes) in samples() {
        let plain = unpack("x", &bytes).members;
        for (wrap, packed) in [("gz", gz(&bytes)), ("bz2", bz2(&bytes)), ("xz", xz(&bytes)), ("zst", zst(&bytes))] {
            assert!(unpack_in(&Limits::default(), "x", &packed, 4096).members == plain, "{name} in {wrap}");
        }
        let nested = plain.iter().map(|(path, bytes)| (format!("out/{path}"), bytes.clone())).collect::<Vec<_>>();
        let deflate = Zipped { deflate: true, ..Zipped::default() };
        for (wrap, packed) in [("tar", tar(&[("x", &bytes)])), ("zip", zip(&[("x", &bytes)], deflate))] {
            assert!(unpack_in(&Limits::default(), "out", &packed, 4096).members == nested, "{name} in {wrap}");
        }
    }
}

/// What was whole before the cut is there, and the cut is told where it is.
#[test]
fn cut_anywhere_keeps_what_came_before_and_says_where() {
    for (name, bytes) in samples() {
        let whole = unpack_in(&Limits::default(), "x", &bytes, 4096);
        let mut silent = 0;
        for at in (1..bytes.len()).step_by(1 + bytes.len() / 400) {
            let seen = unpack_in(&Limits::default(), "x", &bytes[..at], 4096);
            let of_whole = |(path, bytes): &(String, Vec<u8>)| {
                whole.members.iter().any(|(p, b)| p == path && b.starts_with(bytes))
            };
            // Too short to be told what it is, it is a file.
            let head = seen.members.len() == 1 && bytes.starts_with(&seen.members[0].1);
            assert!(head || seen.members.iter().all(of_whole), "{name} cut at {at}");
            let damage = |(_, code): &(String, Code)| matches!(code, Code::Truncated);
            let ends_anywhere = ["UTF-16", "files behind one another (text)"].contains(&name);
            let lost = seen.members != whole.members && !head && !ends_anywhere;
            silent += usize::from(lost && !seen.issues.iter().any(damage));
        }
        // Between two streams, and in the four zeros that are there once, nothing is cut.
        // A text may end behind any of its logs.
        let streams = ["gzip", "zstd", "xz", "bzip2", "aggregated logs (text)"].contains(&name);
        assert!(silent <= if streams { 5 } else { 0 }, "{name}: {silent} cuts are not told");
    }
}

#[test]
fn streams_behind_one_another_are_one_file() {
    let both = [a(), b()].concat();
    for name in ["two_frames.zst", "two_streams.xz", "two_streams.bz2"] {
        let seen = unpack(name, &kept(name));
        assert!((seen.members, seen.issues) == (owned(&[(name, &both)]), vec![]), "{name}");
    }
}

#[test]
fn what_tools_zip_is_read() {
    let (a, b) = (a(), b());
    for name in ["deflated.zip", "stored.zip"] {
        let seen = unpack("z", &kept(name));
        assert!((seen.members, seen.issues) == (owned(&[("z/a.log", &a), ("z/b.log", &b)]), vec![]), "{name}");
    }
    for name in ["streamed_deflated.zip", "streamed_stored.zip", "streamed_64.zip", "bzip2.zip"] {
        let seen = unpack("z", &kept(name));
        let members = owned(&[("z/h101/a.log", &a), ("z/h101/b.log", &b)]);
        assert!((seen.members, seen.issues) == (members, vec![]), "{name}");
    }
}

#[test]
fn every_way_to_write_sizes_into_a_zip_is_read() {
    let members: &[(&str, &[u8])] = &[("a", b"first, PK\x07\x08 in it"), ("d/", b""), ("b", b""), ("c", &[7; 3000])];
    let read = owned(&[("z/a", members[0].1), ("z/b", b""), ("z/c", members[3].1)]);
    for deflate in [false, true] {
        for wide in [false, true] {
            for behind in [None, Some(true), Some(false)] {
                // Without size and signature nothing tells where stored bytes end.
                if behind == Some(false) && !deflate {
                    continue;
                }
                let seen = unpack("z", &zip(members, Zipped { deflate, behind, wide }));
                assert_eq!(seen.issues(), [], "{deflate} {wide} {behind:?}");
                assert!(seen.members == read, "{deflate} {wide} {behind:?}");
            }
        }
    }
}

/// Numbers that no packer makes small.
fn numbers(count: u64) -> Vec<u8> {
    (0..count).flat_map(|i| format!("{} {}\n", i, i * i * 2_654_435_761 % 999_983).into_bytes()).collect()
}

#[test]
fn cut_or_damaged_zstd_gives_all_that_was_decoded() {
    let text = numbers(40_000);
    let packed = zst(&text);
    let cut = packed.len() - 10;
    let mut member = zip(&[("x", &packed)], Zipped::default());
    // Its method: zstd.
    member[8] = 93;
    let archive = tar(&[("x", &text)]);
    for (name, bytes) in [
        ("file", packed[..cut].to_vec()),
        ("in a tar", tar(&[("x", &packed)])[..512 + cut].to_vec()),
        ("around a tar", zst(&archive)[..zst(&archive).len() - 700].to_vec()),
        ("in a zip", member[..31 + cut].to_vec()),
    ] {
        let seen = unpack("x", &bytes);
        let (_, content) = &seen.members[0];
        assert!(text.starts_with(content), "{name}");
        // All but the block that is cut, and the archive's own.
        assert!(content.len() + 128 * 1024 + 2048 >= text.len(), "{name}: {} of {}", content.len(), text.len());
        assert!(seen.issues.iter().all(|(_, code)| *code == Code::Truncated), "{name}: {:?}", seen.issues);
    }
    // A frame of up to 200 bytes, a block of 100 as they are, then one of a kind that is none.
    let frame = [b"\x28\xb5\x2f\xfd\x20\xc8".to_vec(), vec![0x20, 3, 0], vec![b'a'; 100], vec![7, 0, 0]].concat();
    for (bytes, code) in [(frame.as_slice(), Code::CorruptStream), (&frame[..109], Code::Truncated)] {
        let seen = unpack("x", bytes);
        assert_eq!((&seen.members, seen.issues()), (&owned(&[("x", &[b'a'; 100])]), vec![("x", code)]));
    }
}

#[test]
fn of_a_damaged_block_of_bzip2_nothing_is_read() {
    let text = numbers(40_000);
    let packed = bz2(&text);
    for at in (packed.len() / 3..packed.len() - 30).step_by(packed.len() / 9) {
        let mut damaged = packed.clone();
        damaged[at] ^= 0x10;
        let seen = unpack_in(&Limits::default(), "x", &damaged, 4096);
        assert_eq!(seen.issues(), [("x", Code::CorruptStream)], "{at}");
        let content = &seen.members[0].1;
        assert!(!content.is_empty() && text.starts_with(content), "{at}: {} of {}", content.len(), text.len());
    }
}

#[test]
fn window_beyond_the_limit_is_told_as_what_it_is() {
    // 256 MB.
    let zst = b"\x28\xb5\x2f\xfd\x00\x90\x09\x00\x00x".to_vec();
    let mut xz = xz(b"text");
    assert_eq!(xz[14..16], [0x21, 1]);
    xz[16] = 32;
    let length = (usize::from(xz[12]) + 1) * 4;
    let sum = crc32fast::hash(&xz[12..12 + length - 4]).to_le_bytes();
    xz[12 + length - 4..12 + length].copy_from_slice(&sum);
    for bytes in [zst, xz] {
        assert_eq!(unpack("x", &bytes).issues(), [("x", Code::WindowTooLarge)]);
    }
}

#[test]
fn encrypted_member_is_named_and_the_next_is_read() {
    let seen = unpack("z", &kept("encrypted.zip"));
    assert_eq!(seen.issues(), [("z/a.log", Code::EncryptedMember)]);
    assert_eq!(seen.members, owned(&[("z/a.log", b""), ("z/b.log", &b())]));
}

#[test]
fn damaged_zip_member_is_named_and_the_next_is_read() {
    let noise: Vec<u8> = (0..4000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let deflate = Zipped { deflate: true, ..Zipped::default() };
    let mut bytes = zip(&[("a", &noise), ("b", b"whole")], deflate);
    bytes[40] ^= 0xff;
    let seen = unpack("z", &bytes);
    assert_eq!(seen.issues(), [("z/a", Code::CorruptStream)]);
    assert_eq!(seen.members[1], ("z/b".to_owned(), b"whole".to_vec()));
    // A checksum that does not fit.
    let mut bytes = zip(&[("a", b"text"), ("b", b"whole")], Zipped::default());
    bytes[14] ^= 1;
    assert_eq!(unpack("z", &bytes).issues(), [("z/a", Code::CorruptStream)]);
    // What follows the first member is no header.
    let mut bytes = zip(&[("a", b"text"), ("b", b"whole")], Zipped::default());
    let second = bytes[4..].windows(4).position(|four| four == b"PK\x03\x04").unwrap() + 4;
    bytes[second] ^= 1;
    let seen = unpack("z", &bytes);
    assert_eq!((seen.issues(), seen.places.as_slice()), (vec![("z", Code::CorruptArchive)], &[second as u64][..]));
}

#[test]
fn sizes_that_lie_do_not_mislead_a_zip() {
    let deflate = Zipped { deflate: true, ..Zipped::default() };
    let text = log("task-syslog/3.3.6/map.log");
    let good = zip(&[("a", &text), ("b", b"whole")], deflate);
    for (at, lie) in [(18, 1_u8), (18, 0xff), (21, 0x7f), (22, 1), (25, 0xff)] {
        let mut bytes = good.clone();
        bytes[at] = lie;
        let seen = unpack("z", &bytes);
        assert!(!seen.issues.is_empty(), "{at} {lie}");
        assert!(text.starts_with(&seen.members[0].1));
    }
}

#[test]
fn folders_of_a_zip_may_be_parted_by_backslashes() {
    let names: [(&str, &[u8]); 3] =
        [("logs\\h101\\", b""), ("logs\\h101\\x.log", b"one"), ("logs/h102/a\\b.log", b"two")];
    let seen = unpack("z", &zip(&names, Zipped::default()));
    assert_eq!(seen.members, owned(&[("z/logs/h101/x.log", b"one"), ("z/logs/h102/a\\b.log", b"two")]));
    assert_eq!(seen.issues(), []);
}

#[test]
fn java_archive_is_no_container_and_empty_zip_is_told() {
    let jar = zip(&[("META-INF/", b""), ("a.class", b"x")], Zipped::default());
    let seen = unpack("job.jar", &jar);
    assert_eq!((seen.members, seen.issues), (owned(&[("job.jar", &jar)]), vec![]));
    assert_eq!(unpack("z", &zip(&[], Zipped::default())).issues(), [("z", Code::EmptyArchive)]);
}

#[test]
fn holes_of_sparse_files_are_zeros() {
    let mut file = vec![0; 500_000];
    for i in 0..30 {
        let piece = format!("piece {i}\n");
        file[i * 16_384..i * 16_384 + piece.len()].copy_from_slice(piece.as_bytes());
    }
    for name in ["sparse_gnu.tar.gz", "sparse_pax00.tar.gz", "sparse_pax01.tar.gz", "sparse_pax10.tar.gz"] {
        let seen = unpack("t", &kept(name));
        assert_eq!(seen.issues(), [], "{name}");
        assert!(seen.members == owned(&[("t/sparse.log", &file), ("t/a.log", &a())]), "{name}");
    }
}

#[test]
fn endless_hole_is_cut_and_the_next_member_is_read() {
    let mut builder = tar::Builder::new(Vec::new());
    builder
        .append_pax_extensions([
            ("GNU.sparse.name", b"hole".as_slice()),
            ("GNU.sparse.size", b"9000000000000000000"),
            ("GNU.sparse.map", b"0,4"),
        ])
        .unwrap();
    let mut bytes = builder.into_inner().unwrap();
    bytes.truncate(bytes.len() - 1024);
    bytes.extend(tar(&[("x", b"text"), ("y", b"next")]));
    let limits = Limits { ratio_from: 1 << 20, ratio: 1, ..Limits::default() };
    let seen = unpack_in(&limits, "t", &bytes, 100);
    assert_eq!(seen.issues(), [("t/hole", Code::ExpandsTooMuch)]);
    assert_eq!(seen.members[0].1.len(), 4 + (1 << 20));
    assert_eq!(seen.members[1], ("t/y".to_owned(), b"next".to_vec()));
}

#[test]
fn bombs_of_every_kind_are_cut() {
    let zeros = vec![b'0'; 3_000_000];
    let deflate = Zipped { deflate: true, ..Zipped::default() };
    let limits = Limits { ratio: 10, ratio_from: 100_000, ..Limits::default() };
    for (name, bomb) in [
        ("gz", gz(&zeros)),
        ("bz2", bz2(&zeros)),
        ("xz", xz(&zeros)),
        ("zst", zst(&zeros)),
        ("zip", zip(&[("x", &zeros)], deflate)),
        ("tfile", tfile(&[("container_1", "syslog", &zeros)], 100_000, true)),
    ] {
        let seen = unpack_in(&limits, "x", &bomb, 1000);
        assert!(seen.issues.iter().all(|(_, code)| *code == Code::ExpandsTooMuch), "{name}: {:?}", seen.issues);
        assert!(!seen.issues.is_empty() && seen.members[0].1.len() <= 655_360, "{name}");
    }
}

const C2: &str = "container_1795226467746_0033_01_000002";

#[test]
fn aggregated_logs_are_members_by_host_and_container() {
    let syslog = log("task-syslog/3.3.6/map.log");
    let read = owned(&[
        (&format!("h301_45454/{C2}/stdout"), b""),
        (&format!("h301_45454/{C2}/syslog"), &syslog),
        ("h301_45454/container_3/syslog", b"x"),
    ]);
    let logs: &[(&str, &str, &[u8])] = &[(C2, "stdout", b""), (C2, "syslog", &syslog), ("container_3", "syslog", b"x")];
    for packed in [false, true] {
        for chunk in [1, 100, 1 << 20] {
            let seen = unpack("h301_45454", &tfile(logs, chunk, packed));
            assert_eq!(seen.issues(), [], "{packed} {chunk}");
            assert!(seen.members == read, "{packed} {chunk}");
        }
    }
    let text = yarn_logs(&logs.iter().map(|(c, n, b)| ("h301_45454", *c, *n, *b)).collect::<Vec<_>>());
    let seen = unpack("y.txt", &text);
    let below: Vec<_> = read.iter().map(|(path, bytes)| (format!("y.txt/{path}"), bytes.clone())).collect();
    assert_eq!(seen.issues, []);
    assert!(seen.members == below);
}

#[test]
fn text_of_older_versions_has_no_end_lines() {
    let text = b"\n\nContainer: container_1_0001_01_000001 on n1_8041\n====\nLogType: stderr\nLogLength: 0\nLog Contents:\n\n\
        LogType: syslog\nLogLength: 8\nLog Contents:\none\ntwo\n\n\n\nContainer: container_1_0001_01_000002 on n2_8041\n====\n\
        LogType: syslog\nLogLength: 5\nLog Contents:\nthree\n";
    let seen = unpack("y", text);
    let read: &[(&str, &[u8])] = &[
        ("y/n1_8041/container_1_0001_01_000001/stderr", b""),
        ("y/n1_8041/container_1_0001_01_000001/syslog", b"one\ntwo\n"),
        ("y/n2_8041/container_1_0001_01_000002/syslog", b"three"),
    ];
    assert_eq!((seen.members, seen.issues), (owned(read), vec![]));
}

#[test]
fn text_whose_end_lines_stand_straight_behind_the_bytes_is_whole() {
    let logs: &[(&str, &[u8])] =
        &[("stderr", b""), ("stdout", b"no end"), ("prelaunch.out", b"a\nno end"), ("syslog", b"one\nEnd of two\n")];
    for (node, place) in [(" on n1_8041", "n1_8041/"), ("", "")] {
        let text = yarn_logs_2_7(node, logs);
        let names: Vec<String> =
            logs.iter().map(|(name, _)| format!("y/{place}container_1_0001_01_000001/{name}")).collect();
        let read: Vec<(&str, &[u8])> =
            names.iter().zip(logs).map(|(name, (_, bytes))| (name.as_str(), *bytes)).collect();
        let seen = unpack("y", &text);
        assert_eq!((seen.members, seen.issues), (owned(&read), vec![]));
    }
}

#[test]
fn text_that_an_editor_changed_is_read_by_its_end_lines() {
    let text = yarn_logs(&[("h1_1", "container_1", "syslog", b"one\ntwo\n"), ("h1_1", "container_1", "stdout", b"x")]);
    let crlf = String::from_utf8(text.clone()).unwrap().replace('\n', "\r\n");
    let read: &[(&str, &[u8])] =
        &[("y/h1_1/container_1/syslog", b"one\r\ntwo\r\n"), ("y/h1_1/container_1/stdout", b"x")];
    let seen = unpack("y", crlf.as_bytes());
    assert_eq!((seen.members, seen.issues), (owned(read), vec![]));
    // Lines were taken out.
    let short = String::from_utf8(text).unwrap().replace("two\n", "");
    let seen = unpack("y", short.as_bytes());
    assert_eq!(seen.issues(), [("y/h1_1/container_1/syslog", Code::Truncated)]);
    assert_eq!(seen.members.len(), 2);
}

#[test]
fn client_lines_before_the_first_container_do_not_hide_it() {
    let noise = b"26/11/21 03:09:01 INFO client.RMProxy: Connecting to ResourceManager at h300/10.77.3.10:8032\n";
    let text = [noise.to_vec(), yarn_logs(&[("h1_1", "container_1", "syslog", b"x")])].concat();
    assert_eq!(unpack("y", &text).members, owned(&[("y/h1_1/container_1/syslog", b"x")]));
    let bindings =
        b"SLF4J: Found binding in [jar:file:/opt/hadoop/lib/slf4j.jar!/org/slf4j/impl/StaticLoggerBinder.class]\n";
    let text = [bindings.repeat(9), noise.repeat(9), yarn_logs(&[("h1_1", "container_1", "syslog", b"x")])].concat();
    assert_eq!(unpack("y", &text).members, owned(&[("y/h1_1/container_1/syslog", b"x")]));
    // Without a container it is what it is.
    assert_eq!(unpack("y", &bindings.repeat(200)).members, owned(&[("y", &bindings.repeat(200))]));
    assert_eq!(unpack("y", b"Container: container_1 was killed\n").members.len(), 1);
}

#[test]
fn aggregated_logs_of_a_real_node_are_read() {
    let seen = unpack("h301_45454.gz", &kept("h301_45454.gz"));
    assert_eq!(seen.issues, []);
    // Four containers of seven logs each.
    assert_eq!(seen.members.len(), 28);
    assert!(seen.members[0].0.ends_with("container_1795226467746_0033_01_000002/directory.info"));
}
