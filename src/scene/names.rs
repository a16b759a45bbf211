//! The column of names beside the rows of a figure: how wide it is, what is left of each name, and which rows have room
//! for theirs.

use super::Role;
use super::axis::{FONT_CSS_PX, fitted, label_width_css_px};
use crate::base::text::host_and_domain;
use std::collections::BTreeSet;

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
        let names: Vec<&str> = names.collect();
        let hosts = Hosts::of(&mut names.iter().copied());
        let widths = names.iter().map(|name| label_width_css_px(hosts.short(name)));
        let widest = widths.fold(SHORT_CSS_PX, f32::max) + gap_css_px;
        widest.min(self.css_px).min(figure_css_px * self.share)
    }
}

/// What hosts are called in one figure: without the domain that all have who have one, so that all are cut alike and the
/// marks have the room. What is pointed at and the table tell whole names.
#[derive(Clone, Debug, Default)]
pub struct Hosts {
    domain: Option<String>,
}

impl Hosts {
    /// Of these names, no two of which are called alike.
    #[must_use]
    pub fn of(names: &mut dyn Iterator<Item = &str>) -> Self {
        let names: BTreeSet<&str> = names.collect();
        let mut domains = names.iter().filter_map(|name| Some(host_and_domain(name)?.1));
        let domain = domains.next().filter(|first| domains.all(|other| other == *first)).map(str::to_owned);
        let hosts = Self { domain };
        let short: BTreeSet<&str> = names.iter().map(|name| hosts.short(name)).collect();
        if short.len() == names.len() { hosts } else { Self::default() }
    }

    /// What is left of a name.
    #[must_use]
    pub fn short<'a>(&self, name: &'a str) -> &'a str {
        let own = host_and_domain(name).filter(|(_, domain)| self.domain.as_deref() == Some(*domain));
        own.map_or(name, |(host, _)| host)
    }

    /// The same, cut to fit a width.
    #[must_use]
    pub fn fitted(&self, name: &str, width_css_px: f32) -> String {
        fitted(self.short(name), width_css_px)
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
    fn hosts_are_called_without_the_domain_that_they_share() {
        let short = |names: &[&str]| {
            let hosts = Hosts::of(&mut names.iter().copied());
            names.iter().map(|name| hosts.short(name).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(short(&["a1.x.org", "04dn8iq.x.org", "c", "10.0.0.1"]), ["a1", "04dn8iq", "c", "10.0.0.1"]);
        assert_eq!(short(&["a1.x.org", "a2.y.org"]), ["a1.x.org", "a2.y.org"], "domains differ");
        assert_eq!(short(&["a1.x.org", "a1"]), ["a1.x.org", "a1"], "they would be called alike");
        assert_eq!(short(&["10.0.0.1", "11.0.0.1"]), ["10.0.0.1", "11.0.0.1"]);
        assert_eq!(short(&["a1.x.org", "a1.x.org"]), ["a1", "a1"], "the same host twice");
    }

    #[test]
    fn columns_are_as_wide_as_their_names_within_bounds() {
        let width = |name: &str, figure| NameColumn::USUAL.width_css_px(&mut [name].into_iter(), 0.0, figure);
        assert_eq!(width("h1", 1000.0), SHORT_CSS_PX);
        assert_eq!(width("datanode101", 1000.0), label_width_css_px("datanode101"));
        assert_eq!(width("datanode101.hadoop.prod.example.com", 1000.0), label_width_css_px("datanode101"));
        assert_eq!(width("executor-of-the-datanode-101", 1000.0), 150.0);
        assert_eq!(width("datanode101", 100.0), 35.0, "a share of a narrow figure");
    }
}
