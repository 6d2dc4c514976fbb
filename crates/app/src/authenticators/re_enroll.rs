//! Re-enrollment: replaces an authenticator by an enrollment.

use super::update::check_not_own_password;
use super::{ReEnroll, find, remove};
use crate::app::App;
use crate::cas;
use crate::enrollment_records::{self, EnrollmentDraft};
use crate::error::AppError;
use crate::privilege::CredentialGuard;
use crate::records::get_owner;
use crate::session_revocation::SessionRevocation;
use portcullis_domain::access::Permit;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::enrollment::EnrollmentMethod;
use portcullis_domain::ids::{AuthenticatorId, EnrollmentId};
use portcullis_pki::{Certificate, VerifyAt, certificates_from_pem};
use portcullis_storage::tables::{Found, Rows, RowsMut};

/// Replaces an authenticator by an enrollment for another one of the same method. Sessions of the
/// old one have ended when this returns.
pub async fn re_enroll(
    app: &App,
    permit: &Permit<ReEnroll>,
    id: &AuthenticatorId,
    expires_at: Timestamp,
) -> Result<EnrollmentId, AppError> {
    let expires_at = enrollment_records::validate_expiry(app.env().now(), expires_at)?;
    let (found, method) = {
        let view = app.snapshot()?;
        let found = find(view.rows(), id)?;
        let method = method(app, view.rows(), &found.entity)?;
        (found, method)
    };
    let identity = (found.root_number(), &found.entity.identity);
    let draft = EnrollmentDraft::new(app, identity, method, expires_at)?;
    let enrollment = draft.id().clone();
    let (wanted, credential_guard) = (id.clone(), CredentialGuard::new(app));
    let revocation = SessionRevocation::new(app);
    app.commit_for(permit, move |rows, caller| {
        let found = find(rows.rows(), &wanted)?;
        check_not_own_password(caller, &found.entity)?;
        credential_guard.check(caller, &get_owner(rows.rows(), &found)?.entity)?;
        rows.set_operation("authenticator.re-enroll", wanted.as_str());
        remove(rows, &found, &revocation)?;
        replace(rows, &found, draft.clone())
    })
    .await?;
    Ok(enrollment)
}

/// Inserts the enrollment for an authenticator that was removed in the same transaction.
fn replace(
    rows: &mut RowsMut<'_>,
    removed: &Found<Authenticator>,
    draft: EnrollmentDraft,
) -> Result<(), AppError> {
    let identity = get_owner(rows.rows(), removed)?;
    // The username may have changed since the enrollment was signed.
    let draft = match &removed.entity.credential {
        Credential::Updb(updb) => draft.with_method(EnrollmentMethod::Updb {
            username: updb.username.clone(),
        }),
        Credential::Cert(_) => draft,
    };
    enrollment_records::check_no_conflict(rows.rows(), &identity.key, draft.purpose())?;
    enrollment_records::insert(rows, &draft)
}

/// The enrollment method that leads to an authenticator of the same kind.
fn method(
    app: &App,
    rows: Rows<'_>,
    authenticator: &Authenticator,
) -> Result<EnrollmentMethod, AppError> {
    match &authenticator.credential {
        Credential::Updb(updb) => Ok(EnrollmentMethod::Updb {
            username: updb.username.clone(),
        }),
        Credential::Cert(cert) => certificate_method(app, rows, cert),
    }
}

/// A certificate of a third-party CA is replaced by another one of the same CA.
fn certificate_method(
    app: &App,
    rows: Rows<'_>,
    cert: &CertCredential,
) -> Result<EnrollmentMethod, AppError> {
    if cert.is_issued_by_network {
        return Ok(EnrollmentMethod::Ott);
    }
    let chain = certificates_from_pem(&cert.pem).unwrap_or_default();
    let chain: Vec<_> = chain.iter().map(Certificate::as_der).collect();
    let verification =
        cas::find_verification(app, rows, &chain, VerifyAt::AnyCommonTime, |_ca| true)?;
    Ok(verification.map_or(EnrollmentMethod::Ott, |verification| {
        EnrollmentMethod::OttCa {
            ca: verification.ca.entity.id,
        }
    }))
}
