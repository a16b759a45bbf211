//! What is said of each kind of issue: how bad it is, whose doing, what it is and what to do about it.

use super::Code;
use serde::{Deserialize, Serialize};

/// How bad an issue is for the verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Worth knowing, changes nothing.
    #[default]
    Info,
    /// Something was not as expected; all of it was read.
    Notice,
    /// Something could not be read and is missing from the analysis.
    DataLoss,
    /// A whole file could not be read.
    Error,
}

impl Severity {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Notice => "notice",
            Self::DataLoss => "data-loss",
            Self::Error => "error",
        }
    }
}

/// Whose doing an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The input's.
    Input,
    /// A limit or gap of ours.
    Ours,
}

/// What is known about a [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CodeAbout {
    /// How bad.
    pub severity: Severity,
    /// Whose doing.
    pub origin: Origin,
    /// What it is, as a person would say it.
    pub text: &'static str,
    /// What to do about it.
    pub advice: &'static str,
}

impl Code {
    /// Severity, origin, text and advice of this code.
    #[must_use]
    pub const fn about(self) -> CodeAbout {
        use Origin::{Input, Ours};
        use Severity::{DataLoss, Error, Info, Notice};
        let (severity, origin, text, advice) = match self {
            Self::Truncated => {
                (DataLoss, Input, "ends too early", "copy the file again; what came before the cut was read")
            }
            Self::CorruptStream => {
                (DataLoss, Input, "is damaged", "make the archive again; what came before the damage was read")
            }
            Self::CorruptArchive => (
                DataLoss,
                Input,
                "has a damaged archive header",
                "make the archive again; members before it were read, in a tar also those behind the next whole header",
            ),
            Self::EmptyArchive => (Error, Input, "holds no file", "pack the log folders of the nodes into it"),
            Self::EmptyFile => (Info, Input, "is empty", "nothing to do"),
            Self::EmptyHistory => (
                DataLoss,
                Input,
                "is empty, though it should be a job's history",
                "copy it again once the job has ended; what it would tell of the job is missing",
            ),
            Self::UnknownFormat => (
                Info,
                Ours,
                "is not in a format that oddnode reads",
                "nothing to do, unless it is a log: then see whether its log4j pattern is Hadoop's own, and whether it is plain text",
            ),
            Self::NestedTooDeep => (
                Error,
                Ours,
                "is an archive inside too many archives",
                "unpack the outer archives and give the folder with what comes out to `oddnode diagnose`",
            ),
            Self::ExpandsTooMuch => (
                Error,
                Ours,
                "grows beyond the limit when unpacked",
                "unpack it and give the folder with what comes out to `oddnode diagnose`",
            ),
            Self::LineTooLong => (
                DataLoss,
                Input,
                "has a line beyond the limit; its beginning was read",
                "nothing to do, unless the file is not a log",
            ),
            Self::MalformedLine => (
                Notice,
                Input,
                "has lines that do not fit its format",
                "nothing to do for a few; for many, the file may be of another kind",
            ),
            Self::BadTime => (Notice, Input, "has times that do not exist", "check the log4j date pattern"),
            Self::CutRecord => {
                (DataLoss, Input, "has a record without its end", "copy the file again once the job has ended")
            }
            Self::BadRecord => (DataLoss, Input, "has a record that could not be decoded", "copy the file again"),
            Self::EndWithoutBegin => {
                (Info, Input, "has ends of states without their begin", "add the log before this one, if there is one")
            }
            Self::UnknownNode => {
                (DataLoss, Input, "could not be given to a node", "put each node's logs in a folder named as the node")
            }
            Self::ZoneUnknown => (
                Notice,
                Input,
                "log times carry no zone and no job history tells it; read as UTC",
                "add the job history, or say the zone: on the page below the coverage, on the command with --tz",
            ),
            Self::DuplicateFile => (Info, Input, "is there twice; counted once", "nothing to do"),
            Self::UnreadContainer => (
                DataLoss,
                Ours,
                "is an archive of a kind that is not unpacked",
                "if it holds logs, unpack it and give the folder, or pack it as tar.gz",
            ),
            Self::SparseMember => (
                DataLoss,
                Input,
                "is stored as a sparse file with a damaged map and was not read",
                "pack it again without tar's -S",
            ),
            Self::LinkNotFollowed => (
                Info,
                Input,
                "is a link, which is not followed",
                "if what it leads to is missing here, pack the logs again with tar's -h",
            ),
            Self::TrailingData => (
                Notice,
                Input,
                "has bytes behind its end, which were not read",
                "nothing to do, unless logs are missing",
            ),
            Self::TooManyMembers => (
                DataLoss,
                Ours,
                "holds more files than the limit; those before it were read",
                "unpack it and give the folder of each node to `oddnode digest`, then give all the digests at once",
            ),
            Self::BadDigest => (Error, Input, "is a damaged digest", "make the digest again, or copy it again"),
            Self::NewerDigest => {
                (Error, Input, "is a digest of a later version", "read it with the version that wrote it")
            }
            Self::AddressClaimedTwice => (
                Notice,
                Input,
                "has an address that another host claims too; its traffic counts for the first by name",
                "check whether a host was renamed or an address given anew, and analyse before and after apart",
            ),
            Self::TwoHostsInOneFile => (
                Notice,
                Input,
                "names several hosts as its own; it counts for the one that other logs know, or the last, and for none if they know several",
                "keep the logs of different hosts in different files",
            ),
            Self::HostAgainstPath => (
                Notice,
                Input,
                "names another host than its folder or file name; what it names itself counts, unless only the other is known to run tasks",
                "check that each host's logs were collected into its own folder",
            ),
            Self::SeveralClusters => (
                Notice,
                Input,
                "is of one of several clusters; nodes are compared within their cluster",
                "nothing to do; give each cluster's logs alone for a report of its own",
            ),
            Self::AmbiguousHost => (
                Notice,
                Input,
                "uses a short host name that fits several full ones; it counts as a host of its own",
                "use full host names in the Hadoop configuration",
            ),
            Self::OnlyZeros => (
                DataLoss,
                Input,
                "holds nothing but zeros",
                "copy it again; where it is so on its machine too, what it held is lost",
            ),
            Self::HostUncertain => (
                Notice,
                Input,
                "is of a host that only paths name and that may be another one; it counts as a host of its own",
                "name folders and archives after the hosts as Hadoop names them",
            ),
            Self::ClockSet => (
                Notice,
                Input,
                "is of a node whose clock was set forward meanwhile; its times are put together as if it had not been",
                "have clocks set at boot, and slewed after that (chrony, ntpd)",
            ),
            Self::DigestTooLong => (
                DataLoss,
                Ours,
                "is a digest longer than is read",
                "give the digests that it was merged from; what came before the limit was read",
            ),
            Self::CallWithoutEnd => (
                Info,
                Input,
                "has system calls that began and never returned; they are left out",
                "nothing to do: processes end so",
            ),
            Self::CallsFolded => (
                Notice,
                Ours,
                "has more system calls than are kept one by one; the rest is summed up",
                "trace those that are compared: strace -e trace=accept,accept4,connect,bind,socket,access,faccessat2,stat,newfstatat,statx,execve,poll,ppoll,epoll_wait,epoll_pwait",
            ),
            Self::StraceWithoutTimes => (
                Error,
                Input,
                "is a trace of system calls without usable times, so nothing can be compared",
                "record it again with strace -f -T -ttt -o FILE",
            ),
            Self::StraceWithoutDurations => (
                DataLoss,
                Input,
                "is a trace of system calls without the time spent in each",
                "record it again with -T: strace -f -T -ttt -o FILE",
            ),
            Self::DateUnknown => (
                Notice,
                Input,
                "has times of day; it is placed on the last day of the dated logs beside it, near their begin if it fits none, or in 1970 without any",
                "add the node's Hadoop logs of that day alone, or record with -ttt instead of -tt",
            ),
            Self::AmbiguousDate => (
                Notice,
                Input,
                "has dates whose day and month may each be the other; they are read so that they lie near the dated logs beside it, else with the month first",
                "nothing to do where it lies near the other logs; else add what `sadf -d` writes",
            ),
            Self::UnreadSysstat => (
                DataLoss,
                Ours,
                "is a binary file of a sysstat version that is not read, or not all of it",
                "on the machine that wrote it run `sadf -d FILE -- -A > FILE.txt`, and add that",
            ),
            Self::ForeignMetrics => (
                DataLoss,
                Ours,
                "holds tables of another system's sar, of iostat or of pidstat, which are not read",
                "add what sar or `sadf -d` of sysstat on Linux print, if there is any",
            ),
            Self::TablesSideBySide => (
                DataLoss,
                Input,
                "has tables side by side, of which only the first could be read",
                "run `sadf -d` again, without -h",
            ),
            Self::EncryptedMember => {
                (DataLoss, Input, "is encrypted and was not read", "unpack it with its password and give the folder")
            }
            Self::SavedReport => (
                Notice,
                Input,
                "is a report that oddnode saved, or a link, and no log",
                "open it alone: `oddnode diagnose FILE`, or drop it on the page; `oddnode compare A B` compares two",
            ),
            Self::SavedBaseline => (
                Notice,
                Input,
                "is a baseline that `oddnode train` wrote, and no log",
                "give it to the command with --baseline FILE, or drop it on the page",
            ),
            Self::SavedKey => (
                Notice,
                Input,
                "is the key of a report's pseudonyms, and no log",
                "give it with the report: `oddnode diagnose --key FILE REPORT`, or drop it on the opened report",
            ),
            Self::SavedResult => (
                Notice,
                Input,
                "is a report or another result that oddnode wrote, and no log",
                "nothing to do: it is to be read by people and other programs",
            ),
            Self::WindowTooLarge => (
                DataLoss,
                Ours,
                "was packed with a window beyond the limit of 128 MB and was not read",
                "unpack it first, of zstd with the same `--long` that it was packed with, or pack it again without",
            ),
            Self::ContinuedMember => (
                DataLoss,
                Input,
                "is the rest of a file that begins in another volume of its tar and was not read",
                "unpack all volumes together with tar's -M and give the folder",
            ),
            Self::MetricsDiffer => (
                Notice,
                Input,
                "has other values for a node and time than a file before it; those of the file before it count",
                "nothing to do where one file has longer intervals; else put each node's metrics in a folder named as the node",
            ),
            Self::UnreadLog => (
                DataLoss,
                Ours,
                "looks like a log of Hadoop, and is in no layout that oddnode reads",
                "see whether its log4j pattern is Hadoop's own, and whether it is plain text; a log of no Hadoop daemon may be left out",
            ),
            Self::MixedLog => (
                DataLoss,
                Input,
                "also holds records of another host or daemon, which were not read",
                "give each daemon's log of each host as a file of its own",
            ),
            Self::OtherLayout => (
                DataLoss,
                Ours,
                "also holds records in a layout that oddnode does not read",
                "see whether the log4j pattern was changed while the log was written, and set it to Hadoop's own",
            ),
            Self::Unreadable => (Error, Input, "could not be read", "see why on the machine that holds it, and add it"),
            Self::TooMuchToHold => (
                Error,
                Ours,
                "says more than can be held; what came before was read",
                "unpack it and give the folder of each node to `oddnode digest`, then give all the digests at once",
            ),
        };
        CodeAbout { severity, origin, text, advice }
    }
}
