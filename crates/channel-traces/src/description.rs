//! A message, for people.

use portcullis_channel::{ContentType, Frame, Message};
use portcullis_wire::control::ControlMessage;
use portcullis_wire::edge::EdgeMessage;
use portcullis_wire::link::LinkMessage;
use std::fmt;

/// Bytes of a decoded message, about; the rest is left out.
const MAX_TEXT: usize = 4096;

/// What a channel is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// Between a controller and a router.
    Control,
    /// Between routers.
    Link,
    /// Between a router and an SDK.
    Edge,
}

/// What a message is and says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// Such as `Unroute`; `Undecodable` for what cannot be read.
    pub name: &'static str,
    /// At most about 4 KiB. Empty for messages of the channel itself. Payloads, tokens and what else may not
    /// reach a log show as `Secret`.
    pub text: String,
}

impl Protocol {
    /// Such as `control`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Control => "control",
            Self::Link => "link",
            Self::Edge => "edge",
        }
    }

    /// What OpenZiti calls what decodes the messages.
    pub(crate) const fn decoder(self) -> &'static str {
        match self {
            Self::Control => "ctrl",
            Self::Link => "xlink",
            Self::Edge => "edge",
        }
    }

    pub fn describe(self, frame: &Frame) -> Description {
        if let Some(name) = own_message(frame.content_type()) {
            let text = String::new();
            return Description { name, text };
        }
        let message = Message::new(frame.content_type())
            .with_headers(frame.headers().clone())
            .with_body(frame.body().clone());
        let described =
            match self {
                Self::Control => ControlMessage::decode(&message)
                    .map(|decoded| (decoded.name(), shortened(&decoded))),
                Self::Link => LinkMessage::decode(&message)
                    .map(|decoded| (decoded.name(), shortened(&decoded))),
                Self::Edge => EdgeMessage::decode(&message)
                    .map(|decoded| (decoded.name(), shortened(&decoded))),
            };
        let (name, text) = described.unwrap_or_else(|error| ("Undecodable", error.to_string()));
        Description { name, text }
    }
}

/// The name of a message of the channel itself.
const fn own_message(content_type: ContentType) -> Option<&'static str> {
    Some(match content_type {
        ContentType::HELLO => "Hello",
        ContentType::PING => "Ping",
        ContentType::RESULT => "Result",
        ContentType::LATENCY => "Latency",
        ContentType::LATENCY_RESPONSE => "LatencyResponse",
        ContentType::HEARTBEAT => "Heartbeat",
        ContentType::RAW => "Raw",
        _ => return None,
    })
}

/// What a message says, up to [`MAX_TEXT`]; secrets are not shown.
fn shortened(message: &impl fmt::Debug) -> String {
    let mut text = Shortened::default();
    // It only fails when it is full.
    let _is_full = fmt::write(&mut text, format_args!("{message:?}"));
    text.0
}

#[derive(Default)]
struct Shortened(String);

impl fmt::Write for Shortened {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for letter in text.chars() {
            if self.0.len() >= MAX_TEXT {
                self.0.push_str(" ...");
                return Err(fmt::Error);
            }
            self.0.push(letter);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use portcullis_channel::{FrameLimits, Sequence};
    use portcullis_wire::Secret;
    use portcullis_wire::control::route::Unroute;
    use portcullis_wire::xgress::Payload;

    fn frame(message: Message) -> Frame {
        Frame::new(message, Sequence(7), &FrameLimits::default()).unwrap()
    }

    #[test]
    fn long_and_broken_messages_are_cut_short() {
        let unroute = Unroute {
            circuit_id: "x".repeat(2 * MAX_TEXT),
            ..Unroute::default()
        };
        assert!(shortened(&unroute).len() < MAX_TEXT + 8);
        let broken = Message::new(ContentType(1100));
        let described = Protocol::Link.describe(&frame(broken));
        assert_eq!(described.name, "Undecodable");
        assert!(!described.text.is_empty());
    }

    #[test]
    fn payloads_do_not_show() {
        let payload = LinkMessage::Payload(Payload {
            circuit_id: "c1".to_owned(),
            data: Secret::new(Bytes::from_static(b"TOP SECRET")),
            ..Payload::default()
        });
        let described = Protocol::Link.describe(&frame(payload.encode().unwrap()));
        assert_eq!(described.name, "Payload");
        assert!(described.text.contains("data: Secret"));
        let text = described.text;
        assert!(!text.contains("TOP SECRET") && !text.contains("84, 79, 80"));
    }
}
