//! A baseline: what control runs teach (K23, C06), kept in a small versioned file.

use super::{kahuna_bb, syscalls};
use serde::{Deserialize, Serialize};

/// What was learned from control runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Baseline {
    /// Profiles of the OS metrics.
    pub black_box: Option<kahuna_bb::Profiles>,
    /// Admissible bands of the system calls.
    pub calls: Option<syscalls::Bands>,
}
