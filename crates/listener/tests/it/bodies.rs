//! Bodies: too large, too slow, not wanted.

use portcullis_listener::Limits;
use portcullis_testkit::tls_client::{Client, closed, get, hear, say, soon};
use tokio::io::AsyncWriteExt as _;

use crate::server::{CAP, Server};

#[tokio::test]
async fn body_is_read_up_to_its_cap() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let body = "b".repeat(CAP);
    let text = format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {CAP}\r\n\r\n{body}");
    let reply = say(&mut stream, text.as_bytes()).await;
    assert_eq!((reply.status, reply.text()), (200, body.as_str()));
    assert_eq!(get(&mut stream, "/").await.status, 200);
}

#[tokio::test]
async fn announced_size_is_refused_unread() {
    let server = Server::start(Limits::default());
    for length in [CAP + 1, 1 << 40] {
        let mut stream = Client::anonymous().connect(server.address).await;
        // Not one byte of the body is sent.
        let head = format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        let reply = say(&mut stream, head.as_bytes()).await;
        assert_eq!((reply.status, reply.closes()), (413, true), "{length}");
        closed(&mut stream).await;
    }
}

#[tokio::test]
async fn endless_chunks_are_cut_at_the_cap() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let mut text = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    text.extend(
        b"200\r\n"
            .iter()
            .chain(&[b'x'; 0x200])
            .chain(b"\r\n")
            .cycle()
            .take(1 << 22),
    );
    let reply = say(&mut stream, &text).await;
    assert_eq!((reply.status, reply.closes()), (413, true));
    closed(&mut stream).await;
}

#[tokio::test]
async fn slow_body_is_cut() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nx";
    let reply = say(&mut stream, text).await;
    assert_eq!((reply.status, reply.closes()), (408, true));
    closed(&mut stream).await;
}

#[tokio::test]
async fn broken_chunk_is_refused() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let text = b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n";
    assert_eq!(say(&mut stream, text).await.status, 400);
    closed(&mut stream).await;
}

#[tokio::test]
async fn short_unread_body_does_not_cost_the_connection() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let head = b"POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";
    for _ in 0..2 {
        soon(stream.write_all(head)).await.unwrap();
        soon(stream.flush()).await.unwrap();
        soon(stream.write_all(b"hello")).await.unwrap();
        let reply = hear(&mut stream).await;
        assert_eq!((reply.status, reply.closes()), (401, false));
    }
}

#[tokio::test]
async fn short_unread_body_need_not_say_how_long_it_is() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let head = "POST /denied HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    for body in ["0\r\n\r\n", "5\r\nhello\r\n0\r\n\r\n"] {
        let reply = say(&mut stream, format!("{head}{body}").as_bytes()).await;
        assert_eq!((reply.status, reply.closes()), (401, false), "{body:?}");
    }
    let chunk = format!("4000\r\n{}\r\n", "x".repeat(0x4000));
    let text = format!("{head}{}0\r\n\r\n", chunk.repeat(5));
    let reply = say(&mut stream, text.as_bytes()).await;
    assert_eq!((reply.status, reply.closes()), (401, true));
    closed(&mut stream).await;
}

#[tokio::test]
async fn long_unread_body_costs_the_connection_but_not_the_answer() {
    let server = Server::start(Limits::default());
    for length in [70_000, 4_000_000] {
        let mut stream = Client::anonymous().connect(server.address).await;
        let head = format!("POST /denied HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        let mut text = head.into_bytes();
        text.resize(text.len() + length, b'x');
        // All of it is sent before the answer is looked at, as simple clients do; a server that
        // closes at once would reset the connection meanwhile.
        soon(stream.write_all(&text)).await.unwrap();
        soon(stream.flush()).await.unwrap();
        let reply = hear(&mut stream).await;
        assert_eq!((reply.status, reply.closes()), (401, true), "{length}");
        closed(&mut stream).await;
    }
}

#[tokio::test]
async fn body_that_awaits_leave_is_not_asked_for_in_vain() {
    let server = Server::start(Limits::default());
    let mut stream = Client::anonymous().connect(server.address).await;
    let rest = "HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";
    let reply = say(&mut stream, format!("POST /echo {rest}").as_bytes()).await;
    assert_eq!(reply.status, 100);
    let reply = say(&mut stream, b"hello").await;
    assert_eq!((reply.status, reply.text()), (200, "hello"));

    let reply = say(&mut stream, format!("POST /denied {rest}").as_bytes()).await;
    assert_eq!((reply.status, reply.closes()), (401, true));
    closed(&mut stream).await;
}
