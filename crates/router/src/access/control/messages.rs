//! Messages from controllers, and to them.

use super::AccessControl;
use crate::access::consequences::{Consequences, EndReason, LossReason};
use crate::access::legacy::LegacySession;
use crate::access::replica::Reception;
use crate::access::verifier::TokenVerifier;
use crate::edge::{ControllerId, SessionKind};
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Token;
use portcullis_wire::control::ControlMessage;
use portcullis_wire::control::data_model::{DataStateValidation, ValidateDataState};
use portcullis_wire::control::session::{ApiSessionHeartbeat, SessionsRemoved, ValidateSessions};

/// Tokens in one message.
const CHUNK: usize = 10_000;

impl<V: TokenVerifier> AccessControl<V> {
    /// Takes a message about the model or about sessions; `None` for any other one.
    pub fn receive(
        &mut self,
        from: &ControllerId,
        message: ControlMessage,
        now: Timestamp,
    ) -> Option<Consequences> {
        let reception = match message {
            ControlMessage::DataState(state) => self.replica.receive_state(from, state),
            ControlMessage::ChangeSet(set) => self.replica.receive_changes(from, set, now),
            ControlMessage::CurrentIndex(index) => self.replica.receive_index(from, &index, now),
            ControlMessage::ApiSessionsAdded(added) => {
                let gone = self.legacy.add(from, added, now);
                let mut consequences = self.end_sessions(&gone, now);
                consequences.has_news_for_logins = true;
                return Some(consequences);
            },
            ControlMessage::ApiSessionsUpdated(updated) => {
                self.legacy.update(from, updated);
                return Some(Consequences {
                    has_news_for_logins: true,
                    ..Consequences::default()
                });
            },
            ControlMessage::ApiSessionsRemoved(removed) => {
                let gone = self.legacy.remove(from, &removed);
                return Some(self.end_sessions(&gone, now));
            },
            ControlMessage::SessionsRemoved(removed) => {
                return Some(self.end_service_sessions(removed, now));
            },
            _ => return None,
        };
        Some(self.received(&reception, now))
    }

    /// Compares the model with the one that a controller expects here. The first part is the answer.
    pub fn validate(
        &mut self,
        question: ValidateDataState,
        now: Timestamp,
    ) -> (DataStateValidation, Consequences) {
        let (answer, reception) = self.replica.validate(question);
        (answer, self.received(&reception, now))
    }

    fn received(&mut self, reception: &Reception, now: Timestamp) -> Consequences {
        let Reception::Taken(touched) = reception else {
            return Consequences::default();
        };
        let (index, _) = self.replica.position();
        self.version = index.max(self.version.saturating_add(1));
        self.enforce(touched, now)
    }

    /// Legacy sessions have ended.
    fn end_sessions(&mut self, gone: &[LegacySession], now: Timestamp) -> Consequences {
        let mut consequences = Consequences::default();
        for session in gone {
            let known = self.clients.session(&session.id);
            let is_it = |kind: &SessionKind| matches!(kind, SessionKind::Legacy(controller) if *controller == session.controller);
            let channels = known
                .filter(|known| is_it(&known.kind))
                .map(|known| known.channels.clone());
            for channel in channels.unwrap_or_default() {
                self.end_channel(channel, EndReason::SessionRemoved, now, &mut consequences);
            }
        }
        consequences
    }

    /// Sessions for services have ended. Their ids are those of their tokens; controllers of before wrote
    /// the same into the tokens.
    fn end_service_sessions(&mut self, removed: SessionsRemoved, now: Timestamp) -> Consequences {
        let mut consequences = Consequences::default();
        let tokens = removed.tokens.into_iter().map(Token::into_inner);
        for id in removed.ids.into_iter().chain(tokens) {
            for usage in self.usages.of_session(&id) {
                self.usages.end(&usage);
                consequences.lost.insert(usage, LossReason::SessionRemoved);
            }
            self.removed.insert(id, now);
        }
        consequences
    }

    /// The next message for a controller. To be called until there is none, after whatever was handed in.
    pub fn poll(&mut self, now: Timestamp) -> Option<(ControllerId, ControlMessage)> {
        if let Some((to, subscription)) = self.replica.poll(now) {
            return Some((to, ControlMessage::Subscription(subscription)));
        }
        if let Some((to, request)) = self.legacy.poll(now) {
            return Some((to, ControlMessage::ResynchronizationRequest(request)));
        }
        self.outbox.pop_front()
    }

    /// Tells all controllers which of their sessions are in use.
    pub(super) fn send_heartbeats(&mut self) {
        for (controller, tokens) in self.clients.legacy_tokens() {
            if !self.legacy.is_connected(&controller) {
                continue;
            }
            self.queue_heartbeat(&controller, &tokens);
        }
    }

    /// The same for one.
    pub(super) fn send_heartbeat(&mut self, controller: &ControllerId) {
        let mut tokens = self.clients.legacy_tokens();
        if let Some(tokens) = tokens.remove(controller) {
            self.queue_heartbeat(controller, &tokens);
        }
    }

    fn queue_heartbeat(&mut self, controller: &ControllerId, tokens: &[Token]) {
        for tokens in tokens.chunks(CHUNK) {
            let tokens = tokens.to_vec();
            let heartbeat = ControlMessage::ApiSessionHeartbeat(ApiSessionHeartbeat { tokens });
            self.outbox.push_back((controller.clone(), heartbeat));
        }
    }

    /// Asks a controller that was away which of its sessions for services have ended since.
    pub(super) fn validate_sessions(&mut self, controller: &ControllerId) {
        let mut ids = Vec::new();
        for (_, session) in self.clients.connected() {
            if session.kind == SessionKind::Legacy(controller.clone()) {
                for channel in &session.channels {
                    let used = self.usages.sessions_of(*channel).into_iter();
                    ids.extend(used.map(|id| Token::new(id.as_str().to_owned())));
                }
            }
        }
        for session_tokens in ids.chunks(CHUNK) {
            let session_tokens = session_tokens.to_vec();
            let question = ControlMessage::ValidateSessions(ValidateSessions { session_tokens });
            self.outbox.push_back((controller.clone(), question));
        }
    }
}
