//! Which connections belong to a service.

use crate::address::AddressPattern;
use crate::error::{ConfigError, decode};
use crate::protocol::{PortRange, Protocol};
use crate::template::Template;
use portcullis_domain::ip_network::IpNetwork;
use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

/// Which connections belong to a service, and how it is dialed for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intercept {
    pub protocols: Vec<Protocol>,
    pub addresses: Vec<AddressPattern>,
    pub ports: Vec<PortRange>,
    /// Whose connections are intercepted; everybody's if it is empty.
    pub sources: Vec<IpNetwork>,
    /// Where the connection to the server should seem to come from.
    pub source_address: Option<Template>,
    /// The host to dial, of several that have names.
    pub dial_identity: Option<Template>,
    pub connect_timeout: Duration,
}

const INTERCEPT_V1: &str = "intercept.v1";
const CLIENT_V1: &str = "ziti-tunneler-client.v1";
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InterceptV1 {
    protocols: NotEmpty<Protocol>,
    addresses: NotEmpty<AddressPattern>,
    port_ranges: NotEmpty<PortRange>,
    #[serde(default)]
    allowed_source_addresses: Vec<Network>,
    source_ip: Option<TemplateText>,
    #[serde(default)]
    dial_options: DialOptions,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DialOptions {
    identity: Option<TemplateText>,
    connect_timeout_seconds: Option<u32>,
}

#[derive(Deserialize)]
struct ClientV1 {
    hostname: AddressPattern,
    port: u16,
}

#[derive(Deserialize)]
#[serde(try_from = "Vec<T>", bound = "T: Deserialize<'de>")]
pub(crate) struct NotEmpty<T>(pub Vec<T>);

impl<T> TryFrom<Vec<T>> for NotEmpty<T> {
    type Error = &'static str;

    fn try_from(list: Vec<T>) -> Result<Self, &'static str> {
        if list.is_empty() {
            return Err("must have at least one entry");
        }
        Ok(Self(list))
    }
}

/// A template in a configuration; an empty text is none.
#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct TemplateText(pub Option<Template>);

impl TryFrom<String> for TemplateText {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self(None));
        }
        let template = Template::new(&text).map_err(|error| error.to_string())?;
        Ok(Self(Some(template)))
    }
}

#[derive(Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Network(pub IpNetwork);

impl TryFrom<String> for Network {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let network = text.parse::<IpNetwork>();
        network
            .map(Self)
            .map_err(|error| format!("{error}, not {text:?}"))
    }
}

impl Intercept {
    /// What a service's configurations say about it, by type. `None` if there is none of these types.
    ///
    /// # Errors
    ///
    /// If the configuration that counts does not say what it should.
    pub fn from_configs<'c>(
        config_of: impl Fn(&str) -> Option<&'c Value>,
    ) -> Result<Option<Self>, ConfigError> {
        if let Some(config) = config_of(INTERCEPT_V1) {
            return Self::from_intercept_v1(config).map(Some);
        }
        config_of(CLIENT_V1).map(Self::from_client_v1).transpose()
    }

    /// # Errors
    ///
    /// If the configuration does not say what it should.
    pub fn from_intercept_v1(config: &Value) -> Result<Self, ConfigError> {
        let config: InterceptV1 = decode(INTERCEPT_V1, config)?;
        let addresses = named_addresses(INTERCEPT_V1, "addresses", config.addresses.0)?;
        let seconds = config
            .dial_options
            .connect_timeout_seconds
            .filter(|seconds| *seconds > 0);
        Ok(Self {
            protocols: config.protocols.0,
            addresses,
            ports: config.port_ranges.0,
            sources: config
                .allowed_source_addresses
                .into_iter()
                .map(|source| source.0)
                .collect(),
            source_address: config.source_ip.and_then(|template| template.0),
            dial_identity: config.dial_options.identity.and_then(|template| template.0),
            connect_timeout: seconds.map_or(DEFAULT_CONNECT_TIMEOUT, |seconds| {
                Duration::from_secs(seconds.into())
            }),
        })
    }

    fn from_client_v1(config: &Value) -> Result<Self, ConfigError> {
        let config: ClientV1 = decode(CLIENT_V1, config)?;
        Ok(Self {
            protocols: vec![Protocol::Tcp, Protocol::Udp],
            addresses: named_addresses(CLIENT_V1, "hostname", vec![config.hostname])?,
            ports: vec![PortRange::single(config.port)],
            sources: Vec::new(),
            source_address: None,
            dial_identity: None,
            connect_timeout: DEFAULT_CONNECT_TIMEOUT,
        })
    }
}

