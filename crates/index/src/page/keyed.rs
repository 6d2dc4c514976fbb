//! Pages by comparing the matches.
//!
//! Each match gets a number that orders as its first key does, as far as a number can tell, so
//! that most comparisons look at neighbours in memory and not into the columns.

use super::sort::{Key, Sort};
use crate::catalog::{self, Catalog, Catalogued, Direction, SortKey};
use crate::digest::{digest, of_time, shared_prefix};
use crate::held::{Source, Word};
use crate::matches::Matches;
use crate::slots::Slot;
use roaring::RoaringBitmap;
use std::cmp::Ordering;
use std::ops::Range;

/// With more matches than one in this many entities, all are walked in the order that the last
/// keys make, to learn where each match stands in it.
const WALKED_FROM: usize = 16;

/// A match with what is compared first and last.
#[derive(Debug, Clone, Copy)]
struct Keyed {
    /// Orders as the first key does.
    number: u64,
    /// Its place in the order that the last keys and the id make; 0 for all, when nobody found
    /// out.
    place: u32,
    slot: Slot,
}

/// The slots of the matches whose positions are in `range`, which is not empty and ends within
/// them. Selects the page and sorts only that.
pub(super) fn page<E: Catalogued>(
    catalog: &Catalog<E>,
    matches: &Matches,
    sort: &Sort<'_>,
    range: Range<usize>,
) -> Vec<Slot> {
    let (mut keyed, keys) = match matches.slots() {
        Some(slots) if matches.len() < catalog.len() / WALKED_FROM => {
            let slots = slots.iter().map(Slot::from_bit);
            let keyed: Vec<Keyed> = slots.map(|slot| Keyed::new(0, slot)).collect();
            (keyed, sort.keys.as_slice())
        },
        slots => {
            let (keys, last, direction) = sort.ranked();
            (walked(catalog, slots, last, direction), keys)
        },
    };
    let (first, others) = match keys.split_first() {
        Some((first, others)) => (Some(first), others),
        None => (None, keys),
    };
    let decided = first.map_or(Decided::All, |key| number(&mut keyed, key));
    cut(&mut keyed, range, |left, right| {
        let keys = if decided.by(left.number) {
            others
        } else {
            keys
        };
        left.number
            .cmp(&right.number)
            .then_with(|| compare_keys(keys, left.slot, right.slot))
            .then_with(|| left.place.cmp(&right.place))
            .then_with(|| {
                let rows = &catalog.rows;
                directed(
                    sort.by_id,
                    rows.compare(catalog::Key::Id, left.slot, right.slot),
                )
            })
    });
    keyed.into_iter().map(|keyed| keyed.slot).collect()
}

/// The matches with their places in an order.
fn walked<E: Catalogued>(
    catalog: &Catalog<E>,
    slots: Option<&RoaringBitmap>,
    sort: SortKey,
    direction: Direction,
) -> Vec<Keyed> {
    let is_match = |slot: &Slot| slots.is_none_or(|slots| slots.contains(slot.bit()));
    let walk = catalog.walk(sort, direction, 0).filter(is_match);
    (0..)
        .zip(walk)
        .map(|(place, slot)| Keyed::new(place, slot))
        .collect()
}

/// Leaves of `items` those whose positions are in `range`, sorted.
fn cut<T>(items: &mut Vec<T>, range: Range<usize>, compare: impl Fn(&T, &T) -> Ordering) {
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

fn compare_keys(keys: &[Key<'_>], left: Slot, right: Slot) -> Ordering {
    keys.iter()
        .map(|key| directed(key.direction, compare(&key.source, left, right)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// Missing values come first.
fn compare(source: &Source<'_>, left: Slot, right: Slot) -> Ordering {
    match source {
        Source::Cases { .. } => source.word(left).cmp(&source.word(right)),
        Source::Text { texts, .. } => texts.get(left).cmp(&texts.get(right)),
        Source::Time { times, .. } => times.millisecond(left).cmp(&times.millisecond(right)),
        Source::Single(words) => words.of(left).next().cmp(&words.of(right).next()),
        Source::Set(_) => Ordering::Equal,
    }
}

const fn directed(direction: Direction, order: Ordering) -> Ordering {
    match direction {
        Direction::Ascending => order,
        Direction::Descending => order.reverse(),
    }
}

impl Keyed {
    const fn new(place: u32, slot: Slot) -> Self {
        Self {
            number: 0,
            place,
            slot,
        }
    }
}

/// Which equal numbers tell that the slots are equal by the key.
enum Decided {
    All,
    /// That of missing values.
    Missing(u64),
}

impl Decided {
    const fn by(&self, number: u64) -> bool {
        match self {
            Self::All => true,
            Self::Missing(missing) => *missing == number,
        }
    }
}

/// Gives the matches their numbers by a key, in its direction.
fn number(keyed: &mut [Keyed], key: &Key<'_>) -> Decided {
    match &key.source {
        Source::Cases { cases, otherwise } => {
            let mut words: Vec<Word> = cases.iter().map(|(_, word)| *word).collect();
            words.push(*otherwise);
            words.sort_unstable();
            words.dedup();
            let place = |slot| words.binary_search(&key.source.word(slot));
            set(keyed, key.direction, |slot| {
                place(slot).unwrap_or_default() as u64
            });
        },
        Source::Single(words) => {
            let places = words.places();
            let place = |slot| places.get(words.set_of(slot)).copied();
            set(keyed, key.direction, |slot| place(slot).unwrap_or_default());
        },
        Source::Time { times, .. } => set(keyed, key.direction, |slot| {
            of_time(times.millisecond(slot))
        }),
        Source::Text { texts, .. } => {
            let slots = keyed.iter().map(|keyed| keyed.slot);
            let shared = shared_prefix(slots.filter_map(|slot| texts.get(slot)));
            // One bit less of the text, so that no text has the number of a missing one.
            let of = |text| digest(text, shared) >> 1 | 1 << 63;
            set(keyed, key.direction, |slot| texts.get(slot).map_or(0, of));
            return Decided::Missing(match key.direction {
                Direction::Ascending => 0,
                Direction::Descending => !0,
            });
        },
        Source::Set(_) => {},
    }
    Decided::All
}

fn set(keyed: &mut [Keyed], direction: Direction, number: impl Fn(Slot) -> u64) {
    for keyed in keyed {
        let ascending = number(keyed.slot);
        keyed.number = match direction {
            Direction::Ascending => ascending,
            Direction::Descending => !ascending,
        };
    }
}
