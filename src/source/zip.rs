//! zip (PKWARE's APPNOTE 6.3): members one after another, each with a header before it.
//! The directory behind them is what most programs read; a stream does without.
//!
//! ```text
//! PK34 header, name, extra | bytes | PK78 sizes, if not in the header | … | PK12 directory | PK56 end
//! ```
//! Read are members that are stored or packed by deflate, bzip2, zstd or xz, with sizes
//! of 32 and 64 bits. Where the size comes behind the bytes, a packed member ends where
//! its decoder says, a stored one where a PK78 tells number and checksum of the bytes so
//! far. A damaged member is named, and reading goes on behind it if its size is known.
//! A Java archive (its first entry is `META-INF/`) is a program and no container.

use super::container::{Container, Unpack};
use super::decode::{Decode, OUT_BYTES, Step, step};
use super::gzip::Inflate;
use super::held::gather_off;
use super::unpack::Contents;
use super::{bzip2, xz, zip_header as header, zstd};
use crate::base::Code;
use crate::base::crc::Crc;
use header::{DESCRIPTOR, Kind, Sizes};

pub(super) static CONTAINER: Container = Container { name: "zip", begins, start };

fn begins(head: &[u8]) -> bool {
    let program = header::name(head).is_some_and(|name| name.starts_with(b"META-INF/"));
    match header::kind(head) {
        Some(Kind::Member) => !program,
        Some(Kind::End) => true,
        _ => false,
    }
}

fn start() -> Box<dyn Unpack> {
    Box::new(Zip { state: State::Header, held: Vec::new(), out: vec![0; OUT_BYTES], members: 0 })
}

struct Zip {
    state: State,
    /// The header or descriptor that is being gathered.
    held: Vec<u8>,
    out: Vec<u8>,
    members: u64,
}

enum State {
    Header,
    /// In the rest of a header whose length is a number of 64 bits.
    Skip(u64),
    Body(Body),
    /// Behind the bytes of a member, before their sizes.
    Descriptor(Body),
    /// Behind the archive.
    Ended,
    /// Nothing more is read.
    Over,
}

/// The bytes of one member.
struct Body {
    content: Content,
    /// Bytes to come, where the header tells.
    left: Option<u64>,
    /// Sizes and checksum come behind.
    sizes_behind: bool,
    told: Sizes,
    packed: u64,
    unpacked: u64,
    hasher: Crc,
}

enum Content {
    Stored,
    Packed(Box<dyn Decode>),
    /// Not read, or not to its end.
    Skipped,
}

/// What came of the bytes of a member.
enum Went {
    /// All were taken.
    On,
    /// They are over.
    Over,
    /// The archive cannot be read on.
    Broken(Code),
}

impl Zip {
    /// What the header says that is held; it begins at this byte of the archive.
    fn on_header(&mut self, begin: u64, to: &mut Contents<'_, '_>) {
        let held = std::mem::take(&mut self.held);
        self.state = match header::kind(&held) {
            Some(Kind::Member) => self.on_member(&held, to),
            Some(Kind::End) => {
                if self.members == 0 {
                    to.issue(Code::EmptyArchive);
                }
                State::Ended
            }
            Some(Kind::End64) => State::Skip(header::end_64_bytes(&held)),
            Some(Kind::Directory | Kind::Locator64) => State::Header,
            None => {
                to.abort_at(Code::CorruptArchive, begin);
                State::Over
            }
        };
    }

    fn on_member(&mut self, held: &[u8], to: &mut Contents<'_, '_>) -> State {
        let name = header::slashed(header::name(held).unwrap_or_default());
        let told = header::sizes(held);
        let flags = header::flags(held);
        let sizes_behind = flags.sizes_behind;
        let is_folder = name.ends_with(b"/");
        let mut content = Content::Skipped;
        let mut unknown = sizes_behind && told.packed == 0;
        if is_folder {
            // It may be packed, and then its own end is all that tells how long nothing is.
            let packing = content_of(header::method(held)).filter(|packing| matches!(packing, Content::Packed(_)));
            unknown &= packing.is_some();
            content = packing.filter(|_| unknown).unwrap_or(content);
        } else {
            self.members += 1;
            to.open(&name);
            match (flags.encrypted, content_of(header::method(held))) {
                (true, _) => to.cut(Code::EncryptedMember),
                (false, None) => to.cut(Code::UnreadContainer),
                // Nothing, packed by nothing.
                (false, Some(_)) if told.packed == 0 && !sizes_behind => content = Content::Stored,
                (false, Some(packing)) => content = packing,
            }
        }
        let left = (!unknown).then_some(told.packed);
        let hasher = Crc::new();
        State::Body(Body { content, left, sizes_behind, told, packed: 0, unpacked: 0, hasher })
    }

