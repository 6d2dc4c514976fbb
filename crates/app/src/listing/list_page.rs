//! Pages of record lists.
//!
//! The catalog determines which entities match and in which order, as far as its columns allow; the
//! rest is read from the records. The snapshot of the store is opened while the catalog is locked,
//! so it is at least as recent as the catalog. Records that were deleted or no longer match by then
//! are replaced by the ones that follow.

use super::candidates::{Candidates, SortBuffer, matches};
use super::lazy_record::LazyRecord;
use super::list_scope::ListScope;
use super::listable::{Listable, RecordRow, RowContext};
use super::point_lookup::PointLookup;
use super::record_location::RecordLocation;
use super::symbols::count_costly_tests;
use super::{Listing, Paging};
use crate::app::{App, StoreView};
use crate::error::AppError;
use portcullis_filter::Predicate;
use portcullis_index::{Catalog, Matches};
use portcullis_storage::tables::Found;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

/// Locations beyond the page that stand in for records deleted meanwhile. One group of commits
/// holds fewer bodies than this, and a snapshot is never further ahead of the catalog.
const SPARE_LOCATIONS: usize = 256;

/// Maximum number of tests that may scan the whole catalog, since commits wait for as long as that
/// takes. With more of them, the records are read instead, which blocks nobody and can be
/// cancelled.
const MAX_COSTLY_TESTS: usize = 16;

/// The records of a page, and the snapshot to read them from.
pub(crate) struct ListPage<'a, E> {
    pub(crate) view: StoreView,
    app: &'a App,
    paging: Paging,
    predicate: Predicate,
    is_cancelled: &'a dyn Fn() -> bool,
    locations: Vec<RecordLocation>,
    /// Length of the page; the locations after it are spare.
    page_len: usize,
    kind: PhantomData<E>,
}

impl<'a, E: Listable> ListPage<'a, E> {
    /// Determines the page that `listing` asks for.
    pub(crate) fn new(
        app: &'a App,
        listing: &Listing,
        scope: &ListScope<'a, E>,
    ) -> Result<Self, AppError> {
        app.require_lists()?;
        match PointLookup::from_predicate::<E>(&listing.predicate) {
            Some(lookup) => Self::by_lookup(app, listing, scope, &lookup),
            None => Self::by_search(app, listing, scope),
        }
    }

    /// A page of the few records that a point lookup in the store finds.
    fn by_lookup(
        app: &'a App,
        listing: &Listing,
        scope: &ListScope<'a, E>,
        lookup: &PointLookup,
    ) -> Result<Self, AppError> {
        let view = app.snapshot()?;
        let mut found = lookup.find::<E>(view.rows())?;
        scope.restriction.retain(app.projections(), &mut found);
        let context = row_context(app, &view, scope);
        let mut buffer = SortBuffer::new(context, listing, scope, listing.order.keys());
        for found in found {
            buffer.add(&LazyRecord::from_found(view.rows(), found), false)?;
        }
        let locations = buffer.into_sorted(&listing.order);
        Ok(Self::in_record_order(
            (app, view),
            listing,
            scope,
            locations,
        ))
    }

    /// A page of the matches in the catalog.
    fn by_search(
        app: &'a App,
        listing: &Listing,
        scope: &ListScope<'a, E>,
    ) -> Result<Self, AppError> {
        let projections = app.projections();
        let (catalog, candidates) = scope.restriction.lock(projections);
        let matches = if count_costly_tests(&listing.predicate) <= MAX_COSTLY_TESTS {
            catalog.search_within(&candidates, &listing.predicate)
        } else {
            candidates.into_inexact()
        };
        let is_sorted = catalog.page_in(&matches, &listing.order, 0..0).is_some();
        let at = (app, app.snapshot()?);
        if matches.is_exact() && is_sorted && scope.visibility.is_none() {
            return Ok(Self::in_catalog_order(
                at,
                listing,
                scope,
                (&*catalog, &matches),
            ));
        }
        let sort_keys = if is_sorted { &[] } else { listing.order.keys() };
        let candidates = Candidates::new(&catalog, &matches, &scope.restriction, sort_keys);
        drop(catalog);
        let context = row_context(app, &at.1, scope);
        let mut buffer = SortBuffer::new(context, listing, scope, sort_keys);
        candidates.collect_into(&mut buffer)?;
        if !is_sorted {
            let locations = buffer.into_sorted(&listing.order);
            return Ok(Self::in_record_order(at, listing, scope, locations));
        }
        let numbers = buffer.into_numbers();
        // The catalog is locked anew, so the snapshot has to be as recent as its order.
        drop(at);
        let catalog = E::catalog(projections);
        let matches = catalog.matches_from_numbers(numbers);
        let at = (app, app.snapshot()?);
        Ok(Self::in_catalog_order(
            at,
            listing,
            scope,
            (&*catalog, &matches),
        ))
    }

