//! Complaints with the nodes that they come from and are about.
//!
//! A line names a host, an address, an attempt or nobody. Names and addresses are those of
//! [`super::hosts`]; an attempt stands for the node on which it ran, or to which it was
//! sent. What cannot be told stays untold. A history keeps the errors of attempts, which count where no log has told
//! them. Cost: O(rows · log attempts).

use super::input::FileView;
use super::{Found, Input};
use crate::base::{AttemptId, Gathered, NodeId, Timestamp};
use crate::model::{Complaint, ComplaintKind, Event, Outcome, Said, Subject, TaskType, Topic, formats};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};

/// Collects the complaints of all files.
#[inline(never)]
pub fn pair(input: &Input<'_>, found: &mut Found) {
    let mut ran_on: BTreeMap<AttemptId, NodeId> = input
        .files_of(formats::JOBTRACKER)
        .flat_map(|file| file.about(Topic::Tasks))
        .filter_map(|row| match row.event {
            // Another node may clean up behind an attempt, under its name.
            Event::TaskAssigned { task_type: Some(TaskType::TaskCleanup), .. } => None,
            Event::TaskAssigned { attempt, host, .. } => Some((attempt, input.node_named(&host)?)),
            _ => None,
        })
        .gathered();
    ran_on.extend(found.tasks.iter().filter_map(|t| Some((t.id, t.node?))));
    let killed = found.tasks.iter().filter(|t| t.outcome == Some(Outcome::Killed));
    let killed: BTreeMap<AttemptId, Timestamp> = killed.filter_map(|t| Some((t.id, t.finish?))).gathered();
    let (mut told, mut given_up) = (BTreeSet::<AttemptId>::new(), BTreeSet::<AttemptId>::new());
    let (histories, logs): (Vec<&FileView<'_>>, Vec<&FileView<'_>>) =
        input.files.iter().partition(|file| keeps_errors(file));
    for file in logs.into_iter().chain(histories) {
        // An ApplicationMaster is one job's, and blacklists a host after attempts that it has told of.
        let (is_masters, mut job) = (file.digest.format == formats::AM_SYSLOG, None);
        // Of most logs it is never asked.
        let was_killed = LazyCell::new(|| killed_of(file, &killed));
        for row in input.about(file, Topic::Complaints) {
            let Event::Complaint(said) = &row.event else { continue };
            // Its folders went with it: what it says of disks then is nobody's fault.
            if was_killed.is_some_and(|killed| row.at >= killed) {
                continue;
            }
            if let Some(attempt) = said.attempt.filter(|_| is_of_an_end(said)) {
                let is_told = !told.insert(attempt) && keeps_errors(file);
                // A master tells that it gives an output up, and with it why the attempt failed.
                if is_told || said.kind == ComplaintKind::TooManyFetchFailures && !given_up.insert(attempt) {
                    continue;
                }
            }
            let of = match &said.of {
                Subject::Own => file.node,
                Subject::Host(name) => input.node_named(name),
                Subject::Address(ip) => input.by_ip.get(ip).copied(),
                Subject::Attempt => said.attempt.and_then(|attempt| ran_on.get(&attempt).copied()),
                Subject::Unsaid => None,
            };
            let complaint = Complaint::new(said, &row, file.node, of, file.place(row.line));
            job = complaint.job.or(job).filter(|_| is_masters);
            found.complaints.push(Complaint { job: complaint.job.or(job), ..complaint });
        }
    }
}

/// When the attempt whose own log this is was killed, if it was.
fn killed_of(file: &FileView<'_>, killed: &BTreeMap<AttemptId, Timestamp>) -> Option<Timestamp> {
    if file.digest.format != formats::TASK_SYSLOG || killed.is_empty() {
        return None;
    }
    let attempt = file.about(Topic::Tasks).find_map(|row| match row.event {
        Event::TaskLog { attempt, .. } | Event::TaskLogCut { attempt, .. } => Some(attempt),
        _ => None,
    });
    killed.get(&attempt?).copied()
}

fn keeps_errors(file: &FileView<'_>) -> bool {
    formats::HISTORIES.contains(&file.digest.format.as_str())
}

/// Whether it tells that an attempt ended without success, and why: who could not fetch from it says nothing of its end.
fn is_of_an_end(said: &Said) -> bool {
    !matches!(said.kind, ComplaintKind::FetchFailed | ComplaintKind::SlowConnect)
}
