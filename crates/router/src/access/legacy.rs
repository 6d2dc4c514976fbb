//! Legacy sessions, which controllers announce before SDKs show them.

mod sync;

use crate::edge::ControllerId;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Token;
use portcullis_wire::control::session::{
    ApiSession, ApiSessionsAdded, ApiSessionsRemoved, ApiSessionsUpdated, ResynchronizationRequest,
};
use std::collections::BTreeMap;
use sync::{SyncState, Synchronization};

/// Most sessions of all controllers together; those beyond are refused like unknown ones.
const MAX_SESSIONS: usize = 500_000;

/// A session that a controller keeps.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LegacySession {
    pub id: String,
    pub identity: String,
    /// SHA-1 in lower-case hex of the certificates that a client may show.
    pub fingerprints: Vec<String>,
    /// The one that announced it. Nobody else knows it.
    pub controller: ControllerId,
    /// Id of the synchronization by which it was announced last. Empty since before the present channel.
    stamp: String,
}

/// The sessions of all controllers, each as of its own announcements.
#[derive(Debug, Clone, Default)]
pub struct LegacySessions {
    sessions: BTreeMap<Token, LegacySession>,
    controllers: BTreeMap<ControllerId, Synchronization>,
}

impl LegacySessions {
    pub fn find(&self, token: &Token) -> Option<&LegacySession> {
        self.sessions.get(token)
    }

    pub fn len(&self) -> usize {
        self.sessions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
    }

    /// A control channel is open: the controller begins anew, and its ids with it.
    pub fn connect(&mut self, controller: &ControllerId) {
        let of_controller = self.sessions.values_mut();
        for session in of_controller.filter(|session| session.controller == *controller) {
            session.stamp.clear();
        }
        self.controllers
            .insert(controller.clone(), Synchronization::default());
    }

    /// A control channel has ended. Its sessions stay: the SDKs that have them can do nothing about it.
    pub fn disconnect(&mut self, controller: &ControllerId) {
        self.controllers.remove(controller);
    }

    /// Whether a control channel to the controller is open.
    pub fn is_connected(&self, controller: &ControllerId) -> bool {
        self.controllers.contains_key(controller)
    }

    /// Takes over sessions that a controller announces. Those that are gone are returned.
    pub fn add(
        &mut self,
        from: &ControllerId,
        message: ApiSessionsAdded,
        now: Timestamp,
    ) -> Vec<LegacySession> {
        let state = SyncState::parse(&message.sync_state);
        let synchronization = self.controllers.entry(from.clone()).or_default();
        let is_full = message.sessions.is_full_state;
        let (Some(state), true) = (state.as_ref(), is_full) else {
            // Of one without an id, nothing can be said but that it came last.
            let stamp = state.map_or_else(|| synchronization.newest().to_owned(), |state| state.id);
            for session in message.sessions.sessions {
                self.put(from, session, &stamp);
            }
            return Vec::new();
        };
        if !synchronization.open(&state.id, now) {
            return Vec::new();
        }
        let mut sessions = message.sessions.sessions;
        sessions.retain(|session| !synchronization.was_removed(&session.token));
        let is_complete = synchronization.count(state);
        for session in sessions {
            self.put(from, session, &state.id);
        }
        if is_complete {
            self.remove_older(from, &state.id)
        } else {
            Vec::new()
        }
    }

    /// Takes over sessions whose fingerprints changed. They are told as a whole, so that it does not matter
    /// which message comes first.
    pub fn update(&mut self, from: &ControllerId, message: ApiSessionsUpdated) {
        let synchronization = self.controllers.entry(from.clone()).or_default();
        let stamp = synchronization.newest().to_owned();
        for session in message.sessions.sessions {
            self.put(from, session, &stamp);
        }
    }

    /// Removes sessions that have ended. Those that were known are returned.
    pub fn remove(
        &mut self,
        from: &ControllerId,
        message: &ApiSessionsRemoved,
    ) -> Vec<LegacySession> {
        let synchronization = self.controllers.entry(from.clone()).or_default();
        synchronization.note_removed(&message.tokens);
        let tokens = message.tokens.iter();
        tokens
            .filter_map(|token| {
                let session = self.sessions.get(token)?;
                let is_own = session.controller == *from;
                is_own.then(|| self.sessions.remove(token)).flatten()
            })
            .collect()
    }

    fn put(&mut self, from: &ControllerId, session: ApiSession, stamp: &str) {
        let known = self.sessions.get(&session.token);
        let is_newer =
            known.is_some_and(|known| known.controller == *from && known.stamp.as_str() > stamp);
        if is_newer || (known.is_none() && self.sessions.len() >= MAX_SESSIONS) {
            return;
        }
        self.sessions.insert(
            session.token,
            LegacySession {
                id: session.id,
                identity: session.identity_id,
                fingerprints: session.fingerprints,
                controller: from.clone(),
                stamp: stamp.to_owned(),
            },
        );
    }

    /// Removes what a complete synchronization does not have.
    fn remove_older(&mut self, controller: &ControllerId, id: &str) -> Vec<LegacySession> {
        let is_gone = |session: &LegacySession| {
            session.controller == *controller && session.stamp.as_str() < id
        };
        self.sessions
            .extract_if(.., |_, session| is_gone(session))
            .map(|(_, session)| session)
            .collect()
    }

    /// The next controller whose sessions are not complete in time, and what to ask it for.
    pub fn poll(&mut self, now: Timestamp) -> Option<(ControllerId, ResynchronizationRequest)> {
        let (controller, synchronization) =
            self.controllers.iter_mut().find(|(_, synchronization)| {
                synchronization.gives_up_at().is_some_and(|at| at <= now)
            })?;
        let reason = synchronization.give_up();
        Some((controller.clone(), ResynchronizationRequest { reason }))
    }

    /// When to poll at the latest if nothing else happens.
    pub fn deadline(&self) -> Option<Timestamp> {
        let synchronizations = self.controllers.values();
        synchronizations
            .filter_map(Synchronization::gives_up_at)
            .min()
    }
}
