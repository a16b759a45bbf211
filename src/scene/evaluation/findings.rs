//! What Kahuna found, as far as these runs tell (K14, K36–K38): a claim, how it stands, by whose words, its numbers.

use super::super::axis::{LINE_CSS_PX, wrapped};
use super::super::{Anchor, Look, Role, Scene, Table};
use super::{Evaluated, TOP_CSS_PX};
use crate::evaluation::{Finding, Stand, WhiteBox, findings};

/// Room for how a claim stands.
const STAND_CSS_PX: f32 = 96.0;
/// Room between two claims.
const BETWEEN_CSS_PX: f32 = 8.0;

/// Lays out the claims of which these runs tell something; without a title where there is none.
pub(super) fn lay_out(e: &Evaluated, white_box: WhiteBox, look: &Look) -> Scene {
    let told = findings(&e.runs, white_box);
    let told: Vec<(&Finding, Stand)> = told.iter().filter_map(|finding| Some((finding, finding.stands?))).collect();
    if told.is_empty() {
        return Scene::default();
    }
    let mut scene = Scene {
        title: String::from("What Kahuna found, by these runs"),
        how_to_read: String::from(
            "A claim is confirmed or refuted where the 95 % intervals of what it compares are apart, and where one is apart \
             from the limit that its words are taken to mean; else it is not told apart.",
        ),
        table: Table {
            headers: ["id", "claim", "stands", "numbers", "by"].map(String::from).into(),
            rows: told.iter().map(|(finding, stand)| row(finding, *stand)).collect(),
        },
        ..Scene::default()
    };
    let room = (look.width_css_px - STAND_CSS_PX).max(LINE_CSS_PX);
    let mut y = TOP_CSS_PX;
    for (finding, stand) in told {
        let role = match stand {
            Stand::Confirmed => Role::Node,
            Stand::Refuted => Role::Culprit,
            Stand::NotToldApart => Role::Faint,
        };
        scene.text((0.0, y), stand.name(), Anchor::Start, role);
        let claim = format!("{}: {}", finding.id, finding.claim);
        let numbers = format!("{}; by {}", finding.numbers, finding.by);
        for (text, role) in [(claim, Role::Ink), (numbers, Role::Faint)] {
            for line in wrapped(&text, room) {
                scene.text((STAND_CSS_PX, y), line, Anchor::Start, role);
                y += LINE_CSS_PX;
            }
        }
        y += BETWEEN_CSS_PX;
    }
    scene.size = (look.width_css_px, y);
    scene
}

fn row(finding: &Finding, stand: Stand) -> Vec<String> {
    [finding.id, finding.claim, stand.name(), &finding.numbers, &finding.by].map(str::to_owned).into()
}
