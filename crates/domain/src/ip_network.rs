//! IP networks in CIDR notation.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

/// An IP address or network such as `10.0.0.0/8` (RFC 4632).
///
/// IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) count as IPv4.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IpNetwork {
    address: IpAddr,
    prefix: u8,
}

/// The text is not an IP address or network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be an IP address or a network such as 10.0.0.0/8")]
pub struct IpNetworkError;

impl IpNetwork {
    /// The network of all addresses that share the first `prefix` bits of `address`; `prefix` is
    /// capped at the address length.
    pub const fn new(address: IpAddr, prefix: u8) -> Self {
        let (address, prefix, most) = match address {
            IpAddr::V4(_) => (address, prefix, 32),
            // Prefixes below 96 bits cover more than IPv4-mapped addresses.
            IpAddr::V6(v6) => match v6.to_ipv4_mapped() {
                Some(v4) if prefix >= 96 => (IpAddr::V4(v4), prefix - 96, 32),
                Some(_) | None => (address, prefix, 128),
            },
        };
        let prefix = if prefix < most { prefix } else { most };
        Self { address, prefix }
    }

    /// The prefix length in bits.
    pub const fn prefix(&self) -> u8 {
        self.prefix
    }

    /// The first address of the network, whose host part is zero.
    pub fn first(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => {
                let host = u32::MAX.checked_shr(self.prefix.into()).unwrap_or(0);
                IpAddr::V4((address.to_bits() & !host).into())
            },
            IpAddr::V6(address) => {
                let host = u128::MAX.checked_shr(self.prefix.into()).unwrap_or(0);
                IpAddr::V6((address.to_bits() & !host).into())
            },
        }
    }

    /// Whether the network contains `address`.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let shift = 32 - u32::from(self.prefix);
                has_same_prefix(network.to_bits().into(), address.to_bits().into(), shift)
            },
            (IpAddr::V6(network), IpAddr::V6(address)) => has_same_prefix(
                network.to_bits(),
                address.to_bits(),
                128 - u32::from(self.prefix),
            ),
            _ => false,
        }
    }
}

fn has_same_prefix(left: u128, right: u128, shift: u32) -> bool {
    left.checked_shr(shift).unwrap_or(0) == right.checked_shr(shift).unwrap_or(0)
}

impl FromStr for IpNetwork {
    type Err = IpNetworkError;

    fn from_str(text: &str) -> Result<Self, IpNetworkError> {
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) => (address, Some(prefix)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().ok().ok_or(IpNetworkError)?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => most,
            Some(digits) if digits.bytes().all(|b| b.is_ascii_digit()) => digits
                .parse()
                .ok()
                .filter(|prefix| *prefix <= most)
                .ok_or(IpNetworkError)?,
            Some(_) => return Err(IpNetworkError),
        };
        Ok(Self::new(address, prefix))
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.prefix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_hold_their_addresses() {
        let cases = [
            ("10.0.0.0/8", "10.255.0.1", true),
            ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.2", false),
            ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true),
            ("::1", "::1", true),
            ("fd00:1234::/64", "fd00:1234::9", true),
            ("fd00:1234::/64", "fd00:1235::9", false),
            ("::ffff:10.0.0.0/104", "10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "::ffff:10.1.2.3", true),
            ("::ffff:10.0.0.0/104", "11.1.2.3", false),
            ("::ffff:10.1.2.3", "10.1.2.3", true),
        ];
        for (network, address, expected) in cases {
            let network: IpNetwork = network.parse().expect("network is valid");
            let address: IpAddr = address.parse().expect("address is valid");
            assert_eq!(network.contains(address), expected, "{network} {address}");
        }
    }

    #[test]
    fn prefixes_end_where_addresses_do() {
        let v4 = IpNetwork::new([10, 0, 0, 1].into(), 200);
        let v6 = IpNetwork::new([0xfd00, 0, 0, 0, 0, 0, 0, 1].into(), 200);
        assert_eq!((v4.prefix(), v6.prefix()), (32, 128));
        assert_eq!(v4.to_string(), "10.0.0.1/32");
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in [
            "",
            "a",
            "10.0.0.0/33",
            "::/129",
            "10.0.0/8",
            "10.0.0.0/",
            "10.0.0.0/+8",
            "10.0.0.0/8/8",
        ] {
            assert_eq!(text.parse::<IpNetwork>(), Err(IpNetworkError), "{text}");
        }
    }
}
