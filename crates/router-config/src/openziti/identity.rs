//! `identity`.

use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::{Stage, Verdict};
use crate::openziti::loader::{Loader, lenient_section};
use crate::pem::Blocks;
use crate::table::Wrong;
use crate::uri;

const NAMES: [&str; 5] = ["cert", "server_cert", "key", "server_key", "ca"];

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(field) = root.get("identity") else {
        return loader.missing(root, "identity", Verdict::Refuse);
    };
    let Some(section) = field.as_section() else {
        return loader.wrong_type(&field, "a map", Wrong::Crash);
    };
    parse(loader, &section);
    for name in NAMES {
        let path = format!("identity.{name}");
        match section.get(name) {
            Some(field) if field.node().as_str().is_some() => {
                let text = field.node().as_str().unwrap_or_default();
                loader.given(path, json!(text), &field);
            },
            _ => loader.effective.fill(&path, ""),
        }
    }
    note_alternatives(loader, &section);
    material(loader, &section);
    if section
        .get("cert")
        .is_none_or(|field| field.node().as_str() == Some(""))
    {
        // The id of the router is the name in the certificate.
        match section.get("cert") {
            Some(field) => loader.crash(
                &field,
                codes::INVALID_VALUE,
                "the router has no certificate",
            ),
            None => loader.missing(&section, "cert", Verdict::Crash),
        }
    }
}

fn note_alternatives(loader: &mut Loader<'_>, section: &Section<'_>) {
    let items = section
        .get("alt_server_certs")
        .and_then(|field| field.items())
        .unwrap_or_default();
    if items.is_empty() {
        return loader
            .effective
            .fill("identity.alt_server_certs", Json::Array(vec![]));
    }
    for (index, item) in items.iter().enumerate() {
        for (name, shown) in [("server_cert", "serverCert"), ("server_key", "serverKey")] {
            let field = item.as_section().and_then(|section| section.get(name));
            let text = field
                .as_ref()
                .and_then(|field| field.node().as_str())
                .unwrap_or_default();
            let path = format!("identity.alt_server_certs[{index}].{shown}");
            match &field {
                Some(field) => loader.given(path, json!(text), field),
                None => loader.effective.fill(&path, text),
            }
        }
    }
}

/// Checks the types of the keys; the order is that of OpenZiti.
pub(super) fn parse(loader: &mut Loader<'_>, section: &Section<'_>) {
    for name in ["cert", "server_cert", "key", "server_key"] {
        if let Some(field) = section.get(name) {
            loader.text(&field, Wrong::Refuse);
        }
    }
    if let Some(field) = section.get("alt_server_certs") {
        alternatives(loader, &field);
    }
    if let Some(field) = section.get("ca") {
        loader.text(&field, Wrong::Refuse);
    }
}

fn alternatives(loader: &mut Loader<'_>, field: &Field<'_>) {
    let Some(items) = field.items() else {
        return loader.wrong_type(field, "a list", Wrong::Refuse);
    };
    for item in items {
        let Some(section) = item.as_section() else {
            loader.wrong_type(&item, "a map", Wrong::Refuse);
            continue;
        };
        match section.get("server_cert") {
            Some(field) => {
                loader.text(&field, Wrong::Refuse);
            },
            None => loader.missing(&section, "server_cert", Verdict::Refuse),
        }
        if let Some(field) = section.get_non_null("server_key") {
            loader.text(&field, Wrong::Refuse);
        }
    }
}

/// Opens what the section names. Files are taken as good, other places are looked at.
pub(super) fn material(loader: &mut Loader<'_>, section: &Section<'_>) {
    let get = |name: &str| {
        section
            .get(name)
            .filter(|f| f.node().as_str().is_some_and(|t| !t.is_empty()))
    };
    if let Some(field) = get("key") {
        open(loader, &field, true);
    }
    if let Some(field) = get("ca") {
        open(loader, &field, false);
    }
    let has_key = section
        .get("key")
        .is_some_and(|field| field.node().as_str() != Some(""));
    let own = get("server_key").is_some();
    if !has_key && (get("cert").is_some() || (get("server_cert").is_some() && !own)) {
        without_key(loader, section);
    }
    for name in ["cert", "server_cert"] {
        if let Some(field) = get(name) {
            open(loader, &field, false);
        }
    }
    if let Some(field) = get("server_key") {
        open(loader, &field, true);
    }
    let items = section
        .get("alt_server_certs")
        .and_then(|field| field.items())
        .unwrap_or_default();
    for item in items.iter().filter_map(Field::as_section) {
        if !has_key
            && item
                .get("server_key")
                .is_none_or(|field| field.node().as_str() == Some(""))
            && let Some(field) = item.get("server_cert")
        {
            let message = format!("the key for `{}` is missing", field.path());
            loader.refuse(&field, codes::MISSING_KEY, message);
        }
        for (name, is_key) in [("server_cert", false), ("server_key", true)] {
            if let Some(field) = item.get(name)
                && field
                    .node()
                    .as_str()
                    .is_some_and(|text| !text.is_empty() || !is_key)
            {
                open(loader, &field, is_key);
            }
        }
    }
}

