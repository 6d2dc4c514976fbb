//! Others dial what is hosted here.

use super::EdgeChannel;
use super::dial::public_key;
use crate::connection::{Connection, Offered, is_chosen_by_router};
use crate::encryption::Encryption;
use crate::event::{BindId, EdgeEvent, Offer};
use crate::stream::Stream;
use crate::timers::Timer;
use bytes::Bytes;
use portcullis_channel::{Now, ReplyTo};
use portcullis_e2e_encryption::{Header, PublicKey, Role, StreamKeys};
use portcullis_wire::edge::{ConnectionId, Dial, DialFailed, DialSuccess, EdgeMessage};
use portcullis_xgress::Side;

/// There is nothing to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the offer does not exist, perhaps any more")]
pub struct AnswerError;

impl EdgeChannel {
    /// Takes a connection. `header` has to be random; it is what this end's stream begins with if it is
    /// encrypted.
    pub fn accept(
        &mut self,
        connection: ConnectionId,
        header: &Header,
        now: Now,
    ) -> Result<(), AnswerError> {
        let offered = self.take_offer(connection)?;
        let flow = match &offered.circuit_id {
            Some(circuit) if offered.uses_xgress => self.sdk_flow(Side::Terminator, circuit, now),
            _ => self.router_flow(),
        };
        let mut stream = Stream::new(
            connection,
            offered.circuit_id,
            flow,
            self.options.max_segment,
        );
        stream.is_held = offered.is_numbered_here;
        let BindId(bind) = offered.bind;
        let bound = self.connections.binds.get(&offered.bind);
        let key = bound.and_then(|bind| bind.keys.as_ref());
        let success = DialSuccess {
            connection: bind,
            new_connection: connection,
            public_key: key.map(|key| public_key(&key.public_key())),
            sequence: None,
        };
        if let Some(keys) = offered.keys {
            let encryption = Encryption::new(keys, header);
            stream.encrypt(encryption, Bytes::copy_from_slice(&header.0), now);
        }
        self.reply(&EdgeMessage::DialSuccess(success), offered.reply_to);
        self.connections
            .insert(connection, Connection::Open(Box::new(stream)));
        self.settle(connection, now);
        Ok(())
    }

    /// Does not take a connection. The dialing program is told why.
    pub fn refuse(&mut self, connection: ConnectionId, reason: &str) -> Result<(), AnswerError> {
        let offered = self.take_offer(connection)?;
        let BindId(bind) = offered.bind;
        // Routers tell controllers by these words that it was not a failure of the host.
        let reason = format!("rejected by application: {reason}");
        self.decline(bind, &reason, offered.reply_to);
        Ok(())
    }

    fn take_offer(&mut self, connection: ConnectionId) -> Result<Offered, AnswerError> {
        let offered = self.connections.take_offered(connection);
        let offered = offered.ok_or(AnswerError)?;
        self.timers.set(Timer::Connection(connection), None);
        Ok(offered)
    }

    /// The router offers a connection.
    pub(super) fn offered(&mut self, dial: Dial, reply_to: ReplyTo, now: Now) {
        let bind = dial.connection;
        match self.check_offer(&dial) {
            Ok((id, keys)) => {
                let deadline = now.mono + self.options.offer_timeout;
                let offer = offer(id, &dial, keys.is_some());
                let offered = Offered {
                    bind: BindId(bind),
                    reply_to,
                    circuit_id: dial.circuit_id,
                    uses_xgress: dial.uses_xgress,
                    is_numbered_here: dial.new_connection.is_none(),
                    keys,
                };
                self.connections.insert(id, Connection::Offered(offered));
                self.timers.set(Timer::Connection(id), Some(deadline));
                self.events.push_back(EdgeEvent::Offered(Box::new(offer)));
            },
            Err(reason) => self.decline(bind, reason, reply_to),
        }
    }

    fn check_offer(
        &mut self,
        dial: &Dial,
    ) -> Result<(ConnectionId, Option<StreamKeys>), &'static str> {
        let bind = self.connections.binds.get(&BindId(dial.connection));
        let bind = bind.ok_or("no listener for the connection id")?;
        if bind.session != dial.session_token {
            return Err("invalid token: it is not that of the listener");
        }
        if dial.uses_xgress && dial.circuit_id.is_none() {
            return Err("the circuit has no id");
        }
        if !dial.uses_xgress && !self.options.is_ordered {
            return Err("the order of data would not be kept");
        }
        let keys = match (&bind.keys, &dial.public_key) {
            (Some(keys), Some(peer)) => {
                let peer = PublicKey::try_from(&peer[..]).ok();
                let agreed = peer.and_then(|peer| keys.agree(Role::Server, &peer).ok());
                Some(agreed.ok_or("the public key of the dialing end cannot be used")?)
            },
            (Some(_), None) => return Err("the service is encrypted, and the dial has no key"),
            // The other end would take the connection for an encrypted one.
            (None, Some(_)) => return Err("the dial has a key, and the listener does not encrypt"),
            (None, None) => None,
        };
        if self.connections.len() >= self.options.max_connections {
            return Err("the host has too many connections");
        }
        let id = match dial.new_connection {
            Some(id) if !is_chosen_by_router(id) => {
                return Err("the connection id is out of range");
            },
            Some(id) if self.connections.contains(id) => {
                return Err("the connection id is already in use");
            },
            Some(id) => id,
            None => self.connections.choose(),
        };
        Ok((id, keys))
    }

    pub(super) fn decline(&mut self, bind: ConnectionId, reason: &str, reply_to: ReplyTo) {
        let failed = DialFailed {
            connection: bind,
            reason: reason.to_owned(),
            sequence: None,
        };
        self.reply(&EdgeMessage::DialFailed(failed), reply_to);
    }

    pub(super) fn offer_timed_out(&mut self, id: ConnectionId) {
        if let Ok(offered) = self.take_offer(id) {
            let BindId(bind) = offered.bind;
            self.decline(bind, "the host has not answered in time", offered.reply_to);
            self.events.push_back(EdgeEvent::OfferEnded(id));
        }
    }

    /// The router does not wait for the answer any more.
    pub(super) fn offer_ended(&mut self, id: ConnectionId) {
        if self.take_offer(id).is_ok() {
            self.events.push_back(EdgeEvent::OfferEnded(id));
        }
    }

    /// Declines all offers of a bind that has ended.
    pub(super) fn end_offers(&mut self, bind: BindId) {
        for id in self.connections.offers_of(bind) {
            if let Ok(offered) = self.take_offer(id) {
                self.decline(bind.0, "the listener has ended", offered.reply_to);
                self.events.push_back(EdgeEvent::OfferEnded(id));
            }
        }
    }
}

fn offer(connection: ConnectionId, dial: &Dial, is_encrypted: bool) -> Offer {
    Offer {
        connection,
        bind: BindId(dial.connection),
        circuit_id: dial.circuit_id.clone(),
        caller_id: dial.caller_id.clone().filter(|id| !id.is_empty()),
        identity_id: dial.dialer_identity_id.clone(),
        identity_name: dial.dialer_identity_name.clone(),
        app_data: dial.app_data.clone(),
        marker: dial.connection_marker.clone(),
        is_encrypted,
    }
}
