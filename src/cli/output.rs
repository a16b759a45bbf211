//! Results to a file or to standard output.

use super::bad_input;
use crate::model::Trace;
use crate::report::table::{Cell, Table};
use crate::report::trace_events;
use anyhow::Result;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `body`.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write(path: Option<&Path>, body: &[u8]) -> Result<()> {
    stream(path, |out| Ok(out.write_all(body)?))
}

/// Writes a table with its header.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write_csv(path: Option<&Path>, table: &Table, trace: &Trace) -> Result<()> {
    stream(path, |out| {
        let mut csv = csv::Writer::from_writer(out);
        csv.write_record(table.header).map_err(io_error)?;
        let mut result = Ok(());
        table.each_row(trace, |cells| {
            if result.is_ok() {
                result = csv.write_record(cells.iter().map(Cell::to_string));
            }
        });
        result.map_err(io_error)?;
        Ok(csv.flush()?)
    })
}

/// The error below one of `csv`, whose own conversion hides what kind it is.
fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

/// Writes a table, one object a line.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write_jsonl(path: Option<&Path>, table: &Table, trace: &Trace) -> Result<()> {
    stream(path, |out| {
        let mut result = Ok(());
        table.each_row(trace, |cells| {
            if result.is_ok() {
                result = writeln!(out, "{}", table.json(cells));
            }
        });
        Ok(result?)
    })
}

/// Writes all intervals as trace events.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write_trace_events(path: Option<&Path>, trace: &Trace) -> Result<()> {
    stream(path, |out| {
        let mut result = Ok(());
        trace_events::write(trace, |text| {
            if result.is_ok() {
                result = out.write_all(text.as_bytes());
            }
        });
        Ok(result?)
    })
}

/// Writes what `write` writes, piece by piece. An [`io::Error`] that it gives is the output's;
/// any other error passes through.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written; those of `write`.
pub(super) fn stream(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let to_the_end = |out: &mut dyn Write| {
        write(out)?;
        Ok(out.flush()?)
    };
    let written = match path {
        None => to_the_end(&mut BufWriter::new(io::stdout().lock())),
        Some(path) => {
            File::create(path).map_err(anyhow::Error::from).and_then(|file| to_the_end(&mut BufWriter::new(file)))
        }
    };
    let Err(error) = written else { return Ok(()) };
    match error.downcast::<io::Error>() {
        // Who reads has seen enough (`| head`).
        Ok(error) if path.is_none() && error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Ok(error) => {
            let shown = path.map_or_else(|| "standard output".to_owned(), |path| path.display().to_string());
            Err(bad_input(format!("{shown}: cannot be written: {error}")))
        }
        Err(other) => Err(other),
    }
}
