//! The column of names beside the rows of a figure: how wide it is, and which rows have room for theirs.

use super::Role;
use super::axis::{FONT_CSS_PX, label_width_css_px};

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

/// The rows of a figure that carry their names, and what these are written with: those that stand out, and of the
/// others as many as there is room for.
#[must_use]
pub fn thinned(rows: usize, row_css_px: f32, marked: &dyn Fn(usize) -> Option<Role>) -> Vec<(usize, Role)> {
    let every = (FONT_CSS_PX / row_css_px.max(0.1)).ceil() as usize;
    let roles: Vec<Option<Role>> = (0..rows).map(marked).collect();
    let is_free = |row: usize| {
        let near = roles.iter().skip((row + 1).saturating_sub(every)).take(every.min(row + 1) + every - 1);
        row.is_multiple_of(every) && near.flatten().next().is_none()
    };
    let role = |(row, role): (usize, &Option<Role>)| Some((row, role.or(is_free(row).then_some(Role::Faint))?));
    roles.iter().enumerate().filter_map(role).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_rows_have_every_so_manieth_name_and_those_that_stand_out() {
        let named = |row_css_px, marked: usize| {
            let marked = |row| (row == marked).then_some(Role::Culprit);
            thinned(9, row_css_px, &marked).into_iter().map(|(row, _)| row).collect::<Vec<_>>()
        };
        assert_eq!(named(12.0, 4), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(named(4.0, 9), [0, 3, 6]);
        assert_eq!(named(4.0, 4), [0, 4], "3 and 6 would cover it");
        assert_eq!(named(0.0, 2), [2]);
        assert!(thinned(0, 4.0, &|_| None).is_empty());
    }

    #[test]
    fn columns_are_as_wide_as_their_names_within_bounds() {
        let width = |name: &str, figure| NameColumn::USUAL.width_css_px(&mut [name].into_iter(), 0.0, figure);
        assert_eq!(width("h1", 1000.0), SHORT_CSS_PX);
        assert_eq!(width("datanode101", 1000.0), label_width_css_px("datanode101"));
        assert_eq!(width("datanode101.hadoop.prod.example.com", 1000.0), 150.0);
        assert_eq!(width("datanode101", 100.0), 35.0, "a share of a narrow figure");
    }
}
