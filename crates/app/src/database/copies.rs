//! Copies of the store, made while it is served.

use super::{Copy, place};
use crate::app::App;
use crate::aside::aside;
use crate::error::AppError;
use crate::rank::FreshFactor;
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::clock::{SignedDuration, Timestamp};
use portcullis_storage::copy::{self, CopyError};
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The time from one copy to the next: each reads and writes everything.
const PERIOD: SignedDuration = SignedDuration::from_mins(1);

const RULE: &str = "a snapshot can be taken at most once a minute";

/// Where copies are put, and when the last one was begun.
#[derive(Debug)]
pub(crate) struct Copies {
    store: PathBuf,
    turn: Mutex<Turn>,
}

#[derive(Debug, Default)]
struct Turn {
    is_taken: bool,
    last: Option<Timestamp>,
}

impl Copies {
    /// Copies of the store at this path, in its folder.
    pub(crate) fn of(store: PathBuf) -> Self {
        Self {
            store,
            turn: Mutex::default(),
        }
    }

    /// Takes the turn, if nobody has it and the last one is long enough ago.
    fn begin(&self, now: Timestamp) -> Result<Begun<'_>, AppError> {
        let mut turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        // A clock that was put back must not keep copies from being made.
        let since = turn.last.map(|last| now.duration_since(last));
        let wait = since
            .filter(|since| !since.is_negative() && *since < PERIOD)
            .map(|since| PERIOD - since);
        let wait = wait.or_else(|| turn.is_taken.then_some(PERIOD));
        if let Some(wait) = wait {
            return Err(AppError::TooSoon {
                rule: RULE,
                seconds: u32::try_from(wait.as_secs()).unwrap_or(0).max(1),
            });
        }
        *turn = Turn {
            is_taken: true,
            last: Some(now),
        };
        Ok(Begun(self))
    }

    /// The usual place of a copy: beside the store, with the time in its name.
    fn usual(&self, now: Timestamp) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(now.strftime("-%Y%m%d-%H%M%S").to_string());
        place::folder(&self.store).join(name)
    }

    /// Where a copy is made that will lie in `folder`. There is one at a time, so what is found
    /// there was left behind.
    fn draft(&self, folder: &Path) -> PathBuf {
        let mut name = OsString::from(self.store.file_name().unwrap_or_default());
        name.push(".copy");
        folder.join(name)
    }
}

/// A turn that is given back, however it ends.
struct Begun<'c>(&'c Copies);

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        let turn = self.0.turn.lock();
        turn.unwrap_or_else(PoisonError::into_inner).is_taken = false;
    }
}

/// Writes a copy of the store as it is now; answers where.
///
/// The copy lies beside the store, under the store's name and the time, or where `wish` says: a path
/// relative to the folder of the store, through folders that exist, to a file that does not. It is
/// there when it is whole, opens as a store, and needs the sealing key of this one. Commits go on
/// meanwhile.
///
/// # Errors
///
/// [`AppError::Field`] about the member `path` for a path that may not be; [`AppError::TooSoon`]
/// within a minute after the last copy was begun.
pub async fn copy(
    app: &Arc<App>,
    permit: &Permit<Copy>,
    wish: Option<&str>,
) -> Result<PathBuf, AppError> {
    FreshFactor::of(app).check(permit.caller())?;
    let wish = wish.map(str::to_owned);
    let writing = Arc::clone(app);
    let place = aside(move || write(&writing, wish.as_deref())).await?;
    let entity = place.display().to_string();
    app.record(permit.caller(), "database.snapshot", &entity)
        .await?;
    Ok(place)
}

fn write(app: &App, wish: Option<&str>) -> Result<PathBuf, AppError> {
    let (copies, now) = (&app.copies, app.env().now());
    let place = match wish {
        Some(wish) => place::wished(&copies.store, wish)?,
        None => copies.usual(now),
    };
    let _begun = copies.begin(now)?;
    let draft = copies.draft(place::folder(&place));
    let written = copy::write(&*app.engine.snapshot()?, &draft, &place);
    written.map_err(|error| not_copied(error, wish))?;
    Ok(place)
}

/// What kept the operating system from writing a copy, and what to do.
fn why(error: &io::Error) -> &'static str {
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

fn not_copied(error: CopyError, wish: Option<&str>) -> AppError {
    match (error, wish) {
        (CopyError::Exists, Some(wish)) => {
            let reason = "must name a file that does not exist yet";
            FieldError::new("path", reason, wish).into()
        },
        // The clock was put back; another second has another name.
        (CopyError::Exists, None) => AppError::TooSoon {
            rule: RULE,
            seconds: 1,
        },
        (CopyError::Store(error), _) => error.into(),
        (CopyError::Io(error), _) => AppError::NotCopied(why(&error)),
    }
}
