//! TCP connections that are intercepted.

use crate::error::InterceptError;
use crate::keeper::socket_error;
use crate::transparent;
use portcullis_tunnel_config::Protocol;
use socket2::Type;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// A connection that was intercepted.
#[derive(Debug)]
pub struct InterceptedConnection {
    pub stream: TcpStream,
    pub source: SocketAddr,
    /// Where its client wanted to.
    pub destination: SocketAddr,
}

/// TCP connections that are intercepted, which the kernel has accepted already.
#[derive(Debug)]
pub struct InterceptedConnections {
    v4: Listener,
    v6: Option<Listener>,
}

#[derive(Debug)]
struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

/// Connections that may wait; the kernel has a limit of its own (`net.core.somaxconn`). Beyond it, it drops what
/// begins a connection, or answers without remembering it (SYN cookies).
const BACKLOG: i32 = 4_096;

/// How long nothing is accepted after an error that the next connection would have as well.
const PAUSE: Duration = Duration::from_millis(100);

impl InterceptedConnections {
    pub(crate) fn open(own_mark: u32) -> Result<Self, InterceptError> {
        let v4 = Listener::open((Ipv4Addr::LOCALHOST, 0).into(), own_mark)
            .map_err(|reason| socket_error("listen for intercepted connections", reason))?;
        let v6 = Listener::open((Ipv6Addr::LOCALHOST, 0).into(), own_mark);
        if let Err(error) = &v6 {
            tracing::debug!(%error, "no listener for intercepted connections of IPv6");
        }
        Ok(Self { v4, v6: v6.ok() })
    }

    pub(crate) fn listeners(&self) -> impl Iterator<Item = (Protocol, SocketAddr)> {
        let listeners = [Some(&self.v4), self.v6.as_ref()];
        let listeners = listeners.into_iter().flatten();
        listeners.map(|listener| (Protocol::Tcp, listener.address))
    }

    /// The next connection. While nobody asks, connections wait in the kernel. The future may be dropped.
    pub async fn accept(&self) -> InterceptedConnection {
        loop {
            let accepted = tokio::select! {
                accepted = self.v4.accept() => accepted,
                accepted = accept_if_any(self.v6.as_ref()) => accepted,
            };
            match accepted {
                Ok(Some(connection)) => return connection,
                Ok(None) => {},
                Err(error) if is_of_one_connection(&error) => {},
                Err(error) => {
                    tracing::warn!(%error, "intercepted connections cannot be accepted for now");
                    tokio::time::sleep(PAUSE).await;
                },
            }
        }
    }
}

impl Listener {
    fn open(address: SocketAddr, own_mark: u32) -> io::Result<Self> {
        let socket = transparent::bound(Type::STREAM, address, own_mark)?;
        socket.listen(BACKLOG)?;
        let socket = TcpListener::from_std(socket.into())?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    async fn accept(&self) -> io::Result<Option<InterceptedConnection>> {
        let (stream, source) = self.socket.accept().await?;
        let destination = stream.local_addr()?;
        if destination == self.address {
            tracing::debug!(%source, "a connection to the listener itself is for no service");
            return Ok(None);
        }
        Ok(Some(InterceptedConnection {
            stream,
            source,
            destination,
        }))
    }
}

async fn accept_if_any(listener: Option<&Listener>) -> io::Result<Option<InterceptedConnection>> {
    match listener {
        Some(listener) => listener.accept().await,
        None => std::future::pending().await,
    }
}

/// Whether only this connection is lost: its client has gone while it waited.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::NotConnected
            | io::ErrorKind::Interrupted
    )
}
