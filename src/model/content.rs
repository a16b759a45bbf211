//! What was read, as a mark: whoever has the same logs gets the same one, however they are named or packed.

use super::digest::{ARCHIVE, DIGEST, DIGEST_LINES, Digest};
use crate::base::math::mixed;
use serde::{Deserialize, Serialize};

/// The logs of an input, told by what is in them alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// How many logs.
    pub files: u64,
    /// Their length, unpacked.
    pub bytes: u64,
    /// The sum of a mark of each one, made of its length and its CRC-32.
    pub mark: u64,
}

impl Content {
    /// That of all logs of a digest: archives, and digests that it was merged of, are none.
    #[must_use]
    pub fn of(digest: &Digest) -> Self {
        let logs = digest.files().filter(|(_, file)| !matches!(file.format.as_str(), ARCHIVE | DIGEST | DIGEST_LINES));
        logs.fold(Self::default(), |content, (key, _)| content.with(key.bytes, key.crc))
    }

    /// A log more. Sums are the same in any order.
    const fn with(self, bytes: u64, crc: u32) -> Self {
        Self {
            files: self.files + 1,
            bytes: self.bytes.saturating_add(bytes),
            mark: self.mark.wrapping_add(mixed((crc as u64) << 32 ^ bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{FileDigest, FileKey};

    fn of(files: &[(&str, u64, u32)]) -> Content {
        let mut digest = Digest::default();
        for (path, bytes, crc) in files {
            digest.insert(FileKey { path: (*path).to_owned(), bytes: *bytes, crc: *crc }, FileDigest::default());
        }
        let archive = FileDigest { format: ARCHIVE.to_owned(), ..FileDigest::default() };
        digest.insert(FileKey { path: String::from("a.tar.gz"), bytes: 0, crc: 0 }, archive);
        Content::of(&digest)
    }

    #[test]
    fn names_and_order_say_nothing() {
        let here = of(&[("a.tar.gz/h1/x.log", 7, 1), ("a.tar.gz/h2/x.log", 9, 2)]);
        assert_eq!(here, of(&[("logs/y", 9, 2), ("logs/z", 7, 1)]));
        assert_eq!((here.files, here.bytes), (2, 16));
    }

    #[test]
    fn another_byte_is_another_mark() {
        let here = of(&[("x", 7, 1), ("y", 9, 2)]);
        for other in [of(&[("x", 7, 2), ("y", 9, 1)]), of(&[("x", 7, 1), ("y", 9, 3)]), of(&[("x", 7, 1)])] {
            assert_ne!(here.mark, other.mark);
        }
        assert_ne!(of(&[("x", 7, 1), ("y", 7, 1)]).mark, of(&[("x", 7, 1)]).mark);
    }
}
