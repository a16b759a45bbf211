//! The anomaly heatmap of a report, a letter a cell: what is left of many attempts (T07, T08).
//!
//! ```text
//! jobs    job_…_0001 job_…_0002 job_…_0003 …      in order of start
//! cells   h101  "0a.Q0…"      a score in 64 steps of its root, as the figure colours it
//!         h102  "03!_7…"      . ran nothing   ! blacklisted   _ not comparable
//! ```
//! Cost to make: that of a [`Survey`]. A byte a cell; of 64 nodes and 1,373 jobs (T21) a link takes 75,000 characters, or
//! 25,000 where steps are taken together.

use super::letters::{EMPTY, STEPS, place_of};
use super::permuted::{by_name, permute};
use super::steps;
use super::{Culprit, IncidentRow};
use crate::base::{Arrange, Gathered, JobId, NodeId, Timestamp};
use crate::diagnosis::Reading;
use crate::diagnosis::theia::survey::SurveyedJob;
use crate::diagnosis::theia::{Blacklist, Survey};
use crate::model::Trace;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Nothing of the job ran on the node, and it was blacklisted.
const BLACKLISTED: u8 = b'!';
/// What ran cannot be compared: too few nodes worked for the job.
const ALONE: u8 = b'_';
/// Cells at most: the month of T21 has 88,000.
pub const MOST_CELLS: usize = 100_000;
/// Cells that those are chosen of at most: 1,200 jobs on 700 nodes (T08) are 840,000.
const MOST_SURVEYED: usize = 2_000_000;
/// Rows, and columns, at most.
const MOST_ROWS: usize = 10_000;
/// Rows that stay where there are too many cells, with as many columns as there is room for.
const MOST_TELLING: usize = 250;
/// Where a link has no room for that, so many rows and columns stay: those that are most anomalous.
pub(super) const TELLING: (usize, usize) = (24, 200);
/// A share of the highest score from which a cell is odd: the lower half of the roots is below.
const ODD: f32 = 0.25;
/// Steps of the upper half of the roots that are taken together where a link has no room for all. Those of the lower half,
/// where nearly all scores are and none is [`ODD`], are 0 then: as its peers.
const TOGETHER: usize = 4;

/// Whom a report names: culprits, and nodes and jobs of incidents.
#[derive(Debug, Default)]
pub struct Named {
    /// Names of nodes.
    pub nodes: BTreeSet<String>,
    /// Ids of jobs.
    pub jobs: BTreeSet<String>,
}

impl Named {
    /// By the verdict and the incidents of a report.
    #[must_use]
    pub fn by(culprits: &[Culprit], incidents: &[IncidentRow]) -> Self {
        let nodes = culprits.iter().map(|c| &c.node).chain(incidents.iter().map(|i| &i.node));
        let jobs = incidents.iter().flat_map(|i| &i.jobs);
        Self { nodes: nodes.cloned().gathered(), jobs: jobs.cloned().gathered() }
    }
}

/// The cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeatmapFigure {
    /// Names of the nodes, a row each.
    pub nodes: Vec<String>,
    /// Ids of the jobs in order of start, a column each.
    pub jobs: Vec<String>,
    /// When each began: milliseconds after the begin that was told last, the first since 1970.
    pub begin_ms: Vec<Option<i64>>,
    /// The score of the last step.
    pub highest: f32,
    /// The scores are read to the letter; where a figure does not say so, those that end elsewhere than at 1 are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub literal: bool,
    /// The rows: a letter a job.
    pub cells: Vec<String>,
    /// Nodes and jobs that there were, where the least anomalous were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<(u64, u64)>,
}

