//! Position of a cleanup that looks at one part of its records at a time.

use std::sync::atomic::{AtomicU64, Ordering};

/// Position of the next record to check.
#[derive(Debug, Default)]
pub(crate) struct CleanupCursor(AtomicU64);

impl CleanupCursor {
    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn set(&self, next: u64) {
        self.0.store(next, Ordering::Relaxed);
    }
}
