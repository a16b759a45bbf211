//! The page and its workers: a thin shell over `pipeline`, `scene` and `draw`.
//!
//! ```text
//! intake --files--> reading --queue--> client x N ==worker x N
//!                      |                                        page | worker
//!                      +-----digests--> client    ==worker (analyst)
//! session --report--> verdict, coverage, share;   --scenes--> peers, flows, … (figures)
//! ```
//! No UI library: each panel is a function from data to elements, rebuilt when its data
//! changes; `dom` is all the plumbing there is (ARCHITECTURE.md has the measured trial).

mod address;
mod analyst;
mod begun;
mod chips;
mod client;
mod clocks;
mod cluster;
mod compare;
mod compiled;
mod controls;
mod coverage;
mod dom;
mod envelope;
mod figure;
mod figures;
mod flows;
mod helpers;
mod intake;
mod jobs;
mod jobs_view;
mod nearness;
mod outward;
mod page;
mod parameters;
mod peers;
mod progress;
mod quotes;
mod reader;
mod reading;
mod save;
mod search;
mod selected;
mod session;
mod settings;
mod share;
mod swimlanes;
mod theme;
mod unknown;
mod verdict;
mod views;
mod worker;

pub use page::start as start_page;
pub use worker::start as start_worker;
