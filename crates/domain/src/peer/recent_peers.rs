//! Recently successful peers.

use super::Peer;
use std::collections::{BTreeMap, HashMap};

/// Capacity; beyond it the least recent peer is evicted.
const CAPACITY: usize = 4096;

/// The most recently successful peers, as the owner defines success. Kept in memory only: it merely
/// decides who yields last under load.
#[derive(Debug, Default)]
pub struct RecentPeers {
    sequence_of: HashMap<Peer, u64>,
    by_sequence: BTreeMap<u64, Peer>,
    next: u64,
}

impl RecentPeers {
    /// Records a success of `peer`.
    pub fn insert(&mut self, peer: Peer) {
        self.next += 1;
        if let Some(before) = self.sequence_of.insert(peer, self.next) {
            self.by_sequence.remove(&before);
        }
        self.by_sequence.insert(self.next, peer);
        if self.sequence_of.len() > CAPACITY
            && let Some((_, oldest)) = self.by_sequence.pop_first()
        {
            self.sequence_of.remove(&oldest);
        }
    }

    pub fn contains(&self, peer: Peer) -> bool {
        self.sequence_of.contains_key(&peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn at(number: usize) -> Peer {
        let bits = u32::try_from(number).unwrap();
        Peer::from_address(Ipv4Addr::from_bits(0x0a00_0000 + bits).into())
    }

    #[test]
    fn peer_noted_longest_ago_is_forgotten_first() {
        let mut recent = RecentPeers::default();
        for number in 0..CAPACITY {
            recent.insert(at(number));
        }
        recent.insert(at(0));
        recent.insert(at(CAPACITY));
        assert!(recent.contains(at(0)) && recent.contains(at(CAPACITY)) && recent.contains(at(2)));
        assert!(!recent.contains(at(1)) && !recent.contains(at(CAPACITY + 1)));
        assert_eq!(recent.sequence_of.len(), recent.by_sequence.len());
    }
}
