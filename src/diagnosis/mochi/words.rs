//! Shares and skew of the data flow in words.

/// A share as people say it; a percentage where no simple fraction is near.
#[must_use]
pub fn fraction(share: f64) -> String {
    /// How far a share may be from its word.
    const NEAR: f64 = 0.03;
    const WORDS: [(f64, &str); 7] = [
        (0.1, "a tenth"),
        (0.25, "a quarter"),
        (1.0 / 3.0, "a third"),
        (0.5, "half"),
        (2.0 / 3.0, "two thirds"),
        (0.75, "three quarters"),
        (0.9, "nine tenths"),
    ];
    let word = WORDS.iter().find(|(x, _)| (share - x).abs() <= NEAR);
    word.map_or_else(|| format!("{:.0} %", share * 100.0), |(_, word)| (*word).to_owned())
}

/// The skew of volumes over nodes: the greatest over the mean. 1 is even.
#[must_use]
pub fn skew_index(volumes: &[f64]) -> Option<f64> {
    let total: f64 = volumes.iter().sum();
    let greatest = volumes.iter().copied().fold(0.0, f64::max);
    (total > 0.0).then(|| greatest * volumes.len() as f64 / total)
}

/// The index in a word. With few tasks a node, half more than the mean is chance.
#[must_use]
pub fn skew_word(index: f64) -> &'static str {
    match index {
        i if i < 1.5 => "even",
        i if i < 2.5 => "uneven",
        _ => "skewed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_read_well() {
        assert_eq!(fraction(0.66), "two thirds");
        assert_eq!(fraction(0.58), "58 %");
        assert_eq!(fraction(0.0), "0 %");
    }

    #[test]
    fn skew_is_the_greatest_over_the_mean() {
        assert_eq!(skew_index(&[10.0, 10.0, 40.0]), Some(2.0));
        assert_eq!(skew_index(&[0.0, 0.0]), None);
        assert_eq!(skew_index(&[]), None);
        assert_eq!([1.0, 2.0, 3.0].map(skew_word), ["even", "uneven", "skewed"]);
    }
}
