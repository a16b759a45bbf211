//! A digest as text, one line a file: what passes through Hadoop Streaming, whose records are
//! lines of a key, a tab and a value.
//!
//! ```text
//! ODDNODE-DIGEST:logs/h101/hadoop-tasktracker.log<TAB>T0ROT0RFLURJR0VTVAoD…
//! ```
//! The key is the file's path, so that all readings of a file come to one reducer; the value
//! is the digest of that file alone, in base64. Lines merge in any order.

use super::{Digest, DigestError, FileDigest, FileKey};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How each line begins.
pub const LINE_PREFIX: &[u8] = b"ODDNODE-DIGEST:";

/// The line of a file, without its end.
#[must_use]
pub fn line_of(key: &FileKey, file: &FileDigest) -> String {
    let mut digest = Digest::default();
    digest.insert(key.clone(), file.clone());
    // A path may hold what ends a key or a line; the key only has to be the same for the same.
    let path = key.path.replace(|c: char| c.is_control(), " ");
    format!("ODDNODE-DIGEST:{path}\t{}", STANDARD.encode(digest.encode()))
}

/// Gives what a line holds, file by file as long as `each` wants more, and says what is wrong with it, as
/// [`Digest::each_whole`].
pub fn each_of_line(line: &[u8], each: &mut dyn FnMut(FileKey, FileDigest) -> bool) -> Option<DigestError> {
    match value_of(line) {
        // Whoever reads lines knows which it is; a byte of what it encodes would name no place.
        Ok(bytes) => Digest::each_whole(&bytes, each).map(|why| match why {
            DigestError::Damaged { .. } => DigestError::Damaged { at: None },
            other => other,
        }),
        Err(why) => Some(why),
    }
}

/// The digest's bytes that a line holds.
fn value_of(line: &[u8]) -> Result<Vec<u8>, DigestError> {
    let rest = line.strip_prefix(LINE_PREFIX).ok_or(DigestError::NotADigest)?;
    // Hadoop's text files end their lines with \n; an editor may have added \r.
    let rest = rest.trim_ascii_end();
    let tab = memchr::memrchr(b'\t', rest).ok_or(DigestError::Cut { found: line.len() as u64, expected: None })?;
    let value = rest.get(tab + 1..).unwrap_or_default();
    STANDARD.decode(value).map_err(|_| DigestError::Damaged { at: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> (FileKey, FileDigest) {
        let file = FileDigest { format: String::from("tasktracker"), lines: 3, ..FileDigest::default() };
        (FileKey { path: path.to_owned(), bytes: 7, crc: 9 }, file)
    }

    fn read_line(line: &[u8]) -> Result<Digest, DigestError> {
        let mut digest = Digest::default();
        let trouble = each_of_line(line, &mut |key, file| {
            digest.insert(key, file);
            true
        });
        trouble.map_or(Ok(digest), Err)
    }

    #[test]
    fn a_line_holds_its_file_whatever_its_path() {
        for path in ["logs/h1/a.log", "a\tb\nc.log", ""] {
            let (key, file) = file(path);
            let line = line_of(&key, &file);
            assert_eq!(line.matches('\n').count(), 0);
            let digest = read_line(format!("{line}\r\n").as_bytes()).unwrap();
            assert_eq!(digest.files().collect::<Vec<_>>(), [(&key, &file)]);
        }
    }

    #[test]
    fn a_cut_line_is_an_error() {
        let (key, file) = file("a.log");
        let line = line_of(&key, &file);
        for length in 0..line.len() {
            assert!(read_line(&line.as_bytes()[..length]).is_err(), "{length}");
        }
    }
}
