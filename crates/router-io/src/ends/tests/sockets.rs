//! Ends at sockets of this machine.

use std::future::poll_fn;
use std::io;

use portcullis_wire::edge::DataFlags;
use portcullis_wire::xgress::payload_header;
use portcullis_xgress::{Segment, Side};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

use super::{Start, terms};
use crate::ends::{DatagramSide, FromLocal, LocalSide, SocketSide};
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

/// Defect 17 of the original: a server never saw that its client had finished.
#[tokio::test]
async fn sockets_and_sdks_tell_each_other_of_the_end_of_data() {
    let (mut program, stream) = duplex(1 << 10);
    let mut side = SocketSide::new("test", stream);
    let fin = |segment: &Segment| segment.data_flags() == Some(DataFlags::FIN);
    // What an SDK sends whose end is at its router.
    let flags = DataFlags::FIN.bits().to_le_bytes().to_vec();
    side.write(Segment {
        headers: [(payload_header::DATA_FLAGS, flags.into())].into(),
        ..Segment::from("last")
    });
    side.write(Segment::from("too late"));
    poll_fn(|context| side.poll_flush(context)).await.unwrap();
    let mut received = String::new();
    program.read_to_string(&mut received).await.unwrap();
    assert_eq!(received, "last");
    program.write_all(b"bye").await.unwrap();
    drop(program);
    let mut read = Vec::new();
    for _ in 0..3 {
        read.push(poll_fn(|context| side.poll_read(context)).await.unwrap());
    }
    assert_eq!(read.remove(0), FromLocal::Segment(Segment::from("bye")));
    let [FromLocal::Segment(told), FromLocal::EndOfStream] = &read[..] else {
        panic!("{read:?}");
    };
    assert!(fin(told) && told.data.expose().is_empty());
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
