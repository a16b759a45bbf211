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

#[cfg(test)]
mod tests {
    use super::super::sureness;
    use super::*;
    use crate::diagnosis::Strength::{self, Moderate, Strong};
    use crate::diagnosis::syscalls::Hog;

    fn of(words: &[(Signal, Strength)]) -> Option<f64> {
        sureness(words.iter().map(|(signal, strength)| (Source::of(*signal), *strength, None)))
    }

    #[test]
    fn two_words_of_one_source_are_one() {
        let pairs = [
            (Signal::Complaints(ComplaintKind::Paused), Signal::Complaints(ComplaintKind::GcPaused)),
            (Signal::States(StateKind::ReadBlock), Signal::Transfers(FlowKind::Write)),
            (Signal::States(StateKind::WriteBlock), Signal::Transfers(FlowKind::Replicate)),
            (Signal::States(StateKind::Map), Signal::Jobs),
            (Signal::States(StateKind::ReduceCopy), Signal::Outrun),
            (Signal::Levels, Signal::OwnProfiles),
            (Signal::Levels, Signal::ControlProfiles),
            (Signal::Hog(Hog::Disk), Signal::Calls),
        ];
        let accusing = pairs.into_iter().filter(|(one, other)| of(&[(*one, Moderate), (*other, Moderate)]).is_some());
        assert_eq!(accusing.collect::<Vec<_>>(), []);
        // A tracker is blacklisted for the attempts that failed on it.
        let failed = (Signal::Complaints(ComplaintKind::AttemptFailed), Strong);
        assert_eq!(of(&[failed]), Some(0.9));
        assert_eq!(of(&[failed, (Signal::Complaints(ComplaintKind::Blacklisted), Moderate)]), Some(0.9));
    }

    #[test]
    fn words_of_two_sources_make_a_culprit_surer() {
        let (shuffles, reads) = (Signal::Transfers(FlowKind::Shuffle), Signal::Transfers(FlowKind::Read));
        let both = of(&[(shuffles, Moderate), (reads, Moderate)]).unwrap();
        assert!((both - 0.84).abs() < 1e-9, "{both}");
        let others = [
            (Signal::States(StateKind::Localize), Signal::States(StateKind::Map)),
            (Signal::Silence, Signal::Complaints(ComplaintKind::LostNode)),
            (Signal::Levels, Signal::Maps),
            (Signal::Complaints(ComplaintKind::SlowDisk), Signal::Complaints(ComplaintKind::SlowNetwork)),
        ];
        for (one, other) in others {
            assert_eq!(of(&[(one, Moderate), (other, Moderate)]), Some(both), "{one:?} {other:?}");
        }
    }
}
