//! Reads a file from start to end inside a worker.
//!
//! Streams with a buffer of our own ("bring your own buffer"): the fastest way in Chromium,
//! and at most one chunk in memory. Where a browser's file streams cannot do that, the plain
//! reader gives chunks of its own size.

use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader};

/// Bytes of one read: larger ones gain nothing, smaller ones cost calls.
const CHUNK_BYTES: u32 = 4 << 20;

/// Calls `take` with the file's bytes in order.
///
/// # Errors
/// The browser's: the file was changed, moved or may not be read.
pub async fn read(file: &File, mut take: impl FnMut(&[u8])) -> Result<(), JsValue> {
    let mut reader = Reader::of(&file.stream())?;
    let mut chunk = Vec::new();
    while let Some(bytes) = reader.next().await? {
        chunk.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut chunk);
        reader.give_back(&bytes);
        take(&chunk);
    }
    Ok(())
}

enum Reader {
    OwnBuffer { reader: ReadableStreamByobReader, buffer: Uint8Array },
    Plain(ReadableStreamDefaultReader),
}

impl Reader {
    fn of(stream: &ReadableStream) -> Result<Self, JsValue> {
        // Refused where the stream is not one of bytes.
        if let Ok(reader) = ReadableStreamByobReader::new(stream) {
            return Ok(Self::OwnBuffer { reader, buffer: Uint8Array::new_with_length(CHUNK_BYTES) });
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
