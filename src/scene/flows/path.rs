//! One path through a job's data flow (JCDF, Fig. 1 of Mochi): data items and stages from top
//! to bottom, edges with their volumes and durations.
//!
//! ```text
//! ┌ block blk_1 on h102 ┐
//!   │ read: 4.2 MB in 0.4 s, h102 → h101
//! ┌ Map m3 on h101 ┐  9.1 s
//!   │ shuffle: 0.5 MB, 31.0 s until all was copied
//! ┌ Reduce r2 on h105 ┐ …
//! ```

use super::{LINE_CSS_PX, job_name};
use crate::base::Arrange;
use crate::base::quantity::{bytes, grouped, of_millis};
use crate::base::text::and_more;
use crate::diagnosis::mochi::critical::{Leg, legs};
use crate::diagnosis::mochi::paths::Path;
use crate::diagnosis::mochi::study::JobStudy;
use crate::diagnosis::mochi::{JobFlow, Joined, in_one_clock};
use crate::model::{TaskAttempt, TaskType, Trace};
use crate::report::LineRef;
use crate::scene::axis::{from_to, tenth, wrapped};
use crate::scene::{Anchor, Hit, Look, Mark, Role, Scene, Selection, Table};

/// Heights of a box and of an edge that have one line of words.
const BOX_CSS_PX: f32 = 30.0;
const EDGE_CSS_PX: f32 = 26.0;
/// Blocks named and transfers drawn one by one.
const BLOCKS_SHOWN: usize = 3;

/// A path's Map, and its Reduce, if there is one: indices into [`Trace::tasks`].
type Ends = (usize, Option<usize>);

/// One step of the path.
enum Part {
    /// A data item, or a stage of its kind, and what is chosen with it.
    Vertex { name: String, says: Vec<String>, picks: Option<Selection>, leg: Option<Leg> },
    /// What flows on.
    Edge(String),
    /// A transfer; not all are drawn, and the table has all.
    Transfer { text: String, is_drawn: bool },
    /// Those not drawn, together: for the figure.
    More(String),
}

pub(super) fn title(job: &str) -> String {
    format!("One path through {job}")
}

pub(super) fn lay_out(trace: &Trace, shown: &JobStudy, look: &Look) -> Scene {
    let mut scene = Scene {
        title: title(&job_name(trace, shown.flow.job)),
        how_to_read: "From the block that is read to the blocks that are written: boxes are data and stages, lines between \
                      them carry volumes and durations. Shown is the path of the attempt that is chosen, else the critical \
                      one; of a Map, to the Reduce that ended last; of a Reduce, from the Map that it fetched last."
            .to_owned(),
        size: (look.width_css_px, 40.0),
        ..Scene::default()
    };
    let Some((map, reduce)) = chosen(trace, shown, look) else {
        scene.text((0.0, 16.0), "No Map of this job is known to have ended well.", Anchor::Start, Role::Faint);
        return scene;
    };
    let parts = parts(trace, shown, map, reduce);
    let mut y = 4.0;
    let wide = (look.width_css_px - 8.0).min(520.0);
    for part in &parts {
        match part {
            Part::Vertex { name, says, picks, leg } => {
                let lines = wrapped(name, wide - 20.0);
                let high = BOX_CSS_PX + LINE_CSS_PX * lines.len().saturating_sub(1) as f32;
                let (at, size) = ((4.0, tenth(y)), (tenth(wide), high));
                scene.push(Mark::Frame { at, size, width_css_px: 1.0, role: Role::Faint });
                if let Some(leg) = leg {
                    scene.push(Mark::Rect { at, size: (8.0, high), role: super::hue(*leg) });
                }
                for (i, line) in (0..).zip(lines) {
                    let middle = y + BOX_CSS_PX / 2.0 + LINE_CSS_PX * i as f32;
                    scene.text((18.0, tenth(middle)), line, Anchor::Start, Role::Ink);
                }
                let told: Vec<String> = std::iter::once(name.clone()).chain(says.iter().cloned()).collect();
                scene.hits.push(Hit { at, size, says: told, picks: picks.clone().map(Box::new), ..Hit::default() });
                y += high;
            }
            Part::Transfer { is_drawn: false, .. } => {}
            Part::Edge(text) | Part::Transfer { text, .. } | Part::More(text) => {
                let room = (look.width_css_px - 38.0, LINE_CSS_PX);
                let below = scene.paragraph((34.0, y + EDGE_CSS_PX / 2.0), room, text, Role::Faint);
                let end = below - LINE_CSS_PX + EDGE_CSS_PX / 2.0;
                scene.line((24.0, tenth(y)), (24.0, tenth(end)), Role::Faint);
                y = end;
            }
        }
    }
    scene.size.1 = y + 6.0;
    let rows = parts.iter().filter_map(|part| match part {
        Part::Vertex { name, says, .. } => Some(vec![name.clone(), says.join("; ")]),
        Part::Edge(text) | Part::Transfer { text, .. } => Some(vec![String::from("→"), text.clone()]),
        Part::More(_) => None,
    });
    scene.table = Table { headers: ["step", "flow"].map(str::to_owned).to_vec(), rows: rows.collect() };
    scene
}

