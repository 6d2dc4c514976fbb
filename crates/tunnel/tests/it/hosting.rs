//! Servers that are hosted, and what their configurations allow.

use crate::support::{
    TestTunnel, echo, echo_server, ended, eventually, in_time, intercepting, service,
};
use portcullis_tunnel::TunnelOptions;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

const INTERCEPT: &str = "intercept.v1";
const HOST: &str = "host.v1";

fn everything(more: &Value) -> Value {
    let mut config = json!({
        "protocols": ["tcp"],
        "addresses": ["127.0.0.0/8"],
        "portRanges": [{"low": 1, "high": 65535}],
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        config[key] = value.clone();
    }
    config
}

async fn tunnel(intercept: &Value, host: Value) -> TestTunnel {
    let tunnel = TestTunnel::start(intercepting(), TunnelOptions::default());
    let configs = [(INTERCEPT, everything(intercept)), (HOST, host)];
    tunnel.set(service("any", &configs)).await;
    tunnel.hosted("any").await;
    tunnel
}

/// A connection that is intercepted on its way to `destination`.
async fn intercepted(tunnel: &TestTunnel, destination: SocketAddr) -> TcpStream {
    let kernel = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let client = TcpStream::connect(kernel.local_addr().expect("an address")).await;
    let (stream, source) = kernel.accept().await.expect("a connection");
    tunnel
        .tunnel
        .intercepted_stream(stream, source, destination)
        .await;
    client.expect("connected")
}

async fn refusal(tunnel: &TestTunnel, destination: SocketAddr) -> String {
    let before = tunnel.network.refusals().len();
    let mut client = intercepted(tunnel, destination).await;
    ended(&mut client).await;
    let refusals = tunnel.network.refusals();
    assert_eq!(refusals.len(), before + 1, "{refusals:?}");
    refusals.last().expect("one").clone()
}

#[tokio::test]
async fn what_is_forwarded_has_to_be_allowed() {
    let (allowed, other) = (echo_server().await, echo_server().await);
    let host = json!({
        "protocol": "tcp",
        "forwardAddress": true,
        "allowedAddresses": ["127.0.0.1"],
        "forwardPort": true,
        "allowedPortRanges": [{"low": allowed.port(), "high": allowed.port()}],
    });
    let tunnel = tunnel(&json!({}), host).await;
    echo(&mut intercepted(&tunnel, allowed).await, "hello").await;
    assert_eq!(
        refusal(&tunnel, other).await,
        format!(
            "the port \"{}\" is not one of those that the service allows",
            other.port()
        )
    );
    let elsewhere = ([127, 0, 0, 2], allowed.port()).into();
    assert_eq!(
        refusal(&tunnel, elsewhere).await,
        "the address \"127.0.0.2\" is not one of those that the service allows"
    );
    tunnel.stop().await;
}

#[tokio::test]
async fn source_addresses_come_from_the_list_only() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let server = listener.local_addr().expect("an address");
    let host = |sources: &[&str]| {
        json!({
            "protocol": "tcp",
            "address": "localhost",
            "port": server.port(),
            "allowedSourceAddresses": sources,
        })
    };
    let from = json!({"sourceIp": "127.9.9.9"});
    let allowing = tunnel(&from, host(&["127.9.9.0/24"])).await;
    let _client = intercepted(&allowing, server).await;
    let (_stream, peer) = in_time(listener.accept()).await.expect("a connection");
    assert_eq!(peer.ip().to_string(), "127.9.9.9");
    allowing.stop().await;

    let refusing = tunnel(&from, host(&["127.8.0.0/16"])).await;
    assert_eq!(
        refusal(&refusing, server).await,
        "the source address \"127.9.9.9\" is not one of those that the service allows"
    );
    refusing.stop().await;
}

