//! Candidates of a list, filtered and sorted by their records.

use super::Listing;
use super::list_scope::{ListScope, Visibility};
use super::listable::{Listable, RecordLocation, RecordRow, RowContext, into_owned_value};
use super::restriction::Restriction;
use crate::error::AppError;
use portcullis_domain::ids::RecordNumber;
use portcullis_filter::{Order, Predicate, Row, SortKey, SymbolId, Value};
use portcullis_index::{Catalog, Matches};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::Found;
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
    pub(super) fn new<E: Listable>(
        catalog: &Catalog<E::Entry>,
        matches: &Matches,
        scope: &ListScope<'_, E>,
    ) -> Self {
        // The records may be ahead of the catalog, and newer ones may be outside the restriction.
        let is_about_all = matches!(scope.restriction, Restriction::All);
        if is_about_all && matches.is_all() && scope.early_visibility.is_none() {
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

    /// Collects the matches, reading the record of each candidate for which the catalog is not
    /// enough.
    pub(super) fn collect<'l, E: Listable>(
        &self,
        context: RowContext<'_>,
        listing: &Listing,
        scope: &ListScope<'_, E>,
        mut buffer: SortBuffer<'l>,
    ) -> Result<SortBuffer<'l>, AppError> {
        let rows = context.rows;
        match self {
            Self::At {
                locations: places,
                are_matching,
            } => buffer.add_at((places, *are_matching), context, listing, scope)?,
            Self::All => {
                let mut fault = None;
                for root in E::ROOT_KINDS {
                    rows.for_each_in::<E>(&RecordKey::all(*root), &mut |found| {
                        Ok(
                            match buffer.add_matching(context, listing, scope.visibility, &found) {
                                Ok(()) => ControlFlow::Continue(()),
                                Err(error) => {
                                    fault = Some(error);
                                    ControlFlow::Break(())
                                },
                            },
                        )
                    })?;
                    if let Some(error) = fault {
                        return Err(error);
                    }
                }
            },
        }
        Ok(buffer)
    }
}

/// Locations of matching records, with the values that they are sorted by.
pub(super) struct SortBuffer<'l> {
    rows: Vec<SortRow>,
    /// Sort keys to be read from the records; empty where the catalog sorts.
    sort_keys: &'l [SortKey],
}

impl<'l> SortBuffer<'l> {
    pub(super) const fn with_sort_keys(sort: &'l [SortKey]) -> Self {
        Self {
            rows: Vec::new(),
            sort_keys: sort,
        }
    }

    /// Adds the records at some locations that match and are visible. A record is read only if one
    /// of the two is unknown or its values are needed.
    fn add_at<E: Listable>(
        &mut self,
        (locations, are_matching): (&[RecordLocation], bool),
        context: RowContext<'_>,
        listing: &Listing,
        scope: &ListScope<'_, E>,
    ) -> Result<(), AppError> {
        let is_enough = are_matching && self.sort_keys.is_empty();
        for location in locations {
            let visibility = match scope.find_visibility(context.rows, *location)? {
                Some(false) => continue,
                Some(true) if is_enough => {
                    self.rows.push(SortRow::without_values(*location));
                    continue;
                },
                Some(true) => None,
                None => scope.visibility,
            };
            let key = location.key::<E>();
            if let Some(entity) = context.rows.get::<E>(&key)? {
                self.add_matching(context, listing, visibility, &Found { key, entity })?;
            }
        }
        Ok(())
    }

    /// Adds a record if it matches and is visible.
    pub(super) fn add_matching<E: Listable>(
        &mut self,
        context: RowContext<'_>,
        listing: &Listing,
        visibility: Option<&Visibility<'_, E>>,
        found: &Found<E>,
    ) -> Result<(), AppError> {
        let record = RecordRow {
            entity: &found.entity,
            context,
        };
        if !matches(&listing.predicate, &record)? {
            return Ok(());
        }
        if let Some(visibility) = visibility
            && !visibility(context.rows, found)?
        {
            return Ok(());
        }
        self.rows
            .push(SortRow::from_record(self.sort_keys, found, &record));
        Ok(())
    }

    pub(super) fn record_numbers(&self) -> impl Iterator<Item = RecordNumber> {
        self.rows.iter().map(|row| row.location.number())
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
    if (record.context.is_cancelled)() {
        return Err(AppError::TimedOut);
    }
    Ok(matches)
}

/// A row with just the values that sorting needs.
struct SortRow {
    location: RecordLocation,
    values: Vec<(SymbolId, Value<'static>)>,
}

impl SortRow {
    /// A row that the catalog sorts.
    const fn without_values(location: RecordLocation) -> Self {
        Self {
            location,
            values: Vec::new(),
        }
    }

    fn from_record<E: Listable>(
        sort: &[SortKey],
        found: &Found<E>,
        record: &RecordRow<'_, E>,
    ) -> Self {
        Self {
            location: RecordLocation::from_found(found),
            values: sort
                .iter()
                .map(|key| (key.symbol, into_owned_value(record.value(key.symbol))))
                .collect(),
        }
    }
}

impl Row for SortRow {
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
        let numbers = BTreeSet::from([RecordNumber(7)]);
        let scope = |restriction| ListScope::<AuthPolicy> {
            visibility: None,
            early_visibility: None,
            restriction,
            is_cancelled: &|| false,
        };
        let candidates =
            |restriction| Candidates::new(&catalog, &catalog.all(), &scope(restriction));
        assert!(matches!(candidates(Restriction::All), Candidates::All));
        let some = candidates(Restriction::ByNumbers(&numbers));
        assert!(matches!(some, Candidates::At { locations, .. } if locations.len() == 1));
    }
}
