//! Checks of servers, and what follows from them.

use crate::support::{TestTunnel, eventually, intercepting, service};
use portcullis_domain::identity::Precedence;
use portcullis_tunnel::TunnelOptions;
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _,
    BufReader,
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// A tunnel that hosts a server with these checks, which mark it.
async fn tunnel(kind: &str, check: Value) -> TestTunnel {
    tunnel_with(TunnelOptions::default(), kind, check).await
}

async fn tunnel_with(options: TunnelOptions, kind: &str, mut check: Value) -> TestTunnel {
    check["interval"] = json!("1s");
    check["timeout"] = json!("500ms");
    check["actions"] = json!([
        {"trigger": "fail", "action": "mark unhealthy"},
        {"trigger": "pass", "action": "mark healthy"},
        {"trigger": "change", "action": "send event"},
    ]);
    let host = json!({"protocol": "tcp", "address": "127.0.0.1", "port": 1, kind: [check]});
    let tunnel = TestTunnel::start(intercepting(), options);
    tunnel.set(service("wiki", &[("host.v1", host)])).await;
    tunnel.hosted("wiki").await;
    tunnel
}

async fn has(tunnel: &TestTunnel, precedence: Precedence, is_healthy: bool) {
    eventually(|| {
        let terminators = tunnel.network.terminators("wiki");
        terminators.iter().all(|terminator| {
            terminator.precedence == precedence && terminator.is_healthy == Some(is_healthy)
        })
    })
    .await;
}

#[tokio::test]
async fn a_port_that_is_closed_gives_the_terminator_away() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let server = listener.local_addr().expect("an address");
    drop(listener);
    let tunnel = tunnel("portChecks", json!({"address": server.to_string()})).await;
    has(&tunnel, Precedence::Failed, false).await;
    let _listener = TcpListener::bind(server).await.expect("a port");
    has(&tunnel, Precedence::Default, true).await;
    tunnel.stop().await;
}

/// A server that says that it is well if it is, and if it is asked properly.
async fn web_server(is_well: Arc<AtomicBool>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let is_well = is_well.load(Ordering::SeqCst);
            let stream = BufReader::new(stream);
            tokio::spawn(async move { answer(stream, address, is_well).await });
        }
    });
    address
}

async fn answer(
    mut stream: impl AsyncBufRead + AsyncWrite + Unpin,
    address: SocketAddr,
    is_well: bool,
) -> std::io::Result<()> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_lowercase()),
        }
    }
    let mut body = [0; 4];
    stream.read_exact(&mut body).await?;
    let is_asked = lines[0] == "post /health?full=1 http/1.1"
        && lines.contains(&format!("host: {address}"))
        && body == *b"ping";
    let text = if is_well && is_asked {
        "I am well"
    } else {
        "I am not"
    };
    let length = text.len();
    let head = format!("HTTP/1.1 201 Created\r\nContent-Length: {length}\r\n\r\n{text}");
    stream.write_all(head.as_bytes()).await?;
    stream.shutdown().await
}

#[tokio::test]
async fn the_text_of_an_answer_counts() {
    let is_well = Arc::new(AtomicBool::new(false));
    let server = web_server(Arc::clone(&is_well)).await;
    let check = json!({
        "url": format!("http://{server}/health?full=1"),
        "method": "POST",
        "body": "ping",
        "expectStatus": 201,
        "expectInBody": "am well",
    });
    let tunnel = tunnel("httpChecks", check).await;
    has(&tunnel, Precedence::Failed, false).await;
    is_well.store(true, Ordering::SeqCst);
    has(&tunnel, Precedence::Default, true).await;
    tunnel.stop().await;
}

#[tokio::test]
async fn the_status_of_an_answer_counts() {
    let server = web_server(Arc::new(AtomicBool::new(true))).await;
    let check = json!({
        "url": format!("http://{server}/health?full=1"),
        "method": "POST",
        "body": "ping",
        "expectStatus": 200,
    });
    let tunnel = tunnel("httpChecks", check).await;
    has(&tunnel, Precedence::Failed, false).await;
    tunnel.stop().await;
}

/// A server with TLS that is always well, and settings for clients that trust it.
async fn secure_server() -> (SocketAddr, Arc<ClientConfig>) {
    let names = vec!["localhost".to_owned()];
    let certified = rcgen::generate_simple_self_signed(names).expect("a certificate");
    let certificate = certified.cert.der().clone();
    let key = PrivatePkcs8KeyDer::from(certified.signing_key.serialize_der());
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone()).expect("a root");
    let client = ClientConfig::builder().with_root_certificates(roots);
    let server = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .expect("settings");
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            if let Ok(stream) = acceptor.accept(stream).await {
                let _lost = answer(BufReader::new(stream), address, true).await;
            }
        }
    });
    (address, Arc::new(client.with_no_client_auth()))
}

#[tokio::test]
async fn https_needs_a_certificate_that_is_trusted() {
    let (server, tls) = secure_server().await;
    let check = json!({
        "url": format!("https://localhost:{}/health", server.port()),
        "method": "POST",
        "body": "ping",
        "expectStatus": 201,
        "expectInBody": "I am",
    });
    let trusting = TunnelOptions {
        tls: Some(tls),
        ..TunnelOptions::default()
    };
    let trusting = tunnel_with(trusting, "httpChecks", check.clone()).await;
    has(&trusting, Precedence::Default, true).await;
    trusting.stop().await;
    let without = tunnel("httpChecks", check).await;
    has(&without, Precedence::Failed, false).await;
    without.stop().await;
}
