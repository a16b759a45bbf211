//! Ids as Hadoop prints them, held as numbers.
//!
//! `job_202611202124_0001`, `attempt_1795226467746_0009_r_000004_0`,
//! `container_1795226467746_0009_01_000028`, `container_e17_…`, `blk_-4693506771893277444_1763`
//! (Hadoop classes JobID, TaskAttemptID, ContainerId, Block; 0.18 to 3.x).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::{Hash, Hasher};

/// Index of a file in a trace's table of files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// Index of a node (host) in a trace's table of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

impl FileId {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl NodeId {
    /// As an index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A job: the start of its master (a date and time or epoch milliseconds) and a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct JobId {
    /// The digits between `job_` and the number; with [`JobId::LOCAL`] set for `local…`, and nothing but
    /// [`JobId::PSEUDONYM`] for a pseudonym.
    pub cluster: u64,
    /// The job's number on that master.
    pub number: u32,
}

impl JobId {
    /// Marks the cluster part of a LocalJobRunner job (`job_local123_0001`).
    pub const LOCAL: u64 = 1 << 63;
    /// The cluster part of what stands for a job in a shared report (`job-07`).
    pub const PSEUDONYM: u64 = 1 << 62;
    /// What a pseudonym begins with.
    const PSEUDONYM_PREFIX: &str = "job-";

    /// Whether a JobTracker gave the id: its cluster part is a date and time of 12 digits
    /// (`job_202611202124_0001`); a ResourceManager's is 13 digits of epoch milliseconds.
    #[must_use]
    pub const fn is_dated(self) -> bool {
        self.cluster >= 100_000_000_000 && self.cluster < 1_000_000_000_000
    }

    /// Reads `job_X_N` at the start of `text` and returns it with the rest.
    #[must_use]
    pub fn parse_prefix(text: &[u8]) -> Option<(Self, &[u8])> {
        Self::parse_digits(text.strip_prefix(b"job_")?)
    }

    /// Reads a text that is a job id and nothing else.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        Self::parse_prefix(text).and_then(|(id, rest)| rest.is_empty().then_some(id))
    }

    /// The same, or a job's pseudonym: of reports, addresses and commands, never of logs.
    #[must_use]
    pub fn named(text: &[u8]) -> Option<Self> {
        let pseudonym = || {
            let (id, rest) = Self::parse_pseudonym(text.strip_prefix(Self::PSEUDONYM_PREFIX.as_bytes())?)?;
            rest.is_empty().then_some(id)
        };
        Self::parse(text).or_else(pseudonym)
    }

    /// Reads the number of a pseudonym.
    fn parse_pseudonym(text: &[u8]) -> Option<(Self, &[u8])> {
        let (n, rest) = number(text)?;
        Some((Self { cluster: Self::PSEUDONYM, number: u32::try_from(n).ok()? }, rest))
    }

    /// Reads `X_N`, what stands behind `job_`, `attempt_`, `task_` or `application_`; or `N`
    /// alone, as before 0.16, where a job had no more than its number.
    #[must_use]
    pub fn parse_digits(text: &[u8]) -> Option<(Self, &[u8])> {
        let (flag, text) = match text.strip_prefix(b"local") {
            Some(rest) => (Self::LOCAL, rest),
            None => (0, text),
        };
        let (cluster, rest) = match number(text) {
            Some(found) => found,
            None if flag != 0 => (0, text),
            None => return None,
        };
        let Some((n, rest)) = rest.strip_prefix(b"_").and_then(number) else {
            let number = u32::try_from(cluster).ok().filter(|_| flag == 0)?;
            return Some((Self { cluster: 0, number }, rest));
        };
        let number = u32::try_from(n).ok()?;
        let is_marked = cluster & (Self::LOCAL | Self::PSEUDONYM) != 0;
        (!is_marked).then_some((Self { cluster: cluster | flag, number }, rest))
    }
}

/// The digits of a cluster with a line below them; nothing where there are none.
fn cluster_digits(f: &mut fmt::Formatter<'_>, cluster: u64) -> fmt::Result {
    match (cluster & JobId::LOCAL, cluster & !JobId::LOCAL) {
        (0, 0) => Ok(()),
        (0, digits) => write!(f, "{digits}_"),
        (_, 0) => f.write_str("local_"),
        (_, digits) => write!(f, "local{digits}_"),
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.cluster == Self::PSEUDONYM {
            return write!(f, "{}{:02}", Self::PSEUDONYM_PREFIX, self.number);
        }
        f.write_str("job_")?;
        cluster_digits(f, self.cluster)?;
        write!(f, "{:04}", self.number)
    }
}

