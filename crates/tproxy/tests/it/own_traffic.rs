//! What a tunneler sends itself, and addresses of others that it has.

use crate::command::{beside, sh};
use crate::echo::{self, Connection, LIMIT, greeting, instance, options};
use crate::lan::Lan;
use crate::namespace::isolated;
use portcullis_tproxy::{
    InterceptedConnections, Interceptor, LocalNetworks, bind_datagrams, connect_from, exempt,
};
use socket2::SockRef;
use std::net::SocketAddr;
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpSocket, UdpSocket};
use tokio::time::timeout;

fn address(text: &str) -> SocketAddr {
    text.parse().expect("an address")
}

#[test]
fn own_sockets_are_not_intercepted() {
    isolated("own_traffic::own_sockets_are_not_intercepted", || async {
        let mut lan = Lan::new();
        lan.serve("10.99.0.1:80");
        let rules = ["tcp 0.0.0.0/0 1-65535", "udp 0.0.0.0/0 1-65535"];
        let interceptor = echo::start(options(), &rules).await;
        assert!(greeting("10.99.0.1:80").await.starts_with("intercepted "));

        let socket = TcpSocket::new_v4().expect("a socket");
        exempt(&socket, instance("test").own_mark()).expect("is exempt");
        let stream = socket
            .connect(address("10.99.0.1:80"))
            .await
            .expect("connects");
        let (mut connection, line) = Connection::greeted(stream).await.expect("a line");
        assert_eq!(line, "from 10.77.0.1");
        assert_eq!(
            connection.ask("hello").await.expect("a line"),
            "direct hello"
        );

        let socket = UdpSocket::bind("0.0.0.0:0").await.expect("binds");
        exempt(&socket, instance("test").own_mark()).expect("is exempt");
        socket
            .connect(address("10.99.0.1:9"))
            .await
            .expect("connects");
        socket.send(b"nobody is there").await.expect("is sent");
        let refused = timeout(LIMIT, socket.recv(&mut [0; 16]))
            .await
            .expect("in time");
        let refused = refused.expect_err("the other machine says so");
        assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
        interceptor.stop().await;
    });
}

#[test]
fn servers_are_reached_from_addresses_of_others() {
    isolated(
        "own_traffic::servers_are_reached_from_addresses_of_others",
        || async {
            let mut lan = Lan::new();
            lan.serve("10.99.0.1:80");
            lan.serve("[fd99::1]:80");
            let own = instance("test");
            let interceptor = echo::start(options(), &["udp 192.0.2.0/24 1-65535"]).await;
            let local = TcpListener::bind("10.77.0.1:0").await.expect("listens");
            let local_address = local.local_addr().expect("an address").to_string();
            tokio::spawn(async move {
                let (mut stream, client) = local.accept().await.expect("accepts");
                let line = format!("from {}\n", client.ip());
                stream.write_all(line.as_bytes()).await.expect("writes");
            });
            for (source, server, expected) in [
                ("192.0.2.7:0", "10.99.0.1:80", "from 192.0.2.7"),
                ("192.0.2.9:4000", "10.99.0.1:80", "from 192.0.2.9"),
                ("[fd64::9]:0", "[fd99::1]:80", "from fd64::9"),
                ("192.0.2.7:0", local_address.as_str(), "from 192.0.2.7"),
            ] {
                let connecting = connect_from(address(source), address(server), own.own_mark());
                let stream = timeout(LIMIT, connecting)
                    .await
                    .expect("in time")
                    .expect("connects");
                let local = stream.local_addr().expect("an address");
                assert_eq!(local.ip(), address(source).ip());
                let (_, line) = Connection::greeted(stream).await.expect("a line");
                assert_eq!(line, expected);
            }
            let datagrams = bind_datagrams(address("192.0.2.8:0"), own.own_mark()).expect("binds");
            datagrams
                .connect(address("10.99.0.1:9"))
                .await
                .expect("connects");
            datagrams.send(b"nobody is there").await.expect("is sent");
            let refused = timeout(LIMIT, datagrams.recv(&mut [0; 16]))
                .await
                .expect("in time");
            refused.expect_err("the answer comes back");
            interceptor.stop().await;
        },
    );
}

