//! What the owner of a channel has to do for it.

use portcullis_channel::ReplyTo;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::route::RouteOutcome;
use portcullis_wire::edge::{EdgeMessage, PostureResponse};

use super::access::ApiSession;
use super::circuit::{CircuitEnd, Closing, Dialed, EndId, FromSdk};
use super::host_exchange::HostRequest;
use super::names::{CircuitId, ControllerId};

/// What the owner of an [`SdkChannel`](super::SdkChannel) has to do, in this order.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// Send to the SDK.
    Send(Outgoing),
    /// Ask the SDK. The reply is handed to [`answered`](super::SdkChannel::answered); if there can be
    /// none, [`not_answered`](super::SdkChannel::not_answered) is called. The time limit is the
    /// channel's own.
    Ask { ask: AskId, message: EdgeMessage },
    /// Ask a controller. The answer is handed to
    /// [`controller_answered`](super::SdkChannel::controller_answered), also when it is late or the channel
    /// has ended; if there can be none, [`controller_failed`](super::SdkChannel::controller_failed) is
    /// called. One of them has to happen: see [`is_finished`](super::SdkChannel::is_finished).
    Request {
        request: RequestId,
        to: Recipient,
        message: Box<ControlMessage>,
    },
    /// Tell a controller.
    Tell {
        to: Recipient,
        message: Box<ControlMessage>,
    },
    /// Hand to [`Hosting`](super::Hosting).
    Host(HostRequest),
    /// The end of a circuit exists from now on, and may be sent to.
    Open(CircuitEnd),
    /// The SDK knows of the circuit that it has dialed: its end may send.
    Start(Dialed),
    /// Put into a circuit at this end.
    Put { end: EndId, content: FromSdk },
    /// Close the end of a circuit; its controller is told with a fault once it is closed. Nothing more
    /// is handed to the channel for it.
    Close { end: EndId, closing: Closing },
    /// The outcome of an [`Offer`](super::Offer).
    Routed {
        circuit: CircuitId,
        attempt: u32,
        outcome: RouteOutcome,
    },
    /// The session has a new token: for [`renew`](super::SdkChannel::renew) of all channels of the
    /// identity.
    Renewed(Box<ApiSession>),
    /// What the SDK says of its machine.
    Posture(Vec<PostureResponse>),
    /// The SDK wants all services of its identity as of now:
    /// [`send_snapshot`](super::SdkChannel::send_snapshot).
    SendServices,
    /// The SDK does not want to be told of its services any more: what it was told need not be kept.
    StopServices,
    /// The SDK wants the state of its posture: [`send_posture`](super::SdkChannel::send_posture).
    SendPosture,
    /// The answer to [`inspect`](super::SdkChannel::inspect).
    Inspected {
        inspection: InspectionId,
        /// JSON of the SDK. The error is a text for people.
        result: Result<portcullis_wire::Secret<String>, String>,
    },
    /// Close the channel, after what is to be sent.
    CloseChannel { reason: String },
}

/// A message to an SDK.
#[derive(Debug, Clone, PartialEq)]
pub struct Outgoing {
    pub message: EdgeMessage,
    /// The request that it replies to.
    pub reply_to: Option<ReplyTo>,
}

/// A question to an SDK, by its number within the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AskId(pub u64);

/// A question to a controller, by its number within the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId(pub u64);

/// What somebody who inspects an SDK calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InspectionId(pub u64);

/// Which controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    Any,
    Only(ControllerId),
}

/// Why a question to a controller has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestFailure {
    /// No controller is connected, or not the one that may answer.
    NoController,
    /// The connection to it was lost meanwhile, or it could not be sent.
    Lost,
}

impl Outgoing {
    /// Whether the message may be dropped if the SDK takes nothing: it is repeated by the other end of
    /// the circuit, or nobody waits for it. If another message finds no room, the channel has to be
    /// closed.
    pub const fn may_be_dropped(&self) -> bool {
        matches!(
            self.message,
            EdgeMessage::Payload(_)
                | EdgeMessage::Acknowledgement(_)
                | EdgeMessage::Control(_)
                | EdgeMessage::TraceRoute(_)
                | EdgeMessage::TraceRouteResponse(_)
        )
    }
}
