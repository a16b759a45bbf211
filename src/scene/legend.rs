//! Legends: swatches with their names, in as many rows as they need; or a strip of all shades.

use super::axis::{label_width_css_px, tenth};
use super::{Anchor, Mark, Palette, Point, Raster, Role, Scene};

/// From one row to the next.
const ROW_CSS_PX: f32 = 16.0;
/// Width and height of a swatch.
const SWATCH_CSS_PX: (f32, f32) = (12.0, 10.0);
/// From a swatch's left edge to its name, and from a name to what comes behind it.
const NAME_CSS_PX: f32 = 16.0;
const GAP_CSS_PX: f32 = 12.0;

/// A legend that grows in a scene.
#[derive(Debug)]
pub struct Legend {
    left: f32,
    /// Where the next entry goes: its left edge and the middle of its line.
    next: (f32, f32),
}

impl Legend {
    /// One whose first line has its middle at `y` and begins at `x`; the others begin there too.
    #[must_use]
    pub const fn at(x: f32, y: f32) -> Self {
        Self { left: x, next: (x, y) }
    }

    /// Adds a swatch with its name; returns the swatch's place and size.
    pub fn swatch(&mut self, scene: &mut Scene, role: Role, name: &str) -> ((f32, f32), (f32, f32)) {
        let (x, y) = self.room(scene, NAME_CSS_PX + label_width_css_px(name));
        let at = (x, y - SWATCH_CSS_PX.1 / 2.0);
        scene.push(Mark::Rect { at, size: SWATCH_CSS_PX, role });
        scene.text((x + NAME_CSS_PX, y), name, Anchor::Start, Role::Faint);
        (at, SWATCH_CSS_PX)
    }

    /// Adds words.
    pub fn words(&mut self, scene: &mut Scene, words: &str) {
        let at = self.room(scene, label_width_css_px(words));
        scene.text(at, words, Anchor::Start, Role::Faint);
    }

    /// Where the last line ends.
    #[must_use]
    pub const fn bottom(&self) -> f32 {
        self.next.1 + ROW_CSS_PX / 2.0
    }

    /// Takes room of this width, in the next row if this one has too little.
    fn room(&mut self, scene: &Scene, width: f32) -> (f32, f32) {
        if self.next.0 + width > scene.size.0 && self.next.0 > self.left {
            self.next = (self.left, self.next.1 + ROW_CSS_PX);
        }
        let at = self.next;
        self.next.0 = tenth(at.0 + width + GAP_CSS_PX);
        at
    }
}

/// Height of a strip of shades, and from its upper edge to the middle of the words below it.
const STRIP_CSS_PX: f32 = 8.0;
const STRIP_WORDS_CSS_PX: f32 = 17.0;
/// Width of a strip where there is room, and where there is hardly any.
const STRIP_MOST_CSS_PX: f32 = 160.0;
const STRIP_LEAST_CSS_PX: f32 = 40.0;

/// All shades of the sequential map from the least to the most, with words for both ends.
pub(super) fn scale(scene: &mut Scene, at: Point, [least, most]: [&str; 2]) {
    let width = STRIP_MOST_CSS_PX.min(scene.size.0 - at.0 - 10.0).max(STRIP_LEAST_CSS_PX);
    let words = [(0.0, least, Anchor::Start), (1.0, most, Anchor::End)];
    strip(scene, at, width, ((0..=255).collect(), Palette::Shades), &words);
}

/// A strip of these shades; each of the words stands below it at a share of its width.
pub(super) fn strip(
    scene: &mut Scene,
    at: Point,
    width_css_px: f32,
    (shades, palette): (Vec<u8>, Palette),
    words: &[(f32, &str, Anchor)],
) {
    let raster = Raster::of_shades(at, (width_css_px, STRIP_CSS_PX), (shades.len(), 1), shades);
    scene.rasters.push(Raster { palette, ..raster });
    for (share, text, anchor) in words {
        scene.text((at.0 + width_css_px * share, at.1 + STRIP_WORDS_CSS_PX), *text, *anchor, Role::Faint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_that_do_not_fit_begin_a_row() {
        let mut scene = Scene { size: (130.0, 50.0), ..Scene::default() };
        let mut legend = Legend::at(4.0, 20.0);
        let places: Vec<_> = ["Map", "Reduce", "a name that fits nowhere"]
            .map(|name| legend.swatch(&mut scene, Role::Idle, name).0)
            .into();
        assert_eq!(places[0], (4.0, 15.0));
        assert!(places[1].0 > 4.0 && places[1].1 == 15.0, "beside the first");
        assert_eq!(places[2], (4.0, 31.0), "a row of its own");
        assert_eq!(legend.bottom(), 44.0);
    }
}
