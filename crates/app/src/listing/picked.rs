//! Lists for which records are looked at.

use super::Listing;
use super::among::Among;
use super::listed::{Around, Listed, Place, Record, owned};
use super::sight::{Sees, Sight};
use crate::error::AppError;
use portcullis_domain::ids::Number;
use portcullis_filter::{Order, Predicate, Row, SortKey, SymbolId, Value};
use portcullis_index::{Catalog, Matches};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::Found;
use std::ops::ControlFlow;

/// Records that may match: all, or those at some places.
pub(super) enum Candidates {
    All,
    At {
        places: Vec<Place>,
        /// Whether it is known of each that it matches.
        are_matching: bool,
    },
}

impl Candidates {
    pub(super) fn new<E: Listed>(
        catalog: &Catalog<E::Entry>,
        matches: &Matches,
        sight: &Sight<'_, E>,
    ) -> Self {
        // The records may be ahead of the catalog: what came since may be none of those that the list
        // is about.
        let is_about_all = matches!(sight.among, Among::All);
        if is_about_all && matches.is_everything() && sight.knows.is_none() {
            return Self::All;
        }
        let places = catalog
            .numbers(matches)
            .filter_map(|number| Place::in_catalog::<E>(catalog, number));
        Self::At {
            places: places.collect(),
            are_matching: matches.is_exact(),
        }
    }

    /// Looks at the record of each of which not enough is known without it.
    pub(super) fn pick<'l, E: Listed>(
        &self,
        around: Around<'_>,
        listing: &Listing,
        sight: &Sight<'_, E>,
        mut picked: Picked<'l>,
    ) -> Result<Picked<'l>, AppError> {
        let rows = around.rows;
        match self {
            Self::At {
                places,
                are_matching,
            } => picked.take_at((places, *are_matching), around, listing, sight)?,
            Self::All => {
                let mut fault = None;
                for root in E::ROOTS {
                    rows.each_in::<E>(&RecordKey::all(*root), &mut |found| {
                        Ok(match picked.take(around, listing, sight.sees, &found) {
                            Ok(()) => ControlFlow::Continue(()),
                            Err(error) => {
                                fault = Some(error);
                                ControlFlow::Break(())
                            },
                        })
                    })?;
                    if let Some(error) = fault {
                        return Err(error);
                    }
                }
            },
        }
        Ok(picked)
    }
}

/// What was picked out of records: where each lies, and what it is sorted by.
pub(super) struct Picked<'l> {
    rows: Vec<Light>,
    /// What the rows are going to be sorted by here; nothing, where the catalog does that.
    sort: &'l [SortKey],
}

impl<'l> Picked<'l> {
    pub(super) const fn to_sort(sort: &'l [SortKey]) -> Self {
        Self {
            rows: Vec::new(),
            sort,
        }
    }

    /// Takes in the records at some places that match and may be seen. None is read that is known to
    /// do both, or not to be seen, unless its values are needed.
    fn take_at<E: Listed>(
        &mut self,
        (places, are_matching): (&[Place], bool),
        around: Around<'_>,
        listing: &Listing,
        sight: &Sight<'_, E>,
    ) -> Result<(), AppError> {
        let is_enough = are_matching && self.sort.is_empty();
        for place in places {
            let sees = match sight.beforehand(around.rows, *place)? {
                Some(false) => continue,
                Some(true) if is_enough => {
                    self.rows.push(Light::without_values(*place));
                    continue;
                },
                Some(true) => None,
                None => sight.sees,
            };
            let key = place.key::<E>();
            if let Some(entity) = around.rows.get::<E>(&key)? {
                self.take(around, listing, sees, &Found { key, entity })?;
            }
        }
        Ok(())
    }

    /// Takes a record in if it matches and may be seen.
    pub(super) fn take<E: Listed>(
        &mut self,
        around: Around<'_>,
        listing: &Listing,
        sees: Option<&Sees<'_, E>>,
        found: &Found<E>,
    ) -> Result<(), AppError> {
        let record = Record {
            entity: &found.entity,
            around,
        };
        if !matches(&listing.predicate, &record)? {
            return Ok(());
        }
        if let Some(sees) = sees
            && !sees(around.rows, found)?
        {
            return Ok(());
        }
        self.rows.push(Light::of(self.sort, found, &record));
        Ok(())
    }

    /// The numbers of what was picked.
    pub(super) fn numbers(&self) -> impl Iterator<Item = Number> {
        self.rows.iter().map(|row| row.place.number())
    }

    /// The places of what was picked, in an order that only the records know.
    pub(super) fn sorted(mut self, order: &Order) -> Vec<Place> {
        self.rows.sort_by(|left, right| order.compare(left, right));
        self.rows.into_iter().map(|row| row.place).collect()
    }
}

/// Whether a record matches, which may take looking at many others.
///
/// # Errors
///
/// [`AppError::TooSlow`] when nobody waits any more; it may not have been looked at the rest then.
pub(super) fn matches<E: Listed>(
    predicate: &Predicate,
    record: &Record<'_, E>,
) -> Result<bool, AppError> {
    let matches = predicate.matches(record);
    if (record.around.is_over)() {
        return Err(AppError::TooSlow);
    }
    Ok(matches)
}

/// A row without its record: as much of it as sorting needs.
struct Light {
    place: Place,
    values: Vec<(SymbolId, Value<'static>)>,
}

impl Light {
    /// One that is not going to be sorted.
    const fn without_values(place: Place) -> Self {
        Self {
            place,
            values: Vec::new(),
        }
    }

    fn of<E: Listed>(sort: &[SortKey], found: &Found<E>, record: &Record<'_, E>) -> Self {
        Self {
            place: Place::of(found),
            values: sort
                .iter()
                .map(|key| (key.symbol, owned(record.value(key.symbol))))
                .collect(),
        }
    }
}

impl Row for Light {
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
        catalog.put(Number(7), None, &policy);
        let numbers = BTreeSet::from([Number(7)]);
        let sight = |among| Sight::<AuthPolicy> {
            sees: None,
            knows: None,
            among,
            is_over: &|| false,
        };
        let candidates = |among| Candidates::new(&catalog, &catalog.everything(), &sight(among));
        assert!(matches!(candidates(Among::All), Candidates::All));
        let some = candidates(Among::Numbered(&numbers));
        assert!(matches!(some, Candidates::At { places, .. } if places.len() == 1));
    }
}