fn without_key(loader: &mut Loader<'_>, section: &Section<'_>) {
    match section.get("key") {
        Some(field) => loader.refuse(&field, codes::INVALID_VALUE, "this must not be empty"),
        None => loader.missing(section, "key", Verdict::Refuse),
    }
}

fn open(loader: &mut Loader<'_>, field: &Field<'_>, is_key: bool) {
    let text = field.node().as_str().unwrap_or_default();
    match place_of(text) {
        Material::File("") => {
            loader.refuse(field, codes::INVALID_VALUE, "this is not a file name");
        },
        Material::File(_) => {},
        Material::Inline(pem) => inline(loader, field, pem, is_key),
        Material::Unknown(scheme) => {
            let message = format!("certificates and keys cannot be loaded with `{scheme}:`");
            loader.refuse(field, codes::INVALID_VALUE, message);
        },
        Material::Malformed => {
            loader.refuse(
                field,
                codes::INVALID_VALUE,
                "this is neither a path nor a URL",
            );
        },
    }
}

/// A text without a certificate is refused. In search of a key OpenZiti stumbles over what is no
/// block, and refuses only a text that ends with one.
fn inline(loader: &mut Loader<'_>, field: &Field<'_>, pem: &str, is_key: bool) {
    let blocks = Blocks::of(pem);
    let code = codes::INVALID_VALUE;
    if !is_key && !blocks.has_certificate() {
        loader.refuse(field, code, "this text contains no certificate");
    }
    if is_key && !blocks.has_key() {
        let message = "this text contains no key";
        if blocks.ends_with_block() {
            loader.refuse(field, code, message);
        } else {
            loader.crash(field, code, message);
        }
    }
}

/// Where a certificate or key is looked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Material<'text> {
    File(&'text str),
    Inline(&'text str),
    Unknown(&'text str),
    Malformed,
}

/// Reads a text as Go reads a URL, and finds the path in it.
pub(crate) fn place_of(text: &str) -> Material<'_> {
    if let Some(pem) = text.strip_prefix("pem:") {
        return Material::Inline(pem);
    }
    if text.starts_with("-----BEGIN") {
        return Material::Inline(text);
    }
    if text.bytes().any(|b| b < b' ' || b == 0x7F) {
        return Material::Malformed;
    }
    let body = text.split_once('#').map_or(text, |(body, _)| body);
    let Some((scheme, rest)) = uri::split_scheme(body) else {
        return Material::Malformed;
    };
    let rest = rest.split_once('?').map_or(rest, |(rest, _)| rest);
    if !scheme.is_empty() && !scheme.eq_ignore_ascii_case("file") {
        return Material::Unknown(scheme);
    }
    let path = match rest.strip_prefix("//") {
        Some(after) => after
            .find('/')
            .map_or("", |at| after.get(at..).unwrap_or_default()),
        None if !scheme.is_empty() && !rest.starts_with('/') => "",
        None => rest,
    };
    let colon_first = |path: &str| {
        path.split('/')
            .next()
            .is_some_and(|part| part.contains(':'))
    };
    if !uri::escapes_are_good(path) || (scheme.is_empty() && colon_first(path)) {
        return Material::Malformed;
    }
    Material::File(path)
}

/// The check of the certificates' age looks at the first server certificate; alternative ones stand in
/// the same list.
pub(super) fn run(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(section) = lenient_section(root, "identity") else {
        return;
    };
    let server = section.get("server_cert");
    let alternatives = section
        .get("alt_server_certs")
        .and_then(|field| field.items());
    let empty = server
        .as_ref()
        .is_none_or(|field| field.node().as_str() == Some(""));
    if !empty || alternatives.is_some_and(|items| !items.is_empty()) {
        return;
    }
    loader.take_verdict(Stage::Run, |loader| match &server {
        Some(field) => loader.crash(
            field,
            codes::INVALID_VALUE,
            "the router has no server certificate",
        ),
        None => loader.missing(&section, "server_cert", Verdict::Crash),
    });
}
