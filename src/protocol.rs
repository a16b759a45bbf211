//! Messages between page and workers.
