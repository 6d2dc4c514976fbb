//! What travels on circuits.

use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::edge::{ConnectionId, Data, DataFlags, EdgeMessage, StateClosed};
use portcullis_wire::xgress::{Acknowledgement, Payload, PayloadFlags};
use portcullis_xgress::Side;

use super::SdkChannel;
use crate::edge::action::{Action, AskId};
use crate::edge::circuit::{
    CircuitData, CircuitEnd, CircuitEnded, Closing, EndId, Flow, FromSdk, ToSdk,
};
use crate::edge::connections::{Connection, Open, Usage};
use crate::edge::host_exchange::HostRequest;
use crate::edge::refusal::Refusal;

impl SdkChannel {
    /// Whether the next message of the SDK may be read. If not, a circuit takes what it was sent too
    /// slowly; the SDK has no other way to learn of it.
    pub fn wants_input(&self) -> bool {
        self.stalled.is_empty() && self.backlog <= self.limits.backlog_bytes.min(self.allowance)
    }

    /// The end of a circuit has taken so much of the [`FromSdk::Data`] that was put into it, by its
    /// [`weight`](CircuitData::weight).
    pub fn taken_by(&mut self, end: &EndId, weight: usize) {
        let Some(open) = self.connections.with_end_mut(end) else {
            return;
        };
        let taken = weight.min(open.backlog);
        open.backlog -= taken;
        let connection = open.end.connection;
        self.backlog -= taken;
        self.judge_backlog(connection);
    }

    /// Whether the channel has to wait for the circuit of a connection. It must not if the SDK itself is the
    /// other end of the circuit: what it acknowledges comes by the same way. Then only the limit of the whole
    /// channel holds.
    fn judge_backlog(&mut self, connection: ConnectionId) {
        let limit = self.limits.connection_backlog_bytes;
        let open = self.connections.open(connection);
        let long = open.filter(|open| open.backlog > limit);
        let is_stalled = long.is_some_and(|open| {
            let mut ends = self.connections.of_circuit(open.end.id.circuit.as_str());
            ends.all(|end| end.end.flow == Flow::Router)
        });
        if is_stalled {
            self.stalled.insert(connection);
        } else {
            self.stalled.remove(&connection);
        }
    }

    /// Handles what comes out of a circuit at this end. What there is no connection for any more is dropped.
    pub fn deliver(&mut self, end: &EndId, content: ToSdk) {
        if let ToSdk::Ended(ended) = content {
            return self.circuit_ended(end, ended);
        }
        let Some(open) = self.connections.with_end_mut(end) else {
            return;
        };
        let connection = open.end.connection;
        match (content, open.end.flow) {
            (ToSdk::Data(data), Flow::Router) => {
                let data = data.into_message(connection);
                open.has_ended |= data.flags.contains(DataFlags::FIN);
                self.send(EdgeMessage::Data(data));
            },
            // The dialing SDK may have said so itself, by a flag that the router does not look for.
            (ToSdk::EndOfData, Flow::Router) if !open.has_ended => {
                open.has_ended = true;
                self.send(EdgeMessage::Data(Data {
                    connection,
                    flags: DataFlags::FIN,
                    ..Data::default()
                }));
            },
            (ToSdk::Payload(payload), Flow::Sdk) => self.send(EdgeMessage::Payload(Payload {
                connection: Some(connection),
                ..payload
            })),
            (ToSdk::Acknowledgement(acknowledgement), Flow::Sdk) => {
                self.send(EdgeMessage::Acknowledgement(Acknowledgement {
                    connection: Some(connection),
                    ..acknowledgement
                }));
            },
            (ToSdk::Control(control), _) => self.deliver_control(end, control),
            _ => {},
        }
    }

    pub(super) fn data(&mut self, data: Data) {
        let connection = data.connection;
        let Some(open) = self.connections.open_mut(connection) else {
            return;
        };
        if open.end.flow != Flow::Router {
            return;
        }
        let data = CircuitData::from_message(data);
        let weight = data.weight();
        open.backlog += weight;
        let end = open.end.id.clone();
        self.backlog += weight;
        self.judge_backlog(connection);
        self.put(end, FromSdk::Data(data));
    }

    pub(super) fn payload(&mut self, payload: Payload) {
        if let Some(end) = self.forwarded(&payload.circuit_id, payload.flags) {
            // The number of the connection means nothing elsewhere.
            let payload = Payload {
                connection: None,
                ..payload
            };
            self.put(end, FromSdk::Payload(payload));
        }
    }

