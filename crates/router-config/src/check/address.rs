//! Addresses.

use std::net::IpAddr;

use portcullis_yaml::syntax::{HostPort, HostPortError};

use crate::check::host::is_host;
use crate::check::mistake::Mistake;

const KINDS: [&str; 5] = ["tls", "tcp", "dtls", "wss", "udp"];

/// Reads an address with its kind of connection.
pub(crate) fn address_of(text: &str) -> Option<(&'static str, HostPort)> {
    let (prefix, rest) = text.split_once(':')?;
    let kind = KINDS.into_iter().find(|kind| *kind == prefix)?;
    Some((kind, rest.parse().ok()?))
}

pub(super) fn address(text: &str, empty_host: bool) -> Option<Mistake> {
    let form = "write it like `tls:router.example.test:6262`";
    let Some((kind, rest)) = text.split_once(':') else {
        return Some(Mistake::new("the protocol is missing", form));
    };
    if kind == "ws" {
        return Some(Mistake::new(
            "WebSockets without TLS are not served",
            format!("write `wss:{rest}`"),
        ));
    }
    if !KINDS.contains(&kind) {
        let lower = kind.to_lowercase();
        let help = if KINDS.contains(&lower.as_str()) {
            format!("write `{lower}:{rest}`")
        } else if text.parse::<HostPort>().is_ok() {
            format!("write `tls:{text}`")
        } else {
            form.to_owned()
        };
        let what = format!(
            "it must start with one of {}, each with a colon",
            KINDS.join(", ")
        );
        return Some(Mistake::new(what, help));
    }
    if let Some(bare) = rest.strip_prefix("//") {
        return Some(Mistake::new(
            "this is not a URL; write nothing between the colon and the host",
            format!("write `{kind}:{}`", bare.trim_end_matches('/')),
        ));
    }
    host_port_but(rest, 0, empty_host).map(|mistake| Mistake {
        // What is to be written has the kind of connection in front here.
        help: mistake
            .help
            .map(|help| help.replacen('`', &format!("`{kind}:"), 1)),
        ..mistake
    })
}

/// An address that clients are told.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct EdgeAddress<'text> {
    /// Kind of connection, which does not belong here.
    pub(crate) prefix: Option<&'text str>,
    pub(crate) place: HostPort,
}

/// Reads an address that clients are told; a kind of connection in front is put aside.
pub(crate) fn edge_address(text: &str) -> Option<EdgeAddress<'_>> {
    if let Ok(place) = text.parse() {
        return Some(EdgeAddress {
            prefix: None,
            place,
        });
    }
    let (prefix, rest) = text.split_once(':')?;
    let place = rest.parse().ok().filter(|_| KINDS.contains(&prefix))?;
    Some(EdgeAddress {
        prefix: Some(prefix),
        place,
    })
}

pub(super) fn advertised(text: &str) -> Option<Mistake> {
    match edge_address(text) {
        Some(EdgeAddress { place, .. }) => host_port(&place.to_string(), 1),
        None => host_port(text, 1),
    }
}

pub(super) fn host_port(text: &str, least_port: u16) -> Option<Mistake> {
    host_port_but(text, least_port, false)
}

fn host_port_but(text: &str, least_port: u16, empty_host: bool) -> Option<Mistake> {
    let form = "write it like `router.example.test:3022`";
    let bare = ["https://", "http://", "tls://", "tls:", "tcp:"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    match text.parse::<HostPort>() {
        _ if bare.is_some() => {
            let bare = bare.unwrap_or_default().trim_end_matches('/');
            Some(Mistake::new(
                "nothing may come before the host here",
                format!("write `{bare}`"),
            ))
        },
        Err(HostPortError::BadHost)
            if text.parse::<IpAddr>().is_ok() || text.matches(':').count() > 2 =>
        {
            Some(Mistake::new(
                "an IPv6 address must be in brackets",
                "write it like `[2001:db8::1]:3022`",
            ))
        },
        Err(error) => Some(Mistake::new(error.to_string(), form)),
        Ok(place) if place.host.is_empty() && !empty_host => {
            Some(Mistake::new("the host is missing", form))
        },
        Ok(place) if !place.host.is_empty() && !is_host(&place.host) => Some(Mistake::new(
            format!("`{}` is not a host", place.host),
            form,
        )),
        Ok(place) if place.port < least_port => {
            Some(Mistake::new("the port must be from 1 to 65535", form))
        },
        Ok(_) => None,
    }
}

pub(super) fn packet_address(text: &str) -> Option<Mistake> {
    let form = "write it like `udp:0.0.0.0:5353`";
    let Some((network, rest)) = text.split_once(':') else {
        return Some(Mistake::new("`udp:` is missing at the beginning", form));
    };
    match network {
        "unixgram" if rest.is_empty() => Some(Mistake::new(
            "the path is missing",
            "write it like `unixgram:/run/r.sock`",
        )),
        "unixgram" => None,
        "udp" | "udp4" | "udp6" if rest.starts_with("//") => Some(Mistake::new(
            "this is not a URL",
            format!("write `{network}:{}`", rest.trim_start_matches('/')),
        )),
        "udp" | "udp4" | "udp6" => host_port_but(rest, 0, true),
        _ => Some(Mistake::new(
            "it must start with `udp:`, `udp4:`, `udp6:` or `unixgram:`",
            form,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_for_an_address_has_the_kind_of_connection_in_front() {
        for (text, part) in [
            ("tls:router.example.test", "`tls:router.example.test:3022`"),
            ("wss:2001:db8::1:3022", "`wss:[2001:db8::1]:3022`"),
            ("router.example.test", "`tls:router.example.test:6262`"),
        ] {
            let help = address(text, false).and_then(|mistake| mistake.help);
            assert!(
                help.as_ref().is_some_and(|help| help.contains(part)),
                "{text}: {help:?}"
            );
        }
    }
}
