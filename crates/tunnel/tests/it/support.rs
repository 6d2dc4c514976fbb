//! Tunnels, services and servers of tests.

use crate::network::MemoryNetwork;
use bytes::Bytes;
use portcullis_datagram_flows::FlowKey;
use portcullis_tunnel::{
    DatagramReceiver, DatagramReplies, Runner, ServiceChange, Tunnel, TunnelOptions,
};
use portcullis_tunnel_config::TunnelerIdentity;
use portcullis_tunneler::{InterceptOptions, Mode, Service, ServiceId};
use serde_json::{Value, json};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How long anything may take that does happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A port of the proxy in tests, at an address that only one test has.
pub(crate) const PORT: u16 = 7_001;

pub(crate) struct TestTunnel {
    pub(crate) network: MemoryNetwork,
    pub(crate) tunnel: Tunnel<MemoryNetwork>,
    changes: mpsc::Sender<ServiceChange>,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl TestTunnel {
    /// A tunnel that creates terminators at once.
    pub(crate) fn start(mode: Mode, options: TunnelOptions) -> Self {
        let settle_delay = Duration::ZERO;
        Self::start_later(
            mode,
            TunnelOptions {
                settle_delay,
                ..options
            },
        )
    }

    /// A tunnel that creates terminators as the options say.
    pub(crate) fn start_later(mode: Mode, options: TunnelOptions) -> Self {
        let (changes, inbox) = mpsc::channel(16);
        let network = MemoryNetwork::default();
        let identity = TunnelerIdentity::default();
        let (tunnel, runner) = Tunnel::new(network.clone(), identity, mode, options, inbox);
        Self::run(network, tunnel, changes, runner)
    }

    pub(crate) fn run(
        network: MemoryNetwork,
        tunnel: Tunnel<MemoryNetwork>,
        changes: mpsc::Sender<ServiceChange>,
        runner: Runner<MemoryNetwork>,
    ) -> Self {
        let shutdown = CancellationToken::new();
        let task = tokio::spawn(runner.run(shutdown.clone()));
        Self {
            network,
            tunnel,
            changes,
            shutdown,
            task,
        }
    }

    pub(crate) async fn tell(&self, change: ServiceChange) {
        self.changes.send(change).await.expect("it runs");
    }

    pub(crate) async fn set(&self, service: Service) {
        self.tell(ServiceChange::Set(service)).await;
    }

    pub(crate) async fn remove(&self, service: &str) {
        self.tell(ServiceChange::Remove(ServiceId::from(service)))
            .await;
    }

    /// Where a test sends datagrams that it makes up, and gets what comes back.
    pub(crate) fn intercept_datagrams(
        &self,
    ) -> (mpsc::Sender<Datagram>, mpsc::UnboundedReceiver<Datagram>) {
        let (sender, datagrams) = mpsc::channel(64);
        let (replies, inbox) = mpsc::unbounded_channel();
        self.tunnel
            .intercepted_datagrams(MadeUp(datagrams), Replies(replies));
        (sender, inbox)
    }

    /// Waits until the service can be dialed.
    pub(crate) async fn hosted(&self, service: &str) {
        eventually(|| !self.network.terminators(service).is_empty()).await;
    }

    pub(crate) async fn stop(self) -> MemoryNetwork {
        self.shutdown.cancel();
        in_time(self.task).await.expect("it ends well");
        self.network
    }
}

/// A datagram, and the flow that it belongs to.
pub(crate) type Datagram = (FlowKey, Bytes);

/// Datagrams that a test makes up.
struct MadeUp(mpsc::Receiver<Datagram>);

impl DatagramReceiver for MadeUp {
    async fn receive(&mut self) -> io::Result<Datagram> {
        let next = self.0.recv().await;
        next.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

struct Replies(mpsc::UnboundedSender<Datagram>);

impl DatagramReplies for Replies {
    async fn send(&self, flow: FlowKey, datagram: &[u8]) -> io::Result<()> {
        let datagram = Bytes::copy_from_slice(datagram);
        self.0.send((flow, datagram)).map_err(io::Error::other)
    }
}

/// A port that nobody has at the moment, for TCP and UDP at all addresses.
pub(crate) async fn free_port() -> u16 {
    in_time(async {
        loop {
            let listener = TcpListener::bind("0.0.0.0:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            if UdpSocket::bind(address).await.is_ok() {
                return address.port();
            }
        }
    })
    .await
}

pub(crate) fn intercepting() -> Mode {
    Mode::Intercept(InterceptOptions::default())
}

/// Options for ports at an address of one test.
pub(crate) fn at(address: IpAddr) -> TunnelOptions {
    TunnelOptions {
        proxy_address: address,
        ..TunnelOptions::default()
    }
}

/// An address of the loopback interface that no other test has.
pub(crate) fn own_address() -> IpAddr {
    static NEXT: AtomicU8 = AtomicU8::new(1);
    let [.., high, low] = std::process::id().to_be_bytes();
    let high = 64 + high % 128;
    Ipv4Addr::new(127, high, low, NEXT.fetch_add(1, Ordering::Relaxed)).into()
}

/// A service that may be dialed and hosted, whose id is its name.
pub(crate) fn service(name: &str, configs: &[(&str, Value)]) -> Service {
    let configs = configs.iter();
    Service {
        may_dial: true,
        may_host: true,
        configs: configs
            .map(|(kind, config)| ((*kind).to_owned(), config.clone()))
            .collect(),
        ..Service::new(name, name)
    }
}

pub(crate) fn host(protocol: &str, server: SocketAddr) -> (&'static str, Value) {
    let config = json!({
        "protocol": protocol,
        "address": server.ip().to_string(),
        "port": server.port(),
    });
    ("host.v1", config)
}

pub(crate) fn proxy(protocol: &str, port: u16) -> (&'static str, Value) {
    let config = json!({"port": port, "protocols": [protocol]});
    ("proxy.v1", config)
}

/// Waits for something that happens.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    timeout(PATIENCE, future).await.expect("it takes too long")
}

/// Waits until something holds.
pub(crate) async fn eventually(mut holds: impl FnMut() -> bool) {
    in_time(async {
        while !holds() {
            sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}

/// Connects to a port, which may be opened in a moment.
pub(crate) async fn connect(address: SocketAddr) -> TcpStream {
    in_time(async {
        loop {
            match TcpStream::connect(address).await {
                Ok(stream) => return stream,
                Err(_not_yet) => sleep(Duration::from_millis(5)).await,
            }
        }
    })
    .await
}

/// Sends a text and expects it back.
pub(crate) async fn echo(stream: &mut TcpStream, text: &str) {
    stream.write_all(text.as_bytes()).await.expect("written");
    let mut answer = vec![0; text.len()];
    let read = in_time(stream.read_exact(&mut answer)).await;
    read.expect("an answer");
    assert_eq!(answer, text.as_bytes());
}

/// Waits until nothing more can be read, however that ends.
pub(crate) async fn ended(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    let _by_reset = in_time(stream.read_to_end(&mut rest)).await;
    assert!(rest.is_empty(), "{rest:?}");
}

/// Waits until the connection is reset.
pub(crate) async fn reset(stream: &mut TcpStream) {
    let read = in_time(stream.read_u8()).await;
    let error = read.expect_err("nothing is sent");
    assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
}

/// A server that sends back what it is sent.
pub(crate) async fn echo_server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let (mut reader, mut writer) = stream.split();
                tokio::io::copy(&mut reader, &mut writer).await
            });
        }
    });
    address
}

/// A server that sends back each datagram.
pub(crate) async fn datagram_echo_server() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.expect("a port");
    let address = socket.local_addr().expect("an address");
    tokio::spawn(async move {
        let mut buffer = vec![0; 65_535];
        while let Ok((length, client)) = socket.recv_from(&mut buffer).await {
            let _lost = socket.send_to(&buffer[..length], client).await;
        }
    });
    address
}
