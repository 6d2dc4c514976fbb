//! Errors of MFA operations.

/// Errors of MFA operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MfaError {
    /// There is no enrollment in the required state.
    #[error("the TOTP enrollment was not found")]
    NotFound,
    #[error("the identity is already enrolled in TOTP")]
    Exists,
    #[error("the identity is not enrolled in TOTP")]
    NotEnrolled,
    /// The code is missing, malformed, wrong or already used; the response does not say which.
    #[error("the code is wrong or was already used")]
    WrongCode,
    /// Too many codes were wrong; correct ones are refused too until the wait is over.
    #[error("too many wrong codes")]
    Throttled {
        /// Whole seconds until the next attempt is allowed.
        retry_after: u32,
    },
    /// The provisioning URL exceeds the capacity of a QR code.
    #[error("the provisioning URL is too long for a QR code; enter the secret by hand")]
    TooLongForQr,
    /// Tokens about TOTP passes exist for OIDC sessions only.
    #[error("the session was not created through OIDC")]
    WrongSession,
}
