//! Servers that refuse, hang, reset and end.

use crate::network::{Client, Flow, Network};
use crate::router::RunningRouter;
use portcullis_simulated_sdk::{data, next_data};
use portcullis_wire::edge::{ConnectionId, DataFlags, EdgeMessage, StateClosed};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

/// A client and a router, which dials this server.
async fn network(server: SocketAddr) -> (Network, RunningRouter, Client) {
    let network = Network::new(1).await;
    let router = network.routers[0].start().await;
    let controller = &network.controller;
    controller.until_online(1).await;
    controller
        .server(&network.service, &network.routers[0], server)
        .await;
    let client = network.client("alice", 0).await;
    (network, router, client)
}

/// The reason for which a dial fails.
async fn failure(client: &Client) -> String {
    client.tries(1, Flow::Legacy).await.unwrap_err().reason
}

#[tokio::test]
async fn server_that_refuses() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let (network, _router, client) = network(address).await;
    let reason = failure(&client).await;
    assert!(reason.contains("refused"), "{reason}");
    network.controller.until_count("circuits", 0).await;
}

/// Nobody accepts, and its queue is full, so that the system answers nothing.
#[tokio::test]
async fn server_that_hangs() {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(0).unwrap();
    let address = listener.local_addr().unwrap();
    let mut queue = Vec::new();
    while let Ok(connected) = timeout(Duration::from_millis(200), TcpStream::connect(address)).await
    {
        queue.push(connected.unwrap());
    }
    let (network, _router, client) = network(address).await;
    let start = Instant::now();
    let reason = failure(&client).await;
    // Three attempts of the controller, of a second each, at the most.
    assert!(start.elapsed() < Duration::from_secs(10), "{reason}");
    network.controller.until_count("circuits", 0).await;
    // The client is not held up by it.
    drop((listener, queue));
}

#[tokio::test]
async fn server_that_resets() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (network, _router, mut client) = network(listener.local_addr().unwrap()).await;
    let (dialed, accepted) = tokio::join!(client.tries(1, Flow::Legacy), listener.accept());
    dialed.unwrap();
    let (server, _) = accepted.unwrap();
    server.set_zero_linger().unwrap();
    drop(server);
    client
        .sdk
        .finds(|message, _| matches!(message, EdgeMessage::StateClosed(_)).then_some(()))
        .await;
    network.controller.until_count("circuits", 0).await;
}

/// Each direction ends by itself.
#[tokio::test]
async fn server_that_half_closes() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (network, _router, mut client) = network(listener.local_addr().unwrap()).await;
    let (dialed, accepted) = tokio::join!(client.tries(1, Flow::Legacy), listener.accept());
    dialed.unwrap();
    let (mut server, _) = accepted.unwrap();
    server.write_all(b"all").await.unwrap();
    server.shutdown().await.unwrap();
    let mut read = Vec::new();
    loop {
        let data = next_data(&mut client.sdk).await;
        read.extend_from_slice(data.data.expose());
        if data.flags.contains(DataFlags::FIN) {
            break;
        }
    }
    assert_eq!(read, b"all");
    let said = |flags| data(ConnectionId(1), "more", flags);
    client.sdk.says(said(DataFlags::default())).await;
    client.sdk.says(said(DataFlags::FIN)).await;
    let mut read = String::new();
    let reading = server.read_to_string(&mut read);
    timeout(Duration::from_secs(10), reading)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(read, "moremore");
    let closed = EdgeMessage::StateClosed(StateClosed {
        connection: Some(ConnectionId(1)),
        ..StateClosed::default()
    });
    client.sdk.says(closed).await;
    network.controller.until_count("circuits", 0).await;
}
