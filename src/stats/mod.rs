//! Numbers in, numbers out: no word of Hadoop here. Every function gives the same bits
//! natively and in wasm (logarithms through `base::math`, seeds fixed).
//!
#![allow(
    clippy::indexing_slicing,
    reason = "kernels index by positions that they made a line above; iterators would hide the matrix arithmetic"
)]

pub mod binomial;
pub mod correlation;
pub mod decay;
pub mod divergence;
pub mod histogram;
pub mod hypergeometric;
pub mod kmeans;
pub mod majority;
pub mod mixture;
pub mod moments;
pub mod onset;
pub mod outlier;
pub mod permutation;
pub mod quantile;
pub mod random;