    /// Looks for the descriptor of a member whose end nothing else tells; gives the rest
    /// of `bytes` once it is found.
    fn search<'b>(&mut self, mut bytes: &'b [u8], to: &mut Contents<'_, '_>) -> (Went, &'b [u8]) {
        let State::Body(body) = &mut self.state else { return (Went::On, bytes) };
        loop {
            if self.held.is_empty() {
                // Straight to what may be a descriptor, be it cut by the piece's end.
                let at = header::find_descriptor(bytes);
                let (before, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
                body.give(before, to);
                bytes = rest;
            }
            let wanted = header::DESCRIPTOR_64_BYTES.saturating_sub(self.held.len()).min(bytes.len());
            let (more, rest) = bytes.split_at_checked(wanted).unwrap_or((bytes, &[]));
            self.held.extend_from_slice(more);
            bytes = rest;
            let stored = matches!(body.content, Content::Stored);
            let fits = |told: &Sizes| {
                told.packed == body.packed
                    && (!stored || told.unpacked == body.unpacked && told.crc == body.hasher.sum())
            };
            let whole = self.held.len() == header::DESCRIPTOR_64_BYTES;
            let found = header::descriptor(&self.held, true)
                .find(|(told, length)| whole && fits(told) && header::may_follow(&self.held, *length));
            if let Some((told, length)) = found {
                body.told = told;
                self.held.drain(..length);
                return (Went::Over, bytes);
            }
            let may_be = self.held.iter().zip(DESCRIPTOR).all(|(a, b)| a == b);
            if may_be && self.held.len() < header::DESCRIPTOR_64_BYTES {
                return (Went::On, bytes);
            }
            // It was none: on to the next byte that may begin one.
            let held = std::mem::take(&mut self.held);
            let next = 1 + header::find_descriptor(held.get(1..).unwrap_or_default());
            let (before, rest) = held.split_at_checked(next).unwrap_or((&held, &[]));
            body.give(before, to);
            self.held = rest.to_vec();
        }
    }

    fn leave(&mut self, to: &mut Contents<'_, '_>) {
        let State::Body(body) = std::mem::replace(&mut self.state, State::Header) else { return };
        if body.sizes_behind && body.left.is_some() {
            self.state = State::Descriptor(body);
        } else {
            body.end(to);
        }
    }

    /// Behind the bytes of a member: takes the descriptor that fits them, at this byte of the archive.
    fn on_descriptor(&mut self, begin: u64, to: &mut Contents<'_, '_>) {
        let State::Descriptor(mut body) = std::mem::replace(&mut self.state, State::Header) else { return };
        let skipped = matches!(body.content, Content::Skipped);
        let fits = |told: &Sizes| told.packed == body.packed && (skipped || told.unpacked == body.unpacked);
        let mut both = header::descriptor(&self.held, true).chain(header::descriptor(&self.held, false));
        let found = both.find(|(told, length)| fits(told) && header::may_follow(&self.held, *length));
        match found {
            Some((told, length)) => {
                body.told = told;
                self.held.drain(..length);
                body.end(to);
            }
            None => {
                to.abort_at(Code::CorruptArchive, begin);
                self.state = State::Over;
            }
        }
    }
}

impl Body {
    /// Bytes of a stored or skipped member.
    fn give(&mut self, bytes: &[u8], to: &mut Contents<'_, '_>) {
        self.packed += bytes.len() as u64;
        if matches!(self.content, Content::Stored) {
            self.unpacked += bytes.len() as u64;
            to.data_summing(bytes, &mut self.hasher);
        }
    }

