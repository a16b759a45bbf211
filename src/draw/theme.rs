//! Colours of roles, light and dark. The stylesheet (`www/page.css`) uses the same ones.
//!
//! Culprits are vermilion and peers grey-blue: apart for every kind of colour vision, and
//! by lightness in grey print. Hues of the kinds of state differ in lightness too (maps blue,
//! reduces and their phases purple, blocks teal and ochre, shuffles green). The sequential map
//! runs in one hue, its lightness monotone; so does the one beside it, blue against ochre, which every kind of colour
//! vision tells apart.

use crate::scene::{Hue, Palette, Role};
use plotters::style::RGBColor;

/// Grounds as light as this are read as well in black as in white, whose own lights are 0.05 and 1.05: 4.6 to 1. No
/// other two inks are read on every ground.
const BLACK_FROM: f32 = 0.229;

/// Colours of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    /// Background.
    pub surface: RGBColor,
    ink: RGBColor,
    faint: RGBColor,
    grid: RGBColor,
    node: RGBColor,
    culprit: RGBColor,
    threshold: RGBColor,
    idle: RGBColor,
    killed: RGBColor,
    failed: RGBColor,
    /// Colours of the hues, in their order.
    hues: [u32; Hue::COUNT],
    /// Corners of the sequential map, evenly spaced, least first.
    ramp: [[u8; 3]; 5],
    /// Those of the map for what is less, as light at each.
    less: [[u8; 3]; 5],
}

impl Theme {
    /// Dark on light; also for print and export.
    #[must_use]
    pub const fn light() -> Self {
        Self {
            surface: RGBColor(0xff, 0xff, 0xff),
            ink: RGBColor(0x1b, 0x20, 0x26),
            faint: RGBColor(0x5c, 0x66, 0x70),
            grid: RGBColor(0xe3, 0xe7, 0xeb),
            node: RGBColor(0x8f, 0xa3, 0xb5),
            culprit: RGBColor(0xc2, 0x45, 0x0c),
            threshold: RGBColor(0x1b, 0x20, 0x26),
            idle: RGBColor(0xd3, 0xd8, 0xdd),
            killed: RGBColor(0xe0, 0xb0, 0x00),
            failed: RGBColor(0xc8, 0x10, 0x2e),
            hues: [
                0x2f_78_b5, 0x6b_3f_98, 0xc4_a2_de, 0x9a_6b_c4, 0x5b_2e_86, 0x2f_9e_86, 0x8a_5a_2b, 0x8f_ac_3f,
                0xb0_7a_85, 0x9a_a5_b0,
            ],
            ramp: [[0xee, 0xf3, 0xf8], [0xb5, 0xcd, 0xe4], [0x6c, 0x9e, 0xcb], [0x2d, 0x69, 0xa3], [0x0c, 0x2f, 0x59]],
            less: [[0xf7, 0xf1, 0xe4], [0xe3, 0xcb, 0x95], [0xbd, 0x97, 0x45], [0x80, 0x5f, 0x12], [0x40, 0x2b, 0x05]],
        }
    }

    /// Light on dark.
    #[must_use]
    pub const fn dark() -> Self {
        Self {
            surface: RGBColor(0x1a, 0x1f, 0x25),
            ink: RGBColor(0xe6, 0xea, 0xee),
            faint: RGBColor(0x9a, 0xa5, 0xb0),
            grid: RGBColor(0x2d, 0x34, 0x3c),
            node: RGBColor(0x62, 0x78, 0x8c),
            culprit: RGBColor(0xff, 0x8a, 0x4c),
            threshold: RGBColor(0xe6, 0xea, 0xee),
            idle: RGBColor(0x3b, 0x43, 0x4c),
            killed: RGBColor(0xf2, 0xc9, 0x3a),
            failed: RGBColor(0xff, 0x5c, 0x6c),
            hues: [
                0x5b_a6_e0, 0xa8_7d_d6, 0x6f_55_88, 0x8b_66_ad, 0xc9_a6_ef, 0x4c_c4_a8, 0xb9_8a_5c, 0xb4_d0_66,
                0xd0_9a_a5, 0x7d_88_93,
            ],
            ramp: [[0x22, 0x2b, 0x35], [0x22, 0x4b, 0x73], [0x3b, 0x7d, 0xb5], [0x85, 0xb8, 0xe2], [0xe4, 0xf1, 0xfc]],
            less: [[0x2f, 0x2a, 0x20], [0x57, 0x45, 0x1b], [0x92, 0x72, 0x2a], [0xd3, 0xb1, 0x62], [0xfb, 0xf0, 0xd9]],
        }
    }

