//! Lists: filter, order and page of entities.
//!
//! Each kind declares its symbols once ([`kinds`]) and provides the value of each for a row. The
//! catalog answers what it has columns for, at about the same cost whatever the size of the list
//! and the offset. Records are read for the page itself, and where no column has the value.

mod candidates;
mod filter_access;
pub mod kinds;
mod lazy_record;
mod list_page;
mod list_scope;
mod listable;
mod point_lookup;
mod record_location;
mod restriction;
mod role_filter;
mod symbols;
mod token_filter;

pub use crate::error::ListError;
pub(crate) use filter_access::check_filter;
pub(crate) use lazy_record::LazyRecord;
pub(crate) use list_page::ListPage;
pub(crate) use list_scope::ListScope;
pub use portcullis_filter::{Listing, ListingError, Parameters, Schema};
pub(crate) use restriction::{FindSlots, Restriction};
pub use role_filter::RoleFilter;
pub(crate) use symbols::equalities;
pub(crate) use token_filter::resolve_token_filter;

use crate::error::AppError;
use listable::Listable;
pub(crate) use listable::{RowContext, text_value};
use portcullis_domain::ids::RecordNumber;
use portcullis_domain::view::Page;
use portcullis_filter::{Direction, Order, Predicate, Row};
use portcullis_index::{Catalog, CatalogEntry, Slot};
use roaring::RoaringBitmap;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Parameters of a list request, and the signal that its client is gone.
#[derive(Clone, Copy)]
pub struct ListRequest<'p> {
    pub parameters: Parameters<'p>,
    /// Used only for kinds that have role attributes.
    pub role_filter: RoleFilter<'p>,
    /// Whether the client no longer waits; polled by long-running work.
    pub is_cancelled: &'p dyn Fn() -> bool,
}

impl std::fmt::Debug for ListRequest<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("ListRequest")
            .field("parameters", &self.parameters)
            .field("role_filter", &self.role_filter)
            .finish_non_exhaustive()
    }
}

impl ListRequest<'_> {
    /// Parses the parameters of a list of `E`; its role filter is ignored.
    pub(crate) fn parse<E: Listable>(&self) -> Result<Listing, ListError> {
        parse(E::SCHEMA, &self.parameters)
    }

    /// Parses the parameters of a list of `E`, including its role filter.
    pub(crate) fn parse_with_roles<E: Listable>(&self) -> Result<Listing, ListError> {
        self.parse_with_roles_in(E::SCHEMA)
    }

    /// As [`Self::parse_with_roles`], with the symbols of `schema`.
    pub(crate) fn parse_with_roles_in(
        &self,
        schema: &'static Schema,
    ) -> Result<Listing, ListError> {
        let listing = parse(schema, &self.parameters)?;
        let roles = self.role_filter.predicate(schema)?;
        Ok(Listing {
            predicate: Predicate::all([roles, listing.predicate]),
            ..listing
        })
    }
}

/// Maximum number of characters of a query that an error repeats.
const QUERY_EXCERPT_CHARS: usize = 160;

/// Position of a page in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// Page size in force; `None` without a limit.
    pub limit: Option<u64>,
    /// Entities skipped before the page.
    pub offset: u64,
    /// Entities that match, on all pages.
    pub total: u64,
}

impl Paging {
    pub(crate) fn from_listing(listing: &Listing, total: usize) -> Self {
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        Self {
            limit: listing.page.limit.rows().map(count),
            offset: count(listing.page.offset.rows()),
            total: count(total),
        }
    }

    pub(crate) const fn from_page<T>(page: &Page<T>) -> Self {
        Self {
            limit: page.limit,
            offset: page.offset,
            total: page.total,
        }
    }

    /// A page at this position with the given items.
    pub fn into_page<T>(self, items: Vec<T>) -> Page<T> {
        Page {
            items,
            limit: self.limit,
            offset: self.offset,
            total: self.total,
        }
    }
}

/// Parses the parameters of a list with the symbols of `schema`.
pub fn parse(schema: &'static Schema, parameters: &Parameters<'_>) -> Result<Listing, ListError> {
    Listing::from_parameters(schema, parameters).map_err(|error| list_error(&error, parameters))
}

/// Parses the filter of a list that takes no other parameter and is not paged.
pub(crate) fn parse_filter(
    schema: &'static Schema,
    parameters: &Parameters<'_>,
) -> Result<Listing, ListError> {
    Listing::from_filter(schema, parameters.filter).map_err(|error| list_error(&error, parameters))
}

/// Validates `limit` and `offset`, which is done before the caller is authenticated.
pub fn validate_limit_and_offset(parameters: &Parameters<'_>) -> Result<(), ListError> {
    static ANY: Schema = Schema::new(&[]);
    let numbers = Parameters {
        limit: parameters.limit,
        offset: parameters.offset,
        ..Parameters::default()
    };
    parse(&ANY, &numbers).map(|_listing| ())
}

