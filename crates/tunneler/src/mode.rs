//! What a tunneler is for, besides hosting.

use portcullis_domain::ip_network::IpNetwork;
use portcullis_name_server::NameLimits;
use portcullis_tunnel_config::{NameAddresses, Protocol};
use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::sync::Arc;

/// What a tunneler is for. It hosts in every mode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mode {
    /// It reaches no service.
    Host,
    /// It listens at these ports.
    Proxy(Vec<ProxyRule>),
    /// It intercepts connections as services say, and listens at the ports that they name.
    Intercept(InterceptOptions),
}

/// How connections are intercepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterceptOptions {
    /// Addresses that stand for names.
    pub name_range: IpNetwork,
    pub name_limits: NameLimits,
}

impl Default for InterceptOptions {
    fn default() -> Self {
        Self {
            name_range: NameAddresses::default().range(),
            name_limits: NameLimits::default(),
        }
    }
}

/// A port that stands for a service, as `<service>:<port>` or with `:tcp` or `:udp` after it.
///
/// ```
/// use portcullis_tunneler::ProxyRule;
///
/// let rule: ProxyRule = "wiki:8080".parse()?;
/// assert_eq!(rule.to_string(), "wiki:8080:tcp");
/// let error = "wiki".parse::<ProxyRule>().expect_err("no port");
/// assert_eq!(
///     error.to_string(),
///     "must be <service>:<port> or <service>:<port>:<tcp or udp>, not `wiki`"
/// );
/// # Ok::<(), portcullis_tunneler::ProxyRuleError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxyRule {
    /// The name of the service.
    pub service: Arc<str>,
    pub port: ProxyPort,
}

/// A port of the tunneler's machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProxyPort {
    /// The address or the interface to listen on; `None` for the tunneler's own choice.
    pub binding: Option<String>,
    pub protocol: Protocol,
    pub port: u16,
}

/// The text names no service and port.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be <service>:<port> or <service>:<port>:<tcp or udp>, not `{0}`")]
pub struct ProxyRuleError(String);

impl ProxyPort {
    /// Whether not both can be open. An address that stands for all of the machine takes the port at each of
    /// them, as does the tunneler's own choice.
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        (self.protocol, self.port) == (other.protocol, other.port)
            && (self.binding == other.binding || self.takes_all() || other.takes_all())
    }

    fn takes_all(&self) -> bool {
        let Some(binding) = &self.binding else {
            return true;
        };
        let address = binding.parse::<IpAddr>();
        address.is_ok_and(|address| address.to_canonical().is_unspecified())
    }
}

impl FromStr for ProxyRule {
    type Err = ProxyRuleError;

    fn from_str(text: &str) -> Result<Self, ProxyRuleError> {
        let rule = || {
            let mut parts = text.split(':');
            let service = parts.next().filter(|service| !service.is_empty())?;
            let digits = parts.next()?;
            // `parse` would take a sign.
            if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                return None;
            }
            let port = digits.parse().ok().filter(|port| *port != 0)?;
            let protocol = parts.next().map_or(Ok(Protocol::Tcp), str::parse).ok()?;
            parts.next().is_none().then(|| Self {
                service: service.into(),
                port: ProxyPort {
                    binding: None,
                    protocol,
                    port,
                },
            })
        };
        rule().ok_or_else(|| ProxyRuleError(text.to_owned()))
    }
}

impl fmt::Display for ProxyRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ProxyPort { protocol, port, .. } = self.port;
        write!(formatter, "{}:{port}:{protocol}", self.service)
    }
}

impl fmt::Display for ProxyPort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            binding,
            protocol,
            port,
        } = self;
        match binding.as_deref() {
            None => write!(formatter, "{protocol}:{port}"),
            Some(binding) if matches!(binding.parse(), Ok(IpAddr::V6(_))) => {
                write!(formatter, "{protocol}:[{binding}]:{port}")
            },
            Some(binding) => write!(formatter, "{protocol}:{binding}:{port}"),
        }
    }
}
