//! Errors of certificate signing requests.

/// A CSR cannot be granted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CsrDeniedError {
    /// The text names the CSR.
    #[error("{0} is required")]
    Missing(&'static str),
    #[error("the CSR cannot be granted: {0}")]
    Invalid(String),
}
