//! What a reader searches for in the trace, by a name or an id out of a log: nodes, jobs, attempts, blocks, and what
//! attempts died of.

use super::axis::{date_and_clock, from_to};
use super::look::Selection;
use crate::base::quantity::{bytes, grouped, of_millis};
use crate::base::text::holds;
use crate::base::{AttemptId, BlockId, ContainerId, JobId, Timestamp};
use crate::model::{Job, State, StateKind, TaskAttempt, Trace};
use crate::report::LineRef;
use serde::{Deserialize, Serialize};

/// Of each kind so many are told.
const TOLD: usize = 25;

/// Letters of words that are looked for: one is in every second name.
pub const LEAST_LETTERS: usize = 2;

/// One thing that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Found {
    /// What it is called.
    pub name: String,
    /// What is known of it.
    pub says: String,
    /// What is chosen with it.
    pub picks: Selection,
    /// The line that tells of it.
    pub at: Option<LineRef>,
}

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Nodes, then jobs, attempts and transfers of blocks, each in the trace's order.
    pub rows: Vec<Found>,
    /// So many more are not told.
    pub more: usize,
}

impl Findings {
    /// Adds the first of one kind; the rest are counted alone.
    fn add<T>(&mut self, mut hits: impl Iterator<Item = T>, tell: impl FnMut(T) -> Found) {
        self.rows.extend(hits.by_ref().take(TOLD).map(tell));
        self.more += hits.count();
    }
}

/// What is looked for.
enum Wanted {
    /// One attempt.
    Attempt(AttemptId),
    /// All attempts of the task of this one.
    Task(AttemptId),
    /// All that moves a block.
    Block(BlockId),
    /// A part of a name, in letters of either size.
    Text(String),
}

impl Wanted {
    fn of(words: &str) -> Option<Self> {
        let bytes = words.as_bytes();
        if let Some(id) = AttemptId::named(bytes) {
            return Some(Self::Attempt(id));
        }
        if let Some(task) = AttemptId::parse_task(bytes) {
            return Some(Self::Task(task));
        }
        if let Some((block, _)) = BlockId::parse_prefix(bytes) {
            return Some(Self::Block(block));
        }
        // Applications and their containers go under their job's id.
        let application = words.strip_prefix("application_").and_then(|rest| JobId::parse_digits(rest.as_bytes()));
        let job = application.map(|(job, _)| job).or_else(|| Some(ContainerId::parse_prefix(bytes)?.0.job));
        let text = job.map_or_else(|| words.to_owned(), |job| job.to_string());
        (text.chars().count() >= LEAST_LETTERS).then_some(Self::Text(text))
    }
}

/// Looks for words: a part of a node's name, of a job's id, name or user, of an attempt's id or error, in letters of
/// either size; or the whole id of an attempt, a task, an application, a container or a block.
#[must_use]
pub fn search(trace: &Trace, words: &str) -> Findings {
    let mut findings = Findings::default();
    match Wanted::of(words.trim()) {
        None => {}
        Some(Wanted::Attempt(id)) => {
            // After a restart of its master an id may come twice.
            findings.add(trace.tasks_of(id.job).iter().filter(|t| t.id == id), |t| attempt(trace, t));
        }
        Some(Wanted::Task(id)) => {
            let same = |t: &&TaskAttempt| (t.id.letter, t.id.task) == (id.letter, id.task);
            findings.add(trace.tasks_of(id.job).iter().filter(same), |t| attempt(trace, t));
        }
        Some(Wanted::Block(block)) => {
            let moves = |kind| trace.states.of_kind(kind).filter(move |s: &State| s.block == Some(block));
            let moves = [StateKind::WriteBlock, StateKind::ReadBlock].into_iter().flat_map(moves);
            findings.add(moves, |s| transfer(trace, &s, block));
        }
        Some(Wanted::Text(text)) => by_text(trace, &text, &mut findings),
    }
    findings
}

