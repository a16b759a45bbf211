//! What loss does to a connection.
//!
//! ```text
//! steady throughput    MSS / RTT · 1.22 / sqrt(p)          Mathis et al., CCR 27(3), 1997
//! a retransmission that is lost too waits for the timer:   about p² · AWAITED of the packets,
//!     200 ms, doubled as often as it is lost again
//! a connection is made at the first SYN and SYN-ACK that both come through:
//!     1 s, 2 s, 4 s … otherwise
//! ```
//! `p` is the chance that a packet or its answer is lost: both ends drop in both
//! directions. [`AWAITED`] is set by real runs (0.20.2 on links of 80 Mbit/s): at 20 % loss a
//! fetch of 400 kB takes about twice as long on average and the slowest tenth ten times, at
//! 50 % five seconds instead of 0.2.

use super::draw::Draw;

/// Bytes of a segment on Ethernet.
const SEGMENT_BYTES: f64 = 1448.0;
/// Round trip in a rack, with the switch's queue under load.
const ROUND_TRIP_S: f64 = 0.0004;
/// Mathis' constant for an acknowledgement of every packet.
const MATHIS: f64 = 1.22;
/// Share of lost retransmissions that wait for the timer; later acknowledgements repair the
/// others. Set by the real runs named above.
const AWAITED: f64 = 0.05;
/// TCP's shortest timer on Linux.
const TIMER_S: f64 = 0.2;
/// First wait for an answer to a SYN.
const CONNECT_S: f64 = 1.0;
/// Doublings at most: Hadoop's own timeouts come before a seventh.
const MAX_DOUBLINGS: u32 = 6;

/// Chance that a packet or its answer is lost where each end drops `a` or `b` both ways.
#[must_use]
pub fn round_loss(a: f64, b: f64) -> f64 {
    // Data passes both ends; acknowledgements are cumulative, so their loss hardly matters.
    1.0 - (1.0 - a) * (1.0 - b)
}

/// The highest rate that a connection with loss `p` keeps up between timeouts.
#[must_use]
pub fn steady_rate(p: f64) -> f64 {
    if p <= 0.0 { f64::INFINITY } else { MATHIS * SEGMENT_BYTES / (ROUND_TRIP_S * p.sqrt()) }
}

/// Seconds that a transfer of `bytes` stands still, waiting for timers.
pub fn stalls_s(p: f64, bytes: f64, draw: &mut Draw) -> f64 {
    if p <= 0.0 {
        return 0.0;
    }
    let timeouts = draw.count(bytes / SEGMENT_BYTES * p * p * AWAITED);
    (0..timeouts).map(|_| TIMER_S * doubled(p, draw)).sum()
}

/// Seconds until a connection stands.
pub fn connect_s(p: f64, draw: &mut Draw) -> f64 {
    // SYN and SYN-ACK must both come through.
    let lost = 1.0 - (1.0 - p) * (1.0 - p);
    if p > 0.0 && draw.happens(lost) { CONNECT_S * (doubled(lost, draw) * 2.0 - 1.0) } else { 0.0 }
}

/// Seconds that a call on a standing connection waits.
pub fn call_s(p: f64, draw: &mut Draw) -> f64 {
    let lost = 1.0 - (1.0 - p) * (1.0 - p);
    if p > 0.0 && draw.happens(lost) { TIMER_S * (doubled(lost, draw) * 2.0 - 1.0) } else { 0.0 }
}

/// 1, doubled as often as the next try is lost too.
fn doubled(p: f64, draw: &mut Draw) -> f64 {
    let mut times = 0;
    while times < MAX_DOUBLINGS && draw.happens(p) {
        times += 1;
    }
    f64::from(1_u32 << times)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean seconds of a fetch of 400 kB over a link of 10 MB/s.
    fn fetch_s(p: f64) -> f64 {
        let mut draw = Draw::new(3);
        let one = |draw: &mut Draw| 4e5 / steady_rate(p).min(1e7) + stalls_s(p, 4e5, draw);
        (0..2000).map(|_| one(&mut draw)).sum::<f64>() / 2000.0
    }

    #[test]
    fn loss_slows_as_on_the_real_links() {
        assert!((fetch_s(0.0) - 0.04).abs() < 1e-9);
        assert!(fetch_s(0.01) < 0.042, "TCP hides 1 %: {}", fetch_s(0.01));
        assert!(fetch_s(0.05) < 0.06, "and 5 % on such a link: {}", fetch_s(0.05));
        let (fifth, half) = (fetch_s(0.2), fetch_s(0.5));
        assert!((0.1..0.6).contains(&fifth), "{fifth}");
        assert!((1.5..6.0).contains(&half), "{half}");
    }

    #[test]
    fn no_loss_no_wait() {
        let mut draw = Draw::new(3);
        assert_eq!((stalls_s(0.0, 1e9, &mut draw), connect_s(0.0, &mut draw), call_s(0.0, &mut draw)), (0.0, 0.0, 0.0));
        assert_eq!(round_loss(0.0, 0.0), 0.0);
        assert!((round_loss(0.5, 0.0) - 0.5).abs() < 1e-12);
    }
}
