//! Where documents may be fetched from.

use std::net::IpAddr;
use std::time::Duration;

use portcullis_domain::ip_network::IpNetwork;

use super::address::{NotPublic, embedded};
use super::error::{AddressRule, FetchError, HostRule};
use super::target::Target;

/// Where documents may be fetched from, and what one fetch may cost.
///
/// Addresses that are not public ([`AddressKind`](super::AddressKind)) are refused by default.
/// Denying wins over allowing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchRules {
    /// Addresses that are allowed although they are not public. Unspecified and link-local addresses
    /// and those of metadata services have to be named, by themselves or by a network of nothing
    /// else.
    pub allowed_ips: Vec<IpNetwork>,
    /// Addresses that are refused.
    pub denied_ips: Vec<IpNetwork>,
    /// When not empty, the only host names that are allowed; `*.` in front stands for any subdomain.
    /// URLs with an address in the place of a name then need it in `allowed_ips`.
    pub allowed_hostnames: Vec<String>,
    /// Host names that are refused; `*.` in front stands for any subdomain.
    pub denied_hostnames: Vec<String>,
    /// Time for one fetch, from its turn to the last byte.
    pub timeout: Duration,
    /// Most redirects that are followed.
    pub max_redirects: u32,
}

impl Default for FetchRules {
    /// Allows what is public: 5 seconds, 5 redirects.
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

impl FetchRules {
    /// Judges what a URL says of its scheme and host.
    pub(super) fn judge_target(&self, target: &Target<'_>) -> Result<(), FetchError> {
        self.judge_host(target)?;
        let Some(address) = target.address() else {
            // What the name leads to is judged when it is asked for.
            let may_be_plain = !self.allowed_ips.is_empty();
            return check_tls(target, may_be_plain);
        };
        self.judge_scheme(target, address)
    }

    /// Judges whether an address, to which `target` leads, may be asked as it says.
    pub(super) fn judge_scheme(
        &self,
        target: &Target<'_>,
        address: IpAddr,
    ) -> Result<(), FetchError> {
        check_tls(target, holds(&self.allowed_ips, address.to_canonical()))
    }

    fn judge_host(&self, target: &Target<'_>) -> Result<(), FetchError> {
        if let Some(name) = target.name() {
            return self.judge_name(name);
        }
        let Some(address) = target.address() else {
            return Ok(());
        };
        self.judge_address(address, None)?;
        if self.allowed_hostnames.is_empty() || holds(&self.allowed_ips, address) {
            return Ok(());
        }
        Err(FetchError::HostRefused {
            host: target.host(),
            rule: HostRule::NotAllowed,
        })
    }

    fn judge_name(&self, name: &str) -> Result<(), FetchError> {
        let matches = |pattern: &String| is_named_by(name, pattern);
        let rule = if self.denied_hostnames.iter().any(matches) {
            HostRule::Denied
        } else if !self.allowed_hostnames.is_empty() && !self.allowed_hostnames.iter().any(matches)
        {
            HostRule::NotAllowed
        } else {
            return Ok(());
        };
        Err(FetchError::HostRefused {
            host: name.to_owned(),
            rule,
        })
    }

    /// Judges an address, which `host` led to if it is not what the URL itself says.
    pub(super) fn judge_address(
        &self,
        address: IpAddr,
        host: Option<&str>,
    ) -> Result<(), FetchError> {
        let Some(rule) = self.rule_against(address.to_canonical()) else {
            return Ok(());
        };
        Err(FetchError::AddressRefused {
            address: address.to_canonical(),
            host: host.map(str::to_owned),
            rule,
        })
    }

    fn rule_against(&self, address: IpAddr) -> Option<AddressRule> {
        let leads_to_denied =
            embedded(address).is_some_and(|(_, inner)| holds(&self.denied_ips, inner.into()));
        if leads_to_denied || holds(&self.denied_ips, address) {
            return Some(AddressRule::Denied);
        }
        let found = NotPublic::of(address)?;
        let is_lifted = self
            .allowed_ips
            .iter()
            .any(|network| network.contains(address) && found.is_lifted_by(network));
        (!is_lifted).then_some(AddressRule::NotPublic(found.kind))
    }
}

fn check_tls(target: &Target<'_>, may_be_plain: bool) -> Result<(), FetchError> {
    if target.is_tls() || may_be_plain {
        return Ok(());
    }
    Err(FetchError::Plain {
        host: target.host(),
    })
}

fn holds(networks: &[IpNetwork], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(address))
}

/// Tells whether `name`, without a dot at its end, is meant by `pattern`.
fn is_named_by(name: &str, pattern: &str) -> bool {
    let pattern = pattern.trim_end_matches('.');
    let Some(domain) = pattern.strip_prefix("*.") else {
        return name.eq_ignore_ascii_case(pattern);
    };
    let split = name.len().checked_sub(domain.len());
    let parts = split.and_then(|at| name.split_at_checked(at));
    parts.is_some_and(|(labels, rest)| {
        labels.len() > 1 && labels.ends_with('.') && rest.eq_ignore_ascii_case(domain)
    })
}

#[cfg(test)]
mod tests;
