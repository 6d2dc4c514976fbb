//! Files that copies of the store are written to.

mod snapshot_path;

use crate::error::{AppError, TooManyRequestsError};
use parking_lot::Mutex;
use portcullis_domain::FieldError;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Minimum time between two copies, since each reads and writes everything.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

pub(crate) const RATE_RULE: &str = "a snapshot can be taken at most once a minute";

/// Makes copies of the store, one at a time and limited in rate.
#[derive(Debug)]
pub(crate) struct SnapshotFiles {
    store: PathBuf,
    state: Mutex<SnapshotState>,
}

#[derive(Debug, Default)]
struct SnapshotState {
    is_running: bool,
    last_started: Option<Timestamp>,
}

impl SnapshotFiles {
    /// Copies the store at this path into its directory.
    pub(crate) fn new(store: PathBuf) -> Self {
        Self {
            store,
            state: Mutex::default(),
        }
    }

    /// Reserves the next copy if none is running and the last one is long enough ago.
    pub(crate) fn reserve(&self, now: Timestamp) -> Result<SnapshotReservation<'_>, AppError> {
        let mut turn = self.state.lock();
        // A clock that was set back must not prevent copies.
        let since = turn.last_started.map(|last| now.duration_since(last));
        let wait = since
            .filter(|since| !since.is_negative() && *since < MIN_INTERVAL)
            .map(|since| MIN_INTERVAL - since);
        let wait = wait.or_else(|| turn.is_running.then_some(MIN_INTERVAL));
        if let Some(wait) = wait {
            return Err(TooManyRequestsError::RateLimit {
                rule: RATE_RULE,
                seconds: u32::try_from(wait.as_secs()).unwrap_or(0).max(1),
            }
            .into());
        }
        *turn = SnapshotState {
            is_running: true,
            last_started: Some(now),
        };
        Ok(SnapshotReservation(self))
    }

    /// The path of a copy: the requested one, or the default.
    pub(crate) fn resolve(
        &self,
        requested: Option<&str>,
        now: Timestamp,
    ) -> Result<PathBuf, FieldError> {
        match requested {
            Some(requested) => snapshot_path::resolve_requested(&self.store, requested),
            None => Ok(self.default_path(now)),
        }
    }

    /// The default path of a copy: next to the store, with the time in its name.
    fn default_path(&self, now: Timestamp) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(now.strftime("-%Y%m%d-%H%M%S").to_string());
        snapshot_path::directory_of(&self.store).join(name)
    }

    /// The temporary path of a copy, beside it. Only one copy runs at a time, so an existing file is
    /// a leftover.
    pub(crate) fn temporary_path(&self, copy: &Path) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(".copy");
        snapshot_path::directory_of(copy).join(name)
    }
}

/// Reservation of a copy, released on drop.
pub(crate) struct SnapshotReservation<'c>(&'c SnapshotFiles);

impl Drop for SnapshotReservation<'_> {
    fn drop(&mut self) {
        let mut turn = self.0.state.lock();
        turn.is_running = false;
    }
}
