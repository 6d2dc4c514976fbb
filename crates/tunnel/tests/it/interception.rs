//! Connections that are intercepted, and names.

use crate::network::MemoryNetwork;
use crate::support::{
    TestTunnel, datagram_echo_server, echo, echo_server, ended, eventually, host, in_time,
    intercepting, reset, service,
};
use bytes::Bytes;
use parking_lot::Mutex;
use portcullis_datagram_flows::FlowKey;
use portcullis_name_server::{Client, NameServerOptions, Output, Transport};
use portcullis_system::SystemEntropy;
use portcullis_tunnel::{
    InterceptError, Interceptor, NameServerInput, NameServerSockets, ServiceChange, Tunnel,
    TunnelOptions,
};
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{InterceptRule, RuleChange, Service};
use serde_json::json;
use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What the kernel would intercept.
#[derive(Default)]
struct Kernel {
    rules: BTreeSet<InterceptRule>,
    attempts: usize,
    fails: bool,
    has_stopped: bool,
}

struct TestInterceptor(Arc<Mutex<Kernel>>);

impl Interceptor for TestInterceptor {
    async fn apply(&mut self, change: RuleChange) -> Result<(), InterceptError> {
        let mut kernel = self.0.lock();
        kernel.attempts += 1;
        if kernel.fails {
            return Err(InterceptError {
                reason: "busy".to_owned(),
            });
        }
        for rule in &change.removed {
            assert!(kernel.rules.remove(rule), "{rule:?} is not there");
        }
        for rule in change.added {
            assert!(kernel.rules.insert(rule), "{rule:?} is there already");
        }
        drop(kernel);
        Ok(())
    }

    async fn stop(self) {
        self.0.lock().has_stopped = true;
    }
}

fn intercepted(name: &str, address: &str) -> Service {
    let config = json!({
        "protocols": ["tcp"],
        "addresses": [address],
        "portRanges": [{"low": 443, "high": 443}],
    });
    service(name, &[("intercept.v1", config)])
}

#[tokio::test(start_paused = true)]
async fn the_kernel_gets_the_latest_rules_and_those_that_it_refused_again() {
    let kernel = Arc::new(Mutex::new(Kernel::default()));
    let (changes, inbox) = mpsc::channel(16);
    let (_tunnel, runner) = Tunnel::new(
        MemoryNetwork::default(),
        TunnelerIdentity::default(),
        intercepting(),
        TunnelOptions::default(),
        inbox,
    );
    let runner = runner.with_interceptor(TestInterceptor(Arc::clone(&kernel)));
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(runner.run(shutdown.clone()));
    let has = |address: &str| {
        let network = address.parse().expect("a network");
        let kernel = kernel.lock();
        kernel.rules.iter().any(|rule| rule.network == network)
    };
    let set = async |service| changes.send(ServiceChange::Set(service)).await;
    set(intercepted("one", "10.0.0.0/8"))
        .await
        .expect("it runs");
    eventually(|| has("10.0.0.0/8")).await;

    kernel.lock().fails = true;
    set(intercepted("one", "10.1.0.0/16"))
        .await
        .expect("it runs");
    eventually(|| kernel.lock().attempts >= 3).await;
    assert!(has("10.0.0.0/8") && !has("10.1.0.0/16"));
    kernel.lock().fails = false;
    eventually(|| has("10.1.0.0/16") && !has("10.0.0.0/8")).await;

    shutdown.cancel();
    in_time(running).await.expect("it ends well");
    assert!(kernel.lock().has_stopped);
}

/// The address of a name, as a client of the name server gets it.
async fn resolve(sockets: &mut NameServerSockets) -> IpAddr {
    let query =
        b"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x04wiki\x04corp\x00\x00\x01\x00\x01";
    let client = Client {
        address: ([127, 0, 0, 1], 5_000).into(),
        transport: Transport::Udp,
        socket: 3,
    };
    let message = Bytes::from_static(query);
    let input = NameServerInput::Query { message, client };
    sockets.inputs.send(input).await.expect("it runs");
    let Some(Output::Reply {
        client: to,
        message,
    }) = in_time(sockets.outputs.recv()).await
    else {
        panic!("an answer");
    };
    assert_eq!(to, client);
    let octets: [u8; 4] = *message.last_chunk().expect("an address");
    Ipv4Addr::from(octets).into()
}

