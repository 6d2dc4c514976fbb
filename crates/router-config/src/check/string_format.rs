//! Validation of strings by their format.

use std::net::IpAddr;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Field, KeyPath};
use serde_json::{Value as Json, json};

use crate::check::address::{
    validate_address, validate_advertised, validate_host_port, validate_packet_address,
};
use crate::check::format_error::FormatError;
use crate::check::walk::Walker;
use crate::codes;
use crate::network::{
    AdvertisedAddress, could_be_interface, is_host, is_range, parse_address, parse_advertised,
};
use crate::pem::PemBlocks;
use crate::pem_source::{PemSource, parse_pem_source};
use crate::table::StringFormat;
use crate::uri;

const NO_IPV6: &str = "OpenZiti does not support IPv6 addresses here";

pub(super) fn check(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    text: &str,
    form: StringFormat,
    path: &KeyPath,
) -> Option<Json> {
    match validate(text, form) {
        None => {
            warn_differences(walker, field, text, form);
            Some(json!(text))
        },
        Some(FormatError {
            message: what,
            help,
        }) => {
            // The value may be an inline key, which is never shown.
            let shown = match form {
                StringFormat::Certificate | StringFormat::PrivateKey => field.path().to_string(),
                _ => text.to_owned(),
            };
            let message = format!("`{shown}` is wrong here: {what}");
            let diagnostic = walker.error_at(path, field, codes::INVALID_VALUE, message);
            if let (None, Some(help)) = (&diagnostic.help, help) {
                diagnostic.help(help);
            }
            None
        },
    }
}

/// Warns about values that are accepted although OpenZiti would not accept them.
fn warn_differences(walker: &mut Walker<'_>, field: &Field<'_>, text: &str, form: StringFormat) {
    match form {
        StringFormat::AddressOrHostPort if parse_address(text).is_none() => {
            let message = "OpenZiti requires the protocol at the beginning";
            walker
                .warn(field, codes::ONLY_HERE, message)
                .help(format!("write `tls:{text}`"));
        },
        StringFormat::AdvertisedHostPort => match parse_advertised(text) {
            Some(AdvertisedAddress {
                protocol: Some(prefix),
                host_port: place,
            }) => {
                let message = format!("OpenZiti does not support `{prefix}:` here");
                walker
                    .warn(field, codes::ONLY_HERE, message)
                    .help(format!("write `{place}`"));
            },
            Some(AdvertisedAddress {
                host_port: place, ..
            }) if place.host.contains(':') => {
                walker
                    .warn(field, codes::ONLY_HERE, NO_IPV6)
                    .help("write a host name");
            },
            _ => {},
        },
        StringFormat::EdgeAddress => {
            if let Some((kind, place)) = parse_address(text)
                && place.host.contains(':')
            {
                walker.warn(field, codes::ONLY_HERE, NO_IPV6).help(format!(
                    "write `{kind}:0.0.0.0:{}`, or a host name",
                    place.port
                ));
            }
        },
        StringFormat::Certificate | StringFormat::PrivateKey
            if text.contains(['?', '#']) && is_plain_path(text) =>
        {
            let message = "OpenZiti reads a path only up to `?` or `#`";
            walker
                .warn(field, codes::SUSPICIOUS, message)
                .help("rename the file");
        },
        _ => {},
    }
}

fn is_plain_path(text: &str) -> bool {
    matches!(parse_pem_source(text), PemSource::File(_))
}

fn validate(text: &str, form: StringFormat) -> Option<FormatError> {
    match form {
        StringFormat::Any => None,
        StringFormat::NonEmpty => text
            .trim()
            .is_empty()
            .then(|| FormatError::new("it must not be empty", "write a value or remove the key")),
        StringFormat::Certificate => validate_pem_source(text, false),
        StringFormat::PrivateKey => validate_pem_source(text, true),
        StringFormat::Address | StringFormat::EdgeAddress => validate_address(text, true),
        StringFormat::Endpoint => validate_address(text, false),
        StringFormat::AddressOrHostPort => match validate_host_port(text, 0) {
            None => None,
            Some(_) => validate_address(text, false),
        },
        StringFormat::PacketAddress => validate_packet_address(text),
        StringFormat::AdvertisedHostPort => validate_advertised(text),
        StringFormat::HostPort => validate_host_port(text, 1),
        StringFormat::Interface => (!could_be_interface(text)).then(|| {
            FormatError::new(
                "it is neither a network interface nor an IP address of this machine",
                "write a name such as `eth0`, or an address such as `10.0.0.1`, without a port",
            )
        }),
        StringFormat::ServicePort => validate_service_port(text),
        StringFormat::Cidr => (!is_range(text)).then(|| {
            FormatError::new(
                "it is not a range of IP addresses",
                "write it like `100.64.0.1/10`",
            )
        }),
        StringFormat::Resolver => validate_resolver(text),
        StringFormat::Upstream => validate_upstream(text),
        StringFormat::Ip => text.parse::<IpAddr>().is_err().then(|| {
            let help = if is_host(text) {
                "host names belong to `dns`"
            } else {
                "write a single address, such as `10.0.0.1`"
            };
            FormatError::new("it is not an IP address", help)
        }),
        StringFormat::Uri => (text.is_empty() || !uri::is_parsable(text)).then(|| {
            FormatError::new(
                "it is not a URI",
                "write it like `spiffe://example.test/router`",
            )
        }),
        StringFormat::TunnelMode => validate_tunnel_mode(text),
    }
}

