//! Servers behind an HTTP proxy.

use crate::support::{
    PORT, TestTunnel, at, connect, echo, in_time, intercepting, own_address, proxy, reset, service,
};
use serde_json::json;
use std::net::SocketAddr;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpListener;

/// A proxy that answers so, and then sends back what it is sent. It tells the request lines that it has got.
async fn http_proxy(answer: &'static str) -> (SocketAddr, tokio::sync::mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let (sender, requests) = tokio::sync::mpsc::channel(16);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let mut stream = BufReader::new(stream);
            let mut request = String::new();
            while !request.ends_with("\r\n\r\n") {
                if stream.read_line(&mut request).await? == 0 {
                    break;
                }
            }
            sender.send(request).await.ok();
            stream.write_all(answer.as_bytes()).await?;
            tokio::spawn(async move {
                let (mut reader, mut writer) = tokio::io::split(stream);
                tokio::io::copy(&mut reader, &mut writer).await
            });
        }
        Ok::<(), std::io::Error>(())
    });
    (address, requests)
}

async fn tunnel(proxy_address: SocketAddr) -> (TestTunnel, SocketAddr) {
    let address = own_address();
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let host = json!({
        "protocol": "tcp",
        "address": "2001:db8::7",
        "port": 443,
        "proxy": {"type": "http", "address": proxy_address.to_string()},
    });
    tunnel
        .set(service("wiki", &[proxy("tcp", PORT), ("host.v1", host)]))
        .await;
    tunnel.hosted("wiki").await;
    (tunnel, (address, PORT).into())
}

#[tokio::test]
async fn the_proxy_connects_and_the_server_speaks_first() {
    let (proxy, mut requests) =
        http_proxy("HTTP/1.1 200 Connected\r\nVia: me\r\n\r\nserver first").await;
    let (tunnel, port) = tunnel(proxy).await;
    let mut client = connect(port).await;
    let mut greeting = [0; 12];
    in_time(client.read_exact(&mut greeting))
        .await
        .expect("read");
    assert_eq!(&greeting, b"server first");
    echo(&mut client, "hello").await;
    assert_eq!(
        requests.recv().await.as_deref(),
        Some("CONNECT [2001:db8::7]:443 HTTP/1.1\r\nHost: [2001:db8::7]:443\r\n\r\n")
    );
    tunnel.stop().await;
}

#[tokio::test]
async fn what_the_proxy_refuses_is_refused() {
    for (answer, reason) in [
        (
            "HTTP/1.1 403 Forbidden\r\n\r\n",
            "it refuses with status 403",
        ),
        (
            "nonsense\r\n\r\n",
            "its answer is not HTTP: invalid HTTP version",
        ),
    ] {
        let (proxy, _requests) = http_proxy(answer).await;
        let (tunnel, port) = tunnel(proxy).await;
        let mut client = connect(port).await;
        reset(&mut client).await;
        assert_eq!(
            tunnel.network.refusals(),
            [format!("the server cannot be reached: the proxy: {reason}")]
        );
        tunnel.stop().await;
    }
}

#[tokio::test]
async fn the_head_of_an_answer_has_an_end() {
    let endless = format!("HTTP/1.1 200 OK\r\nX: {}", "x".repeat(20_000));
    let (proxy, _requests) = http_proxy(Box::leak(endless.into_boxed_str())).await;
    let (tunnel, port) = tunnel(proxy).await;
    let mut client = connect(port).await;
    reset(&mut client).await;
    let refusals = tunnel.network.refusals();
    let end = "the head of its answer is longer than 16384 bytes";
    assert!(refusals[0].ends_with(end), "{refusals:?}");
    tunnel.stop().await;
}
