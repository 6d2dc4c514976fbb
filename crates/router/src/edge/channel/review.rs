//! Rights that are lost, and sessions that end.

use std::collections::BTreeMap;

use portcullis_domain::clock::Timestamp;
use portcullis_domain::policies::ServiceGrant;
use portcullis_wire::control::route::RouteFailure;
use portcullis_wire::edge::ConnectionId;
use portcullis_wire::{ErrorCode, RetryHint};

use super::{SdkChannel, Timer};
use crate::edge::access::{Access, SessionKind};
use crate::edge::action::Action;
use crate::edge::circuit::Closing;
use crate::edge::connections::{Connection, Usage};
use crate::edge::host_exchange::HostRequest;
use crate::edge::names::{ServiceId, ServiceSessionId};
use crate::edge::refusal::Refusal;
use crate::time::after;

impl SdkChannel {
    /// Checks everything that the channel carries, and ends what is not permitted any more. To be called
    /// whenever rights, posture or sessions may have changed.
    ///
    /// What only time ends is checked by [`handle_timeout`](Self::handle_timeout).
    pub fn review(&mut self, access: &dyn Access, now: Timestamp) {
        if self.has_ended {
            return;
        }
        if let Err(reason) = access.check_session(&self.client.session, now) {
            return self.end(&reason);
        }
        self.review_rights(access, now);
        self.schedule_review(now);
    }

    /// Ends what a session for a service was used for, because a controller has removed it.
    pub fn end_service_session(&mut self, session: &ServiceSessionId) {
        let refusal = Refusal::new(ErrorCode::InvalidSession, "the session has been removed");
        self.end_usages(|usage| usage.session.as_ref() == Some(session), &|_| {
            refusal.clone()
        });
    }

    /// Sets the time of the next check: when the session expires, and soon if anything depends on rights.
    pub(super) fn schedule_review(&mut self, now: Timestamp) {
        let soon = after(now, self.limits.review_interval);
        let is_judged = self.client.session.kind == SessionKind::Oidc;
        let has_usages = self.connections() > 0;
        let expiry = self.client.session.expires_at;
        let expiry = expiry.map(|expiry| if expiry <= now { soon } else { expiry });
        let next = (is_judged && has_usages).then_some(soon);
        // An earlier check stays: else a busy SDK would put it off for ever.
        let earlier = self.timers.get(&Timer::Review);
        if let Some(at) = expiry.into_iter().chain(next).chain(earlier).min() {
            self.timers.set(Timer::Review, at);
        }
    }

    fn review_rights(&mut self, access: &dyn Access, now: Timestamp) {
        let mut verdicts: BTreeMap<(ServiceGrant, ServiceId), bool> = BTreeMap::new();
        for (_, connection) in self.connections.iter() {
            let usage = connection.usage();
            let key = (usage.grant, usage.service.clone());
            verdicts
                .entry(key)
                .or_insert_with(|| self.check_grant(usage, access, now).is_err());
        }
        verdicts.retain(|_, is_lost| *is_lost);
        if verdicts.is_empty() {
            return;
        }
        self.end_usages(
            |usage| verdicts.contains_key(&(usage.grant, usage.service.clone())),
            &lost,
        );
    }

    /// Ends connections, dials, offers and binds, and tells the SDK why.
    fn end_usages(&mut self, is_meant: impl Fn(&Usage) -> bool, why: &dyn Fn(Ended) -> Refusal) {
        for ask in self.offers_by(&is_meant) {
            let reason = "the host may not serve any more";
            self.fail_offer(ask, RouteFailure::InvalidTerminator, reason);
        }
        let meant = self.connections.iter();
        let meant: Vec<ConnectionId> = meant
            .filter(|(_, one)| is_meant(one.usage()))
            .map(|(id, _)| id)
            .collect();
        for id in meant {
            self.end_usage(id, why);
        }
    }

    fn end_usage(&mut self, id: ConnectionId, why: &dyn Fn(Ended) -> Refusal) {
        match self.connections.get(id) {
            Some(Connection::Dialing(dialing)) => {
                let (request, grant) = (dialing.request, dialing.usage.grant);
                self.fail_dial(request, why(Ended::Connection(grant)));
            },
            Some(Connection::Open(open)) => {
                let grant = open.usage.grant;
                self.close_circuit(id, Closing::AtOnce);
                self.close(id, why(Ended::Connection(grant)));
            },
            Some(Connection::Bind(bind)) => {
                let bind = bind.key;
                self.end_bind(id, why(Ended::Bind));
                self.actions
                    .push_back(Action::Host(HostRequest::Unbind(bind)));
            },
            None => {},
        }
    }
}

/// What ends.
#[derive(Debug, Clone, Copy)]
enum Ended {
    Connection(ServiceGrant),
    Bind,
}

/// What an SDK is told of a lost right.
fn lost(ended: Ended) -> Refusal {
    match ended {
        Ended::Connection(grant) => Refusal::text(lost_text(grant)),
        Ended::Bind => Refusal::hinted(
            ErrorCode::AccessDenied,
            RetryHint::StartOver,
            lost_text(ServiceGrant::Bind),
        ),
    }
}

const fn lost_text(grant: ServiceGrant) -> &'static str {
    match grant {
        ServiceGrant::Dial => "dial access lost",
        ServiceGrant::Bind => "bind access lost",
    }
}