fn list_error(error: &ListingError, parameters: &Parameters<'_>) -> ListError {
    match error {
        ListingError::Filter(error) => ListError::Filter(render_query_error(
            error,
            parameters.filter.unwrap_or_default(),
        )),
        ListingError::Sort(error) => ListError::Sort(render_query_error(
            error,
            parameters.sort.unwrap_or_default(),
        )),
        ListingError::Limit => number_error("limit", parameters.limit),
        ListingError::Offset => number_error("offset", parameters.offset),
    }
}

/// The error, the query, and a marker under the faulty part. Of a long query only the part around
/// the marker is shown.
fn render_query_error(error: &portcullis_filter::QueryError, text: &str) -> String {
    let pointed = error.point_at(text);
    let (line, marks) = pointed.split_once('\n').unwrap_or((&pointed, ""));
    let from = match line.chars().nth(QUERY_EXCERPT_CHARS) {
        Some(_) => error
            .location
            .column
            .saturating_sub(QUERY_EXCERPT_CHARS / 2 + 1),
        None => 0,
    };
    let excerpt =
        |line: &str| -> String { line.chars().skip(from).take(QUERY_EXCERPT_CHARS).collect() };
    format!("{error}\n{}\n{}", excerpt(line), excerpt(marks))
}

fn number_error(parameter: &'static str, value: Option<&str>) -> ListError {
    ListError::Number {
        parameter,
        value: value.unwrap_or_default().to_owned(),
    }
}

/// Restricts a listing to the rows whose value of `symbol` is `text`.
pub(crate) fn restrict_to(
    listing: Listing,
    schema: &'static Schema,
    symbol: &str,
    text: &str,
) -> Listing {
    // No row of a kind without the symbol matches.
    let own = Predicate::equals(schema, symbol, text).unwrap_or(Predicate::Constant(false));
    Listing {
        predicate: Predicate::all([own, listing.predicate]),
        ..listing
    }
}

/// Selects a page from many rows in memory.
///
/// # Errors
///
/// [`AppError::TimedOut`] when `is_cancelled` returns true.
pub(crate) fn select_cancellable<R: Row>(
    listing: &Listing,
    rows: impl IntoIterator<Item = R>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<Page<R>, AppError> {
    let mut has_stopped = false;
    let rows = rows.into_iter().enumerate().map_while(|(number, row)| {
        has_stopped |= number.is_multiple_of(64) && is_cancelled();
        (!has_stopped).then_some(row)
    });
    let page = select(listing, rows);
    if has_stopped {
        Err(AppError::TimedOut)
    } else {
        Ok(page)
    }
}

/// Shows the page of many rows in memory, which come in the order of their ids. In that order, no
/// more than one row is held at a time.
///
/// # Errors
///
/// [`AppError::TimedOut`] when `is_cancelled` returns true, and those of `show`.
pub(crate) fn show_page<R: Row>(
    listing: &Listing,
    rows: impl IntoIterator<Item = R>,
    is_cancelled: &dyn Fn() -> bool,
    show: &mut dyn FnMut(R) -> Result<ControlFlow<()>, AppError>,
) -> Result<Paging, AppError> {
    if !is_by_id(&listing.order) {
        let page = select_cancellable(listing, rows, is_cancelled)?;
        let paging = Paging::from_page(&page);
        for row in page.items {
            if show(row)?.is_break() {
                break;
            }
        }
        return Ok(paging);
    }
    let page = listing.page.range(usize::MAX);
    let mut total = 0;
    for (number, row) in rows.into_iter().enumerate() {
        if number.is_multiple_of(64) && is_cancelled() {
            return Err(AppError::TimedOut);
        }
        if listing.predicate.matches(&row) {
            if page.contains(&total) && show(row)?.is_break() {
                break;
            }
            total += 1;
        }
    }
    Ok(Paging::from_listing(listing, total))
}

/// Whether rows are sorted by nothing but their ids, in ascending order.
fn is_by_id(order: &Order) -> bool {
    matches!(order.keys(), [key]
        if key.symbol.name() == "id" && key.direction == Direction::Ascending)
}

/// Selects a page from rows in memory.
pub fn select<R: Row>(listing: &Listing, rows: impl IntoIterator<Item = R>) -> Page<R> {
    let selection = listing.select(rows);
    Paging::from_listing(listing, selection.total).into_page(selection.rows)
}

/// The record numbers of the entities in any of the given sets of slots.
pub(crate) fn numbers<E: CatalogEntry>(
    catalog: &Catalog<E>,
    sets: impl IntoIterator<Item = RoaringBitmap>,
) -> BTreeSet<RecordNumber> {
    sets.into_iter()
        .flatten()
        .filter_map(|bit| catalog.number(Slot::from_bit(bit)))
        .collect()
}
