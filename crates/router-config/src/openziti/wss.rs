//! Parts of the section `transport` that are read when a listener opens.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Section};

use crate::codes;
use crate::finding::Verdict;
use crate::openziti::address::Address;
use crate::openziti::loader::Loader;
use crate::openziti::{identity, value};
use crate::table::OnMistake;

const INTEGERS: [&str; 8] = [
    "writeTimeout",
    "readTimeout",
    "idleTimeout",
    "pongTimeout",
    "pingInterval",
    "handshakeTimeout",
    "readBufferSize",
    "writeBufferSize",
];

pub(super) fn check(loader: &mut Loader<'_>, transport: Option<&Section<'_>>, address: &Address) {
    let Some(transport) = transport else { return };
    match address.protocol {
        "wss" => check_web_socket(loader, transport),
        "dtls" => check_dtls(loader, transport),
        _ => {},
    }
}

fn check_web_socket(loader: &mut Loader<'_>, transport: &Section<'_>) {
    let Some(field) = transport.get("wss") else {
        return;
    };
    let Some(section) = loader.section(&field, OnMistake::Crash) else {
        return;
    };
    for name in INTEGERS {
        if let Some(field) = section.get(name)
            && value::integer(field.node()).is_none()
        {
            loader.wrong_type(&field, "an integer", OnMistake::Refuse);
        }
    }
    if let Some(field) = section.get("enableCompression")
        && field.node().as_bool().is_none()
    {
        loader.wrong_type(&field, "a boolean", OnMistake::Refuse);
    }
    if let Some(field) = section.get("identity") {
        check_own_identity(loader, &field);
    }
}

fn check_own_identity(loader: &mut Loader<'_>, field: &Field<'_>) {
    let Some(section) = loader.section(field, OnMistake::Refuse) else {
        return;
    };
    let known = loader.findings.len();
    identity::parse(loader, &section);
    let empty = |name: &str| {
        section
            .get(name)
            .is_none_or(|f| f.node().as_str() == Some(""))
    };
    for (name, missing) in [
        ("server_cert", empty("server_cert")),
        ("key", empty("key") && empty("server_key")),
        ("ca", empty("ca")),
    ] {
        if missing {
            loader.missing(&section, name, Verdict::Refuse);
        }
    }
    if loader.findings.len() == known {
        identity::check_material(loader, &section);
    }
}

fn check_dtls(loader: &mut Loader<'_>, transport: &Section<'_>) {
    if let Some(field) = transport.get("handshakeTimeout")
        && let Some(text) = loader.text(&field, OnMistake::Refuse)
        && let Err(error) = text.parse::<GoDuration>()
    {
        let message = format!("`{text}` is not a duration: {error}");
        loader.refuse(&field, codes::INVALID_VALUE, message);
    }
    let Some(field) = transport.get("dtls") else {
        return;
    };
    let Some(section) = loader.section(&field, OnMistake::Refuse) else {
        return;
    };
    if let Some(field) = section.get_non_null("maxBytesPerSecond")
        && value::integer(field.node()).is_none()
    {
        loader.wrong_type(&field, "an integer", OnMistake::Refuse);
    }
}