    /// A page of exact matches, in an order that the catalog maintains.
    fn in_catalog_order(
        at: (&'a App, StoreView),
        listing: &Listing,
        scope: &ListScope<'a, E>,
        (catalog, matches): (&Catalog<E::Entry>, &Matches),
    ) -> Self {
        let (range, page_len) = page_range(listing, matches.len());
        let numbers = catalog.page_in(matches, &listing.order, range);
        let locations = numbers
            .unwrap_or_default()
            .into_iter()
            .filter_map(|number| RecordLocation::find_in_catalog::<E>(catalog, number))
            .collect();
        Self::build(at, listing, scope, (matches.len(), locations, page_len))
    }

    /// A page sorted by values that were read from the records.
    fn in_record_order(
        at: (&'a App, StoreView),
        listing: &Listing,
        scope: &ListScope<'a, E>,
        mut locations: Vec<RecordLocation>,
    ) -> Self {
        let total = locations.len();
        let (range, page_len) = page_range(listing, total);
        locations.truncate(range.end);
        locations.drain(..range.start);
        Self::build(at, listing, scope, (total, locations, page_len))
    }

    fn build(
        (app, view): (&'a App, StoreView),
        listing: &Listing,
        scope: &ListScope<'a, E>,
        (total, locations, page_len): (usize, Vec<RecordLocation>, usize),
    ) -> Self {
        Self {
            app,
            view,
            paging: Paging::from_listing(listing, total),
            predicate: listing.predicate.clone(),
            is_cancelled: scope.is_cancelled,
            locations,
            page_len,
            kind: PhantomData,
        }
    }

    /// Reads the records of the page in order until `visit` breaks, and returns the position of the
    /// page.
    ///
    /// At the end of a list there are no spare records for deleted ones; the total is reduced
    /// instead.
    pub(crate) fn for_each(
        &self,
        visit: &mut dyn FnMut(Found<E>) -> Result<ControlFlow<()>, AppError>,
    ) -> Result<Paging, AppError> {
        let (mut shown, mut is_broken) = (0, false);
        let context = RowContext {
            rows: self.view.rows(),
            projections: self.app.projections(),
            network: self.app.live_network(),
            is_cancelled: self.is_cancelled,
        };
        for location in &self.locations {
            if shown == self.page_len {
                break;
            }
            let key = location.key::<E>();
            let Some(entity) = self.view.rows().get::<E>(&key)? else {
                continue;
            };
            let record = RecordRow::new(&entity, context);
            if matches(&self.predicate, &record)? {
                shown += 1;
                if visit(Found { key, entity })?.is_break() {
                    is_broken = true;
                    break;
                }
            }
        }
        let gone = if is_broken { 0 } else { self.page_len - shown };
        Ok(Paging {
            total: self.paging.total - u64::try_from(gone).unwrap_or_default(),
            ..self.paging
        })
    }
}

fn row_context<'v, E: Listable>(
    app: &'v App,
    view: &'v StoreView,
    scope: &ListScope<'v, E>,
) -> RowContext<'v> {
    RowContext {
        rows: view.rows(),
        projections: app.projections(),
        network: app.live_network(),
        is_cancelled: scope.is_cancelled,
    }
}

/// The positions of a page out of `total`, followed by spare ones, and the length of the page.
fn page_range(listing: &Listing, total: usize) -> (Range<usize>, usize) {
    let range = listing.page.range(total);
    let page_len = range.len();
    (
        range.start..range.end.saturating_add(SPARE_LOCATIONS).min(total),
        page_len,
    )
}
