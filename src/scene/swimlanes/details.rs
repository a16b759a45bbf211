//! What is known of the chosen attempt, below the swimlanes: its times, its bytes, the line
//! of the log that tells of it.

use super::{state_of, times};
use crate::base::quantity::bytes;
use crate::diagnosis::mochi::{JobFlow, Joined};
use crate::model::{TaskAttempt, Trace};
use crate::scene::axis::beside;
use crate::scene::{Look, Role, Scene};

/// Height of a line.
const LINE_CSS_PX: f32 = 17.0;

/// Adds what is known of the attempt that is chosen.
pub(super) fn add(scene: &mut Scene, trace: &Trace, look: &Look) {
    let chosen = look.selection.attempt.and_then(|id| {
        let at = trace.tasks.binary_search_by_key(&id, |t| t.id).ok()?;
        Some((at, trace.tasks.get(at)?))
    });
    let Some((at, task)) = chosen else { return };
    let lines = lines(trace, at, task);
    let mut y = scene.size.1 + LINE_CSS_PX - 8.0;
    for (i, line) in lines.iter().enumerate() {
        let role = if i == 0 { Role::Ink } else { Role::Faint };
        y = scene.paragraph((4.0, y), (look.width_css_px - 8.0, LINE_CSS_PX), line, role);
    }
    scene.size.1 = y - LINE_CSS_PX + 12.0;
}

fn lines(trace: &Trace, at: usize, task: &TaskAttempt) -> Vec<String> {
    let node = task.node.map_or("an unknown node", |n| trace.node_name(n));
    let mut lines = vec![format!("{} on {node}", task.id)];
    if let Some(state) = state_of(trace, task) {
        // The same as the interval says that was chosen: logs and history differ by up to a second.
        let mut times = times(&state, trace.zone());
        let begin = state.start.unwrap_or(state.end);
        let phases = [("copied", task.shuffle_end), ("sorted", task.sort_end)];
        for (name, end) in phases.iter().filter_map(|(name, end)| Some((name, (*end)?))) {
            times.push_str(&format!(", {name} at {}", beside(end.millis(), begin.millis())));
        }
        lines.push(times);
    }
    let flow = JobFlow::of(trace, task.id.job);
    let sum = |x: &[Joined], of: fn(&Joined) -> Option<usize>| JobFlow::bytes(x.iter().filter(|t| of(t) == Some(at)));
    let logged = [
        ("read", sum(&flow.reads, |t| t.task)),
        ("sent to Reduces", sum(&flow.fetches, |t| t.task)),
        ("fetched", sum(&flow.fetches, |t| t.reduce)),
        ("written", sum(&flow.writes, |t| t.task)),
    ];
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
    lines.push(format!("{}, line {}", trace.path(task.place.file), task.place.line));
    lines
}
