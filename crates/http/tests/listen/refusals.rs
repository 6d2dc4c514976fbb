//! Requests that no route ever sees, and those that are understood although they break a rule.

use portcullis_http::listen::{Limits, Quotas};

use crate::client::{Client, Stream, closed, get, hear, say};
use crate::controller::Served;
use crate::server::{Server, soon};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// What the server's `/target` says it was asked for.
async fn target(stream: &mut Stream, target: &[u8]) -> String {
    let head = [b"GET ", target, b" HTTP/1.1\r\nHost: a\r\n\r\n"].concat();
    let reply = say(stream, &head).await;
    assert_eq!(reply.status, 200, "{}", String::from_utf8_lossy(target));
    reply.text().to_owned()
}

#[tokio::test]
async fn raw_characters_in_a_target_are_percent_encoded() {
    let server = Server::start(Limits::default());
    let mut stream = Client::new().connect(server.address).await;
    for (sent, understood) in [
        (
            &b"/target?filter=name=\"x\"&a=<b>"[..],
            "/target?filter=name=%22x%22&a=%3Cb%3E",
        ),
        (b"/target?a=b#c", "/target?a=b%23c"),
        (b"/target?a=`\\^{|}[]", "/target?a=%60\\^{|}[]"),
        ("/target?é".as_bytes(), "/target?%C3%A9"),
        (b"/target?\xE9", "/target?%E9"),
        (b"/target?a=%22b", "/target?a=%22b"),
    ] {
        assert_eq!(target(&mut stream, sent).await, understood);
    }
    for at in [3, 13, 22] {
        let head = b"GET /target?f=n=\"x\" HTTP/1.1\r\nHost: a\r\n\r\n";
        let (first, second) = head.split_at(at);
        for part in [first, second] {
            soon(stream.write_all(part)).await.unwrap();
            soon(stream.flush()).await.unwrap();
        }
        assert_eq!(hear(&mut stream).await.text(), "/target?f=n=%22x%22");
    }
}

#[tokio::test]
async fn refused_request_takes_its_turn() {
    let server = Server::start(Limits::default());
    let mut stream = Client::new().connect(server.address).await;
    let both = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none\
                 GET /a b HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
    soon(stream.write_all(both)).await.unwrap();
    assert_eq!(hear(&mut stream).await.text(), "one");
    let refused = hear(&mut stream).await;
    assert_eq!((refused.status, refused.closes()), (400, true));
    closed(&mut stream).await;
}

#[tokio::test]
async fn refused_head_request_is_answered_without_a_body() {
    let served = Served::start(portcullis_http::routes::all()).await;
    let mut stream = served.connect().await;
    let head = b"HEAD /a b HTTP/1.1\r\nHost: a\r\n\r\n";
    soon(stream.write_all(head)).await.unwrap();
    soon(stream.flush()).await.unwrap();
    let mut text = Vec::new();
    soon(stream.read_to_end(&mut text)).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.starts_with("HTTP/1.1 400 "), "{text}");
    assert!(text.ends_with("\r\n\r\n"), "{text}");
}

#[tokio::test]
async fn late_head_is_refused_with_an_envelope() {
    let limits = Limits {
        header_read: Duration::from_millis(300),
        ..Limits::default()
    };
    let routes = portcullis_http::routes::all();
    let served = Served::start_with(&Quotas::default(), limits, routes).await;
    let mut stream = served.connect().await;
    let reply = say(&mut stream, b"GET /edge/client/v1/version HTTP/1.1\r\n").await;
    assert_eq!((reply.status, reply.closes()), (408, true));
    let body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
    let error = &body["error"];
    assert_eq!(error["code"], "COULD_NOT_VALIDATE", "{error}");
    assert_eq!(error["cause"]["field"], "headers", "{error}");
    assert!(!error["requestId"].as_str().unwrap().is_empty(), "{error}");
    closed(&mut stream).await;
}

#[tokio::test]
async fn refusals_before_routing_have_an_envelope() {
    let served = Served::start(portcullis_http::routes::all()).await;
    let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "a".repeat(66_000));
    let large = format!("GET / HTTP/1.1\r\na: {}\r\n\r\n", "b".repeat(100_000));
    let many = format!(
        "GET / HTTP/1.1\r\nHost: a\r\n{}\r\n",
        "a: b\r\n".repeat(100)
    );
    let two = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na";
    for (text, status, field) in [
        ("\x16\x03\x01 nonsense\r\n", 400, "request line"),
        ("GET /a b HTTP/1.1\r\n\r\n", 400, "request line"),
        ("GET / HTTP/1.1\r\nno colon\r\n\r\n", 400, "headers"),
        ("GET / HTTP/1.1\r\n\r\n", 400, "Host"),
        (two, 400, "Content-Length"),
        (&long, 414, "request target"),
        (&large, 431, "headers"),
        (&many, 431, "headers"),
    ] {
        let mut stream = served.connect().await;
        let reply = say(&mut stream, text.as_bytes()).await;
        assert_eq!((reply.status, reply.closes()), (status, true), "{field}");
        let body: serde_json::Value = serde_json::from_slice(&reply.body).unwrap();
        let error = &body["error"];
        assert_eq!(error["code"], "COULD_NOT_VALIDATE", "{error}");
        assert_eq!(error["cause"]["field"], field, "{error}");
        assert!(!error["requestId"].as_str().unwrap().is_empty(), "{error}");
        closed(&mut stream).await;
    }
    let mut stream = served.connect().await;
    let reply = get(&mut stream, "/edge/client/v1/version?a=\"<>").await;
    assert_eq!(reply.status, 200);
}
