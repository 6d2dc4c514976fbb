//! Holding a string against its form.

use std::net::IpAddr;

use portcullis_yaml::syntax::HostPort;
use portcullis_yaml::{Field, KeyPath};
use serde_json::{Value as Json, json};

use crate::check::address::{
    EdgeAddress, address, address_of, advertised, edge_address, host_port, packet_address,
};
use crate::check::host::is_host;
use crate::check::mistake::Mistake;
use crate::check::walk::Walker;
use crate::codes;
use crate::openziti::{Material, could_be_interface, is_range, place_of};
use crate::pem::Blocks;
use crate::table::Form;
use crate::uri;

const NO_IPV6: &str = "OpenZiti does not support IPv6 addresses here";

pub(super) fn check(
    walker: &mut Walker<'_>,
    field: &Field<'_>,
    text: &str,
    form: Form,
    path: &KeyPath,
) -> Option<Json> {
    match problem(text, form) {
        None => {
            remark(walker, field, text, form);
            Some(json!(text))
        },
        Some(Mistake { what, help }) => {
            // A key may stand in the file itself, and is never shown.
            let shown = match form {
                Form::Certificate | Form::PrivateKey => field.path().to_string(),
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

/// What is accepted here although OpenZiti would not.
fn remark(walker: &mut Walker<'_>, field: &Field<'_>, text: &str, form: Form) {
    match form {
        Form::LooseAddress if address_of(text).is_none() => {
            let message = "OpenZiti requires the protocol at the beginning";
            walker
                .warn(field, codes::ONLY_HERE, message)
                .help(format!("write `tls:{text}`"));
        },
        Form::Advertised => match edge_address(text) {
            Some(EdgeAddress {
                prefix: Some(prefix),
                place,
            }) => {
                let message = format!("OpenZiti does not support `{prefix}:` here");
                walker
                    .warn(field, codes::ONLY_HERE, message)
                    .help(format!("write `{place}`"));
            },
            Some(EdgeAddress { place, .. }) if place.host.contains(':') => {
                walker
                    .warn(field, codes::ONLY_HERE, NO_IPV6)
                    .help("write a host name");
            },
            _ => {},
        },
        Form::EdgeAddress => {
            if let Some((kind, place)) = address_of(text)
                && place.host.contains(':')
            {
                walker.warn(field, codes::ONLY_HERE, NO_IPV6).help(format!(
                    "write `{kind}:0.0.0.0:{}`, or a host name",
                    place.port
                ));
            }
        },
        Form::Certificate | Form::PrivateKey
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
    matches!(place_of(text), Material::File(_))
}

fn problem(text: &str, form: Form) -> Option<Mistake> {
    match form {
        Form::Free => None,
        Form::Filled => text
            .trim()
            .is_empty()
            .then(|| Mistake::new("it must not be empty", "write a value or remove the key")),
        Form::Certificate => material(text, false),
        Form::PrivateKey => material(text, true),
        Form::Address | Form::EdgeAddress => address(text, true),
        Form::Endpoint => address(text, false),
        Form::LooseAddress => match host_port(text, 0) {
            None => None,
            Some(_) => address(text, false),
        },
        Form::PacketAddress => packet_address(text),
        Form::Advertised => advertised(text),
        Form::HostPort => host_port(text, 1),
        Form::Interface => (!could_be_interface(text)).then(|| {
            Mistake::new(
                "it is neither a network interface nor an IP address of this machine",
                "write a name such as `eth0`, or an address such as `10.0.0.1`, without a port",
            )
        }),
        Form::ServicePort => service_port(text),
        Form::Cidr => (!is_range(text)).then(|| {
            Mistake::new(
                "it is not a range of IP addresses",
                "write it like `100.64.0.1/10`",
            )
        }),
        Form::Resolver => resolver(text),
        Form::Upstream => upstream(text),
        Form::Ip => text.parse::<IpAddr>().is_err().then(|| {
            let help = if is_host(text) {
                "host names belong to `dns`"
            } else {
                "write a single address, such as `10.0.0.1`"
            };
            Mistake::new("it is not an IP address", help)
        }),
        Form::Uri => (text.is_empty() || !uri::is_parsable(text)).then(|| {
            Mistake::new(
                "it is not a URI",
                "write it like `spiffe://example.test/router`",
            )
        }),
        Form::TunnelMode => tunnel_mode(text),
    }
}

fn material(text: &str, is_key: bool) -> Option<Mistake> {
    if text.is_empty() {
        return Some(Mistake::new(
            "it must not be empty",
            "write the path of a file",
        ));
    }
    let hardware = is_key && (text.starts_with("pkcs11:") || text.starts_with("parsec:"));
    match place_of(text) {
        _ if hardware => None,
        Material::File("") if text.starts_with("file:") => Some(Mistake::new(
            "after `file:` the path must start with `/`",
            format!(
                "write `{}` without `file:`",
                text.trim_start_matches("file:")
            ),
        )),
        Material::File("") => Some(Mistake::new(
            "it is not a file name",
            "write the path of a file",
        )),
        Material::Inline(pem) if is_key && !Blocks::of(pem).has_key() => Some(Mistake::new(
            "the text contains no private key",
            "write the path of a file, or the whole text from `-----BEGIN` to `-----END` after `|`",
        )),
        Material::Inline(pem) if !is_key && !Blocks::of(pem).has_certificate() => {
            Some(Mistake::new(
                "the text contains no certificate",
                "write the path of a file, or the whole text from `-----BEGIN` to `-----END` after `|`",
            ))
        },
        Material::File(_) | Material::Inline(_) => None,
        Material::Unknown(scheme) => Some(Mistake::new(
            format!("`{scheme}:` is not supported"),
            "write a path, or `pem:` and the text itself",
        )),
        Material::Malformed => Some(Mistake::new(
            "it is neither a path nor a URL",
            "write the path of a file; `%` starts an escape and `:` ends a scheme",
        )),
    }
}

fn service_port(text: &str) -> Option<Mistake> {
    let form = "write it like `echo:8000` or `echo:8000:udp`; the port is opened on all addresses";
    let (name, port) = match text.split(':').collect::<Vec<_>>().as_slice() {
        [name, port] | [name, port, "tcp" | "udp"] => ((*name).to_owned(), (*port).to_owned()),
        [_, _, other] => {
            let what = format!("unknown protocol `{other}`; use `tcp` or `udp`");
            return Some(Mistake::new(what, form));
        },
        _ => return Some(Mistake::new("it is not a service with a port", form)),
    };
    let good =
        port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok_and(|port| port > 0);
    if name.is_empty() {
        Some(Mistake::new("the service is missing", form))
    } else if good {
        None
    } else {
        Some(Mistake::new(
            "the port must be a number from 1 to 65535",
            form,
        ))
    }
}

fn resolver(text: &str) -> Option<Mistake> {
    let form = "write `udp://127.0.0.1:53`, or `file:///etc/hosts` for a hosts file";
    if text.is_empty() {
        return Some(Mistake::new("it must not be empty", form));
    }
    let address = text.split('?').next().unwrap_or_default();
    match address.split_once("://") {
        Some(("udp" | "tcp", place)) => match place.parse::<HostPort>() {
            Ok(place) if is_host(&place.host) => None,
            Ok(_) => Some(Mistake::new("the host is missing", form)),
            Err(error) => Some(Mistake::new(error.to_string(), form)),
        },
        Some(("file", path)) if path.starts_with('/') => None,
        Some((scheme, _)) => Some(Mistake::new(
            format!("unknown kind of resolver `{scheme}`"),
            form,
        )),
        None if text.starts_with('/') || text.starts_with('.') => None,
        None => Some(Mistake::new("`udp://` is missing at the beginning", form)),
    }
}

fn upstream(text: &str) -> Option<Mistake> {
    let form = "write it like `udp://10.0.0.2:53` or `tcp://10.0.0.2:53`";
    if text.is_empty() {
        return None;
    }
    match text.split_once("://") {
        Some(("udp" | "tcp", place)) => match place.parse::<HostPort>() {
            Ok(HostPort { port: 0, .. }) => {
                Some(Mistake::new("the port must be from 1 to 65535", form))
            },
            Ok(HostPort { host, .. }) if is_host(&host) => None,
            Ok(_) => Some(Mistake::new("the host is missing", form)),
            Err(error) => Some(Mistake::new(error.to_string(), form)),
        },
        Some((scheme, _)) => Some(Mistake::new(
            format!("name servers cannot be queried over `{scheme}`"),
            form,
        )),
        None => Some(Mistake::new("`udp://` is missing at the beginning", form)),
    }
}

fn tunnel_mode(text: &str) -> Option<Mistake> {
    let modes = ["host", "tproxy", "proxy"];
    let program = text.strip_prefix("tproxy:");
    if modes.contains(&text) || program.is_some_and(|program| !program.is_empty()) {
        return None;
    }
    let help = match portcullis_yaml::nearest(text, modes) {
        Some(similar) => format!("did you mean `{similar}`?"),
        None => "write host, tproxy or proxy".to_owned(),
    };
    Some(Mistake::new("the mode is unknown", help))
}
