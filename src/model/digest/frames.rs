//! A digest as a stream of frames: written and read a part at a time, so that digests of any
//! size merge in the memory of a few frames each.
//!
//! ```text
//! "ODDNODE-DIGEST\n" version(u8) { length(u32 LE) crc32(u32 LE) deflate(postcard(files)) }* 0(u32 LE) count(u64 LE)
//! ```
//! A frame holds files in order of key until their rows fill [`FRAME_BYTES`]; its end depends
//! on nothing but the files, so equal digests give equal bytes. What comes before a cut or a
//! damage is complete files.

use super::append::append;
use super::old::{Rows3, Rows4, Rows5};
use super::{
    DIGEST_LIMIT, Digest, DigestError, FileDigest, FileDigest1, FileDigest2, FileKey, KEPT, KEPT_FAST, MAGIC, PASSED,
    VERSION, deflate, files_of, inflate, settle,
};
use crate::base::crc::crc32;
use crate::model::Shapes;
use flate2::Compression;
use serde::de::DeserializeOwned;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::io::{self, Read, Write};

/// Rows of a frame before it is deflated: large enough to compress well, small enough that a
/// thousand open digests are little memory.
const FRAME_BYTES: usize = 128 * 1024;
/// Frames into which more effort goes.
const FIRST_FRAMES: u64 = 16;
/// The last version that was one piece.
const LAST_WHOLE: u8 = 2;
/// The last version whose rows lay in one list.
const LAST_FLAT: u8 = 3;
/// The only version whose rows lay by topic, deflated.
const DEFLATED: u8 = 4;
/// The only version whose rows lay by topic one by one, packed.
const PACKED: u8 = 5;

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

/// Why a digest cannot be read on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// Its bytes.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// Whoever gives the bytes.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// Reads a digest, file by file in order of key. An error is the last thing it gives.
#[derive(Debug)]
pub struct FrameReader<R: Read> {
    from: R,
    version: u8,
    /// Files of a digest that is one piece.
    ready: VecDeque<(FileKey, FileDigest)>,
    /// The frame that is open. Its files are built one by one: packed, a great many take no room.
    frame: OpenFrame,
    files: u64,
    bytes: u64,
    /// Where the frame begins that is read.
    frame_at: u64,
    over: bool,
}

/// What is read of a frame that is whole.
#[derive(Debug, Default)]
struct OpenFrame {
    bytes: Vec<u8>,
    /// Where the next file begins.
    at: usize,
    /// Files to come.
    left: u32,
}

impl OpenFrame {
    /// `None` if it tells no count of files, or none and something is behind that.
    fn of(bytes: Vec<u8>) -> Option<Self> {
        let (count, behind) = bytes.split_first_chunk::<4>()?;
        let (left, at) = (u32::from_le_bytes(*count), count.len());
        if left == 0 && !behind.is_empty() {
            return None;
        }
        Some(Self { left, at, bytes })
    }

    /// The next file, as that version wrote it. `None` if there is none, or something behind the last.
    fn take(&mut self, version: u8) -> Option<(FileKey, FileDigest)> {
        let rest = self.bytes.get(self.at..)?;
        let (file, behind) = match version {
            ..=LAST_FLAT => one_of::<FileDigest2<Rows3>>(rest),
            DEFLATED => one_of::<FileDigest2<Rows4>>(rest),
            PACKED => one_of::<FileDigest2<Rows5, Shapes>>(rest),
            _ => one_of::<FileDigest>(rest),
        }?;
        let length = behind.len();
        self.left -= 1;
        self.at = self.bytes.len() - length;
        (self.left > 0 || length == 0).then_some(file)
    }
}

impl<R: Read> FrameReader<R> {
    /// Begins to read a digest of any version.
    ///
    /// # Errors
    /// [`ReadError`] if it is none, of a later version, or of an early one and damaged.
    pub fn new(from: R) -> Result<Self, ReadError> {
        let (ready, frame) = (VecDeque::new(), OpenFrame::default());
        let mut reader = Self { from, version: VERSION, ready, frame, files: 0, bytes: 0, frame_at: 0, over: false };
        let head = reader.some(MAGIC.len() as u64 + 1)?;
        let version =
            *head.strip_prefix(MAGIC).ok_or(DigestError::NotADigest)?.first().ok_or_else(|| reader.damaged())?;
        if version > VERSION {
            return Err(DigestError::Newer { found: version, known: VERSION }.into());
        }
        reader.version = version;
        reader.frame_at = reader.bytes;
        if version <= LAST_WHOLE {
            reader.read_whole()?;
        }
        Ok(reader)
    }

