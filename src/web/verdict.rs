//! The verdict: a card a culprit on top, the grounds below.

use super::coverage::Group;
use super::dom::{El, el, row_head, scroller};
use super::intake;
use super::jobs;
use super::quotes::Quote;
use super::session::Session;
use crate::base::TimeZone;
use crate::base::issue::Severity;
use crate::base::quantity::grouped;
use crate::report::agreement::Signals;
use crate::report::ticket::JOBS_TOLD;
use crate::report::{Culprit, Evidence, IssueRow, JobRow, LineRef, OutcomeKind, Report, WitnessRow};
use crate::report::{agreement, cost, doubts, sentence};
use crate::scene::facts::{self, cause};

/// Log lines shown of each ground before the fold.
const QUOTES_SHOWN: usize = 2;

/// The card on top: the sentence, and what to know of each culprit.
pub fn card(session: &Session) -> Vec<El> {
    let report = &session.report;
    let verdict = &report.verdict;
    let headline = sentence::headline(&verdict.sentence, report);
    let mut parts = vec![el("h1").text(&headline)];
    if session.labelled > 1 {
        let says = format!("This verdict treats {} labelled runs as one cluster. ", session.labelled);
        let link = el("a").attr("href", "#v=evaluation").text("Each by itself, beside its label");
        parts.push(el("p").class("lead").child(el("span").text(&says)).child(link));
    }
    if verdict.outcome == OutcomeKind::NoVerdict {
        let read = "See below what was read of each file, and what could not be.";
        parts.extend((!report.coverage.is_empty()).then(|| el("p").class("lead").text(read)));
    }
    if let Some(text) = report.no_evidence_in_words() {
        parts.push(el("p").class("note").test_id("no-evidence").text(&text));
    }
    parts.extend(session.told.iter().map(|text| el("p").class("note").test_id("parameters-told").text(text)));
    parts.extend(doubts::of(report).iter().map(|text| el("p").class("note").test_id("doubt").text(text)));
    parts.extend(cost::told(report).iter().map(|text| el("p").class("lead").test_id("cost").text(text)));
    let told = |c: &Culprit| !sentence::is_headline(&headline, report, c);
    parts.extend(verdict.culprits.iter().map(|c| culprit(c, told(c), report.clock.zone())));
    parts.extend(sentence::ill_jobs(report).take(JOBS_TOLD).map(ill_job));
    parts
}

/// A few words for the bar that stays in sight.
pub fn in_short(report: &Report) -> String {
    let of = |c: &Culprit| format!("{} {}: {}", c.node, sentence::is_at_fault(c), cause(&c.cause));
    match (report.verdict.outcome, report.verdict.culprits.as_slice()) {
        (OutcomeKind::Indicted, [first, ..]) if report.lacks_culprits() => format!("{}; others too", of(first)),
        (OutcomeKind::Indicted, [only]) => of(only),
        (OutcomeKind::Indicted, [first, rest @ ..]) => format!("{}; {} more", of(first), rest.len()),
        _ => sentence::title(report),
    }
}

fn facts_of<'f>(facts: impl IntoIterator<Item = (&'f str, String)>) -> El {
    let fact = |(name, value): (&str, String)| el("div").child(el("dt").text(name)).child(el("dd").text(&value));
    el("dl").class("facts").children(facts.into_iter().map(fact))
}

fn advice(title: &str, text: &str) -> El {
    el("p").class("advice").child(el("strong").text(title)).child(el("span").text(text))
}

/// A job with trouble of its own.
fn ill_job(job: &JobRow) -> El {
    el("article")
        .class("ill-job")
        .test_id("ill-job")
        .attr("data-job", &job.job)
        .attr("data-class", &job.class)
        .child(el("h2").text(&job.job))
        .child(facts_of(facts::of_job(job)))
        .child(advice("Why: ", &job.rule))
        .child(advice("What to do: ", sentence::job_advice(&job.class)))
}

fn culprit(c: &Culprit, says_sentence: bool, zone: TimeZone) -> El {
    let facts = facts_of(facts::of(c, zone));
    let mut card = el("article")
        .class("culprit")
        .test_id("culprit")
        .attr("data-node", &c.node)
        .attr("data-cause", &c.cause)
        .child(el("h2").text(&c.node));
    if says_sentence {
        card = card.child(el("p").class("sentence").text(&c.sentence));
    }
    card = card.child(facts);
    for (title, text) in [("Why this cause: ", &c.because), ("What to do: ", &c.advice)] {
        if !text.is_empty() {
            card = card.child(advice(title, text));
        }
    }
    card
}

