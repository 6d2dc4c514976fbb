//! The connections of a channel by their ids.
//!
//! One space of ids is shared by connections that the SDK dials, its binds, and the connections that it
//! serves. The SDK chooses below [`FIRST_OF_ROUTER`], from 0 (C) or 1 (Go) on; the router from there on.

use std::collections::BTreeMap;

use bytes::Bytes;
use portcullis_channel::ReplyTo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::Token;
use portcullis_wire::edge::ConnectionId;
use portcullis_xgress::Side;

use super::action::{AskId, RequestId};
use super::circuit::{CircuitEnd, DialMessage, EndId, Flow};
use super::host_exchange::BindKey;
use super::names::{CircuitId, ServiceId, ServiceSessionId};

/// The first id that the router chooses.
pub(super) const FIRST_OF_ROUTER: u32 = 1 << 31;

/// What an id stands for.
#[derive(Debug)]
pub(super) enum Connection {
    /// A controller is asked for a circuit.
    Dialing(Dialing),
    Bind(Bind),
    Open(Open),
}

/// By what right a connection is used.
#[derive(Debug, Clone)]
pub(super) struct Usage {
    pub(super) grant: ServiceGrant,
    pub(super) service: ServiceId,
    /// `None` if the SDK named the service itself.
    pub(super) session: Option<ServiceSessionId>,
}

#[derive(Debug)]
pub(super) struct Dialing {
    pub(super) request: RequestId,
    pub(super) reply_to: ReplyTo,
    pub(super) usage: Usage,
    pub(super) flow: Flow,
    /// What the SDK has asked with, and when.
    pub(super) message: DialMessage,
    pub(super) since: Timestamp,
}

#[derive(Debug)]
pub(super) struct Bind {
    pub(super) key: BindKey,
    pub(super) usage: Usage,
    /// Shown to the SDK with each connection.
    pub(super) token: Token,
    pub(super) listener: Option<Bytes>,
    pub(super) flow: Flow,
    /// The router chooses the ids of its connections.
    pub(super) router_provides: bool,
    pub(super) supports_bind_success: bool,
    /// While it is not answered.
    pub(super) unanswered: Option<ReplyTo>,
}

#[derive(Debug)]
pub(super) struct Open {
    pub(super) end: CircuitEnd,
    pub(super) usage: Usage,
    /// While the host has not taken the connection. What it sends is let through: its answer may come
    /// by another way.
    pub(super) offer: Option<AskId>,
    /// Weight of what the circuit has not taken yet.
    pub(super) backlog: usize,
    /// The SDK knows that no data follows.
    pub(super) has_ended: bool,
}

#[derive(Debug, Default)]
pub(super) struct Connections {
    entries: BTreeMap<ConnectionId, Connection>,
    /// Open ones that the SDK has dialed, by their circuits.
    dialed: BTreeMap<CircuitId, ConnectionId>,
    /// Open ones that it serves.
    served: BTreeMap<CircuitId, ConnectionId>,
    binds: usize,
    /// How many ids the router has chosen.
    chosen: u32,
}

impl Connections {
    pub(super) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.entries.get(&id)
    }

    pub(super) fn contains(&self, id: ConnectionId) -> bool {
        self.entries.contains_key(&id)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) const fn binds(&self) -> usize {
        self.binds
    }

    /// The ids in use.
    pub(super) fn ids(&self) -> Vec<ConnectionId> {
        self.entries.keys().copied().collect()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.entries
            .iter()
            .map(|(id, connection)| (*id, connection))
    }

    pub(super) fn insert(&mut self, id: ConnectionId, connection: Connection) {
        self.remove(id);
        match &connection {
            Connection::Bind(_) => self.binds += 1,
            Connection::Open(open) => {
                let EndId { circuit, side } = open.end.id.clone();
                self.circuits_mut(side).insert(circuit, id);
            },
            Connection::Dialing(_) => {},
        }
        self.entries.insert(id, connection);
    }

    pub(super) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        let connection = self.entries.remove(&id)?;
        match &connection {
            Connection::Bind(_) => self.binds -= 1,
            Connection::Open(open) => {
                let EndId { circuit, side } = &open.end.id;
                self.circuits_mut(*side).remove(circuit);
            },
            Connection::Dialing(_) => {},
        }
        Some(connection)
    }

    pub(super) fn bind(&self, id: ConnectionId) -> Option<&Bind> {
        match self.entries.get(&id)? {
            Connection::Bind(bind) => Some(bind),
            _ => None,
        }
    }

    pub(super) fn bind_mut(&mut self, id: ConnectionId) -> Option<&mut Bind> {
        match self.entries.get_mut(&id)? {
            Connection::Bind(bind) => Some(bind),
            _ => None,
        }
    }

    pub(super) fn open(&self, id: ConnectionId) -> Option<&Open> {
        match self.entries.get(&id)? {
            Connection::Open(open) => Some(open),
            _ => None,
        }
    }

    pub(super) fn open_mut(&mut self, id: ConnectionId) -> Option<&mut Open> {
        match self.entries.get_mut(&id)? {
            Connection::Open(open) => Some(open),
            _ => None,
        }
    }

    /// The open connection with an end of a circuit.
    pub(super) fn with_end(&self, end: &EndId) -> Option<&Open> {
        self.open(*self.circuits(end.side).get(&end.circuit)?)
    }

    pub(super) fn with_end_mut(&mut self, end: &EndId) -> Option<&mut Open> {
        let id = *self.circuits(end.side).get(&end.circuit)?;
        self.open_mut(id)
    }

    /// The open connections of a circuit, of which there are two if the SDK dials what it hosts.
    pub(super) fn of_circuit(&self, circuit: &str) -> impl Iterator<Item = &Open> {
        let sides = [Side::Initiator, Side::Terminator].into_iter();
        let ids = sides.filter_map(|side| self.circuits(side).get(circuit));
        ids.filter_map(|id| self.open(*id))
    }

    const fn circuits(&self, side: Side) -> &BTreeMap<CircuitId, ConnectionId> {
        match side {
            Side::Initiator => &self.dialed,
            Side::Terminator => &self.served,
        }
    }

    const fn circuits_mut(&mut self, side: Side) -> &mut BTreeMap<CircuitId, ConnectionId> {
        match side {
            Side::Initiator => &mut self.dialed,
            Side::Terminator => &mut self.served,
        }
    }

    /// An id of the router's that is not in use: the one after the last, from 2³¹ on.
    pub(super) fn choose(&mut self) -> ConnectionId {
        loop {
            let id = ConnectionId(FIRST_OF_ROUTER + self.chosen);
            self.chosen = (self.chosen + 1) % FIRST_OF_ROUTER;
            if !self.contains(id) {
                return id;
            }
        }
    }
}

impl Connection {
    /// By what right it is used.
    pub(super) const fn usage(&self) -> &Usage {
        match self {
            Self::Dialing(dialing) => &dialing.usage,
            Self::Bind(bind) => &bind.usage,
            Self::Open(open) => &open.usage,
        }
    }
}
