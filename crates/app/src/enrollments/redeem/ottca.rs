//! Method `ottca`: the client presents a certificate of a third-party CA.

use super::RedemptionResult;
use crate::app::App;
use crate::authenticators::CredentialDraft;
use crate::cas::{self, CaVerification};
use crate::enrollments::third_party::check_unused;
use crate::error::{AppError, EnrollmentCertificateError, EnrollmentError};
use crate::records::find_ca;
use portcullis_domain::authenticator::CertCredential;
use portcullis_domain::ca::Ca;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CaId;
use portcullis_pki::VerifyAt;
use portcullis_storage::tables::Rows;

/// Verifies the certificate of the connection with the enrollment's CA.
pub(super) fn verify_certificate(
    app: &App,
    ca: &CaId,
    chain: &[&[u8]],
    now: Timestamp,
) -> Result<(CredentialDraft, RedemptionResult), AppError> {
    let view = app.snapshot()?;
    // Enrollments are deleted with their CA.
    let authority = find_ca(view.rows(), ca)?.ok_or(EnrollmentError::UnknownToken)?;
    if !authority.entity.can_enroll() {
        return Err(EnrollmentCertificateError::CaNotEnabled.into());
    }
    let verification = cas::verify_with_ca(app, authority, chain, VerifyAt::Now(now))?
        .ok_or(EnrollmentCertificateError::WrongCa)?;
    check_unused(view.rows(), &verification, true)?;
    let fingerprint = verification.fingerprint().to_string();
    let draft = CredentialDraft::ThirdParty {
        credential: CertCredential::new(fingerprint, verification.chain_pem(), false),
        verification: Box::new(verification),
        recheck,
    };
    Ok((draft, RedemptionResult::Nothing))
}

/// Repeats the checks inside the transaction.
fn recheck(rows: Rows<'_>, verification: &CaVerification) -> Result<(), AppError> {
    if !verification.is_current(rows, Ca::can_enroll)? {
        return Err(EnrollmentCertificateError::CaNotEnabled.into());
    }
    check_unused(rows, verification, true)
}
