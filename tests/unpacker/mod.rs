//! The unpacker from outside: what it gives for archives made on the spot.

use super::packing::{gz, tar};
use super::{Seen, owned, unpack_in};
use oddnode::base::Code;
use oddnode::base::crc::Crc;
use oddnode::source::{Limits, Unpacker, Visitor};
use proptest::prelude::*;

/// Where the issues of an archive `z` are, however its bytes come.
fn places(bytes: &[u8]) -> Vec<(String, Code, u64)> {
    let of = |piece: usize| {
        let seen = unpack_in(&Limits::default(), "z", bytes, piece);
        seen.issues.into_iter().zip(seen.places).map(|((path, code), byte)| (path, code, byte)).collect()
    };
    let whole: Vec<_> = of(usize::MAX);
    for piece in [1, 3, 100, 4096] {
        assert_eq!(of(piece), whole, "pieces of {piece}");
    }
    whole
}

#[test]
fn damage_is_told_with_its_byte_where_that_can_be_known() {
    let text: Vec<u8> = (0..30_000_u64).flat_map(|i| (i * i % 977).to_string().into_bytes()).collect();
    let archive = tar(&[("a", b"hello"), ("b", &text)]);
    let packed = gz(&archive);
    let own = |bytes: &[u8]| {
        let found = places(bytes);
        assert!(found.iter().filter(|(path, ..)| path != "z").all(|(.., byte)| *byte == 0), "{found:?}");
        found.into_iter().filter(|(path, ..)| path == "z").map(|(_, code, byte)| (code, byte)).collect::<Vec<_>>()
    };
    let cut = packed.len() / 2;
    assert_eq!(own(&packed[..cut]), [(Code::Truncated, cut as u64)]);
    assert_eq!(own(&archive[..2000]), [(Code::Truncated, 2000)]);
    // The checksum at the end does not fit.
    let mut damaged = packed.clone();
    *damaged.last_mut().unwrap() ^= 1;
    assert_eq!(own(&damaged), [(Code::CorruptStream, packed.len() as u64)]);
    // The third kind of block is none, behind the header of a second stream.
    let broken = [&packed[..], &packed[..10], &[7; 600]].concat();
    let found = own(&broken);
    assert_eq!(found.len(), 1, "{found:?}");
    for at in (1000..packed.len() - 300).step_by(packed.len() / 7) {
        let mut damaged = packed.clone();
        damaged[at..at + 200].iter_mut().for_each(|b| *b = b.wrapping_mul(37) ^ 0x5a);
        let found = own(&damaged);
        assert!(matches!(found[..], [(Code::CorruptStream, byte)] if byte > at as u64), "{at}: {found:?}");
    }
    // The header of the second member, behind that of the first and its one block.
    let mut damaged = archive.clone();
    damaged[1024 + 150] ^= 1;
    assert_eq!(own(&damaged), [(Code::CorruptArchive, 1024)]);
    assert_eq!(own(&gz(&damaged)), [(Code::CorruptArchive, 0)]);
}

#[test]
fn tar_is_read_on_behind_a_damaged_header() {
    // The damaged one has a long name before it, which is not the next one's, and zeros and text in its bytes.
    let long = "d/".repeat(150) + "b";
    let text = [vec![b'x'; 1500], vec![0; 2048], vec![b'7'; 1000]].concat();
    let mut bytes = tar(&[("a", b"one"), (&long, &text), ("c", b"three"), ("d", b"four")]);
    bytes[2048 + 150] ^= 1;
    let seen = unpack("z", &bytes);
    assert_eq!(seen.members, owned(&[("z/a", b"one"), ("z/c", b"three"), ("z/d", b"four")]));
    assert_eq!(places(&bytes), [("z".to_owned(), Code::CorruptArchive, 2048)]);
    // Each is told, and the end of the archive is no further damage.
    let last = bytes.len() - 1024 - 1024;
    bytes[last + 150] ^= 1;
    assert_eq!(unpack("z", &bytes).paths(), ["z/a", "z/c"]);
    let told = places(&bytes);
    assert_eq!(told.iter().map(|(.., byte)| *byte).collect::<Vec<_>>(), [2048, last as u64], "{told:?}");
}

