//! Events of all files, paired into states.
