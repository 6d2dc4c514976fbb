//! Addresses as OpenZiti reads them.

use std::fmt;

use portcullis_yaml::syntax::{HostPort, HostPortError};

/// Kinds of connection that OpenZiti knows.
const KINDS: [&str; 6] = ["tls", "dtls", "tcp", "ws", "wss", "udp"];

/// An address with its kind of connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) kind: &'static str,
    /// `None` only for `dtls`, whose mistakes show when it is used.
    pub(super) place: Option<HostPort>,
    written: String,
}

impl Address {
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (prefix, rest) = text.split_once(':')?;
        let kind = KINDS.into_iter().find(|kind| *kind == prefix)?;
        let place = rest.parse::<HostPort>().ok();
        (place.is_some() || kind == "dtls").then(|| Self {
            kind,
            place,
            written: text.to_owned(),
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) if self.kind != "dtls" => write!(formatter, "{}:{place}", self.kind),
            _ => formatter.write_str(&self.written),
        }
    }
}

/// Reads what Go's network package opens: the port may have a sign, or be missing for any port. Names
/// of services are not known here.
pub(super) fn listenable(text: &str) -> Result<HostPort, HostPortError> {
    match text.rsplit_once(':') {
        Some((host, "")) => format!("{host}:0").parse(),
        Some((host, port)) => {
            let unsigned = port.strip_prefix('+').unwrap_or(port);
            format!("{host}:{unsigned}").parse()
        },
        None => text.parse(),
    }
}

/// Tells whether a text could be a domain name at all, by the rules of Go's resolver.
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
