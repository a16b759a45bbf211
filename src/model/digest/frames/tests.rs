use super::super::deflate::inflate;
use super::super::{DIGEST_LIMIT, EventWriter};
use super::*;
use crate::base::{AttemptId, Timestamp};
use crate::model::{DigestError, Event, HostClaim, HostSource};
use proptest::prelude::*;

/// A digest of files of these numbers, each with so many rows.
fn digest(files: &[(u8, u16)]) -> Digest {
    let attempt = AttemptId::parse(b"attempt_202611202124_0001_m_000001_0").unwrap();
    let mut digest = Digest::default();
    for (number, rows) in files {
        let mut events = EventWriter::default();
        for row in 0..*rows {
            let at = Timestamp::from_millis(i64::from(row).wrapping_mul(7919 * i64::from(*number)));
            events.push(u64::from(row) + 1, at, &Event::Launched { attempt, cleanup: false });
        }
        let key = FileKey { path: format!("h{number}.log"), bytes: u64::from(*number), crc: 0 };
        digest.insert(key, FileDigest { lines: u64::from(*rows), events: events.finish(), ..FileDigest::default() });
    }
    digest
}

fn merged(digests: &[Vec<u8>]) -> (Vec<u8>, Vec<(usize, String)>) {
    let readers = digests.iter().map(|bytes| FrameReader::new(bytes.as_slice()).unwrap()).collect();
    let mut out = FrameWriter::new(Vec::new()).unwrap();
    let mut troubles = Vec::new();
    merge(readers, |key, file| out.push(key, file), |which, why| troubles.push((which, why.to_string()))).unwrap();
    (out.finish().unwrap(), troubles)
}

proptest! {
    #[test]
    fn a_merge_by_frames_is_the_merge_in_memory(
        parts in prop::collection::vec(prop::collection::vec((0_u8..12, 0_u16..400), 0..8), 0..5),
    ) {
        let digests: Vec<Digest> = parts.iter().map(|files| {
            // One content a key: what a file holds does not depend on who reads it.
            digest(&files.iter().map(|(number, _)| (*number, u16::from(*number) * 30)).collect::<Vec<_>>())
        }).collect();
        let mut whole = Digest::default();
        for digest in digests.iter().rev() {
            whole.merge(digest.clone());
        }
        let (bytes, troubles) = merged(&digests.iter().map(Digest::encode).collect::<Vec<_>>());
        prop_assert!(troubles.is_empty());
        prop_assert_eq!(Digest::decode(&bytes).unwrap(), whole.clone());
        prop_assert_eq!(bytes, whole.encode());
    }
}

#[test]
fn rows_that_are_over_stay_over() {
    let whole = digest(&[(1, 3)]);
    let (_, file) = whole.files().next().unwrap();
    let mut rows = file.events.iter();
    assert_eq!(rows.by_ref().count(), 3);
    assert_eq!(rows.next(), None);
}

#[test]
fn whoever_deflates_the_frames_the_bytes_are_the_same() {
    let side_by_side = |whole: &Digest| {
        let mut bytes = Vec::new();
        let each = |frames: &mut Frames<'_>, write: &mut dyn FnMut(&[u8]) -> io::Result<()>| {
            for plain in frames {
                write(&plain?.deflated())?;
            }
            io::Result::Ok(())
        };
        whole.encode_by(&mut bytes, each).unwrap();
        bytes
    };
    for (whole, frames) in
        [(Digest::default(), 0), (digest(&[(1, 50)]), 1), (full_frames(FIRST_FRAMES + 3), FIRST_FRAMES + 3)]
    {
        assert!(side_by_side(&whole) == whole.encode(), "{frames} frames");
    }
}

#[test]
fn more_effort_goes_into_the_first_frames() {
    let bytes = full_frames(FIRST_FRAMES + 2).encode();
    let (mut at, mut efforts) = (MAGIC.len() + 1, Vec::new());
    loop {
        let length = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        if length == 0 {
            break;
        }
        let body = &bytes[at + 8..at + 8 + length];
        let plain = inflate(body, DIGEST_LIMIT).unwrap();
        efforts.push([KEPT, KEPT_FAST].map(|effort| deflate(&plain, effort) == body));
        at += 8 + length;
    }
    let first = FIRST_FRAMES as usize;
    assert_eq!(efforts, [vec![[true, false]; first], vec![[false, true]; 2]].concat());
}

