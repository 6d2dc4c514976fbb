//! Certificates of third-party CAs that are presented for an enrollment.

use crate::cas::CaVerification;
use crate::error::{AppError, EnrollmentCertificateError};
use portcullis_storage::tables::{Rows, UniqueIndex, UniqueValue};

/// Checks that no authenticator has the certificate, under either fingerprint. Only clients
/// with a token are told the fingerprint.
pub(super) fn check_unused(
    rows: Rows<'_>,
    verification: &CaVerification,
    reveals_fingerprint: bool,
) -> Result<(), AppError> {
    for fingerprint in verification.fingerprints() {
        let fingerprint = fingerprint.to_string();
        let value = UniqueValue::new(UniqueIndex::AuthenticatorFingerprint, fingerprint.as_str());
        if rows.locate(&value)?.is_some() {
            let fingerprint = reveals_fingerprint.then_some(fingerprint);
            return Err(EnrollmentCertificateError::InUse { fingerprint }.into());
        }
    }
    Ok(())
}
