//! Nodes on which attempts stand still, as a witness: each outlasts every success elsewhere by far, and however many
//! attempts did well, they say nothing of these.

use super::super::cause::{Causes, STANDING};
use super::super::{EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Strength, Witness};
use crate::base::quantity::of_millis;
use crate::base::{Arrange, NodeId};
use crate::model::{Outcome, State, Trace};

/// The signal of nodes on which attempts stand still.
pub const STUCK: &str = "stuck";

/// The witness; `None` unless one node has such attempts: what several have is the job's.
pub(super) fn witness(trace: &Trace, peers: &[NodeId]) -> Option<Witness> {
    if peers.len() < MIN_PEERS {
        return None;
    }
    let causes = Causes::new(trace);
    let mut found = peers.iter().filter_map(|node| Some((*node, causes.standing_on(*node)?)));
    let (Some((node, standing)), None) = (found.next(), found.next()) else { return None };
    // Those that are open where the logs end may have ended well: the logs may be cut.
    let is_stuck = |s: &State| {
        let outlasts = s.millis().is_some_and(|ms| ms > standing.beyond_ms);
        s.node == Some(node) && !s.open && s.outcome != Some(Outcome::Success) && outlasts
    };
    let mut stuck: Vec<State> = trace.states.of_kind(standing.kind).filter(is_stuck).collect();
    if stuck.len() < STANDING {
        return None;
    }
    stuck.arrange_by(|s| (s.start, s.place));
    let text = format!(
        "{} {} attempts on {} do not come to an end: each lasts longer than {}; the longest that succeeds elsewhere takes {}",
        stuck.len(),
        standing.kind.name(),
        trace.node_name(node),
        of_millis(standing.beyond_ms as f64),
        of_millis(standing.longest_ms as f64),
    );
    let mut witness = Witness::new(Method::SlowWarnings, STUCK);
    witness.scores = peers.iter().map(|peer| (*peer, if *peer == node { stuck.len() as f64 } else { 0.0 })).collect();
    witness.indicted.push(Indictment {
        node,
        strength: Strength::Strong,
        score: stuck.len() as f64,
        ratio: stuck.len() as f64,
        p: None,
        text,
        lines: stuck.iter().take(EVIDENCE_LINES).map(|s| s.place).collect(),
        since: stuck.first().and_then(|s| s.start),
    });
    Some(witness)
}
