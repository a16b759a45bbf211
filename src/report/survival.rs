//! Which places carry a text of so many characters whole: told before a link is copied.
//!
//! The limits are those that the places state or that were met in practice; where several are
//! told, the lowest stands here. Cost: a table of a few rows.

/// A kind of place, and how many characters it carries.
pub const PLACES: &[(&str, usize)] = &[
    ("QR codes and every chat", 2_000),
    ("Slack messages", 4_000),
    ("GitHub and GitLab comments", 5_000),
    ("mail and most web forms", 8_000),
    ("Microsoft Teams", 28_000),
    ("Jira comments", 32_767),
    ("wikis, documents and bookmarks of Firefox", 65_536),
    ("the address bars of Chromium and Firefox", 1_000_000),
];

/// Where a link of this length survives, and the first place that cuts it.
#[must_use]
pub fn in_words(characters: usize) -> String {
    let holds: Vec<&str> = PLACES.iter().filter(|(_, limit)| characters <= *limit).map(|(place, _)| *place).collect();
    let cut: Vec<&str> = PLACES.iter().filter(|(_, limit)| characters > *limit).map(|(place, _)| *place).collect();
    match (holds.as_slice(), cut.as_slice()) {
        (_, []) => String::from("survives everywhere, in QR codes and every chat too"),
        ([], _) => String::from("too long for any link: send the file"),
        (holds, cut) => format!("survives in {}; cut by {}", holds.join(", "), cut.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_links_survive_in_fewer_places() {
        assert!(in_words(2_000).starts_with("survives everywhere"));
        let report = in_words(8_000);
        assert!(report.starts_with("survives in mail") && report.contains("cut by QR codes"), "{report}");
        assert!(in_words(80_000).contains("cut by") && in_words(80_000).contains("survives in the address bars"));
        assert!(in_words(2_000_000).starts_with("too long"));
        assert!(PLACES.is_sorted_by_key(|(_, limit)| *limit));
    }
}
