//! A run as an archive, written as it is made: one log in memory at a time.

use super::logs;
use super::run::Run;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::{Result, Write};

/// How an archive is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// tar.gz.
    Gzip,
    /// tar alone: a matrix that reads it at once has no use for the time that gzip takes.
    Plain,
}

/// Level of gzip: logs shrink ten times at the quickest.
const LEVEL: u32 = 3;
/// Files are readable for all.
const MODE: u32 = 0o644;

/// Writes a run's logs; the same run gives the same bytes.
///
/// # Errors
/// What `out` gives.
pub fn write_archive(run: &Run, packing: Packing, out: impl Write) -> Result<()> {
    match packing {
        Packing::Plain => pack(run, out).and_then(|mut out| out.flush()),
        Packing::Gzip => pack(run, GzEncoder::new(out, Compression::new(LEVEL)))?.finish()?.flush(),
    }
}

fn pack<W: Write>(run: &Run, out: W) -> Result<W> {
    let mut tar = tar::Builder::new(out);
    let time = (run.ms(run.end) / 1000).unsigned_abs();
    logs::write(run, &mut |path, text| {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        header.set_mode(MODE);
        header.set_mtime(time);
        header.set_entry_type(tar::EntryType::Regular);
        tar.append_data(&mut header, format!("{}/{path}", run.spec.run), text.as_bytes())
    })?;
    tar.into_inner()
}
