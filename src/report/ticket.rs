//! The verdict as text for a ticket: Markdown or plain, with its evidence, the lines of the
//! logs behind it, and the command that reaches it again. What comes from logs is text in
//! either form: Markdown's marks in it are escaped, control characters replaced.

use super::{Culprit, Evidence, JobRow, LineRef, Lines, Report, cost, doubts, parameters, sentence, symptom};
use crate::base::text;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// Lines of the logs named for each ground.
const LINES_SHOWN: usize = 3;
/// Inputs named in the command that repeats it.
const INPUTS_NAMED: usize = 8;
/// Jobs with trouble of their own that are told.
pub const JOBS_TOLD: usize = 3;
/// Characters of a raw line: what Hadoop writes before the fact, a class in brackets and an attempt among it, takes 200.
pub const LINE_CHARS: usize = 300;

/// How the text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// CommonMark, as GitHub, GitLab and Jira's newer editor read it.
    Markdown,
    /// Plain text.
    Plain,
}

/// The ticket's text; `lines` holds what is known of the raw lines.
#[must_use]
pub fn text(report: &Report, lines: &Lines, form: Form) -> String {
    let mut out = Out { text: String::new(), form };
    let verdict = &report.verdict;
    out.title(&sentence::title(report));
    out.paragraph(&sentence::of_report(report));
    for text in doubts::and_no_evidence(report).into_iter().chain(cost::told(report)) {
        out.paragraph(&text);
    }
    for c in &verdict.culprits {
        culprit(&mut out, c, lines);
    }
    for s in &report.suspects {
        out.section(&sentence::against_suspect(s));
        grounds(&mut out, &s.evidence, lines);
    }
    for j in sentence::ill_jobs(report).take(JOBS_TOLD) {
        job(&mut out, j, lines);
    }
    if let Some(id) = &report.pseudonyms {
        out.paragraph(&format!("Names are pseudonyms; whoever has the key {id} can turn them back."));
    }
    out.section("Reproduce");
    out.code(&command(report));
    if let Some(made) = report.made() {
        out.paragraph(&made);
    }
    out.text
}

/// A job with trouble of its own.
fn job(out: &mut Out, j: &JobRow, lines: &Lines) {
    let name = j.name.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    out.section(&format!("{}{name}: {}", j.job, sentence::trouble(&j.class).unwrap_or_default()));
    if !j.rule.is_empty() {
        out.item(&j.rule);
    }
    out.lines(&j.lines, lines);
    out.end_items();
    out.section("What to do");
    out.paragraph(sentence::job_advice(&j.class));
}

fn culprit(out: &mut Out, c: &Culprit, lines: &Lines) {
    out.section(&format!("Evidence against {}", c.node));
    grounds(out, &c.evidence, lines);
    if !c.because.is_empty() {
        out.paragraph(&format!("Why {}: {}", symptom::cause_in_words(&c.cause), c.because));
    }
    if !c.advice.is_empty() {
        out.section("What to do");
        out.paragraph(&c.advice);
    }
}

fn grounds(out: &mut Out, evidence: &[Evidence], lines: &Lines) {
    for e in evidence {
        let Evidence { method, signal, text, .. } = e;
        // A short link has no more than its name.
        out.item(format!("{text} ({method}, {signal}: {})", e.scored()).trim_start());
        out.lines(&e.lines, lines);
    }
    out.end_items();
}

/// The command that reaches the verdict again from the same files.
#[must_use]
pub fn command(report: &Report) -> String {
    let inputs = report.inputs();
    let named = !inputs.is_empty() && inputs.len() <= INPUTS_NAMED && report.pseudonyms.is_none();
    let inputs =
        if named { inputs.into_iter().map(quoted).collect::<Vec<_>>().join(" ") } else { "LOGS...".to_owned() };
    let mut text = format!("oddnode diagnose {inputs}");
    for option in parameters::options(&report.parameters, true) {
        let _ = write!(text, " {option}");
    }
    if report.parameters.get(parameters::BASELINE).is_some_and(|baseline| !baseline.is_null()) {
        text.push_str(" --control CONTROL [--control CONTROL]...");
    }
    text
}

/// As a shell takes it: names come from outside.
fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | ',' | '@' | '%');
    // Not an option, and not what standard input is called in a report.
    let path = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
    match name {
        "stdin" => String::from("-"),
        _ if path.chars().all(|c| plain(c) || c == '/') => path,
        _ => format!("'{}'", shown(&path).replace('\'', "'\\''")),
    }
}

