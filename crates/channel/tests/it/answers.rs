//! The dialer's side of a hello: reading the answer.

use crate::support::id;
use bytes::BytesMut;
use portcullis_channel::headers::key;
use portcullis_channel::hello::{
    AnswerError, AnswerReader, HelloAnswer, RejectClass, VERSIONS_ANSWER,
};
use portcullis_channel::{ContentType, Frame, FrameLimits, Headers, Message, Moment, Sequence};

const DEADLINE: Moment = Moment::from_micros(1000);

fn read(bytes: &[u8]) -> Result<Option<HelloAnswer>, AnswerError> {
    AnswerReader::new(DEADLINE).read(&mut BytesMut::from(bytes), Moment::ZERO)
}

fn result(headers: Headers) -> Vec<u8> {
    let message = Message::new(ContentType::RESULT).with_headers(headers);
    let frame = Frame::new(message, Sequence::HELLO, &FrameLimits::HELLO).unwrap();
    frame.to_bytes().to_vec()
}

#[test]
fn a_listing_of_versions_is_told() {
    for length in 0..VERSIONS_ANSWER.len() {
        assert_eq!(read(&VERSIONS_ANSWER[..length]), Ok(None), "{length} bytes");
    }
    let told = read(&VERSIONS_ANSWER).unwrap_err();
    assert_eq!(told, AnswerError::OtherVersions(vec![1, 2]));
}

#[test]
fn a_listing_of_too_many_versions_is_none() {
    let mut listing = VERSIONS_ANSWER.to_vec();
    listing[4] = 65;
    let refused = read(&listing).unwrap_err();
    assert_eq!(refused, AnswerError::TooManyVersions { count: 65 });
    listing[4..8].copy_from_slice(&[0xff; 4]);
    let refused = read(&listing).unwrap_err();
    assert_eq!(refused, AnswerError::TooManyVersions { count: u32::MAX });
}

#[test]
fn an_answer_has_a_deadline() {
    let reader = AnswerReader::new(DEADLINE);
    let read = reader.read(&mut BytesMut::from(&VERSIONS_ANSWER[..9]), DEADLINE);
    assert_eq!(read, Err(AnswerError::TimedOut));
}

#[test]
fn something_else_than_an_answer_is_refused() {
    let other = Frame::new(
        Message::new(ContentType::PING),
        Sequence(1),
        &FrameLimits::HELLO,
    );
    let refused = read(&other.unwrap().to_bytes()).unwrap_err();
    assert_eq!(refused, AnswerError::NotAnAnswer(ContentType::PING));
    let to_another = Headers::builder()
        .bool(key::RESULT_SUCCESS, true)
        .i32(key::REPLY_FOR, 5)
        .build();
    assert!(read(&result(to_another)).is_err());
    assert!(matches!(read(b"HTTP/1.1 400"), Err(AnswerError::Frame(_))));
}

#[test]
fn an_old_listener_gives_no_secret_whatever_header_ten_says() {
    let headers = Headers::builder()
        .bool(key::RESULT_SUCCESS, true)
        .i32(key::REPLY_FOR, -1)
        .string(key::CONNECTION_ID, "abcd")
        .bytes(key::GROUP_SECRET, b"something else")
        .build();
    let Ok(Some(HelloAnswer::Accepted(accepted))) = read(&result(headers)) else {
        panic!("not accepted");
    };
    assert_eq!(accepted.group, Some(id("abcd")));
    assert_eq!(accepted.secret, None);
}

#[test]
fn a_refusal_without_a_class_is_one_of_no_class() {
    let headers = Headers::builder()
        .bool(key::RESULT_SUCCESS, false)
        .i32(key::REPLY_FOR, -1)
        .build();
    let Ok(Some(HelloAnswer::Rejected(rejection))) = read(&result(headers)) else {
        panic!("not rejected");
    };
    assert_eq!(rejection.class, RejectClass::Unspecified);
    for class in [0, 1, 2, 3, u32::MAX] {
        assert_eq!(RejectClass::from_code(class).code(), class);
    }
}
