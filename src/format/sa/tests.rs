//! Files of sysstat made by hand, in each layout.

use super::*;
use crate::format::Gathered;
use crate::format::tests::read;
use crate::model::{Event, FileDigest};

/// A file of format 0x2175 with context switches and nothing else: (uptime, seconds,
/// type, switches).
fn file(records: &[(u64, u64, u8, u64)]) -> Vec<u8> {
    let mut bytes = vec![0x96, 0xd5, 0x75, 0x21, 12, 6, 1, 0];
    let u32s = |bytes: &mut Vec<u8>, numbers: &[u32]| {
        numbers.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
    };
    u32s(&mut bytes, &[336, 0, 1, 1, 12]);
    bytes.resize(76, 0);
    bytes.extend_from_slice(&[0; 16]);
    u32s(&mut bytes, &[2, 1, 126, 0, 0, 9, 2, 0, 1, 36, 24, 0]);
    bytes.extend_from_slice(&[21, 10, 8]);
    let text = bytes.len();
    bytes.resize(text + 65, 0);
    bytes.extend_from_slice(b"h7");
    bytes.resize(76 + 336, 0);
    u32s(&mut bytes, &[2, 0x8b, 1, 1, 0, 16, 1, 1, 0]);
    for (uptime, seconds, kind, switches) in records {
        bytes.extend_from_slice(&uptime.to_le_bytes());
        bytes.extend_from_slice(&seconds.to_le_bytes());
        bytes.extend_from_slice(&[0, 0, 0, 0, *kind, 1, 2, 3]);
        match *kind {
            kind::RESTART => bytes.extend_from_slice(&[2, 0, 0, 0]),
            kind::COMMENT => bytes.extend_from_slice(&[b'x'; COMMENT_BYTES]),
            _ => bytes.extend_from_slice(&[switches.to_le_bytes(), [0; 8]].concat()),
        }
    }
    bytes
}

#[test]
fn bytes_that_wait_for_others_are_not_copied_again() {
    let (mut digest, mut gathered) = (FileDigest::default(), Gathered::default());
    let mut out = Out::new(&mut digest, &mut gathered);
    let (mut read, mut moved) = (File::new(), 0);
    let bytes = file(&[]);
    for byte in bytes.chunks(1) {
        let before = read.held.capacity();
        read.bytes(byte, &mut out);
        moved += usize::from(read.held.capacity() != before);
    }
    assert!(moved < 12, "{moved} for {} bytes", bytes.len());
}

fn told(bytes: &[u8]) -> Vec<(i64, u64)> {
    let digest = read(&Sa, "x", bytes);
    let rows = digest.events.iter().filter_map(|row| match row.event {
        Event::Metrics { which: 8, hundredths } => Some((row.at.millis(), hundredths[0])),
        Event::MetricsHost { host } => {
            assert_eq!(&*host, "h7");
            None
        }
        other => panic!("{other:?}"),
    });
    rows.collect()
}

#[test]
fn rates_are_taken_between_records_and_not_over_restarts() {
    // 30 switches in 2 s, a comment, 5 in 1 s; a restart; an uptime that goes back.
    let records = [
        (1000, 10, 1, 100),
        (1200, 12, 1, 130),
        (0, 12, 4, 0),
        (1300, 13, 1, 135),
        (0, 20, 2, 0),
        (500, 25, 1, 7),
        (600, 26, 1, 8),
        (50, 40, 1, 3),
        (151, 41, 1, 4),
    ];
    assert_eq!(told(&file(&records)), [(12_000, 1500), (13_000, 500), (26_000, 100), (41_000, 99)]);
}

#[test]
fn counter_that_goes_back_is_not_measured() {
    assert_eq!(told(&file(&[(100, 1, 1, 9), (200, 2, 1, 8), (300, 3, 1, 9)])), [(3000, 100)]);
}

