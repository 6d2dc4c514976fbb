//! Small sections.

use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::openziti::loader::{Loader, section_if_map};
use crate::openziti::value;
use crate::table::{
    CONNECT_EVENTS, FORWARDER, INTERFACE_DISCOVERY, Key, LINK_CHECK, METRICS, OnWrongType,
    PING_CHECK, PROFILE_MEMORY, Representation, resolve,
};

pub(super) fn version(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(field) = root.get("v") else {
        loader.missing(root, "v", crate::finding::Verdict::Crash);
        return;
    };
    match value::integer(field.node()) {
        Some(3) => {},
        Some(other) => {
            let message = format!("version {other} of the format is not supported, only version 3");
            loader.crash(&field, codes::OUT_OF_BOUNDS, message);
        },
        None => loader.wrong_type(&field, "the integer 3", OnWrongType::Crash),
    }
}

pub(super) fn debug_operations(loader: &mut Loader<'_>, root: &Section<'_>) {
    let value = root.get("enableDebugOps");
    let given = value.as_ref().and_then(|field| field.node().as_bool());
    match (value, given) {
        (Some(field), Some(given)) => {
            loader.set_from_file("enableDebugOps".to_owned(), json!(given), &field);
        },
        _ => loader.effective.set_default("enableDebugOps", false),
    }
}

pub(super) fn forwarder(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "forwarder");
    for key in FORWARDER {
        if key.name == "unresponsiveLinkTimeout" {
            unresponsive_link(loader, section.as_ref());
        } else {
            loader.key(section.as_ref(), key, "forwarder");
        }
    }
}

fn unresponsive_link(loader: &mut Loader<'_>, section: Option<&Section<'_>>) {
    let path = "forwarder.unresponsiveLinkTimeout";
    let Some(field) = section.and_then(|section| section.get("unresponsiveLinkTimeout")) else {
        loader.effective.set_default(path, "1m0s");
        return;
    };
    let nanoseconds = match (field.node().as_str(), value::integer(field.node())) {
        (Some(text), _) => match loader.parse_duration(&field, text) {
            Some(duration) => duration.nanoseconds(),
            None => return,
        },
        (None, Some(number)) => number.wrapping_mul(1_000_000),
        (None, None) => {
            return loader.wrong_type(&field, "a duration or an integer", OnWrongType::Refuse);
        },
    };
    let shown = value::duration(nanoseconds);
    if nanoseconds < 5_000_000_000 {
        let written = shown.as_str().unwrap_or_default().to_owned();
        return loader.out_of_bounds(&field, &written, "at least 5s");
    }
    loader.set_from_file(path.to_owned(), shown, &field);
}

pub(super) fn trace(loader: &mut Loader<'_>, root: &Section<'_>) {
    loader.effective.set_default("trace.enabled", false);
    let Some(field) = root.get("trace") else {
        return;
    };
    let Some(section) = field.as_section() else {
        return loader.wrong_type(&field, "a map", OnWrongType::Crash);
    };
    let Some(path) = section.get("path") else {
        return;
    };
    let Some(text) = loader.text(&path, OnWrongType::Crash) else {
        return;
    };
    let name_too_long = |name: &str| name.len() > 255;
    if text.is_empty() || text.contains('\0') || text.split('/').any(name_too_long) {
        return loader.refuse(
            &path,
            codes::INVALID_VALUE,
            "this cannot be the name of a file",
        );
    }
    loader.set_from_file("trace.enabled".to_owned(), json!(true), &path);
}

pub(super) fn profile(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "profile");
    let part = |name: &str| section.as_ref().and_then(|s| s.get(name)?.as_section());
    loader.effective.set_default("profile.memory.path", "");
    loader
        .effective
        .set_default("profile.memory.interval", "0s");
    loader.effective.set_default("profile.cpu.path", "");
    if let Some(memory) = part("memory") {
        loader.keys(Some(&memory), PROFILE_MEMORY, "profile.memory");
    }
    if let Some(field) = part("cpu").and_then(|cpu| cpu.get("path"))
        && let Some(text) = loader.text(&field, OnWrongType::Crash)
    {
        loader.set_from_file("profile.cpu.path".to_owned(), json!(text), &field);
    }
}

pub(super) fn metrics(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "metrics");
    loader.keys(section.as_ref(), METRICS, "metrics");
}

pub(super) fn health_checks(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "healthChecks");
    let part = |name: &str| section.as_ref().and_then(|s| s.get(name)?.as_section());
    let (ping, link) = (part("ctrlPingCheck"), part("linkCheck"));
    loader.keys(ping.as_ref(), PING_CHECK, "healthChecks.ctrlPingCheck");
    loader.keys(link.as_ref(), LINK_CHECK, "healthChecks.linkCheck");
}

