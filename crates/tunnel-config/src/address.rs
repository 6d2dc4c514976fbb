//! Addresses and names in configurations.

use portcullis_domain::ip_network::IpNetwork;
use serde::Deserialize;
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// A host name in lower case, without a dot at its end.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostName(Arc<str>);

/// Which hosts an entry of a list stands for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum AddressPattern {
    /// An IP address is a network of one.
    Network(IpNetwork),
    Name(HostName),
    /// `*.` and a domain: the domain and all names in it.
    Domain(HostName),
    /// `*`: every name, but no IP address.
    AnyName,
}

/// The text is neither an IP address, nor a network, nor a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be an IP address, a network such as `10.0.0.0/8`, a host name or `*.` and a domain, not {0:?}"
)]
pub struct AddressError(String);

/// RFC 1035, section 2.3.4.
const MAX_NAME_LENGTH: usize = 253;

impl HostName {
    /// A name as programs spell it: with or without a dot at its end, in any case.
    ///
    /// Nothing that ends in a number is one: resolvers take `127.1` and `0x7f000001` for IP addresses (URL Standard,
    /// section 3.5, "ends in a number").
    pub fn new(name: &str) -> Option<Self> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let is_label = |label: &str| {
            let is_plain = |c: char| !c.is_whitespace() && !c.is_control() && !"*/:[]".contains(c);
            !label.is_empty() && label.chars().all(is_plain)
        };
        let is_name = name.len() <= MAX_NAME_LENGTH
            && name.split('.').all(is_label)
            && !name.rsplit('.').next().is_some_and(is_number);
        is_name.then(|| Self(name.to_lowercase().into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name itself, and then the domains that it is in, from the longest.
    pub(crate) fn domains(&self) -> impl Iterator<Item = &str> {
        let inner = self
            .0
            .match_indices('.')
            .filter_map(|(dot, _)| self.0.get(dot + 1..));
        std::iter::once(&*self.0).chain(inner)
    }

    pub(crate) fn is_within(&self, domain: &Self) -> bool {
        let outside = self.0.strip_suffix(&*domain.0);
        outside.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    }
}

/// Decimal, octal or hexadecimal.
fn is_number(label: &str) -> bool {
    let is_all = |text: &str, is_digit: fn(&u8) -> bool| text.bytes().all(|byte| is_digit(&byte));
    let hexadecimal = label
        .strip_prefix("0x")
        .or_else(|| label.strip_prefix("0X"));
    is_all(label, u8::is_ascii_digit)
        || hexadecimal.is_some_and(|digits| is_all(digits, u8::is_ascii_hexdigit))
}

impl fmt::Display for HostName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::borrow::Borrow<str> for HostName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl AddressPattern {
    pub fn matches_ip(&self, address: IpAddr) -> bool {
        matches!(self, Self::Network(network) if network.contains(address))
    }

    pub fn matches_name(&self, name: &HostName) -> bool {
        match self {
            Self::Network(_) => false,
            Self::Name(own) => own == name,
            Self::Domain(domain) => name.is_within(domain),
            Self::AnyName => true,
        }
    }
}

impl FromStr for AddressPattern {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let error = || AddressError(text.to_owned());
        if text == "*" {
            return Ok(Self::AnyName);
        }
        if let Ok(network) = text.parse() {
            return Ok(Self::Network(network));
        }
        match text.strip_prefix("*.") {
            Some(domain) => HostName::new(domain).map(Self::Domain).ok_or_else(error),
            None => HostName::new(text).map(Self::Name).ok_or_else(error),
        }
    }
}

impl TryFrom<String> for AddressPattern {
    type Error = AddressError;

    fn try_from(text: String) -> Result<Self, AddressError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pattern(text: &str) -> AddressPattern {
        text.parse().expect("a pattern")
    }

    #[test]
    fn patterns_match_what_they_stand_for() {
        for (text, host, is_matching) in [
            ("10.1.0.0/16", "10.1.2.3", true),
            ("10.1.0.0/16", "10.2.0.1", false),
            ("10.1.2.3", "10.1.2.3", true),
            ("2001:db8::/32", "2001:db8::1", true),
            ("wiki.example.com", "Wiki.Example.com.", true),
            ("*.example.com", "a.b.example.com", true),
            ("*.example.com", "example.com", true),
            ("*.example.com", "badexample.com", false),
            ("*", "anything", true),
            ("*", "10.0.0.1", false),
        ] {
            let pattern = pattern(text);
            let matches = match host.parse() {
                Ok(address) => pattern.matches_ip(address),
                Err(_) => pattern.matches_name(&HostName::new(host).expect("a name")),
            };
            assert_eq!(matches, is_matching, "{text} and {host}");
        }
    }

    #[test]
    fn other_texts_are_no_patterns() {
        for text in [
            "",
            "*x",
            "*.",
            "a..b",
            "a b",
            "10.0.0.0/33",
            "[::1]",
            "host:80",
            &"a".repeat(254),
        ] {
            let parsed: Result<AddressPattern, _> = text.parse();
            assert!(parsed.is_err(), "{text}");
        }
    }

    #[test]
    fn what_resolvers_take_for_an_address_is_no_name() {
        for text in [
            "127.1",
            "2130706433",
            "0x7f000001",
            "0X7F.1.",
            "wiki.0x",
            "10.0.0.1",
        ] {
            assert_eq!(HostName::new(text), None, "{text}");
        }
        for text in ["1.wiki", "7zip", "0xwiki", "127.1a"] {
            assert!(HostName::new(text).is_some(), "{text}");
        }
    }

    #[test]
    fn domains_of_a_name_come_from_the_longest() {
        let name = HostName::new("a.b.example.com").expect("a name");
        let domains: Vec<&str> = name.domains().collect();
        assert_eq!(
            domains,
            ["a.b.example.com", "b.example.com", "example.com", "com"]
        );
    }
}
