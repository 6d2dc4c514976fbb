//! An ordered list of slots with counts (order-statistic B+ tree).
//!
//! The leaves are runs of slots and the inner nodes store the number of slots under each child, so
//! that inserting, removing, ranking and selecting by rank all take logarithmic time. Keys are not
//! stored: every search takes a probe that reads a slot's key from the columns, which therefore
//! must not change while the slot is in the order.

mod node;
#[cfg(test)]
mod tests;

use crate::slot_bits::SlotBits;
use crate::slots::Slot;
use node::{InsertResult, Node};
use roaring::RoaringBitmap;
use std::cmp::Ordering;
use std::ops::Range;

/// Slots ordered by some key.
#[derive(Debug, Default)]
pub(crate) struct Order {
    root: Node,
    len: usize,
}

impl Order {
    /// Builds an order from sorted slots in linear time.
    pub(crate) fn from_sorted(slots: &[Slot]) -> Self {
        Self {
            root: Node::from_sorted(slots),
            len: slots.len(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Inserts `slot` at the position determined by `probe`, which compares a slot of the order
    /// with the new one. Returns `false` if an equal one exists.
    pub(crate) fn insert(&mut self, slot: Slot, probe: impl Fn(Slot) -> Ordering) -> bool {
        match self.root.insert(slot, &probe, true) {
            InsertResult::Exists => return false,
            InsertResult::Fits => {},
            InsertResult::Split(right) => self.root.grow(right),
        }
        self.len += 1;
        true
    }

    /// Removes the slot for which `probe` returns equal.
    pub(crate) fn remove(&mut self, probe: impl Fn(Slot) -> Ordering) -> Option<Slot> {
        let removed = self.root.remove(&probe)?;
        self.root.collapse();
        self.len -= 1;
        Some(removed)
    }

    /// The number of slots before the one for which `probe` returns equal, or, as an error, before
    /// its insertion point.
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

    /// The slot at `rank`, counted from 0.
    pub(crate) fn select(&self, rank: usize) -> Option<Slot> {
        let (run, at) = self.root.run_at(rank)?;
        run.get(at).copied()
    }

    /// The slots from `rank` on, ascending. Starting takes one descent at any rank.
    pub(crate) const fn iter_from(&self, rank: usize) -> Iter<'_> {
        Iter {
            order: self,
            rank,
            run: &[],
        }
    }

    /// The slots in ranges of ranks, out of `width` slots. Takes two nanoseconds per slot.
    pub(crate) fn slots_in(&self, ranges: &[Range<usize>], width: usize) -> RoaringBitmap {
        let mut bits = SlotBits::with_width(width);
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

/// Iterates over an [`Order`] in ascending order, a leaf at a time.
#[derive(Debug)]
pub(crate) struct Iter<'a> {
    order: &'a Order,
    /// Rank after `run`.
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
