//! Names and addresses that are reserved for the controller.
//!
//! Only its own certificates may contain them: whoever holds another certificate for one of them can
//! impersonate the controller to its clients.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use x509_cert::ext::pkix::name::GeneralName;

use crate::{certificate::Certificate, csr::CsrError, subject::Subject};

/// A certificate was requested for a name of the controller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} belongs to the controller. Remove it from the CSR; or, if this router runs on the \
     controller's host, add {name:?} to edge.enrollment.sharedHosts in the controller's \
     configuration and restart it"
)]
pub struct ReservedNameError {
    /// The name as requested.
    pub name: String,
}

/// The names and addresses at which other machines reach the controller.
///
/// Loopback names and addresses are never reserved: they lead to no other machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReservedNames {
    hosts: BTreeSet<Host>,
    /// Names that others may have nevertheless; a wildcard here covers only that wildcard itself.
    shared: BTreeSet<Host>,
}

/// A host name, wildcard or address in canonical form for comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    Address(IpAddr),
    Name(String),
    /// The domain after `*.`.
    Wildcard(String),
}

impl ReservedNames {
    /// Reserves the configured `hosts` and the names in `certificates`, except the `shared` ones.
    pub fn new<'a>(
        hosts: impl IntoIterator<Item = &'a str>,
        certificates: impl IntoIterator<Item = &'a Certificate>,
        shared: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut reserved: BTreeSet<Host> = hosts.into_iter().map(Host::parse).collect();
        for certificate in certificates {
            reserved.extend(
                certificate
                    .names()
                    .iter()
                    .filter_map(Host::from_general_name),
            );
        }
        let shared: BTreeSet<Host> = shared.into_iter().map(Host::parse).collect();
        reserved.retain(|host| host.is_remote() && !shared.contains(host));
        Self {
            hosts: reserved,
            shared,
        }
    }

    /// Checks a host name, a wildcard or an address.
    ///
    /// # Errors
    ///
    /// [`ReservedNameError`] if it is one of the controller's names or a wildcard that covers one.
    pub fn check(&self, name: &str) -> Result<(), ReservedNameError> {
        self.check_host(&Host::parse(name), name)
    }

    /// Checks the subject alternative names of a certificate.
    ///
    /// # Errors
    ///
    /// [`ReservedNameError`] with the first reserved name.
    pub fn check_certificate(&self, certificate: &Certificate) -> Result<(), ReservedNameError> {
        let mut names = certificate.names().iter();
        names.try_for_each(|name| self.check_general_name(name))
    }

    /// Checks the common name: clients fall back to it if no alternative name is a DNS name, and some
    /// of them accept a `*` anywhere in it as a wildcard. No subject needs one.
    pub(crate) fn check_subject(&self, subject: &Subject) -> Result<(), CsrError> {
        let Some(name) = subject.last_common_name() else {
            return Ok(());
        };
        self.check(name)?;
        if name.contains('*') {
            return Err(CsrError::WildcardSubject(name.to_owned()));
        }
        Ok(())
    }

    pub(crate) fn check_general_name(&self, name: &GeneralName) -> Result<(), ReservedNameError> {
        let Some(host) = Host::from_general_name(name) else {
            return Ok(());
        };
        let written = match name {
            GeneralName::DnsName(host) => host.to_string(),
            GeneralName::UniformResourceIdentifier(uri) => uri.to_string(),
            _ => host.to_string(),
        };
        self.check_host(&host, &written)
    }

    fn check_host(&self, host: &Host, written: &str) -> Result<(), ReservedNameError> {
        let is_reserved = self.hosts.contains(host)
            || matches!(host, Host::Wildcard(domain) if self.is_wildcard_over_any(domain));
        if is_reserved && !self.shared.contains(host) {
            let name = written.to_owned();
            return Err(ReservedNameError { name });
        }
        Ok(())
    }

    /// Whether a wildcard under `domain` covers a reserved name; it stands for exactly one label.
    fn is_wildcard_over_any(&self, domain: &str) -> bool {
        self.hosts.iter().any(|host| match host {
            Host::Name(name) => name
                .split_once('.')
                .is_some_and(|(_label, rest)| rest == domain),
            _ => false,
        })
    }
}

