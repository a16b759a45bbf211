//! Tables of `strace -c` and `strace -c -f`: calls in sums.
//!
//! ```text
//! % time     seconds  usecs/call     calls    errors syscall
//! ------ ----------- ----------- --------- --------- ------------------
//!  66.39    2.816431         866      3251       722 futex
//!  11.56    0.490508         318      1538           write
//! ------ ----------- ----------- --------- --------- ------------------
//! 100.00    4.242337         321     13195      1274 total
//! ```
//! Written by strace when it detaches. Seconds are processor time in the kernel (wall time
//! with `-w`), so that a call that waits costs next to nothing here. The cell of errors is
//! empty where there is none. Columns are read by the header's names, since `-U` chooses
//! others. A table has no times. Cost: O(line).

use super::{Confidence, Feed, Format, FormatAbout, Head, Line, Out, Parse};
use crate::base::{Code, Timestamp, bytes};
use crate::model::calls::canonical;
use crate::model::{CallCounts, Clock, Event, formats};

/// The format.
#[derive(Debug)]
pub struct StraceCount;

static ABOUT: FormatAbout = FormatAbout {
    name: formats::STRACE_COUNT,
    title: "system calls in sums (strace -c -f)",
    versions: "any",
    written_by: "strace 4.5 to 6.x",
    feed: Feed::Lines,
    clock: Clock::Epoch,
    samples: &["% time     seconds  usecs/call     calls    errors syscall"],
};

impl Format for StraceCount {
    fn about(&self) -> &'static FormatAbout {
        &ABOUT
    }

    fn sniff(&self, head: &Head<'_>) -> Confidence {
        let mut lines = head.lines();
        if lines.any(|line| Header::read(line).is_some()) { Confidence::Sure } else { Confidence::No }
    }

    fn start(&self, _path: &str) -> Box<dyn Parse> {
        Box::new(Tables { header: None })
    }
}

/// The name of the column that every table has.
const CALLS: &str = "calls";

/// Where the cells stand that are used.
#[derive(Clone, Copy, Debug, Default)]
struct Header {
    columns: usize,
    seconds: usize,
    calls: usize,
    errors: Option<usize>,
    name: usize,
}

impl Header {
    fn read(line: &[u8]) -> Option<Self> {
        // It is asked of every line of files that are no tables.
        if !bytes::contains(line, CALLS.as_bytes()) {
            return None;
        }
        let line = std::str::from_utf8(line).ok()?.trim().replace("% time", "%time");
        let names: Vec<&str> = line.split_whitespace().collect();
        let at = |name: &str| names.iter().position(|n| *n == name);
        Some(Self {
            columns: names.len(),
            seconds: at("seconds").or_else(|| at("total-time"))?,
            calls: at(CALLS)?,
            errors: at("errors"),
            name: at("syscall").or_else(|| at("name"))?,
        })
    }

    fn row(&self, line: &str) -> Option<CallCounts> {
        let mut cells: Vec<&str> = line.split_whitespace().collect();
        if cells.len() + 1 == self.columns {
            // Only the cell of errors may be empty.
            cells.insert(self.errors?, "0");
        }
        if cells.len() != self.columns {
            return None;
        }
        let count = |at: usize| cells.get(at)?.parse::<u64>().ok();
        let (seconds, fraction) = cells.get(self.seconds)?.split_once('.')?;
        let fraction = fraction.get(..6).unwrap_or(fraction);
        let scale = 10_u64.checked_pow(u32::try_from(fraction.len()).ok()?)?;
        let micros = fraction.parse::<u64>().ok()?.checked_mul(1_000_000)? / scale;
        Some(CallCounts {
            name: canonical(cells.get(self.name)?).into(),
            calls: count(self.calls)?,
            errors: self.errors.map_or(Some(0), count)?,
            total_us: seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros)?,
            buckets: Vec::new(),
        })
    }
}

struct Tables {
    header: Option<Header>,
}

impl Parse for Tables {
    fn line(&mut self, line: Line<'_>, out: &mut Out<'_>) {
        if let Some(header) = Header::read(line.bytes) {
            self.header = Some(header);
            return out.understood();
        }
        let text = String::from_utf8_lossy(line.bytes);
        let text = text.trim();
        let is_rule = text.starts_with("----") && text.bytes().all(|b| matches!(b, b'-' | b' '));
        if text.is_empty() || is_rule || text.starts_with("strace: ") {
            return out.understood();
        }
        match self.header.as_ref().and_then(|header| header.row(text)) {
            Some(counts) if &*counts.name == "total" => {
                self.header = None;
                out.understood();
            }
            Some(counts) => {
                out.understood();
                out.event(line.number, Timestamp::default(), &Event::CallsCounted(Box::new(counts)));
            }
            None => out.skipped(Code::MalformedLine, line.number),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::tests::rows;

    #[test]
    fn cell_of_errors_may_be_empty() {
        let text = "strace: Process 7 attached\n\
                    % time     seconds  usecs/call     calls    errors syscall\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    \u{20}66.39    2.816431         866      3251       722 futex\n\
                    \u{20} 0.15    0.004072           9       451           newfstatat\n\
                    ------ ----------- ----------- --------- --------- ----------------\n\
                    100.00    2.820503         761      3702       722 total\n\
                    \u{20}66.39    2.816431         866      3251       722 futex\n";
        let counts = |name: &str, calls, errors, total_us| CallCounts {
            name: name.into(),
            calls,
            errors,
            total_us,
            buckets: Vec::new(),
        };
        let found: Vec<(u64, Event)> = rows(&StraceCount, text).into_iter().map(|r| (r.line, r.event)).collect();
        let event = |counts| Event::CallsCounted(Box::new(counts));
        // The row behind the total belongs to no table.
        assert_eq!(
            found,
            [(4, event(counts("futex", 3251, 722, 2_816_431))), (5, event(counts("stat", 451, 0, 4_072)))]
        );
    }

    #[test]
    fn other_columns_are_found_by_their_names() {
        let text = "% time     seconds     calls syscall\n 50.00    1.500000        10 connect\n";
        let [row] = rows(&StraceCount, text).try_into().unwrap();
        let Event::CallsCounted(counts) = row.event else { panic!("{row:?}") };
        assert_eq!((&*counts.name, counts.calls, counts.total_us), ("connect", 10, 1_500_000));
    }

    #[test]
    fn numbers_beyond_all_bounds_are_no_row() {
        let text =
            "% time     seconds     calls syscall\n1 99999999999999999999.0 1 a\n1 1.0 -1 a\n1 1 1 a\n1 1.é 1 a\n";
        assert_eq!(rows(&StraceCount, text), []);
    }
}
