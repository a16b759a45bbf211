//! Kahuna's black box (K22–K26).

use serde::{Deserialize, Serialize};

/// Behaviours learned from control runs (K23).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Profiles {}
