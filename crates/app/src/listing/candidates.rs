//! Candidates of a list, filtered and sorted by their records.

use super::Listing;
use super::lazy_record::LazyRecord;
use super::list_scope::{ListScope, Visibility};
use super::listable::{Listable, RecordRow, RowContext, into_owned_value};
use super::record_location::RecordLocation;
use super::restriction::Restriction;
use crate::error::AppError;
use portcullis_domain::ids::RecordNumber;
use portcullis_filter::{AnyRow as _, Order, Predicate, Row, SortKey, SymbolId, Value};
use portcullis_index::{Catalog, Matches};
use portcullis_storage::key::RecordKey;
use std::ops::ControlFlow;

/// Records that may match: all, or those at some locations.
pub(super) enum Candidates {
    All,
    At {
        locations: Vec<RecordLocation>,
        /// Whether all of them are known to match.
        are_matching: bool,
    },
}

impl Candidates {
    /// The candidates among `matches`. If all records of the kind have to be read anyway, since
    /// they have to match or are `sorted_by` their values, a scan is fastest, unless it meets far
    /// more records of other kinds.
    pub(super) fn new<E: Listable>(
        catalog: &Catalog<E::Entry>,
        matches: &Matches,
        restriction: &Restriction<'_, E>,
        sorted_by: &[SortKey],
    ) -> Self {
        // The records may be ahead of the catalog, and newer ones may be outside the restriction.
        let is_about_all = matches!(restriction, Restriction::All) && matches.is_all();
        let reads_all = !(matches.is_exact() && sorted_by.is_empty());
        if is_about_all && reads_all && !E::IS_SPARSE {
            return Self::All;
        }
        let locations = catalog
            .numbers(matches)
            .filter_map(|number| RecordLocation::find_in_catalog::<E>(catalog, number));
        Self::At {
            locations: locations.collect(),
            are_matching: matches.is_exact(),
        }
    }

    /// Adds those that match and are visible to `buffer`.
    pub(super) fn collect_into<E: Listable>(
        &self,
        buffer: &mut SortBuffer<'_, E>,
    ) -> Result<(), AppError> {
        let rows = buffer.context.rows;
        match self {
            Self::At {
                locations,
                are_matching,
            } => locations.iter().try_for_each(|location| {
                buffer.add(&LazyRecord::new(rows, *location), *are_matching)
            }),
            Self::All => {
                let mut added = Ok(());
                for root in E::ROOT_KINDS {
                    rows.for_each_in::<E>(&RecordKey::all(*root), &mut |found| {
                        added = buffer.add(&LazyRecord::from_found(rows, found), false);
                        Ok(match added {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(_) => ControlFlow::Break(()),
                        })
                    })?;
                    if added.is_err() {
                        break;
                    }
                }
                added
            },
        }
    }
}

/// Locations of matching records, with the values that they are sorted by.
pub(super) struct SortBuffer<'l, E> {
    context: RowContext<'l>,
    predicate: &'l Predicate,
    visibility: Option<&'l Visibility<'l, E>>,
    /// Sort keys to be read from the records; empty where the catalog sorts.
    sort_keys: &'l [SortKey],
    rows: Vec<SortRow>,
}

impl<'l, E: Listable> SortBuffer<'l, E> {
    pub(super) const fn new(
        context: RowContext<'l>,
        listing: &'l Listing,
        scope: &ListScope<'l, E>,
        sort_keys: &'l [SortKey],
    ) -> Self {
        Self {
            context,
            predicate: &listing.predicate,
            visibility: scope.visibility,
            sort_keys,
            rows: Vec::new(),
        }
    }

    /// Adds a record if it matches, unless that is known, and is visible. It is read only if one of
    /// the two or the order depends on it.
    pub(super) fn add(
        &mut self,
        record: &LazyRecord<'_, E>,
        is_matching: bool,
    ) -> Result<(), AppError> {
        self.context.check_cancelled()?;
        if !is_matching && !self.matches(record)? {
            return Ok(());
        }
        if let Some(is_visible) = self.visibility
            && !is_visible(record)?
        {
            return Ok(());
        }
        if let Some(values) = self.sort_values(record)? {
            self.rows.push(SortRow {
                location: record.location(),
                values,
            });
        }
        Ok(())
    }

    fn matches(&self, record: &LazyRecord<'_, E>) -> Result<bool, AppError> {
        match record.read()? {
            Some(found) => matches(self.predicate, &RecordRow::new(&found.entity, self.context)),
            None => Ok(false),
        }
    }

    /// The values that a record is sorted by; `None` if they cannot be read since it is gone.
    fn sort_values(
        &self,
        record: &LazyRecord<'_, E>,
    ) -> Result<Option<Vec<(SymbolId, Value<'static>)>>, AppError> {
        if self.sort_keys.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let Some(found) = record.read()? else {
            return Ok(None);
        };
        let row = RecordRow::new(&found.entity, self.context);
        let symbols = self.sort_keys.iter().map(|key| key.symbol);
        Ok(Some(
            symbols
                .map(|symbol| (symbol, into_owned_value(row.value_of(symbol))))
                .collect(),
        ))
    }

    pub(super) fn into_numbers(self) -> Vec<RecordNumber> {
        let rows = self.rows.into_iter();
        rows.map(|row| row.location.number()).collect()
    }

    /// The locations, sorted by values of the records.
    pub(super) fn into_sorted(mut self, order: &Order) -> Vec<RecordLocation> {
        self.rows.sort_by(|left, right| order.compare(left, right));
        self.rows.into_iter().map(|row| row.location).collect()
    }
}

/// Whether a record matches, which may involve reading many others.
///
/// # Errors
///
/// [`AppError::TimedOut`] when the client is gone; the result would be incomplete then.
pub(super) fn matches<E: Listable>(
    predicate: &Predicate,
    record: &RecordRow<'_, E>,
) -> Result<bool, AppError> {
    let matches = predicate.matches(record);
    record.context.check_cancelled()?;
    Ok(matches)
}

/// A row with just the values that sorting needs.
struct SortRow {
    location: RecordLocation,
    /// Empty where the catalog sorts.
    values: Vec<(SymbolId, Value<'static>)>,
}

impl Row for SortRow {
    type Symbol = SymbolId;

    fn value(&self, symbol: SymbolId) -> Value<'_> {
        self.values
            .iter()
            .find(|(own, _)| *own == symbol)
            .map_or(Value::Missing, |(_, value)| value.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_domain::auth_policy::AuthPolicy;
    use portcullis_domain::clock::Timestamp;
    use std::collections::BTreeSet;

    #[test]
    fn a_list_about_some_never_reads_all_even_if_they_are_all_that_is_known() {
        let mut catalog = Catalog::default();
        let policy = AuthPolicy::default_policy(Timestamp::UNIX_EPOCH);
        catalog.put(RecordNumber(7), None, &policy);
        let matches = catalog.all().into_inexact();
        let numbers = BTreeSet::from([RecordNumber(7)]);
        let candidates =
            |restriction| Candidates::new::<AuthPolicy>(&catalog, &matches, &restriction, &[]);
        assert!(matches!(candidates(Restriction::All), Candidates::All));
        let some = candidates(Restriction::ByNumbers(&numbers));
        assert!(matches!(some, Candidates::At { locations, .. } if locations.len() == 1));
        let exact = Candidates::new::<AuthPolicy>(&catalog, &catalog.all(), &Restriction::All, &[]);
        assert!(matches!(exact, Candidates::At { are_matching, .. } if are_matching));
    }
}
