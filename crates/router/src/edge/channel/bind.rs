//! The SDK hosts a service.

use bytes::Bytes;
use portcullis_channel::ReplyTo;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::edge as wire;
use portcullis_wire::edge::{
    BindSuccess, ConnectionId, ConnectionInspectRequest, EdgeMessage, HealthEvent, StateConnected,
    Unbind, UpdateBind,
};
use portcullis_wire::{ErrorCode, Precedence, Secret, Token};

use super::inspection::Asked;
use super::{SdkChannel, check_kind};
use crate::edge::access::{Access, ServiceSession};
use crate::edge::action::Action;
use crate::edge::circuit::Flow;
use crate::edge::connections::{Bind, Connection, Usage};
use crate::edge::host_exchange::{BindKey, BindRequest, BindTerms, HostEvent, HostRequest};
use crate::edge::refusal::Refusal;

impl SdkChannel {
    pub(super) fn bind(
        &mut self,
        bind: wire::Bind,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let connection = bind.connection;
        match self.prepare_bind(&bind, access, now) {
            Ok(service_session) => {
                self.ask_to_host(bind, service_session, reply_to);
                self.schedule_review(now);
            },
            Err(refusal) => self.refuse(connection, refusal, reply_to),
        }
    }

    /// What [`Hosting`](crate::edge::Hosting) says about a bind.
    pub fn host_event(&mut self, bind: BindKey, event: HostEvent, now: Timestamp) {
        let connection = bind.connection;
        let found = self.connections.bind_mut(connection);
        // It may be about an earlier bind with the same id.
        let Some(bind) = found.filter(|found| found.key == bind) else {
            return;
        };
        match event {
            HostEvent::Bound => {
                let connected = StateConnected {
                    connection,
                    router_provides_connections: bind.router_provides,
                    ..StateConnected::default()
                };
                if let Some(reply_to) = bind.unanswered.take() {
                    self.reply(EdgeMessage::StateConnected(connected), reply_to);
                }
            },
            HostEvent::Established if bind.supports_bind_success => {
                self.send(EdgeMessage::BindSuccess(BindSuccess { connection }));
            },
            HostEvent::Established => {},
            HostEvent::Refused(refusal) | HostEvent::Ended(refusal) => {
                self.end_bind(connection, refusal);
            },
            HostEvent::Inspect => {
                let question = ConnectionInspectRequest { connection };
                let question = EdgeMessage::ConnectionInspectRequest(question);
                let key = bind.key;
                self.ask(Asked::Connection(key), question, now);
            },
        }
    }

    pub(super) fn unbind(
        &mut self,
        unbind: &Unbind,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let connection = unbind.connection;
        match self.find_bind(connection, &unbind.session_token, access, now) {
            Ok(Some(bind)) => {
                self.take_bind(connection, Refusal::text("unbound"));
                self.actions
                    .push_back(Action::Host(HostRequest::Unbind(bind)));
            },
            Ok(None) => {},
            Err(refusal) => self.refuse(connection, refusal, reply_to),
        }
    }

    pub(super) fn update_bind(
        &mut self,
        update: &UpdateBind,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let (cost, precedence) = (
            update.cost,
            update.precedence.filter(|own| is_recognized(*own)),
        );
        if cost.is_none() && precedence.is_none() {
            return;
        }
        match self.find_bind(update.connection, &update.session_token, access, now) {
            Ok(Some(bind)) => self.actions.push_back(Action::Host(HostRequest::Update {
                bind,
                cost,
                precedence,
            })),
            Ok(None) => {},
            Err(refusal) => self.refuse(update.connection, refusal, reply_to),
        }
    }

    pub(super) fn health(
        &mut self,
        event: &HealthEvent,
        reply_to: ReplyTo,
        access: &dyn Access,
        now: Timestamp,
    ) {
        let has_passed = event.has_passed;
        match self.find_bind(event.connection, &event.session_token, access, now) {
            Ok(Some(bind)) => {
                let request = HostRequest::Health { bind, has_passed };
                self.actions.push_back(Action::Host(request));
            },
            Ok(None) => {},
            Err(refusal) => self.refuse(event.connection, refusal, reply_to),
        }
    }

    /// Ends a bind, and tells the SDK.
    pub(super) fn end_bind(&mut self, connection: ConnectionId, refusal: Refusal) {
        let Some(bind) = self.connections.bind_mut(connection) else {
            return;
        };
        let unanswered = bind.unanswered.take();
        self.connections.remove(connection);
        match unanswered {
            Some(reply_to) => self.refuse(connection, refusal, reply_to),
            None => self.close(connection, refusal),
        }
    }

    /// Ends a bind of which the SDK says that it ends; what it still waits for is answered.
    pub(super) fn take_bind(&mut self, connection: ConnectionId, refusal: Refusal) {
        if let Some(Connection::Bind(Bind {
            unanswered: Some(reply_to),
            ..
        })) = self.connections.remove(connection)
        {
            self.refuse(connection, refusal, reply_to);
        }
    }

