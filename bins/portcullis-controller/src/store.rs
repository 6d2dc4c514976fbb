//! Opening of the store and its vault, with advice for every error.

mod condition;
mod lock_holder;
mod missing_store;

pub(crate) use condition::{
    StoreCondition, examine, has_administrator, surely_lacks_administrator,
};
pub(crate) use lock_holder::{describe_lock_holder, lock_holder};

use crate::{files, logging};
use anyhow::{Context as _, anyhow};
use portcullis_controller_config::StoreLocation;
use portcullis_domain::change::Change;
use portcullis_domain::entropy::Entropy;
use portcullis_domain::io_error;
use portcullis_storage::vault::Vault;
use portcullis_storage_redb::{FatalError, OpenError, Options, RedbEngine};
use rustix::fs::{Mode, OFlags};
use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// The open store.
pub(crate) struct Store {
    pub(crate) engine: Arc<RedbEngine<Change>>,
    /// Seals the secrets in the store.
    pub(crate) vault: Arc<Vault>,
}

/// Opens the store of a configuration, or creates it unless it `must_exist`.
pub(crate) fn open(
    location: &StoreLocation,
    must_exist: bool,
    entropy: Arc<dyn Entropy>,
) -> anyhow::Result<Store> {
    missing_store::check(location, must_exist)?;
    let (path, key) = (location.store_path(), location.sealing_key_path());
    let missing: Vec<_> = [&path, &key]
        .into_iter()
        .filter(|it| !it.exists())
        .collect();
    let started = SystemTime::from(portcullis_system::env().clock.now());
    let engine = RedbEngine::open(&path, options()).map_err(|error| open_error(&error, &path))?;
    let vault = open_vault(&engine, location, entropy)?;
    for created in missing {
        give_to_owner(created, started)
            .with_context(|| format!("{} cannot be given to its owner", created.display()))?;
    }
    Ok(Store {
        engine: Arc::new(engine),
        vault: Arc::new(vault),
    })
}

/// Coarseness of the times of files.
const TIME_STEP: Duration = Duration::from_secs(1);

/// Gives a file that was created after `started` to the owner of its directory.
fn give_to_owner(path: &Path, started: SystemTime) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    // The owner of the directory may have put a link to a file of somebody else in its place.
    if !metadata.is_file() || metadata.nlink() > 1 || metadata.modified()? + TIME_STEP < started {
        return Err(io::Error::other("another program has replaced it"));
    }
    files::inherit_owner(&file, files::directory_of(path))
}

fn open_vault(
    engine: &RedbEngine<Change>,
    location: &StoreLocation,
    entropy: Arc<dyn Entropy>,
) -> anyhow::Result<Vault> {
    Vault::open(engine, &location.sealing_key_path(), entropy)
        .context("the secrets of the store cannot be opened")
}

/// Whether a process has the store at `path` open; `None` if this user cannot tell.
pub(crate) fn is_in_use(path: &Path) -> Option<bool> {
    let file = match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(false),
        opened => opened.ok()?,
    };
    // Released when the file is closed.
    match file.try_lock_shared() {
        Ok(()) => Some(false),
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

/// Refuses a store that another process has open.
pub(crate) fn require_unused(path: &Path) -> anyhow::Result<()> {
    match is_in_use(path) {
        Some(true) => Err(in_use_error(path)),
        Some(false) | None => Ok(()),
    }
}

fn in_use_error(path: &Path) -> anyhow::Error {
    anyhow!(
        "the store {} is in use by {}; stop the controller that uses it first",
        path.display(),
        describe_lock_holder(path),
    )
}

/// Opens a copy of a store, whose file stays as it is.
pub(crate) fn open_unchanged(copy: &Path) -> anyhow::Result<RedbEngine<Change>> {
    RedbEngine::open_unchanged(copy, options()).map_err(|error| match error {
        OpenError::Corrupt { .. } => anyhow!(
            "{error}; name a file that `portcullis database snapshot` has written, or take an earlier one"
        ),
        error => open_error(&error, copy),
    })
}

/// A follower that has fallen behind by more changes than the feed keeps reads all records again, and
/// routers are told everything anew: hundreds of routers that connect at once must not lead to that, nor
/// a burst of logins. A change takes about a kilobyte.
fn options() -> Options {
    Options {
        feed_capacity: 8 * 1024,
        fatal: Arc::new(abort),
        ..Options::default()
    }
}

/// Aborts the process as the engine does, but logs the reason first.
fn abort(fatal: &FatalError) {
    // A panic while logging must not prevent the abort.
    let _ = std::panic::catch_unwind(|| {
        tracing::error!("{fatal}");
        logging::flush();
    });
    std::process::abort();
}

/// Adds advice to an error.
fn open_error(error: &OpenError, path: &Path) -> anyhow::Error {
    let advice = match error {
        OpenError::InUse { .. } => return in_use_error(path),
        OpenError::Newer { .. } => "use the version that wrote it, or a later one",
        OpenError::Corrupt { .. } => "restore a backup",
        OpenError::Migration { .. } => "go back to the version that wrote it, and report this",
        OpenError::Io { source, .. } => match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
            io::ErrorKind::ReadOnlyFilesystem => "choose a place that can be written",
            io::ErrorKind::PermissionDenied => "give this user the right to write there",
            io::ErrorKind::NotFound if !folder_exists(path) => "create its directory first",
            _ => "fix the cause and start again",
        },
    };
    let why = std::error::Error::source(error).map(|cause| format!(": {}", describe_cause(cause)));
    let text = error.to_string();
    let why = why
        .filter(|why| !text.ends_with(why.as_str()))
        .unwrap_or_default();
    anyhow!("the store {text}{why}; {advice}")
}

/// The cause, with I/O errors in plain words.
fn describe_cause(cause: &(dyn std::error::Error + 'static)) -> String {
    match cause.downcast_ref::<io::Error>() {
        Some(error) => io_error::describe_io_error(error),
        None => cause.to_string(),
    }
}

fn folder_exists(path: &Path) -> bool {
    files::directory_of(path).is_dir()
}
