//! Protocols other than HTTP, beside it and alone.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use portcullis_listener::{
    Budgets, Connection, DrainFuture, Greeting, Limits, Listener, Quota, Quotas, ServerTls,
    StreamFuture, StreamService, TlsVersion, full_body,
};
use portcullis_testkit::tls_client::{Client, Pair, Stream, closed, get, soon};
use rustls::version::{TLS12, TLS13};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::server::TlsStream;
use tokio_util::sync::CancellationToken;

/// The protocol's name.
const ECHO: &str = "x-echo";

/// A protocol whose client says one byte as a greeting, and gets back what it says then.
#[derive(Default)]
struct Echo {
    /// One permit for each of its tasks that may end after the shutdown.
    leave: Option<Arc<Semaphore>>,
}

impl StreamService for Echo {
    fn serve(
        &self,
        connection: Arc<Connection>,
        mut stream: TlsStream<TcpStream>,
        greeting: Greeting,
        shutdown: CancellationToken,
    ) -> StreamFuture {
        Box::pin(async move {
            let mut byte = [0];
            if stream.read_exact(&mut byte).await.is_err() {
                return;
            }
            greeting.finish();
            let facts = format!(
                "{} {}",
                connection.alpn.map_or("none", |alpn| alpn.name()),
                connection.client_certificates.len()
            );
            stream.write_all(facts.as_bytes()).await.unwrap();
            while let Some(Ok(1)) = shutdown.run_until_cancelled(stream.read(&mut byte)).await {
                stream.write_all(&byte).await.unwrap();
            }
            stream.write_all(b"bye").await.unwrap();
            let _ = stream.shutdown().await;
        })
    }

    fn drain(&self) -> DrainFuture<'_> {
        Box::pin(async {
            if let Some(leave) = &self.leave {
                leave.acquire().await.unwrap().forget();
            }
        })
    }
}

struct Server {
    address: SocketAddr,
    shutdown: CancellationToken,
    task: JoinHandle<()>,
}

impl Server {
    fn start(has_http: bool, echo: Echo, limits: Limits) -> Self {
        Self::start_with(has_http, limits, |listener| {
            listener.with_protocol(ECHO, Arc::new(echo))
        })
    }

    fn start_with(
        has_http: bool,
        limits: Limits,
        add_protocols: impl FnOnce(Listener) -> Listener,
    ) -> Self {
        let pair = Pair::named(&["localhost"]);
        let pairs = vec![ServerTls::certified_key(pair.chain(), pair.key()).unwrap()];
        let tls = Arc::new(ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap());
        let shutdown = CancellationToken::new();
        // A single connection of HTTP at a time: what others have must not count.
        let quotas = Quotas {
            connections: Quota {
                total: 1,
                per_peer: 1,
            },
            ..Quotas::default()
        };
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap())
            .unwrap()
            .with_budgets(Budgets::new(&quotas));
        let listener = add_protocols(listener);
        let (address, stop) = (listener.local_addr(), shutdown.clone());
        let http =
            async |_: Arc<Connection>, _: http::Request<_>| http::Response::new(full_body("http"));
        let task = if has_http {
            tokio::spawn(listener.serve(Arc::new(http), tls, limits, stop))
        } else {
            tokio::spawn(listener.serve_protocols(tls, limits, stop))
        };
        Self {
            address,
            shutdown,
            task,
        }
    }

    async fn connect(&self, alpn: &[&str]) -> Stream {
        let pair = Pair::named(&["router"]);
        Client::build(Some(&pair), &[&TLS13], alpn)
            .connect(self.address)
            .await
    }
}

/// Greets, and returns what is said of the connection.
async fn greet(stream: &mut Stream) -> String {
    soon(stream.write_all(b"!")).await.unwrap();
    let mut facts = [0; 8];
    let length = soon(stream.read(&mut facts)).await.unwrap();
    String::from_utf8_lossy(&facts[..length]).into_owned()
}

async fn assert_echoes(stream: &mut Stream) {
    soon(stream.write_all(b"?")).await.unwrap();
    let mut byte = [0];
    soon(stream.read_exact(&mut byte)).await.unwrap();
    assert_eq!(byte, *b"?");
}

#[tokio::test]
async fn protocols_share_a_port_with_http() {
    let server = Server::start(true, Echo::default(), Limits::default());
    for version in [&TLS12, &TLS13] {
        let pair = Pair::named(&["router"]);
        let client = Client::build(Some(&pair), &[version], &[ECHO]);
        let mut stream = client.connect(server.address).await;
        assert_eq!(greet(&mut stream).await, "x-echo 1");
        assert_echoes(&mut stream).await;
        for alpn in [&["http/1.1"][..], &[]] {
            let mut stream = server.connect(alpn).await;
            assert_eq!(get(&mut stream, "/").await.text(), "http");
        }
    }
    // Whoever offers both has more use for the other.
    for offer in [["h2", ECHO], [ECHO, "http/1.1"]] {
        assert_eq!(greet(&mut server.connect(&offer).await).await, "x-echo 1");
    }
}

/// Tells whom it serves.
struct Addresses(UnboundedSender<[SocketAddr; 2]>);

