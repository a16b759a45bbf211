//! Whether a report's statements follow from the numbers beside them. A link is words that
//! anybody can write; what is shown of one is what its reader's own page makes of the numbers.
//!
//! ```text
//! evidence    its score passes its threshold (or the gap holds), its text states node and
//!             score, and the witness of that name says the same of that node, which no job explains
//! culprit     one strong word or two moderate ones of different data; sureness, "since" and
//!             "until" follow from the words; a cause that there is; a node with evidence; fewer
//!             than half of the nodes at one time, each once
//! sentences   written anew from the fields, they read as sent; what is shown is what was written
//!             anew, also where parts are missing and it cannot be compared; so is the advice
//! suspect     no culprit; its evidence as that of one
//! clean       no culprit, and of no node words that make one; no more nodes than are named
//! no verdict  the same, unless half of the nodes stand out
//! ```
//! Not recomputed, since it takes the logs: the numbers themselves, the cause, and the words of evidence,
//! issues, jobs and flows. [`Checked::in_words`] says that those are the sender's.

use super::build::SUSPECTS_TOLD;
use super::rungs::{
    ALL_BUT_OUTCOME, CULPRITS_BEYOND_FIVE, CULPRITS_BEYOND_ONE, ENDS_OF_TEXTS, EVIDENCE, EVIDENCE_BEYOND_ONE,
    EVIDENCE_BEYOND_THREE, HEALTHY, ISSUES, JOBS, JOBS_BUT_ONE, WITNESSES, clip,
};
use super::words::words;
use super::{Culprit, Evidence, OutcomeKind, Report, WitnessRow, former, sentence, symptom};
use crate::base::{Arrange, Code, Gathered};
use crate::diagnosis::cause::{Cause, Rule};
use crate::diagnosis::job_class::Class;
use crate::diagnosis::verdict::{Reason, Source, most_at_once, since, since_it_fell, sureness, until};
use crate::diagnosis::{Method, Signal, Strength};
use std::collections::BTreeSet;

/// Value of `verdict.reason` of a report whose statements were refused.
pub const REFUSED: &str = "refused";
/// Links carry three decimals, sentences two.
const TOLERANCE: f64 = 0.006;
/// Methods whose words are known to name the node and to state the score.
const SPEAKING: [Method; 4] = [Method::KahunaWb, Method::KahunaBb, Method::Flows, Method::SlowWarnings];

/// Where words are missing that could make a culprit, or what they weigh is.
const OBJECTS: &str = "that no witness objects";
/// What cannot be told without the nodes, or without the grounds.
const MAJORITY: &str = "that most nodes are well";

/// What a ground says against a node: its source, its weight, and its chance under no fault.
type Word = (Source, Strength, Option<f64>);

/// A statement that does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was said.
    pub said: String,
    /// Why it does not follow.
    pub because: String,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Statements that follow.
    pub follow: usize,
    /// Those that do not.
    pub refused: Vec<Refusal>,
    /// What could not be recomputed, as numbers were left out.
    pub unchecked: Vec<&'static str>,
}

impl Checked {
    fn statement(&mut self, holds: bool, said: &str, because: impl FnOnce() -> String) {
        if holds {
            self.follow += 1;
        } else {
            self.refused.push(Refusal { said: said.to_owned(), because: because() });
        }
    }

    /// A text that is to read as what it is made of; `partly`: not all of that is there.
    fn sentence(&mut self, said: &str, mut own: String, missing: Missing, partly: bool) {
        // Earlier versions said it in other words; what is shown is what is written now.
        let whole = said == own || former::renewed(said) == own;
        if !whole && missing.clipped {
            clip(&mut own);
            if said != own {
                return self.cannot("long texts");
            }
        } else if !whole && partly {
            return self.cannot("all of its sentence");
        }
        self.statement(whole || said == own, said, || format!("they say: {own}"));
    }

    fn cannot(&mut self, what: &'static str) {
        if !self.unchecked.contains(&what) {
            self.unchecked.push(what);
        }
    }

    /// The outcome in a sentence.
    #[must_use]
    pub fn in_words(&self) -> String {
        self.in_words_of("Recomputed here")
    }

