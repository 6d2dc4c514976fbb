//! Last results of the health checks.

use parking_lot::Mutex;
use portcullis_domain::change::Change;
use portcullis_domain::clock::{Clock, SignedDuration, Timestamp};
use portcullis_storage::engine::{CommitError, Engine, StoreError};
use std::error::Error as _;

/// Id of the check that reads the store, as monitors of OpenZiti expect it.
pub const READ_CHECK: &str = "bolt.read";

/// Id of the check that the last transaction was written to disk.
pub const WRITE_CHECK: &str = "store.write";

/// Last result of a health check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    pub id: &'static str,
    /// When it last ran.
    pub checked_at: Timestamp,
    pub duration: SignedDuration,
    /// `None` if it passed.
    pub failure: Option<CheckFailure>,
}

/// Failure of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckFailure {
    pub message: String,
    /// Number of consecutive failures.
    pub failures: u64,
    /// Time of the first of these failures.
    pub since: Timestamp,
}

/// Returns what is wrong with a part of the process, if anything. It is called for unauthenticated
/// clients and must not block.
pub type Probe = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// Results of the checks so far.
pub(crate) struct Health {
    reading: Mutex<HealthCheck>,
    writing: Mutex<HealthCheck>,
    added: Mutex<Vec<(HealthCheck, Probe)>>,
}

impl Health {
    /// All checks passed, as of the start of the process.
    pub(crate) const fn new(started: Timestamp) -> Self {
        Self {
            reading: Mutex::new(HealthCheck::new_passed(READ_CHECK, started)),
            writing: Mutex::new(HealthCheck::new_passed(WRITE_CHECK, started)),
            added: Mutex::new(Vec::new()),
        }
    }

    /// Records the result of a transaction.
    pub(crate) fn record_commit(
        &self,
        (started, ended): (Timestamp, Timestamp),
        failure: Option<&CommitError>,
    ) {
        let failure = match failure {
            None | Some(CommitError::Aborted(_)) => None,
            Some(CommitError::Engine(error)) => Some(error),
            // A body that failed says nothing about the disk.
            Some(_) => return,
        };
        let failure = failure.map(describe_store_error);
        self.writing.lock().record((started, ended), failure);
    }

    /// Adds a check.
    pub(crate) fn add(&self, id: &'static str, probe: Probe, now: Timestamp) {
        self.added
            .lock()
            .push((HealthCheck::new_passed(id, now), probe));
    }

    /// Runs all checks.
    pub(crate) fn run(&self, engine: &dyn Engine<Change>, clock: &dyn Clock) -> Vec<HealthCheck> {
        let started = clock.now();
        let read = engine.snapshot().and_then(|view| view.revision());
        let mut reading = self.reading.lock();
        if let Err(error) = &read
            && reading.failure.is_none()
        {
            let cause = error.source().map(ToString::to_string);
            tracing::error!(%error, cause, "the store cannot be read");
        }
        let failure = read.err().as_ref().map(describe_store_error);
        reading.record((started, clock.now()), failure);
        let mut checks = vec![reading.clone(), self.writing.lock().clone()];
        drop(reading);
        for (check, probe) in &mut *self.added.lock() {
            let started = clock.now();
            let failure = probe();
            check.record((started, clock.now()), failure);
            checks.push(check.clone());
        }
        checks
    }
}

impl HealthCheck {
    const fn new_passed(id: &'static str, at: Timestamp) -> Self {
        Self {
            id,
            checked_at: at,
            duration: SignedDuration::ZERO,
            failure: None,
        }
    }
}

/// Describes an error of the store for the public; details are in the log only.
fn describe_store_error(error: &StoreError) -> String {
    match error {
        StoreError::Corrupt { .. } => "the store is damaged".to_owned(),
        StoreError::Full | StoreError::Unavailable(_) | StoreError::Closed => error.to_string(),
    }
}

impl HealthCheck {
    /// Records a result of the check.
    fn record(&mut self, (started, ended): (Timestamp, Timestamp), failure: Option<String>) {
        self.checked_at = ended;
        self.duration = ended.duration_since(started).max(SignedDuration::ZERO);
        let earlier = self.failure.take();
        self.failure = failure.map(|message| CheckFailure {
            message,
            failures: earlier.as_ref().map_or(0, |failure| failure.failures) + 1,
            since: earlier.map_or(ended, |failure| failure.since),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::engine::Abort;

    fn at(second: i64) -> (Timestamp, Timestamp) {
        let started = Timestamp::from_second(second).unwrap();
        (started, started + SignedDuration::from_millis(3))
    }

    fn written(health: &Health) -> HealthCheck {
        health.writing.lock().clone()
    }

    #[test]
    fn writing_fails_until_a_transaction_reaches_the_disk_again() {
        let health = Health::new(Timestamp::UNIX_EPOCH);
        assert_eq!(written(&health).failure, None);
        health.record_commit(at(1), Some(&CommitError::Engine(StoreError::Full)));
        health.record_commit(at(2), Some(&CommitError::Engine(StoreError::Closed)));
        let check = written(&health);
        assert_eq!(check.duration, SignedDuration::from_millis(3));
        let failure = check.failure.unwrap();
        assert_eq!((failure.failures, failure.since), (2, at(1).1));
        assert_eq!(failure.message, StoreError::Closed.to_string());
        health.record_commit(at(3), None);
        assert_eq!(
            (written(&health).failure, written(&health).checked_at),
            (None, at(3).1)
        );
    }

    #[test]
    fn a_refused_change_is_no_failure_of_the_disk() {
        let health = Health::new(Timestamp::UNIX_EPOCH);
        health.record_commit(at(1), Some(&CommitError::Aborted(Abort)));
        assert_eq!(written(&health).failure, None);
    }
}
