//! A report as one HTML file: opens from disk, asks nobody for anything, and carries the
//! report, so that it can be dropped on the page or given to the command again.
//!
//! ```text
//! <!doctype html> … <meta Content-Security-Policy default-src 'none'; style-src 'sha256-…'>
//!                   <meta name="oddnode-report" content="#r=2.…">
//! verdict · evidence · figures (inline SVG, a table twin each) · jobs · what was read
//! ```
//! No script: what is shown is what was written. Figures are drawn twice, in the light and
//! the dark theme, and where the two differ a variable stands for the colour.

use super::svg::{escaped, to_svg};
use super::{DrawError, Theme};
use crate::base::Gathered;
use crate::base::quantity::counted;
use crate::report::agreement::Signals;
use crate::report::ticket;
use crate::report::{Evidence, Lines, Report, agreement, carried, check, cost, doubts, file, link, sentence};
use crate::scene::carried::Carried;
use crate::scene::{Look, Scene, Table, View, facts, peers, witnesses};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Width of the figures.
const WIDTH_CSS_PX: f32 = 860.0;
/// Kinds of state whose figures are drawn: the first that the page offers.
const KINDS: usize = 3;
/// Rows of a table: of more, the first stand here and the report that the file carries has all.
const ROWS: usize = 400;
/// Columns of a table twin that are read.
pub const COLUMNS: usize = 80;

