//! Errors of authenticators.

/// Errors of operations on authenticators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthenticatorError {
    /// The identity already has an authenticator of this method, or too many of it.
    #[error("the identity already has an authenticator of the method {0}")]
    Exists(&'static str),
    /// The authenticator's method or state does not support this update.
    #[error("the authenticator cannot be changed this way")]
    NotUpdatable,
    /// The current password, which is required to change it, is wrong.
    #[error("the current password is wrong")]
    WrongPassword,
    #[error("an authenticator takes exactly one PEM certificate")]
    NotOneCertificate,
    #[error("the certificate was not issued by a trusted CA")]
    UntrustedCertificate,
    #[error("the certificate is not the one whose renewal is pending")]
    UnexpectedCertificate,
}
