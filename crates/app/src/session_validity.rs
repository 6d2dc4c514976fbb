//! Validity of sessions, judged by the current store.
//!
//! A session ends with what opened it, and when its identity may no longer log in that way.

mod affected;
mod revocation;

pub(crate) use affected::{AffectedSessions, affected_sessions};
pub(crate) use revocation::{RevocableToken, is_session_revoked, is_token_revoked};

use crate::error::AppError;
use crate::records::{
    find_enabled_signer, get_policy, get_shared_owner, is_holder, login_authenticator,
    own_session_key,
};
use portcullis_domain::access::{
    AccessDeniedError, AccessToken, Caller, Origin, SecondFactorToken,
};
use portcullis_domain::api_session::{ApiSession, OpenedBy, SessionLifetimes};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Credential;
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::oidc_session::OidcSession;
use portcullis_domain::trust_generation::TrustGeneration;
use portcullis_pki::Validity;
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use std::sync::Arc;

/// A valid session with its identity and policy.
pub(crate) struct LiveSession {
    pub(crate) session: Found<Arc<ApiSession>>,
    pub(crate) identity: Found<Arc<Identity>>,
    pub(crate) policy: Arc<AuthPolicy>,
}

impl LiveSession {
    /// When it ends if nothing changes, apart from its idle timeout; `None` for never.
    pub(crate) fn ends_at(&self, lifetimes: SessionLifetimes) -> Option<Timestamp> {
        let (session, identity) = (&self.session.entity, &self.identity.entity);
        ends_at(
            session,
            &self.policy,
            lifetimes,
            identity.has_admin_rights(),
        )
    }