    /// A digest that is one piece: all its files at once.
    fn read_whole(&mut self) -> Result<(), ReadError> {
        let length = u64::from_le_bytes(self.fixed()?);
        let crc = u32::from_le_bytes(self.fixed()?);
        let body = self.some(length)?;
        if (body.len() as u64) < length {
            return Err(DigestError::Cut { found: body.len() as u64, expected: Some(length) }.into());
        }
        if crc32(&body) != crc {
            return Err(self.damaged().into());
        }
        let plain = inflate(&body, DIGEST_LIMIT).ok_or_else(|| self.damaged())?;
        let files = match self.version {
            1 => files_of::<FileDigest1>(&plain),
            _ => files_of::<FileDigest2<Rows3>>(&plain),
        };
        self.ready = files.ok_or_else(|| self.damaged())?.into_iter().collect();
        self.over = true;
        self.nothing_behind()
    }

    /// What is wrong with the frame that is read.
    const fn damaged(&self) -> DigestError {
        DigestError::Damaged { at: Some(self.frame_at) }
    }

    /// Up to `count` bytes: fewer at the end.
    fn some(&mut self, count: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.from.by_ref().take(count).read_to_end(&mut bytes)?;
        self.bytes += bytes.len() as u64;
        Ok(bytes)
    }

    fn fixed<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let bytes = self.some(N as u64)?;
        bytes.try_into().map_err(|_| DigestError::Cut { found: self.bytes, expected: None }.into())
    }

    fn nothing_behind(&mut self) -> Result<(), ReadError> {
        self.frame_at = self.bytes;
        if self.some(1)?.is_empty() { Ok(()) } else { Err(self.damaged().into()) }
    }

    /// The next frame; `false` at the digest's end.
    fn next_frame(&mut self) -> Result<bool, ReadError> {
        self.frame_at = self.bytes;
        let length = u32::from_le_bytes(self.fixed()?);
        if length == 0 {
            let files = u64::from_le_bytes(self.fixed()?);
            if files != self.files {
                return Err(self.damaged().into());
            }
            self.nothing_behind()?;
            return Ok(false);
        }
        let crc = u32::from_le_bytes(self.fixed()?);
        let body = self.some(u64::from(length))?;
        if (body.len() as u64) < u64::from(length) {
            return Err(DigestError::Cut { found: self.bytes, expected: None }.into());
        }
        if crc32(&body) != crc {
            return Err(self.damaged().into());
        }
        let plain = inflate(&body, DIGEST_LIMIT).ok_or_else(|| self.damaged())?;
        self.frame = OpenFrame::of(plain).ok_or_else(|| self.damaged())?;
        self.files += u64::from(self.frame.left);
        Ok(true)
    }

    /// The next file of a digest that is not over; `None` at its end.
    fn next_file(&mut self) -> Result<Option<(FileKey, FileDigest)>, ReadError> {
        if let Some(file) = self.ready.pop_front() {
            return Ok(Some(file));
        }
        while self.frame.left == 0 {
            if !self.next_frame()? {
                return Ok(None);
            }
        }
        let file = self.frame.take(self.version).ok_or_else(|| self.damaged())?;
        Ok(Some(file))
    }
}

/// The first file, as `F` was written, and what is behind it.
fn one_of<F: DeserializeOwned + Into<FileDigest>>(bytes: &[u8]) -> Option<((FileKey, FileDigest), &[u8])> {
    let ((key, file), behind) = postcard::take_from_bytes::<(FileKey, F)>(bytes).ok()?;
    Some(((key, file.into()), behind))
}

impl<R: Read> Iterator for FrameReader<R> {
    type Item = Result<(FileKey, FileDigest), ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = if self.over && self.ready.is_empty() { Ok(None) } else { self.next_file() };
        self.over |= !matches!(next, Ok(Some(_)));
        next.transpose()
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
