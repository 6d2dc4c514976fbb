//! Addresses of listeners.

use std::fmt;
use std::str::FromStr;

use portcullis_yaml::syntax::{HostPort, HostPortError};
use portcullis_yaml::{Diagnostics, Field, codes};

/// Address with a protocol, such as `tls:ctrl.example.test:6262`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportAddress {
    pub protocol: TransportProtocol,
    /// Host and port; the host may be empty.
    pub endpoint: HostPort,
}

/// Protocol of a [`TransportAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportProtocol {
    /// TLS over TCP.
    Tls,
    /// TCP without encryption.
    Tcp,
    /// TLS over UDP.
    Dtls,
    /// WebSocket over TLS.
    Wss,
    /// WebSocket without encryption.
    Ws,
    /// UDP without encryption.
    Udp,
}

/// Error of parsing a [`TransportAddress`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// The protocol is missing or unknown.
    #[error("it must start with `tls:`, `tcp:`, `dtls:`, `wss:`, `ws:` or `udp:`")]
    Protocol,
    #[error("there must be no `//` after the first colon")]
    Url,
    /// The rest is not a host with a port.
    #[error(transparent)]
    Endpoint(#[from] HostPortError),
}

const PROTOCOLS: [(&str, TransportProtocol); 6] = [
    ("tls", TransportProtocol::Tls),
    ("tcp", TransportProtocol::Tcp),
    ("dtls", TransportProtocol::Dtls),
    ("wss", TransportProtocol::Wss),
    ("ws", TransportProtocol::Ws),
    ("udp", TransportProtocol::Udp),
];

impl fmt::Display for TransportProtocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = PROTOCOLS
            .iter()
            .find(|(_, kind)| kind == self)
            .map_or("", |(name, _)| name);
        formatter.pad(name)
    }
}

impl FromStr for TransportAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (name, rest) = text.split_once(':').ok_or(AddressError::Protocol)?;
        let kind = PROTOCOLS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, kind)| *kind);
        let kind = kind.ok_or(AddressError::Protocol)?;
        // In brackets, too: the address would be shown without them.
        if rest.trim_start_matches('[').starts_with("//") {
            return Err(AddressError::Url);
        }
        Ok(Self {
            protocol: kind,
            endpoint: rest.parse()?,
        })
    }
}

impl fmt::Display for TransportAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.protocol, self.endpoint)
    }
}

/// Reads an address of the control channel, with a protocol.
pub(crate) fn read_transport_address(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<TransportAddress> {
    field.parse(
        "an address with a protocol",
        "tls:ctrl.example.test:6262",
        diagnostics,
    )
}

/// Reads an address of the web section: host and port, without a protocol.
pub(crate) fn read_host_and_port(
    field: &Field<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<HostPort> {
    let text = field.non_empty(diagnostics)?.trim();
    let problem = match text.parse::<HostPort>() {
        Ok(address) if address.host.is_empty() => "the host is missing".to_owned(),
        Ok(address) if address.port == 0 => "the port must be from 1 to 65535".to_owned(),
        Ok(address) => return Some(address),
        Err(error) => error.to_string(),
    };
    let message = format!("`{text}` is not a host with a port: {problem}");
    let diagnostic = field.error(codes::INVALID_VALUE, message, diagnostics);
    let prefixes = ["https://", "http://", "tls://", "tls:", "tcp:"];
    if let Some(rest) = prefixes.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        diagnostic.help(format!(
            "write `{}` without anything in front",
            rest.trim_end_matches('/')
        ));
    } else if diagnostic.help.is_none() {
        diagnostic.help("write it like `ctrl.example.test:1280`");
    }
    None
}

/// Whether a text can be the host in a label of an authenticator app: neither empty, nor with a port or
/// characters that mean something in URLs.
pub(crate) fn is_plain_host(text: &str) -> bool {
    let odd = |c: char| c.is_whitespace() || c.is_control() || "/?#@:\\[]<>%\"^`{|}".contains(c);
    !text.is_empty() && !text.contains(odd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_being_written() {
        for text in [
            "tls:0.0.0.0:6262",
            "tls:[::1]:80",
            "wss:a.b:443",
            "tls::80",
            "udp:h:0",
        ] {
            let address = text
                .parse::<TransportAddress>()
                .map(|address| address.to_string());
            assert_eq!(address.as_deref(), Ok(text));
        }
    }

    #[test]
    fn what_is_no_address_says_why() {
        let cases = [
            ("ctrl.example:6262", AddressError::Protocol),
            ("TLS:a:1", AddressError::Protocol),
            ("quic:a:1", AddressError::Protocol),
            ("6262", AddressError::Protocol),
            ("tls://a:1", AddressError::Url),
            ("tls:[//a]:1", AddressError::Url),
            ("tls:a", AddressError::Endpoint(HostPortError::MissingPort)),
            ("tls:a:x", AddressError::Endpoint(HostPortError::BadPort)),
            ("tls:::1", AddressError::Endpoint(HostPortError::BadHost)),
        ];
        for (text, expected) in cases {
            assert_eq!(text.parse::<TransportAddress>(), Err(expected), "{text}");
        }
    }
}
