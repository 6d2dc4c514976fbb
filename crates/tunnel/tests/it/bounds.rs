//! What many clients can take.

use crate::support::{
    PATIENCE, PORT, TestTunnel, at, connect, datagram_echo_server, echo, echo_server, eventually,
    host, in_time, intercepting, own_address, proxy, reset, service,
};
use bytes::Bytes;
use portcullis_datagram_flows::{FlowKey, FlowOptions};
use portcullis_tunnel::TunnelOptions;
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

#[tokio::test]
async fn idle_clients_have_so_many_places() {
    let address = own_address();
    let options = TunnelOptions {
        max_streams_of_port: 100,
        max_streams_of_client: 100,
        ..at(address)
    };
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), options);
    tunnel
        .set(service("wiki", &[proxy("tcp", PORT), host("tcp", server)]))
        .await;
    tunnel.hosted("wiki").await;
    let mut clients = vec![connect((address, PORT).into()).await];
    for _ in 1..300 {
        clients.push(
            in_time(TcpStream::connect((address, PORT)))
                .await
                .expect("connected"),
        );
    }
    eventually(|| tunnel.network.dials().len() == 100).await;
    echo(&mut clients[0], "served").await;
    sleep(Duration::from_millis(50)).await;
    assert_eq!(tunnel.network.dials().len(), 100);

    // The others come when there are places.
    drop(clients.drain(..250));
    for client in &mut clients {
        echo(client, "served at last").await;
    }
    tunnel.stop().await;
}

#[tokio::test]
async fn no_client_takes_the_places_of_others() {
    let address = own_address();
    let options = TunnelOptions {
        max_streams_of_port: 10,
        max_streams_of_client: 5,
        ..at(address)
    };
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), options);
    tunnel
        .set(service("wiki", &[proxy("tcp", PORT), host("tcp", server)]))
        .await;
    tunnel.hosted("wiki").await;
    let port: SocketAddr = (address, PORT).into();
    let mut greedy = Vec::new();
    for _ in 0..5 {
        let mut client = connect(port).await;
        echo(&mut client, "mine").await;
        greedy.push(client);
    }
    let mut refused = connect(port).await;
    reset(&mut refused).await;

    let socket = TcpSocket::new_v4().expect("a socket");
    socket.bind((own_address(), 0).into()).expect("bound");
    let mut other = in_time(socket.connect(port)).await.expect("connected");
    echo(&mut other, "mine, too").await;
    tunnel.stop().await;
}

#[tokio::test]
async fn ten_thousand_flows_take_the_room_of_a_few() {
    let options = TunnelOptions {
        flows: FlowOptions {
            max_flows: 256,
            max_flows_of_client: 256,
            ..FlowOptions::default()
        },
        max_flow_dials: 64,
        ..TunnelOptions::default()
    };
    let server = datagram_echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), options);
    let intercept = json!({
        "protocols": ["udp"],
        "addresses": ["192.0.2.0/24"],
        "portRanges": [{"low": 53, "high": 53}],
    });
    tunnel
        .set(service(
            "names",
            &[("intercept.v1", intercept), host("udp", server)],
        ))
        .await;
    tunnel.hosted("names").await;
    let (sender, mut replied) = tunnel.intercept_datagrams();
    let key = |port| FlowKey {
        client: ([10, 0, 0, 1], port).into(),
        destination: ([192, 0, 2, 1], 53).into(),
    };
    for port in 1..=10_000 {
        sender
            .send((key(port), Bytes::from_static(b"?")))
            .await
            .expect("sent");
    }
    eventually(|| tunnel.network.open_circuits() > 0).await;
    // Those that are displaced close a moment after the next ones have opened.
    assert!(tunnel.network.most_circuits() <= 256 + 64 + 64);

    // The last one is as well off as the only one.
    let last = key(20_000);
    let answered = async {
        loop {
            sender
                .send((last, Bytes::from_static(b"!")))
                .await
                .expect("sent");
            let reply = timeout(Duration::from_millis(50), async {
                while let Some((key, datagram)) = replied.recv().await {
                    if key == last {
                        return Some(datagram);
                    }
                }
                None
            });
            if let Ok(Some(datagram)) = reply.await {
                return datagram;
            }
        }
    };
    assert_eq!(timeout(PATIENCE, answered).await.expect("an answer"), "!");
    tunnel.stop().await;
}
