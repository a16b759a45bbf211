//! The reading side of frames: a digest of any version, file by file.
//!
//! ```text
//! version 1, 2   length(u64 LE) crc32(u32 LE) deflate(postcard(files))        one piece: all files at once
//! from 3 on      frames                                                       one frame is held at a time
//! ```
//! Files of an earlier version become what the last one keeps. What comes before a cut or a damage
//! is given; the error is the last.
//!
//! Cost: O(bytes); of a frame its bytes are held, and one file.

use super::super::deflate::inflate;
use super::super::old::{FileDigest1, FileDigest2, Rows3, Rows4, Rows5};
use super::super::{DIGEST_LIMIT, DigestError, FileDigest, FileKey, MAGIC, VERSION, files_of};
use crate::base::crc::crc32;
use crate::model::Shapes;
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::io::{self, Read};

/// The last version that was one piece.
const LAST_WHOLE: u8 = 2;
/// The last version whose rows lay in one list.
const LAST_FLAT: u8 = 3;
/// The only version whose rows lay by topic, deflated.
const DEFLATED: u8 = 4;
/// The only version whose rows lay by topic one by one, packed.
const PACKED: u8 = 5;

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
