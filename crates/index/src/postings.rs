//! Inverted index of terms to slots.

use crate::slot_bits::SlotBits;
use crate::slots::Slot;
use hashbrown::HashTable;
use roaring::{MultiOps as _, RoaringBitmap};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};

/// A set of terms per slot, and a bitmap of slots per term.
///
/// Many entities have the same terms, so each distinct set is stored once and a slot only stores
/// the number of its set. Terms without slots are removed.
#[derive(Debug, Default)]
pub struct Postings {
    terms: BTreeMap<Box<str>, RoaringBitmap>,
    sets: TermSets,
    /// Number of each slot's set.
    set_of_slot: Vec<u32>,
}

/// The distinct sets with reference counts; number 0 is the empty set.
#[derive(Debug, Default)]
struct TermSets {
    entries: Vec<TermSet>,
    free: Vec<u32>,
    by_content: HashTable<u32>,
    /// Seeded, since clients choose the terms and could cause collisions.
    state: RandomState,
}

#[derive(Debug, Default)]
struct TermSet {
    /// Sorted by bytes.
    terms: Box<[Box<str>]>,
    references: u32,
}

impl Postings {
    /// The slots with a term.
    pub fn slots_with(&self, term: &str) -> Option<&RoaringBitmap> {
        self.terms.get(term)
    }

    /// All terms in use, sorted by bytes, with their slots.
    pub fn terms(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.terms.iter().map(|(term, slots)| (&**term, slots))
    }

    /// The terms of a slot, sorted by bytes.
    pub fn terms_of(&self, slot: Slot) -> impl Iterator<Item = &str> {
        self.terms_of_slot(slot).iter().map(|term| &**term)
    }

    /// The slots with any of the terms.
    pub(crate) fn slots_with_one_of(&self, terms: &[String]) -> RoaringBitmap {
        terms
            .iter()
            .filter_map(|term| self.slots_with(term))
            .union()
    }

    /// The slots with a term that passes. Costs a test per term.
    pub(crate) fn slots_with_matching_term(&self, is: impl Fn(&str) -> bool) -> RoaringBitmap {
        self.terms()
            .filter(|(term, _)| is(term))
            .map(|(_, slots)| slots)
            .union()
    }

    /// The candidates with a term that passes, found by terms or by sets, whichever are fewer. May
    /// contain slots that are no candidates.
    pub(crate) fn candidates_with_term(
        &self,
        candidates: &RoaringBitmap,
        is: impl Fn(&str) -> bool,
        width: usize,
    ) -> RoaringBitmap {
        if self.terms.len() <= self.sets.entries.len() {
            return self.slots_with_matching_term(is);
        }
        self.candidates_with_set(candidates, width, |set| set.iter().any(|term| is(term)))
    }

    /// The candidates, out of `width` slots, whose set passes. Costs at most a test per set, and a
    /// look-up per candidate.
    pub(crate) fn candidates_with_set(
        &self,
        candidates: &RoaringBitmap,
        width: usize,
        is: impl Fn(&[Box<str>]) -> bool,
    ) -> RoaringBitmap {
        let mut verdicts: Vec<Option<bool>> = vec![None; self.sets.entries.len().max(1)];
        let mut bits = SlotBits::with_width(width);
        for slot in candidates.iter().map(Slot::from_bit) {
            let set = self.set_of(slot);
            let passes = verdicts
                .get_mut(set)
                .is_some_and(|verdict| *verdict.get_or_insert_with(|| is(self.sets.terms(set))));
            if passes {
                bits.set(slot);
            }
        }
        bits.into_bitmap()
    }

    pub(crate) fn set_of(&self, slot: Slot) -> usize {
        self.set_of_slot
            .get(slot.index())
            .map_or(0, |set| *set as usize)
    }

    /// For each set, by number, the rank of its first term among all terms, from 1 on; 0 for the
    /// empty set.
    pub(crate) fn first_term_ranks(&self) -> Vec<u64> {
        let terms: HashMap<&str, u64> = self.terms.keys().map(|term| &**term).zip(1..).collect();
        let place = |set: &TermSet| {
            let first = set.terms.first()?;
            terms.get(&**first).copied()
        };
        self.sets
            .entries
            .iter()
            .map(|set| place(set).unwrap_or_default())
            .collect()
    }