/// Text of logs without what a terminal or a ticket would obey.
fn shown(text: &str) -> String {
    text::begin_of(text, LINE_CHARS).chars().map(text::shown).collect()
}

struct Out {
    text: String,
    form: Form,
}

impl Out {
    fn marked(&self, text: &str) -> String {
        let clean: String = text.chars().map(text::shown).collect();
        if self.form == Form::Plain {
            return clean;
        }
        let mut out = String::with_capacity(clean.len());
        for c in clean.chars() {
            if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '!' | '&' | '@') {
                out.push('\\');
            }
            out.push(c);
        }
        out
    }

    fn title(&mut self, text: &str) {
        let text = self.marked(text);
        let _ = match self.form {
            Form::Markdown => write!(self.text, "## {text}\n\n"),
            Form::Plain => write!(self.text, "{text}\n{}\n\n", "=".repeat(text.chars().count())),
        };
    }

    fn section(&mut self, text: &str) {
        let text = self.marked(text);
        let _ = match self.form {
            Form::Markdown => write!(self.text, "### {text}\n\n"),
            Form::Plain => writeln!(self.text, "{text}"),
        };
    }

    fn paragraph(&mut self, text: &str) {
        let text = self.marked(text);
        let _ = write!(self.text, "{text}\n\n");
    }

    fn item(&mut self, text: &str) {
        let text = self.marked(text);
        let _ = writeln!(self.text, "- {text}");
    }

    /// Places, and what stands there.
    fn lines(&mut self, places: &[LineRef], lines: &Lines) {
        for at in places.iter().take(LINES_SHOWN) {
            self.line(&at.to_string(), lines.get(at).map(String::as_str));
        }
    }

    fn line(&mut self, place: &str, raw: Option<&str>) {
        let place = self.code_span(place);
        let _ = match raw.map(|raw| self.code_span(raw)) {
            Some(raw) => writeln!(self.text, "  - {place}: {raw}"),
            None => writeln!(self.text, "  - {place}"),
        };
    }

    fn code_span(&self, text: &str) -> String {
        let text = shown(text);
        if self.form == Form::Plain {
            return text;
        }
        // A fence longer than any run of backticks inside cannot be closed from inside.
        let run = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(run + 1);
        if run > 0 { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
    }

    fn end_items(&mut self) {
        self.text.push('\n');
    }

    fn code(&mut self, text: &str) {
        let _ = match self.form {
            Form::Markdown => writeln!(self.text, "```sh\n{text}\n```"),
            Form::Plain => writeln!(self.text, "  {text}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;
    use crate::model::Coverage;
    use crate::report::{OutcomeKind, Suspect};
    use serde_json::json;

    fn indicted() -> Report {
        let evidence = Evidence {
            method: "kahuna-wb".into(),
            signal: "Map".into(),
            score: 0.714,
            threshold: Some(0.43),
            text: "Map on h_1 takes <b>long</b>".into(),
            lines: vec![LineRef { file: "r.tgz/h1/x.log".into(), line: 12 }],
            ..Evidence::default()
        };
        let culprit = Culprit {
            node: "h_1".into(),
            cause: "cpu".into(),
            because: "its processor is busy.".into(),
            advice: "Look.".into(),
            evidence: vec![evidence],
            ..Culprit::default()
        };
        let mut report = Report {
            verdict: Verdict { outcome: OutcomeKind::Indicted, culprits: vec![culprit], ..Verdict::default() },
            coverage: vec![Coverage { file: "r.tgz/h1/x.log".into(), ..Coverage::default() }].into(),
            ..Report::default()
        };
        report.verdict.sentence = "h_1 is at fault.".into();
        report
    }

    #[test]
    fn markdown_keeps_the_text_of_logs_text() {
        let lines =
            Lines::from([(LineRef { file: "r.tgz/h1/x.log".into(), line: 12 }, "a ``` \u{1b}\u{202e}b".to_owned())]);
        let expected = "## h\\_1 is at fault (CPU)\n\nh\\_1 is at fault.\n\n### Evidence against h\\_1\n\n\
            - Map on h\\_1 takes \\<b\\>long\\</b\\> (kahuna-wb, Map: score 0.71, threshold 0.43)\n\
            \x20 - `r.tgz/h1/x.log:12`: ```` a ``` \u{FFFD}\u{FFFD}b ````\n\nWhy CPU: its processor is busy.\n\n### What to do\n\nLook.\n\n\
            ### Reproduce\n\n```sh\noddnode diagnose r.tgz\n```\n";
        assert_eq!(text(&indicted(), &lines, Form::Markdown), expected);
    }

    #[test]
    fn what_is_said_against_a_suspect_is_told_with_its_lines() {
        let mut report = indicted();
        let evidence = std::mem::take(&mut report.verdict.culprits[0].evidence);
        report.suspects = vec![Suspect { node: "h2".into(), evidence }];
        let lines = Lines::from([(report.suspects[0].evidence[0].lines[0].clone(), "a line".to_owned())]);
        let text = text(&report, &lines, Form::Plain);
        let at = text.find("Said against h2, and not enough for a verdict").unwrap();
        assert!(text[at..].contains("takes <b>long</b> (kahuna-wb, Map: score 0.71, threshold 0.43)"), "{text}");
        assert!(text[at..].contains("r.tgz/h1/x.log:12") && text[at..].contains("a line"), "{text}");
    }

    #[test]
    fn job_with_trouble_of_its_own_is_told_to_its_owner() {
        let row = JobRow {
            job: "job_1_0001".into(),
            name: Some("word count".into()),
            class: "application".into(),
            rule: "34 of 34 attempts failed".into(),
            lines: vec![LineRef { file: "y.tgz/a.jhist".into(), line: 7 }],
            ..JobRow::default()
        };
        let well = JobRow { job: "job_1_0002".into(), class: "none".into(), ..JobRow::default() };
        let verdict = Verdict { outcome: OutcomeKind::Clean, sentence: "Clean.".into(), ..Verdict::default() };
        let report = Report { verdict, jobs: vec![well, row], ..Report::default() };
        let lines =
            Lines::from([(LineRef { file: "y.tgz/a.jhist".into(), line: 7 }, "java.io.IOException: no".to_owned())]);
        let text = text(&report, &lines, Form::Plain);
        let expected = "job_1_0001 (word count): its own code or data makes it fail\n- 34 of 34 attempts failed\n  - y.tgz/a.jhist:7: \
            java.io.IOException: no\n\nWhat to do\nLook up the error its attempts failed with";
        assert!(text.contains(expected) && !text.contains("job_1_0002"), "{text}");
    }

    #[test]
    fn plain_text_has_no_marks() {
        let expected = "h_1 is at fault (CPU)\n=====================\n\nh_1 is at fault.\n\nEvidence against h_1\n\
            - Map on h_1 takes <b>long</b> (kahuna-wb, Map: score 0.71, threshold 0.43)\n\
            \x20 - r.tgz/h1/x.log:12\n\nWhy CPU: its processor is busy.\n\nWhat to do\nLook.\n\nReproduce\n  oddnode diagnose r.tgz\n";
        assert_eq!(text(&indicted(), &Lines::new(), Form::Plain), expected);
    }

    #[test]
    fn command_has_the_switches_that_were_set_and_quotes_names() {
        let mut report = indicted();
        report.coverage = vec![Coverage { file: "it's; rm -rf/x".into(), ..Coverage::default() }].into();
        report.parameters = [
            ("threshold".to_owned(), json!(0.5)),
            ("window_s".to_owned(), json!(60.0)),
            ("tz_offset_ms".to_owned(), json!(18_000_000)),
            ("fix_clocks".to_owned(), json!(true)),
            ("profiles".to_owned(), json!("usual")),
            ("baseline".to_owned(), json!(null)),
            ("wb_alpha".to_owned(), json!(0.02)),
            ("wb_bins".to_owned(), json!(8)),
        ]
        .into();
        assert_eq!(
            command(&report),
            "oddnode diagnose 'it'\\''s; rm -rf' --threshold 0.5 --tz UTC-05:00 --fix-clocks --set wb_bins=8"
        );
        for (name, value) in [("profiles", json!("literal")), ("bb_profiles", json!(15))] {
            report.parameters.insert(name.to_owned(), value);
        }
        assert!(command(&report).ends_with(" --fix-clocks --profiles literal --set wb_bins=8"), "{}", command(&report));
        report.pseudonyms = Some("x".into());
        report.parameters.insert("baseline".to_owned(), json!("2 control runs, 80 samples, 3 profiles"));
        let command = command(&report);
        assert!(command.starts_with("oddnode diagnose LOGS... "), "{command}");
        assert!(command.ends_with(" --control CONTROL [--control CONTROL]..."), "{command}");
    }
}