    /// The same, where it was checked at another time or place.
    #[must_use]
    pub fn in_words_of(&self, checked: &str) -> String {
        if let Some(first) = self.refused.first() {
            let more = match self.refused.len() {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            return format!(
                "Refused: \u{201c}{}\u{201d} does not follow from the numbers sent with it: {}{more}. Nothing of this verdict is shown.",
                first.said,
                // What they say may be a whole sentence.
                first.because.trim_end_matches('.')
            );
        }
        let left = match self.unchecked.as_slice() {
            [] => String::new(),
            some => format!("; not recomputed, as its numbers were left out: {}", some.join(", ")),
        };
        format!(
            "{checked}: {} statements follow from the numbers that came with them{left}. The wording of evidence, jobs, flows and issues comes from the sender and is not checked.",
            self.follow
        )
    }
}

/// What of a report cannot be checked as a whole, since its link left parts out.
#[derive(Clone, Copy)]
struct Missing {
    /// Texts end early.
    clipped: bool,
    /// Only the outcome is there.
    outlined: bool,
    /// A culprit may have had more grounds.
    evidence: bool,
    /// Of grounds their names alone are there.
    named: bool,
    /// The verdict's sentence may speak of culprits or jobs that are not there, as of what missing grounds say.
    sentence: bool,
    /// There may have been more witnesses.
    witnesses: bool,
    /// There were more nodes.
    nodes: bool,
    /// The logs may be of several clusters, each with its own half of the nodes.
    clusters: bool,
}

impl Missing {
    fn of(report: &Report) -> Self {
        let any = |parts: &[&str]| report.left_out_any(parts);
        let outlined = any(&[ALL_BUT_OUTCOME]);
        Self {
            clipped: outlined || any(&[ENDS_OF_TEXTS]),
            outlined,
            evidence: outlined || any(&[EVIDENCE_BEYOND_THREE, EVIDENCE_BEYOND_ONE, EVIDENCE]),
            named: any(&[EVIDENCE]),
            sentence: outlined || any(&[JOBS, JOBS_BUT_ONE, CULPRITS_BEYOND_FIVE, CULPRITS_BEYOND_ONE]),
            witnesses: outlined || any(&[WITNESSES]),
            nodes: outlined || any(&[HEALTHY]),
            clusters: any(&[ISSUES]) || report.issues.iter().any(|row| row.code == Code::SeveralClusters.name()),
        }
    }
}

/// Checks a report, but for what it says was left out of it.
#[must_use]
pub fn check(report: &Report) -> Checked {
    let mut done = Checked::default();
    let verdict = &report.verdict;
    let missing = Missing::of(report);
    let indicts = verdict.outcome == OutcomeKind::Indicted;
    done.statement(indicts != verdict.culprits.is_empty() || missing.outlined, &verdict.sentence, || {
        String::from("outcome and culprits contradict each other")
    });
    for c in &verdict.culprits {
        culprit(&mut done, report, c, missing);
    }
    for suspect in report.suspects.iter().take(SUSPECTS_TOLD) {
        let node = suspect.node.as_str();
        done.statement(verdict.culprits.iter().all(|c| c.node != node), &verdict.sentence, || {
            format!("{node} is a culprit, and no mere suspect")
        });
        suspect.evidence.iter().for_each(|e| evidence(&mut done, report, node, e, missing.clipped));
    }
    if former::is_of_verdict(report) {
        done.follow += 1;
    } else {
        done.sentence(&verdict.sentence, sentence::of_verdict(report), missing, missing.sentence || missing.evidence);
    }
    let nodes: BTreeSet<&str> = report.nodes.iter().map(String::as_str).gathered();
    let are_sent = !(missing.nodes && nodes.is_empty());
    match verdict.outcome {
        OutcomeKind::Indicted if are_sent => {
            let culprits: BTreeSet<&str> = verdict.culprits.iter().map(|c| c.node.as_str()).gathered();
            let once = culprits.len() == verdict.culprits.len() && culprits.iter().all(|node| nodes.contains(node));
            let compared = verdict.culprits.iter().filter(|c| !c.evidence.iter().any(needs_no_peers));
            let fewer = most_at_once(compared.map(|c| (c.since_ms, c.until_ms))) * 2 < nodes.len();
            if once && !fewer && missing.evidence {
                done.cannot(MAJORITY);
            } else {
                done.statement(once && fewer, &verdict.sentence, || {
                    String::from("culprits by comparison are fewer than half of the nodes at one time, each named once")
                });
            }
        }
        OutcomeKind::Indicted => done.cannot(MAJORITY),
        OutcomeKind::Clean => {
            if are_sent {
                let most = nodes.len().saturating_sub(report.no_evidence.len()) as u64;
                done.statement(sentence::compared(report) <= most, &verdict.sentence, || {
                    format!("{most} nodes are named that could be judged")
                });
            } else {
                done.cannot("how many nodes were compared");
            }
            if report.witnesses.is_empty() {
                done.cannot(OBJECTS);
            }
            nobody(&mut done, report, missing, &nodes);
        }
        OutcomeKind::NoVerdict if verdict.reason.as_deref() == Some(Reason::NoMajority.name()) => {}
        OutcomeKind::NoVerdict => nobody(&mut done, report, missing, &nodes),
    }
    done
}

/// Checks a report. Its sentences become what its fields say, where they said less or more for want of what
/// was left out; where something does not follow, the whole verdict is taken out.
pub fn enforce(report: &mut Report) -> Checked {
    report.suspects.truncate(SUSPECTS_TOLD);
    let done = check(report);
    let zone = report.clock.zone();
    for c in &mut report.verdict.culprits {
        c.sentence = sentence::of_culprit(c, zone);
        c.advice = symptom::advice(c);
        c.because = symptom::because(c).to_owned();
    }
    if done.refused.is_empty() {
        report.verdict.sentence = sentence::of_verdict(report);
    } else {
        report.verdict.outcome = OutcomeKind::NoVerdict;
        report.verdict.reason = Some(REFUSED.to_owned());
        report.verdict.sentence = done.in_words();
        report.verdict.culprits.clear();
        report.suspects.clear();
    }
    done
}

fn culprit(done: &mut Checked, report: &Report, c: &Culprit, missing: Missing) {
    for e in &c.evidence {
        evidence(done, report, &c.node, e, missing.clipped || missing.named);
    }
    done.statement(Cause::named(&c.cause).is_some() || missing.clipped, &c.cause, || {
        String::from("no such cause is known")
    });
    // Words of no rule are a later version's, and are not shown.
    if let Some(rule) = Rule::of_words(&c.because) {
        done.statement(rule.cause().name() == c.cause || missing.clipped, &c.because, || {
            format!("that is why a cause is {}, not {}", rule.cause().name(), c.cause)
        });
    }
    done.statement(report.no_evidence.iter().all(|row| row.node != c.node), &c.sentence, || {
        format!("nothing can be said of {}", c.node)
    });
    done.statement(Class::Infrastructure.who() == Some(&c.who) || missing.clipped, &c.who, || {
        String::from("a node is for the cluster's operator")
    });
    let own = sentence::of_culprit(c, report.clock.zone());
    if former::is_of_culprit(c, report.clock.zone()) {
        done.follow += 1;
    } else {
        // Without a ground less may be said.
        done.sentence(&c.sentence, own, missing, missing.evidence);
    }
    let known = c.evidence.iter().all(|e| e.strength.is_some());
    if missing.evidence || !known || c.evidence.is_empty() {
        return done.cannot("sureness");
    }
    let grounds: Vec<Ground<'_>> = c.evidence.iter().filter_map(Ground::of).collect();
    sureness_follows(done, c, &grounds);
    times_follow(done, c, &grounds);
}

/// A piece of evidence, with what it weighs.
struct Ground<'a> {
    signal: Signal,
    strength: Strength,
    said: &'a Evidence,
}

