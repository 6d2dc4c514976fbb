//! Streams through a port to a server.

use crate::support::{
    PORT, TestTunnel, at, connect, echo, echo_server, ended, host, in_time, intercepting,
    own_address, proxy, reset, service,
};
use portcullis_seeded_random::Random;
use sha2::{Digest as _, Sha256};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

/// A tunnel with one service, which has a port and a server.
async fn tunnel(server: SocketAddr) -> (TestTunnel, SocketAddr) {
    let address = own_address();
    let tunnel = TestTunnel::start(intercepting(), at(address));
    tunnel
        .set(service("wiki", &[proxy("tcp", PORT), host("tcp", server)]))
        .await;
    tunnel.hosted("wiki").await;
    (tunnel, (address, PORT).into())
}

fn random_bytes(length: usize) -> Vec<u8> {
    let mut random = Random::from_seed(7);
    let words = std::iter::repeat_with(|| random.next().to_le_bytes());
    words.flatten().take(length).collect()
}

/// A server that reads all that there is before it answers with its hash: it needs the half close of the client.
async fn hashing_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut all = Vec::new();
                stream.read_to_end(&mut all).await?;
                stream.write_all(&Sha256::digest(&all)).await
            });
        }
    });
    address
}

#[tokio::test]
async fn bytes_and_the_half_close_of_the_client_reach_the_server() {
    let (tunnel, port) = tunnel(hashing_server().await).await;
    let bytes = random_bytes(3 << 20);
    let mut client = connect(port).await;
    client.write_all(&bytes).await.expect("written");
    client.shutdown().await.expect("shut down");
    let mut hash = Vec::new();
    in_time(client.read_to_end(&mut hash)).await.expect("read");
    assert_eq!(hash, Sha256::digest(&bytes).to_vec());
    tunnel.stop().await;
}

#[tokio::test]
async fn the_half_close_of_the_server_reaches_the_client() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (tunnel, port) = tunnel(listener.local_addr().expect("an address")).await;
    let mut client = connect(port).await;
    let (mut server, _) = in_time(listener.accept()).await.expect("a connection");
    server.write_all(b"over").await.expect("written");
    server.shutdown().await.expect("shut down");
    let mut said = Vec::new();
    in_time(client.read_to_end(&mut said)).await.expect("read");
    assert_eq!(said, b"over");

    client.write_all(b"not for me").await.expect("written");
    client.shutdown().await.expect("shut down");
    let mut said = Vec::new();
    in_time(server.read_to_end(&mut said)).await.expect("read");
    assert_eq!(said, b"not for me");
    tunnel.stop().await;
}

#[tokio::test]
async fn many_clients_have_connections_of_their_own() {
    let (tunnel, port) = tunnel(echo_server().await).await;
    let mut clients = Vec::new();
    for number in 0..50 {
        clients.push((number, connect(port).await));
    }
    for (number, client) in &mut clients {
        echo(client, &format!("I am {number}")).await;
    }
    let dials = tunnel.network.dials();
    assert_eq!(dials.len(), 50);
    let client_address = clients[0].1.local_addr().expect("an address");
    assert!(dials.iter().any(|dial| dial.client == client_address));
    assert!(dials.iter().all(|dial| dial.local == port));
    tunnel.stop().await;
}

#[tokio::test]
async fn a_client_is_reset_if_the_server_is_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let server = listener.local_addr().expect("an address");
    drop(listener);
    let (tunnel, port) = tunnel(server).await;
    let mut client = connect(port).await;
    reset(&mut client).await;
    let [refusal] = &*tunnel.network.refusals() else {
        panic!("one refusal");
    };
    assert_eq!(
        refusal,
        "the server cannot be reached: it refuses connections"
    );
    tunnel.stop().await;
}

#[tokio::test]
async fn nothing_is_left_after_the_end() {
    let before = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let (tunnel, port) = tunnel(listener.local_addr().expect("an address")).await;
    let mut client = connect(port).await;
    let (mut server, _) = in_time(listener.accept()).await.expect("a connection");
    let network = tunnel.stop().await;

    ended(&mut client).await;
    ended(&mut server).await;
    assert!(TcpStream::connect(port).await.is_err());
    assert!(network.terminators("wiki").is_empty());
    let after = tokio::runtime::Handle::current()
        .metrics()
        .num_alive_tasks();
    assert_eq!(after, before);
}
