//! Ports that come and go with services.

use crate::support::{
    PORT, TestTunnel, at, connect, echo, echo_server, free_port, host, in_time, intercepting,
    own_address, proxy, service,
};
use portcullis_tunnel::ServiceChange;
use portcullis_tunneler::{Fault, Mode};
use serde_json::json;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::sleep;

async fn closed(port: SocketAddr) {
    in_time(async {
        while TcpStream::connect(port).await.is_ok() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

#[tokio::test]
async fn ports_are_those_of_services_that_there_are() {
    let address = own_address();
    let (first, second) = ((address, PORT).into(), (address, PORT + 1).into());
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let wiki = |port| service("wiki", &[proxy("tcp", port), host("tcp", server)]);
    tunnel.tell(ServiceChange::All(vec![wiki(PORT)])).await;
    tunnel.hosted("wiki").await;
    let mut client = connect(first).await;
    echo(&mut client, "one").await;

    tunnel.set(wiki(PORT + 1)).await;
    echo(&mut connect(second).await, "two").await;
    closed(first).await;
    echo(&mut client, "what is connected goes on").await;

    // Back again: the port is free at once.
    tunnel.set(wiki(PORT)).await;
    echo(&mut connect(first).await, "three").await;
    closed(second).await;

    tunnel.tell(ServiceChange::All(Vec::new())).await;
    closed(first).await;
    tunnel.stop().await;
}

#[tokio::test]
async fn the_mode_names_ports() {
    let address = own_address();
    let server = echo_server().await;
    let rule = format!("wiki:{PORT}").parse().expect("a rule");
    let tunnel = TestTunnel::start(Mode::Proxy(vec![rule]), at(address));
    let port = (address, PORT).into();
    assert!(TcpStream::connect(port).await.is_err());
    tunnel.set(service("wiki", &[host("tcp", server)])).await;
    tunnel.hosted("wiki").await;
    echo(&mut connect(port).await, "hello").await;
    tunnel.remove("wiki").await;
    closed(port).await;
    tunnel.stop().await;
}

#[tokio::test]
async fn a_binding_is_the_name_of_an_interface() {
    let server = echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), at(own_address()));
    let port = free_port().await;
    let config = json!({"port": port, "protocols": ["tcp"], "binding": "lo"});
    tunnel
        .set(service(
            "wiki",
            &[("proxy.v1", config), host("tcp", server)],
        ))
        .await;
    tunnel.hosted("wiki").await;
    echo(&mut connect(([127, 0, 0, 1], port).into()).await, "hello").await;
    tunnel.stop().await;
}

#[tokio::test]
async fn a_port_that_somebody_else_has_is_told() {
    let address = own_address();
    let _other = TcpListener::bind((address, PORT)).await.expect("a port");
    let tunnel = TestTunnel::start(intercepting(), at(address));
    let mut events = tunnel.tunnel.events();
    tunnel.set(service("wiki", &[proxy("tcp", PORT)])).await;
    let mut faults = Vec::new();
    in_time(async {
        while faults.len() < 2 {
            faults.push(events.recv().await.expect("an event").fault);
        }
    })
    .await;
    let is_told = |fault: &Fault| matches!(fault, Fault::ListenEnded { port } if port.port == PORT);
    assert!(faults.iter().any(is_told), "{faults:?}");
    tunnel.stop().await;
}
