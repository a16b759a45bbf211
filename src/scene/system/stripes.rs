//! Which profile each node was in over time, as shades.

use super::LEAST_SHADE;
use super::columns::Time;
use crate::base::{Gathered, NodeId};
use crate::diagnosis::kahuna_bb::{NO_PROFILE, SystemComparison};
use std::collections::BTreeMap;

/// The shade of a profile.
pub(super) fn shade(compared: &SystemComparison, profile: u8) -> u8 {
    let highest = compared.profile_count.saturating_sub(1).max(1) as f32;
    let share = (f32::from(profile) / highest).min(1.0);
    (LEAST_SHADE + share * (f32::from(u8::MAX) - LEAST_SHADE)) as u8
}

/// For each node the profile of most steps of each column, as shades; 0 where its steps
/// have none. A column narrower than a step goes on with the one before it.
pub(super) fn stripes(compared: &SystemComparison, time: Time) -> BTreeMap<NodeId, Vec<u8>> {
    let shades = |profiles: &[u8]| {
        let kinds = compared.profile_count + 1;
        // The last one counts the steps without a profile.
        let mut columns = vec![0_u32; time.columns * kinds];
        for (step, profile) in (0_i64..).zip(profiles) {
            let begin = compared.start.plus_millis(step.saturating_mul(compared.period_ms));
            if !(time.from_ms..=time.to_ms).contains(&begin.millis()) {
                continue;
            }
            let kind = if *profile == NO_PROFILE { kinds - 1 } else { usize::from(*profile).min(kinds - 1) };
            if let Some(count) = columns.get_mut(time.column(begin.millis()) * kinds + kind) {
                *count += 1;
            }
        }
        let mut last = 0;
        let of_column = |counts: &[u32]| {
            if counts.iter().any(|count| *count > 0) {
                let known = (0_u8..).zip(counts.iter().take(kinds - 1)).filter(|(_, count)| **count > 0);
                let most = known.max_by_key(|(profile, count)| (**count, std::cmp::Reverse(*profile)));
                last = most.map_or(0, |(profile, _)| shade(compared, profile));
            }
            last
        };
        columns.chunks(kinds).map(of_column).collect()
    };
    compared.nodes.iter().map(|own| (own.node, shades(&own.profiles))).gathered()
}
