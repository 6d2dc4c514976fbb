//! Writing committed changes to catalogs.

use super::kinds::{Followed, Lives, Ruling, removed_owner};
use super::locks::{read, write};
use crate::access::{Access, Kinds};
use crate::catalog::Catalog;
use portcullis_domain::change::{Change, EntityChange};
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// What a group of changes needs of a catalog.
pub(super) enum Taken<'l, E: Followed> {
    /// Nothing: it is not locked.
    Nothing,
    /// Policies look into it for what they name.
    ToRead(RwLockReadGuard<'l, Catalog<E>>),
    /// Something in it changes.
    ToWrite(RwLockWriteGuard<'l, Catalog<E>>),
}

impl<'l, E: Followed> Taken<'l, E> {
    /// Locks a catalog as the changes need it, waiting for whoever has it.
    pub(super) fn of(place: &'l RwLock<Catalog<E>>, changes: &[Change], is_read: bool) -> Self {
        if changes.iter().any(E::concerns) {
            Self::ToWrite(write(place))
        } else if is_read {
            Self::ToRead(read(place))
        } else {
            Self::Nothing
        }
    }

    /// Applies what concerns it.
    pub(super) fn write(&mut self, changes: &[Change]) {
        if let Self::ToWrite(catalog) = self {
            write_all(catalog, changes);
        }
    }

    pub(super) fn catalog(&self) -> Option<&Catalog<E>> {
        match self {
            Self::Nothing => None,
            Self::ToRead(catalog) => Some(catalog),
            Self::ToWrite(catalog) => Some(catalog),
        }
    }
}

impl<E: Ruling> Taken<'_, E> {
    /// Applies what concerns it to the catalog and to access. What the policies name in the end is
    /// in the catalogs of `kinds` already.
    pub(super) fn rule(&mut self, access: &mut Access, kinds: Kinds<'_>, changes: &[Change]) {
        let Self::ToWrite(catalog) = self else {
            return;
        };
        for change in changes.iter().filter_map(E::of) {
            // Its slot may be given to the next one.
            if let (None, Some(slot)) = (&change.now, catalog.slot(change.number)) {
                access.remove(E::KIND, slot);
            }
            put(catalog, change);
            if let (Some(policy), Some(slot)) = (&change.now, catalog.slot(change.number)) {
                access.put(slot, policy.as_policy(), kinds);
            }
        }
    }
}

/// Writes changes to a catalog that has nothing to do with others. It is not locked when none
/// concerns it.
pub(super) fn write_alone<E: Followed>(place: &RwLock<Catalog<E>>, changes: &[Change]) {
    Taken::of(place, changes, false).write(changes);
}

fn write_all<E: Followed>(catalog: &mut Catalog<E>, changes: &[Change]) {
    for change in changes {
        if let Some(change) = E::of(change) {
            put(catalog, change);
        } else if let (Lives::Owned, Some(owner)) = (E::LIVES, removed_owner(change)) {
            catalog.remove_owned_by(owner);
        }
    }
}

fn put<E: Followed>(catalog: &mut Catalog<E>, change: &EntityChange<E>) {
    match &change.now {
        Some(entity) => catalog.put(change.number, change.owner, entity),
        None => {
            catalog.remove(change.number);
        },
    }
}
