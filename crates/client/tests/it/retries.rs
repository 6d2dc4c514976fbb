//! Requests that are sent again, and those that are not.

use crate::certificates::Authority;
use crate::server::{Say, Server};
use portcullis_client::{Api, Body, Client, ClientError, Endpoint, Method, RetryPolicy, Trust};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;

const BUSY: &str = r#"{"error":{"code":"RATE_LIMITED","message":"m","requestId":"r"},"meta":{}}"#;

/// Three attempts without much waiting.
fn policy() -> RetryPolicy {
    RetryPolicy::standard()
        .max_attempts(3)
        .delays(Duration::from_millis(1), Duration::from_millis(2))
}

/// How often a request to such a server is sent, and what comes of it.
async fn send(say: Say, method: Method) -> (usize, Result<u16, ClientError>) {
    let authority = Authority::new();
    let server = Server::start(&authority.issue("localhost"), &authority, say).await;
    let client = Client::builder(&server.url(), Trust::anchors([authority.certificate]))
        .retry(policy())
        .timeout(Duration::from_millis(300))
        .build()
        .unwrap();
    let endpoint = Endpoint::new(Api::Management, "x");
    let reply = client.send(method, &endpoint, Body::empty()).await;
    (
        server.seen().requests.len(),
        reply.map(|reply| reply.status.as_u16()),
    )
}

#[tokio::test]
async fn busy_controller_is_asked_again_if_it_says_when() {
    let later = |status| Say::AnswerLater(status, BUSY);
    for (say, sent) in [
        (later(429), 3),
        (later(503), 3),
        (later(400), 1),
        (Say::Answer(429, BUSY), 1),
        (Say::Answer(503, BUSY), 1),
        (Say::Answer(200, "{}"), 1),
    ] {
        for method in [Method::GET, Method::POST] {
            assert_eq!(send(say.clone(), method).await.0, sent);
        }
    }
}

#[tokio::test]
async fn request_without_an_answer_is_sent_again_if_that_changes_nothing() {
    for (method, sent) in [
        (Method::GET, 3),
        (Method::DELETE, 3),
        (Method::PUT, 3),
        (Method::POST, 1),
        (Method::PATCH, 1),
    ] {
        let (seen, outcome) = send(Say::Nothing, method.clone()).await;
        assert_eq!(seen, sent, "{method}");
        assert!(matches!(outcome, Err(ClientError::Interrupted { .. })));
    }
}

/// How often a request to nobody is sent.
async fn attempts(policy: RetryPolicy) -> usize {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("https://127.0.0.1:{port}").parse().unwrap();
    let attempts = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&attempts);
    let client = Client::builder(&url, Trust::anchors([Authority::new().certificate]))
        .retry(policy)
        .observe(Arc::new(move |_| {
            counter.fetch_add(1, Ordering::Relaxed);
        }))
        .build()
        .unwrap();
    let endpoint = Endpoint::new(Api::Management, "x");
    let outcome = client.send(Method::POST, &endpoint, Body::empty()).await;
    assert!(matches!(outcome, Err(ClientError::Unreachable { .. })));
    attempts.load(Ordering::Relaxed)
}

#[tokio::test]
async fn controller_that_is_not_there_yet_is_asked_again() {
    assert_eq!(attempts(policy()).await, 3);
    assert_eq!(attempts(RetryPolicy::never()).await, 1);
}
