//! The records of a tar's pax headers (POSIX.1-2017, pax, "pax Extended Header").
//!
//! ```text
//! 16 path=d/x.log\n12 size=700\n        how long the record is, all of it; key; value
//! ```
//! A value may hold anything, newlines too, so only the length tells where it ends.
//! Cost: O(bytes).

use crate::base::ids::number;

/// The records' keys and values, in order; a damaged record ends them.
pub(super) fn records(mut left: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    std::iter::from_fn(move || {
        let (key, value, behind) = record(left)?;
        left = behind;
        Some((key, value))
    })
}

/// The first record's key and value, and what is behind it.
fn record(records: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, told) = number(records)?;
    let (record, behind) = records.split_at_checked(usize::try_from(length).ok()?)?;
    let text = record.get(records.len() - told.len()..)?.strip_prefix(b" ")?.strip_suffix(b"\n")?;
    let equals = memchr::memchr(b'=', text)?;
    Some((text.get(..equals)?, text.get(equals + 1..)?, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told(bytes: &[u8]) -> Vec<(&str, &str)> {
        let text = |bytes| std::str::from_utf8(bytes).unwrap();
        records(bytes).map(|(key, value)| (text(key), text(value))).collect()
    }

    #[test]
    fn records_end_where_their_length_says() {
        assert_eq!(told(b"17 path=d/x.log\n\n10 size=7\n"), [("path", "d/x.log\n"), ("size", "7")]);
        assert_eq!(told(b"19 comment=9 a=b\nc\n10 size=7\n"), [("comment", "9 a=b\nc"), ("size", "7")]);
        assert_eq!(told(b"8 size=\n9 a=b=c\n\n"), [("size", ""), ("a", "b=c\n")]);
    }

    #[test]
    fn a_damaged_record_ends_them() {
        let whole = b"17 path=d/x.log\n\n10 size=7\n";
        for cut in 17..whole.len() {
            assert_eq!(told(&whole[..cut]), [("path", "d/x.log\n")], "cut at {cut}");
        }
        for lie in [
            "",
            "x",
            "0 ",
            "2 ",
            "3 =",
            "4 a=\n",
            "5 a= \n",
            "7 a=b\nc",
            "6 abc\n",
            "6\ta=b\n",
            "99999999999999999999 a=b\n",
        ] {
            let text = format!("10 size=7\n{lie}10 size=8\n");
            assert_eq!(told(text.as_bytes())[0], ("size", "7"));
            assert_eq!(records(lie.as_bytes()).count(), 0, "{lie:?}");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_taken(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            records(&bytes).for_each(drop);
        }
    }
}
