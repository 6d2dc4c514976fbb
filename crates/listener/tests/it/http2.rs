//! HTTP/2 in what it does differently.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, Request, StatusCode, Version};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{SendRequest, handshake};
use hyper_util::rt::{TokioExecutor, TokioIo};
use portcullis_listener::{
    Body, Connection, Http2Limits, Limits, Listener, ServerTls, TlsVersion, full_body,
};
use portcullis_testkit::tls_client::{Client, Pair, get, soon};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::server::{CAP, Server, certified};

type Sender = SendRequest<Full<Bytes>>;

/// Connects and returns the sending side, and a task that ends with the connection.
async fn connect(server: &Server) -> (Sender, JoinHandle<()>) {
    let stream = Client::build(None, rustls::ALL_VERSIONS, &["h2"])
        .connect(server.address)
        .await;
    let (sender, connection) = soon(handshake(TokioExecutor::new(), TokioIo::new(stream)))
        .await
        .unwrap();
    let task = tokio::spawn(async move {
        let _ = connection.await;
    });
    (sender, task)
}

async fn send(sender: &mut Sender, request: Request<Full<Bytes>>) -> (StatusCode, Bytes) {
    let answer = soon(sender.send_request(request)).await.unwrap();
    let status = answer.status();
    (
        status,
        soon(answer.into_body().collect()).await.unwrap().to_bytes(),
    )
}

fn request(method: Method, path: &str, body: impl Into<Bytes>) -> Request<Full<Bytes>> {
    Request::builder()
        .method(method)
        .version(Version::HTTP_2)
        .uri(format!("https://localhost{path}"))
        .body(Full::new(body.into()))
        .unwrap()
}

#[tokio::test]
async fn requests_share_a_connection() {
    let server = Server::start(Limits::default());
    let (mut sender, _task) = connect(&server).await;
    let waiting = sender.send_request(request(Method::GET, "/gate", ""));
    soon(server.signs.entered.acquire()).await.unwrap().forget();

    let (status, body) = send(&mut sender, request(Method::GET, "/facts", "")).await;
    assert_eq!(status, 200);
    assert!(
        body.ends_with(b" h2 localhost certificates=0 resumed=false"),
        "{body:?}"
    );
    let (status, _) = send(&mut sender, request(Method::GET, "/panic", "")).await;
    assert_eq!(status, 500);
    let (status, body) = send(&mut sender, request(Method::POST, "/echo", "hello")).await;
    assert_eq!((status, body.as_ref()), (StatusCode::OK, &b"hello"[..]));

    server.signs.leave.add_permits(1);
    assert_eq!(soon(waiting).await.unwrap().status(), 200);
}

