//! Digests of earlier versions stay readable.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::model::digest::VERSION;
use oddnode::model::{Digest, DigestError};

/// Written again, it is of this version and says the same.
fn assert_written_anew(old: &Digest) {
    let new = old.encode();
    assert_eq!(new[15], VERSION);
    assert_eq!(Digest::decode(&new).unwrap(), *old);
}

fn assert_cut_is_told(bytes: &[u8]) {
    assert!(matches!(Digest::decode(&bytes[..bytes.len() - 1]), Err(DigestError::Cut { .. })));
}

fn assert_same_rows(old: &Digest, new: &Digest) {
    assert_eq!(new.len(), old.len());
    for ((_, old), (_, new)) in old.files().zip(new.files()) {
        assert_eq!(old.events.iter().collect::<Vec<_>>(), new.events.iter().collect::<Vec<_>>());
        assert_eq!(old.shapes.table(), new.shapes.table());
    }
}

/// A later version's digest of the same logs says the same, is written anew, and is missed where it ends. Returns it.
fn assert_follows(before: &[u8], after: &[u8]) -> Digest {
    let (old, new) = (Digest::decode(before).unwrap(), Digest::decode(after).unwrap());
    assert_same_rows(&old, &new);
    assert_written_anew(&new);
    assert_cut_is_told(after);
    new
}

/// `oddnode digest tests/logs/tasktracker/0.20.2`, by the first version.
const V1: &[u8] = include_bytes!("digests/v1.digest");

#[test]
fn first_version_is_read_with_what_it_knew() {
    let old = Digest::decode(V1).unwrap();
    let names: Vec<&str> = old.files().map(|(key, _)| key.path.rsplit('/').next().unwrap()).collect();
    assert!(names.contains(&"map_and_reduce.log"), "{names:?}");
    let (_, file) = old.files().find(|(key, _)| key.path.ends_with("map_and_reduce.log")).unwrap();
    assert_eq!((file.format.as_str(), file.skipped, file.unused), ("tasktracker", 0, 0));
    assert!(file.density.is_empty() && file.shapes.table().is_empty() && !file.events.is_empty());
    assert_written_anew(&old);
}

/// The same logs, by the second version, whose digests were one piece.
const V2: &[u8] = include_bytes!("digests/v2.digest");

#[test]
fn second_version_is_read_whole_and_written_in_frames() {
    let old = Digest::decode(V2).unwrap();
    assert!(old.files().any(|(_, file)| !file.density.is_empty()));
    assert_written_anew(&old);
    assert_cut_is_told(V2);
}

/// The same logs, by the third version, which kept the rows of all topics in one list.
const V3: &[u8] = include_bytes!("digests/v3.digest");

#[test]
fn third_version_says_the_same_by_topic() {
    assert_follows(V2, V3);
}

/// The same logs, by the fourth version, which deflated rows and shapes.
const V4: &[u8] = include_bytes!("digests/v4.digest");

#[test]
fn fourth_version_says_the_same_repacked() {
    let fourth = assert_follows(V3, V4);
    assert!(fourth.files().any(|(_, file)| !file.shapes.table().is_empty()));
}

/// The same logs, by the fifth version, which packed rows one by one.
const V5: &[u8] = include_bytes!("digests/v5.digest");

#[test]
fn fifth_version_says_the_same_by_column() {
    assert_follows(V4, V5);
}

/// The same logs, by the sixth version, which lacked two kinds of rows.
const V6: &[u8] = include_bytes!("digests/v6.digest");

#[test]
fn sixth_version_is_read() {
    assert_follows(V5, V6);
}

#[test]
fn version_of_another_layout_is_damage_not_nonsense() {
    let mut lies = V1.to_vec();
    lies[15] = VERSION;
    assert!(Digest::decode(&lies).is_err());
}
