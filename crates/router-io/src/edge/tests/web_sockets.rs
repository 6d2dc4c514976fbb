//! SDKs in browsers.

use std::time::Duration;

use portcullis_simulated_sdk::{Sdk, dial_through, dial_v2, receive_all, send_all};
use portcullis_transport::DialError;
use portcullis_wire::edge::ConnectionId;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::client::TlsStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite;

use super::network::{Pair, SERVICE};
use super::sdk::{connect, secure};
use super::world::{WEB_CIRCUIT_TIME, World};
use crate::edge::web_socket::message_stream::MessageStream;

type Carrier = MessageStream<TlsStream<TcpStream>>;

/// A socket of a browser, which shows no certificate.
async fn open(
    world: &World,
    path: &str,
    protocols: &[&str],
) -> Result<Carrier, tungstenite::Error> {
    let stream = connect(world.web_address, &world.network, None, protocols).await?;
    let (_, certificates) = stream.get_ref();
    assert!(certificates.peer_certificates().is_some());
    let (socket, _) = client_async(format!("wss://localhost{path}"), stream).await?;
    Ok(MessageStream::new(socket, None, Duration::ZERO))
}

async fn enter(world: &World, identity: &str, shown: Option<&Pair>) -> Result<Sdk, DialError> {
    let pair = world.network.identity(identity);
    let token = world
        .network
        .access_token(identity, shown.unwrap_or(&pair), 1000);
    let carrier = open(world, "/ws", &["http/1.1"]).await.unwrap();
    let stream = secure(carrier, &world.network, shown, &[]).await?;
    Sdk::connect(stream, Some(&token)).await
}

#[tokio::test]
async fn sdk_in_a_browser_dials_and_hosts() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    let pair = |identity| world.network.identity(identity);
    let mut host = enter(&world, "bob", Some(&pair("bob"))).await.unwrap();
    let token = world.network.service_token("bob", SERVICE, "Bind");
    host.binds(&token, "listener", false).await;
    let mut client = enter(&world, "alice", Some(&pair("alice"))).await.unwrap();
    let (dial, connected) = dial_through(&client, &mut host, dial_v2(1, SERVICE, false)).await;
    connected.unwrap();
    let forth = send_all(&client, ConnectionId(1), 1, 3_000_000);
    let (sent, received) = tokio::join!(forth, receive_all(&mut host));
    assert_eq!(sent, received);
    let back = send_all(&host, dial.new_connection.unwrap(), 2, 3_000_000);
    let (sent, received) = tokio::join!(back, receive_all(&mut client));
    assert_eq!(sent, received);
    drop(client);
    host.finds(|message, _| {
        matches!(message, portcullis_wire::edge::EdgeMessage::StateClosed(_)).then_some(())
    })
    .await;
    assert_eq!(world.edge.clients(), 1);
}

#[tokio::test]
async fn each_listener_has_its_own_time_for_circuits() {
    let (world, _controller) = World::connected(&["alice", "bob"]).await;
    // It answers no dials, for which a host has longer.
    let _host = world.host("bob", false).await;
    let pair = world.network.identity("alice");
    let here = enter(&world, "alice", Some(&pair)).await.unwrap();
    let there = world.sdk("alice").await;
    let dial = dial_v2(1, SERVICE, false);
    let soon = WEB_CIRCUIT_TIME + Duration::from_secs(1);
    let here = timeout(soon, here.dials(dial.clone()));
    let there = timeout(soon, there.dials(dial));
    let (here, there) = tokio::join!(here, there);
    let refused = here.expect("an answer in time").unwrap_err();
    assert_eq!(
        refused.reason,
        "timed out waiting for the controller to create the circuit"
    );
    assert!(there.is_err(), "{there:?}");
}

#[tokio::test]
async fn sdk_shows_its_certificate_within_the_socket() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let refused = enter(&world, "alice", None).await.map(drop).unwrap_err();
    assert!(matches!(refused, DialError::Rejected { .. }), "{refused:?}");
}

#[tokio::test]
async fn nothing_else_is_served_there() {
    let (world, _controller) = World::connected(&["alice"]).await;
    let refused = open(&world, "/", &[]).await.map(drop).unwrap_err();
    let tungstenite::Error::Http(answer) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(answer.status(), 404);
    assert!(open(&world, "/ws", &[]).await.is_ok(), "ALPN is not needed");
    assert!(open(&world, "/ws", &["h2", "http/1.1"]).await.is_ok());
}

/// Half a message, of which the router would have to keep as much, whoever sent it.
#[tokio::test]
async fn who_is_not_admitted_sends_no_more_than_a_hello_takes() {
    /// Of a binary message of 1 MiB, with a mask of zeros.
    const FRAME_HEAD: [u8; 14] = [0x82, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 0, 0, 0, 0];
    /// Much shorter than the time that a handshake has.
    const SOON: Duration = Duration::from_secs(5);

    let (world, _controller) = World::connected(&["alice"]).await;
    let stream = connect(world.web_address, &world.network, None, &[])
        .await
        .unwrap();
    let (mut socket, _) = client_async("wss://localhost/ws", stream).await.unwrap();
    let stream = socket.get_mut();
    let ended = async {
        let head = stream.write_all(&FRAME_HEAD).await;
        let body = stream.write_all(&vec![0; 512 * 1024]).await;
        let read = stream.read(&mut [0; 1]).await;
        head.and(body).and(read)
    };
    let ended = timeout(SOON, ended).await.unwrap();
    assert!(matches!(ended, Ok(0) | Err(_)), "{ended:?}");
}
