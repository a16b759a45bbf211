//! The jobs across nodes: what the anomaly heatmap, the job
//! execution stream and the job execution detail have in common.

pub mod detail;
pub mod filter;
pub mod stream;

pub use filter::{JobFilter, RowOrder};

use super::axis::label_width_css_px;
use super::{Look, Scene, shade};
use crate::base::quantity::{bytes, signed, trimmed};
use crate::base::{Gathered, JobId, MONTHS, NodeId, TimeZone, Timestamp};
use crate::diagnosis::MIN_PEERS;
use crate::diagnosis::Reading;
use crate::diagnosis::theia::score::z_scores;
use crate::diagnosis::theia::{Blacklist, Survey, Work};
use crate::model::Trace;
use crate::report::{IncidentRow, JobRow};
use std::collections::{BTreeMap, BTreeSet};

/// Standard deviations of a task's time that are darkest: one task in 700 by chance.
const DARKEST: f64 = 3.0;

/// What is known of the jobs.
#[derive(Clone, Debug)]
pub struct JobsShown<'a> {
    pub(super) trace: &'a Trace,
    pub(super) survey: &'a Survey,
    pub(super) reading: Reading,
    /// Rows of the report by job.
    pub(super) rows: BTreeMap<JobId, &'a JobRow>,
    pub(super) incidents: Vec<IncidentShown<'a>>,
    blacklist: Blacklist,
    /// How many nodes and jobs there are, where not all of them are shown.
    pub(super) whole: Option<(u64, u64)>,
    /// The highest score to the letter, where it may be of none that is shown.
    pub(super) highest: Option<f32>,
}

/// A stretch of jobs in which a node stood out, as a report tells it.
#[derive(Clone, Debug)]
pub(super) struct IncidentShown<'a> {
    pub(super) node: NodeId,
    pub(super) span: (Timestamp, Timestamp),
    pub(super) jobs: Vec<JobId>,
    pub(super) text: &'a str,
}

impl<'a> IncidentShown<'a> {
    fn of(nodes: &BTreeMap<&str, NodeId>, row: &'a IncidentRow) -> Option<Self> {
        Some(Self {
            node: *nodes.get(row.node.as_str())?,
            span: (Timestamp::from_millis(row.from_ms), Timestamp::from_millis(row.to_ms)),
            jobs: row.jobs.iter().filter_map(|id| JobId::named(id.as_bytes())).collect(),
            text: &row.text,
        })
    }
}

impl<'a> JobsShown<'a> {
    /// Gathers it: O(nodes + jobs + incidents).
    #[must_use]
    pub fn new(
        trace: &'a Trace,
        survey: &'a Survey,
        reading: Reading,
        jobs: &'a [JobRow],
        incidents: &'a [IncidentRow],
    ) -> Self {
        let row = |row: &'a JobRow| Some((JobId::named(row.job.as_bytes())?, row));
        let nodes: BTreeMap<&str, NodeId> =
            trace.nodes.iter().map(|n| n.name.as_str()).zip((0..).map(NodeId)).gathered();
        Self {
            trace,
            survey,
            reading,
            rows: jobs.iter().filter_map(row).gathered(),
            incidents: incidents.iter().filter_map(|row| IncidentShown::of(&nodes, row)).collect(),
            blacklist: Blacklist::of(trace),
            whole: None,
            highest: None,
        }
    }

    /// Of so many nodes and jobs, of which the least anomalous are not there, and what their highest score was.
    #[must_use]
    pub fn out_of(self, whole: Option<(u64, u64)>, highest: Option<f32>) -> Self {
        Self { whole, highest, ..self }
    }

    /// Places in the survey of the jobs that are looked at, in order of start.
    pub(super) fn chosen(&self, look: &Look) -> Vec<usize> {
        let jobs = self.survey.jobs().iter().enumerate();
        let takes = |id: JobId| self.rows.get(&id).is_none_or(|row| look.jobs.takes(row, look.selection.span));
        jobs.filter(|(_, job)| takes(job.id)).map(|(i, _)| i).collect()
    }