fn by_text(trace: &Trace, text: &str, findings: &mut Findings) {
    let has = |name: &str| holds(name, text);
    let nodes = trace.nodes.iter().filter(|n| has(&n.name));
    findings.add(nodes, |n| Found {
        name: n.name.clone(),
        says: String::from(if n.is_peer { "node, compared with its peers" } else { "node, not compared" }),
        picks: Selection { node: Some(n.name.clone()), ..Selection::default() },
        at: None,
    });
    let named = |j: &&Job| [&j.name, &j.user].into_iter().flatten().any(|name| has(name)) || has(&j.id.to_string());
    findings.add(trace.jobs.iter().filter(named), |j| job(trace, j));
    // To write out a million ids takes a while: only for what can be a part of one.
    let may_be_id = text.contains('_') && text.bytes().any(|b| b.is_ascii_digit());
    let attempts = trace
        .tasks
        .iter()
        .filter(|t| t.error.as_ref().is_some_and(|error| has(error)) || may_be_id && has(&t.id.to_string()));
    findings.add(attempts, |t| attempt(trace, t));
}

fn job(trace: &Trace, j: &Job) -> Found {
    let mut says: Vec<String> = j.name.iter().map(|name| format!("“{name}”")).collect();
    says.extend(j.user.iter().map(|user| format!("of {user}")));
    says.push(j.status.name().to_owned());
    says.extend(times(trace, j.start.or(j.submit), j.finish));
    says.push(format!("{} attempts", grouped(trace.tasks_of(j.id).len() as u64)));
    Found {
        name: j.id.to_string(),
        says: says.join(", "),
        picks: Selection { job: Some(j.id), ..Selection::default() },
        at: None,
    }
}

fn attempt(trace: &Trace, t: &TaskAttempt) -> Found {
    let mut says: Vec<String> = t.node.map(|node| format!("on {}", trace.node_name(node))).into_iter().collect();
    says.extend(times(trace, t.start, t.finish));
    says.extend(t.outcome.map(|outcome| outcome.name().to_owned()));
    says.extend(t.error.as_ref().map(|error| error.to_string()));
    Found {
        name: t.id.to_string(),
        says: says.join(", "),
        picks: Selection { job: Some(t.id.job), attempt: Some(t.id), ..Selection::default() },
        at: Some(LineRef::of(trace, t.place)),
    }
}

fn transfer(trace: &Trace, s: &State, block: BlockId) -> Found {
    let mut says = vec![s.kind.name().to_owned()];
    says.extend(s.node.map(|node| format!("on {}", trace.node_name(node))));
    let peer = s.peer.and_then(|peer| trace.peers.get(peer as usize));
    says.extend(peer.map(|peer| format!("with {peer}")));
    says.extend(times(trace, s.start, Some(s.end)));
    says.extend(s.bytes.map(|n| bytes(n as f64)));
    Found {
        name: block.to_string(),
        says: says.join(", "),
        picks: Selection {
            node: s.node.map(|node| trace.node_name(node).to_owned()),
            job: s.job,
            attempt: s.attempt,
            ..Selection::default()
        },
        at: Some(LineRef::of(trace, s.place)),
    }
}

/// `2026-11-21 02:20:21 to 02:20:44 UTC (23 s)`, or what of it is known.
fn times(trace: &Trace, start: Option<Timestamp>, end: Option<Timestamp>) -> Option<String> {
    let said = |t: Timestamp| date_and_clock(t.millis(), trace.zone());
    match (start, end) {
        (Some(start), Some(end)) => Some(format!(
            "{} ({})",
            from_to(start.millis(), end.millis(), trace.zone()),
            of_millis(end.millis_since(start) as f64)
        )),
        (Some(start), None) => Some(format!("from {} on", said(start))),
        (None, Some(end)) => Some(format!("until {}", said(end))),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_told_is_counted_without_being_made() {
        let mut made = 0;
        let mut findings = Findings::default();
        findings.add(0..1_000, |_| {
            made += 1;
            Found::default()
        });
        assert_eq!((findings.rows.len(), findings.more, made), (TOLD, 1_000 - TOLD, TOLD));
        findings.add(0..3, |_| Found::default());
        assert_eq!((findings.rows.len(), findings.more), (TOLD + 3, 1_000 - TOLD), "of each kind");
    }
}
