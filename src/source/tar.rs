//! tar: blocks of 512 bytes, a header before each member's bytes. Understood are the
//! old form, ustar, pax ([`super::pax`]: path, size), GNU (long names, base-256 sizes) and
//! sparse files ([`super::sparse`]); headers are taken apart by the `tar` crate, the rest is
//! ours. Directories and devices are no members; a link is named, and not followed, and so is
//! the rest of a file that begins in another volume.
//!
//! ```text
//! header | bytes, zeros up to 512 | header | bytes … | two blocks of zeros
//! ```
//! Behind a damaged header reading goes on with the next block that is one, as GNU tar does.

use super::container::{Container, Unpack};
use super::limits::META_BYTES;
use super::sparse::{Filled, MapLines, Sparse, octal};
use super::tar_header::{BLOCK_BYTES, Next, begins, checksum_fits, header, is_zero, size};
use super::unpack::Contents;
use crate::base::Code;
use tar::{EntryType, Header};

/// Where a header of GNU's has the first of a sparse file's pieces.
const MAP: std::ops::Range<usize> = 386..482;
/// Where it has the length with the holes.
const REAL_SIZE: std::ops::Range<usize> = 483..495;
/// Where an extra block of the map ends and tells whether another follows.
const MAP_GOES_ON: usize = 504;
/// Lengths of an archive without members: two blocks, or as many as a tape takes at a time. Other zeros are no archive.
const EMPTY_BYTES: [u64; 2] = [2 * BLOCK_BYTES as u64, 20 * BLOCK_BYTES as u64];
/// The type of what GNU tar continues from the volume before.
const CONTINUED: u8 = b'M';

pub(super) static CONTAINER: Container = Container { name: "tar", begins, start };

fn start() -> Box<dyn Unpack> {
    Box::new(Tar {
        state: State::Header,
        block: Vec::with_capacity(BLOCK_BYTES),
        next: Next::default(),
        members: 0,
        ended: false,
        zeros: Some(0),
    })
}

struct Tar {
    state: State,
    /// The header or map block that is being gathered.
    block: Vec<u8>,
    next: Next,
    members: u64,
    /// A block of zeros was seen.
    ended: bool,
    /// Bytes of such blocks, where nothing else was seen.
    zeros: Option<u64>,
}

enum State {
    Header,
    /// Behind a damaged header, before the next one.
    Lost,
    /// Behind a hard link whose header tells a size.
    BehindLink(u64),
    /// In the extra blocks of a GNU sparse map, before `size` bytes.
    Map {
        sparse: Sparse,
        size: u64,
    },
    /// In the lines of a pax sparse map, which count among the `size` bytes.
    MapInside {
        sparse: Sparse,
        lines: MapLines,
        size: u64,
    },
    /// In the bytes of a member or extension, then in the filling of its last block.
    Body {
        body: Body,
        left: u64,
        filling: u64,
    },
    /// Behind zeros, in a file that is no archive.
    NoTar,
    /// Nothing more is read.
    Over,
}

enum Body {
    Member,
    Sparse(Sparse),
    Skipped,
    LongName(Vec<u8>),
    Pax(Vec<u8>),
}

