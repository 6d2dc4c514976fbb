//! Requests to the controller's service over TLS.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use http::Method;
use portcullis_app::App;
use portcullis_http::path::Api;
use portcullis_http::response::ApiResponse;
use portcullis_http::route::{Call, NoBody, Route, RouteTable, public};
use portcullis_http::{AppState, BuildInfo, ControllerService, routes};
use portcullis_listener::{Budgets, Limits, Listener, Quota, Quotas, ServerTls, TlsVersion};
use portcullis_testkit::tls_client::{Client, Pair, Stream, get, hear, say, soon};
use portcullis_testkit::{ADMIN, Harness, PASSWORD};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

const API: &str = "/edge/client/v1";

/// A controller that serves `routes`.
pub(crate) struct Served {
    address: SocketAddr,
    harness: Harness,
    _shutdown: tokio_util::sync::DropGuard,
}

impl Served {
    pub(crate) async fn start(routes: Vec<Route>) -> Self {
        Self::start_within(&Quotas::default(), routes).await
    }

    async fn start_within(quotas: &Quotas, routes: Vec<Route>) -> Self {
        Self::start_with(quotas, Limits::default(), routes).await
    }

    pub(crate) async fn start_with(quotas: &Quotas, limits: Limits, routes: Vec<Route>) -> Self {
        let budgets = Budgets::new(quotas);
        let harness = Harness::start().await;
        let state = AppState {
            app: Arc::clone(&harness.app),
            build: BuildInfo {
                version: "0.0.0",
                build_date: "2031-01-01T00:00:00Z",
                revision: "test",
                runtime: "rust",
            },
            addresses: Vec::new(),
            instance_id: "instance".to_owned(),
            management_channel: None,
            tracer: None,
        };
        let table = RouteTable::new(routes, &[Api::Client]).unwrap();
        let controller = ControllerService::with_budgets(Arc::new(state), table, budgets.clone());
        let pair = Pair::named(&["localhost"]);
        let pair = ServerTls::certified_key(pair.chain(), pair.key()).unwrap();
        let tls = ServerTls::new(vec![pair], TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
        let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, shutdown) = (listener.local_addr(), CancellationToken::new());
        tokio::spawn(listener.with_budgets(budgets).serve(
            Arc::new(controller),
            Arc::new(tls),
            limits,
            shutdown.clone(),
        ));
        Self {
            address,
            harness,
            _shutdown: shutdown.drop_guard(),
        }
    }

    pub(crate) fn app(&self) -> &App {
        &self.harness.app
    }

    pub(crate) async fn connect(&self) -> Stream {
        Client::anonymous().connect(self.address).await
    }
}

/// The head of a login, up to its body.
fn login(framing: &str) -> String {
    format!(
        "POST {API}/authenticate?method=password HTTP/1.1\r\nHost: localhost\r\n\
         Content-Type: application/json\r\n{framing}\r\n\r\n"
    )
}

