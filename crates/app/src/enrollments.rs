//! Enrollments: create, read, list, refresh, delete, redeem.

mod automatic;
mod list;
mod redeem;
mod third_party;
mod with_token;

pub use crate::enrollment_records::{Create, Delete, Read, Update};
pub use crate::error::EnrollmentCertificateError;
pub use automatic::{AutomaticEnrollment, enroll_automatically};
pub use list::{list, list_of};
pub use redeem::{Redemption, RedemptionProof, RedemptionResult, RouterCsrs, redeem};
pub use with_token::{TokenEnrollment, TokenEnrollmentResult, with_token};

use crate::app::App;
use crate::enrollment_records::{
    EnrollmentDraft, IN_THE_FUTURE, check_no_conflict, insert, secrets, unknown_ca, validate_expiry,
};
use crate::error::AppError;
use crate::privilege::{CredentialGuard, EnrollmentOwner};
use crate::records;
use crate::routers;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::clock::{self, Timestamp};
use portcullis_domain::enrollment::{EnrollmentMethod, RedemptionError};
use portcullis_domain::identity::{Identity, IdentityType};
use portcullis_domain::ids::{EnrollmentId, IdentityId, RecordNumber};
use portcullis_domain::view::{EnrollmentOwnerRef, EnrollmentView};
use portcullis_storage::tables::{Found, Rows, StoredEnrollment, UniqueIndex, UniqueValue};

pub fn read(
    app: &App,
    permit: &Permit<Read>,
    id: &EnrollmentId,
) -> Result<EnrollmentView, AppError> {
    let view = app.snapshot()?;
    let found = find(view.rows(), id)?;
    let holder = EnrollmentOwner::get(view.rows(), &found)?;
    holder.check_may_impersonate(permit.caller())?;
    build_view(app, permit.caller(), found, &holder)
}

fn build_view(
    app: &App,
    caller: &Caller,
    found: Found<StoredEnrollment>,
    holder: &EnrollmentOwner,
) -> Result<EnrollmentView, AppError> {
    let is_visible = match holder {
        EnrollmentOwner::Identity(identity) => {
            secrets::are_visible(CredentialGuard::new(app), caller, identity)
        },
        EnrollmentOwner::Router(_) => routers::can_read_enrollment_secrets(caller),
    };
    let (enrollment, secrets) = secrets::unseal_if(app, found, is_visible)?;
    Ok(EnrollmentView {
        enrollment,
        secrets,
        owner: match holder {
            EnrollmentOwner::Identity(identity) => {
                EnrollmentOwnerRef::Identity(identity.as_ref().into())
            },
            EnrollmentOwner::Router(router) => EnrollmentOwnerRef::Router(router.as_ref().into()),
        },
    })
}

/// Input of [`create`].
#[derive(Debug, Clone)]
pub struct CreateEnrollment {
    pub identity: IdentityId,
    /// The method, or the error in its fields; reported after a missing identity.
    pub method: Result<EnrollmentMethod, FieldError>,
    pub expires_at: Timestamp,
}

/// Creates an enrollment for an existing identity.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    input: CreateEnrollment,
) -> Result<EnrollmentId, AppError> {
    let CreateEnrollment {
        identity: id,
        method,
        expires_at,
    } = input;
    let expires_at = clock::to_millisecond(expires_at);
    if expires_at <= app.env().now() {
        return Err(invalid_field(
            "expiresAt",
            IN_THE_FUTURE,
            &expires_at.to_string(),
        ));
    }
    let unknown = || invalid_field("identityId", "no identity with this id exists", id.as_str());
    let key = match records::get_identity(app.snapshot()?.rows(), &id) {
        Ok(identity) => identity.key,
        Err(AppError::NotFound { .. }) => return Err(unknown()),
        Err(error) => return Err(error),
    };
    let method = method.map_err(AppError::InvalidField)?;
    let draft = EnrollmentDraft::new(app, (RecordNumber(key.id().1), &id), method, expires_at)?;
    let enrollment = draft.id().clone();
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        let gone = || invalid_field("identityId", "no identity with this id exists", id.as_str());
        let identity: Identity = rows.rows().get(&key)?.ok_or_else(gone)?;
        credential_guard.check(caller, &identity)?;
        if identity.kind == IdentityType::Router {
            let reason = "router identities authenticate with their router's certificate and \
                          cannot have other credentials";
            return Err(FieldError::new("identityId", reason, id.as_str()).into());
        }
        if let Some(unknown) = unknown_ca(rows.rows(), draft.purpose())? {
            return Err(AppError::InvalidField(unknown));
        }
        check_no_conflict(rows.rows(), &key, draft.purpose())?;
        insert(rows, &draft)
    })
    .await?;
    Ok(enrollment)
}

/// Replaces the token and the end of an enrollment. The old token is no longer valid.
pub async fn refresh(
    app: &App,
    permit: &Permit<Update>,
    id: &EnrollmentId,
    expires_at: Timestamp,
) -> Result<(), AppError> {
    let now = app.env().now();
    let expires_at = validate_expiry(now, expires_at)?;
    let found = find(app.snapshot()?.rows(), id)?;
    let mut enrollment = found.entity.enrollment.clone();
    if enrollment.purpose.method().is_none() {
        // Router enrollments are renewed by re-enrolling the router.
        return Err(RedemptionError::WrongMethod.into());
    }
    enrollment.updated_at = now;
    enrollment.expires_at = expires_at;
    enrollment.is_outgrown = false;
    let draft = EnrollmentDraft::seal(app, found.key, enrollment)?;
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    app.commit_for(permit, move |rows, caller| {
        rows.set_operation("enrollment.refresh", wanted.as_str());
        // It may have been redeemed or refreshed in the meantime.
        let found = find(rows.rows(), &wanted)?;
        if let EnrollmentOwner::Identity(identity) = EnrollmentOwner::get(rows.rows(), &found)? {
            credential_guard.check(caller, &identity)?;
        }
        Ok(rows.replace(&found.key, &found.entity, &draft.stored)?)
    })
    .await?;
    Ok(())
}

/// Deletes an enrollment. Its token is no longer valid.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &EnrollmentId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        EnrollmentOwner::get(rows.rows(), &found)?.check_may_impersonate(caller)?;
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

fn find(rows: Rows<'_>, id: &EnrollmentId) -> Result<Found<StoredEnrollment>, AppError> {
    rows.find(&UniqueValue::new(UniqueIndex::EnrollmentId, id.as_str()))?
        .ok_or_else(|| AppError::not_found("enrollment", id.as_str()))
}

fn invalid_field(field: &str, reason: &str, value: &str) -> AppError {
    AppError::InvalidField(FieldError::new(field, reason, value))
}
