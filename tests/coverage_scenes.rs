//! The coverage map as data.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, missing_docs)]

mod scene_lines;

use oddnode::pipeline::Ingest;
use oddnode::scene::{Look, Scene, coverage};
use oddnode::source::Limits;
use oddnode::states;
use scene_lines::lines;

/// A DataNode's log with lines at these seconds.
fn log(host: &str, seconds: &[u32]) -> String {
    let head = "INFO org.apache.hadoop.hdfs.server.datanode.DataNode";
    let mut text = format!("2026-11-21 02:00:00,000 {head}: STARTUP_MSG: \nSTARTUP_MSG:   host = {host}/10.0.0.1\n");
    for s in seconds {
        text.push_str(&format!("2026-11-21 02:{:02}:{:02},000 {head}: at work\n", s / 60, s % 60));
    }
    text
}

fn scene(files: &[(&str, String)], width_css_px: f32) -> Scene {
    let mut ingest = Ingest::new(Limits::default());
    for (name, text) in files {
        ingest.start(name);
        ingest.feed(text.as_bytes());
    }
    let look = Look { kind: None, nodes: vec!["h2".into()], width_css_px, ..Look::default() };
    coverage::lay_out(&states::build(&ingest.into_digest(), None), &look)
}

#[test]
fn gap_shows_in_map_and_table() {
    let files = [("a/h1/d.log", log("h1", &[1, 2, 3, 20, 30])), ("a/h2/d.log", log("h2", &[1, 29]))];
    let scene = scene(&files, 400.0);
    assert_eq!(
        scene.table.rows[0],
        [
            "h1",
            "datanode",
            "1",
            "7",
            "2026-11-21 02:00:00 (zone unknown)",
            "2026-11-21 02:00:30 (zone unknown)",
            "16",
            "2026-11-21 02:00:04 (zone unknown)",
        ]
    );
    let raster = &scene.rasters[0];
    let row = &raster.shades[..raster.columns as usize];
    let at = |second: usize| row[(second * raster.columns as usize + 15) / 30];
    assert!(at(1) > 0 && at(10) == 0 && at(20) > 0 && at(25) == 0);
    insta::assert_snapshot!("coverage-map", lines(&scene));
}

#[test]
fn nothing_to_show_is_said() {
    let scene = scene(&[("a/x.png", "\0".to_owned())], 400.0);
    assert!(scene.rasters.is_empty() && scene.marks.len() == 1 && scene.hits.is_empty());
}

#[test]
fn thousands_of_rows_stay_within_the_budget() {
    let files: Vec<(String, String)> =
        (0..700).map(|i| (format!("a/h{i}/d.log"), log(&format!("h{i}"), &[1, 5]))).collect();
    let files: Vec<(&str, String)> = files.iter().map(|(n, t)| (n.as_str(), t.clone())).collect();
    let scene = scene(&files, 360.0);
    assert!(scene.marks.len() < 1000 && scene.hits.len() == 600 && scene.table.rows.len() == 700);
    assert!(scene.size.1 < 2000.0, "{}", scene.size.1);
}
