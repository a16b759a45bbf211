//! A report for people: the verdict first, then its grounds, then what was read.
//!
//! ```text
//! h103 has been at fault since 2026-11-21 02:26:04,119 UTC …
//!
//! CULPRITS
//!   h103: CPU; operator acts; sureness 0.97
//!     kahuna-wb Map: score 0.71, threshold 0.43
//!       r07.tar.gz/h103/tasktracker.log:12
//!         2026-11-21 02:26:04,119 INFO org.apache.hadoop.mapred.TaskTracker: …
//! ```

mod input;
mod lines;

use self::lines::Text;
use crate::base::text::{and_more, begin_of};
use crate::base::{TimeZone, Timestamp};
use crate::diagnosis::{Abstention, syscalls};
use crate::report::agreement::Signals;
use crate::report::ticket::{JOBS_TOLD, LINE_CHARS};
use crate::report::{Culprit, Evidence, JobRow, Lines, Report, WitnessRow};
use crate::report::{agreement, cost, doubts, sentence, symptom};

/// Nodes named beside a witness: those with the oddest scores.
const SCORES_SHOWN: usize = 3;
/// What a score means that passes and does not indict.
const UNDECIDED: &str = "A score at or over its threshold without (indicted) may be chance or too small a difference: such a node is neither indicted nor cleared.";
/// Lines shown for one ground.
const LINES_SHOWN: usize = 3;
/// Incidents, in order of time.
const INCIDENTS_SHOWN: usize = 50;
/// Characters of what is no line of a log: two rows of a terminal.
const NOTE_CHARS: usize = 160;
/// Characters of a list in a table; the first of its items stands there however long.
const LIST_CHARS: usize = 60;

/// The whole text.
pub(super) fn report(report: &Report, lines: &Lines) -> String {
    let mut out = Text::default();
    let headline = sentence::of_report(report);
    out.line(0, &headline);
    let doubts = doubts::and_no_evidence(report);
    doubts.iter().chain(&cost::told(report)).for_each(|text| out.line(0, text));
    if !report.verdict.culprits.is_empty() {
        out.section("CULPRITS");
        for culprit in &report.verdict.culprits {
            out.culprit(culprit, &headline, report.clock.zone(), lines);
        }
    }
    if !report.suspects.is_empty() {
        out.section("SUSPECTS");
        for suspect in &report.suspects {
            out.line(1, &suspect.node);
            for evidence in &suspect.evidence {
                let is_said = doubts.iter().any(|text| text.contains(&evidence.text));
                out.evidence(evidence, if is_said { "" } else { &evidence.text }, lines);
            }
        }
    }
    if !report.witnesses.is_empty() {
        out.section("AGREEMENT");
        out.table(&["method", "indicts", "clears", "abstains"], agreement::of(report).iter().map(cells));
        out.line(1, &agreement::legend(report));
        let signals = Signals::of(&report.witnesses);
        out.section("WITNESSES");
        out.table(
            &["method", "signal", "threshold", "oddest scores"],
            report.witnesses.iter().map(|row| witness(row, &signals)),
        );
        if report.witnesses.iter().any(shows_undecided) {
            out.line(1, UNDECIDED);
        }
    }
    if !report.jobs.is_empty() {
        out.section("JOBS");
        out.table(&["job", "status", "problem", "who acts", "name", "because"], report.jobs.iter().map(job));
        for ill in sentence::ill_jobs(report).take(JOBS_TOLD) {
            out.line(1, &format!("What to do about {}: {}", ill.job, sentence::job_advice(&ill.class)));
        }
    }
    out.incidents(report);
    out.coverage(report);
    out.clocks(report);
    out.unknown(report);
    out.issues(report);
    out.0
}

fn job(job: &JobRow) -> [String; 6] {
    let or_none = |text: &Option<String>| text.clone().unwrap_or_default();
    let why = job.why().unwrap_or_default().to_owned();
    [job.job.clone(), job.status.clone(), job.class.clone(), or_none(&job.who), or_none(&job.name), why]
}

