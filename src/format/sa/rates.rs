//! Counters of two records to rates, as `sar -A` and `sadf` compute them.
//!
//! ```text
//! rate = (now − before) / hundredths of a second × 100      %usr = Δ(user − guest) / Σ all CPUs' Δ × 100
//! ```
//! `user` and `system` are `%usr` and `%sys`, which is what `-A` prints: without guests,
//! and without interrupts. All processors together are the sum of those that were online
//! both times, as sysstat has it since 11.7.
//!
//! Cost: O(processors + interfaces · log interfaces) a record.

use super::layout::{Activity, Fields, Kept, Numbers};
use crate::base::Gathered;
use crate::format::metrics::{Gather, LOOPBACK, printed};
use crate::model::Metric;
use std::collections::BTreeMap;

/// Fields of a processor, in sysstat's order.
mod cpu {
    pub const USER: usize = 0;
    pub const NICE: usize = 1;
    pub const SYSTEM: usize = 2;
    pub const IDLE: usize = 3;
    pub const IOWAIT: usize = 4;
    pub const GUEST: usize = 8;
    pub const GUEST_NICE: usize = 9;
    /// Those that add up to all time: guests are in `USER` and `NICE`.
    pub const ALL: usize = 8;
}

/// Longest name of an interface.
const IFACE_BYTES: usize = 16;
/// A counter this near to its end may have passed it: sysstat's own bound.
const NEAR_END: u64 = u64::MAX - 0x7ffff;

/// Time a processor spent, by kind.
type Cpu = [u64; 10];

/// The counters of one record.
#[derive(Clone, Debug, Default)]
pub struct Counters {
    /// When, since the machine started.
    pub uptime_cs: u64,
    cpus: Vec<Cpu>,
    switches: Option<u64>,
    paging: Option<[u64; 3]>,
    blocks: Option<[u64; 2]>,
    queue: Option<[u64; 3]>,
    interfaces: Option<Vec<([u8; IFACE_BYTES], [u64; 2])>>,
}

impl Counters {
    /// None yet, after so many hundredths of a second since the machine started.
    #[must_use]
    pub fn at(uptime_cs: u64) -> Self {
        Self { uptime_cs, ..Self::default() }
    }

    /// Processors of the machine; nothing where the record does not tell of them.
    #[must_use]
    pub fn processors(&self) -> Option<u32> {
        // Before them stands what all have in common, but on kernels for one processor.
        let each = self.cpus.len().checked_sub(1)?;
        u32::try_from(each.max(1)).ok()
    }

    /// Takes the items of an activity; `None` where they are cut.
    pub fn take(&mut self, activity: &Activity, numbers: Numbers, bytes: &[u8]) -> Option<()> {
        let Some((kind, fields)) = activity.kept else { return Some(()) };
        let items = bytes.chunks_exact(activity.size);
        let first = items.clone().next();
        match kind {
            Kept::Cpu => {
                self.cpus = items.map(|item| cpu_of(item, fields, numbers)).collect::<Option<_>>()?;
            }
            Kept::Switches => self.switches = Some(number(first?, fields, 0, numbers)?),
            Kept::Paging => {
                let item = first?;
                self.paging = Some([
                    number(item, fields, 0, numbers)?,
                    number(item, fields, 1, numbers)?,
                    number(item, fields, 2, numbers)?,
                ]);
            }
            Kept::Blocks => {
                let item = first?;
                self.blocks = Some([number(item, fields, 0, numbers)?, number(item, fields, 1, numbers)?]);
            }
            Kept::Queue => {
                let item = first?;
                let threads_at = fields.at[1];
                let threads = match fields.width {
                    8 => numbers.u64(item, threads_at)?,
                    _ => u64::from(numbers.u32(item, threads_at)?),
                };
                let load = u64::from(numbers.u32(item, fields.extra_at)?);
                self.queue = Some([number(item, fields, 0, numbers)?, threads, load]);
            }
            Kept::Interfaces => {
                let of = |item: &[u8]| {
                    let name = *item.get(fields.extra_at..)?.first_chunk()?;
                    Some((name, [number(item, fields, 0, numbers)?, number(item, fields, 1, numbers)?]))
                };
                self.interfaces = Some(items.map(of).collect::<Option<_>>()?);
            }
        }
        Some(())
    }

    /// Tells the metrics between `before` and this record.
    pub fn tell(&mut self, before: &Self, gather: &mut Gather) {
        let interval_cs = self.uptime_cs.saturating_sub(before.uptime_cs).max(1);
        let rate =
            |now: u64, then: u64| now.checked_sub(then).and_then(|n| printed(n as f64 / interval_cs as f64 * 100.0));
        let mut tell = |metric: Metric, value: Option<u64>| {
            if let Some(value) = value {
                gather.value(metric, value);
            }
        };
        if let Some([user, system, iowait]) = self.shares(before) {
            tell(Metric::User, user);
            tell(Metric::System, system);
            tell(Metric::Iowait, iowait);
        }
        if let (Some(now), Some(then)) = (self.switches, before.switches) {
            tell(Metric::Switches, rate(now, then));
        }
        if let Some([running, threads, load]) = self.queue {
            tell(Metric::RunQueue, running.checked_mul(100));
            tell(Metric::Processes, threads.checked_mul(100));
            // Stored as hundredths.
            tell(Metric::Load, Some(load));
        }
        if let (Some(now), Some(then)) = (&self.interfaces, &before.interfaces) {
            let [rx, tx] = bytes(now, then);
            tell(Metric::Received, printed(rx / interval_cs as f64 * 100.0));
            tell(Metric::Sent, printed(tx / interval_cs as f64 * 100.0));
        }
        if let (Some(now), Some(then)) = (self.paging, before.paging) {
            for (metric, (now, then)) in
                [Metric::PagedIn, Metric::PagedOut, Metric::Faults].into_iter().zip(now.into_iter().zip(then))
            {
                tell(metric, rate(now, then));
            }
        }
        if let (Some(now), Some(then)) = (self.blocks, before.blocks) {
            for (metric, (now, then)) in
                [Metric::BlocksRead, Metric::BlocksWritten].into_iter().zip(now.into_iter().zip(then))
            {
                // A disk that was taken out takes its count along: sysstat prints 0.
                tell(metric, rate(now, then).or(Some(0)));
            }
        }
    }

