//! What the kernel intercepts.

mod source_ports;

use crate::port_set::PortSet;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunnel_config::{AddressPattern, Intercept, PortRange, Protocol};
use source_ports::{NetworkKey, SourcePorts, key};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// Connections that the kernel hands to the tunneler. It may be more than services want: what is for no service
/// is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InterceptRule {
    pub protocol: Protocol,
    /// Where the connections come from, of the same kind of IP as `network`; `None` for everywhere.
    ///
    /// Rules without a source have no destination in common, and rules with one no pair of source and destination,
    /// so that each of the two kinds can be a table of its own. A rule with a source may be within one without.
    pub source: Option<IpNetwork>,
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

/// What is wanted of each network.
type WantedOfNetworks = BTreeMap<NetworkKey, WantedPorts>;

/// Ports of a network that services want.
#[derive(Debug, Default)]
struct WantedPorts {
    from_everywhere: Vec<PortRange>,
    by_source: BTreeMap<NetworkKey, Vec<PortRange>>,
}

/// Rules for all of it, in order.
fn rules<'i>(
    name_range: IpNetwork,
    intercepts: impl Iterator<Item = &'i Intercept>,
) -> Vec<InterceptRule> {
    let mut tcp = WantedOfNetworks::new();
    let mut udp = WantedOfNetworks::new();
    for networks in [&mut tcp, &mut udp] {
        let names = networks.entry(key(&name_range)).or_default();
        names.from_everywhere.extend(PortRange::new(1, u16::MAX));
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
                let wanted = networks.entry(key(network)).or_default();
                wanted.add(&intercept.sources, &intercept.ports);
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

impl WantedPorts {
    fn add(&mut self, sources: &[IpNetwork], ports: &[PortRange]) {
        let ports = ports.iter().copied().filter_map(without_zero);
        if sources.is_empty() {
            self.from_everywhere.extend(ports);
            return;
        }
        for source in sources {
            let of_source = self.by_source.entry(key(source)).or_default();
            of_source.extend(ports.clone());
        }
    }
}

/// The range without the port 0, which nobody connects to and tables refuse.
fn without_zero(range: PortRange) -> Option<PortRange> {
    PortRange::new(range.low().max(1), range.high())
}

/// Ports of a network and of those that it is in.
#[derive(Debug, Clone, Default)]
struct KnownPorts {
    from_everywhere: PortSet,
    by_source: SourcePorts,
}

/// Gives each network its ports without those that networks around it have already.
fn divide(protocol: Protocol, networks: WantedOfNetworks, rules: &mut Vec<InterceptRule>) {
    // Networks that the last one is in.
    let mut around: Vec<(IpNetwork, KnownPorts)> = Vec::new();
    for (key, wanted) in networks {
        let network = source_ports::network(key);
        while around
            .pop_if(|(outer, _)| !outer.contains(network.first()))
            .is_some()
        {}
        let mut known = around
            .last()
            .map_or_else(KnownPorts::default, |(_, outer)| outer.clone());
        for (source, ports) in known.add(&network, wanted) {
            rules.extend(ports.ranges().iter().map(|ports| InterceptRule {
                protocol,
                source,
                network,
                ports: *ports,
            }));
        }
        around.push((network, known));
    }
}

impl KnownPorts {
    /// Adds what is wanted of a network. The answer is what of it is new, by source.
    fn add(
        &mut self,
        network: &IpNetwork,
        wanted: WantedPorts,
    ) -> Vec<(Option<IpNetwork>, PortSet)> {
        let from_everywhere: PortSet = wanted.from_everywhere.into_iter().collect();
        let new = from_everywhere.without(&self.from_everywhere);
        self.from_everywhere = self.from_everywhere.union(&new);
        let mut by_source = Vec::new();
        for (source, ports) in wanted.by_source {
            let source = source_ports::network(source);
            if source.first().is_ipv4() != network.first().is_ipv4() {
                continue;
            }
            let ports: PortSet = ports.into_iter().collect();
            let ports = ports.without(&self.from_everywhere);
            self.by_source.add(source, &ports, &mut by_source);
        }
        let by_source = by_source
            .into_iter()
            .map(|(source, ports)| (Some(source), ports));
        [(None, new)].into_iter().chain(by_source).collect()
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
