//! What the side that dials tells the one that hosts about the connection.

use crate::protocol::Protocol;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

/// What the side that dials tells the one that hosts, as texts. It may be anything until it is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppData {
    #[serde(rename = "dst_protocol", skip_serializing_if = "Option::is_none")]
    pub protocol: Option<String>,
    #[serde(rename = "dst_hostname", skip_serializing_if = "Option::is_none")]
    pub hostname: Option<String>,
    #[serde(rename = "dst_ip", skip_serializing_if = "Option::is_none")]
    pub ip: Option<String>,
    #[serde(rename = "dst_port", skip_serializing_if = "Option::is_none")]
    pub port: Option<String>,
    /// Where the connection to the server should seem to come from.
    #[serde(rename = "source_addr", skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// `resolver` asks for names instead of a server.
    #[serde(rename = "connType", skip_serializing_if = "Option::is_none")]
    pub connection_type: Option<String>,
}

/// The data are not JSON, or a member that tunnelers know is not a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the data about the connection: {place}: {reason}")]
pub struct AppDataError {
    /// The member; `.` for the whole.
    pub place: String,
    pub reason: String,
}

/// An address to connect from; the port may be any.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourceAddress {
    pub ip: IpAddr,
    pub port: Option<u16>,
}

impl AppData {
    /// What a tunneler tells about a connection that it intercepted.
    pub fn intercepted(
        protocol: Protocol,
        hostname: Option<&str>,
        destination: SocketAddr,
        source: Option<String>,
    ) -> Self {
        Self {
            protocol: Some(protocol.to_string()),
            hostname: hostname.map(str::to_owned),
            ip: Some(destination.ip().to_canonical().to_string()),
            port: Some(destination.port().to_string()),
            source,
            connection_type: None,
        }
    }

    /// Data as they were received. There may be none.
    ///
    /// # Errors
    ///
    /// If they are not a JSON object, or if a member that has a meaning is not a text.
    pub fn decode(data: &[u8]) -> Result<Self, AppDataError> {
        if data.is_empty() {
            return Ok(Self::default());
        }
        let deserializer = &mut serde_json::Deserializer::from_slice(data);
        serde_path_to_error::deserialize(deserializer).map_err(|error| AppDataError {
            place: error.path().to_string(),
            reason: error.inner().to_string(),
        })
    }

    pub fn encode(&self) -> Vec<u8> {
        // Texts alone cannot fail.
        serde_json::to_vec(self).unwrap_or_default()
    }

    pub fn is_for_resolver(&self) -> bool {
        self.connection_type.as_deref() == Some("resolver")
    }
}

impl FromStr for SourceAddress {
    type Err = ();

    /// An IP address, with or without a port; IPv6 with a port is in brackets.
    fn from_str(text: &str) -> Result<Self, ()> {
        if let Ok(address) = text.parse::<SocketAddr>() {
            let port = Some(address.port()).filter(|port| *port != 0);
            return Ok(Self {
                ip: address.ip().to_canonical(),
                port,
            });
        }
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'));
        let ip: IpAddr = bare.unwrap_or(text).parse().map_err(drop)?;
        Ok(Self {
            ip: ip.to_canonical(),
            port: None,
        })
    }
}

impl fmt::Display for SourceAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => SocketAddr::new(self.ip, port).fmt(formatter),
            None => self.ip.fmt(formatter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_are_objects_of_texts() {
        let destination = "100.64.0.2:443".parse().expect("an address");
        let data = AppData::intercepted(Protocol::Tcp, Some("wiki.x"), destination, None);
        let encoded = data.encode();
        assert_eq!(
            String::from_utf8_lossy(&encoded),
            r#"{"dst_protocol":"tcp","dst_hostname":"wiki.x","dst_ip":"100.64.0.2","dst_port":"443"}"#
        );
        assert_eq!(AppData::decode(&encoded), Ok(data));
        assert_eq!(AppData::decode(b""), Ok(AppData::default()));
        assert_eq!(AppData::decode(br#"{"other":[1]}"#), Ok(AppData::default()));

        let error = AppData::decode(br#"{"source_addr":{"a":1}}"#).expect_err("no text");
        assert_eq!(error.place, "source_addr");
        assert!(AppData::decode(b"hello").is_err());
    }

    /// Defect 11 of the original: they were cut at the only colon.
    #[test]
    fn source_addresses_have_a_port_or_none() {
        let parsed = |text: &str| {
            text.parse::<SourceAddress>()
                .map(|source| source.to_string())
        };
        assert_eq!(parsed("10.0.0.1"), Ok("10.0.0.1".to_owned()));
        assert_eq!(parsed("10.0.0.1:53"), Ok("10.0.0.1:53".to_owned()));
        assert_eq!(parsed("2001:db8::1"), Ok("2001:db8::1".to_owned()));
        assert_eq!(
            parsed("[2001:db8::1]:53"),
            Ok("[2001:db8::1]:53".to_owned())
        );
        assert_eq!(parsed("::ffff:10.0.0.1"), Ok("10.0.0.1".to_owned()));
        for text in ["", "10.0.0.1:http", "10.0.0.1:65536", "host", "host:1"] {
            assert_eq!(parsed(text), Err(()), "{text}");
        }
    }
}
