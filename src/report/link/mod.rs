//! Links: a report in the fragment of a URL (which browsers never send to a server).
//!
//! ```text
//! #r=2.AAAAEC…   "#r=" version "." base64url( length u32 BE | CRC-32 BE | deflate(JSON) )
//! #r=1.AAEC…     the first version: length u16
//! ```
//! The length tells a cut link from a damaged one, and how much of it arrived. The JSON is
//! the report's own schema, so that later versions read older links; what does not fit into
//! the [`Size`] asked for is left out step by step ([`RUNGS`]), the verdict itself last, and
//! the link says what was left out. Hostile links meet caps, not memory.

use super::Report;
use super::json::{self, Layout};
use super::rungs::{ALL_BUT_OUTCOME, RUNGS, clip_texts, known, round_scores};
use crate::base::crc::crc32;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use flate2::{Compression, read::DeflateDecoder, write::DeflateEncoder};
use serde::{Deserialize, Serialize};
use std::io::{Read, Write};

/// How much a link may carry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Size {
    /// The verdict with its grounds: chats, mail and QR codes carry this much.
    #[default]
    Verdict,
    /// With the nodes' scores and the most telling figures: mail and most ticket systems.
    Report,
    /// With what most figures are drawn from: files, wikis, some ticket systems.
    Full,
}

impl Size {
    /// All of them, the shortest first.
    pub const ALL: [Self; 3] = [Self::Verdict, Self::Report, Self::Full];

    /// Characters of the fragment at most.
    #[must_use]
    pub const fn max_characters(self) -> usize {
        match self {
            Self::Verdict => MAX_CHARACTERS,
            Self::Report => 8_000,
            // A month of 64 nodes and 1,373 jobs (T21), each cell of it, takes 79,000.
            Self::Full => 80_000,
        }
    }

    /// The name in options.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Report => "report",
            Self::Full => "full",
        }
    }
}

/// The verdict link is never longer.
pub const MAX_CHARACTERS: usize = 2_000;
/// What is left to a fragment behind an address that is long itself.
const LEAST_CHARACTERS: usize = 1_500;
/// What the fragment begins with.
pub const PREFIX: &str = "#r=";
/// Version of the layout above.
pub const VERSION: u32 = 2;
/// Bytes of the length: the first version's and this one's.
const LENGTH_BYTES: [usize; 2] = [2, 4];
/// Bytes of the checksum.
const CRC_BYTES: usize = 4;
/// A report has fewer bytes than so many times the characters of its link: 8 to 13 times where it is whole, and
/// its files alone, of which there are thousands, 33 times.
const MOST_DEFLATED: usize = 48;
/// Links are read up to this many characters: the longest that are made, and what a later
/// build of this version may add.
const READ_CHARACTERS: usize = 1_000_000;
/// A link inflates to this at most: 80,000 characters of honest JSON reach a quarter of it.
const INFLATE_LIMIT: u64 = 4 << 20;

/// A link and what it carries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkOf {
    /// The whole fragment, `#r=…`.
    pub fragment: String,
    /// What was left out to keep it short.
    pub left_out: Vec<String>,
}

/// Why a fragment is no report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// It does not begin as one.
    #[error("this is not a report link")]
    NotALink,
    /// Made by a later version.
    #[error(
        "the link was made by a newer oddnode (link version {found}, this one reads up to {known}); reload the page or open it where it was made"
    )]
    Newer {
        /// Its version.
        found: u32,
        /// The newest known.
        known: u32,
    },
    /// Its end is missing.
    #[error("truncated: {found} of {expected} characters received; copy the whole link again")]
    Truncated {
        /// Characters there.
        found: usize,
        /// Characters announced.
        expected: usize,
    },
    /// So much is missing that not even its length is there.
    #[error("truncated: {found} characters received, the rest is missing; copy the whole link again")]
    Stub {
        /// Characters there.
        found: usize,
    },
    /// No link of ours is so long.
    #[error("too long: {found} characters received, links have up to {most}; open the report's file instead")]
    TooLong {
        /// Characters there.
        found: usize,
        /// The most that are read.
        most: usize,
    },
    /// It does not fit its checksum.
    #[error("damaged: {found} characters received, but some were changed on the way; copy the link again")]
    Damaged {
        /// Characters there.
        found: usize,
    },
}

