//! The listener's side of a hello: reading it.

use crate::support::{bytes, id, secret};
use bytes::{Bytes, BytesMut};
use portcullis_channel::group::ChannelGrant;
use portcullis_channel::headers::key;
use portcullis_channel::hello::{
    GroupHello, GroupHelloError, Grouping, Hello, HelloError, HelloReader, RejectClass,
    VERSIONS_ANSWER,
};
use portcullis_channel::{
    ContentType, Frame, FrameLimits, FrameReader, HeaderKey, Headers, Message, Moment, Sequence,
};

const DEADLINE: Moment = Moment::from_micros(5_000_000);

fn hello_frame(headers: Headers, body: &[u8]) -> Frame {
    let message = Message::new(ContentType::HELLO)
        .with_headers(headers)
        .with_body(Bytes::copy_from_slice(body));
    Frame::new(message, Sequence::HELLO, &FrameLimits::default()).unwrap()
}

fn read(bytes: &[u8]) -> Result<Option<Hello>, HelloError> {
    HelloReader::new(DEADLINE).read(&mut BytesMut::from(bytes), Moment::ZERO)
}

#[test]
fn what_follows_the_hello_stays_in_the_buffer() {
    let mut input = BytesMut::from(&hello_frame(Headers::empty(), b"r").to_bytes()[..]);
    input.extend_from_slice(b"\x03\x06");
    let reader = HelloReader::new(DEADLINE);
    assert_eq!(
        reader.read(&mut input, Moment::ZERO).unwrap().unwrap().id,
        "r"
    );
    assert_eq!(&input[..], b"\x03\x06");
}

#[test]
fn a_hello_has_one_deadline_however_it_drips() {
    let whole = hello_frame(Headers::empty(), b"router").to_bytes();
    let reader = HelloReader::new(DEADLINE);
    let mut input = BytesMut::new();
    let late = Moment::from_micros(5_000_000);
    for byte in &whole[..whole.len() - 1] {
        input.extend_from_slice(&[*byte]);
        assert_eq!(
            reader.read(&mut input, Moment::from_micros(4_999_999)),
            Ok(None)
        );
    }
    assert_eq!(reader.missing(&input), 1);
    assert_eq!(reader.read(&mut input, late), Err(HelloError::TimedOut));
    input.extend_from_slice(&whole[whole.len() - 1..]);
    assert!(
        reader.read(&mut input, late).unwrap().is_some(),
        "complete in the last moment"
    );
}

#[test]
fn another_version_is_answered_with_those_that_are_spoken() {
    let refused = read(b"\x03\x06\x09\x0bxxxx").unwrap_err();
    assert_eq!(refused.answer(), Some(VERSIONS_ANSWER));
}

#[test]
fn everything_else_is_answered_with_nothing() {
    let headers = |bytes: usize| {
        Headers::builder()
            .bytes(HeaderKey(9), &vec![0; bytes])
            .build()
    };
    let grouped = || Headers::builder().bool(key::IS_GROUPED, true);
    let not_hello = Frame::new(
        Message::new(ContentType::PING),
        Sequence(1),
        &FrameLimits::HELLO,
    );
    let short_secret = grouped().bytes(key::GROUP_SECRET, b"short").build();
    let long_id = grouped()
        .string(key::CONNECTION_ID, &"x".repeat(129))
        .build();
    let refused = [
        read(&hello_frame(headers(16_384 - 7), b"").to_bytes()).unwrap_err(),
        read(&hello_frame(Headers::empty(), &[b'x'; 4193]).to_bytes()).unwrap_err(),
        read(&not_hello.unwrap().to_bytes()).unwrap_err(),
        read(&hello_frame(Headers::empty(), b"\xff").to_bytes()).unwrap_err(),
        read(&hello_frame(short_secret, b"r").to_bytes()).unwrap_err(),
        read(&hello_frame(long_id, b"r").to_bytes()).unwrap_err(),
    ];
    assert_eq!(refused.map(|error| error.answer()), [None; 6]);
    assert_eq!(refused[2], HelloError::NotAHello(ContentType::PING));
    assert_eq!(refused[4], HelloError::Group(GroupHelloError::Secret));
    assert_eq!(refused[5], HelloError::Group(GroupHelloError::Id));
}

#[test]
fn the_longest_hello_is_read() {
    let headers = Headers::builder()
        .bytes(HeaderKey(9), &vec![0; 16_384 - 8])
        .build();
    let longest = hello_frame(headers, &[b'x'; 4192]);
    assert!(read(&longest.to_bytes()).unwrap().is_some());
}

#[test]
fn an_old_router_uses_the_numbers_of_groups_for_other_things() {
    // Listeners under 10, metadata under 11, capabilities under 12, and no word of groups.
    let headers = Headers::builder()
        .bytes(HeaderKey(10), &bytes("0a270a13"))
        .bytes(HeaderKey(11), b"metadata")
        .build();
    let hello = read(&hello_frame(headers, b"old").to_bytes())
        .unwrap()
        .unwrap();
    assert_eq!(hello.grouping, Grouping::Ungrouped);
    assert_eq!(hello.headers.get(HeaderKey(11)), Some(&b"metadata"[..]));
}

#[test]
fn what_is_said_about_a_group_comes_back() {
    let group = GroupHello {
        id: Some(id("rGR8-2")),
        secret: Some(secret(7)),
        is_first: true,
    };
    let hello = Hello::new(
        "r1".to_owned(),
        Some("ctrl.high".to_owned()),
        Grouping::Grouped(group.clone()),
        Headers::empty(),
    );
    let read = read(&hello.encode().unwrap()).unwrap().unwrap();
    assert_eq!(read.grouping, Grouping::Grouped(group));
    assert_eq!(read.underlay_type.as_deref(), Some("ctrl.high"));
    assert!(
        !format!("{read:?}").contains("7, 7"),
        "no secret is printed"
    );
}

#[test]
fn the_headers_of_a_protocol_do_not_replace_those_of_the_group() {
    let hello = read(&hello_frame(Headers::empty(), b"r").to_bytes())
        .unwrap()
        .unwrap();
    let headers = Headers::builder()
        .string(key::CONNECTION_ID, "other")
        .string(key::UNDERLAY_TYPE, "other")
        .string(key::VERSION, "v2.1.0")
        .bool(key::IS_GROUPED, true)
        .bytes(key::GROUP_SECRET, &[1; 16])
        .build();
    let answer = hello
        .accept(&ChannelGrant::ungrouped(id("mine")), "c", &headers)
        .unwrap();
    let answer = FrameReader::new(FrameLimits::HELLO)
        .read_datagram(answer)
        .unwrap();
    assert_eq!(answer.headers().string(key::CONNECTION_ID), Some("mine"));
    for key in [key::IS_GROUPED, key::GROUP_SECRET, key::UNDERLAY_TYPE] {
        assert_eq!(answer.headers().get(key), None, "{key:?}");
    }
    assert_eq!(answer.headers().string(key::VERSION), Some("v2.1.0"));
}

#[test]
fn a_long_reason_is_cut_between_characters() {
    let hello = read(&hello_frame(Headers::empty(), b"r").to_bytes())
        .unwrap()
        .unwrap();
    let said = hello.reject(RejectClass::Busy, &"ü".repeat(4000));
    let said = FrameReader::new(FrameLimits::HELLO)
        .read_datagram(said)
        .unwrap();
    assert_eq!(
        std::str::from_utf8(said.body()).unwrap().chars().count(),
        2096
    );
    assert_eq!(said.headers().u32(key::REJECT_CLASS), Some(1));
}
