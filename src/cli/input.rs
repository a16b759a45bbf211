//! The inputs that paths name, and their bytes.

use super::{bad_input, cannot_be};
use crate::source::label;
use anyhow::Result;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Bytes read at a time: large enough that system calls cost nothing.
const READ_BYTES: usize = 1 << 20;
/// What stands for standard input among paths, and for standard output where results go.
pub(super) const STDIN: &str = "-";

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
    /// Standard input, of which so much was read to see what it is.
    Stdin(Vec<u8>),
    File(PathBuf),
    /// What a command prints: its words.
    Command(Vec<String>),
}

/// Labels of runs take no more: those of 100,000 runs are some 20 MB.
const LIMIT_BYTES: usize = 64 << 20;

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
        Self::named(base_name(path), path)
    }

    /// One file under a name of more than its own.
    fn named(name: String, path: &Path) -> Self {
        Self::of(&name, Origin::File(path.to_owned()))
    }

    /// What somebody named, under the name that its members have before their own.
    fn of(name: &str, from: Origin) -> Self {
        Self { name: label(name.as_bytes()), from, found: false }
    }

    /// Standard input, of which this much was read.
    pub(super) fn begun(head: Vec<u8>) -> Self {
        Self { name: "stdin".to_owned(), from: Origin::Stdin(head), found: false }
    }

    /// The file that it is, or that stands for it.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.from {
            Origin::Stdin(_) => Some(Path::new(STDIN)),
            Origin::File(path) => Some(path),
            Origin::Command(_) => None,
        }
    }

    /// What a path names: a file, or standard input.
    pub(super) fn at(path: &Path) -> Self {
        if path.as_os_str() == STDIN { Self::begun(Vec::new()) } else { Self::file(path) }
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`super::BadInput`] where it cannot be opened.
    pub(super) fn open(&self) -> Result<Box<dyn Read>> {
        Ok(match &self.from {
            Origin::Stdin(head) => Box::new(io::Cursor::new(head.clone()).chain(io::stdin())),
            // To open a pipe waits for its writer, and a device has no end: whoever names them knows.
            Origin::File(path) if self.found && fs::metadata(path).is_ok_and(|about| !about.is_file()) => {
                // A folder is an input only where it could not be looked into.
                let why = fs::read_dir(path).err().filter(|_| path.is_dir()).map(|error| error.to_string());
                let why = why.unwrap_or_else(|| String::from("it is neither a file nor a folder"));
                return Err(cannot_be("read", path, &why));
            }
            Origin::File(path) => Box::new(File::open(path).map_err(|error| cannot_be("read", path, &error))?),
            Origin::Command(words) => {
                let (program, arguments) = words.split_first().ok_or_else(|| bad_input("no command to fetch with"))?;
                let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
                let child = child.map_err(|error| bad_input(format!("{program}: cannot be run: {error}")))?;
                Box::new(Printed { child, shown: words.join(" ") })
            }
        })
    }

    /// Whether a second reading gives the same bytes.
    pub(super) fn can_be_read_again(&self) -> bool {
        match &self.from {
            // What a pipe gave is gone.
            Origin::File(path) => fs::metadata(path).is_ok_and(|about| about.is_file()),
            Origin::Stdin(_) | Origin::Command(_) => false,
        }
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
            Origin::Stdin(_) => "standard input".to_owned(),
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

/// All bytes of a file that is held as a whole.
///
/// # Errors
/// [`super::BadInput`] where it cannot be read or is longer than such a file may be.
pub(super) fn whole_file(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    Input::file(path).read_while(|piece| {
        bytes.extend_from_slice(piece);
        bytes.len() <= LIMIT_BYTES
    })?;
    if bytes.len() > LIMIT_BYTES {
        return Err(cannot_be("read", path, &format!("it is longer than {} MiB", LIMIT_BYTES >> 20)));
    }
    Ok(bytes)
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
/// [`super::BadInput`] where a path is not there, a folder holds no file, or standard input is named twice.
pub(super) fn list(paths: &[PathBuf]) -> Result<Vec<Input>> {
    if paths.iter().filter(|path| path.as_os_str() == STDIN).nth(1).is_some() {
        return Err(bad_input(format!("{STDIN}: standard input can be read once")));
    }
    let inputs =
        paths.iter().zip(names(paths)).map(|(path, name)| inputs_at(path, name)).collect::<Result<Vec<_>>>()?;
    Ok(inputs.into_iter().flatten().collect())
}

/// The names under which paths appear: their own, unless two of the same name lie in different folders. Then the
/// folder is what tells them apart, and often the node; they are named as if the folder around all had been given.
pub(super) fn names(paths: &[PathBuf]) -> Vec<String> {
    let own = || paths.iter().map(|path| base_name(path)).collect();
    let Some(whole) = paths.iter().map(|path| whole(path)).collect::<Option<Vec<_>>>() else { return own() };
    let mut folder_of: BTreeMap<&OsStr, &Path> = BTreeMap::new();
    let mut around: Option<&Path> = None;
    let mut lost = false;
    for path in &whole {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return own() };
        lost |= folder_of.insert(name, folder).is_some_and(|other| other != folder);
        let shared = around.map_or(Some(folder), |so_far| so_far.ancestors().find(|above| folder.starts_with(above)));
        let Some(shared) = shared else { return own() };
        around = Some(shared);
    }
    let Some(around) = around.filter(|_| lost) else { return own() };
    if around.parent().is_none() {
        return told_apart(&whole);
    }
    let folder = base_name(around);
    let below = |path: &PathBuf| path.strip_prefix(around).unwrap_or(path).to_string_lossy().into_owned();
    whole.iter().map(|path| format!("{folder}/{}", below(path))).collect()
}

/// The shortest ends of paths, of equal depth, that tell apart all that are called alike: what lies above is the machine's.
fn told_apart(whole: &[PathBuf]) -> Vec<String> {
    let end = |path: &PathBuf, depth: usize| -> PathBuf {
        let parts: Vec<Component<'_>> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
        parts.iter().skip(parts.len().saturating_sub(depth)).collect()
    };
    let deepest = whole.iter().map(|path| path.components().count()).max().unwrap_or(1);
    let tells = |depth: &usize| {
        let mut path_of: BTreeMap<PathBuf, &PathBuf> = BTreeMap::new();
        whole.iter().all(|path| path_of.insert(end(path, *depth), path).is_none_or(|other| other == path))
    };
    let depth = (1..deepest).find(tells).unwrap_or(deepest);
    whole.iter().map(|path| end(path, depth).to_string_lossy().into_owned()).collect()
}

/// A path from the root on, links as they are called; `None` for standard input.
fn whole(path: &Path) -> Option<PathBuf> {
    if path.as_os_str() == STDIN {
        return None;
    }
    let steps_up = path.components().any(|part| part == Component::ParentDir);
    if steps_up { path.canonicalize().ok() } else { std::path::absolute(path).ok() }
}

/// The inputs that one path names; they appear under `name`.
///
/// # Errors
/// As [`list`].
pub(super) fn inputs_at(path: &Path, name: String) -> Result<Vec<Input>> {
    if path.as_os_str() == STDIN {
        return Ok(vec![Input::at(path)]);
    }
    let about = fs::metadata(path).map_err(|error| cannot_be("read", path, &error))?;
    if !about.is_dir() {
        return Ok(vec![Input::named(name, path)]);
    }
    let root = path.canonicalize().map_err(|error| cannot_be("read", path, &error))?;
    let mut walk = Walk { entered: vec![root], inputs: Vec::new() };
    walk.folder(path, &name).map_err(|error| cannot_be("read", path, &error))?;
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
        Some(Input::of(&self.name_of(path), from))
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
    /// Adds the files under `folder`, named under `name`. What cannot be looked into, and what is neither, is an input all
    /// the same: that it cannot be read is told where it is tried.
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
                _ => true,
            };
            if is_input {
                self.inputs.push(Input { found: true, ..Input::of(&name, Origin::File(path)) });
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

    #[test]
    fn paths_of_one_name_keep_the_folders_that_tell_them_apart() {
        let named = |paths: &[&str]| names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        let traces = ["/d/r22/h1/tt.strace", "/d/r22/./h2/tt.strace", "/d/r22/h2/dn.strace"];
        assert_eq!(named(&traces), ["r22/h1/tt.strace", "r22/h2/tt.strace", "r22/h2/dn.strace"]);
        assert_eq!(named(&["/d/h1/logs", "/d/h2/logs/"]), ["d/h1/logs", "d/h2/logs"]);
        assert_eq!(named(&["/d/h1/a.log", "/d/h2/b.log"]), ["a.log", "b.log"]);
        assert_eq!(named(&["/d/h1/a.log", "/d/h1/a.log"]), ["a.log", "a.log"]);
        assert_eq!(named(&["/d/h1/a.log", "/d/h2/a.log", "-"]), ["a.log", "a.log", "-"]);
        assert_eq!(named(&["/d/r22/h1/tt.strace"]), ["tt.strace"]);
        // Where no folder holds them all, no more of the machine is told than tells them apart.
        assert_eq!(named(&["/tmp/p/a.tar.gz", "/var/tmp/q/a.tar.gz"]), ["p/a.tar.gz", "q/a.tar.gz"]);
        let deeper = ["/home/ada/h1/logs/a.log", "/mnt/h2/logs/a.log", "/mnt/h2/logs/b.log"];
        assert_eq!(named(&deeper), ["h1/logs/a.log", "h2/logs/a.log", "h2/logs/b.log"]);
        assert_eq!(named(&["/a.log", "/d/a.log"]), ["a.log", "d/a.log"]);
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
        let inputs = inputs_at(&logs, "logs".to_owned()).unwrap();
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
