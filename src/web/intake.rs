//! What the user gives: files, folders, several at once, as handles with names.

use super::dom::{sleep, window};
use crate::base::Arrange;
use crate::base::quantity::grouped;
use crate::diagnosis::Baseline;
use crate::diagnosis::baseline::ENDING;
use crate::report;
use crate::report::file::HEAD_BYTES;
use crate::report::key::KeyFile;
use js_sys::{Array, Date, Function, Promise};
use std::collections::{BTreeMap, VecDeque};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    DataTransfer, DragEvent, Event, File, FileList, FileSystemDirectoryEntry, FileSystemDirectoryReader,
    FileSystemEntry, FileSystemFileEntry, RequestInit, Response,
};

/// The sample that a visit tries first, beside the page.
const SAMPLE_NAME: &str = "sample.tar.gz";
/// Where the other samples lie.
const SAMPLES_FOLDER: &str = "samples";
/// Files and folders that the browser is asked about at a time: it answers each after a millisecond.
const ASKED_AT_ONCE: usize = 64;
/// Of more files than these only the names are looked at: each takes a millisecond.
const LOOKED_INTO: usize = 64;
/// A task of the page takes no longer where it can be parted.
const TASK_MS: f64 = 30.0;

/// A file and the name under which it stands in the report.
#[derive(Clone, Debug)]
pub struct Input {
    /// `folder/sub/file`, or the file's own name.
    pub name: String,
    /// The handle; the page never reads it.
    pub file: File,
}

impl Input {
    /// Whether it came with a folder.
    pub fn is_of_folder(&self) -> bool {
        self.name.contains('/')
    }

    fn of(file: File) -> Self {
        // web-sys has no binding for `webkitRelativePath`; it is empty for single files.
        let path = js_sys::Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|p| p.as_string());
        let name = path.filter(|p| !p.is_empty()).unwrap_or_else(|| file.name());
        Self { name, file }
    }
}

/// Failures told one by one: where a disk goes away they are as many as there are files.
const FAILURES_TOLD: usize = 20;

/// The first of many failures, and how many more there are.
pub fn few(mut failures: Vec<String>) -> Vec<String> {
    let more = failures.len().saturating_sub(FAILURES_TOLD);
    if more > 0 {
        failures.truncate(FAILURES_TOLD);
        failures.push(format!("{} more files could not be read", grouped(more as u64)));
    }
    failures
}

/// What is said of files and folders that the browser does not open.
pub fn all_unopened(names: &[String]) -> Vec<String> {
    few(names.iter().map(|name| unopened(name)).collect())
}

/// What is said of a file or a folder that the browser does not open.
pub fn unopened(name: &str) -> String {
    format!("{name} could not be opened")
}

/// The same inputs in order of name, no two of one: `logs.tar.gz`, `logs (2).tar.gz`. A place in the logs is found
/// again by it.
pub fn told_apart(mut inputs: Vec<Input>) -> Vec<Input> {
    inputs.arrange(|a, b| a.name.cmp(&b.name));
    let given: Vec<String> = inputs.iter().map(|input| input.name.clone()).collect();
    let (mut before, mut number) = ("", 1);
    for (input, name) in inputs.iter_mut().zip(&given) {
        if name != before {
            (before, number) = (name, 1);
            continue;
        }
        // No two names give one: what stands behind a name can be taken away again.
        while given.binary_search(&input.name).is_ok() {
            number += 1;
            input.name = numbered(before, number);
        }
    }
    inputs
}

/// Which of several it is stands before a file's endings, and behind the host's name that some carry.
fn numbered(name: &str, number: u32) -> String {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let end = name.rfind('.').filter(|dot| *dot > file).unwrap_or(name.len());
    let (own, ending) = name.split_at(end);
    let packed = [".tar", ".log", ".out"].into_iter().find(|ending| own.ends_with(ending)).unwrap_or_default();
    let own = own.strip_suffix(packed).unwrap_or(own);
    format!("{own} ({number}){packed}{ending}")
}

/// Inputs by their runs: a file is one, the files of one folder are one together.
pub fn runs(inputs: Vec<Input>) -> BTreeMap<String, Vec<Input>> {
    let mut runs: BTreeMap<String, Vec<Input>> = BTreeMap::new();
    for input in inputs {
        let run = input.name.split('/').next().unwrap_or_default().to_owned();
        runs.entry(run).or_default().push(input);
    }
    runs
}

/// What a file is, as far as its first bytes tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A shared report.
    Report,
    /// The key of one.
    Key,
    /// What control runs taught.
    Baseline,
    /// Anything else.
    Logs,
}

/// Looks at a file's first bytes, the only ones that the page itself ever reads.
pub async fn kind_of(file: &File) -> Kind {
    let head = file.slice_with_i32_and_i32(0, HEAD_BYTES as i32).map(|head| head.array_buffer());
    let Ok(head) = head else { return Kind::Logs };
    let Ok(buffer) = JsFuture::from(head).await else { return Kind::Logs };
    let head = js_sys::Uint8Array::new(&buffer).to_vec();
    if Baseline::is_one(&head) {
        Kind::Baseline
    } else if KeyFile::is_one(&head) {
        Kind::Key
    } else if report::file::is_one(&head) {
        Kind::Report
    } else {
        Kind::Logs
    }
}

/// The baselines among inputs, and all else. Of many files only those are looked at that are called like one.
pub async fn apart(inputs: Vec<Input>) -> (Vec<Input>, Vec<Input>) {
    let are_few = inputs.len() <= LOOKED_INTO;
    let (mut baselines, mut others) = (Vec::new(), Vec::new());
    for input in inputs {
        let may_be_one = are_few || input.name.ends_with(ENDING);
        let is_one = may_be_one && kind_of(&input.file).await == Kind::Baseline;
        let kept = if is_one { &mut baselines } else { &mut others };
        kept.push(input);
    }
    (baselines, others)
}