#[tokio::test]
async fn silent_strangers_keep_nobody_out() {
    let served = Served::start(routes::all()).await;
    let mut silent = Vec::new();
    for framing in ["Transfer-Encoding: chunked", "Content-Length: 16384"] {
        for _ in 0..300 {
            let mut stream = served.connect().await;
            let head = login(framing);
            soon(stream.write_all(head.as_bytes())).await.unwrap();
            soon(stream.flush()).await.unwrap();
            silent.push(stream);
        }
    }
    let body = format!("{{\"username\":\"{ADMIN}\",\"password\":\"{PASSWORD}\"}}");
    let head = login(&format!("Content-Length: {}", body.len()));
    let mut stream = served.connect().await;
    let reply = say(&mut stream, format!("{head}{body}").as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
}

#[tokio::test]
async fn login_is_no_longer_than_it_has_to_be() {
    let served = Served::start(routes::all()).await;
    for (length, expected) in [(32 * 1024, 400), (32 * 1024 + 1, 413)] {
        let body = " ".repeat(length);
        let text = login(&format!("Content-Length: {length}")) + &body;
        let mut stream = served.connect().await;
        let reply = say(&mut stream, text.as_bytes()).await;
        assert_eq!(reply.status, expected, "{length}");
    }
}

/// Logs the administrator in and returns the token.
pub(crate) async fn log_in(served: &Served) -> String {
    let body = format!("{{\"username\":\"{ADMIN}\",\"password\":\"{PASSWORD}\"}}");
    let head = login(&format!("Content-Length: {}", body.len()));
    let mut stream = served.connect().await;
    let reply = say(&mut stream, format!("{head}{body}").as_bytes()).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let token = reply.text().split("\"token\":\"").nth(1).unwrap();
    token.split('"').next().unwrap().to_owned()
}

/// The head of a request within a session that announces a body.
fn upload(request: &str, token: &str, length: usize) -> String {
    format!(
        "{request} HTTP/1.1\r\nHost: localhost\r\nzt-session: {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    )
}

#[tokio::test]
async fn body_without_a_use_is_not_waited_for() {
    let served = Served::start(routes::all()).await;
    let token = log_in(&served).await;
    for path in ["current-identity", "services"] {
        let mut stream = served.connect().await;
        let head = upload(&format!("GET {API}/{path}"), &token, 1024 * 1024);
        let reply = say(&mut stream, head.as_bytes()).await;
        assert_eq!((reply.status, reply.closes()), (200, true), "{path}");
        let mut stream = served.connect().await;
        let head = upload(&format!("GET {API}/{path}"), &token, 1024 * 1024 + 1);
        assert_eq!(
            say(&mut stream, head.as_bytes()).await.status,
            413,
            "{path}"
        );
        // Too much of whatever it is.
        let mut stream = served.connect().await;
        let head = head.replace("Content-Type: application/json\r\n", "");
        let reply = say(&mut stream, head.as_bytes()).await;
        assert_eq!(reply.status, 413, "{path} without a media type");
    }
}

#[tokio::test]
async fn bodies_of_sessions_are_bounded_and_the_largest_gives_way() {
    const KIB: usize = 1024;
    let quotas = Quotas {
        session_requests: Quota {
            total: 1024 * KIB,
            per_peer: 256 * KIB,
        },
        ..Quotas::default()
    };
    let served = Served::start_within(&quotas, routes::all()).await;
    let token = log_in(&served).await;
    let mut streams = Vec::new();
    for sent in [60, 130] {
        let mut stream = served.connect().await;
        let head = upload(&format!("POST {API}/sessions"), &token, 200 * KIB);
        let text = head + &" ".repeat(sent * KIB);
        soon(stream.write_all(text.as_bytes())).await.unwrap();
        soon(stream.flush()).await.unwrap();
        streams.push(stream);
    }
    // The third is more than there is left for the identity, and the second is larger.
    let mut third = served.connect().await;
    let head = upload(&format!("POST {API}/sessions"), &token, 100 * KIB);
    let text = head + &" ".repeat(100 * KIB);
    let reply = say(&mut third, text.as_bytes()).await;
    assert_eq!(reply.status, 400, "it was read: {}", reply.text());
    let reply = hear(&mut streams[1]).await;
    assert_eq!(reply.status, 429, "{}", reply.text());
    assert!(reply.head.contains("retry-after: 1"));
    let rest = " ".repeat(140 * KIB);
    assert_eq!(say(&mut streams[0], rest.as_bytes()).await.status, 400);
}

/// A handler that waits for leave and then says that it was done.
fn waiting(method: Method, signs: &Arc<[Semaphore; 3]>) -> Route {
    let signs = Arc::clone(signs);
    public::<NoBody, _, _>(method, "/waiting", move |_call: Call<(), NoBody>| {
        let signs = Arc::clone(&signs);
        async move {
            let [entered, leave, done] = &*signs;
            entered.add_permits(1);
            leave.acquire().await.unwrap().forget();
            done.add_permits(1);
            Ok(ApiResponse::empty())
        }
    })
}

#[tokio::test]
async fn only_changes_go_on_without_their_client() {
    let signs = Arc::new([const { Semaphore::const_new(0) }; 3]);
    let [entered, leave, done] = &*signs;
    let routes = vec![waiting(Method::GET, &signs), waiting(Method::PUT, &signs)];
    let served = Served::start(routes).await;
    for method in ["GET", "PUT"] {
        let mut stream = served.connect().await;
        let head = format!("{method} {API}/waiting HTTP/1.1\r\nHost: localhost\r\n\r\n");
        soon(stream.write_all(head.as_bytes())).await.unwrap();
        soon(entered.acquire()).await.unwrap().forget();
    }
    // Whoever is answered on a new connection comes after the end of the others was noticed.
    assert_eq!(get(&mut served.connect().await, "/none").await.status, 404);
    leave.add_permits(2);
    soon(done.acquire()).await.unwrap().forget();
    tokio::task::yield_now().await;
    assert_eq!(leave.available_permits(), 1, "nobody waited for the GET");
    assert_eq!(done.available_permits(), 0);
}

/// A log in memory.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn panic_of_a_handler_is_logged_with_its_request() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_writer(move || writer.clone())
        .finish();
    // For all tests of this process: what one thread logs first decides for the others.
    tracing::subscriber::set_global_default(subscriber).unwrap();
    let panics = |method| {
        public::<NoBody, _, _>(method, "/panic", |_call: Call<(), NoBody>| async {
            panic!("as asked")
        })
    };
    let served = Served::start(vec![panics(Method::GET), panics(Method::PUT)]).await;
    let mut stream = served.connect().await;
    for method in ["GET", "PUT"] {
        let head = format!("{method} {API}/panic HTTP/1.1\r\nHost: localhost\r\n\r\n");
        let reply = say(&mut stream, head.as_bytes()).await;
        assert_eq!(reply.status, 500);
        let id = reply
            .text()
            .split("\"requestId\":\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .unwrap_or_else(|| panic!("no id: {}", reply.text()))
            .to_owned();
        let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let line = log
            .lines()
            .find(|line| line.contains("panicked") && line.contains(&id));
        assert!(line.is_some_and(|line| line.contains("ERROR")), "{log}");
    }
}
