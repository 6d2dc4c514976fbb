//! What several tests need.

use bytes::BytesMut;
use portcullis_channel::headers::key;
use portcullis_channel::{Frame, FrameLimits, FrameReader, Headers, Message};
use std::collections::BTreeMap;

pub(crate) fn bytes(hex: &str) -> Vec<u8> {
    let digit = |byte: u8| u8::try_from(char::from(byte).to_digit(16).unwrap()).unwrap();
    hex.as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) * 16 + digit(pair[1]))
        .collect()
}

/// The frame that these bytes are, all of them.
fn frame(bytes: &[u8]) -> Frame {
    let mut input = BytesMut::from(bytes);
    let reader = FrameReader::new(FrameLimits::default());
    let frame = reader.next(&mut input).unwrap().unwrap();
    assert!(input.is_empty());
    frame
}

/// Recorded frames whose name begins with `protocol`: what each is, and the frame. The tests of the
/// channel read them too.
pub(crate) fn recorded(protocol: &str) -> Vec<(&'static str, Frame)> {
    let text = include_str!("../../../channel/tests/corpus/frames.txt");
    let mut name = "";
    let mut frames = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# ") {
            Some(comment) => name = comment,
            None => frames.push((name, frame(&bytes(line)))),
        }
    }
    let of_protocol = |(name, frame): (&'static str, Frame)| {
        let name = name.strip_prefix(protocol)?.strip_prefix(": ")?;
        Some((name, frame))
    };
    frames.into_iter().filter_map(of_protocol).collect()
}

/// The recorded messages whose name begins like this.
pub(crate) fn named(protocol: &str, beginning: &str) -> Vec<Message> {
    let frames = recorded(protocol).into_iter();
    frames
        .filter(|(name, _)| name.starts_with(beginning))
        .map(|(_, frame)| frame.into_message())
        .collect()
}

pub(crate) fn one(protocol: &str, beginning: &str) -> Message {
    one_frame(protocol, beginning).into_message()
}

pub(crate) fn one_frame(protocol: &str, beginning: &str) -> Frame {
    let mut frames = recorded(protocol);
    frames.retain(|(name, _)| name.starts_with(beginning));
    let found = frames.len();
    let [(_, frame)] = frames
        .try_into()
        .unwrap_or_else(|_| panic!("{found} frames are named {beginning}"));
    frame
}

/// Headers by key, without those of the channel, which may be in any message.
pub(crate) fn own_headers(headers: &Headers) -> BTreeMap<i32, Vec<u8>> {
    let channel = [key::REPLY_FOR, key::HEARTBEAT, key::HEARTBEAT_RESPONSE];
    headers
        .iter()
        .filter(|(key, _)| !channel.contains(key))
        .map(|(key, value)| (key.0, value.to_vec()))
        .collect()
}

pub(crate) fn map<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    entries
        .into_iter()
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .collect()
}
