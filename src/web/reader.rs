//! Reads a file from start to end inside a worker.
//!
//! Streams with a buffer of our own ("bring your own buffer"): the fastest way in Chromium,
//! and at most one chunk in memory. Where a browser's file streams cannot do that, the plain
//! reader gives chunks of its own size. Small files are asked for whole, several before their
//! turn: beginning to read one takes milliseconds, whatever its length.

use js_sys::{Reflect, Uint8Array};
use std::collections::VecDeque;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader};

/// Bytes of one read: larger ones gain nothing, smaller ones cost calls.
const CHUNK_BYTES: u32 = 4 << 20;

/// Files up to this are asked for whole.
const SMALL_BYTES: f64 = (256 << 10) as f64;
/// Files asked for before their turn.
const AHEAD: usize = 16;

/// Files one after another, the small ones of them asked for ahead.
pub struct Ahead<'a, I: Iterator<Item = (&'a str, File)>> {
    files: I,
    begun: VecDeque<(&'a str, File, Option<JsFuture>)>,
}

impl<'a, I: Iterator<Item = (&'a str, File)>> Ahead<'a, I> {
    /// These files.
    pub const fn new(files: I) -> Self {
        Self { files, begun: VecDeque::new() }
    }

    /// The next file, to be [`Begun::read`].
    pub fn next(&mut self) -> Option<(&'a str, Begun)> {
        while self.begun.len() < AHEAD
            && let Some((name, file)) = self.files.next()
        {
            let whole = (file.size() <= SMALL_BYTES).then(|| JsFuture::from(file.array_buffer()));
            self.begun.push_back((name, file, whole));
        }
        self.begun.pop_front().map(|(name, file, whole)| (name, Begun { file, whole }))
    }
}

/// A file that may be on its way already.
pub struct Begun {
    file: File,
    whole: Option<JsFuture>,
}

impl Begun {
    /// Calls `take` with the file's bytes in order.
    ///
    /// # Errors
    /// Those of [`read`].
    pub async fn read(self, mut take: impl AsyncFnMut(&[u8])) -> Result<(), JsValue> {
        let Some(whole) = self.whole else { return read(&self.file, take).await };
        take(&Uint8Array::new(&whole.await?).to_vec()).await;
        Ok(())
    }
}

/// Calls `take` with the file's bytes in order.
///
/// # Errors
/// The browser's: the file was changed, moved or may not be read.
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
    while let Some(bytes) = reader.next().await? {
        chunk.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut chunk);
        reader.give_back(&bytes);
        if !take(&chunk).await {
            break;
        }
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
