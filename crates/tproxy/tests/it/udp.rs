//! Datagrams.

use crate::command::beside;
use crate::echo::{self, options};
use crate::lan::{Lan, send_datagram};
use crate::namespace::isolated;

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
            let interceptor = echo::start(options(), &rules).await;
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
fn many_destinations_are_answered() {
    isolated("udp::many_destinations_are_answered", || async {
        let interceptor = echo::start(options(), &["udp 100.64.0.0/10 1-65535"]).await;
        let client = tokio::net::UdpSocket::bind("0.0.0.0:0")
            .await
            .expect("binds");
        let mut buffer = [0; 16];
        // More than sockets are kept.
        for round in 0..2_000_u32 {
            let destination = std::net::SocketAddr::from(((0x6440_0002 + round).to_be_bytes(), 9));
            client
                .send_to(b"hello", destination)
                .await
                .expect("is sent");
            let received = tokio::time::timeout(echo::LIMIT, client.recv_from(&mut buffer)).await;
            let (length, source) = received.expect("in time").expect("works");
            assert_eq!((&buffer[..length], source), (&b"hello"[..], destination));
        }
        interceptor.stop().await;
    });
}
