//! Ports by the networks that connections come from.

use crate::port_set::PortSet;
use portcullis_domain::ip_network::IpNetwork;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Bound;

/// A network by its first address and length: it comes after those that it is in.
pub(super) type NetworkKey = (IpAddr, u8);

pub(super) fn key(network: &IpNetwork) -> NetworkKey {
    (network.first(), network.prefix())
}

pub(super) fn network((first, prefix): NetworkKey) -> IpNetwork {
    IpNetwork::new(first, prefix)
}

/// Ports by the networks that connections come from. An address has each port once, however many of the networks
/// it is in.
#[derive(Debug, Clone, Default)]
pub(super) struct SourcePorts(BTreeMap<NetworkKey, PortSet>);

impl SourcePorts {
    /// Adds ports for connections from a network, and what of them was not there to `added`. The network is
    /// divided where some of its addresses had the ports and others not.
    pub(super) fn add(
        &mut self,
        source: IpNetwork,
        ports: &PortSet,
        added: &mut Vec<(IpNetwork, PortSet)>,
    ) {
        let wider = self.around(&source);
        let missing = wider.fold(ports.clone(), |missing, had| missing.without(had));
        if missing.is_empty() {
            return;
        }
        let narrower = self.within(&source).flat_map(PortSet::ranges);
        let of_parts: PortSet = narrower.copied().collect();
        let undivided = missing.without(&of_parts);
        let divided = missing.without(&undivided);
        if !undivided.is_empty() {
            let known = self.0.entry(key(&source)).or_default();
            *known = known.union(&undivided);
            added.push((source, undivided));
        }
        if !divided.is_empty() {
            for half in halves(&source).into_iter().flatten() {
                self.add(half, &divided, added);
            }
        }
    }

    /// Ports of the network and of those that it is in.
    fn around(&self, network: &IpNetwork) -> impl Iterator<Item = &PortSet> {
        let first = network.first();
        let wider = (0..=network.prefix()).map(move |prefix| IpNetwork::new(first, prefix));
        wider.filter_map(|wider| self.0.get(&key(&wider)))
    }

    /// Ports of networks in it.
    fn within(&self, network: &IpNetwork) -> impl Iterator<Item = &PortSet> {
        let after = (Bound::Excluded(key(network)), Bound::Unbounded);
        let narrower = self.0.range::<NetworkKey, _>(after);
        narrower
            .take_while(|((first, _), _)| network.contains(*first))
            .map(|(_, ports)| ports)
    }
}

/// Both halves of a network; `None` for addresses of IPv4 in IPv6, from which no connection comes.
fn halves(network: &IpNetwork) -> [Option<IpNetwork>; 2] {
    let (first, prefix) = (network.first(), network.prefix());
    let second = match first {
        IpAddr::V4(first) => {
            let half = (1_u32 << 31).checked_shr(prefix.into());
            half.map(|half| IpAddr::V4((first.to_bits() | half).into()))
        },
        IpAddr::V6(first) => {
            let half = (1_u128 << 127).checked_shr(prefix.into());
            half.map(|half| IpAddr::V6((first.to_bits() | half).into()))
        },
    };
    [Some(first), second].map(|address| {
        let half = IpNetwork::new(address?, prefix + 1);
        (half.first().is_ipv4() == first.is_ipv4()).then_some(half)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_tunnel_config::PortRange;

    fn ports(low: u16, high: u16) -> PortSet {
        PortRange::new(low, high).into_iter().collect()
    }

    fn added(known: &mut SourcePorts, source: &str, ports: &PortSet) -> Vec<String> {
        let mut added = Vec::new();
        known.add(source.parse().expect("a network"), ports, &mut added);
        let ranges = added.iter().flat_map(|(source, ports)| {
            let ranges = ports.ranges().iter();
            ranges.map(move |range| format!("{source} {}-{}", range.low(), range.high()))
        });
        ranges.collect()
    }

    #[test]
    fn a_network_is_divided_where_parts_of_it_have_the_ports() {
        let mut known = SourcePorts::default();
        assert_eq!(
            added(&mut known, "10.0.0.4/30", &ports(80, 89)),
            ["10.0.0.4/30 80-89"]
        );
        assert_eq!(
            added(&mut known, "10.0.0.0/28", &ports(85, 99)),
            [
                "10.0.0.0/28 90-99",
                "10.0.0.0/30 85-89",
                "10.0.0.8/29 85-89"
            ]
        );
        let nothing: [&str; 0] = [];
        assert_eq!(
            added(&mut known, "10.0.0.5/32", &ports(80, 99)),
            nothing,
            "all is there"
        );
    }

    #[test]
    fn the_longest_networks_end() {
        let mut known = SourcePorts::default();
        added(&mut known, "::fffe:0:1/128", &ports(1, 1));
        let all = added(&mut known, "::/0", &ports(1, 1));
        assert_eq!(all.len(), 127, "one of IPv4 is left out");
        added(&mut known, "255.255.255.255", &ports(1, 1));
        assert_eq!(added(&mut known, "0.0.0.0/0", &ports(1, 1)).len(), 32);
    }
}
