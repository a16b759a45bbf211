//! How sure words make, and whether they make a culprit.

use crate::diagnosis::Strength;

/// Points that make a culprit.
const CULPRIT_POINTS: u32 = 2;
/// How far one strong or moderate word from an independent source goes towards
/// certainty: the share of true indictments among such words on the labelled runs,
/// rounded down to leave room for clusters unlike them.
const STRONG_WORTH: f64 = 0.9;
/// See [`STRONG_WORTH`].
const MODERATE_WORTH: f64 = 0.6;
/// Up to this p, permutation is what decided.
const CHANCE_DECIDES: f64 = 0.05;
/// Nothing is surer than this: logs are not the machine.
const SUREST: f64 = 0.99;

/// How sure the strongest words of independent sources make, each with its chance under no
/// fault; `None` where they do not make a culprit.
#[must_use]
pub fn sureness(words: impl Iterator<Item = (Strength, Option<f64>)>) -> Option<f64> {
    let (mut points, mut doubt) = (0, 1.0);
    for (strength, p) in words {
        points += if strength == Strength::Strong { 2 } else { 1 };
        doubt *= 1.0 - worth(strength, p);
    }
    (points >= CULPRIT_POINTS).then(|| (1.0 - doubt).min(SUREST))
}

/// How far one word goes towards certainty. Chance is taken off where it decided; a word that
/// holds by a rule of its own although permutation could not tell (the gap rule, with few states
/// a node) is worth a moderate one's: so the least sure culprit stands at 0.6, not near 0.
fn worth(strength: Strength, p: Option<f64>) -> f64 {
    let worth = if strength == Strength::Strong { STRONG_WORTH } else { MODERATE_WORTH };
    match p {
        Some(p) if p > CHANCE_DECIDES => worth.min(MODERATE_WORTH),
        p => worth * (1.0 - p.unwrap_or(0.0)),
    }
}
