//! Where a word comes from: two words from one source are one.

use crate::diagnosis::{Method, Signal};
use crate::model::{ComplaintKind, FlowKind, StateKind};

/// Where a word comes from; two from one source are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Durations of task attempts and their phases.
    TaskTimes,
    /// Durations of block transfers, as states or as flows.
    Blocks,
    /// Durations of map outputs' transfers.
    Shuffle,
    /// Durations of localisation.
    Localisation,
    /// One kind of complaint.
    Word(ComplaintKind),
    /// Ends of logs.
    Silence,
    /// A method with data of its own.
    Other(Method),
}

impl Source {
    /// Where a word comes from, by its signal.
    #[must_use]
    pub const fn of(signal: Signal) -> Self {
        match signal {
            Signal::States(StateKind::ReadBlock | StateKind::WriteBlock) => Self::Blocks,
            Signal::States(StateKind::Localize) => Self::Localisation,
            Signal::Transfers(FlowKind::Shuffle) => Self::Shuffle,
            Signal::Transfers(_) => Self::Blocks,
            // Theia reads the same attempts, job by job.
            Signal::States(_) | Signal::Jobs | Signal::Outrun | Signal::Stuck => Self::TaskTimes,
            Signal::Silence => Self::Silence,
            // One monitor tells of both.
            Signal::Complaints(ComplaintKind::GcPaused) => Self::Word(ComplaintKind::Paused),
            // Attempts that fail are why.
            Signal::Complaints(ComplaintKind::Blacklisted) => Self::Word(ComplaintKind::AttemptFailed),
            Signal::Complaints(kind) => Self::Word(kind),
            // Both methods read the same traces.
            Signal::Calls | Signal::Hog(_) => Self::Other(Method::SyscallStatistical),
            Signal::OwnProfiles | Signal::ControlProfiles | Signal::Levels => Self::Other(Method::KahunaBb),
            Signal::Maps => Self::Other(Method::PeerSimilarity),
        }
    }

    /// Whether trouble of the job itself shows there too.
    #[must_use]
    pub const fn is_of_tasks(self) -> bool {
        use ComplaintKind::{AttemptFailed, Blacklisted, ContainerFailed, TimedOut};
        matches!(
            self,
            Self::TaskTimes
                | Self::Other(Method::KahunaBb)
                | Self::Word(AttemptFailed | Blacklisted | ContainerFailed | TimedOut)
        )
    }
}