    /// The colour of a role.
    #[must_use]
    pub fn color(&self, role: Role) -> RGBColor {
        match role {
            Role::Ink => self.ink,
            Role::Faint => self.faint,
            Role::Grid => self.grid,
            Role::Node => self.node,
            Role::Culprit => self.culprit,
            Role::Threshold => self.threshold,
            Role::Surface => self.surface,
            Role::Idle => self.idle,
            Role::Shade(shade) | Role::Less(shade) => {
                let ramp = if matches!(role, Role::Less(_)) { &self.less } else { &self.ramp };
                let [r, g, b] = on_ramp(ramp, shade);
                RGBColor(r, g, b)
            }
            Role::On(shade) => {
                if light(on_ramp(&self.ramp, shade)) > BLACK_FROM {
                    RGBColor(0, 0, 0)
                } else {
                    RGBColor(255, 255, 255)
                }
            }
            Role::Hue(hue) => {
                let [_, r, g, b] = self.hues.get(hue as usize).copied().unwrap_or_default().to_be_bytes();
                RGBColor(r, g, b)
            }
            Role::Killed => self.killed,
            Role::Failed => self.failed,
        }
    }

    /// The 256 colours of the sequential map.
    #[must_use]
    pub fn shades(&self) -> Vec<[u8; 3]> {
        (0..=255).map(|shade| on_ramp(&self.ramp, shade)).collect()
    }

    /// The colour of each number of a raster.
    #[must_use]
    pub fn palette(&self, palette: &Palette) -> Vec<[u8; 3]> {
        let of = |color: RGBColor| [color.0, color.1, color.2];
        match palette {
            Palette::Shades => self.shades(),
            Palette::Roles(roles) => {
                let beyond = std::iter::repeat(of(self.surface));
                roles.iter().map(|role| of(self.color(*role))).chain(beyond).take(256).collect()
            }
        }
    }
}

fn on_ramp(ramp: &[[u8; 3]; 5], shade: u8) -> [u8; 3] {
    let at = f32::from(shade) / 255.0 * (ramp.len() - 1) as f32;
    let low = (at as usize).min(ramp.len() - 2);
    let share = at - low as f32;
    let corner = |i: usize| ramp.get(i).copied().unwrap_or_default();
    let (a, b) = (corner(low), corner(low + 1));
    std::array::from_fn(|i| {
        let [a, b] = [&a, &b].map(|c| f32::from(c.get(i).copied().unwrap_or_default()));
        (a + share * (b - a)).round() as u8
    })
}

/// About the relative luminance as contrasts have it: never 0.
fn light([r, g, b]: [u8; 3]) -> f32 {
    let linear = |part: u8| {
        let share = f32::from(part) / 255.0;
        share * share * share.sqrt().sqrt()
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b) + 0.05
}

#[cfg(test)]
mod tests {
    use super::super::html::STYLE;
    use super::*;
    use std::collections::BTreeMap;

    const PAGE: &str = include_str!("../../www/page.css");

    /// A colour as style sheets have it: `#rgb` or `#rrggbb`.
    fn css(color: &str) -> RGBColor {
        let digits = color.trim().strip_prefix('#').unwrap();
        let digits = if digits.len() == 3 { digits.chars().flat_map(|c| [c, c]).collect() } else { digits.to_owned() };
        let [_, r, g, b] = u32::from_str_radix(&digits, 16).unwrap().to_be_bytes();
        assert_eq!(digits.len(), 6, "{color}");
        RGBColor(r, g, b)
    }

