//! Addresses that are not on the public Internet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use portcullis_domain::ip_network::IpNetwork;

/// What an address that is not public is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressKind {
    /// No particular host, or this one: `0.0.0.0/8`, `::` (RFC 6890).
    Unspecified,
    /// This machine (RFC 6890).
    Loopback,
    /// Neighbours on the same link, by unicast or multicast (RFC 3927, RFC 4291, RFC 5771).
    LinkLocal,
    /// Credentials and settings that a cloud gives to its machines.
    Metadata,
    /// Private networks and unique local addresses (RFC 1918, RFC 4193).
    Private,
    /// Between a carrier and its customers (RFC 6598).
    Shared,
    /// Groups of hosts (RFC 5771, RFC 4291).
    Multicast,
    /// Examples in texts (RFC 5737, RFC 3849, RFC 9637).
    Documentation,
    /// Measurements (RFC 2544, RFC 5180).
    Benchmarking,
    /// Everything else that the registries of IANA do not give out to hosts.
    Reserved,
}

impl AddressKind {
    /// Tells whether such an address is never meant when a wide network around it is allowed.
    const fn is_never_meant(self) -> bool {
        matches!(self, Self::Unspecified | Self::LinkLocal | Self::Metadata)
    }
}

impl fmt::Display for AddressKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Unspecified => "an unspecified address",
            Self::Loopback => "a loopback address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "the address of a metadata service",
            Self::Private => "a private address",
            Self::Shared => "a carrier-grade NAT address (100.64.0.0/10)",
            Self::Multicast => "a multicast address",
            Self::Documentation => "an address for documentation",
            Self::Benchmarking => "an address for benchmarks",
            Self::Reserved => "a reserved address",
        })
    }
}

/// Networks that are not public; the first that holds an address counts.
const NOT_PUBLIC: &[(IpNetwork, AddressKind)] = &[
    (v4(0, 0, 0, 0, 8), AddressKind::Unspecified),
    (v4(127, 0, 0, 0, 8), AddressKind::Loopback),
    (v4(169, 254, 0, 0, 16), AddressKind::LinkLocal),
    (v4(224, 0, 0, 0, 24), AddressKind::LinkLocal),
    (v4(168, 63, 129, 16, 32), AddressKind::Metadata), // Azure
    (v4(100, 100, 100, 200, 32), AddressKind::Metadata), // Alibaba Cloud
    (v4(192, 0, 0, 192, 32), AddressKind::Metadata),   // Oracle Cloud
    (v4(10, 0, 0, 0, 8), AddressKind::Private),
    (v4(172, 16, 0, 0, 12), AddressKind::Private),
    (v4(192, 168, 0, 0, 16), AddressKind::Private),
    (v4(100, 64, 0, 0, 10), AddressKind::Shared),
    (v4(192, 0, 2, 0, 24), AddressKind::Documentation),
    (v4(198, 51, 100, 0, 24), AddressKind::Documentation),
    (v4(203, 0, 113, 0, 24), AddressKind::Documentation),
    (v4(198, 18, 0, 0, 15), AddressKind::Benchmarking),
    (v4(224, 0, 0, 0, 4), AddressKind::Multicast),
    (v4(192, 0, 0, 0, 24), AddressKind::Reserved), // RFC 6890
    (v4(192, 88, 99, 0, 24), AddressKind::Reserved), // RFC 7526
    (v4(240, 0, 0, 0, 4), AddressKind::Reserved),  // RFC 1112
    (v6([0; 8], 128), AddressKind::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), AddressKind::Loopback),
    (
        v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
        AddressKind::LinkLocal,
    ),
    (
        v6([0xff01, 0, 0, 0, 0, 0, 0, 0], 16),
        AddressKind::LinkLocal,
    ),
    (
        v6([0xff02, 0, 0, 0, 0, 0, 0, 0], 16),
        AddressKind::LinkLocal,
    ),
    (
        v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), // AWS
        AddressKind::Metadata,
    ),
    (
        v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), // Google Cloud
        AddressKind::Metadata,
    ),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), AddressKind::Private),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), AddressKind::Private), // RFC 3879
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), AddressKind::Multicast),
    (
        v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
        AddressKind::Documentation,
    ),
    (
        v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
        AddressKind::Documentation,
    ),
    (
        v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48),
        AddressKind::Benchmarking,
    ),
    // Teredo, ORCHID and what else is given to protocols rather than hosts (RFC 2928).
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), AddressKind::Reserved),
];

/// Where hosts on the Internet are: everywhere in IPv4, one part of IPv6 (RFC 4291), and IPv4 by
/// way of NAT64.
const PUBLIC: &[IpNetwork] = &[
    v4(0, 0, 0, 0, 0),
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3),
    NAT64,
];

/// Addresses that a gateway translates to IPv4 (RFC 6052).
const NAT64: IpNetwork = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// Networks of IPv6 whose addresses lead to an IPv4 address that they hold right after the prefix.
const LEADS_TO_V4: &[IpNetwork] = &[
    v6([0; 8], 96), // IPv4-compatible (RFC 4291)
    NAT64,
    v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), // 6to4 (RFC 3056)
];

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> IpNetwork {
    IpNetwork::new(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix)
}

const fn v6(segments: [u16; 8], prefix: u8) -> IpNetwork {
    IpNetwork::new(IpAddr::V6(Ipv6Addr::from_segments(segments)), prefix)
}

/// Why an address is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotPublic {
    pub(super) kind: AddressKind,
    /// Leading bits that the addresses of this kind share.
    prefix: u8,
}

impl NotPublic {
    /// Judges `address`, and the IPv4 address that it leads to; `None` when it is public.
    pub(super) fn of(address: IpAddr) -> Option<Self> {
        let listed = NOT_PUBLIC
            .iter()
            .find(|(network, _)| network.contains(address));
        if let Some((network, kind)) = listed {
            return Some(Self {
                kind: *kind,
                prefix: network.prefix(),
            });
        }
        if let Some((prefix, inner)) = embedded(address)
            && let Some(found) = Self::of(inner.into())
        {
            return Some(Self {
                prefix: prefix + found.prefix,
                ..found
            });
        }
        let is_public = PUBLIC.iter().any(|network| network.contains(address));
        (!is_public).then_some(Self {
            kind: AddressKind::Reserved,
            prefix: 0,
        })
    }

    /// Tells whether allowing `network`, which holds the address, allows the address too.
    ///
    /// What is never meant has to be named: a network that is wider than the addresses of the kind
    /// was not written down for their sake.
    pub(super) fn is_lifted_by(self, network: &IpNetwork) -> bool {
        !self.kind.is_never_meant() || network.prefix() >= self.prefix
    }
}

/// Finds the IPv4 address that `address` leads to, with the bits that stand before it.
pub(super) fn embedded(address: IpAddr) -> Option<(u8, Ipv4Addr)> {
    let IpAddr::V6(v6) = address.to_canonical() else {
        return None;
    };
    let network = LEADS_TO_V4
        .iter()
        .find(|network| network.contains(address))?;
    let bits = v6.to_bits() << u32::from(network.prefix()) >> 96;
    Some((
        network.prefix(),
        Ipv4Addr::from_bits(u32::try_from(bits).ok()?),
    ))
}

#[cfg(test)]
mod tests;