impl Tar {
    /// Gathers a block; gives it once it is whole.
    fn gather<'b>(&mut self, bytes: &'b [u8]) -> (Option<Vec<u8>>, &'b [u8]) {
        let wanted = (BLOCK_BYTES - self.block.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(wanted);
        self.block.extend_from_slice(first);
        let whole = self.block.len() == BLOCK_BYTES;
        (whole.then(|| std::mem::take(&mut self.block)), rest)
    }

    /// Takes a header that ends at this byte of the archive.
    fn on_header(&mut self, block: &[u8], end: u64, to: &mut Contents<'_, '_>) {
        if is_zero(block) {
            // Of what is lost, they may be a part.
            self.ended = !matches!(self.state, State::Lost);
            self.zeros = self.zeros.map(|zeros| zeros + block.len() as u64);
            return;
        }
        self.zeros = None;
        let header = header(block);
        let of_pax = self.next.size.take();
        let Some(size) = of_pax.or_else(|| size(&header)).filter(|_| checksum_fits(&header)) else {
            if self.ended {
                self.behind_zeros(block, to);
            } else if !matches!(self.state, State::Lost) {
                to.issue_at(Code::CorruptArchive, end.saturating_sub(block.len() as u64));
                // What extensions tell is of the member that is lost.
                self.next = Next::default();
                self.state = State::Lost;
            }
            return;
        };
        // An archive appended to an archive goes on behind the zeros of the first.
        self.ended = false;
        let kind = header.entry_type();
        let body = match kind {
            EntryType::GNULongName => Body::LongName(Vec::new()),
            EntryType::XHeader => Body::Pax(Vec::new()),
            EntryType::GNULongLink | EntryType::XGlobalHeader => Body::Skipped,
            _ => {
                self.on_member(&header, size, to);
                if kind == EntryType::Link && of_pax.is_none() && size > 0 {
                    self.state = State::BehindLink(size);
                }
                return;
            }
        };
        self.enter(body, size, to);
    }

    /// Takes the block behind a hard link. The size in its header is that of the file that it leads to, and only
    /// some writers give the bytes again.
    fn behind_link(&mut self, block: &[u8], end: u64, size: u64, to: &mut Contents<'_, '_>) {
        self.state = State::Header;
        if begins(block) {
            self.on_header(block, end, to);
        } else {
            self.enter(Body::Skipped, size.saturating_sub(BLOCK_BYTES as u64), to);
        }
    }

    /// Takes what is neither zeros nor a header behind zeros.
    fn behind_zeros(&mut self, block: &[u8], to: &mut Contents<'_, '_>) {
        if self.members > 0 {
            to.issue(Code::TrailingData);
            self.state = State::Over;
        } else {
            // A log may begin with zeros where it was cut under its writer's hands.
            self.state = State::NoTar;
            to.open_same();
            to.data(block);
        }
    }

    /// Opens the member that `header` and the extensions before it tell of, if it is one.
    fn on_member(&mut self, header: &Header, size: u64, to: &mut Contents<'_, '_>) {
        let next = std::mem::take(&mut self.next);
        let name = next.name.unwrap_or_else(|| header.path_bytes().into_owned());
        let kind = header.entry_type();
        let is_file = matches!(kind, EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse);
        if matches!(kind, EntryType::Symlink | EntryType::Link) {
            to.open(&name);
            to.cut(Code::LinkNotFollowed);
            return self.enter(Body::Skipped, size, to);
        }
        if kind.as_byte() == CONTINUED {
            self.members += 1;
            to.open(&name);
            to.cut(Code::ContinuedMember);
            return self.enter(Body::Skipped, size, to);
        }
        // The old form has no type for directories.
        if !is_file || name.ends_with(b"/") {
            return self.enter(Body::Skipped, size, to);
        }
        self.members += 1;
        to.open(&name);
        if kind == EntryType::GNUSparse {
            let bytes = header.as_bytes();
            let mut sparse = Sparse::default();
            sparse.pairs(bytes.get(MAP).unwrap_or_default());
            sparse.size = bytes.get(REAL_SIZE).and_then(octal);
            if header.as_gnu().is_some_and(tar::GnuHeader::is_extended) {
                self.state = State::Map { sparse, size };
            } else {
                self.enter_sparse(sparse, size, to);
            }
            return;
        }
        match next.sparse {
            None => self.enter(Body::Member, size, to),
            Some(sparse) if next.map_inside => {
                self.state = State::MapInside { sparse, lines: MapLines::default(), size };
            }
            Some(sparse) => self.enter_sparse(sparse, size, to),
        }
    }

    /// Enters the stored bytes of a sparse file whose map is read.
    fn enter_sparse(&mut self, sparse: Sparse, size: u64, to: &mut Contents<'_, '_>) {
        if sparse.fits(size) {
            self.enter(Body::Sparse(sparse), size, to);
        } else {
            to.cut(Code::SparseMember);
            self.enter(Body::Skipped, size, to);
        }
    }

    fn on_map(&mut self, block: &[u8], to: &mut Contents<'_, '_>) {
        let State::Map { mut sparse, size } = std::mem::replace(&mut self.state, State::Over) else { return };
        sparse.pairs(block.get(..MAP_GOES_ON).unwrap_or_default());
        if block.get(MAP_GOES_ON) == Some(&1) {
            self.state = State::Map { sparse, size };
        } else {
            self.enter_sparse(sparse, size, to);
        }
    }

    fn on_map_inside(&mut self, block: &[u8], to: &mut Contents<'_, '_>) {
        let State::MapInside { mut sparse, mut lines, size } = std::mem::replace(&mut self.state, State::Over) else {
            return;
        };
        let over = lines.block(block, &mut sparse);
        // A map without bytes behind it that goes on is damaged.
        let left = size.saturating_sub(BLOCK_BYTES as u64);
        if over || left == 0 {
            self.enter_sparse(sparse, left, to);
        } else {
            self.state = State::MapInside { sparse, lines, size: left };
        }
    }

    fn enter(&mut self, body: Body, size: u64, to: &mut Contents<'_, '_>) {
        let over = size % BLOCK_BYTES as u64;
        let filling = if over == 0 { 0 } else { BLOCK_BYTES as u64 - over };
        self.state = State::Body { body, left: size, filling };
        if size == 0 {
            self.leave(to);
        }
    }

    /// The bytes of the body are over.
    fn leave(&mut self, to: &mut Contents<'_, '_>) {
        let State::Body { body, .. } = &mut self.state else { return };
        match std::mem::replace(body, Body::Skipped) {
            Body::Member => to.close(),
            Body::Sparse(mut sparse) => match sparse.finish(to) {
                Filled::Yes => to.close(),
                Filled::TooMuch => to.cut(Code::ExpandsTooMuch),
            },
            Body::Skipped => {}
            Body::LongName(mut name) => {
                while name.last() == Some(&0) {
                    name.pop();
                }
                self.next.name = Some(name);
            }
            Body::Pax(records) => self.next.take_pax(&records),
        }
    }
}

