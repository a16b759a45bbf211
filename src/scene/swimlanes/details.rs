//! What is known of the chosen attempt, below the swimlanes: its times, its bytes, the line
//! of the log that tells of it.
//!
//! Cost once a choice: a pass over the states of its node, and one over the transfers of its job, which are joined first
//! where they are not at hand.

use super::{Run, times};
use crate::base::JobId;
use crate::base::quantity::bytes;
use crate::diagnosis::mochi::{JobFlow, Joined};
use crate::model::{State, TaskAttempt, Trace};
use crate::report::LineRef;
use crate::scene::axis::beside;
use crate::scene::{Look, Role, Scene};

/// Height of a line.
const LINE_CSS_PX: f32 = 17.0;

/// What it takes a pass over the trace to know of an attempt that is chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Index into [`Trace::tasks`].
    pub(super) at: usize,
    /// The state in which a figure shows it as a whole.
    pub(super) state: Option<State>,
    moved: Moved,
}

/// Bytes that an attempt moved, by the logs' transfers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moved {
    read: u64,
    sent: u64,
    fetched: u64,
    written: u64,
}

impl Chosen {
    /// Makes `kept` anew where another attempt of the trace is chosen; `moved` is asked for the bytes of the one at an
    /// index.
    pub fn renew(kept: &mut Option<Self>, trace: &Trace, look: &Look, moved: impl FnOnce(usize, JobId) -> Moved) {
        let wanted = look.selection.attempt.and_then(|id| trace.tasks.binary_search_by_key(&id, |t| t.id).ok());
        if kept.as_ref().map(|kept| kept.at) != wanted {
            let of = |at| {
                let task = trace.tasks.get(at)?;
                Some(Self { at, state: state_of(trace, task), moved: moved(at, task.id.job) })
            };
            *kept = wanted.and_then(of);
        }
    }
}

impl Moved {
    /// By the data flow of its job.
    #[must_use]
    pub fn of(flow: &JobFlow, at: usize) -> Self {
        let sum =
            |x: &[Joined], of: fn(&Joined) -> Option<usize>| JobFlow::bytes(x.iter().filter(|t| of(t) == Some(at)));
        Self {
            read: sum(&flow.reads, |t| t.task),
            sent: sum(&flow.fetches, |t| t.task),
            fetched: sum(&flow.fetches, |t| t.reduce),
            written: sum(&flow.writes, |t| t.task),
        }
    }
}

/// The state in which a figure shows an attempt as a whole.
fn state_of(trace: &Trace, task: &TaskAttempt) -> Option<State> {
    let kind = task.task_type.state_kind();
    let mut found = None;
    let mut look_on = |node| {
        trace.states.each_of_kind_on(kind, node, &mut |s| {
            if s.attempt == Some(task.id) {
                found = Some(trace.as_told(*s));
            }
        });
        found
    };
    // Where logs and history name different nodes, it is elsewhere.
    look_on(task.node).or_else(|| trace.states.nodes_with(kind).find_map(look_on))
}

/// Adds what is known of the attempt that is chosen.
pub(super) fn add(scene: &mut Scene, run: &Run<'_>, look: &Look) {
    let Some(chosen) = run.chosen else { return };
    let Some(task) = run.trace.tasks.get(chosen.at) else { return };
    let lines = lines(run.trace, chosen, task);
    let mut y = scene.size.1 + LINE_CSS_PX - 8.0;
    for (i, line) in lines.iter().enumerate() {
        let role = if i == 0 { Role::Ink } else { Role::Faint };
        y = scene.paragraph((4.0, y), (look.width_css_px - 8.0, LINE_CSS_PX), line, role);
    }
    scene.size.1 = y - LINE_CSS_PX + 12.0;
}

fn lines(trace: &Trace, chosen: &Chosen, task: &TaskAttempt) -> Vec<String> {
    let node = task.node.map_or("an unknown node", |n| trace.node_name(n));
    let mut lines = vec![format!("{} on {node}", task.id)];
    if let Some(state) = chosen.state {
        // The same as the interval says that was chosen: logs and history differ by up to a second.
        let mut times = times(&state, trace.zone());
        let begin = state.start.unwrap_or(state.end);
        let phases = [("copied", task.shuffle_end), ("sorted", task.sort_end)];
        for (name, end) in phases.iter().filter_map(|(name, end)| Some((name, (*end)?))) {
            times.push_str(&format!(", {name} at {}", beside(end.millis(), begin.millis())));
        }
        lines.push(times);
    }
    let Moved { read, sent, fetched, written } = chosen.moved;
    let logged = [("read", read), ("sent to Reduces", sent), ("fetched", fetched), ("written", written)];
    let c = &task.counters;
    let counted =
        [("read", c.hdfs_read), ("map output", c.map_output), ("fetched", c.shuffle), ("written", c.hdfs_written)];
    let say = |name: &str, n: u64| format!("{name} {}", bytes(n as f64));
    let told: Vec<String> = logged.iter().filter(|(_, n)| *n > 0).map(|(name, n)| say(name, *n)).collect();
    if !told.is_empty() {
        lines.push(format!("by the logs' transfers: {}", told.join(", ")));
    }
    let told = counted.iter().filter_map(|(name, n)| Some(say(name, u64::try_from(n.get()?).ok().filter(|n| *n > 0)?)));
    let told: Vec<String> = told.collect();
    if !told.is_empty() {
        lines.push(format!("by its own counters: {}", told.join(", ")));
    }
    lines.extend(task.error.as_ref().map(|e| format!("error: {e}")));
    // What a report carries has no lines.
    let at = LineRef::of(trace, task.place);
    lines.extend((!at.file.is_empty()).then(|| at.in_words()));
    lines
}