/// What the server gives at an address of this page's own origin.
///
/// # Errors
/// The browser's, or the server's status.
pub async fn answered(url: &str, how: &RequestInit) -> Result<Response, JsValue> {
    let response: Response = JsFuture::from(window().fetch_with_str_and_init(url, how)).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::from_str(&format!("the server says {}", response.status())));
    }
    Ok(response)
}

/// The file at an address of this page's own origin, under that name.
///
/// # Errors
/// The browser's, or the server's status.
pub async fn fetched(url: &str, name: &str) -> Result<File, JsValue> {
    let blob = JsFuture::from(answered(url, &RequestInit::new()).await?.blob()?).await?;
    File::new_with_blob_sequence(&Array::of1(&blob), name)
}

/// The files of an `<input>`.
pub fn from_list(list: &FileList) -> Vec<Input> {
    (0..list.length()).filter_map(|i| list.get(i)).map(Input::of).collect()
}

/// Whether files are dragged; text and links of the page itself are the browser's own matter.
pub fn are_files(event: &Event) -> bool {
    let dragged = event.dyn_ref::<DragEvent>().and_then(DragEvent::data_transfer);
    dragged.is_some_and(|dragged| dragged.types().includes(&"Files".into(), 0))
}

/// What was dropped, taken before the first await: the browser empties the list when the event is over.
#[derive(Debug, Default)]
pub struct Dropped {
    files: Vec<Input>,
    /// To be gone through.
    folders: Vec<FileSystemEntry>,
}

impl Dropped {
    /// Files as they are: not every browser opens the entry of one that a script has dropped.
    pub fn of(dropped: &DataTransfer) -> Self {
        let mut all = Self::default();
        let items = dropped.items();
        for item in (0..items.length()).filter_map(|i| items.get(i)) {
            if let Ok(Some(folder)) = item.webkit_get_as_entry()
                && folder.is_directory()
            {
                all.folders.push(folder);
            } else if let Ok(Some(file)) = item.get_as_file() {
                all.files.push(Input::of(file));
            }
        }
        all
    }
}

/// All files of what was dropped and below it, by name, `told` how many there are so far: it says whether they are still
/// wanted. What cannot be opened is left out and named.
pub async fn walk(dropped: Dropped, told: impl Fn(usize) -> bool) -> (Vec<Input>, Vec<String>) {
    let Dropped { files: mut inputs, folders: mut open } = dropped;
    let mut refused = Vec::new();
    let mut asked = VecDeque::new();
    while told(inputs.len()) {
        while asked.len() < ASKED_AT_ONCE
            && let Some(entry) = open.pop()
        {
            asked.push_back(Asked::about(&entry));
        }
        let Some(Asked { name, reader, answer }) = asked.pop_front() else { break };
        match (answer.await, reader) {
            (Ok(file), None) => inputs.push(Input { name, file: file.unchecked_into() }),
            (Ok(children), Some(reader)) => {
                let children: Array = children.unchecked_into();
                // A folder is given in batches, until an empty one.
                if children.length() > 0 {
                    open.extend(children.iter().map(JsValue::unchecked_into));
                    asked.push_back(Asked::next_of(name, reader));
                }
            }
            (Err(_), _) => refused.push(name),
        }
    }
    inputs.arrange(|a, b| a.name.cmp(&b.name));
    (inputs, refused)
}

/// What the browser was asked for, and has not given yet: a file, or what a folder has next.
struct Asked {
    name: String,
    /// Of a folder.
    reader: Option<FileSystemDirectoryReader>,
    answer: JsFuture,
}

impl Asked {
    fn about(entry: &FileSystemEntry) -> Self {
        let name = entry.full_path().trim_start_matches('/').to_owned();
        if entry.is_directory() {
            return Self::next_of(name, entry.unchecked_ref::<FileSystemDirectoryEntry>().create_reader());
        }
        let answer = promised(|done, failed| {
            entry.unchecked_ref::<FileSystemFileEntry>().file_with_callback_and_callback(done, failed);
            Ok(())
        });
        Self { name, reader: None, answer }
    }

    fn next_of(name: String, reader: FileSystemDirectoryReader) -> Self {
        let answer = promised(|done, failed| reader.read_entries_with_callback_and_callback(done, failed));
        Self { name, reader: Some(reader), answer }
    }
}

/// What comes of a question that takes two callbacks.
fn promised(mut ask: impl FnMut(&Function, &Function) -> Result<(), JsValue>) -> JsFuture {
    JsFuture::from(Promise::new(&mut |done, failed| {
        if let Err(e) = ask(&done, &failed) {
            let _ = failed.call1(&JsValue::NULL, &e);
        }
    }))
}

/// Has the browser find out how long the files are, which takes a quarter of a millisecond for each that a field
/// gave: other tasks run meanwhile.
pub async fn measure(inputs: &[Input]) {
    let mut begun_ms = Date::now();
    for Input { file, .. } in inputs {
        file.size();
        if Date::now() - begun_ms > TASK_MS {
            sleep(0).await;
            begun_ms = Date::now();
        }
    }
}

/// The sample of that name.
///
/// # Errors
/// If it does not lie beside the page.
pub async fn sample(name: &str) -> Result<Input, JsValue> {
    let url = if name == SAMPLE_NAME { format!("./{name}") } else { format!("./{SAMPLES_FOLDER}/{name}") };
    Ok(Input { name: name.to_owned(), file: fetched(&url, name).await? })
}
