//! The service of a destination, among all that are intercepted.

use crate::address::{AddressPattern, HostName};
use crate::intercept::Intercept;
use crate::protocol::{PortRange, Protocol};
use portcullis_domain::ip_network::IpNetwork;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::Arc;

/// What services intercept, for finding the service of a destination. `S` is what a service is known by.
#[derive(Debug, Clone)]
pub struct Interceptions<S> {
    networks: Networks<S>,
    names: HashMap<HostName, Rules<S>>,
    domains: HashMap<HostName, Rules<S>>,
    /// What each service intercepts, for taking it away again.
    addresses: BTreeMap<S, Vec<AddressPattern>>,
}

/// Where a connection is to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    pub protocol: Protocol,
    /// `None` stands for something that is neither an address nor a name, and that no service has.
    pub host: Option<DestinationHost>,
    pub port: u16,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DestinationHost {
    Ip(IpAddr),
    Name(HostName),
}

/// Rules of the networks of each length, which are looked up by their first address.
#[derive(Debug, Clone)]
struct Networks<S> {
    by_prefix: BTreeMap<u8, HashMap<IpAddr, Rules<S>>>,
}

/// Rules for one address, from the most specific one.
type Rules<S> = Vec<Rule<S>>;

#[derive(Debug, Clone)]
struct Rule<S> {
    protocol: Protocol,
    ports: PortRange,
    sources: Arc<[IpNetwork]>,
    service: S,
}

impl Destination {
    pub fn ip(protocol: Protocol, address: IpAddr, port: u16) -> Self {
        Self {
            protocol,
            host: Some(DestinationHost::Ip(address.to_canonical())),
            port,
        }
    }

    pub fn name(protocol: Protocol, name: &str, port: u16) -> Self {
        Self {
            protocol,
            host: HostName::new(name).map(DestinationHost::Name),
            port,
        }
    }
}

impl<S> Default for Interceptions<S> {
    fn default() -> Self {
        Self {
            networks: Networks {
                by_prefix: BTreeMap::new(),
            },
            names: HashMap::new(),
            domains: HashMap::new(),
            addresses: BTreeMap::new(),
        }
    }
}

impl<S: Clone + Ord> Interceptions<S> {
    /// Adds what a service intercepts, in place of what it intercepted before.
    pub fn insert(&mut self, service: S, intercept: &Intercept) {
        self.remove(&service);
        let sources: Arc<[IpNetwork]> = intercept.sources.as_slice().into();
        for address in &intercept.addresses {
            let Some(rules) = self.rules_mut(address) else {
                continue;
            };
            for (protocol, ports) in combinations(intercept) {
                rules.push(Rule {
                    protocol,
                    ports,
                    sources: Arc::clone(&sources),
                    service: service.clone(),
                });
            }
            rules.sort_by(|left, right| left.order().cmp(&right.order()));
        }
        self.addresses.insert(service, intercept.addresses.clone());
    }

    /// Takes away what a service intercepts.
    pub fn remove(&mut self, service: &S) {
        for address in self.addresses.remove(service).unwrap_or_default() {
            match &address {
                AddressPattern::Network(network) => self.networks.remove(network, service),
                AddressPattern::Name(name) => remove(&mut self.names, name, service),
                AddressPattern::Domain(domain) => remove(&mut self.domains, domain, service),
                AddressPattern::AnyName => {},
            }
        }
    }

