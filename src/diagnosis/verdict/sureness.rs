//! How sure words make, and whether they make a culprit.

use super::Source;
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

/// How sure words make, each with its source and its chance under no fault: of those of one source the strongest counts,
/// and the one that goes furthest; `None` where they do not make a culprit.
#[must_use]
pub fn sureness(words: impl Iterator<Item = (Source, Strength, Option<f64>)>) -> Option<f64> {
    let mut of_sources: Vec<(Source, u32, f64)> = Vec::new();
    for (source, strength, p) in words {
        let (points, worth) = (if strength == Strength::Strong { 2 } else { 1 }, worth(strength, p));
        match of_sources.iter_mut().find(|(other, ..)| *other == source) {
            Some((_, most, furthest)) => (*most, *furthest) = (points.max(*most), worth.max(*furthest)),
            None => of_sources.push((source, points, worth)),
        }
    }
    let points: u32 = of_sources.iter().map(|(_, points, _)| points).sum();
    let doubt: f64 = of_sources.iter().map(|(.., worth)| 1.0 - worth).product();
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

#[cfg(test)]
mod tests {
    use super::*;
    use Strength::{Moderate, Strong};

    #[test]
    fn a_weaker_word_beside_makes_nobody_less_sure() {
        let of = |words: &[(Source, Strength, Option<f64>)]| sureness(words.iter().copied());
        let (maps, by_gap) = ((Source::TaskTimes, Strong, Some(0.005)), (Source::TaskTimes, Strong, Some(0.24)));
        assert_eq!((of(&[by_gap]), of(&[maps])), (Some(0.6), Some(1.0 - (1.0 - 0.9 * 0.995))));
        assert_eq!((of(&[maps, by_gap]), of(&[by_gap, maps])), (of(&[maps]), of(&[maps])));
        let blocks = (Source::Blocks, Moderate, None);
        assert_eq!((of(&[blocks]), of(&[blocks, blocks])), (None, None), "one source");
        assert!(of(&[blocks, by_gap]) > of(&[by_gap]));
    }
}