fn validate_pem_source(text: &str, is_key: bool) -> Option<FormatError> {
    if text.is_empty() {
        return Some(FormatError::new(
            "it must not be empty",
            "write the path of a file",
        ));
    }
    let hardware = is_key && (text.starts_with("pkcs11:") || text.starts_with("parsec:"));
    match parse_pem_source(text) {
        _ if hardware => None,
        PemSource::File("") if text.starts_with("file:") => Some(FormatError::new(
            "after `file:` the path must start with `/`",
            format!(
                "write `{}` without `file:`",
                text.trim_start_matches("file:")
            ),
        )),
        PemSource::File("") => Some(FormatError::new(
            "it is not a file name",
            "write the path of a file",
        )),
        PemSource::Inline(pem) if is_key && !PemBlocks::parse(pem).has_key() => {
            Some(FormatError::new(
                "the text contains no private key",
                "write the path of a file, or the whole text from `-----BEGIN` to `-----END` after `|`",
            ))
        },
        PemSource::Inline(pem) if !is_key && !PemBlocks::parse(pem).has_certificate() => {
            Some(FormatError::new(
                "the text contains no certificate",
                "write the path of a file, or the whole text from `-----BEGIN` to `-----END` after `|`",
            ))
        },
        PemSource::File(_) | PemSource::Inline(_) => None,
        PemSource::UnsupportedScheme(scheme) => Some(FormatError::new(
            format!("`{scheme}:` is not supported"),
            "write a path, or `pem:` and the text itself",
        )),
        PemSource::Malformed => Some(FormatError::new(
            "it is neither a path nor a URL",
            "write the path of a file; `%` starts an escape and `:` ends a scheme",
        )),
    }
}

fn validate_service_port(text: &str) -> Option<FormatError> {
    let form = "write it like `echo:8000` or `echo:8000:udp`; the port is opened at 0.0.0.0";
    let (name, port) = match text.split(':').collect::<Vec<_>>().as_slice() {
        [name, port] | [name, port, "tcp" | "udp"] => ((*name).to_owned(), (*port).to_owned()),
        [_, _, other] => {
            let what = format!("unknown protocol `{other}`; use `tcp` or `udp`");
            return Some(FormatError::new(what, form));
        },
        _ => return Some(FormatError::new("it is not a service with a port", form)),
    };
    let good =
        port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    if name.is_empty() {
        Some(FormatError::new("the service is missing", form))
    } else if good {
        None
    } else {
        Some(FormatError::new(
            "the port must be a number from 1 to 65535",
            form,
        ))
    }
}

fn validate_resolver(text: &str) -> Option<FormatError> {
    let form = "write `udp://127.0.0.1:53`, or `file:///etc/hosts` for a hosts file";
    if text.is_empty() {
        return Some(FormatError::new("it must not be empty", form));
    }
    let address = text.split('?').next().unwrap_or_default();
    match address.split_once("://") {
        Some(("udp" | "tcp", place)) => match place.parse::<HostPort>() {
            Ok(place) if is_host(&place.host) => None,
            Ok(_) => Some(FormatError::new("the host is missing", form)),
            Err(error) => Some(FormatError::new(error.to_string(), form)),
        },
        Some(("file", path)) if path.starts_with('/') => None,
        Some((scheme, _)) => Some(FormatError::new(
            format!("unknown kind of resolver `{scheme}`"),
            form,
        )),
        None if text.starts_with('/') || text.starts_with('.') => None,
        None => Some(FormatError::new(
            "`udp://` is missing at the beginning",
            form,
        )),
    }
}

fn validate_upstream(text: &str) -> Option<FormatError> {
    let form = "write it like `udp://10.0.0.2:53` or `tcp://10.0.0.2:53`";
    if text.is_empty() {
        return None;
    }
    match text.split_once("://") {
        Some(("udp" | "tcp", place)) => match place.parse::<HostPort>() {
            Ok(HostPort { port: 0, .. }) => {
                Some(FormatError::new("the port must be from 1 to 65535", form))
            },
            Ok(HostPort { host, .. }) if is_host(&host) => None,
            Ok(_) => Some(FormatError::new("the host is missing", form)),
            Err(error) => Some(FormatError::new(error.to_string(), form)),
        },
        Some((scheme, _)) => Some(FormatError::new(
            format!("name servers cannot be queried over `{scheme}`"),
            form,
        )),
        None => Some(FormatError::new(
            "`udp://` is missing at the beginning",
            form,
        )),
    }
}

fn validate_tunnel_mode(text: &str) -> Option<FormatError> {
    let modes = ["host", "tproxy", "proxy"];
    let program = text.strip_prefix("tproxy:");
    if modes.contains(&text) || program.is_some_and(|program| !program.is_empty()) {
        return None;
    }
    let help = match portcullis_yaml::nearest(text, modes) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => "write host, tproxy or proxy".to_owned(),
    };
    Some(FormatError::new("the mode is unknown", help))
}
