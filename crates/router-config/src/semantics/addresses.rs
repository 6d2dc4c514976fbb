//! Advertised hosts and the names in the certificate.

use std::collections::HashSet;
use std::net::IpAddr;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, KeyPath, Section, Segment};

use crate::binding::Binding;
use crate::codes;
use crate::network::{is_unspecified, parse_address, parse_advertised};
use crate::semantics::query::{
    StringItem, entries, field_at, first_string, listeners, push_note, section_at, string_items,
};

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let mut advertised = advertised_to_routers(root);
    // The format of addresses for clients excludes port 0.
    for (field, place) in &advertised {
        warn_port_zero(field.path(), field, place, diagnostics);
    }
    check_endpoints(root, diagnostics);
    advertised.extend(advertised_to_clients(root));
    for (field, place) in &advertised {
        warn_unspecified_host(field, &place.host, diagnostics);
    }
    for (field, host) in web_addresses(root) {
        if is_unspecified(&host) {
            let message =
                format!("clients cannot dial `{host}`, which means all addresses of a machine");
            diagnostics
                .warning(codes::UNREACHABLE, field.path(), field.location(), message)
                .help("write a host name or address; `interface` is where the server listens");
        }
    }
    advertised.extend(advertised_without_effect(root));
    check_sans(root, &advertised, diagnostics);
}

fn warn_unspecified_host(field: &Field<'_>, host: &str, diagnostics: &mut Diagnostics) {
    if !is_unspecified(host) {
        return;
    }
    let message = format!("nobody can dial `{host}`, which means all addresses of a machine");
    let path = field.path();
    let help = match path.last() {
        Some(Segment::Key(name)) if name != "advertise" => {
            "add `advertise` with a host name or address under which others reach the router"
        },
        _ => "write a host name or address under which others reach the router",
    };
    diagnostics
        .warning(codes::UNREACHABLE, field.path(), field.location(), message)
        .help(help);
}

/// Lists the addresses that link and ctrl listeners advertise.
fn advertised_to_routers<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let mut advertised = Vec::new();
    for listener in entries(root, &["link", "listeners"]) {
        if let Some((field, text)) = first_string(&listener, &["advertise"]) {
            let place = parse_address(text)
                .map(|(_, place)| place)
                .or_else(|| text.parse().ok());
            advertised.extend(place.map(|place| (field, place)));
        }
    }
    for listener in entries(root, &["ctrl", "listeners"]) {
        // Without `advertise`, the listen address is advertised.
        if let Some((field, text)) = first_string(&listener, &["advertise", "bind", "address"]) {
            advertised.extend(parse_address(text).map(|(_, place)| (field, place)));
        }
    }
    advertised
}

/// Lists the addresses that edge listeners advertise.
fn advertised_to_clients<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let mut advertised = Vec::new();
    for listener in listeners(root, &[Binding::Edge]) {
        let under = section_at(&listener, &["options"])
            .and_then(|options| first_string(&options, &["advertise"]));
        if let Some((field, text)) = under.or_else(|| first_string(&listener, &["advertise"])) {
            advertised.extend(parse_advertised(text).map(|address| (field, address.host_port)));
        }
    }
    advertised
}

/// Lists `advertise` of other listeners, which OpenZiti nevertheless checks against the certificate.
fn advertised_without_effect<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let kinds = [
        Binding::Tunnel,
        Binding::Transport,
        Binding::TransportUdp,
        Binding::Proxy,
        Binding::ProxyUdp,
    ];
    let mut advertised = Vec::new();
    for listener in listeners(root, &kinds) {
        let options = section_at(&listener, &["options"]);
        if let Some((field, text)) = options.and_then(|o| first_string(&o, &["advertise"])) {
            advertised.extend(parse_advertised(text).map(|address| (field, address.host_port)));
        }
    }
    advertised
}

/// Checks the addresses at which controllers are dialed.
fn check_endpoints(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let one = field_at(root, &["ctrl", "endpoint"]);
    let used = one.or_else(|| field_at(root, &["ctrl", "endpoints"]));
    for StringItem { path, field, text } in used.iter().flat_map(string_items) {
        if let Some((_, place)) = parse_address(text) {
            warn_port_zero(&path, &field, &place, diagnostics);
        }
    }
}

