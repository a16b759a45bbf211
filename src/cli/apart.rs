//! Refuses an output that is one of the inputs: opening it for writing would destroy what is to be read.
//!
//! Two paths are one file where they lead to the same, whatever they are called: through links of both kinds and
//! by way of standard input.

use super::bad_input;
use super::input::{self, Input, STDIN};
use anyhow::Result;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};

/// What standard input goes by among files, where the system lets it be looked at.
const STDIN_FILE: &str = "/dev/stdin";

/// A file, whatever it is called.
#[derive(Debug, PartialEq, Eq)]
enum Identity {
    /// Its device and number.
    #[cfg(unix)]
    Number(u64, u64),
    /// Where it is, or would be.
    At(PathBuf),
}

/// The file that a path leads to; `None` for what holds nothing that could be replaced: folders, pipes, devices.
fn identity(path: &Path) -> Option<Identity> {
    match fs::metadata(path) {
        Ok(about) => about.is_file().then(|| of_file(path, &about)).flatten(),
        // Of a file that is not there yet, the folder is.
        Err(_) => {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(Identity::At(folder.canonicalize().ok()?.join(path.file_name()?)))
        }
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps, reason = "other systems have to ask for the path")]
fn of_file(_: &Path, about: &Metadata) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    Some(Identity::Number(about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn of_file(path: &Path, _: &Metadata) -> Option<Identity> {
    path.canonicalize().ok().map(Identity::At)
}

/// [`require`] for inputs that are listed already: no folder is gone through again.
///
/// # Errors
/// The same.
pub(super) fn require_inputs(output: Option<&Path>, inputs: &[Input]) -> Result<()> {
    require(output, inputs.iter().filter_map(Input::path))
}

/// Refuses an output that is one of the files that `paths` name or of those in the folders that they name.
///
/// # Errors
/// [`super::BadInput`] where it is.
pub(super) fn require<'a>(output: Option<&Path>, paths: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let Some(output) = output else { return Ok(()) };
    let Some(own) = identity(output) else { return Ok(()) };
    for path in paths {
        let is_it = |path: &Path| identity(path).is_some_and(|other| other == own);
        let within = if path.as_os_str() == STDIN {
            is_it(Path::new(STDIN_FILE))
        } else if path.is_dir() {
            // What is wrong with the folder is told where it is read.
            let inputs = || input::list(&[path.to_owned()]).unwrap_or_default();
            output.exists() && inputs().iter().filter_map(Input::path).any(is_it)
        } else {
            is_it(path)
        };
        if within {
            let (output, path) = (output.display(), path.display());
            return Err(bad_input(format!("{output}: would replace what is read ({path}); write to another file")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(output: &Path, inputs: &[&Path]) -> bool {
        require(Some(output), inputs.iter().copied()).is_err()
    }

    #[test]
    fn output_that_is_an_input_is_refused_by_any_name() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a.log"), dir.path().join("b.log"));
        fs::write(&a, "a").unwrap();
        let round = dir.path().join("sub/../a.log");
        fs::create_dir(dir.path().join("sub")).unwrap();
        assert!(is_refused(&a, &[&b, &a]) && is_refused(&round, &[&a]) && is_refused(&a, &[dir.path()]));
        assert!(!is_refused(&b, &[&a, dir.path()]) && !is_refused(dir.path(), &[&a]));
        // Neither is there yet.
        assert!(is_refused(&b, &[&dir.path().join("sub/../b.log")]));
        assert!(require(None, [a.as_path()]).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_same_file_and_devices_are_none() {
        let dir = tempfile::tempdir().unwrap();
        let [a, hard, soft] = ["a.log", "hard", "soft"].map(|name| dir.path().join(name));
        fs::write(&a, "a").unwrap();
        fs::hard_link(&a, &hard).unwrap();
        std::os::unix::fs::symlink("a.log", &soft).unwrap();
        assert!(is_refused(&hard, &[&a]) && is_refused(&soft, &[&a]) && is_refused(&a, &[&soft]));
        assert!(!is_refused(Path::new("/dev/null"), &[Path::new("/dev/null")]));
    }
}
