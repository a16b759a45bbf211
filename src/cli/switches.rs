//! What a diagnosis is asked to do otherwise than usual: thresholds, readings, clocks, numbers, control runs.

use super::values::{number, zone};
use crate::diagnosis::kahuna_bb::Learning;
use crate::diagnosis::numbers::Setting;
use crate::diagnosis::settable::{seconds, threshold};
use crate::diagnosis::syscalls::Switches;
use crate::diagnosis::{Baseline, Number, Numbers, Params, Reading, Threshold};
use crate::model::ClockChoice;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The switches of a diagnosis.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ParamArgs {
    /// Distance from a majority of its peers beyond which a node is indicted: auto, or 0 to 1.
    #[arg(long, value_name = "auto|X", default_value = "auto", allow_negative_numbers = true, value_parser = threshold)]
    threshold: Threshold,
    /// Length of the sliding windows in which distances are shown over time, in seconds; 60 unless said otherwise.
    #[arg(long, value_name = "S", allow_negative_numbers = true, value_parser = seconds)]
    window: Option<f64>,
    #[command(flatten)]
    clocks: ClockArgs,
    /// Compare system calls with those of the other nodes instead of control runs.
    #[arg(long)]
    syscalls_peer_only: bool,
    /// Indict by durations of the paper's six states whoever is far from a majority, faster ones too, as Kahuna does, to the letter.
    #[arg(long)]
    kahuna_literal: bool,
    /// Score jobs across nodes by the paper's formula to the letter.
    #[arg(long)]
    theia_literal: bool,
    #[command(flatten)]
    learning: LearningArgs,
    /// A run known to be healthy, to compare with; given once for each such run. With --baseline, they extend it.
    #[arg(long, value_name = "PATH")]
    pub(super) control: Vec<PathBuf>,
    /// What `train` learned from such runs.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
}

/// The switches of what is learned and of what is judged by it.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = numbers_in_words())]
pub(super) struct LearningArgs {
    /// How profiles of metrics are learned.
    #[arg(long, value_enum, default_value_t = ProfilesArg::Usual)]
    profiles: ProfilesArg,
    /// Learn and compare system calls as the paper does, to the letter: totals, any direction, each node's own calls.
    #[arg(long)]
    syscalls_literal: bool,
    #[command(flatten)]
    numbers: NumberArgs,
}

/// Numbers that are set, each once.
#[derive(Clone, Debug)]
struct NumberArgs(Vec<Setting>);

/// The option that sets one.
const SET: &str = "set";