impl Host {
    /// Parses a host in any notation: case, trailing dots, internationalized names, brackets and
    /// zones of IPv6, short and hexadecimal forms of IPv4.
    fn parse(text: &str) -> Self {
        let text = text.trim();
        let inner = text.trim_start_matches('[').trim_end_matches(']');
        let unzoned = inner.split_once('%').map_or(inner, |(address, _)| address);
        if let Ok(address) = unzoned.parse::<IpAddr>() {
            return Self::Address(address.to_canonical());
        }
        let undotted = text.trim_end_matches('.');
        let folded = match idna::domain_to_ascii(undotted) {
            Ok(folded) if !folded.is_empty() => folded,
            _ => undotted.to_ascii_lowercase(),
        };
        if let Some(address) = parse_loose_ipv4(&folded) {
            return Self::Address(address.into());
        }
        match folded.strip_prefix("*.") {
            Some(domain) => Self::Wildcard(domain.to_owned()),
            None => Self::Name(folded),
        }
    }

    /// The host in an alternative name; `None` if it contains none.
    fn from_general_name(name: &GeneralName) -> Option<Self> {
        match name {
            GeneralName::DnsName(host) => Some(Self::parse(host.as_str())),
            GeneralName::IpAddress(octets) => {
                let octets = octets.as_bytes();
                let address = match (<[u8; 4]>::try_from(octets), <[u8; 16]>::try_from(octets)) {
                    (Ok(octets), _) => IpAddr::from(octets),
                    (_, Ok(octets)) => IpAddr::from(octets),
                    _ => return None,
                };
                Some(Self::Address(address.to_canonical()))
            },
            // The controller's own SPIFFE ID, `spiffe://`, is checked elsewhere.
            GeneralName::UniformResourceIdentifier(uri) => {
                let (scheme, rest) = uri.as_str().split_once("://")?;
                if scheme.eq_ignore_ascii_case("spiffe") {
                    return None;
                }
                let authority = rest.split(['/', '?', '#', '\\']).next()?;
                let host = authority.rsplit('@').next()?;
                let host = match host.strip_prefix('[') {
                    Some(address) => address.split(']').next()?,
                    None => host.split(':').next()?,
                };
                Some(Self::parse(host))
            },
            _ => None,
        }
    }

    /// Whether it leads to the same machine from everywhere, unlike loopback and unspecified
    /// addresses.
    fn is_remote(&self) -> bool {
        match self {
            Self::Address(address) => !address.is_loopback() && !address.is_unspecified(),
            Self::Name(name) | Self::Wildcard(name) => {
                !name.is_empty() && name != "localhost" && !name.ends_with(".localhost")
            },
        }
    }
}

impl std::fmt::Display for Host {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Address(address) => write!(formatter, "{address}"),
            Self::Name(name) => write!(formatter, "{name}"),
            Self::Wildcard(domain) => write!(formatter, "*.{domain}"),
        }
    }
}

/// Parses the IPv4 notations that operating systems accept besides the usual one: up to four parts,
/// decimal, octal or hexadecimal, the last of which fills the remaining bytes.
fn parse_loose_ipv4(text: &str) -> Option<Ipv4Addr> {
    let mut parts = Vec::new();
    for part in text.split('.') {
        let digits = part.strip_prefix("0x").unwrap_or(part);
        let radix = match (digits.len() < part.len(), part.starts_with('0')) {
            (true, _) => 16,
            (false, true) if part.len() > 1 => 8,
            _ => 10,
        };
        if digits.starts_with('+') {
            return None;
        }
        parts.push(u32::from_str_radix(digits, radix).ok()?);
    }
    let last = parts.pop()?;
    let left = 4_u32.checked_sub(u32::try_from(parts.len()).ok()?)?;
    let is_last_too_large = left == 0 || (left < 4 && last >> (8 * left) != 0);
    if is_last_too_large || parts.iter().any(|part| *part > 255) {
        return None;
    }
    let high = parts.iter().fold(0_u32, |high, part| (high << 8) | part);
    let shifted = if left < 4 { high << (8 * left) } else { 0 };
    Some(Ipv4Addr::from_bits(shifted | last))
}

#[cfg(test)]
mod tests;
