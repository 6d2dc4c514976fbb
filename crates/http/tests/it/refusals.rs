//! Requests that the listener refuses and the controller answers.

use std::time::Duration;

use portcullis_listener::{Limits, Quotas};
use portcullis_testkit::tls_client::{closed, get, say, soon};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::controller::Served;

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
