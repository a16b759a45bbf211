//! Heatmap, stream and detail of a real run with a sick node.
//!
//! The data are those of `tests/shared`.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;

use oddnode::diagnosis::Params;
use oddnode::pipeline::{self, Views};
use oddnode::scene::{Look, Mark, Role, View};

#[test]
fn failing_node_is_darkest_and_crossed() {
    let Some(archive) = shared::data("hadoop1/r12.tar.gz") else { return };
    let views = Views::new(pipeline::analyse(&shared::digest_of(&archive), &Params::default()));
    let look = Look { width_css_px: 900.0, ..Look::default() };
    let heatmap = views.lay_out(View::Cluster, &look);
    let score = |node: &str| {
        let row = heatmap.table.rows.iter().find(|row| row.first().is_some_and(|n| n == node)).unwrap();
        row.get(3).unwrap().parse::<f64>().unwrap()
    };
    assert!((101..=106).filter(|n| *n != 102).all(|n| score(&format!("h{n}")) < score("h102")));
    let cell = |row: &Vec<String>| row.last().cloned();
    let told: Vec<_> =
        heatmap.table.rows.iter().filter(|row| row.first().is_some_and(|n| n == "h102")).map(cell).collect();
    assert_eq!(heatmap.table.headers.last().unwrap(), "job_202611202137_0001", "few jobs have a column each");
    assert_eq!(told, [Some(format!("{:.3}", score("h102")))]);
    assert!(!heatmap.summed_up && views.lay_out(View::CoverageMap, &look).summed_up);
    assert_eq!(heatmap.hits.iter().filter(|hit| hit.picks.is_some()).count(), 6, "one cell a node");
    let is_time = |m: &&Mark| matches!(m, Mark::Text { text, .. } if text.ends_with(" UTC"));
    assert_eq!(heatmap.marks.iter().filter(is_time).count(), 1, "one job begins once");
    let stream = views.lay_out(View::JobsStream, &look);
    let header = "job_202611202137_0001 / sorter -- SUCCESS 02:37:41 / 0h 1m 30s / Nov-21";
    assert!(stream.hits.iter().any(|hit| hit.says.first().is_some_and(|says| says == header)));
    let frames = stream.marks.iter().filter(|m| matches!(m, Mark::Frame { role: Role::Failed, .. }));
    assert_eq!(frames.count(), 2, "its own and the legend's");
    let told = stream.hits.iter().find(|hit| hit.node.as_deref() == Some("h102")).unwrap();
    assert_eq!(told.says.get(..2).unwrap(), ["Maps", "Node: h102"]);
    let detail = views.lay_out(View::JobsDetail, &look);
    assert!(detail.table.rows.first().is_some_and(|row| row.get(2).is_some_and(|outcome| outcome == "failed")));
}
