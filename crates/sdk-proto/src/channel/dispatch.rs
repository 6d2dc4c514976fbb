//! Messages of the router by their kind.

use super::EdgeChannel;
use crate::connection::Connection;
use crate::event::{BindId, CloseReason, DialFailure, EdgeEvent};
use crate::refusal::Refusal;
use crate::stream::Flow;
use portcullis_channel::{ContentType, Frame, Now, ReplyTo};
use portcullis_wire::edge::{
    ConnectionId, Data, DataFlags, EdgeMessage, StateClosed, StateConnected,
};
use portcullis_wire::xgress::{Acknowledgement, Payload, payload_header};
use portcullis_xgress::{Received, Segment};

/// The text of routers when the other end has closed.
const CLOSE_CALLED: &str = "close called";

impl EdgeChannel {
    /// Handles a message of the router, whether it is a reply or not: what it replies to is known by its
    /// contents.
    ///
    /// A message that is not what it should be ends nothing but what it is about.
    pub fn handle_frame(&mut self, frame: Frame, now: Now) {
        if self.end.is_some() {
            return;
        }
        self.note_heard(now);
        if frame.content_type() == ContentType::RESULT {
            return self.probe_answered(&frame, now);
        }
        let reply_to = frame.reply_to();
        let message = frame.into_message();
        match EdgeMessage::decode(&message) {
            Ok(message) => self.handle_message(message, reply_to, now),
            Err(_malformed) => {
                self.counters.malformed += 1;
                let about = EdgeMessage::connection(&message);
                self.handle_malformed(message.content_type, about, reply_to, now);
            },
        }
    }

    fn handle_message(&mut self, message: EdgeMessage, reply_to: ReplyTo, now: Now) {
        match message {
            EdgeMessage::Payload(payload) => self.payload(payload, now),
            EdgeMessage::Acknowledgement(acknowledgement) => {
                self.acknowledgement(&acknowledgement, now);
            },
            EdgeMessage::Data(data) => self.data(data, now),
            EdgeMessage::StateConnected(connected) => self.state_connected(&connected, now),
            EdgeMessage::StateClosed(closed) => self.state_closed(closed, now),
            EdgeMessage::Dial(dial) => self.offered(dial, reply_to, now),
            EdgeMessage::BindSuccess(success) => self.bound(BindId(success.connection)),
            EdgeMessage::Control(control) => self.control(control, reply_to, now),
            EdgeMessage::TraceRoute(trace) => self.trace_asked(&trace, reply_to),
            EdgeMessage::TraceRouteResponse(response) => self.trace_answered(response, now),
            EdgeMessage::ConnectionInspectRequest(request) => {
                self.connection_inspected(request.connection, reply_to);
            },
            EdgeMessage::InspectRequest(request) => self.inspected(&request, reply_to),
            EdgeMessage::UpdateTokenSuccess => self.token_accepted(now),
            EdgeMessage::UpdateTokenFailure(failure) => self.token_refused(failure.into(), now),
            EdgeMessage::ServiceChangeSet(changes) => self.services_changed(changes),
            EdgeMessage::PostureStateChange(change) => {
                let event = EdgeEvent::PostureState(Box::new(change));
                self.events.push_back(event);
            },
            // What only SDKs send, and what newer routers may say.
            EdgeMessage::CircuitClosed(_)
            | EdgeMessage::PostureResponses(_)
            | EdgeMessage::ServiceSubscription(_)
            | EdgeMessage::ServiceUnsubscription
            | EdgeMessage::ResyncPostureState
            | EdgeMessage::Connect(_)
            | EdgeMessage::ConnectV2(_)
            | EdgeMessage::DialSuccess(_)
            | EdgeMessage::DialFailed(_)
            | EdgeMessage::Bind(_)
            | EdgeMessage::Unbind(_)
            | EdgeMessage::UpdateBind(_)
            | EdgeMessage::HealthEvent(_)
            | EdgeMessage::ConnectionInspectResponse(_)
            | EdgeMessage::InspectResponse(_)
            | EdgeMessage::UpdateToken(_)
            | EdgeMessage::Unknown(_) => self.counters.unknown += 1,
        }
    }

    /// What cannot be read and was waited for ends the wait.
    fn handle_malformed(
        &mut self,
        kind: ContentType,
        about: Option<ConnectionId>,
        reply_to: ReplyTo,
        now: Now,
    ) {
        let refusal = || {
            Refusal::from(StateClosed {
                reason: "the router's answer cannot be read".to_owned(),
                ..StateClosed::default()
            })
        };
        match (kind, about) {
            // StateConnected, StateClosed.
            (ContentType(60784 | 60785), Some(id)) => self.end_by_router(id, refusal(), now),
            // Dial.
            (ContentType(60787), Some(id)) => self.decline(id, "the dial cannot be read", reply_to),
            _ => {},
        }
    }

