//! Numbers in as few bytes as they need: seven bits a byte, the least first; differences zigzag, so
//! that small negative ones are short too.

/// A difference as a number that is small where the difference is.
#[must_use]
pub const fn zigzag(n: i64) -> u64 {
    ((n << 1) ^ (n >> 63)) as u64
}

/// The difference again.
#[must_use]
pub const fn unzigzag(n: u64) -> i64 {
    ((n >> 1) as i64) ^ -((n & 1) as i64)
}

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Takes the number that the bytes begin with; `None` if none is whole. Most are of one byte.
#[inline]
pub fn take(rest: &mut &[u8]) -> Option<u64> {
    match rest.split_first()? {
        (byte, after) if *byte < 0x80 => {
            *rest = after;
            Some(u64::from(*byte))
        }
        _ => take_long(rest),
    }
}

fn take_long(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (byte, after) = rest.split_first()?;
        *rest = after;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_numbers_are_short() {
        for (n, length) in [(0, 1), (-1, 1), (63, 1), (-64, 1), (64, 2), (i64::MIN, 10), (i64::MAX, 10)] {
            let mut bytes = Vec::new();
            put(&mut bytes, zigzag(n));
            assert_eq!(bytes.len(), length, "{n}");
        }
        assert_eq!(take(&mut [0x80].as_slice()), None, "cut");
        assert_eq!(take(&mut [0xff; 11].as_slice()), None, "too long");
    }

    proptest! {
        #[test]
        fn numbers_come_back(numbers in prop::collection::vec(any::<i64>(), 0..20)) {
            let mut bytes = Vec::new();
            numbers.iter().for_each(|n| put(&mut bytes, zigzag(*n)));
            let mut rest = bytes.as_slice();
            let back: Vec<i64> = std::iter::from_fn(|| take(&mut rest).map(unzigzag)).collect();
            prop_assert_eq!(back, numbers);
        }
    }
}
