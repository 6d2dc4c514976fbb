//! Copies of the store, made while it is in use.

use super::Copy;
use crate::app::App;
use crate::blocking::run_blocking;
use crate::error::{AppError, TooManyRequestsError};
use crate::privilege::FreshFactor;
use crate::state::snapshot_files::RATE_RULE;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_storage::engine::CopyError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// Writes a copy of the store and returns its path.
///
/// The copy is written next to the store under the store's name and the time, or to `requested`: a
/// path relative to the directory of the store, through existing directories, to a file that does
/// not exist. It appears once complete, opens as a store, and needs the sealing key of this one.
/// Commits continue meanwhile.
///
/// # Errors
///
/// [`AppError::Field`] for an invalid `path`; [`TooManyRequestsError::RateLimit`] within a
/// minute of the start of the last copy.
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
    let path = snapshots.resolve(requested, now)?;
    let _begun = snapshots.reserve(now)?;
    let draft = snapshots.temporary_path(&path);
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
        (CopyError::Exists, None) => TooManyRequestsError::RateLimit {
            rule: RATE_RULE,
            seconds: 1,
        }
        .into(),
        (CopyError::Store(error), _) => error.into(),
        (CopyError::Io(error), _) => AppError::SnapshotFailed(io_reason(&error)),
    }
}