/// All at once.
fn unpack(name: &str, bytes: &[u8]) -> Seen {
    unpack_in(&Limits::default(), name, bytes, usize::MAX)
}

/// A tar entry made by hand: any type, any bytes.
fn entry(kind: tar::EntryType, name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.set_path(name).unwrap();
    header.set_entry_type(kind);
    header.set_size(bytes.len() as u64);
    header.set_cksum();
    let mut out = header.as_bytes().to_vec();
    out.extend_from_slice(bytes);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

fn end_of_tar() -> Vec<u8> {
    vec![0; 1024]
}

#[test]
fn plain_file_keeps_its_name() {
    let seen = unpack("./logs/h101/x.log", b"a\nb");
    assert_eq!(seen.members, owned(&[("logs/h101/x.log", b"a\nb")]));
    assert_eq!(seen.issues(), []);
    assert_eq!(unpack("x", b"").members, owned(&[("x", b"")]));
}

#[test]
fn gzip_adds_nothing_to_the_path_and_tar_does() {
    let inner = tar(&[("a/x.log", b"one"), ("empty", b"")]);
    let members = owned(&[("r.tar.gz/a/x.log", b"one"), ("r.tar.gz/empty", b"")]);
    assert_eq!(unpack("r.tar.gz", &inner).members, members);
    assert_eq!(unpack("r.tar.gz", &gz(&inner)).members, members);
    assert_eq!(unpack("r.tar.gz", &gz(&gz(&inner))).members, members);
    assert_eq!(unpack("x.log.gz", &gz(b"text")).members, owned(&[("x.log.gz", b"text")]));
}

#[test]
fn archives_nest_with_their_names() {
    let inner = gz(&tar(&[("x.log", b"deep")]));
    let outer = gz(&tar(&[("h1/in.tar.gz", &inner), ("h1/y.log.gz", &gz(b"flat")), ("z.log", b"top")]));
    let seen = unpack("out.tgz", &outer);
    let expected: &[(&str, &[u8])] =
        &[("out.tgz/h1/in.tar.gz/x.log", b"deep"), ("out.tgz/h1/y.log.gz", b"flat"), ("out.tgz/z.log", b"top")];
    assert_eq!(seen.members, owned(expected));
    assert_eq!(seen.issues(), []);
}

#[test]
fn long_names_come_by_gnu_and_by_pax() {
    let long = "d/".repeat(150) + "x.log";
    let gnu = tar(&[(&long, b"gnu")]);
    assert_eq!(unpack("t", &gnu).members, owned(&[(&format!("t/{long}"), b"gnu")]));

    let mut builder = tar::Builder::new(Vec::new());
    let name = format!("{}é.log", "p".repeat(200));
    builder.append_pax_extensions([("path", name.as_bytes()), ("size", b"3")]).unwrap();
    let mut pax = builder.into_inner().unwrap();
    pax.truncate(pax.len() - 1024);
    // The header's own size is wrong; pax's counts.
    let mut file = entry(tar::EntryType::Regular, "short", b"pax");
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes().copy_from_slice(&file[..512]);
    header.set_size(0);
    header.set_cksum();
    file[..512].copy_from_slice(header.as_bytes());
    pax.extend(file);
    pax.extend(entry(tar::EntryType::Regular, "next", b"n"));
    pax.extend(end_of_tar());
    let seen = unpack("t", &pax);
    assert_eq!(seen.members, owned(&[(&format!("t/{name}"), b"pax"), ("t/next", b"n")]));
    assert_eq!(seen.issues(), []);
}

#[test]
fn size_in_base_256_is_read() {
    let mut bytes = entry(tar::EntryType::Regular, "big", b"12345");
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes().copy_from_slice(&bytes[..512]);
    header.as_mut_bytes()[124..136].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]);
    header.set_cksum();
    bytes[..512].copy_from_slice(header.as_bytes());
    bytes.extend(end_of_tar());
    assert_eq!(unpack("t", &bytes).members, owned(&[("t/big", b"12345")]));
}