/// The Map and the Reduce whose path is shown.
fn chosen(trace: &Trace, shown: &JobStudy, look: &Look) -> Option<Ends> {
    let attempt = look.selection.attempt.filter(|a| a.job == shown.flow.job);
    let at = attempt.and_then(|id| trace.tasks.binary_search_by_key(&id, |t| t.id).ok());
    at.map_or_else(|| critical(shown), |at| followed(trace, shown, at))
}

fn critical(shown: &JobStudy) -> Option<Ends> {
    shown.critical.as_ref().map(|c| (c.map, c.reduce))
}

/// The path that is shown of an attempt.
fn followed(trace: &Trace, shown: &JobStudy, at: usize) -> Option<Ends> {
    let critical = critical(shown);
    match trace.tasks.get(at)?.task_type {
        TaskType::Map => Some((at, critical.and_then(|(_, reduce)| reduce))),
        TaskType::Reduce => {
            let own = shown.flow.fetches.iter().filter(|f| f.reduce == Some(at) && f.task.is_some());
            let last = own.max_by_key(|f| (f.end, f.task)).and_then(|f| f.task);
            Some((last.or(critical.map(|(map, _)| map))?, Some(at)))
        }
        _ => critical,
    }
}

/// What is chosen to follow a path: its Map, or its Reduce where only of that one this very path is shown.
pub(super) fn follows(trace: &Trace, shown: &JobStudy, path: &Path) -> Option<Selection> {
    let is_shown_of = |at: usize| followed(trace, shown, at) == Some((path.map, path.reduce));
    let reduce = path.reduce.filter(|reduce| !is_shown_of(path.map) && is_shown_of(*reduce));
    let id = trace.tasks.get(reduce.unwrap_or(path.map))?.id;
    Some(Selection { job: Some(id.job), attempt: Some(id), ..Selection::default() })
}

fn parts(trace: &Trace, shown: &JobStudy, map: usize, reduce: Option<usize>) -> Vec<Part> {
    let flow = &shown.flow;
    let node = |n: Option<crate::base::NodeId>| n.map_or("an unknown node", |n| trace.node_name(n)).to_owned();
    let (Some(m), r) = (trace.tasks.get(map), reduce.and_then(|r| trace.tasks.get(r))) else { return Vec::new() };
    let mut parts = Vec::new();
    let reads = longest_first(flow.reads.iter().filter(|f| f.task == Some(map)));
    if reads.is_empty() {
        let counted = m.counters.hdfs_read.get().and_then(|n| u64::try_from(n).ok()).filter(|n| *n > 0);
        parts.extend(counted.map(|n| Part::Edge(format!("read: {} by the Map's own count", bytes(n as f64)))));
    }
    parts.extend(blocks(&reads, &node, "on", |f| f.src));
    transfers(&mut parts, &reads, |read| edge("read", read, &node));
    let legs = legs(flow, (map, m), reduce.zip(r));
    let took = |leg: Leg| legs.iter().find(|(l, _)| *l == leg).map_or(0, |(_, i)| i.millis()) as f64;
    let whole = m.finish.zip(m.start).map_or(0.0, |(f, s)| f.millis_since(s) as f64);
    parts.push(stage(trace, m, format!("Map {} on {}: {}", m.id.task, node(m.node), of_millis(whole)), Leg::Map));
    if let (Some(r), Some(at)) = (r, reduce) {
        let sent = JobFlow::bytes(flow.fetches.iter().filter(|f| f.task == Some(map)));
        let counts = if flow.fetches.is_empty() { Counts::of(trace, flow, m, r) } else { Counts::default() };
        let fetches = longest_first(flow.fetches.iter().filter(|f| f.task == Some(map) && f.reduce == Some(at)));
        if sent > 0 {
            parts.push(data(format!("map output, {} in all", bytes(sent as f64))));
        }
        parts.extend(counts.sent.map(|sent| data(format!("map output, {} by the Map's own count", bytes(sent)))));
        let (waits, copies) = (took(Leg::Wait), of_millis(took(Leg::Shuffle)));
        if waits > 0.0 {
            parts.push(Part::Edge(format!("wait: {} from the Map's end until the Reduce began", of_millis(waits))));
        }
        transfers(&mut parts, &fetches, |fetch| {
            let output = in_one_clock(trace, m, m.finish);
            let waited = fetch.start.zip(output).map_or(0.0, |(s, f)| s.millis_since(f).max(0) as f64);
            let waited = if waited > 0.0 { format!(", after waiting {}", of_millis(waited)) } else { String::new() };
            format!("{}{waited}", edge("shuffle", fetch, &node))
        });
        parts.extend(counts.fetched.map(|(share, all)| {
            let (share, all) = (bytes(share), bytes(all));
            Part::Edge(format!("shuffle: {share}, an even share of the {all} that the Reduce counted"))
        }));
        let since = if waits > 0.0 { "then on" } else { "the Map's end" };
        parts.push(Part::Edge(format!("shuffle: {copies} from {since} until all was copied")));
        let name = format!(
            "Reduce {} on {}: sorted in {}, reduced in {}",
            r.id.task,
            node(r.node),
            of_millis(took(Leg::Sort)),
            of_millis(took(Leg::Reduce) + took(Leg::Write))
        );
        parts.push(stage(trace, r, name, Leg::Reduce));
    }
    let writer = reduce.unwrap_or(map);
    let writes = longest_first(flow.writes.iter().filter(|f| f.task == Some(writer)));
    transfers(&mut parts, &writes, |write| edge("write", write, &node));
    parts.extend(blocks(&writes, &node, "first on", |f| f.dest));
    if writes.is_empty() {
        let counted =
            trace.tasks.get(writer).and_then(|t| t.counters.hdfs_written.get()).and_then(|n| u64::try_from(n).ok());
        let counted = counted.filter(|n| *n > 0);
        parts.extend(counted.map(|n| Part::Edge(format!("write: {} by its own count", bytes(n as f64)))));
    }
    parts
}

