//! What the paper found (K14, K36–K38), claim by claim: confirmed, refuted, or not told apart.
//!
//! ```text
//! White box: maps find most   confirmed   TP by Map 0.27 (387 of 1440); ReadBlock 0.04 (52 of 1440), …
//! ```
//! Source: Kahuna, the text beside its tables and figures. Rates are compared by their 95 % intervals ([`wilson`]): where
//! these overlap, so few runs tell neither. What a word of a claim ("many", "weak") is taken to mean is a number here. Each
//! finding says by which methods it was counted: those that the runs were judged by.
//!
//! Cost: O(claims · runs · signals).

use super::{BLACK_BOX, Controls, MAPS, OTHER_STATES, Scored, WORKLOADS, WhiteBox, black_box_of, faults, likeness};
use crate::base::quantity::percent;
use crate::evaluation::cells::{Rate, Told, is_hit, wilson};
use crate::stats::quantile::{median, sorted};
use serde::Serialize;

const RESOURCES: [&str; 3] = ["CPUHog", "DiskHog", "DiskFull"];
const LOSSES: [&str; 2] = ["PacketLoss5", "PacketLoss50"];
const HANGS: [&str; 2] = ["HANG-1152", "HANG-2080"];
/// Workloads without a reduce, and with.
const NO_REDUCES: [&str; 1] = ["randwriter"];
const WITH_REDUCES: [&str; 3] = ["sort", "nutch", "pig"];

/// How a claim stands by some runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stand {
    /// It holds.
    Confirmed,
    /// Its contrary does.
    Refuted,
    /// The intervals of what it compares overlap: so few runs are no word for it, nor against it.
    NotToldApart,
}

impl Stand {
    const fn of(holds: bool) -> Self {
        if holds { Self::Confirmed } else { Self::Refuted }
    }

    /// Of two claims made at once.
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Refuted, _) | (_, Self::Refuted) => Self::Refuted,
            (Self::Confirmed, Self::Confirmed) => Self::Confirmed,
            _ => Self::NotToldApart,
        }
    }

    /// Of the contrary.
    const fn turned(self) -> Self {
        match self {
            Self::Confirmed => Self::Refuted,
            Self::Refuted => Self::Confirmed,
            Self::NotToldApart => Self::NotToldApart,
        }
    }

    /// In words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Refuted => "refuted",
            Self::NotToldApart => "not told apart",
        }
    }
}

/// A claim of the paper and what these runs say of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Where it stands.
    pub id: &'static str,
    /// What it says.
    pub claim: &'static str,
    /// By whose words it was counted.
    pub by: String,
    /// Whether it holds here; `None` without runs.
    pub stands: Option<Stand>,
    /// The numbers.
    pub numbers: String,
}

/// Rates of one signal over some runs.
struct Slice<'a> {
    runs: &'a [Scored],
    controls: &'a Controls<'a>,
    faults: &'a [&'a str],
    workloads: &'a [&'a str],
}

impl Slice<'_> {
    fn of(&self) -> impl Iterator<Item = &Scored> {
        let (faults, workloads) = (self.faults, self.workloads);
        self.runs.iter().filter(move |s| faults.contains(&s.fault.as_str()) && workloads.contains(&s.workload.as_str()))
    }

    /// The faulty node is indicted by the signal.
    fn tp(&self, signal: &str) -> Rate {
        Told::by(self.of(), &[signal]).tp
    }

    /// Another node is.
    fn fp(&self, signal: &str) -> Rate {
        Told::by(self.of(), &[signal]).fp
    }

    fn slowdown(&self) -> Option<f64> {
        median(&sorted(self.of().filter_map(|s| self.controls.slowdown(s))))
    }
}

pub(super) fn words(name: &str, rate: Rate) -> String {
    rate.share()
        .map_or_else(|| format!("{name} –"), |share| format!("{name} {share:.2} ({} of {})", rate.hits, rate.of))
}

/// Whether all of one interval lies below all of another.
fn lies_below((a_low, a_high): (f64, f64), (b_low, b_high): (f64, f64)) -> Stand {
    match (a_high < b_low, b_high < a_low) {
        (true, _) => Stand::Confirmed,
        (_, true) => Stand::Refuted,
        _ => Stand::NotToldApart,
    }
}

/// Whether a rate is less than another, by their 95 % intervals; `None` where one is of no runs.
pub(super) fn less(a: Rate, b: Rate) -> Option<Stand> {
    a.share().and(b.share()).map(|_| lies_below(wilson(a), wilson(b)))
}

/// Whether a rate is less than what the claim's word is taken to mean.
fn below(rate: Rate, limit: f64) -> Option<Stand> {
    rate.share().map(|_| lies_below(wilson(rate), (limit, limit)))
}

/// The contrary of [`below`].
pub(super) fn above(rate: Rate, limit: f64) -> Option<Stand> {
    below(rate, limit).map(Stand::turned)
}

/// Of two claims made at once; `None` where nothing is said of one.
fn both(a: Option<Stand>, b: Option<Stand>) -> Option<Stand> {
    Some(a?.and(b?))
}

