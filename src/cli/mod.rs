//! The command line: the pipeline with files, threads and a terminal around it.
//!
//! Exit codes: 0 no culprit, 3 culprit(s) (of `compare`, in the second run), 2 bad input or usage, 1 internal.

#![allow(clippy::disallowed_methods, reason = "the one room that sees files and threads")]

mod apart;
mod args;
mod compare;
mod deal;
mod diagnose;
mod digest;
mod draw;
mod evaluate;
mod extract;
mod input;
mod matrix;
mod matrix_judges;
mod matrix_page;
mod matrix_state;
mod merge;
mod notices;
mod opened;
mod output;
mod read;
mod sharing;
mod simulate;
mod switches;
mod text;
mod train;
mod values;

use crate::diagnosis::Params;
use crate::model::Digest;
use crate::pipeline::{Analysis, analyse, measure, prepare};
use crate::report::{OutcomeKind, Report};
use crate::source::Limits;
use crate::states::Basis;
use anyhow::Result;
use args::{Args, Command, EvaluationFormat};
use clap::Parser;
use input::Input;
use notices::Told;
use std::fmt::Display;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::thread;

const CULPRIT: u8 = 3;
const BAD_INPUT: u8 = 2;
const INTERNAL: u8 = 1;

/// The user's input or usage cannot be worked with; anything else is our fault.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct BadInput(String);

/// An [`anyhow::Error`] of a [`BadInput`].
fn bad_input(message: impl Into<String>) -> anyhow::Error {
    BadInput(message.into()).into()
}

/// Bad input: a file that cannot be read, or whatever else `done` says.
fn cannot_be(done: &str, path: &Path, error: &dyn Display) -> anyhow::Error {
    bad_input(format!("{}: cannot be {done}: {error}", path.display()))
}

/// Runs the command that the arguments ask for.
#[must_use]
pub fn main() -> ExitCode {
    // A panic is our fault like any other: the same code, and no backtrace for users.
    std::panic::set_hook(Box::new(|panic| {
        say(&format!("internal error: {panic}"));
        std::process::exit(i32::from(INTERNAL));
    }));
    match run(Args::parse()) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::from(code_of(&error))
        }
    }
}

/// The exit code that tells whose fault an error is.
fn code_of(error: &anyhow::Error) -> u8 {
    if error.is::<BadInput>() { BAD_INPUT } else { INTERNAL }
}

/// The exit code that tells a report's verdict.
fn exit_code(report: &Report) -> u8 {
    // A short link may have had no room for the culprits.
    if report.verdict.outcome == OutcomeKind::Indicted { CULPRIT } else { 0 }
}

/// One line on standard error; if that is closed, there is nobody to tell.
fn say(message: &str) {
    let _ = writeln!(std::io::stderr(), "oddnode: {}", of_lines(message));
}

/// Text of several lines as a terminal shall have it.
fn of_lines(text: &str) -> String {
    text.chars().map(|c| if c == '\n' { c } else { printable(c) }).collect()
}

/// A character as a terminal shall have it: what comes from logs and reports gives it no orders, and does not turn
/// the direction of what is read.
fn printable(c: char) -> char {
    if c == '\t' { c } else { crate::base::text::shown(c) }
}

/// The analysis; by more than one worker, metrics are compared beside all else.
fn analysed(digest: &Digest, params: &Params, workers: usize) -> Analysis {
    if workers < 2 {
        return analyse(digest, params);
    }
    thread::scope(|scope| {
        let mut measuring = None;
        let mut begin = |basis: &Basis| {
            let basis = basis.clone();
            measuring = Some(scope.spawn(move || measure(digest, params, basis)));
        };
        let prepared = prepare(digest, params, &|_| (), &mut begin);
        // What broke there breaks here, where it is told.
        prepared.finish(digest, measuring.and_then(|measuring| measuring.join().ok()), &|_| ())
    })
}

fn run(args: Args) -> Result<u8> {
    match args.command {
        Command::Diagnose(args) => diagnose::diagnose(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Extract(args) => {
            extract::extract(&args)?;
            Ok(0)
        }
        Command::Draw(args) => {
            draw::draw(&args)?;
            Ok(0)
        }
        Command::Digest { paths, list, form, output, workers } => {
            let whole = digest::digest(&paths, &list, form, workers.count(), output.file())?;
            Ok(if whole || form.keep_going { 0 } else { BAD_INPUT })
        }
        Command::Merge { digests, form, output } => {
            apart::require(output.file(), each(&digests))?;
            let whole = merge::merge(&digests, form, output.file())?;
            Ok(if whole || form.keep_going { 0 } else { BAD_INPUT })
        }
        Command::Train { controls, learning, output, workers } => {
            apart::require(output.file(), each(&controls))?;
            let baseline = train::learn(&controls, &learning.to_params(), workers.count())?;
            output::write(output.file(), &baseline.encode())?;
            Ok(0)
        }
        Command::Matrix { args, workers } => {
            matrix::matrix(&args, workers.count())?;
            Ok(0)
        }
        Command::Simulate(args) => {
            simulate::simulate(&args)?;
            Ok(0)
        }
        Command::Evaluate { dir, params, format, cells, output, workers } => {
            let runs = evaluate::runs(&dir)?;
            apart::require(output.file(), runs.paths().chain(params.paths()))?;
            runs.require_any()?;
            runs.tell_of_controls(params.paths());
            let params = train::params(&params, workers.count())?;
            let evaluation = evaluate::evaluate(&runs, &params, workers.count())?;
            let body = match format {
                EvaluationFormat::Json => evaluation.to_json()?,
                EvaluationFormat::Text => of_lines(&evaluation.to_text(cells)),
                EvaluationFormat::Svg => evaluation.to_svg()?,
            };
            output::write(output.file(), body.as_bytes())?;
            Ok(if evaluation.is_whole() { 0 } else { BAD_INPUT })
        }
    }
}

/// Paths that are read.
fn each(paths: &[PathBuf]) -> impl Iterator<Item = &Path> {
    paths.iter().map(PathBuf::as_path)
}

/// Reads all inputs and tells of what could not be read.
fn read_logs(inputs: &[Input], workers: usize) -> Result<Digest> {
    let (digest, told) = read_readable(inputs, workers)?;
    notices::tell(&digest, &told);
    Ok(digest)
}

/// The same without a word on what was lost of what could be read, nor on labels of runs.
fn read_readable(inputs: &[Input], workers: usize) -> Result<(Digest, Told)> {
    let (digest, told) = read::digest(inputs, workers, Limits::default())?;
    notices::require_readable(&digest, &told)?;
    Ok((digest, told))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::{Context, anyhow};

    #[test]
    fn exit_code_tells_whose_fault_an_error_is() {
        assert_eq!(code_of(&bad_input("x")), 2);
        assert_eq!(code_of(&Err::<(), _>(bad_input("x")).context("of a run").unwrap_err()), 2);
        assert_eq!(code_of(&anyhow!("x")), 1);
    }
}
