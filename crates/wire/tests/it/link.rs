//! Recorded hellos of links.

use crate::support::{one_frame, own_headers};
use portcullis_channel::hello::{Grouping, Hello};
use portcullis_channel::{HeaderKey, Headers};
use portcullis_wire::link::{LinkHello, SplitLinkPart};

#[test]
fn the_first_hello_of_a_link() {
    let recorded = one_frame("data plane", "first link hello");
    let hello = Hello::from_frame(&recorded).unwrap();
    let expected = LinkHello {
        link_id: "3brEyUu9sUDLBs7ui7M9TC".to_owned(),
        router_id: "AOgs6LUvU".to_owned(),
        version: "v0.0.0".to_owned(),
        binding: String::new(),
        iteration: 1,
        destination: Some("Q-3v6L3R3".to_owned()),
        split_part: None,
    };
    let read = LinkHello::from_hello(&hello).unwrap();
    assert_eq!(read, expected);

    let all = own_headers(recorded.headers());
    for (key, value) in own_headers(&read.to_headers()) {
        assert_eq!(all.get(&key), Some(&value), "header {key}");
    }
}

fn hello(headers: Headers) -> Hello {
    Hello::new("l1".to_owned(), None, Grouping::Ungrouped, headers)
}

#[test]
fn an_older_router_has_two_connections_and_the_id_in_the_body() {
    for (code, part) in [
        (1, Some(SplitLinkPart::Payloads)),
        (2, Some(SplitLinkPart::Acknowledgements)),
        (3, None),
    ] {
        let headers = Headers::builder()
            .string(HeaderKey(2), "r1")
            .u8(HeaderKey(1), code)
            .build();
        let read = LinkHello::from_hello(&hello(headers)).unwrap();
        assert_eq!((&read.link_id[..], read.split_part), ("l1", part));
        let again = LinkHello::from_hello(&hello(read.to_headers())).unwrap();
        assert_eq!(again, read);
    }
}

#[test]
fn a_hello_without_a_router_is_refused() {
    let refused = LinkHello::from_hello(&hello(Headers::empty())).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "LinkHello: header 2 (router_id) is missing or unreadable"
    );
}
