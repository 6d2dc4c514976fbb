//! Errors of authorization servers.

use serde::Deserialize;
use std::fmt;

/// The provider refused (RFC 6749 sections 4.1.2.1 and 5.2).
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, thiserror::Error)]
pub struct Denial {
    /// The code, such as `invalid_grant`.
    pub error: String,
    /// The provider's own words.
    #[serde(default)]
    pub error_description: Option<String>,
}

impl Denial {
    /// Whether what was given for tokens does not count, or no longer: a code or a refresh token.
    pub fn is_invalid_grant(&self) -> bool {
        self.error == "invalid_grant"
    }
}

impl fmt::Display for Denial {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.error_description {
            Some(description) if !description.is_empty() => {
                write!(
                    formatter,
                    "the controller refused: {description} ({})",
                    self.error
                )
            },
            _ => write!(formatter, "the controller refused: {}", self.error),
        }
    }
}