/// The heatmap of a trace; `None` where there are no scores.
#[must_use]
pub fn of(trace: &Trace, reading: Reading, named: &Named) -> Option<HeatmapFigure> {
    let peers: Vec<NodeId> = trace.peer_nodes().collect();
    if peers.len().saturating_mul(trace.jobs.len()) > MOST_SURVEYED {
        return None;
    }
    let survey = Survey::of(trace, &peers, reading);
    let highest = survey.highest(reading, 0..survey.jobs().len());
    let blacklist = Blacklist::of(trace);
    let cell = |(i, job): (usize, &SurveyedJob), node: NodeId| match survey.cell(i, node) {
        Some(Some(score)) => STEPS.get(usize::from(step_of(score / highest))).copied().unwrap_or(EMPTY),
        Some(None) => ALONE,
        None if blacklist.has(node, job) => BLACKLISTED,
        None => EMPTY,
    };
    let row = |node: &NodeId| survey.jobs().iter().enumerate().map(|job| char::from(cell(job, *node))).collect();
    let mut figure = HeatmapFigure {
        nodes: peers.iter().map(|node| trace.node_name(*node).to_owned()).collect(),
        jobs: survey.jobs().iter().map(|job| job.id.to_string()).collect(),
        begin_ms: steps::encode(survey.jobs().iter().map(|job| Some(job.start?.millis()))),
        highest,
        literal: reading == Reading::Literal,
        cells: peers.iter().map(row).collect(),
        whole: None,
    };
    let has_scores = figure.cells.iter().any(|row| row.bytes().any(|cell| score_of(cell).is_some()));
    let (nodes, jobs) = (figure.nodes.len(), figure.jobs.len());
    if nodes.saturating_mul(jobs) > MOST_CELLS || nodes.max(jobs) > MOST_ROWS {
        let rows = nodes.min(MOST_TELLING);
        figure.keep_telling(named, (rows, (MOST_CELLS / rows.max(1)).min(MOST_ROWS)));
    }
    (has_scores && figure.fits()).then_some(figure)
}

/// Steps in which scores are told and coloured.
pub const SCORE_STEPS: u8 = STEPS.len() as u8;

/// The step of a share of the highest score, the first 0. The root spreads the low scores, of which nearly all are.
#[must_use]
pub fn step_of(share: f32) -> u8 {
    (share.clamp(0.0, 1.0).sqrt() * f32::from(SCORE_STEPS - 1)).round() as u8
}

/// The share of the highest score that a letter stands for.
fn score_of(cell: u8) -> Option<f32> {
    let root = place_of(cell)? as f32 / f32::from(SCORE_STEPS - 1);
    Some(root * root)
}

impl HeatmapFigure {
    /// How its scores are read.
    #[must_use]
    pub fn reading(&self) -> Reading {
        // A figure of an earlier version does not say; scores of the other reading end at 1, whatever they are.
        if self.literal || self.highest != 1.0 { Reading::Literal } else { Reading::Usual }
    }

    /// The rows, of which what is no letter of a cell's is one of an empty cell: nothing else leaves with a report.
    pub(super) fn only_letters(&self) -> Vec<String> {
        let is_one = |b: u8| place_of(b).is_some() || [ALONE, BLACKLISTED].contains(&b);
        let clean = |row: &String| row.bytes().map(|b| char::from(if is_one(b) { b } else { EMPTY })).collect();
        self.cells.iter().map(clean).collect()
    }

    /// Puts the nodes into the order of their names.
    pub(super) fn sort_by_name(&mut self) {
        // What does not fit together is not drawn.
        if !self.fits() {
            return *self = Self::default();
        }
        let order = by_name(&self.nodes);
        permute(&mut self.cells, &order);
        permute(&mut self.nodes, &order);
    }

    /// Tells fewer steps apart, and begins to the second.
    pub(super) fn coarsen(&mut self) {
        const STEP_MS: i64 = 1_000;
        let begins = steps::decode(&self.begin_ms).into_iter().map(|ms| Some(steps::floor(ms?, STEP_MS)));
        self.begin_ms = steps::encode(begins);
        let coarse = |cell: u8| {
            let step = place_of(cell)
                .map(|place| if place < STEPS.len() / 2 { 0 } else { place / TOGETHER * TOGETHER + TOGETHER / 2 });
            step.and_then(|step| STEPS.get(step)).copied().unwrap_or(cell)
        };
        for row in &mut self.cells {
            *row = row.bytes().map(coarse).map(char::from).collect();
        }
    }

