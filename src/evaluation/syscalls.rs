//! How the syscall paper counts (C18): a run is a success if the faulty node is in a set of at
//! most three with the right cause, and a false positive if the set is not empty and lacks
//! the node or has the wrong cause. Ratios are over the runs of one fault, those of which nothing
//! was said among them. Runs on which the algorithm could not be run, as without control runs, are told beside.
//!
//! ```text
//! fault          runs  success  false positive  nothing said  (paper's Table 1: 0.88, 0.13)
//! PacketLoss50      1     1.00            0.00          0.00
//! ```
//! Reports accuse one node of the algorithm's set unless `--syscalls-literal` is given; a set of one
//! is counted by the same rule.

use super::{Said, Scored, cause_of};
use crate::base::Gathered;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The largest set that counts as a success.
pub const LARGEST_SET: usize = 3;
/// Success of the statistical algorithm on disk hogs in the paper's Table 1, with and without speculation.
pub const PAPER_SUCCESS: f64 = 0.88;
/// Its false positives.
pub const PAPER_FALSE_POSITIVE: f64 = 0.13;
/// What the methods' names begin with.
const METHODS: &str = "syscall-";
/// The algorithm of which the paper's Table 1 tells.
const PUBLISHED: &str = "statistical";
/// Why an algorithm was not run at all, as reports call it; that no node stands out is a result.
const NOT_RUN: [&str; 3] = ["no-baseline", "no-peers", "not-logged"];
/// What the algorithms can name.
const HOGS: [&str; 2] = ["disk", "network"];

/// How an opinion stands against what was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SetMark {
    /// The faulty node, in a set of at most three, with the right cause.
    Success,
    /// A set without the faulty node, or with the wrong cause; on a run without a fault
    /// any set.
    FalsePositive,
    /// No set, or the faulty node among too many.
    Nothing,
}

impl SetMark {
    /// Marks an opinion: what hogs the nodes of a set, how many those are and whether the faulty one is among
    /// them, `None` where nothing is said; `truth` is what hogs that node, `None` of a run without a fault.
    #[must_use]
    pub fn of(said: Option<(&str, usize, bool)>, truth: Option<&str>) -> Self {
        let Some((hog, size, has)) = said.filter(|(_, size, _)| *size > 0) else { return Self::Nothing };
        match (has && Some(hog) == truth, size <= LARGEST_SET) {
            (false, _) => Self::FalsePositive,
            (true, true) => Self::Success,
            (true, false) => Self::Nothing,
        }
    }
}

/// Marks of runs, by fault, in the layout of the paper's Table 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    marks: BTreeMap<String, BTreeMap<SetMark, u32>>,
}

impl Tally {
    /// Adds a run.
    pub fn add(&mut self, fault: &str, mark: SetMark) {
        *self.marks.entry(fault.to_owned()).or_default().entry(mark).or_default() += 1;
    }

    /// Share of a fault's runs with a mark.
    #[must_use]
    pub fn share(&self, fault: &str, mark: SetMark) -> f64 {
        let Some(marks) = self.marks.get(fault) else { return 0.0 };
        let runs: u32 = marks.values().sum();
        f64::from(marks.get(&mark).copied().unwrap_or(0)) / f64::from(runs.max(1))
    }

    /// The table of an algorithm, with what the paper has of it.
    #[must_use]
    pub fn to_text(&self, algorithm: &str) -> String {
        let mut out =
            format!("{:34} {:>4} {:>8} {:>15} {:>13}\n", "fault", "runs", "success", "false positive", "nothing said");
        for (fault, marks) in &self.marks {
            let runs: u32 = marks.values().sum();
            let [success, false_positive, nothing] =
                [SetMark::Success, SetMark::FalsePositive, SetMark::Nothing].map(|mark| self.share(fault, mark));
            // Writing to a String does not fail.
            let _ = writeln!(out, "{fault:34} {runs:4} {success:8.2} {false_positive:15.2} {nothing:13.2}");
        }
        if algorithm.ends_with(PUBLISHED) {
            let _ = writeln!(out, "{:34} {:>4} {PAPER_SUCCESS:8.2} {PAPER_FALSE_POSITIVE:15.2}", "paper, disk", "");
        }
        out
    }
}

