//! Which slots carry which words.

use crate::slots::Slot;
use hashbrown::HashTable;
use roaring::RoaringBitmap;
use std::collections::BTreeMap;
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

    /// Replaces the words of a slot. They come sorted and without repetition.
    pub(crate) fn set_words<'w>(&mut self, slot: Slot, words: impl Iterator<Item = &'w str>) {
        let words: Vec<&str> = words.collect();
        let same = self.of(slot).eq(words.iter().copied());
        if same {
            return;
        }
        let old = self.of.get(slot.index()).copied().unwrap_or_default();
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
        self.of
            .get(slot.index())
            .map_or(&[], |set| self.sets.words(*set))
    }
}

impl Sets {
    fn words(&self, set: u32) -> &[Box<str>] {
        self.kept.get(set as usize).map_or(&[], |set| &set.words)
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
                self.words(*set)
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
    fn release(&mut self, set: u32) {
        let Some(kept) = self.kept.get_mut(set as usize).filter(|_| set != 0) else {
            return;
        };
        kept.users -= 1;
        if kept.users > 0 {
            return;
        }
        let words = std::mem::take(&mut kept.words);
        let hash = self.state.hash_one(&words);
        if let Ok(entry) = self.by_content.find_entry(hash, |other| *other == set) {
            entry.remove();
        }
        self.free.push(set);
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