impl<'a> Ground<'a> {
    fn of(said: &'a Evidence) -> Option<Self> {
        let signal = signal(&said.method, &said.signal)?;
        Some(Self { signal, strength: said.strength.unwrap_or(Strength::Moderate), said })
    }
}

/// Whether it holds without any node to compare with.
fn needs_no_peers(said: &Evidence) -> bool {
    Ground::of(said).is_some_and(|ground| ground.signal.needs_no_peers(ground.strength))
}

fn sureness_follows(done: &mut Checked, c: &Culprit, grounds: &[Ground<'_>]) {
    let words: Vec<Word> = grounds.iter().map(|g| (Source::of(g.signal), g.strength, g.said.p)).collect();
    let own = sureness(words.iter().copied());
    // Versions before 2026-11-27 took the first word of each source alone.
    let is_first = |(at, word): &(usize, &Word)| words.iter().position(|other| other.0 == word.0) == Some(*at);
    let former = sureness(words.iter().enumerate().filter(is_first).map(|(_, word)| *word));
    let is_so = [own, former].into_iter().flatten().any(|own| (own - c.sureness).abs() <= TOLERANCE);
    done.statement(is_so, &c.sentence, || match own {
        Some(own) => format!("the grounds make it {own:.2} sure, not {:.2}", c.sureness),
        None => String::from("the grounds do not make a culprit: it takes a strong one, or two from different data"),
    });
}

fn times_follow(done: &mut Checked, c: &Culprit, grounds: &[Ground<'_>]) {
    let times = |of: fn(&Evidence) -> Option<i64>| grounds.iter().map(move |g| (g.signal, g.strength, of(g.said)));
    let begins = times(|said| said.since_ms);
    let fell = since_it_fell(begins.clone()).filter(|_| c.cause == Cause::Crashed.name());
    // Versions before 2026-11-26 took the first complaint for the begin.
    let first = c.evidence.iter().filter_map(|e| e.since_ms).min();
    let told = [since(begins), first].map(|since| fell.or(since));
    done.statement(told.contains(&c.since_ms), &c.sentence, || String::from("its grounds begin at another time"));
    let passed = until(times(|said| said.until_ms));
    if passed.is_some() || c.until_ms.is_some() {
        done.statement(passed == c.until_ms, &c.sentence, || {
            String::from("its grounds pass at another time, or do not")
        });
    }
}

fn evidence(done: &mut Checked, report: &Report, node: &str, e: &Evidence, clipped: bool) {
    let speaking = SPEAKING.iter().any(|method| method.name() == e.method);
    if let (true, Some(threshold)) = (speaking, e.threshold) {
        let gap = e.gap_s.is_some_and(|[low, high]| low > high);
        done.statement(e.score + 1e-9 >= threshold || gap, &e.text, || {
            format!("its score {:.2} does not pass the threshold {threshold:.2}", e.score)
        });
    }
    if speaking && !clipped {
        let named = words(&e.text).any(|word| word == node) || node.contains(char::is_whitespace);
        done.statement(named && states(&e.text, e.score), &e.text, || {
            format!("it is evidence against {node} with the score {:.2}", e.score)
        });
    }
    let row = |w: &&WitnessRow| w.method == e.method && w.signal == e.signal;
    // One that judges all jobs, and one that judges a job alone, have the same name.
    let mut witnesses = report.witnesses.iter().filter(row).peekable();
    if witnesses.peek().is_none() {
        return done.cannot("evidence by its witness");
    }
    done.statement(witnesses.any(|witness| says(witness, node, e)), &e.text, || {
        format!("the witness {} {} says something else of {node}", e.method, e.signal)
    });
}

/// Whether a witness says of a node what the evidence says that it does.
fn says(witness: &WitnessRow, node: &str, e: &Evidence) -> bool {
    let score = witness.nodes.get(node).is_none_or(|score| (score - e.score).abs() <= TOLERANCE);
    let threshold = match (witness.threshold, e.threshold) {
        (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE,
        (a, b) => a.is_some() == b.is_some(),
    };
    let word = witness.strengths.get(node);
    let weight = word.is_none() || e.strength.is_none() || word.copied() == e.strength;
    witness.holds(node) && witness.abstained.is_none() && score && threshold && weight
}

/// Where nobody is named, no node's words make a culprit, but for those that a job explains, and moderate ones of a witness
/// against half of the nodes, which is not heard.
fn nobody(done: &mut Checked, report: &Report, missing: Missing, nodes: &BTreeSet<&str>) {
    if missing.witnesses {
        done.cannot(OBJECTS);
    }
    let may_explain = missing.sentence || sentence::ill_jobs(report).next().is_some();
    // Versions before 2026-11-25 did not tell which words jobs explain.
    let untold = may_explain && report.witnesses.iter().all(|witness| witness.excused.is_empty());
    let unknown = missing.clusters || nodes.is_empty();
    // Each node with a word against it, and whether that surely counts.
    let mut against: Vec<(&str, bool, Word)> = Vec::new();
    for witness in &report.witnesses {
        let held = witness.indicted.iter().filter(|node| !(may_explain && witness.excused.contains(node)));
        let held: BTreeSet<&str> = held.map(String::as_str).gathered();
        let half = 2 * held.iter().filter(|node| nodes.contains(*node)).count() >= nodes.len();
        for node in held {
            let signal = signal(&witness.method, &witness.signal);
            let (Some(signal), Some(strength)) = (signal, witness.strengths.get(node)) else {
                done.cannot(OBJECTS);
                continue;
            };
            let (source, is_strong) = (Source::of(signal), *strength == Strength::Strong);
            if is_strong || unknown || !half {
                let counts = (is_strong || !unknown && nodes.contains(node)) && !(untold && source.is_of_tasks());
                against.push((node, counts, (source, *strength, None)));
            }
        }
    }
    against.arrange_by(|(node, ..)| *node);
    for of_node in against.chunk_by(|a, b| a.0 == b.0) {
        let make_culprit = |surely: bool| {
            let words = of_node.iter().filter(|(_, counts, _)| *counts || !surely).map(|(.., word)| *word);
            let words: Vec<Word> = words.collect();
            sureness(words.iter().copied()).is_some()
        };
        if make_culprit(true) {
            let node = of_node.first().map_or("", |(node, ..)| *node);
            done.statement(false, &report.verdict.sentence, || format!("what witnesses say makes {node} a culprit"));
        } else if make_culprit(false) {
            done.cannot(OBJECTS);
        }
    }
}

/// The signal of a method, by the names of both.
pub(super) fn signal(method_name: &str, name: &str) -> Option<Signal> {
    Signal::named(method(method_name)?, name)
}

fn method(name: &str) -> Option<Method> {
    Method::ALL.into_iter().find(|method| method.name() == name)
}

/// Whether a text states a number, at the number's own count of decimals.
fn states(text: &str, number: f64) -> bool {
    words(text).any(|word| {
        let decimals = word.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let half = (0..decimals.min(9)).fold(0.5, |half, _| half / 10.0);
        word.parse::<f64>().is_ok_and(|stated| (stated - number).abs() <= half + 0.0011)
    })
}

#[cfg(test)]
mod tests;
