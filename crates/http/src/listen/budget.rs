//! Something limited that all clients share: connections, memory for answers, memory for requests.
//!
//! Whoever uses some of it charges that to the peer that it serves. Nobody is refused because others
//! came first: when all of it is in use, the peer that uses most gives some of it up, and a peer
//! beyond its own share gives up some of its own.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portcullis_domain::peer::{Peer, PeerUsage};

use super::Quota;
use super::log_interval::LogInterval;

/// A limited resource, and who holds how much of it.
pub(crate) struct Budget<H> {
    quota: Quota,
    /// Keys of the configuration, for the log: what all may use, and what one peer may.
    keys: [&'static str; 2],
    log_intervals: [LogInterval; 2],
    books: Mutex<Books<H>>,
}

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

/// What one holder has of a budget; given back when dropped.
pub(crate) struct Charge<H: Holder> {
    budget: Arc<Budget<H>>,
    peer: Peer,
    holder: H,
    /// Where it stands in the books once it holds something. There is nothing there after it was revoked.
    key: Option<Key>,
}

struct Books<H> {
    next: u64,
    usage: PeerUsage,
    /// By peer, then by age.
    holdings: BTreeMap<Key, Holding<H>>,
}

type Key = (Peer, u64);

struct Holding<H> {
    amount: usize,
    holder: H,
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
            books: Mutex::new(Books {
                next: 0,
                usage: PeerUsage::default(),
                holdings: BTreeMap::new(),
            }),
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
    pub(super) fn admit(self: &Arc<Self>, peer: Peer, holder: H, amount: usize) -> Charge<H> {
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

    fn lock(&self) -> MutexGuard<'_, Books<H>> {
        self.books.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<H: Holder> Books<H> {
    fn open(&mut self, peer: Peer, holder: H, amount: usize) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        self.usage.charge(peer, amount);
        self.holdings.insert(key, Holding { amount, holder });
        key
    }

    /// Notes how much somebody holds now; false if it was revoked.
    fn change(&mut self, key: Key, amount: usize) -> bool {
        let Some(holding) = self.holdings.get_mut(&key) else {
            return false;
        };
        let before = std::mem::replace(&mut holding.amount, amount);
        if amount > before {
            self.usage.charge(key.0, amount - before);
        } else {
            self.usage.release(key.0, before - amount);
        }
        true
    }

    fn close(&mut self, key: Key) -> Option<Holding<H>> {
        let holding = self.holdings.remove(&key)?;
        self.usage.release(key.0, holding.amount);
        Some(holding)
    }

    fn revoke(&mut self, key: Key) {
        if let Some(holding) = self.close(key) {
            holding.holder.revoke();
        }
    }

    /// Finds who gives way when all is in use: of the peer that uses most and has somebody who can.
    fn worst(&self, spared: Option<Key>) -> Option<Key> {
        let mut peers = self.usage.heaviest_first().peekable();
        while let Some(&(_, most)) = peers.peek() {
            let tied = std::iter::from_fn(|| peers.next_if(|&(_, amount)| amount == most));
            let found = self.first_of(tied.map(|(peer, _)| peer), spared);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Finds who of these peers gives way first: by rank, then by age.
    fn first_of(&self, peers: impl IntoIterator<Item = Peer>, spared: Option<Key>) -> Option<Key> {
        let looked_at = if H::IS_OLDEST_FIRST { 1 } else { usize::MAX };
        peers
            .into_iter()
            .flat_map(|peer| {
                let of_peer = self.holdings.range((peer, 0)..=(peer, u64::MAX));
                let able = of_peer.filter(move |(key, holding)| {
                    Some(**key) != spared && holding.holder.can_give_way()
                });
                let ranked = able
                    .map(move |(key, holding)| (holding.holder.rank(holding.amount), key.1, peer));
                ranked.take(looked_at)
            })
            .min()
            .map(|(_, number, peer)| (peer, number))
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
    pub(super) fn close(&mut self) {
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

#[cfg(test)]
mod tests;
