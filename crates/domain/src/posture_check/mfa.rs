//! Posture checks of TOTP codes.

use crate::FieldError;
use crate::patch::assign;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Requires a recent TOTP code in the session.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MfaCheck {
    /// Validity of a code in seconds; `None` for the life of the session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_seconds: Option<NonZeroU32>,
    /// Requires another code after wake-up.
    #[serde(default)]
    pub prompt_on_wake: bool,
    /// Requires another code after unlock.
    #[serde(default)]
    pub prompt_on_unlock: bool,
    /// Hides the timeout from clients that do not support it.
    #[serde(default)]
    pub ignore_legacy_endpoints: bool,
}

/// Members of an MFA check to change; `None` leaves a member unchanged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MfaPatch {
    /// `Some(None)` for the life of the session.
    pub timeout_seconds: Option<Option<NonZeroU32>>,
    /// Requires another code after wake-up.
    pub prompt_on_wake: Option<bool>,
    /// Requires another code after unlock.
    pub prompt_on_unlock: Option<bool>,
    /// Hides the timeout from clients that do not support it.
    pub ignore_legacy_endpoints: Option<bool>,
}

impl MfaCheck {
    /// Parses the member `timeoutSeconds`; 0 and negative values mean no timeout.
    ///
    /// # Errors
    ///
    /// [`FieldError`] on `timeoutSeconds` when it exceeds 32 bits (136 years).
    pub fn parse_timeout(seconds: i64) -> Result<Option<NonZeroU32>, FieldError> {
        let refused = |_| {
            let reason = format!("must be at most {}", u32::MAX);
            FieldError::new("timeoutSeconds", reason, seconds.to_string())
        };
        u32::try_from(seconds.max(0))
            .map(NonZeroU32::new)
            .map_err(refused)
    }
}

impl MfaPatch {
    pub(super) fn apply(self, check: &mut MfaCheck) {
        assign(&mut check.timeout_seconds, self.timeout_seconds);
        assign(&mut check.prompt_on_wake, self.prompt_on_wake);
        assign(&mut check.prompt_on_unlock, self.prompt_on_unlock);
        assign(
            &mut check.ignore_legacy_endpoints,
            self.ignore_legacy_endpoints,
        );
    }
}
