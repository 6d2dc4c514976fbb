//! Messages of the SDK by their kind.

use portcullis_channel::{ContentType, Frame, HeaderKey, Message, ReplyTo, Sequence};
use portcullis_domain::clock::Timestamp;
use portcullis_wire::edge::{ConnectionId, EdgeMessage, StateClosed};
use portcullis_wire::{DecodeError, ErrorCode};

use super::SdkChannel;
use crate::edge::access::Access;
use crate::edge::action::Action;
use crate::edge::refusal::Refusal;

const CONNECTION: HeaderKey = HeaderKey(1000);
const SERVICE: HeaderKey = HeaderKey(1036);

/// Where a message comes from.
pub(super) struct Origin {
    pub(super) sequence: Sequence,
    pub(super) reply_to: ReplyTo,
}

impl SdkChannel {
    /// Handles a message of the SDK that answers no question.
    pub fn handle_frame(&mut self, frame: Frame, access: &dyn Access, now: Timestamp) {
        if self.has_ended {
            return;
        }
        let origin = Origin {
            sequence: frame.sequence(),
            reply_to: frame.reply_to(),
        };
        let message = frame.into_message();
        match EdgeMessage::decode(&message) {
            Ok(message) => self.handle_message(message, origin, access, now),
            Err(error) => self.handle_malformed(&message, &error, origin.reply_to),
        }
    }

    fn handle_message(
        &mut self,
        message: EdgeMessage,
        origin: Origin,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let reply_to = origin.reply_to;
        match message {
            EdgeMessage::Data(data) => self.data(data),
            EdgeMessage::Payload(payload) => self.payload(payload),
            EdgeMessage::Acknowledgement(acknowledgement) => self.acknowledgement(acknowledgement),
            EdgeMessage::Control(control) => self.control(control, origin.sequence, reply_to),
            EdgeMessage::CircuitClosed(closed) => self.circuit_closed(&closed.circuit_id),
            EdgeMessage::StateClosed(closed) => self.state_closed(&closed),
            EdgeMessage::Connect(connect) => self.connect(connect, reply_to, access, now),
            EdgeMessage::ConnectV2(connect) => self.connect_v2(connect, reply_to, access, now),
            EdgeMessage::Bind(bind) => self.bind(bind, reply_to, access, now),
            EdgeMessage::Unbind(unbind) => self.unbind(&unbind, reply_to, access, now),
            EdgeMessage::UpdateBind(update) => self.update_bind(&update, reply_to, access, now),
            EdgeMessage::HealthEvent(event) => self.health(&event, reply_to, access, now),
            EdgeMessage::DialSuccess(success) => self.late_success(&success),
            EdgeMessage::UpdateToken(update) => {
                self.update_token(&update.access_token, reply_to, access, now);
            },
            EdgeMessage::TraceRoute(trace) => self.trace(&trace, origin.sequence, reply_to),
            EdgeMessage::TraceRouteResponse(response) => self.trace_answered(response),
            EdgeMessage::PostureResponses(responses) => {
                self.actions.push_back(Action::Posture(responses.responses));
            },
            EdgeMessage::ResyncPostureState => self.actions.push_back(Action::SendPosture),
            EdgeMessage::ServiceSubscription(_) => self.subscribe(),
            EdgeMessage::ServiceUnsubscription => self.unsubscribe(),
            // What only routers send, late answers, and what newer SDKs may say.
            EdgeMessage::StateConnected(_)
            | EdgeMessage::Dial(_)
            | EdgeMessage::DialFailed(_)
            | EdgeMessage::BindSuccess(_)
            | EdgeMessage::UpdateTokenSuccess
            | EdgeMessage::UpdateTokenFailure(_)
            | EdgeMessage::ConnectionInspectRequest(_)
            | EdgeMessage::ConnectionInspectResponse(_)
            | EdgeMessage::InspectRequest(_)
            | EdgeMessage::InspectResponse(_)
            | EdgeMessage::ServiceChangeSet(_)
            | EdgeMessage::PostureStateChange(_)
            | EdgeMessage::Unknown(_) => {},
        }
    }

    /// Answers a message that is not what its content type promises, if its sender waits for something.
    fn handle_malformed(&mut self, message: &Message, error: &DecodeError, reply_to: ReplyTo) {
        let id = ConnectionId(message.headers.u32(CONNECTION).unwrap_or_default());
        match message.content_type {
            ContentType(1101) => self.send(EdgeMessage::StateClosed(StateClosed {
                connection: Some(id),
                reason: "xgress closed".to_owned(),
                ..StateClosed::default()
            })),
            // Connect, Bind, Unbind, UpdateBind, HealthEvent, ConnectV2.
            ContentType(60783 | 60790 | 60791 | 60794 | 60795 | 60806) => {
                self.refuse(id, malformed(error), reply_to);
            },
            // UpdateToken.
            ContentType(60803) => {
                let code = ErrorCode::InvalidApiSession;
                self.refuse_token(Refusal::new(code, "the token is not a text"), reply_to);
            },
            _ => {},
        }
    }
}

/// What a sender is told of a message that cannot be read.
fn malformed(error: &DecodeError) -> Refusal {
    match error {
        DecodeError::Header {
            key: CONNECTION, ..
        } => Refusal::text("connId not set, required"),
        DecodeError::Header { key: SERVICE, .. } => {
            Refusal::text("service header not set, required")
        },
        DecodeError::Body { .. } => {
            Refusal::new(ErrorCode::InvalidSession, "the token is not a text")
        },
        other => Refusal::text(other.to_string()),
    }
}
