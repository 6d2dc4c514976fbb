//! Validation of addresses.

use std::net::IpAddr;

use portcullis_yaml::syntax::{HostPort, HostPortError};

use crate::check::format_error::FormatError;
use crate::network::{AdvertisedAddress, PROTOCOLS, is_host, parse_advertised};

pub(super) fn validate_address(text: &str, empty_host: bool) -> Option<FormatError> {
    let form = "write it like `tls:router.example.test:6262`";
    let Some((kind, rest)) = text.split_once(':') else {
        return Some(FormatError::new("the protocol is missing", form));
    };
    if kind == "ws" {
        return Some(FormatError::new(
            "WebSockets without TLS are not served",
            format!("write `wss:{rest}`"),
        ));
    }
    if !PROTOCOLS.contains(&kind) {
        let lower = kind.to_lowercase();
        let help = if PROTOCOLS.contains(&lower.as_str()) {
            format!("write `{lower}:{rest}`")
        } else if text.parse::<HostPort>().is_ok() {
            format!("write `tls:{text}`")
        } else {
            form.to_owned()
        };
        let what = format!(
            "it must start with one of {}, each with a colon",
            PROTOCOLS.join(", ")
        );
        return Some(FormatError::new(what, help));
    }
    if let Some(bare) = rest.strip_prefix("//") {
        return Some(FormatError::new(
            "this is not a URL; write nothing between the colon and the host",
            format!("write `{kind}:{}`", bare.trim_end_matches('/')),
        ));
    }
    validate_host_port_with(rest, 0, empty_host).map(|mistake| FormatError {
        // The suggested address needs the protocol in front.
        help: mistake
            .help
            .map(|help| help.replacen('`', &format!("`{kind}:"), 1)),
        ..mistake
    })
}

pub(super) fn validate_advertised(text: &str) -> Option<FormatError> {
    match parse_advertised(text) {
        Some(AdvertisedAddress {
            host_port: place, ..
        }) => validate_host_port(&place.to_string(), 1),
        None => validate_host_port(text, 1),
    }
}

pub(super) fn validate_host_port(text: &str, least_port: u16) -> Option<FormatError> {
    validate_host_port_with(text, least_port, false)
}

fn validate_host_port_with(text: &str, least_port: u16, empty_host: bool) -> Option<FormatError> {
    let form = "write it like `router.example.test:3022`";
    let bare = ["https://", "http://", "tls://", "tls:", "tcp:"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix));
    match text.parse::<HostPort>() {
        _ if bare.is_some() => {
            let bare = bare.unwrap_or_default().trim_end_matches('/');
            Some(FormatError::new(
                "nothing may come before the host here",
                format!("write `{bare}`"),
            ))
        },
        Err(HostPortError::BadHost)
            if text.parse::<IpAddr>().is_ok() || text.matches(':').count() > 2 =>
        {
            Some(FormatError::new(
                "an IPv6 address must be in brackets",
                "write it like `[2001:db8::1]:3022`",
            ))
        },
        Err(error) => Some(FormatError::new(error.to_string(), form)),
        Ok(place) if place.host.is_empty() && !empty_host => {
            Some(FormatError::new("the host is missing", form))
        },
        Ok(place) if !place.host.is_empty() && !is_host(&place.host) => Some(FormatError::new(
            format!("`{}` is not a host", place.host),
            form,
        )),
        Ok(place) if place.port < least_port => {
            Some(FormatError::new("the port must be from 1 to 65535", form))
        },
        Ok(_) => None,
    }
}

pub(super) fn validate_packet_address(text: &str) -> Option<FormatError> {
    let form = "write it like `udp:0.0.0.0:5353`";
    let Some((network, rest)) = text.split_once(':') else {
        return Some(FormatError::new("`udp:` is missing at the beginning", form));
    };
    match network {
        "unixgram" if rest.is_empty() => Some(FormatError::new(
            "the path is missing",
            "write it like `unixgram:/run/r.sock`",
        )),
        "unixgram" => None,
        "udp" | "udp4" | "udp6" if rest.starts_with("//") => Some(FormatError::new(
            "this is not a URL",
            format!("write `{network}:{}`", rest.trim_start_matches('/')),
        )),
        "udp" | "udp4" | "udp6" => validate_host_port_with(rest, 0, true),
        _ => Some(FormatError::new(
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
            let help = validate_address(text, false).and_then(|mistake| mistake.help);
            assert!(
                help.as_ref().is_some_and(|help| help.contains(part)),
                "{text}: {help:?}"
            );
        }
    }
}
