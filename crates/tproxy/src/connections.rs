//! TCP connections that are intercepted.

use crate::routing::Family;
use crate::transparent;
use crate::turns::Turns;
use portcullis_tunnel_config::Protocol;
use socket2::Type;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::task::{Context, Poll};
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
    /// One for each family.
    listeners: Vec<Listener>,
    turns: Turns,
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
    pub(crate) fn open(families: &[Family], own_mark: u32) -> io::Result<Self> {
        let listeners = families
            .iter()
            .map(|family| Listener::open(*family, own_mark));
        let listeners = listeners.collect::<io::Result<_>>()?;
        Ok(Self {
            listeners,
            turns: Turns::default(),
        })
    }

    pub(crate) fn listeners(&self) -> impl Iterator<Item = (Protocol, SocketAddr)> {
        let listeners = self.listeners.iter();
        listeners.map(|listener| (Protocol::Tcp, listener.address))
    }

    fn poll_accept(&self, context: &mut Context<'_>) -> Poll<io::Result<InterceptedConnection>> {
        for listener in self.turns.of(&self.listeners) {
            if let Poll::Ready(accepted) = listener.socket.poll_accept(context) {
                let connection = accepted.and_then(|(stream, source)| {
                    Ok(InterceptedConnection {
                        destination: stream.local_addr()?,
                        stream,
                        source,
                    })
                });
                return Poll::Ready(connection);
            }
        }
        Poll::Pending
    }

    /// The next connection. While nobody asks, connections wait in the kernel. The future may be dropped.
    pub async fn accept(&self) -> InterceptedConnection {
        loop {
            match poll_fn(|context| self.poll_accept(context)).await {
                Ok(connection) if connection.destination.ip().is_loopback() => {
                    let InterceptedConnection { source, .. } = connection;
                    tracing::debug!(%source, "a connection to the listener itself is for no service");
                },
                Ok(connection) => return connection,
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
    fn open(family: Family, own_mark: u32) -> io::Result<Self> {
        let address = SocketAddr::new(family.loopback(), 0);
        let socket = transparent::bound(Type::STREAM, address, own_mark)?;
        // Connections inherit it: a client that vanishes gives its place back.
        socket.set_keepalive(true)?;
        socket.listen(BACKLOG)?;
        let socket = TcpListener::from_std(socket.into())?;
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
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
