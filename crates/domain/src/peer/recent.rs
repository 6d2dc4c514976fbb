//! Peers that proved to mean it lately.

use super::Peer;
use std::collections::{BTreeMap, HashMap};

/// As many peers as are remembered; then the one that was noted longest ago is forgotten.
const ROOM: usize = 4096;

/// The peers that came through last, by whatever measure its owner has. It is lost with the process: all
/// that hangs on it is who gives way last while strangers come in crowds.
#[derive(Debug, Default)]
pub struct RecentPeers {
    number_of: HashMap<Peer, u64>,
    by_number: BTreeMap<u64, Peer>,
    next: u64,
}

impl RecentPeers {
    /// Remembers that a peer came through now.
    pub fn note(&mut self, peer: Peer) {
        self.next += 1;
        if let Some(before) = self.number_of.insert(peer, self.next) {
            self.by_number.remove(&before);
        }
        self.by_number.insert(self.next, peer);
        if self.number_of.len() > ROOM
            && let Some((_, oldest)) = self.by_number.pop_first()
        {
            self.number_of.remove(&oldest);
        }
    }

    /// Reports whether a peer is among them.
    pub fn has(&self, peer: Peer) -> bool {
        self.number_of.contains_key(&peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn at(number: usize) -> Peer {
        let bits = u32::try_from(number).unwrap();
        Peer::at(Ipv4Addr::from_bits(0x0a00_0000 + bits).into())
    }

    #[test]
    fn peer_noted_longest_ago_is_forgotten_first() {
        let mut recent = RecentPeers::default();
        for number in 0..ROOM {
            recent.note(at(number));
        }
        recent.note(at(0));
        recent.note(at(ROOM));
        assert!(recent.has(at(0)) && recent.has(at(ROOM)) && recent.has(at(2)));
        assert!(!recent.has(at(1)) && !recent.has(at(ROOM + 1)));
        assert_eq!(recent.number_of.len(), recent.by_number.len());
    }
}
