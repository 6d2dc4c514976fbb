//! What changes may have taken away, and from whom: where rights in use have to be judged again.

use crate::session_validity::{AffectedSessions, affected_sessions};
use portcullis_domain::change::{Change, EntityChange, Owner};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::{ApiSessionId, IdentityId, RecordNumber, RouterId, ServiceId};
use portcullis_domain::oidc_session::TokenId;
use portcullis_domain::revocation::{Revocation, RevocationType};
use portcullis_domain::router::Router;
use portcullis_domain::service::Service;
use std::collections::{BTreeMap, BTreeSet};

/// What may have been taken away from whom. Most changes take nothing away.
#[derive(Debug, Default)]
pub(crate) struct Losses {
    /// Anything from anybody.
    pub(crate) everything: bool,
    /// What service policies grant.
    pub(crate) grants: bool,
    /// What policies about routers allow.
    pub(crate) routes: bool,
    /// Anything from these identities.
    pub(crate) identities: BTreeSet<RecordNumber>,
    pub(crate) services: BTreeSet<ServiceId>,
    pub(crate) routers: BTreeSet<RouterId>,
    /// Sessions that are over, with whose they were.
    pub(crate) ended: BTreeMap<ApiSessionId, IdentityId>,
    /// Sessions whose tokens were revoked.
    pub(crate) revoked_sessions: BTreeSet<ApiSessionId>,
    /// Identities whose earlier tokens were revoked.
    pub(crate) revoked_identities: BTreeSet<IdentityId>,
    /// Tokens that were revoked by themselves.
    pub(crate) revoked_tokens: BTreeSet<TokenId>,
}

impl Losses {
    pub(crate) fn is_empty(&self) -> bool {
        !self.everything
            && !self.grants
            && !self.routes
            && self.identities.is_empty()
            && self.services.is_empty()
            && self.routers.is_empty()
            && self.ended.is_empty()
            && self.revoked_sessions.is_empty()
            && self.revoked_identities.is_empty()
            && self.revoked_tokens.is_empty()
    }

    pub(crate) fn add(&mut self, change: &Change) {
        match affected_sessions(change) {
            AffectedSessions::None => {},
            AffectedSessions::OwnedBy(identity) => {
                self.identities.insert(identity);
            },
            AffectedSessions::All => self.everything = true,
        }
        match change {
            Change::ApiSession(change) => {
                let ended = change.before.as_ref().filter(|_| change.entity.is_none());
                self.ended
                    .extend(ended.map(|session| (session.id.clone(), session.identity.clone())));
            },
            Change::Identity(change) => {
                let attributes = |identity: &Identity| identity.spec.role_attributes.clone();
                let lost = lost(change, attributes);
                self.identities.extend(lost.map(|_before| change.number));
            },
            // A code counts only as long as the enrollment that it was given for.
            Change::Mfa(change) if change.entity.is_none() => {
                if let Some(Owner::Identity(identity)) = change.owner {
                    self.identities.insert(identity);
                }
            },
            Change::Service(change) => {
                let attributes = |service: &Service| service.spec.role_attributes.clone();
                let lost = lost(change, attributes);
                self.services.extend(lost.map(|before| before.id.clone()));
            },
            Change::Router(change) => {
                let lost = lost(change, terms_of_router);
                self.routers.extend(lost.map(|before| before.id.clone()));
            },
            Change::ServicePolicy(_) | Change::PostureCheck(_) => self.grants = true,
            Change::EdgeRouterPolicy(_) | Change::ServiceEdgeRouterPolicy(_) => self.routes = true,
            Change::Revocation(change) => {
                if let Some(made) = &change.entity {
                    self.add_revocation(made);
                }
            },
            _ => {},
        }
    }

    fn add_revocation(&mut self, made: &Revocation) {
        let id = made.id.as_str();
        match made.spec.revoked {
            RevocationType::Jti => {
                self.revoked_tokens.insert(TokenId::from_wire(id));
            },
            RevocationType::Identity => {
                self.revoked_identities.insert(IdentityId::from_wire(id));
            },
            RevocationType::ApiSession => {
                self.revoked_sessions.insert(ApiSessionId::from_wire(id));
            },
        }
    }
}

/// What rights through a router depend on.
fn terms_of_router(router: &Router) -> impl PartialEq + use<> {
    let edge = router.spec.edge();
    let attributes = edge.map(|edge| edge.role_attributes.clone());
    let judges_posture = router.spec.reported.judges_posture();
    (router.spec.disabled, judges_posture, attributes)
}

/// The entity as it was before, if these terms of it have changed or it is gone. Nobody has rights by
/// what is new.
fn lost<E, T: PartialEq>(change: &EntityChange<E>, terms: impl Fn(&E) -> T) -> Option<&E> {
    let before = change.before.as_deref()?;
    let now = change.entity.as_deref().map(&terms);
    (now != Some(terms(before))).then_some(before)
}
