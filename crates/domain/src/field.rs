//! A fault in one member of a request.

/// Says which member of a request is at fault, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub struct FieldError {
    /// Name of the member as on the wire, for example `roleAttributes`.
    pub field: String,
    /// What is wrong, in words.
    pub reason: String,
    /// The value that was given, as text. Never that of a secret.
    pub value: String,
}

impl FieldError {
    /// Names the member, what is wrong with it and what was given.
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
