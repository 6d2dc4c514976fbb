//! Servers of every kind.

use std::sync::Arc;

use portcullis_wire::peer_data::{LOCAL_ADDRESS, PeerData, REMOTE_ADDRESS};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket, UnixDatagram};
use tokio_rustls::TlsAcceptor;

use super::World;

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp:{}", listener.local_addr().unwrap());
    (listener, address)
}

fn text(peer_data: &PeerData, number: u32) -> &str {
    std::str::from_utf8(peer_data[&number].expose()).unwrap()
}

/// The client says all it has to say, and only then hears what the server has to say.
#[tokio::test]
async fn client_may_finish_first() {
    for binding in ["transport", "edge_transport"] {
        let world = World::new();
        let (listener, address) = listener().await;
        let peer_data = world.dial(binding, &address).await.unwrap();
        let (mut server, peer) = listener.accept().await.unwrap();
        assert_eq!(text(&peer_data, LOCAL_ADDRESS), peer.to_string());
        assert_eq!(format!("tcp:{}", text(&peer_data, REMOTE_ADDRESS)), address);
        assert_eq!(peer_data.len(), 2, "{binding}");
        let mut client = world.client();
        client.write_all(b"question").await.unwrap();
        client.shutdown().await.unwrap();
        let mut question = String::new();
        server.read_to_string(&mut question).await.unwrap();
        assert_eq!(question, "question", "{binding}");
        server.write_all(b"answer").await.unwrap();
        drop(server);
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer", "{binding}");
        world.wait_for_ends().await;
    }
}

#[tokio::test]
async fn server_may_finish_first() {
    let world = World::new();
    let (listener, address) = listener().await;
    world.dial("transport", &address).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let mut client = world.client();
    server.write_all(b"greeting").await.unwrap();
    server.shutdown().await.unwrap();
    let mut greeting = String::new();
    client.read_to_string(&mut greeting).await.unwrap();
    assert_eq!(greeting, "greeting");
    client.write_all(b"thanks").await.unwrap();
    drop(client);
    let mut thanks = String::new();
    server.read_to_string(&mut thanks).await.unwrap();
    assert_eq!(thanks, "thanks");
    world.wait_for_ends().await;
}

#[tokio::test]
async fn reset_of_the_server_ends_the_circuit() {
    let world = World::new();
    let (listener, address) = listener().await;
    world.dial("transport", &address).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    let mut client = world.client();
    client.write_all(b"hello").await.unwrap();
    server.read_exact(&mut [0]).await.unwrap();
    // What is unread makes the kernel say so.
    drop(server);
    let mut nothing = Vec::new();
    client.read_to_end(&mut nothing).await.unwrap();
    assert_eq!(nothing, b"");
    world.wait_for_ends().await;
}

#[tokio::test]
async fn server_with_tls_is_dialed_by_its_name() {
    let world = World::new();
    let (listener, _) = listener().await;
    let port = listener.local_addr().unwrap().port();
    let acceptor = TlsAcceptor::from(Arc::new(world.certificate.server_config()));
    let serving = tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut server = acceptor.accept(stream).await.unwrap();
        let mut question = String::new();
        server.read_to_string(&mut question).await.unwrap();
        server.write_all(question.as_bytes()).await.unwrap();
        server.shutdown().await.unwrap();
        server.get_ref().1.peer_certificates().is_none()
    });
    let address = format!("tls:localhost:{port}");
    world.dial("transport", &address).await.unwrap();
    let mut client = world.client();
    client.write_all(b"echo").await.unwrap();
    client.shutdown().await.unwrap();
    let mut echo = String::new();
    client.read_to_string(&mut echo).await.unwrap();
    assert_eq!(echo, "echo");
    assert!(
        serving.await.unwrap(),
        "a server is shown the router's certificate"
    );
    world.wait_for_ends().await;
}

async fn echo_datagrams(binding: &str, protocol: &str) {
    let world = World::new();
    let server = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = format!("{protocol}:{}", server.local_addr().unwrap());
    let peer_data = world.dial(binding, &address).await.unwrap();
    assert_eq!(peer_data.is_empty(), binding == "transport_udp");
    let mut client = world.client();
    client.write_all(b"ping").await.unwrap();
    let mut datagram = [0; 16];
    let (length, peer) = server.recv_from(&mut datagram).await.unwrap();
    assert_eq!(&datagram[..length], b"ping");
    server.send_to(b"pong", peer).await.unwrap();
    let mut answer = [0; 4];
    client.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"pong");
    drop(client);
    world.wait_for_ends().await;
}

#[tokio::test]
async fn datagrams_come_back() {
    for (binding, protocol) in [
        ("transport", "udp"),
        ("edge_transport", "udp"),
        ("transport_udp", "udp"),
        ("transport_udp", "udp4"),
    ] {
        echo_datagrams(binding, protocol).await;
    }
}

#[tokio::test]
async fn datagrams_reach_a_socket_of_the_file_system() {
    let world = World::new();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("server.sock");
    let server = UnixDatagram::bind(&path).unwrap();
    let address = format!("unixgram:{}", path.display());
    world.dial("transport_udp", &address).await.unwrap();
    let mut client = world.client();
    client.write_all(b"ping").await.unwrap();
    let mut datagram = [0; 16];
    let length = server.recv(&mut datagram).await.unwrap();
    assert_eq!(&datagram[..length], b"ping");
}

/// Megabytes both ways at once.
#[tokio::test]
async fn much_is_carried_both_ways() {
    const LENGTH: usize = 4 << 20;
    let world = World::new();
    let (listener, address) = listener().await;
    world.dial("transport", &address).await.unwrap();
    let (server, _) = listener.accept().await.unwrap();
    tokio::spawn(async move {
        let (mut from, mut to) = TcpStream::into_split(server);
        tokio::io::copy(&mut from, &mut to).await.unwrap();
    });
    let (mut from, mut to) = tokio::io::split(world.client());
    let content: Vec<u8> = (0..251).cycle().take(LENGTH).collect();
    let sent = content.clone();
    tokio::spawn(async move {
        to.write_all(&sent).await.unwrap();
        to.shutdown().await.unwrap();
    });
    let mut received = Vec::new();
    from.read_to_end(&mut received).await.unwrap();
    assert!(received == content, "{} of {LENGTH} bytes", received.len());
}
