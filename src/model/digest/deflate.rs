//! Deflates and inflates bytes in memory: frames, and blocks of rows of early versions.
//!
//! Each thread has its deflaters and its inflater, which are used again and again. Cost: O(bytes); some 300 kB a thread
//! and effort, and what comes out, which of a lie is a little more than the limit.

use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Effort that goes into the first frames of what is kept: all of a digest that leaves its node. With 1, 2, 3 and 6 the
/// digest of a GiB is 21.0, 18.0, 18.0 and 18.0 MB…
pub(super) const KEPT: Compression = Compression::new(2);
/// …and into those behind them, where time counts.
pub(super) const KEPT_FAST: Compression = Compression::new(1);
/// Effort that goes into what is read again at once.
pub(super) const PASSED: Compression = Compression::none();
/// Room for what comes out, at first and whenever it is full.
const STEP_BYTES: usize = 4 * 1024;

thread_local! {
    /// A deflater for each effort. To make one and fill its tables takes longer than to deflate what
    /// most files say; it is some 300 kB, and there are as many as there are threads.
    static DEFLATERS: RefCell<BTreeMap<u32, Compress>> = const { RefCell::new(BTreeMap::new()) };
    static INFLATER: RefCell<Decompress> = RefCell::new(Decompress::new(false));
}

pub(super) fn deflate(bytes: &[u8], effort: Compression) -> Vec<u8> {
    DEFLATERS.with_borrow_mut(|kept| {
        let deflater = kept.entry(effort.level()).or_insert_with(|| Compress::new(effort, false));
        deflater.reset();
        let mut out = Vec::new();
        loop {
            out.reserve(STEP_BYTES.max(out.len()));
            let rest = bytes.get(deflater.total_in() as usize..).unwrap_or_default();
            // Deflating bytes in memory does not fail.
            match deflater.compress_vec(rest, &mut out, FlushCompress::Finish) {
                Ok(Status::StreamEnd) | Err(_) => break,
                Ok(_) => {}
            }
        }
        out.shrink_to_fit();
        out
    })
}

/// `None` if the bytes were not deflated, are cut, or are more than `limit` inflated.
pub(super) fn inflate(bytes: &[u8], limit: u64) -> Option<Vec<u8>> {
    INFLATER.with_borrow_mut(|inflater| {
        inflater.reset(false);
        let mut out = Vec::new();
        loop {
            if out.len() as u64 > limit {
                return None;
            }
            out.reserve(STEP_BYTES.max(out.len()));
            let (taken, given) = (inflater.total_in(), inflater.total_out());
            let rest = bytes.get(taken as usize..).unwrap_or_default();
            match inflater.decompress_vec(rest, &mut out, FlushDecompress::None) {
                Ok(Status::StreamEnd) => return (out.len() as u64 <= limit).then_some(out),
                // Cut: nothing is left to take, and nothing comes.
                Ok(_) if (inflater.total_in(), inflater.total_out()) == (taken, given) => return None,
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    })
}
