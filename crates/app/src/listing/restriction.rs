//! Restriction of a list to a subset of a kind's records.

use super::listable::{Listable, PolicyRelated};
use parking_lot::RwLockReadGuard;
use portcullis_domain::ids::RecordNumber;
use portcullis_index::{AccessGuard, Catalog, CatalogEntry, Matches, Projections};
use portcullis_storage::tables::Found;
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::Deref;

/// The records that a list covers.
pub(crate) enum Restriction<'s, E: Listable> {
    /// All records of the kind.
    All,
    /// Records with these numbers.
    ByNumbers(&'s BTreeSet<RecordNumber>),
    /// Records whose slots are found in their own catalog.
    ByCatalog(fn(&Catalog<E::Entry>) -> RoaringBitmap),
    /// Records whose slots follow from policies.
    ByPolicies(PolicyRestriction<'s, E::Entry>),
}

/// Finds slots while the catalogs involved are locked: slots are only valid that long.
pub(crate) struct PolicyRestriction<'s, C: CatalogEntry> {
    find: &'s FindSlots<'s>,
    catalog: CatalogGetter<C>,
}

/// Finds the slots of the records that a list covers.
pub(crate) type FindSlots<'s> = dyn Fn(&AccessGuard<'_>) -> RoaringBitmap + 's;

type CatalogGetter<C> = for<'g> fn(&'g AccessGuard<'_>) -> &'g Catalog<C>;

impl<'s, E: Listable> Restriction<'s, E> {
    pub(crate) fn by_policies(find: &'s FindSlots<'s>) -> Self
    where
        E: PolicyRelated,
    {
        Self::ByPolicies(PolicyRestriction {
            find,
            catalog: E::catalog_with_access,
        })
    }

    /// Locks the catalog of the kind and finds the matching records in it.
    pub(super) fn lock<'p>(&self, projections: &'p Projections) -> (LockedCatalog<'p, E>, Matches) {
        match self {
            Self::All => {
                let catalog = E::catalog(projections);
                let all = catalog.all();
                (LockedCatalog::Alone(catalog), all)
            },
            Self::ByNumbers(numbers) => {
                let catalog = E::catalog(projections);
                let numbered = catalog.matches_from_numbers(numbers.iter().copied());
                (LockedCatalog::Alone(catalog), numbered)
            },
            Self::ByCatalog(find) => {
                let catalog = E::catalog(projections);
                let marked = catalog.matches_from_slots(find(&catalog));
                (LockedCatalog::Alone(catalog), marked)
            },
            Self::ByPolicies(policies) => {
                let guard = projections.access();
                let slots = (policies.find)(&guard);
                let matches = (policies.catalog)(&guard).matches_from_slots(slots);
                (LockedCatalog::WithAccess(guard, policies.catalog), matches)
            },
        }
    }

    /// Removes the records that the list does not cover.
    pub(super) fn retain(&self, projections: &Projections, found: &mut Vec<Found<E>>) {
        if !matches!(self, Self::All) {
            let (catalog, matches) = self.lock(projections);
            found.retain(|one| catalog.is_among(&matches, one.number()));
        }
    }
}

/// A read-locked catalog.
pub(super) enum LockedCatalog<'p, E: Listable> {
    Alone(RwLockReadGuard<'p, Catalog<E::Entry>>),
    WithAccess(AccessGuard<'p>, CatalogGetter<E::Entry>),
}

impl<E: Listable> Deref for LockedCatalog<'_, E> {
    type Target = Catalog<E::Entry>;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Alone(catalog) => catalog,
            Self::WithAccess(guard, catalog) => catalog(guard),
        }
    }
}
