//! Views as plain data in pixels.
