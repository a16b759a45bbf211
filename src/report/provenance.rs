//! What made a report, and of what, so that somebody else with the same logs can make it again and see that they are
//! the same. How: [`super::ticket::command`].

use crate::base::quantity::{self, counted};
use crate::model::Content;
use serde::{Deserialize, Serialize};

/// A version has up to so many: longer ones may be other numbers.
const VERSION_CHARACTERS: usize = 9;

/// What made a report, and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The program's version.
    pub version: String,
    /// Logs read.
    pub files: u64,
    /// Their length in bytes, unpacked.
    pub bytes: u64,
    /// [`Content::mark`] in 16 hexadecimal digits: of the same logs the same, whatever they are called.
    pub content: String,
}

impl Provenance {
    /// That of a report which this program makes.
    #[must_use]
    pub fn of(content: Content) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: content.files,
            bytes: content.bytes,
            content: format!("{:016x}", content.mark),
        }
    }

    /// Whether it is of the form that this program writes: a version of three numbers, which no address is, and a mark.
    #[must_use]
    pub fn is_ours(&self) -> bool {
        let is_version = self.version.len() <= VERSION_CHARACTERS
            && self.version.split('.').count() == 3
            && self.version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        is_version && self.content.len() == 16 && self.content.bytes().all(|digit| digit.is_ascii_hexdigit())
    }

    /// For people; nothing where it is not of that form.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        self.is_ours().then(|| {
            format!(
                "Made by oddnode {} of {} ({}), content {}.",
                self.version,
                counted(self.files, "log"),
                quantity::bytes(self.bytes as f64),
                self.content
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_wrote_into_it_is_not_said() {
        let made = Provenance::of(Content { files: 2, bytes: 1_500_000, mark: 0xab });
        let version = env!("CARGO_PKG_VERSION");
        let said = format!("Made by oddnode {version} of 2 logs (1.5 MB), content 00000000000000ab.");
        assert_eq!(made.in_words().as_deref(), Some(said.as_str()));
        for version in ["call 555", "10.0.0.7", "1.2", "555.1234.5678", "+1.+2.+3", ""] {
            assert_eq!(Provenance { version: version.to_owned(), ..made.clone() }.in_words(), None, "{version}");
        }
        assert_eq!(Provenance { content: String::from("call 555 now, ok"), ..made }.in_words(), None);
    }
}