    /// `%usr`, `%sys` and `%iowait` of all processors, in hundredths.
    fn shares(&mut self, before: &Self) -> Option<[Option<u64>; 3]> {
        let alone = self.cpus.len() == 1;
        let mut total = 0_u64;
        let (mut all_now, mut all_then) = ([0; 10], [0; 10]);
        let pairs = self.cpus.iter_mut().zip(&before.cpus).skip(usize::from(!alone));
        for (now, then) in pairs {
            let mut then = *then;
            if spent(now) == 0 {
                // Offline: not in /proc/stat. It comes back with the counts it had.
                *now = then;
                continue;
            }
            if spent(&then) == 0 {
                continue;
            }
            total = total.saturating_add(interval(now, &mut then));
            for (sum, field) in all_now.iter_mut().zip(*now).chain(all_then.iter_mut().zip(then)) {
                *sum = u64::wrapping_add(*sum, field);
            }
        }
        if self.cpus.is_empty() || before.cpus.is_empty() {
            return None;
        }
        let share = |now: u64, then: u64| printed(now.saturating_sub(then) as f64 / total.max(1) as f64 * 100.0);
        let without_guests = |c: &Cpu| c[cpu::USER].saturating_sub(c[cpu::GUEST]);
        Some([
            share(without_guests(&all_now), without_guests(&all_then)),
            share(all_now[cpu::SYSTEM], all_then[cpu::SYSTEM]),
            share(all_now[cpu::IOWAIT], all_then[cpu::IOWAIT]),
        ])
    }
}

fn number(item: &[u8], fields: Fields, i: usize, numbers: Numbers) -> Option<u64> {
    let at = *fields.at.get(i)?;
    match fields.width {
        8 => numbers.u64(item, at),
        4 => numbers.u32(item, at).map(u64::from),
        _ => numbers.long(item, at),
    }
}

fn cpu_of(item: &[u8], fields: Fields, numbers: Numbers) -> Option<Cpu> {
    let mut cpu = Cpu::default();
    for (i, field) in cpu.iter_mut().take(fields.count).enumerate() {
        *field = numbers.u64(item, i * fields.step)?;
    }
    Some(cpu)
}

fn spent(cpu: &Cpu) -> u64 {
    cpu.iter().take(cpu::ALL).fold(0, |sum, field| u64::wrapping_add(sum, *field))
}

/// Time between two readings of a processor. Its idle and waiting time may go back: `then`
/// is set so that the difference is what sysstat takes it for.
fn interval(now: &Cpu, then: &mut Cpu) -> u64 {
    let mut shift = 0_u64;
    for (kind, guest) in [(cpu::USER, cpu::GUEST), (cpu::NICE, cpu::GUEST_NICE)] {
        let of = |c: &Cpu| c.get(kind).copied().unwrap_or(0).wrapping_sub(c.get(guest).copied().unwrap_or(0));
        // A guest may be counted before the processor that it ran on.
        shift = shift.wrapping_add(of(then).saturating_sub(of(now)));
    }
    if now[cpu::IOWAIT] < then[cpu::IOWAIT] && then[cpu::IOWAIT] < NEAR_END {
        let misjudged = now[cpu::IDLE] > then[cpu::IDLE] || then[cpu::IDLE] >= NEAR_END;
        then[cpu::IOWAIT] = if misjudged { now[cpu::IOWAIT] } else { 0 };
    }
    if now[cpu::IDLE] < then[cpu::IDLE] && then[cpu::IDLE] < NEAR_END {
        then[cpu::IDLE] = 0;
    }
    spent(now).wrapping_sub(spent(then)).wrapping_add(shift)
}

/// Bytes received and sent between two records over all interfaces but lo. One that is
/// new, or whose counts went back because it was set up anew, counts from 0.
fn bytes(now: &[([u8; IFACE_BYTES], [u64; 2])], then: &[([u8; IFACE_BYTES], [u64; 2])]) -> [f64; 2] {
    let then: BTreeMap<_, _> = then.iter().map(|(name, counts)| (name, *counts)).gathered();
    let mut sum = [0.0; 2];
    for (name, counts) in now {
        let end = name.iter().position(|b| *b == 0).unwrap_or(name.len());
        let shown = name.get(..end).unwrap_or_default();
        if shown.is_empty() || shown == LOOPBACK {
            continue;
        }
        let before = then.get(name).copied().unwrap_or_default();
        let anew = counts.iter().zip(before).any(|(now, then)| *now < then);
        for ((sum, now), then) in sum.iter_mut().zip(counts).zip(before) {
            *sum += now.saturating_sub(if anew { 0 } else { then }) as f64;
        }
    }
    sum
}
