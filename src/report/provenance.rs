//! What made a report, and of what, so that somebody else with the same logs can make it again and see that they are
//! the same. How: [`super::ticket::command`].

use crate::base::quantity::{self, counted};
use crate::model::Content;
use serde::{Deserialize, Serialize};

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

    /// For people; nothing where it is not of the form that this program writes.
    #[must_use]
    pub fn in_words(&self) -> Option<String> {
        let is_version = self.version.split('.').all(|part| part.parse::<u16>().is_ok());
        let is_mark = self.content.len() == 16 && self.content.bytes().all(|digit| digit.is_ascii_hexdigit());
        (is_version && is_mark).then(|| {
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
        assert_eq!(Provenance { version: String::from("call 555"), ..made.clone() }.in_words(), None);
        assert_eq!(Provenance { content: String::from("call 555 now, ok"), ..made }.in_words(), None);
    }
}
