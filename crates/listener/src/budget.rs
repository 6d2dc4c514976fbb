//! Budgets: limited resources that all clients share, such as connections and memory.
//!
//! Each use is charged to the peer that it serves. Nobody is refused because others came first:
//! when a budget is exhausted, the peer that uses most of it is evicted from some, and a peer
//! beyond its own quota from some of its own.

mod account;
#[cfg(test)]
mod interleavings;
mod ledger;
#[cfg(test)]
mod tests;

// The account takes its lock from here, so that `interleavings` can substitute loom's.
use std::sync;

pub use self::account::{Budget, Charge};

/// User of a part of a budget, which can be made to give it up.
pub trait Evictable: Clone {
    /// Order in which the holders of one peer are evicted, the least first.
    type Rank: Ord;

    /// Whether all ranks are equal, so that the oldest holder of a peer is evicted first and the
    /// others need not be examined.
    const IS_OLDEST_FIRST: bool = false;

    /// The rank of this holder, which uses `amount`.
    fn rank(&self, amount: usize) -> Self::Rank;

    /// Reports whether it can still be evicted.
    fn is_evictable(&self) -> bool {
        true
    }

    /// Makes it give everything up. Called once, with the ledger locked.
    fn evict(&self);
}
