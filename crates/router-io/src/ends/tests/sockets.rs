//! Ends at sockets of this machine.

use std::io;

use portcullis_xgress::Side;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use super::{Start, terms};
use crate::ends::{DatagramSide, LocalSide, SocketSide};
use crate::testing::{CIRCUIT, TestRouter};

/// A connection of this machine: a program's end, and that of the router.
async fn connection() -> (TcpStream, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (dialed, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
    (dialed.unwrap(), accepted.unwrap().0)
}

/// A circuit within one router.
fn join(first: impl LocalSide, second: impl LocalSide) -> TestRouter {
    let router = TestRouter::new("only");
    let ends = &router.ends;
    ends.open(&terms(Side::Terminator, Start::AtOnce), second);
    router.route(super::START, super::END);
    ends.open(&terms(Side::Initiator, Start::AtOnce), first);
    router
}

#[tokio::test]
async fn megabytes_come_back_from_a_server() {
    let (client, near) = connection().await;
    let (mut server, far) = connection().await;
    let router = join(SocketSide::new("test", near), SocketSide::new("test", far));
    tokio::spawn(async move {
        let (mut from, mut to) = server.split();
        tokio::io::copy(&mut from, &mut to).await.unwrap();
    });
    let content = vec![7; 10 << 20];
    let (mut from, mut to) = client.into_split();
    let sent = content.clone();
    let sending = tokio::spawn(async move {
        to.write_all(&sent).await.unwrap();
        to.shutdown().await.unwrap();
    });
    let mut received = Vec::new();
    from.read_to_end(&mut received).await.unwrap();
    assert!(received == content);
    sending.await.unwrap();
    router.wait_for_ends().await;
}

#[tokio::test]
async fn a_server_that_resets_ends_the_circuit_of_its_client() {
    let (mut client, near) = connection().await;
    let (mut server, far) = connection().await;
    let router = join(SocketSide::new("test", near), SocketSide::new("test", far));
    client.write_all(b"hello").await.unwrap();
    server.read_u8().await.unwrap();
    server.write_all(b"answer").await.unwrap();
    assert_eq!(client.read(&mut [0; 6]).await.unwrap(), 6);
    server.set_zero_linger().unwrap();
    drop(server);
    // The client sees the end, and what it still writes is not taken.
    assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
    let error = loop {
        if let Err(error) = client.write_all(b"more").await {
            break error.kind();
        }
    };
    let expected = [io::ErrorKind::BrokenPipe, io::ErrorKind::ConnectionReset];
    assert!(expected.contains(&error), "{error}");
    router.wait_for_ends().await;
    assert!(router.relay.circuit(CIRCUIT).is_none());
}

#[tokio::test]
async fn datagrams_keep_their_borders() {
    let near = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let far = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    for (one, other) in [
        (&near, &client),
        (&client, &near),
        (&far, &server),
        (&server, &far),
    ] {
        one.connect(other.local_addr().unwrap()).await.unwrap();
    }
    let _router = join(
        DatagramSide::new("test", near),
        DatagramSide::new("test", far),
    );
    for length in [1, 1_400, 20_000] {
        client.send(&vec![3; length]).await.unwrap();
        let mut received = vec![0; 64 << 10];
        assert_eq!(server.recv(&mut received).await.unwrap(), length);
        server.send(&vec![4; length + 1]).await.unwrap();
        assert_eq!(client.recv(&mut received).await.unwrap(), length + 1);
    }
}
