//! Lines of one log4j file, gathered in any order.

use super::super::Micros;
use super::super::run::Run;
use crate::base::Timestamp;

/// A log being written.
pub(in super::super) struct Lines<'a> {
    run: &'a Run,
    rows: Vec<(Micros, String)>,
    /// Nothing is written from here on.
    silent_from: Option<Micros>,
}

impl<'a> Lines<'a> {
    /// An empty log.
    pub(super) fn new(run: &'a Run, silent_from: Option<Micros>) -> Self {
        Self { run, rows: Vec::new(), silent_from }
    }

    /// `LEVEL logger: message`, with what follows on further lines.
    pub(super) fn say(&mut self, at: Micros, text: impl Into<String>) {
        self.rows.push((at, text.into()));
    }

    /// An INFO line.
    pub(super) fn info(&mut self, at: Micros, logger: &str, text: impl std::fmt::Display) {
        self.say(at, format!("INFO {logger}: {text}"));
    }

    /// The banner of a start.
    pub(super) fn start(&mut self, at: Micros, logger: &str, name: &str, host: &str, version: &str) {
        let stars = "*".repeat(60);
        self.info(
            at,
            logger,
            format_args!(
                "STARTUP_MSG: \n/{stars}\nSTARTUP_MSG: Starting {name}\nSTARTUP_MSG:   host = {host}\nSTARTUP_MSG:   args = []\nSTARTUP_MSG:   version = {version}\n{stars}/"
            ),
        );
    }

    /// The banner of an orderly stop.
    pub(super) fn stop(&mut self, logger: &str, name: &str, host: &str) {
        let stars = "*".repeat(60);
        let text = format!("SHUTDOWN_MSG: \n/{stars}\nSHUTDOWN_MSG: Shutting down {name} at {host}\n{stars}/");
        self.info(self.run.end, logger, text);
    }

    /// The file's text in order of time; lines of one time stay as they came.
    pub(super) fn text(mut self) -> String {
        self.rows.sort_by_key(|(at, _)| *at);
        let mut out = String::with_capacity(self.rows.iter().map(|(_, text)| text.len() + 25).sum());
        for (at, text) in &self.rows {
            if self.silent_from.is_some_and(|from| *at >= from) || *at > self.run.end {
                break;
            }
            out.push_str(&Timestamp::from_millis(self.run.ms(*at)).to_string());
            out.push(' ');
            out.push_str(text);
            out.push('\n');
        }
        out
    }
}