    pub(crate) fn into_caller(
        self,
        origin: Origin,
        access_token: Option<AccessToken>,
        second_factor_token: Option<SecondFactorToken>,
    ) -> Caller {
        let verified_signer = second_factor_token.as_ref().map(|proof| &proof.signer);
        Caller {
            access_token,
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
pub(crate) fn validate(
    rows: Rows<'_>,
    session: Found<Arc<ApiSession>>,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<Option<LiveSession>, AppError> {
    let identity = get_shared_owner(rows, &session)?;
    let facts = SessionFacts::from_records(rows, &session.entity, &identity.entity, now)?;
    if !facts.are_valid(rows, lifetimes, now)? {
        return Ok(None);
    }
    Ok(Some(LiveSession {
        policy: facts.policy,
        session,
        identity,
    }))
}

/// The facts on which the validity of a session depends, from the records or the read model.
pub(crate) struct SessionFacts<'s> {
    pub(crate) session: &'s ApiSession,
    /// Whether its identity has administrator rights.
    pub(crate) is_admin: bool,
    /// Whether its identity is disabled.
    pub(crate) is_disabled: bool,
    /// The type of its identity.
    pub(crate) kind: IdentityType,
    /// The policy of its identity.
    pub(crate) policy: Arc<AuthPolicy>,
    /// The method of the authenticator that opened it; `None` if that is gone or there was none.
    pub(crate) authenticator: Option<AuthenticatorMethod>,
}

impl<'s> SessionFacts<'s> {
    pub(crate) fn from_records(
        rows: Rows<'_>,
        session: &'s ApiSession,
        identity: &Identity,
        now: Timestamp,
    ) -> Result<Self, StoreError> {
        let authenticator = login_authenticator(rows, session)?;
        Ok(Self {
            session,
            is_admin: identity.has_admin_rights(),
            is_disabled: identity.is_disabled(now),
            kind: identity.kind,
            policy: get_policy(rows, identity)?,
            authenticator: authenticator.map(|found| match &found.entity.credential {
                Credential::Updb(_) => AuthenticatorMethod::Password,
                Credential::Cert(_) => AuthenticatorMethod::Certificate,
            }),
        })
    }

    /// Whether the session is valid, apart from its idle timeout. CAs and signers are read.
    pub(crate) fn are_valid(
        &self,
        rows: Rows<'_>,
        lifetimes: SessionLifetimes,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let end = lifetimes.expires_at(self.session, self.is_admin);
        let is_over = |oidc: &OidcSession| oidc.has_expired(now);
        if end.is_some_and(|end| now >= end)
            || self.session.oidc.as_ref().is_some_and(is_over)
            || self.is_disabled
            || !self.session.opened_by.is_allowed_for(self.kind)
        {
            return Ok(false);
        }
        self.is_login_method_allowed(rows, now)
    }

    /// When the session ends if nothing changes, apart from its idle timeout; `None` for never.
    pub(crate) fn ends_at(&self, lifetimes: SessionLifetimes) -> Option<Timestamp> {
        ends_at(self.session, &self.policy, lifetimes, self.is_admin)
    }

    /// Whether the login method of the session is still allowed by the policy of its identity.
    fn is_login_method_allowed(&self, rows: Rows<'_>, now: Timestamp) -> Result<bool, StoreError> {
        let primary = &self.policy.spec.primary;
        match &self.session.opened_by {
            OpenedBy::Authenticator(_) => match self.authenticator {
                Some(AuthenticatorMethod::Password) => Ok(primary.updb.allowed),
                Some(AuthenticatorMethod::Certificate) => {
                    is_certificate_acceptable(rows, self.session, &self.policy, now)
                },
                None => Ok(false),
            },
            OpenedBy::ExternalId => {
                is_certificate_acceptable(rows, self.session, &self.policy, now)
            },
            OpenedBy::Signer(id) => {
                let signer = find_enabled_signer(rows, id)?;
                let is_current = signer
                    .is_some_and(|found| is_same_generation(self.session, found.entity.spec.terms));
                Ok(is_current && primary.ext_jwt.allows(id))
            },
        }
    }
}

fn ends_at(
    session: &ApiSession,
    policy: &AuthPolicy,
    lifetimes: SessionLifetimes,
    is_admin: bool,
) -> Option<Timestamp> {
    let tokens = session.oidc.as_ref().map(|oidc| oidc.expires_at);
    let bound = session.certificate.as_ref();
    let certificate = bound
        .filter(|_| !policy.spec.primary.cert.allow_expired_certs)
        .map(|certificate| Validity::end_of(certificate.not_after));
    let ends = [lifetimes.expires_at(session, is_admin), tokens, certificate];
    ends.into_iter().flatten().min()
}

/// Resolves a caller again inside a transaction that acts for it.
///
/// # Errors
///
/// [`AppError::Denied`] when the session is over.
pub(crate) fn recheck_caller(
    rows: Rows<'_>,
    caller: &Caller,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<Caller, AppError> {
    let live = find_own_session(rows, caller, lifetimes, now)?;
    resolve_again(rows, live, caller)
}

/// The session of a caller as it is now.
///
/// # Errors
///
/// [`AppError::Denied`] when it is over, or the token was revoked by which the caller was found.
pub(crate) fn find_own_session(
    rows: Rows<'_>,
    caller: &Caller,
    lifetimes: SessionLifetimes,
    now: Timestamp,
) -> Result<LiveSession, AppError> {
    if let Some(token) = &caller.access_token
        && RevocableToken::access(token, &caller.session, &caller.identity).is_revoked(rows)?
    {
        return Err(AccessDeniedError.into());
    }
    let key = own_session_key(caller);
    let entity = rows.get_shared(&key)?.ok_or(AccessDeniedError)?;
    let live = validate(rows, Found { key, entity }, lifetimes, now)?;
    Ok(live.ok_or(AccessDeniedError)?)
}

/// What a caller is now, by its session.
pub(crate) fn resolve_again(
    rows: Rows<'_>,
    live: LiveSession,
    caller: &Caller,
) -> Result<Caller, AppError> {
    let proof = match &caller.second_factor_token {
        Some(proof) if is_token_valid(rows, &live.identity.entity, proof)? => Some(proof.clone()),
        Some(_) | None => None,
    };
    let token = caller.access_token.clone();
    Ok(live.into_caller(caller.origin.clone(), token, proof))
}

/// Whether a token that was verified is still valid by the current records: same trust settings of
/// its signer, same identity.
fn is_token_valid(
    rows: Rows<'_>,
    identity: &Identity,
    token: &SecondFactorToken,
) -> Result<bool, StoreError> {
    let signer = find_enabled_signer(rows, &token.signer)?;
    Ok(signer.is_some_and(|found| {
        found.entity.spec.terms == token.terms
            && is_holder(&found.entity.spec.settings, identity, &token.holder)
    }))
}

/// Login method of an authenticator.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AuthenticatorMethod {
    Password,
    Certificate,
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
    let rules = policy.spec.primary.cert;
    let Some(certificate) = &session.certificate else {
        // Sessions opened before login certificates were recorded.
        let predates_certificates = matches!(session.opened_by, OpenedBy::Authenticator(_));
        return Ok(predates_certificates && rules.allowed);
    };
    let has_expired = Validity::has_ended(certificate.not_after, now);
    if !rules.allowed || (!rules.allow_expired_certs && has_expired) {
        return Ok(false);
    }
    let Some(ca) = &certificate.ca else {
        return Ok(true);
    };
    let ca: Option<Found<Arc<Ca>>> =
        rows.find_shared(&UniqueValue::new(UniqueIndex::CaId, ca.as_str()))?;
    Ok(ca.is_some_and(|found| {
        found.entity.can_authenticate()
            && (session.opened_by != OpenedBy::ExternalId
                || (found.entity.spec.settings.external_id_claim.is_some()
                    && is_same_generation(session, found.entity.spec.claim_terms)))
    }))
}

#[cfg(test)]
mod tests;
