//! Members dealt out: one unpacks an archive, others read its members beside it.
//!
//! ```text
//! input -> Unpacker -> Dealer: each member to whom the fewest bytes wait for -> a Collector elsewhere
//!                            └ at home, where all have enough to do -> its own Collector
//! ```
//! What goes to another thread or worker are [`Call`]s as bytes. A digest is a set of files, so
//! that it does not matter who read which: the merge of all collectors is that of one alone.

use super::Collector;
use crate::base::crc::Crc;
use crate::base::{Code, Timestamp};
use crate::source::{Limits, Visitor};
use serde::{Deserialize, Serialize};

/// What a [`Collector`] elsewhere is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call<'a> {
    /// An input of this name begins.
    Begin(&'a str),
    /// [`Visitor::open`].
    Open(&'a str),
    /// [`Visitor::data`], and its checksum.
    Data(&'a [u8], Crc),
    /// [`Visitor::modified`].
    Modified(Timestamp, Timestamp),
    /// [`Visitor::close`].
    Close,
    /// [`Visitor::issue`].
    Issue(&'a str, Code),
    /// The input is over, after so many bytes.
    End(u64),
}

/// A [`Call`] as it is written. Data stand behind it as they are: one by one, bytes take ten times as long.
#[derive(Serialize, Deserialize)]
enum Written<'a> {
    Begin(&'a str),
    Open(&'a str),
    Data(usize, u32),
    Modified(i64, i64),
    Close,
    Issue(&'a str, Code),
    End(u64),
}

impl Call<'_> {
    /// Adds the call to those before it.
    pub fn write(self, calls: &mut Vec<u8>) {
        let (written, data): (_, &[u8]) = match self {
            Call::Begin(name) => (Written::Begin(name), &[]),
            Call::Open(path) => (Written::Open(path), &[]),
            Call::Data(bytes, crc) => (Written::Data(bytes.len(), crc.sum()), bytes),
            Call::Modified(local, utc) => (Written::Modified(local.millis(), utc.millis()), &[]),
            Call::Close => (Written::Close, &[]),
            Call::Issue(path, code) => (Written::Issue(path, code), &[]),
            Call::End(bytes) => (Written::End(bytes), &[]),
        };
        // Writing to a Vec does not fail.
        *calls = postcard::to_extend(&written, std::mem::take(calls)).unwrap_or_default();
        calls.extend_from_slice(data);
    }
}

impl Collector {
    /// Does what calls say, one behind the other as they were written.
    pub fn replay(&mut self, mut calls: &[u8]) {
        while let Ok((call, behind)) = postcard::take_from_bytes(calls) {
            calls = behind;
            match call {
                Written::Begin(name) => self.begin(name),
                Written::Open(path) => self.open(path),
                Written::Data(len, sum) => {
                    let Some((data, behind)) = calls.split_at_checked(len) else { return };
                    self.take_all(data, Some(Crc::from_sum(sum)));
                    calls = behind;
                }
                Written::Modified(local, utc) => {
                    self.modified(Timestamp::from_millis(local), Timestamp::from_millis(utc));
                }
                Written::Close => self.close(),
                Written::Issue(path, code) => self.issue(path, code),
                Written::End(bytes) => self.add_archives(bytes),
            }
        }
    }
}

/// Somebody elsewhere who reads members.
pub trait Helper {
    /// Bytes that it was given and has not read.
    fn waits(&self) -> usize;
    /// Passes a call on to it.
    fn call(&mut self, call: Call<'_>);
}

/// Nobody: all is read at home.
#[derive(Debug)]
pub enum NoHelper {}

impl Helper for NoHelper {
    fn waits(&self) -> usize {
        match *self {}
    }

    fn call(&mut self, _: Call<'_>) {
        match *self {}
    }
}

/// Deals members out.
pub struct Dealer<H> {
    pub(super) helpers: Vec<H>,
    /// Reads a member if at least so many bytes wait for every helper.
    busy_from: usize,
    /// Tells, too, what is wrong with an archive, and not with a member.
    pub(super) home: Collector,
    /// The member that is open, if a helper reads it, and which.
    dealt: Option<(String, usize)>,
}

impl<H: Helper> Dealer<H> {
    pub(super) fn new(helpers: Vec<H>, busy_from: usize, limits: Limits) -> Self {
        Self { helpers, busy_from, home: Collector::new(limits), dealt: None }
    }

    pub(super) fn begin(&mut self, name: &str) {
        self.home.begin(name);
        self.tell_all(Call::Begin(name));
    }

    pub(super) fn end(&mut self, input_bytes: u64) {
        self.home.add_archives(input_bytes);
        self.tell_all(Call::End(input_bytes));
    }

    fn tell_all(&mut self, call: Call<'_>) {
        self.helpers.iter_mut().for_each(|helper| helper.call(call));
    }

    /// Who reads the member that is open, if not home.
    fn helper(&mut self) -> Option<&mut H> {
        let (_, helper) = self.dealt.as_ref()?;
        self.helpers.get_mut(*helper)
    }
}

impl<H: Helper> Visitor for Dealer<H> {
    fn open(&mut self, path: &str) {
        let idlest = self.helpers.iter().map(Helper::waits).zip(0..).min();
        self.dealt = idlest.filter(|(waits, _)| *waits < self.busy_from).map(|(_, helper)| (path.to_owned(), helper));
        match self.helper() {
            Some(helper) => helper.call(Call::Open(path)),
            None => self.home.open(path),
        }
    }

    fn data(&mut self, bytes: &[u8]) -> Option<Crc> {
        let Some(helper) = self.helper() else { return self.home.data(bytes) };
        let crc = Crc::of(bytes);
        helper.call(Call::Data(bytes, crc));
        Some(crc)
    }

    fn modified(&mut self, local: Timestamp, utc: Timestamp) {
        match self.helper() {
            Some(helper) => helper.call(Call::Modified(local, utc)),
            None => self.home.modified(local, utc),
        }
    }

    fn close(&mut self) {
        match self.helper() {
            Some(helper) => helper.call(Call::Close),
            None => self.home.close(),
        }
        self.dealt = None;
    }

    fn issue(&mut self, path: &str, code: Code) {
        self.issue_at(path, code, 0);
    }

    fn issue_at(&mut self, path: &str, code: Code, byte: u64) {
        let dealt = self.dealt.as_ref().is_some_and(|(dealt, _)| dealt == path);
        match self.helper().filter(|_| dealt) {
            Some(helper) => helper.call(Call::Issue(path, code)),
            None => self.home.issue_at(path, code, byte),
        }
    }
}
