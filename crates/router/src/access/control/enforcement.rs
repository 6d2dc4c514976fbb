//! Which channels end, and what loses its right.

use super::AccessControl;
use crate::access::clients::Session;
use crate::access::consequences::{Consequences, EndReason, LossReason};
use crate::access::model::{Judgement, Touched};
use crate::access::usages::{Usage, UsedService};
use crate::access::verifier::TokenVerifier;
use crate::edge::{ChannelId, IdentityId, SessionKind};
use portcullis_domain::clock::Timestamp;
use std::collections::BTreeSet;

impl<V: TokenVerifier> AccessControl<V> {
    /// What follows from changes of the model.
    pub(super) fn enforce(&mut self, touched: &Touched, now: Timestamp) -> Consequences {
        let mut consequences = Consequences {
            has_news_for_logins: touched.everything || touched.keys,
            has_changed_own_services: self.touches_own_services(touched),
            ..Consequences::default()
        };
        let channels = self.touched_channels(touched);
        for channel in &channels {
            self.review_channel(*channel, now, &mut consequences);
        }
        for service in &touched.services {
            self.review_usages(self.usages.of_service(service), now, &mut consequences);
        }
        let subscribers = self.told.keys().copied();
        consequences.changed_services = subscribers
            .filter(|channel| touched.configs || channels.contains(channel))
            .filter(|channel| !consequences.ended.contains_key(channel))
            .collect();
        consequences
    }

    fn touches_own_services(&self, touched: &Touched) -> bool {
        let Some(own) = self.own_identity.as_ref().map(IdentityId::as_str) else {
            return false;
        };
        let mut policies = touched.policies.iter();
        touched.everything
            || touched.configs
            || touched.identities.contains(own)
            || policies.any(|id| {
                let policy = self.model().policy(id);
                policy.is_some_and(|policy| policy.identities.contains(own))
            })
    }

    /// Channels whose session or rights may have changed.
    fn touched_channels(&self, touched: &Touched) -> BTreeSet<ChannelId> {
        if touched.everything {
            return self.clients.channels().collect();
        }
        let mut channels = BTreeSet::new();
        for identity in touched.identities.iter().chain(&touched.revoked) {
            channels.extend(self.clients.of_identity(identity));
        }
        let policies = touched.policies.iter();
        let policies: Vec<_> = policies.filter_map(|id| self.model().policy(id)).collect();
        if !policies.is_empty() {
            for (identity, of_identity) in self.clients.identities() {
                let identity = identity.as_str();
                let mut policies = policies.iter();
                if policies.any(|policy| policy.identities.contains(identity)) {
                    channels.extend(of_identity);
                }
            }
        }
        if !touched.revoked.is_empty() {
            for (id, session) in self.clients.connected() {
                let token = session.claims.as_ref().map(|claims| claims.jti.as_str());
                let revoked = &touched.revoked;
                if revoked.contains(id) || token.is_some_and(|token| revoked.contains(token)) {
                    channels.extend(&session.channels);
                }
            }
        }
        channels
    }

    /// Checks a channel and what it uses rights for.
    pub(super) fn review_channel(
        &mut self,
        channel: ChannelId,
        now: Timestamp,
        consequences: &mut Consequences,
    ) {
        let Some((_, session)) = self.clients.session_of(channel) else {
            return;
        };
        let is_known = self.model().identity(session.identity.as_str()).is_some();
        if let Some(reason) = self.why_ended(session, now) {
            self.end_channel(channel, reason, now, consequences);
        } else {
            if is_known {
                self.clients.note_known(channel);
            }
            self.review_usages(self.usages.of_channel(channel), now, consequences);
        }
    }

    pub(super) fn end_channel(
        &mut self,
        channel: ChannelId,
        reason: EndReason,
        now: Timestamp,
        consequences: &mut Consequences,
    ) {
        consequences
            .lost
            .retain(|usage, _| usage.channel != channel);
        consequences.ended.insert(channel, reason);
        self.close(channel, now);
    }

    /// Checks some of what rights are used for.
    pub(super) fn review_usages(
        &mut self,
        usages: Vec<Usage>,
        now: Timestamp,
        consequences: &mut Consequences,
    ) {
        for usage in usages {
            let Some(used) = self.usages.get(&usage) else {
                continue;
            };
            match self.judge_usage(&usage, used, now) {
                Ok(ends_at) => self.usages.set_end(&usage, ends_at),
                Err(reason) => {
                    self.usages.end(&usage);
                    consequences.lost.insert(usage, reason);
                },
            }
        }
    }

    /// Whether there is a right for a usage, and when it ends if nothing changes.
    pub(super) fn judge_usage(
        &self,
        usage: &Usage,
        used: &UsedService,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, LossReason> {
        let Some((_, session)) = self.clients.session_of(usage.channel) else {
            return Err(LossReason::NotGranted);
        };
        if session.kind != SessionKind::Oidc {
            return Ok(None); // Its controller judges, and removes the session for the service.
        }
        let client = session.posture.client();
        let judgement = self.model().judge(
            session.identity.as_str(),
            used.service.as_str(),
            usage.grant,
            Some(&client),
            now,
        );
        match judgement {
            Judgement::Granted { ends_at } => Ok(ends_at),
            Judgement::Failing(checks) => Err(LossReason::Posture(checks)),
            Judgement::NotGranted => Err(LossReason::NotGranted),
        }
    }

    /// Why a session does not hold any more.
    pub(super) fn why_ended(&self, session: &Session, now: Timestamp) -> Option<EndReason> {
        if let Some(claims) = &session.claims {
            if claims.expires_at() <= now {
                return Some(EndReason::Expired);
            }
            if self.model().is_revoked(claims) {
                return Some(EndReason::Revoked);
            }
        }
        self.why_identity_ended(session.identity.as_str(), session.identity_was_known)
    }

    /// Why nobody of an identity may be connected. One that the model does not have yet is not deleted:
    /// sessions may be faster than the model.
    pub(super) fn why_identity_ended(&self, id: &str, was_known: bool) -> Option<EndReason> {
        match self.model().identity(id) {
            Some(identity) if identity.is_disabled => Some(EndReason::IdentityDisabled),
            None if was_known => Some(EndReason::IdentityDeleted),
            _ => None,
        }
    }
}