    /// Replaces the terms of a slot, given sorted and without repetition.
    pub(crate) fn set_terms<'w>(&mut self, slot: Slot, terms: impl Iterator<Item = &'w str>) {
        let terms: Vec<&str> = terms.collect();
        let same = self.terms_of(slot).eq(terms.iter().copied());
        if same {
            return;
        }
        let old = self.set_of(slot);
        for term in self.sets.terms(old) {
            if let Some(slots) = self.terms.get_mut(term) {
                slots.remove(slot.bit());
                if slots.is_empty() {
                    self.terms.remove(term);
                }
            }
        }
        self.sets.release(old);
        for term in &terms {
            if let Some(slots) = self.terms.get_mut(*term) {
                slots.insert(slot.bit());
            } else {
                self.terms.insert((*term).into(), [slot.bit()].into());
            }
        }
        if self.set_of_slot.len() <= slot.index() {
            self.set_of_slot.resize(slot.index() + 1, 0);
        }
        if let Some(place) = self.set_of_slot.get_mut(slot.index()) {
            *place = self.sets.acquire(&terms);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let terms: usize = self
            .terms
            .iter()
            .map(|(term, slots)| {
                size_of::<(Box<str>, RoaringBitmap)>() + term.len() + slots.serialized_size()
            })
            .sum();
        terms + self.sets.heap_bytes() + self.set_of_slot.capacity() * size_of::<u32>()
    }

    fn terms_of_slot(&self, slot: Slot) -> &[Box<str>] {
        self.sets.terms(self.set_of(slot))
    }
}

impl TermSets {
    fn terms(&self, set: usize) -> &[Box<str>] {
        self.entries.get(set).map_or(&[], |set| &set.terms)
    }

    /// Adds a reference to the set of these terms.
    fn acquire(&mut self, terms: &[&str]) -> u32 {
        if terms.is_empty() {
            return 0;
        }
        if self.entries.is_empty() {
            self.entries.push(TermSet::default());
        }
        let hash = self.state.hash_one(terms);
        let found = self
            .by_content
            .find(hash, |set| {
                self.terms(*set as usize)
                    .iter()
                    .map(|term| &**term)
                    .eq(terms.iter().copied())
            })
            .copied();
        let set = found.unwrap_or_else(|| self.insert(terms, hash));
        if let Some(kept) = self.entries.get_mut(set as usize) {
            kept.references += 1;
        }
        set
    }

    fn insert(&mut self, terms: &[&str], hash: u64) -> u32 {
        let set = self.free.pop().unwrap_or_else(|| {
            self.entries.push(TermSet::default());
            // There are never more sets than slots, which have 32-bit numbers.
            u32::try_from(self.entries.len() - 1).unwrap_or_default()
        });
        if let Some(place) = self.entries.get_mut(set as usize) {
            place.terms = terms.iter().map(|term| Box::from(*term)).collect();
        }
        let (kept, state) = (&self.entries, &self.state);
        self.by_content.insert_unique(hash, set, |set| {
            kept.get(*set as usize)
                .map_or(0, |set| state.hash_one(&set.terms))
        });
        set
    }

    /// Removes a reference to a set; unused sets are removed.
    fn release(&mut self, set: usize) {
        let Some(kept) = self.entries.get_mut(set).filter(|_| set != 0) else {
            return;
        };
        kept.references -= 1;
        if kept.references > 0 {
            return;
        }
        let terms = std::mem::take(&mut kept.terms);
        let hash = self.state.hash_one(&terms);
        let is_it = |other: &u32| *other as usize == set;
        if let Ok(entry) = self.by_content.find_entry(hash, is_it) {
            let (set, _) = entry.remove();
            self.free.push(set);
        }
    }

    fn heap_bytes(&self) -> usize {
        let terms: usize = self
            .entries
            .iter()
            .flat_map(|set| &set.terms)
            .map(|term| size_of::<Box<str>>() + term.len())
            .sum();
        terms
            + self.entries.capacity() * size_of::<TermSet>()
            + self.free.capacity() * size_of::<u32>()
            + self.by_content.allocation_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn words_and_slots_mirror_each_other(
            changes in prop::collection::vec((0_u32..20, prop::collection::btree_set("[a-e]", 0..4)), 1..200),
        ) {
            let mut postings = Postings::default();
            let mut model: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
            for (bit, terms) in changes {
                postings.set_terms(Slot::from_bit(bit), terms.iter().map(String::as_str));
                model.insert(bit, terms);
                for (bit, terms) in &model {
                    prop_assert!(postings.terms_of(Slot::from_bit(*bit)).eq(terms.iter().map(String::as_str)));
                }
                let mut expected: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
                for (bit, terms) in &model {
                    for term in terms {
                        expected.entry(term).or_default().insert(*bit);
                    }
                }
                prop_assert!(postings.terms().eq(expected.iter().map(|(term, slots)| (*term, slots))));
                let distinct: BTreeSet<_> = model.values().filter(|set| !set.is_empty()).collect();
                prop_assert_eq!(postings.sets.by_content.len(), distinct.len());
            }
        }
    }
}