    fn payload(&mut self, payload: Payload, now: Now) {
        let id = payload.connection;
        match self.sdk_stream(id, &payload.circuit_id) {
            Some(id) => {
                if let Some(Flow::Sdk(flow)) = self.flow_mut(id) {
                    flow.handle_payload(payload, now);
                }
                self.settle(id, now);
            },
            None => self.counters.unfounded += 1,
        }
    }

    fn acknowledgement(&mut self, acknowledgement: &Acknowledgement, now: Now) {
        match self.sdk_stream(acknowledgement.connection, &acknowledgement.circuit_id) {
            Some(id) => {
                if let Some(Flow::Sdk(flow)) = self.flow_mut(id) {
                    flow.handle_acknowledgement(acknowledgement, now);
                }
                self.settle(id, now);
            },
            None => self.counters.unfounded += 1,
        }
    }

    /// The connection whose circuit ends here. Routers name it, since both ends of a circuit may be here.
    pub(super) fn sdk_stream(
        &self,
        id: Option<ConnectionId>,
        circuit: &str,
    ) -> Option<ConnectionId> {
        let stream = self.connections.stream(id?)?;
        let is_its = match &stream.flow {
            Flow::Sdk(flow) => flow.endpoint().circuit_id() == circuit,
            Flow::Router(_) => false,
        };
        is_its.then_some(stream.connection)
    }

    fn flow_mut(&mut self, id: ConnectionId) -> Option<&mut Flow> {
        self.connections
            .stream_mut(id)
            .map(|stream| &mut stream.flow)
    }

    fn data(&mut self, data: Data, now: Now) {
        let id = data.connection;
        let Some(stream) = self.connections.stream_mut(id) else {
            self.counters.unfounded += 1;
            return;
        };
        let Flow::Router(flow) = &stream.flow else {
            self.counters.unfounded += 1;
            return;
        };
        if flow.is_overflowing() {
            stream.abort(CloseReason::Overflow);
        } else {
            stream.arrive(Received::Segment(segment(data)));
        }
        self.settle(id, now);
    }

    fn state_connected(&mut self, connected: &StateConnected, now: Now) {
        let id = connected.connection;
        if let Some(dialing) = self.connections.take_dialing(id) {
            return self.dial_connected(dialing, connected, now);
        }
        if self.connections.binds.contains_key(&BindId(id)) {
            return self.bind_answered(BindId(id));
        }
        match self.connections.stream_mut(id) {
            // It was accepted under this number, and the router knows that now.
            Some(stream) if stream.is_held => {
                stream.is_held = false;
                self.settle(id, now);
            },
            Some(_) => self.counters.unfounded += 1,
            None => {
                self.counters.unfounded += 1;
                self.disown(connected);
            },
        }
    }

    fn state_closed(&mut self, closed: StateClosed, now: Now) {
        match closed.connection {
            Some(id) => self.end_by_router(id, closed.into(), now),
            None => self.counters.unfounded += 1,
        }
    }

    fn end_by_router(&mut self, id: ConnectionId, why: Refusal, now: Now) {
        if self.connections.binds.contains_key(&BindId(id)) {
            return self.bind_ended(BindId(id), why);
        }
        match self.connections.get(id) {
            Some(Connection::Dialing(_)) => self.fail_dial(id, DialFailure::Refused(why)),
            Some(Connection::Offered(_)) => self.offer_ended(id),
            Some(Connection::Open(_)) => {
                if let Some(stream) = self.connections.stream_mut(id) {
                    let is_router = matches!(stream.flow, Flow::Router(_));
                    let why = if is_router && why.reason == CLOSE_CALLED {
                        CloseReason::Peer
                    } else {
                        CloseReason::Router(why)
                    };
                    stream.end_by_router(why, now);
                }
                self.settle(id, now);
            },
            None => self.counters.unfounded += 1,
        }
    }
}

/// What a message carries, as it travels on circuits. It keeps none of what the message was read into.
fn segment(data: Data) -> Segment {
    let mut headers = [(
        payload_header::DATA_FLAGS,
        data.flags.bits().to_le_bytes().to_vec().into(),
    )]
    .into();
    let mut bytes = data.data;
    portcullis_xgress::compact(&mut headers, &mut bytes);
    if data.flags == DataFlags::default() {
        headers.clear();
    }
    Segment {
        headers,
        data: bytes,
    }
}