/// The letter in an attempt's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TaskLetter {
    /// `m`: maps, and in 0.20/1.x also set-up and clean-up tasks.
    Map,
    /// `r`.
    Reduce,
    /// `s`: job set-up of 0.21.
    Setup,
    /// `c`: job clean-up of 0.21.
    Cleanup,
}

impl TaskLetter {
    const fn letter(self) -> char {
        match self {
            Self::Map => 'm',
            Self::Reduce => 'r',
            Self::Setup => 's',
            Self::Cleanup => 'c',
        }
    }
}

/// One attempt of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct AttemptId {
    /// Its job.
    pub job: JobId,
    /// `m`, `r`, `s` or `c`.
    pub letter: TaskLetter,
    /// The task's number in the job.
    pub task: u32,
    /// The attempt's number in the task.
    pub attempt: u32,
}

impl Hash for AttemptId {
    /// In two words: field by field a browser shifts and folds 128 bits five times.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { job: JobId { cluster, number }, letter, task, attempt } = *self;
        let words = [number, task, attempt, letter as u32];
        state.write_u128(words.into_iter().fold(0, |all, word| all << 32 | u128::from(word)));
        state.write_u64(cluster);
    }
}

impl AttemptId {
    /// What an attempt of a job under a pseudonym begins with.
    const PSEUDONYM_PREFIX: &str = "attempt-";

    /// Reads an attempt id at the start of `text` and returns it with the rest. Until 0.17 an
    /// attempt was called `task_0001_m_000000_0`; a task's id lacks the last number.
    #[must_use]
    pub fn parse_prefix(text: &[u8]) -> Option<(Self, &[u8])> {
        let text = text.strip_prefix(b"attempt_").or_else(|| text.strip_prefix(b"task_"))?;
        let usual = number(text).and_then(|(cluster, rest)| Self::parse_usual(cluster, rest));
        usual.or_else(|| Self::parse_behind(JobId::parse_digits(text)?))
    }

    /// Reads `_0001_m_000010_0`, as nearly all are, behind a cluster's number: all digits at once, in a third of the time.
    fn parse_usual(cluster: u64, text: &[u8]) -> Option<(Self, &[u8])> {
        let (front, rest) = text.split_first_chunk()?;
        let (back, rest) = rest.split_first_chunk()?;
        let [b'_', a, b, c, d, b'_', letter, b'_'] = *front else { return None };
        let [e, f, g, h, i, j, b'_', attempt @ b'0'..=b'9'] = *back else { return None };
        let letter = match letter {
            b'm' => TaskLetter::Map,
            b'r' => TaskLetter::Reduce,
            _ => return None,
        };
        let number = four_digits(u32::from_le_bytes([a, b, c, d]))?;
        let task = eight_digits(u64::from_le_bytes([b'0', b'0', e, f, g, h, i, j]))?;
        let is_longer = rest.first().is_some_and(u8::is_ascii_digit);
        let is_marked = cluster & (JobId::LOCAL | JobId::PSEUDONYM) != 0;
        let job = JobId { cluster, number: number as u32 };
        let id = Self { job, letter, task: task as u32, attempt: u32::from(attempt - b'0') };
        (!is_longer && !is_marked).then_some((id, rest))
    }

    /// Reads what stands behind the job's part.
    fn parse_behind((job, rest): (JobId, &[u8])) -> Option<(Self, &[u8])> {
        let (letter, rest) = match rest {
            [b'_', b'm', b'_', rest @ ..] => (TaskLetter::Map, rest),
            [b'_', b'r', b'_', rest @ ..] => (TaskLetter::Reduce, rest),
            [b'_', b's', b'_', rest @ ..] => (TaskLetter::Setup, rest),
            [b'_', b'c', b'_', rest @ ..] => (TaskLetter::Cleanup, rest),
            _ => return None,
        };
        let (task, rest) = number(rest)?;
        let (attempt, rest) = number(rest.strip_prefix(b"_")?)?;
        let id = Self { job, letter, task: u32::try_from(task).ok()?, attempt: u32::try_from(attempt).ok()? };
        Some((id, rest))
    }