/// Everything but the colours of figures.
pub(super) const STYLE: &str = "
:root{color-scheme:light dark;--ground:#f6f7f9;--surface:#fff;--ink:#1b2026;--faint:#5c6670;--line:#d9dee3;--culprit:#c2450c}
@media(prefers-color-scheme:dark){:root{--ground:#12161b;--surface:#1a1f25;--ink:#e6eaee;--faint:#9aa5b0;--line:#2d343c;--culprit:#ff8a4c}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:60rem;padding:1rem;background:var(--ground);color:var(--ink);font:15px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}
h1{font-size:1.4rem;line-height:1.3}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem}
section,figure{background:var(--surface);border:1px solid var(--line);border-radius:6px;padding:1rem;margin:1rem 0}
.culprit{border-left:4px solid var(--culprit);padding-left:1rem}
.note,figcaption,footer{color:var(--faint);font-size:.9rem}
svg{display:block;max-width:100%;height:auto}
code,pre{font:13px/1.5 ui-monospace,monospace;overflow-wrap:anywhere;white-space:pre-wrap}
figure>:is(h2,h3,h4){margin:0 0 1rem;font-size:1rem}
.scroll{overflow-x:auto}:focus-visible{outline:2px solid;outline-offset:2px}table{border-collapse:collapse;font-size:.9rem}
th,td{text-align:left;font-weight:400;vertical-align:top;padding:.2rem .6rem;border-top:1px solid var(--line)}thead th{font-weight:700}
summary{cursor:pointer}
@media screen and (max-width:40rem){figure{overflow-x:auto}svg{max-width:none;width:44rem}}
@media print{body{max-width:none}h1,h2,h3,h4,thead{break-after:avoid}tr,svg{break-inside:avoid}svg{max-height:24cm}}
";

/// Writes the file; `lines` holds the text of raw lines that may be shown.
///
/// # Errors
/// [`DrawError`] if a figure could not be drawn.
pub fn page(report: &Report, lines: &Lines) -> Result<String, DrawError> {
    let mut palette = Palette::default();
    let look = Look { width_css_px: WIDTH_CSS_PX, ..Look::of(report) };
    let indicting = witnesses::lay_out(report, &look);
    let indicting = if indicting.title.is_empty() { String::new() } else { figure(&indicting, 2, &mut palette)? };
    let mut figures = String::new();
    for (i, (kind, scenes)) in scenes(report, &look).into_iter().enumerate() {
        let _ = writeln!(figures, "<h3>{}</h3>", escaped(kind));
        for mut scene in scenes {
            // The plain name belongs to the first kind.
            if i > 0 {
                scene.name.push('-');
                scene.name.push_str(kind);
            }
            figures.push_str(&figure(&scene, 4, &mut palette)?);
        }
    }
    let (mut of_tasks, mut of_metrics) = (String::new(), String::new());
    let carried = Carried::of(report);
    for view in carried.views() {
        let scene = carried.lay_out(report, *view, &look);
        if !scene.title.is_empty() {
            let of_its_kind = if *view == View::System { &mut of_metrics } else { &mut of_tasks };
            of_its_kind.push_str(&figure(&scene, 3, &mut palette)?);
        }
    }
    let style = format!("{STYLE}{}", palette.style());
    let hash = STANDARD.encode(Sha256::digest(style.as_bytes()));
    let title = escaped(&sentence::title(report));
    let mut out = format!(
        "{}\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"referrer\" content=\"no-referrer\">\n\
         <meta {}{}\">\n<title>{title} · oddnode</title>\n<style>{style}</style>\n</head>\n<body>\n",
        file::HTML_BEGIN,
        file::HTML_MARK,
        link::encode_whole(report),
    );
    verdict(&mut out, report, lines);
    out.push_str(&indicting);
    if !figures.is_empty() {
        let _ = write!(out, "<h2>Peers</h2>\n{figures}");
    }
    if !of_tasks.is_empty() {
        let _ = write!(out, "<h2>Jobs and tasks</h2>\n{of_tasks}");
    }
    if !of_metrics.is_empty() {
        let _ = write!(out, "<h2>Operating system</h2>\n{of_metrics}");
    }
    if let Some(says) = carried::lacking(report) {
        let _ = writeln!(out, "<p class=\"note\" data-testid=\"lacking\">{}</p>", escaped(&says));
    }
    witness_tables(&mut out, report);
    jobs(&mut out, report);
    read(&mut out, report);
    let _ = write!(
        out,
        "</main>\n<footer><p>To reach it again: <code>{}</code></p>\n<p>{}</p>\n<p>This file asks no server for anything, and its policy \
         forbids it to. Dropped on oddnode's page, or given to <code>oddnode diagnose</code>, it opens as the report \
         that it is.{}</p></footer>\n</body>\n</html>\n",
        escaped(&ticket::command(report)),
        escaped(&report.made().unwrap_or_default()),
        report.pseudonyms.as_ref().map_or_else(String::new, |id| {
            format!(" Its names are pseudonyms; the key <code>{}</code> turns them back.", escaped(id))
        }),
    );
    Ok(out)
}

/// The figures that the report can draw, the most telling kinds first.
fn scenes(report: &Report, look: &Look) -> Vec<(&'static str, Vec<Scene>)> {
    let node = peers::node_meant(report, look);
    let compared = peers::of_report(report, node);
    let kinds = peers::kinds_of_report(&compared, node);
    let zone = report.clock.zone();
    let drawn = kinds.into_iter().take(KINDS).filter_map(|kind| {
        let (comparison, names) = compared.get(&kind)?;
        let look = Look { kind: Some(kind), ..look.clone() };
        let has = |view: &View| match view {
            View::PeersTime => !comparison.windows.is_empty(),
            View::PeersDistance => !comparison.distances.is_empty(),
            _ => true,
        };
        let views = View::PEERS.into_iter().filter(has);
        Some((
            kind.name(),
            views.map(|view| peers::lay_out(view, peers::Peers { comparison, names, zone }, &look)).collect(),
        ))
    });
    drawn.collect()
}

/// A figure whose title is a heading of this level. On a phone it scrolls by keys: they lead to its table, or to itself.
fn figure(scene: &Scene, level: u8, palette: &mut Palette) -> Result<String, DrawError> {
    let svg = palette.merge(&to_svg(scene, &Theme::light())?, &to_svg(scene, &Theme::dark())?);
    let is_told = scene.table.headers.len() <= COLUMNS && !scene.table.rows.is_empty();
    let stop = if is_told { "" } else { " tabindex=\"0\"" };
    let mut out = format!(
        "<figure data-testid=\"view-{}\"{stop}>\n<h{level}>{}</h{level}>\n{svg}<figcaption>{}</figcaption>\n",
        escaped(&scene.name),
        escaped(&scene.title),
        escaped(&scene.how_to_read)
    );
    if is_told {
        let (id, name) = (format!("table-{}", scene.name), format!("Table: {}", scene.title));
        let table = table(&scene.table, &id, &name);
        let _ = writeln!(out, "<details><summary>The same as a table</summary>{table}</details>");
    }
    out.push_str("</figure>\n");
    Ok(out)
}

/// A table in a box that it may be too wide for: keys lead to it, and it has a name. The first cell of a row says what
/// that is of.
fn table(table: &Table, id: &str, name: &str) -> String {
    let mut out = format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\"><table data-testid=\"{}\"><thead><tr>",
        escaped(name),
        escaped(id)
    );
    for header in &table.headers {
        let _ = write!(out, "<th scope=\"col\">{}</th>", escaped(header));
    }
    out.push_str("</tr></thead><tbody>\n");
    for row in table.rows.iter().take(ROWS) {
        out.push_str("<tr>");
        for (i, cell) in row.iter().enumerate() {
            let (name, tag) = if i == 0 { ("th scope=\"row\"", "th") } else { ("td", "td") };
            let _ = write!(out, "<{name}>{}</{tag}>", escaped(cell));
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</tbody></table></div>\n");
    if let Some(more) = table.rows.len().checked_sub(ROWS).filter(|more| *more > 0) {
        let _ = writeln!(out, "<p class=\"note\">{more} more rows are in the report that this file carries.</p>");
    }
    out
}

fn rows(out: &mut String, [id, name]: [&str; 2], headers: &[&str], rows: Vec<Vec<String>>) {
    let headers = headers.iter().map(|h| (*h).to_owned()).collect();
    out.push_str(&table(&Table { headers, rows }, id, name));
}

fn verdict(out: &mut String, report: &Report, lines: &Lines) {
    let v = &report.verdict;
    let outcome = v.outcome.name();
    let says = sentence::of_report(report);
    let headline = sentence::headline(&says, report);
    let _ = write!(
        out,
        "<header><p class=\"note\">oddnode · report</p></header>\n<main>\n<section data-testid=\"verdict\" data-outcome=\"{outcome}\">\n<h1>{}</h1>\n",
        escaped(&headline)
    );
    for text in doubts::and_no_evidence(report) {
        let _ = writeln!(out, "<p class=\"note\">{}</p>", escaped(&text));
    }
    for text in cost::told(report) {
        let _ = writeln!(out, "<p>{}</p>", escaped(&text));
    }
    for c in &v.culprits {
        let _ = writeln!(
            out,
            "<article class=\"culprit\" data-testid=\"culprit\" data-node=\"{0}\" data-cause=\"{1}\"><h2>{0}</h2>",
            escaped(&c.node),
            escaped(&c.cause)
        );
        if !sentence::is_headline(&headline, report, c) {
            let _ = writeln!(out, "<p>{}</p>", escaped(&c.sentence));
        }
        let facts = facts::of(c, report.clock.zone()).map(|(name, value)| format!("{name}: {value}"));
        let _ = writeln!(out, "<p>{}</p>", escaped(&facts.collect::<Vec<String>>().join(" · ")));
        for (title, text) in [("Why this cause", &c.because), ("What to do", &c.advice)] {
            if !text.is_empty() {
                let _ = writeln!(out, "<p><strong>{title}:</strong> {}</p>", escaped(text));
            }
        }
        out.push_str("<ol>\n");
        for e in &c.evidence {
            evidence(out, e, lines);
        }
        out.push_str("</ol></article>\n");
    }
    for s in &report.suspects {
        let title = sentence::against_suspect(s);
        let _ = writeln!(out, "<article class=\"suspect\"><h2>{}</h2>\n<ol>", escaped(&title));
        s.evidence.iter().for_each(|e| evidence(out, e, lines));
        out.push_str("</ol></article>\n");
    }
    for j in sentence::ill_jobs(report).take(ticket::JOBS_TOLD) {
        let facts = facts::of_job(j).map(|(name, value)| format!("{name}: {value}"));
        let _ = writeln!(
            out,
            "<article class=\"ill-job\"><h2>{}</h2>\n<p>{}</p>\n<p>{}</p>\n<p><strong>What to do:</strong> {}</p></article>",
            escaped(&j.job),
            escaped(&facts.join(" · ")),
            escaped(&j.rule),
            escaped(sentence::job_advice(&j.class))
        );
    }
    let _ = writeln!(
        out,
        "<p class=\"note\" data-testid=\"checked\">{}</p>",
        escaped(
            &check::check(report)
                .in_words_of("Checked when this page was saved, and again when it is dropped on oddnode's page")
        )
    );
    out.push_str("</section>\n");
}

fn evidence(out: &mut String, e: &Evidence, lines: &Lines) {
    let said = if e.text.is_empty() { String::new() } else { format!("<p>{}</p>\n", escaped(&e.text)) };
    let _ = writeln!(out, "<li>{said}<p class=\"note\">{}</p>", escaped(&e.source()));
    if !e.lines.is_empty() {
        out.push_str("<ul>");
        for at in &e.lines {
            let raw = lines.get(at).map_or_else(String::new, |raw| format!(" {}", escaped(raw)));
            let _ = writeln!(out, "<li><code>{}{raw}</code></li>", escaped(&at.to_string()));
        }
        out.push_str("</ul>");
    }
    out.push_str("</li>\n");
}

fn witness_tables(out: &mut String, report: &Report) {
    if report.witnesses.is_empty() {
        return;
    }
    out.push_str("<h2>Who indicts, who abstains</h2>\n<section>\n");
    let cells = agreement::of(report).into_iter().map(|say| say.cells().to_vec());
    rows(out, ["table-agreement", "Who indicts, who abstains"], &facts::METHOD_HEADERS, cells.collect());
    out.push_str(&format!("<p>{}</p>\n", escaped(&agreement::legend(report))));
    let signals = Signals::of(&report.witnesses);
    let cells = report.witnesses.iter().map(|w| agreement::witness_cells(w, &signals, " ").to_vec());
    rows(out, ["table-witnesses", "What each witness says"], &facts::WITNESS_HEADERS, cells.collect());
    out.push_str("</section>\n");
}

fn jobs(out: &mut String, report: &Report) {
    if report.jobs.is_empty() {
        return;
    }
    out.push_str("<h2>Jobs</h2>\n<section>\n");
    let took: BTreeMap<&str, i64> =
        report.summary.jobs.iter().filter_map(|j| Some((j.job.as_str(), j.millis()?))).gathered();
    let cells = report.jobs.iter().map(|j| {
        let took = took.get(j.job.as_str()).map_or_else(String::new, |ms| format!("{:.1}", *ms as f64 / 1000.0));
        vec![
            j.job.clone(),
            j.name.clone().unwrap_or_default(),
            j.status.clone(),
            took,
            j.class.clone(),
            j.why().unwrap_or_default().to_owned(),
        ]
    });
    rows(out, ["table-jobs", "Jobs"], &["Job", "Name", "Status", "Took (s)", "Problem", "Why"], cells.collect());
    out.push_str("</section>\n");
}

fn read(out: &mut String, report: &Report) {
    out.push_str("<h2>What was read</h2>\n<section data-testid=\"coverage\">\n");
    let cells = report.coverage.iter().map(|c| {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let [lines, understood] = [c.lines, c.understood].map(|n| n.to_string());
        vec![c.file.clone(), text(&c.format), text(&c.node), lines, understood, text(&c.why)]
    });
    let headers = ["File", "Format", "Node", "Lines", "Understood", "Why not"];
    let _ = writeln!(out, "<details><summary>{}</summary>", counted(report.coverage.len() as u64, "file"));
    rows(out, ["table-coverage", "Files"], &headers, cells.collect());
    out.push_str("</details>\n");
    if !report.issues.is_empty() {
        let cells = report
            .issues
            .iter()
            .map(|i| vec![i.text.clone(), i.severity.name().to_owned(), i.count.to_string(), i.advice.clone()]);
        rows(out, ["table-issues", "Issues"], &["Issue", "How grave", "Count", "What to do"], cells.collect());
    }
    let cells = report.parameters.iter().map(|(name, value)| vec![name.clone(), value.to_string()]);
    rows(out, ["table-parameters", "Switches"], &["Switch", "Value"], cells.collect());
    out.push_str("</section>\n");
}

/// Pairs of colours, light and dark, and the variables that stand for them.
#[derive(Debug, Default)]
struct Palette(Vec<(String, String)>);

impl Palette {
    /// Two drawings of one scene as one, whose colours follow the theme. Where they are not
    /// alike but for colours, the light one stands.
    fn merge(&mut self, light: &str, dark: &str) -> String {
        let mut out = String::with_capacity(light.len());
        let (mut light_rest, mut dark_rest) = (light, dark);
        while let Some(at) = light_rest.find("\"#") {
            let (same, colour) = light_rest.split_at(at);
            let Some((other, other_colour)) = dark_rest.split_at_checked(at) else { return light.to_owned() };
            let pair = (colour.get(1..8), other_colour.get(1..8));
            let (true, (Some(a), Some(b))) = (same == other, pair) else { return light.to_owned() };
            out.push_str(same);
            out.push('"');
            out.push_str(&self.variable(a, b));
            (light_rest, dark_rest) = (colour.get(8..).unwrap_or_default(), other_colour.get(8..).unwrap_or_default());
        }
        if light_rest != dark_rest {
            return light.to_owned();
        }
        out.push_str(light_rest);
        out
    }

    fn variable(&mut self, light: &str, dark: &str) -> String {
        let known = self.0.iter().position(|(a, b)| a == light && b == dark);
        let index = known.unwrap_or_else(|| {
            self.0.push((light.to_owned(), dark.to_owned()));
            self.0.len() - 1
        });
        format!("var(--c{index})")
    }

    fn style(&self) -> String {
        let set = |of: fn(&(String, String)) -> &String| {
            let colours = self.0.iter().enumerate().map(|(i, pair)| format!("--c{i}:{};", of(pair)));
            colours.collect::<String>()
        };
        format!(
            ":root{{{}}}@media(prefers-color-scheme:dark){{:root{{{}}}}}\n",
            set(|pair| &pair.0),
            set(|pair| &pair.1)
        )
    }
}

#[cfg(test)]
mod tests;
