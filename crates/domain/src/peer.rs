//! Peers, to which the cost of requests is charged.

mod recent_attempts;
mod recent_peers;

use crate::ids::RecordNumber;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use recent_attempts::RecentAttempts;
pub use recent_peers::RecentPeers;

/// The originator of cost: an identity, or an unauthenticated client address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// An identity, by the number of its record.
    Identity(RecordNumber),
    /// An IPv4 address, or an IPv6 network of 64 bits.
    Address(IpAddr),
}

impl Peer {
    /// The controller itself, and local commands.
    pub const CONTROLLER: Self = Self::Address(IpAddr::V4(Ipv4Addr::LOCALHOST));

    /// The peer of an address; see [`network_of`].
    pub fn from_address(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// The network of one client: an IPv6 network of 64 bits, or a single IPv4 address. IPv4-mapped
/// IPv6 addresses count as IPv4.
pub fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            let network = address.to_bits() & !u128::from(u64::MAX);
            Ipv6Addr::from_bits(network).into()
        },
        v4 @ IpAddr::V4(_) => v4,
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity(RecordNumber(number)) => write!(formatter, "identity {number}"),
            Self::Address(IpAddr::V4(address)) => address.fmt(formatter),
            Self::Address(IpAddr::V6(network)) => write!(formatter, "{network}/64"),
        }
    }
}

/// Usage of a limited resource by peer.
///
/// Accounting only: the owner of the resource compares the figures with its limits, and reclaims
/// from [`PeerUsage::heaviest`] when the resource is exhausted.
#[derive(Debug, Clone, Default)]
pub struct PeerUsage {
    total: usize,
    by_peer: BTreeMap<Peer, usize>,
    by_amount: BTreeSet<(usize, Peer)>,
}

impl PeerUsage {
    pub fn total(&self) -> usize {
        self.total
    }

    /// Number of peers with usage.
    pub fn peers(&self) -> usize {
        self.by_peer.len()
    }

    /// Usage of one peer.
    pub fn get(&self, peer: Peer) -> usize {
        self.by_peer.get(&peer).copied().unwrap_or(0)
    }

    /// The peer with the highest usage.
    pub fn heaviest(&self) -> Option<(Peer, usize)> {
        self.by_amount.last().map(|&(amount, peer)| (peer, amount))
    }

    /// All peers in descending order of usage.
    pub fn heaviest_first(&self) -> impl Iterator<Item = (Peer, usize)> {
        self.by_amount
            .iter()
            .rev()
            .map(|&(amount, peer)| (peer, amount))
    }

    pub fn charge(&mut self, peer: Peer, amount: usize) {
        self.set(peer, self.get(peer).saturating_add(amount));
    }

    /// Subtracts `amount`; a peer without usage is dropped.
    pub fn release(&mut self, peer: Peer, amount: usize) {
        self.set(peer, self.get(peer).saturating_sub(amount));
    }

    fn set(&mut self, peer: Peer, amount: usize) {
        let before = self.by_peer.remove(&peer).unwrap_or(0);
        self.by_amount.remove(&(before, peer));
        self.total = self.total - before + amount;
        if amount > 0 {
            self.by_peer.insert(peer, amount);
            self.by_amount.insert((amount, peer));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(address: &str) -> Peer {
        Peer::from_address(address.parse().unwrap())
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_peer() {
        assert_eq!(at("2001:db8:0:1::1"), at("2001:db8:0:1:ffff::2"));
        assert_ne!(at("2001:db8:0:1::1"), at("2001:db8:0:2::1"));
        assert_eq!(at("::ffff:192.0.2.1"), at("192.0.2.1"));
        assert_ne!(at("192.0.2.1"), at("192.0.2.2"));
        assert_eq!(at("2001:db8:0:1::1").to_string(), "2001:db8:0:1::/64");
        assert_eq!(at("::ffff:192.0.2.1").to_string(), "192.0.2.1");
    }

    #[test]
    fn usage_follows_charges_and_releases() {
        let (one, other) = (at("192.0.2.1"), Peer::Identity(RecordNumber(7)));
        let mut usage = PeerUsage::default();
        assert_eq!(usage.heaviest(), None);
        usage.charge(one, 3);
        usage.charge(other, 2);
        usage.charge(other, 2);
        assert_eq!((usage.get(one), usage.get(other), usage.total()), (3, 4, 7));
        assert_eq!(usage.heaviest(), Some((other, 4)));
        let order: Vec<_> = usage.heaviest_first().collect();
        assert_eq!(order, [(other, 4), (one, 3)]);
        usage.release(other, 3);
        assert_eq!(usage.heaviest(), Some((one, 3)));
        usage.release(other, 1);
        usage.release(one, 9);
        assert_eq!(usage.total(), 0);
        assert!(usage.by_peer.is_empty() && usage.by_amount.is_empty());
    }
}
