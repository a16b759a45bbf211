//! The `clienttrace` lines of DataNodes and TaskTrackers.
//!
//! ```text
//! src: /10.77.1.11:50010, dest: /10.77.1.12:38004, bytes: 4227072, op: HDFS_READ, cliID:
//!   DFSClient_attempt_…, srvID: DS-…, blockid: blk_-46…_1763                     0.19, 0.20
//! …, cliID: …, offset: 0, srvID: …, blockid: BP-…:blk_1073741825_1001, duration(ns): 26624471   3.x
//! src: 10.77.1.11:50060, dest: 10.77.1.12:54743, bytes: 2518507, op: MAPRED_SHUFFLE, cliID: attempt_…
//! src: …, dest: …, maps: 3, op: MAPRED_SHUFFLE, reduceID: 5, duration: 277277094                   2011
//! ```
//! Written by DataNode (`DN_CLIENTTRACE_FORMAT`) and TaskTracker (`MR_CLIENTTRACE_FORMAT`),
//! 0.19 to 3.x. Fields come and go between versions, so they are read as pairs.
//! `duration` is nanoseconds in every version. Cost: O(line), nothing allocated.

use super::Out;
use super::address;
use super::daemon::Fit;
use super::log4j::Record;
use crate::base::bytes;
use crate::base::ids::number;
use crate::base::{AttemptId, BlockId};
use crate::model::Event;

/// The fields of a line that are used.
#[derive(Clone, Copy, Debug, Default)]
struct Fields<'a> {
    src: &'a [u8],
    dest: &'a [u8],
    bytes: Option<u64>,
    op: &'a [u8],
    client: &'a [u8],
    reduce: &'a [u8],
    block: &'a [u8],
    duration_ns: Option<u64>,
}

impl<'a> Fields<'a> {
    fn read(message: &'a [u8]) -> Self {
        let mut fields = Self::default();
        let mut rest = message;
        loop {
            let comma = memchr::memchr(b',', rest).unwrap_or(rest.len());
            let (pair, behind) = rest.split_at(comma);
            fields.pair(pair.trim_ascii());
            match behind.get(1..) {
                Some(more) => rest = more,
                None => return fields,
            }
        }
    }

    /// Takes `key: value`; no key that is used holds a colon.
    fn pair(&mut self, pair: &'a [u8]) {
        let Some(colon) = memchr::memchr(b':', pair) else { return };
        let (key, value) = pair.split_at(colon);
        if let Some(value) = value.strip_prefix(b": ") {
            match key {
                b"src" => self.src = value,
                b"dest" => self.dest = value,
                b"bytes" => self.bytes = whole(value),
                b"op" => self.op = value,
                b"cliID" => self.client = value,
                b"reduceID" => self.reduce = value,
                b"blockid" => self.block = value,
                b"duration" | b"duration(ns)" => self.duration_ns = whole(value),
                _ => {}
            }
        }
    }
}

fn whole(text: &[u8]) -> Option<u64> {
    number(text).and_then(|(n, rest)| rest.is_empty().then_some(n))
}

/// What a clienttrace message says. Operations that move no data of a job (short-circuit
/// file descriptors, balancer copies) give no event.
pub fn event_of(message: &[u8]) -> (Fit, Option<Event>) {
    let fields = Fields::read(message);
    let event = match fields.op {
        b"HDFS_WRITE" => written(&fields),
        b"HDFS_READ" => read(&fields),
        b"MAPRED_SHUFFLE" => served(&fields),
        b"" => None,
        _ => return (Fit::Known, None),
    };
    Fit::of(event)
}

/// Gives out what a line says; where a DataNode's does not name its client, a row before it tells that.
pub fn give_out(event: &Event, record: &Record<'_>, line: u64, out: &mut Out<'_>) {
    let of_no_attempt = matches!(event, Event::Wrote { attempt: None, .. } | Event::Read { attempt: None, .. });
    if of_no_attempt && !names_client(record.message) {
        out.event(line, record.at, &Event::ClientUntold);
    }
    out.event(line, record.at, event);
}

fn names_client(message: &[u8]) -> bool {
    bytes::after(message, b"cliID: ").is_some_and(|client| !client.starts_with(b","))
}

fn written(fields: &Fields<'_>) -> Option<Event> {
    Some(Event::Wrote {
        block: BlockId::parse_prefix(fields.block)?.0,
        src: address::socket(fields.src)?,
        dest: address::socket(fields.dest),
        bytes: fields.bytes?,
        duration_ns: fields.duration_ns,
        attempt: AttemptId::find(fields.client),
    })
}