#[test]
fn links_are_named_and_what_else_is_no_file_is_no_member() {
    let mut bytes = entry(tar::EntryType::Directory, "d/", b"");
    bytes.extend(entry(tar::EntryType::Symlink, "link", b""));
    bytes.extend(entry(tar::EntryType::Link, "hard", b""));
    bytes.extend(entry(tar::EntryType::Fifo, "fifo", b""));
    bytes.extend(entry(tar::EntryType::XGlobalHeader, "pax_global_header", b"18 comment=abcdefg\n"));
    bytes.extend(entry(tar::EntryType::Regular, "d/x.log.crc", b"crc"));
    bytes.extend(end_of_tar());
    let seen = unpack("t", &bytes);
    assert_eq!(seen.members, owned(&[("t/link", b""), ("t/hard", b""), ("t/d/x.log.crc", b"crc")]));
    assert_eq!(seen.issues(), [("t/link", Code::LinkNotFollowed), ("t/hard", Code::LinkNotFollowed)]);
}

/// An entry whose header was changed, and its sum with it.
fn changed(mut entry: Vec<u8>, change: impl FnOnce(&mut tar::Header)) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes().copy_from_slice(&entry[..512]);
    change(&mut header);
    header.set_cksum();
    entry[..512].copy_from_slice(header.as_bytes());
    entry
}

#[test]
fn a_newline_in_a_pax_value_hides_no_record_behind_it() {
    let records = b"30 SCHILY.xattr.user.a=b\nc=d\n\n14 path=d/x.y\n10 size=3\n";
    let mut bytes = entry(tar::EntryType::XHeader, "x", records);
    bytes.extend(changed(entry(tar::EntryType::Regular, "short", b"pax"), |header| header.set_size(0)));
    bytes.extend(entry(tar::EntryType::Regular, "next", b"n"));
    bytes.extend(end_of_tar());
    let seen = unpack("t", &bytes);
    assert_eq!((seen.issues(), &seen.members), (vec![], &owned(&[("t/d/x.y", b"pax"), ("t/next", b"n")])));
}

#[test]
fn a_hard_link_s_size_is_that_of_another_member() {
    let size = |bytes: u64| move |header: &mut tar::Header| header.set_size(bytes);
    let link = |bytes: &[u8]| entry(tar::EntryType::Link, "hard", bytes);
    let text = vec![b'x'; 1500];
    let pax = entry(tar::EntryType::XHeader, "x", b"13 size=1500\n");
    let links = [
        // GNU's tar: the size, and no bytes; some give them again.
        ("no bytes", changed(link(b""), size(1500))),
        ("bytes", link(&text)),
        ("a block", link(&text[..512])),
        ("a few bytes", link(&text[..5])),
        ("bytes by pax", [pax, changed(link(&text), size(0))].concat()),
    ];
    for (name, link) in links {
        let behind = entry(tar::EntryType::Regular, "x.log", b"one");
        let bytes = [link.clone(), behind, end_of_tar()].concat();
        for piece in [1, 512, usize::MAX] {
            let seen = unpack_in(&Limits::default(), "t", &bytes, piece);
            assert_eq!(seen.members, owned(&[("t/hard", b""), ("t/x.log", b"one")]), "{name}");
            assert_eq!(seen.issues(), [("t/hard", Code::LinkNotFollowed)], "{name}");
        }
        let last = [entry(tar::EntryType::Regular, "x.log", b"one"), link, end_of_tar()].concat();
        assert_eq!(unpack("t", &last).issues(), [("t/hard", Code::LinkNotFollowed)], "{name}");
    }
}

#[test]
fn a_volume_s_label_has_no_size_and_a_continued_member_no_begin() {
    let kind = tar::EntryType::new;
    let label = changed(entry(kind(b'V'), "label", b""), |header| header.as_old_mut().size = [0; 12]);
    let text = [b'x'; 700];
    let bytes = [label, entry(kind(b'M'), "a.log", &text), entry(kind(b'0'), "b.log", b"one"), end_of_tar()].concat();
    let seen = unpack("t", &bytes);
    assert_eq!(seen.members, owned(&[("t/a.log", b""), ("t/b.log", b"one")]));
    assert_eq!(seen.issues(), [("t/a.log", Code::ContinuedMember)]);
    let only = [entry(kind(b'M'), "a.log", &text), end_of_tar()].concat();
    assert_eq!(unpack("t", &only).issues(), [("t/a.log", Code::ContinuedMember)]);
}

