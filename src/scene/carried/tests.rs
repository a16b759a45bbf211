use super::*;
use crate::report::Figures;
use crate::report::heatmap;
use crate::report::sealed::Sealed;

#[test]
fn report_without_figures_draws_none_of_jobs() {
    let carried = Carried::of(&Report::default());
    assert!(carried.views().is_empty());
    let look = Look { width_css_px: 800.0, ..Look::default() };
    for view in View::ALL {
        assert_eq!(carried.lay_out(&Report::default(), view, &look).title, "", "{view:?}");
    }
}

#[test]
fn cells_of_many_attempts_are_drawn_with_their_scores_alone() {
    let figure = heatmap::HeatmapFigure {
        nodes: ["h1", "h2", "h3"].map(String::from).to_vec(),
        jobs: vec![String::from("job-07")],
        begin_ms: vec![Some(1_795_226_467_000)],
        highest: 1.0,
        literal: false,
        cells: ["/", "_", "!"].map(String::from).to_vec(),
        whole: Some((64, 1_373)),
    };
    let report =
        Report { figures: Figures { heatmap: Sealed::of(Some(&figure)), ..Figures::default() }, ..Report::default() };
    let carried = Carried::of(&report);
    assert_eq!(carried.views(), [View::Cluster]);
    let look = Look { width_css_px: 800.0, ..Look::default() };
    let scene = carried.lay_out(&report, View::Cluster, &look);
    let says: Vec<String> = scene.hits.iter().take(3).map(|hit| hit.says.join("; ")).collect();
    assert_eq!(
        says,
        ["h1 · job-07; score about 1.00", "h2 · job-07; not comparable", "h3 · job-07; blacklisted: nothing is known"]
    );
    let texts: Vec<&str> = scene
        .marks
        .iter()
        .filter_map(|mark| match mark {
            crate::scene::Mark::Text { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(texts.contains(&"3 nodes of 64, 1 job of 1\u{202f}373 in order of start"), "{texts:?}");
    assert_eq!(carried.lay_out(&report, View::JobsStream, &look).title, "");
}
