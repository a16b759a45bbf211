//! What is looked at: the question to which a scene is the answer.

use super::Role;
use super::axis::FONT_CSS_PX;
use super::jobs::{JobFilter, RowOrder};
use super::swimlanes::Order;
use crate::base::{AttemptId, JobId, Timestamp};
use crate::model::StateKind;
use crate::report::{Culprit, Report};
use serde::{Deserialize, Serialize};

/// What is looked at, and how much room there is.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// The chosen kind of state; `None`: the one in which the node that is meant stands out most.
    pub kind: Option<StateKind>,
    /// Names of the culprits, which stand out.
    pub nodes: Vec<String>,
    /// When they are at fault, where that is known.
    pub faults: Vec<FaultTime>,
    /// Width to fill.
    pub width_css_px: f32,
    /// The part of the figure that is shown.
    pub viewport: Viewport,
    /// What all views have chosen together.
    pub selection: Selection,
    /// How rows of intervals are ordered.
    pub order: Order,
    /// The chosen group of paths.
    pub group: Option<usize>,
    /// Which jobs are shown.
    pub jobs: Box<JobFilter>,
    /// How the rows of a heatmap are ordered.
    pub row_order: RowOrder,
}

/// When a node is at fault.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FaultTime {
    /// The node's name.
    pub node: String,
    /// Since when.
    pub since: Option<Timestamp>,
    /// Until when, if it has passed.
    pub until: Option<Timestamp>,
}

impl Look {
    /// What a report lets stand out: its culprits, and since and until when they are at fault.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let culprits = &report.verdict.culprits;
        let time = |ms: Option<i64>| ms.map(Timestamp::from_millis);
        let fault = |c: &Culprit| FaultTime { node: c.node.clone(), since: time(c.since_ms), until: time(c.until_ms) };
        let nodes = culprits.iter().map(|c| c.node.clone()).collect();
        Self { nodes, faults: culprits.iter().map(fault).collect(), ..Self::default() }
    }

    /// The nodes that may be asked about: the chosen one, which may be one that was not compared, else the first that is
    /// accused.
    pub fn nodes_meant(&self) -> impl Iterator<Item = &str> {
        self.selection.node.iter().chain(self.nodes.first()).map(String::as_str)
    }

    /// Behind the title of a figure that does not go by the stretch of time that is chosen.
    #[must_use]
    pub const fn at_any_time(&self) -> &'static str {
        if self.selection.span.is_some() { ", whatever time is chosen" } else { "" }
    }

    /// What a node that stands out is marked with: one that is accused otherwise than one that is only chosen.
    #[must_use]
    pub fn marked(&self, node: &str) -> Option<Role> {
        if self.nodes.iter().any(|culprit| culprit == node) {
            return Some(Role::Culprit);
        }
        (self.selection.node.as_deref() == Some(node)).then_some(Role::Ink)
    }

    /// What a node's name beside a row of that height is written with: where rows are lower than text, only those that
    /// stand out have names.
    #[must_use]
    pub fn label(&self, node: &str, row_css_px: f32) -> Option<Role> {
        self.marked(node).or((row_css_px >= FONT_CSS_PX).then_some(Role::Faint))
    }
}

/// A part of a figure's whole, in shares of its extent: 0 is its left or upper end, 1 the
/// right or lower one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Viewport {
    /// From and to across.
    pub x: (f64, f64),
    /// From and to down.
    pub y: (f64, f64),
}

impl Default for Viewport {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl Viewport {
    /// Everything.
    pub const WHOLE: Self = Self { x: (0.0, 1.0), y: (0.0, 1.0) };

    /// Whether it shows everything.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        *self == Self::WHOLE
    }

    /// Made `factor` times smaller (greater if below 1) around a point given in shares of
    /// what is shown now; never smaller than `least`, never beyond the whole.
    #[must_use]
    pub fn zoomed(&self, factor: (f64, f64), around: (f64, f64), least: (f64, f64)) -> Self {
        let axis = |(from, to): (f64, f64), factor: f64, around: f64, least: f64| {
            let span = ((to - from) / factor).clamp(least.min(1.0), 1.0);
            let fixed = from + (to - from) * around;
            kept(fixed - span * around, span)
        };
        Self { x: axis(self.x, factor.0, around.0, least.0), y: axis(self.y, factor.1, around.1, least.1) }
    }

    /// Moved by shares of what is shown now, as far as there is anything.
    #[must_use]
    pub fn moved(&self, by: (f64, f64)) -> Self {
        let axis = |(from, to): (f64, f64), by: f64| kept(from + (to - from) * by, to - from);
        Self { x: axis(self.x, by.0), y: axis(self.y, by.1) }
    }

    /// The part of this that `inner` (in shares of this) shows.
    #[must_use]
    pub fn part(&self, inner: Self, least: (f64, f64)) -> Self {
        let axis = |(from, to): (f64, f64), inner: (f64, f64), least: f64| {
            let span = ((to - from) * (inner.1 - inner.0)).clamp(least.min(1.0), 1.0);
            kept(from + (to - from) * inner.0, span)
        };
        Self { x: axis(self.x, inner.x, least.0), y: axis(self.y, inner.y, least.1) }
    }
}

/// A stretch of that length from there, moved to lie within 0 and 1.
fn kept(from: f64, span: f64) -> (f64, f64) {
    let from = from.clamp(0.0, (1.0 - span).max(0.0));
    (from, (from + span).min(1.0))
}

