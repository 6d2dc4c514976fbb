//! Addresses with a protocol.

use portcullis_yaml::syntax::HostPort;

pub(crate) const PROTOCOLS: [&str; 5] = ["tls", "tcp", "dtls", "wss", "udp"];

/// Parses an address with its protocol.
pub(crate) fn parse_address(text: &str) -> Option<(&'static str, HostPort)> {
    let (prefix, rest) = text.split_once(':')?;
    let kind = PROTOCOLS.into_iter().find(|kind| *kind == prefix)?;
    Some((kind, rest.parse().ok()?))
}

/// An address that is advertised to clients.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AdvertisedAddress<'text> {
    /// Protocol, which is not allowed here.
    pub(crate) protocol: Option<&'text str>,
    pub(crate) host_port: HostPort,
}

/// Parses an address that is advertised to clients; a protocol in front is split off.
pub(crate) fn parse_advertised(text: &str) -> Option<AdvertisedAddress<'_>> {
    if let Ok(place) = text.parse() {
        return Some(AdvertisedAddress {
            protocol: None,
            host_port: place,
        });
    }
    let (prefix, rest) = text.split_once(':')?;
    let place = rest.parse().ok().filter(|_| PROTOCOLS.contains(&prefix))?;
    Some(AdvertisedAddress {
        protocol: Some(prefix),
        host_port: place,
    })
}
