//! Unfinished handshakes by peer, and their order of eviction.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use portcullis_domain::peer::{Peer, RecentAttempts, RecentPeers};
use tokio_util::sync::CancellationToken;

/// Concurrent handshakes of a peer that count as one, if it finished some lately: browsers and
/// offices open several.
const FREE_HANDSHAKES: usize = 4;

#[derive(Debug, Default)]
pub(super) struct PendingHandshakes {
    next: u64,
    evictions: BTreeMap<Key, CancellationToken>,
    /// Unfinished handshakes of each peer, and their weight.
    peers: HashMap<Peer, (usize, Weight)>,
    by_weight: BTreeSet<(Weight, Peer)>,
    attempts: RecentAttempts,
    finished: RecentPeers,
}

pub(super) type Key = (Peer, u64);

/// Eviction weight of a peer; the fields are in order of precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    /// Unfinished handshakes, with the free ones counted as one.
    unfinished: usize,
    /// Whether the peer has finished no handshake lately.
    is_stranger: bool,
    /// Connections in the last few seconds.
    attempts: usize,
    oldest: Reverse<u64>,
}

impl PendingHandshakes {
    pub(super) fn len(&self) -> usize {
        self.evictions.len()
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.evictions.is_empty() && self.peers.is_empty() && self.by_weight.is_empty()
    }

    pub(super) fn insert(&mut self, peer: Peer, evicted: CancellationToken) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        if self.attempts.record(peer, Instant::now()) {
            self.update_all_weights();
        }
        self.evictions.insert(key, evicted);
        self.update_weight(peer, self.unfinished(peer) + 1);
        key
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<CancellationToken> {
        let eviction = self.evictions.remove(&key)?;
        let (peer, _) = key;
        self.update_weight(peer, self.unfinished(peer).saturating_sub(1));
        Some(eviction)
    }

    /// Evicts the oldest handshake of the heaviest peer.
    pub(super) fn evict(&mut self) {
        let heaviest = self.by_weight.last().copied();
        let evicted = heaviest.and_then(|(weight, peer)| self.remove((peer, weight.oldest.0)));
        if let Some(evicted) = evicted {
            evicted.cancel();
        }
    }

    pub(super) fn finish(&mut self, key: Key) {
        let (peer, _) = key;
        self.finished.insert(peer);
        if self.remove(key).is_none() {
            // It was evicted a moment ago; the peer's other handshakes weigh less from now on.
            self.update_weight(peer, self.unfinished(peer));
        }
    }

    fn unfinished(&self, peer: Peer) -> usize {
        self.peers
            .get(&peer)
            .map_or(0, |(unfinished, _)| *unfinished)
    }

    fn update_weight(&mut self, peer: Peer, unfinished: usize) {
        if let Some((_, before)) = self.peers.remove(&peer) {
            self.by_weight.remove(&(before, peer));
        }
        let mut of_peer = self.evictions.range((peer, 0)..=(peer, u64::MAX));
        let Some((&(_, oldest), _)) = of_peer.next() else {
            return;
        };
        let is_stranger = !self.finished.contains(peer);
        let allowed = if is_stranger { 1 } else { FREE_HANDSHAKES };
        let weight = Weight {
            unfinished: unfinished.saturating_sub(allowed - 1).max(1),
            is_stranger,
            attempts: self.attempts.count(peer),
            oldest: Reverse(oldest),
        };
        self.peers.insert(peer, (unfinished, weight));
        self.by_weight.insert((weight, peer));
    }

    /// Updates all weights, because attempts were forgotten.
    fn update_all_weights(&mut self) {
        let peers: Vec<_> = self.by_weight.iter().map(|&(_, peer)| peer).collect();
        for peer in peers {
            self.update_weight(peer, self.unfinished(peer));
        }
    }
}