#[test]
fn sparse_member_is_named_and_the_next_one_is_whole() {
    let mut bytes = entry(tar::EntryType::GNUSparse, "hole", &[7; 700]);
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes().copy_from_slice(&bytes[..512]);
    header.as_gnu_mut().unwrap().set_is_extended(true);
    header.set_cksum();
    bytes[..512].copy_from_slice(header.as_bytes());
    // Two further blocks of the map, the first of which says that another follows.
    let mut map = vec![0; 1024];
    map[504] = 1;
    bytes.splice(512..512, map);
    bytes.extend(entry(tar::EntryType::Regular, "x", b"whole"));
    bytes.extend(end_of_tar());
    let seen = unpack("t", &bytes);
    assert_eq!(seen.members, owned(&[("t/hole", b""), ("t/x", b"whole")]));
    assert_eq!(seen.issues(), [("t/hole", Code::SparseMember)]);
}

#[test]
fn gzip_members_are_joined_and_padding_is_no_fault() {
    let mut bytes = gz(b"one ");
    bytes.extend(gz(b"two"));
    assert_eq!(unpack("x", &bytes), unpack("x", b"one two"));
    bytes.extend([0; 600]);
    assert_eq!(unpack("x", &bytes), unpack("x", b"one two"));
    bytes.push(b'!');
    let seen = unpack("x", &bytes);
    assert_eq!(seen.members, owned(&[("x", b"one two")]));
    assert_eq!(seen.issues(), [("x", Code::TrailingData)]);
}

#[test]
fn garbage_behind_the_end_is_told_and_not_read() {
    for garbage in [b"garbage".as_slice(), b"\x1fgarbage", b"\x1f\x8bgarbage"] {
        let mut bytes = gz(&tar(&[("x", b"one")]));
        bytes.extend(garbage);
        let seen = unpack("t", &bytes);
        assert_eq!(
            (seen.members, seen.issues.as_slice()),
            (owned(&[("t/x", b"one")]), &[("t".to_owned(), Code::TrailingData)][..])
        );
    }
    let mut bytes = tar(&[("x", b"one")]);
    bytes.extend([b'!'; 512]);
    assert_eq!(unpack("t", &bytes).issues(), [("t", Code::TrailingData)]);
}

#[test]
fn tars_behind_one_another_are_both_read() {
    let mut bytes = tar(&[("x", b"one")]);
    bytes.extend(tar(&[("y", b"two")]));
    assert_eq!(unpack("t", &bytes).members, owned(&[("t/x", b"one"), ("t/y", b"two")]));
}

#[test]
fn archive_without_files_is_told() {
    for bytes in [tar(&[]), gz(&tar(&[])), gz(&vec![0; 10_240])] {
        let seen = unpack("t.tar.gz", &bytes);
        assert_eq!((seen.paths(), seen.issues()), (vec![], vec![("t.tar.gz", Code::EmptyArchive)]));
    }
}

#[test]
fn zeros_alone_are_no_archive() {
    for len in [512, 700, 4096, 1 << 20] {
        let seen = unpack("x.log", &vec![0; len]);
        assert_eq!(
            (seen.members.as_slice(), seen.issues()),
            (&owned(&[("x.log", b"")])[..], vec![("x.log", Code::OnlyZeros)])
        );
    }
    for len in [1024, 10_240] {
        assert_eq!(unpack("x", &vec![0; len]).issues(), [("x", Code::EmptyArchive)]);
    }
}

#[test]
fn log_behind_zeros_is_read() {
    let mut bytes = vec![0; 1030];
    bytes.extend(b"text");
    let seen = unpack("x.log", &bytes);
    // Whole blocks of zeros are dropped.
    assert_eq!(seen.members, owned(&[("x.log", &bytes[1024..])]));
    assert_eq!(seen.issues(), []);
}

