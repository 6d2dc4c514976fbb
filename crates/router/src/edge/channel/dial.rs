//! The SDK dials a service.

use std::collections::BTreeMap;

use bytes::Bytes;
use portcullis_channel::ReplyTo;
use portcullis_channel::headers::MAX_ENTRY_BYTES;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::circuit::{CreateCircuitAnswer, CreateCircuitV2, CreateCircuitV3};
use portcullis_wire::control::link::{Fault, FaultSubject};
use portcullis_wire::edge::{
    Connect, ConnectV2, ConnectionId, EdgeMessage, ServiceIdentifier, StateConnected,
};
use portcullis_wire::peer_data::{self, PeerData};
use portcullis_wire::{ErrorCode, Secret, Token};
use portcullis_xgress::Side;

use super::{SdkChannel, Timer, check_kind};
use crate::edge::access::{Access, ApiSession, ServiceReference, ServiceSession, SessionKind};
use crate::edge::action::{Action, Recipient, RequestFailure, RequestId};
use crate::edge::circuit::{CircuitEnd, DialMessage, Dialed, EndId, Flow};
use crate::edge::connections::{Connection, Dialing, Usage};
use crate::edge::names::ControllerId;
use crate::edge::refusal::Refusal;
use crate::time::{after, since};

/// Key of a sticky terminator in the peer data of an answer, the same as towards SDKs.
const STICKINESS_TOKEN: u32 = 1027;

impl SdkChannel {
    pub(super) fn connect(
        &mut self,
        connect: Connect,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let connection = connect.connection;
        match self.prepare_dial(connect, access, now) {
            Ok(dial) => self.ask_for_circuit(dial, reply_to, now),
            Err(refusal) => self.refuse(connection, refusal, reply_to),
        }
    }

    pub(super) fn connect_v2(
        &mut self,
        connect: ConnectV2,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let connection = connect.connection;
        match self.prepare_dial_v2(connect, access, now) {
            Ok(dial) => self.ask_for_circuit(dial, reply_to, now),
            Err(refusal) => self.refuse(connection, refusal, reply_to),
        }
    }

    /// What a controller says about a circuit.
    ///
    /// A circuit that nobody waits for any more is given back.
    pub fn controller_answered(
        &mut self,
        request: RequestId,
        from: ControllerId,
        answer: ControlMessage,
        access: &dyn Access,
        now: Timestamp,
    ) {
        self.unanswered.remove(&request);
        let waiting = self.take_dial(request);
        match (circuit_answer(answer), waiting) {
            (Ok(answer), Some((connection, dialing))) => {
                self.circuit_created(connection, dialing, answer, from, access, now);
            },
            (Ok(answer), None) => self.give_back(answer.circuit_id, from),
            (Err(failed), Some((connection, dialing))) => {
                self.refuse_circuit(connection, failed, dialing.reply_to);
            },
            (Err(_), None) => {},
        }
    }

    /// A question to a controller gets no answer.
    pub fn controller_failed(&mut self, request: RequestId, failure: RequestFailure) {
        self.unanswered.remove(&request);
        let reason = match failure {
            RequestFailure::NoController => "no controller available, cannot create circuit",
            RequestFailure::Lost => "the controller was lost while it created the circuit",
        };
        self.fail_dial(request, Refusal::busy(reason));
    }

    pub(super) fn dial_timed_out(&mut self, request: RequestId) {
        let refusal = Refusal::new(
            ErrorCode::Internal,
            "timed out waiting for the controller to create the circuit",
        );
        self.fail_dial(request, refusal);
    }

    /// The session for a service that a token is of.
    pub(super) fn service_session(
        &self,
        token: &Token,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        let text = token.expose();
        if !text.starts_with("ey") {
            return Err(Refusal::new(
                ErrorCode::InvalidService,
                "the token is not that of a session",
            ));
        }
        if text.len() > self.limits.token_bytes {
            return Err(Refusal::new(
                ErrorCode::InvalidSession,
                "the token is too long",
            ));
        }
        access.check_service_session(&self.client.session, token, now)
    }

