//! The rules that name causes, in their order, and what each says.
//!
//! Source: measured on the labelled runs. "(metrics)" count while the black box finds the node odd, else from when the
//! evidence begins.

use super::Cause;

/// Why a node is said to have its cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// Somebody says so of the node, were it once beside words of folders that could not be used, or an attempt on it
    /// failed for lack of space.
    Full,
    /// A master lost it, or this node alone falls silent, or one of its daemons; but not if (metrics) as many tasks of
    /// the system live on there as before, or the daemon that was lost goes on writing its log, or a master has one join again;
    /// and always if that daemon was started anew.
    Gone,
    /// The same of one of its daemons, while another goes on writing its log.
    DaemonGone,
    /// The daemon that its master lost wrote nothing before for as long as makes a silence, and went on later; meanwhile
    /// transfers with the node ended, so that the network was there.
    DaemonStood,
    /// A daemon on it stood still, by its own word, for as long at a time as makes a silence: hogs hold one up for seconds.
    StoodLong,
    /// A master lost it, it lives on and (metrics) receives or sends far less than its peers, or its own daemons
    /// complain of broken connections; or one joins again or goes on writing, and neither metrics nor daemons tell what else
    /// held it up.
    Unheard,
    /// Folders on it could not be used.
    BadFolders,
    /// Attempts on it timed out.
    TimedOut,
    /// Attempts on it stand still, each beyond every success of its job elsewhere; where (metrics) its processor is taken, by
    /// far, or without a word of progress for long.
    Standing,
    /// Others overtook its attempts and none came through since, though JVMs start well there.
    Overtaken,
    /// Map outputs from or to the node take longer, by more than its maps do, and its block writes do not.
    SlowFetches,
    /// The same by far, where its block writes are not known to compare.
    FarSlowFetches,
    /// (metrics) While it is odd, it receives or sends far less than its peers, and not because its tasks do nothing.
    Quiet,
    /// It could not serve the map outputs it held.
    OutputsLost,
    /// What its reduces had fetched was gone when they were to merge it (HADOOP-1152, K31).
    InputsLost,
    /// Connections take long to stand (system calls).
    SlowConnects,
    /// Look-ups of files take long (system calls).
    SlowLookups,
    /// Its disk is waited for more than its peers' (metrics), but write pipelines wait for their connections with it, just as
    /// long as for a lost packet.
    LateHops,
    /// (metrics) iowait is far above the peers'; it also outweighs slow map outputs.
    DiskAwaited,
    /// (metrics) user or system, and the run queue, are; this outweighs map outputs not much slower than maps, too.
    ProcessorTaken,
    /// The same of user or system, where the run queue was not measured.
    ProcessorBusy,
    /// Those and the run queue, where nothing tells of its tasks.
    ProcessorTakenUntold,
    /// (metrics) Its tasks do nothing, and its transfers are slow or connections fail.
    Starved,
    /// (metrics) Its tasks do nothing, and nothing is known against its transfers.
    Idle,
    /// Its block writes are slow while (metrics) nobody waits for its disk.
    SlowWritesIdleDisk,
    /// The same of blocks whose write pipelines broke: a disk that holds them up is waited for.
    BrokenWritesIdleDisk,
    /// (metrics) bwrtn is far above the peers'.
    MoreWritten,
    /// Connections with it, or by it alone with masters, could not be made, again and again.
    Unreachable,
    /// Maps and transfers are slow, and (metrics) nobody waits for its disk, nor do more tasks than elsewhere for its
    /// processor: a map whose data come over a lossy network works slowly, and its JVM starts well.
    SlowTransfersIdleDisk,
    /// Maps are slow, and their JVMs start about as much slower as they work (where it showed in some of the jobs alone,
    /// in those): a JVM's start is nearly all processor. Under a processor hog start and work slow down alike (× 2.3 and
    /// 3.7; 3.6 and 3.0).
    SlowStarts,
    /// Block writes or reads are slow, daemons call connections with it slow, and nobody calls its disk so: a DataNode whose
    /// disk holds up the others' packets says that itself.
    SlowConnections,
    /// Maps work much slower than their JVMs start (the classes come from memory, the data do not): disk hogs slow down
    /// the work far more (× 1.0 and 28; 1.5 and 3.9; 1.5 and 4.1; 2.0 and 6.9). Not where (metrics) nobody waits for it.
    SlowWork,
    /// Block writes or reads are slow, and it is not known (metrics) that nobody waits for its disk. Where maps are slow as
    /// well, JVMs are known to start well there: a processor that is taken slows down both, too.
    SlowBlocks,
    /// Maps are slow, its own block writes are known and not slow, and JVMs are known to start slowly there, or not known to
    /// start well where (metrics) nobody waits for its disk: a disk may be slow to read alone.
    SlowMaps,
    /// One of its daemons was started anew without having said that it ends, and no duration or metric tells of another cause.
    DaemonDied,
    /// Words of slow disks or of damaged blocks.
    DiskWords,
    /// Words of failed fetches and of such as never end, of slow or refused connections, or of attempts on it that failed
    /// for want of a way to another host, and nothing else.
    NetworkWords,
    /// Fetches or write pipelines wait for their connections with it, and nothing else.
    LateToConnect,
    /// Others outran its attempts by far, or it stood still itself, or is lost and lives on, and nothing else.
    Stopped,
    /// None of those above: slow maps alone, as a history without logs tells them, have any cause.
    Untold,
}

