//! Third-party certificate authorities: create, read, list, replace, patch, verify, delete.

mod chain_verification;
mod list;
mod rank;
mod token;
mod verify;

pub use crate::error::CaProofError;
pub(crate) use chain_verification::{
    CaVerification, ClaimedExternalId, find_verification, has_any, list_verifications,
    verify_with_ca,
};
pub use list::list;
pub use token::token;
pub use verify::verify;

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::privilege::CredentialGuard;
use crate::records::find_ca;
use portcullis_domain::FieldError;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::ca::{Ca, CaSpec, CaSpecPatch};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{self, CaId};
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::trust_generation::TrustGeneration;
use portcullis_pki::{Certificate, TrustAnchors};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    CA, ENROLLMENT, Found, Rows, StoredEnrollment, UniqueIndex, UniqueValue,
};

actions! {
    /// Reads one authority, its token or a list.
    Read = Access::Granted(Subject::Ca, Verb::Read);
    /// Creates an authority.
    Create = Access::Granted(Subject::Ca, Verb::Create);
    /// Replaces, patches or verifies an authority.
    Update = Access::Granted(Subject::Ca, Verb::Update);
    /// Deletes an authority.
    Delete = Access::Granted(Subject::Ca, Verb::Delete);
}

/// Reads one authority.
pub fn read(app: &App, _permit: &Permit<Read>, id: &CaId) -> Result<Ca, AppError> {
    Ok(get(app.snapshot()?.rows(), id)?.entity)
}

/// Creates an authority from the first certificate of a PEM text. It authenticates nobody before it
/// is verified.
pub async fn create(
    app: &App,
    permit: &Permit<Create>,
    spec: CaSpec,
    pem: &str,
) -> Result<CaId, AppError> {
    let now = app.env().now();
    let certificate = parse_ca_certificate(pem, now)?;
    let ca = Ca {
        id: CaId::generate(&*app.env().entropy)?,
        created_at: now,
        updated_at: now,
        pem: certificate.to_pem(),
        fingerprint: certificate.fingerprint().to_string(),
        verification_token: ids::short(&*app.env().entropy)?,
        is_verified: false,
        claim_terms: TrustGeneration::default(),
        spec,
    };
    let id = ca.id.clone();
    let key = RecordKey::root(CA, app.next_number(CA).0);
    let credential_guard = CredentialGuard::new(app);
    app.commit_for(permit, move |rows, caller| {
        rank::check_external_id_claim(credential_guard, caller, &[&ca.spec])?;
        check_not_registered(rows.rows(), &ca)?;
        Ok(rows.insert(&key, &ca)?)
    })
    .await?;
    Ok(id)
}

/// Replaces the spec of an authority.
pub async fn replace(
    app: &App,
    permit: &Permit<Update>,
    id: &CaId,
    spec: CaSpec,
) -> Result<(), AppError> {
    let now = app.env().now();
    change(app, permit, id, "ca.replace", move |ca| {
        ca.replace(spec.clone(), now);
        Ok(())
    })
    .await
}

/// Patches an authority.
pub async fn patch(
    app: &App,
    permit: &Permit<Update>,
    id: &CaId,
    patch: CaSpecPatch,
) -> Result<(), AppError> {
    let now = app.env().now();
    change(app, permit, id, "ca.merge", move |ca| {
        ca.patch(patch.clone(), now).map_err(AppError::InvalidField)
    })
    .await
}

/// Deletes an authority with the enrollments that require its certificates. Identities that
/// enrolled by it are kept but can no longer log in.
pub async fn delete(app: &App, permit: &Permit<Delete>, id: &CaId) -> Result<(), AppError> {
    let wanted = id.clone();
    app.commit_for(permit, move |rows, caller| {
        let found = get(rows.rows(), &wanted)?;
        rank::check_removal(rows.rows(), caller, &found)?;
        for enrollment in rows.rows().referrers(&found.key, ENROLLMENT, usize::MAX)? {
            rows.remove_at::<StoredEnrollment>(&enrollment)?;
        }
        Ok(rows.remove(&found.key, &found.entity)?)
    })
    .await?;
    Ok(())
}

/// Gets an authority by id.
pub(crate) fn get(rows: Rows<'_>, id: &CaId) -> Result<Found<Ca>, AppError> {
    find_ca(rows, id)?.ok_or_else(|| AppError::not_found("CA", id.as_str()))
}

/// Changes an authority in a transaction.
async fn change(
    app: &App,
    permit: &Permit<Update>,
    id: &CaId,
    operation: &'static str,
    mut apply: impl FnMut(&mut Ca) -> Result<(), AppError> + Send + 'static,
) -> Result<(), AppError> {
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    app.commit_for(permit, move |rows, caller| {
        let found = get(rows.rows(), &wanted)?;
        let mut after = found.entity.clone();
        apply(&mut after)?;
        rank::check_change(credential_guard, caller, &found.entity, &after)?;
        if after != found.entity {
            rows.set_operation(operation, wanted.as_str());
            rows.replace(&found.key, &found.entity, &after)?;
        }
        Ok(())
    })
    .await
}

/// Parses the first certificate of a PEM text and validates that it can be a CA.
fn parse_ca_certificate(pem: &str, now: Timestamp) -> Result<Certificate, FieldError> {
    let field_error = |error: &dyn std::fmt::Display| {
        FieldError::new("certPem", error.to_string(), safe_excerpt(pem))
    };
    let certificate = Certificate::from_pem(pem).map_err(|error| field_error(&error))?;
    certificate
        .validate_ca(now)
        .map_err(|error| field_error(&error))?;
    TrustAnchors::new(vec![certificate.clone()]).map_err(|error| field_error(&error))?;
    Ok(certificate)
}

/// The beginning of an invalid PEM text for an error; empty if it may be a private key.
fn safe_excerpt(pem: &str) -> String {
    if pem.contains("-----BEGIN") {
        String::new()
    } else {
        pem.chars().take(64).collect()
    }
}

/// Checks that no other authority has the same certificate.
fn check_not_registered(rows: Rows<'_>, ca: &Ca) -> Result<(), AppError> {
    let by_fingerprint = UniqueValue::new(UniqueIndex::CaFingerprint, ca.fingerprint.as_str());
    let Some(other) = rows.find::<Ca>(&by_fingerprint)? else {
        return Ok(());
    };
    let reason = format!(
        "this certificate is already registered as CA {}",
        other.entity.id
    );
    Err(FieldError::new("certPem", reason, ca.pem.as_str()).into())
}