#[test]
fn everything_before_a_cut_is_told() {
    let whole = file(&[(100, 1, 1, 0), (200, 2, 1, 5), (300, 3, 1, 9)]);
    for cut in 0..whole.len() {
        let digest = read(&Sa, "x", &whole[..cut]);
        // What happened between two records, the second tells.
        let records = cut.saturating_sub(448) / 40;
        let rows = [(2000, 500), (3000, 400)];
        assert_eq!(told(&whole[..cut]), rows[..records.saturating_sub(1)], "cut at {cut}");
        let whole_records = cut >= 448 && (cut - 448) % 40 == 0;
        assert_eq!(digest.issues.count(Code::CutRecord), u64::from(!whole_records), "cut at {cut}");
    }
}

#[test]
fn unknown_kind_of_record_ends_the_reading() {
    let digest = read(&Sa, "x", &file(&[(100, 1, 1, 0), (200, 2, 77, 5), (300, 3, 1, 9)]));
    assert_eq!((digest.lines, digest.skipped, digest.issues.count(Code::BadRecord)), (2, 1, 1));
}

#[test]
fn an_activity_of_another_layout_is_told() {
    let records = [(100, 1, 1, 0), (200, 2, 1, 5), (300, 3, 1, 9)];
    assert_eq!(read(&Sa, "x", &file(&records)).issues.count(Code::UnreadSysstat), 0);
    let mut bytes = file(&records);
    let magic = 76 + 336 + 4;
    assert_eq!(bytes[magic], 0x8b);
    bytes[magic] = 0x8c;
    let digest = read(&Sa, "x", &bytes);
    assert_eq!((digest.events.len(), digest.lines, digest.skipped), (0, 3, 0));
    assert_eq!(digest.issues.count(Code::UnreadSysstat), 1);
}

/// A file of 0x2170 with swapping, which is not kept, and context switches, in entries of so many bytes.
fn file_of_2170(entry: usize) -> Vec<u8> {
    let mut bytes = vec![0x96, 0xd5, 0x70, 0x21, 9, 1, 5, 0];
    bytes.extend_from_slice(&1_300_000_000_u64.to_le_bytes());
    bytes.extend_from_slice(&[2, 0, 0, 0, 13, 2, 111, 8]);
    bytes.resize(24 + 65, 0);
    bytes.extend_from_slice(b"h7");
    bytes.resize(288, 0);
    for [id, items, size] in [[4_u32, 2, 128], [2, 1, 32]] {
        let long = [id, 0x8a, items, 1, size];
        let fields = if entry == 12 { &[id, items, size][..] } else { &long };
        fields.iter().for_each(|n| bytes.extend_from_slice(&n.to_le_bytes()));
    }
    for (uptime, seconds, switches) in [(1000_u64, 1_300_000_000_u64, 100_u64), (1200, 1_300_000_002, 130)] {
        let mut record = [uptime.to_le_bytes(), [0; 8], [0; 8], [0; 8], seconds.to_le_bytes(), [0; 8]].concat();
        record[40..44].copy_from_slice(&[1, 7, 6, 40]);
        bytes.extend(record);
        bytes.resize(bytes.len() + 2 * 128, 0);
        bytes.extend_from_slice(&switches.to_le_bytes());
        bytes.resize(bytes.len() + 24, 0);
    }
    bytes
}

#[test]
fn format_2170_is_laid_out_as_one_of_its_neighbours() {
    for entry in [12, 20] {
        let bytes = file_of_2170(entry);
        assert_eq!(told(&bytes), [(1_300_000_002_000, 1500)], "{entry}");
        let whole = read(&Sa, "x", &bytes);
        assert_eq!((whole.lines, whole.skipped), (2, 0));
        for cut in 0..bytes.len() {
            assert!(read(&Sa, "x", &bytes[..cut]).events.is_empty());
        }
    }
    // A first record that is not of the file's begin, behind either list: neither layout.
    let mut bytes = file_of_2170(12);
    bytes[8] ^= 0xff;
    bytes[9] ^= 0xff;
    assert_eq!(read(&Sa, "x", &bytes).issues.count(Code::BadRecord), 1);
}

#[test]
fn unread_formats_are_named() {
    for format in [[0x72, 0x21], [0x76, 0x21]] {
        let bytes = [&MAGIC[..], &format, &[0; 20]].concat();
        assert_eq!(read(&Sa, "x", &bytes).issues.count(Code::UnreadSysstat), 1);
    }
}
