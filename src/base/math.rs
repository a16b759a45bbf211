//! Transcendental functions that give the same bits natively and in wasm, and a mixer of bits.
//!
//! `f64::ln` and `f64::exp` go to the platform's libm and differ by an ulp
//! between targets; a report must not, so every room calls these instead
//! (clippy's `disallowed-methods` enforces it). Square roots are exact by
//! IEEE 754 and may stay `f64::sqrt`.

/// Natural logarithm.
#[must_use]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// Logarithm to base 2.
#[must_use]
pub fn log2(x: f64) -> f64 {
    libm::log2(x)
}

/// The exponential function.
#[must_use]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// The number to so many parts of one: 1,000 for three decimals.
#[must_use]
pub fn rounded(x: f64, parts: f64) -> f64 {
    (x * parts).round() / parts
}

/// How many pairs so many of a kind make; the greatest number where it has no room (32 bits end at 65,536 of them).
#[must_use]
pub const fn pairs(n: usize) -> usize {
    n.saturating_mul(n.saturating_sub(1)) / 2
}

/// `x` to the power `y`.
#[must_use]
pub fn pow(x: f64, y: f64) -> f64 {
    libm::pow(x, y)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): each bit of `x` changes half of the others.
#[must_use]
pub const fn mixed(x: u64) -> u64 {
    let x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
