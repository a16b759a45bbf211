//! Diagnosis from system calls (C01–C22).

use serde::{Deserialize, Serialize};

/// Admissible bands learned from control runs (C06, C07).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Bands {}
