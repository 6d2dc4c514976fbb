//! Records that several use cases look up, and how they belong together.

use crate::error::{AppError, AuthenticatorError};
use portcullis_domain::access::Caller;
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::authenticator::Authenticator;
use portcullis_domain::ca::Ca;
use portcullis_domain::identity::{Identity, TotpState};
use portcullis_domain::ids::{AuthPolicyId, AuthenticatorId, CaId, IdentityId, SignerId};
use portcullis_domain::signer::{Signer, SignerSettings};
use portcullis_storage::engine::StoreError;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    API_SESSION, Found, Rows, StoredMfa, UniqueIndex, UniqueValue, identity_key,
};
use std::sync::Arc;

pub(crate) fn get_identity(rows: Rows<'_>, id: &IdentityId) -> Result<Found<Identity>, AppError> {
    rows.find(&UniqueValue::new(UniqueIndex::IdentityId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("identity", id.as_str()))
}

/// The identity that a record belongs to. Records are deleted with their identity, so a missing one
/// is damage.
pub(crate) fn get_owner<E>(
    rows: Rows<'_>,
    found: &Found<E>,
) -> Result<Found<Identity>, StoreError> {
    let key = identity_key(found.root_number());
    let entity = rows.get(&key)?.ok_or_else(|| lost(&key))?;
    Ok(Found { key, entity })
}

/// Like [`get_owner`], shared.
pub(crate) fn get_shared_owner<E>(
    rows: Rows<'_>,
    found: &Found<E>,
) -> Result<Found<Arc<Identity>>, StoreError> {
    let key = identity_key(found.root_number());
    let entity = rows.get_shared(&key)?.ok_or_else(|| lost(&key))?;
    Ok(Found { key, entity })
}

fn lost(identity: &RecordKey) -> StoreError {
    StoreError::corrupt(format!("identity {identity} is missing"))
}

/// The auth policy of an identity. A policy in use cannot be deleted, so a missing one is damage.
pub(crate) fn get_policy(
    rows: Rows<'_>,
    identity: &Identity,
) -> Result<Arc<AuthPolicy>, StoreError> {
    find_policy(rows, &identity.spec.auth_policy)?
        .map(|found| found.entity)
        .ok_or_else(|| StoreError::corrupt("the auth policy of an identity is missing"))
}

pub(crate) fn find_policy(
    rows: Rows<'_>,
    id: &AuthPolicyId,
) -> Result<Option<Found<Arc<AuthPolicy>>>, StoreError> {
    rows.find_shared(&UniqueValue::new(UniqueIndex::AuthPolicyId, id.as_str()))
}

fn find_authenticator(
    rows: Rows<'_>,
    id: &AuthenticatorId,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    rows.find_shared(&UniqueValue::new(UniqueIndex::AuthenticatorId, id.as_str()))
}

/// The authenticator that opened a session, if any, unless it is gone.
pub(crate) fn login_authenticator(
    rows: Rows<'_>,
    session: &ApiSession,
) -> Result<Option<Found<Arc<Authenticator>>>, StoreError> {
    match &session.opened_by {
        OpenedBy::Authenticator(id) => find_authenticator(rows, id),
        OpenedBy::ExternalId | OpenedBy::Signer(_) => Ok(None),
    }
}

/// Checks that an identity has no authenticator of a method yet.
pub(crate) fn check_method_unused(
    rows: Rows<'_>,
    identity: &RecordKey,
    method: &'static str,
) -> Result<(), AppError> {
    let present: Vec<Found<Authenticator>> = rows.dependents(identity)?;
    if present.iter().any(|one| one.entity.method() == method) {
        Err(AuthenticatorError::Exists(method).into())
    } else {
        Ok(())
    }
}

pub(crate) fn find_ca(rows: Rows<'_>, id: &CaId) -> Result<Option<Found<Ca>>, StoreError> {
    rows.find(&UniqueValue::new(UniqueIndex::CaId, id.as_str()))
}

pub(crate) fn find_signer(
    rows: Rows<'_>,
    id: &SignerId,
) -> Result<Option<Found<Signer>>, StoreError> {
    rows.find(&UniqueValue::new(UniqueIndex::SignerId, id.as_str()))
}

pub(crate) fn find_enabled_signer(
    rows: Rows<'_>,
    id: &SignerId,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    let found =
        rows.find_shared::<Signer>(&UniqueValue::new(UniqueIndex::SignerId, id.as_str()))?;
    Ok(found.filter(|found| found.entity.spec.settings.enabled))
}

/// Whether an identity is the `holder` that a signer's token names.
pub(crate) fn is_holder(settings: &SignerSettings, identity: &Identity, holder: &str) -> bool {
    holder_name(settings, identity) == Some(holder)
}

/// What a signer's tokens call an identity; `None` if they cannot name it.
pub(crate) fn holder_name<'i>(
    settings: &SignerSettings,
    identity: &'i Identity,
) -> Option<&'i str> {
    if settings.use_external_id {
        identity.spec.external_id.as_deref()
    } else {
        Some(identity.id.as_str())
    }
}

/// Key of the caller's session.
pub(crate) fn own_session_key(caller: &Caller) -> RecordKey {
    identity_key(caller.identity_number).dependent(API_SESSION, caller.session_number.0)
}

/// Finds the TOTP enrollment of an identity. It has to match the state in the identity's record:
/// absence is never permission.
pub(crate) fn find_mfa(
    rows: Rows<'_>,
    identity: &Found<Identity>,
) -> Result<Option<Found<StoredMfa>>, StoreError> {
    let mut present = rows.dependents::<StoredMfa>(&identity.key)?;
    let newest = present.pop();
    let state = newest
        .as_ref()
        .map_or(TotpState::None, |found| found.entity.mfa.state());
    if present.is_empty() && state == identity.entity.attached.totp {
        Ok(newest)
    } else {
        let id = &identity.entity.id;
        Err(StoreError::corrupt(format!(
            "the TOTP enrollment of identity {id} does not match its record"
        )))
    }
}

/// The TOTP state of an identity, checked against the record of its enrollment.
pub(crate) fn totp_state(
    rows: Rows<'_>,
    identity: &Found<Identity>,
) -> Result<TotpState, StoreError> {
    find_mfa(rows, identity)?;
    Ok(identity.entity.attached.totp)
}
