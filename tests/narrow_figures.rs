//! On a phone no text leaves its figure to either side or below it, and none is cut within a list: every view of runs that have something to say in it.
//! And each of these scenes goes from a worker to the page as it is.
#![allow(clippy::disallowed_methods, reason = "tests read their samples from files")]
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

mod shared;
mod simulated;

use oddnode::diagnosis::Params;
use oddnode::model::Digest;
use oddnode::pipeline::{Views, analyse};
use oddnode::scene::axis::{FONT_CSS_PX, label_width_css_px};
use oddnode::scene::{Anchor, Look, Mark, Scene, View};
use oddnode::simulate::{self, Fault, Generation, Workload};
use serde_json::Value;
use shared::{SETS, digest_of, runs};
use std::collections::BTreeSet;

/// Width of a figure's canvas on a page of 390 pixels.
const NARROW_CSS_PX: f32 = 328.0;
/// Widths are estimates; an average character more or less is no text that is cut.
const SLACK_CSS_PX: f32 = 8.0;

/// Half of the room between two lines.
const LINE_SLACK_CSS_PX: f32 = 2.0;

/// Texts that begin left of the scene, or end right of it or below it.
fn cut(scene: &Scene) -> Vec<String> {
    let is_cut = |mark: &Mark| {
        let Mark::Text { at, text, size_css_px, anchor, .. } = mark else { return None };
        let wide = label_width_css_px(text) * size_css_px / FONT_CSS_PX;
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - wide / 2.0,
            Anchor::End => at.0 - wide,
        };
        let (under, over) = (-left, left + wide - scene.size.0);
        let below = at.1 + size_css_px / 2.0 - scene.size.1;
        if below > LINE_SLACK_CSS_PX {
            return Some(format!("{text:?} by {below:.0} px below"));
        }
        // A list that ends behind a comma lacks what the comma announces.
        let is_cut = text.ends_with(",…") || under > SLACK_CSS_PX || over > SLACK_CSS_PX;
        is_cut.then(|| format!("{text:?} by {:.0} px", under.max(over)))
    };
    scene.marks.iter().filter_map(is_cut).collect()
}

/// Views that have something to show, and what is cut in them.
fn look_at(digest: &Digest, shown: &mut BTreeSet<&'static str>) -> Vec<String> {
    let views = Views::new(analyse(digest, &Params::default()));
    let look = Look { width_css_px: NARROW_CSS_PX, ..Look::default() };
    let mut all = Vec::new();
    for view in View::ALL {
        let scene = views.lay_out(view, &look);
        let message = postcard::to_stdvec(&scene).unwrap();
        assert!(postcard::from_bytes(&message) == Ok(scene.clone()), "{}: not what was sent", view.name());
        if !scene.marks.is_empty() {
            shown.insert(view.name());
        }
        all.extend(cut(&scene).into_iter().map(|text| format!("{}: {text}", view.name())));
    }
    all
}

#[test]
fn no_text_leaves_a_narrow_figure() {
    let (mut shown, mut all) = (BTreeSet::new(), BTreeSet::new());
    for generation in [Generation::One, Generation::Three] {
        let spec = simulate::Spec { strace: true, ..simulated::spec(Workload::Sort, Fault::CpuHog, generation) };
        all.extend(look_at(&simulated::digest_of(&simulate::run(&spec)), &mut shown));
    }
    assert_eq!(shown.len(), View::ALL.len(), "{shown:?}");
    for (_, archive) in runs::<Value>(&SETS) {
        all.extend(look_at(&digest_of(&archive), &mut shown));
    }
    assert!(all.is_empty(), "{all:#?}");
}
