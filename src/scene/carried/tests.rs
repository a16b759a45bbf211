use super::*;
use crate::report::Figures;
use crate::report::heatmap;
use crate::report::metrics;
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

#[test]
fn means_of_metrics_are_drawn_with_what_was_indicted() {
    let figure = metrics::MetricsFigure {
        nodes: ["h1", "h2"].map(String::from).to_vec(),
        begin_ms: 1_795_226_467_000,
        column_ms: 3_000,
        metrics: ["user", "ctxt"].map(String::from).to_vec(),
        greatest: vec![5_000, 5_000],
        cells: ["0000", "0//.", "....", "1111"].map(String::from).to_vec(),
        indicted: vec![1],
        indicted_ms: vec![[1_795_226_470_000, 1_795_226_476_000]],
        whole: Some(64),
    };
    let report =
        Report { figures: Figures { metrics: Sealed::of(Some(&figure)), ..Figures::default() }, ..Report::default() };
    let carried = Carried::of(&report);
    assert_eq!(carried.views(), [View::System]);
    assert!(carried.has_node("h2") && !carried.has_node("h3"));
    let scene = carried.lay_out(&report, View::System, &Look { width_css_px: 800.0, ..Look::default() });
    assert_eq!(scene.title, "Metrics of the operating system");
    let says = " Without the logs the values are means of 3 s, in 64 steps from 0 to the greatest of them. 2 nodes of the 64 that were measured are here.";
    assert!(scene.how_to_read.ends_with(says), "{}", scene.how_to_read);
    let bars: Vec<String> =
        scene.hits.iter().filter(|hit| hit.says[0].ends_with("indicted")).map(|hit| hit.says.join("; ")).collect();
    assert_eq!(bars, ["h2 indicted; 2026-11-21 02:01:10 to 02:01:16 UTC"]);
    let row = scene.table.rows.iter().find(|row| row[0] == "h2" && row[1] == "user").unwrap();
    assert_eq!(row[3..], ["3", "0", "33.33", "50"].map(String::from));
}