impl clap::Args for NumberArgs {
    fn augment_args(command: Command) -> Command {
        let set = Arg::new(SET).long(SET).value_name("NAME=X").value_parser(number).action(ArgAction::Append);
        command.arg(set.help("Set a parameter of a method; --help lists them all"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for NumberArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut named = BTreeSet::new();
        for text in matches.get_raw(SET).into_iter().flatten() {
            let text = text.to_string_lossy();
            let name = text.split('=').next().unwrap_or_default().to_owned();
            if !named.insert(name.clone()) {
                let told = format!("{name} cannot be set multiple times");
                return Err(clap::Error::raw(ErrorKind::ArgumentConflict, told));
            }
        }
        Ok(Self(matches.get_many(SET).into_iter().flatten().copied().collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        Self::from_arg_matches(matches).map(|set| *self = set)
    }
}

impl LearningArgs {
    /// The switches so far.
    pub(super) fn to_params(&self) -> Params {
        Params {
            learning: self.profiles.learning(),
            syscalls: Switches { literal: self.syscalls_literal, peer_only: false },
            numbers: Numbers::with(&self.numbers.0),
            ..Params::default()
        }
    }
}

/// The table of the numbers that can be set.
fn numbers_in_words() -> String {
    let row = |number: Number| {
        let about = number.about();
        format!("\n  {:<20} {:<6} {}", about.name, about.usual, about.means)
    };
    format!("Parameters for --set, with their defaults:{}", Number::ALL.map(row).concat())
}

/// How profiles of metrics are learned.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ProfilesArg {
    /// What worked best on the labelled runs.
    Usual,
    /// As the paper has it: of control runs alone, of all 14 metrics, as many as BIC finds.
    Literal,
}

impl ProfilesArg {
    pub(super) const fn learning(self) -> Learning {
        match self {
            Self::Usual => Learning::Usual,
            Self::Literal => Learning::Literal,
        }
    }
}

/// The switches of the clocks.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(super) struct ClockArgs {
    /// Time zone of the logs, as ±HH:MM, ±HHMM, ±HH or UTC, instead of the one detected.
    #[arg(long, visible_alias = "tz-offset", value_name = "OFFSET", allow_hyphen_values = true, value_parser = zone)]
    tz: Option<i64>,
    /// Take the skew of each node's clock, where it is certain, out of its times.
    #[arg(long)]
    fix_clocks: bool,
}

impl ClockArgs {
    pub(super) const fn choice(self) -> ClockChoice {
        ClockChoice { tz_offset_ms: self.tz, fix_clocks: self.fix_clocks }
    }
}

impl ParamArgs {
    /// The files and folders that they have read.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.control.iter().chain(&self.baseline).map(PathBuf::as_path)
    }

    /// Whether anything is asked otherwise than usual.
    pub(super) fn are_set(&self) -> bool {
        self.paths().next().is_some() || self.to_params(None) != Params::default()
    }

    /// The switches, with what control runs taught.
    pub(super) fn to_params(&self, baseline: Option<Baseline>) -> Params {
        let learning = self.learning.to_params();
        Params {
            threshold: self.threshold,
            window_s: self.window.unwrap_or(Params::default().window_s),
            tz_offset_ms: self.clocks.tz,
            baseline: baseline.map(Arc::new),
            fix_clocks: self.clocks.fix_clocks,
            syscalls: Switches { peer_only: self.syscalls_peer_only, ..learning.syscalls },
            theia: if self.theia_literal { Reading::Literal } else { Reading::Usual },
            kahuna: if self.kahuna_literal { Reading::Literal } else { Reading::Usual },
            ..learning
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnosis::settable::{self, SWITCHES, THRESHOLD, WINDOW};
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Alone {
        #[command(flatten)]
        params: ParamArgs,
    }

    /// What the command says of an option.
    fn help(option: &str) -> Option<String> {
        let command = <Alone as clap::CommandFactory>::command();
        let name = option.trim_start_matches("--");
        let found = command.get_arguments().find(|arg| arg.get_long() == Some(name));
        found.and_then(|arg| arg.get_help()).map(ToString::to_string)
    }

    #[test]
    fn page_offers_what_the_command_does_in_the_same_words() {
        let offered = settable::all();
        let about = |name: &str| offered.iter().find(|one| one.name == name).map(|one| one.about.as_str());
        for option in
            [THRESHOLD, WINDOW, "--kahuna-literal", "--theia-literal", "--syscalls-literal", "--syscalls-peer-only"]
        {
            let said = about(option).unwrap();
            // What is usual is told beside it.
            assert!(help(option).is_some_and(|help| help.starts_with(said)), "{option}: {said}");
        }
        // Clocks and control runs have their own place there.
        let elsewhere = ["tz", "fix-clocks", "control", "baseline", "profiles", "set"];
        let command = <Alone as clap::CommandFactory>::command();
        for long in command.get_arguments().filter_map(|arg| arg.get_long()) {
            assert!(elsewhere.contains(&long) || about(&format!("--{long}")).is_some(), "{long}");
        }
        assert!(about("--profiles literal").is_some() && about("wb_alpha").is_some());
    }

    #[test]
    fn page_and_command_ask_for_the_same() {
        let options: Vec<&str> = SWITCHES.iter().flat_map(|(name, _, _)| name.split(' ')).collect();
        let options = [&["x", THRESHOLD, "0.4", WINDOW, "30", "--set", "wb_alpha=0.05"][..], &options].concat();
        let values = [(THRESHOLD, "0.4"), (WINDOW, "30"), ("wb_alpha", "0.05")];
        let set: Vec<(String, String)> = values
            .into_iter()
            .chain(SWITCHES.map(|(name, _, _)| (name, "")))
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .collect();
        let by_command = Alone::parse_from(options).params.to_params(None);
        assert_eq!(settable::params(&set), Ok(by_command));
    }
}
