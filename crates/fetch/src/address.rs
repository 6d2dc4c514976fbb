//! Classification of IP addresses that are not on the public Internet.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use portcullis_domain::ip_network::IpNetwork;

/// Purpose of an address that is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressClass {
    /// No particular host, or this one: `0.0.0.0/8`, `::` (RFC 6890).
    Unspecified,
    /// This machine (RFC 6890).
    Loopback,
    /// Neighbors on the same link, by unicast or multicast (RFC 3927, RFC 4291, RFC 5771).
    LinkLocal,
    /// Metadata services of clouds, which hand out credentials and settings.
    Metadata,
    /// Private networks and unique local addresses (RFC 1918, RFC 4193).
    Private,
    /// Carrier-grade NAT (RFC 6598).
    Shared,
    /// Groups of hosts (RFC 5771, RFC 4291).
    Multicast,
    /// Documentation (RFC 5737, RFC 3849, RFC 9637).
    Documentation,
    /// Benchmarking (RFC 2544, RFC 5180).
    Benchmarking,
    /// Everything else that the IANA registries do not assign to hosts.
    Reserved,
}

impl AddressClass {
    /// Reports whether allowing a wider network around such an address does not allow the address.
    const fn must_be_listed(self) -> bool {
        matches!(self, Self::Unspecified | Self::LinkLocal | Self::Metadata)
    }
}

impl fmt::Display for AddressClass {
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

/// Networks that are not public; the first one that contains an address counts.
const NON_PUBLIC_NETWORKS: &[(IpNetwork, AddressClass)] = &[
    (v4(0, 0, 0, 0, 8), AddressClass::Unspecified),
    (v4(127, 0, 0, 0, 8), AddressClass::Loopback),
    (v4(169, 254, 0, 0, 16), AddressClass::LinkLocal),
    (v4(224, 0, 0, 0, 24), AddressClass::LinkLocal),
    (v4(168, 63, 129, 16, 32), AddressClass::Metadata), // Azure
    (v4(100, 100, 100, 200, 32), AddressClass::Metadata), // Alibaba Cloud
    (v4(192, 0, 0, 192, 32), AddressClass::Metadata),   // Oracle Cloud
    (v4(10, 0, 0, 0, 8), AddressClass::Private),
    (v4(172, 16, 0, 0, 12), AddressClass::Private),
    (v4(192, 168, 0, 0, 16), AddressClass::Private),
    (v4(100, 64, 0, 0, 10), AddressClass::Shared),
    (v4(192, 0, 2, 0, 24), AddressClass::Documentation),
    (v4(198, 51, 100, 0, 24), AddressClass::Documentation),
    (v4(203, 0, 113, 0, 24), AddressClass::Documentation),
    (v4(198, 18, 0, 0, 15), AddressClass::Benchmarking),
    (v4(224, 0, 0, 0, 4), AddressClass::Multicast),
    (v4(192, 0, 0, 0, 24), AddressClass::Reserved), // RFC 6890
    (v4(192, 88, 99, 0, 24), AddressClass::Reserved), // RFC 7526
    (v4(240, 0, 0, 0, 4), AddressClass::Reserved),  // RFC 1112
    (v6([0; 8], 128), AddressClass::Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), AddressClass::Loopback),
    (
        v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
        AddressClass::LinkLocal,
    ),
    (
        v6([0xff01, 0, 0, 0, 0, 0, 0, 0], 16),
        AddressClass::LinkLocal,
    ),
    (
        v6([0xff02, 0, 0, 0, 0, 0, 0, 0], 16),
        AddressClass::LinkLocal,
    ),
    (
        v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128), // AWS
        AddressClass::Metadata,
    ),
    (
        v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128), // Google Cloud
        AddressClass::Metadata,
    ),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), AddressClass::Private),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), AddressClass::Private), // RFC 3879
    (
        v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8),
        AddressClass::Multicast,
    ),
    (
        v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32),
        AddressClass::Documentation,
    ),
    (
        v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20),
        AddressClass::Documentation,
    ),
    (
        v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48),
        AddressClass::Benchmarking,
    ),
    // Teredo, ORCHID and other protocol assignments (RFC 2928).
    (
        v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23),
        AddressClass::Reserved,
    ),
];

/// Public networks: all of IPv4, one part of IPv6 (RFC 4291), and IPv4 by way of NAT64.
const PUBLIC_NETWORKS: &[IpNetwork] = &[
    v4(0, 0, 0, 0, 0),
    v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3),
    NAT64,
];

/// Addresses that a gateway translates to IPv4 (RFC 6052).
const NAT64: IpNetwork = v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96);

/// IPv6 networks whose addresses embed an IPv4 address right after the prefix.
const EMBEDDING_NETWORKS: &[IpNetwork] = &[
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

/// Class of a non-public address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NonPublicAddress {
    pub(crate) class: AddressClass,
    /// Leading bits that the addresses of this class share.
    prefix: u8,
}

impl NonPublicAddress {
    /// Classifies `address`, and the IPv4 address that it embeds; `None` if it is public.
    pub(crate) fn classify(address: IpAddr) -> Option<Self> {
        let listed = NON_PUBLIC_NETWORKS
            .iter()
            .find(|(network, _)| network.contains(address));
        if let Some((network, class)) = listed {
            return Some(Self {
                class: *class,
                prefix: network.prefix(),
            });
        }
        if let Some((prefix, inner)) = embedded_ipv4(address)
            && let Some(found) = Self::classify(inner.into())
        {
            return Some(Self {
                prefix: prefix + found.prefix,
                ..found
            });
        }
        let is_public = PUBLIC_NETWORKS
            .iter()
            .any(|network| network.contains(address));
        (!is_public).then_some(Self {
            class: AddressClass::Reserved,
            prefix: 0,
        })
    }

    /// Reports whether allowing `network`, which contains the address, allows the address too.
    ///
    /// An address that must be listed is not allowed by a network that is wider than its class.
    pub(crate) fn is_allowed_by(self, network: &IpNetwork) -> bool {
        !self.class.must_be_listed() || network.prefix() >= self.prefix
    }
}

/// Returns the IPv4 address that `address` embeds, and the number of bits before it.
pub(crate) fn embedded_ipv4(address: IpAddr) -> Option<(u8, Ipv4Addr)> {
    let IpAddr::V6(v6) = address.to_canonical() else {
        return None;
    };
    let network = EMBEDDING_NETWORKS
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