    /// The variables of each rule of a style sheet that has some, in its order.
    fn variables(sheet: &'static str) -> Vec<BTreeMap<&'static str, RGBColor>> {
        let rules = sheet.split('{').filter_map(|part| Some(part.split_once('}')?.0));
        let declared = |rule: &'static str| -> BTreeMap<&'static str, RGBColor> {
            let all = rule.split(';').filter_map(|one| one.trim().strip_prefix("--")?.split_once(':'));
            all.map(|(name, color)| (name, css(color))).collect()
        };
        rules.map(declared).filter(|variables| !variables.is_empty()).collect()
    }

    /// The colours of a picture or another file that names some.
    fn colors_in(text: &str) -> Vec<RGBColor> {
        text.split('"').filter(|part| part.starts_with('#')).map(css).collect()
    }

    #[test]
    fn page_saved_page_and_drawings_have_the_same_colours() {
        let page = variables(PAGE);
        assert_eq!(page.len(), 3, "light, dark by choice, dark by the system");
        assert_eq!(page[1], page[2], "dark is dark, whoever asks for it");
        let saved = variables(STYLE);
        assert_eq!(saved.len(), 2, "light and dark");
        for (theme, page, saved) in [(Theme::light(), &page[0], &saved[0]), (Theme::dark(), &page[1], &saved[1])] {
            let drawn =
                [("surface", theme.surface), ("ink", theme.ink), ("faint", theme.faint), ("culprit", theme.culprit)];
            drawn.iter().for_each(|(name, color)| assert_eq!(page[name], *color, "--{name}"));
            saved.iter().for_each(|(name, color)| assert_eq!(page[name], *color, "--{name} of the saved page"));
        }
        // Peers stand around the odd one out in the sign, on the page's ground.
        let light = Theme::light();
        let sign = colors_in(include_str!("../../www/icon.svg"));
        assert_eq!(sign, [page[0]["ground"], light.node, light.culprit]);
        let brand = PAGE.split_once(".brand svg {").and_then(|(_, rest)| rest.split_once("fill: ")?.1.split_once(';'));
        assert_eq!(css(brand.unwrap().0), light.node);
        for RGBColor(r, g, b) in [light.node, light.culprit] {
            assert!(include_str!("../../index.html").contains(&format!("fill='%23{r:02x}{g:02x}{b:02x}'")));
        }
        let manifest = colors_in(include_str!("../../www/manifest.webmanifest"));
        assert_eq!(manifest, [page[0]["ground"]; 2]);
    }

    #[test]
    fn every_variable_of_a_style_sheet_is_used_there() {
        for sheet in [PAGE, STYLE] {
            for name in variables(sheet).iter().flat_map(BTreeMap::keys) {
                assert!(sheet.contains(&format!("var(--{name})")), "--{name}");
            }
        }
    }

    #[test]
    fn every_hue_has_a_colour_of_its_own() {
        for theme in [Theme::light(), Theme::dark()] {
            let mut colors = theme.hues.to_vec();
            colors.sort_unstable();
            colors.dedup();
            assert_eq!(colors.len(), Hue::COUNT);
        }
    }

    #[test]
    fn numbers_beyond_a_palette_of_roles_are_the_background() {
        let colors = Theme::light().palette(&Palette::Roles(vec![Role::Failed]));
        assert_eq!(colors.len(), 256);
        assert_eq!(colors[0], [0xc8, 0x10, 0x2e]);
        assert_eq!(colors[1], [0xff, 0xff, 0xff]);
    }

    #[test]
    fn text_on_a_shade_is_the_ink_that_is_read_there() {
        const BLACK: RGBColor = RGBColor(0, 0, 0);
        const WHITE: RGBColor = RGBColor(255, 255, 255);
        let on = |theme: &Theme| [0, 128, 255].map(|shade| theme.color(Role::On(shade)));
        assert_eq!(on(&Theme::light()), [BLACK, BLACK, WHITE]);
        assert_eq!(on(&Theme::dark()), [WHITE, BLACK, BLACK]);
        // WCAG 2.2, 1.4.3.
        for theme in [Theme::light(), Theme::dark()] {
            for (shade, ramp) in (0..=255).flat_map(|shade| [(shade, &theme.ramp), (shade, &theme.less)]) {
                let ground = light(on_ramp(ramp, shade));
                let contrast = if theme.color(Role::On(shade)) == BLACK { ground / 0.05 } else { 1.05 / ground };
                assert!(contrast >= 4.5, "{shade}: {contrast}");
            }
        }
    }

    #[test]
    fn text_on_the_ground_is_read_and_a_nodes_grey_is_none_of_its_colours() {
        for theme in [Theme::light(), Theme::dark()] {
            let part = |RGBColor(r, g, b): RGBColor| light([r, g, b]);
            let contrast = |role| {
                let (text, ground) = (part(theme.color(role)), part(theme.surface));
                text.max(ground) / text.min(ground)
            };
            // WCAG 2.2, 1.4.3.
            for role in [Role::Ink, Role::Faint, Role::Culprit] {
                assert!(contrast(role) >= 4.5, "{role:?}: {}", contrast(role));
            }
            // `Scene::text` takes none of these.
            for role in [Role::Node, Role::Grid, Role::Idle] {
                assert!(contrast(role) < 4.5, "{role:?}: {}", contrast(role));
            }
        }
    }

    #[test]
    fn text_is_read_on_both_maps_alike() {
        for theme in [Theme::light(), Theme::dark()] {
            for shade in 0..=255 {
                let [a, b] = [&theme.ramp, &theme.less].map(|ramp| light(on_ramp(ramp, shade)));
                assert!(a.max(b) / a.min(b) < 1.5, "{shade}: {a} and {b}");
                let RGBColor(r, g, b) = theme.color(Role::Less(shade));
                assert_eq!([r, g, b], on_ramp(&theme.less, shade));
            }
        }
    }

    #[test]
    fn sequential_map_is_monotone_in_lightness() {
        let lightness = |[r, g, b]: &[u8; 3]| 299 * u32::from(*r) + 587 * u32::from(*g) + 114 * u32::from(*b);
        let light: Vec<u32> = Theme::light().shades().iter().map(lightness).collect();
        assert!(light.is_sorted_by(|a, b| a >= b));
        let dark: Vec<u32> = Theme::dark().shades().iter().map(lightness).collect();
        assert!(dark.is_sorted_by(|a, b| a <= b));
    }
}
