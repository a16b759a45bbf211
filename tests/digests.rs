//! Digests of earlier versions stay readable.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::model::digest::VERSION;
use oddnode::model::{Digest, DigestError};

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
    // Written again, it is of this version and says the same.
    let new = old.encode();
    assert_eq!(new[15], VERSION);
    assert_eq!(Digest::decode(&new).unwrap(), old);
}

/// The same logs, by the second version, whose digests were one piece.
const V2: &[u8] = include_bytes!("digests/v2.digest");

#[test]
fn second_version_is_read_whole_and_written_in_frames() {
    let old = Digest::decode(V2).unwrap();
    assert!(old.files().any(|(_, file)| !file.density.is_empty()));
    let new = old.encode();
    assert_eq!(new[15], VERSION);
    assert_eq!(Digest::decode(&new).unwrap(), old);
    assert!(matches!(Digest::decode(&V2[..V2.len() - 1]), Err(DigestError::Cut { .. })));
}

/// The same logs, by the third version, which kept the rows of all topics in one list.
const V3: &[u8] = include_bytes!("digests/v3.digest");

#[test]
fn third_version_says_the_same_by_topic() {
    let (second, third) = (Digest::decode(V2).unwrap(), Digest::decode(V3).unwrap());
    assert_eq!(third.len(), second.len());
    for ((_, old), (_, new)) in second.files().zip(third.files()) {
        assert_eq!(old.events.iter().collect::<Vec<_>>(), new.events.iter().collect::<Vec<_>>());
        assert_eq!(old.shapes.table(), new.shapes.table());
    }
    let new = third.encode();
    assert_eq!(new[15], VERSION);
    assert_eq!(Digest::decode(&new).unwrap(), third);
    assert!(matches!(Digest::decode(&V3[..V3.len() - 1]), Err(DigestError::Cut { .. })));
}

/// The same logs, by the fourth version, which deflated rows and shapes.
const V4: &[u8] = include_bytes!("digests/v4.digest");

#[test]
fn fourth_version_says_the_same_repacked() {
    let (third, fourth) = (Digest::decode(V3).unwrap(), Digest::decode(V4).unwrap());
    assert_eq!(fourth.len(), third.len());
    assert!(fourth.files().any(|(_, file)| !file.shapes.table().is_empty()));
    for ((_, old), (_, new)) in third.files().zip(fourth.files()) {
        assert_eq!(old.events.iter().collect::<Vec<_>>(), new.events.iter().collect::<Vec<_>>());
        assert_eq!(old.shapes.table(), new.shapes.table());
    }
    let new = fourth.encode();
    assert_eq!(new[15], VERSION);
    assert_eq!(Digest::decode(&new).unwrap(), fourth);
    assert!(matches!(Digest::decode(&V4[..V4.len() - 1]), Err(DigestError::Cut { .. })));
}

#[test]
fn version_of_another_layout_is_damage_not_nonsense() {
    let mut lies = V1.to_vec();
    lies[15] = VERSION;
    assert!(Digest::decode(&lies).is_err());
}