fn read(fields: &Fields<'_>) -> Option<Event> {
    Some(Event::Read {
        block: BlockId::parse_prefix(fields.block)?.0,
        src: address::socket(fields.src),
        dest: address::socket(fields.dest)?,
        bytes: fields.bytes?,
        duration_ns: fields.duration_ns,
        attempt: AttemptId::find(fields.client),
    })
}

fn served(fields: &Fields<'_>) -> Option<Event> {
    let (dest, duration_ns) = (address::ip(fields.dest), fields.duration_ns);
    let (map, reduce) = (AttemptId::find(fields.client), AttemptId::find(fields.reduce));
    let Some(bytes) = fields.bytes else {
        // The trunk of 2011 serves several maps at once and prints neither them nor bytes; of the reduce, its partition.
        let duration_ns = Some(duration_ns?);
        return match reduce {
            Some(reduce) => Some(Event::ShuffleServedMaps { reduce, dest, duration_ns }),
            None => whole(fields.reduce).map(|_| Event::ShuffleServedPart { dest, duration_ns }),
        };
    };
    Some(match (map, reduce) {
        (Some(map), Some(reduce)) => Event::ShuffleServedTo { map, reduce, dest, bytes, duration_ns },
        _ => Event::ShuffleServed { map, dest, bytes, duration_ns },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duration_is_read_under_both_names() {
        let line = |tail: &str| {
            let text = format!(
                "src: /10.0.0.1:50010, dest: /10.0.0.2:41, bytes: 7, op: HDFS_READ, cliID: DFSClient_NONMAPREDUCE_1_1, \
                 offset: 0, srvID: u, blockid: BP-1-10.0.0.9-2:blk_5_6{tail}"
            );
            match event_of(text.as_bytes()) {
                (Fit::Known, Some(Event::Read { duration_ns, bytes: 7, attempt: None, .. })) => duration_ns,
                other => Some(u64::MAX - u64::from(other.1.is_some())),
            }
        };
        assert_eq!(line(""), None);
        assert_eq!(line(", duration: 12"), Some(12));
        assert_eq!(line(", duration(ns): 13"), Some(13));
    }

    #[test]
    fn reduce_of_a_fetch_is_read_where_it_is_printed() {
        let line =
            "src: 10.0.0.1:50060, dest: 10.0.0.2:41, bytes: 7, op: MAPRED_SHUFFLE, cliID: attempt_1_0001_m_000003_0";
        let (_, without) = event_of(line.as_bytes());
        assert!(matches!(without, Some(Event::ShuffleServed { map: Some(_), bytes: 7, .. })));
        let (_, with) = event_of(format!("{line}, reduceID: attempt_1_0001_r_000001_0, duration: 5").as_bytes());
        let Some(Event::ShuffleServedTo { map, reduce, duration_ns: Some(5), .. }) = with else { panic!("{with:?}") };
        assert_eq!((map.task, reduce.task), (3, 1));
    }

    #[test]
    fn several_maps_at_once_are_served_to_their_reduce() {
        let line = "src: 10.0.0.1:50060, dest: 10.0.0.2:41, maps: 3, op: MAPRED_SHUFFLE, \
                    reduceID: attempt_1_0001_r_000001_0, duration: 5";
        let (fit, event) = event_of(line.as_bytes());
        let Some(Event::ShuffleServedMaps { reduce, dest: Some(_), duration_ns: Some(5) }) = event else {
            panic!("{event:?}")
        };
        assert_eq!((fit, reduce.task), (Fit::Known, 1));
        let of_part = line.replace("attempt_1_0001_r_000001_0", "5");
        let served = Event::ShuffleServedPart { dest: Some([10, 0, 0, 2].into()), duration_ns: Some(5) };
        assert_eq!(event_of(of_part.as_bytes()), (Fit::Known, Some(served)));
        assert_eq!(event_of(of_part.replace("5, duration", "x, duration").as_bytes()), (Fit::Malformed, None));
    }

    #[test]
    fn cut_line_is_malformed_and_other_operations_are_known() {
        assert_eq!(event_of(b"src: /10.0.0.1:50010, dest: /10.0.0.2:41, byt"), (Fit::Malformed, None));
        assert_eq!(
            event_of(b"src: 127.0.0.1, dest: 127.0.0.1, op: REQUEST_SHORT_CIRCUIT_FDS, blockid: 1"),
            (Fit::Known, None)
        );
    }
}