impl Rule {
    /// All of them, in the order in which they are tried.
    pub const ALL: [Self; 40] = [
        Self::Full,
        Self::Gone,
        Self::DaemonGone,
        Self::DaemonStood,
        Self::StoodLong,
        Self::Unheard,
        Self::BadFolders,
        Self::TimedOut,
        Self::Standing,
        Self::Overtaken,
        Self::SlowFetches,
        Self::FarSlowFetches,
        Self::Quiet,
        Self::OutputsLost,
        Self::InputsLost,
        Self::SlowConnects,
        Self::SlowLookups,
        Self::LateHops,
        Self::DiskAwaited,
        Self::ProcessorTaken,
        Self::ProcessorBusy,
        Self::ProcessorTakenUntold,
        Self::Starved,
        Self::Idle,
        Self::SlowWritesIdleDisk,
        Self::BrokenWritesIdleDisk,
        Self::MoreWritten,
        Self::Unreachable,
        Self::SlowTransfersIdleDisk,
        Self::SlowStarts,
        Self::SlowConnections,
        Self::SlowWork,
        Self::SlowBlocks,
        Self::SlowMaps,
        Self::DaemonDied,
        Self::DiskWords,
        Self::NetworkWords,
        Self::LateToConnect,
        Self::Stopped,
        Self::Untold,
    ];

    /// The cause that it names.
    #[must_use]
    pub const fn cause(self) -> Cause {
        match self {
            Self::Full => Cause::DiskFull,
            Self::Gone | Self::DaemonGone | Self::DaemonDied => Cause::Crashed,
            Self::TimedOut
            | Self::Standing
            | Self::Overtaken
            | Self::OutputsLost
            | Self::InputsLost
            | Self::Idle
            | Self::StoodLong
            | Self::DaemonStood
            | Self::Stopped => Cause::Hang,
            Self::Unheard
            | Self::SlowFetches
            | Self::FarSlowFetches
            | Self::Quiet
            | Self::SlowConnects
            | Self::Starved
            | Self::SlowWritesIdleDisk
            | Self::BrokenWritesIdleDisk
            | Self::Unreachable
            | Self::SlowTransfersIdleDisk
            | Self::SlowConnections
            | Self::LateHops
            | Self::NetworkWords
            | Self::LateToConnect => Cause::Network,
            Self::BadFolders
            | Self::SlowLookups
            | Self::DiskAwaited
            | Self::MoreWritten
            | Self::SlowWork
            | Self::SlowBlocks
            | Self::DiskWords => Cause::Disk,
            Self::ProcessorTaken
            | Self::ProcessorBusy
            | Self::ProcessorTakenUntold
            | Self::SlowStarts
            | Self::SlowMaps => Cause::Cpu,
            Self::Untold => Cause::Unknown,
        }
    }

