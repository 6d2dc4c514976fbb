//! The running integrity check of the store, and the report of the last one.

use parking_lot::{Mutex, MutexGuard};
use portcullis_domain::clock::Timestamp;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::task::JoinHandle;

/// Report of an integrity check.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IntegrityReport {
    /// Whether it is running.
    pub in_progress: bool,
    /// Whether it fixes findings.
    pub is_fixing: bool,
    /// Whether it stopped early because of too many findings.
    pub too_many: bool,
    /// `None` before the first check.
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    /// Error that ended it early.
    pub error: Option<String>,
    pub results: Vec<IntegrityFinding>,
}

/// A finding of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntegrityFinding {
    pub description: String,
    pub is_fixed: bool,
}

/// State of the checks of a process.
#[derive(Debug, Default)]
pub(crate) struct IntegrityChecks {
    report: Mutex<IntegrityReport>,
    task: Mutex<Option<JoinHandle<()>>>,
    is_stopped: AtomicBool,
}

impl IntegrityChecks {
    pub(crate) fn lock_report(&self) -> MutexGuard<'_, IntegrityReport> {
        self.report.lock()
    }

    pub(crate) fn lock_task(&self) -> MutexGuard<'_, Option<JoinHandle<()>>> {
        self.task.lock()
    }

    /// Makes the running check, if any, end early.
    pub(crate) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Release);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Acquire)
    }
}
