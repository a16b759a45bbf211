//! What is told of files and nodes beside states: coverage, racks, what nodes offer.

use super::copies::Part;
use super::input::{FileView, Input};
use crate::base::issue::PLACES_KEPT;
use crate::base::{Arrange, Code, Gathered, NodeId, Timestamp};
use crate::model::digest::has_bytes;
use crate::model::{Capacity, Coverage, Event, FileInfo, FileReading, Node, Topic, formats};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Formats that tell of racks.
const RACKS: [&str; 4] = [formats::JHIST, formats::JOBHISTORY_V1, formats::RUMEN_TOPOLOGY, formats::RUMEN_TRACE];

/// The rack of each node; of several the first in the order of files.
#[inline(never)]
pub(super) fn racks(input: &Input<'_>) -> BTreeMap<NodeId, Box<str>> {
    let mut racks = BTreeMap::new();
    for row in
        input.files.iter().filter(|f| RACKS.contains(&f.digest.format.as_str())).flat_map(|f| f.about(Topic::Summaries))
    {
        if let Event::Rack { host, rack } = row.event
            && let Some(node) = input.node_named(&host)
        {
            racks.entry(node).or_insert(rack);
        }
    }
    racks
}

/// What each node offers; nothing of those that offered now this and now that.
#[inline(never)]
pub(super) fn capacities(input: &Input<'_>) -> BTreeMap<NodeId, Capacity> {
    let rows = input.files_of(formats::RESOURCEMANAGER).flat_map(|f| f.about(Topic::Summaries));
    agreed(rows.filter_map(|row| match row.event {
        Event::Capacity { host, capacity } => Some((input.node_named(&host)?, capacity)),
        _ => None,
    }))
}

/// What is told of each node, if it is always the same.
pub(super) fn agreed<T: Copy + PartialEq>(told: impl Iterator<Item = (NodeId, T)>) -> BTreeMap<NodeId, T> {
    let mut known: BTreeMap<NodeId, Option<T>> = BTreeMap::new();
    for (node, word) in told {
        let before = known.entry(node).or_insert(Some(word));
        *before = before.filter(|before| *before == word);
    }
    known.into_iter().filter_map(|(node, word)| Some((node, word?))).gathered()
}

/// What pairing found odd about a file: how often, and in which lines.
pub(super) type Issues = BTreeMap<Code, (u64, Vec<u64>)>;

/// A file as reports name it.
#[inline(never)]
pub(super) fn info(f: &FileView<'_>, input: &Input<'_>, nodes: &[Node], found: Issues) -> FileInfo {
    // What is wrong with an archive lies at a byte of it, which is no line.
    let is_archive = has_bytes(&f.digest.format);
    let lines = |lines: &[u64]| if is_archive { vec![0; lines.len()] } else { lines.to_vec() };
    let mut issues: Vec<(Code, u64, Vec<u64>)> =
        f.digest.issues.iter().map(|(code, c)| (code, c.count, lines(&c.lines))).collect();
    for (code, (count, mut lines)) in found {
        lines.arrange(Ord::cmp);
        lines.truncate(PLACES_KEPT);
        issues.push((code, count, lines));
    }
    let per_node = formats::PER_NODE.contains(&f.digest.format.as_str()) || f.is_calls();
    if per_node && f.node.is_none() {
        issues.push((Code::UnknownNode, 1, vec![0]));
    }
    let original = f.copy.and_then(|copy| Some((input.files.get(copy.of)?.path, copy.part)));
    if original.is_some() {
        issues.push((Code::DuplicateFile, 1, vec![0]));
    }
    issues.arrange(Ord::cmp);
    let worst = issues.iter().max_by_key(|(code, count, _)| (code.about().severity, *count));
    let why = match original {
        Some((path, None)) => Some(format!("is there twice; counted once, as {path}")),
        Some((path, Some(Part::Beginning))) => {
            Some(format!("is the beginning of a longer copy; counted once, as {path}"))
        }
        Some((path, Some(Part::End))) => Some(format!("is the end of a longer copy; counted once, as {path}")),
        None => worst.map(|(code, ..)| {
            let byte = f.digest.issues.first_place(*code).filter(|byte| is_archive && *byte > 0);
            let place = byte.map_or_else(String::new, |byte| code.at_byte(byte));
            format!("{}{place}; {}", code.about().text, code.about().advice)
        }),
    };
    let coverage = Coverage {
        file: f.path.to_owned(),
        format: (!f.digest.format.is_empty()).then(|| f.digest.format.clone()),
        node: f.node.and_then(|n| nodes.get(n.index())).map(|n| n.name.clone()),
        lines: f.digest.lines,
        understood: f.digest.understood,
        skipped: f.digest.skipped,
        why,
        unused: f.digest.unused,
    };
    FileInfo {
        path: f.path.to_owned(),
        node: f.node,
        last_line: if is_alone(f, input) {
            f.digest.lines
        } else {
            f.rows().map(|row| row.line).max().unwrap_or_default()
        },
        daemon_last: input.span(f).filter(|_| f.is_daemon() && !coverage.is_of_container()).map(|(_, last)| last),
        coverage,
        issues,
    }
}

/// Whether no other log has its path, as one in the same file has.
fn is_alone(f: &FileView<'_>, input: &Input<'_>) -> bool {
    let beside = [f.id.index().wrapping_sub(1), f.id.index() + 1];
    beside.iter().all(|other| input.files.get(*other).is_none_or(|other| other.path != f.path))
}

/// When a file was written, and how much of it is kept.
#[inline(never)]
pub(super) fn reading(f: &FileView<'_>, span: Option<(Timestamp, Timestamp)>) -> FileReading {
    let offset_ms = match (span, f.digest.span) {
        (Some((utc, _)), Some((local, _))) => utc.millis_since(local),
        _ => 0,
    };
    FileReading {
        span,
        density: Arc::clone(&f.digest.density),
        offset_ms,
        shapes: f.digest.shapes.clone(),
        log_bytes: f.bytes,
        kept_bytes: f.digest.events.packed_bytes() as u64,
    }
}
