//! Validity of sessions, judged by the current store.
//!
//! A session ends with what opened it, and when its identity may no longer log in that way.

use crate::error::AppError;
use crate::identities::{get_policy, get_shared_owner};
use crate::signers;
use portcullis_domain::access::{Caller, Origin, VerifiedToken};
use portcullis_domain::api_session::{ApiSession, OpenedBy, SessionLifetimes};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::AuthenticatorId;
use portcullis_domain::trust_generation::TrustGeneration;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use std::sync::Arc;

/// A valid session with its identity and policy.
pub(super) struct LiveSession {
    pub(super) session: Found<Arc<ApiSession>>,
    pub(super) identity: Found<Arc<Identity>>,
    pub(super) policy: Arc<AuthPolicy>,
}

impl LiveSession {
    pub(super) fn into_caller(
        self,
        origin: Origin,
        second_factor_token: Option<VerifiedToken>,
    ) -> Caller {
        let verified_signer = second_factor_token.as_ref().map(|proof| &proof.signer);
        Caller {
            origin,
            identity_number: self.identity.number(),
            session_number: self.session.number(),
            auth_level: self
                .session
                .entity
                .auth_level(&self.policy, verified_signer),
            last_factor_at: self.session.entity.last_factor_at(),
            second_factor_token,
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

/// Validates a session against the records it depends on; `None` when it is over.
pub(super) fn validate(
    rows: Rows<'_>,
    session: Found<Arc<ApiSession>>,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<Option<LiveSession>, AppError> {
    let identity = get_shared_owner(rows, &session)?;
    let end = lifetimes.expires_at(&session.entity, identity.entity.has_admin_rights());
    if end.is_some_and(|end| now >= end) {
        return Ok(None);
    }
    let policy = get_policy(rows, &identity.entity)?;
    if identity.entity.is_disabled(now)
        || !session
            .entity
            .opened_by
            .is_allowed_for(identity.entity.kind)
    {
        return Ok(None);
    }
    let method = |id: &AuthenticatorId| find_method(rows, id);
    if !is_login_method_allowed(rows, (&session.entity, &policy), method, now)? {
        return Ok(None);
    }
    Ok(Some(LiveSession {
        session,
        identity,
        policy,
    }))
}

/// Login method of an authenticator.
#[derive(Debug, Clone, Copy)]
pub(super) enum AuthenticatorMethod {
    Password,
    Certificate,
}

fn find_method(
    rows: Rows<'_>,
    id: &AuthenticatorId,
) -> Result<Option<AuthenticatorMethod>, StoreError> {
    let authenticator = find_authenticator(rows, id)?;
    Ok(authenticator.map(|found| match &found.entity.credential {
        Credential::Updb(_) => AuthenticatorMethod::Password,
        Credential::Cert(_) => AuthenticatorMethod::Certificate,
    }))
}

/// Whether the login method of a session is still allowed by the policy of its identity. `method`
/// looks up an authenticator; `None` if it is gone.
pub(super) fn is_login_method_allowed(
    rows: Rows<'_>,
    (session, policy): (&ApiSession, &AuthPolicy),
    method: impl FnOnce(&AuthenticatorId) -> Result<Option<AuthenticatorMethod>, StoreError>,
    now: Timestamp,
) -> Result<bool, StoreError> {
    match &session.opened_by {
        OpenedBy::Authenticator(id) => match method(id)? {
            Some(AuthenticatorMethod::Password) => Ok(policy.primary.updb.allowed),
            Some(AuthenticatorMethod::Certificate) => {
                is_certificate_acceptable(rows, session, policy, now)
            },
            None => Ok(false),
        },
        OpenedBy::ExternalId => is_certificate_acceptable(rows, session, policy, now),
        OpenedBy::Signer(id) => {
            let signer = signers::find_enabled(rows, id)?;
            let is_good =
                signer.is_some_and(|found| is_same_generation(session, found.entity.terms));
            Ok(is_good && policy.primary.ext_jwt.allows(id))
        },
    }
}

/// Whether a session was opened under the current generation of trust settings. Sessions without
/// one predate generations and count as the first.
fn is_same_generation(session: &ApiSession, terms: TrustGeneration) -> bool {
    session.terms.unwrap_or_default() == terms
}

/// Whether the certificate that opened a session is still accepted.
fn is_certificate_acceptable(
    rows: Rows<'_>,
    session: &ApiSession,
    policy: &AuthPolicy,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let rules = policy.primary.cert;
    let Some(certificate) = &session.certificate else {
        // Sessions opened before login certificates were recorded.
        let predates_certificates = matches!(session.opened_by, OpenedBy::Authenticator(_));
        return Ok(predates_certificates && rules.allowed);
    };
    if !rules.allowed || (!rules.allow_expired_certs && now > certificate.not_after) {
        return Ok(false);
    }
    let Some(ca) = &certificate.ca else {
        return Ok(true);
    };
    let ca: Option<Found<Arc<Ca>>> =
        rows.find_cached(&UniqueValue::new(UniqueIndex::CaId, ca.as_str()))?;
    Ok(ca.is_some_and(|found| {
        found.entity.can_authenticate()
            && (session.opened_by != OpenedBy::ExternalId
                || (found.entity.spec.external_id_claim.is_some()
                    && is_same_generation(session, found.entity.claim_terms)))
    }))
}

/// The authenticator that opened a session, if any, unless it is gone.
pub(super) fn login_authenticator(
    rows: Rows<'_>,
    session: &ApiSession,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    match &session.opened_by {
        OpenedBy::Authenticator(id) => find_authenticator(rows, id),
        OpenedBy::ExternalId | OpenedBy::Signer(_) => Ok(None),
    }
}

fn find_authenticator(
    rows: Rows<'_>,
    id: &AuthenticatorId,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    rows.find_cached(&UniqueValue::new(UniqueIndex::AuthenticatorId, id.as_str()))
}
