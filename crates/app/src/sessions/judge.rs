//! Whether a session still lives.
//!
//! It lives no longer than what opened it, and only while its identity may get in that way. All of
//! it is read from the store as it is now.

use crate::error::AppError;
use crate::identities::{policy_of, shared_owner};
use crate::signers;
use portcullis_domain::access::{Caller, Origin, Proof};
use portcullis_domain::api_session::{ApiSession, OpenedBy, SessionLifetimes};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_domain::terms::Terms;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Index, Rows, UniqueValue};
use std::sync::Arc;

/// A session with what it depends on.
pub(super) struct Live {
    pub(super) session: Found<Arc<ApiSession>>,
    pub(super) identity: Found<Arc<Identity>>,
    pub(super) policy: Arc<AuthPolicy>,
}

impl Live {
    pub(super) fn into_caller(self, origin: Origin, proof: Option<Proof>) -> Caller {
        let proved = proof.as_ref().map(|proof| &proof.signer);
        Caller {
            origin,
            identity_number: self.identity.number(),
            session_number: self.session.number(),
            standing: self.session.entity.standing(&self.policy, proved),
            last_factor_at: self.session.entity.last_factor_at(),
            proof,
            session: self.session.entity.id.clone(),
            is_admin: self.identity.entity.has_admin_rights(),
            identity: self.identity.entity.id.clone(),
            permissions: self
                .identity
                .entity
                .spec
                .permissions
                .clone()
                .unwrap_or_default(),
        }
    }
}

/// Judges a session by the records that it depends on; `None` when it is over.
///
/// It lives no longer than what opened it and than sessions may, and only while its identity may get in
/// that way.
pub(super) fn judge(
    rows: Rows<'_>,
    session: Found<Arc<ApiSession>>,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<Option<Live>, AppError> {
    let identity = shared_owner(rows, &session)?;
    let end = lifetimes.end(&session.entity, identity.entity.has_admin_rights());
    if end.is_some_and(|end| now >= end) {
        return Ok(None);
    }
    let policy = policy_of(rows, &identity.entity)?;
    if identity.entity.is_disabled(now) || !session.entity.opened_by.fits(identity.entity.kind) {
        return Ok(None);
    }
    let method = |id: &AuthenticatorId| method_of(rows, id);
    if !is_way_open(rows, (&session.entity, &policy), method, now)? {
        return Ok(None);
    }
    Ok(Some(Live {
        session,
        identity,
        policy,
    }))
}

/// How an authenticator proves an identity.
#[derive(Debug, Clone, Copy)]
pub(super) enum Method {
    Password,
    Certificate,
}

fn method_of(rows: Rows<'_>, id: &AuthenticatorId) -> Result<Option<Method>, StoreError> {
    let authenticator = authenticator(rows, id)?;
    Ok(authenticator.map(|found| match &found.entity.credential {
        Credential::Updb(_) => Method::Password,
        Credential::Cert(_) => Method::Certificate,
    }))
}

/// Whether the way by which a session was opened is still open under the policy that governs its
/// identity. `method` looks up an authenticator; `None` for one that is gone.
pub(super) fn is_way_open(
    rows: Rows<'_>,
    (session, policy): (&ApiSession, &AuthPolicy),
    method: impl FnOnce(&AuthenticatorId) -> Result<Option<Method>, StoreError>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match &session.opened_by {
        OpenedBy::Authenticator(id) => match method(id)? {
            Some(Method::Password) => Ok(policy.primary.updb.allowed),
            Some(Method::Certificate) => is_certificate_good(rows, session, policy, now),
            None => Ok(false),
        },
        OpenedBy::ExternalId => is_certificate_good(rows, session, policy, now),
        OpenedBy::Signer(id) => {
            let signer = signers::find_enabled(rows, id)?;
            let is_good = signer.is_some_and(|found| are_kept(session, found.entity.terms));
            Ok(is_good && policy.primary.ext_jwt.admits(id))
        },
    }
}

/// Whether a session was opened under the terms that are in force. One that remembers none was
/// opened under the first ones, before any were remembered.
fn are_kept(session: &ApiSession, terms: Terms) -> bool {
    session.terms.unwrap_or_default() == terms
}

/// Whether the certificate that opened a session would still do.
fn is_certificate_good(
    rows: Rows<'_>,
    session: &ApiSession,
    policy: &AuthPolicy,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let rules = policy.primary.cert;
    let Some(certificate) = &session.certificate else {
        // Authenticators opened sessions before sessions remembered their certificate.
        let is_of_old = matches!(session.opened_by, OpenedBy::Authenticator(_));
        return Ok(is_of_old && rules.allowed);
    };
    if !rules.allowed || (!rules.allow_expired_certs && now > certificate.not_after) {
        return Ok(false);
    }
    let Some(ca) = &certificate.ca else {
        return Ok(true);
    };
    let ca: Option<Found<Arc<Ca>>> =
        rows.find_shared(&UniqueValue::new(Index::CaId, ca.as_str()))?;
    Ok(ca.is_some_and(|found| {
        found.entity.vouches_for_logins()
            && (session.opened_by != OpenedBy::ExternalId
                || (found.entity.spec.external_id_claim.is_some()
                    && are_kept(session, found.entity.claim_terms)))
    }))
}

/// The authenticator that opened a session, if one did and it is still there.
pub(super) fn authenticator_of(
    rows: Rows<'_>,
    session: &ApiSession,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    match &session.opened_by {
        OpenedBy::Authenticator(id) => authenticator(rows, id),
        OpenedBy::ExternalId | OpenedBy::Signer(_) => Ok(None),
    }
}

fn authenticator(
    rows: Rows<'_>,
    id: &AuthenticatorId,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    rows.find_shared(&UniqueValue::new(Index::AuthenticatorId, id.as_str()))
}
