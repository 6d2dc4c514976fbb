//! Third-party certificate authorities.

mod chain_verification;
mod list;
mod rank;
mod token;
mod verify;

pub use crate::error::CaProofError;
pub(crate) use chain_verification::{
    CaVerification, CaVerificationError, ClaimedExternalId, find_verification, has_any,
    list_verifications, verify_with_ca,
};
pub use token::token;
pub use verify::verify;

use crate::app::App;
use crate::error::AppError;
use crate::managed::{self, Create, CredentialGuard, Resource, Update, ViewContext};
use portcullis_domain::FieldError;
use portcullis_domain::access::{Caller, Permit};
use portcullis_domain::ca::{Ca, CaSettings, CaSettingsPatch, CaSpec};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::{self, CaId};
use portcullis_domain::permission::Subject;
use portcullis_pki::{Certificate, TrustAnchors};
use portcullis_storage::tables::{
    ENROLLMENT, Found, Rows, RowsMut, StoredEnrollment, UniqueIndex, UniqueValue,
};

impl Resource for CaSpec {
    const SUBJECT: Subject = Subject::Ca;
    const HAS_ROLE_FILTER: bool = false;
    type View = Ca;

    fn build_view(_context: ViewContext<'_>, found: Found<Ca>) -> Result<Ca, AppError> {
        Ok(found.entity)
    }

    fn authorize(
        _rows: Rows<'_>,
        (caller, credential_guard): (&Caller, CredentialGuard),
        before: Option<&Found<Ca>>,
        after: &Ca,
    ) -> Result<(), AppError> {
        match before {
            None => {
                let settings = [&after.spec.settings];
                rank::check_external_id_claim(credential_guard, caller, &settings)
            },
            Some(found) => rank::check_change(credential_guard, caller, &found.entity, after),
        }
    }

    fn validate(rows: Rows<'_>, before: Option<&Ca>, after: &Ca) -> Result<(), AppError> {
        match before {
            None => check_not_registered(rows, &after.spec),
            Some(_) => Ok(()),
        }
    }

    fn authorize_removal(
        rows: Rows<'_>,
        caller: &Caller,
        found: &Found<Ca>,
    ) -> Result<(), AppError> {
        rank::check_removal(rows, caller, found)
    }

    /// Enrollments that require its certificates are removed too. Identities that enrolled by it
    /// are kept but can no longer log in.
    fn remove(rows: &mut RowsMut<'_>, found: &Found<Ca>, _caller: &Caller) -> Result<(), AppError> {
        for enrollment in rows.rows().referrers(&found.key, ENROLLMENT, usize::MAX)? {
            rows.remove_at::<StoredEnrollment>(&enrollment)?;
        }
        Ok(rows.remove(&found.key, &found.entity)?)
    }
}

/// Creates an authority from the first certificate of a PEM text. It authenticates nobody before it
/// is verified.
pub async fn create(
    app: &App,
    permit: &Permit<Create<CaSpec>>,
    settings: CaSettings,
    pem: &str,
) -> Result<CaId, AppError> {
    let certificate = parse_ca_certificate(pem, app.env().now())?;
    let identified = (certificate.to_pem(), certificate.fingerprint().to_string());
    let verification_token = ids::short(&*app.env().entropy)?;
    let spec = CaSpec::new(settings, identified, verification_token);
    let id = CaId::generate(&*app.env().entropy)?;
    managed::create_with_id(app, permit, id, spec).await
}

/// Replaces the settings of an authority.
pub async fn replace(
    app: &App,
    permit: &Permit<Update<CaSpec>>,
    id: &CaId,
    settings: CaSettings,
) -> Result<(), AppError> {
    let now = app.env().now();
    managed::change_as(app, permit, id, Some("ca.replace"), move |ca: &mut Ca| {
        Ok(ca.replace_settings(settings.clone(), now)?)
    })
    .await
}

/// Patches the settings of an authority.
pub async fn patch(
    app: &App,
    permit: &Permit<Update<CaSpec>>,
    id: &CaId,
    patch: CaSettingsPatch,
) -> Result<(), AppError> {
    let now = app.env().now();
    managed::change_as(app, permit, id, Some("ca.merge"), move |ca: &mut Ca| {
        ca.patch_settings(patch.clone(), now)
            .map_err(AppError::InvalidField)
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
fn check_not_registered(rows: Rows<'_>, ca: &CaSpec) -> Result<(), AppError> {
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
