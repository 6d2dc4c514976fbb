//! What travels on circuits.

use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::edge::{ConnectionId, Data, DataFlags, EdgeMessage, StateClosed};
use portcullis_wire::xgress::{Acknowledgement, Payload};

use super::SdkChannel;
use crate::edge::action::{Action, AskId};
use crate::edge::circuit::{CircuitData, CircuitEnd, CircuitEnded, Closing, Flow, FromSdk, ToSdk};
use crate::edge::connections::{Connection, Open, Usage};
use crate::edge::host_exchange::HostRequest;
use crate::edge::names::CircuitId;
use crate::edge::refusal::Refusal;

impl SdkChannel {
    /// Whether the next message of the SDK may be read. If not, a circuit takes what it was sent too
    /// slowly; the SDK has no other way to learn of it.
    pub const fn wants_input(&self) -> bool {
        self.stalled == 0 && self.backlog <= self.limits.backlog_bytes
    }

    /// A circuit has taken so much of the [`FromSdk::Data`] that was put into it, by its
    /// [`weight`](CircuitData::weight).
    pub fn taken_by(&mut self, circuit: &CircuitId, weight: usize) {
        let limit = self.limits.connection_backlog_bytes;
        let Some(open) = self.connections.of_circuit_mut(circuit.as_str()) else {
            return;
        };
        let was_stalled = open.backlog > limit;
        let taken = weight.min(open.backlog);
        open.backlog -= taken;
        let is_stalled = open.backlog > limit;
        self.backlog -= taken;
        if was_stalled && !is_stalled {
            self.stalled -= 1;
        }
    }

    /// Handles what comes out of a circuit. What there is no connection for any more is dropped.
    pub fn deliver(&mut self, circuit: &CircuitId, content: ToSdk) {
        if let ToSdk::Ended(ended) = content {
            return self.circuit_ended(circuit, ended);
        }
        let Some(open) = self.connections.of_circuit_mut(circuit.as_str()) else {
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
            (ToSdk::Control(control), _) => self.deliver_control(circuit, control),
            _ => {},
        }
    }

    pub(super) fn data(&mut self, data: Data) {
        let limit = self.limits.connection_backlog_bytes;
        let Some(open) = self.connections.open_mut(data.connection) else {
            return;
        };
        if open.end.flow != Flow::Router {
            return;
        }
        let data = CircuitData::from_message(data);
        let weight = data.weight();
        let was_stalled = open.backlog > limit;
        open.backlog += weight;
        let is_stalled = open.backlog > limit;
        let circuit = open.end.circuit.clone();
        self.backlog += weight;
        if is_stalled && !was_stalled {
            self.stalled += 1;
        }
        self.put(circuit, FromSdk::Data(data));
    }

    pub(super) fn payload(&mut self, payload: Payload) {
        if let Some(circuit) = self.forwarded(&payload.circuit_id) {
            // The number of the connection means nothing elsewhere.
            let payload = Payload {
                connection: None,
                ..payload
            };
            self.put(circuit, FromSdk::Payload(payload));
        }
    }

    pub(super) fn acknowledgement(&mut self, acknowledgement: Acknowledgement) {
        if let Some(circuit) = self.forwarded(&acknowledgement.circuit_id) {
            let acknowledgement = Acknowledgement {
                connection: None,
                ..acknowledgement
            };
            self.put(circuit, FromSdk::Acknowledgement(acknowledgement));
        }
    }

    /// The SDK has closed a circuit whose end it is.
    pub(super) fn circuit_closed(&mut self, circuit: &str) {
        if self.forwarded(circuit).is_none() {
            return;
        }
        if let Some(open) = self.connections.of_circuit(circuit) {
            self.close_circuit(open.end.connection, Closing::AtOnce);
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

    /// The circuit with this id, if the SDK is the end of it.
    pub(super) fn forwarded(&self, circuit: &str) -> Option<CircuitId> {
        let open = self.connections.of_circuit(circuit)?;
        (open.end.flow == Flow::Sdk).then(|| open.end.circuit.clone())
    }

    /// Whether a circuit may be added to the channel.
    pub(super) fn is_new_circuit(&self, circuit: &str) -> bool {
        !circuit.is_empty()
            && self.connections.of_circuit(circuit).is_none()
            && self.offer_of(&circuit.into()).is_none()
    }

    /// Closes the circuit of a connection, and forgets the connection.
    pub(super) fn close_circuit(&mut self, connection: ConnectionId, closing: Closing) {
        if let Some(circuit) = self.forget(connection) {
            self.actions.push_back(Action::Close { circuit, closing });
        }
    }

    pub(super) fn put(&mut self, circuit: CircuitId, content: FromSdk) {
        self.actions.push_back(Action::Put { circuit, content });
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

    fn circuit_ended(&mut self, circuit: &CircuitId, ended: CircuitEnded) {
        if let Some(ask) = self.offer_of(circuit) {
            return self.offer_has_ended(ask, ended.reason());
        }
        let Some(open) = self.connections.of_circuit(circuit.as_str()) else {
            return;
        };
        let connection = open.end.connection;
        self.forget(connection);
        self.close(connection, Refusal::text(ended.reason()));
    }

    /// Removes an open connection with its backlog.
    pub(super) fn forget(&mut self, connection: ConnectionId) -> Option<CircuitId> {
        let Connection::Open(open) = self.connections.remove(connection)? else {
            return None;
        };
        self.backlog -= open.backlog;
        if open.backlog > self.limits.connection_backlog_bytes {
            self.stalled -= 1;
        }
        Some(open.end.circuit)
    }
}
