//! What the user gives: files, folders, several at once, as handles with names.

use super::dom::window;
use crate::base::Arrange;
use crate::report;
use crate::report::file::HEAD_BYTES;
use crate::report::key::KeyFile;
use js_sys::{Array, Promise};
use std::collections::BTreeMap;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, File, FileList, FileSystemDirectoryEntry, FileSystemEntry, FileSystemFileEntry, Response};

/// The sample that a visit tries first, beside the page.
const SAMPLE_NAME: &str = "sample.tar.gz";
/// Where the other samples lie.
const SAMPLES_FOLDER: &str = "samples";

/// A file and the name under which it stands in the report.
#[derive(Clone, Debug)]
pub struct Input {
    /// `folder/sub/file`, or the file's own name.
    pub name: String,
    /// The handle; the page never reads it.
    pub file: File,
}

/// What is said of a file or a folder that the browser does not open.
pub fn unopened(name: &str) -> String {
    format!("{name} could not be opened")
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
    /// Anything else.
    Logs,
}

/// Looks at a file's first bytes, the only ones that the page itself ever reads.
pub async fn kind_of(file: &File) -> Kind {
    let head = file.slice_with_i32_and_i32(0, HEAD_BYTES as i32).map(|head| head.array_buffer());
    let Ok(head) = head else { return Kind::Logs };
    let Ok(buffer) = JsFuture::from(head).await else { return Kind::Logs };
    let head = js_sys::Uint8Array::new(&buffer).to_vec();
    if KeyFile::is_one(&head) {
        Kind::Key
    } else if report::file::is_one(&head) {
        Kind::Report
    } else {
        Kind::Logs
    }
}

/// The file at an address of this page's own origin, under that name.
///
/// # Errors
/// The browser's, or the server's status.
pub async fn fetched(url: &str, name: &str) -> Result<File, JsValue> {
    let response: Response = JsFuture::from(window().fetch_with_str(url)).await?.dyn_into()?;
    if !response.ok() {
        return Err(JsValue::from_str(&format!("the server says {}", response.status())));
    }
    let blob = JsFuture::from(response.blob()?).await?;
    File::new_with_blob_sequence(&Array::of1(&blob), name)
}

/// The files of an `<input>`.
pub fn from_list(list: &FileList) -> Vec<Input> {
    let files = (0..list.length()).filter_map(|i| list.get(i));
    let named = files.map(|file| {
        // web-sys has no binding for `webkitRelativePath`; it is empty for single files.
        let path = js_sys::Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|p| p.as_string());
        let name = path.filter(|p| !p.is_empty()).unwrap_or_else(|| file.name());
        Input { name, file }
    });
    named.collect()
}

/// What was dropped. Entries have to be taken before the first await: the browser empties
/// the list when the event is over.
pub fn entries_of(dropped: &DataTransfer) -> Vec<FileSystemEntry> {
    let items = dropped.items();
    (0..items.length()).filter_map(|i| items.get(i)?.webkit_get_as_entry().ok().flatten()).collect()
}

/// All files in and below the entries, by name. What cannot be opened is left out and named.
pub async fn walk(entries: Vec<FileSystemEntry>) -> (Vec<Input>, Vec<String>) {
    let mut inputs = Vec::new();
    let mut refused = Vec::new();
    let mut open = entries;
    while let Some(entry) = open.pop() {
        let name = entry.full_path().trim_start_matches('/').to_owned();
        if entry.is_directory() {
            match list(entry.unchecked_ref()).await {
                Ok(children) => open.extend(children),
                Err(_) => refused.push(name),
            }
        } else {
            match file_of(entry.unchecked_ref()).await {
                Ok(file) => inputs.push(Input { name, file }),
                Err(_) => refused.push(name),
            }
        }
    }
    inputs.arrange(|a, b| a.name.cmp(&b.name));
    (inputs, refused)
}

/// The entries of a folder: the browser gives them in batches until an empty one.
async fn list(folder: &FileSystemDirectoryEntry) -> Result<Vec<FileSystemEntry>, JsValue> {
    let reader = folder.create_reader();
    let mut children = Vec::new();
    loop {
        let batch = Promise::new(&mut |done, failed| {
            let asked = reader.read_entries_with_callback_and_callback(done.unchecked_ref(), failed.unchecked_ref());
            if let Err(e) = asked {
                let _ = failed.call1(&JsValue::NULL, &e);
            }
        });
        let batch: Array = JsFuture::from(batch).await?.dyn_into()?;
        if batch.length() == 0 {
            return Ok(children);
        }
        children.extend(batch.iter().map(|entry| entry.unchecked_into::<FileSystemEntry>()));
    }
}

async fn file_of(entry: &FileSystemFileEntry) -> Result<File, JsValue> {
    let file = Promise::new(&mut |done, failed| {
        entry.file_with_callback_and_callback(done.unchecked_ref(), failed.unchecked_ref());
    });
    JsFuture::from(file).await?.dyn_into()
}

/// The sample of that name.
///
/// # Errors
/// If it does not lie beside the page.
pub async fn sample(name: &str) -> Result<Input, JsValue> {
    let url = if name == SAMPLE_NAME { format!("./{name}") } else { format!("./{SAMPLES_FOLDER}/{name}") };
    Ok(Input { name: name.to_owned(), file: fetched(&url, name).await? })
}
