//! The unpacker: a chain of streams, each a member or a container with a stream inside.
//!
//! What comes out does not depend on how the bytes were cut into pieces: recognition
//! waits for a whole head, and the limit on growth is set per fixed block of the input.
//!
//! Cost: O(bytes in + bytes out); memory O(depth).

use super::container::{Recognised, Unpack, recognise, wanted};
use super::decode::Decode;
use super::limits::MAX_DEPTH;
use super::{Limits, Visitor, path};
use crate::base::crc::Crc;
use crate::base::{Code, Timestamp};

/// The input is passed on in blocks that begin at multiples of this, so that a limit
/// counted against the input falls on the same byte however the input was fed.
const BLOCK_BYTES: u64 = 64 * 1024;

/// Unpacks one input that is fed piece by piece.
pub struct Unpacker {
    root: Stream,
    tally: Tally,
    position: u64,
}

impl Unpacker {
    /// For an input of this name: an archive's or file's base name, or
    /// `folder/sub/file` for one found in a folder.
    #[must_use]
    pub fn new(name: &str, limits: &Limits) -> Self {
        let depths = usize::try_from(limits.depth).unwrap_or(usize::MAX).saturating_add(1).min(MAX_DEPTH);
        let tally = Tally {
            limits: *limits,
            unpacked: vec![0; depths],
            allowed: 0,
            members: 0,
            told_members: false,
            known: None,
        };
        Self { root: Stream::new(path::label(name.as_bytes()), 0), tally, position: 0 }
    }

    /// The next bytes.
    pub fn feed(&mut self, mut bytes: &[u8], visitor: &mut dyn Visitor) {
        while !bytes.is_empty() {
            let block_end = (self.position / BLOCK_BYTES + 1) * BLOCK_BYTES;
            let limits = &self.tally.limits;
            self.tally.allowed = limits.ratio_from.max(limits.ratio.saturating_mul(block_end));
            let room = usize::try_from(block_end - self.position).unwrap_or(usize::MAX);
            let (piece, rest) = bytes.split_at(room.min(bytes.len()));
            self.root.feed(piece, &mut Run { tally: &mut self.tally, visitor: &mut *visitor });
            self.position += piece.len() as u64;
            bytes = rest;
        }
    }

    /// There are no more bytes. Whatever is open is closed.
    pub fn finish(&mut self, visitor: &mut dyn Visitor) {
        self.root.finish(&mut Run { tally: &mut self.tally, visitor });
    }
}

/// What is counted against the limits, over the whole input.
struct Tally {
    limits: Limits,
    /// Bytes that decompressors gave, by depth.
    unpacked: Vec<u64>,
    /// What each of them may come to in the present block of the input.
    allowed: u64,
    members: u64,
    told_members: bool,
    /// Where somebody asks: which of the bytes passed on have a checksum that is known.
    known: Option<Vec<Known>>,
}

/// Bytes whose checksum is known.
struct Known {
    /// Where they lie in memory: pieces are passed on as parts of the buffer in which they were made.
    address: usize,
    len: usize,
    crc: Crc,
}

/// What every stream of the chain needs.
struct Run<'a> {
    tally: &'a mut Tally,
    visitor: &'a mut dyn Visitor,
}

/// One stream of bytes in the chain.
struct Stream {
    path: String,
    depth: usize,
    /// It is a file of its own, and not what another of its path unpacks to.
    own: bool,
    /// Bytes that its container was given, if it is such a file.
    fed: u64,
    state: State,
}

enum State {
    /// Not yet told what it is; its bytes so far.
    Head(Vec<u8>),
    /// A member, open at the visitor.
    Member,
    /// A container, with the stream that is open in it.
    Container { unpack: Box<dyn Unpack>, child: Option<Box<Stream>> },
}

impl Stream {
    fn new(path: String, depth: usize) -> Self {
        Self { path, depth, own: true, fed: 0, state: State::Head(Vec::new()) }
    }

    fn feed(&mut self, bytes: &[u8], run: &mut Run<'_>) {
        let mut rest = bytes;
        while let State::Head(head) = &mut self.state {
            let missing = wanted(head) - head.len();
            if missing == 0 {
                self.settle(run);
                break;
            }
            let (first, behind) = rest.split_at(missing.min(rest.len()));
            head.extend_from_slice(first);
            rest = behind;
            if first.is_empty() {
                return;
            }
        }
        self.pass(rest, run);
    }

