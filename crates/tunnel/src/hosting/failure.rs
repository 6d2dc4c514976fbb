//! Why somebody who dials is not connected to a server.

use super::http_connect::HttpConnectError;
use crate::host_names::HostPortError;
use crate::network::RefusalKind;
use crate::outbound::OutboundError;
use crate::requests::{NoServer, Stopped};
use portcullis_tunnel_config::{AppDataError, TargetError};
use std::io;
use std::time::Duration;

/// Why somebody who dials is not connected to a server, as the log has it.
#[derive(Debug, thiserror::Error)]
pub(super) enum HostingFailure {
    #[error(transparent)]
    Stopped(#[from] Stopped),
    #[error(transparent)]
    AppData(#[from] AppDataError),
    #[error("this host looks up no names for others: `connType` must not be `resolver`")]
    Resolver,
    #[error(transparent)]
    NoServer(#[from] NoServer),
    #[error("the server {server} cannot be reached: {source}")]
    Connect {
        server: String,
        source: ConnectError,
    },
    #[error("the server {server} has not answered within {} ms", .limit.as_millis())]
    TimedOut { server: String, limit: Duration },
}

impl HostingFailure {
    /// The reason as the dialing end is told: without addresses, unless it has named them itself.
    pub(super) fn told(&self) -> String {
        match self {
            Self::Connect { source, .. } => match source.told() {
                Some(reason) => format!("the server cannot be reached: {reason}"),
                None => "the server cannot be reached".to_owned(),
            },
            Self::TimedOut { limit, .. } => {
                format!(
                    "the server has not answered within {} ms",
                    limit.as_millis()
                )
            },
            Self::Stopped(_) | Self::AppData(_) | Self::Resolver | Self::NoServer(_) => {
                self.to_string()
            },
        }
    }

    pub(super) fn kind(&self) -> RefusalKind {
        match self {
            Self::NoServer(NoServer::Target(TargetError::NotAllowed { .. })) => {
                RefusalKind::NotAllowed
            },
            Self::Connect { source, .. } => source.kind(),
            Self::TimedOut { .. } => RefusalKind::TimedOut,
            Self::Stopped(_) | Self::AppData(_) | Self::Resolver | Self::NoServer(_) => {
                RefusalKind::Other
            },
        }
    }
}

/// Why a server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConnectError {
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    #[error("the proxy {proxy}: {source}")]
    Proxy { proxy: String, source: ProxyError },
}

/// Why a proxy does not connect to a server.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProxyError {
    #[error("its address {0}")]
    Address(#[from] HostPortError),
    #[error(transparent)]
    Outbound(#[from] OutboundError),
    #[error(transparent)]
    HttpConnect(#[from] HttpConnectError),
    #[error("only connections of TCP go through a proxy")]
    NotTcp,
}

impl ConnectError {
    fn kind(&self) -> RefusalKind {
        let Self::Outbound(OutboundError::Io(error) | OutboundError::Source { source: error, .. }) =
            self
        else {
            return RefusalKind::Other;
        };
        match error.kind() {
            io::ErrorKind::ConnectionRefused => RefusalKind::ConnectionRefused,
            io::ErrorKind::TimedOut => RefusalKind::TimedOut,
            _ => RefusalKind::Other,
        }
    }

    /// What of it the dialing end is told, which has named the source address itself.
    fn told(&self) -> Option<String> {
        match (self, self.kind()) {
            (_, RefusalKind::ConnectionRefused) => Some("it refuses connections".to_owned()),
            (_, RefusalKind::TimedOut) => Some("it has not answered in time".to_owned()),
            (Self::Outbound(OutboundError::Io(_)), _) => None,
            (Self::Outbound(error), _) => Some(error.to_string()),
            (Self::Proxy { source, .. }, _) => match source {
                ProxyError::Address(_) | ProxyError::Outbound(_) => None,
                ProxyError::HttpConnect(_) | ProxyError::NotTcp => {
                    Some(format!("the proxy: {source}"))
                },
            },
        }
    }
}
