//! Which servers a service offers, and which of them a connection may reach.

mod config;
mod listen;
mod target;

pub use self::listen::{ListenIdentity, ListenOptions};
pub use self::target::{Target, TargetError, TargetHost};

use crate::address::{AddressPattern, HostName};
use crate::error::ConfigError;
use crate::health_check::HealthCheck;
use crate::protocol::{PortRange, Protocol};
use portcullis_domain::ip_network::IpNetwork;
use serde_json::Value;
use std::net::IpAddr;

/// The servers that a service offers, each by a terminator of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host {
    /// At least one, in the order of the configuration. One that does not say what it should is no reason to do
    /// without the others.
    pub terminators: Vec<Result<HostTerminator, ConfigError>>,
}

/// A server, or the servers that whoever dials may choose from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostTerminator {
    pub protocol: ProtocolRule,
    pub address: AddressRule,
    pub port: PortRule,
    /// Source addresses that whoever dials may ask for. None if it is empty.
    pub sources: Vec<IpNetwork>,
    pub proxy: Option<HttpConnectProxy>,
    pub listen: ListenOptions,
    pub health_checks: Vec<HealthCheck>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProtocolRule {
    Fixed(Protocol),
    /// The one that was intercepted, if it is one of these.
    Forwarded(Vec<Protocol>),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressRule {
    Fixed(TargetHost),
    /// The name or the address that was intercepted, if it is one of these.
    Forwarded {
        allowed: Vec<AddressPattern>,
        translations: Vec<Translation>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PortRule {
    Fixed(u16),
    /// The one that was intercepted, if it is one of these.
    Forwarded(Vec<PortRange>),
}

/// A network that stands for another one of its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Translation {
    from: IpNetwork,
    to: IpAddr,
}

/// A proxy that TCP connections to the server go through (RFC 9110, section 9.3.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpConnectProxy {
    /// Host and port.
    pub address: String,
}

impl Host {
    /// What a service's configurations say about it, by type. `None` if there is none of these types.
    ///
    /// # Errors
    ///
    /// If the configuration that counts does not say what it should.
    pub fn from_configs<'c>(
        config_of: impl Fn(&str) -> Option<&'c Value>,
    ) -> Result<Option<Self>, ConfigError> {
        config::host(config_of)
    }
}

impl Translation {
    /// Both addresses have to be of one version of IP.
    fn new(from: IpAddr, to: IpAddr, prefix: u8) -> Option<Self> {
        let is_alike = from.is_ipv4() == to.is_ipv4();
        let from = IpNetwork::new(from, prefix);
        is_alike.then_some(Self { from, to })
    }

    /// The address with the network replaced, if it is in it.
    fn apply(&self, address: IpAddr) -> Option<IpAddr> {
        let address = address.to_canonical();
        if !self.from.contains(address) {
            return None;
        }
        match (address, self.to) {
            (IpAddr::V4(address), IpAddr::V4(to)) => {
                let host = u32::MAX.checked_shr(self.from.prefix().into()).unwrap_or(0);
                let bits = (to.to_bits() & !host) | (address.to_bits() & host);
                Some(IpAddr::V4(bits.into()))
            },
            (IpAddr::V6(address), IpAddr::V6(to)) => {
                let host = u128::MAX
                    .checked_shr(self.from.prefix().into())
                    .unwrap_or(0);
                let bits = (to.to_bits() & !host) | (address.to_bits() & host);
                Some(IpAddr::V6(bits.into()))
            },
            _ => None,
        }
    }
}

impl From<IpAddr> for TargetHost {
    fn from(address: IpAddr) -> Self {
        Self::Ip(address.to_canonical())
    }
}

impl From<HostName> for TargetHost {
    fn from(name: HostName) -> Self {
        Self::Name(name)
    }
}

#[cfg(test)]
mod tests;
