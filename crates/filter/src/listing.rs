//! List requests, combined from the parameters of a list endpoint.

use crate::error::QueryError;
use crate::order::Order;
use crate::page::{Limit, Offset, Page};
use crate::query::{Predicate, Query, parse_sort};
use crate::row::Row;
use crate::schema::Schema;
use std::num::IntErrorKind;
use thiserror::Error;

/// Query parameters of a list, URL-decoded; of a repeated one, the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parameters<'p> {
    /// A query, which may itself have sort and paging clauses.
    pub filter: Option<&'p str>,
    /// Maximum number of rows.
    pub limit: Option<&'p str>,
    /// Number of rows to skip.
    pub offset: Option<&'p str>,
    /// Sort fields, written like after `sort by`.
    pub sort: Option<&'p str>,
}

/// An invalid parameter of a list.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ListingError {
    /// The filter is invalid.
    #[error("invalid filter: {0}")]
    Filter(#[source] QueryError),
    /// The sort parameter is invalid.
    #[error("invalid sort order: {0}")]
    Sort(#[source] QueryError),
    /// The limit is not an integer.
    #[error("`limit` must be an integer")]
    Limit,
    /// The offset is not an integer.
    #[error("`offset` must be an integer")]
    Offset,
}

/// A list request: predicate, order and page.
///
/// # Examples
///
/// ```
/// use portcullis_filter::{Listing, Parameters, Schema, Symbol};
///
/// static KIND: Schema = Schema::entity(&[Symbol::string("name")]);
/// let listing = Listing::from_parameters(
///     &KIND,
///     &Parameters { filter: Some("true limit 5"), limit: Some("7"), offset: Some("2"), sort: None },
/// )?;
/// assert_eq!(listing.page.limit.rows(), Some(5), "the filter wins over the parameter");
/// assert_eq!(listing.page.offset.rows(), 2);
/// # Ok::<(), portcullis_filter::ListingError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    pub predicate: Predicate,
    pub order: Order,
    pub page: Page,
}

impl Listing {
    /// Combines the parameters. Order, limit and offset in the filter each override the parameter, which has
    /// to be valid nevertheless.
    ///
    /// An empty parameter counts as absent.
    ///
    /// # Errors
    ///
    /// [`ListingError`] for the first invalid parameter, in the order filter, limit, offset, sort. Limits and
    /// offsets out of range are clamped.
    pub fn from_parameters(
        schema: &'static Schema,
        parameters: &Parameters<'_>,
    ) -> Result<Self, ListingError> {
        let query = filter(schema, parameters.filter)?;
        let limit = integer(parameters.limit, ListingError::Limit)?;
        let offset = integer(parameters.offset, ListingError::Offset)?;
        let sort = match non_empty(parameters.sort) {
            Some(text) => parse_sort(schema, text).map_err(ListingError::Sort)?,
            None => Vec::new(),
        };
        let query = Query {
            sort: if query.sort.is_empty() {
                sort
            } else {
                query.sort
            },
            skip: query.skip.or(offset.map(Offset::clamped)),
            limit: query.limit.or(limit.map(Limit::clamped)),
            predicate: query.predicate,
        };
        Ok(Self::from_query(schema, query, Limit::default()))
    }

    /// For lists with a filter only and without a default limit, such as those of role attributes.
    ///
    /// # Errors
    ///
    /// [`ListingError::Filter`].
    pub fn from_filter(schema: &'static Schema, text: Option<&str>) -> Result<Self, ListingError> {
        Ok(Self::from_query(schema, filter(schema, text)?, Limit::NONE))
    }

    /// A listing for a query that was parsed for `schema`, with a default limit.
    pub fn from_query(schema: &Schema, query: Query, default: Limit) -> Self {
        Self {
            predicate: query.predicate,
            order: Order::new(schema, query.sort),
            page: Page {
                limit: query.limit.unwrap_or(default),
                offset: query.skip.unwrap_or_default(),
            },
        }
    }

    /// Evaluates every row and returns the page with the number of all matching rows.
    ///
    /// Holds at most about twice as many rows as there are up to the end of the page, or all matching rows if
    /// there is no limit.
    pub fn select<R: Row>(&self, rows: impl IntoIterator<Item = R>) -> Selection<R> {
        let keep = self.page.end().unwrap_or(usize::MAX);
        let compare = |left: &R, right: &R| self.order.compare(left, right);
        let mut total = 0;
        let mut kept = Vec::new();
        for row in rows.into_iter().filter(|row| self.predicate.matches(row)) {
            total += 1;
            kept.push(row);
            if kept.len() >= keep.saturating_mul(2) {
                kept.sort_by(compare);
                kept.truncate(keep);
            }
        }
        kept.sort_by(compare);
        let page = self.page.range(kept.len());
        kept.truncate(page.end);
        kept.drain(..page.start);
        Selection { rows: kept, total }
    }
}

/// A page of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selection<R> {
    /// Rows of the page, in order.
    pub rows: Vec<R>,
    /// Number of matching rows on all pages.
    pub total: usize,
}

fn non_empty(parameter: Option<&str>) -> Option<&str> {
    parameter.filter(|text| !text.is_empty())
}

fn filter(schema: &'static Schema, text: Option<&str>) -> Result<Query, ListingError> {
    match non_empty(text) {
        Some(text) => Query::parse(schema, text).map_err(ListingError::Filter),
        None => Ok(Query::match_all()),
    }
}

/// An optional integer, clamped to 64 bits.
fn integer(parameter: Option<&str>, wrong: ListingError) -> Result<Option<i64>, ListingError> {
    let Some(text) = non_empty(parameter) else {
        return Ok(None);
    };
    match text.parse::<i64>() {
        Ok(value) => Ok(Some(value)),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Ok(Some(i64::MAX)),
            IntErrorKind::NegOverflow => Ok(Some(i64::MIN)),
            _ => Err(wrong),
        },
    }
}
