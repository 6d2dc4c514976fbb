//! Budgets and their charges.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use portcullis_domain::log_interval::LogInterval;
use portcullis_domain::peer::Peer;

use super::Evictable;
use super::ledger::{Key, Ledger};
use super::sync::{Mutex, MutexGuard};
use crate::{LOG_INTERVAL, Quota};

/// A limited resource and its holders.
pub struct Budget<H> {
    quota: Quota,
    /// Configuration keys, for the log: of the total quota and of that per peer.
    keys: [&'static str; 2],
    log_intervals: [parking_lot::Mutex<LogInterval>; 2],
    ledger: Mutex<Ledger<H>>,
}

/// A holder's charge to a budget; released when dropped.
pub struct Charge<H: Evictable> {
    budget: Arc<Budget<H>>,
    peer: Peer,
    pub(super) holder: H,
    /// Its entry in the ledger, once it uses something. The entry is gone after an eviction.
    key: Option<Key>,
}

/// An exceeded limit.
#[derive(Clone, Copy)]
enum Limit {
    Total,
    PerPeer,
}

impl<H: Evictable> Budget<H> {
    /// Creates an unused budget.
    pub fn new(quota: Quota, keys: [&'static str; 2]) -> Arc<Self> {
        Arc::new(Self {
            quota,
            keys,
            log_intervals: [(); 2].map(|()| LogInterval::new(LOG_INTERVAL).into()),
            ledger: Mutex::new(Ledger::new()),
        })
    }

    /// Creates the charge of a holder that uses nothing yet.
    pub fn charge(self: &Arc<Self>, peer: Peer, holder: H) -> Charge<H> {
        Charge {
            budget: Arc::clone(self),
            peer,
            holder,
            key: None,
        }
    }

    /// Charges a newcomer, which is not evicted in favor of existing holders.
    pub fn admit(self: &Arc<Self>, peer: Peer, holder: H, amount: usize) -> Charge<H> {
        let mut charge = self.charge(peer, holder);
        let mut books = self.lock();
        let key = books.insert(peer, charge.holder.clone(), amount);
        charge.key = Some(key);
        let evicted = self.evict_excess(&mut books, peer, Some(key));
        drop(books);
        self.log(evicted);
        charge
    }

    /// Returns the amount in use.
    pub fn in_use(&self) -> usize {
        self.lock().usage.total()
    }

    /// Evicts holders until all limits are met, or nobody is left who can be evicted.
    fn evict_excess(
        &self,
        books: &mut Ledger<H>,
        peer: Peer,
        exempt: Option<Key>,
    ) -> Vec<(Limit, Peer)> {
        let mut evicted = Vec::new();
        while books.usage.get(peer) > self.quota.per_peer {
            let Some(key) = books.find_first([peer], exempt) else {
                break;
            };
            books.evict(key);
            evicted.push((Limit::PerPeer, peer));
        }
        while books.usage.total() > self.quota.total {
            let Some(key) = books.find_heaviest(exempt) else {
                break;
            };
            books.evict(key);
            evicted.push((Limit::Total, key.0));
        }
        evicted
    }

    /// Logs evictions, rate-limited.
    fn log(&self, evicted: Vec<(Limit, Peer)>) {
        let [total, per_peer] = &self.log_intervals;
        let [total_key, per_peer_key] = self.keys;
        for (limit, peer) in evicted {
            let (interval, key) = match limit {
                Limit::Total => (total, total_key),
                Limit::PerPeer => (per_peer, per_peer_key),
            };
            if let Some(unlogged) = interval.lock().try_acquire(Instant::now()) {
                tracing::warn!(%peer, limit = key, unlogged, "limit reached, the client that used the most was evicted");
            }
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Ledger<H>> {
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: Evictable> Charge<H> {
    /// Sets the amount in use, and evicts holders if that exceeds a limit. False if this holder was
    /// evicted, now or before.
    pub fn set(&mut self, amount: usize) -> bool {
        let mut books = self.budget.lock();
        let key = match self.key {
            Some(key) if books.update(key, amount) => key,
            Some(_) => return false,
            None if amount == 0 => return true,
            None => books.insert(self.peer, self.holder.clone(), amount),
        };
        self.key = Some(key);
        let evicted = self.budget.evict_excess(&mut books, self.peer, None);
        let is_kept = evicted.is_empty() || books.holdings.contains_key(&key);
        drop(books);
        self.budget.log(evicted);
        is_kept
    }

    /// Releases everything. A later charge is new, in age too.
    pub fn release(&mut self) {
        if let Some(key) = self.key.take() {
            self.budget.lock().remove(key);
        }
    }

    pub fn holder(&self) -> &H {
        &self.holder
    }
}

impl<H: Evictable> Drop for Charge<H> {
    fn drop(&mut self) {
        self.release();
    }
}
