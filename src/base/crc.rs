//! CRC-32 as gzip, zip and xz have it (ISO 3309). zlib-rs works it out, which is there to inflate anyway.

/// Of bytes that come piece by piece.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crc(u32);

impl Crc {
    /// Of no bytes.
    #[must_use]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(crc32(bytes))
    }

    /// That says so.
    #[must_use]
    pub const fn from_sum(sum: u32) -> Self {
        Self(sum)
    }

    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0 = zlib_rs::crc32::crc32(self.0, bytes);
    }

    /// Takes the next so many bytes, whose sum is known. O(log `bytes`).
    pub const fn combine(&mut self, next: Self, bytes: u64) {
        self.0 = zlib_rs::crc32::crc32_combine(self.0, next.0, bytes);
    }

    /// The sum so far.
    #[must_use]
    pub const fn sum(self) -> u32 {
        self.0
    }
}

/// Of these bytes.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    zlib_rs::crc32::crc32(0, bytes)
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
            let mut combined = crc;
            combined.combine(Crc::of(rest), rest.len() as u64);
            crc.update(rest);
            assert_eq!((crc, combined.sum()), (Crc::of(&bytes), crc32(&bytes)));
        }
    }
}
