//! Why something about TOTP is not done.

/// Something about TOTP is not done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MfaFault {
    /// There is no enrollment in the state that is needed.
    #[error("the TOTP enrollment was not found")]
    NotFound,
    /// There is an enrollment already.
    #[error("the identity is already enrolled in TOTP")]
    Exists,
    /// The identity is not enrolled.
    #[error("the identity is not enrolled in TOTP")]
    NotEnrolled,
    /// The code is missing, malformed, wrong or used before. Which of these it is, nobody is told.
    #[error("the code is wrong or was already used")]
    WrongCode,
    /// Too many codes were wrong; right ones are refused as well until the time is over.
    #[error("too many wrong codes")]
    Held {
        /// Whole seconds until another code is looked at.
        retry_after: u32,
    },
    /// The provisioning URL has more characters than a QR code can hold.
    #[error("the provisioning URL is too long for a QR code; enter the secret by hand")]
    TooLongForQr,
    /// The session is not of the kind that tokens about codes are for.
    #[error("the session was not created through OIDC")]
    WrongSession,
}
