//! Names of faults, workloads and nodes in labels, which people write differently.

use super::kahuna::faults;
use super::{CONTROL, Truth, WORKLOADS};
use crate::base::{Gathered, text};
use crate::report::Report;
use std::collections::BTreeSet;

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

/// A label's nodes by the names that they have in the report, with a domain or without and in letters of either size. A name
/// that no node has, and a short one that fits several, stay as they are.
pub(super) fn nodes_of(truth: &Truth, report: &Report) -> Option<String> {
    let culprits = report.verdict.culprits.iter().map(|culprit| &culprit.node);
    let judged = report.witnesses.iter().flat_map(|witness| witness.nodes.keys().chain(&witness.indicted));
    let nodes: BTreeSet<&str> = report.nodes.iter().chain(culprits).chain(judged).map(String::as_str).gathered();
    let meant = |name| {
        let mut fitting = nodes.iter().copied().filter(|node| text::may_be_one_host(name, node));
        match (nodes.contains(name), fitting.next(), fitting.next()) {
            (false, Some(node), None) => node,
            _ => name,
        }
    };
    let mut names: Vec<&str> = Vec::new();
    for name in truth.node.as_deref().into_iter().flat_map(text::names_in).map(meant) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    text::joined_names(names.into_iter())
}
