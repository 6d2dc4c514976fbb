//! Changing identities.

use super::{Update, check_references, find};
use crate::app::App;
use crate::error::AppError;
use crate::rank::{WaysIn, check_admin, check_grants, check_touchable, rises};
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::api_session::{ApiSession, OpenedBy};
use portcullis_domain::clock::{self, SignedDuration};
use portcullis_domain::identity::{Identity, IdentityPatch, IdentitySpec, IdentityType};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, RowsMut, StoredEnrollment};

const ONLY_PATCH: &str = "only administrators may replace (PUT) an identity; use PATCH instead";

/// Replaces what administrators decide about an identity.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    spec: IdentitySpec,
    kind: IdentityType,
) -> Result<(), AppError> {
    // Whether the identity exists is not for others to find out in this way.
    check_admin(permit.caller(), ONLY_PATCH)?;
    let now = app.env().now();
    change(
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

/// Changes the members of an identity that `patch` sets. One that sets none changes nothing.
pub async fn merge(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    patch: IdentityPatch,
) -> Result<(), AppError> {
    if patch == IdentityPatch::default() {
        find(app.snapshot()?.rows(), id)?;
        return Ok(());
    }
    let (now, ways_in) = (app.env().now(), WaysIn::of(app));
    change(
        app,
        permit,
        id,
        "identity.merge",
        move |_rows, identity, caller| {
            let is_appointing = patch.is_admin.is_some() || patch.is_default_admin.is_some();
            check_grants(caller, is_appointing || patch.permissions.is_some())?;
            if patch.auth_policy.is_some() || patch.external_id.is_some() {
                ways_in.check(caller, identity)?;
            }
            Ok(identity.merge(patch.clone(), now)?)
        },
    )
    .await
}

/// Shuts an identity out for a time, or until it is enabled, and ends its sessions.
pub async fn disable(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    duration: Option<SignedDuration>,
) -> Result<(), AppError> {
    let now = app.env().now();
    let until = duration.map(|duration| clock::later(now, duration));
    change(
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

/// Lets an identity in again.
pub async fn enable(app: &App, permit: &Permit<Update>, id: &IdentityId) -> Result<(), AppError> {
    let (now, ways_in) = (app.env().now(), WaysIn::of(app));
    change(
        app,
        permit,
        id,
        "identity.enable",
        move |_rows, identity, caller| {
            ways_in.check_freshness(caller, identity)?;
            identity.enable(now);
            Ok(())
        },
    )
    .await
}

/// Lets the pending enrollments of an identity open nothing until they are refreshed: whoever has seen
/// the token of somebody of lower rank is not to come up with them.
fn outgrow_enrollments(rows: &mut RowsMut<'_>, identity: &RecordKey) -> Result<(), AppError> {
    let pending: Vec<Found<StoredEnrollment>> = rows.rows().dependents(identity)?;
    for found in pending {
        let mut after = found.entity.clone();
        after.enrollment.is_outgrown = true;
        rows.replace(&found.key, &found.entity, &after)?;
    }
    Ok(())
}

/// Whether a change decides how an identity gets in.
fn gets_in_otherwise(before: &Identity, after: &Identity) -> bool {
    before.spec.external_id != after.spec.external_id
        || before.spec.auth_policy != after.spec.auth_policy
}

/// Checks that the identity of a router gets no other credential than that: an external id is one, for
/// whoever has a certificate or token that names it. One from before may go.
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

/// Changes an identity in a transaction, after the checks that all changes have in common.
pub(super) async fn change(
    app: &App,
    permit: &Permit<Update>,
    id: &IdentityId,
    operation: &'static str,
    mut apply: impl FnMut(Rows<'_>, &mut Identity, &Caller) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let wanted = id.clone();
    let now = app.env().now();
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        rows.operation(operation, wanted.as_str());
        let found = find(rows.rows(), &wanted)?;
        check_touchable(caller, &found.entity)?;
        let mut identity = found.entity.clone();
        apply(rows.rows(), &mut identity, caller)?;
        if rises(&found.entity, &identity) || gets_in_otherwise(&found.entity, &identity) {
            ways_in.check_freshness(caller, &identity)?;
        }
        check_credentials(&found.entity, &identity)?;
        check_references(rows.rows(), &identity.spec)?;
        rows.replace(&found.key, &found.entity, &identity)?;
        if rises(&found.entity, &identity) {
            outgrow_enrollments(rows, &found.key)?;
        }
        if identity.is_disabled(now) {
            rows.remove_dependents::<ApiSession>(&found.key, |_session| true)?;
        } else if identity.spec.external_id != found.entity.spec.external_id {
            // Who came by the old one came as somebody whom it now no longer is.
            rows.remove_dependents::<ApiSession>(&found.key, |session| {
                !matches!(session.opened_by, OpenedBy::Authenticator(_))
            })?;
        }
        Ok(())
    })
    .await?;
    Ok(())
}
