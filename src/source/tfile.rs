//! The NodeManager's aggregated logs (Hadoop 2 and 3): a TFile, in which each record is
//! one container's logs. Known here is how they are packed, not what they say.
//!
//! ```text
//! magic | block | block … | meta blocks | index | version | magic
//! block:  record … ; none, or all packed with zlib
//! record: key length, key ("VERSION", "container_…") | chunk length, chunk … , last chunk
//! value:  name (UTF) | length (UTF, decimal) | bytes | name | length | bytes …
//! ```
//! Written by `org.apache.hadoop.io.file.tfile.TFile` and
//! `org.apache.hadoop.yarn.logaggregation.AggregatedLogFormat`. The index stands at the
//! end, so a stream goes without: records lie behind one another in every block, and the
//! first meta block begins with a zero where a key's length would stand. The packing is
//! told by the first byte: zlib's, or the length of the key `VERSION`; a block packed
//! with LZO is not read.
//!
//! Members are named `<container>/<log>` below the TFile, whose own name is
//! `<host>_<port>`.

use super::container::{Container, Unpack};
use super::decode::{Decode, OUT_BYTES, Step, step};
use super::gzip::Inflate;
use super::tfile_records::{Progress, Records};
use super::unpack::Contents;
use crate::base::Code;

/// What begins and ends a TFile.
const MAGIC: [u8; 16] =
    [0xd1, 0x11, 0xd3, 0x68, 0x91, 0xb5, 0xd7, 0xb6, 0x39, 0xdf, 0x41, 0x40, 0x92, 0xba, 0xe1, 0x50];
/// First byte of zlib with the usual window.
const ZLIB: u8 = 0x78;
/// First byte of a first record: the length of the key `VERSION` with its own length.
const KEY_VERSION: u8 = 9;

pub(super) static CONTAINER: Container = Container { name: "aggregated logs (TFile)", begins, start };

fn begins(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}

fn start() -> Box<dyn Unpack> {
    Box::new(Tfile { state: State::Magic(MAGIC.len()), records: Records::default(), tail: Vec::new(), out: Vec::new() })
}

struct Tfile {
    state: State,
    records: Records,
    /// The last bytes so far.
    tail: Vec<u8>,
    out: Vec<u8>,
}

enum State {
    /// In the magic, with this much to come.
    Magic(usize),
    /// Before the first block.
    First,
    /// In blocks that are not packed.
    Plain,
    /// In a block packed with zlib.
    Packed(Box<dyn Decode>),
    /// In meta blocks and index.
    Index,
    /// Nothing more is read.
    Over,
}

impl Tfile {
    /// Nothing more is read, from this byte on if it is known.
    fn stop(&mut self, code: Code, byte: u64, to: &mut Contents<'_, '_>) {
        to.abort_at(code, byte);
        self.state = State::Over;
    }

    /// What the records say of some bytes; `true` while there are more records.
    fn take(&mut self, told: Progress, to: &mut Contents<'_, '_>) -> bool {
        match told {
            Progress::More => return true,
            Progress::Done => self.state = State::Index,
            Progress::Damaged => self.stop(Code::CorruptArchive, 0, to),
        }
        false
    }
}

impl Unpack for Tfile {
    fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) {
        let last = bytes.get(bytes.len().saturating_sub(MAGIC.len())..).unwrap_or_default();
        self.tail.extend_from_slice(last);
        self.tail.drain(..self.tail.len().saturating_sub(MAGIC.len()));
        loop {
            match &mut self.state {
                State::Magic(left) => {
                    if bytes.is_empty() {
                        return;
                    }
                    let taken = (*left).min(bytes.len());
                    *left -= taken;
                    bytes = bytes.get(taken..).unwrap_or_default();
                    if *left == 0 {
                        self.state = State::First;
                    }
                }
                State::First => match bytes.first() {
                    None => return,
                    Some(&KEY_VERSION) => self.state = State::Plain,
                    Some(&ZLIB) => {
                        self.out = vec![0; OUT_BYTES];
                        self.state = State::Packed(Box::new(Inflate::zlib()));
                    }
                    Some(_) => self.stop(Code::UnreadContainer, to.byte(bytes.len()), to),
                },
                State::Plain => {
                    let told = self.records.feed(bytes, to);
                    self.take(told, to);
                    return;
                }
                State::Packed(decoder) => {
                    let (step, rest, made) = step(decoder.as_mut(), bytes, &mut self.out);
                    bytes = rest;
                    let taken = to.allow(made);
                    let within = taken.len() == made.len();
                    let told = self.records.feed(taken, to);
                    if !self.take(told, to) {
                        return;
                    }
                    match step {
                        _ if !within => self.stop(Code::ExpandsTooMuch, 0, to),
                        Step::Hungry => return,
                        Step::More => {}
                        Step::End => self.state = State::Packed(Box::new(Inflate::zlib())),
                        Step::Damaged | Step::Unread(_) => self.stop(Code::CorruptStream, to.byte(bytes.len()), to),
                    }
                }
                State::Index | State::Over => return,
            }
        }
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        match self.state {
            State::Over => {}
            State::Index if self.tail == MAGIC => {
                if self.records.members() == 0 {
                    to.issue(Code::EmptyArchive);
                }
            }
            _ => to.abort_at(Code::Truncated, to.byte(0)),
        }
    }
}
