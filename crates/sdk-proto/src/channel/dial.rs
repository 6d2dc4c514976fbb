//! Dialing.

use super::EdgeChannel;
use super::transmit::TooLongError;
use crate::connection::{Connection, Dialing};
use crate::encryption::{DialKeys, Encryption};
use crate::event::{Connected, DialFailure, EdgeEvent};
use crate::stream::{Flow, RouterFlow, SdkFlow, Stream};
use crate::timers::Timer;
use bytes::Bytes;
use portcullis_channel::Now;
use portcullis_e2e_encryption::{KeyExchangeError, PublicKey, Role};
use portcullis_wire::edge::{
    CircuitClosed, Connect, ConnectV2, ConnectionId, EdgeMessage, ServiceIdentifier, StateClosed,
    StateConnected,
};
use portcullis_wire::{Secret, Token};
use portcullis_xgress::Side;
use std::time::Duration;

/// The method of encryption that this crate knows, as the Go SDK names it.
pub(super) const LIBSODIUM: &[u8] = &[0];

/// A service, by one of its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServiceReference {
    Id(String),
    Name(String),
}

/// What to dial, and how.
#[derive(Debug)]
pub struct DialRequest {
    pub service: ServiceReference,
    /// JWT of a service session for dialing. Needed unless the channel
    /// [`dials_services`](EdgeChannel::dials_services).
    pub session: Option<Token>,
    /// Which of the terminators: those that were bound by this name. `None` means one without a name.
    pub instance_id: Option<String>,
    /// What the dialing program calls itself, by default the identity's name.
    pub caller_id: Option<String>,
    /// For the hosting program.
    pub app_data: Option<Secret<Bytes>>,
    /// Names the connection in logs of both ends; eight random letters, as SDKs do.
    pub marker: Option<String>,
    /// Of an earlier connection, to reach the same terminator.
    pub stickiness_token: Option<Bytes>,
    /// `None` if the service is not encrypted from end to end.
    pub keys: Option<DialKeys>,
    /// How long it may take. SDKs give 5 s.
    pub timeout: Duration,
    /// The circuit ends here, if the router can do that; else it ends in the router.
    pub prefers_xgress: bool,
}

/// A dial was not begun.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    #[error("the channel has ended")]
    Ended,
    #[error("there are {limit} connections already, the maximum")]
    TooMany { limit: usize },
    #[error("a dial at this router needs a session for the service")]
    SessionNeeded,
    #[error("the dial is too long: {0}")]
    TooLong(String),
}

impl DialRequest {
    /// A dial of a service without encryption, and with the usual options.
    pub const fn new(service: ServiceReference) -> Self {
        Self {
            service,
            session: None,
            instance_id: None,
            caller_id: None,
            app_data: None,
            marker: None,
            stickiness_token: None,
            keys: None,
            timeout: Duration::from_secs(5),
            prefers_xgress: true,
        }
    }
}

impl EdgeChannel {
    /// Asks for a connection. The outcome is [`EdgeEvent::Connected`] or [`EdgeEvent::DialFailed`].
    pub fn dial(&mut self, request: DialRequest, now: Now) -> Result<ConnectionId, DialError> {
        if self.end.is_some() {
            return Err(DialError::Ended);
        }
        let limit = self.options.max_connections;
        if self.connections.len() >= limit {
            return Err(DialError::TooMany { limit });
        }
        let id = self.connections.choose();
        let message = self.connect(id, &request)?;
        self.try_send(&message, None)
            .map_err(|TooLongError(why)| DialError::TooLong(why))?;
        let deadline = now.mono + request.timeout;
        let dialing = Dialing { keys: request.keys };
        self.connections.insert(id, Connection::Dialing(dialing));
        self.timers.set(Timer::Connection(id), Some(deadline));
        Ok(id)
    }

    fn connect(&self, id: ConnectionId, request: &DialRequest) -> Result<EdgeMessage, DialError> {
        let keys = request.keys.as_ref();
        let public_key = keys.map(|keys| public_key(&keys.pair.public_key()));
        let crypto_method = keys.map(|_| Bytes::from_static(LIBSODIUM));
        let uses_xgress = self.offers_xgress(request.prefers_xgress);
        if self.dials_services() {
            let (identifier, service) = match &request.service {
                ServiceReference::Id(id) => (ServiceIdentifier::Id, id),
                ServiceReference::Name(name) => (ServiceIdentifier::Name, name),
            };
            return Ok(EdgeMessage::ConnectV2(ConnectV2 {
                connection: id,
                service: service.clone(),
                service_identifier: Some(identifier),
                public_key,
                crypto_method,
                instance_id: request.instance_id.clone(),
                caller_id: request.caller_id.clone(),
                app_data: request.app_data.clone(),
                connection_marker: request.marker.clone(),
                stickiness_token: request.stickiness_token.clone(),
                uses_xgress,
            }));
        }
        let session_token = request.session.clone().ok_or(DialError::SessionNeeded)?;
        Ok(EdgeMessage::Connect(Connect {
            session_token,
            connection: id,
            public_key,
            crypto_method,
            instance_id: request.instance_id.clone(),
            caller_id: request.caller_id.clone(),
            app_data: request.app_data.clone(),
            connection_marker: request.marker.clone(),
            stickiness_token: request.stickiness_token.clone(),
            uses_xgress,
        }))
    }

