//! Errors of certificates that are presented for an enrollment.

/// Why a third-party certificate cannot be enrolled.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnrollmentCertificateError {
    /// The CA of the enrollment is not verified, or not enabled for it.
    #[error("the CA of the enrollment is not verified or not enabled for enrollment")]
    CaNotEnabled,
    /// No CA is enabled for this enrollment.
    #[error("no CA is verified and enabled for this enrollment")]
    NoCa,
    /// The presented certificate was not issued by the CA of the enrollment.
    #[error("the certificate was not issued by the CA of the enrollment")]
    WrongCa,
    /// No enabled CA issued the presented certificate.
    #[error("no CA that is enabled for automatic enrollment issued the certificate")]
    UntrustedCertificate,
    /// The certificate has no external id where the CA's claim looks for one.
    #[error("the certificate has no value where externalIdClaim looks for one")]
    NoClaim,
    /// An authenticator has this certificate.
    #[error("the certificate is already used by another authenticator")]
    InUse {
        /// Fingerprint, if the client may know it.
        fingerprint: Option<String>,
    },
}
