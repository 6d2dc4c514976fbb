//! Options of TCP connections.

use socket2::{SockRef, Socket};
use std::io;
use std::time::Duration;
use tokio::net::TcpStream;

/// Has the kernel find out that the other end has vanished, so that its place gets free.
pub(crate) fn set_keepalive(stream: &TcpStream) -> io::Result<()> {
    SockRef::from(stream).set_keepalive(true)
}

/// Resets a connection when this is dropped before the end of both directions: the program at the other end must
/// not take what is cut off for all that there was.
///
/// It has a descriptor of its own, because whoever carries the connection owns the stream.
#[derive(Debug)]
pub(crate) struct ResetOnDrop(Option<Socket>);

impl ResetOnDrop {
    pub(crate) fn new(stream: &TcpStream) -> io::Result<Self> {
        let socket = SockRef::from(stream).try_clone()?;
        Ok(Self(Some(socket)))
    }

    /// Both directions have ended well.
    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for ResetOnDrop {
    fn drop(&mut self) {
        if let Some(socket) = &self.0 {
            let _is_closed = socket.set_linger(Some(Duration::ZERO));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    async fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let client = TcpStream::connect(listener.local_addr().expect("an address")).await;
        let (server, _) = listener.accept().await.expect("a connection");
        (client.expect("connected"), server)
    }

    #[tokio::test]
    async fn a_connection_that_is_cut_is_reset() {
        let (mut client, server) = pair().await;
        let guard = ResetOnDrop::new(&server).expect("a descriptor");
        drop(server);
        drop(guard);
        let error = client.read_u8().await.expect_err("nothing is sent");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
    }

    #[tokio::test]
    async fn a_connection_that_has_ended_well_is_not() {
        let (mut client, server) = pair().await;
        ResetOnDrop::new(&server).expect("a descriptor").disarm();
        drop(server);
        let error = client.read_u8().await.expect_err("nothing is sent");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
