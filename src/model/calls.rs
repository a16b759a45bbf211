//! System calls: what strace saw of each node (C01), call by call or in sums.
//!
//! ```text
//! Call         h101 27366 1795233259.897748 connect(39, {sa_family=AF_INET, …}, 16) = -1 EINPROGRESS <0.000100>
//! CallCounts   h101 stat: 451 calls, 20 errors, 4.072 ms             (strace -c, or calls not kept one by one)
//! ```
//! A trace repeats few texts many times, so names, arguments and results are numbers into
//! one table of texts; a call takes 48 bytes.

use super::packed::{Growing, Lanes};
use crate::base::{Arrange, FileId, Lookup, NodeId, Place};
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};
use std::hash::BuildHasher;

/// The calls that the syscall paper watches (C02), under the names of its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Syscall {
    /// accept, accept4.
    Accept,
    /// connect.
    Connect,
    /// bind.
    Bind,
    /// socket.
    Socket,
    /// access, faccessat, faccessat2.
    Access,
    /// stat, stat64, lstat, lstat64, fstatat64, newfstatat, statx.
    Stat,
    /// execve, execveat.
    Execve,
}

impl Syscall {
    /// All seven, network first.
    pub const ALL: [Self; 7] =
        [Self::Accept, Self::Connect, Self::Bind, Self::Socket, Self::Access, Self::Stat, Self::Execve];

    /// Its canonical name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Connect => "connect",
            Self::Bind => "bind",
            Self::Socket => "socket",
            Self::Access => "access",
            Self::Stat => "stat",
            Self::Execve => "execve",
        }
    }

    /// The one of this canonical name.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|s| s.name() == name)
    }
}

/// The canonical name of a call: what the paper's kernels called it. Others keep theirs.
#[must_use]
pub fn canonical(name: &str) -> &str {
    match name {
        "accept4" => "accept",
        "faccessat" | "faccessat2" => "access",
        "newfstatat" | "fstatat64" | "fstatat" | "stat64" | "lstat" | "lstat64" | "statx" => "stat",
        "execveat" => "execve",
        other => other,
    }
}

/// Buckets of call durations.
pub const BUCKETS: usize = 16;

/// The bucket of a duration: each is four times as wide as the one before it (the paper
/// gives no widths; fourfold steps tell a cached look-up from a disk's and a disk's from a
/// lost packet's, and leave enough calls in each).
///
/// ```text
/// 0: 0 µs   1: 1–3 µs   2: 4–15 µs … 6: 1–4 ms … 11: 1–4.2 s … 15: from 268 s on
/// ```
#[must_use]
pub fn bucket_of(duration_us: u64) -> usize {
    let bits = (u64::BITS - duration_us.leading_zeros()) as usize;
    bits.div_ceil(2).min(BUCKETS - 1)
}

/// The least duration of a bucket in microseconds.
#[must_use]
pub const fn bucket_begins_us(bucket: usize) -> u64 {
    if bucket == 0 { 0 } else { 1 << (2 * (bucket - 1)) }
}

/// Calls of one syscall in sums.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallCounts {
    /// Canonical name.
    pub name: Box<str>,
    /// Calls.
    pub calls: u64,
    /// Of these, failed ones.
    pub errors: u64,
    /// Time in them, microseconds.
    pub total_us: u64,
    /// Calls of each duration bucket; empty where they are not known (strace -c).
    pub buckets: Vec<u64>,
}

/// Sums of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallSum {
    /// The node that it ran on.
    pub node: Option<NodeId>,
    /// The row it was read from.
    pub place: Place,
    /// From `strace -c`, which counts processor time in the kernel and not waiting.
    pub counted: bool,
    /// The sums.
    pub counts: CallCounts,
}

/// One call, borrowed from [`Calls`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// The node that it ran on.
    pub node: Option<NodeId>,
    /// Process or thread; `None` where strace followed one only and did not say.
    pub pid: Option<u32>,
    /// Begin, microseconds since 1970, UTC.
    pub at_us: i64,
    /// Canonical name.
    pub name: &'a str,
    /// Arguments as printed.
    pub args: &'a str,
    /// Result and name of the error: `0`, `-1 ENOENT`, `?`.
    pub ret: &'a str,
    /// Time inside; `None` without `-T` or where the call never returned.
    pub duration_us: Option<u64>,
    /// The line that tells its result.
    pub place: Place,
    /// Numbers of name, arguments and result: equal where the texts are.
    pub texts: [u32; 3],
}

