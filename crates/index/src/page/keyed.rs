//! Pages sorted by comparing the matches.
//!
//! Each match gets a number that sorts like its first key as far as possible, so that most
//! comparisons stay in contiguous memory and need no column.

use super::sort_plan::{SortColumn, SortPlan};
use crate::catalog::{self, Catalog, CatalogEntry, Direction, SortKey};
use crate::column::{ColumnData, Constant};
use crate::matches::Matches;
use crate::slots::Slot;
use crate::sort_key::{common_prefix_len, text_key, time_key};
use roaring::RoaringBitmap;
use std::cmp::Ordering;
use std::ops::Range;

/// With more than one match in this many entities, the order of the last sort keys is walked to get
/// the rank of each match in it.
const WALK_THRESHOLD: usize = 16;

/// A match with its first and last sort key.
#[derive(Debug, Clone, Copy)]
struct KeyedMatch {
    /// Sorts like the first key.
    sort_key: u64,
    /// Its rank by the last keys and the id; 0 for all if not determined.
    rank: u32,
    slot: Slot,
}

/// The slots of the matches at the positions `range`, which is not empty and within the matches.
/// Selects the page and sorts only that.
pub(super) fn page<E: CatalogEntry>(
    catalog: &Catalog<E>,
    matches: &Matches,
    sort: &SortPlan<'_>,
    range: Range<usize>,
) -> Vec<Slot> {
    let (mut keyed, keys) = match matches.slots() {
        Some(slots) if matches.len() < catalog.len() / WALK_THRESHOLD => {
            let slots = slots.iter().map(Slot::from_bit);
            let keyed: Vec<KeyedMatch> = slots.map(|slot| KeyedMatch::new(0, slot)).collect();
            (keyed, sort.keys.as_slice())
        },
        slots => {
            let (keys, last, direction) = sort.split_ranked();
            (ranked_matches(catalog, slots, last, direction), keys)
        },
    };
    let (first, others) = match keys.split_first() {
        Some((first, others)) => (Some(first), others),
        None => (None, keys),
    };
    let decided = first.map_or(KeyEquality::Always, |key| set_sort_keys(&mut keyed, key));
    select_range(&mut keyed, range, |left, right| {
        let keys = if decided.is_decisive(left.sort_key) {
            others
        } else {
            keys
        };
        left.sort_key
            .cmp(&right.sort_key)
            .then_with(|| compare_keys(keys, left.slot, right.slot))
            .then_with(|| left.rank.cmp(&right.rank))
            .then_with(|| {
                let rows = &catalog.base;
                directed(
                    sort.id_direction,
                    rows.compare(catalog::OrderKey::Id, left.slot, right.slot),
                )
            })
    });
    keyed.into_iter().map(|keyed| keyed.slot).collect()
}

/// The matches with their ranks in an order.
fn ranked_matches<E: CatalogEntry>(
    catalog: &Catalog<E>,
    slots: Option<&RoaringBitmap>,
    sort: SortKey,
    direction: Direction,
) -> Vec<KeyedMatch> {
    let is_match = |slot: &Slot| slots.is_none_or(|slots| slots.contains(slot.bit()));
    let walk = catalog.walk(sort, direction, 0).filter(is_match);
    (0..)
        .zip(walk)
        .map(|(rank, slot)| KeyedMatch::new(rank, slot))
        .collect()
}

/// Reduces `items` to the positions `range`, sorted.
fn select_range<T>(items: &mut Vec<T>, range: Range<usize>, compare: impl Fn(&T, &T) -> Ordering) {
    if range.end < items.len() {
        items.select_nth_unstable_by(range.end, &compare);
        items.truncate(range.end);
    }
    if range.start > 0 && range.start < items.len() {
        items.select_nth_unstable_by(range.start, &compare);
    }
    items.drain(..range.start.min(items.len()));
    items.sort_unstable_by(compare);
}

fn compare_keys(keys: &[SortColumn<'_>], left: Slot, right: Slot) -> Ordering {
    keys.iter()
        .map(|key| directed(key.direction, compare(&key.source, left, right)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Missing values sort first.
fn compare(source: &ColumnData<'_>, left: Slot, right: Slot) -> Ordering {
    match source {
        ColumnData::Constants { .. } => source.constant(left).cmp(&source.constant(right)),
        ColumnData::Text { texts, .. } => texts.get(left).cmp(&texts.get(right)),
        ColumnData::Time { times, .. } => times.millisecond(left).cmp(&times.millisecond(right)),
        ColumnData::Single(terms) => terms
            .terms_of(left)
            .next()
            .cmp(&terms.terms_of(right).next()),
        ColumnData::Set(_) => Ordering::Equal,
    }
}

const fn directed(direction: Direction, order: Ordering) -> Ordering {
    match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    }
}

impl KeyedMatch {
    const fn new(rank: u32, slot: Slot) -> Self {
        Self {
            sort_key: 0,
            rank,
            slot,
        }
    }
}

/// For which numbers equality implies that the keys are equal too.
enum KeyEquality {
    Always,
    /// Only for the number of missing values.
    UnlessMissing(u64),
}

impl KeyEquality {
    const fn is_decisive(&self, number: u64) -> bool {
        match self {
            Self::Always => true,
            Self::UnlessMissing(missing) => *missing == number,
        }
    }
}

/// Sets the numbers of the matches by a key, in its direction.
fn set_sort_keys(keyed: &mut [KeyedMatch], key: &SortColumn<'_>) -> KeyEquality {
    match &key.source {
        ColumnData::Constants {
            cases,
            default: otherwise,
        } => {
            let mut constants: Vec<Constant> =
                cases.iter().map(|(_, constant)| *constant).collect();
            constants.push(*otherwise);
            constants.sort_unstable();
            constants.dedup();
            let rank = |slot| constants.binary_search(&key.source.constant(slot));
            set_each(keyed, key.direction, |slot| {
                rank(slot).unwrap_or_default() as u64
            });
        },
        ColumnData::Single(terms) => {
            let ranks = terms.first_term_ranks();
            let rank = |slot| ranks.get(terms.set_of(slot)).copied();
            set_each(keyed, key.direction, |slot| rank(slot).unwrap_or_default());
        },
        ColumnData::Time { times, .. } => set_each(keyed, key.direction, |slot| {
            time_key(times.millisecond(slot))
        }),
        ColumnData::Text { texts, .. } => {
            let slots = keyed.iter().map(|keyed| keyed.slot);
            let shared = common_prefix_len(slots.filter_map(|slot| texts.get(slot)));
            // One bit less of the text, so that no text has the number of a missing value.
            let of = |text| text_key(text, shared) >> 1 | 1 << 63;
            set_each(keyed, key.direction, |slot| texts.get(slot).map_or(0, of));
            return KeyEquality::UnlessMissing(match key.direction {
                Direction::Ascending => 0,
                Direction::Descending => !0,
            });
        },
        ColumnData::Set(_) => {},
    }
    KeyEquality::Always
}

fn set_each(keyed: &mut [KeyedMatch], direction: Direction, number: impl Fn(Slot) -> u64) {
    for keyed in keyed {
        let ascending = number(keyed.slot);
        keyed.sort_key = match direction {
            Direction::Ascending => ascending,
            Direction::Descending => !ascending,
        };
    }
}
