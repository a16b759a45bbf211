//! **oddnode** finds the odd node out in a Hadoop cluster's logs.
//!
//! The way of the data, one way only; each room may use only the rooms that
//! `ARCHITECTURE.md` gives it (`tests/arrows.rs` fails on any other arrow):
//!
//! ```text
//! bytes → source → format → states → model → diagnosis → verdict → report → scene → draw
//! ```

pub mod base;
pub mod diagnosis;
pub mod draw;
pub mod format;
pub mod model;
pub mod pipeline;
pub mod protocol;
pub mod report;
pub mod scene;
pub mod source;
pub mod states;
pub mod stats;

// Logs are made on machines that have files to put them in.
#[cfg(not(target_arch = "wasm32"))]
pub mod simulate;

#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "web")]
pub mod web;
