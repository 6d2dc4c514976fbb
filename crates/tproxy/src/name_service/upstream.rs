//! A query to an upstream, from a socket of its own.

use crate::name_service::{Input, tcp};
use crate::transparent;
use portcullis_name_server::{Transport, Upstream, UpstreamQueryId};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use tokio::net::{TcpSocket, UdpSocket};
use tokio::sync::mpsc;

/// Messages that are taken for answers of one upstream to one query. Only the right one counts; others come from
/// whoever guesses.
const MAX_ANSWERS: usize = 16;

const MAX_ANSWER: usize = 64 * 1024;

/// Asks, and passes on what comes back. It ends by being dropped, at the latest.
pub(super) async fn ask(
    query: UpstreamQueryId,
    upstream: Upstream,
    message: Vec<u8>,
    own_mark: u32,
    inputs: mpsc::Sender<Input>,
) {
    let asked = match upstream.transport {
        Transport::Udp => {
            ask_by_datagram(query, upstream.address, &message, own_mark, &inputs).await
        },
        Transport::Tcp => ask_by_stream(query, upstream.address, &message, own_mark, &inputs).await,
    };
    if let Err(error) = asked {
        tracing::debug!(%upstream, %error, "a name server cannot be asked");
        // Nobody is there to be told if the receiver is not.
        let _ = inputs.send(Input::Unreachable { query }).await;
    }
}

async fn ask_by_datagram(
    query: UpstreamQueryId,
    address: SocketAddr,
    message: &[u8],
    own_mark: u32,
    inputs: &mpsc::Sender<Input>,
) -> io::Result<()> {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    // The kernel draws the port.
    let socket = UdpSocket::bind(any).await?;
    transparent::exempt(&socket, own_mark)?;
    // The kernel drops what comes from elsewhere.
    socket.connect(address).await?;
    socket.send(message).await?;
    let mut buffer = vec![0; MAX_ANSWER];
    for _ in 0..MAX_ANSWERS {
        let length = socket.recv(&mut buffer).await?;
        let message = buffer.get(..length).unwrap_or_default().to_vec();
        pass_on(query, address, message, inputs).await?;
    }
    Ok(())
}

async fn ask_by_stream(
    query: UpstreamQueryId,
    address: SocketAddr,
    message: &[u8],
    own_mark: u32,
    inputs: &mpsc::Sender<Input>,
) -> io::Result<()> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    transparent::exempt(&socket, own_mark)?;
    let mut stream = socket.connect(address).await?;
    tcp::send(&mut stream, message).await?;
    let message = tcp::receive(&mut stream).await?;
    pass_on(query, address, message, inputs).await
}

async fn pass_on(
    query: UpstreamQueryId,
    from: SocketAddr,
    message: Vec<u8>,
    inputs: &mpsc::Sender<Input>,
) -> io::Result<()> {
    let answer = Input::Answer {
        query,
        from,
        message,
    };
    inputs.send(answer).await.map_err(io::Error::other)
}
