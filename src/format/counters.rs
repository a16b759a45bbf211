//! Counters as the text history writes them.
//!
//! ```text
//! {(FileSystemCounters)(FileSystemCounters)[(HDFS_BYTES_READ)(HDFS_BYTES_READ)(4194304)][…]}{…}     0.19 to 1.x
//! File Systems.HDFS bytes read:4194304,File Systems.Local bytes written:212,…                        0.18
//! ```
//! Written by `Counters.makeEscapedCompactString` and, in 0.18, `makeCompactString`.
//! Brackets in names are escaped by a backslash (one level is left here, the history's
//! own is gone). Cost: O(text), nothing allocated: a name ends where the next begins.

use crate::base::bytes;
use crate::base::ids::number;
use crate::model::Counters;

/// Names of one counter in versions before 0.20, and today's.
const OLD_NAMES: &[(&str, &str)] = &[
    ("HDFS_READ", "HDFS_BYTES_READ"),
    ("HDFS_WRITE", "HDFS_BYTES_WRITTEN"),
    ("LOCAL_READ", "FILE_BYTES_READ"),
    ("LOCAL_WRITE", "FILE_BYTES_WRITTEN"),
    ("HDFS bytes read", "HDFS_BYTES_READ"),
    ("HDFS bytes written", "HDFS_BYTES_WRITTEN"),
    ("Local bytes read", "FILE_BYTES_READ"),
    ("Local bytes written", "FILE_BYTES_WRITTEN"),
    ("Map output bytes", "MAP_OUTPUT_BYTES"),
    ("Map output records", "MAP_OUTPUT_RECORDS"),
];

/// The counters that are kept of those in `text`.
#[must_use]
pub fn compact(text: &[u8]) -> Counters {
    let mut counters = Counters::default();
    if text.starts_with(b"{") {
        for at in memchr::memmem::find_iter(text, b"[(") {
            let Some((name, rest)) = parenthesised(text.get(at + 1..).unwrap_or_default()) else { continue };
            let Some((_, rest)) = parenthesised(rest) else { continue };
            let Some((value, _)) = parenthesised(rest) else { continue };
            keep(&mut counters, name, value);
        }
    } else {
        for pair in text.split(|b| *b == b',') {
            let Some(colon) = memchr::memrchr(b':', pair) else { continue };
            let (name, value) = (pair.get(..colon).unwrap_or_default(), pair.get(colon + 1..).unwrap_or_default());
            let name = name.rsplit(|b| *b == b'.').next().unwrap_or_default();
            keep(&mut counters, name, value);
        }
    }
    counters
}

/// Memory that an attempt held (PHYSICAL_MEMORY_BYTES, 0.20.203 on).
#[must_use]
pub fn physical_memory(text: &[u8]) -> Option<u64> {
    const NAME: &[u8] = b"[(PHYSICAL_MEMORY_BYTES)";
    let at = bytes::find(text, NAME)?;
    let (_, rest) = parenthesised(text.get(at + NAME.len()..)?)?;
    let (value, _) = parenthesised(rest)?;
    number(value).filter(|(_, rest)| rest.is_empty()).map(|(n, _)| n)
}

/// `(text)` and what follows. Of brackets inside, all are escaped (`Counters.charsToEscape`): at one that is not, the
/// text was cut, and it is the next name's. Without this end, each of many that are cut would be searched to the end.
fn parenthesised(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let inside = text.strip_prefix(b"(")?;
    let mut escaped = false;
    for (at, b) in inside.iter().enumerate() {
        match b {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b')' => return Some((inside.get(..at)?, inside.get(at + 1..)?)),
            b'(' => return None,
            _ => {}
        }
    }
    None
}

fn keep(counters: &mut Counters, name: &[u8], value: &[u8]) {
    let Ok(name) = std::str::from_utf8(name) else { return };
    let name = OLD_NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
    let (negative, digits) = match value.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, value),
    };
    let parsed = number(digits).filter(|(_, rest)| rest.is_empty()).and_then(|(n, _)| i64::try_from(n).ok());
    if let (Some(slot), Some(n)) = (counters.slot(name), parsed) {
        *slot = Some(if negative { -n } else { n }).into();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_in_display_names_are_passed_over() {
        let text = br"{(g)(Map-Reduce Framework)[(CPU_MILLISECONDS)(CPU time spent \(ms\))(260)][(SPILLED_RECORDS)(Spilled Records)(-3)]}{(FileSystemCounters)(F)[(HDFS_BYTES_READ)(HDFS_BYTES_READ)(9)]}";
        let counters = compact(text);
        assert_eq!(
            (counters.cpu_ms.get(), counters.spilled_records.get(), counters.hdfs_read.get()),
            (Some(260), Some(-3), Some(9))
        );
    }

    #[test]
    fn name_without_its_end_costs_no_other() {
        let text = b"{(g)(g)[(cut[(CPU_MILLISECONDS)(x)(26[(SPILLED_RECORDS)(x)(3)][(HDFS_BYTES_READ)(x[(y)(z)(9)]}";
        let counters = compact(text);
        assert_eq!(
            (counters.cpu_ms.get(), counters.spilled_records.get(), counters.hdfs_read.get()),
            (None, Some(3), None)
        );
        assert_eq!(parenthesised(b"(cut[(name)(x)"), None, "the name behind it is not its end");
    }

    #[test]
    fn memory_is_read_where_it_is_counted() {
        let text =
            b"{(g)(Map-Reduce Framework)[(PHYSICAL_MEMORY_BYTES)(Physical memory \\(bytes\\) snapshot)(314572800)]}";
        assert_eq!(physical_memory(text), Some(314_572_800));
        assert_eq!(physical_memory(b"{(g)(g)[(GC_TIME_MILLIS)(x)(3)]}"), None);
    }

    #[test]
    fn old_display_names_are_known() {
        let counters = compact(b"File Systems.HDFS bytes read:12,Map-Reduce Framework.Map output bytes:7");
        assert_eq!(
            (counters.hdfs_read.get(), counters.map_output.get(), counters.file_read.get()),
            (Some(12), Some(7), None)
        );
    }
}
