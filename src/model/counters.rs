//! Counters of an attempt that are used.
//!
//! ```text
//! {"name":"SPILLED_RECORDS","displayName":"Spilled Records","value":27}      →  spilled_records 27
//! ```
//! Names of `org.apache.hadoop.mapreduce.{TaskCounter,FileSystemCounter}`, 0.21 on; formats that
//! write older ones turn them into these.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What a counter says, if it was counted, in no more room than a number takes: attempts come in
/// millions, with ten counters each.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Count(i64);

impl Count {
    /// Was not counted. No counter falls so low.
    const NONE: i64 = i64::MIN;

    /// What it says.
    #[must_use]
    pub const fn get(self) -> Option<i64> {
        if self.0 == Self::NONE { None } else { Some(self.0) }
    }
}

impl Default for Count {
    /// Not counted.
    fn default() -> Self {
        Self(Self::NONE)
    }
}

impl From<Option<i64>> for Count {
    fn from(value: Option<i64>) -> Self {
        value.map_or_else(Self::default, Self)
    }
}

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.get().serialize(to)
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(Self::from)
    }
}

impl std::fmt::Debug for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.get().fmt(f)
    }
}

/// Counters of an attempt that are used; none where the history does not have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// HDFS_BYTES_READ.
    pub hdfs_read: Count,
    /// HDFS_BYTES_WRITTEN.
    pub hdfs_written: Count,
    /// FILE_BYTES_READ.
    pub file_read: Count,
    /// FILE_BYTES_WRITTEN.
    pub file_written: Count,
    /// MAP_OUTPUT_BYTES.
    pub map_output: Count,
    /// REDUCE_SHUFFLE_BYTES.
    pub shuffle: Count,
    /// SPILLED_RECORDS.
    pub spilled_records: Count,
    /// MAP_OUTPUT_RECORDS.
    pub map_output_records: Count,
    /// CPU_MILLISECONDS.
    pub cpu_ms: Count,
    /// GC_TIME_MILLIS.
    pub gc_ms: Count,
}

impl Counters {
    /// Takes from another what this does not have.
    pub fn fill_from(&mut self, other: &Self) {
        for (own, rest) in [
            (&mut self.hdfs_read, other.hdfs_read),
            (&mut self.hdfs_written, other.hdfs_written),
            (&mut self.file_read, other.file_read),
            (&mut self.file_written, other.file_written),
            (&mut self.map_output, other.map_output),
            (&mut self.shuffle, other.shuffle),
            (&mut self.spilled_records, other.spilled_records),
            (&mut self.map_output_records, other.map_output_records),
            (&mut self.cpu_ms, other.cpu_ms),
            (&mut self.gc_ms, other.gc_ms),
        ] {
            *own = own.get().or(rest.get()).into();
        }
    }

    /// What a reduce fetched: before 0.20 it does not count that, but reads it from its disk.
    #[must_use]
    pub fn fetched(&self) -> Option<i64> {
        self.shuffle.get().or(self.file_read.get())
    }

    /// The counter of Hadoop's name, if it is one of those kept.
    pub fn slot(&mut self, name: &str) -> Option<&mut Count> {
        Some(match name {
            "HDFS_BYTES_READ" => &mut self.hdfs_read,
            "HDFS_BYTES_WRITTEN" => &mut self.hdfs_written,
            "FILE_BYTES_READ" => &mut self.file_read,
            "FILE_BYTES_WRITTEN" => &mut self.file_written,
            "MAP_OUTPUT_BYTES" => &mut self.map_output,
            "REDUCE_SHUFFLE_BYTES" => &mut self.shuffle,
            "SPILLED_RECORDS" => &mut self.spilled_records,
            "MAP_OUTPUT_RECORDS" => &mut self.map_output_records,
            "CPU_MILLISECONDS" => &mut self.cpu_ms,
            "GC_TIME_MILLIS" => &mut self.gc_ms,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counters_take_no_more_than_their_numbers() {
        assert_eq!(size_of::<Counters>(), 10 * size_of::<i64>());
        assert_eq!(Counters::default().gc_ms.get(), None);
    }

    #[test]
    fn a_reduce_of_old_fetched_what_it_read() {
        let counters = Counters { file_read: Some(7).into(), ..Counters::default() };
        assert_eq!(
            (counters.fetched(), Counters { shuffle: Some(0).into(), ..counters }.fetched()),
            (Some(7), Some(0))
        );
    }

    proptest! {
        #[test]
        fn count_is_written_as_a_number_that_may_lack(n in proptest::option::of(i64::MIN + 1..)) {
            let bytes = postcard::to_stdvec(&Count::from(n)).unwrap();
            prop_assert_eq!(&bytes, &postcard::to_stdvec(&n).unwrap());
            prop_assert_eq!(postcard::from_bytes::<Count>(&bytes).unwrap().get(), n);
        }
    }
}
