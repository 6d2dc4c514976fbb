//! Datagrams through a port to a server.

use crate::support::{
    PORT, TestTunnel, at, datagram_echo_server, eventually, free_port, host, in_time, intercepting,
    own_address, proxy, service,
};
use portcullis_datagram_flows::FlowOptions;
use portcullis_tunnel::TunnelOptions;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::{sleep, timeout};

async fn tunnel(options: TunnelOptions, port: u16) -> TestTunnel {
    let server = datagram_echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), options);
    tunnel
        .set(service("names", &[proxy("udp", port), host("udp", server)]))
        .await;
    tunnel.hosted("names").await;
    tunnel
}

/// A client whose socket takes datagrams from this address only.
async fn client(port: SocketAddr) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    socket.connect(port).await.expect("connected");
    socket
}

/// Sends until there is an answer: the port may be opened in a moment.
async fn first_answer(client: &UdpSocket) {
    let mut buffer = [0; 16];
    in_time(async {
        loop {
            let _not_yet = client.send(FIRST).await;
            let answer = timeout(Duration::from_millis(50), client.recv(&mut buffer));
            if let Ok(Ok(_)) = answer.await {
                return;
            }
        }
    })
    .await;
}

/// What is sent more than once, and may come back so at any time later.
const FIRST: &[u8] = b"first";

async fn echo(client: &UdpSocket, datagram: &[u8]) {
    client.send(datagram).await.expect("sent");
    let mut buffer = vec![0; 65_535];
    let length = in_time(async {
        loop {
            let length = client.recv(&mut buffer).await.expect("an answer");
            if buffer[..length] != *FIRST {
                return length;
            }
        }
    })
    .await;
    assert!(buffer[..length] == *datagram, "{length}");
}

#[tokio::test]
async fn datagrams_stay_whole_and_clients_apart() {
    let address = own_address();
    let tunnel = tunnel(at(address), PORT).await;
    let port = (address, PORT).into();
    first_answer(&client(port).await).await;
    let mut clients = Vec::new();
    for _ in 0..50 {
        clients.push(client(port).await);
    }
    for length in [0, 1, 1_000, 1_473, 9_000, 65_507] {
        for (number, client) in (0..).zip(&clients) {
            echo(client, &vec![number; length]).await;
        }
    }
    assert_eq!(tunnel.network.open_circuits(), 51);
    tunnel.stop().await;
}

#[tokio::test]
async fn datagrams_come_back_from_where_they_were_sent_to() {
    // All addresses of the machine.
    let port = free_port().await;
    let tunnel = tunnel(at(Ipv4Addr::UNSPECIFIED.into()), port).await;
    let mut locals = BTreeSet::new();
    for last in 1..=3 {
        let address = IpAddr::from([127, 0, 0, last]);
        let client = client((address, port).into()).await;
        first_answer(&client).await;
        locals.insert(address);
    }
    let dials = tunnel.network.dials();
    let dialed: BTreeSet<_> = dials.iter().map(|dial| dial.local.ip()).collect();
    assert_eq!(dialed, locals);
    tunnel.stop().await;
}

#[tokio::test]
async fn idle_flows_end_and_begin_again() {
    let address = own_address();
    let options = TunnelOptions {
        flows: FlowOptions {
            idle_timeout: Duration::from_millis(500),
            ..FlowOptions::default()
        },
        ..at(address)
    };
    let tunnel = tunnel(options, PORT).await;
    let client = client((address, PORT).into()).await;
    first_answer(&client).await;
    let dialed = tunnel.network.dials().len();
    eventually(|| tunnel.network.open_circuits() == 0).await;
    first_answer(&client).await;
    assert!(tunnel.network.dials().len() > dialed);
    tunnel.stop().await;
}

#[tokio::test]
async fn a_dial_that_fails_is_not_repeated_for_each_datagram() {
    let address = own_address();
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let mut nobody_hosts = service("names", &[proxy("udp", PORT)]);
    nobody_hosts.may_host = false;
    tunnel.set(nobody_hosts).await;
    let client = client((address, PORT).into()).await;
    in_time(async {
        while tunnel.network.dials().is_empty() {
            let _not_yet = client.send(b"hello").await;
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    for _ in 0..100 {
        client.send(b"hello").await.expect("sent");
    }
    sleep(Duration::from_millis(50)).await;
    // The pause is a second, and the machine may be slow.
    assert!(tunnel.network.dials().len() <= 3);
    tunnel.stop().await;
}

#[tokio::test]
async fn flows_go_on_when_the_port_is_closed() {
    let address = own_address();
    let tunnel = tunnel(at(address), PORT).await;
    let port = (address, PORT).into();
    let (old, new) = (client(port).await, client(port).await);
    first_answer(&old).await;
    let server = datagram_echo_server().await;
    tunnel.set(service("names", &[host("udp", server)])).await;
    // The port is closed once a new client causes no dial, although the one after it may have been seen.
    in_time(async {
        loop {
            let dials = tunnel.network.dials().len();
            client(port).await.send(b"hello").await.expect("sent");
            // What comes later through the same socket comes back later.
            echo(&old, b"a later one").await;
            if tunnel.network.dials().len() == dials {
                return;
            }
        }
    })
    .await;
    echo(&old, b"still here").await;

    // Another service gets the number: flows of the one before end.
    tunnel
        .set(service("time", &[proxy("udp", PORT), host("udp", server)]))
        .await;
    first_answer(&new).await;
    let last = tunnel.network.dials().pop().expect("a dial");
    assert_eq!(last.dial.service_name.as_ref(), "time");
    tunnel.stop().await;
}
