//! The set of all projections, updated in commit order.

mod api_sessions;
mod catalog_kind;
mod catalog_lock;
mod catalogs;
mod grant_changes;
mod loading;
mod pair;
mod policy_builder;

pub use catalogs::AccessGuard;

use crate::sessions::ApiSessionMirror;
use api_sessions::write_sessions;
use catalogs::Catalogs;
use grant_changes::GrantChanges;
use loading::{Batch, LoadPhase, Loader};
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use portcullis_domain::change::Change;
use portcullis_domain::ids::RecordNumber;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The projections of the store.
///
/// They start empty. The owner subscribes to committed changes ([`Projections::apply`]), calls
/// [`Projections::begin_load`], opens a snapshot, passes every record of it to
/// [`Projections::load_put`] and ends with [`Projections::finish_load`]. Changes that arrive
/// meanwhile are queued, and those that the snapshot already contained are skipped. Until then
/// [`Projections::is_ready`] is false, and entities that a reader does not find may exist all the
/// same.
///
/// Each projection has its own lock. A reader that takes several sees each of them at its own
/// revision, and reads the records that it found in a snapshot of the store, which may be newer:
/// records that were deleted meanwhile are skipped.
///
/// The access index and the catalogs that it refers to belong together ([`Projections::access`]): a
/// commit changes all of them at once, with their locks taken in a fixed order. Readers that need
/// more than one of those catalogs take that guard, which follows the same order; any other order
/// could deadlock.
///
/// A thread must not take the same guard twice at a time: the second one could wait for a commit
/// that waits for the first.
#[derive(Default)]
pub struct Projections {
    /// Held while changes are applied, to serialize them. Readers never take it: they hold guards
    /// that a commit may be waiting for.
    phase: Mutex<LoadPhase>,
    /// Filled while loading; separate from `phase`, so that a scan never delays a commit.
    loader: Mutex<Option<Loader>>,
    /// No other lock is taken while this is held.
    on_ready: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
    /// Copy of `phase` for readers.
    is_ready: AtomicBool,
    catalogs: Catalogs,
    sessions: RwLock<ApiSessionMirror>,
    /// Counts changes that may affect anybody's services.
    services_stamp: AtomicU64,
    grant_changes: GrantChanges,
}

impl std::fmt::Debug for Projections {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Projections")
            .field("is_ready", &self.is_ready())
            .finish_non_exhaustive()
    }
}

impl Projections {
    pub fn sessions(&self) -> RwLockReadGuard<'_, ApiSessionMirror> {
        self.sessions.read()
    }

    /// Stamp of everything but the identities that determines who sees which services and how:
    /// while it is unchanged, so are the services of an unchanged identity. To cache something
    /// under a stamp, read the stamp first. Never blocks.
    pub fn services_stamp(&self) -> u64 {
        self.services_stamp.load(Ordering::Acquire)
    }

    /// Number of the last change of anybody's grants. To store it, read it before looking at any
    /// grant. Never blocks.
    pub fn grant_changes(&self) -> u64 {
        self.grant_changes.watch()
    }

    /// Whether grants of an identity changed after change number `since` and up to `until`, even if
    /// they are the same again. May return true for an identity whose grants did not change.
    pub fn grants_changed(&self, identity: RecordNumber, since: u64, until: u64) -> bool {
        let slot = self.identities().slot(identity);
        slot.is_some_and(|slot| self.grant_changes.affect(slot, since, until))
    }

    /// Whether the projections contain everything in the store. Never blocks.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Calls `notify` once the projections are ready: at once if they are, otherwise from the
    /// thread that finishes loading.
    pub fn on_ready(&self, notify: impl FnOnce() + Send + 'static) {
        {
            let mut waiting = self.on_ready.lock();
            if !self.is_ready() {
                waiting.push(Box::new(notify));
                return;
            }
        }
        notify();
    }

    /// Applies the changes of the transactions that were committed as `revision`. Calls come in the
    /// order of revisions; a revision that was applied already is skipped.
    pub fn apply(&self, revision: u64, changes: &[Change]) {
        let mut phase = self.phase.lock();
        match &mut *phase {
            LoadPhase::Loading(pending) => pending.push(revision, changes),
            LoadPhase::Ready(applied) if revision <= *applied => {},
            LoadPhase::Ready(applied) => {
                self.apply_changes(changes);
                *applied = revision;
            },
        }
    }

    /// Starts loading from scratch; an unfinished load is discarded. The snapshot to be loaded must
    /// be opened after this.
    ///
    /// Projections that were ready keep their content until the load is finished; session activity
    /// that was not drained by then is lost.
    pub fn begin_load(&self) {
        let mut phase = self.phase.lock();
        if let LoadPhase::Ready(_) = *phase {
            *phase = LoadPhase::default();
            self.is_ready.store(false, Ordering::Release);
        }
        *self.loader.lock() = Some(Loader::default());
    }

    /// Adds a record of the scan as if it had just been written, in any order. Without
    /// [`Projections::begin_load`] it does nothing.
    pub fn load_put(&self, record: &Change) {
        if let Some(loader) = &mut *self.loader.lock() {
            loader.put(record);
        }
    }

    /// Finishes loading a snapshot of the given revision: the projections become what was scanned,
    /// plus what was committed after it. Without [`Projections::begin_load`] it does nothing.
    pub fn finish_load(&self, scanned_at_revision: u64) {
        let Some(loader) = self.loader.lock().take() else {
            return;
        };
        let mut scanned = loader.finish();
        self.catalogs.swap_all(&mut scanned.catalogs);
        std::mem::swap(&mut *self.sessions.write(), &mut scanned.sessions);
        self.services_stamp.fetch_add(1, Ordering::Release);
        // The previous content.
        drop(scanned);
        self.catch_up(scanned_at_revision);
        let waiting = std::mem::take(&mut *self.on_ready.lock());
        for notify in waiting {
            notify();
        }
    }

    /// Applies the queued changes. Changes that arrive meanwhile are queued again, so that commits
    /// are not delayed.
    fn catch_up(&self, scanned_at_revision: u64) {
        let mut applied = scanned_at_revision;
        loop {
            let mut phase = self.phase.lock();
            let LoadPhase::Loading(pending) = &mut *phase else {
                return;
            };
            let batches = pending.drain();
            if batches.is_empty() {
                *phase = LoadPhase::Ready(applied);
                self.is_ready.store(true, Ordering::Release);
                return;
            }
            drop(phase);
            for Batch { revision, changes } in batches {
                if revision > applied {
                    self.apply_changes(&changes);
                    applied = revision;
                }
            }
        }
    }

    /// Writes changes to the projections that they affect.
    fn apply_changes(&self, changes: &[Change]) {
        let grants = self.grant_changes.capture(changes, || self.access());
        self.catalogs.write(changes);
        if let Some(before) = grants {
            self.grant_changes.record(before, changes, || self.access());
        }
        write_sessions(&self.sessions, changes);
        // Last, so that nothing old is cached under the new stamp.
        if changes.iter().any(affects_services) {
            self.services_stamp.fetch_add(1, Ordering::Release);
        }
    }
}

/// Whether a change may affect which services identities see, or what they see of them.
const fn affects_services(change: &Change) -> bool {
    matches!(
        change,
        Change::Service(_)
            | Change::ServicePolicy(_)
            | Change::PostureCheck(_)
            | Change::Config(_)
            | Change::ConfigType(_)
    )
}
