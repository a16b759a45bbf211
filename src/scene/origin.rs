//! What a figure that is saved shows: of which logs, with which verdict, and what was chosen.

use super::Selection;
use super::axis::from_to;
use crate::base::text::first_of;
use crate::report::{self, Report, sentence};

/// Inputs named one by one.
const NAMED: usize = 3;

/// `; r06.tar.gz; h103 is at fault (disk); chosen: node h101`: behind what drew the figure.
#[must_use]
pub fn origin(report: &Report, chosen: &Selection) -> String {
    let mut parts = vec![first_of(&report.inputs(), NAMED), sentence::title(report)];
    let choice = [
        chosen.node.as_ref().map(|node| format!("node {node}")),
        chosen.job.map(|job| job.to_string()),
        chosen.attempt.map(|attempt| attempt.to_string()),
        chosen.span.map(|(from, to)| from_to(from.millis(), to.millis(), report.clock.zone())),
    ];
    let choice: Vec<String> = choice.into_iter().flatten().collect();
    if !choice.is_empty() {
        parts.push(format!("chosen: {}", choice.join(", ")));
    }
    parts.iter().filter(|part| !part.is_empty()).map(|part| format!("; {part}")).collect()
}

/// `r06.tar.gz, r08.tar.gz`: the inputs that these files are of, by the names that a report gives them.
#[must_use]
pub fn inputs_of<'a>(files: impl Iterator<Item = &'a str>) -> String {
    first_of(&report::inputs_of(files), NAMED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Coverage;
    use std::sync::Arc;

    #[test]
    fn a_figure_says_of_which_logs_it_is_and_what_was_chosen() {
        let read = |file: &str| Coverage { file: file.to_owned(), ..Coverage::default() };
        let files = ["r06.tar.gz/a.log", "r06.tar.gz/b.log", "r08.tar.gz/a.log"].map(read);
        let report = Report { coverage: Arc::new(files.to_vec()), ..Report::default() };
        assert_eq!(origin(&report, &Selection::default()), "; r06.tar.gz, r08.tar.gz; No verdict");
        assert_eq!(inputs_of(report.coverage.iter().map(|read| read.file.as_str())), "r06.tar.gz, r08.tar.gz");
        let chosen = Selection { node: Some("h101".into()), ..Selection::default() };
        assert!(origin(&report, &chosen).ends_with("; chosen: node h101"));
        assert_eq!(origin(&Report::default(), &Selection::default()), "; No verdict");
    }
}
