//! What is drawn of hand-made witnesses, and of those that a report from elsewhere may hold.

use super::super::Selection;
use super::*;
use crate::diagnosis::Method;
use crate::report::NoEvidenceRow;

fn witness(signal: &str, scores: &[(&str, f64)], indicted: &[&str]) -> WitnessRow {
    WitnessRow {
        method: String::from("kahuna-wb"),
        signal: signal.to_owned(),
        nodes: scores.iter().map(|(node, score)| ((*node).to_owned(), *score)).collect(),
        threshold: Some(0.4),
        indicted: indicted.iter().map(|node| (*node).to_owned()).collect(),
        strengths: indicted.iter().map(|node| ((*node).to_owned(), Strength::Strong)).collect(),
        ..WitnessRow::default()
    }
}

fn report(nodes: &[&str], witnesses: Vec<WitnessRow>) -> Report {
    Report { nodes: nodes.iter().map(|node| (*node).to_owned()).collect(), witnesses, ..Report::default() }
}

fn look(width_css_px: f32) -> Look {
    Look { width_css_px, ..Look::default() }
}

/// Left edges and sides of what is drawn of the nodes, above the legend.
fn squares(scene: &Scene) -> Vec<(Role, f32, f32)> {
    let legend = scene.marks.len() - 7;
    let square = |mark: &Mark| match mark {
        Mark::Rect { at, size, role } | Mark::Frame { at, size, role, .. } => Some((*role, at.0, size.0)),
        _ => None,
    };
    scene.marks.iter().take(legend).filter_map(square).collect()
}

#[test]
fn who_is_indicted_is_full_and_others_are_as_large_as_their_scores() {
    let map = witness("Map", &[("h1", 0.1), ("h2", 0.4), ("h3", 0.8)], &["h3"]);
    let reduce = witness("Reduce", &[("h1", 0.2)], &[]);
    let scene = lay_out(&report(&["h1", "h2", "h3"], vec![reduce, map]), &look(600.0));
    assert_eq!(scene.title, "Who indicts whom: 1 of 2 witnesses indicts a node; 3 nodes are judged");
    let squares = squares(&scene);
    let sides: Vec<(Role, f32)> = squares.iter().map(|(role, _, side)| (*role, *side)).collect();
    let full = SQUARE_CSS_PX;
    // The row that indicts is the first: a quarter of the threshold is half a side; half of it in the second row.
    assert_eq!(sides, [(Role::Node, 8.0), (Role::Node, full), (Role::Culprit, full), (Role::Node, 11.3)]);
    assert!(scene.marks.iter().any(|mark| matches!(mark, Mark::Frame { at, .. } if at.0 == squares[1].1)), "open");
    let says: Vec<&str> = scene.hits.iter().map(|hit| hit.says[2].as_str()).collect();
    assert_eq!(says[..2], ["clears it", "leaves it open: that may be chance, or too little"]);
    assert_eq!(says[2..], ["indicts it strongly", "clears it"]);
    assert_eq!(scene.table.rows[0], ["kahuna-wb Map", "h3", "0.800", "0.40", "indicts it strongly"]);
    assert_eq!(scene.table.rows[1][4], "leaves it open: that may be chance, or too little");
    assert_eq!((scene.table.rows.len(), scene.summed_up), (4, false));
}

#[test]
fn whom_a_job_explains_is_left_open() {
    let excused = vec![String::from("h2")];
    let map = WitnessRow { excused, ..witness("Map", &[("h1", 0.1), ("h2", 0.9)], &["h2"]) };
    let scene = lay_out(&report(&["h1", "h2"], vec![map]), &look(600.0));
    assert_eq!(scene.title, "Who indicts whom: 0 of 1 witness indict a node; 2 nodes are judged");
    assert!(squares(&scene).iter().all(|(role, ..)| *role == Role::Node));
    assert_eq!(scene.table.rows[0][4], "indicts it, and a job explains it");
}

#[test]
fn of_more_nodes_than_fit_the_odd_ones_are_there_in_their_order() {
    let names: Vec<String> = (0..200).map(|i| format!("n{i:03}")).collect();
    let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
    let scores: Vec<(&str, f64)> = nodes.iter().map(|n| (*n, if *n == "n150" { 0.39 } else { 0.1 })).collect();
    let rows = vec![witness("Map", &scores, &[]), witness("Reduce", &[("n199", 0.9), ("n000", 0.0)], &["n199"])];
    let selection = Selection { node: Some("n120".into()), ..Selection::default() };
    let scene = lay_out(&report(&nodes, rows), &Look { selection, ..look(400.0) });
    let columns = ((400.0 - 2.0 * GAP_CSS_PX - GAP_CSS_PX - label_width_css_px("kahuna-wb Reduce")) / 18.0) as usize;
    let of_map: Vec<&str> = scene.hits.iter().skip(2).filter_map(|hit| hit.node.as_deref()).collect();
    assert_eq!(of_map.len(), columns);
    assert_eq!(of_map[columns - 3..], ["n120", "n150", "n199"], "the chosen one too");
    assert!(of_map.is_sorted());
    let left_out = format!("{} nodes more are not drawn", 200 - columns);
    assert!(scene.marks.iter().any(|mark| matches!(mark, Mark::Text { text, .. } if *text == left_out)));
    assert_eq!(scene.table.rows.len(), 202, "the table has all");
}

