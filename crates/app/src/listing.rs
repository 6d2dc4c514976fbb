//! Lists: which rows, in which order, which part of them.
//!
//! Each kind declares its symbols once ([`kinds`]) and says how a row answers for them. What the
//! catalog has an order for is answered from there, at the same cost whatever the size of the list
//! and the offset; everything else looks at all records of the kind.

pub mod kinds;
mod plan;
mod symbols;

pub(crate) use plan::{Plan, page_of, plan};
pub use portcullis_filter::{Listing, ListingError, Parameters, Schema};
pub(crate) use symbols::{equals, mentions};

use crate::app::View;
use crate::error::AppError;
use portcullis_domain::view::Page;
use portcullis_filter::Row;
use portcullis_storage::key::{Kind, RecordKey};
use portcullis_storage::tables::{Entity, Found};
use std::ops::ControlFlow;

/// A list is asked for in a way that makes no sense; the text points at the fault.
#[derive(Debug, thiserror::Error)]
pub enum BadListing {
    /// The filter.
    #[error("{0}")]
    Filter(String),
    /// The sort order.
    #[error("{0}")]
    Sort(String),
    /// A number.
    #[error("{parameter} is not a whole number")]
    Number {
        /// `limit` or `offset`.
        parameter: &'static str,
        /// What was given.
        value: String,
    },
}

/// Reads the parameters of a list of the kind `schema`.
pub fn read(schema: &'static Schema, parameters: &Parameters<'_>) -> Result<Listing, BadListing> {
    Listing::from_parameters(schema, parameters).map_err(|error| match error {
        ListingError::Filter(error) => {
            BadListing::Filter(describe(&error, parameters.filter.unwrap_or_default()))
        },
        ListingError::Sort(error) => {
            BadListing::Sort(describe(&error, parameters.sort.unwrap_or_default()))
        },
        ListingError::Limit => number("limit", parameters.limit),
        ListingError::Offset => number("offset", parameters.offset),
    })
}

/// An error with the text that it is about and a mark under the fault.
fn describe(error: &portcullis_filter::QueryError, text: &str) -> String {
    format!("{error}\n{}", error.point_at(text))
}

fn number(parameter: &'static str, value: Option<&str>) -> BadListing {
    BadListing::Number {
        parameter,
        value: value.unwrap_or_default().to_owned(),
    }
}

/// A page of a kind that has no members.
pub fn nothing<T>(listing: &Listing) -> Page<T> {
    page(listing, Vec::new(), 0)
}

/// A page of rows that are all at hand.
pub fn select<R: Row>(listing: &Listing, rows: impl IntoIterator<Item = R>) -> Page<R> {
    let selection = listing.select(rows);
    page(listing, selection.rows, selection.total)
}

fn page<T>(listing: &Listing, items: Vec<T>, total: usize) -> Page<T> {
    let count = |rows: usize| u64::try_from(rows).unwrap_or(u64::MAX);
    Page {
        items,
        limit: listing.page.limit.rows().map(count),
        offset: count(listing.page.offset.rows()),
        total: count(total),
    }
}

/// Looks at all records of a kind, which live under roots of the kind `root`; `row` answers `None`
/// for those that the caller may not see.
pub(crate) fn scan<E: Entity, R: Row>(
    view: &View,
    root: Kind,
    listing: &Listing,
    mut row: impl FnMut(Found<E>) -> Result<Option<R>, AppError>,
) -> Result<Page<R>, AppError> {
    let mut matching = Vec::new();
    let mut fault = None;
    view.rows()
        .each_in::<E>(&RecordKey::all(root), &mut |found| match row(found) {
            Ok(Some(row)) => {
                if listing.predicate.matches(&row) {
                    matching.push(row);
                }
                Ok(ControlFlow::Continue(()))
            },
            Ok(None) => Ok(ControlFlow::Continue(())),
            Err(error) => {
                fault = Some(error);
                Ok(ControlFlow::Break(()))
            },
        })?;
    match fault {
        Some(error) => Err(error),
        None => Ok(select(listing, matching)),
    }
}
