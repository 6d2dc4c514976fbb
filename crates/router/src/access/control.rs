//! Everything about rights in one place: what arrives, and what follows from it.

mod enforcement;
mod judge;
mod keeper;
mod messages;
mod removed;
mod subscriptions;

pub use keeper::Keeper;

use super::clients::Clients;
use super::consequences::{Consequences, LossReason};
use super::legacy::LegacySessions;
use super::model::DataModel;
use super::posture::PostureReports;
use super::replica::Replica;
use super::services::ToldServices;
use super::usages::{Usage, Usages, UsedService};
use super::verifier::TokenVerifier;
use crate::edge::{ApiSession, ChannelId, ControllerId, IdentityId, Refusal, SessionKind};
use crate::time::after;
use portcullis_domain::FieldError;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::ErrorCode;
use portcullis_wire::control::ControlMessage;
use removed::RemovedSessions;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Who may do what: the data model, the sessions of controllers, and the channels of SDKs with their
/// posture and what they use rights for.
///
/// It answers the questions of the [edge](crate::edge::Access), wherever it is [kept](Keeper). What arrives from
/// controllers and SDKs is handed in; what follows from it is a [`Consequences`].
#[derive(Debug)]
pub struct AccessControl<V> {
    replica: Replica,
    legacy: LegacySessions,
    clients: Clients,
    usages: Usages,
    removed: RemovedSessions,
    verifier: V,
    /// For controllers.
    outbox: VecDeque<(ControllerId, ControlMessage)>,
    heartbeat_interval: Duration,
    next_heartbeat: Timestamp,
    /// Counts states of the model, and follows its index as far as that rises.
    version: u64,
    /// What subscribers were told.
    told: BTreeMap<ChannelId, ToldServices>,
    /// The router's own identity, if somebody wants to know what it may use.
    own_identity: Option<IdentityId>,
}

impl<V: TokenVerifier> AccessControl<V> {
    /// Begins with a model. `heartbeat_interval` is that of the section `edge`, for legacy sessions.
    pub fn new(
        replica: Replica,
        verifier: V,
        heartbeat_interval: Duration,
        now: Timestamp,
    ) -> Self {
        let (version, _) = replica.position();
        Self {
            replica,
            legacy: LegacySessions::default(),
            clients: Clients::default(),
            usages: Usages::default(),
            removed: RemovedSessions::default(),
            verifier,
            outbox: VecDeque::new(),
            heartbeat_interval,
            next_heartbeat: after(now, heartbeat_interval),
            version,
            told: BTreeMap::new(),
            own_identity: None,
        }
    }

    /// From now on, [`Consequences::has_changed_own_services`] tells when to look at what this identity may use.
    pub fn watch_own_services(&mut self, identity: IdentityId) {
        self.own_identity = Some(identity);
    }

    pub const fn model(&self) -> &DataModel {
        self.replica.model()
    }

    /// For the file, and to know where the model is.
    pub const fn replica(&self) -> &Replica {
        &self.replica
    }

    pub const fn legacy_sessions(&self) -> &LegacySessions {
        &self.legacy
    }

    /// A control channel is open.
    pub fn connect_controller(&mut self, controller: &ControllerId, now: Timestamp) {
        self.replica.connect(controller.clone(), now);
        self.legacy.connect(controller);
        self.validate_sessions(controller);
        self.send_heartbeat(controller);
    }

    /// A control channel has ended. Everything goes on as it is.
    pub fn disconnect_controller(&mut self, controller: &ControllerId, now: Timestamp) {
        self.replica.disconnect(controller, now);
        self.legacy.disconnect(controller);
        self.outbox.retain(|(to, _)| to != controller);
    }

    /// A channel of an SDK is open, of a session that [`authenticate`](crate::edge::Access::authenticate)
    /// has admitted. What has happened since is found by
    /// [`check_session`](crate::edge::Access::check_session).
    pub fn open(&mut self, channel: ChannelId, session: &ApiSession) {
        let is_known = self.model().identity(session.identity.as_str()).is_some();
        self.clients.open(channel, session, is_known);
    }