/// A table of each algorithm over the runs whose system calls were traced, and whose fault is one that it can name
/// or none at all; nothing where there are no such runs.
#[must_use]
pub fn text(runs: &[Scored]) -> String {
    let method_of = |signal: &str| signal.split(' ').next().filter(|m| m.starts_with(METHODS)).map(str::to_owned);
    let methods: BTreeSet<String> = runs.iter().flat_map(|s| &s.said).filter_map(|x| method_of(&x.signal)).gathered();
    let mut out = String::new();
    for method in methods {
        let mut tally = Tally::default();
        let mut not_run: BTreeMap<&str, u32> = BTreeMap::new();
        for s in runs {
            let truth = cause_of(&s.fault).filter(|cause| HOGS.contains(cause));
            let of_method = s.said.iter().filter(|x| method_of(&x.signal).as_ref() == Some(&method)).cloned();
            // Nodes of several kinds of hardware are compared apart: the hog is that of those that accuse.
            let accuses = |said: &Said| said.hit || said.others > 0;
            let both = |a: Said, b: Said| if accuses(&b) && !accuses(&a) { b.merged(a) } else { a.merged(b) };
            let Some(said) = of_method.reduce(both) else { continue };
            if truth.is_none() && !s.is_control() {
                continue;
            }
            if let Some(why) = NOT_RUN.into_iter().find(|why| said.why.as_deref() == Some(why)) {
                *not_run.entry(why).or_default() += 1;
                continue;
            }
            let hog = said.signal.split(' ').next_back().and_then(|name| name.strip_suffix("-hog")).unwrap_or_default();
            tally.add(&s.fault, SetMark::of(Some((hog, said.others + usize::from(said.hit), said.hit)), truth));
        }
        if !tally.marks.is_empty() || !not_run.is_empty() {
            let _ = writeln!(out, "\n{method}, as its paper counts");
        }
        if !tally.marks.is_empty() {
            out.push_str(&tally.to_text(&method));
        }
        for (why, runs) in not_run {
            let _ = writeln!(out, "not run on {runs} with system calls: {why}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::{Said, Truth};
    use crate::report::Report;

    #[test]
    fn sets_are_counted_as_the_paper_does() {
        let mark = |hog, size, has, truth| SetMark::of(Some((hog, size, has)), truth);
        assert_eq!(mark("disk", 1, true, Some("disk")), SetMark::Success);
        assert_eq!(mark("disk", 3, true, Some("disk")), SetMark::Success);
        assert_eq!(mark("disk", 4, true, Some("disk")), SetMark::Nothing);
        assert_eq!(mark("network", 1, true, Some("disk")), SetMark::FalsePositive);
        assert_eq!(mark("disk", 1, false, Some("disk")), SetMark::FalsePositive);
        assert_eq!(mark("disk", 1, false, None), SetMark::FalsePositive);
        assert_eq!(mark("calls", 0, false, Some("disk")), SetMark::Nothing);
        assert_eq!(SetMark::of(None, Some("disk")), SetMark::Nothing);
        let mut tally = Tally::default();
        for mark in [SetMark::Success, SetMark::Success, SetMark::FalsePositive, SetMark::Nothing] {
            tally.add("x", mark);
        }
        assert_eq!((tally.share("x", SetMark::Success), tally.share("y", SetMark::Success)), (0.5, 0.0));
    }

    /// Whatever the witness calls its signal, a run counts under the fault that was injected.
    #[test]
    fn runs_are_counted_by_what_was_injected() {
        let run = |fault: &str, signal: &str, hit: bool, others: usize| {
            let truth = Truth { fault: fault.into(), node: (fault != "none").then(|| "b".into()), ..Truth::default() };
            let said = Said { signal: signal.into(), hit, others, ..Said::default() };
            Scored { said: vec![said], ..Scored::new(&truth, &Report::default()) }
        };
        let runs = [
            run("DiskHog", "syscall-statistical disk-hog", true, 0),
            run("DiskHog", "syscall-statistical network-hog", true, 0),
            run("DiskHog", "syscall-statistical calls", false, 0),
            run("PacketLoss50", "syscall-statistical disk-hog", false, 1),
            run("network-hog 5 %", "syscall-statistical network-hog", true, 1),
            run("CPUHog", "syscall-statistical disk-hog", false, 1),
            run("none", "syscall-statistical calls", false, 0),
            run("none", "kahuna-wb Map", false, 1),
        ];
        let expected = "\nsyscall-statistical, as its paper counts
fault                              runs  success  false positive  nothing said
DiskHog                               3     0.33            0.33          0.33
PacketLoss50                          1     0.00            1.00          0.00
network-hog 5 %                       1     1.00            0.00          0.00
none                                  1     0.00            0.00          1.00
paper, disk                                 0.88            0.13
";
        assert_eq!(text(&runs), expected);
        assert_eq!(text(&runs[7..]), "");
    }

    /// Without control runs nothing was tried: that is no share of runs of which nothing was said.
    #[test]
    fn runs_that_an_algorithm_was_not_run_on_are_told_beside() {
        let run = |why: &str| {
            let truth = Truth { fault: "DiskHog".into(), node: Some("b".into()), ..Truth::default() };
            let (signal, why) = ("syscall-semantic calls".into(), Some(why.to_owned()));
            let said = Said { signal, abstained: true, why, ..Said::default() };
            Scored { said: vec![said], ..Scored::new(&truth, &Report::default()) }
        };
        let runs = [run("no-baseline"), run("no-majority"), run("not-logged"), run("no-baseline")];
        let expected = "\nsyscall-semantic, as its paper counts
fault                              runs  success  false positive  nothing said
DiskHog                               1     0.00            0.00          1.00
not run on 2 with system calls: no-baseline
not run on 1 with system calls: not-logged
";
        assert_eq!(text(&runs), expected);
        let without = "\nsyscall-semantic, as its paper counts\nnot run on 1 with system calls: no-baseline\n";
        assert_eq!(text(&runs[..1]), without);
    }
}
