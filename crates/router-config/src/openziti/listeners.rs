//! Top-level `listeners` and `dialers`.

use portcullis_yaml::{Field, Section};
use serde_json::json;

use crate::binding::Binding;
use crate::codes;
use crate::finding::Verdict;
use crate::network::SocketOwner;
use crate::openziti::address::parse_listen_address;
use crate::openziti::channel::{self, BoundsCheck};
use crate::openziti::loader::Loader;
use crate::openziti::{ctrl, tunnel, wss};
use crate::table::{
    DIALER_BINDING, EDGE_LOOKUPS, EDGE_OPTIONS, LISTENER_ADDRESS, LISTENER_BINDING, OnMistake,
    SERVICE, XGRESS, XGRESS_CONNECT,
};

const UDP: [&str; 4] = ["udp", "udp4", "udp6", "unixgram"];

/// Records the bindings that have options; the options themselves are read at the first dial.
pub(super) fn load_dialers(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(field) = root.get("dialers") else {
        return;
    };
    let mut bindings: Vec<&str> = Vec::new();
    for section in field
        .items()
        .unwrap_or_default()
        .iter()
        .filter_map(Field::as_section)
    {
        if let Some((_, name)) = loader.string(&section, DIALER_BINDING, "binding")
            && !bindings.contains(&name)
        {
            bindings.push(name);
        }
    }
    if !bindings.is_empty() {
        loader.set_from_file("dialerBindings".to_owned(), json!(bindings), &field);
    }
}

fn items<'tree>(root: &Section<'tree>) -> Vec<Field<'tree>> {
    root.get("listeners")
        .and_then(|field| field.items())
        .unwrap_or_default()
}

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>) {
    for section in items(root).iter().filter_map(Field::as_section) {
        loader.string(&section, LISTENER_BINDING, "binding");
    }
}

/// Checks the edge listeners of an edge router, which needs at least one.
pub(super) fn load_edge(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(list) = root.get("listeners") else {
        return loader.missing(root, "listeners", Verdict::Refuse);
    };
    let Some(items) = loader.list(&list) else {
        return;
    };
    let mut count = 0;
    let mut tried = false;
    for item in &items {
        let Some(section) = loader.section(item, OnMistake::Crash) else {
            tried = true;
            continue;
        };
        let binding = section.get("binding");
        let Some(name) = binding.as_ref().and_then(|field| field.node().as_str()) else {
            // The missing binding has been reported, and may be meant to be `edge`.
            tried = true;
            continue;
        };
        if name == Binding::Edge.name() {
            tried = true;
            if edge_listener(loader, &section, count) {
                count += 1;
            }
        }
    }
    if !tried {
        let message =
            "a listener with `binding: edge` is missing, which the section `edge` requires";
        loader.refuse(&list, codes::CONFLICT, message);
    }
}

fn edge_listener(loader: &mut Loader<'_>, section: &Section<'_>, index: usize) -> bool {
    let address = edge_address(loader, section);
    let advertised = advertised(loader, section);
    let (Some((address, text)), Some((field, told))) = (address, advertised) else {
        return false;
    };
    let prefix = format!("edge.listeners[{index}]");
    let protocol = text.split(':').next().unwrap_or_default();
    loader.set_from_file(format!("{prefix}.address"), json!(text), &address);
    loader.set_from_file(format!("{prefix}.protocol"), json!(protocol), &address);
    loader.set_from_file(format!("{prefix}.advertise"), json!(told), &field);
    true
}

fn edge_address<'tree>(
    loader: &mut Loader<'_>,
    section: &Section<'tree>,
) -> Option<(Field<'tree>, &'tree str)> {
    let (field, text) = loader.string(section, LISTENER_ADDRESS, "address")?;
    ctrl::parse_address(loader, &field, text)?;
    let Some(port) = text.split(':').nth(2) else {
        // Only a `dtls` address gets here without a port.
        loader.crash(&field, codes::INVALID_VALUE, "the port is missing");
        return None;
    };
    if !is_integer(port) {
        let message =
            format!("`{text}` is not a host with a port; IPv6 addresses are not supported here");
        loader.refuse(&field, codes::INVALID_VALUE, message);
        return None;
    }
    Some((field, text))
}

fn advertised<'tree>(
    loader: &mut Loader<'_>,
    section: &Section<'tree>,
) -> Option<(Field<'tree>, &'tree str)> {
    let Some(options) = section.get("options") else {
        loader.missing(section, "options", Verdict::Refuse);
        return None;
    };
    let options = loader.section(&options, OnMistake::Crash)?;
    let (field, text) = loader.string(&options, EDGE_OPTIONS, "advertise")?;
    let Some(port) = text.split(':').nth(1) else {
        let message = format!("`{text}` has no port");
        loader.crash(&field, codes::INVALID_VALUE, message);
        return None;
    };
    if !is_integer(port) {
        let message =
            format!("`{text}` is not a host with a port; nothing may come before the host here");
        loader.refuse(&field, codes::INVALID_VALUE, message);
        return None;
    }
    Some((field, text))
}

/// Whether Go parses a text as a decimal integer of 64 bits, with or without a sign.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && text.parse::<i64>().is_ok()
}

