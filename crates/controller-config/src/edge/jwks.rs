//! Section `edge.externalJwtSigners.jwksFetch`.

use std::net::IpAddr;
use std::time::Duration;

use portcullis_domain::ip_network::IpNetwork;
use portcullis_yaml::{Diagnostics, Field, Key, Section, codes};

use crate::root::{self, read_all};

/// Section `edge.externalJwtSigners.jwksFetch`: rules for fetching keys of external signers.
///
/// Addresses that are not public are refused unless `allowed_ips` contains them; special ones
/// (link-local, unspecified, cloud metadata services) are refused unless it names them or a part of
/// their network, not just a wider one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JwksFetchConfig {
    /// Addresses that are allowed although they are not public.
    pub allowed_ips: Vec<IpNetwork>,
    /// Addresses that are always refused.
    pub denied_ips: Vec<IpNetwork>,
    /// The only allowed host names if not empty; a leading `*.` matches any subdomain.
    pub allowed_hostnames: Vec<String>,
    /// Host names that are refused; a leading `*.` matches any subdomain.
    pub denied_hostnames: Vec<String>,
    /// Timeout of one fetch, 5 seconds by default.
    pub timeout: Duration,
    /// Maximum number of redirects, 5 by default.
    pub max_redirects: u32,
}

impl Default for JwksFetchConfig {
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

const KEYS: &[Key] = &[
    Key::supported("allowedIPs"),
    Key::supported("deniedIPs"),
    Key::supported("allowedHostnames"),
    Key::supported("deniedHostnames"),
    Key::supported("blockPrivateAddresses"),
    Key::supported("timeout"),
    Key::supported("maxRedirects"),
];

pub(super) fn read(
    signers: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<JwksFetchConfig> {
    let Some(fetch) = signers.get_non_null("jwksFetch") else {
        return Some(JwksFetchConfig::default());
    };
    let section = fetch.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);

    let allowed_ips = read_list(&section, "allowedIPs", diagnostics, read_network);
    let denied_ips = read_list(&section, "deniedIPs", diagnostics, read_network);
    let allowed_hostnames = read_list(&section, "allowedHostnames", diagnostics, read_host_pattern);
    let denied_hostnames = read_list(&section, "deniedHostnames", diagnostics, read_host_pattern);
    let mut fetch = JwksFetchConfig::default();
    if let Some(field) = section.get_non_null("timeout") {
        fetch.timeout = read_positive_duration(&field, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("maxRedirects") {
        fetch.max_redirects = field.integer(0..=100, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("blockPrivateAddresses")
        && !field.boolean(diagnostics)?
    {
        let message = "private addresses are still refused, unless they are in `allowedIPs`";
        field.warning(root::codes::STRICTER, message, diagnostics);
    }
    Some(JwksFetchConfig {
        allowed_ips: allowed_ips?,
        denied_ips: denied_ips?,
        allowed_hostnames: allowed_hostnames?,
        denied_hostnames: denied_hostnames?,
        ..fetch
    })
}

fn read_list<T>(
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

fn read_network(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<IpNetwork> {
    item.parse("a network", "10.0.0.0/8", diagnostics)
}

fn read_host_pattern(item: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<String> {
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

/// Reads a duration longer than zero.
pub(crate) fn read_positive_duration(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Duration> {
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
