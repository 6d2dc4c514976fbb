//! The store as a start would find it, seen without changing it.

use super::{missing_store, open_error, open_vault, options};
use crate::{files, output};
use portcullis_controller_config::StoreLocation;
use portcullis_domain::change::Change;
use portcullis_domain::entropy::Entropy;
use portcullis_domain::identity::Identity;
use portcullis_domain::io_error::describe_io_error;
use portcullis_storage::engine::{Engine as _, StoreError};
use portcullis_storage::tables::{Rows, UniqueIndex, UniqueValue};
use portcullis_storage_redb::disk::{Disk as _, MemoryDisk};
use portcullis_storage_redb::{OpenError, Options, RedbEngine};
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

/// Stores up to this size in bytes are copied into memory while a controller has them open.
const MAX_COPIED: u64 = 8 << 20;

/// What a start would find at the place of a store.
pub(crate) enum StoreCondition {
    /// There is none, and nothing says that there was one.
    Absent,
    /// A process has it open.
    InUse,
    /// This user may not look: a sentence that says why.
    Unseen(String),
    /// No controller starts with it: the sentence that it would say.
    Unusable(String),
    /// It opens with its sealing key. Whether its rows are intact is not known.
    Openable(RedbEngine<Change>),
}

/// Looks at the store of a configuration, which may have to exist.
pub(crate) fn examine(
    location: &StoreLocation,
    must_exist: bool,
    entropy: Arc<dyn Entropy>,
) -> StoreCondition {
    let path = location.store_path();
    let found = fs::metadata(&path);
    if let Err(error) = &found
        && error.kind() == io::ErrorKind::PermissionDenied
    {
        return unseen(&path, error);
    }
    if let Err(error) = missing_store::check(location, must_exist) {
        return StoreCondition::Unusable(output::error_chain(&error));
    }
    if found.is_err() {
        return StoreCondition::Absent;
    }
    let engine = match RedbEngine::open_unchanged(&path, options()) {
        Ok(engine) => engine,
        Err(OpenError::InUse { .. }) => return StoreCondition::InUse,
        Err(OpenError::Io { source, .. }) if source.kind() == io::ErrorKind::PermissionDenied => {
            return unseen(&path, &source);
        },
        Err(error) => return StoreCondition::Unusable(open_error(&error, &path).to_string()),
    };
    // A store that was never written gets its key by the start.
    if engine.feed().revision() == 0 {
        return StoreCondition::Openable(engine);
    }
    match open_vault(&engine, location, entropy) {
        Ok(_vault) => StoreCondition::Openable(engine),
        Err(error) if files::is_denied(error.as_ref()) => {
            StoreCondition::Unseen(output::error_chain(&error))
        },
        Err(error) => StoreCondition::Unusable(output::error_chain(&error)),
    }
}

fn unseen(path: &Path, error: &io::Error) -> StoreCondition {
    let (path, why) = (path.display(), describe_io_error(error));
    StoreCondition::Unseen(format!("the store {path} cannot be looked at: {why}"))
}

/// Whether a store has its first administrator.
pub(crate) fn has_administrator(engine: &RedbEngine<Change>) -> Result<bool, StoreError> {
    let snapshot = engine.snapshot()?;
    let mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
    Ok(Rows::new(&*snapshot).find::<Identity>(&mark)?.is_some())
}

/// Whether a store that a controller has open lacks its first administrator, as far as that can be seen.
///
/// Nobody can log in to such a controller, so its store is small and rests: a copy of the file shows it.
/// One that is large, or torn by a commit, has more to it.
pub(crate) fn surely_lacks_administrator(path: &Path) -> bool {
    let copied = || {
        let size = fs::metadata(path).ok()?.len();
        let content = (size <= MAX_COPIED).then(|| fs::read(path).ok())??;
        let disk = MemoryDisk::default();
        disk.write(0, &content).ok()?;
        // A torn copy must not end this process.
        let options = Options {
            fatal: Arc::new(|_| {}),
            ..Options::default()
        };
        RedbEngine::<Change>::on_disk(Arc::new(disk), options).ok()
    };
    let copy = copied().filter(|copy| copy.feed().revision() > 0);
    copy.is_some_and(|copy| matches!(has_administrator(&copy), Ok(false)))
}
