//! How a list of records is answered.
//!
//! The catalog says which entities match and in which order, as far as its columns tell; what they
//! do not tell is read from the records. The view of the store is opened while the catalog is
//! held, so it shows at least what the catalog knew; what is gone by then, or has changed so that
//! it no longer matches, is made up for by what follows.

use super::among::{Among, FindSlots};
use super::listed::{Around, Listed, Place, Record, Ruled, owned};
use super::symbols::{costly_tests, equalities};
use super::{Asked, Listing, Paging};
use crate::app::{App, View};
use crate::error::AppError;
use portcullis_domain::ids::Number;
use portcullis_filter::{Predicate, Row, SortKey, SymbolId, Value};
use portcullis_index::{Catalog, Matches, Projections};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, IDENTITY, Index, ROUTER, Rows, UniqueValue};
use std::collections::BTreeSet;
use std::marker::PhantomData;
use std::ops::{ControlFlow, Range};

/// Places beyond the page, for those of it that are gone when they are read. One group of commits
/// holds fewer bodies than this, and a view is never further ahead of the catalog.
const SPARE: usize = 256;

/// Most tests that may look at every row of the catalog: a commit waits as long as that takes. With
/// more of them, the records are looked at, for which nobody has to wait, and which can be given up.
const COSTLY_TESTS: usize = 16;

/// Which records a list is about and its caller may see, and whether anybody still waits for them.
pub(crate) struct Sight<'s, E: Listed> {
    /// `None` for all of them.
    pub(crate) sees: Option<&'s Sees<'s, E>>,
    /// What is known of that without the records, if something is.
    pub(crate) knows: Option<&'s Knows<'s>>,
    /// Those that the list is about.
    pub(crate) among: Among<'s, E>,
    /// Whether nobody waits any more.
    pub(crate) is_over: &'s dyn Fn() -> bool,
}

impl<'s, E: Listed> Sight<'s, E> {
    /// The sight of a caller who may see all records of the kind.
    pub(crate) const fn of_all(asked: &'s Asked<'_>) -> Self {
        Self {
            sees: None,
            knows: None,
            among: Among::All,
            is_over: asked.is_over,
        }
    }

    /// The same sight, of the records with some numbers alone.
    pub(crate) fn of_numbers(self, numbers: &'s BTreeSet<Number>) -> Self {
        let among = Among::Numbered(numbers);
        Self { among, ..self }
    }

    /// The same sight, of those alone whom policies single out.
    pub(crate) fn of_selected(self, find: &'s FindSlots<'s>) -> Self
    where
        E: Ruled,
    {
        let among = Among::selected(find);
        Self { among, ..self }
    }

    /// What is known of a record before it is read. Memory tells of so many so fast that the end of
    /// waiting is looked at here too.
    fn beforehand(&self, rows: Rows<'_>, place: Place) -> Result<Option<bool>, AppError> {
        let Some(knows) = self.knows else {
            return Ok(None);
        };
        if (self.is_over)() {
            return Err(AppError::TooSlow);
        }
        knows(rows, place.number())
    }
}

/// Whether a caller may see a record.
pub(crate) type Sees<'s, E> = dyn Fn(Rows<'_>, &Found<E>) -> Result<bool, AppError> + 's;

/// Whether a caller may see the record of a number; `None` if that has to be read to tell.
pub(crate) type Knows<'s> = dyn Fn(Rows<'_>, Number) -> Result<Option<bool>, AppError> + 's;

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
        let projections = app.require_lists()?;
        let narrow = Narrow::of::<E>(&listing.predicate);
        if let Some(narrow) = narrow {
            let view = app.snapshot()?;
            let mut picked = Picked::to_sort(listing.order.keys());
            let around = Around {
                rows: view.rows(),
                projections,
                is_over: sight.is_over,
            };
            let mut found = narrow.find::<E>(view.rows())?;
            sight.among.retain(projections, &mut found);
            for found in &found {
                picked.take(around, listing, sight.sees, found)?;
            }
            return Ok(picked.sorted((view, projections), listing, sight));
        }
        let (catalog, candidates) = sight.among.lock(projections);
        let matches = if costly_tests(&listing.predicate) <= COSTLY_TESTS {
            catalog.search_within(&candidates, &listing.predicate)
        } else {
            candidates.unsure()
        };
        let is_sorted = catalog.page_in(&matches, &listing.order, 0..0).is_some();
        if matches.is_exact() && is_sorted && sight.sees.is_none() {
            let view = app.snapshot()?;
            let found = (&*catalog, &matches);
            return Ok(Self::paged((view, projections), listing, sight, found));
        }
        let candidates = Candidates::new(&catalog, &matches, sight);
        let view = app.snapshot()?;
        drop(catalog);
        let sort = if is_sorted { &[] } else { listing.order.keys() };
        let around = Around {
            rows: view.rows(),
            projections,
            is_over: sight.is_over,
        };
        let picked = candidates.pick(around, listing, sight, Picked::to_sort(sort))?;
        if !is_sorted {
            return Ok(picked.sorted((view, projections), listing, sight));
        }
        // The order is that of now, and so have the records to be.
        drop(view);
        let catalog = E::catalog(projections);
        let numbers = picked.rows.iter().map(|row| row.place.number());
        let matches = catalog.matches_of(numbers);
        let view = app.snapshot()?;
        let found = (&*catalog, &matches);
        Ok(Self::paged((view, projections), listing, sight, found))
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