    fn prepare_dial(
        &self,
        connect: Connect,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<Dial, Refusal> {
        self.check_room_to_dial(connect.connection)?;
        let session = self.service_session(&connect.session_token, access, now)?;
        check_kind(session.grant, ServiceGrant::Dial)?;
        let usage = Usage {
            grant: ServiceGrant::Dial,
            service: session.service,
            session: Some(session.id),
        };
        self.check_grant(&usage, access, now)?;
        check_encryption(&usage, connect.public_key.as_ref(), access)?;
        let api_session = &self.client.session;
        Ok(Dial {
            connection: connect.connection,
            sdk_message: DialMessage::Connect,
            flow: Flow::of(connect.uses_xgress),
            usage,
            message: ControlMessage::CreateCircuitV2(CreateCircuitV2 {
                session_token: connect.session_token.clone(),
                api_session_token: api_session.token.clone(),
                fingerprints: self.client.certificates.fingerprints.to_vec(),
                instance_id: connect.instance_id.clone().unwrap_or_default(),
                peer_data: DialerData::from(connect).into_peer_data(api_session)?,
            }),
        })
    }

    fn prepare_dial_v2(
        &self,
        connect: ConnectV2,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<Dial, Refusal> {
        let api_session = &self.client.session;
        if api_session.kind != SessionKind::Oidc {
            return Err(Refusal::text(
                "a service can only be named in a session of OpenID Connect",
            ));
        }
        self.check_room_to_dial(connect.connection)?;
        let reference = match connect.service_identifier.unwrap_or_default() {
            ServiceIdentifier::Id => ServiceReference::Id(&connect.service),
            ServiceIdentifier::Name => ServiceReference::Name(&connect.service),
            ServiceIdentifier::Unrecognized(kind) => {
                let reason = format!("services cannot be named by identifiers of kind {kind}");
                return Err(Refusal::text(reason));
            },
        };
        let usage = Usage {
            grant: ServiceGrant::Dial,
            service: access.find_service(api_session, reference)?,
            session: None,
        };
        self.check_grant(&usage, access, now)?;
        check_encryption(&usage, connect.public_key.as_ref(), access)?;
        Ok(Dial {
            connection: connect.connection,
            sdk_message: DialMessage::ConnectV2,
            flow: Flow::of(connect.uses_xgress),
            message: ControlMessage::CreateCircuitV3(CreateCircuitV3 {
                api_session_token: api_session.token.clone(),
                identity_id: api_session.identity.as_str().to_owned(),
                service_id: usage.service.as_str().to_owned(),
                circuit_id: String::new(),
                fingerprints: self.client.certificates.fingerprints.to_vec(),
                instance_id: connect.instance_id.clone().unwrap_or_default(),
                peer_data: DialerData::from(connect).into_peer_data(api_session)?,
            }),
            usage,
        })
    }

    fn check_room_to_dial(&self, connection: ConnectionId) -> Result<(), Refusal> {
        self.check_room(connection)?;
        if self.unanswered.len() >= self.limits.pending_dials {
            return Err(Refusal::busy("too many connections are being dialed"));
        }
        Ok(())
    }

    fn ask_for_circuit(&mut self, dial: Dial, reply_to: ReplyTo, now: Timestamp) {
        let request = self.next_request();
        let dialing = Dialing {
            request,
            reply_to,
            usage: dial.usage,
            flow: dial.flow,
            message: dial.sdk_message,
            since: now,
        };
        self.connections
            .insert(dial.connection, Connection::Dialing(dialing));
        self.dials.insert(request, dial.connection);
        self.unanswered.insert(request);
        let deadline = after(now, self.limits.circuit_time);
        self.timers.set(Timer::Dial(request), deadline);
        self.actions.push_back(Action::Request {
            request,
            to: self.controller(),
            message: Box::new(dial.message),
        });
        self.schedule_review(now);
    }

    /// Ends the wait for a circuit. `None` if it has ended already.
    pub(super) fn take_dial(&mut self, request: RequestId) -> Option<(ConnectionId, Dialing)> {
        let connection = self.dials.remove(&request)?;
        self.timers.clear(&Timer::Dial(request));
        match self.connections.remove(connection)? {
            Connection::Dialing(dialing) => Some((connection, dialing)),
            _ => None,
        }
    }

    pub(super) fn fail_dial(&mut self, request: RequestId, refusal: Refusal) {
        if let Some((connection, dialing)) = self.take_dial(request) {
            self.refuse(connection, refusal, dialing.reply_to);
        }
    }

    fn circuit_created(
        &mut self,
        connection: ConnectionId,
        dialing: Dialing,
        answer: CreateCircuitAnswer,
        controller: ControllerId,
        access: &dyn Access,
        now: Timestamp,
    ) {
        // A right that was lost since the circuit was asked for was missed by the last review.
        if let Err(refusal) = self.check_grant(&dialing.usage, access, now) {
            self.give_back(answer.circuit_id, controller);
            return self.refuse(connection, refusal, dialing.reply_to);
        }
        let id = EndId {
            circuit: answer.circuit_id.into(),
            side: Side::Initiator,
        };
        if !self.is_new_end(&id) {
            let reason = "the controller named a circuit that cannot be new";
            let refusal = Refusal::new(ErrorCode::Internal, reason);
            return self.refuse(connection, refusal, dialing.reply_to);
        }
        let end = CircuitEnd {
            id: id.clone(),
            address: answer.address,
            flow: dialing.flow,
            connection,
            service: dialing.usage.service.clone(),
            session: dialing.usage.session.clone(),
            controller,
        };
        let connected = state_connected(&end, &answer.peer_data);
        self.open(end, dialing.usage, None);
        self.reply(EdgeMessage::StateConnected(connected), dialing.reply_to);
        self.actions.push_back(Action::Start(Dialed {
            end: id,
            connection,
            message: dialing.message,
            took: since(dialing.since, now),
        }));
    }

    fn refuse_circuit(
        &mut self,
        connection: ConnectionId,
        failed: CircuitFailed,
        reply_to: ReplyTo,
    ) {
        let mut closed = failed.refusal.into_state_closed(connection);
        closed.circuit_id = failed.circuit;
        self.reply(EdgeMessage::StateClosed(closed), reply_to);
    }

    /// Lets the controller end a circuit that it has created for nobody.
    fn give_back(&mut self, circuit: String, controller: ControllerId) {
        let fault = Fault {
            subject: FaultSubject::Ingress,
            id: circuit,
            iteration: 0,
        };
        self.actions.push_back(Action::Tell {
            to: Recipient::Only(controller),
            message: Box::new(ControlMessage::Fault(fault)),
        });
    }
}

/// A dial that nothing stands against.
struct Dial {
    connection: ConnectionId,
    sdk_message: DialMessage,
    usage: Usage,
    flow: Flow,
    message: ControlMessage,
}

/// Fails for a dial without the key that the service demands.
fn check_encryption(
    usage: &Usage,
    public_key: Option<&Bytes>,
    access: &dyn Access,
) -> Result<(), Refusal> {
    if public_key.is_some() || !access.requires_encryption(&usage.service) {
        return Ok(());
    }
    Err(Refusal::new(
        ErrorCode::EncryptionDataMissing,
        "the service requires encryption, and the dial has no public key",
    ))
}

/// Why there is no circuit.
struct CircuitFailed {
    refusal: Refusal,
    /// If it got as far as a circuit.
    circuit: Option<String>,
}

fn circuit_answer(answer: ControlMessage) -> Result<CreateCircuitAnswer, CircuitFailed> {
    match answer {
        ControlMessage::CreateCircuitAnswerV2(answer)
        | ControlMessage::CreateCircuitAnswerV3(answer) => Ok(answer),
        ControlMessage::Refusal(mut refusal) => Err(CircuitFailed {
            circuit: refusal.circuit_id.take(),
            refusal: refusal.into(),
        }),
        _ => Err(CircuitFailed {
            refusal: Refusal::new(
                ErrorCode::Internal,
                "the controller gave an answer to another question",
            ),
            circuit: None,
        }),
    }
}

/// Of the peer data, SDKs get the key of the host and the token for its terminator only: what else
/// controllers put there is not for them.
fn state_connected(end: &CircuitEnd, peer_data: &PeerData) -> StateConnected {
    let bytes = |key| {
        let value: &Secret<Bytes> = peer_data.get(&key)?;
        Some(value.expose().clone())
    };
    let is_in_sdk = end.flow == Flow::Sdk;
    StateConnected {
        connection: end.connection,
        circuit_id: Some(end.id.circuit.as_str().to_owned()),
        public_key: bytes(peer_data::PUBLIC_KEY),
        stickiness_token: bytes(STICKINESS_TOKEN),
        uses_xgress: is_in_sdk,
        controller_id: is_in_sdk.then(|| end.controller.as_str().to_owned()),
        xgress_address: is_in_sdk.then(|| end.address.clone()),
        router_provides_connections: false,
    }
}

/// What a dialing SDK says for the host.
struct DialerData {
    public_key: Option<Bytes>,
    caller_id: Option<String>,
    app_data: Option<Secret<Bytes>>,
    connection_marker: Option<String>,
    stickiness_token: Option<Bytes>,
}

impl DialerData {
    fn into_peer_data(self, session: &ApiSession) -> Result<PeerData, Refusal> {
        let text = |text: &str| Some(Bytes::copy_from_slice(text.as_bytes()));
        let entries = [
            (peer_data::PUBLIC_KEY, self.public_key),
            (peer_data::CALLER_ID, self.caller_id.map(Bytes::from)),
            (peer_data::APP_DATA, self.app_data.map(Secret::into_inner)),
            (
                peer_data::CONNECTION_MARKER,
                self.connection_marker.map(Bytes::from),
            ),
            (peer_data::STICKINESS_TOKEN, self.stickiness_token),
            (
                peer_data::DIALER_IDENTITY_ID,
                text(session.identity.as_str()),
            ),
            (
                peer_data::DIALER_IDENTITY_NAME,
                text(&session.identity_name),
            ),
        ];
        let most = usize::try_from(MAX_ENTRY_BYTES).unwrap_or(usize::MAX);
        let mut all = BTreeMap::new();
        for (key, value) in entries {
            let Some(value) = value else { continue };
            if value.len() > most {
                let reason = format!("header {key} is longer than {most} bytes");
                return Err(Refusal::text(reason));
            }
            all.insert(key, Secret::new(value));
        }
        Ok(all)
    }
}

impl From<Connect> for DialerData {
    fn from(connect: Connect) -> Self {
        Self {
            public_key: connect.public_key,
            caller_id: connect.caller_id,
            app_data: connect.app_data,
            connection_marker: connect.connection_marker,
            stickiness_token: connect.stickiness_token,
        }
    }
}

impl From<ConnectV2> for DialerData {
    fn from(connect: ConnectV2) -> Self {
        Self {
            public_key: connect.public_key,
            caller_id: connect.caller_id,
            app_data: connect.app_data,
            connection_marker: connect.connection_marker,
            stickiness_token: connect.stickiness_token,
        }
    }
}
