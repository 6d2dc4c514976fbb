//! Pages by comparing the matches.
//!
//! Each match gets a number that orders as its first key does, as far as a number can tell, so
//! that most comparisons look at neighbours in memory and not into the columns.

use super::sort::{Key, Sort};
use crate::catalog::{self, Catalog, Catalogued, Direction, Rows, SortKey};
use crate::digest::{digest, of_time, shared_prefix};
use crate::held::{Source, Word};
use crate::matches::Matches;
use crate::slots::Slot;
use std::cmp::Ordering;
use std::ops::Range;

/// With more matches than one in this many entities, all are walked by id to learn where each
/// match stands.
const WALKED_FROM: usize = 16;

/// A match with what is compared first.
#[derive(Debug, Clone, Copy)]
struct Keyed {
    /// Orders as the first key does.
    number: u64,
    /// Its place by id; 0 for all, when nobody found out.
    place: u32,
    slot: Slot,
}

/// How slots become numbers.
struct Numbering<'k> {
    of: Box<dyn Fn(Slot) -> u64 + 'k>,
    /// Whether slots of one number are equal by the key.
    is_exact: bool,
}

/// The slots of the matches whose positions are in `range`, which is not empty and ends within
/// them. Selects the page and sorts only that.
pub(super) fn page<E: Catalogued>(
    catalog: &Catalog<E>,
    matches: &Matches,
    sort: &Sort<'_>,
    range: Range<usize>,
) -> Vec<Slot> {
    let slots = by_id(catalog, matches);
    let mut keys = sort.keys.as_slice();
    let mut numbering = Numbering {
        of: Box::new(|_| 0),
        is_exact: false,
    };
    if let Some((first, others)) = keys.split_first() {
        numbering = Numbering::of(first, &slots);
        if numbering.is_exact {
            keys = others;
        }
    }
    let mut keyed: Vec<Keyed> = slots
        .into_iter()
        .map(|(place, slot)| Keyed {
            number: (numbering.of)(slot),
            place,
            slot,
        })
        .collect();
    cut(&mut keyed, range, |left, right| {
        left.number
            .cmp(&right.number)
            .then_with(|| compare_keys(keys, left.slot, right.slot))
            .then_with(|| directed(sort.by_id, compare_ids(&catalog.rows, left, right)))
    });
    keyed.into_iter().map(|keyed| keyed.slot).collect()
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

/// The matches with their places by id, or with none if they are few.
fn by_id<E: Catalogued>(catalog: &Catalog<E>, matches: &Matches) -> Vec<(u32, Slot)> {
    if let Some(slots) = matches.slots()
        && matches.len() < catalog.len() / WALKED_FROM
    {
        return slots.iter().map(|bit| (0, Slot::from_bit(bit))).collect();
    }
    let is_match = |slot: &Slot| {
        matches
            .slots()
            .is_none_or(|slots| slots.contains(slot.bit()))
    };
    let mut by_id = Vec::with_capacity(matches.len());
    let walk = catalog.walk(SortKey::Id, Direction::Ascending, 0);
    by_id.extend((0..).zip(walk.filter(is_match)));
    by_id
}

fn compare_ids(rows: &Rows, left: &Keyed, right: &Keyed) -> Ordering {
    left.place
        .cmp(&right.place)
        .then_with(|| rows.compare(catalog::Key::Id, left.slot, right.slot))
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

impl<'k> Numbering<'k> {
    /// By a key, in its direction, for `slots`.
    fn of(key: &'k Key<'_>, slots: &[(u32, Slot)]) -> Self {
        let (ascending, is_exact) = ascending(&key.source, slots);
        Self {
            of: match key.direction {
                Direction::Ascending => ascending,
                Direction::Descending => Box::new(move |slot| !ascending(slot)),
            },
            is_exact,
        }
    }
}

/// How the slots become numbers, and whether these decide.
fn ascending<'k>(
    source: &'k Source<'_>,
    slots: &[(u32, Slot)],
) -> (Box<dyn Fn(Slot) -> u64 + 'k>, bool) {
    match source {
        Source::Cases { cases, otherwise } => {
            let mut words: Vec<Word> = cases.iter().map(|(_, word)| *word).collect();
            words.push(*otherwise);
            words.sort_unstable();
            words.dedup();
            let place = move |slot| words.binary_search(&source.word(slot)).unwrap_or_default();
            (Box::new(move |slot| place(slot) as u64), true)
        },
        Source::Text { texts, .. } => {
            let shared = shared_prefix(slots.iter().filter_map(|(_, slot)| texts.get(*slot)));
            let number = move |slot| texts.get(slot).map_or(0, |text| digest(text, shared));
            (Box::new(number), false)
        },
        Source::Single(words) => {
            let places = words.places();
            let place = move |slot| places.get(words.set_of(slot)).copied();
            (Box::new(move |slot| place(slot).unwrap_or_default()), true)
        },
        Source::Time { times, .. } => (Box::new(|slot| of_time(times.millisecond(slot))), true),
        Source::Set(_) => (Box::new(|_| 0), true),
    }
}
