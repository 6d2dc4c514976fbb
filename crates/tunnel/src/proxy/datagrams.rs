//! Ports for UDP.

use super::Signals;
use super::binding::addresses;
use super::udp_socket;
use crate::flows::Flows;
use crate::network::Network;
use crate::requests::Ingress;
use crate::shared::Shared;
use futures_util::future::try_join_all;
use portcullis_tunneler::ProxyPort;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

/// Opens a port for UDP, and has its flows carried until it is stopped and they have ended, or are to end.
///
/// # Errors
///
/// If it cannot be opened, or a socket fails.
pub(super) async fn serve<N: Network>(
    shared: &Arc<Shared<N>>,
    port: &ProxyPort,
    signals: &Signals,
) -> io::Result<()> {
    let mut sockets = Vec::new();
    for address in addresses(port.binding.as_deref(), shared.options.proxy_address)? {
        sockets.push(udp_socket::bind(SocketAddr::new(address, port.port))?);
    }
    tracing::info!(%port, "listening");
    let mut all_flows = Vec::new();
    let mut running = Vec::new();
    for (receiver, replies) in sockets {
        let flows = Flows::new(Arc::clone(shared), Ingress::Port(port.clone()), replies);
        all_flows.push(Arc::clone(&flows));
        running.push(flows.run(receiver));
    }
    let control = async {
        signals.stop.cancelled().await;
        for flows in &all_flows {
            flows.stop();
        }
        signals.end.cancelled().await;
        for flows in &all_flows {
            flows.end();
        }
        pending::<()>().await;
    };
    tokio::select! {
        result = try_join_all(running) => result.map(drop),
        () = control => Ok(()),
    }
}