    /// Decides what the stream is by the head that there is.
    fn settle(&mut self, run: &mut Run<'_>) {
        let State::Head(head) = &mut self.state else { return };
        let head = std::mem::take(head);
        let deeper = self.depth + 1 < run.tally.unpacked.len();
        match recognise(&head) {
            Recognised::Container(container) if deeper => {
                self.state = State::Container { unpack: (container.start)(), child: None };
            }
            other => {
                self.state = State::Member;
                run.visitor.open(&self.path);
                match other {
                    Recognised::Container(_) => run.visitor.issue(&self.path, Code::NestedTooDeep),
                    Recognised::Unread => run.visitor.issue(&self.path, Code::UnreadContainer),
                    Recognised::Plain => {}
                }
            }
        }
        self.pass(&head, run);
    }

    /// Hands on bytes of a stream that is settled.
    fn pass(&mut self, bytes: &[u8], run: &mut Run<'_>) {
        if bytes.is_empty() {
            return;
        }
        match &mut self.state {
            State::Head(_) => {}
            State::Member => {
                let crc = run.visitor.data(bytes);
                if let (Some(known), Some(crc)) = (&mut run.tally.known, crc) {
                    known.push(Known { address: bytes.as_ptr().addr(), len: bytes.len(), crc });
                }
            }
            State::Container { unpack, child } => {
                self.fed += if self.own { bytes.len() as u64 } else { 0 };
                unpack.feed(bytes, &mut Contents { path: &self.path, depth: self.depth, fed: self.fed, child, run });
            }
        }
    }

    fn finish(&mut self, run: &mut Run<'_>) {
        self.settle(run);
        match &mut self.state {
            State::Head(_) => {}
            State::Member => run.visitor.close(),
            State::Container { unpack, child } => {
                let mut out = Contents { path: &self.path, depth: self.depth, fed: self.fed, child, run };
                unpack.finish(&mut out);
                out.close();
            }
        }
    }

    /// The bytes broke off: closes what is open, with `code` on the open member and on
    /// each archive around it; `byte` is where the file of this path did.
    fn abort(&mut self, code: Code, byte: u64, run: &mut Run<'_>) {
        self.settle(run);
        match &mut self.state {
            State::Head(_) => {}
            State::Member => {
                run.visitor.issue(&self.path, code);
                run.visitor.close();
            }
            State::Container { unpack, child } => {
                let mut out = Contents { path: &self.path, depth: self.depth, fed: 0, child, run };
                unpack.rest(&mut out);
                out.abort_at(code, byte);
            }
        }
    }
}

/// Where a container puts what it contains.
pub(super) struct Contents<'a, 'r> {
    path: &'a str,
    depth: usize,
    /// Bytes that the container was given, those at hand included; 0 where it is itself packed, so that nobody
    /// could look for a byte of it.
    fed: u64,
    child: &'a mut Option<Box<Stream>>,
    run: &'a mut Run<'r>,
}

impl Contents<'_, '_> {
    /// A member of this name begins.
    pub(super) fn open(&mut self, name: &[u8]) {
        self.close();
        let tally = &mut *self.run.tally;
        if tally.members >= tally.limits.members {
            if !std::mem::replace(&mut tally.told_members, true) {
                self.run.visitor.issue(self.path, Code::TooManyMembers);
            }
            return;
        }
        tally.members += 1;
        let path = format!("{}/{}", self.path, path::label(name));
        *self.child = Some(Box::new(Stream::new(path, self.depth + 1)));
    }

    /// The container's one content begins; it goes by the container's own path.
    pub(super) fn open_same(&mut self) {
        self.close();
        *self.child = Some(Box::new(Stream { own: false, ..Stream::new(self.path.to_owned(), self.depth + 1) }));
    }

    /// The byte of the container that has so many of the bytes at hand from it on; 0 where it is not known.
    pub(super) const fn byte(&self, left: usize) -> u64 {
        self.fed.saturating_sub(left as u64)
    }

    /// The next bytes of what is open, as they stand in the container.
    pub(super) fn data(&mut self, bytes: &[u8]) {
        if let Some(child) = self.child {
            child.feed(bytes, self.run);
        }
    }

    /// The next bytes of what is open, decompressed. `false`: they are more than the
    /// limit allows, the rest of them was dropped and no more may come.
    #[must_use]
    pub(super) fn expand(&mut self, bytes: &[u8]) -> bool {
        let taken = self.allow(bytes);
        self.data(taken);
        taken.len() == bytes.len()
    }

