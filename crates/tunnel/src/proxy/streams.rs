//! Ports for TCP.

use super::Signals;
use super::binding::addresses;
use crate::connection_slots::ConnectionSlots;
use crate::dialing::serve_stream;
use crate::network::Network;
use crate::requests::Ingress;
use crate::shared::Shared;
use futures_util::future::join_all;
use portcullis_tunneler::ProxyPort;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::sleep;

/// Connections that the kernel keeps until they are accepted.
const BACKLOG: u32 = 1_024;

/// Pause after an accept that failed for lack of a resource.
const BACK_OFF: Duration = Duration::from_millis(50);

/// Opens a port for TCP, and has its clients served until it is stopped.
///
/// # Errors
///
/// If it cannot be opened.
pub(super) async fn serve<N: Network>(
    shared: &Arc<Shared<N>>,
    port: &ProxyPort,
    signals: &Signals,
) -> io::Result<()> {
    let options = &shared.options;
    let slots = ConnectionSlots::new(options.max_streams_of_port, options.max_streams_of_client);
    let mut listeners = Vec::new();
    for address in addresses(port.binding.as_deref(), options.proxy_address)? {
        listeners.push(listen(address, port.port)?);
    }
    tracing::info!(%port, "listening");
    let accepting = listeners.into_iter().map(|listener| {
        let ingress = Ingress::Port(port.clone());
        accept(listener, shared, ingress, &slots)
    });
    let accepting = join_all(accepting);
    signals.stop.run_until_cancelled(accepting).await;
    Ok(())
}

fn listen(address: IpAddr, port: u16) -> io::Result<TcpListener> {
    let socket = match address {
        IpAddr::V4(_) => TcpSocket::new_v4()?,
        IpAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Elsewhere the option lets two programs share a port.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Connections have it from their listener: the slot of a client that has vanished gets free.
    socket.set_keepalive(true)?;
    socket.bind(SocketAddr::new(address, port))?;
    socket.listen(BACKLOG)
}

/// Accepts connections forever, each into a task of its own.
async fn accept<N: Network>(
    listener: TcpListener,
    shared: &Arc<Shared<N>>,
    ingress: Ingress,
    slots: &ConnectionSlots,
) {
    while let Some((permit, has_waited)) = slots.next().await {
        if has_waited && let Ingress::Port(port) = &ingress {
            let streams = shared.options.max_streams_of_port;
            tracing::debug!(%port, streams, "the port had as many connections as it may have");
        }
        match listener.accept().await {
            Ok((stream, client)) => {
                let Some(slot) = slots.take(client.ip(), permit) else {
                    let _is_closed = stream.set_zero_linger();
                    continue;
                };
                let Ok(local) = stream.local_addr() else {
                    continue;
                };
                let (serving, ingress) = (Arc::clone(shared), ingress.clone());
                shared.tasks.spawn(async move {
                    let _slot = slot;
                    serve_stream(&serving, &ingress, stream, (client, local)).await;
                });
            },
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {},
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                sleep(BACK_OFF).await;
            },
        }
    }
}
