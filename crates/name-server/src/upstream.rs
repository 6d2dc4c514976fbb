//! Servers that are asked for other names.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;

/// What carries a message. In TCP its length, two bytes, goes before it (RFC 1035, section 4.2.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    Udp,
    Tcp,
}

/// A server that is asked for other names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Upstream {
    pub address: SocketAddr,
    pub transport: Transport,
}

/// The text names no server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be `udp://` or `tcp://` with the IP address and the port of a name server, such as \
     `udp://10.0.0.2:53`, not {0:?}"
)]
pub struct UpstreamError(String);

impl FromStr for Upstream {
    type Err = UpstreamError;

    fn from_str(text: &str) -> Result<Self, UpstreamError> {
        let error = || UpstreamError(text.to_owned());
        let (scheme, address) = text.split_once("://").ok_or_else(error)?;
        let transport = match scheme {
            "udp" => Transport::Udp,
            "tcp" => Transport::Tcp,
            _ => return Err(error()),
        };
        let address: SocketAddr = address.parse().ok().ok_or_else(error)?;
        if address.port() == 0 {
            return Err(error());
        }
        Ok(Self { address, transport })
    }
}

impl fmt::Display for Upstream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Udp => "udp",
            Transport::Tcp => "tcp",
        };
        write!(formatter, "{scheme}://{}", self.address)
    }
}
