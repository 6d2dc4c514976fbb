//! How a list of records is answered.
//!
//! The catalog says which entities match and in which order, as far as its columns tell; what they
//! do not tell is read from the records. The view of the store is opened while the catalog is
//! held, so it shows at least what the catalog knew; what is gone by then, or has changed so that
//! it no longer matches, is made up for by what follows.

use super::listed::{Around, Listed, Place, Record};
use super::narrow::Narrow;
use super::picked::{Candidates, Picked, matches};
use super::sight::Sight;
use super::symbols::costly_tests;
use super::{Listing, Paging};
use crate::app::{App, View};
use crate::error::AppError;
use portcullis_filter::Predicate;
use portcullis_index::{Catalog, Matches, Projections};
use portcullis_storage::tables::Found;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

/// Places beyond the page, for those of it that are gone when they are read. One group of commits
/// holds fewer bodies than this, and a view is never further ahead of the catalog.
const SPARE: usize = 256;

/// Most tests that may look at every row of the catalog: a commit waits as long as that takes. With
/// more of them, the records are looked at, for which nobody has to wait, and which can be given up.
const COSTLY_TESTS: usize = 16;

/// The records of a page, and a view to read them in.
pub(crate) struct Answer<'a, E> {
    pub(crate) view: View,
    projections: &'a Projections,
    paging: Paging,
    predicate: Predicate,
    is_over: &'a dyn Fn() -> bool,
    places: Vec<Place>,
    /// How many of the places are asked for; what follows is spare.
    wanted: usize,
    kind: PhantomData<E>,
}

impl<'a, E: Listed> Answer<'a, E> {
    /// Works out a page.
    pub(crate) fn new(
        app: &'a App,
        listing: &Listing,
        sight: &Sight<'a, E>,
    ) -> Result<Self, AppError> {
        app.require_lists()?;
        match Narrow::of::<E>(&listing.predicate) {
            Some(narrow) => Self::narrowed(app, listing, sight, &narrow),
            None => Self::searched(app, listing, sight),
        }
    }

    /// A page of the few that the store finds.
    fn narrowed(
        app: &'a App,
        listing: &Listing,
        sight: &Sight<'a, E>,
        narrow: &Narrow,
    ) -> Result<Self, AppError> {
        let (view, projections) = (app.snapshot()?, app.projections());
        let mut picked = Picked::to_sort(listing.order.keys());
        let around = around(&view, projections, sight);
        let mut found = narrow.find::<E>(view.rows())?;
        sight.among.retain(projections, &mut found);
        for found in &found {
            picked.take(around, listing, sight.sees, found)?;
        }
        Ok(Self::sorted((view, projections), listing, sight, picked))
    }

    /// A page of what the catalog leaves over.
    fn searched(app: &'a App, listing: &Listing, sight: &Sight<'a, E>) -> Result<Self, AppError> {
        let projections = app.projections();
        let (catalog, candidates) = sight.among.lock(projections);
        let matches = if costly_tests(&listing.predicate) <= COSTLY_TESTS {
            catalog.search_within(&candidates, &listing.predicate)
        } else {
            candidates.unsure()
        };
        let is_sorted = catalog.page_in(&matches, &listing.order, 0..0).is_some();
        let at = (app.snapshot()?, projections);
        if matches.is_exact() && is_sorted && sight.sees.is_none() {
            return Ok(Self::paged(at, listing, sight, (&*catalog, &matches)));
        }
        let candidates = Candidates::new(&catalog, &matches, sight);
        drop(catalog);
        let sort = if is_sorted { &[] } else { listing.order.keys() };
        let around = around(&at.0, projections, sight);
        let picked = candidates.pick(around, listing, sight, Picked::to_sort(sort))?;
        if !is_sorted {
            return Ok(Self::sorted(at, listing, sight, picked));
        }
        // The order is that of now, and so have the records to be.
        drop(at);
        let catalog = E::catalog(projections);
        let matches = catalog.matches_of(picked.numbers());
        let at = (app.snapshot()?, projections);
        Ok(Self::paged(at, listing, sight, (&*catalog, &matches)))
    }

    /// A page out of exact matches, in an order that the catalog has.
    fn paged(
        at: (View, &'a Projections),
        listing: &Listing,
        sight: &Sight<'a, E>,
        (catalog, matches): (&Catalog<E::Entry>, &Matches),
    ) -> Self {
        let (range, wanted) = stretch(listing, matches.len());
        let numbers = catalog.page_in(matches, &listing.order, range);
        let places = numbers
            .unwrap_or_default()
            .into_iter()
            .filter_map(|number| Place::in_catalog::<E>(catalog, number))
            .collect();
        Self::made(at, listing, sight, (matches.len(), places, wanted))
    }

    /// A page in an order that only the records know.
    fn sorted(
        at: (View, &'a Projections),
        listing: &Listing,
        sight: &Sight<'a, E>,
        picked: Picked<'_>,
    ) -> Self {
        let mut places = picked.sorted(&listing.order);
        let total = places.len();
        let (range, wanted) = stretch(listing, total);
        places.truncate(range.end);
        places.drain(..range.start);
        Self::made(at, listing, sight, (total, places, wanted))
    }

    fn made(
        (view, projections): (View, &'a Projections),
        listing: &Listing,
        sight: &Sight<'a, E>,
        (total, places, wanted): (usize, Vec<Place>, usize),
    ) -> Self {
        Self {
            view,
            projections,
            paging: Paging::of(listing, total),
            predicate: listing.predicate.clone(),
            is_over: sight.is_over,
            places,
            wanted,
            kind: PhantomData,
        }
    }

    /// Reads the records of the page one after the other, until `visit` breaks; answers where the
    /// page lies.
    ///
    /// At the end of a list nothing can make up for records that are gone: the total is then what
    /// there still is.
    pub(crate) fn each(
        &self,
        visit: &mut dyn FnMut(Found<E>) -> Result<ControlFlow<()>, AppError>,
    ) -> Result<Paging, AppError> {
        let (mut shown, mut is_broken) = (0, false);
        let around = Around {
            rows: self.view.rows(),
            projections: self.projections,
            is_over: self.is_over,
        };
        for place in &self.places {
            if shown == self.wanted {
                break;
            }
            let key = place.key::<E>();
            let Some(entity) = self.view.rows().get::<E>(&key)? else {
                continue;
            };
            let record = Record {
                entity: &entity,
                around,
            };
            if matches(&self.predicate, &record)? {
                shown += 1;
                if visit(Found { key, entity })?.is_break() {
                    is_broken = true;
                    break;
                }
            }
        }
        let gone = if is_broken { 0 } else { self.wanted - shown };
        Ok(Paging {
            total: self.paging.total - u64::try_from(gone).unwrap_or_default(),
            ..self.paging
        })
    }
}

/// What the records of a list stand among.
fn around<'v, E: Listed>(
    view: &'v View,
    projections: &'v Projections,
    sight: &Sight<'v, E>,
) -> Around<'v> {
    Around {
        rows: view.rows(),
        projections,
        is_over: sight.is_over,
    }
}

/// The positions of a page out of `total`, with spare ones behind them, and how many are wanted.
fn stretch(listing: &Listing, total: usize) -> (Range<usize>, usize) {
    let range = listing.page.range(total);
    let wanted = range.len();
    (
        range.start..range.end.saturating_add(SPARE).min(total),
        wanted,
    )
}
