//! Connections: kept, lost, refused.

use crate::certificates::Authority;
use crate::server::{Say, Server};
use portcullis_client::{Client, ClientError, Trust};
use std::io;
use std::time::Duration;
use tokio::net::TcpListener;

const VERSION: &str = r#"{"data":{"version":"v2.1.0"},"meta":{}}"#;

async fn start(say: Say) -> (Server, Client) {
    let authority = Authority::new();
    let server = Server::start(&authority.issue("localhost"), &authority, say).await;
    let trust = Trust::anchors([authority.certificate]);
    let client = Client::builder(&server.url(), trust)
        .timeout(Duration::from_secs(30))
        .build()
        .unwrap();
    (server, client)
}

#[tokio::test]
async fn connection_is_used_again() {
    let (server, client) = start(Say::Answer(200, VERSION)).await;
    for _ in 0..3 {
        client.version().await.unwrap();
    }
    assert_eq!(
        (server.seen().connections, server.seen().requests.len()),
        (1, 3)
    );
}

#[tokio::test]
async fn copies_ask_at_the_same_time() {
    let (server, client) = start(Say::Answer(200, VERSION)).await;
    let copy = client.with_session("s".into());
    let (one, other) = tokio::join!(client.version(), copy.version());
    assert!(one.is_ok() && other.is_ok());
    assert_eq!(server.seen().requests.len(), 2);
}

#[tokio::test]
async fn connection_that_the_server_closed_is_made_anew() {
    let (server, client) = start(Say::AnswerAndClose(200, VERSION)).await;
    for _ in 0..3 {
        client.version().await.unwrap();
    }
    assert_eq!(
        (server.seen().connections, server.seen().requests.len()),
        (3, 3)
    );
}

#[tokio::test]
async fn silence_ends_with_the_time() {
    let authority = Authority::new();
    let server = Server::start(&authority.issue("localhost"), &authority, Say::Nothing).await;
    let client = Client::builder(&server.url(), Trust::anchors([authority.certificate]))
        .timeout(Duration::from_millis(200))
        .build()
        .unwrap();
    match client.version().await.unwrap_err() {
        ClientError::Interrupted { source, .. } => {
            assert_eq!(source.kind(), io::ErrorKind::TimedOut);
        },
        other => panic!("{other}"),
    }
}

#[tokio::test]
async fn nobody_listens() {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let authority = Authority::new();
    let url = format!("https://127.0.0.1:{port}").parse().unwrap();
    let client = Client::builder(&url, Trust::anchors([authority.certificate]))
        .build()
        .unwrap();
    let error = client.version().await.unwrap_err();
    assert!(matches!(&error, ClientError::Unreachable { .. }), "{error}");
    let text = error.to_string();
    assert_eq!(
        text,
        format!("the controller at 127.0.0.1:{port} cannot be reached")
    );
}