#[tokio::test]
async fn a_source_address_that_is_not_here_is_refused() {
    let server = echo_server().await;
    let host = json!({
        "protocol": "tcp",
        "address": "127.0.0.1",
        "port": server.port(),
        "allowedSourceAddresses": ["192.0.2.0/24"],
    });
    let tunnel = tunnel(&json!({"sourceIp": "192.0.2.9:7"}), host).await;
    let refusal = refusal(&tunnel, server).await;
    let part = "cannot be reached: the host cannot connect from 192.0.2.9:7: ";
    assert!(refusal.contains(part), "{refusal}");
    tunnel.stop().await;
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_given_up() {
    // Its backlog is full, so the kernel answers nobody.
    let socket = tokio::net::TcpSocket::new_v4().expect("a socket");
    socket
        .bind("127.0.0.1:0".parse().expect("an address"))
        .expect("bound");
    let listener = socket.listen(0).expect("listening");
    let server = listener.local_addr().expect("an address");
    let _full = TcpStream::connect(server).await.expect("connected");
    let host = json!({
        "protocol": "tcp",
        "address": "127.0.0.1",
        "port": server.port(),
        "listenOptions": {"connectTimeout": "200ms"},
    });
    let tunnel = tunnel(&json!({}), host).await;
    assert_eq!(
        refusal(&tunnel, server).await,
        "the server has not answered within 200 ms"
    );
    tunnel.stop().await;
}

#[tokio::test]
async fn a_terminator_has_so_many_circuits() {
    let server = echo_server().await;
    let options = TunnelOptions {
        max_circuits_of_terminator: 2,
        ..TunnelOptions::default()
    };
    let tunnel = TestTunnel::start(intercepting(), options);
    let host = json!({"protocol": "tcp", "address": "127.0.0.1", "port": server.port()});
    let configs = [(INTERCEPT, everything(&json!({}))), (HOST, host)];
    tunnel.set(service("any", &configs)).await;
    tunnel.hosted("any").await;
    let mut first = intercepted(&tunnel, server).await;
    let mut second = intercepted(&tunnel, server).await;
    echo(&mut first, "one").await;
    echo(&mut second, "two").await;
    assert_eq!(
        refusal(&tunnel, server).await,
        "the host has as many connections to the server as it may have"
    );
    drop(first);
    // Its place is free as soon as the host has seen that.
    in_time(async {
        loop {
            let mut third = intercepted(&tunnel, server).await;
            let mut answer = [0];
            if third.write_all(b"x").await.is_ok() && third.read_exact(&mut answer).await.is_ok() {
                return assert_eq!(&answer, b"x");
            }
        }
    })
    .await;
    tunnel.stop().await;
}

#[tokio::test(start_paused = true)]
async fn the_first_terminators_wait_until_services_have_settled() {
    let tunnel = TestTunnel::start_later(intercepting(), TunnelOptions::default());
    let host = json!({"protocol": "tcp", "address": "127.0.0.1", "port": 1});
    tunnel.set(service("kept", &[(HOST, host.clone())])).await;
    tunnel.set(service("gone", &[(HOST, host)])).await;
    sleep(Duration::from_millis(1_900)).await;
    tunnel.remove("gone").await;
    assert_eq!(tunnel.network.created(), 0);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(tunnel.network.created(), 1);
    assert_eq!(tunnel.network.terminators("kept").len(), 1);
    tunnel.stop().await;
}

#[tokio::test(start_paused = true)]
async fn a_terminator_that_is_lost_is_created_again() {
    let tunnel = TestTunnel::start(intercepting(), TunnelOptions::default());
    let host = json!({"protocol": "tcp", "address": "127.0.0.1", "port": 1});
    tunnel.set(service("wiki", &[(HOST, host)])).await;
    tunnel.hosted("wiki").await;
    tunnel.network.lose_terminators();
    eventually(|| tunnel.network.created() == 2).await;
    assert_eq!(tunnel.network.terminators("wiki").len(), 1);
    tunnel.remove("wiki").await;
    eventually(|| tunnel.network.terminators("wiki").is_empty()).await;
    tunnel.stop().await;
}
