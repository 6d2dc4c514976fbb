//! Datagrams: each client has a socket to the next one.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::net::UdpSocket;

/// The longest datagram.
const BUFFER: usize = 64 * 1024;

/// Relays until the process ends. What cannot be sent is lost, as it is in networks.
pub(super) async fn relay(socket: UdpSocket, next: SocketAddr) -> anyhow::Result<()> {
    let socket = Arc::new(socket);
    let mut flows: HashMap<SocketAddr, Arc<UdpSocket>> = HashMap::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        let (length, client) = socket.recv_from(&mut buffer).await?;
        let datagram = buffer.get(..length).unwrap_or_default();
        if let Some(flow) = flows.get(&client) {
            let _ = flow.send(datagram).await;
            continue;
        }
        let flow = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        flow.connect(next).await?;
        let _ = flow.send(datagram).await;
        let flow = Arc::new(flow);
        tokio::spawn(answer(Arc::clone(&flow), Arc::clone(&socket), client));
        flows.insert(client, flow);
    }
}

async fn answer(flow: Arc<UdpSocket>, socket: Arc<UdpSocket>, client: SocketAddr) {
    let mut buffer = vec![0; BUFFER];
    // A server that is away refuses, and may come back.
    loop {
        if let Ok(length) = flow.recv(&mut buffer).await {
            let datagram = buffer.get(..length).unwrap_or_default();
            let _ = socket.send_to(datagram, client).await;
        }
    }
}
