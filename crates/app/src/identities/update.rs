//! Updates of identities.

use super::{Update, check_references};
use crate::app::App;
use crate::error::AppError;
use crate::privilege::{
    CredentialGuard, check_admin, check_may_grant, check_may_modify, gains_privileges,
};
use crate::records::get_identity;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::api_session::OpenedBy;
use portcullis_domain::clock::{self, SignedDuration};
use portcullis_domain::identity::{Identity, IdentitySpec, IdentitySpecPatch, IdentityType};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, RowsMut, StoredEnrollment};

const ONLY_PATCH: &str = "only administrators may replace (PUT) an identity; use PATCH instead";

/// Replaces the specification of an identity; for administrators only.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: IdentitySpec,
    kind: IdentityType,
) -> Result<(), AppError> {
    // Others must not learn here whether the identity exists.
    check_admin(permit.caller(), ONLY_PATCH)?;
    let now = app.env().now();
    update_identity(
        app,
        permit,
        id,
        "identity.replace",
        move |_rows, identity, caller| {
            check_admin(caller, ONLY_PATCH)?;
            Ok(identity.replace(spec.clone(), kind, now)?)
        },
    )
    .await
}

/// Updates the fields that `patch` sets. An empty patch changes nothing.
pub async fn patch(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    patch: IdentitySpecPatch,
) -> Result<(), AppError> {
    if patch == IdentitySpecPatch::default() {
        get_identity(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let (now, credential_guard) = (app.env().now(), CredentialGuard::new(app));
    update_identity(
        app,
        permit,
        id,
        "identity.merge",
        move |_rows, identity, caller| {
            let changes_admin = patch.is_admin.is_some() || patch.is_default_admin.is_some();
            check_may_grant(caller, changes_admin || patch.permissions.is_some())?;
            if patch.auth_policy.is_some() || patch.external_id.is_some() {
                credential_guard.check(caller, identity)?;
            }
            Ok(identity.patch(patch.clone(), now)?)
        },
    )
    .await
}

/// Disables an identity for a time or until it is enabled, and ends its sessions.
pub async fn disable(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    duration: Option<SignedDuration>,
) -> Result<(), AppError> {
    let now = app.env().now();
    let until = duration.map(|duration| clock::saturating_add(now, duration));
    update_identity(
        app,
        permit,
        id,
        "identity.disable",
        move |_rows, identity, _caller| {
            identity.disable(until, now);
            Ok(())
        },
    )
    .await
}

/// Enables an identity.
pub async fn enable(app: &App, permit: &Permit<Update>, id: &IdentityId) -> Result<(), AppError> {
    let (now, credential_guard) = (app.env().now(), CredentialGuard::new(app));
    update_identity(
        app,
        permit,
        id,
        "identity.enable",
        move |_rows, identity, caller| {
            credential_guard.check_freshness(caller, identity)?;
            identity.enable(now);
            Ok(())
        },
    )
    .await
}

/// Invalidates the pending enrollments of an identity until they are refreshed: a token that was
/// visible to callers with few privileges must not lead to more.
fn supersede_enrollments(rows: &mut RowsMut<'_>, identity: &RecordKey) -> Result<(), AppError> {
    let pending: Vec<Found<StoredEnrollment>> = rows.rows().dependents(identity)?;
    for found in pending {
        let mut after = found.entity.clone();
        after.enrollment.is_outgrown = true;
        rows.replace(&found.key, &found.entity, &after)?;
    }
    Ok(())
}

/// Whether a change affects how an identity authenticates.
fn changes_authentication(before: &Identity, after: &Identity) -> bool {
    before.spec.external_id != after.spec.external_id
        || before.spec.auth_policy != after.spec.auth_policy
}

/// Checks that a router identity gets no other credential than its router's. An external id would
/// be one, since certificates and tokens may name it. An existing one may be removed.
fn check_credentials(before: &Identity, after: &Identity) -> Result<(), AppError> {
    let (old, new) = (&before.spec.external_id, &after.spec.external_id);
    match new {
        Some(id) if after.kind == IdentityType::Router && old != new => {
            let reason = "router identities authenticate with their router's certificate and cannot \
                          have an externalId";
            Err(FieldError::new("externalId", reason, id.as_str()).into())
        },
        _ => Ok(()),
    }
}

/// Updates an identity in a transaction, with the checks common to all updates.
pub(super) async fn update_identity(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    operation: &'static str,
    mut apply: impl FnMut(Rows<'_>, &mut Identity, &Caller) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let now = app.env().now();
    let (credential_guard, revocation) = (CredentialGuard::new(app), SessionRevocation::new(app));
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation(operation, wanted.as_str());
        let found = get_identity(rows.rows(), &wanted)?;
        check_may_modify(caller, &found.entity)?;
        let mut identity = found.entity.clone();
        apply(rows.rows(), &mut identity, caller)?;
        if gains_privileges(&found.entity, &identity)
            || changes_authentication(&found.entity, &identity)
        {
            credential_guard.check_freshness(caller, &identity)?;
        }
        check_credentials(&found.entity, &identity)?;
        check_references(rows.rows(), &identity.spec)?;
        rows.replace(&found.key, &found.entity, &identity)?;
        if gains_privileges(&found.entity, &identity) {
            supersede_enrollments(rows, &found.key)?;
        }
        if identity.is_disabled(now) {
            revocation.end_those_of(rows, &found.key, |_session| true)?;
        } else if identity.spec.external_id != found.entity.spec.external_id {
            // Sessions opened by the old external id belonged to somebody else.
            revocation.end_those_of(rows, &found.key, |session| {
                !matches!(session.opened_by, OpenedBy::Authenticator(_))
            })?;
        }
        Ok(())
    })
    .await?;
    Ok(())
}
