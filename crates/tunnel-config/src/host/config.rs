//! Hosts as configurations have them.

use super::listen::{ListenIdentity, ListenOptions};
use super::{
    AddressRule, Host, HostTerminator, HttpConnectProxy, PortRule, ProtocolRule, TargetHost,
    Translation,
};
use crate::address::{AddressPattern, HostName};
use crate::duration::ConfigDuration;
use crate::error::{ConfigError, decode};
use crate::health_check::{HealthCheck, RawHttpCheck, RawPortCheck};
use crate::intercept::{Network, NotEmpty, TemplateText};
use crate::protocol::{PortRange, Protocol};
use portcullis_domain::identity::Precedence;
use serde::Deserialize;
use serde_json::Value;
use std::net::IpAddr;
use std::num::NonZero;
use std::time::Duration;

const HOST_V2: &str = "host.v2";
const HOST_V1: &str = "host.v1";
const SERVER_V1: &str = "ziti-tunneler-server.v1";

pub(super) fn host<'c>(
    config_of: impl Fn(&str) -> Option<&'c Value>,
) -> Result<Option<Host>, ConfigError> {
    let terminators = if let Some(config) = config_of(HOST_V2) {
        each_of_v2(config)?
    } else if let Some(config) = config_of(HOST_V1) {
        vec![Ok(decode(HOST_V1, config)?)]
    } else if let Some(config) = config_of(SERVER_V1) {
        vec![Ok(decode::<ServerV1>(SERVER_V1, config)?.into())]
    } else {
        return Ok(None);
    };
    Ok(Some(Host { terminators }))
}

#[derive(Deserialize)]
struct HostV2 {
    terminators: NotEmpty<Value>,
}

