//! One file's bytes to its digest: recognise, split into lines, parse.

/// Reads one file.
#[derive(Debug)]
pub struct FileReader;