/// What a method says, its lists in short.
fn cells(say: &agreement::Say) -> [String; 4] {
    let (indicts, abstains) = (begin_of_list(&say.indicts), begin_of_list(&say.abstains));
    agreement::Say { indicts, abstains, ..say.clone() }.cells()
}

/// The items of a list that have room, the last of them with how many more there are.
fn begin_of_list(items: &[String]) -> Vec<String> {
    let mut chars = 0;
    let has_room = |item: &&String| {
        let before = chars;
        chars += item.chars().count();
        before == 0 || chars <= LIST_CHARS
    };
    let mut shown: Vec<String> = items.iter().take_while(has_room).cloned().collect();
    let left_out = items.len() - shown.len();
    if let Some(last) = shown.last_mut() {
        last.push_str(&and_more(left_out));
    }
    shown
}

/// Whether a node is shown of which a witness does not decide.
fn shows_undecided(witness: &WitnessRow) -> bool {
    let mut shown = agreement::oddest_first(witness).into_iter().take(SCORES_SHOWN);
    witness.abstained.is_none() && shown.any(|(node, score)| agreement::leaves_open(witness, node, score))
}

fn witness(witness: &WitnessRow, signals: &Signals<'_>) -> [String; 4] {
    let scores = agreement::oddest_first(witness);
    let mark = |node: &str| if witness.indicted.iter().any(|indicted| indicted == node) { " (indicted)" } else { "" };
    let shown = scores.iter().take(SCORES_SHOWN).map(|(node, score)| format!("{node} {score:.2}{}", mark(node)));
    let said = match &witness.abstained {
        Some(reason) if reason == Abstention::NoBaseline.name() && witness.method.starts_with("syscall") => {
            format!("abstains: {reason}; record healthy runs of the same workload with {}", syscalls::RECORD)
        }
        Some(reason) => format!("abstains: {reason}"),
        None => shown.collect::<Vec<_>>().join(", "),
    };
    [witness.method.clone(), signals.name(witness), agreement::threshold(witness), said]
}

impl Text {
    /// A culprit; its sentence, where the headline does not have it.
    fn culprit(&mut self, culprit: &Culprit, headline: &str, zone: TimeZone, lines: &Lines) {
        let time = |what: &str, ms: Option<i64>| {
            let at = |ms| Timestamp::from_millis(ms).to_seconds();
            ms.map_or_else(String::new, |ms| format!("; {what} {} {}", at(ms), zone.name()))
        };
        let (since, until) = (time("since", culprit.since_ms), time("until", culprit.until_ms));
        let Culprit { node, who, sureness, .. } = culprit;
        let cause = symptom::cause_in_words(&culprit.cause);
        self.line(1, &format!("{node}: {cause}; {who} acts; sureness {sureness:.2}{since}{until}"));
        let because = match culprit.because.as_str() {
            "" => String::new(),
            because => format!("Why {cause}: {because}"),
        };
        for text in [&culprit.sentence, &because, &culprit.advice] {
            // An empty text is in any.
            if !headline.contains(text) {
                self.line(2, text);
            }
        }
        for evidence in &culprit.evidence {
            self.evidence(evidence, &evidence.text, lines);
        }
    }

    /// A ground, with what is said of it here.
    fn evidence(&mut self, evidence: &Evidence, text: &str, lines: &Lines) {
        let Evidence { method, signal, .. } = evidence;
        self.line(2, &format!("{method} {signal}: {}", evidence.scored()));
        if !text.is_empty() {
            self.line(3, text);
        }
        for line in evidence.lines.iter().take(LINES_SHOWN) {
            self.line(3, &line.to_string());
            if let Some(raw) = lines.get(line) {
                self.line(4, &shown(raw, LINE_CHARS));
            }
        }
    }

