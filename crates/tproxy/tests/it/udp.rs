//! Datagrams.

use crate::command::beside;
use crate::echo::{self, options, options_of_gateway};
use crate::lan::{Lan, send_datagram};
use crate::namespace::isolated;
use portcullis_tproxy::Interceptor;
use std::convert::Infallible;
use std::io;
use tokio::net::UdpSocket;
use tokio::time::timeout;

/// The least, one packet, fragments, and the longest that the loopback interface carries in one packet of IPv6; the
/// longest of IPv4 is 65507.
const LENGTHS: [usize; 4] = [1, 1_400, 20_000, 65_488];

#[test]
fn datagrams_of_this_machine_are_answered_from_their_destination() {
    isolated(
        "udp::datagrams_of_this_machine_are_answered_from_their_destination",
        || async {
            let _lan = Lan::new();
            let rules = [
                "udp 10.99.0.0/16 53-60",
                "udp fd99::/64 53",
                "udp 100.64.0.0/10 1-65535",
            ];
            let interceptor = echo::start(options(), &rules).await;
            for (address, expected) in [
                ("10.99.1.2:53", "same 10.99.1.2 53\n"),
                ("[fd99::7]:53", "same fd99::7 53\n"),
                ("100.64.0.2:7", "same 100.64.0.2 7\n"),
            ] {
                for length in LENGTHS {
                    let answer = beside(move || send_datagram(address, length)).await;
                    assert_eq!(answer, expected, "{address}, {length} bytes");
                }
            }
            interceptor.stop().await;
        },
    );
}

#[test]
fn datagrams_of_others_are_answered_from_their_destination() {
    isolated(
        "udp::datagrams_of_others_are_answered_from_their_destination",
        || async {
            let lan = Lan::new();
            let rules = ["udp 10.0.0.0/8 1-65535", "udp fd64::/64 1-65535"];
            let interceptor = echo::start(options_of_gateway(), &rules).await;
            for (address, expected) in [
                ("10.1.2.3:53", "same 10.1.2.3 53\n"),
                ("[fd64::7]:5000", "same fd64::7 5000\n"),
            ] {
                for length in LENGTHS {
                    let answer = tokio::task::block_in_place(|| lan.send(address, length));
                    assert_eq!(answer, expected, "{address}, {length} bytes");
                }
            }
            interceptor.stop().await;
        },
    );
}

#[test]
fn answers_of_other_servers_reach_their_clients() {
    isolated(
        "udp::answers_of_other_servers_reach_their_clients",
        || async {
            let lan = Lan::new();
            let rules = ["udp 10.0.0.0/8 1-65535", "udp fd77::/64 1-65535"];
            let interceptor = echo::start(options_of_gateway(), &rules).await;
            for (address, expected) in [
                ("10.77.0.1:53", "same 10.77.0.1 53\n"),
                ("[fd77::1]:53", "same fd77::1 53\n"),
            ] {
                let server = UdpSocket::bind(address).await.expect("binds");
                tokio::spawn(echo_of(server));
                let answer = tokio::task::block_in_place(|| lan.send(address, 100));
                assert_eq!(answer, expected);
            }
            interceptor.stop().await;
        },
    );
}

#[test]
fn a_client_that_was_sent_to_first_is_intercepted() {
    let test = "udp::a_client_that_was_sent_to_first_is_intercepted";
    isolated(test, || async {
        let (interceptor, intercepted) = Interceptor::start(options()).await.expect("starts");
        let rules = echo::added(&["udp 100.64.0.0/10 1-65535"]);
        interceptor.apply(rules).await.expect("is applied");
        let client = UdpSocket::bind("127.0.0.1:0").await.expect("binds");
        let client_address = client.local_addr().expect("an address");
        let server = "100.64.0.2:9".parse().expect("an address");
        // So it is for connection tracking when a flow was idle for longer than that remembers it.
        let sent = intercepted.datagrams.send(server, client_address, b"first");
        sent.expect("is sent");
        let mut buffer = [0; 16];
        let received = timeout(echo::LIMIT, client.recv_from(&mut buffer)).await;
        assert_eq!(received.expect("in time").expect("works"), (5, server));
        client.send_to(b"second", server).await.expect("is sent");
        let received = timeout(echo::LIMIT, intercepted.datagrams.receive(&mut buffer)).await;
        let received = received.expect("in time");
        assert_eq!(
            (received.source, received.destination),
            (client_address, server)
        );
        assert_eq!(&buffer[..received.length], b"second");
        interceptor.stop().await;
    });
}

async fn echo_of(server: UdpSocket) -> io::Result<Infallible> {
    let mut buffer = [0; 2_000];
    loop {
        let (length, client) = server.recv_from(&mut buffer).await?;
        server.send_to(&buffer[..length], client).await?;
    }
}

#[test]
fn many_destinations_are_answered() {
    isolated("udp::many_destinations_are_answered", || async {
        let interceptor = echo::start(options(), &["udp 100.64.0.0/10 1-65535"]).await;
        let client = UdpSocket::bind("0.0.0.0:0").await.expect("binds");
        let mut buffer = [0; 16];
        // More than sockets are kept.
        for round in 0..2_000_u32 {
            let destination = std::net::SocketAddr::from(((0x6440_0002 + round).to_be_bytes(), 9));
            client
                .send_to(b"hello", destination)
                .await
                .expect("is sent");
            let received = timeout(echo::LIMIT, client.recv_from(&mut buffer)).await;
            let (length, source) = received.expect("in time").expect("works");
            assert_eq!((&buffer[..length], source), (&b"hello"[..], destination));
        }
        interceptor.stop().await;
    });
}
