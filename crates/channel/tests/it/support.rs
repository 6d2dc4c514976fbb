//! What several tests need.

use bytes::{Bytes, BytesMut};
use portcullis_channel::group::{ChannelGrant, GeneratedCredentials, GroupId, GroupSecret};
use portcullis_channel::hello::{GroupHello, Grouping, Hello};
use portcullis_channel::{
    Channel, ChannelEvent, ChannelKind, ChannelOptions, ChannelSide, ContentType, Frame,
    FrameLimits, FrameReader, Headers, Message, Moment, Now, Sequence, Transmit, UnderlayId,
    UnixNanos,
};

/// The wall clock of tests when the monotonic one is at zero.
const EPOCH: u64 = 1_790_000_000_000_000_000;

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    hex.as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) * 16 + digit(pair[1]))
        .collect()
}

/// The frame that these bytes are, all of them.
pub(crate) fn frame(hex: &str) -> Frame {
    let mut input = BytesMut::from(&bytes(hex)[..]);
    let reader = FrameReader::new(FrameLimits::default());
    let frame = reader.next(&mut input).unwrap().unwrap();
    assert!(input.is_empty());
    frame
}

/// The recorded frames: what each is, and its bytes.
pub(crate) fn corpus() -> Vec<(String, Vec<u8>)> {
    let text = include_str!("../corpus/frames.txt");
    let mut name = "";
    let mut frames = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(comment) => name = comment,
            None => frames.push((name.to_owned(), bytes(line))),
        }
    }
    frames
}

pub(crate) fn at_ms(ms: u64) -> Now {
    at_us(ms * 1000)
}

pub(crate) fn at_us(us: u64) -> Now {
    Now {
        mono: Moment::from_micros(us),
        wall: UnixNanos(EPOCH + us * 1000),
    }
}

pub(crate) fn id(text: &str) -> GroupId {
    GroupId::new(text).unwrap()
}

pub(crate) fn secret(byte: u8) -> GroupSecret {
    GroupSecret::new([byte; 16])
}

pub(crate) fn fresh(text: &str, byte: u8) -> GeneratedCredentials {
    GeneratedCredentials {
        id: id(text),
        secret: secret(byte),
    }
}

/// The hello of a router as its listener reads it.
pub(crate) fn hello(group: Option<GroupHello>) -> Hello {
    let grouping = group.map_or(Grouping::Ungrouped, Grouping::Grouped);
    Hello::new("router-1".to_owned(), None, grouping, Headers::empty())
}

pub(crate) fn message(content_type: i32, body: &str) -> Message {
    Message::new(ContentType(content_type)).with_body(Bytes::copy_from_slice(body.as_bytes()))
}

/// A frame as the other side may send it.
pub(crate) fn incoming(message: Message, sequence: i32) -> Frame {
    Frame::new(message, Sequence(sequence), &FrameLimits::default()).unwrap()
}

/// A channel with one default connection.
pub(crate) fn channel(kind: ChannelKind, side: ChannelSide) -> (Channel, UnderlayId) {
    channel_with(ChannelOptions::new(kind, side))
}

pub(crate) fn channel_with(options: ChannelOptions) -> (Channel, UnderlayId) {
    Channel::open(ChannelGrant::ungrouped(id("c")), options, at_ms(0))
}

/// The next frame for a connection.
pub(crate) fn sent(channel: &mut Channel, underlay: UnderlayId, now: Now) -> Option<Frame> {
    match channel.poll_transmit(underlay, now) {
        Some(Transmit::Frame(frame)) => Some(frame),
        Some(Transmit::Close) => panic!("told to close"),
        None => None,
    }
}

pub(crate) fn events(channel: &mut Channel) -> Vec<ChannelEvent> {
    std::iter::from_fn(|| channel.poll_event()).collect()
}
