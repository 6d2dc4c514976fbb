//! A server that answers exactly what a test wants answered.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use rustls::RootCertStore;
use rustls::crypto::aws_lc_rs;
use rustls_pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// A key set, as far as a server knows.
pub(crate) const KEYS: &str = r#"{"keys":[]}"#;

/// What is sent for a request.
pub(crate) struct Reply {
    pub(crate) bytes: Vec<u8>,
    pub(crate) then: Then,
}

/// What happens after the bytes of a reply.
pub(crate) enum Then {
    /// The connection is closed.
    Close,
    /// Nothing, until the client leaves.
    Wait,
    /// The same bytes again and again, until the client leaves.
    Repeat(&'static [u8]),
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    signs: Arc<Signs>,
}

#[derive(Default)]
struct Signs {
    heads: Mutex<Vec<String>>,
    accepted: Mutex<usize>,
    left: Left,
}

/// One permit per connection that the client has left.
struct Left(Semaphore);

impl Default for Left {
    fn default() -> Self {
        Self(Semaphore::new(0))
    }
}

impl Reply {
    /// An answer with a body of known length.
    pub(crate) fn new(status: u16, headers: &str, body: &str) -> Self {
        let length = body.len();
        Self::raw(&format!(
            "HTTP/1.1 {status} Said\r\ncontent-length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    /// The key set.
    pub(crate) fn keys() -> Self {
        Self::new(200, "content-type: application/json\r\n", KEYS)
    }

    /// A redirect, with a body that nobody needs.
    pub(crate) fn moved(location: &str) -> Self {
        Self::new(302, &format!("location: {location}\r\n"), "moved")
    }

    /// Bytes as they are.
    pub(crate) fn raw(text: &str) -> Self {
        Self {
            bytes: text.into(),
            then: Then::Close,
        }
    }

    pub(crate) fn then(self, then: Then) -> Self {
        Self { then, ..self }
    }
}

impl Server {
    /// Starts a server at 127.0.0.1 that answers a path.
    pub(crate) async fn start(answer: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        Self::start_at("127.0.0.1:0", None, answer).await
    }

    /// Starts a server where a test wants it, with TLS if it has a certificate.
    pub(crate) async fn start_at(
        address: &str,
        identity: Option<&Identity>,
        answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap();
        let signs = Arc::<Signs>::default();
        let acceptor = identity.map(Identity::acceptor);
        let (shared, answer) = (Arc::clone(&signs), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                *shared.accepted.lock().unwrap() += 1;
                let (signs, answer) = (Arc::clone(&shared), Arc::clone(&answer));
                let acceptor = acceptor.clone();
                tokio::spawn(async move {
                    match acceptor {
                        None => serve(socket, &signs, answer.as_ref()).await,
                        Some(acceptor) => {
                            if let Ok(stream) = acceptor.accept(socket).await {
                                serve(stream, &signs, answer.as_ref()).await;
                            }
                        },
                    }
                });
            }
        });
        Self { address, signs }
    }

    /// The URL of `path` at `host`, which is the server by another name.
    pub(crate) fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.address.port())
    }

    /// Heads of the requests so far.
    pub(crate) fn heads(&self) -> Vec<String> {
        self.signs.heads.lock().unwrap().clone()
    }

    /// Number of connections so far.
    pub(crate) fn accepted(&self) -> usize {
        *self.signs.accepted.lock().unwrap()
    }

    /// Waits until a client has left before it was answered.
    pub(crate) async fn was_left(&self) {
        let left = self.signs.left.0.acquire();
        let left = tokio::time::timeout(Duration::from_secs(20), left).await;
        left.unwrap().unwrap().forget();
    }
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    signs: &Signs,
    answer: &(dyn Fn(&str) -> Reply + Send + Sync),
) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let Ok(byte) = stream.read_u8().await else {
            return;
        };
        head.push(byte);
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    signs.heads.lock().unwrap().push(head);
    let reply = answer(&path);
    let written = stream.write_all(&reply.bytes).await;
    match reply.then {
        Then::Close => drop(stream.shutdown().await),
        Then::Wait => while stream.read_u8().await.is_ok() {},
        Then::Repeat(bytes) if written.is_ok() => while stream.write_all(bytes).await.is_ok() {},
        Then::Repeat(_) => {},
    }
    signs.left.0.add_permits(1);
}

/// A certificate that vouches for itself, with its key.
pub(crate) struct Identity {
    certificate: CertificateDer<'static>,
    key: Vec<u8>,
    pem: String,
}

impl Identity {
    /// Makes a certificate for `names`, which may be addresses.
    pub(crate) fn named(names: &[&str]) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let key = KeyPair::generate().unwrap();
        let made = CertificateParams::new(names)
            .unwrap()
            .self_signed(&key)
            .unwrap();
        Self {
            certificate: made.der().clone(),
            key: key.serialize_der(),
            pem: made.pem(),
        }
    }

    /// Trust in this certificate alone.
    pub(crate) fn roots(&self) -> Arc<RootCertStore> {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        Arc::new(roots)
    }

    pub(crate) fn pem(&self) -> &str {
        &self.pem
    }

    fn acceptor(&self) -> TlsAcceptor {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let key = PrivatePkcs8KeyDer::from(self.key.clone());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![self.certificate.clone()], key.into())
            .unwrap();
        TlsAcceptor::from(Arc::new(config))
    }
}