pub(super) fn plugins(loader: &mut Loader<'_>, root: &Section<'_>) {
    let paths: Vec<Json> = plugin_paths(root)
        .iter()
        .filter_map(|field| text(field))
        .collect();
    match root.get("plugins") {
        Some(field) if !paths.is_empty() => {
            loader.set_from_file("plugins".to_owned(), paths.into(), &field);
        },
        _ => loader.effective.set_default("plugins", Json::Array(paths)),
    }
}

/// Returns the names of shared objects; other list items are ignored.
pub(super) fn plugin_paths<'tree>(root: &Section<'tree>) -> Vec<Field<'tree>> {
    let items = root
        .get("plugins")
        .and_then(|field| field.items())
        .unwrap_or_default();
    items
        .into_iter()
        .filter(|item| item.node().as_str().is_some())
        .collect()
}

fn text(field: &Field<'_>) -> Option<Json> {
    field.node().as_str().map(|text| json!(text))
}

pub(super) fn proxy(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(section) = section_if_map(root, "proxy") else {
        return;
    };
    let refuse = crate::finding::Verdict::Refuse;
    let Some(kind) = section.get("type") else {
        return loader.missing(&section, "type", refuse);
    };
    let Some(name) = loader.text(&kind, OnWrongType::Refuse) else {
        return;
    };
    if name == "none" {
        loader.set_from_file("proxy.type".to_owned(), json!(name), &kind);
        return loader.effective.set_default("proxy.address", "");
    }
    if name != "http" {
        let message = format!("unknown proxy type `{name}`; use `none` or `http`");
        return loader.refuse(&kind, codes::INVALID_VALUE, message);
    }
    loader.set_from_file("proxy.type".to_owned(), json!(name), &kind);
    let Some(address) = section.get("address") else {
        return loader.missing(&section, "address", refuse);
    };
    if let Some(text) = loader.text(&address, OnWrongType::Refuse) {
        loader.set_from_file("proxy.address".to_owned(), json!(text), &address);
    }
    if let Some(username) = section.get("username")
        && loader.text(&username, OnWrongType::Refuse).is_some()
        && let Some(password) = section.get("password")
    {
        loader.text(&password, OnWrongType::Refuse);
    }
}

pub(super) fn tls(loader: &mut Loader<'_>, root: &Section<'_>) {
    let field = section_if_map(root, "tls").and_then(|section| section.get("handshakeTimeout"));
    if let (Some(field), Some(key)) = (field, row("tls.handshakeTimeout")) {
        loader.value(&field, key);
    }
}

fn row(path: &str) -> Option<&'static Key> {
    Some(resolve(path).ok()?.first()?.key)
}

pub(super) fn connect_events(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "connectEvents");
    loader.keys(section.as_ref(), CONNECT_EVENTS, "connectEvents");
    for key in CONNECT_EVENTS {
        clamp(loader, key);
    }
}

/// Clamps values that are out of bounds.
fn clamp(loader: &mut Loader<'_>, key: &Key) {
    let path = format!("connectEvents.{}", key.name);
    let Some(setting) = loader.effective.get(&path).cloned() else {
        return;
    };
    let moved = match (key.value_type, &setting.value) {
        (crate::table::ValueType::Duration { min, max }, Json::String(text)) => text
            .parse::<portcullis_yaml::syntax::GoDuration>()
            .ok()
            .map(|duration| value::duration(duration.nanoseconds().clamp(min, max))),
        (crate::table::ValueType::Integer { min, max, .. }, Json::Number(number)) => number
            .as_i64()
            .map(|number| value::represent(number.clamp(min, max), Representation::Plain)),
        _ => None,
    };
    if let Some(value) = moved {
        loader.effective.set(path, value, setting.source);
    }
}

pub(super) fn interface_discovery(loader: &mut Loader<'_>, root: &Section<'_>) {
    let field = root.get("interfaceDiscovery");
    let section = field.as_ref().and_then(Field::as_section);
    if let (Some(field), None) = (&field, &section) {
        loader.wrong_type(field, "a map", OnWrongType::Refuse);
    }
    loader.keys(section.as_ref(), INTERFACE_DISCOVERY, "interfaceDiscovery");
}

pub(super) fn managed_config(loader: &mut Loader<'_>, root: &Section<'_>) {
    loader
        .effective
        .set_default("managedConfig.allow", Json::Array(vec![]));
    let Some(field) = root.get_non_null("managedConfig") else {
        return;
    };
    let Some(section) = field.as_section() else {
        return loader.wrong_type(&field, "a map", OnWrongType::Refuse);
    };
    let Some(allow) = section.get_non_null("allow") else {
        return;
    };
    let Some(items) = allow.items() else {
        return loader.wrong_type(&allow, "a list", OnWrongType::Refuse);
    };
    for item in &items {
        loader.item(&allow, item, |loader| {
            loader.text(item, OnWrongType::Refuse)
        });
    }
    let names: Vec<Json> = items.iter().filter_map(text).collect();
    loader.set_from_file("managedConfig.allow".to_owned(), names.into(), &allow);
}