/// The paper's findings, one by one, by what was said of runs that the white box was asked about so.
#[must_use]
pub fn findings(runs: &[Scored], white_box: WhiteBox) -> Vec<Finding> {
    let controls = Controls::of(runs);
    let (told, black_box) = (likeness::findings(runs), black_box_of(runs));
    let mut findings = Findings { runs, controls: &controls, white_box, id: "K36", by: black_box.to_owned(), told };
    findings.of_black_box();
    (findings.id, findings.by) = ("K37", white_box.name().to_owned());
    findings.of_maps_and_other_states();
    findings.of_block_states();
    findings.of_copying_states();
    findings.of_false_indictments();
    (findings.id, findings.by) = ("K38", format!("{}; {black_box}", white_box.name()));
    findings.of_both();
    if white_box == WhiteBox::Usual {
        findings.by = "verdicts".to_owned();
    }
    findings.of_names();
    findings.told
}

/// What is said of the paper's claims so far.
struct Findings<'a> {
    runs: &'a [Scored],
    controls: &'a Controls<'a>,
    white_box: WhiteBox,
    /// Where the claims stand that come next.
    id: &'static str,
    /// By whose words they are counted.
    by: String,
    told: Vec<Finding>,
}

impl<'a> Findings<'a> {
    fn slice<'s>(&self, faults: &'s [&'s str], workloads: &'s [&'s str]) -> Slice<'s>
    where
        'a: 's,
    {
        Slice { runs: self.runs, controls: self.controls, faults, workloads }
    }

    fn say(&mut self, claim: &'static str, stands: Option<Stand>, numbers: String) {
        self.told.push(Finding { id: self.id, claim, by: self.by.clone(), stands, numbers });
    }

    fn of_black_box(&mut self) {
        let one = self.slice(&["PacketLoss1"], &WORKLOADS).tp(BLACK_BOX);
        self.say("Black box: 1 % loss is not diagnosed", below(one, 0.2), words("TP", one));
        let loss = self.slice(&LOSSES, &WORKLOADS);
        let (tp, fp) = (loss.tp(BLACK_BOX), loss.fp(BLACK_BOX));
        self.say(
            "Black box: 5 and 50 % loss have many true and many false indictments",
            both(above(tp, 0.5), above(fp, 0.2)),
            format!("{}, {} of runs", words("TP", tp), words("FP", fp)),
        );
        let (weak, strong) =
            (self.slice(&LOSSES, &NO_REDUCES).tp(BLACK_BOX), self.slice(&LOSSES, &WITH_REDUCES).tp(BLACK_BOX));
        self.say(
            "Black box: loss is weaker on RandWriter than elsewhere",
            less(weak, strong),
            format!("{}, {}", words("TP on RandWriter", weak), words("elsewhere", strong)),
        );
        let hangs = self.slice(&HANGS, &NO_REDUCES);
        let (tp, slower) = (hangs.tp(BLACK_BOX), hangs.slowdown());
        self.say(
            "HANG-1152 and 2080 have no effect on RandWriter, which has no reduces",
            both(slower.map(|slower| Stand::of(slower.abs() < 0.01)), below(tp, 0.1)),
            format!("slowdown {}, {}", slower.map_or("–".to_owned(), percent), words("TP", tp)),
        );
        let nutch = self.slice(&HANGS, &["nutch"]).tp(BLACK_BOX);
        self.say("Black box: hangs of reduces on Nutch are not diagnosed", below(nutch, 0.3), words("TP", nutch));
        let full = &["DiskFull"];
        let (pig, others) =
            (self.slice(full, &["pig"]).tp(BLACK_BOX), self.slice(full, &["randwriter", "sort"]).tp(BLACK_BOX));
        self.say(
            "Black box: a full disk is found less often on Pig, which computes",
            less(pig, others),
            format!("{}, {}", words("TP on Pig", pig), words("on RandWriter and Sort", others)),
        );
    }

    /// Which of the white box's states find most.
    fn of_maps_and_other_states(&mut self) {
        let faults = faults();
        let every = self.slice(&faults, &WORKLOADS);
        let maps = every.tp(MAPS);
        let others: Vec<Rate> = OTHER_STATES.iter().map(|state| every.tp(state)).collect();
        // All are of the same runs.
        let best_other = others.iter().copied().max_by_key(|rate| rate.hits).unwrap_or_default();
        let each: Vec<String> =
            OTHER_STATES.iter().zip(&others).map(|(s, r)| words(s.trim_start_matches("kahuna-wb "), *r)).collect();
        self.say(
            "White box: maps find most",
            less(best_other, maps),
            format!("{}; {}", words("TP by Map", maps), each.join(", ")),
        );
    }

    /// Where the white box's reads and writes of blocks find most.
    fn of_block_states(&mut self) {
        let disk = &["DiskHog", "CPUHog", "PacketLoss50"];
        let (writes, reads): (&[&str], &[&str]) = (&NO_REDUCES, &["nutch", "pig"]);
        let tp = |workloads, state| self.slice(disk, workloads).tp(state);
        let (of_writes, of_reads) = ("kahuna-wb WriteBlock", "kahuna-wb ReadBlock");
        let ((heavy, light), (read, written)) =
            ((tp(writes, of_writes), tp(reads, of_writes)), (tp(reads, of_reads), tp(writes, of_reads)));
        self.say(
            "White box: WriteBlock follows loads that write much",
            less(light, heavy),
            format!("{}, {}", words("TP on RandWriter", heavy), words("on Nutch and Pig", light)),
        );
        self.say(
            "White box: ReadBlock follows loads that read much",
            less(written, read),
            format!("{}, {}", words("TP on Nutch and Pig", read), words("on RandWriter", written)),
        );
    }

    /// What the white box's copying phases of Reduces find.
    fn of_copying_states(&mut self) {
        let faults = faults();
        let every = self.slice(&faults, &WORKLOADS);
        let short: Vec<Rate> = ["kahuna-wb ReduceCopy", "kahuna-wb ReduceMergeCopy"].map(|s| every.tp(s)).to_vec();
        self.say(
            "White box: ReduceCopy and ReduceMergeCopy are weak",
            short.iter().map(|r| below(*r, 0.15)).reduce(both).flatten(),
            short
                .iter()
                .zip(["ReduceCopy", "ReduceMergeCopy"])
                .map(|(r, s)| words(s, *r))
                .collect::<Vec<_>>()
                .join(", "),
        );
    }

    /// Where the white box indicts nodes that are not at fault.
    fn of_false_indictments(&mut self) {
        let faults = faults();
        let false_ones = |workloads| Told::by(self.slice(&faults, workloads).of(), &OTHER_STATES).fp;
        let (writer, rest) = (false_ones(&NO_REDUCES), false_ones(&WITH_REDUCES));
        self.say(
            "White box: states other than maps indict falsely most on RandWriter, which has few",
            less(rest, writer),
            format!("{}, {}", words("FP on RandWriter", writer), words("elsewhere", rest)),
        );
        let (loss, resource) = (self.slice(&LOSSES, &WORKLOADS).fp(MAPS), self.slice(&RESOURCES, &WORKLOADS).fp(MAPS));
        self.say(
            "White box: loss brings false indictments, resource faults hardly",
            both(less(resource, loss), above(loss, 0.1)),
            format!("{}, {}", words("FP under loss", loss), words("under resource faults", resource)),
        );
        let hangs = self.slice(&HANGS, &["nutch", "randwriter"]).fp(MAPS);
        self.say(
            "White box: HANG-1152 and 2080 bring false indictments on Nutch and RandWriter",
            above(hangs, 0.1),
            words("FP", hangs),
        );
    }

    fn of_both(&mut self) {
        let reduces = self.slice(&HANGS, &["sort", "pig"]);
        let any_state = Rate::among(reduces.of(), Scored::has_culprit, by_any_state);
        let black = reduces.tp(BLACK_BOX);
        self.say(
            "White box beats black box on hangs of reduces where there are many",
            less(black, any_state),
            format!("{}, {}", words("TP of white box", any_state), words("of black box", black)),
        );
    }

    /// How often the faulty node is named: by verdicts, or, where the white box is the paper's, by either box.
    fn of_names(&mut self) {
        let white_box = self.white_box;
        let names = |s: &Scored| match white_box {
            WhiteBox::Usual => is_hit(s),
            WhiteBox::Literal => by_any_state(s) || s.signal(BLACK_BOX).is_some_and(|said| said.hit),
        };
        let found = |faults| Rate::among(self.slice(faults, &WORKLOADS).of(), Scored::has_culprit, names);
        let (resource, loss) = (found(&RESOURCES[..]), found(&LOSSES[..]));
        self.say(
            "Resource faults are easier than communication faults",
            less(loss, resource),
            format!("{}, {}", words("TP on resource faults", resource), words("on loss", loss)),
        );
        let slow = |low: f64, high: f64| {
            let within = |s: &&Scored| self.controls.slowdown(s).is_some_and(|x| x >= low && x < high);
            Rate::among(self.runs.iter().filter(within), Scored::has_culprit, names)
        };
        let (none, some, much) = (slow(-1.0, 0.05), slow(0.05, 0.3), slow(0.3, f64::INFINITY));
        self.say(
            "What slows the job more is easier to diagnose",
            // Where nearly all are found, much more cannot be: it must not be less.
            both(less(none, some), less(much, some).map(|less| Stand::of(less != Stand::Confirmed))),
            format!("{}, {}, {}", words("TP below 5 %", none), words("5 to 30 %", some), words("above", much)),
        );
    }
}

/// The faulty node is indicted by any state of the white box.
fn by_any_state(s: &Scored) -> bool {
    s.said.iter().any(|said| said.hit && (said.signal == MAPS || OTHER_STATES.contains(&said.signal.as_str())))
}

#[cfg(test)]
mod tests;
