//! The inputs that paths name, and their bytes.

use super::bad_input;
use crate::model::Digest;
use anyhow::Result;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Bytes read at a time: large enough that system calls cost nothing.
const READ_BYTES: usize = 1 << 20;
/// What stands for standard input among paths.
const STDIN: &str = "-";

/// A file to be read, or standard input.
#[derive(Debug)]
pub(super) struct Input {
    /// The name under which its members appear: without any part of a local path but
    /// the dropped file's or folder's own name.
    pub(super) name: String,
    /// `None` for standard input.
    path: Option<PathBuf>,
}

impl Input {
    /// One file.
    pub(super) fn file(path: &Path) -> Self {
        Self { name: base_name(path), path: Some(path.to_owned()) }
    }

    /// Whether a second reading gives the same bytes.
    pub(super) const fn can_be_read_again(&self) -> bool {
        self.path.is_some()
    }

    /// Gives the bytes, piece by piece.
    ///
    /// # Errors
    /// [`super::BadInput`] where they cannot be read, with the byte.
    pub(super) fn read(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        let (mut from, shown): (Box<dyn Read>, String) = match &self.path {
            None => (Box::new(io::stdin()), "standard input".to_owned()),
            Some(path) => {
                let file = File::open(path).map_err(|error| cannot_read(path, &error))?;
                (Box::new(file), path.display().to_string())
            }
        };
        let mut buffer = vec![0; READ_BYTES];
        let mut position = 0_u64;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    each(buffer.get(..count).unwrap_or_default());
                    position += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(bad_input(format!("{shown}: cannot be read at byte {position}: {error}"))),
            }
        }
    }
}

fn cannot_read(path: &Path, error: &io::Error) -> anyhow::Error {
    bad_input(format!("{}: cannot be read: {error}", path.display()))
}

fn base_name(path: &Path) -> String {
    let own = path.file_name().map(OsStr::to_owned);
    // `.` and `..` have a name only once they are resolved; `/` has none.
    let resolved = || path.canonicalize().ok()?.file_name().map(OsStr::to_owned);
    own.or_else(resolved).map_or_else(|| "root".to_owned(), |name| name.to_string_lossy().into_owned())
}

/// The inputs that `paths` name: files as they are, folders with all files in them, in
/// order of name.
///
/// # Errors
/// [`super::BadInput`] where a path is not there, or a folder holds no file.
pub(super) fn list(paths: &[PathBuf]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for path in paths {
        if path.as_os_str() == STDIN {
            inputs.push(Input { name: "stdin".to_owned(), path: None });
            continue;
        }
        let about = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
        if about.is_dir() {
            let before = inputs.len();
            walk(path, &base_name(path), &mut inputs)?;
            if inputs.len() == before {
                return Err(bad_input(format!("{}: folder holds no file", path.display())));
            }
        } else {
            inputs.push(Input::file(path));
        }
    }
    Ok(inputs)
}

/// Adds the files under `folder`, named under `name`. Links to folders are not followed:
/// they may lead round in circles.
fn walk(folder: &Path, name: &str, inputs: &mut Vec<Input>) -> Result<()> {
    let error = |error: io::Error| cannot_read(folder, &error);
    let mut entries = fs::read_dir(folder).map_err(error)?.collect::<io::Result<Vec<_>>>().map_err(error)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = format!("{name}/{}", entry.file_name().to_string_lossy());
        if entry.file_type().map_err(error)?.is_dir() {
            walk(&path, &name, inputs)?;
        } else if fs::metadata(&path).is_ok_and(|about| about.is_file()) {
            inputs.push(Input { name, path: Some(path) });
        }
    }
    Ok(())
}

/// Reads a digest.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read or is none.
pub(super) fn read_digest(path: &Path) -> Result<Digest> {
    let mut bytes = Vec::new();
    let input = if path.as_os_str() == STDIN { Input { name: String::new(), path: None } } else { Input::file(path) };
    input.read(|piece| bytes.extend_from_slice(piece))?;
    Digest::decode(&bytes)
        .map_err(|error| bad_input(format!("{}: {error} ({} bytes read)", path.display(), bytes.len())))
}
