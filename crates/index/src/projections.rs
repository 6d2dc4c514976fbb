//! All projections together, kept current in commit order.

mod api_sessions;
mod building;
mod catalogs;
mod grant_changes;
mod kinds;
mod loading;
mod locks;
mod pair;
mod writing;

pub use catalogs::AccessGuard;

use crate::sessions::Sessions;
use api_sessions::write_sessions;
use catalogs::Catalogs;
use grant_changes::GrantChanges;
use loading::{Batch, Loader, Phase};
use locks::{exchange, lock, read};
use portcullis_domain::change::Change;
use portcullis_domain::ids::Number;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, RwLock, RwLockReadGuard};

/// The projections of the store.
///
/// They begin as unloaded. The owner subscribes to committed changes ([`Projections::apply`]),
/// calls [`Projections::begin_load`], opens a snapshot, feeds every record of it to
/// [`Projections::load_put`] and ends with [`Projections::finish_load`]. Changes that come
/// meanwhile wait, and those that the snapshot already held are passed over. Until then
/// [`Projections::is_ready`] denies, and what a reader does not find may exist all the same.
///
/// Each projection has its own lock. A reader that takes several sees each of them at a revision
/// of its own, and opens the records of what it found in a snapshot of the store, which may have
/// moved on: a record that is gone is passed over.
///
/// What policies say and the catalogs of what they are about go together
/// ([`Projections::access`]): a commit changes all of them at once, with their locks taken in one
/// order. So whoever wants more than one of those catalogs takes that guard, which follows the
/// order too; any other order could end in waiting for ever.
///
/// A thread takes each of the guards at most once at a time: a second one could wait behind a
/// commit that waits for the first.
#[derive(Default)]
pub struct Projections {
    /// Held while changes are applied, so that they go in one after the other. Readers never take
    /// it: they hold guards that a commit may be waiting for.
    phase: Mutex<Phase>,
    /// Filled while loading; apart from `phase`, so that a scan never holds up a commit.
    loader: Mutex<Option<Loader>>,
    /// Nothing else is locked while this is.
    on_ready: Mutex<Vec<Box<dyn FnOnce() + Send>>>,
    /// Whether `phase` is ready, for readers.
    is_ready: AtomicBool,
    catalogs: Catalogs,
    sessions: RwLock<Sessions>,
    /// Counts what may change the services of anybody.
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
    /// The API sessions.
    pub fn sessions(&self) -> RwLockReadGuard<'_, Sessions> {
        read(&self.sessions)
    }

    /// A stamp of everything that decides who sees which services and how, but the identities
    /// themselves: while it stays the same, so do the services of an identity that does. Whoever
    /// remembers something under a stamp takes the stamp first. Waits for nothing.
    pub fn services_stamp(&self) -> u64 {
        self.services_stamp.load(Ordering::Acquire)
    }

    /// The number of the last change of somebody's grants. Whoever remembers it takes it before
    /// looking at any grant. Waits for nothing.
    pub fn grant_changes(&self) -> u64 {
        self.grant_changes.watch()
    }

    /// Whether grants of an identity changed after change number `since`, and up to number `until`,
    /// even if they are again what they were. Now and then it is said of one whose grants did not.
    pub fn grants_changed(&self, identity: Number, since: u64, until: u64) -> bool {
        let slot = self.identities().slot(identity);
        slot.is_some_and(|slot| self.grant_changes.concern(slot, since, until))
    }

    /// Whether the projections hold all that the store does. Waits for nothing.
    pub fn is_ready(&self) -> bool {
        self.is_ready.load(Ordering::Acquire)
    }

    /// Calls `notify` once the projections are ready: at once if they are, else from the thread
    /// that finishes loading.
    pub fn on_ready(&self, notify: impl FnOnce() + Send + 'static) {
        {
            let mut waiting = lock(&self.on_ready);
            if !self.is_ready() {
                waiting.push(Box::new(notify));
                return;
            }
        }
        notify();
    }

    /// Takes over the changes of the transactions that were committed as `revision`. Calls come
    /// in the order of revisions; one that is in already is passed over.
    pub fn apply(&self, revision: u64, changes: &[Change]) {
        let mut phase = lock(&self.phase);
        match &mut *phase {
            Phase::Loading(pending) => pending.push(revision, changes),
            Phase::Ready(applied) if revision <= *applied => {},
            Phase::Ready(applied) => {
                self.write(changes);
                *applied = revision;
            },
        }
    }

    /// Begins to load, from nothing; a load that was begun and not finished is forgotten. The
    /// snapshot that is loaded must be opened after this.
    ///
    /// Projections that were ready serve what they have until the load is finished; activity of
    /// sessions that was not drained by then is lost.
    pub fn begin_load(&self) {
        let mut phase = lock(&self.phase);
        if let Phase::Ready(_) = *phase {
            *phase = Phase::default();
            self.is_ready.store(false, Ordering::Release);
        }
        *lock(&self.loader) = Some(Loader::default());
    }

    /// Takes in one record of the scan, as if it had just been written. The order does not
    /// matter. Without [`Projections::begin_load`] it does nothing.
    pub fn load_put(&self, record: &Change) {
        if let Some(loader) = &mut *lock(&self.loader) {
            loader.put(record);
        }
    }

    /// Ends the load of a snapshot that was at the given revision: the projections become what
    /// was scanned, then what was committed after it. Without [`Projections::begin_load`] it does
    /// nothing.
    pub fn finish_load(&self, scanned_at_revision: u64) {
        let Some(loader) = lock(&self.loader).take() else {
            return;
        };
        let mut scanned = loader.finish();
        self.catalogs.exchange(&mut scanned.catalogs);
        exchange(&self.sessions, &mut scanned.sessions);
        self.services_stamp.fetch_add(1, Ordering::Release);
        // What was there before.
        drop(scanned);
        self.catch_up(scanned_at_revision);
        let waiting = std::mem::take(&mut *lock(&self.on_ready));
        for notify in waiting {
            notify();
        }
    }

    /// Applies what waited. What comes while that happens waits in turn, so that commits are not
    /// held up.
    fn catch_up(&self, scanned_at_revision: u64) {
        let mut applied = scanned_at_revision;
        loop {
            let mut phase = lock(&self.phase);
            let Phase::Loading(pending) = &mut *phase else {
                return;
            };
            let batches = pending.take();
            if batches.is_empty() {
                *phase = Phase::Ready(applied);
                self.is_ready.store(true, Ordering::Release);
                return;
            }
            drop(phase);
            for Batch { revision, changes } in batches {
                if revision > applied {
                    self.write(&changes);
                    applied = revision;
                }
            }
        }
    }

    /// Writes changes to each projection that they concern.
    fn write(&self, changes: &[Change]) {
        let grants = self.grant_changes.before(changes, || self.access());
        self.catalogs.write(changes);
        if let Some(before) = grants {
            self.grant_changes.note(before, changes, || self.access());
        }
        write_sessions(&self.sessions, changes);
        // Last: under the stamp that there is now nobody may remember what was before.
        if changes.iter().any(touches_services) {
            self.services_stamp.fetch_add(1, Ordering::Release);
        }
    }
}

/// Whether a change may change which services identities see, or what they see of them.
const fn touches_services(change: &Change) -> bool {
    matches!(
        change,
        Change::Service(_)
            | Change::ServicePolicy(_)
            | Change::PostureCheck(_)
            | Change::Config(_)
            | Change::ConfigType(_)
    )
}