    /// Times in which a node went wrong in job after job.
    fn incidents(&mut self, report: &Report) {
        if report.incidents.is_empty() {
            return;
        }
        self.section("INCIDENTS");
        for incident in report.incidents.iter().take(INCIDENTS_SHOWN) {
            let [from, to] = [incident.from_ms, incident.to_ms].map(Timestamp::from_millis);
            let jobs = match incident.jobs.len() {
                0 => String::new(),
                1 => String::from("; 1 job"),
                n => format!("; {n} jobs"),
            };
            self.line(1, &format!("{}, {from} to {to}{jobs}: {}", incident.node, incident.text));
        }
        if let Some(more @ 1..) = report.incidents.len().checked_sub(INCIDENTS_SHOWN) {
            self.line(1, &format!("and {more} more: --format json has them all"));
        }
    }
}

/// A raw text as far as it is shown, without what a terminal would obey.
fn shown(raw: &str, most: usize) -> String {
    begin_of(raw, most).chars().map(super::printable).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Coverage;
    use crate::report::OutcomeKind;
    use crate::report::{LineRef, Suspect, Verdict};

    fn indicted() -> Report {
        let line = LineRef { file: "r.tar.gz/h103/x.log".into(), line: 12 };
        let evidence = Evidence {
            method: "kahuna-wb".into(),
            signal: "Map".into(),
            score: 0.714,
            threshold: Some(0.43),
            text: "Maps take 2.1 times as long as on its peers".into(),
            lines: vec![line],
            ..Evidence::default()
        };
        let culprit = Culprit {
            node: "h103".into(),
            cause: "cpu".into(),
            because: "its processor is busy.".into(),
            who: "operator".into(),
            since_ms: Some(1_795_227_884_210),
            sureness: 0.97,
            evidence: vec![evidence],
            ..Culprit::default()
        };
        let witness = WitnessRow {
            method: "kahuna-wb".into(),
            signal: "Map".into(),
            nodes: [("h101", 0.1), ("h102", 0.2), ("h103", 0.714), ("h104", 0.15)].map(|(n, s)| (n.into(), s)).into(),
            threshold: Some(0.43),
            indicted: vec!["h103".into()],
            abstained: None,
            ..WitnessRow::default()
        };
        let file = |node: &str, lines| Coverage {
            format: Some("tasktracker".into()),
            node: Some(node.into()),
            lines,
            understood: 3,
            ..Coverage::default()
        };
        Report {
            verdict: Verdict { outcome: OutcomeKind::Indicted, culprits: vec![culprit], ..Verdict::default() },
            witnesses: vec![witness],
            coverage: vec![file("h101", 4), file("h102", 4), Coverage::default()].into(),
            ..Report::default()
        }
    }

    #[test]
    fn verdict_comes_first_and_its_grounds_with_their_lines() {
        let raw = "2026-11-21 \u{1b}[2J".to_owned() + &"x".repeat(LINE_CHARS);
        let lines = Lines::from([(LineRef { file: "r.tar.gz/h103/x.log".into(), line: 12 }, raw)]);
        let expected = format!(
            "h103 has been at fault since 2026-11-21 02:24:44 UTC: its tasks take far longer than its peers', as if its CPU were overloaded; almost certain (0.97). This is for the cluster's operator.

CULPRITS
  h103: CPU; operator acts; sureness 0.97; since 2026-11-21 02:24:44 UTC
    Why CPU: its processor is busy.
    kahuna-wb Map: score 0.71, threshold 0.43
      Maps take 2.1 times as long as on its peers
      r.tar.gz/h103/x.log:12
        2026-11-21 \u{FFFD}[2J{}…

AGREEMENT
  method     indicts     clears   abstains
  kahuna-wb  h103 (Map)  3 nodes  –
  kahuna-bb  –           –        no data for it in these logs
  What each compares: kahuna-wb: how long states last; kahuna-bb: the metrics of the operating system.

WITNESSES
  method     signal  threshold  oddest scores
  kahuna-wb  Map     0.43       h103 0.71 (indicted), h102 0.20, h104 0.15

COVERAGE
  format          files  nodes  lines  understood
  tasktracker     2      2      8      75.0 %
  unknown format  1      0      0
",
            "x".repeat(LINE_CHARS - 15)
        );
        assert_eq!(report(&indicted(), &lines), expected);
    }

    #[test]
    fn suspects_have_their_grounds_and_each_is_said_once() {
        let mut told = indicted();
        let evidence = std::mem::take(&mut told.verdict.culprits).remove(0).evidence;
        told.verdict.outcome = OutcomeKind::Clean;
        told.nodes = ["h101", "h102", "h103", "h104"].map(String::from).to_vec();
        told.suspects = vec![Suspect { node: "h103".into(), evidence }];
        let raw = Lines::from([(LineRef { file: "r.tar.gz/h103/x.log".into(), line: 12 }, "a line".to_owned())]);
        let text = report(&told, &raw);
        let section = "
SUSPECTS
  h103
    kahuna-wb Map: score 0.71, threshold 0.43
      r.tar.gz/h103/x.log:12
        a line

AGREEMENT";
        assert!(text.contains(section), "{text}");
        assert_eq!(text.matches("Maps take 2.1 times as long").count(), 1, "{text}");
    }

    #[test]
    fn what_is_written_for_people_is_no_log_when_it_lies_among_logs() {
        use crate::base::Code;
        use crate::format::FileReader;
        use crate::report::ticket::{self, Form};
        use crate::source::Limits;
        let raw = "2026-11-21 02:26:04,119 FATAL org.apache.hadoop.mapred.TaskTracker: Task: attempt_1_0001_m_000000_0 - Killed : x";
        let lines = Lines::from([(LineRef { file: "r.tar.gz/h103/x.log".into(), line: 12 }, raw.to_owned())]);
        let ill_job = JobRow { job: "job_1_0001".into(), class: "application".into(), ..JobRow::default() };
        let coverage = indicted().coverage;
        let of = |outcome| Report {
            verdict: Verdict { outcome, ..Verdict::default() },
            coverage: coverage.clone(),
            ..Report::default()
        };
        let ended = |report: &Report| {
            let mut ended = report.clone();
            ended.verdict.culprits[0].until_ms = Some(1_795_227_984_210);
            ended
        };
        let several = |report: &Report| {
            let mut several = report.clone();
            several.verdict.culprits.extend(report.verdict.culprits.clone());
            several
        };
        for told in [
            indicted(),
            ended(&indicted()),
            several(&indicted()),
            of(OutcomeKind::Indicted),
            of(OutcomeKind::Clean),
            of(OutcomeKind::NoVerdict),
            Report { jobs: vec![ill_job], ..of(OutcomeKind::Clean) },
        ] {
            for text in [
                report(&told, &lines),
                ticket::text(&told, &lines, Form::Plain),
                ticket::text(&told, &lines, Form::Markdown),
            ] {
                for text in [text.replace('\n', "\r\n"), text] {
                    let mut reader = FileReader::new("r34/h103/notes.log", &Limits::default());
                    reader.feed(text.as_bytes());
                    let (_, file) = reader.finish();
                    let codes: Vec<Code> = file.issues.iter().map(|(code, _)| code).collect();
                    assert_eq!((codes, file.lines), (vec![Code::SavedResult], 0), "{text}");
                }
            }
        }
    }

    #[test]
    fn jobs_and_incidents_are_told_with_their_reasons() {
        use crate::report::IncidentRow;
        let job = |name: &str, class: &str, who: Option<&str>, rule: &str| JobRow {
            job: format!("job_1_{name}"),
            class: class.into(),
            who: who.map(str::to_owned),
            rule: rule.into(),
            status: "failed".into(),
            name: Some(name.into()),
            ..JobRow::default()
        };
        let incident = IncidentRow {
            node: "h3".into(),
            from_ms: 1_795_227_884_210,
            to_ms: 1_795_227_984_210,
            jobs: vec!["job_1_sort".into()],
            text: "3 of 4 attempts failed".into(),
        };
        let told = Report {
            jobs: vec![
                job("sort", "application", Some("job-owner"), "its code fails on 5 nodes"),
                job("grep", "none", None, "no rule fired"),
            ],
            incidents: vec![incident; INCIDENTS_SHOWN + 2],
            clock: crate::report::ClockRow { source: "assumed".into(), ..Default::default() },
            ..indicted()
        };
        let text = report(&told, &Lines::new());
        assert!(text.contains("; since 2026-11-21 02:24:44 (zone unknown)\n"), "{text}");
        let expected = "
JOBS
  job         status  problem      who acts   name  because
  job_1_sort  failed  application  job-owner  sort  its code fails on 5 nodes
  job_1_grep  failed  none                    grep
  What to do about job_1_sort: Look up the error its attempts failed with, and run the job alone on one of the inputs that fail. The nodes are not the cause.

INCIDENTS
  h3, 2026-11-21 02:24:44,210 to 2026-11-21 02:26:24,210; 1 job: 3 of 4 attempts failed
";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("  and 2 more: --format json has them all\n"), "{text}");
    }

    #[test]
    fn sentence_of_a_culprit_is_said_once() {
        let mut told = indicted();
        for node in ["h103", "h104", "h105"] {
            let mut culprit = Culprit { node: node.into(), ..told.verdict.culprits[0].clone() };
            culprit.sentence = sentence::of_culprit(&culprit, TimeZone::Utc);
            told.verdict.culprits.push(culprit);
        }
        told.verdict.culprits.remove(0);
        let sentences: Vec<String> = told.verdict.culprits.iter().map(|c| c.sentence.clone()).collect();
        let counts = |text: &str| sentences.iter().map(|one| text.matches(one.as_str()).count()).collect::<Vec<_>>();
        assert_eq!(counts(&report(&told, &Lines::new())), [1, 1, 1]);
        told.verdict.sentence = sentences[0].clone();
        assert_eq!(counts(&report(&told, &Lines::new())), [1, 1, 1], "below, where the headline has it not");
    }

    #[test]
    fn lists_of_many_nodes_are_told_in_short() {
        let nodes: Vec<String> = (100..130).map(|i| format!("h{i} (levels, profiles of these logs)")).collect();
        assert_eq!(begin_of_list(&nodes), [format!("{} and 29 more", nodes[0])]);
        assert_eq!(begin_of_list(&nodes[..1]), nodes[..1]);
        let short = ["a (Map)", "b (Map)"].map(String::from);
        assert_eq!(begin_of_list(&short), short);
        let mut told = indicted();
        told.witnesses[0].indicted = (100..130).map(|i| format!("h{i}")).collect();
        let text = report(&told, &Lines::new());
        let row = text.lines().skip_while(|line| *line != "AGREEMENT").nth(2).unwrap();
        assert!(row.contains("h105 (Map) and 24 more") && row.chars().count() < 120, "{row}");
    }

    #[test]
    fn link_without_files_has_no_table_of_them() {
        let told = Report { coverage: Vec::new().into(), ..indicted() };
        assert!(!report(&told, &Lines::new()).contains("COVERAGE"));
    }

    #[test]
    fn score_that_passes_and_does_not_indict_is_explained() {
        let mut told = indicted();
        assert!(!report(&told, &Lines::new()).contains(UNDECIDED));
        told.witnesses[0].nodes.insert("h104".into(), 0.43);
        assert!(report(&told, &Lines::new()).contains(&format!("h104 0.43, h102 0.20\n  {UNDECIDED}\n")));
    }

    #[test]
    fn lack_of_a_verdict_is_told_with_its_reason() {
        let verdict = Verdict { reason: Some("too-few-data".into()), ..Verdict::default() };
        let text = report(&Report { verdict, ..Report::default() }, &Lines::new());
        assert!(text.starts_with("No verdict: Most nodes ran too few tasks and transfers"), "{text}");
    }
}
