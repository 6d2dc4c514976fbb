//! Requests that no route ever sees, and those that are understood although they break a rule.

use portcullis_listener::Limits;
use portcullis_testkit::tls_client::{Client, Stream, closed, hear, say, soon};

use crate::server::Server;
use tokio::io::AsyncWriteExt as _;

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
    let mut stream = Client::anonymous().connect(server.address).await;
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
    let mut stream = Client::anonymous().connect(server.address).await;
    let both = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none\
                 GET /a b HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
    soon(stream.write_all(both)).await.unwrap();
    assert_eq!(hear(&mut stream).await.text(), "one");
    let refused = hear(&mut stream).await;
    assert_eq!((refused.status, refused.closes()), (400, true));
    closed(&mut stream).await;
}
