//! Opening the store and what seals its secrets, with a sentence for everything that can be wrong.

mod absence;

use crate::logging;
use anyhow::Context as _;
use portcullis_controller_config::StoreLocation;
use portcullis_domain::change::Change;
use portcullis_domain::entropy::Entropy;
use portcullis_domain::io_error;
use portcullis_storage::redb_engine::{Fatal, OpenError, Options, RedbEngine};
use portcullis_storage::vault::Vault;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// The open store.
pub(crate) struct Store {
    /// The engine.
    pub(crate) engine: Arc<RedbEngine<Change>>,
    /// What seals its secrets.
    pub(crate) vault: Arc<Vault>,
}

/// Opens the store of a configuration, or makes it unless it `was_made` before.
pub(crate) fn open(
    location: &StoreLocation,
    was_made: bool,
    entropy: Arc<dyn Entropy>,
) -> anyhow::Result<Store> {
    absence::check(location, was_made)?;
    let path = location.store_path();
    let engine = RedbEngine::open(&path, options()).map_err(|error| with_advice(&error, &path))?;
    let vault = Vault::open(&engine, &location.sealing_key_path(), entropy)
        .context("the secrets of the store cannot be opened")?;
    Ok(Store {
        engine: Arc::new(engine),
        vault: Arc::new(vault),
    })
}

/// The read model follows the store as an observer. Groups are kept only for followers that fall
/// behind, of which there is none yet; each may hold a megabyte.
fn options() -> Options {
    Options {
        feed_capacity: 16,
        fatal: Arc::new(abort),
        ..Options::default()
    }
}

/// Ends the process at once, as the engine does by itself, but with its last words in the log.
fn abort(fatal: &Fatal) {
    // The log must not keep the process from its end, whatever it stumbles over.
    let _ = std::panic::catch_unwind(|| {
        tracing::error!("{fatal}");
        logging::flush();
    });
    std::process::abort();
}

/// Adds what can be done about it.
fn with_advice(error: &OpenError, path: &Path) -> anyhow::Error {
    let advice = match error {
        OpenError::InUse { .. } => "stop the controller that uses it first",
        OpenError::Newer { .. } => "use the version that wrote it, or a later one",
        OpenError::Corrupt { .. } => "restore a backup",
        OpenError::Migration { .. } => "go back to the version that wrote it, and report this",
        OpenError::Io { source, .. } => match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space",
            io::ErrorKind::ReadOnlyFilesystem => "choose a place that can be written",
            io::ErrorKind::PermissionDenied => "give this user the right to write there",
            io::ErrorKind::NotFound if !folder_exists(path) => "create its folder first",
            _ => "fix the cause and start again",
        },
    };
    let why = std::error::Error::source(error).map(|cause| format!(": {}", in_words(cause)));
    let text = error.to_string();
    let why = why
        .filter(|why| !text.ends_with(why.as_str()))
        .unwrap_or_default();
    anyhow::anyhow!("the store {text}{why}; {advice}")
}

/// The cause without the words of the operating system.
fn in_words(cause: &(dyn std::error::Error + 'static)) -> String {
    match cause.downcast_ref::<io::Error>() {
        Some(error) => io_error::in_words(error),
        None => cause.to_string(),
    }
}

fn folder_exists(path: &Path) -> bool {
    path.parent()
        .is_none_or(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}
