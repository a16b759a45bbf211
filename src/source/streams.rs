//! Files of one or more compressed streams, whose contents follow one another: what
//! `cat a.gz b.gz`, `pbzip2`, `pxz` and `pzstd` write. The content goes by the name of
//! the file that holds it.
//!
//! After the last stream there may be zero padding (tapes, block devices; xz pads to
//! multiples of four).

use super::container::Unpack;
use super::decode::{Decode, OUT_BYTES, Step, step};
use super::unpack::Contents;
use crate::base::Code;

/// Unpacks such a file.
pub(super) struct Streams {
    start: fn() -> Box<dyn Decode>,
    begins: fn(u8) -> bool,
    state: State,
    out: Vec<u8>,
}

enum State {
    Fresh,
    /// In a stream.
    Stream {
        decoder: Box<dyn Decode>,
        /// It has given nothing yet, and is not the first.
        may_be_junk: bool,
        /// The byte of the file at which it begins.
        begin: u64,
    },
    /// After a stream.
    Between,
    /// In zeros after a stream.
    Padding,
    /// Nothing more is read.
    Over,
}

impl Streams {
    /// For streams that `start` decodes and of which each begins with a byte that
    /// `begins` takes.
    pub(super) fn new(start: fn() -> Box<dyn Decode>, begins: fn(u8) -> bool) -> Self {
        Self { start, begins, state: State::Fresh, out: vec![0; OUT_BYTES] }
    }

    /// A stream begins here.
    fn begin(&mut self, may_be_junk: bool, begin: u64, to: &mut Contents<'_, '_>) {
        let decoder = (self.start)();
        self.state = if to.charge(decoder.set_up_bytes()) {
            State::Stream { decoder, may_be_junk, begin }
        } else {
            to.abort(Code::ExpandsTooMuch);
            State::Over
        };
    }
}

impl Unpack for Streams {
    fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) {
        loop {
            match &mut self.state {
                State::Fresh => {
                    to.open_same();
                    self.begin(false, to.byte(bytes.len()), to);
                }
                State::Stream { decoder, may_be_junk, begin } => {
                    let (step, rest, made) = step(decoder.as_mut(), bytes, &mut self.out);
                    bytes = rest;
                    *may_be_junk &= made.is_empty();
                    let within = match decoder.sum() {
                        Some(sum) => to.expand_summing(made, sum),
                        None => to.expand(made),
                    };
                    if matches!(step, Step::Damaged) {
                        *may_be_junk &= !to.expand_rest(decoder.as_mut(), &mut self.out);
                    }
                    let end = match step {
                        _ if !within => Code::ExpandsTooMuch,
                        Step::Hungry => return,
                        Step::More => continue,
                        Step::End => {
                            self.state = State::Between;
                            continue;
                        }
                        Step::Unread(code) => code,
                        Step::Damaged => Code::CorruptStream,
                    };
                    if end == Code::CorruptStream && *may_be_junk {
                        to.issue(Code::TrailingData);
                    } else {
                        let byte = if decoder.stops_at_damage() { to.byte(bytes.len()) } else { *begin };
                        to.abort_at(end, if end == Code::CorruptStream { byte } else { 0 });
                    }
                    self.state = State::Over;
                }
                State::Between => match bytes.first() {
                    None => return,
                    Some(0) => self.state = State::Padding,
                    Some(first) if (self.begins)(*first) => self.begin(true, to.byte(bytes.len()), to),
                    Some(_) => {
                        to.issue(Code::TrailingData);
                        self.state = State::Over;
                    }
                },
                State::Padding => {
                    let zeros = bytes.iter().take_while(|b| **b == 0).count();
                    bytes = bytes.get(zeros..).unwrap_or_default();
                    if bytes.is_empty() {
                        return;
                    }
                    self.state = State::Between;
                }
                State::Over => return,
            }
        }
    }

    fn rest(&mut self, to: &mut Contents<'_, '_>) {
        if let State::Stream { decoder, .. } = &mut self.state {
            to.expand_rest(decoder.as_mut(), &mut self.out);
        }
    }

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        self.rest(to);
        if matches!(self.state, State::Stream { .. }) {
            to.abort_at(Code::Truncated, to.byte(0));
        }
    }
}
