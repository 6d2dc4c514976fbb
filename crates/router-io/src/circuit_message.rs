//! What travels on circuits.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use portcullis_channel::Flow;
use portcullis_wire::link::LinkMessage;
use portcullis_wire::xgress::{Acknowledgement, Control, Payload};

/// What a message without data takes beside its lists.
const OVERHEAD: usize = 256;

/// A message of a circuit, between links, SDKs and ends of circuits. Boxed, since it is handed back when there
/// is no room.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CircuitMessage {
    Payload(Box<Payload>),
    Acknowledgement(Box<Acknowledgement>),
    Control(Box<Control>),
}

impl CircuitMessage {
    pub(crate) fn circuit(&self) -> &str {
        match self {
            Self::Payload(payload) => &payload.circuit_id,
            Self::Acknowledgement(acknowledgement) => &acknowledgement.circuit_id,
            Self::Control(control) => &control.circuit_id,
        }
    }

    /// What shares queues with other circuits. Two circuits are hardly ever one flow, and it would only let
    /// them share a part.
    pub(crate) fn flow(&self) -> Flow {
        let mut hasher = DefaultHasher::new();
        self.circuit().hash(&mut hasher);
        Flow(hasher.finish())
    }

    /// Bytes of memory, about.
    pub(crate) fn weight(&self) -> usize {
        match self {
            Self::Payload(payload) => portcullis_xgress::weight(&payload.headers, &payload.data),
            Self::Acknowledgement(acknowledgement) => {
                OVERHEAD + size_of_val(&acknowledgement.sequences[..])
            },
            Self::Control(control) => OVERHEAD + control.others.block().len(),
        }
    }

    /// Takes a payload that may wait for long out of what it was read into.
    pub(crate) fn compact(&mut self) {
        if let Self::Payload(payload) = self {
            portcullis_xgress::compact(&mut payload.headers, &mut payload.data);
        }
    }

    /// Bytes of data.
    pub(crate) fn data_len(&self) -> usize {
        match self {
            Self::Payload(payload) => payload.data.expose().len(),
            Self::Acknowledgement(_) | Self::Control(_) => 0,
        }
    }
}

impl From<CircuitMessage> for LinkMessage {
    fn from(message: CircuitMessage) -> Self {
        match message {
            CircuitMessage::Payload(payload) => Self::Payload(*payload),
            CircuitMessage::Acknowledgement(acknowledgement) => {
                Self::Acknowledgement(*acknowledgement)
            },
            CircuitMessage::Control(control) => Self::Control(*control),
        }
    }
}

impl TryFrom<LinkMessage> for CircuitMessage {
    /// Of another type.
    type Error = LinkMessage;

    fn try_from(message: LinkMessage) -> Result<Self, LinkMessage> {
        Ok(match message {
            LinkMessage::Payload(payload) => Self::Payload(Box::new(payload)),
            LinkMessage::Acknowledgement(acknowledgement) => {
                Self::Acknowledgement(Box::new(acknowledgement))
            },
            LinkMessage::Control(control) => Self::Control(Box::new(control)),
            LinkMessage::Unknown(_) => return Err(message),
        })
    }
}
