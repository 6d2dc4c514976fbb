//! Channels of SDKs, and the sessions that they belong to.

use super::claims::AccessClaims;
use super::deadlines::Deadlines;
use super::posture::SessionPosture;
use crate::edge::{ApiSession, ChannelId, ControllerId, IdentityId, SessionKind};
use crate::time::after;
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Token;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

/// How long the posture of a session is kept without a channel. An SDK that reconnects soon need not say
/// everything again.
const RETENTION: Duration = Duration::from_mins(5);
/// Most sessions that are kept without a channel.
const MAX_IDLE: usize = 4096;

/// The channels, by session and by identity.
#[derive(Debug, Clone, Default)]
pub(super) struct Clients {
    channels: BTreeMap<ChannelId, String>,
    sessions: BTreeMap<String, Session>,
    by_identity: BTreeMap<IdentityId, BTreeSet<ChannelId>>,
    /// When tokens of sessions with channels expire.
    expiries: Deadlines<String>,
    /// When sessions without channels are forgotten.
    idle: Deadlines<String>,
}

/// A session that has, or had, channels.
#[derive(Debug, Clone)]
pub(super) struct Session {
    pub(super) identity: IdentityId,
    pub(super) kind: SessionKind,
    pub(super) token: Token,
    pub(super) channels: BTreeSet<ChannelId>,
    /// Of the latest token; `None` for legacy sessions.
    pub(super) claims: Option<Arc<AccessClaims>>,
    pub(super) posture: SessionPosture,
    /// Whether the model has had its identity since the session was opened.
    pub(super) identity_was_known: bool,
}

impl Clients {
    pub(super) fn open(
        &mut self,
        channel: ChannelId,
        session: &ApiSession,
        identity_is_known: bool,
    ) {
        let entry = self.sessions.entry(session.id.clone());
        let known = entry.or_insert_with(|| Session {
            identity: session.identity.clone(),
            kind: session.kind.clone(),
            token: session.token.clone(),
            channels: BTreeSet::new(),
            claims: None,
            posture: SessionPosture::default(),
            identity_was_known: false,
        });
        if known.channels.is_empty() {
            known.claims = None; // What the session had before says nothing.
        }
        known.channels.insert(channel);
        known.identity_was_known |= identity_is_known || session.identity_was_known;
        self.channels.insert(channel, session.id.clone());
        let of_identity = self.by_identity.entry(session.identity.clone());
        of_identity.or_default().insert(channel);
        self.idle.clear(&session.id);
        self.renew(session);
    }

    /// The session has another token. The one that lasts longer counts.
    pub(super) fn renew(&mut self, session: &ApiSession) {
        let (known, claims) = (self.sessions.get_mut(&session.id), &session.claims);
        let (Some(known), Some(claims)) = (known, claims) else {
            return;
        };
        if let Some(at) = claims.totp_passed_at() {
            known.posture.logged_in_with_totp(at);
        }
        let is_later = |before: &Arc<AccessClaims>| before.exp < claims.exp;
        if known.claims.as_ref().is_none_or(is_later) {
            let expires_at = Some(claims.expires_at());
            self.expiries.set(session.id.clone(), expires_at);
            known.token = session.token.clone();
            known.claims = Some(Arc::clone(claims));
        }
    }

    pub(super) fn close(&mut self, channel: ChannelId, now: Timestamp) {
        let Some(id) = self.channels.remove(&channel) else {
            return;
        };
        let Some(session) = self.sessions.get_mut(&id) else {
            return;
        };
        session.channels.remove(&channel);
        if let Some(channels) = self.by_identity.get_mut(&session.identity) {
            channels.remove(&channel);
            if channels.is_empty() {
                self.by_identity.remove(&session.identity);
            }
        }
        if session.channels.is_empty() {
            self.expiries.clear(&id);
            self.idle.set(id, Some(after(now, RETENTION)));
            if self.idle.len() > MAX_IDLE
                && let Some(oldest) = self.idle.take_first()
            {
                self.sessions.remove(&oldest);
            }
        }
    }

    pub(super) fn session(&self, id: &str) -> Option<&Session> {
        self.sessions.get(id)
    }

    pub(super) fn session_of(&self, channel: ChannelId) -> Option<(&str, &Session)> {
        let id = self.channels.get(&channel)?;
        Some((id, self.sessions.get(id)?))
    }

    pub(super) fn session_of_mut(&mut self, channel: ChannelId) -> Option<(&str, &mut Session)> {
        let id = self.channels.get(&channel)?;
        Some((id, self.sessions.get_mut(id)?))
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.channels.keys().copied()
    }

    pub(super) fn of_identity(&self, identity: &str) -> impl Iterator<Item = ChannelId> {
        let channels = self.by_identity.get(identity);
        channels.into_iter().flatten().copied()
    }

    /// Connected identities, with their channels.
    pub(super) fn identities(&self) -> impl Iterator<Item = (&IdentityId, &BTreeSet<ChannelId>)> {
        self.by_identity.iter()
    }

    /// Sessions that have channels.
    pub(super) fn connected(&self) -> impl Iterator<Item = (&str, &Session)> {
        let sessions = self.sessions.iter();
        sessions
            .filter(|(_, session)| !session.channels.is_empty())
            .map(|(id, session)| (id.as_str(), session))
    }

    /// Tokens of connected legacy sessions, by the controllers that keep them.
    pub(super) fn legacy_tokens(&self) -> BTreeMap<ControllerId, Vec<Token>> {
        let mut tokens = BTreeMap::<_, Vec<Token>>::new();
        for (_, session) in self.connected() {
            if let SessionKind::Legacy(controller) = &session.kind {
                let of_controller = tokens.entry(controller.clone()).or_default();
                of_controller.push(session.token.clone());
            }
        }
        tokens
    }

    /// Notes that the model has the identity of a channel.
    pub(super) fn note_known(&mut self, channel: ChannelId) {
        if let Some((_, session)) = self.session_of_mut(channel) {
            session.identity_was_known = true;
        }
    }

    pub(super) fn deadline(&self) -> Option<Timestamp> {
        let first = self.expiries.first().into_iter().chain(self.idle.first());
        first.min()
    }

    /// Sessions whose tokens have expired. Those that nobody has used for long are forgotten.
    pub(super) fn take_due(&mut self, now: Timestamp) -> Vec<String> {
        for id in self.idle.take_due(now) {
            self.sessions.remove(&id);
        }
        self.expiries.take_due(now)
    }
}
