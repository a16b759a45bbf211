//! The paper's four workloads as plans of jobs (Kahuna §VII-A), scaled to minutes.
//!
//! ```text
//! randwriter   one job: maps that make bytes and write them, no reduce
//! sort         one job: as much in as out, through the shuffle
//! nutch        five jobs of a crawl: inject, generate, fetch, parse, update
//! pig          three jobs that compute: join, group, order
//! ```
//! Sizes grow with the cluster, so that a node has as much to do in each; the paper's 24 GB
//! a task and 5 GB are cut down so that a run takes minutes. Costs per byte are those of
//! identity functions on a core of that time (some 10 MB/s through a map); Pig's and the
//! parser's are five and four times that.

use super::Workload;

/// Bytes of a block.
pub const BLOCK_BYTES: f64 = 64e6;

/// What a job is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// What it is called.
    pub name: &'static str,
    /// Maps.
    pub maps: usize,
    /// Bytes that a map reads.
    pub map_in: f64,
    /// Core seconds of a map beyond its start.
    pub map_cpu_s: f64,
    /// Deviation of the logarithm of a map's costs: input differs.
    pub map_spread: f64,
    /// Seconds that a map waits for others (a web server).
    pub map_wait_s: f64,
    /// Bytes that a map leaves for the reduces.
    pub map_out: f64,
    /// Bytes that a map writes to the file system.
    pub map_writes: f64,
    /// Reduces.
    pub reduces: usize,
    /// Core seconds of a reduce for a byte that it takes in.
    pub reduce_cpu_s_per_byte: f64,
    /// Bytes written for a byte taken in.
    pub reduce_out: f64,
}

/// A map's core seconds for a byte: identity.
const MAP_CPU: f64 = 0.1 / 1e6;
/// A reduce's core seconds for a byte: identity.
const REDUCE_CPU: f64 = 0.08 / 1e6;

/// Neither maps nor reduces yet.
pub(super) const NONE: Plan = Plan {
    name: "",
    maps: 0,
    map_in: 0.0,
    map_cpu_s: 0.0,
    map_spread: 0.08,
    map_wait_s: 0.0,
    map_out: 0.0,
    map_writes: 0.0,
    reduces: 0,
    reduce_cpu_s_per_byte: REDUCE_CPU,
    reduce_out: 1.0,
};

/// The jobs of a workload on so many nodes, one after another.
#[must_use]
pub fn plans(workload: Workload, nodes: usize, size: f64) -> Vec<Plan> {
    let per_node = |count: f64| ((nodes as f64 * count * size).round() as usize).max(2);
    let reduces = |count: f64| ((nodes as f64 * count).round() as usize).max(2);
    match workload {
        Workload::RandWriter => vec![Plan {
            name: "random-writer",
            maps: per_node(12.0),
            map_cpu_s: 6.0,
            map_writes: 2.0 * BLOCK_BYTES,
            ..NONE
        }],
        Workload::Sort => vec![Plan {
            name: "sorter",
            maps: per_node(12.0),
            map_in: BLOCK_BYTES,
            map_cpu_s: BLOCK_BYTES * MAP_CPU,
            map_out: BLOCK_BYTES,
            reduces: reduces(1.8),
            ..NONE
        }],
        Workload::Nutch => {
            let job = |name, maps: f64, reduce: f64, map_in: f64, out: f64| Plan {
                name,
                maps: per_node(maps),
                map_in,
                map_cpu_s: map_in * MAP_CPU,
                map_spread: 0.2,
                map_out: map_in * out,
                reduces: reduces(reduce),
                ..NONE
            };
            vec![
                job("inject crawldb", 2.0, 0.5, 8e6, 1.0),
                job("generate: select", 3.0, 0.5, 16e6, 0.3),
                Plan {
                    map_cpu_s: 6.0,
                    map_wait_s: 25.0,
                    map_spread: 0.3,
                    map_writes: 24e6,
                    ..job("fetch segment", 4.0, 0.5, 4e6, 0.5)
                },
                Plan { map_cpu_s: 24e6 * MAP_CPU * 4.0, ..job("parse segment", 4.0, 0.5, 24e6, 0.5) },
                job("crawldb update", 4.0, 1.0, 32e6, 0.8),
            ]
        }
        Workload::Pig => {
            let job = |name, maps: f64, reduce: f64, out: f64| Plan {
                name,
                maps: per_node(maps),
                map_in: 32e6,
                map_cpu_s: 32e6 * MAP_CPU * 5.0,
                map_spread: 0.12,
                map_out: 32e6 * out,
                reduces: reduces(reduce),
                reduce_cpu_s_per_byte: REDUCE_CPU * 4.0,
                reduce_out: 0.3,
                ..NONE
            };
            vec![
                job("PigLatin:join.pig", 6.0, 1.8, 0.5),
                job("PigLatin:group.pig", 4.0, 1.8, 0.3),
                job("PigLatin:order.pig", 2.0, 0.9, 0.8),
            ]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_grows_with_the_cluster() {
        for workload in Workload::ALL {
            let (small, large) = (plans(workload, 10, 1.0), plans(workload, 50, 1.0));
            assert_eq!(small.len(), large.len());
            for (a, b) in small.iter().zip(&large) {
                assert_eq!((a.maps * 5, a.map_in), (b.maps, b.map_in), "{}", a.name);
                assert!(a.map_in > 0.0 || a.map_writes > 0.0, "{} does nothing", a.name);
            }
        }
        assert_eq!(plans(Workload::RandWriter, 10, 1.0).first().map(|p| p.reduces), Some(0));
    }
}
