//! Addresses of controllers.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use portcullis_yaml::syntax::HostPort;

/// Where a controller is reached: `tls:host:port`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ControlAddress {
    /// Host name or IP address, without brackets.
    pub host: String,
    pub port: u16,
}

/// A text is not the address of a controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an address of a controller is tls:host:port")]
pub struct ControlAddressError;

impl FromStr for ControlAddress {
    type Err = ControlAddressError;

    fn from_str(text: &str) -> Result<Self, ControlAddressError> {
        let place = text.strip_prefix("tls:").ok_or(ControlAddressError)?;
        match place.parse() {
            Ok(HostPort { host, port }) if !host.is_empty() && port != 0 => Ok(Self { host, port }),
            Ok(_) | Err(_) => Err(ControlAddressError),
        }
    }
}

impl fmt::Display for ControlAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { host, port } = self;
        if host.parse::<Ipv6Addr>().is_ok() {
            write!(formatter, "tls:[{host}]:{port}")
        } else {
            write!(formatter, "tls:{host}:{port}")
        }
    }
}
