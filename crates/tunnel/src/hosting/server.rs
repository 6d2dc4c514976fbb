//! Connections to the servers of services.

use super::failure::{ConnectError, ProxyError};
use super::http_connect;
use crate::host_names::host_and_port;
use crate::outbound::Outbound;
use crate::requests::Server;
use portcullis_tunnel_config::{Protocol, Target};
use tokio::net::{TcpStream, UdpSocket};

/// A connection to a server.
#[derive(Debug)]
pub(super) enum Connection {
    Tcp(TcpStream),
    Udp(UdpSocket),
}

/// Connects to a server, through the proxy if it has one. How long that may take is for the caller to say.
pub(super) async fn connect(
    outbound: &Outbound,
    server: &Server,
) -> Result<Connection, ConnectError> {
    let Target {
        protocol,
        host,
        port,
        source,
    } = &server.target;
    let host = host.to_string();
    match (protocol, &server.proxy) {
        (Protocol::Tcp, None) => {
            let connected = outbound.tcp(&host, *port, *source).await?;
            Ok(Connection::Tcp(connected))
        },
        (Protocol::Tcp, Some(proxy)) => {
            let address = &proxy.address;
            let connecting = through_proxy(outbound, address, &server.target, &host).await;
            let connected = connecting.map_err(|source| ConnectError::Proxy {
                proxy: address.clone(),
                source,
            })?;
            Ok(Connection::Tcp(connected))
        },
        (Protocol::Udp, None) => {
            let connected = outbound.udp(&host, *port, *source).await?;
            Ok(Connection::Udp(connected))
        },
        (Protocol::Udp, Some(proxy)) => Err(ConnectError::Proxy {
            proxy: proxy.address.clone(),
            source: ProxyError::NotTcp,
        }),
    }
}

async fn through_proxy(
    outbound: &Outbound,
    proxy: &str,
    target: &Target,
    host: &str,
) -> Result<TcpStream, ProxyError> {
    let (proxy_host, proxy_port) = host_and_port(proxy)?;
    let mut stream = outbound.tcp(proxy_host, proxy_port, target.source).await?;
    http_connect::through(&mut stream, host, target.port).await?;
    Ok(stream)
}
