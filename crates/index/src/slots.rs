//! Slots: dense numbers that index the columns.

use hashbrown::HashTable;
use portcullis_domain::ids::RecordNumber;
use roaring::RoaringBitmap;

/// Position of an entity in the columns of one projection.
///
/// A slot is reused after its entity was removed, so it is only valid while the projection does not
/// change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(u32);

impl Slot {
    /// Index into a column.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Bit in a bitmap.
    pub const fn bit(self) -> u32 {
        self.0
    }

    /// The slot of a bit in a bitmap.
    pub const fn from_bit(bit: u32) -> Self {
        Self(bit)
    }
}

/// Assignment of slots to record numbers.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// The number in each slot; stale in a free one.
    numbers: Vec<RecordNumber>,
    live: RoaringBitmap,
    free: Vec<Slot>,
    /// Slots hashed by their numbers, which are stored only once.
    by_number: HashTable<Slot>,
}

impl Slots {
    pub(crate) fn len(&self) -> usize {
        self.by_number.len()
    }

    /// One more than the largest slot ever used.
    pub(crate) const fn width(&self) -> usize {
        self.numbers.len()
    }

    pub(crate) const fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    pub(crate) fn find(&self, number: RecordNumber) -> Option<Slot> {
        self.by_number
            .find(hash_number(number), |slot| {
                self.number_or_stale(*slot) == number
            })
            .copied()
    }

    pub(crate) fn number(&self, slot: Slot) -> Option<RecordNumber> {
        self.live
            .contains(slot.bit())
            .then(|| self.number_or_stale(slot))
    }

    /// The number in a slot, or the stale one in a free slot: the last tie-break of every order.
    pub(crate) fn number_or_stale(&self, slot: Slot) -> RecordNumber {
        self.numbers
            .get(slot.index())
            .copied()
            .unwrap_or(RecordNumber(0))
    }

    /// Assigns a slot to `number`, which has none.
    pub(crate) fn assign(&mut self, number: RecordNumber) -> Slot {
        let slot = self.free.pop().unwrap_or_else(|| self.grow());
        if let Some(place) = self.numbers.get_mut(slot.index()) {
            *place = number;
        }
        self.live.insert(slot.bit());
        let numbers = &self.numbers;
        self.by_number
            .insert_unique(hash_number(number), slot, |slot| {
                numbers.get(slot.index()).copied().map_or(0, hash_number)
            });
        slot
    }

    /// Frees the slot of `number`.
    pub(crate) fn release(&mut self, number: RecordNumber) -> Option<Slot> {
        let numbers = &self.numbers;
        let entry = self
            .by_number
            .find_entry(hash_number(number), |slot| {
                numbers.get(slot.index()) == Some(&number)
            })
            .ok()?;
        let (slot, _) = entry.remove();
        self.live.remove(slot.bit());
        self.free.push(slot);
        Some(slot)
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<RecordNumber>()
            + self.free.capacity() * size_of::<Slot>()
            + self.by_number.allocation_size()
            + self.live.serialized_size()
    }

    #[expect(
        clippy::expect_used,
        reason = "like running out of memory: four billion entities need hundreds of gigabytes"
    )]
    fn grow(&mut self) -> Slot {
        let slot = u32::try_from(self.numbers.len()).expect("fewer than 2^32 entities of a kind");
        self.numbers.push(RecordNumber(0));
        Slot(slot)
    }
}

/// Hashes a number. Numbers are assigned by the store, so clients cannot cause collisions.
const fn hash_number(number: RecordNumber) -> u64 {
    let product = number.0.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ (product >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_used_again() {
        let mut slots = Slots::default();
        let first = slots.assign(RecordNumber(10));
        let second = slots.assign(RecordNumber(u64::MAX));
        assert_ne!(first, second);
        assert_eq!(slots.release(RecordNumber(10)), Some(first));
        assert_eq!(slots.release(RecordNumber(10)), None, "it is gone");
        assert_eq!(
            (slots.find(RecordNumber(10)), slots.number(first)),
            (None, None)
        );
        assert_eq!(slots.assign(RecordNumber(11)), first);
        assert_eq!(slots.number(first), Some(RecordNumber(11)));
        assert_eq!(slots.find(RecordNumber(u64::MAX)), Some(second));
        assert_eq!((slots.len(), slots.numbers.len()), (2, 2));
    }

    #[test]
    fn every_number_is_found_among_many() {
        let mut slots = Slots::default();
        // Multiples of a power of two are what a poor hash would pile up.
        for number in 0..5_000 {
            slots.assign(RecordNumber(number << 20));
        }
        for number in (0..5_000).step_by(3) {
            slots.release(RecordNumber(number << 20));
        }
        for number in 0..5_000 {
            let found = slots.find(RecordNumber(number << 20));
            assert_eq!(found.is_some(), number % 3 != 0, "{number}");
            if let Some(slot) = found {
                assert_eq!(slots.number(slot), Some(RecordNumber(number << 20)));
            }
        }
    }
}
