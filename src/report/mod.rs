//! The report: what a diagnosis says, as data. Its JSON is `oddnode diagnose --format
//! json`, what the page's `download-report` saves (the same bytes), and, cut down, what
//! a link carries. Field names are a contract; more fields may follow.

pub mod agreement;
pub mod attempts;
mod build;
pub mod carried;
pub mod check;
mod clocks;
pub mod compare;
mod controls;
pub mod cost;
pub mod doubts;
pub mod figures;
pub mod file;
pub mod flow;
mod former;
pub mod heatmap;
mod jobs;
mod json;
pub mod key;
mod letters;
mod line_ref;
pub mod link;
pub mod metrics;
mod oddest;
mod parameters;
mod permuted;
pub mod provenance;
mod rungs;
pub mod scrub;
pub mod sealed;
pub mod sentence;
mod steps;
pub mod summary;
pub mod survival;
pub mod symptom;
pub mod table;
pub mod ticket;
pub mod trace_events;
mod unjudged;
mod unknown;
mod words;

pub use build::build;
pub use clocks::{ClockRow, SkewRow, SkewSection, ZoneChange, ZoneRow};
pub use controls::{ControlsRow, SlowerRow};
pub use figures::Figures;
pub use line_ref::{LineRef, Lines};
pub use provenance::Provenance;
pub use summary::Summary;
pub use unknown::UnknownRow;

use crate::base::Arrange;
use crate::base::issue::Severity;
use crate::diagnosis::Reading;
use crate::diagnosis::{Method, Strength};
use crate::model::Coverage;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Value of [`Report::format`].
pub const FORMAT: &str = "oddnode-report";
/// Value of [`Report::version`].
pub const VERSION: u32 = 1;

/// A whole report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// Always [`FORMAT`].
    pub format: String,
    /// Layout version.
    pub version: u32,
    /// The verdict.
    pub verdict: Verdict,
    /// Every method's opinion, one a signal.
    pub witnesses: Vec<WitnessRow>,
    /// The jobs.
    pub jobs: Vec<JobRow>,
    /// When which node went wrong in job after job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<IncidentRow>,
    /// The nodes compared, by name.
    pub nodes: Vec<String>,
    /// What was read of each file: shared, as there may be a hundred thousand.
    pub coverage: Arc<Vec<Coverage>>,
    /// What was odd about the input.
    #[serde(default)]
    pub issues: Vec<IssueRow>,
    /// Every switch with its value.
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
    /// What made it, and of what.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// How log times became UTC.
    #[serde(default)]
    pub clock: ClockRow,
    /// How far the nodes' clocks are off.
    #[serde(default)]
    pub skew: SkewSection,
    /// What the lines look like that were not understood or not used.
    #[serde(default)]
    pub unknown: Vec<UnknownRow>,
    /// Nodes of which nothing can be said: neither clean nor at fault.
    #[serde(default)]
    pub no_evidence: Vec<NoEvidenceRow>,
    /// How many nodes were compared and could be judged.
    #[serde(default)]
    pub compared: Option<u64>,
    /// Nodes that methods speak against, without enough for a verdict, and that no job explains.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suspects: Vec<Suspect>,
    /// Nodes that few jobs tell of, beside their peers.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seldom: Vec<SeldomRow>,
    /// What control runs tell beside the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controls: Option<ControlsRow>,
    /// Jobs and nodes in sums: what two runs are compared by.
    #[serde(default)]
    pub summary: Summary,
    /// What figures are drawn from.
    #[serde(default)]
    pub figures: Figures,
    /// The mark of the key whose pseudonyms stand for all names; `None`: the names are real.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pseudonyms: Option<String>,
    /// What the link left out that it was opened from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A node of which nothing can be said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoEvidenceRow {
    /// Its name.
    pub node: String,
    /// idle, blacklisted, unread, too-few-data or no-peers.
    pub why: String,
}

/// A node that methods speak against, without enough for a verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Suspect {
    /// Its name.
    pub node: String,
    /// What is said against it, what weighs most first.
    pub evidence: Vec<Evidence>,
}

/// A node that few jobs tell of, beside its peers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeldomRow {
    /// Its name.
    pub node: String,
    /// Jobs in which it ran a task beside two other nodes or more; none where it ran none at all.
    pub jobs: u64,
    /// Jobs that compare nodes.
    pub of: u64,
}

impl Report {
    /// All that is said against single nodes: the grounds of the verdict, then those against suspects.
    pub fn grounds(&self) -> impl Iterator<Item = &Evidence> {
        let suspects = self.suspects.iter().flat_map(|s| &s.evidence);
        self.verdict.culprits.iter().flat_map(|c| &c.evidence).chain(suspects)
    }

