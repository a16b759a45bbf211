//! The jobs: which were in trouble, of what kind, and the rule that says so.

use super::dom::{El, el, row_head, scroller};
use crate::base::quantity::grouped;
use crate::diagnosis::job_class::Class;
use crate::model::JobStatus;
use crate::report::JobRow;

/// Rows in a table at most: a document of more elements is slow to lay out.
const ROWS_SHOWN: usize = 200;

/// The jobs in trouble as a table, the others behind a fold; `drawn`: the jobs view shows them, and their ids lead there.
pub fn view(jobs: &[JobRow], drawn: bool) -> Vec<El> {
    if jobs.is_empty() {
        return Vec::new();
    }
    let (troubled, well): (Vec<&JobRow>, Vec<&JobRow>) = jobs.iter().partition(|job| is_troubled(job));
    let mut parts = vec![el("h3").text("Jobs")];
    if !troubled.is_empty() {
        parts.push(table("Jobs in trouble", &troubled, drawn).test_id("table-jobs"));
        parts.extend(beyond(troubled.len()));
    }
    if !well.is_empty() {
        let others = if troubled.is_empty() { "" } else { "other " };
        let jobs = if well.len() == 1 { "job shows" } else { "jobs show" };
        let says = format!("{} {others}{jobs} no trouble of their own", grouped(well.len() as u64));
        let says = if well.len() == 1 { says.replace("their", "its") } else { says };
        let fold = el("details")
            .child(el("summary").text(&says))
            .child(table(&says, &well, drawn))
            .children(beyond(well.len()));
        parts.push(fold.class("fold"));
    }
    parts
}

fn is_troubled(job: &JobRow) -> bool {
    let has_class = !job.class.is_empty() && job.class() != Some(Class::None);
    has_class || [JobStatus::Failed, JobStatus::Killed].iter().any(|status| job.status == status.name())
}

fn beyond(rows: usize) -> Option<El> {
    let more = rows.checked_sub(ROWS_SHOWN).filter(|more| *more > 0)?;
    Some(el("p").class("note").text(&format!("{} more are in the saved report", grouped(more as u64))))
}

/// Whose trouble it is.
fn class(job: &JobRow) -> &str {
    match job.class() {
        Some(Class::Application) => "application: the job itself",
        Some(Class::Skew) => "data skew: one task has far more data",
        Some(Class::Infrastructure) => "infrastructure: a node",
        None if !job.class.is_empty() => &job.class,
        Some(Class::None) | None => "none",
    }
}

fn id(job: &JobRow, drawn: bool) -> El {
    if drawn {
        el("a").attr("href", &format!("#v=jobs&job={}", job.job)).text(&job.job)
    } else {
        el("span").text(&job.job)
    }
}

fn table(name: &str, jobs: &[&JobRow], drawn: bool) -> El {
    let headers = ["Job", "Name", "Status", "Problem", "Why"];
    let head = el("tr").children(headers.map(|h| el("th").attr("scope", "col").text(h)));
    let rows = jobs.iter().take(ROWS_SHOWN).map(|job| {
        el("tr")
            .attr("data-class", &job.class)
            .child(row_head().class("path").child(id(job, drawn)))
            .child(el("td").text(job.name.as_deref().unwrap_or("–")))
            .child(el("td").text(if job.status.is_empty() { "–" } else { &job.status }))
            .child(el("td").text(class(job)))
            .child(el("td").class("rule").text(job.why().unwrap_or_default()))
    });
    let rows: Vec<El> = rows.collect();
    let table = el("table").child(el("thead").child(head)).child(el("tbody").children(rows));
    scroller(name, table)
}
