//! A message that has passed, for those who follow traces.

use crate::description::Protocol;
use bytes::Bytes;
use portcullis_channel::{Frame, UnixNanos};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::trace::{PipeTraces, TraceEvent};
use serde_json::{Map, Value};

/// Where and when a message was seen.
#[derive(Debug, Clone, Copy)]
pub struct Observed<'a> {
    /// Id of the program that has seen it.
    pub program: &'a str,
    /// Name of the channel.
    pub channel: &'a str,
    pub protocol: Protocol,
    /// Whether the program has received it, and not sent.
    pub is_received: bool,
    pub at: UnixNanos,
    /// Events that were left out before this one.
    pub dropped: u64,
}

/// What is known of a message. Tokens and payloads do not show in it.
///
/// What is decoded is JSON with the members by which clients of OpenZiti know a decoded message: `__decoder__`,
/// `__message__`, which is `Undecodable` for what cannot be read; then `message`, and `dropped`, if there is
/// something to say.
pub fn event(observed: Observed<'_>, frame: &Frame) -> TraceEvent {
    let described = observed.protocol.describe(frame);
    let mut decoded = Map::new();
    let mut set = |name: &str, value: Value| decoded.insert(name.to_owned(), value);
    set("__decoder__", observed.protocol.decoder().into());
    set("__message__", described.name.into());
    if !described.text.is_empty() {
        set("message", described.text.into());
    }
    if observed.dropped > 0 {
        set("dropped", observed.dropped.into());
    }
    let decoded = Value::Object(decoded);
    TraceEvent {
        time_nanos: i64::try_from(observed.at.0).unwrap_or(i64::MAX),
        identity: observed.program.to_owned(),
        channel: observed.channel.to_owned(),
        is_received: observed.is_received,
        content_type: frame.content_type().0,
        sequence: frame.sequence().0,
        reply_for: frame.reply_for().map_or(-1, |request| request.0),
        length: i32::try_from(frame.body().len()).unwrap_or(i32::MAX),
        decoded: Bytes::from(decoded.to_string()).into(),
    }
}

/// Whether a message of a control channel asks for traces or is one: each would be followed by another.
pub fn is_about_traces(frame: &Frame) -> bool {
    let kind = frame.content_type();
    kind == ControlMessage::TraceEvent(TraceEvent::default()).content_type()
        || kind == ControlMessage::TogglePipeTraces(PipeTraces::default()).content_type()
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_channel::{FrameLimits, Sequence};
    use portcullis_wire::control::route::Unroute;

    fn frame(message: &ControlMessage) -> Frame {
        let message = message.encode().unwrap();
        Frame::new(message, Sequence(7), &FrameLimits::default()).unwrap()
    }

    #[test]
    fn an_event_tells_what_has_passed() {
        let unroute = ControlMessage::Unroute(Unroute {
            circuit_id: "c1".to_owned(),
            ..Unroute::default()
        });
        let observed = Observed {
            program: "r1",
            channel: "ctrl1",
            protocol: Protocol::Control,
            is_received: true,
            at: UnixNanos(1_700_000_000_000_000_000),
            dropped: 3,
        };
        let event = event(observed, &frame(&unroute));
        assert_eq!((&*event.identity, &*event.channel), ("r1", "ctrl1"));
        assert_eq!(
            (event.content_type, event.sequence, event.reply_for),
            (1006, 7, -1)
        );
        assert!(event.is_received);
        let decoded: Value = serde_json::from_slice(event.decoded.expose()).unwrap();
        assert_eq!(decoded["__decoder__"], "ctrl");
        assert_eq!(decoded["__message__"], "Unroute");
        assert_eq!(decoded["dropped"], 3);
        assert!(decoded["message"].as_str().unwrap().contains("\"c1\""));
    }

    #[test]
    fn traces_are_known() {
        let event = ControlMessage::TraceEvent(TraceEvent::default());
        let request = ControlMessage::TogglePipeTraces(PipeTraces::default());
        assert!(is_about_traces(&frame(&event)));
        assert!(is_about_traces(&frame(&request)));
        let other = ControlMessage::Unroute(Unroute::default());
        assert!(!is_about_traces(&frame(&other)));
    }
}
