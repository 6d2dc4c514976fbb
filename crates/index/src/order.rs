//! An ordered list of slots with counts.
//!
//! A B+ tree whose leaves are runs of slots and whose inner nodes know how many slots lie under
//! each child, so that inserting, removing, ranking and selecting by rank all take logarithmic
//! time. Keys are not kept: every search takes a probe that looks a slot's key up in the columns,
//! which therefore must not change while the slot stands in the order.

mod node;
#[cfg(test)]
mod tests;

use crate::bits::Bits;
use crate::slots::Slot;
use node::{Inserted, Node};
use roaring::RoaringBitmap;
use std::cmp::Ordering;
use std::ops::Range;

/// Slots in the order of some key.
#[derive(Debug, Default)]
pub(crate) struct Order {
    root: Node,
    len: usize,
}

impl Order {
    /// Builds the order of slots that are sorted already, in linear time.
    pub(crate) fn from_sorted(slots: &[Slot]) -> Self {
        Self {
            root: Node::from_sorted(slots),
            len: slots.len(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Puts `slot` where `probe`, which compares a slot of the order with the new one, says.
    /// Returns `false` if an equal one is there already.
    pub(crate) fn insert(&mut self, slot: Slot, probe: impl Fn(Slot) -> Ordering) -> bool {
        match self.root.insert(slot, &probe, true) {
            Inserted::Exists => return false,
            Inserted::Fits => {},
            Inserted::Split(right) => self.root.grow(right),
        }
        self.len += 1;
        true
    }

    /// Takes out the slot for which `probe` says equal.
    pub(crate) fn remove(&mut self, probe: impl Fn(Slot) -> Ordering) -> Option<Slot> {
        let removed = self.root.remove(&probe)?;
        self.root.collapse();
        self.len -= 1;
        Some(removed)
    }

    /// How many slots stand before the one for which `probe` says equal, or, as an error, before
    /// the place where it would stand.
    pub(crate) fn rank(&self, probe: impl Fn(Slot) -> Ordering) -> Result<usize, usize> {
        self.root.rank(&probe)
    }

    /// The first rank at which `is_before` no longer holds.
    pub(crate) fn partition_point(&self, is_before: impl Fn(Slot) -> bool) -> usize {
        let probe = |slot| {
            if is_before(slot) {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        };
        match self.rank(probe) {
            Ok(rank) | Err(rank) => rank,
        }
    }

    /// The slot with `rank` slots before it.
    pub(crate) fn select(&self, rank: usize) -> Option<Slot> {
        let (run, at) = self.root.run_at(rank)?;
        run.get(at).copied()
    }

    /// The slots from `rank` on, ascending. Starting costs a descent, whatever the rank.
    pub(crate) const fn iter_from(&self, rank: usize) -> Iter<'_> {
        Iter {
            order: self,
            rank,
            run: &[],
        }
    }

    /// The slots in some ranges of ranks, out of `width`. Costs two nanoseconds per slot.
    pub(crate) fn slots_in(&self, ranges: &[Range<usize>], width: usize) -> RoaringBitmap {
        let mut bits = Bits::none_of(width);
        for ranks in ranges {
            for slot in self.iter_from(ranks.start).take(ranks.len()) {
                bits.set(slot);
            }
        }
        bits.into_bitmap()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.root.heap_bytes()
    }
}

/// Walks an [`Order`] upwards, a leaf at a time.
#[derive(Debug)]
pub(crate) struct Iter<'a> {
    order: &'a Order,
    /// Rank of what follows `run`.
    rank: usize,
    run: &'a [Slot],
}

impl Iterator for Iter<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        if self.run.is_empty() {
            let (run, at) = self.order.root.run_at(self.rank)?;
            self.run = run.get(at..)?;
            self.rank += self.run.len();
        }
        let (first, rest) = self.run.split_first()?;
        self.run = rest;
        Some(*first)
    }
}
