//! DNS over UDP: a message is a datagram.

use crate::name_service::Input;
use portcullis_name_server::{Client, Transport};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::sync::mpsc;
use tokio::time::sleep;

/// The longest query that is looked at. Queries are far shorter; of a longer one the rest is missing, and it is no
/// query any more.
const MAX_QUERY: usize = 4_096;

/// How long nothing is received after an error.
const PAUSE: Duration = Duration::from_millis(10);

/// Receives queries.
pub(super) async fn listen(socket: Arc<UdpSocket>, inputs: mpsc::Sender<Input>) {
    let mut buffer = vec![0; MAX_QUERY];
    loop {
        match socket.recv_from(&mut buffer).await {
            Ok((length, address)) => {
                let client = Client {
                    address,
                    transport: Transport::Udp,
                    socket: 0,
                };
                let message = buffer.get(..length).unwrap_or_default().to_vec();
                if inputs.send(Input::Query { message, client }).await.is_err() {
                    return;
                }
            },
            Err(error) => {
                tracing::debug!(%error, "the name server cannot receive queries for now");
                sleep(PAUSE).await;
            },
        }
    }
}