impl Call<'_> {
    /// Whether it is a modern libc's `fstat`: a `newfstatat` or `statx` of a descriptor and no path, which looks nothing up.
    #[must_use]
    pub fn is_of_descriptor(&self) -> bool {
        is_of_descriptor(self.name, self.args)
    }

    /// When it returned, microseconds since 1970.
    #[must_use]
    pub fn end_us(&self) -> i64 {
        self.at_us.saturating_add_unsigned(self.duration_us.unwrap_or(0))
    }
}

/// Whether a call of this name and these arguments is one: see [`Call::is_of_descriptor`].
#[must_use]
pub fn is_of_descriptor(name: &str, args: &str) -> bool {
    let of_no_path = |(at, path): (&str, &str)| at != "AT_FDCWD" && path.starts_with("\"\"");
    name == Syscall::Stat.name() && args.split_once(", ").is_some_and(of_no_path)
}

/// Absent node or pid.
const NONE: u32 = u32::MAX;
/// Absent duration.
const NO_DURATION: u64 = u64::MAX;

/// A call as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CallRow {
    pub(super) node: u32,
    pub(super) at_us: i64,
    pub(super) pid: u32,
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) duration_us: u64,
    pub(super) texts: [u32; 3],
}

/// All calls, by node, then by begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Calls {
    texts: Texts,
    rows: Lanes<CallRow>,
    sums: Vec<CallSum>,
}

/// Texts end to end, each named by its number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Texts {
    bytes: String,
    ends: Vec<usize>,
}

impl Texts {
    fn get(&self, number: u32) -> &str {
        let number = number as usize;
        let from = number.checked_sub(1).and_then(|n| self.ends.get(n)).copied().unwrap_or(0);
        let to = self.ends.get(number).copied().unwrap_or(from);
        self.bytes.get(from..to).unwrap_or_default()
    }

    fn push(&mut self, text: &str) -> u32 {
        self.bytes.push_str(text);
        self.ends.push(self.bytes.len());
        u32::try_from(self.ends.len() - 1).unwrap_or(u32::MAX)
    }
}

impl Calls {
    /// Number of calls kept one by one.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing is known of any call.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.sums.is_empty()
    }

    /// Sums: of `strace -c`, and of calls that were not kept one by one.
    #[must_use]
    pub fn sums(&self) -> &[CallSum] {
        &self.sums
    }

    fn call(&self, row: &CallRow) -> Call<'_> {
        let known = |number: u32| (number != NONE).then_some(number);
        let [name, args, ret] = row.texts.map(|number| self.texts.get(number));
        Call {
            node: known(row.node).map(NodeId),
            pid: known(row.pid),
            at_us: row.at_us,
            name,
            args,
            ret,
            duration_us: (row.duration_us != NO_DURATION).then_some(row.duration_us),
            place: Place { file: FileId(row.file), line: u64::from(row.line) },
            texts: row.texts,
        }
    }

    /// All calls, by node (unknown last), then by begin.
    pub fn iter(&self) -> impl Iterator<Item = Call<'_>> {
        self.rows.iter().map(|row| self.call(&row))
    }

    /// The calls of one node by begin (a binary search finds them).
    pub fn of_node(&self, node: NodeId) -> impl Iterator<Item = Call<'_>> {
        self.rows.within(move |lane| lane.cmp(&node.0)).map(|(_, row)| self.call(&row))
    }

    /// Hands over [`Self::of_node`]'s calls, of which there may be many.
    pub fn each_of_node(&self, node: NodeId, take: &mut dyn FnMut(&Call<'_>)) {
        self.rows.each_within(|lane| lane.cmp(&node.0), &mut |_, row| take(&self.call(row)));
    }

    /// Nodes of which calls are known, in order.
    #[must_use]
    pub fn nodes(&self) -> Vec<NodeId> {
        let mut nodes: Vec<NodeId> = self.sums.iter().filter_map(|s| s.node).collect();
        nodes.extend(self.rows.lanes().filter(|node| *node != NONE).map(NodeId));
        nodes.arrange(Ord::cmp);
        nodes.dedup();
        nodes
    }
}

/// Gathers [`Calls`].
#[derive(Debug, Default)]
pub struct CallsBuilder {
    texts: Texts,
    rows: Growing<CallRow>,
    sums: Vec<CallSum>,
    /// Number of the first text of each hash; texts whose hashes collide are kept twice.
    known: Lookup<u64, u32>,
    /// Its keys are fixed, so the numbers are the same in every run.
    hasher: FixedState,
}

impl CallsBuilder {
    /// The number of a text, added if new.
    pub fn text(&mut self, text: &str) -> u32 {
        let hash = self.hasher.hash_one(text);
        match self.known.get(&hash) {
            Some(number) if self.texts.get(*number) == text => *number,
            Some(_) => self.texts.push(text),
            None => {
                let number = self.texts.push(text);
                self.known.insert(hash, number);
                number
            }
        }
    }

