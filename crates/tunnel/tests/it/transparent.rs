//! A tunnel whose connections the kernel intercepts.

use crate::namespace::{add_route, isolated, ruleset};
use crate::network::MemoryNetwork;
use crate::support::{
    TestTunnel, connect, datagram_echo_server, echo, echo_server, in_time, intercepting, service,
};
use portcullis_name_server::NameServerOptions;
use portcullis_system::SystemEntropy;
use portcullis_tproxy::{Instance, InterceptorOptions};
use portcullis_tunnel::{TransparentOptions, Tunnel, TunnelOptions};
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::Service;
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc;
use tokio::time::timeout;

const NAME_SERVER: &str = "127.0.0.1:53";

async fn start() -> TestTunnel {
    let network = MemoryNetwork::default();
    let (changes, inbox) = mpsc::channel(16);
    let options = TunnelOptions {
        settle_delay: Duration::ZERO,
        ..TunnelOptions::default()
    };
    let identity = TunnelerIdentity::default();
    let (tunnel, runner) = Tunnel::new(network.clone(), identity, intercepting(), options, inbox);
    let instance: Instance = "test".parse().expect("a name");
    let options = TransparentOptions {
        interceptor: InterceptorOptions::new(instance),
        name_server_addresses: vec![NAME_SERVER.parse().expect("an address")],
        is_name_server_required: true,
        name_server: NameServerOptions::default(),
    };
    let runner = runner.with_transparent_proxy(options, Arc::new(SystemEntropy));
    let runner = runner.await.expect("the kernel can do it");
    TestTunnel::run(network, tunnel, changes, runner)
}

/// A service whose connections go to `server`, wherever they were to go.
fn intercepted(
    protocol: &str,
    address: &str,
    server: SocketAddr,
    more: &[(&str, Value)],
) -> Service {
    let mut intercept = json!({
        "protocols": [protocol],
        "addresses": [address],
        "portRanges": [{"low": 443, "high": 443}],
    });
    let mut host = json!({
        "protocol": protocol,
        "address": server.ip().to_string(),
        "port": server.port(),
    });
    for (key, value) in more {
        let config = if *key == "sourceIp" {
            &mut intercept
        } else {
            &mut host
        };
        config[*key] = value.clone();
    }
    service(address, &[("intercept.v1", intercept), ("host.v1", host)])
}

/// Asks the name server until it knows `wiki.corp`.
async fn resolve() -> IpAddr {
    let query =
        b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04wiki\x04corp\x00\x00\x01\x00\x01";
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    socket.connect(NAME_SERVER).await.expect("connected");
    let mut answer = [0; 512];
    in_time(async {
        loop {
            socket.send(query).await.expect("sent");
            let length = socket.recv(&mut answer).await.expect("an answer");
            let octets: [u8; 4] = *answer[..length].last_chunk().expect("long enough");
            let address = Ipv4Addr::from(octets);
            if address.octets()[0] == 100 {
                return address.into();
            }
        }
    })
    .await
}

#[test]
fn programs_reach_services_by_addresses_and_names() {
    let test = "transparent::programs_reach_services_by_addresses_and_names";
    isolated(test, || async {
        let tunnel = start().await;
        let server = echo_server().await;
        tunnel
            .set(intercepted("tcp", "192.0.2.0/24", server, &[]))
            .await;
        tunnel
            .set(intercepted("tcp", "wiki.corp", server, &[]))
            .await;
        tunnel.hosted("wiki.corp").await;
        let by_address = ([192, 0, 2, 7], 443).into();
        echo(&mut connect(by_address).await, "by address").await;
        let by_name = (resolve().await, 443).into();
        echo(&mut connect(by_name).await, "by name").await;
        let dial = tunnel.network.dials().pop().expect("a dial").dial;
        assert_eq!(dial.app_data.hostname.as_deref(), Some("wiki.corp"));

        tunnel.stop().await;
        assert_eq!(ruleset(), "");
        let gone = timeout(Duration::from_millis(100), TcpStream::connect(by_address));
        assert!(!matches!(gone.await, Ok(Ok(_))));
    });
}

#[test]
fn datagrams_come_back_from_where_they_were_sent_to() {
    let test = "transparent::datagrams_come_back_from_where_they_were_sent_to";
    isolated(test, || async {
        let tunnel = start().await;
        let server = datagram_echo_server().await;
        tunnel
            .set(intercepted("udp", "192.0.2.0/24", server, &[]))
            .await;
        tunnel.hosted("192.0.2.0/24").await;
        for last in 1..=3 {
            let client = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
            let destination: SocketAddr = ([192, 0, 2, last], 443).into();
            let mut buffer = [0; 16];
            in_time(async {
                loop {
                    let _not_yet = client.send_to(b"hello", destination).await;
                    let answer = client.recv_from(&mut buffer);
                    if let Ok(Ok((_, from))) = timeout(Duration::from_millis(50), answer).await {
                        assert_eq!(from, destination);
                        return;
                    }
                }
            })
            .await;
        }
        tunnel.stop().await;
    });
}

#[test]
fn a_server_sees_a_source_address_that_is_not_here() {
    let test = "transparent::a_server_sees_a_source_address_that_is_not_here";
    isolated(test, || async {
        add_route("198.51.100.0/24");
        let tunnel = start().await;
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let server = listener.local_addr().expect("an address");
        let sources = [
            ("sourceIp", json!("198.51.100.7")),
            ("allowedSourceAddresses", json!(["198.51.100.0/24"])),
        ];
        tunnel
            .set(intercepted("tcp", "192.0.2.0/24", server, &sources))
            .await;
        tunnel.hosted("192.0.2.0/24").await;
        let mut client = connect(([192, 0, 2, 7], 443).into()).await;
        let (mut stream, peer) = in_time(listener.accept()).await.expect("a connection");
        assert_eq!(peer.ip().to_string(), "198.51.100.7");
        tokio::spawn(async move {
            let (mut reader, mut writer) = stream.split();
            tokio::io::copy(&mut reader, &mut writer).await
        });
        echo(&mut client, "both ways").await;
        tunnel.stop().await;
    });
}
