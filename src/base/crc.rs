//! CRC-32 as gzip, zip and xz have it (ISO 3309). zlib-rs works it out, which is there to inflate anyway.

pub use flate2::Crc;

/// Of these bytes.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_value() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn pieces_have_the_sum_of_the_whole() {
        let bytes: Vec<u8> = (0..1_000_u32).map(|i| (i * i % 251) as u8).collect();
        for cut in [0, 1, 63, 64, 999, 1_000] {
            let mut crc = Crc::new();
            let (first, rest) = bytes.split_at(cut);
            crc.update(first);
            crc.update(rest);
            assert_eq!(crc.sum(), crc32(&bytes));
        }
    }
}