    /// The service that a destination belongs to, for connections from this address.
    pub fn find<'i>(&'i self, destination: &'i Destination, source: IpAddr) -> Option<&'i S> {
        let first_that_fits = |rules: &'i Rules<S>| {
            let rule = rules.iter().find(|rule| rule.fits(destination, source))?;
            Some(&rule.service)
        };
        match destination.host.as_ref()? {
            DestinationHost::Ip(address) => {
                self.networks.containing(*address).find_map(first_that_fits)
            },
            DestinationHost::Name(name) => self.of_name(name).find_map(first_that_fits),
        }
    }

    /// The addresses that a service intercepts; none if it is unknown.
    pub fn addresses_of(&self, service: &S) -> &[AddressPattern] {
        self.addresses.get(service).map_or(&[], Vec::as_slice)
    }

    /// Whether a service intercepts connections to the name, whatever their port.
    pub fn has_name(&self, name: &HostName) -> bool {
        self.of_name(name).next().is_some()
    }

    /// Whether a service intercepts connections to the name itself, not only to a domain that it is in.
    pub fn has_exact_name(&self, name: &HostName) -> bool {
        self.names.contains_key(name.as_str())
    }

    /// Rules for a name, from the most specific ones.
    fn of_name<'i>(&'i self, name: &'i HostName) -> impl Iterator<Item = &'i Rules<S>> {
        let exact = self.names.get(name.as_str()).into_iter();
        exact.chain(name.domains().filter_map(|domain| self.domains.get(domain)))
    }

    fn rules_mut(&mut self, address: &AddressPattern) -> Option<&mut Rules<S>> {
        match address {
            AddressPattern::Network(network) => Some(self.networks.rules_mut(network)),
            AddressPattern::Name(name) => Some(self.names.entry(name.clone()).or_default()),
            AddressPattern::Domain(domain) => Some(self.domains.entry(domain.clone()).or_default()),
            AddressPattern::AnyName => None,
        }
    }
}

fn combinations(intercept: &Intercept) -> impl Iterator<Item = (Protocol, PortRange)> {
    let protocols = intercept.protocols.iter();
    protocols.flat_map(|protocol| intercept.ports.iter().map(|ports| (*protocol, *ports)))
}

fn remove<K: Hash + Eq, S: PartialEq>(rules_of: &mut HashMap<K, Rules<S>>, key: &K, service: &S) {
    if let Some(rules) = rules_of.get_mut(key) {
        rules.retain(|rule| rule.service != *service);
        if rules.is_empty() {
            rules_of.remove(key);
        }
    }
}

impl<S: PartialEq> Networks<S> {
    fn rules_mut(&mut self, network: &IpNetwork) -> &mut Rules<S> {
        let of_length = self.by_prefix.entry(network.prefix()).or_default();
        of_length.entry(network.first()).or_default()
    }

    fn remove(&mut self, network: &IpNetwork, service: &S) {
        if let Some(of_length) = self.by_prefix.get_mut(&network.prefix()) {
            remove(of_length, &network.first(), service);
            if of_length.is_empty() {
                self.by_prefix.remove(&network.prefix());
            }
        }
    }

    /// Rules of the networks with this address, from the smallest network.
    fn containing(&self, address: IpAddr) -> impl Iterator<Item = &Rules<S>> {
        let from_smallest = self.by_prefix.iter().rev();
        from_smallest.filter_map(move |(prefix, of_length)| {
            let network = IpNetwork::new(address, *prefix);
            // A length of IPv6 is none of IPv4.
            let rules = of_length.get(&network.first());
            rules.filter(|_| network.prefix() == *prefix)
        })
    }
}

impl<S: Ord> Rule<S> {
    fn fits(&self, destination: &Destination, source: IpAddr) -> bool {
        let is_from_source =
            self.sources.is_empty() || self.sources.iter().any(|network| network.contains(source));
        self.protocol == destination.protocol
            && self.ports.contains(destination.port)
            && is_from_source
    }

    /// The smallest is the most specific.
    fn order(&self) -> (u16, bool, &S) {
        (self.ports.width(), self.sources.is_empty(), &self.service)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn intercept(addresses: &[&str], ports: (u16, u16), sources: &[&str]) -> Intercept {
        let config = json!({
            "protocols": ["tcp"],
            "addresses": addresses,
            "portRanges": [{"low": ports.0, "high": ports.1}],
            "allowedSourceAddresses": sources,
        });
        Intercept::from_intercept_v1(&config).expect("valid")
    }

    fn table() -> Interceptions<&'static str> {
        let mut table = Interceptions::default();
        let mut add = |service, address: &str, ports, sources: &[&str]| {
            table.insert(service, &intercept(&[address], ports, sources));
        };
        add("all of v4", "0.0.0.0/0", (1, 65_535), &[]);
        add("network", "10.1.0.0/16", (1, 65_535), &[]);
        add("address", "10.1.2.3", (80, 80), &[]);
        add("v6", "2001:db8::/32", (80, 80), &[]);
        add("domain", "*.corp", (1, 65_535), &[]);
        add("inner domain", "*.it.corp", (1, 100), &[]);
        add("name", "wiki.it.corp", (80, 90), &[]);
        add("name, few ports", "wiki.it.corp", (80, 81), &[]);
        add(
            "name, from here",
            "wiki.it.corp",
            (80, 81),
            &["192.0.2.0/24"],
        );
        add("same name, later", "zzz.it.corp", (1, 1), &[]);
        add("same name", "zzz.it.corp", (1, 1), &[]);
        table
    }

