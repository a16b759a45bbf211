//! The OS metrics that nodes are compared by: the sadc-vector of Kahuna's Table II (K16), as sysstat measures it.

/// One of them, in the order of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// `%user`: the processors' time in programs.
    User,
    /// `%system`: the processors' time in the kernel.
    System,
    /// `%iowait`: the processors' time with nothing to do but to wait for disks.
    Iowait,
    /// `cswch/s`: switches from one task to another.
    Switches,
    /// `runq-sz`: tasks that wait for a processor.
    RunQueue,
    /// `plist-sz`: processes and threads that there are.
    Processes,
    /// `ldavg-1`: load over a minute.
    Load,
    /// `rxkB/s`, in bytes: received over all interfaces but the loopback.
    Received,
    /// `txkB/s`, in bytes: sent over the same.
    Sent,
    /// `pgpgin/s`: from disks into memory.
    PagedIn,
    /// `pgpgout/s`: from memory to disks.
    PagedOut,
    /// `fault/s`: page faults.
    Faults,
    /// `bread/s`: blocks of 512 bytes read from disks.
    BlocksRead,
    /// `bwrtn/s`: blocks of 512 bytes written to disks.
    BlocksWritten,
}

/// Something of each metric, in the order of [`Metric::ALL`].
pub type OfMetrics<T> = [T; Metric::ALL.len()];

impl Metric {
    /// All, in their order.
    pub const ALL: [Self; 14] = [
        Self::User,
        Self::System,
        Self::Iowait,
        Self::Switches,
        Self::RunQueue,
        Self::Processes,
        Self::Load,
        Self::Received,
        Self::Sent,
        Self::PagedIn,
        Self::PagedOut,
        Self::Faults,
        Self::BlocksRead,
        Self::BlocksWritten,
    ];

    /// Its place in [`Metric::ALL`].
    #[must_use]
    pub const fn place(self) -> usize {
        self as usize
    }

    /// Its bit in a set of metrics.
    #[must_use]
    pub const fn bit(self) -> u16 {
        1 << self.place()
    }

    /// Its name in tables, sentences and `extract samples`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::System => "system",
            Self::Iowait => "iowait",
            Self::Switches => "ctxt",
            Self::RunQueue => "runq_sz",
            Self::Processes => "plist_sz",
            Self::Load => "ldavg_1",
            Self::Received => "eth_rxbyt",
            Self::Sent => "eth_txbyt",
            Self::PagedIn => "pgpgin",
            Self::PagedOut => "pgpgout",
            Self::Faults => "fault",
            Self::BlocksRead => "bread",
            Self::BlocksWritten => "bwrtn",
        }
    }

    /// The metric of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|metric| metric.name() == name)
    }

    /// Its unit.
    #[must_use]
    pub const fn unit(self) -> &'static str {
        match self {
            Self::User | Self::System | Self::Iowait => "%",
            Self::Switches => "switches/s",
            Self::RunQueue | Self::Processes | Self::Load => "tasks",
            Self::Received | Self::Sent => "B/s",
            Self::PagedIn | Self::PagedOut => "kB/s",
            Self::Faults => "faults/s",
            Self::BlocksRead | Self::BlocksWritten => "blocks/s",
        }
    }

    /// Whether it tells what stands there from earlier, not what happens in this second: it may be high on a node that
    /// does nothing.
    #[must_use]
    pub const fn is_standing(self) -> bool {
        matches!(self, Self::Processes | Self::Load)
    }

    /// Whether it is a share of the processors' time, which sysstat tells of each processor and of all.
    #[must_use]
    pub const fn is_of_processors(self) -> bool {
        matches!(self, Self::User | Self::System | Self::Iowait)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_in_the_list() {
        assert_eq!(Metric::ALL.map(Metric::place), std::array::from_fn(|i| i));
        assert!(Metric::ALL.iter().all(|metric| Metric::named(metric.name()) == Some(*metric)));
        assert_eq!(Metric::named("users"), None);
    }
}
