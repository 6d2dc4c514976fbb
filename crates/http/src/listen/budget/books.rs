//! Who holds how much of a budget, and who gives way next.

use std::collections::BTreeMap;

use portcullis_domain::peer::{Peer, PeerUsage};

use super::Holder;

pub(super) struct Books<H> {
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

impl<H: Holder> Books<H> {
    pub(super) fn new() -> Self {
        Self {
            next: 0,
            usage: PeerUsage::default(),
            holdings: BTreeMap::new(),
        }
    }

    pub(super) fn open(&mut self, peer: Peer, holder: H, amount: usize) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        self.usage.charge(peer, amount);
        self.holdings.insert(key, Holding { amount, holder });
        key
    }

    /// Notes how much somebody holds now; false if it was revoked.
    pub(super) fn change(&mut self, key: Key, amount: usize) -> bool {
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

    pub(super) fn close(&mut self, key: Key) -> Option<Holding<H>> {
        let holding = self.holdings.remove(&key)?;
        self.usage.release(key.0, holding.amount);
        Some(holding)
    }

    pub(super) fn revoke(&mut self, key: Key) {
        if let Some(holding) = self.close(key) {
            holding.holder.revoke();
        }
    }

    /// Finds who gives way when all is in use: of the peer that uses most and has somebody who can.
    pub(super) fn worst(&self, spared: Option<Key>) -> Option<Key> {
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
    pub(super) fn first_of(
        &self,
        peers: impl IntoIterator<Item = Peer>,
        spared: Option<Key>,
    ) -> Option<Key> {
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