/// Checks what OpenZiti needs to compare advertised hosts with the certificate.
pub(super) fn check_advertised(loader: &mut Loader<'_>, root: &Section<'_>) {
    let links = root
        .get("link")
        .and_then(|field| field.as_section()?.get("listeners")?.items());
    for section in links
        .unwrap_or_default()
        .iter()
        .filter_map(Field::as_section)
    {
        let Some(field) = section.get_non_null("advertise") else {
            continue;
        };
        if let Some(text @ ("tls" | "dtls")) = loader.text(&field, OnMistake::Crash) {
            let message = format!("`{text}` has no host");
            loader.crash(&field, codes::INVALID_VALUE, message);
        }
    }
    for section in items(root).iter().filter_map(Field::as_section) {
        let Some(options) = section.get_non_null("options") else {
            continue;
        };
        if let Some(options) = loader.section(&options, OnMistake::Crash)
            && let Some(field) = options.get_non_null("advertise")
        {
            loader.text(&field, OnMistake::Crash);
        }
    }
}

pub(super) fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    let has_edge = root.get_non_null("edge").is_some();
    let mut index = 0;
    for section in items(root).iter().filter_map(Field::as_section) {
        let Some(binding) = section.get("binding") else {
            continue;
        };
        let Some(name) = binding.node().as_str() else {
            continue;
        };
        let prefix = format!("listeners[{index}]");
        index += 1;
        let known = loader.findings.len();
        let exists = create(loader, root, &section, name, has_edge, &prefix);
        if loader.findings.len() == known {
            loader.set_from_file(format!("{prefix}.binding"), json!(name), &binding);
        } else {
            loader.effective.remove_below(&prefix);
        }
        // OpenZiti gets here only without mistakes; further ones are reported nevertheless.
        if exists {
            listen(loader, root, &section, name);
        }
    }
}

/// Creates a listener that does not listen yet; returns whether its binding exists.
fn create(
    loader: &mut Loader<'_>,
    root: &Section<'_>,
    section: &Section<'_>,
    binding: &str,
    has_edge: bool,
    prefix: &str,
) -> bool {
    let Some(field) = section.get("binding") else {
        return false;
    };
    match Binding::from_name(binding) {
        Some(Binding::Edge) if !has_edge => {
            let message = "a listener for clients requires the section `edge`";
            loader.refuse(&field, codes::CONFLICT, message);
        },
        Some(Binding::Edge) => edge_options(loader, section, prefix),
        Some(Binding::Tunnel) => tunnel::start(loader, root, section, prefix),
        Some(Binding::Transport | Binding::TransportUdp) => {
            circuit_options(loader, section, prefix);
        },
        Some(Binding::Proxy | Binding::ProxyUdp) => {
            circuit_options(loader, section, prefix);
            loader.keys(Some(section), SERVICE, prefix);
        },
        Some(Binding::EdgeTransport | Binding::Udp) | None => {
            let message = format!("listeners cannot have the binding `{binding}`");
            loader.refuse(&field, codes::INVALID_VALUE, message);
            return false;
        },
    }
    true
}

/// Reads the options of circuits; the section must be a map if present.
pub(super) fn circuit_options<'tree>(
    loader: &mut Loader<'_>,
    section: &Section<'tree>,
    prefix: &str,
) -> Option<Section<'tree>> {
    let field = section.get("options");
    let options = field.and_then(|field| loader.section(&field, OnMistake::Crash));
    let prefix = format!("{prefix}.options");
    loader.keys(options.as_ref(), XGRESS, &prefix);
    loader.keys(options.as_ref(), XGRESS_CONNECT, &prefix);
    raise_rtt_scale(loader, &prefix);
    options
}

/// OpenZiti raises a bound of one round-trip time to two.
fn raise_rtt_scale(loader: &mut Loader<'_>, prefix: &str) {
    let path = format!("{prefix}.maxRttScale");
    if let Some(setting) = loader.effective.get(&path).cloned()
        && setting.value == json!(1)
    {
        loader.effective.set(path, json!(2), setting.source);
    }
}

fn edge_options(loader: &mut Loader<'_>, section: &Section<'_>, prefix: &str) {
    let options = circuit_options(loader, section, prefix);
    let prefix = format!("{prefix}.options");
    channel::options(
        loader,
        options.as_ref(),
        &format!("{prefix}.channel"),
        BoundsCheck::Checked,
        64,
    );
    loader.keys(options.as_ref(), EDGE_LOOKUPS, &prefix);
}

fn listen(loader: &mut Loader<'_>, root: &Section<'_>, section: &Section<'_>, binding: &str) {
    if binding == Binding::Tunnel.name() {
        if let Some(field) = section.get("address") {
            loader.text(&field, OnMistake::Crash);
        }
        return;
    }
    let Some((field, text)) = loader.string(section, LISTENER_ADDRESS, "address") else {
        return;
    };
    if binding.ends_with("_udp") {
        return listen_for_packets(loader, &field, text);
    }
    let Some(address) = ctrl::parse_address(loader, &field, text) else {
        return;
    };
    let owner = if binding == Binding::Edge.name() {
        SocketOwner::Edge
    } else {
        SocketOwner::Plain
    };
    let transport = root.get("transport").and_then(|field| field.as_section());
    wss::check(loader, transport.as_ref(), &address);
    loader.listen(&field, &address, owner);
}

fn listen_for_packets(loader: &mut Loader<'_>, field: &Field<'_>, text: &str) {
    let known = text
        .split_once(':')
        .filter(|(network, _)| UDP.contains(network));
    let Some((network, rest)) = known else {
        let message =
            format!("`{text}` does not start with `udp:`, `udp4:`, `udp6:` or `unixgram:`");
        return loader.refuse(field, codes::INVALID_VALUE, message);
    };
    if network == "unixgram" {
        return;
    }
    match parse_listen_address(rest) {
        Ok(place) => {
            loader.listen_at(field, "udp", &place, SocketOwner::Plain);
        },
        Err(error) => {
            let message = format!("`{rest}` is not a host with a port: {error}");
            loader.refuse(field, codes::INVALID_VALUE, message);
        },
    }
}
