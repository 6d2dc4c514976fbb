//! Many connections, idle connections, connections that take nothing.

use std::time::Duration;

use portcullis_http::listen::{Limits, ListenError, Listener};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::client::{Client, closed, get, say};
use crate::server::{Server, soon};

/// Connections of the ordinary run.
const FLOOD: usize = 500;

#[tokio::test]
async fn silent_connections_end_at_the_deadline_and_hinder_nobody() {
    let handshake = Duration::from_secs(1);
    let server = Server::start(Limits {
        handshake,
        ..Limits::default()
    });
    let mut silent = Vec::new();
    for number in 0..FLOOD {
        let mut socket = soon(TcpStream::connect(server.address)).await.unwrap();
        if number % 2 == 0 {
            // The beginning of a ClientHello.
            soon(socket.write_all(&[22, 3, 1, 2, 0, 1, 0]))
                .await
                .unwrap();
        }
        silent.push(socket);
    }
    let mut stream = Client::new().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    for socket in &mut silent {
        closed(socket).await;
    }
    assert_eq!(get(&mut stream, "/").await.status, 200);
}

#[tokio::test]
async fn oldest_unfinished_handshake_makes_room() {
    let limits = Limits {
        max_half_open: 2,
        handshake: Duration::from_mins(10),
        ..Limits::default()
    };
    let server = Server::start(limits);
    let mut oldest = soon(TcpStream::connect(server.address)).await.unwrap();
    let _second = soon(TcpStream::connect(server.address)).await.unwrap();
    let _third = soon(TcpStream::connect(server.address)).await.unwrap();
    closed(&mut oldest).await;

    let mut stream = Client::new().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
}

#[tokio::test]
async fn head_must_be_complete_in_time() {
    let header_read = Duration::from_millis(300);
    let server = Server::start(Limits {
        header_read,
        ..Limits::default()
    });
    for beginning in ["", "GET / HT"] {
        let mut stream = Client::new().connect(server.address).await;
        soon(stream.write_all(beginning.as_bytes())).await.unwrap();
        soon(stream.flush()).await.unwrap();
        closed(&mut stream).await;
    }
    let mut stream = Client::new().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    soon(stream.write_all(b"GET / HT")).await.unwrap();
    soon(stream.flush()).await.unwrap();
    closed(&mut stream).await;
}

#[tokio::test]
async fn unfinished_heads_share_a_room() {
    const ROOM: usize = 256 * 1024;
    let server = Server::start(Limits {
        header_read: Duration::from_mins(10),
        head_room: ROOM,
        ..Limits::default()
    });
    let beginning = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(60_000));
    let mut hogs = Vec::new();
    for _ in 0..5 {
        let mut stream = Client::new().connect(server.address).await;
        soon(stream.write_all(beginning.as_bytes())).await.unwrap();
        soon(stream.flush()).await.unwrap();
        // So that there is an order among them.
        tokio::time::sleep(Duration::from_millis(50)).await;
        hogs.push(stream);
    }
    closed(&mut hogs[0]).await;
    let mut stream = Client::new().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    let reply = say(&mut hogs[4], b"\r\n\r\n").await;
    assert_eq!(reply.status, 200, "the newest has its room");
    let reply = say(&mut hogs[1], b"\r\n\r\n").await;
    assert_eq!(reply.status, 200, "only the oldest made room");
}

#[tokio::test]
async fn unused_connection_is_closed() {
    let idle = Duration::from_millis(300);
    let server = Server::start(Limits {
        idle,
        ..Limits::default()
    });
    let mut stream = Client::new().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    closed(&mut stream).await;
}

#[tokio::test]
async fn client_that_takes_nothing_is_dropped() {
    let write_stall = Duration::from_millis(300);
    let server = Server::start(Limits {
        write_stall,
        ..Limits::default()
    });
    let mut stream = Client::new().connect(server.address).await;
    soon(stream.write_all(b"GET /endless HTTP/1.1\r\nHost: a\r\n\r\n"))
        .await
        .unwrap();
    soon(stream.flush()).await.unwrap();
    soon(server.signs.given_up.acquire())
        .await
        .unwrap()
        .forget();
}

#[tokio::test]
async fn busy_port_is_named() {
    let server = Server::start(Limits::default());
    let error = Listener::bind(server.address).unwrap_err();
    assert!(matches!(error, ListenError::InUse(address) if address == server.address));
    let expected = format!(
        "cannot listen on {}: the address is in use; stop the program that holds it or choose \
         another port",
        server.address
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn address_of_another_machine_is_named() {
    // Reserved for documentation (RFC 5737), so no interface has it.
    let error = Listener::bind("192.0.2.1:0".parse().unwrap()).unwrap_err();
    assert!(matches!(error, ListenError::NotHere(_)), "{error}");
}
