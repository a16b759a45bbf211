//! The steps of both algorithms, as sentences that need no knowledge of the paper.

use super::{CallsShown, words};
use crate::diagnosis::Abstention;
use crate::diagnosis::syscalls::{Opinion, RECORD};
use crate::scene::{Hit, Look, Role, Scene, Table};

/// Height of a line of text.
const LINE_CSS_PX: f32 = 18.0;
/// Room below a paragraph.
const GAP_CSS_PX: f32 = 8.0;

pub(super) fn lay_out(shown: &CallsShown<'_>, look: &Look) -> Scene {
    let mut scene = Scene {
        title: String::from("What the system calls say"),
        how_to_read: String::from(
            "strace writes down each call that a process makes to the kernel, and how long it took. Looking up a file \
             (stat, access) is quick unless the disk is busy; connecting to another machine is quick unless packets \
             are lost. Two methods compare these times with those of control runs, which are known to be healthy. \
             The first (statistical) asks which node spends most and whether that is more than ever seen. The second \
             (semantic) compares each single call with the same call of a control run, and asks in which node the \
             slow ones meet. strace itself slows a job down by a half or more.",
        ),
        size: (look.width_css_px, 0.0),
        table: Table { headers: ["method", "step", "says"].map(String::from).to_vec(), rows: Vec::new() },
        ..Scene::default()
    };
    let mut y = LINE_CSS_PX * 0.5;
    let told: Vec<(&str, Vec<String>)> = match shown.examination.abstained {
        Some(why) => vec![("both methods", vec![abstention(why)])],
        None => vec![
            ("statistical", steps(shown, &shown.statistical, "no node stands out")),
            // That its pairs do not meet in one node acquits nobody (C14).
            ("semantic", steps(shown, &shown.semantic, "no diagnosis")),
        ],
    };
    for (method, steps) in told {
        for (number, step) in (1..).zip(&steps) {
            // The last sentence is the method's answer.
            let is_answer = number == steps.len();
            let lead = if number == 1 { format!("{method}: ") } else { String::new() };
            let top = y;
            let role = if is_answer { Role::Ink } else { Role::Faint };
            y = scene.paragraph((0.0, y), (look.width_css_px - 8.0, LINE_CSS_PX), &format!("{lead}{step}"), role);
            let says = vec![format!("{method}, step {number}")];
            scene.hits.push(Hit {
                at: (0.0, top - LINE_CSS_PX * 0.5),
                size: (look.width_css_px, y - top),
                says,
                node: None,
                ..Hit::default()
            });
            scene.table.rows.push(vec![method.to_owned(), number.to_string(), step.clone()]);
        }
        y += GAP_CSS_PX;
    }
    scene.size.1 = y;
    scene
}

/// The steps and the answer, which is `nobody` where no node is found.
fn steps(shown: &CallsShown<'_>, opinion: &Opinion, nobody: &str) -> Vec<String> {
    let mut steps = opinion.path.clone();
    steps.push(match &opinion.found {
        Some((hog, nodes)) => {
            let first = nodes.first().map_or("", |n| shown.name(*n));
            let others: Vec<&str> = nodes.iter().skip(1).map(|n| shown.name(*n)).collect();
            let also =
                if others.is_empty() { String::new() } else { format!(" Possibly faulty too: {}.", others.join(", ")) };
            match hog {
                Some(hog) => format!("Answer: {first}: {}.{also}", words(*hog)),
                None => format!("Answer: {first} is possibly faulty.{also}"),
            }
        }
        None => format!("Answer: {nobody}."),
    });
    steps
}

fn abstention(why: Abstention) -> String {
    match why {
        Abstention::NoPeers => String::from(
            "Calls of fewer than three nodes were traced. Nodes are compared with one another: trace more of them.",
        ),
        _ => format!(
            "No baseline: how long calls take when all is well is not known. Record a run of the same workload on the healthy \
             cluster with {RECORD} and give it as a control run, or learn a baseline from several with oddnode train."
        ),
    }
}
