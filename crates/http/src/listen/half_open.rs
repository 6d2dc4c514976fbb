//! Connections whose handshake is not done yet.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use portcullis_domain::peer::{Peer, RecentAttempts, RecentPeers};
use tokio_util::sync::CancellationToken;

/// Bounds the number of unfinished handshakes. When there are too many, the [heaviest](Weight) peer loses
/// its oldest, so that a flood from one address ends the handshakes of nobody else, and a crowd of
/// addresses ends none of those who come now and then.
#[derive(Debug)]
pub(super) struct HalfOpen {
    max: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    places: BTreeMap<Key, CancellationToken>,
    weight_of: HashMap<Peer, Weight>,
    by_weight: BTreeSet<(Weight, Peer)>,
    attempts: RecentAttempts,
    finished: RecentPeers,
}

type Key = (Peer, u64);

/// What decides who loses, the most telling first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    unfinished: usize,
    /// Whether the peer has finished no handshake lately.
    is_stranger: bool,
    /// Connections of the last seconds.
    attempts: usize,
    oldest: Reverse<u64>,
}

/// Place of one connection among the unfinished; given up when dropped.
#[derive(Debug)]
pub(super) struct Place {
    key: Key,
    evicted: CancellationToken,
    registry: Arc<HalfOpen>,
}

impl HalfOpen {
    /// Makes a registry of at most `max` connections.
    pub(super) fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max: max.max(1),
            waiting: Mutex::default(),
        })
    }

    /// Enters a new connection, at the price of another one when there is no room.
    pub(super) fn enter(self: &Arc<Self>, address: IpAddr) -> Place {
        let evicted = CancellationToken::new();
        let mut waiting = self.lock();
        while waiting.places.len() >= self.max {
            waiting.evict();
        }
        let key = waiting.add(Peer::at(address), evicted.clone());
        Place {
            key,
            evicted,
            registry: Arc::clone(self),
        }
    }

    /// Drops one connection, to have its descriptor back.
    pub(super) fn evict(&self) {
        self.lock().evict();
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn add(&mut self, peer: Peer, evicted: CancellationToken) -> Key {
        let key = (peer, self.next);
        self.next += 1;
        if self.attempts.note(peer, Instant::now()) {
            self.weigh_all();
        }
        self.places.insert(key, evicted);
        self.weigh(peer, self.unfinished(peer) + 1);
        key
    }

    fn remove(&mut self, key: Key) -> Option<CancellationToken> {
        let evicted = self.places.remove(&key)?;
        let (peer, _) = key;
        self.weigh(peer, self.unfinished(peer).saturating_sub(1));
        Some(evicted)
    }

    /// Ends the oldest handshake of the heaviest peer.
    fn evict(&mut self) {
        let heaviest = self.by_weight.last().copied();
        let evicted = heaviest.and_then(|(weight, peer)| self.remove((peer, weight.oldest.0)));
        if let Some(evicted) = evicted {
            evicted.cancel();
        }
    }

    fn finish(&mut self, key: Key) {
        self.finished.note(key.0);
        self.remove(key);
    }

    fn unfinished(&self, peer: Peer) -> usize {
        self.weight_of
            .get(&peer)
            .map_or(0, |weight| weight.unfinished)
    }

    fn weigh(&mut self, peer: Peer, unfinished: usize) {
        if let Some(before) = self.weight_of.remove(&peer) {
            self.by_weight.remove(&(before, peer));
        }
        let mut of_peer = self.places.range((peer, 0)..=(peer, u64::MAX));
        let Some((&(_, oldest), _)) = of_peer.next() else {
            return;
        };
        let weight = Weight {
            unfinished,
            is_stranger: !self.finished.has(peer),
            attempts: self.attempts.of(peer),
            oldest: Reverse(oldest),
        };
        self.weight_of.insert(peer, weight);
        self.by_weight.insert((weight, peer));
    }

    /// Weighs everybody anew, because attempts were forgotten.
    fn weigh_all(&mut self) {
        let before: Vec<_> = self.by_weight.iter().copied().collect();
        for (weight, peer) in before {
            self.weigh(peer, weight.unfinished);
        }
    }
}

impl Place {
    /// Waits until the place is taken away.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
    }

    /// Gives the place up because the handshake is done.
    pub(super) fn finish(self) {
        self.registry.lock().finish(self.key);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.registry.lock().remove(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn enter(registry: &Arc<HalfOpen>, last: u8) -> Place {
        registry.enter([192, 0, 2, last].into())
    }

    fn is_evicted(place: &Place) -> bool {
        place.evicted.is_cancelled()
    }

    #[test]
    fn one_too_many_costs_the_oldest() {
        let registry = HalfOpen::new(2);
        let first = enter(&registry, 1);
        let second = enter(&registry, 2);
        assert!(!is_evicted(&first));

        let third = enter(&registry, 3);

        assert!(is_evicted(&first));
        assert!(!is_evicted(&second));
        assert!(!is_evicted(&third));
    }

    #[test]
    fn flood_of_one_peer_costs_nobody_else_a_handshake() {
        let registry = HalfOpen::new(8);
        let honest = [enter(&registry, 1), enter(&registry, 2)];
        let flood: Vec<_> = (0..100).map(|_| enter(&registry, 66)).collect();
        let newcomer = enter(&registry, 3);
        for place in honest.iter().chain([&newcomer]) {
            assert!(!is_evicted(place));
        }
        assert_eq!(flood.iter().filter(|place| !is_evicted(place)).count(), 5);
        drop((honest, flood, newcomer));
        let waiting = registry.lock();
        assert!(waiting.places.is_empty());
        assert!(waiting.weight_of.is_empty() && waiting.by_weight.is_empty());
    }

    #[test]
    fn crowd_of_strangers_costs_no_handshake_of_who_finished_one_lately() {
        let registry = HalfOpen::new(8);
        enter(&registry, 1).finish();
        let regular = enter(&registry, 1);
        let crowd: Vec<_> = (100..200).map(|last| enter(&registry, last)).collect();
        assert!(!is_evicted(&regular));
        assert_eq!(crowd.iter().filter(|place| !is_evicted(place)).count(), 7);
    }

    #[test]
    fn who_comes_often_loses_before_a_newcomer() {
        let registry = HalfOpen::new(8);
        let first: Vec<_> = (100..108).map(|last| enter(&registry, last)).collect();
        let newcomer = enter(&registry, 1);
        let again: Vec<_> = (100..200)
            .map(|last| enter(&registry, 100 + last % 8))
            .collect();
        assert!(!is_evicted(&newcomer));
        let left = first
            .iter()
            .chain(&again)
            .filter(|place| !is_evicted(place));
        assert_eq!(left.count(), 7);
    }

    #[test]
    fn who_finished_a_handshake_and_holds_many_loses_before_strangers() {
        let registry = HalfOpen::new(8);
        enter(&registry, 66).finish();
        let held: Vec<_> = (0..8).map(|_| enter(&registry, 66)).collect();
        let strangers = [enter(&registry, 1), enter(&registry, 2)];
        assert!(!strangers.iter().any(is_evicted));
        assert_eq!(held.iter().filter(|place| is_evicted(place)).count(), 2);
    }

    #[test]
    fn ended_handshake_makes_room() {
        let registry = HalfOpen::new(2);
        let first = enter(&registry, 1);
        drop(enter(&registry, 1));

        let third = enter(&registry, 1);

        assert!(!is_evicted(&first));
        assert!(!is_evicted(&third));
    }
}
