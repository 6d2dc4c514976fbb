//! Links, between two routers.

mod hello;

pub use hello::{LinkHello, SplitLinkPart};

use crate::message_set::message_set;
use crate::xgress::{Acknowledgement, Control, Payload};
use portcullis_channel::Priority;

message_set! {
    /// A message on a link. Heartbeats and latency probes are handled by the channel.
    pub enum LinkMessage {
        1100 => Payload(Payload),
        1101 => Acknowledgement(Acknowledgement),
        1102 => Control(Control),
    }
}

impl LinkMessage {
    /// The priority that peers send the message with: high for acknowledgements.
    pub const fn priority(&self) -> Priority {
        match self {
            Self::Acknowledgement(_) => Priority::High,
            _ => Priority::Default,
        }
    }
}
