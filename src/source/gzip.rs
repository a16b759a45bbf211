//! gzip (RFC 1952): a stream of one or more members, each with its own header and
//! checksum, whose contents follow one another. The content goes by the name of the
//! file that holds it (the name in the header is often that of a temporary file).
//!
//! After the last member there may be zero padding (tapes, block devices).

use super::container::{Container, Unpack};
use super::unpack::Contents;
use crate::base::Code;
use flate2::{Decompress, FlushDecompress, Status};

/// Bytes decompressed at a time: fits the second-level cache with inflate's window.
const OUT_BYTES: usize = 64 * 1024;
/// Deflate's largest window, as every gzip header means it.
const WINDOW_BITS: u8 = 15;

pub(super) static CONTAINER: Container = Container { name: "gzip", begins, start };

/// Magic, method deflate, and none of the reserved flags.
fn begins(head: &[u8]) -> bool {
    matches!(head, [0x1f, 0x8b, 8, flags, ..] if flags & 0xe0 == 0)
}

fn start() -> Box<dyn Unpack> {
    Box::new(Gzip { state: State::Fresh, out: vec![0; OUT_BYTES] })
}

struct Gzip {
    state: State,
    out: Vec<u8>,
}

enum State {
    Fresh,
    /// In a member, the `first` or a later one.
    Member {
        inflate: Box<Decompress>,
        first: bool,
    },
    /// After a member's checksum.
    Between,
    /// In zeros after the last member.
    Padding,
    /// Nothing more is read.
    Over,
}

fn member(first: bool) -> State {
    State::Member { inflate: Box::new(Decompress::new_gzip(WINDOW_BITS)), first }
}

/// What came of one call of inflate.
enum Step {
    /// Wants more input.
    Hungry,
    /// May have more to give.
    More,
    /// The member and its checksum are over.
    End,
    /// It grows beyond the limit.
    TooMuch,
    /// It is damaged.
    Damaged,
}

/// Inflates once; gives what came of it and the input not used.
fn step<'b>(inflate: &mut Decompress, bytes: &'b [u8], out: &mut [u8], to: &mut Contents<'_, '_>) -> (Step, &'b [u8]) {
    let (in_before, out_before) = (inflate.total_in(), inflate.total_out());
    let result = inflate.decompress(bytes, out, FlushDecompress::None);
    let used = usize::try_from(inflate.total_in() - in_before).unwrap_or(usize::MAX);
    let made = usize::try_from(inflate.total_out() - out_before).unwrap_or(usize::MAX);
    let rest = bytes.get(used..).unwrap_or_default();
    if !to.expand(out.get(..made).unwrap_or_default()) {
        return (Step::TooMuch, rest);
    }
    let step = match result {
        Err(_) => Step::Damaged,
        Ok(Status::StreamEnd) => Step::End,
        Ok(_) if rest.is_empty() && made < out.len() => Step::Hungry,
        // Neither used nor made anything: no call with the same input will.
        Ok(_) if used == 0 && made == 0 => Step::Damaged,
        Ok(_) => Step::More,
    };
    (step, rest)
}

impl Unpack for Gzip {
    fn feed(&mut self, mut bytes: &[u8], to: &mut Contents<'_, '_>) {
        loop {
            match &mut self.state {
                State::Fresh => {
                    to.open_same();
                    self.state = member(true);
                }
                State::Member { inflate, first } => {
                    let (step, rest) = step(inflate, bytes, &mut self.out, to);
                    bytes = rest;
                    match step {
                        Step::Hungry => return,
                        Step::More => {}
                        Step::End => self.state = State::Between,
                        Step::TooMuch => {
                            to.abort(Code::ExpandsTooMuch);
                            self.state = State::Over;
                        }
                        Step::Damaged => {
                            if !*first && inflate.total_out() == 0 {
                                to.issue(Code::TrailingData);
                            } else {
                                to.abort(Code::CorruptStream);
                            }
                            self.state = State::Over;
                        }
                    }
                }
                State::Between => match bytes.first() {
                    None => return,
                    Some(0x1f) => self.state = member(false),
                    Some(_) => self.state = State::Padding,
                },
                State::Padding => {
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

    fn finish(&mut self, to: &mut Contents<'_, '_>) {
        if matches!(self.state, State::Member { .. }) {
            to.abort(Code::Truncated);
        }
    }
}
