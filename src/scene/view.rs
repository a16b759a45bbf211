//! The figures there are, and their names.

use serde::{Deserialize, Serialize};

/// The figures there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum View {
    /// T(i) of every node, whole log.
    Peers,
    /// T(i) over time.
    PeersTime,
    /// Distance of each pair of nodes.
    PeersDistance,
    /// Durations of each node against its peers'.
    PeersDurations,
    /// Histograms of the system calls' durations.
    Syscalls,
    /// What the system calls say, step by step.
    SyscallsSteps,
    /// Where the time of the system calls goes.
    SyscallsTotals,
    /// Scores of pairs of nodes.
    SyscallsPairs,
    /// Slow system calls over time.
    SyscallsTime,
    /// Metrics of all nodes over time.
    System,
    /// Which node has which log when.
    CoverageMap,
    /// Maps running on each node over a job.
    PeersStripes,
    /// How these correlate.
    PeersCorrelation,
    /// Maps and Reduces over time, a row each.
    Swimlanes,
    /// All states over time, a row each.
    SwimlanesDetailed,
    /// Maps and Reduces over time, by node.
    SwimlanesNodes,
    /// Volumes from node to node, as a matrix.
    FlowsMatrix,
    /// The same as a diagram of bands.
    FlowsDiagram,
    /// Groups of paths.
    FlowsPaths,
    /// One path, from block to block.
    FlowsPath,
    /// Two runs compared, node by node.
    Differences,
    /// Swimlanes of two runs, one above the other.
    SwimlanesCompared,
    /// Anomaly of each node in each job.
    Cluster,
    /// Jobs as they ran.
    JobsStream,
    /// One job over time.
    JobsDetail,
    /// Labelled runs: rates by fault.
    Evaluation,
    /// Labelled runs: each one's verdict.
    EvaluationRuns,
    /// Labelled runs: rates by fault, workload and size.
    EvaluationWorkloads,
    /// Labelled runs: what the durations of states say.
    EvaluationStates,
    /// Labelled runs: how much longer their jobs took.
    EvaluationSlowdown,
    /// Labelled runs: what another threshold would have done.
    EvaluationRoc,
    /// How long each node's transfers take.
    PeersTransfers,
    /// Which witness indicts which node.
    Witnesses,
}

impl View {
    /// Figures below those of the peers, of what nodes did whatever kind of state is chosen: their transfers, and a job's
    /// Maps.
    pub const BESIDE_PEERS: [Self; 3] = [Self::PeersTransfers, Self::PeersStripes, Self::PeersCorrelation];
    /// The figures of the peers view in the order of the page.
    pub const PEERS: [Self; 4] = [Self::Peers, Self::PeersTime, Self::PeersDurations, Self::PeersDistance];
    /// The figures of the view of system calls in the order of the page.
    pub const SYSCALLS: [Self; 5] =
        [Self::SyscallsSteps, Self::Syscalls, Self::SyscallsTotals, Self::SyscallsPairs, Self::SyscallsTime];

    /// The swimlanes in the order of the page.
    pub const SWIMLANES: [Self; 3] = [Self::SwimlanesNodes, Self::Swimlanes, Self::SwimlanesDetailed];
    /// The figures of labelled runs in the order of the page.
    pub const EVALUATION: [Self; 6] = [
        Self::Evaluation,
        Self::EvaluationRuns,
        Self::EvaluationWorkloads,
        Self::EvaluationStates,
        Self::EvaluationSlowdown,
        Self::EvaluationRoc,
    ];
    /// The figures of a job's data flow in the order of the page.
    pub const FLOWS: [Self; 4] = [Self::FlowsPaths, Self::FlowsPath, Self::FlowsMatrix, Self::FlowsDiagram];

    /// The figures of jobs in the order of the page.
    pub const JOBS: [Self; 2] = [Self::JobsStream, Self::JobsDetail];
    /// Sections of the page that are called like none of their figures.
    pub const SECTIONS: [(&str, &[Self]); 3] =
        [("jobs", &Self::JOBS), ("flows", &Self::FLOWS), ("coverage", &[Self::CoverageMap])];

    /// All figures of one run.
    pub const ALL: [Self; 25] = [
        Self::Witnesses,
        Self::Peers,
        Self::PeersTime,
        Self::PeersDistance,
        Self::PeersDurations,
        Self::PeersTransfers,
        Self::PeersStripes,
        Self::PeersCorrelation,
        Self::Syscalls,
        Self::SyscallsSteps,
        Self::SyscallsTotals,
        Self::SyscallsPairs,
        Self::SyscallsTime,
        Self::SwimlanesNodes,
        Self::Swimlanes,
        Self::SwimlanesDetailed,
        Self::FlowsPaths,
        Self::FlowsPath,
        Self::FlowsMatrix,
        Self::FlowsDiagram,
        Self::System,
        Self::CoverageMap,
        Self::Cluster,
        Self::JobsStream,
        Self::JobsDetail,
    ];

    /// The figures of one run, and those of labelled runs.
    pub fn drawable() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().chain(Self::EVALUATION)
    }

    /// The one of this name among [`drawable`](Self::drawable).
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::drawable().find(|view| view.name() == name)
    }

    /// The name in links, test ids and file names.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            // The verdict's own.
            Self::Witnesses => "verdict",
            Self::Peers => "peers",
            Self::PeersTime => "peers-time",
            Self::PeersDistance => "peers-distance",
            Self::PeersDurations => "peers-durations",
            Self::Syscalls => "syscalls",
            Self::SyscallsSteps => "syscalls-steps",
            Self::SyscallsTotals => "syscalls-totals",
            Self::SyscallsPairs => "syscalls-pairs",
            Self::SyscallsTime => "syscalls-time",
            Self::System => "system",
            Self::CoverageMap => "coverage-map",
            Self::PeersStripes => "peers-stripes",
            Self::PeersCorrelation => "peers-correlation",
            Self::PeersTransfers => "peers-transfers",
            Self::Swimlanes => "swimlanes",
            Self::SwimlanesDetailed => "swimlanes-detailed",
            Self::SwimlanesNodes => "swimlanes-nodes",
            Self::FlowsMatrix => "flows-matrix",
            Self::FlowsDiagram => "flows-diagram",
            Self::FlowsPaths => "flows-paths",
            Self::FlowsPath => "flows-path",
            Self::Differences => "differences",
            Self::SwimlanesCompared => "swimlanes-compared",
            Self::Cluster => "cluster",
            Self::JobsStream => "jobs-stream",
            Self::JobsDetail => "jobs-detail",
            Self::Evaluation => "evaluation",
            Self::EvaluationRuns => "evaluation-runs",
            Self::EvaluationWorkloads => "evaluation-workloads",
            Self::EvaluationStates => "evaluation-states",
            Self::EvaluationSlowdown => "evaluation-slowdown",
            Self::EvaluationRoc => "evaluation-roc",
        }
    }
}
