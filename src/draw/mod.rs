//! Scenes onto canvas, SVG and record.
