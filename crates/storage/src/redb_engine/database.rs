//! One redb database: opening it, opening it anew, and committing to it.

mod opening;

use super::adapter::{Adapter, Watch, is_full};
use super::meta::{Row, State};
use super::options::{Fatal, OpenError, Options};
use super::reader::{Reader, guarded, store_error};
use crate::disk::Disk;
use crate::engine::StoreError;
use crate::guard::{self, Panicked};
use crate::overlay::Overlay;
use redb::{Builder, Database, DatabaseError, Durability, ReadableDatabase as _, TableDefinition};
use std::sync::{Arc, PoisonError, RwLock};

const ROWS: TableDefinition<'static, &'static [u8], &'static [u8]> = TableDefinition::new("rows");

/// A database that can be opened anew after its disk failed.
pub(super) struct Store {
    disk: Arc<dyn Disk>,
    cache_bytes: usize,
    current: RwLock<Current>,
}

enum Current {
    Open(Opened),
    /// Could not be opened anew, for this reason.
    Shut(StoreError),
}

struct Opened {
    database: Database,
    watch: Arc<Watch>,
}

/// Why something was not done to the database.
pub(super) enum Failure {
    /// It may be tried again; the store is as it was.
    Passing(StoreError),
    /// What is on the disk is unknown or wrong.
    Fatal(Fatal),
}

impl Failure {
    pub(super) fn fatal(what: impl Into<String>) -> Self {
        Self::Fatal(Fatal { what: what.into() })
    }
}

impl Store {
    /// Opens the database on `disk` and brings it to the current schema.
    pub(super) fn open(
        disk: Arc<dyn Disk>,
        place: &str,
        options: &Options,
    ) -> Result<(Self, State), OpenError> {
        let fresh = disk.size().map_err(|source| OpenError::Io {
            place: place.to_owned(),
            source,
        })? == 0;
        let opened = Opened::new(&disk, options.cache_bytes)
            .map_err(|error| opening::refusal(place, error))?;
        let store = Self {
            disk,
            cache_bytes: options.cache_bytes,
            current: RwLock::new(Current::Open(opened)),
        };
        let state = opening::prepare(&store, place, fresh, options.schema)?;
        Ok((store, state))
    }

    /// Opens a view of what is committed.
    pub(super) fn reader(&self) -> Result<Reader, StoreError> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.reader(),
            Current::Shut(error) => Err(error.clone()),
        }
    }

    /// Tells whether the database has to be opened anew before it is used.
    pub(super) fn is_stale(&self) -> bool {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.watch.is_stale(),
            Current::Shut(_) => true,
        }
    }

    /// Makes the writes of `overlay` and `rows` durable, all or none.
    pub(super) fn commit(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), Failure> {
        let current = self.current.read().unwrap_or_else(PoisonError::into_inner);
        match &*current {
            Current::Open(opened) => opened.commit(overlay, rows),
            Current::Shut(error) => Err(Failure::Passing(error.clone())),
        }
    }

    /// Opens the database anew and checks that it still is at `revision`.
    pub(super) fn reopen(&self, revision: u64) -> Result<(), Failure> {
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        let old = std::mem::replace(&mut *current, Current::Shut(StoreError::Closed));
        if let Current::Open(old) = old {
            old.watch.retire();
            old.close();
        }
        match self.opened_at(revision) {
            Ok(opened) => {
                *current = Current::Open(opened);
                Ok(())
            },
            Err(failure) => {
                if let Failure::Passing(error) = &failure {
                    *current = Current::Shut(error.clone());
                }
                Err(failure)
            },
        }
    }

    fn opened_at(&self, revision: u64) -> Result<Opened, Failure> {
        let failure = |error| match error {
            error @ (StoreError::Full | StoreError::Unavailable(_)) => Failure::Passing(error),
            error => Failure::fatal(format!("it cannot be opened anew: {error}")),
        };
        let opened = Opened::new(&self.disk, self.cache_bytes)
            .map_err(|error| store_error(error.into()))
            .map_err(failure)?;
        let state = opened
            .reader()
            .and_then(|reader| State::read(&reader))
            .map_err(failure)?;
        // A commit reported as failed that is there after all was never told to the projections.
        if state.revision != revision {
            let found = state.revision;
            return Err(Failure::fatal(format!(
                "opened anew it is at revision {found} instead of {revision}"
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

impl Opened {
    /// Closes the database, which writes a last time and so can panic on damaged pages, or on
    /// locks poisoned by an earlier panic.
    fn close(self) {
        if guard::guarded(move || drop(self.database)).is_err() {
            tracing::error!("the store could not be closed in order");
        }
    }

    fn new(disk: &Arc<dyn Disk>, cache_bytes: usize) -> Result<Self, DatabaseError> {
        let watch = Arc::new(Watch::default());
        let adapter = Adapter::new(Arc::clone(disk), Arc::clone(&watch));
        let open = || {
            Builder::new()
                .set_cache_size(cache_bytes)
                .create_with_backend(adapter)
        };
        match guard::guarded(open) {
            Ok(result) => result.map(|database| Self { database, watch }),
            Err(Panicked) => Err(DatabaseError::Storage(redb::StorageError::Corrupted(
                "a page cannot be read".into(),
            ))),
        }
    }

    fn reader(&self) -> Result<Reader, StoreError> {
        let rows = guarded(&self.watch, || {
            Ok(self.database.begin_read()?.open_table(ROWS)?)
        })?;
        Ok(Reader::new(rows, Arc::clone(&self.watch)))
    }

    fn commit(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), Failure> {
        let attempt = || self.write(overlay, rows);
        let Ok(result) = guard::guarded(attempt) else {
            return Err(Failure::fatal("the engine panicked during a commit"));
        };
        let Err(error) = result else {
            return Ok(());
        };
        self.watch.mark_stale();
        let passing = match &error {
            redb::Error::Io(cause) => is_full(cause) || !super::reader::is_damage(cause),
            redb::Error::PreviousIo => true,
            _ => false,
        };
        if passing && !self.watch.lost_writes() {
            Err(Failure::Passing(store_error(error)))
        } else {
            Err(Failure::fatal(format!("a commit failed: {error}")))
        }
    }

    fn write(&self, overlay: &Overlay, rows: &[Row]) -> Result<(), redb::Error> {
        let mut tx = self.database.begin_write()?;
        tx.set_durability(Durability::Immediate)?;
        // Lets the next opening after a kill skip the walk over all pages.
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
