//! What a witness looks at.

use super::syscalls::Hog;
use super::{Method, Strength};
use crate::model::{ComplaintKind, FlowKind, StateKind};
use serde::{Deserialize, Serialize};

/// What a witness looks at: a method may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Signal {
    /// Durations of one kind of state.
    States(StateKind),
    /// Durations of one kind of transfer.
    Transfers(FlowKind),
    /// One kind of complaint.
    Complaints(ComplaintKind),
    /// Logs that end before their peers'.
    Silence,
    /// Attempts that do not end.
    Stuck,
    /// Profiles of metrics that were learned on the logs themselves.
    OwnProfiles,
    /// Profiles of metrics that were learned on control runs.
    ControlProfiles,
    /// Single metrics.
    Levels,
    /// How many Maps run.
    Maps,
    /// Jobs across nodes.
    Jobs,
    /// Attempts whose rivals, begun later, ended first.
    Outrun,
    /// System calls that tell of no hog.
    Calls,
    /// System calls that tell of one.
    Hog(Hog),
}

impl Signal {
    /// Whether what it says of a node, in so strong a word, holds without any to compare it with.
    #[must_use]
    pub const fn needs_no_peers(self, strength: Strength) -> bool {
        use ComplaintKind::{BadChecksum, BadDisk, LostNode, NoSpace, UnhealthyNode};
        let is_told = matches!(
            self,
            Self::Silence | Self::Complaints(BadChecksum | BadDisk | LostNode | NoSpace | UnhealthyNode)
        );
        is_told && matches!(strength, Strength::Strong)
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::States(kind) => kind.name(),
            Self::Transfers(kind) => kind.name(),
            Self::Complaints(kind) => kind.name(),
            Self::Silence => "silence",
            Self::Stuck => "stuck",
            Self::OwnProfiles => "profiles of these logs",
            Self::ControlProfiles => "profiles of control runs",
            Self::Levels => "levels",
            Self::Maps => "Maps/s",
            Self::Jobs => "jobs",
            Self::Outrun => "outrun",
            Self::Calls => "calls",
            Self::Hog(hog) => hog.name(),
        }
    }

    /// The signal of a method by its name in reports.
    #[must_use]
    pub fn named(method: Method, name: &str) -> Option<Self> {
        let of = |signals: &[Self]| signals.iter().copied().find(|signal| signal.name() == name);
        match method {
            Method::KahunaWb => StateKind::ALL.into_iter().map(Self::States).find(|signal| signal.name() == name),
            Method::KahunaBb => of(&[Self::OwnProfiles, Self::ControlProfiles, Self::Levels]),
            Method::PeerSimilarity => of(&[Self::Maps]),
            Method::SyscallStatistical | Method::SyscallSemantic => {
                of(&[Self::Calls, Self::Hog(Hog::Disk), Self::Hog(Hog::Network)])
            }
            Method::Theia => of(&[Self::Jobs, Self::Outrun]),
            Method::Flows => FlowKind::ALL.into_iter().map(Self::Transfers).find(|signal| signal.name() == name),
            Method::SlowWarnings => {
                let complaints = ComplaintKind::ALL.into_iter().map(Self::Complaints);
                complaints.chain([Self::Silence, Self::Stuck]).find(|signal| signal.name() == name)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_is_found_by_its_method_and_name_alone() {
        for (method, signal) in [
            (Method::KahunaWb, Signal::States(StateKind::ReduceCopy)),
            (Method::KahunaBb, Signal::Levels),
            (Method::Flows, Signal::Transfers(FlowKind::Shuffle)),
            (Method::SlowWarnings, Signal::Complaints(ComplaintKind::NoSpace)),
            (Method::SlowWarnings, Signal::Stuck),
            (Method::SyscallSemantic, Signal::Hog(Hog::Network)),
            (Method::Theia, Signal::Outrun),
        ] {
            assert_eq!(Signal::named(method, signal.name()), Some(signal));
            assert_eq!(Signal::named(Method::PeerSimilarity, signal.name()), None);
        }
    }
}
