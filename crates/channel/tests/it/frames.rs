//! Frames: lengths that lie, limits, datagrams.

use crate::support::{incoming, message};
use bytes::{Bytes, BytesMut};
use portcullis_channel::headers::key;
use portcullis_channel::{
    ContentType, Frame, FrameError, FrameLimits, FrameReader, Headers, Message, Sequence,
};

fn prefix(headers: u32, body: u32) -> BytesMut {
    let mut bytes = BytesMut::from(&[3, 6, 9, 12, 1, 0, 0, 0, 1, 0, 0, 0][..]);
    bytes.extend_from_slice(&headers.to_le_bytes());
    bytes.extend_from_slice(&body.to_le_bytes());
    bytes
}

#[test]
fn too_long_a_frame_is_refused_by_its_prefix() {
    let reader = FrameReader::new(FrameLimits::HELLO);
    let refused = reader.next(&mut prefix(16_385, 0)).unwrap_err();
    let (claimed, limit) = (16_385, 16_384);
    assert_eq!(refused, FrameError::HeadersTooLong { claimed, limit });
    let refused = reader.next(&mut prefix(0, 4_193)).unwrap_err();
    let (claimed, limit) = (4_193, 4_192);
    assert_eq!(refused, FrameError::BodyTooLong { claimed, limit });
    assert_eq!(reader.next(&mut prefix(16_384, 4_192)), Ok(None));
}

#[test]
fn lengths_whose_sum_overflows_are_refused() {
    let reader = FrameReader::new(FrameLimits::default());
    assert!(reader.next(&mut prefix(u32::MAX, 1)).is_err());
    let limits = FrameLimits {
        header_block: u32::MAX,
        header_count: 1,
        body: u32::MAX,
    };
    let reader = FrameReader::new(limits);
    let mut input = prefix(u32::MAX, u32::MAX);
    assert_eq!(reader.next(&mut input), Ok(None));
    assert_eq!(reader.bytes_missing(&input), 2 * 0xffff_ffff);
}

#[test]
fn sixty_four_mebibytes_are_the_most_by_default() {
    let reader = FrameReader::new(FrameLimits::default());
    assert_eq!(reader.next(&mut prefix(0, 64 << 20)), Ok(None));
    assert!(reader.next(&mut prefix(0, (64 << 20) + 1)).is_err());
}

#[test]
fn other_magic_is_told_before_the_prefix_is_complete() {
    let reader = FrameReader::new(FrameLimits::default());
    let mut input = BytesMut::from(&b"GET"[..]);
    assert_eq!(reader.next(&mut input), Ok(None));
    input.extend_from_slice(b" ");
    let found = *b"GET ";
    assert_eq!(
        reader.next(&mut input),
        Err(FrameError::UnknownMagic { found })
    );
}

#[test]
fn an_error_leaves_the_buffer_as_it_was() {
    let reader = FrameReader::new(FrameLimits::default());
    let mut input = prefix(3, 0);
    input.extend_from_slice(&[1, 2, 3]);
    let before = input.clone();
    let refused = reader.next(&mut input).unwrap_err();
    assert_eq!(input, before);
    assert_eq!(reader.next(&mut input), Err(refused));
    assert_eq!(
        refused.to_string(),
        "header block ends within the head of an entry, at byte 0"
    );
}

#[test]
fn a_frame_shares_the_memory_that_it_was_read_into() {
    let sent = incoming(message(9, "body"), 1);
    let mut input = BytesMut::from(&sent.to_bytes()[..]);
    let place = input[20..].as_ptr();
    let frame = FrameReader::new(FrameLimits::default())
        .next(&mut input)
        .unwrap()
        .unwrap();
    assert_eq!(frame.body().as_ptr(), place);
}

#[test]
fn a_datagram_is_one_frame_and_what_follows_is_ignored() {
    let reader = FrameReader::new(FrameLimits::default());
    let frame = incoming(message(9, "body"), 1);
    let longer = [&frame.to_bytes()[..], b"rest"].concat();
    assert_eq!(reader.read_datagram(Bytes::from(longer)), Ok(frame.clone()));
    for length in [0, 3, 19, 23] {
        let cut = frame.to_bytes().slice(..length);
        assert_eq!(
            reader.read_datagram(cut),
            Err(FrameError::Incomplete { length })
        );
    }
}

#[test]
fn twenty_bytes_are_a_frame() {
    let frame = incoming(Message::new(ContentType::RAW), i32::MIN);
    assert_eq!(frame.wire_len(), 20);
    let read = FrameReader::new(FrameLimits::HELLO).read_datagram(frame.to_bytes());
    assert_eq!(read, Ok(frame));
}

#[test]
fn too_long_a_message_is_no_frame() {
    let body = Bytes::from(vec![0; 4193]);
    let message = Message::new(ContentType::HELLO).with_body(body);
    let refused = Frame::new(message, Sequence::HELLO, &FrameLimits::HELLO).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "a frame with 0 bytes in 0 headers and 4193 bytes of body is too long; \
         at most 16384 in 512 and 4192 are allowed"
    );
}

#[test]
fn a_reply_names_its_request_and_reflects_one_header() {
    let headers = Headers::builder()
        .bytes(key::REFLECTED, b"as it is")
        .u32(key::RESULT_ERROR_CODE, 7)
        .i32(key::REPLY_FOR, 4)
        .build();
    let request = incoming(Message::new(ContentType::PING).with_headers(headers), 9);
    let reply = message(2, "").in_reply_to(&request.reply_to());
    let reply = incoming(reply, 1);
    assert_eq!(reply.reply_for(), Some(Sequence(9)));
    assert_eq!(reply.headers().get(key::REFLECTED), Some(&b"as it is"[..]));
    assert_eq!(reply.headers().iter().count(), 2);
}
