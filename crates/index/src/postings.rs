//! Which slots carry which words.

use crate::bits::Bits;
use crate::slots::Slot;
use hashbrown::HashTable;
use roaring::{MultiOps as _, RoaringBitmap};
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher as _, RandomState};

/// A set of words per slot, and a bitmap of slots per word.
///
/// Entities made for one purpose carry the same words, so each set is kept once and a slot costs
/// the number of its set. A word that no slot carries any more is forgotten.
#[derive(Debug, Default)]
pub struct Postings {
    words: BTreeMap<Box<str>, RoaringBitmap>,
    sets: Sets,
    /// The set of each slot.
    of: Vec<u32>,
}

/// The distinct sets, counted by users; place 0 is the empty set.
#[derive(Debug, Default)]
struct Sets {
    kept: Vec<Set>,
    free: Vec<u32>,
    by_content: HashTable<u32>,
    /// Words are chosen by clients, who shall not be able to make sets collide.
    state: RandomState,
}

#[derive(Debug, Default)]
struct Set {
    /// Sorted by bytes.
    words: Box<[Box<str>]>,
    users: u32,
}

impl Postings {
    /// The slots that carry `word`.
    pub fn with(&self, word: &str) -> Option<&RoaringBitmap> {
        self.words.get(word)
    }

    /// Every word that some slot carries, sorted by bytes, with its slots.
    pub fn words(&self) -> impl Iterator<Item = (&str, &RoaringBitmap)> {
        self.words.iter().map(|(word, slots)| (&**word, slots))
    }

    /// The words of a slot, sorted by bytes.
    pub fn of(&self, slot: Slot) -> impl Iterator<Item = &str> {
        self.set(slot).iter().map(|word| &**word)
    }

    /// The slots that carry one of `words`.
    pub(crate) fn with_one_of(&self, words: &[String]) -> RoaringBitmap {
        words.iter().filter_map(|word| self.with(word)).union()
    }

    /// The slots that carry a word that passes. Costs a test per word.
    pub(crate) fn with_word(&self, is: impl Fn(&str) -> bool) -> RoaringBitmap {
        self.words()
            .filter(|(word, _)| is(word))
            .map(|(_, slots)| slots)
            .union()
    }

    /// The candidates that carry a word that passes, by way of the words or of the sets, whichever
    /// are fewer. Slots that are no candidates may be among them.
    pub(crate) fn with_any(
        &self,
        candidates: &RoaringBitmap,
        is: impl Fn(&str) -> bool,
        width: usize,
    ) -> RoaringBitmap {
        if self.words.len() <= self.sets.kept.len() {
            return self.with_word(is);
        }
        self.with_set(candidates, width, |set| set.iter().any(|word| is(word)))
    }

    /// The candidates, out of `width` slots, whose set passes. Costs a test per set at most, and a
    /// look at a number per candidate.
    pub(crate) fn with_set(
        &self,
        candidates: &RoaringBitmap,
        width: usize,
        is: impl Fn(&[Box<str>]) -> bool,
    ) -> RoaringBitmap {
        let mut verdicts: Vec<Option<bool>> = vec![None; self.sets.kept.len().max(1)];
        let mut bits = Bits::none_of(width);
        for slot in candidates.iter().map(Slot::from_bit) {
            let set = self.set_of(slot);
            let passes = verdicts
                .get_mut(set)
                .is_some_and(|verdict| *verdict.get_or_insert_with(|| is(self.sets.words(set))));
            if passes {
                bits.set(slot);
            }
        }
        bits.into_bitmap()
    }

    /// The number of the set of a slot.
    pub(crate) fn set_of(&self, slot: Slot) -> usize {
        self.of.get(slot.index()).map_or(0, |set| *set as usize)
    }

    /// For each set, by its number, the place of its first word among all words, from 1 on; 0 for
    /// the empty set.
    pub(crate) fn places(&self) -> Vec<u64> {
        let words: HashMap<&str, u64> = self.words.keys().map(|word| &**word).zip(1..).collect();
        let place = |set: &Set| {
            let first = set.words.first()?;
            words.get(&**first).copied()
        };
        self.sets
            .kept
            .iter()
            .map(|set| place(set).unwrap_or_default())
            .collect()
    }

