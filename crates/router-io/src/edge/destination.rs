//! An SDK that is the end of a circuit itself.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use portcullis_channel::{Priority, SendErrorKind};
use portcullis_router::edge::{CircuitEnded, EndId, Flow};
use portcullis_wire::edge::{ConnectionId, EdgeMessage};

use super::sending;
use crate::circuit_message::CircuitMessage;
use crate::ends::{BorderMeter, first_time_bytes};
use crate::relay::Destination;
use crate::sdk_channels::{Command, SdkEnd, SdkHandle};

/// Sends what comes for a circuit straight to the queue of the SDK's channel. What does not fit is sent again
/// by the other end.
pub(super) struct SdkDestination {
    pub(super) end: EndId,
    pub(super) connection: ConnectionId,
    pub(super) sdk: Arc<SdkHandle>,
    pub(super) meter: BorderMeter,
}

impl SdkDestination {
    /// Sends a message. Returns it if there is no room; one that can never be sent is dropped.
    fn send(&self, message: EdgeMessage) -> Option<EdgeMessage> {
        let encoded = message.encode().ok()?;
        let error = sending::send(&self.sdk.channel, Priority::Default, encoded).err()?;
        (error.why == SendErrorKind::QueueFull).then_some(message)
    }
}

impl Destination for SdkDestination {
    fn deliver(&self, message: CircuitMessage) -> Result<(), CircuitMessage> {
        let mut first_time = None;
        let message = match message {
            CircuitMessage::Payload(mut payload) => {
                first_time = first_time_bytes(&payload);
                payload.connection = Some(self.connection);
                EdgeMessage::Payload(*payload)
            },
            CircuitMessage::Acknowledgement(mut acknowledgement) => {
                acknowledgement.connection = Some(self.connection);
                EdgeMessage::Acknowledgement(*acknowledgement)
            },
            CircuitMessage::Control(control) => {
                let end = self.end.clone();
                self.sdk.suggest(Command::Control(end, control));
                return Ok(());
            },
        };
        match self.send(message) {
            Some(EdgeMessage::Payload(payload)) => Err(CircuitMessage::Payload(Box::new(payload))),
            Some(EdgeMessage::Acknowledgement(acknowledgement)) => {
                Err(CircuitMessage::Acknowledgement(Box::new(acknowledgement)))
            },
            _ => {
                if let Some(bytes) = first_time {
                    self.meter.sent(bytes);
                }
                Ok(())
            },
        }
    }

    fn dropped(&self, message: &CircuitMessage) {
        self.meter.dropped(message);
    }

    fn kind(&self) -> &'static str {
        "xg-edge-fwd"
    }

    fn sdk_end(&self) -> Option<SdkEnd> {
        Some(SdkEnd {
            sdk: Arc::clone(&self.sdk),
            connection: self.connection,
            side: self.end.side,
            flow: Flow::Sdk,
        })
    }

    fn room(&self, _message: &CircuitMessage) -> BoxFuture<'static, ()> {
        let flow = sending::flow_of(self.connection);
        Box::pin(self.sdk.channel.writable_in(flow, Priority::Default))
    }

    fn unrouted(&self, circuit: &str) {
        if circuit == self.end.circuit.as_str() {
            let end = self.end.clone();
            self.sdk
                .command(Command::CircuitEnded(end, CircuitEnded::Unrouted));
        }
    }
}