/// Files that do not deflate well, so that each fills a frame.
fn full_frames(count: u64) -> Digest {
    let mut whole = Digest::default();
    for number in 0..count {
        let noise: String =
            (0..60_000_u64).map(|i| char::from(b'!' + ((i * i * 31 + number * 7919 + i / 7) % 90) as u8)).collect();
        let key = FileKey { path: format!("h{number:02}"), bytes: 1, crc: 0 };
        let name = HostClaim { source: HostSource::Startup, name: noise.repeat(3).into(), ip: None };
        whole.insert(key, FileDigest { hosts: vec![name], ..FileDigest::default() });
    }
    whole
}

#[test]
fn a_digest_of_many_frames_keeps_what_is_before_the_cut() {
    let whole = full_frames(6);
    let bytes = whole.encode();
    let mut before = 0;
    for cut in (0..bytes.len()).step_by(bytes.len() / 60) {
        let mut part = Digest::default();
        let why = Digest::each_whole(&bytes[..cut], &mut |key, file| {
            part.insert(key, file);
            true
        });
        assert!(why.is_some(), "{cut}");
        assert!(part.len() >= before);
        assert!(part.files().all(|file| whole.files().any(|other| other == file)));
        before = part.len();
    }
    assert!(before >= 4, "{before} of 6 files before the last cut");
    assert_eq!(Digest::decode(&bytes), Ok(whole));
    let mut taken = 0;
    let two = Digest::each_whole(&bytes[..bytes.len() - 1], &mut |_, _| {
        taken += 1;
        taken < 2
    });
    assert_eq!((taken, two), (2, None), "what is not wanted any more is not read");
}

#[test]
fn a_damaged_digest_does_not_hide_the_others() {
    let good = digest(&[(1, 50), (3, 50)]).encode();
    let mut bad = digest(&[(2, 50)]).encode();
    let end = bad.len() - 14;
    bad[end] ^= 0x55;
    let (bytes, troubles) = merged(&[bad, good.clone()]);
    assert_eq!(bytes, good);
    assert_eq!(troubles.len(), 1);
    assert_eq!(troubles[0].0, 0);
}

/// Its files are built one by one, so those before the lie are there.
#[test]
fn frame_with_fewer_files_than_it_says_is_damaged_behind_them() {
    let two = digest(&[(1, 3), (2, 3)]);
    let of = |said: u32| {
        let mut open = Frame::default();
        two.files().for_each(|(key, file)| open.push(key, file).unwrap());
        let mut bytes = open.take().unwrap();
        bytes[..4].copy_from_slice(&said.to_le_bytes());
        let mut out = FrameWriter::new(Vec::new()).unwrap();
        out.write_frame(&PlainFrame { bytes, effort: KEPT }.deflated()).unwrap();
        out.files = u64::from(said);
        let written = out.finish().unwrap();
        let mut taken = 0;
        let why = Digest::each_whole(&written, &mut |_, _| {
            taken += 1;
            true
        });
        (taken, why)
    };
    let damaged = Some(DigestError::Damaged { at: Some(16) });
    assert_eq!([of(2), of(3)], [(2, None), (2, damaged.clone())]);
    assert_eq!([of(1), of(0)], [(0, damaged.clone()), (0, damaged)], "something is behind the last");
}

#[test]
fn lies_about_lengths_are_errors() {
    let mut digest = digest(&[(1, 3)]).encode();
    digest[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(matches!(Digest::decode(&digest), Err(DigestError::Cut { .. })));
    assert!(matches!(Digest::decode(b"ODDNODE-DIGEST\n"), Err(DigestError::Damaged { .. })));
    let mut behind = Digest::default().encode();
    behind.push(0);
    assert_eq!(Digest::decode(&behind), Err(DigestError::Damaged { at: Some(28) }));
}

#[test]
fn damage_is_told_with_its_frame() {
    let mut bytes = full_frames(3).encode();
    let length = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    let second = 16 + 8 + length(16);
    bytes[second + 100] ^= 0x55;
    let mut whole = 0;
    let why = Digest::each_whole(&bytes, &mut |_, _| {
        whole += 1;
        true
    });
    assert_eq!((whole, why), (1, Some(DigestError::Damaged { at: Some(second as u64) })));
    let text = DigestError::Damaged { at: Some(16) }.to_string();
    assert_eq!(text, "digest is damaged in what begins at byte 16");
}