/// The positions of a page out of `total`, with spare ones behind them, and how many are wanted.
fn stretch(listing: &Listing, total: usize) -> (Range<usize>, usize) {
    let range = listing.page.range(total);
    let wanted = range.len();
    (
        range.start..range.end.saturating_add(SPARE).min(total),
        wanted,
    )
}

/// A condition that leaves over so little that the store finds it faster than anything else.
enum Narrow {
    /// What lives under the identity or router of this id.
    OwnedBy(UniqueValue),
    /// What has this unique value.
    Unique(UniqueValue),
}

impl Narrow {
    /// Finds such a condition among those that all matches meet.
    fn of<E: Listed>(predicate: &Predicate) -> Option<Self> {
        equalities(predicate).find_map(|(symbol, text)| {
            let owner = match symbol {
                "identity" if E::KIND != IDENTITY => Some((IDENTITY, Index::IdentityId)),
                "edgeRouter" | "transitRouter" => Some((ROUTER, Index::RouterId)),
                _ => None,
            };
            if let Some((_, index)) = owner.filter(|(root, _)| E::ROOTS.contains(root)) {
                return Some(Self::OwnedBy(UniqueValue::new(index, text)));
            }
            E::index(symbol).map(|index| Self::Unique(UniqueValue::new(index, text)))
        })
    }

    fn find<E: Listed>(&self, rows: Rows<'_>) -> Result<Vec<Found<E>>, StoreError> {
        match self {
            Self::OwnedBy(by_id) => match rows.locate(by_id)? {
                Some(owner) => rows.dependents(&owner),
                None => Ok(Vec::new()),
            },
            Self::Unique(value) => Ok(rows.find(value)?.into_iter().collect()),
        }
    }
}

/// Records that may match: all, or those at some places.
enum Candidates {
    All,
    At {
        places: Vec<Place>,
        /// Whether it is known of each that it matches.
        are_matching: bool,
    },
}

impl Candidates {
    fn new<E: Listed>(
        catalog: &Catalog<E::Entry>,
        matches: &Matches,
        sight: &Sight<'_, E>,
    ) -> Self {
        if matches.is_everything() && sight.knows.is_none() {
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
    fn pick<'l, E: Listed>(
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
struct Picked<'l> {
    rows: Vec<Light>,
    /// What the rows are going to be sorted by here; nothing, where the catalog does that.
    sort: &'l [SortKey],
}

impl<'l> Picked<'l> {
    const fn to_sort(sort: &'l [SortKey]) -> Self {
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
    fn take<E: Listed>(
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

    /// A page in an order that only the records know.
    fn sorted<'a, E: Listed>(
        self,
        at: (View, &'a Projections),
        listing: &Listing,
        sight: &Sight<'a, E>,
    ) -> Answer<'a, E> {
        let mut rows = self.rows;
        let total = rows.len();
        rows.sort_by(|left, right| listing.order.compare(left, right));
        let (range, wanted) = stretch(listing, total);
        let places = rows.drain(range).map(|row| row.place).collect();
        Answer::made(at, listing, sight, (total, places, wanted))
    }
}

/// Whether a record matches, which may take looking at many others.
///
/// # Errors
///
/// [`AppError::TooSlow`] when nobody waits any more; it may not have been looked at the rest then.
fn matches<E: Listed>(predicate: &Predicate, record: &Record<'_, E>) -> Result<bool, AppError> {
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
