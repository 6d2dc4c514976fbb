//! Circuits between a port and a server.

use std::net::SocketAddr;
use std::time::Duration;

use portcullis_router::edge::CircuitId;
use portcullis_tunnel_config::{AppData, Protocol};
use portcullis_wire::control::data_model::RelatedEntity;
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::peer_data::{
    APP_DATA, INITIATOR_LOCAL_ADDRESS, INITIATOR_REMOTE_ADDRESS, PUBLIC_KEY, PeerData,
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, UdpSocket};
use tokio::time::{Instant, timeout};

use super::world::{
    ENCRYPTED, PATIENCE, PLAIN, World, creation, echo_datagrams, echo_server, read_all, relation,
};
use crate::routes::{DialFailure, DialRequest};

/// Both services, with an echo behind them.
async fn echoing() -> World {
    let world = World::start(Protocol::Tcp, echo_server().await).await;
    for service in [PLAIN, ENCRYPTED] {
        world.controller.until_hosted(service).await;
    }
    world
}

/// Dials a terminator, as a route does.
async fn dial(world: &World, terminator: &str) -> Result<PeerData, DialFailure> {
    let request = DialRequest {
        circuit: CircuitId::from("other"),
        attempt: 1,
        controller: crate::testing::controller_id(),
        address: "end".to_owned(),
        destination: terminator.to_owned(),
        peer_data: PeerData::new(),
        deadline: Instant::now() + PATIENCE,
    };
    world.tunnel.dialer().dial(request).await
}

#[tokio::test]
async fn streams_are_carried_until_both_ends_are_over() {
    let world = echoing().await;
    for service in [PLAIN, ENCRYPTED] {
        let client = world.connect(service).await;
        let sent: Vec<u8> = (0..1 << 20u32)
            .map(|number: u32| number.to_be_bytes()[2])
            .collect();
        let mut expected = sent.clone();
        expected.extend_from_slice(b"end");
        let (mut reader, mut writer) = client.into_split();
        let writing = tokio::spawn(async move {
            writer.write_all(&sent).await.unwrap();
            writer.shutdown().await.unwrap();
            writer
        });
        let mut received = Vec::new();
        let reading = reader.read_to_end(&mut received);
        timeout(PATIENCE, reading).await.unwrap().unwrap();
        assert!(received == expected, "{service}: {} bytes", received.len());
        writing.await.unwrap();
    }
    world.end().await;
}

#[tokio::test]
async fn controller_is_told_of_the_connection() {
    let world = echoing().await;
    let mut client = world.connect(ENCRYPTED).await;
    client.write_all(b"a").await.unwrap();
    client.read_exact(&mut [0]).await.unwrap();
    let dials = world.controller.dials();
    let [dial] = &dials[..] else {
        panic!("{dials:?}");
    };
    assert_eq!(dial.service_name, ENCRYPTED);
    let text = |number| {
        let value = dial.peer_data.get(&number).unwrap();
        String::from_utf8(value.expose().to_vec()).unwrap()
    };
    let port = world.port(ENCRYPTED);
    assert_eq!(text(INITIATOR_LOCAL_ADDRESS), port.to_string());
    let source = client.local_addr().unwrap();
    assert_eq!(text(INITIATOR_REMOTE_ADDRESS), source.to_string());
    let data = AppData::decode(text(APP_DATA).as_bytes()).unwrap();
    assert_eq!(data.port, Some(port.port().to_string()));
    assert_eq!(dial.peer_data.get(&PUBLIC_KEY).unwrap().expose().len(), 32);
    world.end().await;
}

#[tokio::test]
async fn datagrams_stay_whole() {
    let world = World::start(Protocol::Udp, echo_datagrams().await).await;
    for service in [PLAIN, ENCRYPTED] {
        world.controller.until_hosted(service).await;
        let client = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        client.connect(world.port(service)).await.unwrap();
        let mut buffer = vec![0; 64 << 10];
        for size in [1, 1_400, 60_000] {
            let sent = vec![7; size];
            client.send(&sent).await.unwrap();
            let receiving = client.recv(&mut buffer);
            let length = timeout(PATIENCE, receiving).await.unwrap().unwrap();
            assert_eq!(&buffer[..length], sent, "{service}");
        }
    }
    world.end().await;
}

/// Within a second, whatever is under way.
#[tokio::test]
async fn access_that_ends_cuts_what_it_was_for() {
    for policy in ["dial", "bind"] {
        let world = echoing().await;
        let mut client = world.connect(PLAIN).await;
        client.write_all(b"a").await.unwrap();
        client.read_exact(&mut [0]).await.unwrap();
        let removal = relation(policy, RelatedEntity::Service, &[PLAIN], false);
        let start = Instant::now();
        world.controller.change(vec![creation(removal)]);
        let rest = read_all(&mut client).await;
        assert!(rest.is_err() || rest.unwrap().is_empty());
        assert!(start.elapsed() < Duration::from_secs(1), "{policy}");
        if policy == "bind" {
            world
                .controller
                .until(|controller| controller.terminators(PLAIN).is_empty())
                .await;
        }
        assert_eq!(world.controller.terminators(ENCRYPTED).len(), 1);
        world.end().await;
    }
}

#[tokio::test]
async fn server_that_is_not_there_closes_the_connection() {
    let gone: SocketAddr = {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        listener.local_addr().unwrap()
    };
    let world = World::start(Protocol::Tcp, gone).await;
    world.controller.until_hosted(PLAIN).await;
    let terminator = &world.controller.terminators(PLAIN)[0];
    let failure = dial(&world, terminator).await.unwrap_err();
    assert_eq!(failure.failure, RouteFailure::ConnectionRefused);
    let mut client = world.connect(PLAIN).await;
    let rest = read_all(&mut client).await;
    assert!(rest.is_err() || rest.unwrap().is_empty());
    world.end().await;
}

#[tokio::test]
async fn encrypted_service_takes_nobody_without_a_key() {
    let world = echoing().await;
    let vault = &world.controller.terminators(ENCRYPTED)[0];
    let failure = dial(&world, vault).await.unwrap_err();
    assert_eq!(
        failure.reason,
        "the service is encrypted, and the dialing end gives no key for that"
    );
    let failure = dial(&world, "unknown").await.unwrap_err();
    assert_eq!(failure.failure, RouteFailure::InvalidTerminator);
    world.end().await;
}
