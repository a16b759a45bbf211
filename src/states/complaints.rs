//! Complaints with the nodes that they come from and are about.
//!
//! A line names a host, an address, an attempt or nobody. Names and addresses are those of
//! [`super::hosts`]; an attempt stands for the node on which it ran, or to which it was
//! sent. What cannot be told stays untold. Cost: O(rows · log attempts).

use super::{Found, Input};
use crate::base::{AttemptId, Gathered, NodeId};
use crate::model::{Complaint, Event, Subject, Topic};
use std::collections::BTreeMap;

/// Collects the complaints of all files.
#[inline(never)]
pub fn pair(input: &Input<'_>, found: &mut Found) {
    let mut ran_on: BTreeMap<AttemptId, NodeId> = input
        .files_of("jobtracker")
        .flat_map(|file| file.about(Topic::Tasks))
        .filter_map(|row| match row.event {
            Event::TaskAssigned { attempt, host, .. } => Some((attempt, input.node_named(&host)?)),
            _ => None,
        })
        .gathered();
    ran_on.extend(found.tasks.iter().filter_map(|t| Some((t.id, t.node?))));
    for file in &input.files {
        for row in input.about(file, Topic::Complaints) {
            let Event::Complaint(said) = &row.event else { continue };
            let of = match &said.of {
                Subject::Own => file.node,
                Subject::Host(name) => input.node_named(name),
                Subject::Address(ip) => input.by_ip.get(ip).copied(),
                Subject::Attempt => said.attempt.and_then(|attempt| ran_on.get(&attempt).copied()),
                Subject::Unsaid => None,
            };
            found.complaints.push(Complaint::new(said, &row, file.node, of, file.place(row.line)));
        }
    }
}