impl Unpack for Tar {
    fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) {
        while !bytes.is_empty() {
            match &mut self.state {
                State::Header | State::Lost => {
                    let (block, rest) = self.gather(bytes);
                    bytes = rest;
                    if let Some(block) = block {
                        self.on_header(&block, to.byte(bytes.len()), to);
                    }
                }
                State::BehindLink(size) => {
                    let size = *size;
                    let (block, rest) = self.gather(bytes);
                    bytes = rest;
                    if let Some(block) = block {
                        self.behind_link(&block, to.byte(bytes.len()), size, to);
                    }
                }
                State::Map { .. } => {
                    let (block, rest) = self.gather(bytes);
                    bytes = rest;
                    if let Some(block) = block {
                        self.on_map(&block, to);
                    }
                }
                State::MapInside { .. } => {
                    let (block, rest) = self.gather(bytes);
                    bytes = rest;
                    if let Some(block) = block {
                        self.on_map_inside(&block, to);
                    }
                }
                State::Body { body, left, .. } if *left > 0 => {
                    let (piece, rest) = split_at_most(bytes, *left);
                    bytes = rest;
                    *left -= piece.len() as u64;
                    match body {
                        Body::Member => to.data(piece),
                        Body::Sparse(sparse) => {
                            if sparse.data(piece, to) == Filled::TooMuch {
                                to.cut(Code::ExpandsTooMuch);
                                *body = Body::Skipped;
                            }
                        }
                        Body::Skipped => {}
                        Body::LongName(kept) | Body::Pax(kept) => {
                            let room = META_BYTES - kept.len();
                            kept.extend_from_slice(piece.get(..room).unwrap_or(piece));
                        }
                    }
                    if *left == 0 {
                        self.leave(to);
                    }
                }
                State::Body { filling, .. } => {
                    let (piece, rest) = split_at_most(bytes, *filling);
                    bytes = rest;
                    *filling -= piece.len() as u64;
                    if *filling == 0 {
                        self.state = State::Header;
                    }
                }
                State::NoTar => return to.data(bytes),
                State::Over => return,
            }
        }
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        match &self.state {
            State::Lost | State::NoTar | State::Over => {}
            State::Header if self.ended => {
                let block = std::mem::take(&mut self.block);
                if !is_zero(&block) {
                    self.behind_zeros(&block, to);
                } else if let Some(zeros) = self.zeros
                    && !EMPTY_BYTES.contains(&(zeros + block.len() as u64))
                {
                    to.open_same();
                    to.cut(Code::OnlyZeros);
                } else if self.members == 0 {
                    to.issue(Code::EmptyArchive);
                }
            }
            // Some writers end without the zeros, but so does a cut between two members.
            State::Header | State::BehindLink(_) | State::Map { .. } | State::MapInside { .. } | State::Body { .. } => {
                to.abort_at(Code::Truncated, to.byte(0));
            }
        }
    }
}

fn split_at_most(bytes: &[u8], at: u64) -> (&[u8], &[u8]) {
    bytes.split_at(usize::try_from(at).unwrap_or(usize::MAX).min(bytes.len()))
}
