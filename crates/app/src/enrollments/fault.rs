//! Why a certificate does not lead to an enrollment.

use crate::cas::Voucher;
use crate::error::AppError;
use portcullis_storage::tables::{Index, Rows, UniqueValue};

/// A certificate of a third party does not lead to an enrollment.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CertificateFault {
    /// The authority that the token is for is not verified, or not enabled for this.
    #[error("the CA of the enrollment is not verified or not enabled for enrollment")]
    AuthorityNotValid,
    /// There is no authority whose certificates could count.
    #[error("no CA is verified and enabled for this enrollment")]
    NoAuthority,
    /// No certificate was presented that the authority of the token vouches for.
    #[error("the certificate was not issued by the CA of the enrollment")]
    NotOfAuthority,
    /// No certificate was presented that an authority vouches for.
    #[error("no CA that is enabled for automatic enrollment issued the certificate")]
    NotVouchedFor,
    /// The certificate does not name its holder where the authority says that it does.
    #[error("the certificate has no value where externalIdClaim looks for one")]
    NoClaim,
    /// The certificate belongs to an authenticator.
    #[error("the certificate is already used by another authenticator")]
    InUse {
        /// Its fingerprint, where clients are told.
        fingerprint: Option<String>,
    },
}

impl CertificateFault {
    /// Checks that a certificate is no authenticator yet, under either fingerprint. Only clients
    /// that hold a token are told which one it is that is one.
    pub(super) fn check_unused(
        rows: Rows<'_>,
        voucher: &Voucher,
        is_told: bool,
    ) -> Result<(), AppError> {
        for fingerprint in voucher.fingerprints() {
            let fingerprint = fingerprint.to_string();
            let value = UniqueValue::new(Index::AuthenticatorFingerprint, fingerprint.as_str());
            if rows.locate(&value)?.is_some() {
                let fingerprint = is_told.then_some(fingerprint);
                return Err(Self::InUse { fingerprint }.into());
            }
        }
        Ok(())
    }
}
