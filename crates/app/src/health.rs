//! Whether the controller can do its work, as monitors ask it.
//!
//! Reading the store is tried when somebody asks. Writing is judged by the last transaction: it
//! costs an `fsync`, so it is not tried for strangers, and the controller writes all the time anyway.
//! What else is part of the process, such as its log, adds a check of its own with [`add_check`].

use crate::app::App;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_storage::engine::{CommitError, StoreError};
use std::error::Error as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The name of the check that reads the store, which monitors of other controllers look for.
pub const READING: &str = "bolt.read";

/// The name of the check that the last transaction reached the disk.
pub const WRITING: &str = "store.write";

/// One check, as it last ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Its name.
    pub id: &'static str,
    /// When it was last made.
    pub at: Timestamp,
    /// How long that took.
    pub took: SignedDuration,
    /// What is wrong, if something is.
    pub fault: Option<Fault>,
}

/// Why a check fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub message: String,
    /// How often in a row it failed.
    pub failures: u64,
    /// When the first of these failures was.
    pub since: Timestamp,
}

/// Says what is wrong with a part of the process, if something is. It is asked by strangers, and so
/// answers at once.
pub type Probe = Box<dyn Fn() -> Option<String> + Send + Sync>;

/// How the checks ended so far.
pub(crate) struct Health {
    reading: Mutex<Check>,
    writing: Mutex<Check>,
    added: Mutex<Vec<(Check, Probe)>>,
}

impl Health {
    /// Nothing has failed yet in a process that began to serve at `started`.
    pub(crate) const fn new(started: Timestamp) -> Self {
        Self {
            reading: Mutex::new(Check::passed(READING, started)),
            writing: Mutex::new(Check::passed(WRITING, started)),
            added: Mutex::new(Vec::new()),
        }
    }

    /// Notes how a transaction ended that began at `begun`.
    pub(crate) fn wrote(
        &self,
        (begun, ended): (Timestamp, Timestamp),
        fault: Option<&CommitError>,
    ) {
        let fault = match fault {
            None | Some(CommitError::Aborted(_)) => None,
            Some(CommitError::Engine(error)) => Some(error),
            // A body that broke off says nothing about the disk.
            Some(_) => return,
        };
        let fault = fault.map(in_words);
        lock(&self.writing).note((begun, ended), fault);
    }
}

impl Check {
    const fn passed(id: &'static str, at: Timestamp) -> Self {
        Self {
            id,
            at,
            took: SignedDuration::ZERO,
            fault: None,
        }
    }
}

/// Adds a check that is made whenever somebody asks for the health.
pub fn add_check(app: &App, id: &'static str, probe: Probe) {
    let check = Check::passed(id, app.env().clock.now());
    lock(&app.health.added).push((check, probe));
}

/// Makes the checks.
pub fn check(app: &App) -> Vec<Check> {
    let begun = app.env().clock.now();
    let read = app.engine.snapshot().and_then(|view| view.revision());
    let mut reading = lock(&app.health.reading);
    if let Err(error) = &read
        && reading.fault.is_none()
    {
        let cause = error.source().map(ToString::to_string);
        tracing::error!(%error, cause, "the store cannot be read");
    }
    let fault = read.err().as_ref().map(in_words);
    reading.note((begun, app.env().clock.now()), fault);
    let mut checks = vec![reading.clone(), lock(&app.health.writing).clone()];
    drop(reading);
    for (check, probe) in &mut *lock(&app.health.added) {
        let begun = app.env().clock.now();
        let fault = probe();
        check.note((begun, app.env().clock.now()), fault);
        checks.push(check.clone());
    }
    checks
}

/// Says what is wrong with the store, as far as strangers may know: what exactly is damaged stands in
/// the log.
fn in_words(error: &StoreError) -> String {
    match error {
        StoreError::Corrupt { .. } => "the store is damaged".to_owned(),
        StoreError::Full | StoreError::Unavailable(_) | StoreError::Closed => error.to_string(),
    }
}

impl Check {
    /// Notes how the check ended.
    fn note(&mut self, (begun, ended): (Timestamp, Timestamp), fault: Option<String>) {
        self.at = ended;
        self.took = ended.duration_since(begun).max(SignedDuration::ZERO);
        let earlier = self.fault.take();
        self.fault = fault.map(|message| Fault {
            message,
            failures: earlier.as_ref().map_or(0, |fault| fault.failures) + 1,
            since: earlier.map_or(ended, |fault| fault.since),
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::engine::Abort;

    fn at(second: i64) -> (Timestamp, Timestamp) {
        let begun = Timestamp::from_second(second).unwrap();
        (begun, begun + SignedDuration::from_millis(3))
    }

    fn written(health: &Health) -> Check {
        health.writing.lock().unwrap().clone()
    }

    #[test]
    fn writing_fails_until_a_transaction_reaches_the_disk_again() {
        let health = Health::new(Timestamp::UNIX_EPOCH);
        assert_eq!(written(&health).fault, None);
        health.wrote(at(1), Some(&CommitError::Engine(StoreError::Full)));
        health.wrote(at(2), Some(&CommitError::Engine(StoreError::Closed)));
        let check = written(&health);
        assert_eq!(check.took, SignedDuration::from_millis(3));
        let fault = check.fault.unwrap();
        assert_eq!((fault.failures, fault.since), (2, at(1).1));
        assert_eq!(fault.message, StoreError::Closed.to_string());
        health.wrote(at(3), None);
        assert_eq!(
            (written(&health).fault, written(&health).at),
            (None, at(3).1)
        );
    }

    #[test]
    fn a_refused_change_is_no_failure_of_the_disk() {
        let health = Health::new(Timestamp::UNIX_EPOCH);
        health.wrote(at(1), Some(&CommitError::Aborted(Abort)));
        assert_eq!(written(&health).fault, None);
    }
}