fn each_of_v2(config: &Value) -> Result<Vec<Result<HostTerminator, ConfigError>>, ConfigError> {
    let config: HostV2 = decode(HOST_V2, config)?;
    let terminators = config.terminators.0.iter().enumerate();
    let each = terminators.map(|(index, terminator)| {
        decode(HOST_V2, terminator).map_err(|error| ConfigError {
            place: match error.place.as_str() {
                "." => format!("terminators[{index}]"),
                place => format!("terminators[{index}].{place}"),
            },
            ..error
        })
    });
    Ok(each.collect())
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ServerV1 {
    hostname: Server,
    port: u16,
    protocol: Option<Protocol>,
    #[serde(default)]
    port_checks: Vec<RawPortCheck>,
    #[serde(default)]
    http_checks: Vec<RawHttpCheck>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct HostV1 {
    protocol: Option<Protocol>,
    #[serde(default)]
    forward_protocol: bool,
    #[serde(default)]
    allowed_protocols: Vec<Protocol>,
    address: Option<Server>,
    #[serde(default)]
    forward_address: bool,
    #[serde(default)]
    allowed_addresses: Vec<AddressPattern>,
    #[serde(default)]
    forward_address_translations: Vec<RawTranslation>,
    port: Option<u16>,
    #[serde(default)]
    forward_port: bool,
    #[serde(default)]
    allowed_port_ranges: Vec<PortRange>,
    #[serde(default)]
    allowed_source_addresses: Vec<Network>,
    #[serde(default)]
    listen_options: RawListenOptions,
    proxy: Option<RawProxy>,
    #[serde(default)]
    port_checks: Vec<RawPortCheck>,
    #[serde(default)]
    http_checks: Vec<RawHttpCheck>,
}

/// The address or the name of a server.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct Server(TargetHost);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", try_from = "TranslationMembers")]
struct RawTranslation {
    prefix_length: u8,
    translation: Translation,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TranslationMembers {
    from: IpAddr,
    to: IpAddr,
    prefix_length: u8,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawListenOptions {
    connect_timeout: Option<ConfigDuration>,
    connect_timeout_seconds: Option<u32>,
    max_connections: Option<NonZero<u32>>,
    identity: Option<TemplateText>,
    #[serde(default)]
    bind_using_edge_identity: bool,
    cost: Option<u16>,
    precedence: Option<Precedence>,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum RawProxy {
    Http { address: String },
}

impl TryFrom<String> for Server {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Ok(Self(address.into()));
        }
        let error = || format!("must be an IP address or a host name, not {text:?}");
        HostName::new(&text)
            .map(|name| Self(name.into()))
            .ok_or_else(error)
    }
}

impl TryFrom<TranslationMembers> for RawTranslation {
    type Error = String;

    fn try_from(members: TranslationMembers) -> Result<Self, String> {
        let most = if members.from.is_ipv4() { 32 } else { 128 };
        if members.prefix_length > most {
            return Err(format!("`prefixLength` must be at most {most}"));
        }
        let translation = Translation::new(members.from, members.to, members.prefix_length);
        let error = || "`from` and `to` must be of the same version of IP".to_owned();
        Ok(Self {
            prefix_length: members.prefix_length,
            translation: translation.ok_or_else(error)?,
        })
    }
}

impl<'de> Deserialize<'de> for HostTerminator {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let config = HostV1::deserialize(deserializer)?;
        config.into_terminator().map_err(serde::de::Error::custom)
    }
}

impl HostV1 {
    fn into_terminator(self) -> Result<HostTerminator, String> {
        let protocol = if self.forward_protocol {
            let allowed = required(
                self.allowed_protocols,
                "allowedProtocols",
                "forwardProtocol",
            )?;
            ProtocolRule::Forwarded(allowed)
        } else {
            ProtocolRule::Fixed(fixed(self.protocol, "protocol", "forwardProtocol")?)
        };
        let address = if self.forward_address {
            let mut translations = self.forward_address_translations;
            translations.sort_by_key(|raw| std::cmp::Reverse(raw.prefix_length));
            AddressRule::Forwarded {
                allowed: required(self.allowed_addresses, "allowedAddresses", "forwardAddress")?,
                translations: translations
                    .into_iter()
                    .map(|raw| raw.translation)
                    .collect(),
            }
        } else {
            AddressRule::Fixed(fixed(self.address, "address", "forwardAddress")?.0)
        };
        let port = if self.forward_port {
            let allowed = required(self.allowed_port_ranges, "allowedPortRanges", "forwardPort")?;
            PortRule::Forwarded(allowed)
        } else {
            PortRule::Fixed(fixed(self.port, "port", "forwardPort")?)
        };
        Ok(HostTerminator {
            protocol,
            address,
            port,
            sources: self
                .allowed_source_addresses
                .into_iter()
                .map(|source| source.0)
                .collect(),
            proxy: self
                .proxy
                .map(|RawProxy::Http { address }| HttpConnectProxy { address }),
            listen: self.listen_options.into(),
            health_checks: health_checks(self.port_checks, self.http_checks),
        })
    }
}

fn required<T>(allowed: Vec<T>, list: &str, flag: &str) -> Result<Vec<T>, String> {
    if allowed.is_empty() {
        return Err(format!("`{list}` must have an entry if there is `{flag}`"));
    }
    Ok(allowed)
}

fn fixed<T>(value: Option<T>, name: &str, flag: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("there must be `{name}` or `{flag}`"))
}

fn health_checks(port: Vec<RawPortCheck>, http: Vec<RawHttpCheck>) -> Vec<HealthCheck> {
    let port = port.into_iter().map(HealthCheck::from);
    port.chain(http.into_iter().map(HealthCheck::from))
        .collect()
}

impl From<RawListenOptions> for ListenOptions {
    fn from(raw: RawListenOptions) -> Self {
        let named = raw
            .identity
            .and_then(|template| template.0)
            .map(ListenIdentity::Named);
        let of_tunneler = raw
            .bind_using_edge_identity
            .then_some(ListenIdentity::OfTunneler);
        let seconds = raw
            .connect_timeout_seconds
            .map(|seconds| Duration::from_secs(seconds.into()));
        let timeout = raw.connect_timeout.map(|timeout| timeout.0).or(seconds);
        Self {
            cost: raw.cost,
            precedence: raw.precedence,
            identity: of_tunneler.or(named),
            connect_timeout: timeout
                .filter(|timeout| !timeout.is_zero())
                .unwrap_or(Self::default().connect_timeout),
            max_connections: raw.max_connections.map(NonZero::get),
        }
    }
}

impl From<ServerV1> for HostTerminator {
    fn from(config: ServerV1) -> Self {
        Self {
            protocol: ProtocolRule::Fixed(config.protocol.unwrap_or(Protocol::Tcp)),
            address: AddressRule::Fixed(config.hostname.0),
            port: PortRule::Fixed(config.port),
            sources: Vec::new(),
            proxy: None,
            listen: ListenOptions::default(),
            health_checks: health_checks(config.port_checks, config.http_checks),
        }
    }
}
