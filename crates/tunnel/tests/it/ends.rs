//! Rights that go while bytes flow.

use crate::support::{
    PORT, TestTunnel, at, connect, datagram_echo_server, echo, echo_server, ended, eventually,
    host, in_time, intercepting, own_address, proxy, reset, service,
};
use std::time::Duration;
use tokio::net::UdpSocket;
use tokio::time::sleep;

#[tokio::test]
async fn streams_end_with_the_right_to_dial() {
    let address = own_address();
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let mut wiki = service("wiki", &[proxy("tcp", PORT), host("tcp", server)]);
    tunnel.set(wiki.clone()).await;
    tunnel.hosted("wiki").await;
    let mut client = connect((address, PORT).into()).await;
    echo(&mut client, "hello").await;
    wiki.may_dial = false;
    tunnel.set(wiki).await;
    // Not ended: what has arrived until now is not all.
    reset(&mut client).await;
    assert_eq!(tunnel.network.terminators("wiki").len(), 1);
    tunnel.stop().await;
}

#[tokio::test]
async fn streams_end_with_the_right_to_host_and_not_with_the_terminator() {
    let address = own_address();
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let mut wiki = service("wiki", &[proxy("tcp", PORT), host("tcp", server)]);
    tunnel.set(wiki.clone()).await;
    tunnel.hosted("wiki").await;
    let mut client = connect((address, PORT).into()).await;
    echo(&mut client, "hello").await;
    wiki.configs.remove("host.v1");
    tunnel.set(wiki.clone()).await;
    eventually(|| tunnel.network.terminators("wiki").is_empty()).await;
    echo(&mut client, "what is connected goes on").await;
    wiki.may_host = false;
    tunnel.set(wiki).await;
    ended(&mut client).await;
    tunnel.stop().await;
}

#[tokio::test]
async fn flows_end_with_the_right_to_dial() {
    let address = own_address();
    let server = datagram_echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let mut names = service("names", &[proxy("udp", PORT), host("udp", server)]);
    tunnel.set(names.clone()).await;
    tunnel.hosted("names").await;
    let client = UdpSocket::bind((address, 0)).await.expect("a port");
    in_time(async {
        while tunnel.network.open_circuits() == 0 {
            let port = (address, PORT);
            client.send_to(b"hello", port).await.expect("sent");
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    names.may_dial = false;
    tunnel.set(names).await;
    eventually(|| tunnel.network.open_circuits() == 0).await;
    tunnel.stop().await;
}