    /// Why the node is said to have this cause: a clause with its stop, to stand behind "why …:".
    #[must_use]
    pub const fn in_words(self) -> &'static str {
        match self {
            Self::Full => "logs or errors of attempts say that it has no space left.",
            Self::Gone => "it was lost or fell silent, and nothing shows that a daemon of it lives on.",
            Self::DaemonGone => "one of its daemons was lost or fell silent, while another kept running.",
            Self::DaemonStood => {
                "the daemon that was lost wrote nothing for most of a minute or longer, while transfers with the node went on."
            }
            Self::Unheard => "it was lost or fell silent, but it kept running and could not be reached.",
            Self::BadFolders => "folders on its disks could not be used.",
            Self::TimedOut => "attempts on it timed out.",
            Self::Standing => "attempts on it do not end, long after the last of their kind ended elsewhere.",
            Self::Overtaken => "other attempts overtook those on it, and none has ended on it since.",
            Self::SlowFetches => {
                "fetches of map outputs from or by it are slowed down more than its maps, and its block writes are not slow."
            }
            Self::FarSlowFetches => "fetches of map outputs from or by it are slowed down far more than its maps.",
            Self::Quiet => "it receives or sends far less than its peers, though its tasks work.",
            Self::OutputsLost => "it could not serve the map outputs that it held.",
            Self::InputsLost => "map outputs that its reduces had fetched were gone when they were to be merged.",
            Self::SlowConnects => "its system calls show that connections take long to set up.",
            Self::SlowLookups => "its system calls show that file look-ups take long.",
            Self::LateHops => {
                "write pipelines wait just a second for their connections with it; a disk would hold them up by any time."
            }
            Self::DiskAwaited => "its I/O wait (iowait) is far higher than its peers'.",
            Self::ProcessorTaken => "its CPU is far busier than its peers', and its run queue is far longer.",
            Self::ProcessorBusy => "its CPU is far busier than its peers'; its run queue was not measured.",
            Self::ProcessorTakenUntold => {
                "its CPU is far busier than its peers', and its run queue is far longer; these logs say nothing of its tasks, and one that loops for ever would look the same."
            }
            Self::Starved => "its tasks do little, and its transfers are slow or connections fail.",
            Self::Idle => "its tasks do little, and its transfers are not slow.",
            Self::SlowWritesIdleDisk => {
                "its block writes are slow, but its I/O wait is not much higher than its peers'."
            }
            Self::BrokenWritesIdleDisk => {
                "block writes through it break off or do not end, and its I/O wait is not much higher than its peers'."
            }
            Self::MoreWritten => "far more is written to its disk than on its peers.",
            Self::Unreachable => "connections with it fail again and again.",
            Self::StoodLong => {
                "a daemon on it stood still for most of a minute or longer at a time, as its own log says."
            }
            Self::SlowTransfersIdleDisk => {
                "its maps and its transfers are slow, and its I/O wait is not much higher than its peers'."
            }
            Self::SlowStarts => "its maps are slow, and their JVMs start slowly too.",
            Self::SlowConnections => {
                "its transfers are slow, and logs complain of its connections, and of its disk no more than is usual."
            }
            Self::SlowWork => {
                "its maps are slowed down far more than the start of their JVMs, which needs only the CPU."
            }
            Self::SlowBlocks => "its block writes or reads are slow.",
            Self::SlowMaps => "its maps are slow, and its block writes are not.",
            Self::DaemonDied => "one of its daemons ended without a word and was started anew.",
            Self::DiskWords => "logs complain of slow disks or damaged blocks.",
            Self::NetworkWords => "logs complain of failed fetches or connections, and of nothing else.",
            Self::LateToConnect => {
                "connections with it take a second to be made, as where the packet that opens one is lost."
            }
            Self::Stopped => "it stops for a while or is outrun by far, and nothing shows why.",
            Self::Untold => "nothing in these logs tells the causes apart.",
        }
    }

    /// The one that says so.
    #[must_use]
    pub fn of_words(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.in_words() == words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cause_has_a_rule_and_each_rule_its_own_words() {
        for cause in Cause::ALL {
            assert!(Rule::ALL.iter().any(|rule| rule.cause() == cause), "{cause:?}");
        }
        for rule in Rule::ALL {
            assert_eq!(Rule::of_words(rule.in_words()), Some(rule), "of two rules");
            let row = format!("| {} | {} |", rule.cause().name(), rule.in_words());
            assert!(include_str!("../../../docs/verdicts.md").contains(&row), "docs/verdicts.md lacks {row}");
        }
    }
}
