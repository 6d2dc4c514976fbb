//! Sets of the table, and how their elements are written.

use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunnel_config::{PortRange, Protocol};
use portcullis_tunneler::InterceptRule;
use std::fmt;
use std::net::IpAddr;

/// A set of destinations, or of sources and destinations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Set {
    protocol: Protocol,
    is_ipv4: bool,
    has_sources: bool,
}

impl Set {
    /// Both sets of a protocol for addresses of this kind.
    pub(super) fn all_of(protocol: Protocol, address: IpAddr) -> [Self; 2] {
        [false, true].map(|has_sources| Self {
            protocol,
            is_ipv4: address.is_ipv4(),
            has_sources,
        })
    }

    pub(super) fn of_rule(rule: &InterceptRule) -> Self {
        Self {
            protocol: rule.protocol,
            is_ipv4: rule.network.first().is_ipv4(),
            has_sources: rule.source.is_some(),
        }
    }

    pub(super) fn kind(self) -> String {
        let address = if self.is_ipv4 {
            "ipv4_addr"
        } else {
            "ipv6_addr"
        };
        let source = if self.has_sources {
            format!("{address} . ")
        } else {
            String::new()
        };
        format!("{source}{address} . inet_service")
    }

    /// Whether a packet is in the set.
    pub(super) fn is_listed(self) -> String {
        let family = if self.is_ipv4 { "ip" } else { "ip6" };
        let source = if self.has_sources {
            format!("{family} saddr . ")
        } else {
            String::new()
        };
        format!("{source}{family} daddr . {} dport @{self}", self.protocol)
    }
}

impl fmt::Display for Set {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let version = if self.is_ipv4 { 4 } else { 6 };
        let sources = if self.has_sources { "_from" } else { "" };
        write!(formatter, "{}{version}{sources}", self.protocol)
    }
}

/// A network as `nft` and `ip` read it.
pub(crate) struct Cidr(pub(crate) IpNetwork);

impl fmt::Display for Cidr {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.0.first(), self.0.prefix())
    }
}

pub(super) struct Ports(pub(super) PortRange);

impl fmt::Display for Ports {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (low, high) = (self.0.low(), self.0.high());
        if low == high {
            return write!(formatter, "{low}");
        }
        write!(formatter, "{low}-{high}")
    }
}
