//! A budget, and what its holders are charged.

use std::sync::{Arc, PoisonError};

use portcullis_domain::peer::Peer;

use super::Holder;
use super::books::{Books, Key};
use super::sync::{Mutex, MutexGuard};
use crate::listen::Quota;
use crate::listen::log_interval::LogInterval;

/// A limited resource, and who holds how much of it.
pub(crate) struct Budget<H> {
    quota: Quota,
    /// Keys of the configuration, for the log: what all may use, and what one peer may.
    keys: [&'static str; 2],
    log_intervals: [LogInterval; 2],
    books: Mutex<Books<H>>,
}

/// What one holder has of a budget; given back when dropped.
pub(crate) struct Charge<H: Holder> {
    budget: Arc<Budget<H>>,
    peer: Peer,
    pub(super) holder: H,
    /// Where it stands in the books once it holds something. There is nothing there after it was revoked.
    key: Option<Key>,
}

/// Which limit somebody had to give way to.
#[derive(Clone, Copy)]
enum Limit {
    Total,
    PerPeer,
}

impl<H: Holder> Budget<H> {
    /// Makes a budget of which nothing is in use.
    pub(crate) fn new(quota: Quota, keys: [&'static str; 2]) -> Arc<Self> {
        Arc::new(Self {
            quota,
            keys,
            log_intervals: Default::default(),
            books: Mutex::new(Books::new()),
        })
    }

    /// Makes the charge of a holder that holds nothing yet.
    pub(crate) fn charge(self: &Arc<Self>, peer: Peer, holder: H) -> Charge<H> {
        Charge {
            budget: Arc::clone(self),
            peer,
            holder,
            key: None,
        }
    }

    /// Charges a newcomer, which gives way to nobody that is there already.
    pub(crate) fn admit(self: &Arc<Self>, peer: Peer, holder: H, amount: usize) -> Charge<H> {
        let mut charge = self.charge(peer, holder);
        let mut books = self.lock();
        let key = books.open(peer, charge.holder.clone(), amount);
        charge.key = Some(key);
        let revoked = self.make_room(&mut books, peer, Some(key));
        drop(books);
        self.log(revoked);
        charge
    }

    /// What is in use.
    #[cfg(test)]
    pub(crate) fn in_use(&self) -> usize {
        self.lock().usage.total()
    }

    /// Revokes holders until all limits are kept, or nobody is left who can give way.
    fn make_room(
        &self,
        books: &mut Books<H>,
        peer: Peer,
        spared: Option<Key>,
    ) -> Vec<(Limit, Peer)> {
        let mut revoked = Vec::new();
        while books.usage.of(peer) > self.quota.per_peer {
            let Some(key) = books.first_of([peer], spared) else {
                break;
            };
            books.revoke(key);
            revoked.push((Limit::PerPeer, peer));
        }
        while books.usage.total() > self.quota.total {
            let Some(key) = books.worst(spared) else {
                break;
            };
            books.revoke(key);
            revoked.push((Limit::Total, key.0));
        }
        revoked
    }

    /// Says who gave way, now and then.
    fn log(&self, revoked: Vec<(Limit, Peer)>) {
        let [total, per_peer] = &self.log_intervals;
        let [total_key, per_peer_key] = self.keys;
        for (limit, peer) in revoked {
            let (interval, key) = match limit {
                Limit::Total => (total, total_key),
                Limit::PerPeer => (per_peer, per_peer_key),
            };
            if let Some(unlogged) = interval.may_log() {
                tracing::warn!(%peer, limit = key, unlogged, "limit reached, the client that used the most was evicted");
            }
        }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Books<H>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: Holder> Charge<H> {
    /// Notes how much is held now, and has somebody give way if that is too much for the peer or for
    /// all. False if this holder was the one, now or before.
    pub(crate) fn set(&mut self, amount: usize) -> bool {
        let mut books = self.budget.lock();
        let key = match self.key {
            Some(key) if books.change(key, amount) => key,
            Some(_) => return false,
            None if amount == 0 => return true,
            None => books.open(self.peer, self.holder.clone(), amount),
        };
        self.key = Some(key);
        let revoked = self.budget.make_room(&mut books, self.peer, None);
        let is_held = revoked.is_empty() || books.holdings.contains_key(&key);
        drop(books);
        self.budget.log(revoked);
        is_held
    }

    /// Gives everything back. What is charged afterwards is new, in age too.
    pub(crate) fn close(&mut self) {
        if let Some(key) = self.key.take() {
            self.budget.lock().close(key);
        }
    }

    /// The holder.
    pub(crate) fn holder(&self) -> &H {
        &self.holder
    }
}

impl<H: Holder> Drop for Charge<H> {
    fn drop(&mut self) {
        self.close();
    }
}
