//! Errors in one member of a request.

/// An invalid member of a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct FieldError {
    /// Name of the member as on the wire, for example `roleAttributes`.
    pub field: String,
    /// The violated rule, in words.
    pub reason: String,
    /// The given value as text; never a secret.
    pub value: String,
}

impl FieldError {
    pub fn new(
        field: impl Into<String>,
        reason: impl Into<String>,
        value: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
            value: value.into(),
        }
    }
}
