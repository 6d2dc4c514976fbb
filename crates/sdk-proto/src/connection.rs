//! What the numbers of a channel stand for.
//!
//! One space of numbers is shared by binds, connections that are dialed, and connections that are served.
//! The SDK chooses below [`FIRST_OF_ROUTER`], the router from there on.

use crate::bind::Bind;
use crate::encryption::DialKeys;
use crate::event::BindId;
use crate::stream::Stream;
use portcullis_channel::ReplyTo;
use portcullis_e2e_encryption::StreamKeys;
use portcullis_wire::edge::ConnectionId;
use std::collections::BTreeMap;

/// The first number that the router chooses.
const FIRST_OF_ROUTER: u32 = 1 << 31;

/// A connection, as far as it has come.
#[derive(Debug)]
pub(crate) enum Connection {
    Dialing(Dialing),
    Offered(Offered),
    Open(Box<Stream>),
}

/// The router is asked for a connection.
#[derive(Debug)]
pub(crate) struct Dialing {
    pub(crate) keys: Option<DialKeys>,
}

/// The owner is asked to take a connection.
#[derive(Debug)]
pub(crate) struct Offered {
    pub(crate) bind: BindId,
    pub(crate) reply_to: ReplyTo,
    pub(crate) circuit_id: Option<String>,
    /// The circuit ends here.
    pub(crate) uses_xgress: bool,
    /// The router expects the number from here, and acknowledges it before there is data.
    pub(crate) is_numbered_here: bool,
    pub(crate) keys: Option<StreamKeys>,
}

/// All connections and binds of a channel.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    entries: BTreeMap<ConnectionId, Connection>,
    pub(crate) binds: BTreeMap<BindId, Bind>,
    last: u32,
}

impl Connections {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn get(&self, id: ConnectionId) -> Option<&Connection> {
        self.entries.get(&id)
    }

    pub(crate) fn insert(&mut self, id: ConnectionId, connection: Connection) {
        self.entries.insert(id, connection);
    }

    pub(crate) fn remove(&mut self, id: ConnectionId) -> Option<Connection> {
        self.entries.remove(&id)
    }

    pub(crate) fn contains(&self, id: ConnectionId) -> bool {
        self.entries.contains_key(&id) || self.binds.contains_key(&BindId(id))
    }

    pub(crate) fn stream(&self, id: ConnectionId) -> Option<&Stream> {
        match self.entries.get(&id)? {
            Connection::Open(stream) => Some(stream),
            _ => None,
        }
    }

    pub(crate) fn stream_mut(&mut self, id: ConnectionId) -> Option<&mut Stream> {
        match self.entries.get_mut(&id)? {
            Connection::Open(stream) => Some(stream),
            _ => None,
        }
    }

    /// The stream, unless its owner has closed it.
    pub(crate) fn owned(&mut self, id: ConnectionId) -> Option<&mut Stream> {
        self.stream_mut(id).filter(|stream| !stream.is_released)
    }

    /// Takes the connection if it is being dialed.
    pub(crate) fn take_dialing(&mut self, id: ConnectionId) -> Option<Dialing> {
        match self.entries.remove(&id)? {
            Connection::Dialing(dialing) => Some(dialing),
            other => {
                self.entries.insert(id, other);
                None
            },
        }
    }

    /// Takes the connection if it is offered.
    pub(crate) fn take_offered(&mut self, id: ConnectionId) -> Option<Offered> {
        match self.entries.remove(&id)? {
            Connection::Offered(offered) => Some(offered),
            other => {
                self.entries.insert(id, other);
                None
            },
        }
    }

    /// The connections that are offered to a bind.
    pub(crate) fn offers_of(&self, bind: BindId) -> Vec<ConnectionId> {
        let is_of = |connection: &Connection| match connection {
            Connection::Offered(offered) => offered.bind == bind,
            _ => false,
        };
        let entries = self.entries.iter();
        let offers = entries.filter(|(_, connection)| is_of(connection));
        offers.map(|(id, _)| *id).collect()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (ConnectionId, &Connection)> {
        self.entries
            .iter()
            .map(|(id, connection)| (*id, connection))
    }

    pub(crate) fn ids(&self) -> Vec<ConnectionId> {
        self.entries.keys().copied().collect()
    }

    /// A number that is not in use: the one after the last, from 1 on.
    pub(crate) fn choose(&mut self) -> ConnectionId {
        loop {
            self.last = self.last % (FIRST_OF_ROUTER - 1) + 1;
            let id = ConnectionId(self.last);
            if !self.contains(id) {
                return id;
            }
        }
    }
}

/// Whether a router may give a connection this number.
pub(crate) const fn is_chosen_by_router(id: ConnectionId) -> bool {
    id.0 >= FIRST_OF_ROUTER
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dialing() -> Connection {
        Connection::Dialing(Dialing { keys: None })
    }

    #[test]
    fn numbers_begin_anew_and_pass_over_those_in_use() {
        let mut connections = Connections::default();
        assert_eq!(connections.choose(), ConnectionId(1));
        connections.insert(ConnectionId(1), dialing());
        connections.last = FIRST_OF_ROUTER - 2;
        assert_eq!(connections.choose(), ConnectionId(FIRST_OF_ROUTER - 1));
        assert_eq!(connections.choose(), ConnectionId(2));
    }
}
