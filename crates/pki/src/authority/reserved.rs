//! Names and addresses of the controller, which no certificate but its own may bear: whoever has
//! such a certificate is the controller to everybody who trusts the network's authority.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};

use x509_cert::ext::pkix::name::GeneralName;

use crate::{certificate::Certificate, csr::CsrError, subject::Subject};

/// A certificate was asked for with a name of the controller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{name:?} belongs to the controller. Remove it from the CSR; or, if this router runs on the \
     controller's host, add {name:?} to edge.enrollment.sharedHosts in the controller's \
     configuration and restart it"
)]
pub struct ReservedName {
    /// The name, as it was asked for.
    pub name: String,
}

/// The names and addresses under which the controller is reached from other machines.
///
/// Loopback names and addresses are never among them: they lead to nobody else's machine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReservedNames {
    hosts: BTreeSet<Host>,
    /// What others may have all the same; a wildcard among them is that wildcard alone.
    shared: BTreeSet<Host>,
}

/// A host name, wildcard or address in the one form in which it is compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Host {
    Address(IpAddr),
    Name(String),
    /// What stands behind `*.`.
    Wildcard(String),
}

impl ReservedNames {
    /// Reserves hosts as a configuration names them, the names in `certificates`, and leaves out
    /// those that the controller shares with others.
    pub fn new<'a>(
        hosts: impl IntoIterator<Item = &'a str>,
        certificates: impl IntoIterator<Item = &'a Certificate>,
        shared: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        let mut reserved: BTreeSet<Host> = hosts.into_iter().map(Host::read).collect();
        for certificate in certificates {
            reserved.extend(certificate.names().iter().filter_map(Host::of));
        }
        let shared: BTreeSet<Host> = shared.into_iter().map(Host::read).collect();
        reserved.retain(|host| host.leads_elsewhere() && !shared.contains(host));
        Self {
            hosts: reserved,
            shared,
        }
    }

    /// Checks a host name, a wildcard or an address.
    ///
    /// # Errors
    ///
    /// [`ReservedName`] when it is one of the controller's or a wildcard that covers one.
    pub fn check(&self, name: &str) -> Result<(), ReservedName> {
        self.check_host(&Host::read(name), name)
    }

    /// Checks the alternative names of a certificate.
    ///
    /// # Errors
    ///
    /// [`ReservedName`] with the first that is the controller's.
    pub fn check_certificate(&self, certificate: &Certificate) -> Result<(), ReservedName> {
        let mut names = certificate.names().iter();
        names.try_for_each(|name| self.check_alternative(name))
    }

    /// Checks the common name: clients go by it where no alternative name is a DNS name, and some
    /// of them take a `*` anywhere in it for a wildcard. No subject has a use for one.
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

    pub(crate) fn check_alternative(&self, name: &GeneralName) -> Result<(), ReservedName> {
        let Some(host) = Host::of(name) else {
            return Ok(());
        };
        let written = match name {
            GeneralName::DnsName(host) => host.to_string(),
            GeneralName::UniformResourceIdentifier(uri) => uri.to_string(),
            _ => host.to_string(),
        };
        self.check_host(&host, &written)
    }

    fn check_host(&self, host: &Host, written: &str) -> Result<(), ReservedName> {
        let is_reserved = self.hosts.contains(host)
            || matches!(host, Host::Wildcard(domain) if self.is_above_any(domain));
        if is_reserved && !self.shared.contains(host) {
            let name = written.to_owned();
            return Err(ReservedName { name });
        }
        Ok(())
    }

    /// Whether a wildcard under `domain` covers a name; it stands for exactly one label.
    fn is_above_any(&self, domain: &str) -> bool {
        self.hosts.iter().any(|host| match host {
            Host::Name(name) => name
                .split_once('.')
                .is_some_and(|(_label, rest)| rest == domain),
            _ => false,
        })
    }
}

impl Host {
    /// Reads a host in any spelling: case, a dot at the end, letters beyond ASCII, brackets and zones
    /// of IPv6, short and hexadecimal forms of IPv4.
    fn read(text: &str) -> Self {
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
        if let Some(address) = loose_ipv4(&folded) {
            return Self::Address(address.into());
        }
        match folded.strip_prefix("*.") {
            Some(domain) => Self::Wildcard(domain.to_owned()),
            None => Self::Name(folded),
        }
    }

    /// The host of an alternative name; `None` for those that name none.
    fn of(name: &GeneralName) -> Option<Self> {
        match name {
            GeneralName::DnsName(host) => Some(Self::read(host.as_str())),
            GeneralName::IpAddress(octets) => {
                let octets = octets.as_bytes();
                let address = match (<[u8; 4]>::try_from(octets), <[u8; 16]>::try_from(octets)) {
                    (Ok(octets), _) => IpAddr::from(octets),
                    (_, Ok(octets)) => IpAddr::from(octets),
                    _ => return None,
                };
                Some(Self::Address(address.to_canonical()))
            },
            // The name of the controller among the network's own, `spiffe://`, is another matter.
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
                Some(Self::read(host))
            },
            _ => None,
        }
    }

    /// Whether it leads to one machine for everybody: not from each to itself, and not to nowhere.
    fn leads_elsewhere(&self) -> bool {
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

/// Reads the forms of IPv4 addresses that systems take besides the usual one: up to four parts,
/// decimal, octal or hexadecimal, the last of which fills what is left.
fn loose_ipv4(text: &str) -> Option<Ipv4Addr> {
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
