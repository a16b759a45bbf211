//! One square a run, by fault.

use super::super::{Anchor, Hit, Look, Mark, Role, Scene, Table};
use super::{Evaluated, ROW_CSS_PX, TOP_CSS_PX, left_of};
use crate::evaluation::{self, Scored};
use crate::scene::axis::tenth;
use crate::scene::legend::Legend;

/// Side of a square, at most.
const SIDE_CSS_PX: f32 = 14.0;
/// From one square to the next.
const STEP_CSS_PX: f32 = 17.0;

/// Lays out the figure.
pub(super) fn lay_out(e: &Evaluated, look: &Look) -> Scene {
    let left = left_of(e.by_fault.iter().map(|c| c.fault.as_str()), look);
    let most = e.by_fault.iter().map(|c| c.runs).max().unwrap_or(1).max(1) as f32;
    let step = tenth(((look.width_css_px - left - 4.0) / most).min(STEP_CSS_PX));
    let bottom = TOP_CSS_PX + ROW_CSS_PX * e.by_fault.len() as f32;
    let mut scene = Scene {
        title: String::from("Each run's verdict"),
        how_to_read: String::from(
            "One square for each run: filled in the nodes' colour where the verdict is right (the faulty node and no other, or \
             none where none is at fault), in the culprits' colour where a wrong node is named, grey where a faulty \
             node is missed (of several, one at least) or there is no verdict.",
        ),
        size: (look.width_css_px, bottom + 8.0),
        table: Table {
            headers: ["run", "workload", "fault", "node", "verdict", "named", "cause", "sureness"]
                .map(String::from)
                .into(),
            rows: e.runs.iter().map(row).collect(),
        },
        ..Scene::default()
    };
    for (i, cell) in e.by_fault.iter().enumerate() {
        let top = TOP_CSS_PX + ROW_CSS_PX * i as f32;
        scene.text((left - 8.0, top + ROW_CSS_PX / 2.0), cell.fault.clone(), Anchor::End, Role::Ink);
        for (k, run) in e.runs.iter().filter(|run| run.fault == cell.fault).enumerate() {
            let at = (tenth(left + step * k as f32), top + (ROW_CSS_PX - SIDE_CSS_PX) / 2.0);
            let size = (tenth((step - 1.0).clamp(1.0, SIDE_CSS_PX)), SIDE_CSS_PX);
            scene.push(Mark::Rect { at, size, role: role(run) });
            scene.hits.push(Hit { at, size, says: says(run), ..Hit::default() });
        }
    }
    let mut legend = Legend::at(4.0, bottom + 14.0);
    for (role, name) in
        [(Role::Node, "right"), (Role::Culprit, "a wrong node named"), (Role::Idle, "missed, or no verdict")]
    {
        legend.swatch(&mut scene, role, name);
    }
    scene.size.1 = legend.bottom() + 4.0;
    scene
}

const fn role(run: &Scored) -> Role {
    use evaluation::Mark::{Abstained, False, Hit, HitAmongOthers, HitSome, Miss, Quiet, Wrong};
    match run.mark {
        Hit | Quiet => Role::Node,
        HitAmongOthers | Wrong | False => Role::Culprit,
        HitSome | Miss | Abstained => Role::Idle,
    }
}

fn says(run: &Scored) -> Vec<String> {
    let at_fault = run.node.as_ref().map_or_else(String::new, |node| format!(" on {node}"));
    let named = if run.indicted.is_empty() { String::from("no node named") } else { run.indicted.join(", ") };
    let why = run.cause.as_ref().map_or_else(String::new, |cause| format!(" ({cause})"));
    vec![
        format!("{}: {} during {}{at_fault}", run.run, run.fault, run.workload),
        format!("{}: {named}{why}", run.mark.name()),
    ]
}

fn row(run: &Scored) -> Vec<String> {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| String::from("–"));
    vec![
        run.run.clone(),
        run.workload.clone(),
        run.fault.clone(),
        or_dash(&run.node),
        run.mark.name().to_owned(),
        run.indicted.join(" "),
        or_dash(&run.cause),
        run.sureness.map_or_else(|| String::from("–"), |s| format!("{s:.2}")),
    ]
}
