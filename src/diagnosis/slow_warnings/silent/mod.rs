//! Nodes whose logs end while those of all others go on, as a witness.

use super::super::daemons::SLAVES;
use super::super::silence::{Gone, SILENCE_MS, daemons_gone, silent_since, unfinished};
use super::super::{EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Numbers, Signal, Strength, Witness};
use crate::base::{FileId, NodeId, Place, Timestamp};
use crate::model::{FileInfo, Trace};
use std::collections::BTreeSet;

/// The witness of a node that falls silent, or of daemons that do; `None` where all go on to the end.
pub(super) fn witness(
    trace: &Trace,
    peers: &[NodeId],
    elsewhere: &BTreeSet<NodeId>,
    numbers: &Numbers,
) -> Option<Witness> {
    if peers.len() < MIN_PEERS {
        return None;
    }
    let whole: Vec<Indictment> =
        silent_node(trace, elsewhere).filter(|word| peers.contains(&word.node)).into_iter().collect();
    let words = if whole.is_empty() {
        let times = numbers.get(Number::WarningsTimes);
        daemons_gone(trace, peers, times).into_iter().map(|gone| silent_daemon(trace, gone)).collect()
    } else {
        whole
    };
    if words.is_empty() {
        return None;
    }
    let mut witness = Witness::new(Method::SlowWarnings, Signal::Silence);
    let score = |peer: NodeId| words.iter().find(|word| word.node == peer).map_or(0.0, |word| word.score);
    witness.scores = peers.iter().map(|peer| (*peer, score(*peer))).collect();
    witness.threshold = Some(SILENCE_MS as f64 / 1000.0);
    witness.indicted = words;
    Some(witness)
}

fn silent_node(trace: &Trace, elsewhere: &BTreeSet<NodeId>) -> Option<Indictment> {
    let (node, last, silent_ms) = silent_since(trace, elsewhere)?;
    let seconds = silent_ms as f64 / 1000.0;
    let name = trace.node_name(node);
    // What a container logs is no daemon's word.
    let files = trace.files.iter().zip(&trace.readings);
    let contained = files.filter(|(file, _)| file.node == Some(node) && file.coverage.is_of_container());
    let until = contained.filter_map(|(_, reading)| reading.span).map(|(_, at)| at).max();
    let after = until.map_or(0, |at| at.plus_millis(-trace.clocks.ahead_ms(node)).millis_since(last) / 1000);
    let up = if after > 0 {
        format!("; a container on it logs for {after} s more, so the machine was up then")
    } else {
        String::new()
    };
    let text =
        format!("all daemons of {name} fall silent {seconds:.0} s before the others end; no other node does{up}");
    let strength = if unfinished(trace, node, last) { Strength::Strong } else { Strength::Moderate };
    let lines = last_line(trace, node, |_| true).into_iter().collect();
    Some(Indictment { lines, ..silent(node, strength, seconds, text, last) })
}

fn silent_daemon(trace: &Trace, gone: Gone) -> Indictment {
    let Gone { node, daemon, last, silent_ms, missed } = gone;
    let seconds = silent_ms as f64 / 1000.0;
    let name = trace.node_name(node);
    let text = format!(
        "the {daemon} of {name} falls silent {seconds:.0} s before those of most other nodes, and {} of others complain of {name} from then on",
        if missed.len() == 1 { String::from("one line") } else { format!("{} lines", missed.len()) }
    );
    let own = last_line(trace, node, |format| SLAVES.contains(&(format, daemon)));
    let lines = own.into_iter().chain(missed).take(EVIDENCE_LINES).collect();
    Indictment { lines, ..silent(node, Strength::Strong, seconds, text, last) }
}

/// The line with which the logs of a node's daemons of these formats end.
fn last_line(trace: &Trace, node: NodeId, is_meant: impl Fn(&str) -> bool) -> Option<Place> {
    let meant = |file: &FileInfo| {
        file.node == Some(node) && file.last_line > 0 && file.coverage.format.as_deref().is_some_and(&is_meant)
    };
    let files = (0..).zip(&trace.files).filter(|(_, file)| meant(file) && file.daemon_last.is_some());
    let (id, file) = files.max_by_key(|(_, file)| file.daemon_last)?;
    Some(Place { file: FileId(id), line: file.last_line })
}

fn silent(node: NodeId, strength: Strength, seconds: f64, text: String, last: Timestamp) -> Indictment {
    Indictment {
        node,
        strength,
        score: seconds,
        ratio: seconds,
        p: None,
        text,
        lines: Vec::new(),
        since: Some(last),
        until: None,
    }
}

#[cfg(test)]
mod tests;