#[tokio::test]
async fn names_lead_to_services_until_they_are_released() {
    let network = MemoryNetwork::default();
    let (changes, inbox) = mpsc::channel(16);
    let options = TunnelOptions {
        settle_delay: std::time::Duration::ZERO,
        ..TunnelOptions::default()
    };
    let (tunnel, runner) = Tunnel::new(
        network.clone(),
        TunnelerIdentity::default(),
        intercepting(),
        options,
        inbox,
    );
    let (runner, mut sockets) =
        runner.with_name_server(&NameServerOptions::default(), Arc::new(SystemEntropy));
    let shutdown = CancellationToken::new();
    let running = tokio::spawn(runner.run(shutdown.clone()));
    let server = echo_server().await;
    let mut wiki = intercepted("wiki", "wiki.corp");
    let (kind, config) = host("tcp", server);
    wiki.configs.insert(kind.to_owned(), config);
    let set = async |service| changes.send(ServiceChange::Set(service)).await;
    set(wiki.clone()).await.expect("it runs");
    eventually(|| !network.terminators("wiki").is_empty()).await;
    let address = resolve(&mut sockets).await;
    assert!(address.to_string().starts_with("100.64."), "{address}");

    let kernel = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let client = TcpStream::connect(kernel.local_addr().expect("an address")).await;
    let mut client = client.expect("connected");
    let (stream, source) = kernel.accept().await.expect("a connection");
    tunnel
        .intercepted_stream(stream, source, (address, 443).into())
        .await;
    echo(&mut client, "hello").await;
    let dial = network.dials().pop().expect("a dial").dial;
    assert_eq!(dial.app_data.hostname.as_deref(), Some("wiki.corp"));

    let renamed = intercepted("wiki", "other.corp");
    wiki.configs.extend(renamed.configs);
    set(wiki).await.expect("it runs");
    ended(&mut client).await;
    shutdown.cancel();
    in_time(running).await.expect("it ends well");
}

#[tokio::test]
async fn what_is_for_no_service_is_reset() {
    let tunnel = TestTunnel::start(intercepting(), TunnelOptions::default());
    let kernel = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let client = TcpStream::connect(kernel.local_addr().expect("an address")).await;
    let mut client = client.expect("connected");
    let (stream, source) = kernel.accept().await.expect("a connection");
    let nowhere = ([192, 0, 2, 1], 443).into();
    tunnel
        .tunnel
        .intercepted_stream(stream, source, nowhere)
        .await;
    reset(&mut client).await;
    tunnel.stop().await;
}

#[tokio::test]
async fn a_flow_ends_when_its_destination_is_that_of_another_service() {
    let server = datagram_echo_server().await;
    let tunnel = TestTunnel::start(intercepting(), TunnelOptions::default());
    let names = |name: &str, address: &str| {
        let config = json!({
            "protocols": ["udp"],
            "addresses": [address],
            "portRanges": [{"low": 53, "high": 53}],
        });
        service(name, &[("intercept.v1", config), host("udp", server)])
    };
    tunnel.set(names("far", "192.0.2.0/24")).await;
    tunnel.hosted("far").await;
    let (sender, mut replied) = tunnel.intercept_datagrams();
    let key = |last| FlowKey {
        client: ([10, 0, 0, 1], 5_000).into(),
        destination: ([192, 0, 2, last], 53).into(),
    };
    for last in [1, 2] {
        let sent = sender.send((key(last), Bytes::from_static(b"?"))).await;
        sent.expect("it runs");
        let (flow, reply) = in_time(replied.recv()).await.expect("a reply");
        assert_eq!((flow, &*reply), (key(last), b"?".as_slice()));
    }
    assert_eq!(tunnel.network.open_circuits(), 2);

    // One of the two destinations is more specific from now on.
    tunnel.set(names("near", "192.0.2.1")).await;
    tunnel.hosted("near").await;
    eventually(|| tunnel.network.open_circuits() == 1).await;
    for last in [1, 2] {
        let sent = sender.send((key(last), Bytes::from_static(b"!"))).await;
        sent.expect("it runs");
        in_time(replied.recv()).await.expect("a reply");
    }
    let dials = tunnel.network.dials();
    let dialed: Vec<_> = dials.iter().map(|dial| &*dial.dial.service_name).collect();
    assert_eq!(dialed, ["far", "far", "near"]);
    tunnel.stop().await;
}
