//! Baselines of earlier versions stay readable.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

use oddnode::diagnosis::Baseline;
use oddnode::diagnosis::baseline::{MAGIC, VERSION};
use oddnode::diagnosis::control_clusters::ControlClusters;
use oddnode::diagnosis::kahuna_bb::Learning;

/// `oddnode train` on part of a control run, by the fourth version, which knew neither how far runs differ nor of which
/// clusters they were (`tests/baselines/README.md`).
const V4: &[u8] = include_bytes!("baselines/v4.baseline");
/// The same by the fifth version, which did not say how profiles were learned.
const V5: &[u8] = include_bytes!("baselines/v5.baseline");
/// The same by the sixth.
const V6: &[u8] = include_bytes!("baselines/v6.baseline");

/// Reads a file of a version. Written again, it is of this version and says the same.
fn read(file: &[u8], version: u8) -> Baseline {
    assert_eq!(file[MAGIC.len()], version);
    let baseline = Baseline::decode(file).unwrap();
    let anew = baseline.encode();
    assert_eq!((anew[MAGIC.len()], Baseline::decode(&anew).as_ref()), (VERSION, Ok(&baseline)));
    baseline
}

/// What was learned in a job, as text: control runs keep it for themselves.
fn usual(baseline: &Baseline) -> String {
    format!("{:?}", baseline.usual)
}

#[test]
fn sixth_version_is_read() {
    let baseline = read(V6, 6);
    let profiles = baseline.black_box.as_ref().unwrap();
    assert_eq!((profiles.runs(), profiles.samples(), profiles.count()), (1, 186, 7));
    assert_eq!(baseline.learning, Learning::Usual);
    let bands = baseline.calls.as_ref().unwrap();
    assert_eq!(bands.runs, 1);
    insta::assert_debug_snapshot!("band", bands.traced["h101"]["stat"]);
    insta::assert_snapshot!("usual", usual(&baseline));
    insta::assert_debug_snapshot!("clusters", baseline.clusters);
}

#[test]
fn fifth_version_says_the_same() {
    assert_eq!(read(V5, 5), read(V6, 6));
}

#[test]
fn fourth_version_lacks_clusters_and_the_least_times() {
    let (old, new) = (read(V4, 4), read(V6, 6));
    assert_eq!((&old.black_box, &old.calls, old.learning), (&new.black_box, &new.calls, new.learning));
    assert_eq!((old.usual.jobs(), &old.clusters), (1, &ControlClusters::default()));
    // Of one run the least is the longest.
    let longest = usual(&new).rsplit_once("longest_s: ").unwrap().1.to_owned();
    assert!(usual(&old).ends_with(&format!("least_s: None, longest_s: {longest}")), "{}", usual(&old));
}