#[test]
fn a_foreign_source_address_stays_where_it_is() {
    isolated(
        "own_traffic::a_foreign_source_address_stays_where_it_is",
        || async {
            let mut lan = Lan::new();
            lan.serve("10.99.0.1:80");
            lan.serve("10.99.0.1:81");
            let interceptor = echo::start(options(), &[]).await;
            // The address of the server itself, of which another machine would have no use.
            let (source, server) = (address("10.99.0.9:4000"), address("10.99.0.1:80"));
            let own_mark = instance("test").own_mark();
            lan.serve("10.99.0.9:80");
            let datagrams = bind_datagrams(source, own_mark).expect("binds");
            datagrams.connect(server).await.expect("connects");
            let connecting = connect_from(source, server, own_mark);
            // It gets no answer, as the other machine has the address itself.
            let connecting = tokio::spawn(timeout(LIMIT, connecting));
            for address in ["10.99.0.9:80", "10.99.0.1:80", "10.99.0.1:81"] {
                assert_eq!(greeting(address).await, "from 10.77.0.1");
            }
            connecting.abort();
            interceptor.stop().await;
        },
    );
}

#[test]
fn networks_are_local_as_often_as_they_were_added() {
    isolated(
        "own_traffic::networks_are_local_as_often_as_they_were_added",
        || async {
            let own = instance("test");
            let networks = LocalNetworks::start(&own).await.expect("starts");
            for network in ["192.0.2.0/24", "fd64::/64", "192.0.2.0/24"] {
                networks
                    .add(network.parse().expect("a network"))
                    .await
                    .expect("is added");
            }
            let table = format!("{}", 3 + (own.own_mark() - 2));
            let routes = || sh(&format!("ip route show table {table} 2>/dev/null || true"));
            let network = "192.0.2.0/24".parse().expect("a network");
            networks.remove(network).await.expect("is removed");
            assert!(routes().contains("192.0.2.0/24"), "it was added twice");
            networks.remove(network).await.expect("is removed");
            assert!(!routes().contains("192.0.2.0/24"), "{}", routes());
            networks.stop().await;
            assert!(!sh("ip rule; ip -6 rule").contains(&table));
        },
    );
}

/// Passes connections on to where their clients wanted to.
async fn relay(connections: InterceptedConnections, own_mark: u32) {
    loop {
        let mut connection = connections.accept().await;
        let keepalive = SockRef::from(&connection.stream).keepalive();
        assert!(keepalive.expect("is known"), "clients may vanish");
        tokio::spawn(async move {
            let socket = TcpSocket::new_v4()?;
            exempt(&socket, own_mark)?;
            let mut server = socket.connect(connection.destination).await?;
            tokio::io::copy_bidirectional(&mut connection.stream, &mut server).await
        });
    }
}

#[test]
fn iperf3_is_relayed() {
    isolated("own_traffic::iperf3_is_relayed", || async {
        let mut lan = Lan::new();
        lan.start(&["sh", "-c", "iperf3 -s -1 -p 5201 --forceflush"]);
        let (interceptor, intercepted) = Interceptor::start(options()).await.expect("starts");
        tokio::spawn(relay(intercepted.connections, instance("test").own_mark()));
        let rules = echo::added(&["tcp 10.99.0.0/16 5201"]);
        interceptor.apply(rules).await.expect("is applied");
        let report = beside(|| sh("iperf3 -c 10.99.0.1 -p 5201 -n 64M -P 4 -J")).await;
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        assert_eq!(
            report["end"]["sum_sent"]["bytes"],
            4 * 64 * 1024 * 1024 / 4,
            "{report}"
        );
        interceptor.stop().await;
    });
}
