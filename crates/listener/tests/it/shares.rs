//! What clients share: whoever takes most loses first, and who takes nothing is not waited for.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Empty};
use hyper::client::conn::http2::{Builder, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use portcullis_listener::{Http2Limits, Limits, Quota, Quotas};
use portcullis_testkit::tls_client::{Client, Stream, closed, get, hear, say, soon};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::task::JoinHandle;

use crate::server::{LARGE, Server};

const MIB: usize = 1024 * 1024;

fn quota(total: usize, per_peer: usize) -> Quota {
    Quota { total, per_peer }
}

/// Bounds that ask a client for a sign of life much more often than it has to take something.
fn asking_often(answer_stall: Duration) -> Limits {
    Limits {
        response_stall: answer_stall,
        http2: Http2Limits {
            ping_interval: Duration::from_millis(50),
            ..Http2Limits::default()
        },
        ..Limits::default()
    }
}

/// An HTTP/2 connection on which there is never room for a body; its client answers every PING.
struct Shut {
    sender: SendRequest<Empty<Bytes>>,
    connection: JoinHandle<()>,
    asking: Vec<JoinHandle<()>>,
}

impl Shut {
    async fn connect(server: &Server, from: &str) -> Self {
        let client = Client::build(None, rustls::ALL_VERSIONS, &["h2"]);
        let stream = client.connect_from(server.address, from).await;
        let mut builder = Builder::new(TokioExecutor::new());
        builder.initial_stream_window_size(0);
        let (sender, connection) = soon(builder.handshake(TokioIo::new(stream))).await.unwrap();
        let connection = tokio::spawn(async move {
            let _ = connection.await;
        });
        Self {
            sender,
            connection,
            asking: Vec::new(),
        }
    }

    /// Asks for a path and waits for the body as long as the connection lasts.
    fn ask(&mut self, server: &Server, path: &str) {
        let uri = format!("https://localhost:{}{path}", server.address.port());
        let request = Request::get(uri).body(Empty::new()).unwrap();
        let answer = self.sender.send_request(request);
        self.asking.push(tokio::spawn(async move {
            if let Ok(answer) = answer.await {
                let _ = answer.into_body().collect().await;
            }
        }));
    }

    async fn ended(self) {
        soon(self.connection).await.unwrap();
    }
}

/// Asks for a path and reads nothing of the answer.
async fn ask(stream: &mut Stream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    soon(stream.write_all(request.as_bytes())).await.unwrap();
    soon(stream.flush()).await.unwrap();
}

async fn connect(server: &Server, from: &str) -> Stream {
    Client::anonymous().connect_from(server.address, from).await
}

#[tokio::test]
async fn window_that_never_opens_ends_the_connection() {
    let server = Server::start(asking_often(Duration::from_millis(500)));
    for path in ["/large", "/", "/endless"] {
        let mut shut = Shut::connect(&server, "127.0.0.1").await;
        shut.ask(&server, path);
        shut.ended().await;
    }
}

#[tokio::test]
async fn stream_that_is_taken_does_not_keep_others_for_ever() {
    let server = Server::start(Limits {
        response_total: Duration::from_millis(500),
        ..asking_often(Duration::from_mins(10))
    });
    let mut shut = Shut::connect(&server, "127.0.0.1").await;
    shut.ask(&server, "/large");
    // Answers without a body need no window.
    while !shut.connection.is_finished() {
        let uri = format!("https://localhost:{}/empty", server.address.port());
        let request = Request::get(uri).body(Empty::new()).unwrap();
        let _ = soon(shut.sender.send_request(request)).await;
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn reader_of_a_few_bytes_now_and_then_is_dropped() {
    let server = Server::start(Limits {
        response_stall: Duration::from_millis(500),
        ..Limits::default()
    });
    let mut stream = connect(&server, "127.0.0.1").await;
    ask(&mut stream, "/endless").await;
    let reading = async {
        let mut pause = tokio::time::interval(Duration::from_millis(50));
        while stream.read_u8().await.is_ok() {
            pause.tick().await;
        }
    };
    tokio::select! {
        () = reading => {},
        given_up = soon(server.signs.given_up.acquire()) => given_up.unwrap().forget(),
    }
}

#[tokio::test]
async fn answer_has_a_time_as_a_whole() {
    let server = Server::start(Limits {
        response_total: Duration::from_millis(500),
        ..Limits::default()
    });
    let mut stream = connect(&server, "127.0.0.1").await;
    ask(&mut stream, "/endless").await;
    let mut space = vec![0; 64 * 1024];
    let reading = async { while stream.read(&mut space).await.is_ok_and(|length| length > 0) {} };
    soon(reading).await;
    soon(server.signs.given_up.acquire())
        .await
        .unwrap()
        .forget();
}

#[tokio::test]
async fn whoever_has_most_connections_makes_room_for_others() {
    let quotas = Quotas {
        connections: quota(5, 5),
        ..Quotas::default()
    };
    let server = Server::start_within(&quotas, Limits::default());
    let mut waiting = connect(&server, "127.0.0.1").await;
    ask(&mut waiting, "/gate").await;
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    let mut unread = connect(&server, "127.0.0.1").await;
    ask(&mut unread, "/large").await;
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    let mut idle = Vec::new();
    for _ in 0..2 {
        let mut stream = connect(&server, "127.0.0.1").await;
        assert_eq!(get(&mut stream, "/").await.status, 200);
        idle.push(stream);
    }
    let mut other = connect(&server, "127.0.0.3").await;
    assert_eq!(get(&mut other, "/").await.status, 200);

    // The longest idle goes first, then the other one.
    let mut newcomers = Vec::new();
    for stream in &mut idle {
        let mut newcomer = connect(&server, "127.0.0.2").await;
        assert_eq!(get(&mut newcomer, "/").await.status, 200);
        closed(stream).await;
        newcomers.push(newcomer);
    }
    assert_eq!(get(&mut other, "/").await.status, 200);
    // Both peers have two now; of all that they have, the oldest without a use.
    let mut last = connect(&server, "127.0.0.4").await;
    assert_eq!(get(&mut last, "/").await.status, 200);
    closed(&mut newcomers[0]).await;
    // Then the one whose answer is not taken.
    let mut very_last = connect(&server, "127.0.0.5").await;
    assert_eq!(get(&mut very_last, "/").await.status, 200);
    let mut taken = Vec::new();
    assert!(soon(unread.read_to_end(&mut taken)).await.is_err() || taken.len() < LARGE);
    server.signs.leave.add_permits(1);
    let reply = hear(&mut waiting).await;
    assert_eq!(reply.text(), "through");
}

#[tokio::test]
async fn one_peer_has_no_more_connections_than_its_share() {
    let quotas = Quotas {
        connections: quota(100, 2),
        ..Quotas::default()
    };
    let server = Server::start_within(&quotas, Limits::default());
    let mut other = connect(&server, "127.0.0.2").await;
    assert_eq!(get(&mut other, "/").await.status, 200);
    let mut streams = Vec::new();
    for number in 0..5 {
        let mut stream = connect(&server, "127.0.0.1").await;
        assert_eq!(get(&mut stream, "/").await.status, 200);
        streams.push(stream);
        if number >= 2 {
            closed(&mut streams[number - 2]).await;
        }
    }
    assert_eq!(get(&mut other, "/").await.status, 200);
}

/// Begins a header block of HTTP/2 that counts as the largest head, and does not end it.
async fn begin_block(server: &Server, from: &str) -> Stream {
    let client = Client::build(None, rustls::ALL_VERSIONS, &["h2"]);
    let mut stream = client.connect_from(server.address, from).await;
    let mut frames = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    frames.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    frames.extend([0, 0, 3, 1, 0, 0, 0, 0, 1, 0x82, 0x87, 0x84]);
    soon(stream.write_all(&frames)).await.unwrap();
    soon(stream.flush()).await.unwrap();
    stream
}

/// Reads until the server closes.
async fn drained(stream: &mut Stream) {
    let _ = soon(stream.read_to_end(&mut Vec::new())).await;
}

#[tokio::test]
async fn unfinished_heads_cost_nobody_else_a_connection() {
    // Room for five header blocks.
    let quotas = Quotas {
        request_heads: quota(400 * 1024, 400 * 1024),
        ..Quotas::default()
    };
    let server = Server::start_within(&quotas, Limits::default());
    let mut honest = connect(&server, "127.0.0.1").await;
    let head = format!(
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: {}",
        "x".repeat(3000)
    );
    soon(honest.write_all(head.as_bytes())).await.unwrap();
    soon(honest.flush()).await.unwrap();
    let mut flood = Vec::new();
    for _ in 0..12 {
        flood.push(begin_block(&server, "127.0.0.2").await);
    }
    // Of the flood the first go, and nobody else does.
    for stream in &mut flood[..6] {
        drained(stream).await;
    }
    let reply = say(&mut honest, b"\r\n\r\n").await;
    assert_eq!(reply.status, 200);
}

#[tokio::test]
async fn bytes_that_nobody_takes_are_bounded() {
    let quotas = Quotas {
        unread_responses: quota(8 * MIB, 4 * MIB),
        ..Quotas::default()
    };
    // Time alone would not end them.
    let server = Server::start_within(&quotas, asking_often(Duration::from_mins(10)));
    let mut hogs = Vec::new();
    for from in ["127.0.0.1", "127.0.0.2"] {
        let mut shut = Shut::connect(&server, from).await;
        for _ in 0..3 {
            shut.ask(&server, "/large");
            soon(server.signs.entered.acquire()).await.unwrap().forget();
        }
        hogs.push(shut);
    }
    // A client within its share has its answers, whatever others leave.
    let mut honest = connect(&server, "127.0.0.3").await;
    for _ in 0..3 {
        let reply = get(&mut honest, "/large").await;
        assert_eq!((reply.status, reply.body.len()), (200, LARGE));
    }
    assert!(hogs.iter().all(|hog| !hog.connection.is_finished()));

    // One beyond its own share is closed, and nobody else.
    let mut greedy = hogs.remove(0);
    for _ in 0..2 {
        greedy.ask(&server, "/large");
    }
    greedy.ended().await;
    assert!(!hogs[0].connection.is_finished());

    // When all together have too much, the one that has most is closed.
    let mut others = Vec::new();
    for from in ["127.0.0.4", "127.0.0.5", "127.0.0.6"] {
        let mut shut = Shut::connect(&server, from).await;
        for _ in 0..2 {
            shut.ask(&server, "/large");
        }
        others.push(shut);
    }
    hogs.remove(0).ended().await;
    assert!(others.iter().all(|other| !other.connection.is_finished()));
}
