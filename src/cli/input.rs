//! The inputs that paths name, and their bytes.

use super::bad_input;
use anyhow::Result;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

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
    from: Origin,
    /// It was found in a folder: nobody named it, and the others are read without it.
    pub(super) found: bool,
}

/// Where the bytes of an input come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    Stdin,
    File(PathBuf),
    /// What a command prints: its words.
    Command(Vec<String>),
}

/// What a command prints; at its end, whether the command ended well.
struct Printed {
    child: Child,
    shown: String,
}

impl Read for Printed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.child.stdout {
            Some(from) => from.read(buffer)?,
            None => 0,
        };
        if count == 0 && !buffer.is_empty() {
            let status = self.child.wait()?;
            if !status.success() {
                return Err(io::Error::other(format!("{}: {status}", self.shown)));
            }
        }
        Ok(count)
    }
}

impl Drop for Printed {
    fn drop(&mut self) {
        // Nobody reads on: a command that still prints would wait for ever.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Input {
    /// One file.
    pub(super) fn file(path: &Path) -> Self {
        Self { name: base_name(path), from: Origin::File(path.to_owned()), found: false }
    }

    /// What a path names: a file, or standard input.
    pub(super) fn at(path: &Path) -> Self {
        if path.as_os_str() == STDIN {
            Self { name: "stdin".to_owned(), from: Origin::Stdin, found: false }
        } else {
            Self::file(path)
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`super::BadInput`] where it cannot be opened.
    pub(super) fn open(&self) -> Result<Box<dyn Read>> {
        Ok(match &self.from {
            Origin::Stdin => Box::new(io::stdin()),
            Origin::File(path) => Box::new(File::open(path).map_err(|error| cannot_read(path, &error))?),
            Origin::Command(words) => {
                let (program, arguments) = words.split_first().ok_or_else(|| bad_input("no command to fetch with"))?;
                let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
                let child = child.map_err(|error| bad_input(format!("{program}: cannot be run: {error}")))?;
                Box::new(Printed { child, shown: words.join(" ") })
            }
        })
    }

    /// Whether a second reading gives the same bytes.
    pub(super) const fn can_be_read_again(&self) -> bool {
        matches!(self.from, Origin::File(_))
    }

    /// Gives the bytes, piece by piece.
    ///
    /// # Errors
    /// [`super::BadInput`] where they cannot be read, with the byte.
    pub(super) fn read(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        self.read_while(|bytes| {
            each(bytes);
            true
        })
    }

    /// Gives the bytes, piece by piece, until no more are wanted.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(super) fn read_while(&self, mut each: impl FnMut(&[u8]) -> bool) -> Result<()> {
        let mut from = self.open()?;
        let shown = match &self.from {
            Origin::Stdin => "standard input".to_owned(),
            Origin::File(path) => path.display().to_string(),
            Origin::Command(words) => words.last().cloned().unwrap_or_default(),
        };
        let mut buffer = vec![0; READ_BYTES];
        let mut position = 0_u64;
        loop {
            match from.read(&mut buffer) {
                Ok(0) => return Ok(()),
                Ok(count) => {
                    if !each(buffer.get(..count).unwrap_or_default()) {
                        return Ok(());
                    }
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
    let inputs = paths.iter().map(|path| inputs_at(path)).collect::<Result<Vec<_>>>()?;
    Ok(inputs.into_iter().flatten().collect())
}

/// The inputs that one path names.
///
/// # Errors
/// As [`list`].
pub(super) fn inputs_at(path: &Path) -> Result<Vec<Input>> {
    if path.as_os_str() == STDIN {
        return Ok(vec![Input::at(path)]);
    }
    let about = fs::metadata(path).map_err(|error| cannot_read(path, &error))?;
    if !about.is_dir() {
        return Ok(vec![Input::file(path)]);
    }
    let root = path.canonicalize().map_err(|error| cannot_read(path, &error))?;
    let mut walk = Walk { entered: vec![root], inputs: Vec::new() };
    walk.folder(path, &base_name(path)).map_err(|error| cannot_read(path, &error))?;
    if walk.inputs.is_empty() {
        return Err(bad_input(format!("{}: folder holds no file", path.display())));
    }
    Ok(walk.inputs)
}

/// How the files of a list are named and fetched.
#[derive(Clone, Debug, Default)]
pub(super) struct Listed {
    /// The command that prints a file, the path being its last argument; without it, files are
    /// opened.
    pub(super) fetch: Vec<String>,
    /// The folder below which all of them lie: they are named as if it had been given.
    pub(super) below: Option<String>,
}

impl Listed {
    /// The input that a line of a list names: its last field, since Hadoop's NLineInputFormat
    /// puts an offset before it. `None` for an empty line.
    pub(super) fn input(&self, line: &str) -> Option<Input> {
        let path = line.rsplit('\t').next().map(str::trim).filter(|path| !path.is_empty())?;
        let from = if self.fetch.is_empty() {
            Origin::File(PathBuf::from(path))
        } else {
            Origin::Command(self.fetch.iter().cloned().chain([path.to_owned()]).collect())
        };
        Some(Input { name: self.name_of(path), from, found: false })
    }

    fn name_of(&self, path: &str) -> String {
        let last = path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(path);
        let Some(below) = self.below.as_deref().map(|below| below.trim_end_matches('/')) else {
            return last.to_owned();
        };
        let folder = below.rsplit('/').next().unwrap_or(below);
        // A list may hold full addresses (hdfs://host:8020/logs/…) where the folder is a path.
        let inner = path.find(&format!("{below}/")).and_then(|at| path.get(at + below.len()..));
        inner.map_or_else(|| last.to_owned(), |inner| format!("{folder}{inner}"))
    }
}

/// The files of a folder.
struct Walk {
    /// The folder itself, and folders elsewhere that links in it led to.
    entered: Vec<PathBuf>,
    inputs: Vec<Input>,
}

impl Walk {
    /// Adds the files under `folder`, named under `name`. What cannot be looked into is an input all the same: that
    /// it cannot be read is told where it is tried.
    fn folder(&mut self, folder: &Path, name: &str) -> io::Result<()> {
        let mut entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let name = format!("{name}/{}", entry.file_name().to_string_lossy());
            let is_input = match fs::metadata(&path) {
                Ok(about) if about.is_dir() => {
                    let is_link = entry.file_type()?.is_symlink();
                    (!is_link || self.may_follow(&path)) && self.folder(&path, &name).is_err()
                }
                Ok(about) => about.is_file(),
                Err(_) => true,
            };
            if is_input {
                self.inputs.push(Input { name, from: Origin::File(path), found: true });
            }
        }
        Ok(())
    }

    /// Whether a link leads to a folder that is not walked without it: links may lead round in circles.
    fn may_follow(&mut self, link: &Path) -> bool {
        let Ok(target) = link.canonicalize() else { return true };
        let apart = |other: &PathBuf| !target.starts_with(other) && !other.starts_with(&target);
        let follow = self.entered.iter().all(apart);
        if follow {
            self.entered.push(target);
        }
        follow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_list_are_named_as_their_folder_would_name_them() {
        let listed = Listed { fetch: Vec::new(), below: Some("/data/logs/".to_owned()) };
        let name = |line: &str| listed.input(line).map(|input| input.name);
        assert_eq!(name("17\thdfs://nn:8020/data/logs/h1/a.log").as_deref(), Some("logs/h1/a.log"));
        assert_eq!(name("/data/logs/h1/a.log").as_deref(), Some("logs/h1/a.log"));
        assert_eq!(name("/elsewhere/b.tar.gz").as_deref(), Some("b.tar.gz"));
        assert_eq!(name("  "), None);
        assert_eq!(Listed::default().input("/x/r06.tar.gz").map(|input| input.name).as_deref(), Some("r06.tar.gz"));
    }

    #[cfg(unix)]
    #[test]
    fn links_to_other_folders_are_followed_once_and_dead_ones_are_inputs() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let (logs, elsewhere) = (dir.path().join("logs"), dir.path().join("elsewhere"));
        fs::create_dir_all(logs.join("h1")).unwrap();
        fs::create_dir_all(elsewhere.join("h2")).unwrap();
        fs::write(logs.join("h1/a.log"), "a").unwrap();
        fs::write(elsewhere.join("h2/b.log"), "b").unwrap();
        for (target, link) in
            [("h1", "again"), ("..", "up"), ("../elsewhere/h2", "h2"), ("../elsewhere/h2", "h2-too"), ("none", "dead")]
        {
            symlink(target, logs.join(link)).unwrap();
        }
        symlink("../../logs", elsewhere.join("h2/back")).unwrap();
        let inputs = inputs_at(&logs).unwrap();
        let names: Vec<&str> = inputs.iter().map(|input| input.name.as_str()).collect();
        assert_eq!(names, ["logs/dead", "logs/h1/a.log", "logs/h2/b.log"]);
        assert!(inputs.iter().all(|input| input.found) && inputs[0].open().is_err());
    }

    #[test]
    fn a_command_that_fails_is_an_error_after_what_it_printed() {
        let fetch = |words: &[&str]| Listed { fetch: words.iter().map(ToString::to_string).collect(), below: None };
        let mut got = Vec::new();
        let input = fetch(&["echo", "one"]).input("two").unwrap();
        input.read(|bytes| got.extend_from_slice(bytes)).unwrap();
        assert_eq!(got, b"one two\n");
        got.clear();
        let input = fetch(&["sh", "-c", "echo $0; exit 3"]).input("/x").unwrap();
        let error = input.read(|bytes| got.extend_from_slice(bytes)).unwrap_err();
        assert_eq!(got, b"/x\n");
        assert!(error.to_string().contains("exit status: 3"), "{error}");
        assert!(fetch(&["/no/such/program"]).input("/x").unwrap().read(|_| {}).is_err());
    }
}