    /// Leaves out the rows and columns that are least anomalous; of those that are named none before others.
    pub(super) fn keep_telling(&mut self, named: &Named, (rows, columns): (usize, usize)) {
        /// More than all cells of a row or a column are together.
        const NAMED: f32 = MOST_CELLS as f32;
        // Where most scores are, none is odd, and a node that ran more jobs would have more of them.
        let odd = |cell: u8| score_of(cell).filter(|share| *share >= ODD).unwrap_or(0.0);
        let rank = |is_named: bool, odds: f32| if is_named { NAMED + odds } else { odds };
        let ranks = self.nodes.iter().zip(&self.cells);
        let ranks = ranks.map(|(node, row)| rank(named.nodes.contains(node), row.bytes().map(odd).sum()));
        let rows = highest(ranks.collect(), rows);
        let mut sums = vec![0.0_f32; self.jobs.len()];
        for row in rows.iter().filter_map(|row| self.cells.get(*row)) {
            sums.iter_mut().zip(row.bytes()).for_each(|(sum, cell)| *sum += odd(cell));
        }
        let ranks = self.jobs.iter().zip(sums).map(|(job, sum)| rank(named.jobs.contains(job), sum));
        let columns = highest(ranks.collect(), columns);
        let was = (self.nodes.len() as u64, self.jobs.len() as u64);
        if (rows.len(), columns.len()) == (self.nodes.len(), self.jobs.len()) {
            return;
        }
        let begins = steps::decode(&self.begin_ms);
        self.begin_ms = steps::encode(columns.iter().map(|column| begins.get(*column).copied().flatten()));
        let kept = |all: &[String], places: &[usize]| places.iter().filter_map(|at| all.get(*at).cloned()).collect();
        (self.nodes, self.jobs) = (kept(&self.nodes, &rows), kept(&self.jobs, &columns));
        let cell = |row: &String, column: &usize| row.as_bytes().get(*column).copied().map(char::from);
        let rows = rows.iter().filter_map(|row| self.cells.get(*row));
        self.cells = rows.map(|row| columns.iter().filter_map(|column| cell(row, column)).collect()).collect();
        self.whole = self.whole.or(Some(was));
    }

    fn fits(&self) -> bool {
        let (nodes, jobs) = (self.nodes.len(), self.jobs.len());
        self.begin_ms.len() == jobs
            && self.cells.len() == nodes
            && self.cells.iter().all(|row| row.len() == jobs && row.is_ascii())
            && nodes.max(jobs) <= MOST_ROWS
            && (1..=MOST_CELLS).contains(&nodes.saturating_mul(jobs))
            && self.highest.is_finite()
            && self.highest > 0.0
    }

    /// The scores again, and which node was blacklisted for which job; the nodes are numbered in the figure's own order.
    /// `None` where it does not fit together (it comes from outside).
    #[must_use]
    pub fn scores(&self) -> Option<(Survey, Vec<(NodeId, JobId)>)> {
        if !self.fits() {
            return None;
        }
        let ids: Vec<JobId> = self.jobs.iter().map(|id| JobId::named(id.as_bytes())).collect::<Option<_>>()?;
        let unlike: BTreeSet<JobId> = ids.iter().copied().gathered();
        if unlike.len() < ids.len() {
            return None;
        }
        let cells = |column: usize| {
            let rows = (0..).map(NodeId).zip(&self.cells);
            rows.filter_map(move |(node, row)| Some((node, row.as_bytes().get(column).copied()?)))
        };
        let worked = |(node, cell): (NodeId, u8)| match (cell, score_of(cell)) {
            (ALONE, _) => Some((node, None)),
            (_, Some(share)) => Some((node, Some(share * self.highest))),
            _ => None,
        };
        let jobs = ids.iter().zip(steps::decode(&self.begin_ms)).enumerate().map(|(column, (id, begin))| {
            (*id, begin.map(Timestamp::from_millis), cells(column).filter_map(worked).collect())
        });
        let survey = Survey::of_scores(jobs);
        let banned = ids.iter().enumerate().flat_map(|(column, id)| {
            cells(column).filter(|(_, cell)| *cell == BLACKLISTED).map(|(node, _)| (node, *id))
        });
        Some((survey, banned.collect()))
    }
}

