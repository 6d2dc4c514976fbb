//! Connections.

use crate::command::sh;
use crate::echo::{self, Connection, greeting, instance, options, options_of_gateway};
use crate::lan::Lan;
use crate::namespace::isolated;
use portcullis_tproxy::{Interceptor, LocalNetworks, NameSockets};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;

#[test]
fn connections_of_this_machine_are_intercepted() {
    isolated(
        "tcp::connections_of_this_machine_are_intercepted",
        || async {
            let mut lan = Lan::new();
            let rules = ["tcp 10.99.0.0/16 80-90", "tcp fd99::/64 80"];
            let interceptor = echo::start(options(), &rules).await;
            for (address, expected) in [
                ("10.99.1.2:80", "intercepted 10.77.0.1 to 10.99.1.2:80"),
                (
                    "10.99.255.254:90",
                    "intercepted 10.77.0.1 to 10.99.255.254:90",
                ),
                ("[fd99::7]:80", "intercepted fd77::1 to [fd99::7]:80"),
            ] {
                let (mut connection, greeting) = Connection::open(address).await.expect("connects");
                assert_eq!(greeting, expected);
                assert!(connection.is_echoed(3_000_000).await, "{address}");
            }
            for address in ["10.99.1.2:91", "[fd99::7]:81"] {
                lan.serve(address);
                let direct = greeting(address).await;
                assert!(direct.starts_with("from "), "{address}: {direct}");
            }
            interceptor.stop().await;
        },
    );
}

#[test]
fn connections_of_others_are_intercepted() {
    isolated("tcp::connections_of_others_are_intercepted", || async {
        let lan = Lan::new();
        let rules = [
            "tcp 100.64.0.0/10 1-65535",
            "tcp fd64::/64 443",
            "tcp 192.0.2.1 22 from 10.77.0.2",
        ];
        let interceptor = echo::start(options_of_gateway(), &rules).await;
        for (address, expected) in [
            (
                "100.64.0.2:22",
                "intercepted 10.77.0.2 to 100.64.0.2:22\nhello\n",
            ),
            (
                "[fd64::1]:443",
                "intercepted fd77::2 to [fd64::1]:443\nhello\n",
            ),
            (
                "192.0.2.1:22",
                "intercepted 10.77.0.2 to 192.0.2.1:22\nhello\n",
            ),
        ] {
            let answer = tokio::task::block_in_place(|| lan.connect(address));
            assert_eq!(answer, expected);
        }
        interceptor.stop().await;
    });
}

#[test]
fn neighbours_are_not_intercepted_unless_their_interface_is_named() {
    let test = "tcp::neighbours_are_not_intercepted_unless_their_interface_is_named";
    isolated(test, || async {
        let lan = Lan::new();
        let own = instance("test");
        let networks = LocalNetworks::start(&own).await.expect("starts");
        let interceptor = echo::start(options(), &["tcp 100.64.0.0/10 1-65535"]).await;
        let name_server = "100.64.0.1:5300".parse().expect("an address");
        let opening = NameSockets::open(name_server, &own, &interceptor, &networks);
        let _sockets = opening.await.expect("opens");
        for address in ["100.64.0.2:443", "100.64.0.1:5300"] {
            let line = attempt(address);
            let refused = tokio::task::block_in_place(|| lan.sh(&line));
            assert_ne!(refused, "connected\n", "{address}");
        }
        assert!(greeting("100.64.0.2:443").await.starts_with("intercepted "));
        // Queries by TCP are not intercepted.
        let connected = tokio::task::block_in_place(|| sh(&attempt("100.64.0.1:5300")));
        assert_eq!(connected, "connected\n");
        interceptor.stop().await;
        networks.stop().await;

        let networks = LocalNetworks::start(&own).await.expect("starts");
        let interceptor = echo::start(options_of_gateway(), &["tcp 100.64.0.0/10 1-65535"]).await;
        let name_server = "100.64.0.1:5301".parse().expect("an address");
        let opening = NameSockets::open(name_server, &own, &interceptor, &networks);
        let _sockets = opening.await.expect("opens");
        for address in ["100.64.0.2:443", "100.64.0.1:5301"] {
            let line = attempt(address);
            let connected = tokio::task::block_in_place(|| lan.sh(&line));
            assert_eq!(connected, "connected\n", "{address}");
        }
        interceptor.stop().await;
        networks.stop().await;
    });
}

/// A line of the shell that tries to connect, and says whether it has.
fn attempt(address: &str) -> String {
    let (host, port) = address.split_once(':').expect("an address and a port");
    let client = format!("import socket; socket.create_connection(('{host}', {port}), timeout=1)");
    format!("python3 -c \"{client}\" 2>/dev/null && echo connected || echo refused")
}

