//! Connections to servers.

use super::failure::ConnectError;
use super::http_connect;
use crate::host_names::{HostNames, host_and_port};
use crate::questions::Server;
use portcullis_tunnel_config::{Protocol, SourceAddress, Target};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpSocket, TcpStream, UdpSocket};

/// A connection to a server.
#[derive(Debug)]
pub(super) enum Connected {
    Tcp(TcpStream),
    Udp(UdpSocket),
}

/// Connects to a server, through the proxy if it has one. How long that may take is for the caller to say.
pub(super) async fn connect(names: &HostNames, server: &Server) -> Result<Connected, ConnectError> {
    let Target {
        protocol,
        host,
        port,
        source,
    } = &server.target;
    let host = host.to_string();
    match (protocol, &server.proxy) {
        (Protocol::Tcp, None) => {
            let stream = tcp(names, &host, *port, *source).await?;
            Ok(Connected::Tcp(stream))
        },
        (Protocol::Tcp, Some(proxy)) => {
            let failure = |reason: String| ConnectError::Proxy {
                proxy: proxy.address.clone(),
                reason,
            };
            let (proxy_host, proxy_port) =
                host_and_port(&proxy.address).map_err(|error| failure(error.to_string()))?;
            let connecting = tcp(names, proxy_host, proxy_port, *source).await;
            let mut stream = connecting.map_err(|error| failure(error.to_string()))?;
            let connected = http_connect::through(&mut stream, &host, *port).await;
            connected.map_err(|error| failure(error.to_string()))?;
            Ok(Connected::Tcp(stream))
        },
        (Protocol::Udp, None) => {
            let socket = udp(names, &host, *port, *source).await?;
            Ok(Connected::Udp(socket))
        },
        (Protocol::Udp, Some(proxy)) => Err(ConnectError::Proxy {
            proxy: proxy.address.clone(),
            reason: "only connections of TCP go through a proxy".to_owned(),
        }),
    }
}

async fn tcp(
    names: &HostNames,
    host: &str,
    port: u16,
    source: Option<SourceAddress>,
) -> Result<TcpStream, ConnectError> {
    let mut last = ConnectError::Io(io::ErrorKind::NotFound.into());
    for address in addresses(names, host, port, source).await? {
        match tcp_to(address, source).await {
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn tcp_to(
    address: SocketAddr,
    source: Option<SourceAddress>,
) -> Result<TcpStream, ConnectError> {
    let socket = if address.is_ipv4() {
        TcpSocket::new_v4()?
    } else {
        TcpSocket::new_v6()?
    };
    if let Some(source) = source {
        // A port of its own may still be that of a connection that has ended.
        socket.set_reuseaddr(source.port.is_some())?;
        let bound = socket.bind(socket_address(source));
        bound.map_err(|error| not_from(source, error))?;
    }
    socket.set_nodelay(true)?;
    socket.set_keepalive(true)?;
    Ok(socket.connect(address).await?)
}

async fn udp(
    names: &HostNames,
    host: &str,
    port: u16,
    source: Option<SourceAddress>,
) -> Result<UdpSocket, ConnectError> {
    let mut last = ConnectError::Io(io::ErrorKind::NotFound.into());
    for address in addresses(names, host, port, source).await? {
        match udp_to(address, source).await {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

async fn udp_to(
    address: SocketAddr,
    source: Option<SourceAddress>,
) -> Result<UdpSocket, ConnectError> {
    let any: IpAddr = match address {
        SocketAddr::V4(_) => Ipv4Addr::UNSPECIFIED.into(),
        SocketAddr::V6(_) => Ipv6Addr::UNSPECIFIED.into(),
    };
    let local = source.map_or_else(|| SocketAddr::new(any, 0), socket_address);
    let socket = UdpSocket::bind(local).await;
    let socket = socket.map_err(|error| match source {
        Some(source) => not_from(source, error),
        None => error.into(),
    })?;
    socket.connect(address).await?;
    Ok(socket)
}

/// Addresses of a host that can be connected to from the source address.
async fn addresses(
    names: &HostNames,
    host: &str,
    port: u16,
    source: Option<SourceAddress>,
) -> Result<Vec<SocketAddr>, ConnectError> {
    let mut found = names.find(host, port).await?;
    if let Some(source) = source {
        found.retain(|address| address.is_ipv4() == source.ip.is_ipv4());
        if found.is_empty() {
            return Err(ConnectError::NoAddressLike(source.to_string()));
        }
    }
    Ok(found)
}

fn socket_address(source: SourceAddress) -> SocketAddr {
    SocketAddr::new(source.ip, source.port.unwrap_or(0))
}

fn not_from(source: SourceAddress, error: io::Error) -> ConnectError {
    ConnectError::Source {
        from: source.to_string(),
        source: error,
    }
}
