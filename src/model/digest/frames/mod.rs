//! A digest as a stream of frames: written and read a part at a time, so that digests of any
//! size merge in the memory of a few frames each.
//!
//! ```text
//! "ODDNODE-DIGEST\n" version(u8) { length(u32 LE) crc32(u32 LE) deflate(postcard(files)) }* 0(u32 LE) count(u64 LE)
//! ```
//! A frame holds files in order of key until their rows fill [`FRAME_BYTES`]; its end depends
//! on nothing but the files, so equal digests give equal bytes. What comes before a cut or a
//! damage is complete files.

mod read;

pub use read::{FrameReader, ReadError};

use super::append::append;
use super::deflate::{KEPT, KEPT_FAST, PASSED, deflate};
use super::{Digest, FileDigest, FileKey, MAGIC, VERSION, settle};
use crate::base::crc::crc32;
use flate2::Compression;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io::{self, Read, Write};

/// Rows of a frame before it is deflated: large enough to compress well, small enough that a
/// thousand open digests are little memory.
const FRAME_BYTES: usize = 128 * 1024;
/// Frames into which more effort goes.
const FIRST_FRAMES: u64 = 16;

/// Writes a digest, file by file in order of key.
#[derive(Debug)]
pub struct FrameWriter<W: Write> {
    to: W,
    open: Frame,
    files: u64,
    /// The effort that goes into each frame, where it is not that of what is kept.
    effort: Option<Compression>,
    frames: u64,
}

impl<W: Write> FrameWriter<W> {
    /// Begins a digest.
    ///
    /// # Errors
    /// Those of `to`.
    pub fn new(to: W) -> io::Result<Self> {
        Self::begin(to, None)
    }

    /// Begins a digest that is read again at once.
    pub(super) fn passing(to: W) -> io::Result<Self> {
        Self::begin(to, Some(PASSED))
    }

    fn begin(mut to: W, effort: Option<Compression>) -> io::Result<Self> {
        to.write_all(MAGIC)?;
        to.write_all(&[VERSION])?;
        Ok(Self { to, open: Frame::default(), files: 0, effort, frames: 0 })
    }

    /// Adds a file; its key is greater than those before.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn push(&mut self, key: &FileKey, file: &FileDigest) -> io::Result<()> {
        self.open.push(key, file)?;
        self.files += 1;
        if self.open.is_full() { self.close() } else { Ok(()) }
    }

    /// Writes a frame whose content was deflated.
    fn write_frame(&mut self, body: &[u8]) -> io::Result<()> {
        let length = u32::try_from(body.len()).map_err(|_| io::Error::other("a file's digest beyond 4 GiB"))?;
        self.to.write_all(&length.to_le_bytes())?;
        self.to.write_all(&crc32(body).to_le_bytes())?;
        self.to.write_all(body)
    }

    fn close(&mut self) -> io::Result<()> {
        let Some(plain) = self.open.take() else { return Ok(()) };
        let effort = self.effort.unwrap_or_else(|| effort_of(self.frames));
        self.frames += 1;
        self.write_frame(&deflate(&plain, effort))
    }

    /// Ends the digest.
    ///
    /// # Errors
    /// Those of the writer below.
    pub fn finish(mut self) -> io::Result<W> {
        self.close()?;
        self.to.write_all(&0_u32.to_le_bytes())?;
        self.to.write_all(&self.files.to_le_bytes())?;
        self.to.flush()?;
        Ok(self.to)
    }
}

/// The effort that goes into a frame of what is kept.
const fn effort_of(frame: u64) -> Compression {
    if frame < FIRST_FRAMES { KEPT } else { KEPT_FAST }
}

/// A frame that is not deflated yet.
#[derive(Debug)]
pub struct PlainFrame {
    bytes: Vec<u8>,
    effort: Compression,
}

impl PlainFrame {
    /// As it is kept.
    #[must_use]
    pub fn deflated(&self) -> Vec<u8> {
        deflate(&self.bytes, self.effort)
    }
}