#[tokio::test]
async fn oversized_stream_does_not_end_the_connection() {
    let server = Server::start(Limits::default());
    let (mut sender, _task) = connect(&server).await;
    let large = vec![b'x'; CAP + 1];
    let (status, _) = send(&mut sender, request(Method::POST, "/echo", large)).await;
    assert_eq!(status, 413);

    let (status, _) = send(&mut sender, request(Method::GET, "/", "")).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn headers_that_are_too_large_cost_their_stream_alone() {
    let server = Server::start(Limits::default());
    let (mut sender, _task) = connect(&server).await;
    let mut heavy = request(Method::GET, "/", "");
    for number in 0..20 {
        let name = http::HeaderName::try_from(format!("x-{number}")).unwrap();
        heavy
            .headers_mut()
            .insert(name, "b".repeat(5000).parse().unwrap());
    }
    let refusal = soon(sender.send_request(heavy)).await;
    // By the library, which knows nothing of envelopes.
    let refusal = refusal.unwrap();
    assert_eq!(refusal.status(), 431);
    assert!(refusal.headers().get("content-type").is_none());

    let (status, _) = send(&mut sender, request(Method::GET, "/", "")).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn bodies_that_nobody_reads_leave_room_for_others() {
    let server = Server::start(Limits::default());
    let (mut sender, _task) = connect(&server).await;
    // More than the window of the connection together.
    let mut waiting = Vec::new();
    for _ in 0..8 {
        let unread = request(Method::POST, "/gate", vec![b'x'; 60 * 1024]);
        waiting.push(sender.send_request(unread));
        soon(server.signs.entered.acquire()).await.unwrap().forget();
    }
    let (status, body) = send(&mut sender, request(Method::POST, "/echo", "hello")).await;
    assert_eq!((status, body.as_ref()), (StatusCode::OK, &b"hello"[..]));
    server.signs.leave.add_permits(8);
    for answer in waiting {
        assert_eq!(soon(answer).await.unwrap().status(), 200);
    }
}

#[tokio::test]
async fn tunnel_is_refused() {
    let server = Server::start(Limits::default());
    let (mut sender, _task) = connect(&server).await;
    let connect = Request::connect("other.example:443")
        .body(Full::default())
        .unwrap();
    let answer = soon(sender.send_request(connect)).await.unwrap();
    assert_eq!(answer.status(), 405);
}

#[tokio::test]
async fn unused_connection_is_closed() {
    let idle = Duration::from_millis(300);
    let server = Server::start(Limits {
        idle,
        ..Limits::default()
    });
    let (mut sender, task) = connect(&server).await;
    assert_eq!(
        send(&mut sender, request(Method::GET, "/", "")).await.0,
        200
    );
    soon(task).await.unwrap();
}

/// Bounds under which the server asks for a sign of life more often than a connection may rest.
fn asking_often() -> Limits {
    Limits {
        header_read: Duration::from_millis(600),
        idle: Duration::from_millis(600),
        http2: Http2Limits {
            ping_interval: Duration::from_millis(100),
            ..Http2Limits::default()
        },
        ..Limits::default()
    }
}

#[tokio::test]
async fn signs_of_life_do_not_keep_an_unused_connection() {
    let server = Server::start(asking_often());
    let (mut sender, task) = connect(&server).await;
    assert_eq!(
        send(&mut sender, request(Method::GET, "/", "")).await.0,
        200
    );
    soon(task).await.unwrap();
}

#[tokio::test]
async fn connection_without_a_first_request_is_closed() {
    let server = Server::start(asking_often());
    let (_sender, task) = connect(&server).await;
    soon(task).await.unwrap();
}

#[tokio::test]
async fn running_request_is_no_rest() {
    let server = Server::start(asking_often());
    let (mut sender, _task) = connect(&server).await;
    let waiting = sender.send_request(request(Method::GET, "/gate", ""));
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    tokio::time::sleep(Duration::from_secs(1)).await;
    server.signs.leave.add_permits(1);
    assert_eq!(soon(waiting).await.unwrap().status(), 200);
}

#[tokio::test]
async fn shutdown_waits_for_a_running_request() {
    let server = Server::start(Limits::default());
    let (mut sender, task) = connect(&server).await;
    let waiting = sender.send_request(request(Method::GET, "/gate", ""));
    soon(server.signs.entered.acquire()).await.unwrap().forget();

    server.shutdown.cancel();
    server.signs.leave.add_permits(1);

    assert_eq!(soon(waiting).await.unwrap().status(), 200);
    soon(task).await.unwrap();
    server.ended().await;
}

#[tokio::test]
async fn shutdown_gives_a_stuck_request_up() {
    let drain = Duration::from_millis(300);
    let server = Server::start(Limits {
        drain,
        ..Limits::default()
    });
    let (mut sender, task) = connect(&server).await;
    let waiting = sender.send_request(request(Method::GET, "/gate", ""));
    soon(server.signs.entered.acquire()).await.unwrap().forget();

    server.shutdown.cancel();

    assert!(soon(waiting).await.is_err());
    soon(task).await.unwrap();
    server.ended().await;
}

/// A HEADERS frame with GET of `path`, made by hand: no client library takes such paths.
fn headers_frame(stream: u8, path: &str) -> Vec<u8> {
    let mut block = vec![0x82, 0x87];
    for (name, value) in [(4, path), (1, "localhost")] {
        block.extend([name, u8::try_from(value.len()).unwrap()]);
        block.extend(value.as_bytes());
    }
    let length = u8::try_from(block.len()).unwrap();
    let mut frame = vec![0, 0, length, 1, 0x5, 0, 0, 0, stream];
    frame.extend(block);
    frame
}

#[tokio::test]
async fn raw_characters_in_a_path_reset_their_stream_alone() {
    const HEADERS: u8 = 1;
    const RST_STREAM: u8 = 3;
    let server = Server::start(Limits::default());
    let client = Client::build(None, rustls::ALL_VERSIONS, &["h2"]);
    let mut stream = client.connect(server.address).await;
    let start = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    soon(stream.write_all(start)).await.unwrap();
    for (number, path) in [(1, "/target?f=\"x\""), (3, "/target?f=x")] {
        let frame = headers_frame(number, path);
        soon(stream.write_all(&frame)).await.unwrap();
    }
    let mut kinds = [0, 0];
    while kinds.contains(&0) {
        let mut head = [0; 9];
        soon(stream.read_exact(&mut head)).await.unwrap();
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut rest = vec![0; usize::try_from(length).unwrap()];
        soon(stream.read_exact(&mut rest)).await.unwrap();
        match head[8] {
            1 => kinds[0] = head[3],
            3 if kinds[1] == 0 => kinds[1] = head[3],
            _ => {},
        }
    }
    assert_eq!(kinds, [RST_STREAM, HEADERS]);
}

#[tokio::test]
async fn service_may_do_without_it() {
    let pairs = certified(&[Pair::named(&["localhost"])]);
    let tls = ServerTls::new(pairs, TlsVersion::Tls12, TlsVersion::Tls13).unwrap();
    let listener = Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = listener.local_addr();
    let service = async |_: Arc<Connection>, _: Request<Body>| http::Response::new(full_body("1"));
    let stop = CancellationToken::new();
    tokio::spawn(listener.serve_http1(Arc::new(service), Arc::new(tls), Limits::default(), stop));
    let client = |alpn: &[&str]| Client::build(None, rustls::ALL_VERSIONS, alpn);
    let mut stream = client(&["h2", "http/1.1"]).connect(address).await;
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(get(&mut stream, "/").await.text(), "1");
    assert!(
        client(&["h2"])
            .try_connect(address, "localhost")
            .await
            .is_err()
    );
}
