//! Which records of a kind a list is about.

use super::listed::{Listed, Ruled};
use portcullis_domain::ids::Number;
use portcullis_index::{AccessGuard, Catalog, Catalogued, Matches, Projections, Slot};
use portcullis_storage::tables::Found;
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::RwLockReadGuard;

/// The records that a list is about.
pub(crate) enum Among<'s, E: Listed> {
    /// All of the kind.
    All,
    /// Those with these numbers.
    Numbered(&'s BTreeSet<Number>),
    /// Those that their own catalog singles out.
    Marked(fn(&Catalog<E::Entry>) -> RoaringBitmap),
    /// Those whom policies single out.
    Ruled(Ruling<'s, E::Entry>),
}

/// What policies single out, found while nothing of what they are about changes: slots mean nothing
/// later.
pub(crate) struct Ruling<'s, C: Catalogued> {
    find: &'s FindSlots<'s>,
    catalog: CatalogIn<C>,
}

/// Finds the slots of those whom a list is about.
pub(crate) type FindSlots<'s> = dyn Fn(&AccessGuard<'_>) -> RoaringBitmap + 's;

type CatalogIn<C> = for<'g> fn(&'g AccessGuard<'_>) -> &'g Catalog<C>;

impl<'s, E: Listed> Among<'s, E> {
    /// Those whose slots `find` finds.
    pub(crate) fn ruled(find: &'s FindSlots<'s>) -> Self
    where
        E: Ruled,
    {
        Self::Ruled(Ruling {
            find,
            catalog: E::catalog_with_access,
        })
    }

    /// Locks the catalog of the kind, and finds in it those that the list is about.
    pub(super) fn lock<'p>(&self, projections: &'p Projections) -> (Locked<'p, E>, Matches) {
        match self {
            Self::All => {
                let catalog = E::catalog(projections);
                let all = catalog.everything();
                (Locked::Alone(catalog), all)
            },
            Self::Numbered(numbers) => {
                let catalog = E::catalog(projections);
                let numbered = catalog.matches_of(numbers.iter().copied());
                (Locked::Alone(catalog), numbered)
            },
            Self::Marked(find) => {
                let catalog = E::catalog(projections);
                let marked = catalog.matches_in(find(&catalog));
                (Locked::Alone(catalog), marked)
            },
            Self::Ruled(ruling) => {
                let guard = projections.access();
                let slots = (ruling.find)(&guard);
                let matches = (ruling.catalog)(&guard).matches_in(slots);
                (Locked::WithAccess(guard, ruling.catalog), matches)
            },
        }
    }

    /// Leaves over those of a few records that the list is about.
    pub(super) fn retain(&self, projections: &Projections, found: &mut Vec<Found<E>>) {
        match self {
            Self::All => {},
            Self::Numbered(numbers) => found.retain(|one| numbers.contains(&one.number())),
            Self::Marked(find) => {
                let catalog = E::catalog(projections);
                retain_in(&catalog, &find(&catalog), found);
            },
            Self::Ruled(ruling) => {
                let guard = projections.access();
                let slots = (ruling.find)(&guard);
                retain_in((ruling.catalog)(&guard), &slots, found);
            },
        }
    }
}

fn retain_in<E: Listed>(
    catalog: &Catalog<E::Entry>,
    slots: &RoaringBitmap,
    found: &mut Vec<Found<E>>,
) {
    let slot = |number| catalog.slot(number).map(Slot::bit);
    found.retain(|one| slot(one.number()).is_some_and(|bit| slots.contains(bit)));
}

/// A catalog that does not change meanwhile.
pub(super) enum Locked<'p, E: Listed> {
    Alone(RwLockReadGuard<'p, Catalog<E::Entry>>),
    WithAccess(AccessGuard<'p>, CatalogIn<E::Entry>),
}

impl<E: Listed> Deref for Locked<'_, E> {
    type Target = Catalog<E::Entry>;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Alone(catalog) => catalog,
            Self::WithAccess(guard, catalog) => catalog(guard),
        }
    }
}
