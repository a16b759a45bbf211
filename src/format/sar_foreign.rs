//! What looks like sysstat's `sar` and is not: `sar` of other systems, `iostat` and `pidstat`.
//!
//! ```text
//! SunOS ala52s01 5.11 11.3 sun4v    05/26/2017       Solaris; AIX and HP-UX begin alike
//! Linux 1.2.3 (host)     06/01/20     _x86_64_    (9 CPU)     and behind it: avg-cpu:  %user   %nice …
//!                                                             or: 08:32:25  UID  PID  cswch/s nvcswch/s  Command
//! ```
//! Their tables have other columns, other units, and mostly other meanings. The files are
//! known so that it can be said what they are.
//! Cost: O(lines).

use super::sar::{self, Banner};
use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::Code;
use crate::model::Clock;

/// The format.
pub struct SarForeign;

static ABOUT: FormatAbout = FormatAbout {
    name: "sar-foreign",
    title: "sar of another system, iostat or pidstat",
    versions: "any",
    written_by: "sar of Solaris, AIX, HP-UX; sysstat's iostat and pidstat",
    feed: Feed::Lines,
    clock: Clock::Local,
    samples: &[
        "\nSunOS ala52s01 5.11 11.3 sun4v    05/26/2017\n\n08:00:00    %usr    %sys    %wio   %idle\n08:20:00       0       0       0      99",
        "AIX n7 1 6 00F6D3E24C00    03/28/16\n\nSystem configuration: lcpu=8  mode=Capped\n\n00:00:00    %usr    %sys    %wio   %idle   physc",
        "Linux 1.2.3-TEST (h1) \t06/01/20 \t_x86_64_\t(9 CPU)\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle",
        "Linux 6.1.0 (h1) \t11/27/26 \t_x86_64_\t(2 CPU)\n\n08:32:25      UID       PID   cswch/s nvcswch/s  Command\n08:32:26        0        14      1.00      0.00  java",
    ],
};

/// How other systems name themselves.
const SYSTEMS: [&[u8]; 4] = [b"SunOS ", b"AIX ", b"HP-UX ", b"OSF1 "];
/// How the tables of iostat begin.
const IOSTAT: [&[u8]; 3] = [b"avg-cpu:", b"Device", b"Filesystem"];

impl Format for SarForeign {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines().map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
        let Some(first) = lines.next() else { return Confidence::No };
        let dated =
            || first.rsplit(|b| *b == b' ').next().is_some_and(|date| date.iter().filter(|b| **b == b'/').count() == 2);
        let other_system = SYSTEMS.iter().any(|name| first.starts_with(name)) && dated();
        let other_tool = |line: &[u8]| IOSTAT.iter().any(|begin| line.starts_with(begin)) || sar::heads_processes(line);
        if other_system || (Banner::parse(first).is_some() && lines.take(2).any(other_tool)) {
            Confidence::Sure
        } else {
            Confidence::No
        }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::<Unread>::default()
    }
}

#[derive(Default)]
struct Unread {
    told: bool,
}

impl Parse for Unread {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        // It is known what the line is; that it says nothing here is told once.
        out.understood();
        if !self.told {
            out.issue(Code::ForeignMetrics, line.number);
            self.told = true;
        }
    }
}
