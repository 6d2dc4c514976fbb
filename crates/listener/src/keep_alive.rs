//! Keep-alive of TCP connections.

use std::io;
use std::time::Duration;

use rustix::net::sockopt;
use tokio::net::TcpStream;

/// Time without data after which the kernel asks whether the peer is still there, and between its
/// questions.
const INTERVAL: Duration = Duration::from_secs(15);

/// Lets the kernel notice peers that are gone without a word.
pub(crate) fn enable(socket: &TcpStream) -> io::Result<()> {
    sockopt::set_socket_keepalive(socket, true)?;
    sockopt::set_tcp_keepidle(socket, INTERVAL)?;
    sockopt::set_tcp_keepintvl(socket, INTERVAL)?;
    Ok(())
}