    /// The bind that a message is about: of this id, and of the session whose token it shows.
    fn find_bind(
        &self,
        connection: ConnectionId,
        token: &Token,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<Option<BindKey>, Refusal> {
        let session = self
            .service_session(token, access, now)
            .map_err(without_code)?;
        let bind = self.connections.bind(connection);
        let bind = bind.filter(|bind| bind.usage.session.as_ref() == Some(&session.id));
        Ok(bind.map(|bind| bind.key))
    }

    fn prepare_bind(
        &self,
        bind: &wire::Bind,
        access: &dyn Access,
        now: Timestamp,
    ) -> Result<ServiceSession, Refusal> {
        if self.repeated_bind(bind).is_none() {
            self.check_room(bind.connection)?;
            if self.connections.binds() >= self.limits.binds {
                return Err(Refusal::busy("too many binds"));
            }
        }
        self.check_names(bind)?;
        let session = self
            .service_session(&bind.session_token, access, now)
            .map_err(without_code)?;
        check_kind(session.grant, ServiceGrant::Bind)?;
        let usage = Usage {
            grant: ServiceGrant::Bind,
            service: session.service.clone(),
            session: Some(session.id.clone()),
        };
        self.check_grant(&usage, access, now)?;
        Ok(session)
    }

    /// The bind that the SDK binds again, because it has missed the answer.
    fn repeated_bind(&self, bind: &wire::Bind) -> Option<BindKey> {
        let existing = self.connections.bind(bind.connection)?;
        let is_same = existing.unanswered.is_none()
            && existing.listener.is_some()
            && existing.listener == bind.listener_id
            && existing.token == bind.session_token;
        is_same.then_some(existing.key)
    }

    /// What stays in memory is bounded.
    fn check_names(&self, bind: &wire::Bind) -> Result<(), Refusal> {
        let instance = bind.instance_id.as_ref().map_or(0, String::len);
        let secret = bind.instance_secret.as_ref();
        let lengths = [
            (
                "id of the listener",
                bind.listener_id.as_ref().map_or(0, Bytes::len),
            ),
            ("public key", bind.public_key.as_ref().map_or(0, Bytes::len)),
            ("id of the instance", instance),
            (
                "secret of the instance",
                secret.map_or(0, |secret| secret.expose().len()),
            ),
        ];
        let most = self.limits.name_bytes;
        if let Some((name, _)) = lengths.into_iter().find(|(_, length)| *length > most) {
            return Err(Refusal::text(format!(
                "the {name} is longer than {most} bytes"
            )));
        }
        if !bind.precedence.is_none_or(is_recognized) {
            return Err(Refusal::new(
                ErrorCode::InvalidPrecedence,
                "unknown precedence",
            ));
        }
        Ok(())
    }

    const fn next_bind(&mut self, connection: ConnectionId) -> BindKey {
        self.last_bind += 1;
        BindKey {
            channel: self.id,
            connection,
            serial: self.last_bind,
        }
    }

    fn ask_to_host(
        &mut self,
        bind: wire::Bind,
        service_session: ServiceSession,
        reply_to: ReplyTo,
    ) {
        let listener = bind.listener_id.as_ref().map(copied);
        let key = match self.repeated_bind(&bind) {
            Some(key) => key,
            None => self.next_bind(bind.connection),
        };
        let entry = Bind {
            key,
            usage: Usage {
                grant: ServiceGrant::Bind,
                service: service_session.service.clone(),
                session: Some(service_session.id.clone()),
            },
            token: bind.session_token.clone(),
            listener: listener.clone(),
            flow: Flow::of(bind.uses_xgress),
            router_provides: bind.router_provides_connections,
            supports_bind_success: bind.supports_bind_success,
            unanswered: Some(reply_to),
        };
        self.connections
            .insert(bind.connection, Connection::Bind(entry));
        let secret = bind.instance_secret.as_ref();
        let request = BindRequest {
            bind: key,
            session: self.client.session.clone(),
            service_session,
            token: bind.session_token,
            fingerprints: self.client.certificates.fingerprints.clone(),
            listener,
            terms: BindTerms {
                public_key: bind.public_key.as_ref().map(copied),
                cost: bind.cost.unwrap_or_default(),
                precedence: bind.precedence.unwrap_or_default(),
                instance: bind.instance_id.unwrap_or_default(),
                instance_secret: secret
                    .map(|secret| Secret::new(copied(secret.expose())))
                    .unwrap_or_default(),
            },
            supports_inspect: bind.supports_inspect,
            flow: Flow::of(bind.uses_xgress),
            router_provides: bind.router_provides_connections,
        };
        self.actions
            .push_back(Action::Host(HostRequest::Bind(Box::new(request))));
    }
}

/// Bytes without the frame that they came in.
fn copied(bytes: &Bytes) -> Bytes {
    Bytes::copy_from_slice(bytes)
}

/// SDKs are told of a bad token of a bind by a text alone.
fn without_code(refusal: Refusal) -> Refusal {
    Refusal::text(refusal.reason)
}

const fn is_recognized(precedence: Precedence) -> bool {
    !matches!(precedence, Precedence::Unrecognized(_))
}
