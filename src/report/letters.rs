//! The letters that figures of many cells are told by, one a step.

/// The steps, least first: none of them is quoted in JSON.
pub(super) const STEPS: &[u8; 64] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/";
/// What has no step, since nothing is there.
pub(super) const EMPTY: u8 = b'.';

/// The step of a letter.
pub(super) fn place_of(letter: u8) -> Option<usize> {
    STEPS.iter().position(|step| *step == letter)
}
