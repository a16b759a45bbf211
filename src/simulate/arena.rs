//! Rows that name each other by their position, without a panic.
//!
//! The model is full of cross references (an attempt knows its task, a task its job). They
//! are positions, handed out by [`Arena::push`]. A position that was never handed out
//! reads a row of defaults, so that a slip of the model spoils a simulation and nothing else.

use std::ops::{Index, IndexMut};

/// Rows of one kind.
#[derive(Clone, Debug, Default)]
pub struct Arena<T> {
    rows: Vec<T>,
    spare: T,
}

impl<T: Default> Arena<T> {
    /// From rows.
    #[must_use]
    pub fn new(rows: Vec<T>) -> Self {
        Self { rows, spare: T::default() }
    }

    /// Adds a row and names it.
    pub fn push(&mut self, row: T) -> usize {
        self.rows.push(row);
        self.rows.len() - 1
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The rows in the order of their names.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.rows.iter()
    }
}

impl<T> Index<usize> for Arena<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        self.rows.get(at).unwrap_or(&self.spare)
    }
}

impl<T> IndexMut<usize> for Arena<T> {
    fn index_mut(&mut self, at: usize) -> &mut T {
        self.rows.get_mut(at).unwrap_or(&mut self.spare)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_position_reads_the_default() {
        let mut rows = Arena::new(vec![7]);
        assert_eq!(rows.push(8), 1);
        assert_eq!([rows[0], rows[1], rows[2]], [7, 8, 0]);
        rows[0] += 1;
        assert_eq!((rows[0], rows.len()), (8, 2));
    }
}
