//! Digests of earlier versions stay readable.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod told;

use oddnode::base::{Code, TaskLetter};
use oddnode::model::digest::VERSION;
use oddnode::model::{
    Clock, ComplaintKind, ContainerStep, Digest, DigestError, Event, FileDigest, HostClaim, HostSource, JobStatus,
    Outcome, Phase, Subject, TaskType, Topic,
};
use serde::de::value::Error as Told;
use serde::de::{DeserializeOwned, Error, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use std::fmt::Write;
use told::told;

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
    for ((key, old), (new_key, new)) in old.files().zip(new.files()) {
        assert_eq!(key, new_key);
        let counts = |file: &FileDigest| [file.lines, file.understood, file.skipped, file.unused];
        assert_eq!((&old.format, old.clock, counts(old)), (&new.format, new.clock, counts(new)), "{}", key.path);
        assert_eq!((old.span, &old.hosts, &old.issues), (new.span, &new.hosts, &new.issues), "{}", key.path);
        assert_eq!(old.density, new.density, "{}", key.path);
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
    let ip = Some("10.77.1.11".parse().unwrap());
    let started = HostClaim { source: HostSource::Startup, name: "h101".into(), ip };
    assert_eq!(file.hosts.first(), Some(&started));
    let span = file.span.map(|(first, last)| format!("{first} .. {last}"));
    assert_eq!(span.as_deref(), Some("2026-11-20 21:24:19,677 .. 2026-11-20 21:27:52,064"));
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

/// `oddnode digest logs` by the seventh version, of files from each folder of `tests/logs`, which together hold most kinds of
/// rows.
const V7: &[u8] = include_bytes!("digests/v7.digest");

/// Rows are kept by the place of their kind among all: a kind in another place makes other rows of them.
#[test]
fn seventh_version_says_what_it_said() {
    let digest = Digest::decode(V7).unwrap();
    let mut said = String::new();
    for (key, file) in digest.files() {
        writeln!(said, "# {}\n{}", key.path, told(file)).unwrap();
    }
    insta::assert_snapshot!("seventh_version", said);
    assert_written_anew(&digest);
    assert_cut_is_told(V7);
}

/// Names the variants of an enum in their order.
struct Variants<'a>(&'a mut Vec<&'static str>);

impl<'de> Deserializer<'de> for Variants<'_> {
    type Error = Told;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told::custom("no enum"))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        self.0.extend(variants);
        Err(Told::custom("named"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map struct identifier ignored_any
    }
}

fn variants<T: DeserializeOwned>() -> String {
    let mut names = Vec::new();
    assert!(T::deserialize(Variants(&mut names)).is_err() && !names.is_empty());
    names.iter().enumerate().map(|(place, name)| format!("{place} {name}\n")).collect()
}

/// What digests keep as numbers: names may be added behind the others alone.
#[test]
fn kinds_keep_their_places() {
    let places = [
        ("rows", variants::<Event>()),
        ("topics", variants::<Topic>()),
        ("complaints", variants::<ComplaintKind>()),
        ("subjects", variants::<Subject>()),
        ("outcomes", variants::<Outcome>()),
        ("phases", variants::<Phase>()),
        ("types of tasks", variants::<TaskType>()),
        ("letters of tasks", variants::<TaskLetter>()),
        ("states of jobs", variants::<JobStatus>()),
        ("steps of containers", variants::<ContainerStep>()),
        ("clocks", variants::<Clock>()),
        ("sources of hosts", variants::<HostSource>()),
        ("issues", variants::<Code>()),
    ];
    insta::assert_snapshot!("places", places.map(|(what, names)| format!("# {what}\n{names}")).concat());
}
