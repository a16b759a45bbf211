//! The column of names beside the rows of a figure: how wide it is.

use super::axis::label_width_css_px;

/// Room for four characters: however short its names, a column is as wide as this.
const SHORT_CSS_PX: f32 = 30.0;

/// How wide a column of names may become; names that need more are cut to fit.
#[derive(Clone, Copy, Debug)]
pub struct NameColumn {
    /// In pixels.
    css_px: f32,
    /// As a share of the figure, so that on a phone most of it is left to the marks.
    share: f32,
}

impl NameColumn {
    /// In most figures: 21 characters, which most host names without their domain are shorter than.
    pub const USUAL: Self = Self { css_px: 150.0, share: 0.35 };
    /// Where many columns share the rest of the figure.
    pub const NARROW: Self = Self { css_px: 130.0, share: 0.3 };
    /// Where the names are those of faults, which are longer than those of nodes.
    pub const WIDE: Self = Self { css_px: 150.0, share: 0.4 };

    /// The width that these names, with a gap behind them, take in a figure of this width.
    #[must_use]
    pub fn width_css_px(self, names: &mut dyn Iterator<Item = &str>, gap_css_px: f32, figure_css_px: f32) -> f32 {
        let widest = names.map(label_width_css_px).fold(SHORT_CSS_PX, f32::max) + gap_css_px;
        widest.min(self.css_px).min(figure_css_px * self.share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_names_within_bounds() {
        let width = |name: &str, figure| NameColumn::USUAL.width_css_px(&mut [name].into_iter(), 0.0, figure);
        assert_eq!(width("h1", 1000.0), SHORT_CSS_PX);
        assert_eq!(width("datanode101", 1000.0), label_width_css_px("datanode101"));
        assert_eq!(width("datanode101.hadoop.prod.example.com", 1000.0), 150.0);
        assert_eq!(width("datanode101", 100.0), 35.0, "a share of a narrow figure");
    }
}