impl StreamService for Addresses {
    fn serve(
        &self,
        connection: Arc<Connection>,
        _stream: TlsStream<TcpStream>,
        _greeting: Greeting,
        _shutdown: CancellationToken,
    ) -> StreamFuture {
        self.0.send([connection.peer, connection.local]).unwrap();
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn clients_of_ipv4_have_their_own_addresses_at_a_socket_for_all() {
    let (sender, mut seen) = unbounded_channel();
    let pair = Pair::named(&["localhost"]);
    let pairs = vec![ServerTls::certified_key(pair.chain(), pair.key()).unwrap()];
    let tls = Arc::new(ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap());
    let Ok(listener) = Listener::bind("[::]:0".parse().unwrap()) else {
        eprintln!("skipped: this computer has no IPv6");
        return;
    };
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, listener.local_addr().port()));
    let listener = listener.with_protocol(ECHO, Arc::new(Addresses(sender)));
    let stop = CancellationToken::new();
    tokio::spawn(listener.serve_protocols(tls, Limits::default(), stop));
    let _stream = Client::build(None, &[&TLS13], &[ECHO])
        .connect(address)
        .await;
    let [peer, local] = soon(seen.recv()).await.unwrap();
    assert_eq!(peer.ip(), Ipv4Addr::LOCALHOST);
    assert_eq!(local, address);
}

#[tokio::test]
async fn protocol_alone_refuses_all_others() {
    let server = Server::start(false, Echo::default(), Limits::default());
    let mut stream = server.connect(&[ECHO, "h2"]).await;
    assert_eq!(greet(&mut stream).await, "x-echo 1");
    let client = Client::build(None, &[&TLS13], &["http/1.1", "h2"]);
    let refused = soon(client.try_connect(server.address, "localhost")).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("NoApplicationProtocol")
    );
    let mut silent = server.connect(&[]).await;
    closed(&mut silent).await;
}

#[tokio::test]
async fn default_protocol_serves_clients_that_ask_for_none() {
    let echo = Arc::new(Echo::default());
    let server = Server::start_with(false, Limits::default(), |listener| {
        listener
            .with_protocol(ECHO, echo.clone())
            .with_default_protocol(echo)
    });
    for (offer, name) in [(&[][..], "none 1"), (&["h2", ECHO], "x-echo 1")] {
        let mut stream = server.connect(offer).await;
        assert_eq!(greet(&mut stream).await, name);
        assert_echoes(&mut stream).await;
    }
    let client = Client::build(None, &[&TLS13], &["h2"]);
    let refused = soon(client.try_connect(server.address, "localhost")).await;
    refused.unwrap_err();
}

#[tokio::test]
async fn protocol_that_is_not_served_is_refused() {
    let server = Server::start(true, Echo::default(), Limits::default());
    let client = Client::build(None, &[&TLS13], &["x-other"]);
    let refused = soon(client.try_connect(server.address, "localhost")).await;
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("NoApplicationProtocol")
    );
}

#[tokio::test]
async fn connections_of_other_protocols_take_nothing_from_http() {
    let server = Server::start(true, Echo::default(), Limits::default());
    let mut streams = Vec::new();
    for _ in 0..3 {
        let mut stream = server.connect(&[ECHO]).await;
        greet(&mut stream).await;
        streams.push(stream);
    }
    let mut first = server.connect(&["http/1.1"]).await;
    assert_eq!(get(&mut first, "/").await.text(), "http");
    // Its own quota holds for HTTP only.
    let mut second = server.connect(&["http/1.1"]).await;
    assert_eq!(get(&mut second, "/").await.text(), "http");
    closed(&mut first).await;
    for stream in &mut streams {
        assert_echoes(stream).await;
    }
}

#[tokio::test]
async fn silent_greetings_give_way_and_finished_ones_stay() {
    let limits = Limits {
        max_half_open: 3,
        ..Limits::default()
    };
    let server = Server::start(true, Echo::default(), limits);
    let mut known = server.connect(&[ECHO]).await;
    greet(&mut known).await;
    let mut silent = Vec::new();
    for _ in 0..8 {
        silent.push(server.connect(&[ECHO]).await);
    }
    // The oldest are closed for those that came last.
    for stream in &mut silent[..5] {
        closed(stream).await;
    }
    assert_echoes(&mut known).await;
    assert_eq!(greet(&mut silent[7]).await, "x-echo 1");
}

#[tokio::test]
async fn shutdown_is_told_to_services_and_waits_for_them() {
    let leave = Arc::new(Semaphore::new(0));
    let echo = Echo {
        leave: Some(Arc::clone(&leave)),
    };
    let server = Server::start(true, echo, Limits::default());
    let mut stream = server.connect(&[ECHO]).await;
    greet(&mut stream).await;
    server.shutdown.cancel();
    let mut rest = String::new();
    soon(stream.read_to_string(&mut rest)).await.unwrap();
    assert_eq!(rest, "bye");
    let mut task = server.task;
    let early = timeout(Duration::from_millis(100), &mut task).await;
    assert!(early.is_err(), "its tasks are not done");
    leave.add_permits(1);
    soon(task).await.unwrap();
}

#[tokio::test]
async fn connection_that_ignores_the_shutdown_is_aborted() {
    let limits = Limits {
        drain: Duration::from_millis(200),
        ..Limits::default()
    };
    let server = Server::start(false, Echo::default(), limits);
    // It is still being greeted, and hears nothing.
    let mut stream = server.connect(&[ECHO]).await;
    server.shutdown.cancel();
    soon(server.task).await.unwrap();
    closed(&mut stream).await;
}
