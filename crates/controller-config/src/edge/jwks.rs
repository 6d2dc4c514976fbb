//! Section `edge.externalJwtSigners.jwksFetch`: rules for fetching keys of external signers.

use std::net::IpAddr;
use std::time::Duration;

use portcullis_domain::fetch_rules::FetchRules;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::items::read_all;
use crate::keys::{Key, KeyGroup, StringFormat, ValueType};

const MAX_REDIRECTS: u32 = 100;

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "allowedIPs",
        ValueType::StringList(StringFormat::Network),
        "Addresses that may be asked although they are private, loopback or otherwise not public.",
    )
    .example("[10.0.0.0/8]"),
    Key::new(
        "deniedIPs",
        ValueType::StringList(StringFormat::Network),
        "Addresses that are refused, even if they are allowed.",
    )
    .example("[10.1.2.3]"),
    Key::new(
        "allowedHostnames",
        ValueType::StringList(StringFormat::HostPattern),
        "The only hosts that may be asked; all of them by default.",
    )
    .example("[\"*.example.test\"]"),
    Key::new(
        "deniedHostnames",
        ValueType::StringList(StringFormat::HostPattern),
        "Hosts that are refused, even if they are allowed.",
    )
    .example("[internal.example.test]"),
    Key::new(
        "blockPrivateAddresses",
        ValueType::Bool,
        "Private addresses are refused in any case, unless they are in `allowedIPs`.",
    )
    .default("true")
    .example("true"),
    Key::interval("timeout", "How long one fetch may take.")
        .default("5s")
        .example("10s"),
    Key::count(
        "maxRedirects",
        0,
        MAX_REDIRECTS as i64,
        "How many redirects are followed.",
    )
    .default("5")
    .example("0"),
];

pub(super) fn read(signers: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<FetchRules> {
    let Some(fetch) = signers.get_non_null("jwksFetch") else {
        return Some(FetchRules::default());
    };
    let section = fetch.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);

    let allowed_ips = read_list(&section, "allowedIPs", diagnostics, read_network);
    let denied_ips = read_list(&section, "deniedIPs", diagnostics, read_network);
    let allowed_hostnames = read_list(&section, "allowedHostnames", diagnostics, read_host_pattern);
    let denied_hostnames = read_list(&section, "deniedHostnames", diagnostics, read_host_pattern);
    let mut fetch = FetchRules::default();
    if let Some(field) = section.get_non_null("timeout") {
        fetch.timeout = read_positive_duration(&field, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("maxRedirects") {
        fetch.max_redirects = field.integer(0..=MAX_REDIRECTS, diagnostics)?;
    }
    if let Some(field) = section.get_non_null("blockPrivateAddresses")
        && !field.boolean(diagnostics)?
    {
        let message = "private addresses are still refused, unless they are in `allowedIPs`";
        field.warning(crate::codes::STRICTER, message, diagnostics);
    }
    Some(FetchRules {
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
