//! Blocks that their writer keeps open: how long they take to be written says nothing of the nodes that hold them.
//!
//! An ApplicationMaster of Hadoop 2 and 3 writes its job's history into one block of HDFS as long as the job runs
//! (`JobHistoryEventHandler`); so do daemons that log into HDFS. No attempt writes them.

/// Who writes a file in one go is not so slow, nor is anybody for so short a time.
const BYTES_A_SECOND: f64 = 4096.0;
/// See [`BYTES_A_SECOND`].
const SECONDS: f64 = 10.0;

/// Whether a block that no attempt wrote, so many bytes in so many seconds, was kept open.
pub fn is_so(seconds: f64, bytes: u64) -> bool {
    seconds >= SECONDS && (bytes as f64) < BYTES_A_SECOND * seconds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_bytes_in_a_long_time_are_kept_open() {
        // The history of 24 maps, and blocks that a hurt disk or network takes long for.
        assert!(is_so(169.0, 129_000));
        assert!(!is_so(169.0, 4 << 20));
        assert!(!is_so(9.9, 100));
    }
}
