//! Read views on redb that tolerate damaged pages.

use crate::backend::{DatabaseHealth, is_full};
use crate::copy;
use crate::guard::{self, Panicked};
use crate::meta::State;
use portcullis_storage::engine::{CopyError, KeyRange, ReadTx, RowVisitor, Snapshot, StoreError};
use redb::ReadOnlyTable;
use std::path::Path;
use std::sync::Arc;

pub(crate) type Rows = ReadOnlyTable<&'static [u8], &'static [u8]>;

/// A view of one committed state.
pub(crate) struct Reader {
    rows: Rows,
    health: Arc<DatabaseHealth>,
}

impl Reader {
    pub(crate) fn new(rows: Rows, health: Arc<DatabaseHealth>) -> Self {
        Self { rows, health }
    }

    /// Whether its database has to be reopened.
    pub(crate) fn is_stale(&self) -> bool {
        self.health.is_stale()
    }

    fn guarded<T>(&self, call: impl FnOnce() -> Result<T, redb::Error>) -> Result<T, StoreError> {
        guarded(&self.health, call)
    }
}

impl ReadTx for Reader {
    fn get(&self, key: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
        self.guarded(|| {
            let found = self.rows.get(key)?;
            Ok(found.map(|value| value.value().to_vec()))
        })
    }

    fn scan(&self, range: &KeyRange, visit: &mut RowVisitor<'_>) -> Result<(), StoreError> {
        if range.is_empty() {
            return Ok(());
        }
        let mut rows = self.guarded(|| Ok(self.rows.range::<&[u8]>(range.bounds())?))?;
        // The visitor runs outside the guards: its panics are not the engine's.
        while let Some((key, value)) = self.guarded(|| Ok(rows.next().transpose()?))? {
            let (key, value) = self.guarded(|| Ok((key.value(), value.value())))?;
            if visit(key, value)?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

impl Snapshot for Reader {
    fn revision(&self) -> Result<u64, StoreError> {
        Ok(State::read(self)?.revision)
    }

    fn write_copy(&self, draft: &Path, path: &Path) -> Result<(), CopyError> {
        copy::write(self, draft, path)
    }
}

/// Calls into redb, which can fail or panic on damaged pages.
///
/// After a failure other than damaged data redb refuses all further calls, and a panic may poison
/// its locks: the database is marked for reopening.
pub(crate) fn guarded<T>(
    health: &DatabaseHealth,
    call: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, StoreError> {
    match guard::guarded(call) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => {
            if !matches!(error, redb::Error::Corrupted(_)) {
                health.mark_stale();
            }
            Err(store_error(error))
        },
        Err(Panicked) => {
            health.mark_stale();
            Err(StoreError::corrupt(UNREADABLE_PAGE))
        },
    }
}

/// Damage of a page, whichever way redb notices it.
const UNREADABLE_PAGE: &str = "a page cannot be read";

/// Converts a redb error.
pub(crate) fn store_error(error: redb::Error) -> StoreError {
    match error {
        redb::Error::Io(error) if is_full(&error) => StoreError::Full,
        redb::Error::Io(error) if is_damage(&error) => StoreError::corrupt(UNREADABLE_PAGE),
        redb::Error::Corrupted(_) => StoreError::corrupt(UNREADABLE_PAGE),
        redb::Error::DatabaseClosed => StoreError::Closed,
        redb::Error::TableDoesNotExist(_)
        | redb::Error::TableTypeMismatch { .. }
        | redb::Error::TableIsMultimap(_)
        | redb::Error::TypeDefinitionChanged { .. } => {
            StoreError::corrupt("it holds no table of a controller")
        },
        error => StoreError::Unavailable(Arc::new(error)),
    }
}

/// Whether an I/O error means damaged data, such as a page past the end.
pub(crate) fn is_damage(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::InvalidData
            | std::io::ErrorKind::UnexpectedEof
            | std::io::ErrorKind::InvalidInput
    )
}
