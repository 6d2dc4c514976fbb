//! Lists: which rows, in which order, which part of them.
//!
//! Each kind declares its symbols once ([`kinds`]) and says how a row answers for them. The
//! catalog answers what it has columns for, at about the same cost whatever the size of the list
//! and the offset; records are read for the page, and where no column tells.

mod among;
mod answer;
mod inner;
pub mod kinds;
mod listed;
mod narrow;
mod picked;
mod roles;
mod sight;
mod symbols;
mod token;

pub(crate) use among::{Among, FindSlots};
pub(crate) use answer::Answer;
pub(crate) use inner::check_filter;
pub use portcullis_filter::{Listing, ListingError, Parameters, Schema};
pub use roles::Roles;
pub(crate) use sight::Sight;
pub(crate) use symbols::equalities;
pub(crate) use token::by_token;

use crate::error::AppError;
use listed::Listed;
use portcullis_domain::view::Page;
use portcullis_filter::{Predicate, Row};

/// What a request asks of a list.
#[derive(Clone, Copy)]
pub struct Asked<'p> {
    /// Filter, order and page.
    pub parameters: Parameters<'p>,
    /// Selectors, for the kinds that have role attributes.
    pub roles: Roles<'p>,
    /// Whether nobody waits for the answer any more; asked now and then by what takes long.
    pub is_over: &'p dyn Fn() -> bool,
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Asked")
            .field("parameters", &self.parameters)
            .field("roles", &self.roles)
            .finish_non_exhaustive()
    }
}

impl Asked<'_> {
    /// Reads what is asked of a list of records.
    pub(crate) fn of<E: Listed>(&self) -> Result<Listing, BadListing> {
        read(E::SCHEMA, &self.parameters)
    }

    /// Reads what is asked of a list of records that have role attributes.
    pub(crate) fn of_roles<E: Listed>(&self) -> Result<Listing, BadListing> {
        self.of_roles_in(E::SCHEMA)
    }

    /// The same of a list that knows the symbols of `schema` alone.
    pub(crate) fn of_roles_in(&self, schema: &'static Schema) -> Result<Listing, BadListing> {
        let listing = read(schema, &self.parameters)?;
        let roles = self.roles.condition(schema)?;
        Ok(Listing {
            predicate: Predicate::all([roles, listing.predicate]),
            ..listing
        })
    }
}

/// Most characters of a query that an error repeats.
const SHOWN: usize = 160;

/// Where a page lies in its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Paging {
    /// The page's size that was in force; `None` for no limit.
    pub limit: Option<u64>,
    /// Entities skipped before the page.
    pub offset: u64,
    /// Entities that match, on all pages.
    pub total: u64,
}

impl Paging {
    pub(crate) fn of(listing: &Listing, total: usize) -> Self {
        let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
        Self {
            limit: listing.page.limit.rows().map(count),
            offset: count(listing.page.offset.rows()),
            total: count(total),
        }
    }

    /// Where a page lies.
    pub(crate) const fn of_page<T>(page: &Page<T>) -> Self {
        Self {
            limit: page.limit,
            offset: page.offset,
            total: page.total,
        }
    }

    /// The page with these entities.
    pub fn holding<T>(self, items: Vec<T>) -> Page<T> {
        Page {
            items,
            limit: self.limit,
            offset: self.offset,
            total: self.total,
        }
    }
}

/// A list is asked for in a way that makes no sense; the text points at the fault.
#[derive(Debug, thiserror::Error)]
pub enum BadListing {
    /// The filter.
    #[error("{0}")]
    Filter(String),
    /// The sort order.
    #[error("{0}")]
    Sort(String),
    /// The selectors.
    #[error("{0}")]
    Roles(String),
    /// A number.
    #[error("{parameter} must be an integer")]
    Number {
        /// `limit` or `offset`.
        parameter: &'static str,
        /// What was given.
        value: String,
    },
}

/// Reads the parameters of a list of the kind `schema`.
pub fn read(schema: &'static Schema, parameters: &Parameters<'_>) -> Result<Listing, BadListing> {
    Listing::from_parameters(schema, parameters).map_err(|error| bad(&error, parameters))
}

/// Reads the filter of a list that knows no other parameter and gives everything.
pub(crate) fn read_filter(
    schema: &'static Schema,
    parameters: &Parameters<'_>,
) -> Result<Listing, BadListing> {
    Listing::from_filter(schema, parameters.filter).map_err(|error| bad(&error, parameters))
}

/// Checks the numbers of a request, which are judged before anything is known of its caller.
pub fn check_numbers(parameters: &Parameters<'_>) -> Result<(), BadListing> {
    static ANY: Schema = Schema::new(&[]);
    let numbers = Parameters {
        limit: parameters.limit,
        offset: parameters.offset,
        ..Parameters::default()
    };
    read(&ANY, &numbers).map(|_listing| ())
}

fn bad(error: &ListingError, parameters: &Parameters<'_>) -> BadListing {
    match error {
        ListingError::Filter(error) => {
            BadListing::Filter(describe(error, parameters.filter.unwrap_or_default()))
        },
        ListingError::Sort(error) => {
            BadListing::Sort(describe(error, parameters.sort.unwrap_or_default()))
        },
        ListingError::Limit => number("limit", parameters.limit),
        ListingError::Offset => number("offset", parameters.offset),
    }
}

/// An error with the text that it is about and a mark under the fault. Of a long line it repeats
/// what stands around the fault.
fn describe(error: &portcullis_filter::QueryError, text: &str) -> String {
    let pointed = error.point_at(text);
    let (line, marks) = pointed.split_once('\n').unwrap_or((&pointed, ""));
    let from = match line.chars().nth(SHOWN) {
        Some(_) => error.location.column.saturating_sub(SHOWN / 2),
        None => 0,
    };
    let around = |line: &str| -> String { line.chars().skip(from).take(SHOWN).collect() };
    format!("{error}\n{}\n{}", around(line), around(marks))
}

fn number(parameter: &'static str, value: Option<&str>) -> BadListing {
    BadListing::Number {
        parameter,
        value: value.unwrap_or_default().to_owned(),
    }
}

/// The same listing, of those rows alone that have `text` under `symbol`.
pub(crate) fn restricted(
    listing: Listing,
    schema: &'static Schema,
    symbol: &str,
    text: &str,
) -> Listing {
    // A kind without the symbol has no such row.
    let own = Predicate::equals(schema, symbol, text).unwrap_or(Predicate::Constant(false));
    Listing {
        predicate: Predicate::all([own, listing.predicate]),
        ..listing
    }
}

/// A page of many rows that are at hand, unless nobody waits for it any more.
///
/// # Errors
///
/// [`AppError::TooSlow`] when `is_over` says so.
pub(crate) fn select_in_time<R: Row>(
    listing: &Listing,
    rows: impl IntoIterator<Item = R>,
    is_over: &dyn Fn() -> bool,
) -> Result<Page<R>, AppError> {
    let mut has_stopped = false;
    let rows = rows.into_iter().enumerate().map_while(|(number, row)| {
        has_stopped |= number.is_multiple_of(64) && is_over();
        (!has_stopped).then_some(row)
    });
    let page = select(listing, rows);
    if has_stopped {
        Err(AppError::TooSlow)
    } else {
        Ok(page)
    }
}

/// A page of rows that are all at hand.
pub fn select<R: Row>(listing: &Listing, rows: impl IntoIterator<Item = R>) -> Page<R> {
    let selection = listing.select(rows);
    Paging::of(listing, selection.total).holding(selection.rows)
}
