//! Walking an order in either direction.

use super::rows::{Key, Rows};
use crate::order::{self, Order};
use crate::slots::Slot;

/// What a list is sorted by; ties are broken by id, ascending.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SortKey {
    /// The id, by bytes.
    #[default]
    Id,
    /// The name, by bytes.
    Name,
    /// The time of creation, to the millisecond.
    CreatedAt,
}

/// Which end of an order comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    /// The smallest.
    #[default]
    Ascending,
    /// The largest. Among equals the smallest id still comes first.
    Descending,
}

/// The slots of a catalog in an order.
#[derive(Debug)]
pub struct Walk<'a> {
    rows: &'a Rows,
    order: &'a Order,
    key: Key,
    direction: Direction,
    slots: order::Iter<'a>,
    /// Slots left of the run of equal keys that is walked upwards; unused when ascending.
    left: usize,
    /// First rank of that run: downwards, the next run ends before it.
    start: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        rows: &'a Rows,
        order: &'a Order,
        key: Key,
        direction: Direction,
        offset: u64,
    ) -> Self {
        let len = order.len();
        let offset = usize::try_from(offset).unwrap_or(len).min(len);
        let mut walk = Self {
            rows,
            order,
            key,
            direction,
            slots: order.iter_from(offset),
            left: 0,
            start: len,
        };
        if direction == Direction::Descending {
            walk.enter(len - offset);
        }
        walk
    }

    /// Steps into the run that holds rank `below - 1`, counted upwards, after as many of its slots
    /// as lie above that rank: the descending walk has passed that many of them.
    fn enter(&mut self, below: usize) {
        let Some(last) = below
            .checked_sub(1)
            .and_then(|rank| self.order.select(rank))
        else {
            (self.left, self.start) = (0, 0);
            return;
        };
        self.start = self.run_start(below - 1, last);
        let end = self.run_end(below, last);
        let passed = end - below;
        self.slots = self.order.iter_from(self.start + passed);
        self.left = below - self.start;
    }

    /// Steps into the run that ends where the present one starts.
    fn enter_previous(&mut self) {
        let end = self.start;
        let Some(last) = end.checked_sub(1).and_then(|rank| self.order.select(rank)) else {
            return;
        };
        self.start = self.run_start(end - 1, last);
        self.slots = self.order.iter_from(self.start);
        self.left = end - self.start;
    }

    /// The first rank of the run to which the slot at `rank` belongs.
    fn run_start(&self, rank: usize, slot: Slot) -> usize {
        let is_alone = rank
            .checked_sub(1)
            .and_then(|rank| self.order.select(rank))
            .is_none_or(|before| self.rows.compare_key(self.key, before, slot).is_ne());
        // Most runs are of one; only longer ones are worth a search.
        if is_alone {
            return rank;
        }
        self.order
            .partition_point(|other| self.rows.compare_key(self.key, other, slot).is_lt())
    }

    /// The rank after the run to which the slot before `rank` belongs.
    fn run_end(&self, rank: usize, slot: Slot) -> usize {
        let is_last = self
            .order
            .select(rank)
            .is_none_or(|next| self.rows.compare_key(self.key, next, slot).is_ne());
        if is_last {
            return rank;
        }
        self.order
            .partition_point(|other| self.rows.compare_key(self.key, other, slot).is_le())
    }
}

impl Iterator for Walk<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        if self.direction == Direction::Ascending {
            return self.slots.next();
        }
        if self.left == 0 {
            self.enter_previous();
        }
        self.left = self.left.checked_sub(1)?;
        self.slots.next()
    }
}
