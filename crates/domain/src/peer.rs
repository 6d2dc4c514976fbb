//! Peers: whom the cost of a request is charged to.

mod attempts;
mod recent;

use crate::ids::Number;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

pub use attempts::RecentAttempts;
pub use recent::RecentPeers;

/// Whoever causes cost: an identity, or a client that has not proved who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Peer {
    /// An identity, by the number of its record.
    Identity(Number),
    /// An IPv4 address, or the IPv6 network of 64 bits that one client chooses its addresses from.
    Address(IpAddr),
}

impl Peer {
    /// The controller itself, and commands on its own machine.
    pub const CONTROLLER: Self = Self::Address(IpAddr::V4(Ipv4Addr::LOCALHOST));

    /// The peer behind an address. An IPv4 address inside IPv6 counts as IPv4.
    pub fn at(address: IpAddr) -> Self {
        Self::Address(network_of(address))
    }
}

/// The network in which one client chooses its address: IPv6 of 64 bits, IPv4 of one address. An
/// IPv4 address inside IPv6 counts as IPv4.
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
            Self::Identity(Number(number)) => write!(formatter, "identity {number}"),
            Self::Address(IpAddr::V4(address)) => address.fmt(formatter),
            Self::Address(IpAddr::V6(network)) => write!(formatter, "{network}/64"),
        }
    }
}

/// How much of something limited each peer uses, and who uses most.
///
/// It keeps the account and decides nothing: whoever owns the resource compares the figures with its
/// limits, and takes from [`PeerUsage::heaviest`] when all of it is in use.
#[derive(Debug, Clone, Default)]
pub struct PeerUsage {
    total: usize,
    by_peer: BTreeMap<Peer, usize>,
    by_amount: BTreeSet<(usize, Peer)>,
}

impl PeerUsage {
    /// What all peers use together.
    pub fn total(&self) -> usize {
        self.total
    }

    /// How many peers use something.
    pub fn peers(&self) -> usize {
        self.by_peer.len()
    }

    /// What one peer uses.
    pub fn of(&self, peer: Peer) -> usize {
        self.by_peer.get(&peer).copied().unwrap_or(0)
    }

    /// The peer that uses most, and how much.
    pub fn heaviest(&self) -> Option<(Peer, usize)> {
        self.by_amount.last().map(|&(amount, peer)| (peer, amount))
    }

    /// All peers that use something, and how much, from the one that uses most down.
    pub fn heaviest_first(&self) -> impl Iterator<Item = (Peer, usize)> {
        self.by_amount
            .iter()
            .rev()
            .map(|&(amount, peer)| (peer, amount))
    }

    /// Charges a peer with `amount` more.
    pub fn charge(&mut self, peer: Peer, amount: usize) {
        self.set(peer, self.of(peer).saturating_add(amount));
    }

    /// Takes `amount` off what a peer uses; a peer that uses nothing is forgotten.
    pub fn release(&mut self, peer: Peer, amount: usize) {
        self.set(peer, self.of(peer).saturating_sub(amount));
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
        Peer::at(address.parse().unwrap())
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
        let (one, other) = (at("192.0.2.1"), Peer::Identity(Number(7)));
        let mut usage = PeerUsage::default();
        assert_eq!(usage.heaviest(), None);
        usage.charge(one, 3);
        usage.charge(other, 2);
        usage.charge(other, 2);
        assert_eq!((usage.of(one), usage.of(other), usage.total()), (3, 4, 7));
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
