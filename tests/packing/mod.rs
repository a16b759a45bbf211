//! Packers for tests: a small container of every kind, made here or kept in
//! `tests/packed/`.
#![allow(dead_code, reason = "each test takes what it needs")]

use flate2::{Compression, write::GzEncoder};
use std::io::{Read, Write};
use std::path::Path;

/// A kept sample.
pub fn kept(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packed").join(name)).unwrap()
}

/// A sample of the logs that the formats are tested with.
pub fn log(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name)).unwrap()
}

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn gunzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out).unwrap();
    out
}

pub fn bz2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn xz(bytes: &[u8]) -> Vec<u8> {
    let options = lzma_rust2::XzOptions::with_preset(1);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

pub fn zst(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

pub fn tar(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(bytes.len() as u64);
        builder.append_data(&mut header, name, *bytes).unwrap();
    }
    builder.into_inner().unwrap()
}

/// How a member of a zip is written.
#[derive(Clone, Copy, Default)]
pub struct Zipped {
    pub deflate: bool,
    /// Sizes behind the bytes, with or without the signature before them.
    pub behind: Option<bool>,
    pub wide: bool,
}

pub fn zip(members: &[(&str, &[u8])], how: Zipped) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for (name, bytes) in members {
        let packed = if how.deflate {
            let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(bytes).unwrap();
            encoder.finish().unwrap()
        } else {
            bytes.to_vec()
        };
        let crc = crc32fast::hash(bytes).to_le_bytes();
        let size =
            |n: usize| if how.wide { (n as u64).to_le_bytes().to_vec() } else { (n as u32).to_le_bytes().to_vec() };
        let fixed = |n: usize| if how.wide { u32::MAX.to_le_bytes() } else { (n as u32).to_le_bytes() };
        let mut extra = Vec::new();
        if how.wide && how.behind.is_none() {
            extra.extend([1, 0, 16, 0]);
            extra.extend([size(bytes.len()), size(packed.len())].concat());
        }
        let at = out.len() as u32;
        let flags: u16 = if how.behind.is_some() { 8 } else { 0 };
        let method: u16 = if how.deflate { 8 } else { 0 };
        out.extend(b"PK\x03\x04\x14\0");
        out.extend(flags.to_le_bytes());
        out.extend(method.to_le_bytes());
        out.extend([0; 4]);
        if how.behind.is_some() {
            out.extend([0; 12]);
        } else {
            out.extend([crc, fixed(packed.len()), fixed(bytes.len())].concat());
        }
        out.extend((name.len() as u16).to_le_bytes());
        out.extend((extra.len() as u16).to_le_bytes());
        out.extend(name.as_bytes());
        out.extend(&extra);
        out.extend(&packed);
        if let Some(signed) = how.behind {
            if signed {
                out.extend(b"PK\x07\x08");
            }
            out.extend([crc.to_vec(), size(packed.len()), size(bytes.len())].concat());
        }
        directory.extend(b"PK\x01\x02\x14\0\x14\0");
        directory.extend([flags.to_le_bytes(), method.to_le_bytes()].concat());
        directory.extend([0; 4]);
        directory.extend([crc, (packed.len() as u32).to_le_bytes(), (bytes.len() as u32).to_le_bytes()].concat());
        directory.extend((name.len() as u16).to_le_bytes());
        directory.extend([0; 12]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (from, length) = (out.len() as u32, directory.len() as u32);
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([(members.len() as u16).to_le_bytes(); 2].concat());
    out.extend([length.to_le_bytes(), from.to_le_bytes()].concat());
    out.extend([0; 2]);
    out
}

/// A length as Hadoop's `Utils.writeVInt` writes it.
fn length(n: i64) -> Vec<u8> {
    if (-32..=127).contains(&n) { vec![n as u8] } else { [&[0x83_u8][..], &(n as i32).to_be_bytes()].concat() }
}

fn utf(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

const TFILE: [u8; 16] =
    [0xd1, 0x11, 0xd3, 0x68, 0x91, 0xb5, 0xd7, 0xb6, 0x39, 0xdf, 0x41, 0x40, 0x92, 0xba, 0xe1, 0x50];

/// Aggregated logs, `(container, log, bytes)`: one block a container, chunks of `chunk`.
pub fn tfile(logs: &[(&str, &str, &[u8])], chunk: usize, packed: bool) -> Vec<u8> {
    let record = |key: &str, value: &[u8]| {
        let key = utf(key);
        let mut out = [length(key.len() as i64), key].concat();
        let mut rest = value;
        while rest.len() > chunk {
            out.extend(length(-(chunk as i64)));
            out.extend(&rest[..chunk]);
            rest = &rest[chunk..];
        }
        out.extend(length(rest.len() as i64));
        out.extend(rest);
        out
    };
    let mut blocks =
        vec![[record("VERSION", &1_i32.to_be_bytes()), record("APPLICATION_OWNER", &utf("hadoop"))].concat()];
    for (container, name, bytes) in logs {
        let value = [utf(name), utf(&bytes.len().to_string()), bytes.to_vec()].concat();
        blocks.push(record(container, &value));
    }
    // The first meta block.
    blocks.push(vec![0, 1, 0, 0, 2, 0]);
    let mut out = TFILE.to_vec();
    for block in blocks {
        if packed {
            let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(&block).unwrap();
            out.extend(encoder.finish().unwrap());
        } else {
            out.extend(block);
        }
    }
    // An index of some kind.
    out.extend([7; 40]);
    out.extend(TFILE);
    out
}

/// What Hadoop 2.6 and 2.7 print, asked for an application or (`node` empty) for one container.
pub fn yarn_logs_2_7(node: &str, logs: &[(&str, &[u8])]) -> Vec<u8> {
    let mut text = format!("\n\nContainer: container_1_0001_01_000001{node}\n{}\n", "=".repeat(70)).into_bytes();
    for (name, bytes) in logs {
        let begin = format!(
            "LogType:{name}\nLog Upload Time:Sat Nov 21 03:08:44 +0000 2026\nLogLength:{}\nLog Contents:\n",
            bytes.len()
        );
        text.extend([begin.as_bytes(), bytes, format!("End of LogType:{name}\n\n").as_bytes()].concat());
    }
    text
}

/// The text of `yarn logs`, `(host and port, container, log, bytes)`.
pub fn yarn_logs(logs: &[(&str, &str, &str, &[u8])]) -> Vec<u8> {
    let mut out = Vec::new();
    for (node, container, name, bytes) in logs {
        let head = format!(
            "Container: {container} on {node}\nLogAggregationType: AGGREGATED\n{}\nLogType:{name}\n\
             LogLastModifiedTime:Sat Nov 21 03:08:44 +0000 2026\nLogLength:{}\nLogContents:\n",
            "=".repeat(63),
            bytes.len()
        );
        out.extend(head.as_bytes());
        out.extend(*bytes);
        out.extend(format!("\nEnd of LogType:{name}\n{}\n\n", "*".repeat(78)).as_bytes());
    }
    out
}

/// Files as `tail -n +1` prints them.
pub fn tail(files: &[(&str, &[u8])]) -> Vec<u8> {
    let of = |(name, bytes): &(&str, &[u8])| [format!("==> {name} <==\n").as_bytes(), *bytes].concat();
    files.iter().map(of).collect::<Vec<_>>().join(&b'\n')
}

/// A text as PowerShell's `>` writes it.
pub fn utf16(text: &[u8]) -> Vec<u8> {
    let units = String::from_utf8_lossy(text).into_owned();
    [vec![0xff, 0xfe], units.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat()
}

/// A container of every kind in [`oddnode::source::container::CONTAINERS`], by its name.
pub fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let (a, b) = (log("tasktracker/0.20.2/job_setup_and_cleanup.log"), log("task-syslog/3.3.6/map.log"));
    let members: &[(&str, &[u8])] = &[("h101/a.log", &a), ("h102/b.log", &b)];
    let deflate = Zipped { deflate: true, ..Zipped::default() };
    let text = "container_1795226467746_0033_01_000002";
    vec![
        ("gzip", [gz(&a), gz(&b)].concat()),
        ("zip", zip(members, deflate)),
        ("zip", zip(members, Zipped { behind: Some(true), ..deflate })),
        ("zip", zip(members, Zipped { behind: Some(true), ..Zipped::default() })),
        ("zip", kept("streamed_64.zip")),
        ("zip", kept("bzip2.zip")),
        ("zip", kept("encrypted.zip")),
        ("zstd", kept("two_frames.zst")),
        ("zstd", zst(&a)),
        ("xz", kept("two_streams.xz")),
        ("bzip2", kept("two_streams.bz2")),
        ("tar", tar(members)),
        ("tar", gunzip(&kept("sparse_gnu.tar.gz"))),
        ("tar", gunzip(&kept("sparse_pax00.tar.gz"))),
        ("tar", gunzip(&kept("sparse_pax10.tar.gz"))),
        ("aggregated logs (TFile)", tfile(&[(text, "syslog", &b), (text, "stdout", b"")], 1000, false)),
        ("aggregated logs (TFile)", tfile(&[(text, "syslog", &b), (text, "stderr", b"x")], 1000, true)),
        (
            "aggregated logs (text)",
            yarn_logs(&[("h301_45454", text, "syslog", &b), ("h301_45454", text, "stdout", b"")]),
        ),
        ("aggregated logs (text)", yarn_logs_2_7("", &[("syslog", &b), ("stdout", b"no end")])),
        ("UTF-16", utf16(&a)),
        ("files behind one another (text)", tail(members)),
    ]
}
