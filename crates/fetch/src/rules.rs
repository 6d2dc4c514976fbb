//! Checks of hosts and addresses against the rules of a fetcher.

use std::net::IpAddr;

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_domain::ip_network::IpNetwork;

use crate::address::{NonPublicAddress, embedded_ipv4};
use crate::error::{AddressRule, FetchError, HostRule};
use crate::target::FetchTarget;

/// Checks hosts and addresses against [`FetchRules`]; not public are those of an
/// [`AddressClass`](crate::AddressClass).
pub(crate) struct RuleChecker {
    pub(crate) rules: FetchRules,
}

impl RuleChecker {
    /// Checks the scheme and host of a URL.
    pub(crate) fn check_target(&self, target: &FetchTarget<'_>) -> Result<(), FetchError> {
        self.check_host(target)?;
        let Some(address) = target.address() else {
            // The addresses of the name are checked when it is resolved.
            let may_be_plain = !self.rules.allowed_ips.is_empty();
            return require_tls(target, may_be_plain);
        };
        self.check_scheme(target, address)
    }

    /// Checks whether plain HTTP to `address`, which `target` resolves to, is allowed if `target`
    /// uses it.
    pub(crate) fn check_scheme(
        &self,
        target: &FetchTarget<'_>,
        address: IpAddr,
    ) -> Result<(), FetchError> {
        require_tls(
            target,
            contains(&self.rules.allowed_ips, address.to_canonical()),
        )
    }

    fn check_host(&self, target: &FetchTarget<'_>) -> Result<(), FetchError> {
        if let Some(name) = target.name() {
            return self.check_name(name);
        }
        let Some(address) = target.address() else {
            return Ok(());
        };
        self.check_address(address, None)?;
        if self.rules.allowed_hostnames.is_empty() || contains(&self.rules.allowed_ips, address) {
            return Ok(());
        }
        Err(FetchError::HostRefused {
            host: target.host(),
            rule: HostRule::NotAllowed,
        })
    }

    fn check_name(&self, name: &str) -> Result<(), FetchError> {
        let matches = |pattern: &String| matches_pattern(name, pattern);
        let rule = if self.rules.denied_hostnames.iter().any(matches) {
            HostRule::Denied
        } else if !self.rules.allowed_hostnames.is_empty()
            && !self.rules.allowed_hostnames.iter().any(matches)
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

    /// Checks an address, to which `host` resolved unless the URL contains the address itself.
    pub(crate) fn check_address(
        &self,
        address: IpAddr,
        host: Option<&str>,
    ) -> Result<(), FetchError> {
        let Some(rule) = self.find_rule(address.to_canonical()) else {
            return Ok(());
        };
        Err(FetchError::AddressRefused {
            address: address.to_canonical(),
            host: host.map(str::to_owned),
            rule,
        })
    }

    fn find_rule(&self, address: IpAddr) -> Option<AddressRule> {
        let embeds_denied = embedded_ipv4(address)
            .is_some_and(|(_, inner)| contains(&self.rules.denied_ips, inner.into()));
        if embeds_denied || contains(&self.rules.denied_ips, address) {
            return Some(AddressRule::Denied);
        }
        let found = NonPublicAddress::classify(address)?;
        let is_allowed = self
            .rules
            .allowed_ips
            .iter()
            .any(|network| network.contains(address) && found.is_allowed_by(network));
        (!is_allowed).then_some(AddressRule::NotPublic(found.class))
    }
}

fn require_tls(target: &FetchTarget<'_>, allows_plain: bool) -> Result<(), FetchError> {
    if target.is_tls() || allows_plain {
        return Ok(());
    }
    Err(FetchError::PlainHttp {
        host: target.host(),
    })
}

fn contains(networks: &[IpNetwork], address: IpAddr) -> bool {
    networks.iter().any(|network| network.contains(address))
}

/// Reports whether `name`, without a trailing dot, matches `pattern`.
fn matches_pattern(name: &str, pattern: &str) -> bool {
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
