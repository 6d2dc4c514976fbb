//! Connections whose handshake is not done yet.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use portcullis_domain::peer::{Peer, PeerUsage};
use tokio_util::sync::CancellationToken;

/// Bounds the number of unfinished handshakes. When there are too many, the peer with most of them loses
/// its oldest, so that a flood from one address ends the handshakes of nobody else.
#[derive(Debug)]
pub(super) struct HalfOpen {
    max: usize,
    waiting: Mutex<Waiting>,
}

#[derive(Debug, Default)]
struct Waiting {
    next: u64,
    by_peer: BTreeMap<Key, CancellationToken>,
    by_age: BTreeMap<u64, Peer>,
    usage: PeerUsage,
}

type Key = (Peer, u64);

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
        while waiting.by_age.len() >= self.max {
            waiting.evict();
        }
        let key = (Peer::at(address), waiting.next);
        waiting.next += 1;
        waiting.add(key, evicted.clone());
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
    fn add(&mut self, key: Key, evicted: CancellationToken) {
        let (peer, number) = key;
        self.by_peer.insert(key, evicted);
        self.by_age.insert(number, peer);
        self.usage.charge(peer, 1);
    }

    fn remove(&mut self, key: Key) -> Option<CancellationToken> {
        let (peer, number) = key;
        let evicted = self.by_peer.remove(&key)?;
        self.by_age.remove(&number);
        self.usage.release(peer, 1);
        Some(evicted)
    }

    fn evict(&mut self) {
        if let Some(evicted) = self.worst().and_then(|key| self.remove(key)) {
            evicted.cancel();
        }
    }

    /// The oldest of the peer that has most; the oldest of all when nobody has more than one.
    fn worst(&self) -> Option<Key> {
        let (heaviest, most) = self.usage.heaviest()?;
        if most == 1 {
            return self
                .by_age
                .first_key_value()
                .map(|(&number, &peer)| (peer, number));
        }
        let mut of_peer = self.by_peer.range((heaviest, 0)..=(heaviest, u64::MAX));
        of_peer.next().map(|(&key, _)| key)
    }
}

impl Place {
    /// Waits until the place is taken away.
    pub(super) async fn evicted(&self) {
        self.evicted.cancelled().await;
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

    #[test]
    fn one_too_many_costs_the_oldest() {
        let registry = HalfOpen::new(2);
        let first = enter(&registry, 1);
        let second = enter(&registry, 2);
        assert!(!first.evicted.is_cancelled());

        let third = enter(&registry, 3);

        assert!(first.evicted.is_cancelled());
        assert!(!second.evicted.is_cancelled());
        assert!(!third.evicted.is_cancelled());
    }

    #[test]
    fn flood_of_one_peer_costs_nobody_else_a_handshake() {
        let registry = HalfOpen::new(8);
        let honest = [enter(&registry, 1), enter(&registry, 2)];
        let flood: Vec<_> = (0..100).map(|_| enter(&registry, 66)).collect();
        let newcomer = enter(&registry, 3);
        for place in honest.iter().chain([&newcomer]) {
            assert!(!place.evicted.is_cancelled());
        }
        let left = flood.iter().filter(|place| !place.evicted.is_cancelled());
        assert_eq!(left.count(), 5);
        drop((honest, flood, newcomer));
        let waiting = registry.lock();
        let left = (
            waiting.by_peer.len(),
            waiting.by_age.len(),
            waiting.usage.total(),
        );
        assert_eq!(left, (0, 0, 0));
    }

    #[test]
    fn finished_handshake_makes_room() {
        let registry = HalfOpen::new(2);
        let first = enter(&registry, 1);
        drop(enter(&registry, 1));

        let third = enter(&registry, 1);

        assert!(!first.evicted.is_cancelled());
        assert!(!third.evicted.is_cancelled());
    }
}