    fn find(table: &Interceptions<&'static str>, host: &str, port: u16) -> Option<&'static str> {
        find_from(table, host, port, "198.51.100.1")
    }

    fn find_from(
        table: &Interceptions<&'static str>,
        host: &str,
        port: u16,
        source: &str,
    ) -> Option<&'static str> {
        let destination = match host.parse() {
            Ok(address) => Destination::ip(Protocol::Tcp, address, port),
            Err(_) => Destination::name(Protocol::Tcp, host, port),
        };
        table
            .find(&destination, source.parse().expect("an address"))
            .copied()
    }

    #[test]
    fn the_most_specific_service_answers() {
        let table = table();
        for (host, port, expected) in [
            ("10.1.2.3", 80, Some("address")),
            ("::ffff:10.1.2.3", 80, Some("address")),
            ("10.1.2.3", 81, Some("network")),
            ("10.1.9.9", 80, Some("network")),
            ("192.0.2.1", 80, Some("all of v4")),
            ("2001:db8::1", 80, Some("v6")),
            ("2001:db8::1", 81, None),
            ("2001:db9::1", 80, None),
            ("wiki.it.corp", 80, Some("name, few ports")),
            ("wiki.it.corp", 85, Some("name")),
            ("WIKI.it.corp.", 95, Some("inner domain")),
            ("wiki.it.corp", 101, Some("domain")),
            ("it.corp", 22, Some("inner domain")),
            ("corp", 22, Some("domain")),
            ("zzz.it.corp", 1, Some("same name")),
            ("example.com", 80, None),
            ("not a name", 80, None),
        ] {
            assert_eq!(find(&table, host, port), expected, "{host}:{port}");
        }
        assert_eq!(
            find_from(&table, "wiki.it.corp", 80, "192.0.2.7"),
            Some("name, from here")
        );
        let udp = Destination::name(Protocol::Udp, "corp", 22);
        assert_eq!(
            table.find(&udp, "192.0.2.7".parse().expect("an address")),
            None
        );
    }

    #[test]
    fn what_is_removed_is_gone_and_others_stay() {
        let mut table = table();
        table.remove(&"name, few ports");
        assert_eq!(find(&table, "wiki.it.corp", 80), Some("name"));
        table.remove(&"address");
        assert_eq!(find(&table, "10.1.2.3", 80), Some("network"));
        table.insert("network", &intercept(&["10.9.0.0/16"], (1, 65_535), &[]));
        assert_eq!(find(&table, "10.1.2.3", 80), Some("all of v4"));
        assert_eq!(find(&table, "10.9.2.3", 80), Some("network"));

        let services: Vec<_> = table.addresses.keys().copied().collect();
        for service in services {
            table.remove(&service);
        }
        assert!(table.names.is_empty() && table.domains.is_empty());
        assert!(table.networks.by_prefix.is_empty());
    }

    #[test]
    fn names_are_known_by_themselves_or_their_domains() {
        let table = table();
        let has = |name| table.has_name(&HostName::new(name).expect("a name"));
        assert!(has("wiki.it.corp") && has("anything.corp") && has("corp"));
        assert!(!has("example.com"));
        let has_exact = |name| table.has_exact_name(&HostName::new(name).expect("a name"));
        assert!(has_exact("wiki.it.corp") && !has_exact("anything.corp"));
    }
}
