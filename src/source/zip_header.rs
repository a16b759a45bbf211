//! The fixed parts of a zip: where each number stands in its headers (APPNOTE 4.3, 4.5).
//! All numbers are little-endian; a number that is not there reads as zero.

use std::borrow::Cow;

const MEMBER: &[u8] = b"PK\x03\x04";
const DIRECTORY: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const END_64: &[u8] = b"PK\x06\x06";
const LOCATOR_64: &[u8] = b"PK\x06\x07";
/// What begins a descriptor; writers may leave it out.
pub(super) const DESCRIPTOR: &[u8] = b"PK\x07\x08";

/// Bytes of a member's header before its name.
const MEMBER_BYTES: usize = 30;
/// Bytes of a directory's entry before its name.
const DIRECTORY_BYTES: usize = 46;
/// Bytes of the end before its comment.
const END_BYTES: usize = 22;
/// Bytes of the 64-bit end up to its length.
const END_64_BYTES: usize = 12;
const LOCATOR_64_BYTES: usize = 20;
/// Bytes of the longest descriptor: with signature, sizes of 64 bits. What follows it,
/// a header or the directory with its end, is longer, so as much is always there.
pub(super) const DESCRIPTOR_64_BYTES: usize = 24;
/// In place of a size that stands in the extra field.
const IN_EXTRA: u64 = 0xffff_ffff;
/// The extra field with sizes of 64 bits.
const EXTRA_64: usize = 1;

/// What a header is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Member,
    Directory,
    End,
    End64,
    Locator64,
}

/// What an archive tells of a member's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) packed: u64,
    pub(super) unpacked: u64,
    pub(super) crc: u32,
}

/// What matters of a member's flags.
pub(super) struct Flags {
    pub(super) encrypted: bool,
    pub(super) sizes_behind: bool,
}

/// What `held` is the beginning of.
pub(super) fn kind(held: &[u8]) -> Option<Kind> {
    match held.get(..MEMBER.len())? {
        MEMBER => Some(Kind::Member),
        DIRECTORY => Some(Kind::Directory),
        END => Some(Kind::End),
        END_64 => Some(Kind::End64),
        LOCATOR_64 => Some(Kind::Locator64),
        _ => None,
    }
}

/// How long a header is, as far as `held` tells.
pub(super) fn wanted(held: &[u8]) -> usize {
    let lengths = |at: &[usize]| at.iter().map(|at| u16_at(held, *at)).sum::<usize>();
    let (fixed, variable): (usize, &[usize]) = match kind(held) {
        Some(Kind::Member) => (MEMBER_BYTES, &[26, 28]),
        Some(Kind::Directory) => (DIRECTORY_BYTES, &[28, 30, 32]),
        Some(Kind::End) => (END_BYTES, &[20]),
        Some(Kind::End64) => (END_64_BYTES, &[]),
        Some(Kind::Locator64) => (LOCATOR_64_BYTES, &[]),
        None => (MEMBER.len(), &[]),
    };
    if held.len() < fixed { fixed } else { fixed + lengths(variable) }
}

/// The name in a member's header, as far as it is there.
pub(super) fn name(header: &[u8]) -> Option<&[u8]> {
    let rest = header.get(MEMBER_BYTES..)?;
    Some(rest.get(..u16_at(header, 26)).unwrap_or(rest))
}

/// A member's name with `/` between its folders, as APPNOTE 4.4.17 has it: PowerShell's `Compress-Archive` sets `\`.
pub(super) fn slashed(name: &[u8]) -> Cow<'_, [u8]> {
    if name.contains(&b'/') || !name.contains(&b'\\') {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect())
}

pub(super) fn method(header: &[u8]) -> u16 {
    u16::try_from(u16_at(header, 8)).unwrap_or(u16::MAX)
}

pub(super) fn flags(header: &[u8]) -> Flags {
    let bits = u16_at(header, 6);
    Flags { encrypted: bits & 1 != 0, sizes_behind: bits & 8 != 0 }
}

/// Sizes and checksum in a member's header.
pub(super) fn sizes(header: &[u8]) -> Sizes {
    let crc = u32::try_from(number(header, 14, 4)).unwrap_or(0);
    let (mut packed, mut unpacked) = (number(header, 18, 4), number(header, 22, 4));
    let mut extra = header.get(MEMBER_BYTES + u16_at(header, 26)..).unwrap_or_default();
    while extra.len() >= 4 {
        let (id, length) = (u16_at(extra, 0), u16_at(extra, 2));
        let field = extra.get(4..).unwrap_or_default();
        if id == EXTRA_64 {
            // Only those stand there that do not fit into the header.
            let mut at = 0;
            for size in [&mut unpacked, &mut packed] {
                if *size == IN_EXTRA && field.len() >= at + 8 {
                    *size = number(field, at, 8);
                    at += 8;
                }
            }
        }
        extra = field.get(length..).unwrap_or_default();
    }
    Sizes { packed, unpacked, crc }
}

/// The rest of the 64-bit end behind its length.
pub(super) fn end_64_bytes(header: &[u8]) -> u64 {
    number(header, 4, 8)
}

/// What `held` may be as a descriptor, with its length: sizes of 32 and of 64 bits.
pub(super) fn descriptor(held: &[u8], signed: bool) -> impl Iterator<Item = (Sizes, usize)> + use<> {
    let from = if signed { DESCRIPTOR.len() } else { 0 };
    let fits = !signed || held.starts_with(DESCRIPTOR);
    let read = |width: usize| {
        let crc = u32::try_from(number(held, from, 4)).unwrap_or(0);
        let sizes =
            Sizes { packed: number(held, from + 4, width), unpacked: number(held, from + 4 + width, width), crc };
        (sizes, from + 4 + 2 * width)
    };
    [read(4), read(8)].into_iter().filter(move |_| fits)
}

/// Whether what stands at `at` of `held` may be a header, as far as it is there: zeros
/// read as sizes of 32 bits and of 64 bits alike.
pub(super) fn may_follow(held: &[u8], at: usize) -> bool {
    held.get(at..).unwrap_or_default().iter().zip(b"PK").all(|(a, b)| a == b)
}

/// Where a descriptor may begin, be it cut by the end; the length if nowhere.
pub(super) fn find_descriptor(bytes: &[u8]) -> usize {
    if let Some(at) = memchr::memmem::find(bytes, DESCRIPTOR) {
        return at;
    }
    let cut = (1..DESCRIPTOR.len()).rev().find(|n| DESCRIPTOR.get(..*n).is_some_and(|start| bytes.ends_with(start)));
    bytes.len() - cut.unwrap_or(0)
}

fn number(bytes: &[u8], at: usize, width: usize) -> u64 {
    let digits = bytes.get(at..at + width).unwrap_or_default();
    digits.iter().rev().fold(0, |sum, digit| sum << 8 | u64::from(*digit))
}

fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::try_from(number(bytes, at, 2)).unwrap_or(0)
}
