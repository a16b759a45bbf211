//! What was read, and what of it was not: formats, clocks, lines that do not fit, issues.

use super::{NOTE_CHARS, Text, shown};
use crate::base::{Timestamp, zone_name};
use crate::model::{Unknown, ZoneSource};
use crate::report::{IssueRow, Report};
use std::collections::{BTreeMap, BTreeSet};

/// Shapes of lines that do not fit.
const SHAPES_SHOWN: usize = 10;
/// Notes to an issue.
const NOTES_SHOWN: usize = 5;

impl Text {
    /// Files, nodes and lines of each format, and what the report was made of. A short link has neither.
    pub(super) fn coverage(&mut self, report: &Report) {
        let made = report.made();
        if report.coverage.is_empty() && made.is_none() {
            return;
        }
        self.section("COVERAGE");
        if !report.coverage.is_empty() {
            self.files(report);
        }
        if let Some(made) = made {
            self.line(1, &made);
        }
    }

    fn files(&mut self, report: &Report) {
        #[derive(Default)]
        struct Sum<'a> {
            files: u64,
            nodes: BTreeSet<&'a str>,
            lines: u64,
            understood: u64,
        }
        let mut sums: BTreeMap<&str, Sum<'_>> = BTreeMap::new();
        for file in report.coverage.iter() {
            let other = if file.is_empty() { "empty" } else { "unknown format" };
            let sum = sums.entry(file.format.as_deref().unwrap_or(other)).or_default();
            sum.files += 1;
            sum.nodes.extend(file.node.as_deref());
            sum.lines = sum.lines.saturating_add(file.lines);
            sum.understood = sum.understood.saturating_add(file.understood);
        }
        let rows = sums.into_iter().map(|(format, sum)| {
            let share = if sum.lines == 0 {
                String::new()
            } else {
                format!("{:.1} %", 100.0 * sum.understood as f64 / sum.lines as f64)
            };
            let [files, nodes, lines] = [sum.files, sum.nodes.len() as u64, sum.lines].map(|n| n.to_string());
            [format.to_owned(), files, nodes, lines, share]
        });
        self.table(&["format", "files", "nodes", "lines", "understood"], rows);
    }

    /// The zone of the logs, and clocks that are off.
    pub(super) fn clocks(&mut self, report: &Report) {
        let clock = &report.clock;
        let zone = zone_name(clock.offset_ms);
        let from = match clock.source() {
            Some(ZoneSource::Given) => "as given".to_owned(),
            Some(ZoneSource::Found) => format!("by {}", clock.found_by()),
            Some(ZoneSource::Assumed) => "as no zone is known: give --tz if you know it".to_owned(),
            Some(ZoneSource::NotNeeded) | None => return,
        };
        self.section("CLOCKS");
        self.line(1, &format!("logs read as {zone}, {from}"));
        for zone in clock.zones.iter().filter(|z| z.node.is_some() || z.file.is_some() || !z.changes.is_empty()) {
            let whose = zone.file.as_ref().or(zone.node.as_ref()).unwrap_or(&zone.archive);
            let changes = zone
                .changes
                .iter()
                .map(|c| format!(", from {} UTC on {}", Timestamp::from_millis(c.at_ms), zone_name(c.offset_ms)));
            self.line(2, &format!("{whose}: {}{}", zone_name(zone.offset_ms), changes.collect::<String>()));
        }
        let seconds = |ms: i64| ms as f64 / 1000.0;
        for s in report.skew.nodes.iter().filter(|s| s.certain) {
            let side = if s.skew_ms < 0 { "behind" } else { "ahead of" };
            let done = if s.corrected { "corrected" } else { "--fix-clocks corrects it" };
            let (by, give) = (seconds(s.skew_ms.abs()), seconds(s.uncertainty_ms));
            self.line(2, &format!("{}: {by:.3} s {side} {} (±{give:.3} s); {done}", s.node, report.skew.reference));
        }
    }

    /// Lines that did not fit, by what they look like.
    pub(super) fn unknown(&mut self, report: &Report) {
        let unfit = || report.unknown.iter().filter(|row| row.why() == Some(Unknown::Unfit) && row.format.is_some());
        if unfit().next().is_none() {
            return;
        }
        self.section("SKIPPED LINES");
        let rows = unfit().take(SHAPES_SHOWN).map(|row| {
            let first = row.lines.first().map_or_else(String::new, ToString::to_string);
            [row.count.to_string(), row.format.clone().unwrap_or_default(), shown(&row.shape, NOTE_CHARS), first]
        });
        self.table(&["lines", "format", "look like", "first"], rows);
    }

    /// What was lost, or is worth knowing of the input.
    pub(super) fn issues(&mut self, report: &Report) {
        if report.issues.is_empty() {
            return;
        }
        self.section("ISSUES");
        for issue in &report.issues {
            self.line(1, &in_words(issue));
            for line in issue.lines.iter().skip(1) {
                self.line(2, &line.to_string());
            }
            for note in issue.notes.iter().take(NOTES_SHOWN) {
                self.line(2, &shown(note, NOTE_CHARS));
            }
        }
    }
}