    /// The session of a channel has a new token, which [`renew`](crate::edge::Access::renew) has accepted.
    pub fn renewed(&mut self, session: &ApiSession) {
        self.clients.renew(session);
    }

    /// A channel is closed, and all that it used rights for with it.
    pub fn close(&mut self, channel: ChannelId, now: Timestamp) {
        self.usages.end_channel(channel);
        self.clients.close(channel, now);
        self.told.remove(&channel);
    }

    /// A right is used from now on, until [`end`](Self::end) or until it is named as lost. It is judged once
    /// more, since it may have been lost after it was asked for.
    pub fn begin(
        &mut self,
        usage: Usage,
        used: UsedService,
        now: Timestamp,
    ) -> Result<(), Refusal> {
        let session = used.session.as_ref();
        if session.is_some_and(|session| self.removed.contains(session.as_str(), now)) {
            return Err(session_removed());
        }
        match self.judge_usage(&usage, &used, now) {
            Ok(ends_at) => {
                self.usages.begin(usage, used, ends_at);
                Ok(())
            },
            Err(LossReason::Posture(checks)) => Err(Refusal::posture(checks.into_iter().collect())),
            Err(reason) => Err(Refusal::new(ErrorCode::AccessDenied, reason.to_string())),
        }
    }

    /// A right is not used any more.
    pub fn end(&mut self, usage: &Usage) {
        self.usages.end(usage);
    }

    /// Whether what an SDK says of its machine counts.
    pub(super) fn judges_posture(&self, channel: ChannelId) -> bool {
        let session = self.clients.session_of(channel);
        session.is_some_and(|(_, session)| session.kind == SessionKind::Oidc)
    }

    /// An SDK says something of its machine. Routers evaluate posture only of sessions of OIDC.
    ///
    /// # Errors
    ///
    /// What is too large; nothing is taken over then.
    pub fn report_posture(
        &mut self,
        channel: ChannelId,
        said: PostureReports,
        now: Timestamp,
    ) -> Result<Consequences, FieldError> {
        let Some((id, session)) = self.clients.session_of_mut(channel) else {
            return Ok(Consequences::default());
        };
        if session.kind != SessionKind::Oidc {
            return Ok(Consequences::default());
        }
        session.posture.report(said, id, now)?;
        let channels: BTreeSet<_> = session.channels.clone();
        let mut consequences = Consequences::default();
        for channel in &channels {
            self.review_usages(self.usages.of_channel(*channel), now, &mut consequences);
        }
        consequences.changed_posture = channels;
        Ok(consequences)
    }

    /// Whatever time ends.
    pub fn handle_timeout(&mut self, now: Timestamp) -> Consequences {
        let mut consequences = Consequences::default();
        let due = self.usages.take_due(now);
        for usage in &due {
            consequences.changed_posture.insert(usage.channel);
        }
        self.review_usages(due, now, &mut consequences);
        for id in self.clients.take_due(now) {
            let channels = self
                .clients
                .session(&id)
                .map(|session| session.channels.clone());
            for channel in channels.unwrap_or_default() {
                self.review_channel(channel, now, &mut consequences);
            }
        }
        if self.next_heartbeat <= now {
            self.next_heartbeat = after(now, self.heartbeat_interval);
            self.send_heartbeats();
        }
        consequences
    }

    /// When to call [`handle_timeout`](Self::handle_timeout) and [`poll`](Self::poll) at the latest.
    pub fn deadline(&self) -> Timestamp {
        let others = [
            self.replica.deadline(),
            self.legacy.deadline(),
            self.clients.deadline(),
            self.usages.deadline(),
        ];
        let others = others.into_iter().flatten();
        others.fold(self.next_heartbeat, Timestamp::min)
    }
}

fn session_removed() -> Refusal {
    Refusal::new(
        ErrorCode::InvalidSession,
        LossReason::SessionRemoved.to_string(),
    )
}
