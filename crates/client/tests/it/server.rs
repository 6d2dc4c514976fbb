//! A server that says what a test wants said.

use crate::certificates::{Authority, Leaf};
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::server::WebPkiClientVerifier;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use url::Url;

/// What the server says to a request.
#[derive(Clone)]
pub(crate) enum Say {
    /// A status and a body, and the connection stays open.
    Answer(u16, &'static str),
    /// The same, and the connection is closed without a word about it.
    AnswerAndClose(u16, &'static str),
    /// A status and a body, and that the client may come again at once.
    AnswerLater(u16, &'static str),
    /// Success to requests with this text, and to others that their access token has expired.
    AnswerTo(&'static str, &'static str),
    /// Goes on with another protocol, which sends back what it gets.
    Echo,
    /// Nothing.
    Nothing,
}

/// A server on a free port.
pub(crate) struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

/// What the server has seen so far.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    pub(crate) connections: usize,
    /// Requests as text.
    pub(crate) requests: Vec<String>,
    /// Whether the last connection came with a client certificate.
    pub(crate) has_client_certificate: bool,
}

impl Server {
    /// Begins to serve with that certificate; whoever shows a client certificate of `clients` is
    /// known.
    pub(crate) async fn start(leaf: &Leaf, clients: &Authority, say: Say) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let acceptor = acceptor(leaf, clients);
        let log = Arc::clone(&seen);
        tokio::spawn(async move {
            loop {
                let (socket, _) = listener.accept().await.unwrap();
                tokio::spawn(serve(
                    acceptor.clone(),
                    socket,
                    Arc::clone(&log),
                    say.clone(),
                ));
            }
        });
        Self { address, seen }
    }

    /// Where the server is, under a name that its certificate may hold.
    pub(crate) fn url(&self) -> Url {
        let url = format!("https://localhost:{}", self.address.port());
        url.parse().unwrap()
    }

    pub(crate) fn seen(&self) -> Seen {
        self.seen.lock().unwrap().clone()
    }
}

fn acceptor(leaf: &Leaf, clients: &Authority) -> TlsAcceptor {
    let provider = Arc::new(aws_lc_rs::default_provider());
    let mut roots = RootCertStore::empty();
    roots.add(clients.certificate.clone()).unwrap();
    let verifier =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .unwrap();
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![leaf.certificate.clone()], leaf.key())
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

async fn serve(acceptor: TlsAcceptor, socket: TcpStream, seen: Arc<Mutex<Seen>>, say: Say) {
    // A client that does not trust the server ends here.
    let Ok(mut stream) = acceptor.accept(socket).await else {
        return;
    };
    {
        let mut seen = seen.lock().unwrap();
        seen.connections += 1;
        seen.has_client_certificate = stream.get_ref().1.peer_certificates().is_some();
    }
    while let Some(request) = read(&mut stream).await {
        seen.lock().unwrap().requests.push(request.clone());
        let is_good = |text: &str| request.contains(text);
        let (status, body, is_last) = match say {
            Say::AnswerTo(text, body) if is_good(text) => (200, body, false),
            Say::AnswerTo(..) => (401, "", false),
            Say::Answer(status, body) | Say::AnswerLater(status, body) => (status, body, false),
            Say::AnswerAndClose(status, body) => (status, body, true),
            Say::Echo => {
                let head = "HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: echo\r\n\r\n";
                stream.write_all(head.as_bytes()).await.unwrap();
                let (mut input, mut output) = tokio::io::split(stream);
                // The client may just go.
                let _ = tokio::io::copy(&mut input, &mut output).await;
                return;
            },
            Say::Nothing => return std::future::pending().await,
        };
        let length = body.len();
        let later = match say {
            Say::AnswerLater(..) => "retry-after: 0\r\n",
            Say::AnswerTo(..) if status == 401 => {
                "www-authenticate: Bearer realm=\"openziti-oidc\" error=\"expired\" x=\"y\"\r\n"
            },
            _ => "",
        };
        let answer =
            format!("HTTP/1.1 {status} X\r\n{later}content-length: {length}\r\n\r\n{body}");
        stream.write_all(answer.as_bytes()).await.unwrap();
        stream.flush().await.unwrap();
        if is_last {
            // The client may have gone as well.
            let _ = stream.shutdown().await;
            return;
        }
    }
}

/// Reads a request with its body; `None` when the client has gone.
async fn read(stream: &mut TlsStream<TcpStream>) -> Option<String> {
    let mut text = Vec::new();
    loop {
        text.push(stream.read_u8().await.ok()?);
        if text.ends_with(b"\r\n\r\n") {
            break;
        }
    }
    let head = String::from_utf8(text).unwrap();
    let length = head.split("content-length: ").nth(1);
    let length = length.and_then(|rest| rest.lines().next()).unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await.ok()?;
    Some(head + std::str::from_utf8(&body).unwrap())
}