    /// Adds a call; its texts by their numbers, those in `call` are not looked at.
    pub fn push(&mut self, call: &Call<'_>) {
        self.rows.push(&CallRow {
            node: call.node.map_or(NONE, |n| n.0),
            at_us: call.at_us,
            pid: call.pid.unwrap_or(NONE),
            file: call.place.file.0,
            line: u32::try_from(call.place.line).unwrap_or(u32::MAX),
            duration_us: call.duration_us.unwrap_or(NO_DURATION),
            texts: call.texts,
        });
    }

    /// Adds a sum.
    pub fn push_sum(&mut self, sum: CallSum) {
        self.sums.push(sum);
    }

    /// The calls in their order.
    #[must_use]
    pub fn finish(self) -> Calls {
        Calls { texts: self.texts, rows: self.rows.finish(&|peer| peer), sums: self.sums }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_and_modern_names_are_one() {
        for (old, new) in [
            ("accept", "accept4"),
            ("access", "faccessat2"),
            ("stat", "newfstatat"),
            ("stat", "lstat64"),
            ("stat", "statx"),
            ("execve", "execveat"),
        ] {
            assert_eq!((canonical(new), canonical(old)), (old, old));
            assert!(Syscall::of(old).is_some() && Syscall::of(new).is_none());
        }
        assert_eq!(canonical("fstat"), "fstat", "by descriptor: the name was looked up before");
        let of = |name: &str, args: &str| {
            let place = Place { file: FileId(0), line: 1 };
            let none =
                Call { node: None, pid: None, at_us: 0, name, args, ret: "0", duration_us: None, place, texts: [0; 3] };
            none.is_of_descriptor()
        };
        assert!(of("stat", "39, \"\", {st_mode=S_IFREG|0755, ...}, AT_EMPTY_PATH"));
        assert!(of("stat", "39, \"\", AT_STATX_SYNC_AS_STAT|AT_EMPTY_PATH, STATX_ALL, {...}"));
        assert!(!of("stat", "39, \"current\", {st_mode=S_IFDIR|0755, ...}, 0"));
        assert!(!of("stat", "AT_FDCWD, \"/\", {st_mode=S_IFDIR|0755, ...}, 0"));
        assert!(!of("stat", "AT_FDCWD, \"\", 0x7ffc5e700cd0, 0"), "looked up in vain");
        assert!(!of("stat", "\"/d\", {st_mode=S_IFDIR|0755, ...}") && !of("access", "3, \"\""));
    }

    #[test]
    fn buckets_are_fourfold_and_have_no_gap() {
        let of = [0, 1, 3, 4, 15, 16, 1_023, 1_024, 4_095, 4_096, 1_048_576, u64::MAX].map(bucket_of);
        assert_eq!(of, [0, 1, 1, 2, 2, 3, 5, 6, 6, 7, 11, 15]);
        for bucket in 1..BUCKETS {
            assert_eq!(bucket_of(bucket_begins_us(bucket)), bucket);
            assert_eq!(bucket_of(bucket_begins_us(bucket) - 1), bucket - 1);
        }
    }

    #[test]
    fn calls_are_found_by_node_in_order_of_time() {
        let mut builder = CallsBuilder::default();
        let texts = [builder.text("stat"), builder.text("\"/x\""), builder.text("0")];
        assert_eq!(builder.text("\"/x\""), texts[1]);
        for (node, at_us) in [(Some(1), 5), (None, 1), (Some(0), 9), (Some(1), 3)] {
            builder.push(&Call {
                node: node.map(NodeId),
                pid: None,
                at_us,
                name: "",
                args: "",
                ret: "",
                duration_us: (at_us == 9).then_some(7),
                place: Place { file: FileId(0), line: at_us as u64 },
                texts,
            });
        }
        let calls = builder.finish();
        assert_eq!(calls.nodes(), [NodeId(0), NodeId(1)]);
        assert_eq!(calls.of_node(NodeId(1)).map(|c| c.at_us).collect::<Vec<_>>(), [3, 5]);
        assert_eq!(calls.iter().map(|c| c.node.map(|n| n.0)).collect::<Vec<_>>(), [Some(0), Some(1), Some(1), None]);
        let first = calls.iter().next().map(|c| (c.name, c.args, c.ret, c.duration_us, c.end_us()));
        assert_eq!(first, Some(("stat", "\"/x\"", "0", Some(7), 16)));
        assert_eq!(calls.of_node(NodeId(7)).count(), 0);
    }
}
