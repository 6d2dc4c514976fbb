//! Section `edge.externalJwtSigners`.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use portcullis_yaml::{Diagnostics, Field, Key, Section, codes};

use crate::root::{self, read_all};

/// Section `edge.externalJwtSigners.jwksFetch`: where the keys of external signers may be fetched.
///
/// Private, loopback and link-local addresses are refused unless `allowed_ips` holds them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwksFetch {
    /// Addresses that are allowed although they are private.
    pub allowed_ips: Vec<IpNetwork>,
    /// Addresses that are always refused.
    pub denied_ips: Vec<IpNetwork>,
    /// When not empty, the only host names that are allowed; `*.` in front stands for any subdomain.
    pub allowed_hostnames: Vec<String>,
    /// Host names that are refused; `*.` in front stands for any subdomain.
    pub denied_hostnames: Vec<String>,
    /// Time that one fetch may take, 5 seconds unless given.
    pub timeout: Duration,
    /// Redirects that are followed, 5 unless given.
    pub max_redirects: u32,
}

impl Default for JwksFetch {
    fn default() -> Self {
        Self {
            allowed_ips: Vec::new(),
            denied_ips: Vec::new(),
            allowed_hostnames: Vec::new(),
            denied_hostnames: Vec::new(),
            timeout: Duration::from_secs(5),
            max_redirects: 5,
        }
    }
}

/// One IP address, or all that begin with the same bits, as in `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IpNetwork {
    address: IpAddr,
    prefix: u8,
}

/// The text is neither an IP address nor one with a prefix length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it must be an IP address, or one with the number of leading bits after a slash")]
pub struct IpNetworkError;

impl IpNetwork {
    /// Tells whether the network holds `address`. An IPv4 address inside IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(network), IpAddr::V4(address)) => {
                let shift = 32 - u32::from(self.prefix);
                same_above(network.to_bits().into(), address.to_bits().into(), shift)
            },
            (IpAddr::V6(network), IpAddr::V6(address)) => same_above(
                network.to_bits(),
                address.to_bits(),
                128 - u32::from(self.prefix),
            ),
            _ => false,
        }
    }
}

fn same_above(left: u128, right: u128, shift: u32) -> bool {
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
        Ok(Self { address, prefix })
    }
}

impl fmt::Display for IpNetwork {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.address, self.prefix)
    }
}

const SIGNER_KEYS: &[Key] = &[Key::read("jwksFetch")];

const KEYS: &[Key] = &[
    Key::read("allowedIPs"),
    Key::read("deniedIPs"),
    Key::read("allowedHostnames"),
    Key::read("deniedHostnames"),
    Key::read("blockPrivateAddresses"),
    Key::read("timeout"),
    Key::read("maxRedirects"),
];

pub(super) fn read(edge: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<JwksFetch> {
    let Some(signers) = edge.get_non_null("externalJwtSigners") else {
        return Some(JwksFetch::default());
    };
    let signers = signers.section(diagnostics)?;
    signers.check_keys(SIGNER_KEYS, diagnostics);
    let Some(fetch) = signers.get_non_null("jwksFetch") else {
        return Some(JwksFetch::default());
    };
    let section = fetch.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);

    let allowed_ips = list(&section, "allowedIPs", diagnostics, network);
    let denied_ips = list(&section, "deniedIPs", diagnostics, network);
    let allowed_hostnames = list(&section, "allowedHostnames", diagnostics, host_pattern);
    let denied_hostnames = list(&section, "deniedHostnames", diagnostics, host_pattern);
    let mut fetch = JwksFetch::default();
    if let Some(field) = section.get_non_null("timeout") {
        fetch.timeout = positive(&field, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("maxRedirects") {
        fetch.max_redirects = field.integer(0..=100, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("blockPrivateAddresses")
        && !field.boolean(diagnostics)?
    {
        let message = "private addresses are refused all the same, unless `allowedIPs` holds them";
        field.warning(root::codes::STRICTER, message, diagnostics);
    }
    Some(JwksFetch {
        allowed_ips: allowed_ips?,
        denied_ips: denied_ips?,
        allowed_hostnames: allowed_hostnames?,
        denied_hostnames: denied_hostnames?,
        ..fetch
    })
}

fn list<T>(
    section: &Section<'_>,
    name: &str,
    diagnostics: &mut Diagnostics,
    read: fn(&Field<'_>, &mut Diagnostics) -> Option<T>,
) -> Option<Vec<T>> {
    let Some(field) = section.get_non_null(name) else {
        return Some(Vec::new());
    };
    read_all(&field.list(diagnostics)?, |item| read(item, diagnostics))
}

fn network(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<IpNetwork> {
    item.parse("a network", "10.0.0.0/8", diagnostics)
}

fn host_pattern(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
    let text = item.non_empty(diagnostics)?.trim();
    let host = text.strip_prefix("*.").unwrap_or(text);
    let is_address = host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok();
    if host.is_empty() || is_address || host.contains(['*', '/', ':', '@', ' ', '\t']) {
        let message = format!("`{text}` is not a host name");
        item.error(codes::INVALID_VALUE, message, diagnostics)
            .help("write `idp.example.test` or `*.example.test`; IP addresses belong to `allowedIPs` and `deniedIPs`");
        return None;
    }
    Some(text.trim_end_matches('.').to_lowercase())
}

/// Reads a duration that is longer than nothing.
pub(crate) fn positive(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<Duration> {
    let duration = field
        .duration(diagnostics)?
        .as_std()
        .filter(|duration| !duration.is_zero());
    if duration.is_none() {
        let message = format!("`{}` must be longer than 0s", field.path());
        field.error(codes::OUT_OF_RANGE, message, diagnostics);
    }
    duration
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
        ];
        for (network, address, expected) in cases {
            let network: IpNetwork = network.parse().expect("network is valid");
            let address: IpAddr = address.parse().expect("address is valid");
            assert_eq!(network.contains(address), expected, "{network} {address}");
        }
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