    /// Decodes, and gives what is left of `bytes`.
    fn unpack<'b>(&mut self, bytes: &'b [u8], out: &mut [u8], to: &mut Contents<'_, '_>) -> (Went, &'b [u8]) {
        let room = usize::try_from(self.left.unwrap_or(u64::MAX)).unwrap_or(usize::MAX).min(bytes.len());
        let (mut piece, behind) = bytes.split_at(room);
        while let Content::Packed(decoder) = &mut self.content {
            if self.packed == 0 && !to.charge(decoder.set_up_bytes()) {
                return (Went::Broken(Code::ExpandsTooMuch), behind);
            }
            let (step, rest, made) = step(decoder.as_mut(), piece, out);
            let used = (piece.len() - rest.len()) as u64;
            self.packed += used;
            self.unpacked += made.len() as u64;
            if !to.expand_summing(made, &mut self.hasher) {
                return (Went::Broken(Code::ExpandsTooMuch), behind);
            }
            self.left = self.left.map(|left| left.saturating_sub(used));
            piece = rest;
            let bad = match step {
                Step::More => continue,
                // At its end it should have been over.
                Step::Hungry if self.left == Some(0) => Code::CorruptStream,
                Step::Hungry => return (Went::On, behind),
                Step::End if self.left.is_none() => {
                    // From here on it is known, and what follows is the descriptor.
                    self.left = Some(0);
                    let rest = bytes.get(bytes.len() - piece.len() - behind.len()..).unwrap_or_default();
                    return (Went::Over, rest);
                }
                Step::End if self.left == Some(0) => return (Went::Over, behind),
                Step::End | Step::Damaged => Code::CorruptStream,
                Step::Unread(code) => code,
            };
            to.expand_rest(decoder.as_mut(), out);
            if self.left.is_none() {
                return (Went::Broken(bad), behind);
            }
            to.cut(bad);
            self.content = Content::Skipped;
        }
        let rest = bytes.get(bytes.len() - piece.len() - behind.len()..).unwrap_or_default();
        (Went::On, rest)
    }

    /// All bytes were read: they are held against what is told of them.
    fn end(self, to: &mut Contents<'_, '_>) {
        if matches!(self.content, Content::Skipped) {
            return;
        }
        if self.told.unpacked == self.unpacked && self.told.crc == self.hasher.sum() {
            to.close();
        } else {
            to.cut(Code::CorruptStream);
        }
    }
}

fn content_of(method: u16) -> Option<Content> {
    Some(match method {
        0 => Content::Stored,
        8 => Content::Packed(Box::new(Inflate::bare())),
        12 => Content::Packed(bzip2::decoder()),
        93 => Content::Packed(zstd::decoder()),
        95 => Content::Packed(xz::decoder()),
        _ => return None,
    })
}

impl Unpack for Zip {
    fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) {
        loop {
            match &mut self.state {
                State::Header => {
                    let wanted = header::wanted(&self.held);
                    if !gather_off(&mut self.held, &mut bytes, wanted) {
                        return;
                    }
                    if header::wanted(&self.held) == wanted {
                        let begin = to.byte(bytes.len() + self.held.len());
                        self.on_header(begin, to);
                    }
                }
                State::Skip(left) => {
                    let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= taken as u64;
                    bytes = bytes.get(taken..).unwrap_or_default();
                    if *left > 0 {
                        return;
                    }
                    self.state = State::Header;
                }
                State::Body(body) => {
                    let (went, rest) = match (&body.content, &mut body.left) {
                        (Content::Packed(_), _) => body.unpack(bytes, &mut self.out, to),
                        (_, Some(left)) => {
                            let taken = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                            *left -= taken as u64;
                            let over = *left == 0;
                            let (piece, rest) = bytes.split_at(taken);
                            body.give(piece, to);
                            (if over { Went::Over } else { Went::On }, rest)
                        }
                        (_, None) => self.search(bytes, to),
                    };
                    bytes = rest;
                    match went {
                        Went::On if bytes.is_empty() => return,
                        Went::On => {}
                        Went::Over => self.leave(to),
                        Went::Broken(code) => {
                            to.abort(code);
                            self.state = State::Over;
                        }
                    }
                }
                State::Descriptor(_) => {
                    if !gather_off(&mut self.held, &mut bytes, header::DESCRIPTOR_64_BYTES) {
                        return;
                    }
                    let begin = to.byte(bytes.len() + self.held.len());
                    self.on_descriptor(begin, to);
                }
                State::Ended => {
                    if bytes.iter().any(|b| *b != 0) {
                        to.issue(Code::TrailingData);
                        self.state = State::Over;
                    }
                    return;
                }
                State::Over => return,
            }
        }
    }

    fn rest(&mut self, to: &mut Contents<'_, '_>) {
        if let State::Body(Body { content: Content::Packed(decoder), .. }) = &mut self.state {
            to.expand_rest(decoder.as_mut(), &mut self.out);
        }
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        self.rest(to);
        if !matches!(self.state, State::Ended | State::Over) {
            to.abort_at(Code::Truncated, to.byte(0));
        }
    }
}