/// A frame's files as they come.
#[derive(Debug, Default)]
struct Frame {
    rows: Vec<u8>,
    files: u32,
}

impl Frame {
    fn push(&mut self, key: &FileKey, file: &FileDigest) -> io::Result<()> {
        append(&mut self.rows, &(key, file)).map_err(|e| io::Error::other(e.to_string()))?;
        self.files += 1;
        Ok(())
    }

    const fn is_full(&self) -> bool {
        self.rows.len() >= FRAME_BYTES
    }

    /// Its bytes; it is empty then. `None` if it was.
    fn take(&mut self) -> Option<Vec<u8>> {
        if self.files == 0 {
            return None;
        }
        let mut bytes = std::mem::take(&mut self.files).to_le_bytes().to_vec();
        bytes.append(&mut self.rows);
        Some(bytes)
    }
}

/// Frames that are not deflated yet.
pub type Frames<'a> = dyn Iterator<Item = io::Result<PlainFrame>> + 'a;

impl Digest {
    /// [`Digest::encode`] for who can deflate frames side by side: `each` takes them, and gives them
    /// deflated, in their order, to what it is given beside them.
    ///
    /// # Errors
    /// Those of `each` and of `to`.
    pub fn encode_by<E: From<io::Error>>(
        &self,
        to: impl Write,
        each: impl FnOnce(&mut Frames<'_>, &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut out = FrameWriter::new(to)?;
        let mut files = self.files();
        let mut open = Frame::default();
        let plain = std::iter::from_fn(|| {
            for (key, file) in files.by_ref() {
                if let Err(why) = open.push(key, file) {
                    return Some(Err(why));
                }
                if open.is_full() {
                    break;
                }
            }
            open.take().map(Ok)
        });
        let mut frames =
            (0..).zip(plain).map(|(frame, bytes)| Ok(PlainFrame { bytes: bytes?, effort: effort_of(frame) }));
        each(&mut frames, &mut |body| out.write_frame(body))?;
        out.files = self.len() as u64;
        out.finish()?;
        Ok(())
    }
}

/// Merges digests: gives `each` file once, in order of key. Of each digest one frame is in
/// memory. What can be read of a digest that breaks off is merged, and `trouble` is told
/// which it is and why.
///
/// # Errors
/// Those of `each`.
pub fn merge<R: Read, E>(
    mut digests: Vec<FrameReader<R>>,
    mut each: impl FnMut(&FileKey, &FileDigest) -> Result<(), E>,
    mut trouble: impl FnMut(usize, ReadError),
) -> Result<(), E> {
    let count = digests.len();
    let mut next_of = |which: usize| match digests.get_mut(which)?.next()? {
        Ok(file) => Some(file),
        Err(why) => {
            trouble(which, why);
            None
        }
    };
    // The least key of each digest, least first; its file waits beside it.
    let mut heads: BinaryHeap<Reverse<(FileKey, usize)>> = BinaryHeap::new();
    let mut waiting: BTreeMap<usize, FileDigest> = BTreeMap::new();
    let mut refill = |which: usize, heads: &mut BinaryHeap<_>, waiting: &mut BTreeMap<_, _>| {
        if let Some((key, file)) = next_of(which) {
            waiting.insert(which, file);
            heads.push(Reverse((key, which)));
        }
    };
    for which in 0..count {
        refill(which, &mut heads, &mut waiting);
    }
    let mut last: Option<(FileKey, FileDigest)> = None;
    while let Some(Reverse((key, which))) = heads.pop() {
        let Some(file) = waiting.remove(&which) else { continue };
        refill(which, &mut heads, &mut waiting);
        last = match last.take() {
            Some((same, other)) if same == key => Some((key, settle(other, file))),
            Some((before, done)) => {
                each(&before, &done)?;
                Some((key, file))
            }
            None => Some((key, file)),
        };
    }
    last.map_or(Ok(()), |(key, file)| each(&key, &file))
}

#[cfg(test)]
mod tests;