    /// Reads a task's id (`task_X_N_m_000000`), as its attempt 0.
    #[must_use]
    pub fn parse_task(text: &[u8]) -> Option<Self> {
        let text = [b"attempt_", text.strip_prefix(b"task_")?, b"_0"].concat();
        Self::parse(&text)
    }

    /// Reads a text that is an attempt id and nothing else.
    #[must_use]
    pub fn parse(text: &[u8]) -> Option<Self> {
        Self::parse_prefix(text).and_then(|(id, rest)| rest.is_empty().then_some(id))
    }

    /// The same, or an attempt of a job under a pseudonym: of addresses and commands, never of logs.
    #[must_use]
    pub fn named(text: &[u8]) -> Option<Self> {
        let pseudonym = || {
            let job = JobId::parse_pseudonym(text.strip_prefix(Self::PSEUDONYM_PREFIX.as_bytes())?)?;
            let (id, rest) = Self::parse_behind(job)?;
            rest.is_empty().then_some(id)
        };
        Self::parse(text).or_else(pseudonym)
    }

    /// The first attempt id anywhere in `text`.
    #[must_use]
    pub fn find(text: &[u8]) -> Option<Self> {
        find_by(text, b"attempt_", |rest| Some(Self::parse_prefix(rest)?.0))
    }
}

/// The first id in `text` that begins with `prefix`, whose last byte is its only underscore.
fn find_by<T>(text: &[u8], prefix: &[u8], parse: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    memchr::memchr_iter(b'_', text).find_map(|end| {
        let begin = (end + 1).checked_sub(prefix.len())?;
        let rest = text.get(begin..)?;
        if rest.starts_with(prefix) { parse(rest) } else { None }
    })
}

impl AttemptId {
    /// The first attempt at its task, which stands for the task.
    #[must_use]
    pub const fn first(self) -> Self {
        Self { attempt: 0, ..self }
    }

    /// The name of its task: `task_202611202124_0001_m_000004`.
    #[must_use]
    pub fn task_name(self) -> String {
        let attempt = self.to_string();
        let task = attempt.rsplit_once('_').map_or("", |(task, _)| task);
        task.replacen("attempt", "task", 1)
    }
}

impl fmt::Display for AttemptId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.job.cluster == JobId::PSEUDONYM {
            write!(f, "{}{:02}", Self::PSEUDONYM_PREFIX, self.job.number)?;
        } else {
            f.write_str("attempt_")?;
            cluster_digits(f, self.job.cluster)?;
            write!(f, "{:04}", self.job.number)?;
        }
        write!(f, "_{}_{:06}_{}", self.letter.letter(), self.task, self.attempt)
    }
}

/// A YARN container: application, application attempt, number; the epoch (`e17`) of a
/// ResourceManager that was restarted with work preserved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContainerId {
    /// The application's id in a job id's clothes (`application_X_N` is `job_X_N`).
    pub job: JobId,
    /// ResourceManager epoch, 0 where none is printed.
    pub epoch: u32,
    /// Application attempt, from 1.
    pub try_number: u32,
    /// Number of the container; 1 is the first attempt's ApplicationMaster.
    pub number: u64,
}

impl ContainerId {
    /// Reads a container id at the start of `text` and returns it with the rest.
    #[must_use]
    pub fn parse_prefix(text: &[u8]) -> Option<(Self, &[u8])> {
        let text = text.strip_prefix(b"container_")?;
        let (epoch, text) = match text.strip_prefix(b"e") {
            Some(rest) => {
                let (epoch, rest) = number(rest)?;
                (u32::try_from(epoch).ok()?, rest.strip_prefix(b"_")?)
            }
            None => (0, text),
        };
        let (job, rest) = JobId::parse_digits(text)?;
        let (try_number, rest) = number(rest.strip_prefix(b"_")?)?;
        let (number, rest) = number(rest.strip_prefix(b"_")?)?;
        Some((Self { job, epoch, try_number: u32::try_from(try_number).ok()?, number }, rest))
    }

