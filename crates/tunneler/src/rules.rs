//! What the kernel intercepts.

use crate::port_set::PortSet;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunnel_config::{AddressPattern, Intercept, PortRange, Protocol};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::net::IpAddr;

/// Connections that the kernel hands to the tunneler. It may be more than services want: what is for no service
/// is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterceptRule {
    pub protocol: Protocol,
    pub network: IpNetwork,
    pub ports: PortRange,
}

/// What the kernel has to intercept from now on, and what not any more. Both at once: between them, a
/// connection could get by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RuleChange {
    pub removed: Vec<InterceptRule>,
    pub added: Vec<InterceptRule>,
}

/// The rules that the kernel has been told.
#[derive(Debug, Default)]
pub(crate) struct Rules {
    /// In order.
    told: Vec<InterceptRule>,
}

impl Rules {
    pub(crate) fn told(&self) -> &[InterceptRule] {
        &self.told
    }

    /// Changes the rules to those for these interceptions. `None` if they are the same.
    ///
    /// `name_range` is intercepted as a whole.
    pub(crate) fn change<'i>(
        &mut self,
        name_range: IpNetwork,
        intercepts: impl Iterator<Item = &'i Intercept>,
    ) -> Option<RuleChange> {
        let wanted = rules(name_range, intercepts);
        let change = difference(&self.told, &wanted);
        self.told = wanted;
        let is_empty = change.removed.is_empty() && change.added.is_empty();
        (!is_empty).then_some(change)
    }
}

/// Networks by their first address and length, so that each comes after those that it is in.
type PortsOfNetworks = BTreeMap<(IpAddr, u8), Vec<PortRange>>;

/// Rules for all of it, no two of which have a destination in common, in order.
fn rules<'i>(
    name_range: IpNetwork,
    intercepts: impl Iterator<Item = &'i Intercept>,
) -> Vec<InterceptRule> {
    let mut tcp = PortsOfNetworks::new();
    let mut udp = PortsOfNetworks::new();
    for networks in [&mut tcp, &mut udp] {
        networks.insert(
            key(&name_range),
            PortRange::new(1, u16::MAX).into_iter().collect(),
        );
    }
    for intercept in intercepts {
        for address in &intercept.addresses {
            let AddressPattern::Network(network) = address else {
                continue;
            };
            for protocol in &intercept.protocols {
                let networks = match protocol {
                    Protocol::Tcp => &mut tcp,
                    Protocol::Udp => &mut udp,
                };
                let ports = networks.entry(key(network)).or_default();
                let ranges = intercept.ports.iter().copied();
                ports.extend(ranges.filter_map(without_zero));
            }
        }
    }
    let mut rules = Vec::new();
    for (protocol, networks) in [(Protocol::Tcp, tcp), (Protocol::Udp, udp)] {
        divide(protocol, networks, &mut rules);
    }
    rules.sort_unstable();
    rules
}

/// The range without the port 0, which nobody connects to and tables refuse.
fn without_zero(range: PortRange) -> Option<PortRange> {
    PortRange::new(range.low().max(1), range.high())
}

fn key(network: &IpNetwork) -> (IpAddr, u8) {
    (network.first(), network.prefix())
}

/// Gives each network its ports without those that networks around it have already.
fn divide(protocol: Protocol, networks: PortsOfNetworks, rules: &mut Vec<InterceptRule>) {
    // Networks that the last one is in, with their ports and those of networks around them.
    let mut around: Vec<(IpNetwork, PortSet)> = Vec::new();
    for ((first, prefix), ports) in networks {
        let network = IpNetwork::new(first, prefix);
        while around.pop_if(|(outer, _)| !outer.contains(first)).is_some() {}
        let ports: PortSet = ports.into_iter().collect();
        let (own, all) = match around.last() {
            None => (ports.clone(), ports),
            Some((_, outer)) => (ports.without(outer), ports.union(outer)),
        };
        rules.extend(own.ranges().iter().map(|ports| InterceptRule {
            protocol,
            network,
            ports: *ports,
        }));
        around.push((network, all));
    }
}

/// What is only in the one and only in the other of two lists in order.
fn difference(before: &[InterceptRule], after: &[InterceptRule]) -> RuleChange {
    let mut change = RuleChange::default();
    let (mut old, mut new) = (before.iter().peekable(), after.iter().peekable());
    loop {
        let order = match (old.peek(), new.peek()) {
            (None, None) => return change,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(old), Some(new)) => old.cmp(new),
        };
        if order.is_eq() {
            old.next();
            new.next();
        } else if order.is_lt() {
            change.removed.extend(old.next());
        } else {
            change.added.extend(new.next());
        }
    }
}

#[cfg(test)]
mod tests;
