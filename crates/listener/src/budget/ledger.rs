//! Ledger of a budget: amounts per holder, and the order of eviction.

use std::collections::BTreeMap;

use portcullis_domain::peer::{Peer, PeerUsage};

use super::Evictable;

pub(super) struct Ledger<H> {
    next: u64,
    pub(super) usage: PeerUsage,
    /// By peer, then by age.
    pub(super) holdings: BTreeMap<Key, Holding<H>>,
}

pub(super) type Key = (Peer, u64);

pub(super) struct Holding<H> {
    amount: usize,
    holder: H,
}

impl<H: Evictable> Ledger<H> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            usage: PeerUsage::default(),
            holdings: BTreeMap::new(),
        }
    }

    pub(super) fn insert(&mut self, peer: Peer, holder: H, amount: usize) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        self.usage.charge(peer, amount);
        self.holdings.insert(key, Holding { amount, holder });
        key
    }

    /// Updates the amount of a holder; false if it was evicted.
    pub(super) fn update(&mut self, key: Key, amount: usize) -> bool {
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

    pub(super) fn remove(&mut self, key: Key) -> Option<Holding<H>> {
        let holding = self.holdings.remove(&key)?;
        self.usage.release(key.0, holding.amount);
        Some(holding)
    }

    pub(super) fn evict(&mut self, key: Key) {
        if let Some(holding) = self.remove(key) {
            holding.holder.evict();
        }
    }

    /// Finds the holder to evict when the total is exceeded: of the heaviest peer that has one.
    pub(super) fn find_heaviest(&self, exempt: Option<Key>) -> Option<Key> {
        let mut peers = self.usage.heaviest_first().peekable();
        while let Some(&(_, most)) = peers.peek() {
            let tied = std::iter::from_fn(|| peers.next_if(|&(_, amount)| amount == most));
            let found = self.find_first(tied.map(|(peer, _)| peer), exempt);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Finds the holder of these peers to evict first: by rank, then by age.
    pub(super) fn find_first(
        &self,
        peers: impl IntoIterator<Item = Peer>,
        exempt: Option<Key>,
    ) -> Option<Key> {
        let examined = if H::IS_OLDEST_FIRST { 1 } else { usize::MAX };
        peers
            .into_iter()
            .flat_map(|peer| {
                let of_peer = self.holdings.range((peer, 0)..=(peer, u64::MAX));
                let evictable = of_peer.filter(move |(key, holding)| {
                    Some(**key) != exempt && holding.holder.is_evictable()
                });
                let ranked = evictable
                    .map(move |(key, holding)| (holding.holder.rank(holding.amount), key.1, peer));
                ranked.take(examined)
            })
            .min()
            .map(|(_, number, peer)| (peer, number))
    }
}