    /// The first container id anywhere in `text`.
    #[must_use]
    pub fn find(text: &[u8]) -> Option<Self> {
        find_by(text, b"container_", |rest| Some(Self::parse_prefix(rest)?.0))
    }
}

impl fmt::Display for ContainerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("container_")?;
        if self.epoch != 0 {
            write!(f, "e{:02}_", self.epoch)?;
        }
        cluster_digits(f, self.job.cluster)?;
        write!(f, "{:04}_{:02}_{:06}", self.job.number, self.try_number, self.number)
    }
}

/// An HDFS block without its generation stamp: the stamp changes when a pipeline is
/// rebuilt, the block stays the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BlockId(pub i64);

impl BlockId {
    /// Reads `blk_N` or `blk_N_STAMP` at the start of `text`; a block pool in front
    /// (`BP-…:blk_…`) is passed over. Returns the block and the rest.
    #[must_use]
    pub fn parse_prefix(text: &[u8]) -> Option<(Self, &[u8])> {
        let text = if text.starts_with(b"BP-") {
            let colon = memchr::memchr(b':', text)?;
            text.get(colon + 1..)?
        } else {
            text
        };
        let text = text.strip_prefix(b"blk_")?;
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (n, rest) = number(text)?;
        let id = if negative { 0_i64.checked_sub_unsigned(n)? } else { i64::try_from(n).ok()? };
        let rest = match rest.strip_prefix(b"_").and_then(number) {
            Some((_, after)) => after,
            None => rest,
        };
        Some((Self(id), rest))
    }

    /// The first block named in `text`.
    #[must_use]
    pub fn find(text: &[u8]) -> Option<Self> {
        find_by(text, b"blk_", |rest| Some(Self::parse_prefix(rest)?.0))
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blk_{}", self.0)
    }
}

/// As many digits fit into 64 bits whichever they are.
const SURE_DIGITS: usize = 19;

/// Reads the decimal digits at the start of `text`: their value and the rest.
/// `None` if there is no digit or the value does not fit.
#[must_use]
pub fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (mut value, mut rest) = (0_u64, text);
    // A cluster's number has twelve or thirteen digits, a job's four, a task's six.
    if let Some((first, behind)) = rest.split_first_chunk()
        && let Some(digits) = eight_digits(u64::from_le_bytes(*first))
    {
        (value, rest) = (digits, behind);
    }
    if let Some((first, behind)) = rest.split_first_chunk()
        && let Some(digits) = four_digits(u32::from_le_bytes(*first))
    {
        (value, rest) = (value * 10_000 + digits, behind);
    }
    while let [b @ b'0'..=b'9', behind @ ..] = rest {
        let digit = u64::from(b - b'0');
        // WebAssembly has no multiplication that tells of an overflow: a call for each digit.
        let sure = text.len() - rest.len() < SURE_DIGITS;
        value = if sure { value * 10 + digit } else { value.checked_mul(10)?.checked_add(digit)? };
        rest = behind;
    }
    (rest.len() < text.len()).then_some((value, rest))
}

/// The number that eight digits are, the first in the lowest byte, all at once: neighbours become numbers below
/// a hundred, those below ten thousand, and those one.
const fn eight_digits(text: u64) -> Option<u64> {
    const ZEROS: u64 = 0x3030_3030_3030_3030;
    const UPPER: u64 = 0xf0f0_f0f0_f0f0_f0f0;
    // The upper half of a digit's byte is 3, and stays 3 when 6 is added.
    let upper = [text & UPPER, text.wrapping_add(0x0606_0606_0606_0606) & UPPER];
    if !matches!(upper, [ZEROS, ZEROS]) {
        return None;
    }
    let ones = text.wrapping_sub(ZEROS);
    let tens = (ones & 0x00ff_00ff_00ff_00ff) * 10 + (ones >> 8 & 0x00ff_00ff_00ff_00ff);
    let hundreds = (tens & 0x0000_ffff_0000_ffff) * 100 + (tens >> 16 & 0x0000_ffff_0000_ffff);
    Some((hundreds & 0xffff_ffff) * 10_000 + (hundreds >> 32))
}

/// The same of four: of eight whose first are zeros.
const fn four_digits(text: u32) -> Option<u64> {
    eight_digits((text as u64) << 32 | 0x3030_3030)
}

#[cfg(test)]
mod tests;
