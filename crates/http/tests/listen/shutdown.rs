//! The end of the listener.

use std::time::Duration;

use portcullis_http::listen::Limits;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{Client, Stream, closed, get, hear};
use crate::server::{Server, soon};

/// Sends a request that stays until it is let go.
async fn waiting(server: &Server) -> Stream {
    let mut stream = Client::new().connect(server.address).await;
    soon(stream.write_all(b"GET /gate HTTP/1.1\r\nHost: a\r\n\r\n"))
        .await
        .unwrap();
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    stream
}

#[tokio::test]
async fn running_request_finishes() {
    let handshake = Duration::from_mins(10);
    let server = Server::start(Limits {
        handshake,
        ..Limits::default()
    });
    let mut unused = Client::new().connect(server.address).await;
    assert_eq!(get(&mut unused, "/").await.status, 200);
    let mut half_open = soon(TcpStream::connect(server.address)).await.unwrap();
    let mut running = waiting(&server).await;

    server.shutdown.cancel();

    closed(&mut unused).await;
    closed(&mut half_open).await;
    assert!(
        soon(TcpStream::connect(server.address)).await.is_err(),
        "nothing new is accepted"
    );
    server.signs.leave.add_permits(1);
    let reply = hear(&mut running).await;
    assert_eq!((reply.text(), reply.closes()), ("through", true));
    closed(&mut running).await;
    server.ended().await;
}

#[tokio::test]
async fn stuck_request_is_given_up() {
    let drain = Duration::from_millis(300);
    let server = Server::start(Limits {
        drain,
        ..Limits::default()
    });
    let mut running = waiting(&server).await;

    server.shutdown.cancel();

    closed(&mut running).await;
    server.ended().await;
}
