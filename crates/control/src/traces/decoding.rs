//! A message of a control channel, for people.

use bytes::Bytes;
use portcullis_channel::{Frame, UnixNanos};
use portcullis_transport::Direction;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::trace::TraceEvent;
use serde_json::json;

/// Bytes of a decoded message; the rest is left out.
const MAX_TEXT: usize = 4096;

/// What is known of a frame. Tokens and payloads do not show in it.
pub(super) fn event(frame: &Frame, direction: Direction, now: UnixNanos) -> TraceEvent {
    let length = i32::try_from(frame.body().len()).unwrap_or(i32::MAX);
    TraceEvent {
        time_nanos: i64::try_from(now.0).unwrap_or(i64::MAX),
        is_received: direction == Direction::Received,
        content_type: frame.content_type().0,
        sequence: frame.sequence().0,
        reply_for: frame.reply_for().map_or(-1, |request| request.0),
        length,
        decoded: Bytes::from(decoded(frame)).into(),
        ..TraceEvent::default()
    }
}

/// JSON with the members by which clients of OpenZiti know a decoded message.
fn decoded(frame: &Frame) -> String {
    let Ok(message) = ControlMessage::decode(&frame.clone().into_message()) else {
        return String::new();
    };
    let mut text = format!("{message:?}");
    let is_in_name = |char: char| char.is_alphanumeric();
    let name: String = text.chars().take_while(|char| is_in_name(*char)).collect();
    text.truncate(text.floor_char_boundary(MAX_TEXT));
    json!({ "__decoder__": "ctrl", "__message__": name, "message": text }).to_string()
}
