//! Bytes that are held until all that is wanted has come: headers, lengths, checksums.

/// Gathers bytes up to `wanted`; gives how many were taken, and whether all are there.
pub(super) fn gather(held: &mut Vec<u8>, bytes: &[u8], wanted: usize) -> (usize, bool) {
    let taken = wanted.saturating_sub(held.len()).min(bytes.len());
    held.extend_from_slice(bytes.get(..taken).unwrap_or_default());
    (taken, held.len() >= wanted)
}

/// [`gather`] off the front of `bytes`; gives whether all are there.
pub(super) fn gather_off(held: &mut Vec<u8>, bytes: &mut &[u8], wanted: usize) -> bool {
    let (taken, whole) = gather(held, bytes, wanted);
    *bytes = bytes.get(taken..).unwrap_or_default();
    whole
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_is_taken_piece_by_piece_and_no_more() {
        let mut held = Vec::new();
        assert_eq!(gather(&mut held, b"ab", 3), (2, false));
        let mut bytes = &b"cd"[..];
        assert!(gather_off(&mut held, &mut bytes, 3));
        assert_eq!((held.as_slice(), bytes), (&b"abc"[..], &b"d"[..]));
        assert_eq!(gather(&mut held, bytes, 2), (0, true), "more is held than is wanted");
    }
}
