//! Connections that become something else than HTTP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{CONNECTION, HeaderValue, UPGRADE};
use http::{Request, Response, StatusCode};
use portcullis_listener::{
    Body, Budgets, Connection, Limits, Listener, Quota, Quotas, ServerTls, TlsVersion, Upgrade,
    full_body,
};
use portcullis_testkit::tls_client::{Client, Pair, Stream, closed, get, hear, say, soon};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::server::certified;

const ASK: &[u8] = b"GET /echo HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";

struct Echo {
    address: SocketAddr,
    shutdown: CancellationToken,
    serving: JoinHandle<()>,
}

impl Echo {
    /// Starts a server that upgrades connections at `/echo` and `/stuck`.
    fn start(limits: Limits, quotas: &Quotas) -> Self {
        let pairs = certified(&[Pair::named(&["localhost"])]);
        let tls = ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = listener.with_budgets(Budgets::new(quotas));
        let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
        let service = |_: Arc<Connection>, request: Request<Body>| {
            let upgrade = match request.uri().path() {
                "/echo" => Some(echo()),
                "/stuck" => Some(Upgrade::new(|stream, _| {
                    Box::pin(async move {
                        let _open = stream;
                        std::future::pending::<()>().await;
                    })
                })),
                _ => None,
            };
            let mut response = Response::new(full_body(""));
            if let Some(upgrade) = upgrade {
                *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
                let headers = response.headers_mut();
                headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
                headers.insert(UPGRADE, HeaderValue::from_static("echo"));
                response.extensions_mut().insert(upgrade);
            }
            std::future::ready(response)
        };
        let serving = listener.serve(Arc::new(service), Arc::new(tls), limits, shutdown.clone());
        Self {
            address,
            shutdown,
            serving: tokio::spawn(serving),
        }
    }

    fn usual() -> Self {
        Self::start(Limits::default(), &Quotas::default())
    }

    async fn connect(&self) -> Stream {
        Client::anonymous().connect(self.address).await
    }

    async fn upgraded(&self) -> Stream {
        let mut stream = self.connect().await;
        let reply = say(&mut stream, ASK).await;
        assert_eq!(reply.status, 101, "{}", reply.head);
        assert!(
            reply.head.contains("\r\nupgrade: echo\r\n"),
            "{}",
            reply.head
        );
        stream
    }
}

/// Says everything back, and good-bye when the listener shuts down.
fn echo() -> Upgrade {
    Upgrade::new(|mut stream, shutdown| {
        Box::pin(async move {
            let mut bytes = [0; 64];
            while let Some(Ok(length @ 1..)) =
                shutdown.run_until_cancelled(stream.read(&mut bytes)).await
            {
                stream.write_all(&bytes[..length]).await.unwrap();
            }
            let _ = stream.write_all(b"bye").await;
            let _ = stream.shutdown().await;
        })
    })
}

async fn expect_echo(stream: &mut Stream, text: &[u8]) {
    soon(stream.write_all(text)).await.unwrap();
    let mut heard = vec![0; text.len()];
    soon(stream.read_exact(&mut heard)).await.unwrap();
    assert_eq!(heard, text);
}

#[tokio::test]
async fn upgraded_connection_carries_any_bytes_for_as_long_as_it_likes() {
    let short = Duration::from_millis(200);
    let limits = Limits {
        idle: short,
        header_read: short,
        ..Limits::default()
    };
    let server = Echo::start(limits, &Quotas::default());
    let mut stream = server.upgraded().await;
    expect_echo(&mut stream, b"\r\n\0\x81 no request").await;
    sleep(4 * short).await;
    expect_echo(&mut stream, b"GET / HTTP/1.1\r\n\r\n").await;
}

#[tokio::test]
async fn upgrade_that_was_not_asked_for_is_an_error() {
    let server = Echo::usual();
    let mut stream = server.connect().await;
    assert_eq!(get(&mut stream, "/echo").await.status, 500);
    assert_eq!(get(&mut stream, "/").await.status, 200);
}

#[tokio::test]
async fn request_for_an_upgrade_may_be_answered_like_any_other() {
    let server = Echo::usual();
    let mut stream = server.connect().await;
    let ask = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n";
    assert_eq!(say(&mut stream, ask).await.status, 200);
    assert_eq!(get(&mut stream, "/").await.status, 200);
    assert_eq!(say(&mut stream, b"no request\r\n\r\n").await.status, 400);
}

#[tokio::test]
async fn client_that_does_not_wait_for_its_upgrade_is_closed() {
    let server = Echo::usual();
    for early in [&b"early"[..], b"\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"] {
        let mut stream = server.connect().await;
        assert_eq!(say(&mut stream, &[ASK, early].concat()).await.status, 101);
        closed(&mut stream).await;
    }
}

#[tokio::test]
async fn shutdown_tells_upgraded_connections_and_waits_for_them() {
    let server = Echo::usual();
    let mut stream = server.upgraded().await;
    expect_echo(&mut stream, b"one").await;
    server.shutdown.cancel();
    let mut rest = String::new();
    soon(stream.read_to_string(&mut rest)).await.unwrap();
    assert_eq!(rest, "bye");
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn upgraded_connection_that_does_not_end_is_given_up() {
    let limits = Limits {
        drain: Duration::from_millis(300),
        ..Limits::default()
    };
    let server = Echo::start(limits, &Quotas::default());
    let mut stream = server.connect().await;
    let ask = b"GET /stuck HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n";
    soon(stream.write_all(ask)).await.unwrap();
    assert_eq!(hear(&mut stream).await.status, 101);
    server.shutdown.cancel();
    closed(&mut stream).await;
    soon(server.serving).await.unwrap();
}

#[tokio::test]
async fn upgraded_connections_count_and_idle_ones_make_room_first() {
    let quotas = Quotas {
        connections: Quota {
            total: 2,
            per_peer: 2,
        },
        ..Quotas::default()
    };
    let server = Echo::start(Limits::default(), &quotas);
    let mut upgraded = server.upgraded().await;
    let mut idle = server.connect().await;
    assert_eq!(get(&mut idle, "/").await.status, 200);
    let mut other = server.upgraded().await;
    closed(&mut idle).await;
    expect_echo(&mut upgraded, b"still here").await;
    expect_echo(&mut other, b"as well").await;

    let mut newest = server.connect().await;
    assert_eq!(get(&mut newest, "/").await.status, 200);
    closed(&mut upgraded).await;
}
