//! Names of faults and workloads in labels, which people write differently.

use super::kahuna::faults;
use super::{CONTROL, WORKLOADS};

/// A label's fault by the name that a control and the faults of Kahuna's Table IV have in our tables, however those are
/// written; another's as it is.
#[must_use]
pub fn fault_of(written: String) -> String {
    let plain = plain(&written);
    let known = faults().into_iter().chain([CONTROL]).find(|known| self::plain(known) == plain);
    known.map_or(written, str::to_owned)
}

/// A label's workload by the name that those of Kahuna's Table IV have in our tables, however they are written; another's
/// as it is.
#[must_use]
pub fn workload_of(written: String) -> String {
    let plain = plain(&written);
    if WORKLOADS.contains(&plain.as_str()) { plain } else { written }
}

/// The name of a fault without what people write differently: the size of letters, hyphens, blanks.
pub(super) fn plain(fault: &str) -> String {
    let mut plain = fault.to_ascii_lowercase();
    plain.retain(|c| !matches!(c, '-' | '_') && !c.is_whitespace());
    plain
}
