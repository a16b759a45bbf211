//! Theia: jobs across nodes. Finds the node on which job after job goes wrong.
//!
//! # Finds
//! Disks, controllers and network cards that fail slowly: each job looks mild, and one node
//! is the same in all of them (Table 1: many jobs and users over time, one node in space).
//!
//! # Paper
//! Garduno, Kavulya, Tan, Gandhi, Narasimhan: "Theia: Visual Signatures for Problem Diagnosis
//! in Large Hadoop Clusters" (;login: 2013), "Detecting Anomalous Nodes" and Table 1. The
//! scores are the paper's ([`score`]); where it leaves the decision to the eye, the rules
//! are ours ([`incident`], [`super::job_class`]).
//!
//! # Needs
//! Job histories (or logs of attempts) of several jobs.
//!
//! # Parameters
//! `theia_literal`: the anomaly score to the letter of the paper ([`Reading::Literal`](super::Reading)). It
//! colours the figures; incidents do not depend on it, since a score is relative within its
//! job and reaches nearly 1 on healthy nodes too. [`Number::TheiaAlpha`] bounds the chance of an incident.
//!
//! # Abstains when
//! Fewer than three nodes; fewer than two jobs that compare nodes.
//!
//! # Known misses
//! Faults of a time in which no job ran (T24), unless a daemon's log has a word for them
//! ([`words`]). Faults of half of the nodes; a fault that only one job met. A node that was given
//! nothing while others were is an incident ([`absence`]) and no accusation.
//!
//! A second witness hears of attempts that another of their task outran by far ([`outrun`]); of one job, too.
//!
//! # Cost
//! O(attempts log attempts of a job) time; 72 bytes for each node that worked for a job.

pub mod absence;
pub mod blacklist;
pub mod incident;
pub mod outrun;
pub mod score;
pub mod survey;
pub mod words;

pub use blacklist::Blacklist;
pub use incident::{Incident, IncidentKind};
pub use survey::{Side, Survey, Work};

use super::{
    Abstention, Comparison, Diagnosis, DiagnosisAbout, EVIDENCE_LINES, Indictment, MIN_PEERS, Method, Number, Params,
    Signal, Strength, Witness,
};
use crate::base::{Arrange, Gathered, NodeId, Place};
use crate::model::Trace;
use std::collections::BTreeMap;

/// Jobs in which a node must stand out to be accused by this alone: two may share a cause
/// of their own (the same program, the same input).
const STRONG_JOBS: usize = 3;

/// The method.
pub struct Theia;

static ABOUT: DiagnosisAbout = DiagnosisAbout {
    method: Method::Theia,
    paper: "Theia, Detecting Anomalous Nodes and Table 1",
    needs: "histories of two jobs at least",
    abstains: "fewer than three nodes, or fewer than two jobs that compare nodes",
};

impl Diagnosis for Theia {
    fn about(&self) -> &'static DiagnosisAbout {
        &ABOUT
    }

    fn run(&self, trace: &Trace, params: &Params) -> Vec<Witness> {
        if trace.tasks.is_empty() {
            return Vec::new();
        }
        let peers: Vec<NodeId> = trace.peer_nodes().collect();
        let enough = peers.len() >= MIN_PEERS;
        [jobs(trace, &peers, params)].into_iter().chain(outrun::witness(trace, &peers).filter(|_| enough)).collect()
    }
}

/// The witness over all jobs.
fn jobs(trace: &Trace, peers: &[NodeId], params: &Params) -> Witness {
    let mut witness = Witness::new(Method::Theia, Signal::Jobs);
    if peers.len() < MIN_PEERS {
        witness.abstained = Some(Abstention::NoPeers);
        return witness;
    }
    let survey = Survey::of(trace, peers, params.theia);
    let threshold = incident::threshold(peers.len(), survey.jobs().len(), params.numbers.get(Number::TheiaAlpha));
    let rows = incident::rows(&survey);
    let compared = incident::compared(&survey, &rows);
    if compared.len() < 2 {
        witness.abstained = Some(Abstention::TooFewData);
        return witness;
    }
    // What says nothing of a node has compared it still.
    let mut scores: BTreeMap<NodeId, f64> = compared.into_iter().flatten().map(|node| (node, 0.0)).gathered();
    let mut incidents: Vec<Incident> = Vec::new();
    for (node, row) in &rows {
        let (best, found) = incident::scan(*node, row, threshold);
        scores.insert(*node, best);
        incidents.extend(found);
    }
    witness.scores = scores.into_iter().collect();
    witness.threshold = Some(threshold);
    for node in peers {
        let own: Vec<&Incident> = incidents.iter().filter(|i| i.node == *node).collect();
        if let Some(worst) = own.iter().max_by(|a, b| a.score.total_cmp(&b.score)) {
            let until = own.last().filter(|last| last.passed).map(|last| last.span.1);
            witness.indicted.push(Indictment { until, ..indict(trace, worst, own.len()) });
        }
    }
    incidents.extend(absence::find(trace, peers, threshold));
    incidents.extend(words::find(trace, peers, &incidents));
    incidents.arrange_by(|i| (i.span, i.node));
    witness.comparison = Some(Comparison::Jobs(incidents));
    witness
}

fn indict(trace: &Trace, worst: &Incident, incidents: usize) -> Indictment {
    let more = match incidents - 1 {
        0 => String::new(),
        1 => "; one more such time".to_owned(),
        n => format!("; {n} more such times"),
    };
    let bad = worst.jobs.iter().flat_map(|job| survey::bad_attempts(trace, *job, worst.node));
    let since = bad.filter_map(|t| t.start).min();
    Indictment {
        node: worst.node,
        strength: if worst.jobs.len() >= STRONG_JOBS { Strength::Strong } else { Strength::Moderate },
        score: worst.score,
        ratio: worst.ratio(),
        p: None,
        text: format!("{}{more}", worst.in_words(trace)),
        lines: lines_of(trace, worst),
        since: since.or(Some(worst.span.0)),
        until: None,
    }
}

/// Records of the bad attempts of an incident, one a job first.
fn lines_of(trace: &Trace, incident: &Incident) -> Vec<Place> {
    let of_job = |job| {
        let mut bad = survey::bad_attempts(trace, job, incident.node);
        bad.arrange_by(|t| (t.start, t.id));
        bad.into_iter().map(|t| t.place).collect::<Vec<Place>>()
    };
    let by_job: Vec<Vec<Place>> = incident.jobs.iter().take(EVIDENCE_LINES).map(|job| of_job(*job)).collect();
    let first = by_job.iter().filter_map(|places| places.first());
    let rest = by_job.iter().flat_map(|places| places.iter().skip(1));
    first.chain(rest).take(EVIDENCE_LINES).copied().collect()
}