    /// The router has a circuit for a dial.
    pub(super) fn dial_connected(
        &mut self,
        dialing: Dialing,
        connected: &StateConnected,
        now: Now,
    ) {
        let id = connected.connection;
        let encryption = match agree(dialing, connected.public_key.as_ref()) {
            Ok(encryption) => encryption,
            Err(why) => return self.give_back(connected, why),
        };
        let circuit_id = connected.circuit_id.clone();
        let flow = match (&circuit_id, connected.uses_xgress) {
            (Some(circuit), true) => self.sdk_flow(Side::Initiator, circuit, now),
            (None, true) => return self.give_back(connected, DialFailure::NoCircuit),
            _ if self.options.is_ordered => self.router_flow(),
            _ => return self.give_back(connected, DialFailure::NotOrdered),
        };
        let mut stream = Stream::new(id, circuit_id.clone(), flow, self.options.max_segment);
        let is_encrypted = encryption.is_some();
        if let Some((encryption, header)) = encryption {
            stream.encrypt(encryption, header, now);
        }
        self.connections
            .insert(id, Connection::Open(Box::new(stream)));
        self.events.push_back(EdgeEvent::Connected(Connected {
            connection: id,
            circuit_id,
            is_encrypted,
            stickiness_token: connected.stickiness_token.clone(),
        }));
        self.settle(id, now);
    }

    pub(super) fn sdk_flow(&self, side: Side, circuit: &str, now: Now) -> Flow {
        let options = self.options.xgress.clone();
        Flow::Sdk(Box::new(SdkFlow::new(
            side,
            circuit.to_owned(),
            options,
            now,
        )))
    }

    pub(super) const fn router_flow(&self) -> Flow {
        let options = &self.options;
        Flow::Router(RouterFlow::new(options.send_buffer, options.receive_buffer))
    }

    /// A dial has failed after there was a circuit, of which the router is told.
    fn give_back(&mut self, connected: &StateConnected, why: DialFailure) {
        self.fail_dial(connected.connection, why);
        self.disown(connected);
    }

    /// Tells the router that nobody has the connection: it took too long.
    pub(super) fn disown(&mut self, connected: &StateConnected) {
        let closed = match &connected.circuit_id {
            Some(circuit_id) if connected.uses_xgress => {
                EdgeMessage::CircuitClosed(CircuitClosed {
                    circuit_id: circuit_id.clone(),
                })
            },
            _ => closed(connected.connection, "nobody waits for the connection"),
        };
        self.suggest(&closed);
    }

    pub(super) fn dial_timed_out(&mut self, id: ConnectionId) {
        self.fail_dial(id, DialFailure::TimedOut);
        // OpenZiti's SDKs say nothing, and the other end waits for someone who has gone.
        self.suggest(&closed(id, "the dial took too long"));
    }

    pub(super) fn fail_dial(&mut self, connection: ConnectionId, why: DialFailure) {
        self.connections.remove(connection);
        self.timers.set(Timer::Connection(connection), None);
        self.events
            .push_back(EdgeEvent::DialFailed { connection, why });
    }
}

/// The encryption of a connection that was dialed, and what it begins with.
fn agree(
    dialing: Dialing,
    peer: Option<&Bytes>,
) -> Result<Option<(Encryption, Bytes)>, DialFailure> {
    let Some(keys) = dialing.keys else {
        return Ok(None);
    };
    let peer = peer.ok_or(DialFailure::NotEncrypted)?;
    let unusable = |_why: KeyExchangeError| DialFailure::UnusableKey;
    let peer = PublicKey::try_from(&peer[..]).map_err(unusable)?;
    let stream_keys = keys.pair.agree(Role::Client, &peer).map_err(unusable)?;
    let encryption = Encryption::new(stream_keys, &keys.header);
    Ok(Some((encryption, Bytes::copy_from_slice(&keys.header.0))))
}

pub(super) fn public_key(key: &PublicKey) -> Bytes {
    Bytes::copy_from_slice(key.as_bytes())
}

pub(super) fn closed(connection: ConnectionId, reason: &str) -> EdgeMessage {
    EdgeMessage::StateClosed(StateClosed {
        connection: Some(connection),
        reason: reason.to_owned(),
        ..StateClosed::default()
    })
}
