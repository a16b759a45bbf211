//! Shell.
fn main() {}
