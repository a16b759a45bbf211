//! A hundred nodes: in no figure is the one at fault left out, unnamed or far down, and no text is cut.
#![allow(clippy::unwrap_used, missing_docs)]

mod simulated;

use oddnode::diagnosis::Params;
use oddnode::pipeline::{Views, analyse};
use oddnode::scene::axis::label_width_css_px;
use oddnode::scene::{Anchor, Look, Mark, Role, Scene, View};
use oddnode::simulate::{self, Fault, Generation, Workload};

/// Width of a figure's canvas where two stand side by side.
const HALF_CSS_PX: f32 = 514.0;
/// That of one that stands alone.
const WHOLE_CSS_PX: f32 = 1078.0;
const ODD: &str = "s040";

fn texts(scene: &Scene) -> impl Iterator<Item = (&str, f32, Anchor, Role)> {
    scene.marks.iter().filter_map(|mark| match mark {
        Mark::Text { at, text, anchor, role, .. } => Some((text.as_str(), at.0, *anchor, *role)),
        _ => None,
    })
}

#[test]
fn the_node_at_fault_is_seen_among_a_hundred() {
    let spec = simulate::Spec { nodes: 100, ..simulated::spec(Workload::Sort, Fault::DiskHog, Generation::Three) };
    let views = Views::new(analyse(&simulated::digest_of(&simulate::run(&spec)), &Params::default()));
    let of_node = |view: View, width_css_px: f32, node: &str| {
        views.lay_out(view, &Look { width_css_px, nodes: vec![node.to_owned()], ..Look::default() })
    };
    let drawn = |view, width_css_px| of_node(view, width_css_px, ODD);
    for view in [View::PeersStripes, View::PeersCorrelation, View::FlowsMatrix] {
        let scene = drawn(view, HALF_CSS_PX);
        let named: Vec<&str> = texts(&scene).filter(|(_, _, _, role)| *role == Role::Culprit).map(|t| t.0).collect();
        assert_eq!(named, [ODD], "{}: it alone stands out", view.name());
    }
    let matrix = drawn(View::FlowsMatrix, HALF_CSS_PX);
    let (_, x, anchor, _) = texts(&matrix).find(|(text, ..)| *text == "out").unwrap();
    assert!(anchor == Anchor::End && x <= HALF_CSS_PX && x >= label_width_css_px("out"), "no name of a strip is cut");
    let diagram = drawn(View::FlowsDiagram, HALF_CSS_PX);
    assert!(!texts(&diagram).any(|(text, ..)| text.contains('…')), "no number is cut");

    for width_css_px in [WHOLE_CSS_PX, 260.0] {
        let stream = drawn(View::JobsStream, width_css_px);
        let squares = || stream.hits.iter().filter(|hit| hit.node.is_some());
        assert_eq!(squares().count(), stream.table.rows.len(), "each node of each row has a square");
        assert!(squares().all(|hit| hit.at.0 + hit.size.0 <= width_css_px), "all squares fit");
    }

    let system = drawn(View::System, WHOLE_CSS_PX);
    let first = texts(&system).find(|(text, ..)| text.starts_with('s')).unwrap();
    assert_eq!(first.0, ODD, "nobody scrolls to it");
}