#[test]
fn where_none_complains_of_a_node_it_is_cleared() {
    let lost = WitnessRow { threshold: Some(0.0), ..witness("LostNode", &[("h1", 0.0), ("h2", 1.0)], &["h2"]) };
    let idle = NoEvidenceRow { node: "h3".into(), why: "idle".into() };
    let mut report = report(&["h1", "h2", "h3"], vec![lost]);
    report.witnesses[0].nodes.insert("h3".into(), 0.0);
    report.no_evidence.push(idle);
    let scene = lay_out(&report, &look(600.0));
    let roles: Vec<(Role, f32)> = squares(&scene).iter().map(|(role, _, side)| (*role, *side)).collect();
    assert_eq!(roles, [(Role::Node, LEAST_CSS_PX), (Role::Culprit, SQUARE_CSS_PX)], "and one idle is not judged");
    assert_eq!(scene.table.rows.len(), 2);
    assert!(scene.title.ends_with("; 2 nodes are judged"), "{}", scene.title);
}

#[test]
fn what_a_link_left_out_is_said_to_be() {
    let left_out = ["scores of nodes that are not indicted", "names of healthy nodes"].map(String::from).to_vec();
    let cut = Report { left_out, ..report(&[], vec![witness("Map", &[("h2", 0.9)], &["h2"])]) };
    let scene = lay_out(&cut, &look(600.0));
    assert_eq!(scene.title, "Who indicts whom: 1 witness indicts a node");
    assert_eq!(scene.hits.len(), 1, "its node has a column, whether the report names it or not");
    let is_told = |mark: &Mark| matches!(mark, Mark::Text { text, .. } if text.starts_with("this link left out"));
    assert!(scene.marks.iter().any(is_told));
}

/// A link of a few thousand characters may hold this.
#[test]
fn names_that_a_report_repeats_have_one_column() {
    let nodes = vec!["a"; 500_000];
    let indicted = vec!["a"; 100_000];
    let rows = (0..60).map(|_| witness("Map", &[("a", 0.5)], &["a"]));
    let mut report = report(&nodes, rows.collect());
    report.witnesses[0].indicted = indicted.into_iter().map(String::from).collect();
    let scene = lay_out(&report, &look(600.0));
    assert_eq!((scene.hits.len(), scene.table.rows.len()), (ROWS_SHOWN, 60));
}

#[test]
fn names_of_neighbours_do_not_cover_each_other() {
    let names: Vec<String> = (0..10).map(|i| format!("slave-{i:03}")).collect();
    let nodes: Vec<&str> = names.iter().map(String::as_str).collect();
    let scores: Vec<(&str, f64)> = nodes.iter().map(|n| (*n, 0.1)).collect();
    let selection = Selection { node: Some("slave-004".into()), ..Selection::default() };
    let culprits = vec![String::from("slave-003"), String::from("slave-007")];
    let look = Look { selection, nodes: culprits, ..look(328.0) };
    let scene = lay_out(&report(&nodes, vec![witness("Map", &scores, &[])]), &look);
    let heads: Vec<(&str, f32)> = (scene.marks.iter())
        .filter_map(|mark| match mark {
            Mark::Text { text, at, .. } if at.1 < TOP_CSS_PX => Some((text.as_str(), at.0)),
            _ => None,
        })
        .collect();
    assert_eq!(heads[0].0, "slave-004", "the chosen one first");
    let mut spans: Vec<(f32, f32)> = heads.iter().map(|(t, x)| (*x, label_width_css_px(t) / 2.0)).collect();
    spans.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(spans.len() > 1 && spans.windows(2).all(|w| w[0].0 + w[0].1 <= w[1].0 - w[1].1), "{spans:?}");
}

#[test]
fn rows_of_jobs_are_told_apart_on_a_phone() {
    let row = |job: &str| WitnessRow { jobs: vec![job.into()], ..witness("Map", &[("h1", 0.1)], &[]) };
    let rows = vec![row("job_202611202124_0001"), row("job_202611202124_0002")];
    let scene = lay_out(&report(&["h1"], rows), &look(328.0));
    let label = |place: usize| match &scene.marks[place] {
        Mark::Text { text, .. } => text.clone(),
        other => format!("{other:?}"),
    };
    let labels: Vec<String> = (0..scene.marks.len()).map(label).filter(|text| text.contains("Map")).collect();
    assert!(labels.len() == 2 && labels[0].ends_with("_0001") && labels[1].ends_with("_0002"), "{labels:?}");
}

#[test]
fn where_nobody_judges_there_is_no_figure() {
    let likeness = WitnessRow {
        method: Method::PeerSimilarity.name().to_owned(),
        ..witness("Map", &[("h1", 0.9), ("h2", 0.9)], &[])
    };
    let silent = WitnessRow { nodes: BTreeMap::new(), ..witness("Reduce", &[], &[]) };
    assert_eq!(lay_out(&report(&["h1", "h2"], vec![likeness, silent]), &look(600.0)), Scene::default());
}