/// The grounds of the verdict; `quotes` receives the places whose raw text can be shown.
pub fn grounds(session: &Session, quotes: &mut Vec<Quote>) -> Vec<El> {
    let (report, failures) = (&session.report, &session.failures);
    let mut parts: Vec<El> = Vec::new();
    let culprits =
        report.verdict.culprits.iter().map(|c| (format!("Evidence against {}", c.node), &c.node, &c.evidence));
    let suspects = report.suspects.iter().map(|s| (sentence::against_suspect(s), &s.node, &s.evidence));
    for (title, node, grounds) in culprits.chain(suspects) {
        parts.push(el("h3").text(&title));
        if report.clock.offset_ms != 0 && session.opened.is_none() {
            parts.push(el("p").class("note").text(&clock_note(report.clock.offset_ms)));
        }
        parts.push(el("ol").class("evidence").children(grounds.iter().map(|e| evidence(e, node, quotes))));
    }
    for job in sentence::ill_jobs(report).take(JOBS_TOLD).filter(|job| !job.lines.is_empty()) {
        parts.push(el("h3").text(&format!("Where {} shows its trouble", job.job)));
        let attempt = format!("attempt{}", job.job.strip_prefix("job").unwrap_or_default());
        parts.push(el("ul").class("quotes").children(job.lines.iter().map(|at| quote(at, &attempt, quotes))));
    }
    parts.extend(jobs::view(&report.jobs, session.opened.is_none()));
    if !report.witnesses.is_empty() {
        for (title, table) in [
            ("Who indicts, who abstains", side_by_side(report)),
            ("What each witness says", witnesses(&report.witnesses)),
        ] {
            parts.push(el("h3").text(title));
            parts.push(scroller(title, table));
        }
    }
    let missing = missing(report, failures);
    if !missing.is_empty() {
        parts.push(el("h3").text("What is missing"));
        parts.push(el("ul").children(missing.iter().map(|m| el("li").text(m))));
    }
    parts
}

/// A place in the logs, with room for what stands there about something.
fn quote(at: &LineRef, about: &str, quotes: &mut Vec<Quote>) -> El {
    let text = el("code").class("raw");
    quotes.push(Quote { at: at.clone(), text: text.get().clone(), about: about.to_owned() });
    el("li").child(el("span").class("path").text(&at.to_string())).child(text)
}

fn evidence(e: &Evidence, node: &str, quotes: &mut Vec<Quote>) -> El {
    let mut lines: Vec<El> = e.lines.iter().map(|at| quote(at, node, quotes)).collect();
    let folded = lines.split_off(lines.len().min(QUOTES_SHOWN));
    let ground = el("li")
        .children((!e.text.is_empty()).then(|| el("p").text(&e.text)))
        .child(el("p").class("note").text(&e.source()))
        .child(el("ul").class("quotes").children(lines));
    if folded.is_empty() {
        return ground;
    }
    let says = format!("{} more {}", folded.len(), if folded.len() == 1 { "line" } else { "lines" });
    let fold = el("details").class("fold").child(el("summary").text(&says));
    ground.child(fold.child(el("ul").class("quotes").children(folded)))
}

/// Log lines carry the cluster's own clock, everything else here is UTC.
fn clock_note(offset_ms: i64) -> String {
    let minutes = offset_ms.abs() / 60_000;
    let sign = if offset_ms > 0 { "ahead of" } else { "behind" };
    format!("Raw lines show the cluster's own clock: UTC is {}:{:02} h {sign} it.", minutes / 60, minutes % 60)
}

fn witnesses(rows: &[WitnessRow]) -> El {
    let head = facts::WITNESS_HEADERS.into_iter().zip(["", "", "", "number", ""]);
    let head = head.map(|(name, class)| el("th").attr("scope", "col").class(class).text(name));
    let head = el("tr").children(head);
    let signals = Signals::of(rows);
    let body = rows.iter().map(|w| {
        let class = match (&w.abstained, w.indicted.is_empty()) {
            (Some(_), _) => "abstains",
            (None, false) => "indicts",
            (None, true) => "clears",
        };
        let [method, rest @ ..] = agreement::witness_cells(w, &signals, "\u{a0}");
        let rest = rest.into_iter().zip(["", "says", "number", ""]);
        el("tr")
            .class(class)
            .child(row_head().text(&method))
            .children(rest.map(|(text, class)| el("td").class(class).text(&text)))
    });
    let body: Vec<El> = body.collect();
    el("table").test_id("table-witnesses").child(el("thead").child(head)).child(el("tbody").children(body))
}

/// The methods side by side (K27).
fn side_by_side(report: &Report) -> El {
    let head = el("tr").children(facts::METHOD_HEADERS.map(|h| el("th").attr("scope", "col").text(h)));
    let body = agreement::of(report).into_iter().map(|say| {
        let [method, rest @ ..] = say.cells();
        el("tr")
            .class(if say.indicts.is_empty() { "clears" } else { "indicts" })
            .child(row_head().text(&method))
            .children(rest.map(|text| el("td").text(&text)))
    });
    let body: Vec<El> = body.collect();
    el("table").test_id("table-agreement").child(el("thead").child(head)).child(el("tbody").children(body))
}

/// What would have been good to have, or was lost.
fn missing(report: &Report, failures: &[String]) -> Vec<String> {
    let mut missing = intake::few(failures.to_vec());
    for row in report.issues.iter().filter(|row| row.severity >= Severity::DataLoss) {
        missing.push(format!("{} {}: {}", affected(row), row.text, row.advice));
    }
    let unread = report.coverage.iter().filter(|c| Group::of(c) == Group::Unread).count() as u64;
    if unread > 0 {
        let files = if unread == 1 { "file is" } else { "files are" };
        missing.push(format!(
            "{} {files} not in a format that oddnode reads; the coverage below names them",
            grouped(unread)
        ));
    }
    missing
}

/// The first file of an issue, and how many times more it occurred.
pub fn affected(row: &IssueRow) -> String {
    let file = row.lines.first().map_or("the input", |at| at.file.as_str());
    match row.count {
        0 | 1 => file.to_owned(),
        2 => format!("{file} (and once more)"),
        count => format!("{file} (and {} times more)", grouped(count - 1)),
    }
}
