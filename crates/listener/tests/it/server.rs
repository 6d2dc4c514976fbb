//! A listener with a small service behind it.

use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use portcullis_listener::{
    Body, BodyError, Budgets, Connection, Limits, Listener, Pace, Quotas, ResponseBodyError,
    ServerTls, ServiceResponse, TlsVersion, full_body,
};
use portcullis_testkit::tls_client::{Pair, soon};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Largest body that `/echo` takes.
pub(crate) const CAP: usize = 1024;

/// Bytes of the answer of `/large`.
pub(crate) const LARGE: usize = 1024 * 1024;

/// A running listener.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Arc<ServerTls>,
    pub(crate) signs: Arc<Signs>,
    pub(crate) shutdown: CancellationToken,
    task: JoinHandle<()>,
}

/// Signs between a test and the service.
pub(crate) struct Signs {
    /// One permit per request that has reached `/gate`.
    pub(crate) entered: Semaphore,
    /// One permit per request that may leave it.
    pub(crate) leave: Semaphore,
    /// One permit per endless answer that was given up.
    pub(crate) given_up: Semaphore,
}

impl Server {
    /// Starts a server with one certificate for `localhost`.
    pub(crate) fn start(limits: Limits) -> Self {
        Self::start_with(&[Pair::named(&["localhost"])], limits)
    }

    /// Starts a server whose clients share so much.
    pub(crate) fn start_within(quotas: &Quotas, limits: Limits) -> Self {
        let pairs = certified(&[Pair::named(&["localhost"])]);
        let tls = ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        Self::start_all(tls, quotas, limits)
    }

    /// Starts a server with certificates of the test's choosing.
    pub(crate) fn start_with(pairs: &[Pair], limits: Limits) -> Self {
        let tls = ServerTls::new(certified(pairs), TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        Self::start_tls(tls, limits)
    }

    /// Starts a server with TLS of the test's choosing.
    pub(crate) fn start_tls(tls: ServerTls, limits: Limits) -> Self {
        Self::start_all(tls, &Quotas::default(), limits)
    }

    fn start_all(tls: ServerTls, quotas: &Quotas, limits: Limits) -> Self {
        let (tls, shutdown) = (Arc::new(tls), CancellationToken::new());
        let signs = Arc::new(Signs {
            entered: Semaphore::new(0),
            leave: Semaphore::new(0),
            given_up: Semaphore::new(0),
        });
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let listener = listener.with_budgets(Budgets::new(quotas));
        let address = listener.local_addr();
        let shared = Arc::clone(&signs);
        let service = move |connection: Arc<Connection>, request: Request<Body>| {
            let shared = Arc::clone(&shared);
            assert_ne!(request.uri().path(), "/panic-at-once", "as asked");
            answer(connection, request, shared)
        };
        let serving = listener.serve(
            Arc::new(service),
            Arc::clone(&tls),
            limits,
            shutdown.clone(),
        );
        Self {
            address,
            tls,
            signs,
            shutdown,
            task: tokio::spawn(serving),
        }
    }

    /// Waits until the listener has returned.
    pub(crate) async fn ended(self) {
        soon(self.task).await.unwrap();
    }
}

/// Pairs chains with keys in the listener's form.
pub(crate) fn certified(pairs: &[Pair]) -> Vec<Arc<rustls::sign::CertifiedKey>> {
    let one = |pair: &Pair| ServerTls::certified_key(pair.chain(), pair.key()).unwrap();
    pairs.iter().map(one).collect()
}

async fn answer(
    connection: Arc<Connection>,
    request: Request<Body>,
    signs: Arc<Signs>,
) -> ServiceResponse {
    let path = request.uri().path().to_owned();
    match path.as_str() {
        "/facts" => text(StatusCode::OK, facts(&connection)),
        "/leaf" => {
            let leaf = connection.client_certificates.first();
            text(
                StatusCode::OK,
                leaf.map(|leaf| leaf.to_vec()).unwrap_or_default(),
            )
        },
        "/echo" => {
            let pace = Pace {
                grace: Duration::from_millis(300),
                ..Pace::default()
            };
            match request.into_body().read(CAP, &pace).await {
                Ok(bytes) => text(StatusCode::OK, bytes),
                Err(error) => {
                    let status = match error {
                        BodyError::TooLarge { .. } => StatusCode::PAYLOAD_TOO_LARGE,
                        BodyError::TooSlow => StatusCode::REQUEST_TIMEOUT,
                        BodyError::OutOfMemory => StatusCode::TOO_MANY_REQUESTS,
                        BodyError::Broken(_) => StatusCode::BAD_REQUEST,
                    };
                    text(status, error.to_string())
                },
            }
        },
        "/target" => text(StatusCode::OK, request.uri().to_string()),
        "/denied" => text(StatusCode::UNAUTHORIZED, "denied"),
        "/panic" => {
            tokio::task::yield_now().await;
            panic!("as asked")
        },
        "/gate" => {
            // With its body, which is not read.
            drop(request);
            signs.entered.add_permits(1);
            signs.leave.acquire().await.unwrap().forget();
            text(StatusCode::OK, "through")
        },
        "/large" => {
            signs.entered.add_permits(1);
            text(StatusCode::OK, vec![b'l'; LARGE])
        },
        "/empty" => text(StatusCode::OK, ""),
        "/endless" => Response::new(Endless(signs).boxed_unsync()),
        _ => text(StatusCode::OK, "ok"),
    }
}

fn text(status: StatusCode, body: impl Into<Bytes>) -> ServiceResponse {
    let mut answer = Response::new(full_body(body));
    *answer.status_mut() = status;
    answer
}

fn facts(connection: &Connection) -> String {
    format!(
        "{:?} {} {} certificates={} resumed={}",
        connection.tls_version,
        connection.alpn.map_or("none", |alpn| alpn.name()),
        connection.server_name.as_deref().unwrap_or("-"),
        connection.client_certificates.len(),
        connection.is_resumed,
    )
}

/// A body without end that tells when it is dropped.
struct Endless(Arc<Signs>);

impl hyper::body::Body for Endless {
    type Data = Bytes;
    type Error = ResponseBodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        _cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, ResponseBodyError>>> {
        static ZEROES: [u8; 65_536] = [0; 65_536];
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_static(&ZEROES)))))
    }
}

impl Drop for Endless {
    fn drop(&mut self) {
        self.0.given_up.add_permits(1);
    }
}
