//! `oddnode diagnose`: logs, a report or a link to a verdict.

use super::args::{OutputArgs, ReportFormat, ShareArgs, WorkerArgs};
use super::input::Input;
use super::opened::{self, Opened};
use super::switches::ParamArgs;
use super::{analysed, apart, each, exit_code, read_logs, say, sharing, train};
use crate::pipeline::LineFinder;
use crate::report::{Lines, Report};
use crate::source::Limits;
use anyhow::Result;
use std::path::PathBuf;

/// What is diagnosed, and how the report is written.
#[derive(Debug, clap::Args)]
pub(super) struct DiagnoseArgs {
    /// Logs, archives, folders, digests; or what was made of them: a report, a link, a saved page.
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    params: ParamArgs,
    /// How to write the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    format: ReportFormat,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    share: ShareArgs,
    #[command(flatten)]
    workers: WorkerArgs,
}

/// Writes the report of the inputs; gives the exit code.
///
/// # Errors
/// If an input cannot be read, or the report not be written.
pub(super) fn diagnose(args: &DiagnoseArgs) -> Result<u8> {
    let output = args.output.file();
    let files = each(&args.paths).filter(|path| !path.is_dir());
    apart::require(output, files.chain(args.params.paths()).chain(args.share.key.as_deref()))?;
    sharing::tell_of_real_names(args.format, &args.share);
    let (report, lines) = match opened::open_any(&args.paths)? {
        Opened::Report(report) => {
            opened::tell_of_switches(&args.params);
            (opened::named(*report, args.share.key.as_deref())?, Lines::new())
        }
        Opened::Logs(inputs) => of_logs(&inputs, args)?,
    };
    sharing::write(&report, &lines, args.format, output, &args.share)?;
    Ok(exit_code(&report))
}

fn of_logs(inputs: &[Input], args: &DiagnoseArgs) -> Result<(Report, Lines)> {
    apart::require_inputs(args.output.file(), inputs)?;
    sharing::tell_of_key(args.format, &args.share);
    let workers = args.workers.count();
    let digest = read_logs(inputs, workers)?;
    let report = analysed(&digest, &train::params(&args.params, workers)?, workers).report;
    let lines = match args.format {
        ReportFormat::Json => Lines::new(),
        _ => evidence_lines(&report, inputs),
    };
    Ok((report, lines))
}

/// The text of the lines that evidence names, from reading the inputs again. The verdict stands without
/// those of an input that cannot be read a second time.
fn evidence_lines(report: &Report, inputs: &[Input]) -> Lines {
    let wanted = report.grounds().flat_map(|evidence| &evidence.lines).cloned();
    let mut finder = LineFinder::new(wanted, Limits::default());
    for input in inputs {
        if input.can_be_read_again() && finder.wants(&input.name) {
            finder.start(&input.name);
            let read = input.read_while(|bytes| {
                finder.feed(bytes);
                !finder.is_done()
            });
            if let Err(error) = read {
                finder.drop_input();
                say(&format!("{error}; what was not read again is not quoted"));
            }
        }
    }
    finder.into_lines()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::report::{Culprit, Evidence, LineRef, Verdict};
    use std::path::Path;

    #[test]
    fn an_input_that_cannot_be_read_again_costs_its_own_lines_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.log");
        std::fs::write(&path, "one\ntwo\n").unwrap();
        // A regular file of which the first page cannot be read.
        let inputs = [Input::file(Path::new("/proc/self/mem")), Input::file(&path)];
        assert!(inputs[0].can_be_read_again() && inputs[0].read(|_| {}).is_err());
        let line = |file: &str| LineRef { file: file.to_owned(), line: 2 };
        let evidence = vec![Evidence { lines: vec![line("mem"), line("x.log")], ..Evidence::default() }];
        let culprits = vec![Culprit { evidence, ..Culprit::default() }];
        let report = Report { verdict: Verdict { culprits, ..Verdict::default() }, ..Report::default() };
        let lines = evidence_lines(&report, &inputs);
        assert_eq!(lines, Lines::from([(line("x.log"), "two".to_owned())]));
    }
}
