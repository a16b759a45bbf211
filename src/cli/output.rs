//! Results to a file or to standard output.

use super::bad_input;
use crate::model::Trace;
use crate::report::table::{Cell, Table};
use crate::report::trace_events;
use anyhow::Result;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Folders where files of a process appear that others may have open, too.
const OPEN_FILES: [&str; 2] = ["/dev", "/proc"];

/// Writes `body`.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write(path: Option<&Path>, body: &[u8]) -> Result<()> {
    stream(path, |out| Ok(out.write_all(body)?))
}

/// Writes `body`, which nobody else on the machine is to read; who may read a file that is there may go on.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written.
pub(super) fn write_private(path: &Path, body: &[u8]) -> Result<()> {
    told(Some(path), to_file(path, Readers::Owner, |out| Ok(out.write_all(body)?)))
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

/// Writes what `write` writes, piece by piece; a file that is there is replaced once all is written. An [`io::Error`]
/// that it gives is the output's; any other error passes through.
///
/// # Errors
/// [`super::BadInput`] where the file cannot be written; those of `write`.
pub(super) fn stream(path: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    told(
        path,
        match path {
            None => to_the_end(io::stdout().lock(), write),
            Some(path) => to_file(path, Readers::All, write),
        },
    )
}

/// What came of it, an error of the output as one that names it.
fn told(path: Option<&Path>, written: Result<()>) -> Result<()> {
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

fn to_the_end(out: impl Write, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut out = BufWriter::new(out);
    write(&mut out)?;
    Ok(out.flush()?)
}

/// Who may read a new file.
#[derive(Clone, Copy)]
enum Readers {
    /// Whom the system lets by default.
    All,
    /// Its owner.
    Owner,
}

fn to_file(path: &Path, readers: Readers, write: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let Some((new, place)) = replacement(path, readers)? else { return to_the_end(File::create(path)?, write) };
    to_the_end(new.as_file(), write)?;
    // One that takes no place is gone with its value.
    new.persist(place).map_err(|error| error.error)?;
    Ok(())
}

/// A file beside the one that a path leads to, and the place that it takes. `None` where it cannot take that: of pipes
/// and devices, and in folders that take no file.
fn replacement(path: &Path, readers: Readers) -> io::Result<Option<(NamedTempFile, PathBuf)>> {
    let old = match fs::metadata(path) {
        Ok(about) if about.is_file() && !OPEN_FILES.iter().any(|folder| path.starts_with(folder)) => Some(about),
        // What does not exist is made; a link to it would be lost.
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => None,
        Ok(_) | Err(_) => return Ok(None),
    };
    let place = if old.is_some() { path.canonicalize()? } else { path.to_owned() };
    if old.is_some() {
        // What may not be written may not be replaced.
        OpenOptions::new().write(true).open(&place)?;
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut named = tempfile::Builder::new();
    named.prefix(".oddnode-");
    let made = match readers {
        Readers::All => named.make_in(folder, |path| File::create_new(path)),
        Readers::Owner => named.tempfile_in(folder),
    };
    let Ok(new) = made else { return Ok(None) };
    if let Some(old) = old {
        new.as_file().set_permissions(old.permissions())?;
    }
    Ok(Some((new, place)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::bail;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_is_replaced_once_all_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("out");
        for text in ["first", "second"] {
            stream(Some(&path), |out| Ok(out.write_all(text.as_bytes())?)).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        let broken = stream(Some(&path), |out| {
            out.write_all(&[0; 1 << 20])?;
            assert_eq!(fs::read_to_string(&path).unwrap(), "second");
            bail!("no more")
        });
        assert_eq!(broken.unwrap_err().to_string(), "no more");
        assert_eq!(fs::read_to_string(&path).unwrap(), "second");
        assert_eq!(names(dir.path()), ["out"]);
        let nowhere = write(Some(&dir.path().join("none/out")), b"x").unwrap_err();
        assert!(nowhere.to_string().contains("none/out: cannot be written"), "{nowhere}");
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let [plain, made, old, link, dead, new] =
            ["plain", "made", "old", "link", "dead", "new"].map(|name| dir.path().join(name));
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        File::create(&plain).unwrap();
        write(Some(&made), b"x").unwrap();
        assert_eq!(mode(&made), mode(&plain));
        fs::write(&old, "old").unwrap();
        fs::set_permissions(&old, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("old", &link).unwrap();
        symlink("new", &dead).unwrap();
        for (path, file) in [(&link, &old), (&dead, &new)] {
            write(Some(path), b"written").unwrap();
            assert!(path.is_symlink());
            assert_eq!(fs::read_to_string(file).unwrap(), "written");
        }
        assert_eq!(mode(&old), 0o640);
        write(Some(Path::new("/dev/null")), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }
}
