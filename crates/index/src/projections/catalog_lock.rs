//! Application of committed changes to catalogs.

use super::catalog_kind::{CatalogKind, Ownership, PolicyRecord, removed_owner};
use crate::access::{AccessIndex, SelectableCatalogs};
use crate::catalog::Catalog;
use parking_lot::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use portcullis_domain::change::{Change, EntityChange};

/// The lock on a catalog that a group of changes needs.
pub(super) enum CatalogLock<'l, E: CatalogKind> {
    /// Not locked.
    NotLocked,
    /// Locked for policies that look up what they reference.
    Read(RwLockReadGuard<'l, Catalog<E>>),
    /// Locked for changes.
    Write(RwLockWriteGuard<'l, Catalog<E>>),
}

impl<'l, E: CatalogKind> CatalogLock<'l, E> {
    /// Locks a catalog as the changes require.
    pub(super) fn lock_for(
        place: &'l RwLock<Catalog<E>>,
        changes: &[Change],
        is_read: bool,
    ) -> Self {
        if changes.iter().any(E::is_affected_by) {
            Self::Write(place.write())
        } else if is_read {
            Self::Read(place.read())
        } else {
            Self::NotLocked
        }
    }

    /// Applies the changes that affect the catalog.
    pub(super) fn apply(&mut self, changes: &[Change]) {
        if let Self::Write(catalog) = self {
            apply_all(catalog, changes);
        }
    }

    pub(super) fn catalog(&self) -> Option<&Catalog<E>> {
        match self {
            Self::NotLocked => None,
            Self::Read(catalog) => Some(catalog),
            Self::Write(catalog) => Some(catalog),
        }
    }
}

impl<E: PolicyRecord> CatalogLock<'_, E> {
    /// Applies the changes that affect the catalog to it and to the access index. The catalogs of
    /// `kinds` are up to date already.
    pub(super) fn apply_with_access(
        &mut self,
        access: &mut AccessIndex,
        kinds: SelectableCatalogs<'_>,
        changes: &[Change],
    ) {
        let Self::Write(catalog) = self else {
            return;
        };
        for change in changes.iter().filter_map(E::change_of) {
            // The slot may be reused by the next change.
            if let (None, Some(slot)) = (&change.entity, catalog.slot(change.number)) {
                access.remove(E::KIND, slot);
            }
            put_change(catalog, change);
            if let (Some(policy), Some(slot)) = (&change.entity, catalog.slot(change.number)) {
                access.put(slot, policy.as_policy(), kinds);
            }
        }
    }
}

/// Writes changes to an independent catalog, which is locked only if they affect it.
pub(super) fn apply_alone<E: CatalogKind>(place: &RwLock<Catalog<E>>, changes: &[Change]) {
    CatalogLock::lock_for(place, changes, false).apply(changes);
}

fn apply_all<E: CatalogKind>(catalog: &mut Catalog<E>, changes: &[Change]) {
    for change in changes {
        if let Some(change) = E::change_of(change) {
            put_change(catalog, change);
        } else if let (Ownership::Owned, Some(owner)) = (E::OWNERSHIP, removed_owner(change)) {
            catalog.remove_owned_by(owner);
        }
    }
}

fn put_change<E: CatalogKind>(catalog: &mut Catalog<E>, change: &EntityChange<E>) {
    match &change.entity {
        Some(entity) => catalog.put(change.number, change.owner, entity),
        None => {
            catalog.remove(change.number);
        },
    }
}
