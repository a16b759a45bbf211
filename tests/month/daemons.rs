//! What the DataNodes of the month logged: each verifies a block every few minutes, by day and
//! by night; on a sick disk that fails as often as an attempt would.

use super::{BEGIN_MS, DISK, Month, write};
use oddnode::stats::random::Shuffler;
use std::fmt::Write;

/// A block of 64 MB at the scanner's usual pace, and its rest.
const SCAN_MS: f64 = 180_000.0;
const DAY_MS: i64 = 86_400_000;

/// `2012-10-04 02:11:07,042`
fn clock(at: i64) -> String {
    let (day, ms) = ((at - BEGIN_MS).div_euclid(DAY_MS), (at - BEGIN_MS).rem_euclid(DAY_MS));
    // The month begins on 1 October; what runs over it is November.
    let (month, day) = if day < 31 { (10, day + 1) } else { (11, day - 30) };
    let (s, ms) = (ms / 1000, ms % 1000);
    format!("2012-{month:02}-{day:02} {:02}:{:02}:{:02},{ms:03}", s / 3600, s / 60 % 60, s % 60)
}

/// The log of one node: its name and text.
pub fn datanode(month: &Month, node: usize, seed: u64) -> (String, String) {
    let mut rng = Shuffler::new(seed.wrapping_mul(1_000_003) ^ node as u64);
    let host = write::node(node);
    let mut out = format!(
        "{} INFO org.apache.hadoop.hdfs.server.datanode.DataNode: STARTUP_MSG: \n\
         /************************************************************\n\
         STARTUP_MSG: Starting DataNode\n\
         STARTUP_MSG:   host = {host}/10.1.0.{}\n\
         STARTUP_MSG:   args = []\n\
         STARTUP_MSG:   version = 0.20.2\n\
         ************************************************************/\n",
        clock(BEGIN_MS),
        node + 1
    );
    let mut at = BEGIN_MS + (rng.unit() * SCAN_MS) as i64;
    let end = BEGIN_MS + month.scale.days * DAY_MS;
    while at < end {
        let block = (rng.unit() * 4e18) as i64;
        let sick = month.sick.iter().find(|s| s.node == node && s.from_ms <= at && at < s.to_ms && s.error == DISK);
        let fails = sick.is_some_and(|s| rng.unit() < s.fails);
        let class = "org.apache.hadoop.hdfs.server.datanode.DataBlockScanner";
        let _ = match fails {
            false => writeln!(out, "{} INFO {class}: Verification succeeded for blk_{block}_1031", clock(at)),
            true => writeln!(
                out,
                "{} WARN {class}: First Verification failed for blk_{block}_1031. Exception : java.io.IOException: Input/output error\n\
                 \tat java.io.FileInputStream.readBytes(Native Method)",
                clock(at)
            ),
        };
        at += (SCAN_MS * (0.5 + rng.unit())) as i64;
    }
    (format!("logs/hadoop-hadoop-datanode-{host}.log"), out)
}
