//! Two runs compared: what changed in a sentence, the jobs side by side, and the figure of
//! differences.

use super::client::Failure;
use super::dom::{El, el, fill, row_head, scroller, set_shown};
use super::envelope::Attachments;
use super::figures::Figures;
use super::session::Session;
use super::views::{PageView, Plain};
use crate::base::Arrange;
use crate::base::quantity::bytes;
use crate::base::text::and_more;
use crate::protocol::{Answer, Question};
use crate::report::compare::{Difference, JobPair, setting};
use crate::report::summary::JobSum;
use crate::scene::View;
use std::rc::Rc;
use web_sys::Element;

/// Jobs listed: those whose duration changed most come first.
const JOBS_SHOWN: usize = 50;
/// The section, and its link.
pub const SECTION: [&str; 2] = ["view-compare", "nav-compare"];

/// Compares a session with the run before and puts what is different into `root`, as long as it is awaited.
///
/// # Errors
/// If they cannot be compared, or nobody waits for it any more.
pub async fn make(
    session: Rc<Session>,
    before: &Session,
    root: &Element,
    awaited: impl Fn() -> bool,
) -> Result<Rc<dyn PageView>, Failure> {
    let with = Attachments::handles(before.json.as_ref().map(AsRef::as_ref));
    if before.opened.is_none() {
        let digest = before.analyst.ask(Question::GiveDigest, Attachments::default()).await;
        if let Ok((_, attached)) = digest
            && let Some(buffer) = attached.first()
        {
            with.hand_over(buffer);
        }
    }
    // The analyst keeps what it compared last, for the figures.
    if !awaited() {
        return Err(Failure::Cancelled);
    }
    let (answer, _) = session.analyst.ask(Question::Compare, with).await?;
    if !awaited() {
        return Err(Failure::Cancelled);
    }
    let Answer::Compared(difference) = answer else { return Err(Failure::Stale) };
    let figures = Figures::new(Rc::clone(&session), [View::Differences, View::SwimlanesCompared]);
    let mut parts: Vec<Element> =
        vec![el("p").class("lead").test_id("compare-sentence").text(&difference.sentence).into()];
    let shared = "A link or a saved page carries one run only. To share this comparison, send both reports; whoever drops \
                  them here together sees it.";
    let notes = difference.notes.iter().map(String::as_str).chain([shared]);
    parts.extend(notes.map(|note| el("p").class("note").text(note).into()));
    let names = [before, &*session].map(name_of);
    parts.extend([verdicts(&difference, &names).into(), jobs(&difference, &names).into()]);
    parts.extend(conf(&difference).map(Element::from));
    parts.extend(figures.elements());
    fill(root, parts);
    // Figures measure the room they have.
    show(true);
    figures.set_shown(!difference.states.is_empty());
    figures.refresh();
    Ok(Rc::new(Plain(figures)))
}

/// What a run was read from.
pub fn name_of(session: &Session) -> String {
    let of_report = session.report.coverage.first().map(|c| &c.file);
    let file = session.inputs.first().map(|input| &input.name).or(of_report);
    let name = file.and_then(|file| file.split('/').next()).unwrap_or("a report");
    format!("{name}{}", and_more(session.inputs.len().saturating_sub(1)))
}

fn table((id, name): (&str, &str), headers: &[&str], rows: impl Iterator<Item = Vec<String>>) -> El {
    let head = el("tr").children(headers.iter().map(|h| el("th").attr("scope", "col").text(h)));
    let of_row = |(i, text): (usize, &String)| if i == 0 { row_head().class("long") } else { el("td") }.text(text);
    let rows: Vec<El> = rows.map(|row| el("tr").children(row.iter().enumerate().map(of_row))).collect();
    let table = el("table").test_id(id).child(el("thead").child(head)).child(el("tbody").children(rows));
    scroller(name, table)
}

fn verdicts(d: &Difference, [a, b]: &[String; 2]) -> El {
    let row = |when: &str, says: &str, nodes: usize, jobs: usize| {
        vec![when.to_owned(), says.to_owned(), nodes.to_string(), jobs.to_string()]
    };
    let rows = [
        row(&format!("before: {a}"), &d.a.sentence, d.a.nodes, d.a.jobs),
        row(&format!("now: {b}"), &d.b.sentence, d.b.nodes, d.b.jobs),
    ];
    table(("table-compare-verdicts", "Verdicts before and now"), &["Run", "Verdict", "Nodes", "Jobs"], rows.into_iter())
}

fn jobs(d: &Difference, [a, b]: &[String; 2]) -> El {
    let seconds = |job: &Option<JobSum>| {
        let took = job
            .as_ref()
            .map(|job| job.millis().map_or_else(|| "?".to_owned(), |ms| format!("{:.1}", ms as f64 / 1000.0)));
        took.unwrap_or_else(|| String::from("not there"))
    };
    let volume = |job: &Option<JobSum>| {
        job.as_ref().and_then(|job| job.read_bytes).map_or_else(String::new, |b| bytes(b as f64))
    };
    let mut pairs: Vec<&JobPair> = d.jobs.iter().collect();
    pairs.arrange(|x, y| y.times.unwrap_or(0.0).total_cmp(&x.times.unwrap_or(0.0)));
    let rows = pairs.into_iter().take(JOBS_SHOWN).map(|job| {
        let times = job.times.map_or_else(String::new, |times| format!("{times:.2}"));
        vec![job.name.clone(), seconds(&job.a), seconds(&job.b), times, volume(&job.a), volume(&job.b)]
    });
    let (before, now) = (format!("Before, {a} (s)"), format!("Now, {b} (s)"));
    let headers = ["Job", &before, &now, "× as long", "Read before", "Read now"];
    table(("table-compare-jobs", "Jobs before and now"), &headers, rows)
}

fn conf(d: &Difference) -> Option<El> {
    if d.conf.is_empty() {
        return None;
    }
    let rows = d.conf.iter().map(|c| {
        let [name, was, is] = setting(c);
        vec![c.job.clone(), name, was, is]
    });
    Some(table(
        ("table-compare-conf", "Configurations before and now"),
        &["Job", "Configuration", "Before", "Now"],
        rows,
    ))
}

/// Shows or hides the section and its link.
pub fn show(shown: bool) {
    for id in SECTION {
        set_shown(&super::dom::by_id(id), shown);
    }
}
