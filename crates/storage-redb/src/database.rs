//! A redb database that can be reopened after failures.

mod opening;

use crate::backend::{DatabaseHealth, DiskBackend, is_full};
use crate::disk::Disk;
use crate::guard::{self, Panicked};
use crate::meta::{Row, State};
use crate::options::{FatalError, OpenError, Options};
use crate::overlay::Overlay;
use crate::reader::{Reader, guarded, store_error};
use portcullis_storage::engine::StoreError;
use redb::{Builder, Database, DatabaseError, Durability, ReadableDatabase as _, TableDefinition};
use std::sync::{Arc, PoisonError, RwLock};

const ROWS: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("rows");

/// A database that can be reopened after a disk failure.
pub(crate) struct Store {
    disk: Arc<dyn Disk>,
    cache_bytes: usize,
    current: RwLock<Current>,
}

enum Current {
    Open(OpenDatabase),
    /// Could not be reopened.
    Shut(StoreError),
}

struct OpenDatabase {
    database: Database,
    health: Arc<DatabaseHealth>,
}

/// A failed operation on the database.
pub(crate) enum StoreFailure {
    /// Can be retried; the store is unchanged.
    Transient(StoreError),
    /// The state of the disk is unknown or wrong.
    Fatal(FatalError),
}

impl StoreFailure {
    pub(crate) fn fatal(what: impl Into<String>) -> Self {
        Self::Fatal(FatalError { what: what.into() })
    }
}

impl Store {
    /// Opens the database on `disk` and migrates it to the current schema.
    pub(crate) fn open(
        disk: Arc<dyn Disk>,
        place: &str,
        options: &Options,
    ) -> Result<(Self, State), OpenError> {
        let fresh = disk.size().map_err(|source| OpenError::Io {
            place: place.to_owned(),
            source,
        })? == 0;
        let opened = OpenDatabase::new(&disk, options.cache_bytes)
            .map_err(|error| opening::open_error(place, error))?;
        let store = Self {
            disk,
            cache_bytes: options.cache_bytes,
            current: RwLock::new(Current::Open(opened)),
        };
        let state = opening::prepare(&store, place, fresh, options.schema)?;
        Ok((store, state))
    }

    /// Opens a read view of the committed state.
    pub(crate) fn reader(&self) -> Result<Reader, StoreError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.reader(),
            Current::Shut(error) => Err(error.clone()),
        }
    }

    /// Whether the database has to be reopened before use.
    pub(crate) fn is_stale(&self) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.health.is_stale(),
            Current::Shut(_) => true,
        }
    }

    /// Atomically commits the writes of `overlay` and `rows`.
    pub(crate) fn commit(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), StoreFailure> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.commit(overlay, rows),
            Current::Shut(error) => Err(StoreFailure::Transient(error.clone())),
        }
    }

    /// Reopens the database and verifies that it is at `revision`.
    pub(crate) fn reopen(&self, revision: u64) -> Result<(), StoreFailure> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Current::Shut(StoreError::Closed));
        if let Current::Open(old) = old {
            old.health.retire();
            old.close();
        }
        match self.open_at(revision) {
            Ok(opened) => {
                *current = Current::Open(opened);
                Ok(())
            },
            Err(failure) => {
                if let StoreFailure::Transient(error) = &failure {
                    *current = Current::Shut(error.clone());
                }
                Err(failure)
            },
        }
    }

    fn open_at(&self, revision: u64) -> Result<OpenDatabase, StoreFailure> {
        let failure = |error| match error {
            error @ (StoreError::Full | StoreError::Unavailable(_)) => {
                StoreFailure::Transient(error)
            },
            error => StoreFailure::fatal(format!("it cannot be reopened: {error}")),
        };
        let opened = OpenDatabase::new(&self.disk, self.cache_bytes)
            .map_err(|error| store_error(error.into()))
            .map_err(failure)?;
        let state = opened
            .reader()
            .and_then(|reader| State::read(&reader))
            .map_err(failure)?;
        // A commit reported as failed but stored after all was never sent to the projections.
        if state.revision != revision {
            let found = state.revision;
            return Err(StoreFailure::fatal(format!(
                "after reopening it is at revision {found} instead of {revision}"
            )));
        }
        Ok(opened)
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        let current = self.current.get_mut();
        let current = current.unwrap_or_else(PoisonError::into_inner);
        if let Current::Open(old) = std::mem::replace(current, Current::Shut(StoreError::Closed)) {
            old.close();
        }
    }
}

impl OpenDatabase {
    /// Closes the database. The final write can panic on damaged pages or poisoned locks.
    fn close(self) {
        if guard::guarded(move || drop(self.database)).is_err() {
            tracing::error!("the store could not be closed cleanly");
        }
    }

    fn new(disk: &Arc<dyn Disk>, cache_bytes: usize) -> Result<Self, DatabaseError> {
        let health = Arc::new(DatabaseHealth::default());
        let adapter = DiskBackend::new(Arc::clone(disk), Arc::clone(&health));
        let open = || {
            Builder::new()
                .set_cache_size(cache_bytes)
                .create_with_backend(adapter)
        };
        match guard::guarded(open) {
            Ok(result) => result.map(|database| Self { database, health }),
            Err(Panicked) => Err(DatabaseError::Storage(redb::StorageError::Corrupted(
                "a page cannot be read".into(),
            ))),
        }
    }

    fn reader(&self) -> Result<Reader, StoreError> {
        let rows = guarded(&self.health, || {
            Ok(self.database.begin_read()?.open_table(ROWS)?)
        })?;
        Ok(Reader::new(rows, Arc::clone(&self.health)))
    }

    fn commit(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), StoreFailure> {
        let attempt = || self.write(overlay, rows);
        let Ok(result) = guard::guarded(attempt) else {
            return Err(StoreFailure::fatal("the engine panicked during a commit"));
        };
        let Err(error) = result else {
            return Ok(());
        };
        self.health.mark_stale();
        let passing = match &error {
            redb::Error::Io(cause) => is_full(cause) || !crate::reader::is_damage(cause),
            redb::Error::PreviousIo => true,
            _ => false,
        };
        if passing && !self.health.lost_writes() {
            Err(StoreFailure::Transient(store_error(error)))
        } else {
            Err(StoreFailure::fatal(format!("a commit failed: {error}")))
        }
    }

    fn write(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), redb::Error> {
        let mut tx = self.database.begin_write()?;
        tx.set_durability(Durability::Immediate)?;
        // Lets the next open after a kill skip the walk over all pages.
        tx.set_quick_repair(true);
        {
            let mut table = tx.open_table(ROWS)?;
            for (key, value) in overlay.iter() {
                match value {
                    Some(value) => table.insert(key, value)?,
                    None => table.remove(key)?,
                };
            }
            for row in rows {
                table.insert(row.key, row.value.as_slice())?;
            }
        }
        tx.commit()?;
        Ok(())
    }
}
