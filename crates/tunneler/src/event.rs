//! What cannot be done for a service.

use crate::mode::ProxyPort;
use crate::service::ServiceId;
use portcullis_domain::ip_network::IpNetwork;
use portcullis_tunnel_config::{ConfigError, TemplateError};
use std::sync::Arc;

/// Something that somebody should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    pub service: ServiceId,
    pub service_name: Arc<str>,
    pub fault: Fault,
}

/// What cannot be done for a service, as the sentence for a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("connections to the service are not intercepted: {0}")]
    Intercept(ConfigError),
    #[error(
        "connections to {network} are not intercepted for the service: addresses of {range} stand for names"
    )]
    InNameRange {
        network: IpNetwork,
        range: IpNetwork,
    },
    #[error(
        "connections to the service are not intercepted: its configuration names network interfaces only \
         ({}), which takes a diverter beside the tunneler; an `intercept.v1` would name destinations",
        interfaces.join(", ")
    )]
    OnlyInterfaces { interfaces: Vec<String> },
    #[error("the service is dialed without the options of its configuration: {0}")]
    DialOptions(ConfigError),
    #[error("no port stands for the service: {0}")]
    Proxy(ConfigError),
    #[error("the service is not hosted: {0}")]
    Host(ConfigError),
    #[error("the service is not hosted: it has no configuration that names a server")]
    NoHost,
    #[error("a server of the service is not hosted: {0}")]
    Server(ConfigError),
    #[error("a server of the service is not hosted: its `listenOptions.identity`: {0}")]
    Identity(TemplateError),
    #[error("the port {port} does not stand for the service: it stands for {holder} already")]
    PortTaken { port: ProxyPort, holder: Arc<str> },
    /// It is tried again.
    #[error(
        "the port {port} does not stand for the service at the moment: the tunneler cannot listen at it"
    )]
    ListenEnded { port: ProxyPort },
}
