//! Addresses of servers, and of listeners for whoever speaks no SDK.

use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

pub use portcullis_yaml::syntax::{HostPort, HostPortError};

/// Why a text is not an address, or not one that can be used here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    #[error("the protocol is missing; write it like `{example}`")]
    NoProtocol { example: &'static str },
    #[error("`{0}` is none of the protocols tcp, tls and udp")]
    UnknownProtocol(String),
    #[error("`{0}` is none of udp, udp4, udp6 and unixgram")]
    UnknownPackets(String),
    #[error("{0} is not spoken here")]
    NotSpoken(&'static str),
    #[error("datagrams have a listener of their own; use the binding `{binding}`")]
    Datagrams { binding: &'static str },
    #[error("this is not a URL; write nothing between the colon and the host")]
    Url,
    #[error(transparent)]
    Place(#[from] HostPortError),
    #[error("the host is missing")]
    NoHost,
    #[error("the port must be from 1 to 65535")]
    NoPort,
    #[error("the path is missing")]
    NoPath,
}

/// What is spoken below the bytes of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    Tcp,
    Tls,
    Udp,
}

/// Protocols of OpenZiti that are left out here.
const NOT_SPOKEN: [&str; 3] = ["dtls", "ws", "wss"];

/// Where streams, or datagrams, lead to or come from: `tcp:server.example.com:22`, `tls:[::1]:443`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransportAddress {
    pub protocol: Protocol,
    pub place: HostPort,
}

impl TransportAddress {
    /// Parses an address that is dialed: it needs a host and a port.
    pub fn to_dial(text: &str) -> Result<Self, AddressError> {
        let address: Self = text.parse()?;
        check_dialable(&address.place)?;
        Ok(address)
    }
}

impl FromStr for TransportAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (protocol, place) = text.split_once(':').ok_or(AddressError::NoProtocol {
            example: "tcp:server.example.com:22",
        })?;
        let protocol = match protocol {
            "tcp" => Protocol::Tcp,
            "tls" => Protocol::Tls,
            "udp" => Protocol::Udp,
            other => {
                return Err(match NOT_SPOKEN.into_iter().find(|name| *name == other) {
                    Some(name) => AddressError::NotSpoken(name),
                    None => AddressError::UnknownProtocol(other.to_owned()),
                });
            },
        };
        let place = parse_place(place)?;
        Ok(Self { protocol, place })
    }
}

impl fmt::Display for TransportAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.protocol, self.place)
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Udp => "udp",
        })
    }
}

/// Which addresses of a host count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpFamily {
    Any,
    V4,
    V6,
}

impl IpFamily {
    pub const fn has(self, address: &SocketAddr) -> bool {
        match self {
            Self::Any => true,
            Self::V4 => address.is_ipv4(),
            Self::V6 => address.is_ipv6(),
        }
    }
}

/// Where datagrams lead to or come from: `udp:server.example.com:53`, `udp6:[::]:5353`,
/// `unixgram:/run/server.sock`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PacketAddress {
    Udp { family: IpFamily, place: HostPort },
    Unix(PathBuf),
}

impl PacketAddress {
    /// Parses an address that is dialed: it needs a host and a port, or a path.
    pub fn to_dial(text: &str) -> Result<Self, AddressError> {
        let address: Self = text.parse()?;
        if let Self::Udp { place, .. } = &address {
            check_dialable(place)?;
        }
        Ok(address)
    }
}

impl FromStr for PacketAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (network, rest) = text.split_once(':').ok_or(AddressError::NoProtocol {
            example: "udp:server.example.com:53",
        })?;
        let family = match network {
            "udp" => IpFamily::Any,
            "udp4" => IpFamily::V4,
            "udp6" => IpFamily::V6,
            "unixgram" if rest.is_empty() => return Err(AddressError::NoPath),
            "unixgram" => return Ok(Self::Unix(rest.into())),
            other => return Err(AddressError::UnknownPackets(other.to_owned())),
        };
        let place = parse_place(rest)?;
        Ok(Self::Udp { family, place })
    }
}

impl fmt::Display for PacketAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Udp { family, place } => write!(formatter, "{family}:{place}"),
            Self::Unix(path) => write!(formatter, "unixgram:{}", path.display()),
        }
    }
}

impl fmt::Display for IpFamily {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Any => "udp",
            Self::V4 => "udp4",
            Self::V6 => "udp6",
        })
    }
}

fn parse_place(text: &str) -> Result<HostPort, AddressError> {
    if text.starts_with("//") {
        return Err(AddressError::Url);
    }
    Ok(text.parse()?)
}

fn check_dialable(place: &HostPort) -> Result<(), AddressError> {
    if place.host.is_empty() {
        return Err(AddressError::NoHost);
    }
    if place.port == 0 {
        return Err(AddressError::NoPort);
    }
    Ok(())
}
