//! Small sections.

use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::Verdict;
use crate::openziti::loader::{Loader, section_if_map};
use crate::openziti::value;
use crate::table::{Key, OnMistake, PROFILE_MEMORY, PROXY, ROOT, resolve};

pub(super) fn version(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(field) = root.get("v") else {
        loader.missing(root, "v", Verdict::Crash);
        return;
    };
    match value::integer(field.node()) {
        Some(3) => {},
        Some(other) => {
            let message = format!("version {other} of the format is not supported, only version 3");
            loader.crash(&field, codes::OUT_OF_BOUNDS, message);
        },
        None => loader.wrong_type(&field, "the integer 3", OnMistake::Crash),
    }
}

/// Reads sections by the rules of their keys alone.
pub(super) fn of_table(loader: &mut Loader<'_>, root: &Section<'_>, names: &[&str]) {
    loader.named(Some(root), ROOT, names, "");
}

pub(super) fn trace(loader: &mut Loader<'_>, root: &Section<'_>) {
    loader.effective.set_default("trace.enabled", false);
    let Some(field) = root.get("trace") else {
        return;
    };
    let Some(section) = loader.section(&field, OnMistake::Crash) else {
        return;
    };
    let Some(path) = section.get("path") else {
        return;
    };
    let Some(text) = loader.text(&path, OnMistake::Crash) else {
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
        && let Some(text) = loader.text(&field, OnMistake::Crash)
    {
        loader.set_from_file("profile.cpu.path".to_owned(), json!(text), &field);
    }
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
    let Some((kind, name)) = loader.string(&section, PROXY, "type") else {
        return;
    };
    if name != "none" && name != "http" {
        let message = format!("unknown proxy type `{name}`; use `none` or `http`");
        return loader.refuse(&kind, codes::INVALID_VALUE, message);
    }
    loader.set_from_file("proxy.type".to_owned(), json!(name), &kind);
    if name == "none" {
        return loader.effective.set_default("proxy.address", "");
    }
    if let Some((field, address)) = loader.string(&section, PROXY, "address") {
        loader.set_from_file("proxy.address".to_owned(), json!(address), &field);
    } else if section.get("address").is_none() {
        return;
    }
    if loader.string(&section, PROXY, "username").is_some() {
        loader.string(&section, PROXY, "password");
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

pub(super) fn managed_config(loader: &mut Loader<'_>, root: &Section<'_>) {
    loader
        .effective
        .set_default("managedConfig.allow", Json::Array(vec![]));
    let Some(field) = root.get_non_null("managedConfig") else {
        return;
    };
    let Some(section) = loader.section(&field, OnMistake::Refuse) else {
        return;
    };
    let Some(allow) = section.get_non_null("allow") else {
        return;
    };
    let Some(items) = loader.list(&allow) else {
        return;
    };
    for item in &items {
        loader.item(&allow, item, |loader| loader.text(item, OnMistake::Refuse));
    }
    let names: Vec<Json> = items.iter().filter_map(text).collect();
    loader.set_from_file("managedConfig.allow".to_owned(), names.into(), &allow);
}