    pub(super) fn acknowledgement(&mut self, acknowledgement: Acknowledgement) {
        let (circuit, flags) = (&acknowledgement.circuit_id, acknowledgement.flags);
        if let Some(end) = self.forwarded(circuit, flags) {
            let acknowledgement = Acknowledgement {
                connection: None,
                ..acknowledgement
            };
            self.put(end, FromSdk::Acknowledgement(acknowledgement));
        }
    }

    /// The SDK has closed a circuit whose end it is. The message does not say which of its connections: all
    /// that are at its end are over, and told so. The SDK may have meant one of an earlier attempt, and would
    /// wait forever on the other.
    ///
    /// What it has not answered yet it cannot have closed: there, an earlier attempt is meant.
    pub(super) fn circuit_closed(&mut self, circuit: &str) {
        let open = self.connections.of_circuit(circuit);
        let closed = open.filter(|open| open.end.flow == Flow::Sdk && open.offer.is_none());
        let connections: Vec<ConnectionId> = closed.map(|open| open.end.connection).collect();
        for connection in connections {
            self.close_circuit(connection, Closing::AtOnce);
            self.close(connection, Refusal::text(CircuitEnded::Closed.reason()));
        }
    }

    /// The SDK has closed a connection or a bind, or gives up on a dial or an offer.
    pub(super) fn state_closed(&mut self, closed: &StateClosed) {
        let Some(id) = closed.connection else {
            return;
        };
        match self.connections.get(id) {
            Some(Connection::Dialing(dialing)) => {
                let request = dialing.request;
                self.fail_dial(request, Refusal::text("closed by the client"));
            },
            Some(Connection::Bind(bind)) => {
                let bind = bind.key;
                self.take_bind(id, Refusal::text("closed by the client"));
                self.actions
                    .push_back(Action::Host(HostRequest::Unbind(bind)));
            },
            Some(Connection::Open(Open {
                offer: Some(ask), ..
            })) => self.fail_offer(*ask, RouteFailure::Generic, "closed by the host"),
            Some(Connection::Open(open)) => {
                let closing = match open.end.flow {
                    Flow::Router => Closing::Gracefully,
                    Flow::Sdk => Closing::AtOnce,
                };
                self.close_circuit(id, closing);
            },
            None => {},
        }
    }

    /// The end of a circuit that sends something with these flags, if it is in the SDK.
    fn forwarded(&self, circuit: &str, flags: PayloadFlags) -> Option<EndId> {
        let side = Side::of(flags);
        let mut open = self.connections.of_circuit(circuit);
        let open = open.find(|open| open.end.id.side == side)?;
        (open.end.flow == Flow::Sdk).then(|| open.end.id.clone())
    }

    /// Whether an end of a circuit may be added to the channel.
    pub(super) fn is_new_end(&self, end: &EndId) -> bool {
        !end.circuit.as_str().is_empty()
            && self.connections.with_end(end).is_none()
            && self.offer_of(end).is_none()
    }

    /// Closes the circuit of a connection, and forgets the connection.
    pub(super) fn close_circuit(&mut self, connection: ConnectionId, closing: Closing) {
        if let Some(end) = self.forget(connection) {
            self.actions.push_back(Action::Close { end, closing });
        }
    }

    pub(super) fn put(&mut self, end: EndId, content: FromSdk) {
        self.actions.push_back(Action::Put { end, content });
    }

    /// Makes a connection one with a circuit.
    pub(super) fn open(&mut self, end: CircuitEnd, usage: Usage, offer: Option<AskId>) {
        self.actions.push_back(Action::Open(end.clone()));
        let connection = end.connection;
        let open = Open {
            end,
            usage,
            offer,
            backlog: 0,
            has_ended: false,
        };
        self.connections.insert(connection, Connection::Open(open));
    }

    fn circuit_ended(&mut self, end: &EndId, ended: CircuitEnded) {
        if let Some(ask) = self.offer_of(end) {
            return self.offer_has_ended(ask, ended.reason());
        }
        let Some(open) = self.connections.with_end(end) else {
            return;
        };
        let connection = open.end.connection;
        self.forget(connection);
        self.close(connection, Refusal::text(ended.reason()));
    }

    /// Removes an open connection with its backlog.
    pub(super) fn forget(&mut self, connection: ConnectionId) -> Option<EndId> {
        let Connection::Open(open) = self.connections.remove(connection)? else {
            return None;
        };
        self.backlog -= open.backlog;
        self.stalled.remove(&connection);
        Some(open.end.id)
    }
}
