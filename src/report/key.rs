//! The key of a report's pseudonyms, and the key file that turns them back.
//!
//! The key orders the names before they are numbered, so that a number says nothing about a
//! name; it is drawn by the shells (browser or operating system), never here. The key file
//! stays with the sender:
//!
//! ```json
//! {"format":"oddnode-key","version":1,"id":"3fa2c1d0","key":"…","names":{"node-01":"h103"}}
//! ```

use super::Report;
use super::json::{self, Layout};
use super::words::replaced;
use crate::base::Arrange;
use crate::base::text::without_bom;
use hmac::{Hmac, KeyInit, Mac};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::Sha256;
use std::collections::BTreeMap;

/// Value of [`KeyFile::format`].
pub const FORMAT: &str = "oddnode-key";
/// Value of [`KeyFile::version`].
pub const VERSION: u32 = 1;
/// Bytes of a key: as many as nobody tries out.
pub const KEY_BYTES: usize = 16;
/// A key file is never longer: it names each node, job and file once.
pub const LIMIT_BYTES: usize = 64 << 20;

/// A key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

/// Without the key: a log must not tell it.
impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(…)")
    }
}

/// Why a file is no key, or not this report's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It is something else.
    #[error("this is no oddnode key file")]
    NotAKey,
    /// Made by a later version.
    #[error("the key file was made by a newer oddnode (version {found}, this one reads up to {known})")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest known.
        known: u32,
    },
    /// It is one, and broken.
    #[error("the key file is damaged: {why}")]
    Damaged {
        /// What is wrong with it.
        why: String,
    },
    /// It is another report's.
    #[error("this key ({key}) is not the one of this report ({report}); ask its sender for the right one")]
    OfAnother {
        /// The key's mark.
        key: String,
        /// The report's.
        report: String,
    },
    /// The report has real names.
    #[error("this report has real names already; it needs no key")]
    NotNeeded,
}

impl Key {
    /// A key of random bytes.
    #[must_use]
    pub const fn from_random(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// The codes of names of a class.
    fn coder(&self, class: &str) -> impl Fn(&str) -> [u8; 32] + use<> {
        let begun = Hmac::<Sha256>::new_from_slice(&self.0).ok().map(|mac| mac.chain_update(class).chain_update([0]));
        // A key of any length is one.
        move |name| begun.clone().map_or([0; 32], |mac| mac.chain_update(name).finalize().into_bytes().into())
    }

    /// The mark of this key with these names: tells keys and reports apart and gives neither
    /// away. One key may serve several reports, whose numbers stand for other names.
    #[must_use]
    pub fn id(&self, names: &BTreeMap<String, String>) -> String {
        let all: String = names.iter().map(|(alias, real)| format!("{alias}\n{real}\n")).collect();
        self.coder("id")(&all).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Names in an order that only the key knows.
    pub(super) fn shuffled<'a>(&self, class: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
        let code = self.coder(class);
        let mut coded: Vec<([u8; 32], &str)> = names.into_iter().map(|name| (code(name), name)).collect();
        coded.arrange(Ord::cmp);
        coded.dedup();
        coded.into_iter().map(|(_, name)| name).collect()
    }

    fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn of_hex(text: &str) -> Option<Self> {
        let mut bytes = [0; KEY_BYTES];
        if text.len() != 2 * KEY_BYTES {
            return None;
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok()?;
        }
        Some(Self(bytes))
    }
}

/// What turns pseudonyms into names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyFile {
    /// Always [`FORMAT`].
    pub format: String,
    /// Layout version.
    pub version: u32,
    /// The key's mark, as reports carry it.
    pub id: String,
    /// The key, in hexadecimal.
    pub key: String,
    /// Real names by pseudonym.
    pub names: BTreeMap<String, String>,
}

/// What a file that may be a later version's surely has.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u32,
}

impl KeyFile {
    /// The file of a key with the names that it hides.
    #[must_use]
    pub fn new(key: &Key, names: BTreeMap<String, String>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, id: key.id(&names), key: key.hex(), names }
    }

    /// Whether bytes look like a key file.
    #[must_use]
    pub fn is_one(head: &[u8]) -> bool {
        let head = without_bom(head);
        let head = head.get(..64).unwrap_or(head);
        head.trim_ascii_start().starts_with(b"{") && head.windows(FORMAT.len()).any(|w| w == FORMAT.as_bytes())
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = json::text(self, Layout::Indented);
        text.push('\n');
        text
    }

    /// Reads a key file.
    ///
    /// # Errors
    /// [`KeyError`] says whether it is none, too new, or damaged.
    pub fn decode(bytes: &[u8]) -> Result<Self, KeyError> {
        if !Self::is_one(bytes) || bytes.len() > LIMIT_BYTES {
            return Err(KeyError::NotAKey);
        }
        let bytes = without_bom(bytes);
        let damaged = |e: serde_json::Error| KeyError::Damaged { why: e.to_string() };
        let head: Head = serde_json::from_slice(bytes).map_err(damaged)?;
        if head.format != FORMAT {
            return Err(KeyError::NotAKey);
        }
        if head.version > VERSION {
            return Err(KeyError::Newer { found: head.version, known: VERSION });
        }
        let file: Self = serde_json::from_slice(bytes).map_err(damaged)?;
        let key = file
            .key()
            .ok_or_else(|| KeyError::Damaged { why: String::from("its key is not 32 hexadecimal digits") })?;
        if key.id(&file.names) != file.id {
            return Err(KeyError::Damaged { why: String::from("its mark is not that of its key and names") });
        }
        Ok(file)
    }

    /// The key.
    #[must_use]
    pub fn key(&self) -> Option<Key> {
        Key::of_hex(&self.key)
    }

    /// The report with real names.
    ///
    /// # Errors
    /// [`KeyError`] if it is another report's key.
    pub fn reveal(&self, report: &Report) -> Result<Report, KeyError> {
        let Some(id) = &report.pseudonyms else { return Err(KeyError::NotNeeded) };
        if *id != self.id {
            return Err(KeyError::OfAnother { key: self.id.clone(), report: id.clone() });
        }
        let damaged = |e: serde_json::Error| KeyError::Damaged { why: e.to_string() };
        let mut value = json::value_of(report);
        self.rename(&mut value);
        let mut named: Report = json::from_value(&value).map_err(damaged)?;
        named.pseudonyms = None;
        // In order of name, as the pseudonyms were.
        named.sort_by_name();
        Ok(named)
    }

    fn rename(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.rename_text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.rename(item)),
            Value::Object(fields) => {
                for (name, mut field) in std::mem::take(fields) {
                    self.rename(&mut field);
                    fields.insert(self.rename_text(&name), field);
                }
            }
            _ => {}
        }
    }

    fn rename_text(&self, text: &str) -> String {
        replaced(text, |word| self.names.get(word).map_or(word, String::as_str))
    }
}
