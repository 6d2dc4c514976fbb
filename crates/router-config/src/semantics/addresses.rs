//! Advertised hosts, and the names in the certificate.

use std::collections::HashSet;
use std::net::IpAddr;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Diagnostics, Field, KeyPath, Section, Segment};

use crate::check::{address_of, edge_address, is_unspecified};
use crate::codes;
use crate::semantics::tree::{Item, at, entries, first_text, listeners, note, section, texts};

pub(super) fn check(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let mut told = told_to_routers(root);
    // The form of what clients are told leaves no port 0.
    for (field, place) in &told {
        portless(field.path(), field, place, diagnostics);
    }
    endpoints(root, diagnostics);
    told.extend(told_to_clients(root));
    for (field, place) in &told {
        unreachable(field, &place.host, diagnostics);
    }
    for (field, host) in web_addresses(root) {
        if is_unspecified(&host) {
            let message =
                format!("clients cannot dial `{host}`, which means all addresses of a machine");
            diagnostics
                .warning(codes::UNREACHABLE, field.path(), field.place(), message)
                .help("write a host name or address; `interface` is where the server listens");
        }
    }
    told.extend(told_to_nobody(root));
    names(root, &told, diagnostics);
}

fn unreachable(field: &Field<'_>, host: &str, diagnostics: &mut Diagnostics) {
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
        .warning(codes::UNREACHABLE, field.path(), field.place(), message)
        .help(help);
}

/// Lists what link and ctrl listeners advertise.
fn told_to_routers<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let mut told = Vec::new();
    for listener in entries(root, &["link", "listeners"]) {
        if let Some((field, text)) = first_text(&listener, &["advertise"]) {
            let place = address_of(text)
                .map(|(_, place)| place)
                .or_else(|| text.parse().ok());
            told.extend(place.map(|place| (field, place)));
        }
    }
    for listener in entries(root, &["ctrl", "listeners"]) {
        // What is not told otherwise is the address that is listened on.
        if let Some((field, text)) = first_text(&listener, &["advertise", "bind", "address"]) {
            told.extend(address_of(text).map(|(_, place)| (field, place)));
        }
    }
    told
}

/// Lists what edge listeners advertise.
fn told_to_clients<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let mut told = Vec::new();
    for listener in listeners(root, &["edge"]) {
        let under = section(&listener, &["options"])
            .and_then(|options| first_text(&options, &["advertise"]));
        if let Some((field, text)) = under.or_else(|| first_text(&listener, &["advertise"])) {
            told.extend(edge_address(text).map(|address| (field, address.place)));
        }
    }
    told
}

/// Lists what other listeners have, which OpenZiti holds against the certificate all the same.
fn told_to_nobody<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, HostPort)> {
    let kinds = ["tunnel", "transport", "transport_udp", "proxy", "proxy_udp"];
    let mut told = Vec::new();
    for listener in listeners(root, &kinds) {
        let options = section(&listener, &["options"]);
        if let Some((field, text)) = options.and_then(|o| first_text(&o, &["advertise"])) {
            told.extend(edge_address(text).map(|address| (field, address.place)));
        }
    }
    told
}

/// Looks at the addresses at which controllers are dialed.
fn endpoints(root: &Section<'_>, diagnostics: &mut Diagnostics) {
    let one = at(root, &["ctrl", "endpoint"]);
    let used = one.or_else(|| at(root, &["ctrl", "endpoints"]));
    for Item { path, field, text } in used.iter().flat_map(texts) {
        if let Some((_, place)) = address_of(text) {
            portless(&path, &field, &place, diagnostics);
        }
    }
}

fn portless(path: &KeyPath, field: &Field<'_>, place: &HostPort, diagnostics: &mut Diagnostics) {
    if place.port == 0 {
        let message = "nobody can dial port 0";
        diagnostics
            .warning(codes::UNREACHABLE, path, field.place(), message)
            .help("write the port on which the other side listens");
    }
}

fn web_addresses<'tree>(root: &Section<'tree>) -> Vec<(Field<'tree>, String)> {
    let points = entries(root, &["web"])
        .into_iter()
        .flat_map(|server| entries(&server, &["bindPoints"]));
    points
        .filter_map(|point| {
            let (field, text) = first_text(&point, &["address"])?;
            let place: HostPort = text.parse().ok()?;
            Some((field, place.host))
        })
        .collect()
}

fn names(root: &Section<'_>, told: &[(Field<'_>, HostPort)], diagnostics: &mut Diagnostics) {
    let way: &[&str] = if root.get("csr").is_some() {
        &["csr", "sans"]
    } else {
        &["edge", "csr", "sans"]
    };
    let Some(sans) = section(root, way) else {
        return;
    };
    let (dns, ip) = (at(&sans, &["dns"]), at(&sans, &["ip"]));
    for Item { path, field, text } in dns.iter().flat_map(texts) {
        if text.parse::<IpAddr>().is_ok() {
            let message = format!("`{text}` is an IP address and has no effect here");
            diagnostics
                .warning(codes::SUSPICIOUS, &path, field.place(), message)
                .help(format!("move it to `{}.ip`", sans.path()));
        }
    }
    let named = Named::new(dns.as_ref(), ip.as_ref());
    // Names that are written wrong are told as such, and may be those that are looked for.
    let is_clear = names_are_clear(&sans);
    for (field, HostPort { host, .. }) in told.iter().filter(|_| is_clear) {
        if !named.covers(host) && !is_unspecified(host) && !host.is_empty() {
            missing_name(&sans, field, host, diagnostics);
        }
    }
    if is_clear && dns.is_none() && ip.is_none() {
        let message =
            "without `dns` or `ip` the certificate names no host, so nobody can dial the router";
        note(
            diagnostics,
            codes::GOOD_TO_KNOW,
            sans.path().clone(),
            sans.place(),
            message,
        );
    }
}

/// Tells whether there are only lists of texts under keys that exist.
fn names_are_clear(sans: &Section<'_>) -> bool {
    sans.map().into_iter().all(|entry| {
        let is_known = matches!(entry.key.as_str(), Some("dns" | "ip" | "email" | "uri"));
        let items = entry.value.as_list();
        is_known && items.is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
    })
}

fn missing_name(sans: &Section<'_>, field: &Field<'_>, host: &str, diagnostics: &mut Diagnostics) {
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
        .warning(codes::NOT_IN_SANS, field.path(), field.place(), message)
        .help(format!(
            "add it to `{}.{list}` and enroll again; an existing certificate keeps its names",
            sans.path()
        ));
}

/// What a certificate names.
struct Named {
    hosts: HashSet<String>,
    addresses: HashSet<IpAddr>,
}

impl Named {
    fn new(dns: Option<&Field<'_>>, ip: Option<&Field<'_>>) -> Self {
        let hosts = dns.iter().flat_map(|list| texts(list));
        let addresses = ip.iter().flat_map(|list| texts(list));
        Self {
            hosts: hosts.map(|name| name.text.to_lowercase()).collect(),
            addresses: addresses
                .filter_map(|name| name.text.parse().ok())
                .collect(),
        }
    }

    /// Tells whether a host is among the names, of which some may begin with a wildcard.
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
