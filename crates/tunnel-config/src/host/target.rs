//! The server that a connection is for.

use super::{AddressRule, HostTerminator, PortRule, ProtocolRule, Translation};
use crate::address::{AddressPattern, HostName};
use crate::app_data::{AppData, SourceAddress};
use crate::protocol::Protocol;
use std::fmt;
use std::net::IpAddr;

/// The server that a connection is for, and where it should seem to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub protocol: Protocol,
    pub host: TargetHost,
    pub port: u16,
    pub source: Option<SourceAddress>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TargetHost {
    Ip(IpAddr),
    Name(HostName),
}

/// What was asked for is missing, makes no sense or is not allowed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("the service takes the {0} from the connection, but the connection does not say it")]
    Missing(&'static str),
    #[error("the {what} {given:?} makes no sense")]
    Invalid { what: &'static str, given: String },
    #[error("the {what} {given:?} is not one of those that the service allows")]
    NotAllowed { what: &'static str, given: String },
}

impl fmt::Display for TargetHost {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(address) => address.fmt(formatter),
            Self::Name(name) => name.fmt(formatter),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { protocol, port, .. } = self;
        match &self.host {
            TargetHost::Ip(IpAddr::V6(address)) => {
                write!(formatter, "{protocol}:[{address}]:{port}")
            },
            host => write!(formatter, "{protocol}:{host}:{port}"),
        }
    }
}

impl HostTerminator {
    /// The server that a connection with these data is for.
    ///
    /// # Errors
    ///
    /// If the connection does not say what the service takes from it, or asks for what the service does not
    /// allow.
    pub fn target(&self, data: &AppData) -> Result<Target, TargetError> {
        Ok(Target {
            protocol: self.protocol.choose(data)?,
            host: self.address.choose(data)?,
            port: self.port.choose(data)?,
            source: self.source(data)?,
        })
    }

    fn source(&self, data: &AppData) -> Result<Option<SourceAddress>, TargetError> {
        let Some(text) = data.source.as_deref().filter(|text| !text.is_empty()) else {
            return Ok(None);
        };
        let asked = Asked::new("source address", text);
        let source: SourceAddress = text.parse().map_err(|()| asked.invalid())?;
        let is_allowed = self
            .sources
            .iter()
            .any(|network| network.contains(source.ip));
        is_allowed
            .then_some(Some(source))
            .ok_or_else(|| asked.not_allowed())
    }
}

impl ProtocolRule {
    fn choose(&self, data: &AppData) -> Result<Protocol, TargetError> {
        match self {
            Self::Fixed(protocol) => Ok(*protocol),
            Self::Forwarded(allowed) => {
                let asked = Asked::required("protocol", data.protocol.as_deref())?;
                let protocol = asked.text.parse().map_err(|()| asked.invalid())?;
                let is_allowed = allowed.contains(&protocol);
                is_allowed
                    .then_some(protocol)
                    .ok_or_else(|| asked.not_allowed())
            },
        }
    }
}

impl AddressRule {
    fn choose(&self, data: &AppData) -> Result<TargetHost, TargetError> {
        let (allowed, translations) = match self {
            Self::Fixed(host) => return Ok(host.clone()),
            Self::Forwarded {
                allowed,
                translations,
            } => (allowed, translations),
        };
        let name = data.hostname.as_deref().filter(|name| !name.is_empty());
        let asked = Asked::required("address", name.or(data.ip.as_deref()))?;
        // A name may be an address as well, if the program that dialed wrote it so.
        if let Ok(address) = asked.text.parse::<IpAddr>() {
            let address = address.to_canonical();
            let is_allowed = allowed.iter().any(|pattern| pattern.matches_ip(address));
            let translated = || TargetHost::Ip(translate(translations, address));
            return is_allowed
                .then(translated)
                .ok_or_else(|| asked.not_allowed());
        }
        let name = name
            .and_then(HostName::new)
            .ok_or_else(|| asked.invalid())?;
        let is_allowed = allowed
            .iter()
            .any(|pattern: &AddressPattern| pattern.matches_name(&name));
        is_allowed
            .then_some(TargetHost::Name(name))
            .ok_or_else(|| asked.not_allowed())
    }
}

impl PortRule {
    fn choose(&self, data: &AppData) -> Result<u16, TargetError> {
        match self {
            Self::Fixed(port) => Ok(*port),
            Self::Forwarded(allowed) => {
                let asked = Asked::required("port", data.port.as_deref())?;
                let port = asked.text.parse().ok().ok_or_else(|| asked.invalid())?;
                let is_allowed = allowed.iter().any(|range| range.contains(port));
                is_allowed
                    .then_some(port)
                    .ok_or_else(|| asked.not_allowed())
            },
        }
    }
}

/// Translations are in the order in which they count.
fn translate(translations: &[Translation], address: IpAddr) -> IpAddr {
    let translated = translations
        .iter()
        .find_map(|translation| translation.apply(address));
    translated.unwrap_or(address)
}

/// Something that whoever dials asks for.
struct Asked<'d> {
    what: &'static str,
    text: &'d str,
}

impl<'d> Asked<'d> {
    const fn new(what: &'static str, text: &'d str) -> Self {
        Self { what, text }
    }

    fn required(what: &'static str, text: Option<&'d str>) -> Result<Self, TargetError> {
        text.map(|text| Self::new(what, text))
            .ok_or(TargetError::Missing(what))
    }

    fn invalid(&self) -> TargetError {
        TargetError::Invalid {
            what: self.what,
            given: self.shown(),
        }
    }

    fn not_allowed(&self) -> TargetError {
        TargetError::NotAllowed {
            what: self.what,
            given: self.shown(),
        }
    }

    /// The text, cut if it is longer than what is asked for can be.
    fn shown(&self) -> String {
        const LONGEST: usize = 253;
        self.text.chars().take(LONGEST).collect()
    }
}