#[test]
fn sources_count() {
    isolated("tcp::sources_count", || async {
        let mut lan = Lan::new();
        lan.serve("10.99.0.1:80");
        sh("ip addr add 10.77.0.9/24 dev veth0");
        let rules = ["tcp 10.99.0.0/16 80 from 10.77.0.9"];
        let interceptor = echo::start(options(), &rules).await;
        assert_eq!(greeting("10.99.0.1:80").await, "from 10.77.0.1");
        let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
        socket
            .bind("10.77.0.9:0".parse().expect("an address"))
            .expect("binds");
        let stream = socket
            .connect("10.99.0.1:80".parse().expect("an address"))
            .await;
        let (_, line) = Connection::greeted(stream.expect("connects"))
            .await
            .expect("a line");
        assert_eq!(line, "intercepted 10.77.0.9 to 10.99.0.1:80");
        interceptor.stop().await;
    });
}

#[test]
fn destinations_without_a_route_are_intercepted() {
    isolated(
        "tcp::destinations_without_a_route_are_intercepted",
        || async {
            let rules = ["tcp 100.64.0.0/10 1-65535", "tcp fd64::/64 1-65535"];
            let interceptor = echo::start(options(), &rules).await;
            for address in ["100.64.0.2:443", "[fd64::2]:443"] {
                let (mut connection, greeting) = Connection::open(address).await.expect("connects");
                assert!(greeting.ends_with(address), "{greeting}");
                assert!(connection.is_echoed(100_000).await);
            }
            // All others are as unreachable as they were.
            let other = Connection::open("192.0.2.1:443")
                .await
                .expect_err("no route");
            assert_eq!(other.kind(), std::io::ErrorKind::NetworkUnreachable);
            interceptor.stop().await;
            let late = Connection::open("100.64.0.2:443")
                .await
                .expect_err("no route");
            assert_eq!(late.kind(), std::io::ErrorKind::NetworkUnreachable);
        },
    );
}

#[test]
fn addresses_of_the_machine_stay_its_own() {
    isolated("tcp::addresses_of_the_machine_stay_its_own", || async {
        let lan = Lan::new();
        let rules = ["tcp 0.0.0.0/0 1-65535", "tcp ::/0 1-65535"];
        let interceptor = echo::start(options(), &rules).await;
        let mut addresses = Vec::new();
        for host in ["127.0.0.1", "[::1]", "10.77.0.1", "[fd77::1]"] {
            let listener = TcpListener::bind(format!("{host}:0"))
                .await
                .expect("listens");
            addresses.push(listener.local_addr().expect("an address").to_string());
            tokio::spawn(async move {
                loop {
                    let (mut stream, _) = listener.accept().await.expect("accepts");
                    stream.write_all(b"own\nown\n").await.expect("writes");
                }
            });
        }
        for address in &addresses {
            assert_eq!(greeting(address).await, "own");
        }
        for address in &addresses[2..] {
            let answer = tokio::task::block_in_place(|| lan.connect(address));
            assert_eq!(answer, "own\nown\n");
        }
        assert!(greeting("192.0.2.9:9").await.starts_with("intercepted"));
        interceptor.stop().await;
    });
}

#[test]
fn interfaces_and_exemptions_narrow_it_down() {
    isolated("tcp::interfaces_and_exemptions_narrow_it_down", || async {
        let mut lan = Lan::new();
        lan.serve("10.99.0.1:80");
        // Rules know no other name than the first one.
        sh("ip link property add dev veth0 altname cable");
        let mut options = options();
        options.lan_interfaces = vec!["cable".to_owned()];
        options.exempt = vec!["10.99.0.1".parse().expect("an address")];
        let interceptor = echo::start(options.clone(), &["tcp 0.0.0.0/0 80"]).await;
        assert_eq!(greeting("10.99.0.1:80").await, "from 10.77.0.1");
        let answer = tokio::task::block_in_place(|| lan.connect("192.0.2.1:80"));
        assert_eq!(answer, "intercepted 10.77.0.2 to 192.0.2.1:80\nhello\n");
        interceptor.stop().await;

        // Nothing that comes in elsewhere, but what this machine sends.
        sh("ip link add other type veth peer name none");
        options.lan_interfaces = vec!["other".to_owned()];
        let interceptor = echo::start(options.clone(), &["tcp 0.0.0.0/0 80"]).await;
        let client = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)";
        let line = format!("python3 -c \"{client}\" 2>&1 | tail -n 1");
        let refused = tokio::task::block_in_place(|| lan.sh(&line));
        assert!(
            refused.contains("Error") || refused.contains("timed out"),
            "{refused}"
        );
        assert!(greeting("192.0.2.9:80").await.starts_with("intercepted"));
        interceptor.stop().await;

        options.lan_interfaces = vec!["absent".to_owned()];
        let error = Interceptor::start(options).await.expect_err("is absent");
        assert_eq!(
            error.to_string(),
            "there is no network interface \"absent\""
        );
    });
}

#[test]
fn the_listener_itself_is_for_no_service() {
    isolated("tcp::the_listener_itself_is_for_no_service", || async {
        let interceptor = echo::start(options(), &[]).await;
        let listeners = sh("ss -Hltn | awk '{print $4}'");
        assert_eq!(listeners.lines().count(), 2, "{listeners}");
        for listener in listeners.lines() {
            let (_, line) = Connection::open(listener).await.expect("connects");
            assert_eq!(line, "", "it is closed at once");
        }
        interceptor.stop().await;
    });
}
