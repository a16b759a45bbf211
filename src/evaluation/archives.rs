//! Which archive is which run's: `r06.tar.gz` is that of `r06`.

use crate::base::archive::{ENDINGS, packed};

/// The run whose archive has this name.
#[must_use]
pub fn run_of_archive(name: &str) -> &str {
    packed(name).unwrap_or(name)
}

/// Names that the archive of a run may have; the last is that of its folder.
pub fn archives_of(run: &str) -> impl Iterator<Item = String> {
    ENDINGS.iter().chain(&[""]).map(move |ending| format!("{run}{ending}"))
}

/// The run that a part of a path names: the whole part, or what stands before one of its dots, the longest first.
pub fn run_in(part: &str, is_run: impl Fn(&str) -> bool) -> Option<&str> {
    let shorter = part.rmatch_indices('.').filter_map(|(at, _)| part.get(..at));
    std::iter::once(part).chain(shorter).find(|run| is_run(run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archive_is_named_after_its_run() {
        for (name, run) in
            [("r06.tar.gz", "r06"), ("r06.tgz", "r06"), ("a.b.tar.gz", "a.b"), ("x", "x"), ("x.odd", "x.odd")]
        {
            assert_eq!(run_of_archive(name), run);
            assert!(archives_of(run).any(|archive| archive == name), "{name}");
            assert_eq!(run_in(name, |known| known == run), Some(run));
        }
        assert_eq!(archives_of("r06").next().as_deref(), Some("r06.tar.gz"));
    }

    #[test]
    fn longest_name_of_a_run_counts() {
        let runs = ["r06", "r06.b"];
        assert_eq!(run_in("r06.b.tar.gz", |run| runs.contains(&run)), Some("r06.b"));
        assert_eq!(run_in("r06.c.tar.gz", |run| runs.contains(&run)), Some("r06"));
        assert_eq!(run_in("r061.tar.gz", |run| runs.contains(&run)), None);
    }
}
