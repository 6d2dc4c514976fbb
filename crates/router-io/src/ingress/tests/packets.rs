//! `transport_udp` and `proxy_udp`.

use std::time::Duration;

use tokio::net::UdpSocket;
use tokio::time::timeout;

use super::{PATIENCE, World};

const PROXY: &str = "{binding: proxy_udp, address: 'udp:127.0.0.1:0', service: echo}";
const TRANSPORT: &str = "{binding: transport_udp, address: 'udp:127.0.0.1:0'}";

/// A client of a listener.
struct Client(UdpSocket);

impl Client {
    async fn of(world: &World) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.connect(world.address()).await.unwrap();
        Self(socket)
    }

    async fn send(&self, text: &str) {
        self.0.send(text.as_bytes()).await.unwrap();
    }

    async fn receive(&self) -> String {
        let mut datagram = [0; 1024];
        let receiving = self.0.recv(&mut datagram);
        let length = timeout(PATIENCE, receiving).await.unwrap().unwrap();
        String::from_utf8(datagram[..length].to_vec()).unwrap()
    }
}

#[tokio::test]
async fn each_source_has_a_circuit_of_its_own() {
    let world = World::new(PROXY).await;
    let (one, other) = (Client::of(&world).await, Client::of(&world).await);
    for round in 0..3 {
        for (client, name) in [(&one, "one"), (&other, "other")] {
            let said = format!("{name} {round}");
            client.send(&said).await;
            assert_eq!(client.receive().await, said);
        }
    }
    assert_eq!(world.requests().len(), 2);
}

/// Time is virtual: a source that is silent for a minute is forgotten, and has a new circuit later.
#[tokio::test]
async fn silent_sources_are_forgotten() {
    let world = World::new(PROXY).await;
    let client = Client::of(&world).await;
    client.send("before").await;
    assert_eq!(client.receive().await, "before");
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(61)).await;
    tokio::time::resume();
    let deadline = std::time::Instant::now() + PATIENCE;
    while world.router.relay.find("near-1").is_some() {
        assert!(std::time::Instant::now() < deadline, "the circuit stays");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    client.send("after").await;
    assert_eq!(client.receive().await, "after");
    assert_eq!(world.requests().len(), 2);
}

#[tokio::test]
async fn first_datagram_says_which_service_is_meant() {
    let world = World::new(TRANSPORT).await;
    let client = Client::of(&world).await;
    client.send("{\"svcId\":\"echo\"}").await;
    let answer = client.receive().await;
    assert_eq!(
        answer,
        "{\"scc\":true,\"msg\":\"\",\"circuitId\":\"circuit-1\"}\n"
    );
    client.send("hello").await;
    assert_eq!(client.receive().await, "hello");
    assert_eq!(world.requests(), [(String::new(), "echo".to_owned())]);
}

#[tokio::test]
async fn refusals_are_answered() {
    let world = World::new(TRANSPORT).await;
    let client = Client::of(&world).await;
    client.send("hello").await;
    let answer = client.receive().await;
    assert!(answer.contains("the first line is not JSON"), "{answer}");
    client.send("{\"svcId\":\"other\"}").await;
    let answer = client.receive().await;
    assert!(answer.contains("there is no service other"), "{answer}");
}

/// Not each datagram of a source that is refused asks for a circuit.
#[tokio::test]
async fn refused_sources_ask_once() {
    let world = World::new(&PROXY.replace("echo", "other")).await;
    let client = Client::of(&world).await;
    for _ in 0..20 {
        client.send("hello").await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(world.requests().len(), 1);
}
