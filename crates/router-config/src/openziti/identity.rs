//! Section `identity`.

use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::{Stage, Verdict};
use crate::openziti::loader::{Loader, section_if_map};
use crate::pem::PemBlocks;
use crate::pem_source::{PemSource, parse_pem_source};
use crate::table::{ALT_SERVER_CERT, IDENTITY, OnMistake};

const NAMES: [&str; 5] = ["cert", "server_cert", "key", "server_key", "ca"];

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(field) = root.get("identity") else {
        return loader.missing(root, "identity", Verdict::Refuse);
    };
    let Some(section) = loader.section(&field, OnMistake::Crash) else {
        return;
    };
    parse(loader, &section);
    for name in NAMES {
        let path = format!("identity.{name}");
        match section.get(name) {
            Some(field) if field.node().as_str().is_some() => {
                let text = field.node().as_str().unwrap_or_default();
                loader.set_from_file(path, json!(text), &field);
            },
            _ => loader.effective.set_default(&path, ""),
        }
    }
    record_alternatives(loader, &section);
    check_material(loader, &section);
    if section
        .get("cert")
        .is_none_or(|field| field.node().as_str() == Some(""))
    {
        // The id of the router is the common name of its certificate.
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

fn record_alternatives(loader: &mut Loader<'_>, section: &Section<'_>) {
    let items = section
        .get("alt_server_certs")
        .and_then(|field| field.items())
        .unwrap_or_default();
    if items.is_empty() {
        return loader
            .effective
            .set_default("identity.alt_server_certs", Json::Array(vec![]));
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
                Some(field) => loader.set_from_file(path, json!(text), field),
                None => loader.effective.set_default(&path, text),
            }
        }
    }
}

/// Checks the types of the keys, in the order of OpenZiti.
pub(super) fn parse(loader: &mut Loader<'_>, section: &Section<'_>) {
    for name in ["cert", "server_cert", "key", "server_key"] {
        loader.string(section, IDENTITY, name);
    }
    if let Some(field) = section.get("alt_server_certs") {
        check_alternatives(loader, &field);
    }
    loader.string(section, IDENTITY, "ca");
}

fn check_alternatives(loader: &mut Loader<'_>, field: &Field<'_>) {
    for section in loader.sections(field) {
        loader.string(&section, ALT_SERVER_CERT, "server_cert");
        if let Some(field) = section.get_non_null("server_key") {
            loader.text(&field, OnMistake::Refuse);
        }
    }
}

/// Checks the sources of certificates and keys. Files are assumed to be valid.
pub(super) fn check_material(loader: &mut Loader<'_>, section: &Section<'_>) {
    let get = |name: &str| {
        section
            .get(name)
            .filter(|f| f.node().as_str().is_some_and(|t| !t.is_empty()))
    };
    if let Some(field) = get("key") {
        check_source(loader, &field, true);
    }
    if let Some(field) = get("ca") {
        check_source(loader, &field, false);
    }
    let has_key = section
        .get("key")
        .is_some_and(|field| field.node().as_str() != Some(""));
    let own = get("server_key").is_some();
    if !has_key && (get("cert").is_some() || (get("server_cert").is_some() && !own)) {
        report_missing_key(loader, section);
    }
    for name in ["cert", "server_cert"] {
        if let Some(field) = get(name) {
            check_source(loader, &field, false);
        }
    }
    if let Some(field) = get("server_key") {
        check_source(loader, &field, true);
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
                check_source(loader, &field, is_key);
            }
        }
    }
}

fn report_missing_key(loader: &mut Loader<'_>, section: &Section<'_>) {
    match section.get("key") {
        Some(field) => loader.refuse(&field, codes::INVALID_VALUE, "this must not be empty"),
        None => loader.missing(section, "key", Verdict::Refuse),
    }
}

fn check_source(loader: &mut Loader<'_>, field: &Field<'_>, is_key: bool) {
    let text = field.node().as_str().unwrap_or_default();
    match parse_pem_source(text) {
        PemSource::File("") => {
            loader.refuse(field, codes::INVALID_VALUE, "this is not a file name");
        },
        PemSource::File(_) => {},
        PemSource::Inline(pem) => check_inline(loader, field, pem, is_key),
        PemSource::UnsupportedScheme(scheme) => {
            let message = format!("certificates and keys cannot be loaded with `{scheme}:`");
            loader.refuse(field, codes::INVALID_VALUE, message);
        },
        PemSource::Malformed => {
            loader.refuse(
                field,
                codes::INVALID_VALUE,
                "this is neither a path nor a URL",
            );
        },
    }
}

/// A text without a certificate is refused. While searching for a key, OpenZiti crashes on anything
/// that is no PEM block, and refuses only a text that ends with a block.
fn check_inline(loader: &mut Loader<'_>, field: &Field<'_>, pem: &str, is_key: bool) {
    let blocks = PemBlocks::parse(pem);
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

/// The expiry check looks at the first server certificate; alternative ones are in the same list.
pub(super) fn run(loader: &mut Loader<'_>, root: &Section<'_>) {
    let Some(section) = section_if_map(root, "identity") else {
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
    loader.with_stage(Stage::Run, |loader| match &server {
        Some(field) => loader.crash(
            field,
            codes::INVALID_VALUE,
            "the router has no server certificate",
        ),
        None => loader.missing(&section, "server_cert", Verdict::Crash),
    });
}