#[test]
fn noise_is_a_plain_member_and_its_gzip_too() {
    let noise: Vec<u8> = (0..5000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    assert_eq!(unpack("n", &noise).members, owned(&[("n", &noise)]));
    assert_eq!(unpack("n", &gz(&noise)).members, owned(&[("n", &noise)]));
}

#[test]
fn archives_known_by_sight_only_are_told() {
    for bytes in [b"7z\xbc\xaf\x27\x1c....".as_slice(), b"Rar!\x1a\x07....", b"\x1f\x9d...."] {
        let seen = unpack("x", bytes);
        assert_eq!((seen.members, seen.issues), (owned(&[("x", bytes)]), vec![("x".into(), Code::UnreadContainer)]));
    }
    assert_eq!(unpack("x", b"BZh is a word").issues(), []);
}

#[test]
fn nesting_ends_at_its_limit() {
    let bytes = gz(&gz(&gz(b"x")));
    let limits = |depth| Limits { depth, ..Limits::default() };
    assert_eq!(unpack_in(&limits(3), "b", &bytes, 9).members, owned(&[("b", b"x")]));
    let seen = unpack_in(&limits(2), "b", &bytes, 9);
    assert_eq!((seen.members, seen.issues), (owned(&[("b", &gz(b"x"))]), vec![("b".into(), Code::NestedTooDeep)]));
    let endless = (0..200).fold(b"x".to_vec(), |inner, _| gz(&inner));
    assert_eq!(unpack_in(&limits(u32::MAX), "b", &endless, 9).issues(), [("b", Code::NestedTooDeep)]);
}

#[test]
fn bomb_is_cut_at_the_same_byte_however_it_is_fed() {
    let limits = Limits { ratio: 10, ratio_from: 100_000, ..Limits::default() };
    let bomb = gz(&tar(&[("ok", b"ok"), ("bomb", &vec![b'0'; 3_000_000]), ("after", b"lost")]));
    let seen = unpack_in(&limits, "b.tgz", &bomb, usize::MAX);
    assert_eq!(seen.paths(), ["b.tgz/ok", "b.tgz/bomb"]);
    assert_eq!(seen.issues(), [("b.tgz/bomb", Code::ExpandsTooMuch), ("b.tgz", Code::ExpandsTooMuch)]);
    // 10 x the first block of 64 KiB, less the two members' headers and the first's block.
    assert_eq!(seen.members[1].1.len(), 655_360 - 3 * 512);
    for piece in [1, 100, 1000] {
        assert_eq!(unpack_in(&limits, "b.tgz", &bomb, piece), seen);
    }
}

#[test]
fn bomb_in_a_bomb_is_counted_against_the_input() {
    let limits = Limits { ratio: 10, ratio_from: 100_000, ..Limits::default() };
    let bomb = gz(&gz(&vec![b'0'; 50_000_000]));
    let seen = unpack_in(&limits, "b", &bomb, 77);
    assert_eq!(seen.issues(), [("b", Code::ExpandsTooMuch)]);
    assert_eq!(seen.members[0].1.len(), 655_360);
}

#[test]
fn real_compression_stays_below_the_ratio() {
    let text = b"2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: attempt done\n".repeat(20_000);
    let limits = Limits { ratio_from: 0, ..Limits::default() };
    assert_eq!(unpack_in(&limits, "x", &gz(&text), usize::MAX).issues(), []);
}

#[test]
fn members_beyond_the_limit_are_told_once() {
    let limits = Limits { members: 2, ..Limits::default() };
    let bytes = tar(&[("a", b"1"), ("b", b"2"), ("c", b"3"), ("d", b"4")]);
    let seen = unpack_in(&limits, "t", &bytes, 99);
    assert_eq!(seen.members, owned(&[("t/a", b"1"), ("t/b", b"2")]));
    assert_eq!(seen.issues(), [("t", Code::TooManyMembers)]);
}

#[test]
fn damaged_header_ends_the_archive_and_keeps_what_came_before() {
    let mut bytes = tar(&[("a", b"1"), ("b", b"2")]);
    bytes[1024] ^= 0x55;
    let seen = unpack("t", &bytes);
    assert_eq!((seen.paths(), seen.issues()), (vec!["t/a"], vec![("t", Code::CorruptArchive)]));
}

/// Says of all bytes that they sum up to nothing.
struct Wrong(Vec<Code>);

impl Visitor for Wrong {
    fn open(&mut self, _: &str) {}
    fn data(&mut self, _: &[u8]) -> Option<Crc> {
        Some(Crc::new())
    }
    fn close(&mut self) {}
    fn issue(&mut self, _: &str, code: Code) {
        self.0.push(code);
    }
}

#[test]
fn what_whoever_reads_has_summed_up_is_not_summed_up_again() {
    let bytes = gz(&tar(&[("x", &[b'x'; 3_000]), ("y", &[b'y'; 100])]));
    let mut wrong = Wrong(Vec::new());
    let mut unpacker = Unpacker::new("t.tar.gz", &Limits::default());
    unpacker.feed(&bytes, &mut wrong);
    unpacker.finish(&mut wrong);
    assert_eq!(wrong.0, [Code::CorruptStream]);
}

#[test]
fn wrong_checksum_is_told_of_a_gzip() {
    let mut bytes = gz(b"hello");
    let crc = bytes.len() - 8;
    bytes[crc] ^= 1;
    let seen = unpack("x", &bytes);
    assert_eq!((seen.members, seen.issues), (owned(&[("x", b"hello")]), vec![("x".into(), Code::CorruptStream)]));
}

#[test]
fn cut_anywhere_keeps_the_members_before_the_cut() {
    let members: &[(&str, &[u8])] = &[("a", b"first"), ("b", &[b'x'; 1500]), ("c", b"last")];
    let bytes = tar(members);
    let starts = [0, 1024, 1024 + 512 + 1536];
    for at in 512..bytes.len() - 1024 {
        let seen = unpack_in(&Limits::default(), "t", &bytes[..at], 333);
        let whole = starts.iter().zip(members).filter(|(start, m)| **start + 512 + m.1.len() <= at).count();
        let begun = starts.iter().filter(|start| **start + 512 <= at).count();
        assert_eq!(seen.members.len(), begun, "cut at {at}");
        let all = owned(&[("t/a", members[0].1), ("t/b", members[1].1), ("t/c", members[2].1)]);
        assert_eq!(seen.members[..whole], all[..whole], "cut at {at}");
        assert_eq!(seen.issues.last(), Some(&("t".to_owned(), Code::Truncated)), "cut at {at}");
        assert_eq!(seen.issues.len(), 1 + begun - whole, "cut at {at}");
    }
}

#[test]
fn cut_gzip_tells_of_the_open_member_and_of_the_archive() {
    let noise: Vec<u8> = (0..40_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let bytes = gz(&tar(&[("a", b"first"), ("b", &noise)]));
    let seen = unpack("t", &bytes[..bytes.len() / 2]);
    assert_eq!(seen.issues(), [("t/b", Code::Truncated), ("t", Code::Truncated)]);
    assert_eq!(seen.members[0].1, b"first");
    let kept = &seen.members[1].1;
    assert!(kept.len() > 1000 && noise.starts_with(kept));
    for at in 0..bytes.len() {
        unpack("t", &bytes[..at]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_do_not_change_what_comes_out(
        files in proptest::collection::vec(("[a-z]{1,120}", proptest::collection::vec(any::<u8>(), 0..2000)), 0..4),
        flips in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..3),
        cut in any::<prop::sample::Index>(),
        packed in any::<bool>(),
        piece in 1_usize..700,
    ) {
        let files: Vec<(&str, &[u8])> = files.iter().map(|(n, b)| (n.as_str(), b.as_slice())).collect();
        let mut bytes = tar(&files);
        if packed {
            bytes = gz(&bytes);
        }
        for (at, flip) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= flip;
        }
        bytes.truncate(cut.index(bytes.len()) + 1);
        let whole = unpack("t", &bytes);
        prop_assert_eq!(unpack_in(&Limits::default(), "t", &bytes, piece), whole);
    }

    #[test]
    fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..3000), magic in any::<bool>()) {
        let mut input = if magic { vec![0x1f, 0x8b, 8, 0] } else { vec![] };
        input.extend(bytes);
        let seen = unpack("n", &input);
        prop_assert!(!seen.members.is_empty() || !seen.issues.is_empty());
    }
}
