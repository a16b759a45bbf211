//! Where a word comes from: two words from one source are one.

use crate::diagnosis::slow_warnings::STUCK;
use crate::diagnosis::{Method, Witness};
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

pub(super) fn source_of(witness: &Witness) -> Source {
    source_named(witness.method, &witness.signal)
}

/// Where a method's word comes from, by its signal.
#[must_use]
pub fn source_named(method: Method, signal: &str) -> Source {
    let is = |kind: StateKind| signal == kind.name();
    match method {
        Method::KahunaWb if is(StateKind::ReadBlock) || is(StateKind::WriteBlock) => Source::Blocks,
        Method::KahunaWb if is(StateKind::Localize) => Source::Localisation,
        // Theia reads the same attempts, job by job.
        Method::KahunaWb | Method::Theia => Source::TaskTimes,
        Method::Flows if signal == FlowKind::Shuffle.name() => Source::Shuffle,
        Method::Flows => Source::Blocks,
        Method::SlowWarnings if signal == STUCK => Source::TaskTimes,
        Method::SlowWarnings => {
            match ComplaintKind::ALL.into_iter().find(|kind| signal == kind.name()) {
                // One monitor tells of both.
                Some(ComplaintKind::GcPaused) => Source::Word(ComplaintKind::Paused),
                // Attempts that fail are why.
                Some(ComplaintKind::Blacklisted) => Source::Word(ComplaintKind::AttemptFailed),
                kind => kind.map_or(Source::Silence, Source::Word),
            }
        }
        // Both read the same traces.
        Method::SyscallSemantic => Source::Other(Method::SyscallStatistical),
        method => Source::Other(method),
    }
}