#[derive(Debug, Serialize, Deserialize)]
struct Payload {
    #[serde(rename = "r")]
    report: Report,
    #[serde(rename = "x", default)]
    left_out: Vec<String>,
}

impl Payload {
    /// What is made into a link; what it was opened from may have left something out already.
    fn of(report: &Report) -> Self {
        let mut report = report.clone();
        let left_out = std::mem::take(&mut report.left_out);
        Self { report, left_out }
    }
}

/// The verdict link of a report: at most [`MAX_CHARACTERS`], whatever the report.
#[must_use]
pub fn encode(report: &Report) -> LinkOf {
    encode_within(report, Size::Verdict).0
}

/// The link of a report in a size, and the report as it stands in it.
#[must_use]
pub fn encode_within(report: &Report, size: Size) -> (LinkOf, Report) {
    encode_behind(report, size, 0)
}

/// The same behind an address of so many characters, which count too.
#[must_use]
pub fn encode_behind(report: &Report, size: Size, address: usize) -> (LinkOf, Report) {
    let most = size.max_characters().saturating_sub(address).max(LEAST_CHARACTERS);
    let mut payload = Payload::of(report);
    round_scores(&mut payload.report);
    let mut fragment = fragment_within(&payload, most);
    for (name, leave_out) in RUNGS {
        if fragment.is_some() {
            break;
        }
        let before = payload.report.clone();
        leave_out(&mut payload.report);
        if payload.report != before {
            payload.left_out.retain(|left| left != name);
            payload.left_out.push((*name).to_owned());
            fragment = fragment_within(&payload, most);
        }
    }
    let fragment = fragment.unwrap_or_else(|| {
        payload = Payload { report: outline(report), left_out: vec![ALL_BUT_OUTCOME.to_owned()] };
        fragment_of(&payload)
    });
    let Payload { mut report, left_out } = payload;
    report.left_out.clone_from(&left_out);
    (LinkOf { fragment, left_out }, report)
}

/// The link that nothing is left out of, however long: for files, which have no limit.
#[must_use]
pub fn encode_whole(report: &Report) -> String {
    fragment_of(&Payload::of(report))
}

/// What always fits: the outcome and the beginning of the sentence.
fn outline(report: &Report) -> Report {
    let mut least = Report { format: super::FORMAT.into(), version: super::VERSION, ..Report::default() };
    least.pseudonyms.clone_from(&report.pseudonyms);
    least.verdict.outcome = report.verdict.outcome;
    least.verdict.sentence = report.verdict.sentence.clone();
    clip_texts(&mut least);
    least
}

/// The fragment, if it has no more characters; what is very long is not deflated to find that out.
fn fragment_within(payload: &Payload, most: usize) -> Option<String> {
    let json = json::text_within(payload, Layout::Compact, MOST_DEFLATED * most)?;
    Some(fragment_of_json(&json)).filter(|fragment| fragment.len() <= most)
}

fn fragment_of(payload: &Payload) -> String {
    fragment_of_json(json::text(payload, Layout::Compact).as_bytes())
}

fn fragment_of_json(json: &[u8]) -> String {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    // Writing to a Vec does not fail.
    let _ = encoder.write_all(json);
    let body = encoder.finish().unwrap_or_default();
    let length = u32::try_from(body.len()).unwrap_or(u32::MAX);
    let mut bytes = Vec::with_capacity(2 * CRC_BYTES + body.len());
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(&crc32(&body).to_be_bytes());
    bytes.extend_from_slice(&body);
    format!("{PREFIX}{VERSION}.{}", URL_SAFE_NO_PAD.encode(bytes))
}

