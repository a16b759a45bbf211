//! Simulated clusters, small enough for tests.

#![allow(dead_code, reason = "each test takes what it needs")]

use oddnode::model::Digest;
use oddnode::pipeline::Ingest;
use oddnode::simulate::{self, Fault, Generation, Packing, Run, Spec, Workload};
use oddnode::source::Limits;

/// A small run.
pub fn spec(workload: Workload, fault: Fault, generation: Generation) -> Spec {
    Spec {
        run: "sim".into(),
        nodes: 6,
        workload,
        fault,
        generation,
        speculation: false,
        strace: false,
        size: 0.5,
        seed: 11,
    }
}

/// Its logs as an archive.
pub fn packed(run: &Run, packing: Packing) -> Vec<u8> {
    let mut bytes = Vec::new();
    simulate::write_archive(run, packing, &mut bytes).unwrap();
    bytes
}

/// What was read of them.
pub fn digest_of(run: &Run) -> Digest {
    let mut ingest = Ingest::new(Limits::default());
    ingest.start("sim.tar");
    ingest.feed(&packed(run, Packing::Plain));
    ingest.finish_input();
    ingest.into_digest()
}