/// What Map and Reduce counted themselves, where no fetch is logged.
#[derive(Default)]
struct Counts {
    /// Bytes of the map's output.
    sent: Option<f64>,
    /// What the Reduce fetched from each Map, if it is as much from each, and from all.
    fetched: Option<(f64, f64)>,
}

impl Counts {
    fn of(trace: &Trace, flow: &JobFlow, m: &TaskAttempt, r: &TaskAttempt) -> Self {
        let some = |count: Option<i64>| count.filter(|n| *n > 0).map(|n| n as f64);
        let maps = flow.done(trace, TaskType::Map).count().max(1) as f64;
        Self {
            sent: some(m.counters.map_output.get()),
            fetched: some(r.counters.fetched()).map(|all| (all / maps, all)),
        }
    }
}

/// Time that a transfer is known to have taken.
fn millis(f: &Joined) -> i64 {
    f.start.map_or(0, |start| f.end.millis_since(start))
}

/// Transfers in their own order; the longest first where not all are drawn.
fn longest_first<'a>(transfers: impl Iterator<Item = &'a Joined>) -> Vec<&'a Joined> {
    let mut transfers: Vec<&Joined> = transfers.collect();
    if transfers.len() > BLOCKS_SHOWN {
        transfers.arrange(|a, b| millis(b).cmp(&millis(a)));
    }
    transfers
}

/// The edges of these transfers, and what those that are not drawn come to.
fn transfers(parts: &mut Vec<Part>, all: &[&Joined], edge: impl Fn(&Joined) -> String) {
    parts.extend(all.iter().enumerate().map(|(i, f)| {
        let block = f.block.filter(|_| all.len() > 1).map_or_else(String::new, |block| format!(", {block}"));
        Part::Transfer { text: format!("{}{block}", edge(f)), is_drawn: i < BLOCKS_SHOWN }
    }));
    let rest = all.get(BLOCKS_SHOWN..).unwrap_or_default();
    if let Some(longest) = rest.first() {
        let total = rest.iter().map(|f| f.bytes as f64).sum();
        let (count, longest) = (grouped(rest.len() as u64), of_millis(millis(longest) as f64));
        parts.push(Part::More(format!("{count} more: {} in all, each in {longest} or less", bytes(total))));
    }
}

fn data(name: String) -> Part {
    Part::Vertex { name, says: Vec::new(), picks: None, leg: None }
}

fn stage(trace: &Trace, t: &TaskAttempt, name: String, leg: Leg) -> Part {
    let mut says = vec![t.id.to_string()];
    if let (Some(start), Some(finish)) = (t.start, t.finish) {
        says.push(from_to(start.millis(), finish.millis(), trace.zone()));
    }
    says.push(LineRef::of(trace, t.place).in_words());
    let picks = Selection { job: Some(t.id.job), attempt: Some(t.id), ..Selection::default() };
    Part::Vertex { name, says, picks: Some(picks), leg: Some(leg) }
}

fn edge(what: &str, f: &Joined, node: &impl Fn(Option<crate::base::NodeId>) -> String) -> String {
    let took = f.start.map_or(String::new(), |start| match f.end.millis_since(start) {
        // Logs know no shorter time.
        0 => String::from(" in less than 1 ms"),
        ms => format!(" in {}", of_millis(ms as f64)),
    });
    format!("{what}: {}{took}, {} → {} (by {})", bytes(f.bytes as f64), node(f.src), node(f.dest), f.rule.name())
}

fn blocks(
    transfers: &[&Joined],
    node: &impl Fn(Option<crate::base::NodeId>) -> String,
    on: &str,
    end: fn(&Joined) -> Option<crate::base::NodeId>,
) -> Option<Part> {
    let names: Vec<String> = transfers
        .iter()
        .take(BLOCKS_SHOWN)
        .map(|f| format!("{} {on} {}", f.block.map_or("a block".to_owned(), |b| b.to_string()), node(end(f))))
        .collect();
    let more = and_more(transfers.len().saturating_sub(names.len()));
    (!names.is_empty()).then(|| data(format!("{}{more}", names.join(", "))))
}
