//! Who waits for the end of a handshake, and who is the first to lose its place.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Instant;

use portcullis_domain::peer::{Peer, RecentAttempts, RecentPeers};
use tokio_util::sync::CancellationToken;

/// Handshakes that a peer may have under way at once and weigh no more than with one, if it finished
/// some lately: browsers and offices open several.
const ALLOWED: usize = 4;

#[derive(Debug, Default)]
pub(super) struct Waiting {
    next: u64,
    places: BTreeMap<Key, CancellationToken>,
    /// How many handshakes of each peer are not done, and what that weighs.
    peers: HashMap<Peer, (usize, Weight)>,
    by_weight: BTreeSet<(Weight, Peer)>,
    attempts: RecentAttempts,
    finished: RecentPeers,
}

pub(super) type Key = (Peer, u64);

/// What decides who loses, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    /// Handshakes that are not done; of those that are allowed, one counts.
    unfinished: usize,
    /// Whether the peer has finished no handshake lately.
    is_stranger: bool,
    /// Connections of the last seconds.
    attempts: usize,
    oldest: Reverse<u64>,
}

impl Waiting {
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty() && self.peers.is_empty() && self.by_weight.is_empty()
    }

    pub(super) fn add(&mut self, peer: Peer, evicted: CancellationToken) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        if self.attempts.note(peer, Instant::now()) {
            self.weigh_all();
        }
        self.places.insert(key, evicted);
        self.weigh(peer, self.unfinished(peer) + 1);
        key
    }

    pub(super) fn remove(&mut self, key: Key) -> Option<CancellationToken> {
        let evicted = self.places.remove(&key)?;
        let (peer, _) = key;
        self.weigh(peer, self.unfinished(peer).saturating_sub(1));
        Some(evicted)
    }

    /// Ends the oldest handshake of the heaviest peer.
    pub(super) fn evict(&mut self) {
        let heaviest = self.by_weight.last().copied();
        let evicted = heaviest.and_then(|(weight, peer)| self.remove((peer, weight.oldest.0)));
        if let Some(evicted) = evicted {
            evicted.cancel();
        }
    }

    pub(super) fn finish(&mut self, key: Key) {
        let (peer, _) = key;
        self.finished.note(peer);
        if self.remove(key).is_none() {
            // It lost its place a moment ago; the peer's others weigh less from now on.
            self.weigh(peer, self.unfinished(peer));
        }
    }

    fn unfinished(&self, peer: Peer) -> usize {
        self.peers
            .get(&peer)
            .map_or(0, |(unfinished, _)| *unfinished)
    }

    fn weigh(&mut self, peer: Peer, unfinished: usize) {
        if let Some((_, before)) = self.peers.remove(&peer) {
            self.by_weight.remove(&(before, peer));
        }
        let mut of_peer = self.places.range((peer, 0)..=(peer, u64::MAX));
        let Some((&(_, oldest), _)) = of_peer.next() else {
            return;
        };
        let is_stranger = !self.finished.has(peer);
        let allowed = if is_stranger { 1 } else { ALLOWED };
        let weight = Weight {
            unfinished: unfinished.saturating_sub(allowed - 1).max(1),
            is_stranger,
            attempts: self.attempts.of(peer),
            oldest: Reverse(oldest),
        };
        self.peers.insert(peer, (unfinished, weight));
        self.by_weight.insert((weight, peer));
    }

    /// Weighs everybody anew, because attempts were forgotten.
    fn weigh_all(&mut self) {
        let peers: Vec<_> = self.by_weight.iter().map(|&(_, peer)| peer).collect();
        for peer in peers {
            self.weigh(peer, self.unfinished(peer));
        }
    }
}