    /// The report's row of the job at a place in the survey.
    pub(super) fn row(&self, index: usize) -> Option<&'a JobRow> {
        self.rows.get(&self.survey.jobs().get(index)?.id).copied()
    }

    /// Whether a node was given nothing of the job at `index`, by name of a master.
    pub(super) fn is_blacklisted(&self, index: usize, node: NodeId) -> bool {
        self.survey.jobs().get(index).is_some_and(|job| self.blacklist.has(node, job))
    }

    /// Nodes that had an incident.
    pub(super) fn troubled(&self) -> BTreeSet<NodeId> {
        self.incidents.iter().map(|i| i.node).gathered()
    }

    /// How dark the squares of one side of a job are: how much longer the nodes' attempts took than their peers', on
    /// one scale for any number of nodes. To the letter, by how many standard deviations, be it longer or shorter.
    /// Where no time is known they are white.
    pub(super) fn duration_shades(&self, works: &[&Work]) -> Vec<u8> {
        let literal = self.reading == Reading::Literal;
        // With two nodes one is always the slower.
        let comparable = works.len() >= MIN_PEERS || literal;
        let z = z_scores(&works.iter().map(|work| work.mean_ms().unwrap_or(f64::NAN)).collect::<Vec<f64>>());
        let Some(z) = z.filter(|_| comparable) else { return vec![0; works.len()] };
        let most = if literal { DARKEST } else { ((works.len() - 1) as f64).sqrt() };
        let share = |z: f64| if literal { z.abs() / most } else { z.max(0.0) / most };
        z.into_iter().map(|z| shade(share(z))).collect()
    }
}

/// Who the squares of a stream or a detail are, row by row, in lines that fit a width: for a picture, at which nobody
/// can point. Nothing of other scenes.
pub(super) fn names(scene: &Scene, width_css_px: f32) -> Vec<String> {
    let mut lines = Vec::new();
    if !scene.names_below {
        return lines;
    }
    let mut row = None;
    for hit in &scene.hits {
        let job = hit.picks.as_deref().and_then(|picks| picks.job);
        let (Some(job), Some(side), Some(node)) = (job, hit.says.first(), &hit.node) else { continue };
        if row != Some((job, side)) {
            if row.is_none() {
                lines.push(String::from("Nodes of each row, from left to right:"));
            }
            row = Some((job, side));
            lines.push(format!("{job}, {side}: {node}"));
            continue;
        }
        let Some(line) = lines.last_mut() else { continue };
        line.push(',');
        if label_width_css_px(line) + label_width_css_px(node) + label_width_css_px(" ,") <= width_css_px {
            line.push(' ');
            line.push_str(node);
        } else {
            lines.push(node.clone());
        }
    }
    lines
}

/// The time of a node's attempts, or that none of them began.
pub(super) fn total_time(work: &Work) -> String {
    if work.timed > 0 { hours(work.time_ms) } else { String::from("none began") }
}

/// `0h 23m 28s`.
pub(super) fn hours(ms: u64) -> String {
    let s = ms / 1000;
    format!("{}h {}m {}s", s / 3600, s / 60 % 60, s % 60)
}

/// The tooltip of a node's square (T20), then the numbers behind it.
pub(super) fn says(trace: &Trace, work: &Work) -> Vec<String> {
    let side = if work.side == crate::diagnosis::theia::Side::Map { "Maps" } else { "Reduces" };
    vec![
        side.to_owned(),
        format!("Node: {}", trace.node_name(work.node)),
        format!("Successful Tasks: {}", work.success),
        format!("Failure Ratio: {}", trimmed(work.failure_ratio(), 2)),
        format!("Total I/O: {}", bytes(work.bytes as f64)),
        format!("Total Time: {}", total_time(work)),
        format!("{} failed, {} killed, {} still running", work.failed, work.killed, work.open),
        z_in_words(work),
    ]
}

/// z of the three factors.
pub(super) fn z_in_words(work: &Work) -> String {
    let z = |z: Option<f32>| z.map_or_else(|| String::from("–"), |z| signed(z.into(), 2));
    let [duration, volume, failures] = work.scored.z;
    format!("z: duration {}, volume {}, failures {}", z(duration), z(volume), z(failures))
}

/// In which zone the headers' times are.
pub(super) const fn times_in(zone: TimeZone) -> &'static str {
    match zone {
        TimeZone::Utc => "times in UTC",
        TimeZone::Unknown => "times in an unknown zone",
    }
}

/// The header of a job (T11): `job_9438 / kmeans -- SUCCESS 21:54:47 / 0h 5m 44s / Oct-10`.
pub(super) fn header(shown: &JobsShown<'_>, index: usize) -> String {
    header_parts(shown, index).join(" -- ")
}