/// Addresses, unless they stand for every name: the machine would reach nothing else any more.
fn named_addresses(
    config_type: &'static str,
    place: &str,
    addresses: Vec<AddressPattern>,
) -> Result<Vec<AddressPattern>, ConfigError> {
    if addresses.contains(&AddressPattern::AnyName) {
        return Err(ConfigError {
            config_type,
            place: place.to_owned(),
            reason: "`*` would intercept every name; write `*.` and a domain".to_owned(),
        });
    }
    Ok(addresses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_newer_type_counts() {
        let newer = json!({
            "protocols": ["tcp"],
            "addresses": ["10.0.0.0/8", "*.corp"],
            "portRanges": [{"low": 80, "high": 90}],
            "sourceIp": "$src_ip",
            "allowedSourceAddresses": ["192.0.2.0/24"],
            "dialOptions": {"identity": "$dst_hostname", "connectTimeoutSeconds": 30},
        });
        let older = json!({"hostname": "wiki.corp", "port": 80});
        let of_both = Intercept::from_configs(|name| match name {
            INTERCEPT_V1 => Some(&newer),
            _ => Some(&older),
        });
        let intercept = of_both.expect("valid").expect("one");
        assert_eq!(intercept.protocols, [Protocol::Tcp]);
        assert_eq!(intercept.connect_timeout, Duration::from_secs(30));
        assert!(intercept.source_address.is_some() && intercept.dial_identity.is_some());

        let of_older = Intercept::from_configs(|name| (name == CLIENT_V1).then_some(&older));
        let intercept = of_older.expect("valid").expect("one");
        assert_eq!(intercept.protocols, [Protocol::Tcp, Protocol::Udp]);
        assert_eq!(intercept.ports, [PortRange::single(80)]);

        assert_eq!(Intercept::from_configs(|_| None), Ok(None));
    }

    #[test]
    fn what_is_wrong_is_placed() {
        let error = |member: &str, value: Value| {
            let mut config = json!({
                "protocols": ["tcp"], "addresses": ["a.b"], "portRanges": [{"low": 1, "high": 2}],
            });
            config[member] = value;
            Intercept::from_intercept_v1(&config)
                .expect_err("invalid")
                .to_string()
        };
        assert_eq!(
            error(
                "portRanges",
                json!([{"low": 1, "high": 2}, {"low": 9, "high": 2}])
            ),
            "`intercept.v1`: portRanges[1]: `low` must not be above `high`, but 9 is above 2"
        );
        assert_eq!(
            error("addresses", json!([])),
            "`intercept.v1`: addresses: must have at least one entry"
        );
        assert_eq!(
            error("addresses", json!(["a b"])),
            "`intercept.v1`: addresses[0]: must be an IP address, a network such as `10.0.0.0/8`, a host name \
             or `*.` and a domain, not \"a b\""
        );
        assert_eq!(
            error("addresses", json!(["*"])),
            "`intercept.v1`: addresses: `*` would intercept every name; write `*.` and a domain"
        );
        assert_eq!(
            error("protocols", json!(["sctp"])),
            "`intercept.v1`: protocols[0]: unknown variant `sctp`, expected `tcp` or `udp`"
        );
        assert!(error("sourceIp", json!("$tunneler_id.tag[x")).contains("sourceIp"));
    }
}