fn warn_port_zero(
    path: &KeyPath,
    field: &Field<'_>,
    place: &HostPort,
    diagnostics: &mut Diagnostics,
) {
    if place.port == 0 {
        let message = "nobody can dial port 0";
        diagnostics
            .warning(codes::UNREACHABLE, path, field.location(), message)
            .help("write the port on which the other side listens");
    }
}

fn web_addresses<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, String)> {
    let points = entries(root, &["web"])
        .into_iter()
        .flat_map(|server| entries(&server, &["bindPoints"]));
    points
        .filter_map(|point| {
            let (field, text) = first_string(&point, &["address"])?;
            let place: HostPort = text.parse().ok()?;
            Some((field, place.host))
        })
        .collect()
}

fn check_sans(
    root: &Section<'_>,
    advertised: &[(Field<'_>, HostPort)],
    diagnostics: &mut Diagnostics,
) {
    let way: &[&str] = if root.get("csr").is_some() {
        &["csr", "sans"]
    } else {
        &["edge", "csr", "sans"]
    };
    let Some(sans) = section_at(root, way) else {
        return;
    };
    let (dns, ip) = (field_at(&sans, &["dns"]), field_at(&sans, &["ip"]));
    for StringItem { path, field, text } in dns.iter().flat_map(string_items) {
        if text.parse::<IpAddr>().is_ok() {
            let message = format!("`{text}` is an IP address and has no effect here");
            diagnostics
                .warning(codes::SUSPICIOUS, &path, field.location(), message)
                .help(format!("move it to `{}.ip`", sans.path()));
        }
    }
    let certificate_hosts = CertificateHosts::new(dns.as_ref(), ip.as_ref());
    // Invalid names are reported elsewhere, and may be the missing ones.
    let is_valid = sans_are_valid(&sans);
    for (field, HostPort { host, .. }) in advertised.iter().filter(|_| is_valid) {
        if !certificate_hosts.covers(host) && !is_unspecified(host) && !host.is_empty() {
            warn_missing_san(&sans, field, host, diagnostics);
        }
    }
    if is_valid && dns.is_none() && ip.is_none() {
        let message =
            "without `dns` or `ip` the certificate names no host, so nobody can dial the router";
        push_note(
            diagnostics,
            codes::GOOD_TO_KNOW,
            sans.path().clone(),
            sans.location(),
            message,
        );
    }
}

/// Whether there are only lists of strings under known keys.
fn sans_are_valid(sans: &Section<'_>) -> bool {
    sans.map().into_iter().all(|entry| {
        let is_known = matches!(entry.key.as_str(), Some("dns" | "ip" | "email" | "uri"));
        let items = entry.value.as_list();
        is_known && items.is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
    })
}

fn warn_missing_san(
    sans: &Section<'_>,
    field: &Field<'_>,
    host: &str,
    diagnostics: &mut Diagnostics,
) {
    let list = if host.parse::<IpAddr>().is_ok() {
        "ip"
    } else {
        "dns"
    };
    let message = format!(
        "`{host}` is not among `{}.{list}`, so the certificate will not name it",
        sans.path()
    );
    diagnostics
        .warning(codes::NOT_IN_SANS, field.path(), field.location(), message)
        .help(format!(
            "add it to `{}.{list}` and enroll again; an existing certificate keeps its names",
            sans.path()
        ));
}

/// Hosts that the certificate will name.
struct CertificateHosts {
    hosts: HashSet<String>,
    addresses: HashSet<IpAddr>,
}

impl CertificateHosts {
    fn new(dns: Option<&Field<'_>>, ip: Option<&Field<'_>>) -> Self {
        let hosts = dns.iter().flat_map(|list| string_items(list));
        let addresses = ip.iter().flat_map(|list| string_items(list));
        Self {
            hosts: hosts.map(|name| name.text.to_lowercase()).collect(),
            addresses: addresses
                .filter_map(|name| name.text.parse().ok())
                .collect(),
        }
    }

    /// Whether the certificate will cover a host, wildcards included.
    fn covers(&self, host: &str) -> bool {
        if let Ok(address) = host.parse() {
            return self.addresses.contains(&address);
        }
        let host = host.to_lowercase();
        let wildcard = host
            .split_once('.')
            .filter(|(first, _)| !first.is_empty())
            .map(|(_, domain)| format!("*.{domain}"));
        self.hosts.contains(&host) || wildcard.is_some_and(|name| self.hosts.contains(&name))
    }
}
