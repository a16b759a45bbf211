//! What archives are called: `h101.tar.gz` is that of `h101`.

/// How names of archives end, in the order in which they are looked for.
pub const ENDINGS: [&str; 8] = [".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2", ".tar.zst", ".zip", ".digest"];

/// What the archive of this name is of; `None` where the name is no archive's.
#[must_use]
pub fn packed(name: &str) -> Option<&str> {
    ENDINGS.iter().find_map(|ending| name.strip_suffix(ending))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_is_of_what_stands_before_its_ending() {
        for (name, of) in [
            ("r06.tar.gz", Some("r06")),
            ("r06.tgz", Some("r06")),
            ("a.b.tar.gz", Some("a.b")),
            ("x", None),
            ("x.odd", None),
        ] {
            assert_eq!(packed(name), of, "{name}");
        }
    }
}
