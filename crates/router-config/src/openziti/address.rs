//! Addresses as OpenZiti parses them.

use std::fmt;

use portcullis_yaml::syntax::{HostPort, HostPortError};

/// Protocols that OpenZiti knows.
const PROTOCOLS: [&str; 6] = ["tls", "dtls", "tcp", "ws", "wss", "udp"];

/// An address with its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) protocol: &'static str,
    /// `None` only for invalid `dtls` addresses, which fail when they are used.
    pub(super) host_port: Option<HostPort>,
    text: String,
}

impl Address {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (prefix, rest) = text.split_once(':')?;
        let kind = PROTOCOLS.into_iter().find(|kind| *kind == prefix)?;
        let place = rest.parse::<HostPort>().ok();
        (place.is_some() || kind == "dtls").then(|| Self {
            protocol: kind,
            host_port: place,
            text: text.to_owned(),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host_port {
            Some(place) if self.protocol != "dtls" => {
                write!(formatter, "{}:{place}", self.protocol)
            },
            _ => formatter.write_str(&self.text),
        }
    }
}

/// Parses a listen address as Go's network package does: the port may have a sign, or be empty for
/// any port. Service names are not supported.
pub(super) fn parse_listen_address(text: &str) -> Result<HostPort, HostPortError> {
    match text.rsplit_once(':') {
        Some((host, "")) => format!("{host}:0").parse(),
        Some((host, port)) => {
            let unsigned = port.strip_prefix('+').unwrap_or(port);
            format!("{host}:{unsigned}").parse()
        },
        None => text.parse(),
    }
}

/// Whether a text is a valid domain name by the rules of Go's resolver.
pub(super) fn is_domain_name(name: &str) -> bool {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.is_empty() || name.len() > 254 {
        return false;
    }
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
    };
    let letters = name
        .bytes()
        .any(|b| b.is_ascii_alphabetic() || b == b'_' || b == b'-');
    letters && name.split('.').all(label)
}
