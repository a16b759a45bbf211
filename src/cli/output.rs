//! Results to a file or to standard output.

use super::bad_input;
use crate::model::Trace;
use crate::report::table::{Cell, Table};
use anyhow::Result;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes `body`.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write(path: Option<&Path>, body: &[u8]) -> Result<()> {
    stream(path, |out| out.write_all(body))
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
        csv.flush()
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
        result
    })
}

/// Writes what `write` writes, piece by piece.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn stream(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let Some(path) = path else {
        let mut out = BufWriter::new(io::stdout().lock());
        return match write(&mut out).and_then(|()| out.flush()) {
            // Who reads has seen enough (`| head`).
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            result => result.map_err(|error| bad_input(format!("standard output: cannot be written: {error}"))),
        };
    };
    let result = File::create(path).and_then(|file| {
        let mut out = BufWriter::new(file);
        write(&mut out)?;
        out.flush()
    });
    result.map_err(|error| bad_input(format!("{}: cannot be written: {error}", path.display())))
}
