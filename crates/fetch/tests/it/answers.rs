//! Which answers are taken.

use std::error::Error as _;

use crate::server::{KEYS, Reply, Server};
use crate::setting::{Scripted, fetch, fetcher, near};

#[tokio::test]
async fn a_document_is_fetched() {
    let server = Server::start(|_| Reply::keys()).await;
    let fetcher = fetcher(near()).with_resolver(Scripted::new(&[&["127.0.0.1"]]));
    let url = server.url("idp.example.test", "/a/jwks?kid=%20b#part");
    assert_eq!(fetch(&fetcher, &url).await.unwrap(), KEYS);

    let heads = server.heads();
    let [head] = heads.as_slice() else {
        panic!("{heads:?}")
    };
    let mut lines: Vec<&str> = head.trim_end().lines().collect();
    assert_eq!(lines.remove(0), "GET /a/jwks?kid=%20b HTTP/1.1");
    lines.sort_unstable();
    let host = format!("host: idp.example.test:{}", server.address.port());
    let expected = [
        "accept-encoding: identity",
        "accept: application/json, application/jwk-set+json, application/jwk+json",
        "connection: close",
        &host,
        "user-agent: portcullis",
    ];
    assert_eq!(lines, expected, "and nothing else is sent");
}

#[tokio::test]
async fn documents_are_json_by_their_media_type() {
    let cases = [
        ("content-type: application/json", true),
        ("content-type: Application/JSON; charset=utf-8", true),
        ("content-type: application/jwk-set+json", true),
        ("content-type: application/jwk+json ; a=b", true),
        (
            "content-type: application/json\r\ncontent-encoding: identity",
            true,
        ),
        ("content-type: text/html", false),
        ("content-type: text/plain; application/json", false),
        ("content-type: application/jsonp", false),
        ("content-type: application/json\u{e9}", false),
        ("x: y", false),
    ];
    for (headers, is_taken) in cases {
        let server =
            Server::start(move |_| Reply::new(200, &format!("{headers}\r\n"), "secret")).await;
        let fetched = fetch(&fetcher(near()), &server.url("127.0.0.1", "/")).await;
        assert_eq!(fetched.is_ok(), is_taken, "{headers}");
        if let Err(error) = fetched {
            let text = "host 127.0.0.1 responded with a content type that is not JSON";
            assert_eq!(error.to_string(), text, "{headers}");
        }
    }
}

#[tokio::test]
async fn other_answers_are_refused_without_telling_what_they_hold() {
    let json = "content-type: application/json\r\n";
    let gzip = format!("{json}content-encoding: gzip\r\n");
    let chunked = format!(
        "HTTP/1.1 200 OK\r\n{json}transfer-encoding: gzip, chunked\r\n\r\n6\r\nsecret\r\n0\r\n\r\n"
    );
    let cases = [
        (Reply::new(404, json, "secret"), "status 404"),
        (Reply::new(500, json, "secret"), "status 500"),
        (Reply::new(206, json, "secret"), "status 206"),
        (Reply::new(204, json, ""), "status 204"),
        (Reply::new(304, json, ""), "status 304"),
        (Reply::new(200, &gzip, "secret"), "content encoding"),
        (Reply::raw(&chunked), "content encoding"),
        (Reply::raw("secret"), "sent an invalid HTTP response"),
        (Reply::raw(""), "sent an invalid HTTP response"),
        (
            Reply::raw(&format!(
                "HTTP/1.1 200 OK\r\n{json}content-length: 9\r\n\r\nsecret"
            )),
            "sent an invalid HTTP response",
        ),
    ];
    for (reply, expected) in cases {
        let reply = std::sync::Mutex::new(Some(reply));
        let server = Server::start(move |_| reply.lock().unwrap().take().unwrap()).await;
        let fetched = fetch(&fetcher(near()), &server.url("127.0.0.1", "/")).await;
        let error = fetched.unwrap_err();
        let text = format!("{error}: {:?}", error.source());
        assert!(text.contains(expected), "{text}");
        assert!(text.starts_with("host 127.0.0.1 "), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
}
