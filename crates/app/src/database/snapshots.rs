//! Copies of the store, made while it is in use.

use super::{Copy, snapshot_path};
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::AppError;
use crate::privilege::FreshFactor;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_storage::engine::CopyError;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Minimum time between two copies, since each reads and writes everything.
const MIN_INTERVAL: SignedDuration = SignedDuration::from_mins(1);

const RATE_RULE: &str = "a snapshot can be taken at most once a minute";

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
    fn reserve(&self, now: Timestamp) -> Result<SnapshotReservation<'_>, AppError> {
        let mut turn = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was set back must not prevent copies.
        let since = turn.last_started.map(|last| now.duration_since(last));
        let wait = since
            .filter(|since| !since.is_negative() && *since < MIN_INTERVAL)
            .map(|since| MIN_INTERVAL - since);
        let wait = wait.or_else(|| turn.is_running.then_some(MIN_INTERVAL));
        if let Some(wait) = wait {
            return Err(AppError::RateLimited {
                rule: RATE_RULE,
                seconds: u32::try_from(wait.as_secs()).unwrap_or(0).max(1),
            });
        }
        *turn = SnapshotState {
            is_running: true,
            last_started: Some(now),
        };
        Ok(SnapshotReservation(self))
    }

    /// The default path of a copy: next to the store, with the time in its name.
    fn default_path(&self, now: Timestamp) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(now.strftime("-%Y%m%d-%H%M%S").to_string());
        snapshot_path::directory_of(&self.store).join(name)
    }

    /// The temporary path of a copy in `folder`. Only one copy runs at a time, so an existing file
    /// is a leftover.
    fn temporary_path(&self, folder: &Path) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(".copy");
        folder.join(name)
    }
}

/// Reservation of a copy, released on drop.
struct SnapshotReservation<'c>(&'c SnapshotFiles);

impl Drop for SnapshotReservation<'_> {
    fn drop(&mut self) {
        let turn = self.0.state.lock();
        turn.unwrap_or_else(PoisonError::into_inner).is_running = false;
    }
}

/// Writes a copy of the store and returns its path.
///
/// The copy is written next to the store under the store's name and the time, or to `requested`: a
/// path relative to the directory of the store, through existing directories, to a file that does
/// not exist. It appears once complete, opens as a store, and needs the sealing key of this one.
/// Commits continue meanwhile.
///
/// # Errors
///
/// [`AppError::Field`] for an invalid `path`; [`AppError::RateLimited`] within a minute of the
/// start of the last copy.
pub async fn copy(
    app: &Arc<App>,
    permit: &Permit<Copy>,
    requested: Option<&str>,
) -> Result<PathBuf, AppError> {
    FreshFactor::new(app).check(permit.caller())?;
    let requested = requested.map(str::to_owned);
    let writing = Arc::clone(app);
    let path = run_blocking(move || write(&writing, requested.as_deref())).await?;
    let entity = path.display().to_string();
    app.audit_operation(permit.caller(), "database.snapshot", &entity)
        .await?;
    Ok(path)
}

fn write(app: &App, requested: Option<&str>) -> Result<PathBuf, AppError> {
    let (snapshots, now) = (&app.snapshots, app.env().now());
    let path = match requested {
        Some(requested) => snapshot_path::resolve_requested(&snapshots.store, requested)?,
        None => snapshots.default_path(now),
    };
    let _begun = snapshots.reserve(now)?;
    let draft = snapshots.temporary_path(snapshot_path::directory_of(&path));
    let result = app.engine.snapshot()?.write_copy(&draft, &path);
    result.map_err(|error| map_copy_error(error, requested))?;
    Ok(path)
}

/// Cause and remedy of an I/O error.
fn io_reason(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "the disk is full; free some space, then try again"
        },
        io::ErrorKind::PermissionDenied => {
            "permission denied; give the controller the right to write to this directory"
        },
        io::ErrorKind::ReadOnlyFilesystem => {
            "the file system is read-only; choose another directory"
        },
        io::ErrorKind::NotFound => "the directory does not exist; create it first",
        _ => "the disk reported an error; check it, then try again",
    }
}

fn map_copy_error(error: CopyError, requested: Option<&str>) -> AppError {
    match (error, requested) {
        (CopyError::Exists, Some(requested)) => {
            let reason = "must name a file that does not exist yet";
            FieldError::new("path", reason, requested).into()
        },
        // The clock was set back; the next second has another name.
        (CopyError::Exists, None) => AppError::RateLimited {
            rule: RATE_RULE,
            seconds: 1,
        },
        (CopyError::Store(error), _) => error.into(),
        (CopyError::Io(error), _) => AppError::SnapshotFailed(io_reason(&error)),
    }
}