/// Reads what [`encode`] wrote, in this or an earlier version: the report and what was left
/// out of it.
///
/// # Errors
/// [`LinkError`] says whether the fragment is no link, too new, cut or damaged.
pub fn decode(fragment: &str) -> Result<Report, LinkError> {
    decode_within(fragment, READ_CHARACTERS, INFLATE_LIMIT)
}

/// The same for what files carry, which has no limit of characters but the file's own.
///
/// # Errors
/// As of [`decode`].
pub fn decode_whole(fragment: &str) -> Result<Report, LinkError> {
    decode_within(fragment, usize::MAX, super::file::LIMIT_BYTES as u64)
}

/// Whether a character is one of those that a link's body has.
pub(super) const fn is_base64url(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'
}

/// A link, or a part of one, without the full stop or bracket that a text has behind it.
pub(super) fn without_marks(text: &str) -> &str {
    text.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))
}

fn decode_within(fragment: &str, characters: usize, inflated: u64) -> Result<Report, LinkError> {
    // Chats put a full stop or a bracket behind a link, and lines may wrap inside it.
    let kept: String = fragment.chars().filter(|c| !c.is_whitespace()).collect();
    let rest = kept.strip_prefix(PREFIX).ok_or(LinkError::NotALink)?;
    // Behind it the page's address says what is looked at.
    let rest = without_marks(rest.split('&').next().unwrap_or_default());
    let found = PREFIX.len() + rest.chars().count();
    if found > characters {
        return Err(LinkError::TooLong { found, most: characters });
    }
    let (version, body) = rest.split_once('.').unwrap_or((rest, ""));
    if version.is_empty() {
        return Err(LinkError::Stub { found });
    }
    let version: u32 = version.parse().map_err(|_| LinkError::Damaged { found })?;
    if version > VERSION {
        return Err(LinkError::Newer { found: version, known: VERSION });
    }
    let index = usize::try_from(version).ok().and_then(|version| version.checked_sub(1));
    let Some(length_bytes) = index.and_then(|i| LENGTH_BYTES.get(i)).copied() else {
        return Err(LinkError::Damaged { found });
    };
    if !body.is_ascii() {
        return Err(LinkError::Damaged { found });
    }
    // What a cut leaves over, less than a whole byte, is not decoded.
    let whole = if body.len() % 4 == 1 { body.len() - 1 } else { body.len() };
    let damaged = |_| LinkError::Damaged { found };
    let bytes = lenient().decode(body.get(..whole).unwrap_or_default()).map_err(damaged)?;
    let Some((length, bytes)) = bytes.split_at_checked(length_bytes) else { return Err(LinkError::Stub { found }) };
    let length = length.iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
    let header = length_bytes + CRC_BYTES;
    let expected = (header.saturating_add(length)).saturating_mul(4).div_ceil(3);
    let expected = expected.saturating_add(PREFIX.len() + rest.len() - body.len());
    if found < expected {
        return Err(LinkError::Truncated { found, expected });
    }
    let Some((crc, deflated)) = bytes.split_first_chunk::<CRC_BYTES>() else {
        return Err(LinkError::Damaged { found });
    };
    if deflated.len() != length || crc32(deflated) != u32::from_be_bytes(*crc) {
        return Err(LinkError::Damaged { found });
    }
    let mut json = Vec::new();
    let read = DeflateDecoder::new(deflated).take(inflated + 1).read_to_end(&mut json);
    if read.is_err() || json.len() as u64 > inflated {
        return Err(LinkError::Damaged { found });
    }
    // The first version's report lacks fields, which have defaults; nothing else changed.
    let Payload { mut report, left_out } = serde_json::from_slice(&json).map_err(|_| LinkError::Damaged { found })?;
    if !super::file::plausible(&report) {
        return Err(LinkError::Damaged { found });
    }
    report.left_out = known(left_out);
    Ok(report)
}

/// Base64url that accepts the odd bits which a cut in the middle of a byte leaves: whether
/// the link is whole is for its length and checksum to say.
fn lenient() -> base64::engine::GeneralPurpose {
    use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
    let config = GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent);
    GeneralPurpose::new(&base64::alphabet::URL_SAFE, config)
}

#[cfg(test)]
mod tests;