    /// The same, to be changed.
    fn grounds_mut(&mut self) -> impl Iterator<Item = &mut Evidence> {
        let suspects = self.suspects.iter_mut().flat_map(|s| &mut s.evidence);
        self.verdict.culprits.iter_mut().flat_map(|c| &mut c.evidence).chain(suspects)
    }
}

/// The verdict.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was found.
    pub outcome: OutcomeKind,
    /// Why there is no verdict (kebab-case), or null.
    pub reason: Option<String>,
    /// The verdict in one sentence.
    #[serde(default)]
    pub sentence: String,
    /// The nodes at fault, surest first.
    pub culprits: Vec<Culprit>,
}

/// The three kinds of verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OutcomeKind {
    /// Some node is at fault.
    Indicted,
    /// The nodes were compared and none stands out.
    Clean,
    /// They could not be compared.
    #[default]
    NoVerdict,
}

impl OutcomeKind {
    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Indicted => "indicted",
            Self::Clean => "clean",
            Self::NoVerdict => "no-verdict",
        }
    }
}

/// A node at fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Culprit {
    /// Its name.
    pub node: String,
    /// cpu, disk, disk-full, network, hang, crashed, unknown.
    pub cause: String,
    /// Why this cause and no other.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub because: String,
    /// operator or job-owner.
    pub who: String,
    /// Since when, epoch milliseconds.
    pub since_ms: Option<i64>,
    /// Until when, epoch milliseconds, if it has passed: nothing showed of it since where it would have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
    /// How sure, 0 to 1.
    pub sureness: f64,
    /// One sentence: which node, why, since when, how sure, who acts.
    #[serde(default)]
    pub sentence: String,
    /// What to do.
    #[serde(default)]
    pub advice: String,
    /// What the verdict rests on.
    pub evidence: Vec<Evidence>,
}

/// One ground of a verdict, or of a suspicion.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The method.
    pub method: String,
    /// Its signal.
    pub signal: String,
    /// The node's score.
    pub score: f64,
    /// The threshold that it passed, if any.
    pub threshold: Option<f64>,
    /// One sentence with its numbers.
    pub text: String,
    /// The log lines behind it.
    pub lines: Vec<LineRef>,
    /// How much its word weighs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// Chance of this under no fault, where it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<f64>,
    /// When it began to show, epoch milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since_ms: Option<i64>,
    /// When it showed last, epoch milliseconds, where it would have shown again since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_ms: Option<i64>,
    /// Where the gap rule holds: the short end of the node's states (its lower quartile, or the shortest) and the long end
    /// of its peers' (the highest upper quartile, or the longest), in seconds, jobs evened out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap_s: Option<[f64; 2]>,
    /// The node is far from its peers since it takes less time than they do; only to the letter of the paper is that
    /// held against it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub faster: bool,
}

impl Evidence {
    /// `score 0.71, threshold 0.43`.
    #[must_use]
    pub fn scored(&self) -> String {
        let threshold = self.threshold.map_or_else(String::new, |threshold| format!(", threshold {threshold:.2}"));
        format!("score {:.2}{threshold}", self.score)
    }

    /// `kahuna-wb · Map · score 0.71, threshold 0.43`.
    #[must_use]
    pub fn source(&self) -> String {
        format!("{} · {} · {}", self.method, self.signal, self.scored())
    }
}

/// One witness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WitnessRow {
    /// The method.
    pub method: String,
    /// Its signal.
    pub signal: String,
    /// Score of each node judged.
    pub nodes: BTreeMap<String, f64>,
    /// The threshold on the scores.
    pub threshold: Option<f64>,
    /// Nodes indicted.
    pub indicted: Vec<String>,
    /// Why it says nothing (kebab-case), or null.
    pub abstained: Option<String>,
    /// How much its word weighs against each node indicted.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub strengths: BTreeMap<String, Strength>,
    /// Those of the nodes indicted of which a job explains it: that counts against nobody.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excused: Vec<String>,
    /// The first and the last of the jobs whose data alone it read, in order of their ids, or the only one; empty if it
    /// read that of all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<String>,
    /// The stretch of the job of whose data it read those that ended then alone, if it did: "second half", "last quarter".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<String>,
}

impl WitnessRow {
    /// Whether it indicts a node, and no job explains it.
    #[must_use]
    pub fn holds(&self, node: &str) -> bool {
        let names = |list: &[String]| list.iter().any(|name| name == node);
        names(&self.indicted) && !names(&self.excused)
    }

    /// Those of the nodes indicted of which no job explains it.
    pub fn held(&self) -> impl Iterator<Item = &String> {
        self.indicted.iter().filter(|node| !self.excused.contains(node))
    }

    /// Whether it shows scores and judges nobody by them: likeness (K14).
    #[must_use]
    pub fn only_shows(&self) -> bool {
        self.method == Method::PeerSimilarity.name()
    }
}

