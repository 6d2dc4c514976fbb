//! Requests that are fine, and requests that are not.

use portcullis_listener::Limits;
use portcullis_testkit::tls_client::{Client, closed, get, hear, say, soon};

use crate::server::Server;
use tokio::io::AsyncWriteExt as _;

/// Says `text` on a connection of its own and expects `status` and the end of the connection.
async fn refused(server: &Server, text: &[u8], status: u16, what: &str) {
    let mut stream = Client::anonymous().connect(server.address).await;
    let reply = say(&mut stream, text).await;
    assert_eq!(reply.status, status, "{what}");
    assert!(reply.closes(), "{what}: {}", reply.head);
    closed(&mut stream).await;
}

#[tokio::test]
async fn connection_serves_request_after_request() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    for _ in 0..3 {
        let reply = get(&mut stream, "/").await;
        assert_eq!(
            (reply.status, reply.text(), reply.closes()),
            (200, "ok", false)
        );
    }
}

#[tokio::test]
async fn requests_sent_ahead_are_answered_in_order() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let both = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none\
                 POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\ntwo";
    soon(stream.write_all(both)).await.unwrap();
    assert_eq!(hear(&mut stream).await.text(), "one");
    assert_eq!(hear(&mut stream).await.text(), "two");
}

#[tokio::test]
async fn request_names_one_host() {
    let server = Server::start(Limits::default());
    for hosts in ["", "Host: a\r\nHost: a\r\n"] {
        let text = format!("GET / HTTP/1.1\r\n{hosts}\r\n");
        refused(&server, text.as_bytes(), 400, hosts).await;
    }
    let mut stream = Client::anonymous().connect(server.address).await;
    let reply = say(&mut stream, b"GET / HTTP/1.0\r\n\r\n").await;
    assert_eq!(reply.status, 200, "older clients need not");
}

#[tokio::test]
async fn request_with_two_lengths_is_refused() {
    let server = Server::start(Limits::default());
    let cases = [
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 3",
        "Transfer-Encoding: chunked\r\ncontent-length : 3",
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nContent-Length: 3",
        "Content-Length: 3, 3",
        "Content-Length: +3",
        "Transfer-Encoding: chunked, identity",
    ];
    for headers in cases {
        let text = format!("POST /echo HTTP/1.1\r\nHost: a\r\n{headers}\r\n\r\n0\r\n\r\n");
        refused(&server, text.as_bytes(), 400, headers).await;
    }
    // On a connection that has been used before, too.
    let mut stream = Client::anonymous().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    let text = format!(
        "POST /echo HTTP/1.1\r\nHost: a\r\n{}\r\n\r\n0\r\n\r\n",
        cases[0]
    );
    assert_eq!(say(&mut stream, text.as_bytes()).await.status, 400);
    closed(&mut stream).await;
}

#[tokio::test]
async fn chunked_request_is_served_again_and_again() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
                 3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    for _ in 0..3 {
        let reply = say(&mut stream, text).await;
        assert_eq!((reply.status, reply.text()), (200, "abcde"));
    }
}

#[tokio::test]
async fn chunked_request_may_be_sent_ahead() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n\
                 POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
                 3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
    soon(stream.write_all(text)).await.unwrap();
    for expected in ["ok", "abc", "ok"] {
        let reply = hear(&mut stream).await;
        assert_eq!((reply.status, reply.text()), (200, expected));
    }
}

#[tokio::test]
async fn oversized_head_is_refused() {
    let server = Server::start(Limits::default());
    let uri = |length: usize| format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(length));
    refused(&server, uri(66_000).as_bytes(), 414, "URI over 64 KiB").await;
    refused(&server, uri(1024 * 1024).as_bytes(), 431, "URI of 1 MiB").await;

    let lines = |count: usize| {
        let more = "a: b\r\n".repeat(count - 1);
        format!("GET / HTTP/1.1\r\nHost: a\r\n{more}\r\n")
    };
    refused(&server, lines(101).as_bytes(), 431, "101 headers").await;
    refused(&server, lines(100_000).as_bytes(), 431, "100 000 headers").await;
    let large = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(1024 * 1024));
    refused(&server, large.as_bytes(), 431, "header of 1 MiB").await;

    let mut stream = Client::anonymous().connect(server.address).await;
    assert_eq!(say(&mut stream, lines(100).as_bytes()).await.status, 200);
    assert_eq!(say(&mut stream, uri(60_000).as_bytes()).await.status, 200);
}

#[tokio::test]
async fn tunnels_and_echoes_are_refused() {
    let server = Server::start(Limits::default());
    let connect = b"CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n";
    refused(&server, connect, 405, "CONNECT").await;
    refused(
        &server,
        b"TRACE / HTTP/1.1\r\nHost: a\r\n\r\n",
        405,
        "TRACE",
    )
    .await;
}

#[tokio::test]
async fn upgrade_is_ignored() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n";
    assert_eq!(say(&mut stream, text).await.status, 200);
}

#[tokio::test]
async fn what_is_not_http_is_refused() {
    let server = Server::start(Limits::default());
    refused(&server, b"\x16\x03\x01 nonsense\r\n\r\n", 400, "nonsense").await;
    refused(
        &server,
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        400,
        "header without colon",
    )
    .await;
}

#[tokio::test]
async fn panic_is_an_answer_and_harms_nobody() {
    let server = Server::start(Limits::default());
    let mut bystander = Client::anonymous().connect(server.address).await;
    let request = b"GET /gate HTTP/1.1\r\nHost: a\r\n\r\n";
    soon(bystander.write_all(request)).await.unwrap();
    soon(server.signs.entered.acquire()).await.unwrap().forget();

    let mut stream = Client::anonymous().connect(server.address).await;
    for path in ["/panic", "/panic-at-once"] {
        let reply = get(&mut stream, path).await;
        assert_eq!((reply.status, reply.body.len()), (500, 0), "{path}");
    }
    assert_eq!(
        get(&mut stream, "/").await.status,
        200,
        "the same connection goes on"
    );

    server.signs.leave.add_permits(1);
    assert_eq!(hear(&mut bystander).await.text(), "through");
}
