//! Something limited that all clients share: connections, memory for answers, memory for requests.
//!
//! Whoever uses some of it charges that to the peer that it serves. Nobody is refused because others
//! came first: when all of it is in use, the peer that uses most gives some of it up, and a peer
//! beyond its own share gives up some of its own.

mod account;
mod books;
#[cfg(test)]
mod interleavings;
#[cfg(test)]
mod tests;

// The account takes its lock from here, so that `interleavings` can put that of loom in its place.
use std::sync;

pub(crate) use self::account::{Budget, Charge};

/// Holds a part of a budget, and can be made to give it up.
pub(crate) trait Holder: Clone {
    /// Order in which the holders of one peer give up, the least first.
    type Rank: Ord;

    /// Whether all ranks are the same, so that the oldest holder of a peer gives up first and the others
    /// need not be looked at.
    const IS_OLDEST_FIRST: bool = false;

    /// The rank of this holder, which holds `amount`.
    fn rank(&self, amount: usize) -> Self::Rank;

    /// Reports whether it can still give anything up.
    fn can_give_way(&self) -> bool {
        true
    }

    /// Makes it give everything up. Called once, with the books locked.
    fn revoke(&self);
}