/// What the reader has chosen; all views follow it, and it stands in the page's address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Selection {
    /// A node, by its name.
    pub node: Option<String>,
    /// A job.
    #[serde(with = "as_text")]
    pub job: Option<JobId>,
    /// An attempt.
    #[serde(with = "as_text")]
    pub attempt: Option<AttemptId>,
    /// A stretch of time.
    pub span: Option<(Timestamp, Timestamp)>,
}

impl Selection {
    /// Whether nothing is chosen.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What of it has no name that a pseudonym could stand for.
    #[must_use]
    pub fn without_names(&self) -> Self {
        Self { span: self.span, ..Self::default() }
    }

    /// Whether a node may be shown: it is chosen, or none is.
    #[must_use]
    pub fn has_node(&self, name: &str) -> bool {
        self.node.as_deref().is_none_or(|node| node == name)
    }

    /// The chosen job, else that of the chosen attempt.
    #[must_use]
    pub fn job_meant(&self) -> Option<JobId> {
        self.job.or(self.attempt.map(|attempt| attempt.job))
    }

    /// This choice with what `other` says of it: what it does not name stays.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Self {
            node: other.node.clone().or_else(|| self.node.clone()),
            job: other.job.or(self.job),
            // An attempt belongs to its job and node.
            attempt: other.attempt.or(if other.job.is_none() && other.node.is_none() { self.attempt } else { None }),
            span: other.span.or(self.span),
        }
    }
}

/// Ids as Hadoop prints them: their numbers are too large for a JavaScript number.
mod as_text {
    use crate::base::{AttemptId, JobId};
    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::fmt::Display;

    pub trait Id: Display + Sized {
        fn read(text: &[u8]) -> Option<Self>;
    }

    impl Id for JobId {
        fn read(text: &[u8]) -> Option<Self> {
            Self::named(text)
        }
    }

    impl Id for AttemptId {
        fn read(text: &[u8]) -> Option<Self> {
            Self::named(text)
        }
    }

    pub fn serialize<I: Id, S: Serializer>(id: &Option<I>, to: S) -> Result<S::Ok, S::Error> {
        id.as_ref().map(ToString::to_string).serialize(to)
    }

    pub fn deserialize<'a, I: Id, D: Deserializer<'a>>(from: D) -> Result<Option<I>, D::Error> {
        let text = Option::<String>::deserialize(from)?;
        text.map(|text| I::read(text.as_bytes()).ok_or_else(|| D::Error::custom("no id"))).transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_chosen_is_not_marked_as_who_is_accused() {
        let selection = Selection { node: Some("h1".into()), ..Selection::default() };
        let look = Look { nodes: vec!["h2".into()], selection, ..Look::default() };
        assert_eq!(["h1", "h2", "h3"].map(|node| look.marked(node)), [Some(Role::Ink), Some(Role::Culprit), None]);
    }

    #[test]
    fn zooming_keeps_the_point_under_the_pointer_and_stays_within_the_whole() {
        let half = Viewport::WHOLE.zoomed((2.0, 1.0), (0.25, 0.5), (0.01, 0.01));
        // A quarter of the whole stays a quarter of the way across.
        assert_eq!(half, Viewport { x: (0.125, 0.625), y: (0.0, 1.0) });
        assert_eq!(half.zoomed((0.01, 0.01), (0.25, 0.5), (0.01, 0.01)), Viewport::WHOLE);
        let least = Viewport::WHOLE.zoomed((1e9, 1.0), (1.0, 0.0), (0.25, 1.0));
        assert_eq!(least.x, (0.75, 1.0));
    }

    #[test]
    fn moving_stops_at_the_ends() {
        let half = Viewport { x: (0.25, 0.75), y: (0.0, 1.0) };
        assert_eq!(half.moved((0.25, 0.5)).x, (0.375, 0.875));
        assert_eq!(half.moved((9.0, 0.0)).x, (0.5, 1.0));
        assert_eq!(half.moved((-9.0, 0.0)).x, (0.0, 0.5));
        assert_eq!(Viewport::WHOLE.moved((0.3, -0.3)), Viewport::WHOLE);
    }

    #[test]
    fn a_part_is_taken_of_what_is_shown() {
        let half = Viewport { x: (0.5, 1.0), y: (0.0, 1.0) };
        let part = half.part(Viewport { x: (0.5, 0.75), y: (0.0, 0.5) }, (0.001, 0.001));
        assert_eq!(part, Viewport { x: (0.75, 0.875), y: (0.0, 0.5) });
    }

    #[test]
    fn a_new_node_ends_the_choice_of_an_attempt_elsewhere() {
        let attempt = AttemptId::parse(b"attempt_202611202124_0001_m_000004_0");
        let before = Selection { node: Some("h1".into()), attempt, ..Selection::default() };
        let after = before.and(&Selection { node: Some("h2".into()), ..Selection::default() });
        assert_eq!(after, Selection { node: Some("h2".into()), ..Selection::default() });
    }

    #[test]
    fn ids_travel_as_text() {
        for (id, attempt) in [("job_local123_0001", None), ("job-07", Some("attempt-07_m_000003_0"))] {
            let attempt = attempt.and_then(|id| AttemptId::named(id.as_bytes()));
            let chosen = Selection { job: JobId::named(id.as_bytes()), attempt, ..Selection::default() };
            let text = serde_json::to_string(&chosen).unwrap();
            assert!(text.contains(&format!("\"{id}\"")), "{text}");
            assert_eq!(serde_json::from_str::<Selection>(&text).unwrap(), chosen);
            assert!(serde_json::from_str::<Selection>(&text.replace("job", "bog")).is_err());
        }
    }
}
