//! Creation of identities.

use super::{Create, check_references};
use crate::app::App;
use crate::enrollment_records::{self, EnrollmentDraft};
use crate::error::AppError;
use crate::privilege::{CredentialGuard, check_may_grant};
use portcullis_domain::access::Permit;
use portcullis_domain::clock;
use portcullis_domain::enrollment::{EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, IdentitySpec};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::tables::{IDENTITY, Rows, identity_key};

/// Creates an identity and its enrollment in one transaction.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    spec: IdentitySpec,
    enrollment: Option<EnrollmentMethod>,
) -> Result<IdentityId, AppError> {
    let now = app.env().now();
    let id = IdentityId::generate(&*app.env().entropy)?;
    let number = app.next_number(IDENTITY);
    let draft = enrollment
        .map(|method| {
            let expires_at = clock::saturating_add(now, app.settings().enrollment_duration);
            EnrollmentDraft::new(app, (number, &id), method, expires_at)
        })
        .transpose()?;
    let identity = Identity::new(id.clone(), spec, now);
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        let spec = &identity.spec;
        check_may_grant(caller, spec.is_admin || spec.permissions.is_some())?;
        credential_guard.check_freshness(caller, &identity)?;
        check_references(rows.rows(), &identity.spec)?;
        rows.insert(&identity_key(number), &identity)?;
        if let Some(draft) = &draft {
            // Without its enrollment the identity would not be created, so a missing CA is an error
            // here.
            check_ca(rows.rows(), draft.purpose())?;
            enrollment_records::insert(rows, draft)?;
        }
        Ok(())
    })
    .await?;
    Ok(id)
}

/// Checks that the CA of an enrollment exists.
fn check_ca(rows: Rows<'_>, purpose: &EnrollmentPurpose) -> Result<(), AppError> {
    enrollment_records::unknown_ca(rows, purpose)?
        .map_or(Ok(()), |unknown| Err(AppError::MissingReference(unknown)))
}
