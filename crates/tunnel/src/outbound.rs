//! Connections to servers and proxies.

#[cfg(target_os = "linux")]
mod kernel;
#[cfg(not(target_os = "linux"))]
mod no_kernel;

#[cfg(target_os = "linux")]
pub(crate) use kernel::{BorrowedAddress, Kernel};
#[cfg(not(target_os = "linux"))]
pub(crate) use no_kernel::{BorrowedAddress, Kernel};

use crate::host_names::HostNames;
use portcullis_tunnel_config::SourceAddress;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;
use tokio::net::{TcpSocket, TcpStream, UdpSocket};

/// Opens connections to servers.
#[derive(Debug, Default)]
pub(crate) struct Outbound {
    names: HostNames,
    /// What keeps them from being intercepted, and lends them addresses that are not this machine's.
    pub(crate) kernel: OnceLock<Kernel>,
}

/// A socket that is connected to a server.
#[derive(Debug)]
pub(crate) struct Connected<S> {
    pub(crate) socket: S,
    /// The address that it comes from, if that is not this machine's.
    pub(crate) source: Option<BorrowedAddress>,
}

/// Why a server cannot be reached.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutboundError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has no address of the kind of the source address {0}")]
    NoAddressLike(String),
    #[error("the host cannot connect from {from}: {source}")]
    Source { from: String, source: io::Error },
}

impl Outbound {
    /// Connects to the first address of a host that can be reached. How long that may take is for the caller to
    /// say.
    pub(crate) async fn tcp(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<Connected<TcpStream>, OutboundError> {
        let mut last = OutboundError::Io(io::ErrorKind::NotFound.into());
        for address in self.addresses(host, port, source).await? {
            match self.tcp_to(address, source).await {
                Ok(connected) => return Ok(connected),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// As [`Self::tcp`], for datagrams.
    pub(crate) async fn udp(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<Connected<UdpSocket>, OutboundError> {
        let mut last = OutboundError::Io(io::ErrorKind::NotFound.into());
        for address in self.addresses(host, port, source).await? {
            match self.udp_to(address, source).await {
                Ok(connected) => return Ok(connected),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    async fn tcp_to(
        &self,
        address: SocketAddr,
        source: Option<SourceAddress>,
    ) -> Result<Connected<TcpStream>, OutboundError> {
        let socket = if address.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        if let Some(kernel) = self.kernel.get() {
            kernel.exempt(&socket)?;
        }
        if let Some(source) = source {
            // A port of its own may still be that of a connection that has ended.
            socket.set_reuseaddr(source.port.is_some())?;
            match (socket.bind(socket_address(source)), self.kernel.get()) {
                (Err(error), Some(kernel)) if is_not_here(&error) => {
                    let connecting = kernel.connect_from(socket_address(source), address);
                    return connecting.await.map_err(|error| not_from(source, error));
                },
                (bound, _) => bound.map_err(|error| not_from(source, error))?,
            }
        }
        socket.set_nodelay(true)?;
        socket.set_keepalive(true)?;
        Ok(Connected {
            socket: socket.connect(address).await?,
            source: None,
        })
    }

    async fn udp_to(
        &self,
        address: SocketAddr,
        source: Option<SourceAddress>,
    ) -> Result<Connected<UdpSocket>, OutboundError> {
        let any: IpAddr = match address {
            SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
            SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
        };
        let local = source.map_or_else(|| SocketAddr::new(any, 0), socket_address);
        let bound = match (UdpSocket::bind(local).await, self.kernel.get()) {
            (Err(error), Some(kernel)) if is_not_here(&error) => kernel.bind_from(local).await,
            (bound, _) => bound.map(|socket| Connected {
                socket,
                source: None,
            }),
        };
        let connected = bound.map_err(|error| match source {
            Some(source) => not_from(source, error),
            None => error.into(),
        })?;
        if let Some(kernel) = self.kernel.get() {
            kernel.exempt(&connected.socket)?;
        }
        connected.socket.connect(address).await?;
        Ok(connected)
    }

    /// Addresses of a host that can be connected to from the source address.
    async fn addresses(
        &self,
        host: &str,
        port: u16,
        source: Option<SourceAddress>,
    ) -> Result<Vec<SocketAddr>, OutboundError> {
        let mut found = self.names.find(host, port).await?;
        if let Some(source) = source {
            found.retain(|address| address.is_ipv4() == source.ip.is_ipv4());
            if found.is_empty() {
                return Err(OutboundError::NoAddressLike(source.to_string()));
            }
        }
        Ok(found)
    }
}

fn socket_address(source: SourceAddress) -> SocketAddr {
    SocketAddr::new(source.ip, source.port.unwrap_or(0))
}

fn is_not_here(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
}

fn not_from(source: SourceAddress, error: io::Error) -> OutboundError {
    OutboundError::Source {
        from: source.to_string(),
        source: error,
    }
}