/// One job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobRow {
    /// Its id.
    pub job: String,
    /// none, application, skew or infrastructure.
    pub class: String,
    /// The rule that says so.
    pub rule: String,
    /// Its name.
    #[serde(default)]
    pub name: Option<String>,
    /// success, failed, killed or running.
    #[serde(default)]
    pub status: String,
    /// job-owner or operator, or null where nobody has to act (T02).
    #[serde(default)]
    pub who: Option<String>,
    /// Who submitted it.
    #[serde(default)]
    pub user: Option<String>,
    /// Its queue.
    #[serde(default)]
    pub queue: Option<String>,
    /// Launch, else submission, epoch milliseconds.
    #[serde(default)]
    pub start_ms: Option<i64>,
    /// Finish, epoch milliseconds.
    #[serde(default)]
    pub finish_ms: Option<i64>,
    /// About how long it would have taken, in milliseconds, had the nodes at fault worked as their peers did; where that is
    /// known, and shorter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub without_fault_ms: Option<i64>,
    /// How many of its nodes ran Maps alike, where they were compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub likeness: Option<LikenessRow>,
    /// What its owner may change, most severe first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<AdviceRow>,
    /// Where trouble of its own shows: attempts that failed, or the one that got far more data.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineRef>,
}

/// How many of a job's nodes ran Maps alike (K14).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LikenessRow {
    /// Nodes whose number of running Maps correlates with that of all others.
    pub alike: u64,
    /// Nodes compared.
    pub of: u64,
    /// Nodes left out, as that number never changed (X7).
    pub constant: u64,
}

/// One advice to a job's owner.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AdviceRow {
    /// Which threshold was passed: map-spill, reduce-gc …
    pub rule: String,
    /// low, moderate, severe or critical.
    pub severity: String,
    /// The numbers.
    pub text: String,
    /// What to try.
    pub suggestion: String,
}

/// A time in which a node went wrong in job after job.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IncidentRow {
    /// Its name.
    pub node: String,
    /// From when, epoch milliseconds.
    pub from_ms: i64,
    /// Until when.
    pub to_ms: i64,
    /// The jobs that suffered.
    pub jobs: Vec<String>,
    /// One sentence with its numbers.
    pub text: String,
}

/// One kind of issue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct IssueRow {
    /// Its code (kebab-case).
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// How often it occurred.
    pub count: u64,
    /// What it is.
    pub text: String,
    /// What to do.
    pub advice: String,
    /// The first places.
    pub lines: Vec<LineRef>,
    /// What exactly, where the code does not say it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The archives, folders and files that these files are of, by their names.
pub fn inputs_of<'f>(files: impl Iterator<Item = &'f str>) -> Vec<&'f str> {
    let names = files.filter_map(|file| file.split('/').next());
    let mut inputs: Vec<&str> = names.filter(|name| !name.is_empty()).collect();
    // Of many files most are of the one before: what is left is soon put in order.
    inputs.dedup();
    inputs.arrange(Ord::cmp);
    inputs.dedup();
    inputs
}

impl Report {
    /// Of a verdict that does not follow from its numbers what is said of that: nothing else of the report is shown.
    #[must_use]
    pub fn refused(&self) -> Option<&str> {
        (self.verdict.reason.as_deref() == Some(check::REFUSED)).then_some(&self.verdict.sentence)
    }

    /// What a count of each file comes to; the largest number where it is more than that.
    #[must_use]
    pub fn sum_of(&self, of: fn(&Coverage) -> u64) -> u64 {
        self.coverage.iter().map(of).fold(0, u64::saturating_add)
    }

    /// The archives, folders and files that were given, by their names.
    #[must_use]
    pub fn inputs(&self) -> Vec<&str> {
        inputs_of(self.coverage.iter().map(|c| &*c.file))
    }

    /// How the heatmap is coloured.
    #[must_use]
    pub fn reading(&self) -> Reading {
        match self.parameters.get(parameters::THEIA_LITERAL) {
            Some(Value::Bool(true)) => Reading::Literal,
            _ => Reading::Usual,
        }
    }

    /// What of its methods was set otherwise than usual, if anything: a sentence.
    #[must_use]
    pub fn set_in_words(&self) -> Option<String> {
        let set = parameters::options(&self.parameters, false);
        (!set.is_empty()).then(|| format!("Reached with other values than the usual: {}.", set.join(" ")))
    }

    /// What made it, and of what, for people.
    #[must_use]
    pub fn made(&self) -> Option<String> {
        self.provenance.as_ref().and_then(Provenance::in_words)
    }

    /// The report as JSON text: two-space indentation, a line end at the end. Equal
    /// reports give equal bytes.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = json::text(self, json::Layout::Indented);
        text.push('\n');
        text
    }
}
