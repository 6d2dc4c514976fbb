//! Iteration of an order in either direction.

use super::base_columns::{BaseColumns, OrderKey};
use crate::order::{self, Order};
use crate::slots::Slot;

/// Primary sort key of a list; ties are broken by id, ascending.
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

/// Sort direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Direction {
    #[default]
    Ascending,
    /// Equal keys are still in ascending order of ids.
    Descending,
}

/// Iterator over the slots of a catalog in an order.
#[derive(Debug)]
pub struct Walk<'a> {
    base: &'a BaseColumns,
    order: &'a Order,
    key: OrderKey,
    direction: Direction,
    slots: order::Iter<'a>,
    /// Slots left in the current run of equal keys, which is iterated upwards; unused when
    /// ascending.
    remaining: usize,
    /// First rank of that run: downwards, the next run ends before it.
    run_start_rank: usize,
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        rows: &'a BaseColumns,
        order: &'a Order,
        key: OrderKey,
        direction: Direction,
        offset: u64,
    ) -> Self {
        let len = order.len();
        let offset = usize::try_from(offset).unwrap_or(len).min(len);
        let mut walk = Self {
            base: rows,
            order,
            key,
            direction,
            slots: order.iter_from(offset),
            remaining: 0,
            run_start_rank: len,
        };
        if direction == Direction::Descending {
            walk.enter_run(len - offset);
        }
        walk
    }

    /// Enters the run that contains rank `below - 1`, counted upwards, and skips as many of its
    /// slots as lie above that rank, which the descending iteration has passed.
    fn enter_run(&mut self, below: usize) {
        let Some(last) = below
            .checked_sub(1)
            .and_then(|rank| self.order.select(rank))
        else {
            (self.remaining, self.run_start_rank) = (0, 0);
            return;
        };
        self.run_start_rank = self.run_start(below - 1, last);
        let end = self.run_end(below, last);
        let passed = end - below;
        self.slots = self.order.iter_from(self.run_start_rank + passed);
        self.remaining = below - self.run_start_rank;
    }

    /// Enters the run that ends where the current one starts.
    fn enter_previous_run(&mut self) {
        let end = self.run_start_rank;
        let Some(last) = end.checked_sub(1).and_then(|rank| self.order.select(rank)) else {
            return;
        };
        self.run_start_rank = self.run_start(end - 1, last);
        self.slots = self.order.iter_from(self.run_start_rank);
        self.remaining = end - self.run_start_rank;
    }

    /// The first rank of the run to which the slot at `rank` belongs.
    fn run_start(&self, rank: usize, slot: Slot) -> usize {
        let is_alone = rank
            .checked_sub(1)
            .and_then(|rank| self.order.select(rank))
            .is_none_or(|before| self.base.compare_key(self.key, before, slot).is_ne());
        // Most runs have one slot; only longer ones are worth a search.
        if is_alone {
            return rank;
        }
        self.order
            .partition_point(|other| self.base.compare_key(self.key, other, slot).is_lt())
    }

    /// The rank after the run to which the slot before `rank` belongs.
    fn run_end(&self, rank: usize, slot: Slot) -> usize {
        let is_last = self
            .order
            .select(rank)
            .is_none_or(|next| self.base.compare_key(self.key, next, slot).is_ne());
        if is_last {
            return rank;
        }
        self.order
            .partition_point(|other| self.base.compare_key(self.key, other, slot).is_le())
    }
}

impl Iterator for Walk<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        if self.direction == Direction::Ascending {
            return self.slots.next();
        }
        if self.remaining == 0 {
            self.enter_previous_run();
        }
        self.remaining = self.remaining.checked_sub(1)?;
        self.slots.next()
    }
}
