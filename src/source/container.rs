//! The containers that are unpacked, and those that are only known by sight.

use super::unpack::Contents;
use super::{bzip2, gzip, tail, tar, tfile, utf16, xz, yarn_logs, zip, zstd};

/// How much of a stream recognition sees: one tar block…
pub const HEAD_BYTES: usize = 512;
/// …or so much, where a client's own lines come first.
const CLIENT_HEAD_BYTES: usize = 8192;

/// A kind of container.
#[derive(Debug)]
pub struct Container {
    /// What people call it.
    pub name: &'static str,
    /// Whether a stream with this head is one: as many bytes as are [`wanted`], or all that there are.
    pub(super) begins: fn(&[u8]) -> bool,
    /// An unpacker at the beginning of one.
    pub(super) start: fn() -> Box<dyn Unpack>,
}

/// All containers that are unpacked.
pub static CONTAINERS: &[&Container] = &[
    &gzip::CONTAINER,
    &zip::CONTAINER,
    &zstd::CONTAINER,
    &xz::CONTAINER,
    &bzip2::CONTAINER,
    &tfile::CONTAINER,
    &yarn_logs::CONTAINER,
    &utf16::CONTAINER,
    &tail::CONTAINER,
    &tar::CONTAINER,
];

/// Takes a container's bytes, gives its contents.
pub(super) trait Unpack {
    /// The next bytes. Once it has given up, it ignores them.
    fn feed(&mut self, bytes: &[u8], out: &mut Contents<'_, '_>);
    /// The bytes break off: gives what was decoded of what is open.
    fn rest(&mut self, _out: &mut Contents<'_, '_>) {}
    /// There are no more bytes.
    fn finish(&mut self, out: &mut Contents<'_, '_>);
}

/// First bytes of containers that may hold logs and are not unpacked.
static UNREAD: &[&[u8]] = &[
    b"7z\xbc\xaf\x27\x1c",     // 7z
    b"Rar!\x1a\x07",           // rar
    b"\x04\x22\x4d\x18",       // lz4
    b"\xff\x06\x00\x00sNaPpY", // snappy, framed
    b"\x89LZO\x00",            // lzop
    b"\x1f\x9d",               // compress
    b"LZ4Block",               // lz4, in Spark's blocks
    b"\x82SNAPPY\x00",         // snappy, in Spark's blocks
    b"\x5d\x00\x00",           // lzma
];

/// What the head of a stream says about it.
#[derive(Debug)]
pub(super) enum Recognised {
    /// It is unpacked.
    Container(&'static Container),
    /// It is a container that is not unpacked.
    Unread,
    /// It is no container.
    Plain,
}

/// How much of a stream that begins so is wanted before it is told what it is.
pub(super) fn wanted(head: &[u8]) -> usize {
    if head.len() >= HEAD_BYTES && yarn_logs::may_begin(head) { CLIENT_HEAD_BYTES } else { HEAD_BYTES }
}

/// Tells what begins with `head`.
pub(super) fn recognise(head: &[u8]) -> Recognised {
    if let Some(container) = CONTAINERS.iter().find(|c| (c.begins)(head)) {
        Recognised::Container(container)
    } else if UNREAD.iter().any(|magic| head.starts_with(magic)) {
        Recognised::Unread
    } else {
        Recognised::Plain
    }
}