/// An issue by its first place.
fn in_words(issue: &IssueRow) -> String {
    let IssueRow { severity, count, text, advice, .. } = issue;
    let first = issue.lines.first().map_or_else(String::new, |at| format!("{at} "));
    let all = if *count > 1 { format!(" ({count} in all)") } else { String::new() };
    format!("{}: {first}{text}{all}; {advice}", severity.name())
}

#[cfg(test)]
mod tests {
    use super::super::report;
    use crate::model::Coverage;
    use crate::report::{IssueRow, LineRef, Lines, Report};

    #[test]
    fn clocks_and_shapes_are_told_where_there_is_something_to_tell() {
        use crate::report::{ClockRow, SkewRow, SkewSection, UnknownRow};
        let skew = SkewRow {
            node: "h2".into(),
            skew_ms: -1500,
            uncertainty_ms: 20,
            messages: 9,
            certain: true,
            corrected: false,
        };
        let row = UnknownRow {
            format: Some("datanode".into()),
            why: "unfit".into(),
            shape: "# oops \u{1b}".into(),
            count: 7,
            files: 1,
            lines: vec![LineRef { file: "a/x".into(), line: 3 }],
        };
        let told = Report {
            clock: ClockRow { offset_ms: 18_000_000, pairs: 4, source: "found".into(), ..ClockRow::default() },
            skew: SkewSection { reference: "h0".into(), nodes: vec![skew, SkewRow::default()] },
            unknown: vec![row],
            ..Report::default()
        };
        let text = report(&told, &Lines::new());
        let expected = "
CLOCKS
  logs read as UTC-05:00, by 4 pairs of local and epoch times
    h2: 1.500 s behind h0 (±0.020 s); --fix-clocks corrects it

SKIPPED LINES
  lines  format    look like  first
  7      datanode  # oops \u{FFFD}   a/x:3
";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn lines_that_no_number_counts_are_told_as_the_most() {
        let file =
            || Coverage { format: Some("datanode".into()), lines: u64::MAX, understood: 9, ..Coverage::default() };
        let told = report(&Report { coverage: vec![file(), file()].into(), ..Report::default() }, &Lines::new());
        assert!(told.contains(&u64::MAX.to_string()), "{told}");
    }

    #[test]
    fn issues_are_told_by_their_first_place() {
        let at = |file: &str, line| LineRef { file: file.into(), line };
        let issue = |count, lines: Vec<LineRef>| IssueRow {
            count,
            text: "is empty".into(),
            advice: "nothing to do".into(),
            lines,
            ..IssueRow::default()
        };
        let issues = vec![issue(81, vec![at("r/a", 0), at("r/b", 7)]), issue(1, vec![at("r/c", 0)]), issue(1, vec![])];
        let told = report(&Report { issues, ..Report::default() }, &Lines::new());
        let expected = "
ISSUES
  info: r/a is empty (81 in all); nothing to do
    r/b:7
  info: r/c is empty; nothing to do
  info: is empty; nothing to do
";
        assert!(told.ends_with(expected), "{told}");
    }

    #[test]
    fn empty_files_are_in_no_unknown_format() {
        let empty = Coverage { why: Some("is empty".into()), ..Coverage::default() };
        let told = report(&Report { coverage: vec![empty].into(), ..Report::default() }, &Lines::new());
        assert!(told.ends_with("  empty   1      0      0\n"), "{told}");
    }
}