    /// Gives what a decoder keeps back of a stream that has broken off, as far as the limit allows; says whether
    /// there was anything.
    pub(super) fn expand_rest(&mut self, decoder: &mut dyn Decode, room: &mut [u8]) -> bool {
        let mut any = false;
        loop {
            let made = decoder.rest(room);
            any |= made > 0;
            if made == 0 || !self.expand(room.get(..made).unwrap_or_default()) {
                return any;
            }
        }
    }

    /// [`Self::data`] that adds the bytes to a checksum, and does not work out again what whoever reads them did.
    pub(super) fn data_summing(&mut self, bytes: &[u8], sum: &mut Crc) {
        let asked_before = self.run.tally.known.replace(Vec::new());
        self.data(bytes);
        let known = std::mem::replace(&mut self.run.tally.known, asked_before);
        let mut summed = 0;
        for Known { address, len, crc } in known.into_iter().flatten() {
            let at = address.wrapping_sub(bytes.as_ptr().addr());
            if let Some(end) = at.checked_add(len).filter(|end| *end <= bytes.len())
                && let Some(before) = bytes.get(summed..at)
            {
                sum.update(before);
                sum.combine(crc, len as u64);
                summed = end;
            }
        }
        sum.update(bytes.get(summed..).unwrap_or_default());
    }

    /// [`Self::expand`] that adds what was taken to a checksum.
    #[must_use]
    pub(super) fn expand_summing(&mut self, bytes: &[u8], sum: &mut Crc) -> bool {
        let taken = self.allow(bytes);
        self.data_summing(taken, sum);
        taken.len() == bytes.len()
    }

    /// What the limit allows of the next bytes that were decompressed, for containers
    /// that look into them; if it is less than all, no more may come.
    pub(super) fn allow<'b>(&mut self, bytes: &'b [u8]) -> &'b [u8] {
        let tally = &mut *self.run.tally;
        let Some(unpacked) = tally.unpacked.get_mut(self.depth) else { return &[] };
        let room = usize::try_from(tally.allowed.saturating_sub(*unpacked)).unwrap_or(usize::MAX);
        let taken = bytes.get(..room).unwrap_or(bytes);
        *unpacked += taken.len() as u64;
        taken
    }

    /// Counts bytes as unpacked that nobody gets; `false`: they are more than the limit allows.
    #[must_use]
    pub(super) fn charge(&mut self, bytes: u64) -> bool {
        let tally = &mut *self.run.tally;
        let Some(unpacked) = tally.unpacked.get_mut(self.depth) else { return false };
        *unpacked = unpacked.saturating_add(bytes);
        *unpacked <= tally.allowed
    }

    /// What is open, and has come to its end, was modified then.
    pub(super) fn modified(&mut self, local: Timestamp, utc: Timestamp) {
        if let Some(child) = self.child {
            child.settle(self.run);
            if matches!(child.state, State::Member) {
                self.run.visitor.modified(local, utc);
            }
        }
    }

    /// What is open has come to its end.
    pub(super) fn close(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.finish(self.run);
        }
    }

    /// Something is odd about the container; what is open goes on.
    pub(super) fn issue(&mut self, code: Code) {
        self.issue_at(code, 0);
    }

    /// [`Self::issue`] at this byte of the container.
    pub(super) fn issue_at(&mut self, code: Code, byte: u64) {
        if let Some(child) = self.child
            && child.path == self.path
        {
            child.settle(self.run);
        }
        self.run.visitor.issue_at(self.path, code, byte);
    }

    /// What is open is not read, or not to its end.
    pub(super) fn cut(&mut self, code: Code) {
        self.cut_at(code, 0);
    }

    fn cut_at(&mut self, code: Code, byte: u64) {
        if let Some(mut child) = self.child.take() {
            child.abort(code, if child.own { 0 } else { byte }, self.run);
        }
    }

    /// The container breaks off: `code` goes to what is open and to the container.
    pub(super) fn abort(&mut self, code: Code) {
        self.abort_at(code, 0);
    }

    /// [`Self::abort`] at this byte of the container.
    pub(super) fn abort_at(&mut self, code: Code, byte: u64) {
        let told = self.child.as_ref().is_some_and(|child| child.path == self.path);
        self.cut_at(code, byte);
        if !told {
            self.run.visitor.issue_at(self.path, code, byte);
        }
    }
}
