//! What is said of the nodes that nothing, or little, is known of.

use super::{NoEvidenceRow, Report, SeldomRow};
use crate::base::text::first_of;
use crate::diagnosis::idle::NoEvidence::{self, Blacklisted, Idle, NoPeers, TooFewData, Unread};

/// Nodes named in a sentence.
const NAMED: usize = 8;

/// `None` of no nodes.
fn sentence(begin: &str, nodes: Vec<String>, says: &str) -> Option<String> {
    (!nodes.is_empty()).then(|| format!("{begin}: {}. {says}", first_of(&nodes, NAMED)))
}

impl Report {
    /// What is said of the nodes without evidence, if there are any.
    #[must_use]
    pub fn no_evidence_in_words(&self) -> Option<String> {
        let because = |why: NoEvidence, name: fn(&NoEvidenceRow) -> String| -> Vec<String> {
            self.no_evidence.iter().filter(|row| row.why == why.name()).map(name).collect()
        };
        let name = |row: &NoEvidenceRow| row.node.clone();
        let with_why = |row: &NoEvidenceRow| format!("{} ({})", row.node, row.why);
        let seldom = |is_meant: fn(&SeldomRow) -> bool, name: fn(&SeldomRow) -> String| -> Vec<String> {
            self.seldom.iter().filter(|row| is_meant(row)).map(name).collect()
        };
        let told: Vec<String> = [
            sentence(
                "Not judged",
                because(Unread, name),
                "Its logs are in a layout that oddnode does not read, so what was done there is not known.",
            ),
            sentence(
                "Not judged",
                [because(Idle, with_why), because(Blacklisted, with_why)].concat(),
                "No task ran there and no block was moved while other nodes worked.",
            ),
            sentence(
                "Not judged",
                because(TooFewData, name),
                "Too little was done there to compare it with the other nodes.",
            ),
            sentence(
                "Not judged",
                because(NoPeers, name),
                "Fewer than three nodes here are of that cluster and hardware, so there is nothing to compare with.",
            ),
            sentence(
                "Judged by blocks alone",
                seldom(|row| row.jobs == 0, |row| row.node.clone()),
                "No task ran there while other nodes ran several each: see whether its NodeManager or TaskTracker is up.",
            ),
            sentence(
                "Judged by few of the jobs",
                seldom(
                    |row| 0 < row.jobs && row.jobs < row.of,
                    |row| format!("{} ({} of {})", row.node, row.jobs, row.of),
                ),
                "No task of the others ran there, and they tell nothing of it.",
            ),
        ]
        .into_iter()
        .flatten()
        .collect();
        (!told.is_empty()).then(|| told.join(" "))
    }
}
