//! Reads a file from start to end inside a worker.
//!
//! Streams with a buffer of our own ("bring your own buffer"): the fastest way in Chromium,
//! and at most one chunk in memory. Where a browser's file streams cannot do that, the plain
//! reader gives chunks of its own size. Small files are asked for as one, before their turn:
//! to begin takes the browser longer than to read them.

use js_sys::{Array, Reflect, Uint8Array};
use std::collections::VecDeque;
use std::iter::Peekable;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader};

/// Bytes of one read: larger ones gain nothing, smaller ones cost calls.
const CHUNK_BYTES: u32 = 4 << 20;

/// Files up to this are read together with others.
const SMALL_BYTES: f64 = (256 << 10) as f64;
/// What is read together: at most so many files,
const TOGETHER_FILES: usize = 32;
/// with so many bytes.
const TOGETHER_BYTES: f64 = (1 << 20) as f64;
/// Reads begun before their turn.
const AHEAD: usize = 2;

/// Files one after another, small ones of them read together, before their turn.
pub struct Ahead<'a, I: Iterator<Item = (&'a str, File)>> {
    files: Peekable<I>,
    asked: VecDeque<Together<'a>>,
    come: VecDeque<(&'a str, Begun)>,
}

impl<'a, I: Iterator<Item = (&'a str, File)>> Ahead<'a, I> {
    /// These files.
    pub fn new(files: I) -> Self {
        Self { files: files.peekable(), asked: VecDeque::new(), come: VecDeque::new() }
    }

    /// The next file, to be [`Begun::read`].
    pub async fn next(&mut self) -> Option<(&'a str, Begun)> {
        while self.asked.len() < AHEAD
            && let Some(asked) = self.ask()
        {
            self.asked.push_back(asked);
        }
        if self.come.is_empty() {
            self.come.extend(self.asked.pop_front()?.come().await);
        }
        self.come.pop_front()
    }

    /// A large file, or small ones, which are asked for at once.
    fn ask(&mut self) -> Option<Together<'a>> {
        let first = self.files.next()?;
        let is_large = first.1.size() > SMALL_BYTES;
        let mut room = TOGETHER_BYTES - first.1.size();
        let mut files = vec![first];
        if is_large {
            return Some(Together { files, whole: None });
        }
        while files.len() < TOGETHER_FILES
            && let Some(next) = self.files.next_if(|(_, file)| file.size() <= SMALL_BYTES.min(room))
        {
            room -= next.1.size();
            files.push(next);
        }
        let parts: Array = files.iter().map(|(_, file)| file).collect();
        let blob = Blob::new_with_blob_sequence(&parts).ok();
        Some(Together { files, whole: blob.map(|blob| JsFuture::from(blob.array_buffer())) })
    }
}

/// Files that may be on their way already.
struct Together<'a> {
    files: Vec<(&'a str, File)>,
    whole: Option<JsFuture>,
}

impl<'a> Together<'a> {
    /// The files, when what was asked for has come. One that cannot be read keeps back all: then each is read
    /// for itself.
    async fn come(self) -> impl Iterator<Item = (&'a str, Begun)> {
        let whole = match self.whole {
            Some(whole) => whole.await.ok().map(|whole| Uint8Array::new(&whole)),
            None => None,
        };
        let mut begin = 0;
        self.files.into_iter().map(move |(name, file)| {
            let end = begin + file.size() as u32;
            let bytes = whole.as_ref().map(|whole| whole.subarray(begin, end));
            begin = end;
            (name, Begun { file, bytes })
        })
    }
}

/// A file that may have been read already.
pub struct Begun {
    file: File,
    bytes: Option<Uint8Array>,
}

impl Begun {
    /// Calls `take` with the file's bytes in order.
    ///
    /// # Errors
    /// Those of [`read`].
    pub async fn read(self, mut take: impl AsyncFnMut(&[u8])) -> Result<(), JsValue> {
        let Some(bytes) = self.bytes else { return read(&self.file, take).await };
        take(&bytes.to_vec()).await;
        Ok(())
    }
}

/// Calls `take` with the file's bytes in order.
///
/// # Errors
/// The browser's: the file was changed, moved or may not be read. And where it ended too early.
pub async fn read(file: &Blob, mut take: impl AsyncFnMut(&[u8])) -> Result<(), JsValue> {
    read_while(file, async |bytes| {
        take(bytes).await;
        true
    })
    .await
}

/// Calls `take` with the file's bytes in order, until it wants no more.
///
/// # Errors
/// As [`read`].
pub async fn read_while(file: &Blob, mut take: impl AsyncFnMut(&[u8]) -> bool) -> Result<(), JsValue> {
    let mut reader = Reader::of(&file.stream(), file.size())?;
    let mut chunk = Vec::new();
    let mut read = 0.0;
    while let Some(bytes) = reader.next().await? {
        chunk.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut chunk);
        reader.give_back(&bytes);
        read += chunk.len() as f64;
        if !take(&chunk).await {
            return Ok(());
        }
    }
    // A stream of a file that is cut meanwhile ends there, as if that were all.
    if read < file.size() {
        return Err(js_sys::Error::new(&format!("it ended after {read} of {} bytes", file.size())).into());
    }
    Ok(())
}

enum Reader {
    OwnBuffer { reader: ReadableStreamByobReader, buffer: Uint8Array },
    Plain(ReadableStreamDefaultReader),
}

impl Reader {
    fn of(stream: &ReadableStream, bytes: f64) -> Result<Self, JsValue> {
        // Refused where the stream is not one of bytes.
        if let Ok(reader) = ReadableStreamByobReader::new(stream) {
            return Ok(Self::OwnBuffer {
                reader,
                buffer: Uint8Array::new_with_length((bytes as u32).clamp(1, CHUNK_BYTES)),
            });
        }
        Ok(Self::Plain(ReadableStreamDefaultReader::new(stream)?))
    }

    /// The next bytes; `None` at the end.
    async fn next(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        let promise = match self {
            Self::OwnBuffer { reader, buffer } => reader.read_with_array_buffer_view(buffer.unchecked_ref()),
            Self::Plain(reader) => reader.read(),
        };
        let result = JsFuture::from(promise).await?;
        if Reflect::get(&result, &"done".into())?.is_truthy() {
            return Ok(None);
        }
        Ok(Some(Reflect::get(&result, &"value".into())?.dyn_into()?))
    }

    /// Takes back the buffer that a read has detached and returned.
    fn give_back(&mut self, bytes: &Uint8Array) {
        if let Self::OwnBuffer { buffer, .. } = self {
            *buffer = Uint8Array::new(&bytes.buffer());
        }
    }
}