/// The places of the highest, so many of them, in order of place.
fn highest(values: Vec<f32>, most: usize) -> Vec<usize> {
    let mut places: Vec<(f32, usize)> = values.into_iter().zip(0..).collect();
    places.arrange(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut places: Vec<usize> = places.into_iter().take(most).map(|(_, at)| at).collect();
    places.arrange(Ord::cmp);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure() -> HeatmapFigure {
        HeatmapFigure {
            nodes: ["h1", "h2", "h3"].map(String::from).to_vec(),
            jobs: ["job_202611202124_0001", "job_202611202124_0002"].map(String::from).to_vec(),
            begin_ms: vec![Some(1_000), Some(500)],
            highest: 1.0,
            literal: false,
            cells: ["0/", "_.", "v!"].map(String::from).to_vec(),
            whole: None,
        }
    }

    #[test]
    fn scores_come_back_in_the_steps_of_the_colours() {
        let (survey, banned) = figure().scores().unwrap();
        let starts: Vec<_> = survey.jobs().iter().map(|job| job.start.map(Timestamp::millis)).collect();
        assert_eq!(starts, [Some(1_000), Some(1_500)]);
        let cells = |job: usize| [0, 1, 2].map(|node| survey.cell(job, NodeId(node)));
        let root = 31.0_f32 / 63.0;
        assert_eq!(cells(0), [Some(Some(0.0)), Some(None), Some(Some(root * root))]);
        assert_eq!(cells(1), [Some(Some(1.0)), None, None]);
        assert_eq!(banned, [(NodeId(2), survey.jobs()[1].id)]);
        // A letter's score is that letter again.
        assert!(STEPS.iter().zip(0..).all(|(letter, step)| step_of(score_of(*letter).unwrap()) == step));
    }

    #[test]
    fn figure_that_does_not_fit_together_is_none() {
        for lie in [
            HeatmapFigure { begin_ms: vec![None], ..figure() },
            HeatmapFigure { cells: vec![String::from("00"); 2], ..figure() },
            HeatmapFigure { cells: ["00", "0", "00"].map(String::from).to_vec(), ..figure() },
            HeatmapFigure { highest: f32::NAN, ..figure() },
            HeatmapFigure { jobs: vec![String::from("job_1_0001"); 2], ..figure() },
            HeatmapFigure { jobs: ["a", "b"].map(String::from).to_vec(), ..figure() },
            HeatmapFigure::default(),
        ] {
            assert!(lie.scores().is_none(), "{lie:?}");
        }
    }

    #[test]
    fn rows_and_columns_that_stand_out_stay_in_order() {
        let mut many = HeatmapFigure {
            nodes: (0..30).map(|i| format!("h{i:02}")).collect(),
            jobs: (1..=300).map(|i| format!("job_202611202124_{i:04}")).collect(),
            begin_ms: vec![Some(10); 300],
            highest: 1.0,
            literal: false,
            cells: (0..30).map(|row| if row == 7 { "5".repeat(299) + "/" } else { "0".repeat(300) }).collect(),
            whole: None,
        };
        let named = Named { nodes: [String::from("h29")].into(), jobs: [String::from("job_202611202124_0299")].into() };
        many.keep_telling(&named, TELLING);
        assert_eq!((many.nodes.len(), many.jobs.len(), many.whole), (24, 200, Some((30, 300))));
        let has = |node: &str| many.nodes.iter().any(|name| name == node);
        assert!(has("h07") && has("h29") && many.nodes.is_sorted(), "one that is odd, and one that is named");
        assert!(many.jobs.contains(&String::from("job_202611202124_0299")));
        assert_eq!(many.jobs.last().unwrap(), "job_202611202124_0300");
        assert_eq!(steps::decode(&many.begin_ms).last(), Some(&Some(3_000)), "its begin is what it was");
        assert!(many.cells.iter().all(|row| row.len() == 200) && many.scores().is_some());
        let again = many.clone();
        many.keep_telling(&named, TELLING);
        assert_eq!(many, again);
    }

    #[test]
    fn coarse_steps_are_nine_and_stay_so() {
        let mut figure = HeatmapFigure {
            jobs: (1..=64).map(|i| format!("job_202611202124_{i:04}")).collect(),
            begin_ms: vec![None; 64],
            cells: vec![STEPS.iter().map(|b| char::from(*b)).collect(); 3],
            ..figure()
        };
        figure.coarsen();
        let letters: BTreeSet<u8> = figure.cells[0].bytes().collect();
        assert_eq!(letters.len(), 1 + 8);
        let once = figure.clone();
        figure.coarsen();
        assert_eq!(figure, once);
        assert!(figure.cells[0].bytes().map(|cell| score_of(cell).unwrap()).is_sorted());
    }
}
