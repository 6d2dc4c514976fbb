//! Creating identities.

use super::{Create, check_references};
use crate::app::App;
use crate::enrollments::{self, Draft};
use crate::error::AppError;
use crate::rank::{WaysIn, check_grants};
use portcullis_domain::access::Permit;
use portcullis_domain::clock;
use portcullis_domain::enrollment::{Method, Purpose};
use portcullis_domain::identity::{Identity, IdentitySpec};
use portcullis_domain::ids::IdentityId;
use portcullis_storage::tables::{IDENTITY, Rows, identity_key};

/// Creates an identity, with its enrollment in the same transaction.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    spec: IdentitySpec,
    enrollment: Option<Method>,
) -> Result<IdentityId, AppError> {
    let now = app.env().now();
    let id = IdentityId::generate(&*app.env().entropy)?;
    let number = app.number(IDENTITY);
    let draft = enrollment
        .map(|method| {
            let expires_at = clock::later(now, app.settings().enrollment_duration);
            Draft::new(app, (number, &id), method, expires_at)
        })
        .transpose()?;
    let identity = Identity::new(id.clone(), spec, now);
    let ways_in = WaysIn::of(app);
    app.commit_for(permit, move |rows, caller| {
        let spec = &identity.spec;
        check_grants(caller, spec.is_admin || spec.permissions.is_some())?;
        ways_in.check_freshness(caller, &identity)?;
        check_references(rows.rows(), &identity.spec)?;
        rows.insert(&identity_key(number), &identity)?;
        if let Some(draft) = &draft {
            // The identity would not be there without its enrollment, so it is told as missing.
            check_authority(rows.rows(), draft.purpose())?;
            enrollments::insert(rows, draft)?;
        }
        Ok(())
    })
    .await?;
    Ok(id)
}

/// Checks that the authority of an enrollment exists.
fn check_authority(rows: Rows<'_>, purpose: &Purpose) -> Result<(), AppError> {
    enrollments::unknown_authority(rows, purpose)?
        .map_or(Ok(()), |unknown| Err(AppError::MissingReference(unknown)))
}
