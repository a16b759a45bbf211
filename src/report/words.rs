//! The words of a text, where names may stand among them.

/// The words as far as names may be among them: `h103`, `job_202611202124_0001`, `a.tar.gz/h103/x.log`.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/' | ':' | '+' | '@' | '%' | '=')));
    parts.map(|word| word.trim_matches(|c: char| matches!(c, '.' | ':' | '/' | '='))).filter(|word| !word.is_empty())
}

/// The text with other words in the place of its own; what stands between them stays.
pub(super) fn replaced<'t, W: AsRef<str>>(text: &'t str, mut by: impl FnMut(&'t str) -> W) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    for word in words(text) {
        // Words are parts of the text, in its order.
        let Some((before, after)) = rest.find(word).and_then(|at| rest.split_at_checked(at)) else { continue };
        out.push_str(before);
        out.push_str(by(word).as_ref());
        rest = after.get(word.len()..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_inside_another_stays() {
        let by = |word| if word == "node-01" { "h103" } else { word };
        assert_eq!(replaced("x/node-01/y: node-01, (node-01)", by), "x/node-01/y: h103, (h103)");
        assert_eq!(replaced("no name", by), "no name");
    }
}
