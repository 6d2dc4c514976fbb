//! Many connections, idle connections, connections that take nothing.

use std::time::Duration;

use portcullis_listener::{Limits, ListenError, Listener, Quota, Quotas};
use portcullis_testkit::tls_client::{Client, closed, get, hear, say, soon};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::server::Server;

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
    let mut stream = Client::anonymous().connect(server.address).await;
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

    let mut stream = Client::anonymous().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
}

#[tokio::test]
async fn head_must_be_complete_in_time() {
    let header_read = Duration::from_millis(300);
    let server = Server::start(Limits {
        header_read,
        ..Limits::default()
    });
    let mut silent = Client::anonymous().connect(server.address).await;
    closed(&mut silent).await;
    let mut stream = Client::anonymous().connect(server.address).await;
    assert_eq!(say(&mut stream, b"GET / HT").await.status, 408);
    closed(&mut stream).await;
    let mut stream = Client::anonymous().connect(server.address).await;
    assert_eq!(get(&mut stream, "/").await.status, 200);
    let reply = say(&mut stream, b"GET / HT").await;
    assert_eq!((reply.status, reply.closes()), (408, true));
    closed(&mut stream).await;
}

#[tokio::test]
async fn empty_line_behind_a_request_begins_no_head() {
    let server = Server::start(Limits {
        header_read: Duration::from_millis(300),
        idle: Duration::from_millis(600),
        ..Limits::default()
    });
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx\r\n";
    assert_eq!(say(&mut stream, text).await.text(), "x");
    // As an unused connection, without an answer to nothing.
    closed(&mut stream).await;
}

#[tokio::test]
async fn time_of_a_head_begins_with_the_answer_before_it() {
    let header_read = Duration::from_millis(300);
    let server = Server::start(Limits {
        header_read,
        ..Limits::default()
    });
    let mut stream = Client::anonymous().connect(server.address).await;
    let ahead = b"GET /gate HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\n";
    soon(stream.write_all(ahead)).await.unwrap();
    soon(stream.flush()).await.unwrap();
    soon(server.signs.entered.acquire()).await.unwrap().forget();
    server.signs.leave.add_permits(1);
    assert_eq!(hear(&mut stream).await.text(), "through");
    // Nothing more arrives, and the connection does not rest as an unused one would.
    assert_eq!(hear(&mut stream).await.status, 408);
    closed(&mut stream).await;
}

#[tokio::test]
async fn unfinished_heads_of_one_peer_share_a_room() {
    const ROOM: usize = 256 * 1024;
    let quotas = Quotas {
        request_heads: Quota {
            total: 2 * ROOM,
            per_peer: ROOM,
        },
        ..Quotas::default()
    };
    let limits = Limits {
        header_read: Duration::from_mins(10),
        ..Limits::default()
    };
    let server = Server::start_within(&quotas, limits);
    let beginning = format!("GET / HTTP/1.1\r\nHost: a\r\nX: {}", "x".repeat(60_000));
    let mut hogs = Vec::new();
    for _ in 0..5 {
        let mut stream = Client::anonymous().connect(server.address).await;
        soon(stream.write_all(beginning.as_bytes())).await.unwrap();
        soon(stream.flush()).await.unwrap();
        // So that there is an order among them.
        tokio::time::sleep(Duration::from_millis(50)).await;
        hogs.push(stream);
    }
    closed(&mut hogs[0]).await;
    let mut stream = Client::anonymous().connect(server.address).await;
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
    let mut stream = Client::anonymous().connect(server.address).await;
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
    let mut stream = Client::anonymous().connect(server.address).await;
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
        "cannot listen on {}: the address is in use; stop the program that uses it or choose \
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