    /// Replaces the words of a slot. They come sorted and without repetition.
    pub(crate) fn set_words<'w>(&mut self, slot: Slot, words: impl Iterator<Item = &'w str>) {
        let words: Vec<&str> = words.collect();
        let same = self.of(slot).eq(words.iter().copied());
        if same {
            return;
        }
        let old = self.set_of(slot);
        for word in self.sets.words(old) {
            if let Some(slots) = self.words.get_mut(word) {
                slots.remove(slot.bit());
                if slots.is_empty() {
                    self.words.remove(word);
                }
            }
        }
        self.sets.release(old);
        for word in &words {
            if let Some(slots) = self.words.get_mut(*word) {
                slots.insert(slot.bit());
            } else {
                self.words.insert((*word).into(), [slot.bit()].into());
            }
        }
        if self.of.len() <= slot.index() {
            self.of.resize(slot.index() + 1, 0);
        }
        if let Some(place) = self.of.get_mut(slot.index()) {
            *place = self.sets.claim(&words);
        }
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        let words: usize = self
            .words
            .iter()
            .map(|(word, slots)| {
                size_of::<(Box<str>, RoaringBitmap)>() + word.len() + slots.serialized_size()
            })
            .sum();
        words + self.sets.heap_bytes() + self.of.capacity() * size_of::<u32>()
    }

    fn set(&self, slot: Slot) -> &[Box<str>] {
        self.sets.words(self.set_of(slot))
    }
}

impl Sets {
    fn words(&self, set: usize) -> &[Box<str>] {
        self.kept.get(set).map_or(&[], |set| &set.words)
    }

    /// Counts one more user of the set of these words.
    fn claim(&mut self, words: &[&str]) -> u32 {
        if words.is_empty() {
            return 0;
        }
        if self.kept.is_empty() {
            self.kept.push(Set::default());
        }
        let hash = self.state.hash_one(words);
        let found = self
            .by_content
            .find(hash, |set| {
                self.words(*set as usize)
                    .iter()
                    .map(|word| &**word)
                    .eq(words.iter().copied())
            })
            .copied();
        let set = found.unwrap_or_else(|| self.keep(words, hash));
        if let Some(kept) = self.kept.get_mut(set as usize) {
            kept.users += 1;
        }
        set
    }

    fn keep(&mut self, words: &[&str], hash: u64) -> u32 {
        let set = self.free.pop().unwrap_or_else(|| {
            self.kept.push(Set::default());
            // There are never more sets than slots, which are counted in 32 bits.
            u32::try_from(self.kept.len() - 1).unwrap_or_default()
        });
        if let Some(place) = self.kept.get_mut(set as usize) {
            place.words = words.iter().map(|word| Box::from(*word)).collect();
        }
        let (kept, state) = (&self.kept, &self.state);
        self.by_content.insert_unique(hash, set, |set| {
            kept.get(*set as usize)
                .map_or(0, |set| state.hash_one(&set.words))
        });
        set
    }

    /// Counts one user less; a set without users is forgotten.
    fn release(&mut self, set: usize) {
        let Some(kept) = self.kept.get_mut(set).filter(|_| set != 0) else {
            return;
        };
        kept.users -= 1;
        if kept.users > 0 {
            return;
        }
        let words = std::mem::take(&mut kept.words);
        let hash = self.state.hash_one(&words);
        let is_it = |other: &u32| *other as usize == set;
        if let Ok(entry) = self.by_content.find_entry(hash, is_it) {
            let (set, _) = entry.remove();
            self.free.push(set);
        }
    }

    fn heap_bytes(&self) -> usize {
        let words: usize = self
            .kept
            .iter()
            .flat_map(|set| &set.words)
            .map(|word| size_of::<Box<str>>() + word.len())
            .sum();
        words
            + self.kept.capacity() * size_of::<Set>()
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
            for (bit, words) in changes {
                postings.set_words(Slot::from_bit(bit), words.iter().map(String::as_str));
                model.insert(bit, words);
                for (bit, words) in &model {
                    prop_assert!(postings.of(Slot::from_bit(*bit)).eq(words.iter().map(String::as_str)));
                }
                let mut expected: BTreeMap<&str, RoaringBitmap> = BTreeMap::new();
                for (bit, words) in &model {
                    for word in words {
                        expected.entry(word).or_default().insert(*bit);
                    }
                }
                prop_assert!(postings.words().eq(expected.iter().map(|(word, slots)| (*word, slots))));
                let distinct: BTreeSet<_> = model.values().filter(|set| !set.is_empty()).collect();
                prop_assert_eq!(postings.sets.by_content.len(), distinct.len());
            }
        }
    }
}
