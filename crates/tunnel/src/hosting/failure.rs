//! Why somebody who dials is not connected to a server.

use crate::network::RefusalKind;
use crate::outbound::OutboundError;
use crate::questions::{NoServer, Stopped};
use portcullis_tunnel_config::{AppDataError, TargetError};
use std::io;
use std::time::Duration;

/// Why somebody who dials is not connected to a server, as he is told.
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
    #[error("the proxy {proxy}: {reason}")]
    Proxy { proxy: String, reason: String },
}

impl ConnectError {
    fn kind(&self) -> RefusalKind {
        let Self::Outbound(
            OutboundError::Io(error) | OutboundError::Source { source: error, .. },
        ) = self
        else {
            return RefusalKind::Other;
        };
        match error.kind() {
            io::ErrorKind::ConnectionRefused => RefusalKind::ConnectionRefused,
            io::ErrorKind::TimedOut => RefusalKind::TimedOut,
            _ => RefusalKind::Other,
        }
    }
}
