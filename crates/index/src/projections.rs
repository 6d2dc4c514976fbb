//! All projections together, kept current in commit order.

mod loading;

use crate::catalog::{Catalog, Catalogued};
use crate::sessions::Sessions;
use loading::{Batch, Loader, Phase};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::change::{Change, EntityChange};
use portcullis_domain::enrollment::Enrollment;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::Number;
use portcullis_domain::signer::Signer;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

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
    identities: RwLock<Catalog<Identity>>,
    enrollments: RwLock<Catalog<Enrollment>>,
    authenticators: RwLock<Catalog<Authenticator>>,
    auth_policies: RwLock<Catalog<AuthPolicy>>,
    cas: RwLock<Catalog<Ca>>,
    signers: RwLock<Catalog<Signer>>,
    sessions: RwLock<Sessions>,
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
    /// The identities.
    pub fn identities(&self) -> RwLockReadGuard<'_, Catalog<Identity>> {
        read(&self.identities)
    }

    /// The pending enrollments, owned by their identities.
    pub fn enrollments(&self) -> RwLockReadGuard<'_, Catalog<Enrollment>> {
        read(&self.enrollments)
    }

    /// The authenticators, owned by their identities.
    pub fn authenticators(&self) -> RwLockReadGuard<'_, Catalog<Authenticator>> {
        read(&self.authenticators)
    }

    /// The authentication policies.
    pub fn auth_policies(&self) -> RwLockReadGuard<'_, Catalog<AuthPolicy>> {
        read(&self.auth_policies)
    }

    /// The third-party certificate authorities.
    pub fn cas(&self) -> RwLockReadGuard<'_, Catalog<Ca>> {
        read(&self.cas)
    }

    /// The external JWT signers.
    pub fn signers(&self) -> RwLockReadGuard<'_, Catalog<Signer>> {
        read(&self.signers)
    }

    /// The API sessions.
    pub fn sessions(&self) -> RwLockReadGuard<'_, Sessions> {
        read(&self.sessions)
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
        let scanned = loader.finish();
        exchange(&self.identities, scanned.identities);
        exchange(&self.enrollments, scanned.enrollments);
        exchange(&self.authenticators, scanned.authenticators);
        exchange(&self.auth_policies, scanned.auth_policies);
        exchange(&self.cas, scanned.cas);
        exchange(&self.signers, scanned.signers);
        exchange(&self.sessions, scanned.sessions);
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

    /// Writes changes to each projection that they concern, under one lock per projection.
    fn write(&self, changes: &[Change]) {
        write_roots(&self.identities, changes, identity);
        write_roots(&self.auth_policies, changes, auth_policy);
        write_roots(&self.cas, changes, ca);
        write_roots(&self.signers, changes, signer);
        write_owned(&self.enrollments, changes, enrollment);
        write_owned(&self.authenticators, changes, authenticator);
        let concerns_sessions =
            |change| matches!(change, &Change::ApiSession(_)) || removed_identity(change).is_some();
        if changes.iter().any(concerns_sessions) {
            self.write_sessions(changes);
        }
    }

    fn write_sessions(&self, changes: &[Change]) {
        let mut sessions = write(&self.sessions);
        for change in changes {
            match change {
                Change::ApiSession(change) => match (&change.now, change.owner) {
                    (Some(session), Some(owner)) => {
                        sessions.put(change.number, owner, session.clone());
                    },
                    // A session of nobody opens nothing.
                    (Some(_), None) | (None, _) => {
                        sessions.remove(change.number);
                    },
                },
                change => {
                    if let Some(owner) = removed_identity(change) {
                        sessions.remove_owned_by(owner);
                    }
                },
            }
        }
    }
}

/// What became of an entity of the kind `E`, if a change is about that kind.
type OfKind<E> = fn(&Change) -> Option<&EntityChange<E>>;

const fn identity(change: &Change) -> Option<&EntityChange<Identity>> {
    match change {
        Change::Identity(change) => Some(change),
        _ => None,
    }
}

const fn enrollment(change: &Change) -> Option<&EntityChange<Enrollment>> {
    match change {
        Change::Enrollment(change) => Some(change),
        _ => None,
    }
}

const fn authenticator(change: &Change) -> Option<&EntityChange<Authenticator>> {
    match change {
        Change::Authenticator(change) => Some(change),
        _ => None,
    }
}

const fn auth_policy(change: &Change) -> Option<&EntityChange<AuthPolicy>> {
    match change {
        Change::AuthPolicy(change) => Some(change),
        _ => None,
    }
}

const fn ca(change: &Change) -> Option<&EntityChange<Ca>> {
    match change {
        Change::Ca(change) => Some(change),
        _ => None,
    }
}

const fn signer(change: &Change) -> Option<&EntityChange<Signer>> {
    match change {
        Change::Signer(change) => Some(change),
        _ => None,
    }
}

/// Writes changes to a catalog of roots, which is not locked when none concerns it.
fn write_roots<E: Catalogued>(
    catalog: &RwLock<Catalog<E>>,
    changes: &[Change],
    of_kind: OfKind<E>,
) {
    if changes.iter().any(|change| of_kind(change).is_some()) {
        let mut catalog = write(catalog);
        for change in changes.iter().filter_map(of_kind) {
            put(&mut catalog, change);
        }
    }
}

/// Writes changes to a catalog of what lives under identities and goes with them.
fn write_owned<E: Catalogued>(
    catalog: &RwLock<Catalog<E>>,
    changes: &[Change],
    of_kind: OfKind<E>,
) {
    let concerns = |change| of_kind(change).is_some() || removed_identity(change).is_some();
    if !changes.iter().any(concerns) {
        return;
    }
    let mut catalog = write(catalog);
    for change in changes {
        if let Some(change) = of_kind(change) {
            put(&mut catalog, change);
        } else if let Some(owner) = removed_identity(change) {
            catalog.remove_owned_by(owner);
        }
    }
}

fn put<E: Catalogued>(catalog: &mut Catalog<E>, change: &EntityChange<E>) {
    match &change.now {
        Some(entity) => catalog.put(change.number, change.owner, entity),
        None => {
            catalog.remove(change.number);
        },
    }
}

/// The number of an identity that a change removed. What lived under it goes with it, whether or
/// not the change of each follows.
fn removed_identity(change: &Change) -> Option<Number> {
    identity(change)
        .filter(|change| change.now.is_none())
        .map(|change| change.number)
}

/// Puts a projection in place. The old one is dropped after the lock is given back.
fn exchange<T>(place: &RwLock<T>, new: T) {
    let old = {
        let mut place = write(place);
        std::mem::replace(&mut *place, new)
    };
    drop(old);
}

/// A panic while a projection changes ends the process that commits, so a poisoned lock is only
/// met while it ends.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
