//! The page and its workers.