/// What the job is called, and how it went.
pub(super) fn header_parts(shown: &JobsShown<'_>, index: usize) -> [String; 2] {
    let Some(job) = shown.survey.jobs().get(index) else { return [String::new(), String::new()] };
    let row = shown.row(index);
    let name = row.and_then(|r| r.name.as_deref()).unwrap_or("?");
    let status = row.map_or("", |r| r.status.as_str()).to_ascii_uppercase();
    let title = format!("{} / {name}", job.id);
    let Some(start) = job.start else { return [title, status] };
    let length = job.end.map_or_else(|| "?".to_owned(), |end| hours(end.millis_since(start).max(0) as u64));
    let text = start.to_string();
    let month = text.get(5..7).and_then(|m| m.parse::<usize>().ok()).unwrap_or(1);
    let month = MONTHS.get(month.saturating_sub(1)).copied().unwrap_or_default();
    let (clock, day) = (text.get(11..19).unwrap_or_default(), text.get(8..10).unwrap_or_default());
    [title, format!("{status} {clock} / {length} / {month}-{day}")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::theia::Side;
    use crate::diagnosis::theia::score::Scored;
    use crate::scene::{Hit, Mark, Selection};

    #[test]
    fn square_whose_time_is_not_known_is_white_in_either_reading() {
        let work = |time_ms: Option<u64>| Work {
            node: NodeId(0),
            side: Side::Map,
            success: 1,
            failed: 0,
            killed: 0,
            open: 0,
            tried: 1,
            bad: 0,
            timed: u32::from(time_ms.is_some()),
            time_ms: time_ms.unwrap_or(0),
            bytes: 0,
            scored: Scored { z: [None; 3], score: None },
        };
        let works = [Some(1_000), Some(1_000), Some(9_000), None].map(work);
        let (trace, survey) = (Trace::default(), Survey::default());
        for reading in [Reading::Usual, Reading::Literal] {
            let shown = JobsShown::new(&trace, &survey, reading, &[], &[]);
            let shades = shown.duration_shades(&works.iter().collect::<Vec<_>>());
            assert!(shades[2] > 0 && shades[3] == 0, "{reading:?}: {shades:?}");
        }
    }

    #[test]
    fn pictures_name_the_nodes_of_each_row() {
        let square = |number: u32, side: &str, node: &str| Hit {
            says: vec![side.to_owned()],
            node: Some(node.to_owned()),
            picks: Some(Box::new(Selection { job: Some(JobId { cluster: 1, number }), ..Selection::default() })),
            ..Hit::default()
        };
        let mut hits = vec![Hit { says: vec![String::from("a header")], ..Hit::default() }];
        hits.extend([square(1, "Maps", "h2"), square(1, "Maps", "h1"), square(1, "Reduces", "h1")]);
        hits.extend((0..100).map(|i| square(2, "Maps", &format!("n{i}"))));
        let mut scene = Scene { hits, size: (400.0, 100.0), ..Scene::default() };
        assert!(names(&scene, 392.0).is_empty(), "other figures name their nodes themselves");
        scene.names_below = true;
        let told = names(&scene, 392.0);
        assert_eq!(told.get(1..3).unwrap(), ["job_1_0001, Maps: h2, h1", "job_1_0001, Reduces: h1"]);
        assert!(told.iter().all(|line| label_width_css_px(line) < 400.0), "{told:?}");
        let all = told.get(3..).unwrap().join(" ");
        assert!(all.starts_with("job_1_0002, Maps: n0, n1, ") && all.ends_with(", n98, n99"), "{all}");
        let picture = scene.captioned("by us");
        let texts = picture.marks.iter().filter_map(|mark| match mark {
            Mark::Text { at, text, .. } => Some((at.1, text.as_str())),
            _ => None,
        });
        let (y, _) = texts.clone().find(|(_, text)| *text == "job_1_0001, Reduces: h1").unwrap();
        assert!(y > 144.0 && texts.clone().all(|(y, _)| y < picture.size.1), "below what is drawn, within the picture");
    }

    #[test]
    fn hours_are_written_as_in_the_papers_tooltip() {
        assert_eq!(hours((23 * 60 + 28) * 1000), "0h 23m 28s");
        assert_eq!(hours(3_661_999), "1h 1m 1s");
    }
}
